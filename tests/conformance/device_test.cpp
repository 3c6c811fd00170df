// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contract page "devices", on the host device, through the C API: semaphores, submissions, kernels,
// whole-grid barriers.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "berth/berth.hpp"
#include "tests/support/watchdog.hpp"

namespace {

using namespace berth;
using namespace std::chrono_literals;

std::string take_message(berth_error_t* error) {
  std::string text = error ? berth_error_message(error) : "";
  berth_error_delete(error);
  return text;
}
berth_code_t take_code(berth_error_t* error) {
  const berth_code_t code = berth_error_code(error);
  berth_error_delete(error);
  return code;
}

class Device : public ::testing::Test {
 protected:
  void open(const char* uri = "host:threads=2") {
    berth_device_t* device = nullptr;
    check(berth_device_open(engine_.get(), uri, &device));
    device_.reset(device);
    berth_queue_t* queue = nullptr;
    check(berth_queue_new(device_.get(), &queue));
    queue_.reset(queue);
  }
  BufferOwner buffer(size_t bytes) {
    berth_buffer_t* out = nullptr;
    check(berth_buffer_new(device_.get(), bytes, &out));
    return BufferOwner(out);
  }
  SemaphoreOwner semaphore(uint64_t initial = 0) {
    berth_semaphore_t* out = nullptr;
    check(berth_semaphore_new(engine_.get(), initial, &out));
    return SemaphoreOwner(out);
  }
  KernelOwner kernel(const std::string& ir, const char* entry) {
    const SourceOwner source = SourceOwner::from_ir(ir, entry);
    berth_kernel_t* out = nullptr;
    check(berth_kernel_new(device_.get(), source.get(), nullptr, &out));
    return KernelOwner(out);
  }
  // Launches and waits; the error is the launch's own.
  berth_error_t* launch(const KernelOwner& kernel, uint32_t blocks, uint32_t lanes,
                        std::vector<berth_arg_t> items, uint32_t shared_bytes = 0) {
    const SemaphoreOwner done = semaphore();
    berth_grid_t grid{};
    grid.struct_size = sizeof grid;
    const uint32_t b[3] = {blocks, 1, 1}, l[3] = {lanes, 1, 1};
    std::memcpy(grid.blocks, b, sizeof b);
    std::memcpy(grid.lanes, l, sizeof l);
    grid.shared_bytes = shared_bytes;
    grid.cooperative = 1;
    const berth_args_t args{items.size(), items.data()};
    const berth_point_t point{done.get(), 1};
    const berth_points_t signals{1, &point};
    if (berth_error_t* error =
            berth_queue_launch(queue_.get(), kernel.get(), &grid, &args, nullptr, &signals))
      return error;
    return berth_semaphore_wait(done.get(), 1, -1);
  }
  template <class T>
  std::vector<T> read(const BufferOwner& buffer, size_t n) {
    std::vector<T> out(n);
    check(berth_buffer_read(buffer.get(), 0, out.data(), n * sizeof(T)));
    return out;
  }

  test::Watchdog watchdog_{60s, [this] { return engine_.explain(); }};
  EngineOwner engine_;
  DeviceOwner device_;
  QueueOwner queue_;
};

berth_arg_t arg(const BufferOwner& buffer) {
  berth_arg_t out{};
  out.kind = BERTH_ARG_BUFFER;
  out.buffer = buffer.get();
  return out;
}
berth_arg_t arg(int32_t value) {
  berth_arg_t out{};
  out.kind = BERTH_ARG_I32;
  out.i32 = value;
  return out;
}

const std::string kDeclarations =
    "declare i32 @berth_lane_id(i32)\ndeclare i32 @berth_lane_count(i32)\ndeclare i32 @berth_block_id(i32)\n"
    "declare i32 @berth_block_count(i32)\ndeclare void @berth_block_barrier()\ndeclare void "
    "@berth_grid_barrier()\n"
    "declare void @berth_fault(i32)\n";

// Every lane: x[g] = g; barrier; y[g] = sum over 4 lanes from the next block on; in a loop of `rounds`.
const std::string kRotate = kDeclarations + R"(
define void @rotate(ptr addrspace(1) %x, ptr addrspace(1) %y, i32 %rounds) {
entry:
  %lane = call i32 @berth_lane_id(i32 0)
  %lanes = call i32 @berth_lane_count(i32 0)
  %block = call i32 @berth_block_id(i32 0)
  %blocks = call i32 @berth_block_count(i32 0)
  %base = mul i32 %block, %lanes
  %g = add i32 %base, %lane
  %n = mul i32 %blocks, %lanes
  %own.x = getelementptr i32, ptr addrspace(1) %x, i32 %g
  %own.y = getelementptr i32, ptr addrspace(1) %y, i32 %g
  %next.g = add i32 %g, %lanes
  %wrapped = urem i32 %next.g, %n
  %their.x = getelementptr i32, ptr addrspace(1) %x, i32 %wrapped
  br label %round
round:
  %r = phi i32 [ 0, %entry ], [ %r.next, %second ]
  %carried = phi i32 [ %g, %entry ], [ %value, %second ]
  %more = icmp ult i32 %r, %rounds
  br i1 %more, label %body, label %done
body:
  store i32 %carried, ptr addrspace(1) %own.x
  call void @berth_grid_barrier()
  %value = load i32, ptr addrspace(1) %their.x
  br label %second
second:
  call void @berth_grid_barrier()
  %r.next = add i32 %r, 1
  br label %round
done:
  store i32 %carried, ptr addrspace(1) %own.y
  ret void
}
)";

