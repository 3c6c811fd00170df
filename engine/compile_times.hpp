// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CompileTimes: where the time of one compile went. On its thread exactly one phase runs at any moment, so
// all but Queued, which comes before, add up to the compile's wall time there. The members of a batch have
// equal shares of its time.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace berth::engine {

/// Wait: between the steps, for a lock, another process or a hook.
enum class CompilePhase : uint8_t { Queued, Load, Read, Check, Optimise, Generate, Link, Wait };
inline constexpr std::array<const char*, 8> kCompilePhaseNames = {"queued",   "load",     "read", "check",
                                                                  "optimise", "generate", "link", "wait"};

struct CompileTimes {
  std::array<int64_t, kCompilePhaseNames.size()> ns{};

  int64_t& operator[](CompilePhase phase) noexcept { return ns[static_cast<size_t>(phase)]; }
};

}  // namespace berth::engine
