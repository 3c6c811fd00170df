// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gridsync: 8 threads launch one kernel with a whole-grid barrier 16 times each through one shared host
// device; every lane is checked.
//
// The kernel is a reverse ping-pong: in each stage every lane adds to its own slot, as often as its block
// weighs; all blocks meet at a barrier; then each lane takes the slot of the lane at the other end. A
// missing, early or doubled barrier shows in the result.
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/berth.h"

enum { kThreads = 8, kLaunches = 16, kBlocks = 96, kLanes = 32, kSlots = kBlocks * kLanes, kRepeat = 2 };

static const char kKernel[] =
    "declare i32 @berth_lane_id(i32)\n"
    "declare i32 @berth_lane_count(i32)\n"
    "declare i32 @berth_block_id(i32)\n"
    "declare i32 @berth_block_count(i32)\n"
    "declare void @berth_grid_barrier()\n"
    "define void @pingpong(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %stages, i32 %repeat) {\n"
    "entry:\n"
    "  %lane = call i32 @berth_lane_id(i32 0)\n"
    "  %lanes = call i32 @berth_lane_count(i32 0)\n"
    "  %block = call i32 @berth_block_id(i32 0)\n"
    "  %blocks = call i32 @berth_block_count(i32 0)\n"
    "  %first = mul i32 %block, %lanes\n"
    "  %g = add i32 %first, %lane\n"
    "  %n = mul i32 %blocks, %lanes\n"
    "  %last = sub i32 %n, 1\n"
    "  %mirror = sub i32 %last, %g\n"
    "  %b7 = mul i32 %block, 7\n"
    "  %m5 = urem i32 %b7, 5\n"
    "  %weight = add i32 %m5, 1\n"
    "  %times = mul i32 %repeat, %weight\n"
    "  br label %stage\n"
    "stage:\n"
    "  %k = phi i32 [ 0, %entry ], [ %k.next, %swap ]\n"
    "  %current = phi ptr addrspace(1) [ %p, %entry ], [ %other, %swap ]\n"
    "  %other = phi ptr addrspace(1) [ %q, %entry ], [ %current, %swap ]\n"
    "  %more = icmp ult i32 %k, %stages\n"
    "  br i1 %more, label %work, label %done\n"
    "work:\n"
    "  %i = phi i32 [ 0, %stage ], [ %i.next, %work ]\n"
    "  %own = getelementptr i32, ptr addrspace(1) %current, i32 %g\n"
    "  %old = atomicrmw add ptr addrspace(1) %own, i32 1 syncscope(\"device\") monotonic\n"
    "  %i.next = add i32 %i, 1\n"
    "  %again = icmp ult i32 %i.next, %times\n"
    "  br i1 %again, label %work, label %meet\n"
    "meet:\n"
    "  call void @berth_grid_barrier()\n"
    "  br label %swap\n"
    "swap:\n"
    "  %from = getelementptr i32, ptr addrspace(1) %current, i32 %mirror\n"
    "  %value = load i32, ptr addrspace(1) %from\n"
    "  %to = getelementptr i32, ptr addrspace(1) %other, i32 %g\n"
    "  store i32 %value, ptr addrspace(1) %to\n"
    "  %k.next = add i32 %k, 1\n"
    "  br label %stage\n"
    "done:\n"
    "  ret void\n"
    "}\n";

typedef struct Worker {
  berth_engine_t* engine;
  berth_device_t* device;
  berth_kernel_t* kernel;
  int index;
  int wrong;  // lanes, over all launches; -1: a call failed
} Worker;

static int report(berth_error_t* error) {
  if (!error) return 0;
  fprintf(stderr, "gridsync: %s\n", berth_error_message(error));
  berth_error_delete(error);
  return 1;
}

static int weight(int block) { return 1 + 7 * block % 5; }

static int expected(int g, int stages) {
  const int block = g / kLanes, mirror = kBlocks - 1 - block;
  if (stages % 2 == 0) return g + stages / 2 * kRepeat * (weight(block) + weight(mirror));
  return kSlots - 1 - g + kRepeat * ((stages + 1) / 2 * weight(mirror) + (stages - 1) / 2 * weight(block));
}