std::vector<int32_t> rotated(uint32_t blocks, uint32_t lanes, uint32_t rounds) {
  std::vector<int32_t> out(blocks * lanes);
  for (uint32_t g = 0; g < out.size(); ++g)
    out[g] = static_cast<int32_t>((g + uint64_t{rounds} * lanes) % out.size());
  return out;
}

struct Shape {
  const char* uri;
  uint32_t blocks, lanes, rounds;
};
class GridBarrier : public Device, public ::testing::WithParamInterface<Shape> {};

TEST_P(GridBarrier, GRD_1_values_live_across_barriers_in_a_loop) {
  const Shape& shape = GetParam();
  open(shape.uri);
  const KernelOwner rotate = kernel(kRotate, "rotate");
  const size_t n = size_t{shape.blocks} * shape.lanes;
  const BufferOwner x = buffer(4 * n), y = buffer(4 * n);
  check(launch(rotate, shape.blocks, shape.lanes, {arg(x), arg(y), arg(static_cast<int32_t>(shape.rounds))}));
  EXPECT_EQ(read<int32_t>(y, n), rotated(shape.blocks, shape.lanes, shape.rounds));
}

INSTANTIATE_TEST_SUITE_P(
    Device, GridBarrier,
    ::testing::Values(Shape{"host:threads=1", 1, 1, 3}, Shape{"host:threads=1", 512, 33, 5},
                      Shape{"host:threads=2", 3, 256, 2}, Shape{"host:threads=4", 512, 64, 5},
                      Shape{"host:threads=16", 17, 33, 5}, Shape{"host:threads=2", 65536, 1, 2},
                      Shape{"host:threads=2,order=descending", 64, 33, 5},
                      Shape{"host:threads=4,order=random,seed=3", 64, 33, 5}));

TEST_F(Device, GRD_2_one_kernel_launched_again_and_again) {
  open();
  const KernelOwner rotate = kernel(kRotate, "rotate");
  const BufferOwner x = buffer(4 * 64 * 16), y = buffer(4 * 64 * 16);
  for (int32_t rounds = 0; rounds < 8; ++rounds) {
    check(launch(rotate, 64, 16, {arg(x), arg(y), arg(rounds)}));
    ASSERT_EQ(read<int32_t>(y, 64 * 16), rotated(64, 16, static_cast<uint32_t>(rounds)));
  }
}

TEST_F(Device, GRD_4_independent_devices) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      berth_device_t* raw = nullptr;
      check(berth_device_open(engine_.get(), "host:threads=2", &raw));
      const DeviceOwner device(raw);
      const SourceOwner source = SourceOwner::from_ir(kRotate, "rotate");
      berth_kernel_t* kernel = nullptr;
      check(berth_kernel_new(device.get(), source.get(), nullptr, &kernel));
      const KernelOwner owner(kernel);
      wrong += kernel == nullptr;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Device, GRD_6_blocks_that_disagree_fail_and_the_next_launch_is_right) {
  open();
  const std::string diverge = kDeclarations + R"(
define void @diverge(ptr addrspace(1) %out) {
  %block = call i32 @berth_block_id(i32 0)
  %odd = icmp eq i32 %block, 5
  br i1 %odd, label %done, label %meet
meet:
  call void @berth_grid_barrier()
  br label %done
done:
  ret void
}
)";
  const KernelOwner bad = kernel(diverge, "diverge");
  const BufferOwner x = buffer(4 * 512), y = buffer(4 * 512);
  const std::string message = take_message(launch(bad, 16, 4, {arg(x)}));
  EXPECT_NE(message.find("blocks disagree"), std::string::npos) << message;
  const KernelOwner rotate = kernel(kRotate, "rotate");
  check(launch(rotate, 16, 4, {arg(x), arg(y), arg(3)}));
  EXPECT_EQ(read<int32_t>(y, 64), rotated(16, 4, 3));
}

