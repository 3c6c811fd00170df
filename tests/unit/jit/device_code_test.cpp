// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long the code of kernels lives, with the keys of their instances in the test's hands.
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "engine/engine.hpp"
#include "gc/thread.hpp"
#include "jit/device/device.hpp"
#include "jit/llvm_body.hpp"
#include "tests/support/watchdog.hpp"

namespace berth::jit {
namespace {

using namespace std::chrono_literals;
using test::Watchdog;

/// One figure of the engine's metrics.
size_t metric(engine::Engine& engine, const std::string& name) {
  const std::string all = "\n" + engine.metrics();
  const size_t at = all.find("\n" + name + " ");
  EXPECT_NE(at, std::string::npos) << name;
  return at == std::string::npos ? 0 : std::stoul(all.substr(at + name.size() + 2));
}

constexpr const char* kAddOne =
    "declare i32 @berth_lane_id(i32)\n"
    "define void @add_one(ptr addrspace(1) %x) {\n"
    "  %lane = call i32 @berth_lane_id(i32 0)\n"
    "  %p = getelementptr i32, ptr addrspace(1) %x, i32 %lane\n"
    "  %old = load i32, ptr addrspace(1) %p\n"
    "  %new = add i32 %old, 1\n"
    "  store i32 %new, ptr addrspace(1) %p\n"
    "  ret void\n}\n";
constexpr uint32_t kLanes = 16;

class KernelCode : public testing::Test {
 protected:
  KernelCode() {
    engine::EngineOptions options;
    options.compile_threads = 1;
    options.compile_threads_set = true;
    engine = engine::Engine::make(options).assume_value();
    thread = engine->attach().assume_value();
    DeviceOptions device_options;
    device_options.threads = 1;
    device = std::make_shared<Device>(*engine, device_options);
    queue = std::make_shared<Queue>(device);
    buffer = Buffer::make(device->id(), kLanes * sizeof(int32_t)).assume_value();
    const std::vector<int32_t> zeros(kLanes);
    EXPECT_FALSE(buffer->write(0, zeros.data(), kLanes * sizeof(int32_t)).has_error());
  }
  ~KernelCode() override {
    queue->stop();
    queue.reset();
    device.reset();
    engine->detach(*thread);
  }

  /// Where no word that is left over looks like a frame inside of the code.
  template <class Part>
  void on_another_stack(Part&& part) {
    std::thread(part).join();
  }
  KernelRef make_kernel() {
    engine::Source source;
    source.body = std::make_unique<LlvmBody>(engine::BodyKind::LlvmIr, kAddOne);
    auto kernel = Kernel::make(*device, source, "add_one");
    EXPECT_FALSE(kernel.has_error());
    return std::move(kernel).assume_value();
  }
  /// Parked until `ready` is signalled.
  void launch(const KernelRef& kernel, const SemaphoreRef& ready) {
    auto made = device->launch(kernel, {{1, 1, 1}, {kLanes, 1, 1}, 0, false, nullptr, 0},
                               {{KernelArgument::Buffer, 0, buffer, 0}});
    ASSERT_FALSE(made.has_error());
    Submission submission = std::move(made).assume_value();
    submission.waits.push_back({ready, 1});
    ASSERT_FALSE(queue->submit(std::move(submission)).has_error());
  }
  size_t code_bytes() {
    return metric(*engine, "berth_code_live_bytes") + metric(*engine, "berth_code_limbo_bytes");
  }
  /// Polls until it is so; the watchdog bounds it.
  template <class Condition>
  void until(Condition&& condition) {
    while (!condition()) {
      thread->safepoint();
      std::this_thread::yield();
    }
  }
  /// So many passes began after the call: what could go by then has gone.
  void after_passes(size_t count) {
    const size_t before = metric(*engine, "berth_code_passes_total");
    until([&] { return metric(*engine, "berth_code_passes_total") >= before + count; });
  }

  std::unique_ptr<engine::Engine> engine;
  Watchdog watchdog{60s, [this] { return engine->explain(); }};
  gc::Thread* thread = nullptr;
  std::shared_ptr<Device> device;
  std::shared_ptr<Queue> queue;
  BufferRef buffer;
};

// Neither the key nor a handle nor a frame has it any more: only the submission, which waits.
TEST_F(KernelCode, J50_a_stream_keeps_the_code) {
  const auto ready = std::make_shared<TimelineSemaphore>(engine->collector(), 0);
  on_another_stack([&] {
    const KernelRef kernel = make_kernel();
    launch(kernel, ready);
    EXPECT_TRUE(engine->invalidate(kernel->code(), 0).has_value());
  });
  after_passes(3);
  EXPECT_GT(code_bytes(), 0u);
  ASSERT_FALSE(ready->signal(1).has_error());
  ASSERT_FALSE(queue->drain(Deadline::never()).has_error());
  std::vector<int32_t> found(kLanes);
  ASSERT_FALSE(buffer->read(0, found.data(), kLanes * sizeof(int32_t)).has_error());
  EXPECT_EQ(found, std::vector<int32_t>(kLanes, 1));
  until([&] { return code_bytes() == 0; });
}

// The stream is what kept it.
TEST_F(KernelCode, J50_without_a_stream_the_code_goes) {
  on_another_stack([&] {
    const KernelRef kernel = make_kernel();
    EXPECT_TRUE(engine->invalidate(kernel->code(), 0).has_value());
  });
  until([&] { return code_bytes() == 0; });
}

}  // namespace
}  // namespace berth::jit
