// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gc/safe_upgrade_mutex.hpp"

#include <boost/thread/thread.hpp>

#include <algorithm>
#include <vector>

namespace berth::gc {
namespace {

// Debug only: mutexes that this thread owns in any way. A second ownership (a reader that upgrades) would
// wait for itself.
struct Owned {
  std::vector<const SafeUpgradeMutex*> list;
};

void note_owned(const SafeUpgradeMutex& mutex) {
  if constexpr (!kDebugChecks) return;
  auto& owned = sync::local<Owned>().list;
  if (std::ranges::find(owned, &mutex) != owned.end()) {
    die("a reader upgrades, or a thread locks an upgrade mutex twice. Remedy: begin with upgrade ownership");
  }
  owned.push_back(&mutex);
}

void note_disowned(const SafeUpgradeMutex& mutex) {
  if constexpr (kDebugChecks) std::erase(sync::local<Owned>().list, &mutex);
}

}  // namespace

SafeUpgradeMutex::SafeUpgradeMutex(Rank rank) : rank_(rank) {
  if (rank.value >= 100) die("a SafeUpgradeMutex has a rank below 100");
}

void SafeUpgradeMutex::lock(Thread& thread, bool (boost::upgrade_mutex::*try_lock)(),
                            void (boost::upgrade_mutex::*lock)()) {
  note_owned(*this);
  if constexpr (kDebugChecks) rank::push(rank_);
  if (!(mutex_.*try_lock)()) {
    const SafeRegion region(thread);
    const boost::this_thread::disable_interruption uninterrupted;
    check_all_safe("a wait for a SafeUpgradeMutex");
    (mutex_.*lock)();
  }
  ++thread.safe_mutexes_held;
}

void SafeUpgradeMutex::unlock(Thread& thread, void (boost::upgrade_mutex::*unlock)()) {
  (mutex_.*unlock)();
  if constexpr (kDebugChecks) rank::pop(rank_);
  note_disowned(*this);
  if (--thread.safe_mutexes_held == 0) thread.ask_for_finalizers();
}

SafeUpgradeMutex::SharedGuard::SharedGuard(Thread& thread, SafeUpgradeMutex& mutex)
    : thread_(thread), mutex_(mutex) {
  mutex.lock(thread, &boost::upgrade_mutex::try_lock_shared, &boost::upgrade_mutex::lock_shared);
}
SafeUpgradeMutex::SharedGuard::~SharedGuard() {
  mutex_.unlock(thread_, &boost::upgrade_mutex::unlock_shared);
}

SafeUpgradeMutex::UpgradeGuard::UpgradeGuard(Thread& thread, SafeUpgradeMutex& mutex)
    : thread_(thread), mutex_(mutex) {
  mutex.lock(thread, &boost::upgrade_mutex::try_lock_upgrade, &boost::upgrade_mutex::lock_upgrade);
}
SafeUpgradeMutex::UpgradeGuard::~UpgradeGuard() {
  mutex_.unlock(thread_,
                is_exclusive_ ? &boost::upgrade_mutex::unlock : &boost::upgrade_mutex::unlock_upgrade);
}
void SafeUpgradeMutex::UpgradeGuard::upgrade() {
  if (is_exclusive_) return;
  if (!mutex_.mutex_.try_unlock_upgrade_and_lock()) {
    const SafeRegion region(thread_);
    const boost::this_thread::disable_interruption uninterrupted;
    check_all_safe("a wait for readers");
    mutex_.mutex_.unlock_upgrade_and_lock();
  }
  is_exclusive_ = true;
}

SafeUpgradeMutex::ExclusiveGuard::ExclusiveGuard(Thread& thread, SafeUpgradeMutex& mutex)
    : thread_(thread), mutex_(mutex) {
  mutex.lock(thread, &boost::upgrade_mutex::try_lock, &boost::upgrade_mutex::lock);
}
SafeUpgradeMutex::ExclusiveGuard::~ExclusiveGuard() { mutex_.unlock(thread_, &boost::upgrade_mutex::unlock); }

}  // namespace berth::gc
