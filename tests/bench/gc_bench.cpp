// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bench gc: safe regions against an uncontended std::mutex, allocation against malloc.
//
// The seq_cst store of leave is most of a safe region; allocation includes its collections, with nothing live.
#include <atomic>
#include <cstdlib>
#include <mutex>

#include "berth/berth.hpp"
#include "tests/bench/harness.hpp"

namespace berth::bench {
namespace {

constexpr int kOperations = 200000;
std::atomic<void*> sink;  // keeps what is measured: relaxed

Figure safe_region() {
  EngineOwner engine;
  ThreadOwner thread(engine);
  std::mutex mutex;
  return compare("gc/safe_enter_leave", "std::mutex lock + unlock", 1 / 1.2, kOperations,
                 [&] {
                   return time_ns([&] {
                     for (int i = 0; i < kOperations; ++i) berth_thread_safe_leave(thread.get(), berth_thread_safe_enter(thread.get()));
                   });
                 },
                 [&] {
                   return time_ns([&] {
                     for (int i = 0; i < kOperations; ++i) {
                       mutex.lock();
                       mutex.unlock();
                     }
                   });
                 });
}

Figure allocation() {
  EngineOwner engine;
  ThreadOwner thread(engine);
  berth_gc_type_options_t options{};
  options.struct_size = sizeof options;
  options.name = "cell";
  options.bytes = 32;
  berth_gc_type_t* type = nullptr;
  check(berth_gc_type_new(engine.get(), &options, &type));
  return compare("gc/allocate/bytes:32", "malloc + free", 2, kOperations,
                 [&] {
                   return time_ns([&] {
                     for (int i = 0; i < kOperations; ++i) {
                       void* object = nullptr;
                       check(berth_gc_allocate(thread.get(), type, 0, &object));
                     }
                   });
                 },
                 [&] {
                   return time_ns([&] {
                     for (int i = 0; i < kOperations; ++i) {
                       void* memory = std::malloc(32);
                       sink.store(memory, std::memory_order_relaxed);  // else the compiler drops the pair
                       std::free(memory);
                     }
                   });
                 });
}

}  // namespace

std::vector<Figure> gc_figures() { return {safe_region(), allocation()}; }

}  // namespace berth::bench
