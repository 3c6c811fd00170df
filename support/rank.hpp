// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lock ranks: a thread takes locks only upwards. Debug builds keep the list of held ranks and die with both
// names.
//
//   0-99     SafeMutex, may be held across GC transitions      310  engine shard
//   100-199  inference/, jit/ (110.. device, 180 channel)      320  engine wait graph
//   200, 210 collector: registry, stop                         330-350  cancel, owner table, pool refill
//   300      world                                             400, 410  parker, parker list
//   500      leaves: trace, metrics, compile queue, call slots
#pragma once
#include <cstdint>
#include <source_location>

namespace berth {

struct Rank {
  uint16_t value;
  const char* name;
};

#if defined(BERTH_DEBUG_CHECKS)
inline constexpr bool kDebugChecks = true;
#else
inline constexpr bool kDebugChecks = false;
#endif

namespace rank {
/// Called by sync::Mutex in debug builds. Dies if a lock of equal or higher rank is held.
void push(Rank rank);
void pop(Rank rank) noexcept;
/// Whether this thread holds a lock with a rank in [low, high]; known in debug builds only.
bool is_held(uint16_t low, uint16_t high) noexcept;
/// Dies, naming the lock, if one with a rank in [low, high] is held by this thread. Nothing in release.
void check_none_held(uint16_t low, uint16_t high, const char* during,
                     std::source_location where = std::source_location::current());
}  // namespace rank

/// A broken contract: prints what and where to stderr and aborts. Debug builds only reach it.
[[noreturn]] void die(const char* what, std::source_location where = std::source_location::current());

}  // namespace berth
