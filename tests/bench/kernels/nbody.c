// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <math.h>

#include "kernels.h"

typedef struct {
  double x, y, z, vx, vy, vz, mass;
} Body;

// An array of pointers, as the language has it.
BENCH_KERNEL void advance(Body** bodies, int64_t n, double dt) {
  for (int64_t i = 0; i < n; ++i) {
    Body* b = bodies[i];
    for (int64_t j = i + 1; j < n; ++j) {
      Body* o = bodies[j];
      const double dx = b->x - o->x, dy = b->y - o->y, dz = b->z - o->z;
      const double square = dx * dx + dy * dy + dz * dz;
      const double mag = dt / (square * sqrt(square));
      b->vx = b->vx - dx * o->mass * mag;
      b->vy = b->vy - dy * o->mass * mag;
      b->vz = b->vz - dz * o->mass * mag;
      o->vx = o->vx + dx * b->mass * mag;
      o->vy = o->vy + dy * b->mass * mag;
      o->vz = o->vz + dz * b->mass * mag;
    }
  }
  for (int64_t i = 0; i < n; ++i) {
    Body* b = bodies[i];
    b->x = b->x + dt * b->vx;
    b->y = b->y + dt * b->vy;
    b->z = b->z + dt * b->vz;
  }
}

double bench_nbody(int64_t rounds) {
  Body all[5] = {{0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 39.5},
                 {4.8, -1.2, -0.1, 0.6, 2.8, -0.02, 0.04},
                 {8.3, 4.1, -0.4, -1.0, 1.8, 0.008, 0.01},
                 {12.9, -15.1, -0.2, 1.1, 0.9, -0.01, 0.002},
                 {15.4, -25.9, 0.2, 1.0, 0.6, -0.03, 0.002}};
  Body* bodies[5];
  for (int64_t i = 0; i < 5; ++i) bodies[i] = &all[i];
  const int64_t n = bench_unknown(5);
  for (int64_t round = 0; round < rounds; ++round) advance(bodies, n, 0.01);
  return bodies[0]->x + bodies[4]->z;
}