TEST_F(Device, GRD_11_grid_barrier_needs_cooperative) {
  open();
  const KernelOwner rotate = kernel(kRotate, "rotate");
  berth_grid_t grid{sizeof(berth_grid_t), {1, 1, 1}, {1, 1, 1}, 0, 0, nullptr, 0};
  const BufferOwner x = buffer(64);
  const berth_arg_t items[] = {arg(x), arg(x), arg(1)};
  const berth_args_t args{3, items};
  EXPECT_EQ(take_code(berth_queue_launch(queue_.get(), rotate.get(), &grid, &args, nullptr, nullptr)),
            BERTH_INVALID_ARGUMENT);
}

TEST_F(Device, GRD_12_context_over_the_limit_is_refused) {
  open("host:threads=2,context_limit=4096");
  const KernelOwner rotate = kernel(kRotate, "rotate");
  const BufferOwner x = buffer(4 * 65536), y = buffer(4 * 65536);
  EXPECT_EQ(take_code(launch(rotate, 256, 256, {arg(x), arg(y), arg(1)})), BERTH_RESOURCE_EXHAUSTED);
}

TEST_F(Device, BLK_1_block_barrier_in_a_loop_with_shared_memory) {
  open();
  const std::string reduce = kDeclarations + R"(
@tile = internal addrspace(3) global [64 x i32] poison
define void @reduce(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %lane = call i32 @berth_lane_id(i32 0)
  %block = call i32 @berth_block_id(i32 0)
  %base = mul i32 %block, 64
  %g = add i32 %base, %lane
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %g
  %v = load i32, ptr addrspace(1) %p
  %own = getelementptr [64 x i32], ptr addrspace(3) @tile, i32 0, i32 %lane
  store i32 %v, ptr addrspace(3) %own
  call void @berth_block_barrier()
  br label %step
step:
  %width = phi i32 [ 32, %entry ], [ %half, %next ]
  %active = icmp ult i32 %lane, %width
  br i1 %active, label %add, label %next
add:
  %other = add i32 %lane, %width
  %q = getelementptr [64 x i32], ptr addrspace(3) @tile, i32 0, i32 %other
  %a = load i32, ptr addrspace(3) %own
  %b = load i32, ptr addrspace(3) %q
  %sum = add i32 %a, %b
  store i32 %sum, ptr addrspace(3) %own
  br label %next
next:
  call void @berth_block_barrier()
  %half = lshr i32 %width, 1
  %more = icmp ne i32 %half, 0
  br i1 %more, label %step, label %last
last:
  %first = icmp eq i32 %lane, 0
  br i1 %first, label %write, label %done
write:
  %total = load i32, ptr addrspace(3) @tile
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %block
  store i32 %total, ptr addrspace(1) %o
  br label %done
done:
  ret void
}
)";
  const KernelOwner owner = kernel(reduce, "reduce");
  std::vector<int32_t> in(64 * 10), sums(10);
  for (size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<int32_t>(i * i % 1000);
    sums[i / 64] += in[i];
  }
  const BufferOwner x = buffer(4 * in.size()), y = buffer(40);
  check(berth_buffer_write(x.get(), 0, in.data(), 4 * in.size()));
  check(launch(owner, 10, 64, {arg(x), arg(y)}));
  EXPECT_EQ(read<int32_t>(y, 10), sums);
}

