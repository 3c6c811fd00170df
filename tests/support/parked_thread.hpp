// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ParkedThread: what the collector recruits.
#pragma once
#include <atomic>
#include <thread>

#include "support/latch.hpp"
#include "tests/support/gc_world.hpp"

namespace berth::test {

/// A thread that is attached and parked until asked to end; recruited if the collector wants it.
class ParkedThread {
 public:
  explicit ParkedThread(gc::Collector& collector)
      : hook_("gc-parked",
              [this](const void* parker) {
                if (parker == address_.load()) parked_.open();
              }),
        thread_([this, &collector] {
          AttachedThread self(collector);
          const gc::SafeRegion region(*self);
          parker_ = self.agent().parker;
          parker_->reset();
          address_ = parker_.get();
          while (!(gc::park(*self, *parker_, sync::TimePoint::max()) & gc::Parker::kCancelled)) ++wakes;
        }) {
    parked_.wait();  // it can be recruited from here on
  }
  ~ParkedThread() {
    parker_->notify(gc::Parker::kCancelled);
    thread_.join();
  }
  gc::Parker& parker() { return *parker_; }
  std::atomic<int> wakes{0};

 private:
  gc::ParkerRef parker_;
  std::atomic<gc::Parker*> address_{nullptr};
  Gate parked_;
  latch::Hook hook_;
  std::thread thread_;
};

}  // namespace berth::test
