// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SafeUpgradeMutex: shared, upgrade (one at a time, beside readers) or exclusive ownership; waits are safe.
//
//   state              | shared      | upgrade     | exclusive | upgrade -> exclusive
//   Free               | Shared(1)   | Upgrade     | Exclusive | -
//   Shared(n)          | Shared(n+1) | Upgrade + n | waits     | invalid: only an upgrade owner may
//   Upgrade + n shared | n + 1       | waits       | waits     | waits for n = 0, Exclusive
//   Exclusive          | waits       | waits       | waits     | -
//
// Ranks 0-99, as SafeMutex. Boost's takes an inner mutex even to read: not for hot paths.
#pragma once
#include <boost/thread/shared_mutex.hpp>

#include "gc/thread.hpp"

namespace berth::gc {

class BERTH_CAPABILITY("shared mutex") SafeUpgradeMutex {
 public:
  class SharedGuard;
  class UpgradeGuard;
  class ExclusiveGuard;

  explicit SafeUpgradeMutex(Rank rank);
  SafeUpgradeMutex(const SafeUpgradeMutex&) = delete;
  SafeUpgradeMutex& operator=(const SafeUpgradeMutex&) = delete;

 private:
  void lock(Thread& thread, bool (boost::upgrade_mutex::*try_lock)(), void (boost::upgrade_mutex::*lock)());
  void unlock(Thread& thread, void (boost::upgrade_mutex::*unlock)());
  boost::upgrade_mutex mutex_;
  Rank rank_;
};

/// Threads: the attached one. Blocks: may wait. GC: any, kept; safe while waiting. (The others as this.)
class SafeUpgradeMutex::SharedGuard {
 public:
  SharedGuard(Thread& thread, SafeUpgradeMutex& mutex);
  ~SharedGuard();
  SharedGuard(const SharedGuard&) = delete;
  SharedGuard& operator=(const SharedGuard&) = delete;

 private:
  Thread& thread_;
  SafeUpgradeMutex& mutex_;
};

class SafeUpgradeMutex::UpgradeGuard {
 public:
  UpgradeGuard(Thread& thread, SafeUpgradeMutex& mutex);
  ~UpgradeGuard();
  UpgradeGuard(const UpgradeGuard&) = delete;
  UpgradeGuard& operator=(const UpgradeGuard&) = delete;
  /// Waits for the readers; exclusive until the end of the scope. Once.
  void upgrade();

 private:
  Thread& thread_;
  SafeUpgradeMutex& mutex_;
  bool is_exclusive_ = false;
};

class SafeUpgradeMutex::ExclusiveGuard {
 public:
  ExclusiveGuard(Thread& thread, SafeUpgradeMutex& mutex);
  ~ExclusiveGuard();
  ExclusiveGuard(const ExclusiveGuard&) = delete;
  ExclusiveGuard& operator=(const ExclusiveGuard&) = delete;

 private:
  Thread& thread_;
  SafeUpgradeMutex& mutex_;
};

}  // namespace berth::gc