TEST_F(Device, FAIL_3_a_fault_names_block_and_lane_and_fails_only_its_launch) {
  open();
  const std::string fault = kDeclarations + R"(
define void @fault(ptr addrspace(1) %out) {
  %lane = call i32 @berth_lane_id(i32 0)
  %block = call i32 @berth_block_id(i32 0)
  %a = icmp eq i32 %lane, 3
  %b = icmp eq i32 %block, 7
  %both = and i1 %a, %b
  br i1 %both, label %bad, label %done
bad:
  call void @berth_fault(i32 42)
  br label %done
done:
  ret void
}
)";
  const KernelOwner owner = kernel(fault, "fault");
  const BufferOwner x = buffer(64);
  const std::string message = take_message(launch(owner, 16, 8, {arg(x)}));
  EXPECT_NE(message.find("fault 42 in block 7, lane 3"), std::string::npos) << message;
  EXPECT_EQ(take_code(launch(owner, 4, 8, {arg(x)})), BERTH_OK);
}

TEST_F(Device, KRN_2_bad_kernels_are_errors) {
  open();
  const std::pair<const char*, const char*> cases[] = {
      {"define void @k(", "k"},
      {"define i32 @k() { ret i32 0 }", "returns a value"},
      {"@state = global i32 0\ndefine void @k() { store i32 1, ptr @state ret void }", "@state"},
      {"define void @k(ptr %f) { call void %f() ret void }", "indirect call"},
      {"define void @k() { call void @k() ret void }", "recursion"},
      {"declare void @other()\ndefine void @k() { call void @other() ret void }", "other is not defined"},
  };
  for (const auto& [ir, expected] : cases) {
    const SourceOwner source = SourceOwner::from_ir(ir, "k");
    berth_kernel_t* out = nullptr;
    const std::string message = take_message(berth_kernel_new(device_.get(), source.get(), nullptr, &out));
    EXPECT_NE(message.find(expected), std::string::npos) << message;
    EXPECT_EQ(out, nullptr);
  }
  EXPECT_NE(kernel(kRotate, "rotate"), nullptr);
}

TEST_F(Device, KRN_3_one_compile_for_all_threads_and_devices_of_a_target) {
  open();
  berth_engine_counts_t before{}, after{};
  before.struct_size = after.struct_size = sizeof before;
  berth_engine_counts(engine_.get(), &before);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) threads.emplace_back([&] { kernel(kRotate, "rotate"); });
  for (std::thread& thread : threads) thread.join();
  berth_engine_counts(engine_.get(), &after);
  EXPECT_EQ(after.compiled_optimized - before.compiled_optimized, 1u);
}

