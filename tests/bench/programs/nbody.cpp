// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/bench/programs/programs.hpp"

#include <cmath>
#include <memory>
#include <vector>

namespace berth::bench::twins {
namespace {

constexpr double kPi = 3.141592653589793, kSolarMass = 4.0 * kPi * kPi, kDays = 365.24;

struct Body {
  double x, y, z, vx, vy, vz, mass;
};
using Bodies = std::vector<std::unique_ptr<Body>>;  // each an object of its own, as the language has it

std::unique_ptr<Body> planet(double x, double y, double z, double vx, double vy, double vz, double mass) {
  return std::make_unique<Body>(Body{x, y, z, vx * kDays, vy * kDays, vz * kDays, mass * kSolarMass});
}

Bodies planets() {
  Bodies bodies;
  bodies.push_back(std::make_unique<Body>(Body{0.0, 0.0, 0.0, 0.0, 0.0, 0.0, kSolarMass}));
  bodies.push_back(planet(4.84143144246472090e+00, -1.16032004402742839e+00, -1.03622044471123109e-01,
                          1.66007664274403694e-03, 7.69901118419740425e-03, -6.90460016972063023e-05,
                          9.54791938424326609e-04));
  bodies.push_back(planet(8.34336671824457987e+00, 4.12479856412430479e+00, -4.03523417114321381e-01,
                          -2.76742510726411899e-03, 4.99852801234917238e-03, 2.30417297573763929e-05,
                          2.85885980666130812e-04));
  bodies.push_back(planet(1.28943695621391310e+01, -1.51111514016986312e+01, -2.23307578892655734e-01,
                          2.96460137564761618e-03, 2.37847173959480950e-03, -2.96589568540237556e-05,
                          4.36624404335156298e-05));
  bodies.push_back(planet(1.53796971148509165e+01, -2.59193146099879641e+01, 1.79258772950371181e-01,
                          2.68067772490389322e-03, 1.62824170038242295e-03, -9.51592254519715870e-05,
                          5.15138902046611451e-05));
  return bodies;
}

void offset_momentum(Bodies& bodies) {
  double px = 0, py = 0, pz = 0;
  for (const auto& b : bodies) {
    px = px + b->vx * b->mass;
    py = py + b->vy * b->mass;
    pz = pz + b->vz * b->mass;
  }
  bodies[0]->vx = -px / kSolarMass;
  bodies[0]->vy = -py / kSolarMass;
  bodies[0]->vz = -pz / kSolarMass;
}

double energy(const Bodies& bodies) {
  double e = 0;
  for (size_t i = 0; i < bodies.size(); ++i) {
    const Body& b = *bodies[i];
    e = e + 0.5 * b.mass * (b.vx * b.vx + b.vy * b.vy + b.vz * b.vz);
    for (size_t j = i + 1; j < bodies.size(); ++j) {
      const Body& o = *bodies[j];
      const double dx = b.x - o.x, dy = b.y - o.y, dz = b.z - o.z;
      e = e - b.mass * o.mass / std::sqrt(dx * dx + dy * dy + dz * dz);
    }
  }
  return e;
}

void advance(Bodies& bodies, double dt) {
  for (size_t i = 0; i < bodies.size(); ++i) {
    Body& b = *bodies[i];
    for (size_t j = i + 1; j < bodies.size(); ++j) {
      Body& o = *bodies[j];
      const double dx = b.x - o.x, dy = b.y - o.y, dz = b.z - o.z;
      const double square = dx * dx + dy * dy + dz * dz, mag = dt / (square * std::sqrt(square));
      b.vx = b.vx - dx * o.mass * mag;
      b.vy = b.vy - dy * o.mass * mag;
      b.vz = b.vz - dz * o.mass * mag;
      o.vx = o.vx + dx * b.mass * mag;
      o.vy = o.vy + dy * b.mass * mag;
      o.vz = o.vz + dz * b.mass * mag;
    }
  }
  for (const auto& b : bodies) {
    b->x = b->x + dt * b->vx;
    b->y = b->y + dt * b->vy;
    b->z = b->z + dt * b->vz;
  }
}

}  // namespace

std::string nbody() {
  Bodies bodies = planets();
  offset_momentum(bodies);
  std::string out = fixed(energy(bodies), 9) + "\n";
  for (int step = 0; step < 1000; ++step) advance(bodies, 0.01);
  return out + fixed(energy(bodies), 9) + "\n";
}

}  // namespace berth::bench::twins
