// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contract row G17: a mutex that the collector may take and one that it never takes are locked by different
// scopes. Each MIX must not compile; without one the file does.
#include "gc/safe_mutex.hpp"
#include "gc/safe_upgrade_mutex.hpp"

void mix(berth::gc::Thread& thread, berth::gc::SafeMutex& safe, berth::sync::Mutex& plain,
         berth::gc::SafeUpgradeMutex& upgrade) {
  berth::gc::SafeCondition condition;
#if MIX == 1
  const berth::gc::CollectorLock mixed(thread, safe);
#elif MIX == 2
  const berth::gc::SafeMutex::Guard mixed(thread, plain);
#elif MIX == 3
  const berth::gc::CollectorLock mixed(thread, upgrade);
#elif MIX == 4
  const berth::gc::SafeMutex::Guard mixed(thread, upgrade);
#elif MIX == 5
  const berth::gc::SafeUpgradeMutex::ExclusiveGuard mixed(thread, safe);
#elif MIX == 6
  const berth::sync::Lock mixed(safe);
#elif MIX == 7
  berth::sync::Lock mixed(plain);
  condition.wait_until(mixed, berth::sync::TimePoint::max(), [] { return true; });
#endif
  const berth::gc::SafeMutex::Guard guard(thread, safe);
  { const berth::gc::SafeUpgradeMutex::SharedGuard shared(thread, upgrade); }
  berth::gc::CollectorLock lock(thread, plain);
  condition.notify_one(lock);
}