TEST_F(Device, SEM_1_values_rise_only) {
  const SemaphoreOwner s = semaphore(123);
  uint64_t value = 0;
  check(berth_semaphore_query(s.get(), &value));
  EXPECT_EQ(value, 123u);
  EXPECT_EQ(take_code(berth_semaphore_signal(s.get(), 123)), BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(take_code(berth_semaphore_signal(s.get(), 7)), BERTH_INVALID_ARGUMENT);
  check(berth_semaphore_signal(s.get(), 200));
  check(berth_semaphore_query(s.get(), &value));
  EXPECT_EQ(value, 200u);
}

TEST_F(Device, SEM_2_wait_below_and_poll) {
  const SemaphoreOwner s = semaphore(5);
  check(berth_semaphore_wait(s.get(), 0, 0));
  check(berth_semaphore_wait(s.get(), 5, 0));
  EXPECT_EQ(take_code(berth_semaphore_wait(s.get(), 6, 0)), BERTH_TIMED_OUT);
  EXPECT_EQ(take_code(berth_semaphore_wait(s.get(), 6, 1)), BERTH_TIMED_OUT);
}

TEST_F(Device, SEM_4_reached_then_failed) {
  const SemaphoreOwner s = semaphore();
  check(berth_semaphore_signal(s.get(), 3));
  open();
  const BufferOwner small = buffer(1);
  berth_semaphore_fail(s.get(), berth_buffer_write(small.get(), 100, "", 1));  // any error will do
  check(berth_semaphore_wait(s.get(), 3, 0));
  EXPECT_EQ(take_code(berth_semaphore_wait(s.get(), 4, -1)), BERTH_INVALID_ARGUMENT);
}

TEST_F(Device, SEM_5_ping_pong_with_data) {
  const SemaphoreOwner a = semaphore(), b = semaphore();
  uint64_t data = 0;  // handed over by the semaphores alone
  std::thread other([&] {
    for (uint64_t i = 1; i <= 1000; ++i) {
      check(berth_semaphore_wait(a.get(), i, -1));
      ++data;
      check(berth_semaphore_signal(b.get(), i));
    }
  });
  for (uint64_t i = 1; i <= 1000; ++i) {
    ++data;
    check(berth_semaphore_signal(a.get(), i));
    check(berth_semaphore_wait(b.get(), i, -1));
    ASSERT_EQ(data, 2 * i);
  }
  other.join();
}

TEST_F(Device, SEM_7_last_signaller_gone_cancels) {
  open();
  const SemaphoreOwner done = semaphore();
  SemaphoreOwner never = semaphore();
  const berth_point_t wait{never.get(), 1}, signal{done.get(), 1};
  const berth_points_t waits{1, &wait}, signals{1, &signal};
  check(berth_queue_barrier(queue_.get(), &waits, &signals));
  never.reset();
  EXPECT_EQ(take_code(berth_semaphore_wait(done.get(), 1, -1)), BERTH_CANCELLED);
}

TEST_F(Device, MW_3_any_over_reached_and_failed) {
  const SemaphoreOwner reached = semaphore(1), pending = semaphore();
  SemaphoreOwner failed = semaphore();
  open();
  const BufferOwner small = buffer(1);
  berth_semaphore_fail(failed.get(), berth_buffer_write(small.get(), 9, "", 1));
  size_t index = 99;
  const berth_point_t both[] = {{failed.get(), 1}, {reached.get(), 1}};
  const berth_points_t list{2, both};
  check(berth_semaphore_wait_any(&list, 0, &index));
  EXPECT_EQ(index, 1u);
  const berth_point_t none[] = {{pending.get(), 1}, {failed.get(), 1}};
  const berth_points_t no_list{2, none};
  EXPECT_EQ(take_code(berth_semaphore_wait_any(&no_list, -1, &index)), BERTH_INVALID_ARGUMENT);
  const berth_points_t empty{0, nullptr};
  check(berth_semaphore_wait_any(&empty, -1, &index));
  EXPECT_EQ(index, SIZE_MAX);
}

TEST_F(Device, TP_5_a_registration_and_a_signal_never_miss_each_other) {
  for (int round = 0; round < 300; ++round) {
    const SemaphoreOwner s = semaphore();
    std::vector<std::thread> waiters;
    std::atomic<int> woken{0};
    for (int t = 0; t < 4; ++t) {
      waiters.emplace_back([&] {
        check(berth_semaphore_wait(s.get(), 1, -1));
        ++woken;
      });
    }
    check(berth_semaphore_signal(s.get(), 1));
    for (std::thread& waiter : waiters) waiter.join();
    ASSERT_EQ(woken, 4);
  }
}

TEST_F(Device, SUB_3_consumer_first_on_one_queue) {
  open();
  const BufferOwner a = buffer(64), b = buffer(64);
  const SemaphoreOwner filled = semaphore(), copied = semaphore();
  const berth_point_t fill_point{filled.get(), 1}, copy_point{copied.get(), 1};
  const berth_points_t fill_points{1, &fill_point}, copy_points{1, &copy_point};
  check(berth_queue_copy(queue_.get(), a.get(), 0, b.get(), 0, 64, &fill_points, &copy_points));
  EXPECT_EQ(take_code(berth_semaphore_wait(copied.get(), 1, 0)), BERTH_TIMED_OUT);
  check(berth_queue_fill(queue_.get(), a.get(), 0, 64, 0xab, 1, nullptr, &fill_points));
  check(berth_semaphore_wait(copied.get(), 1, -1));
  EXPECT_EQ(read<uint8_t>(b, 64), std::vector<uint8_t>(64, 0xab));
}

TEST_F(Device, SUB_7_refusals_leave_points_untouched) {
  open();
  const SemaphoreOwner s = semaphore(5);
  const berth_point_t low{s.get(), 5}, high{s.get(), 6};
  const berth_point_t twice[] = {high, {s.get(), 7}};
  const berth_points_t low_list{1, &low}, high_list{1, &high}, twice_list{2, twice};
  EXPECT_EQ(take_code(berth_queue_barrier(queue_.get(), nullptr, &low_list)), BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(take_code(berth_queue_barrier(queue_.get(), nullptr, &twice_list)), BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(take_code(berth_queue_barrier(queue_.get(), &high_list, &high_list)), BERTH_INVALID_ARGUMENT);
  uint64_t value = 0;
  check(berth_semaphore_query(s.get(), &value));
  EXPECT_EQ(value, 5u);
}

TEST_F(Device, FAIL_1_a_failed_wait_fails_its_signals_and_nothing_else) {
  open();
  const SemaphoreOwner bad = semaphore(), dependent = semaphore(), other = semaphore();
  const berth_point_t wait{bad.get(), 1}, signal{dependent.get(), 1}, free_signal{other.get(), 1};
  const berth_points_t waits{1, &wait}, signals{1, &signal}, free_signals{1, &free_signal};
  check(berth_queue_barrier(queue_.get(), &waits, &signals));
  const BufferOwner small = buffer(1);
  berth_semaphore_fail(bad.get(), berth_buffer_write(small.get(), 9, "", 1));
  EXPECT_EQ(take_code(berth_semaphore_wait(dependent.get(), 1, -1)), BERTH_INVALID_ARGUMENT);
  check(berth_queue_barrier(queue_.get(), nullptr, &free_signals));
  check(berth_semaphore_wait(other.get(), 1, -1));
}

TEST_F(Device, SHD_2_delete_fails_what_never_began) {
  open();
  const SemaphoreOwner never = semaphore(), done = semaphore();
  const berth_point_t wait{never.get(), 1}, signal{done.get(), 1};
  const berth_points_t waits{1, &wait}, signals{1, &signal};
  check(berth_queue_barrier(queue_.get(), &waits, &signals));
  queue_.reset();
  EXPECT_EQ(take_code(berth_semaphore_wait(done.get(), 1, -1)), BERTH_CANCELLED);
  check(berth_semaphore_signal(never.get(), 1));  // its waiter is gone: nothing happens
}

TEST_F(Device, DRV_1_unknown_uris_are_errors) {
  for (const char* uri :
       {"gpu", "host:threads=0", "host:order=sideways", "host:colour=red", "host:threads=x"}) {
    berth_device_t* device = nullptr;
    EXPECT_EQ(take_code(berth_device_open(engine_.get(), uri, &device)), BERTH_INVALID_ARGUMENT) << uri;
  }
  berth_device_t* device = nullptr;
  EXPECT_EQ(take_code(berth_device_open(engine_.get(), "cuda:0", &device)), BERTH_UNSUPPORTED);
}

TEST_F(Device, SUB_9_explain_lists_the_parked_submissions_of_all_devices_once) {
  open();
  berth_device_t* raw_device = nullptr;
  check(berth_device_open(engine_.get(), "host", &raw_device));
  const DeviceOwner second(raw_device);
  berth_queue_t* raw_queue = nullptr;
  check(berth_queue_new(second.get(), &raw_queue));
  const QueueOwner second_queue(raw_queue);
  const SemaphoreOwner never = semaphore();
  const berth_point_t wait{never.get(), 7};
  const berth_points_t waits{1, &wait};
  check(berth_queue_barrier(queue_.get(), &waits, nullptr));
  check(berth_queue_barrier(second_queue.get(), &waits, nullptr));
  const std::string json = engine_.explain();
  const size_t list = json.find("\"submissions\":[");
  ASSERT_NE(list, std::string::npos) << json;
  EXPECT_EQ(json.find("\"submissions\"", list + 1), std::string::npos) << json;
  const size_t first = json.find("\"value\":7");
  ASSERT_NE(first, std::string::npos) << json;
  EXPECT_NE(json.find("\"value\":7", first + 1), std::string::npos) << json;
}

TEST_F(Device, SEM_2_null_handles_are_errors) {
  open();
  const SemaphoreOwner s = semaphore();
  const berth_point_t null_point{nullptr, 1};
  const berth_points_t null_points{1, &null_point};
  uint64_t value = 0;
  EXPECT_EQ(take_code(berth_semaphore_wait(nullptr, 1, 0)), BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(take_code(berth_semaphore_signal(nullptr, 1)), BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(take_code(berth_semaphore_query(nullptr, &value)), BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(take_code(berth_semaphore_wait_all(&null_points, 0)), BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(take_code(berth_queue_barrier(nullptr, nullptr, nullptr)), BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(take_code(berth_queue_barrier(queue_.get(), &null_points, nullptr)), BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(take_code(berth_queue_copy(queue_.get(), nullptr, 0, nullptr, 0, 1, nullptr, nullptr)),
            BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(take_code(berth_queue_launch(queue_.get(), nullptr, nullptr, nullptr, nullptr, nullptr)),
            BERTH_INVALID_ARGUMENT);
}

}  // namespace
