// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gc/handle.hpp"

#include <algorithm>
#include <memory>
#include <new>

namespace berth::gc {

size_t HandleBlock::mark(const Agent& agent) noexcept {
  return agent.handles ? agent.handles->below_ + agent.handles->count_ : 0;
}

Object** HandleBlock::add(Agent& agent, Object* object) noexcept {
  HandleBlock* block = agent.handles;
  if (!block || block->count_ == kSlots) {
    auto* fresh = new (std::nothrow) HandleBlock;
    if (!fresh) return nullptr;
    fresh->previous_ = block;
    fresh->below_ = mark(agent);
    agent.handles = block = fresh;
  }
  Object** slot = &block->slots_[block->count_++];
  *slot = object;
  return slot;
}

bool HandleBlock::close(Agent& agent, size_t mark) noexcept {
  if (mark > HandleBlock::mark(agent)) return false;
  while (agent.handles && agent.handles->below_ >= mark) {
    const std::unique_ptr<HandleBlock> dropped(agent.handles);
    agent.handles = dropped->previous_;
  }
  if (agent.handles) agent.handles->count_ = std::min(agent.handles->count_, mark - agent.handles->below_);
  return true;
}

void HandleBlock::visit(const Agent& agent, SlotVisitor& visitor) {
  for (HandleBlock* block = agent.handles; block; block = block->previous_) {
    for (size_t i = 0; i < block->count_; ++i) visitor.visit(&block->slots_[i]);
  }
}

}  // namespace berth::gc
