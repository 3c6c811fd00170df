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
      : collector_(collector),
        hook_("gc-parked",
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
    parked_.wait();  // on the collector's list, but for the moments between two slices
  }
  ~ParkedThread() {
    parker_->notify(gc::Parker::kCancelled);
    thread_.join();
  }
  gc::Parker& parker() { return *parker_; }
  /// Recruits until `has_come()`: a request that comes between two slices finds nobody on the list.
  template <class HasCome>
  void recruit_until(HasCome&& has_come) {
    for (; !has_come(); std::this_thread::yield()) collector_.recruit(1);
  }
  std::atomic<int> wakes{0};

 private:
  gc::Collector& collector_;
  gc::ParkerRef parker_;
  std::atomic<gc::Parker*> address_{nullptr};
  Gate parked_;
  latch::Hook hook_;
  std::thread thread_;
};

}  // namespace berth::test
