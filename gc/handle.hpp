// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HandleBlock: handles of an agent, in scopes, last in first out. Addresses of handles are stable until their
// scope closes.
//
// The agent's current thread opens, adds and closes; the collector reads while it is stopped.
#pragma once
#include <array>
#include <cstddef>

#include "gc/agent.hpp"

namespace berth::gc {

class HandleBlock {
 public:
  static constexpr size_t kSlots = 126;

  /// How many handles the agent has: the mark of a scope. Threads: the agent's. Blocks: never. GC: unsafe.
  static size_t mark(const Agent& agent) noexcept;
  /// A new handle for `object`; null: out of memory. As above.
  static Object** add(Agent& agent, Object* object) noexcept;
  /// Drops all handles above `mark`. False if the agent has fewer. As above.
  static bool close(Agent& agent, size_t mark) noexcept;
  /// World stopped.
  static void visit(const Agent& agent, SlotVisitor& visitor);

 private:
  HandleBlock* previous_ = nullptr;
  size_t below_ = 0;  // handles in older blocks
  size_t count_ = 0;
  std::array<Object*, kSlots> slots_{};
};

}  // namespace berth::gc
