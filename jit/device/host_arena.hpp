// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HostArena: the one oneTBB arena of the process on which launches of all host devices find helpers.
//
// A launch never depends on a helper: the thread that issues it runs whatever nobody else has claimed. With
// several arenas one with idle slots starves the others (oneTBB 2021.8), hence one, as wide as the widest
// device.
#pragma once
#include <memory>

namespace berth::jit {

class Launch;

class HostArena {
 public:
  /// Makes room for `threads` at once. Threads: any. Blocks: short.
  static void reserve(unsigned threads);
  /// Up to `helpers` workers help `launch` once each. Threads: any. Blocks: short.
  static void offer(const std::shared_ptr<Launch>& launch, unsigned helpers);
};

}  // namespace berth::jit
