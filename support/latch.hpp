// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Latch points: named places where a test stops or watches a thread. Nothing is compiled unless BERTH_LATCHES
// is set.
//
// latch::reach("queue", &agent) calls every callback installed for "queue", on the thread that reached it,
// with the locks that it holds. Names and their places are listed at the floors that reach them. Cost when no
// callback is installed: a load.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#if defined(BERTH_CONTROLLED_SYNC)
#include "berth/schedule/sync.hpp"
#endif

namespace berth::latch {

#if defined(BERTH_CONTROLLED_SYNC)
/// The schedule tests: another thread may go on here.
inline void reach(const char* name, const void* = nullptr) noexcept { schedule::hook(name); }
inline void delay_each(uint32_t) noexcept {}
#elif defined(BERTH_LATCHES)
/// Threads: any. Blocks: as the callbacks do. GC: any, kept.
void reach(const char* name, const void* subject = nullptr);

/// Every point is a wait of up to `max_us` microseconds from now on, pseudo-random per thread; 0: none.
/// Threads: any.
void delay_each(uint32_t max_us) noexcept;

/// A callback for one name, while it lives. Its destructor waits for calls in progress.
class Hook {
 public:
  using Callback = std::function<void(const void* subject)>;
  Hook(std::string name, Callback callback);
  ~Hook();
  Hook(const Hook&) = delete;
  Hook& operator=(const Hook&) = delete;

 private:
  struct Entry;
  friend void reach(const char* name, const void* subject);
  std::shared_ptr<Entry> entry_;
};
#else
inline void reach(const char*, const void* = nullptr) noexcept {}
inline void delay_each(uint32_t) noexcept {}
#endif

}  // namespace berth::latch
