// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/code_instance.hpp"

#include "engine/instance_detail.hpp"

namespace berth::engine {

void intrusive_ptr_add_ref(CodeInstance* instance) noexcept {
  uint32_t count = instance->references.load(std::memory_order_relaxed);
  if (count != 0) {
    instance->references.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  // An unshared token: from now on its lease counts too.
  while (!instance->references.compare_exchange_weak(count, count == 0 ? 2 : count + 1,
                                                     std::memory_order_acq_rel, std::memory_order_relaxed)) {}
}

Code* instance_code(const CodeInstance& instance) noexcept {
  return instance.code.load(std::memory_order_acquire);
}

Code* announced_code(const CodeInstance& instance) noexcept {
  const InstanceState state = instance.state();
  if (state != InstanceState::Fulfilled && state != InstanceState::Compiling) return instance_code(instance);
  const CodeInstance* const leader = instance.leader.load(std::memory_order_acquire);
  const bool is_open =
      leader && leader->group_open.load(std::memory_order_acquire) == CodeInstance::kCodeOpen;
  return is_open ? instance_code(instance) : nullptr;
}

void* instance_payload(const CodeInstance& instance) noexcept {
  if (!CodeInstance::is_linked(instance.word.load(std::memory_order_acquire)) &&
      instance.state() != InstanceState::Retired) {
    return nullptr;
  }
  const InstanceDetail* detail = instance.detail.load(std::memory_order_acquire);
  return detail ? detail->payload : nullptr;
}

const SourceBody* instance_constant(const CodeInstance& instance) noexcept {
  const InstanceDetail* detail = instance.detail.load(std::memory_order_acquire);
  return detail ? detail->constant.get() : nullptr;
}

berth_key_t instance_key(const CodeInstance& instance) noexcept {
  return {instance.method.load(std::memory_order_relaxed), instance.owner.load(std::memory_order_relaxed)};
}

const char* instance_label(const CodeInstance& instance) noexcept {
  return instance.label.load(std::memory_order_relaxed);
}

uint64_t instance_min_world(const CodeInstance& instance) noexcept {
  return instance.state() < InstanceState::Fulfilled ? 1 : instance.min_world.load(std::memory_order_relaxed);
}

uint64_t instance_max_world(const CodeInstance& instance) noexcept {
  return instance.max_world.load(std::memory_order_acquire);
}

}  // namespace berth::engine
