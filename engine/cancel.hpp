// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cancel: ends the waits that were given it; sticky; fired from any thread, attached or not.
//
//   state | fire()                  | add(wake)
//   Idle  | Fired, wakes all added  | added
//   Fired | Fired                   | added (the waiter sees it before it parks)
//
// Rank: 330, a leaf.
#pragma once
#include <boost/intrusive/list.hpp>

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
  class Entry : public boost::intrusive::list_base_hook<> {
   public:
    Entry(Cancel* cancel, const Agent& agent) noexcept : cancel_(cancel), parker_(agent.parker.get()) {
      if (!cancel_) return;
      const sync::Lock lock(cancel_->mutex_);
      cancel_->waiting_.push_back(*this);
    }
    ~Entry() {
      if (!cancel_) return;
      const sync::Lock lock(cancel_->mutex_);
      cancel_->waiting_.erase(cancel_->waiting_.iterator_to(*this));
    }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   private:
    friend class Cancel;
    Cancel* cancel_;
    gc::Parker* parker_;  // the waiting agent's
  };

 private:
  void fire_locked() {
    gc::Parker::List wakes;
    {
      const sync::Lock lock(mutex_);
      fired_.store(true, std::memory_order_release);
      for (const Entry& entry : waiting_) wakes.add(*entry.parker_);
    }
    wakes.notify(gc::Parker::kCancelled);
  }

  const gc::Hooks* const hooks_;
  sync::Mutex mutex_{kRankCancel};
  // Release under the lock; acquire after clearing the parker's flag.
  sync::Atomic<bool> fired_{false};
  boost::intrusive::list<Entry> waiting_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth::engine