static int run_launches(Worker* worker, berth_queue_t* queue, berth_buffer_t* p, berth_buffer_t* q,
                        berth_semaphore_t* done) {
  static const int kStages[] = {1, 2, 5, 8};
  int32_t input[kSlots], output[kSlots];
  for (int launch = 0; launch < kLaunches; ++launch) {
    const int stages = kStages[(launch + worker->index) % 4];
    for (int g = 0; g < kSlots; ++g) input[g] = g;
    if (report(berth_buffer_write(p, 0, input, sizeof input))) return -1;
    memset(input, 0xff, sizeof input);
    if (report(berth_buffer_write(q, 0, input, sizeof input))) return -1;
    const berth_grid_t grid = {
        .struct_size = sizeof grid, .blocks = {kBlocks, 1, 1}, .lanes = {kLanes, 1, 1}, .cooperative = 1};
    const berth_arg_t items[] = {{.kind = BERTH_ARG_BUFFER, .buffer = p},
                                 {.kind = BERTH_ARG_BUFFER, .buffer = q},
                                 {.kind = BERTH_ARG_I32, .i32 = stages},
                                 {.kind = BERTH_ARG_I32, .i32 = kRepeat}};
    const berth_args_t args = {4, items};
    const berth_point_t point = {done, (uint64_t)launch + 1};
    const berth_points_t signals = {1, &point};
    if (report(berth_queue_launch(queue, worker->kernel, &grid, &args, NULL, &signals))) return -1;
    if (report(berth_semaphore_wait(done, (uint64_t)launch + 1, INT64_C(60000000000)))) return -1;
    if (report(berth_buffer_read(stages % 2 == 0 ? p : q, 0, output, sizeof output))) return -1;
    for (int g = 0; g < kSlots; ++g) worker->wrong += output[g] != expected(g, stages);
  }
  return worker->wrong;
}

static void* work(void* argument) {
  Worker* worker = argument;
  berth_queue_t* queue = NULL;
  berth_buffer_t *p = NULL, *q = NULL;
  berth_semaphore_t* done = NULL;
  if (report(berth_queue_new(worker->device, &queue)) ||
      report(berth_buffer_new(worker->device, 4 * kSlots, &p)) ||
      report(berth_buffer_new(worker->device, 4 * kSlots, &q)) ||
      report(berth_semaphore_new(worker->engine, 0, &done))) {
    worker->wrong = -1;
  } else {
    worker->wrong = run_launches(worker, queue, p, q, done);
  }
  berth_queue_delete(queue);
  berth_semaphore_delete(done);
  berth_buffer_delete(q);
  berth_buffer_delete(p);
  return NULL;
}

int main(int argc, char** argv) {
  const char* uri = argc > 1 ? argv[1] : "host:threads=2";
  berth_engine_t* engine = NULL;
  berth_device_t* device = NULL;
  berth_source_t* source = NULL;
  berth_kernel_t* kernel = NULL;
  if (report(berth_engine_new(NULL, &engine)) || report(berth_device_open(engine, uri, &device)) ||
      report(berth_source_from_ir(kKernel, sizeof kKernel - 1, "pingpong", &source)) ||
      report(berth_kernel_new(device, source, NULL, &kernel))) {
    return 1;
  }
  Worker workers[kThreads];
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    workers[i] = (Worker){engine, device, kernel, i, 0};
    if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0) return 1;
  }
  int wrong = 0;
  for (int i = 0; i < kThreads; ++i) {
    pthread_join(threads[i], NULL);
    if (workers[i].wrong != 0) {
      printf("thread %d: %s\n", i, workers[i].wrong < 0 ? "a call failed" : "wrong lanes");
      wrong = 1;
    }
  }
  char* info = berth_kernel_info_json(kernel);
  printf("%s: %d threads x %d launches of %d blocks x %d lanes on %s, kernel %s\n", wrong ? "WRONG" : "ok",
         kThreads, kLaunches, kBlocks, kLanes, uri, info);
  berth_string_delete(info);
  berth_kernel_delete(kernel);
  berth_source_delete(source);
  berth_device_delete(device);
  berth_engine_delete(engine);
  return wrong;
}
