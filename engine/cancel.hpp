// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cancel: ends the waits that were given it; sticky; fired from any thread, attached or not.
//
//   state | fire()                  | add(wake)
//   Idle  | Fired, wakes all added  | added
//   Fired | Fired                   | added (the waiter sees it before it parks)
//
// Rank: 330, a leaf.
#pragma once
#include <boost/container/small_vector.hpp>
#include <list>

#include "engine/waiter.hpp"

namespace berth::engine {

inline constexpr Rank kRankCancel{330, "cancel"};

class Cancel {
 public:
  /// `hooks`: of the collector of the engine whose waits it ends; null: Berth's.
  explicit Cancel(const gc::Hooks* hooks = nullptr) noexcept : hooks_(hooks) {}
  /// Threads: any. Blocks: short. GC: any, kept, never polls.
  void fire() {
    if (hooks_ && hooks_->table.call_safe) {
      gc::through_hook(*hooks_, [this] { fire_locked(); });
    } else {
      fire_locked();
    }
  }
  bool is_fired() const noexcept { return fired_.load(std::memory_order_acquire); }

  /// A waiter's entry for the scope of its wait. The waiter reads is_fired after it.
  class Entry {
   public:
    Entry(Cancel* cancel, const Agent& agent) : cancel_(cancel) {
      if (!cancel_) return;
      std::list<Wake> made;
      made.emplace_back(agent, gc::Parker::kCancelled);
      const sync::Lock lock(cancel_->mutex_);
      place_ = made.begin();
      cancel_->waiting_.splice(cancel_->waiting_.end(), made);
    }
    ~Entry() {
      if (!cancel_) return;
      std::list<Wake> gone;
      const sync::Lock lock(cancel_->mutex_);
      gone.splice(gone.end(), cancel_->waiting_, place_);
    }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   private:
    Cancel* cancel_;
    std::list<Wake>::iterator place_;
  };

 private:
  void fire_locked() {
    boost::container::small_vector<Wake, 8> wakes;
    {
      const sync::Lock lock(mutex_);
      fired_.store(true, std::memory_order_release);
      for (const Wake& wake : waiting_) wakes.push_back(wake);
    }
    for (const Wake& wake : wakes) wake.send();
  }

  const gc::Hooks* const hooks_;
  sync::Mutex mutex_{kRankCancel};
  // Release under the lock; acquire after clearing the parker's flag.
  sync::Atomic<bool> fired_{false};
  std::list<Wake> waiting_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth::engine
