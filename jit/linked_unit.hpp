// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LinkedUnit: what was linked together, one object's code; LinkedMember: the part of it that is one
// instance's.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/code_instance.hpp"
#include "engine/pool.hpp"
#include "jit/call_slot.hpp"
#include "jit/slab_memory.hpp"

namespace berth::jit {

class HostBackend;
struct LinkedUnit;

/// The slots of a member's edges.
struct MemberSlots {
  std::vector<std::unique_ptr<CallSlot>> slots;
  std::vector<engine::CodeInstanceRef> callees;  // one each
  SlabMemory::Allocation trampolines;
};

/// Members are a pool's: used again, never deleted before the back end. Who has looked an entry up, without a
/// reference, may still read its code.
struct LinkedMember {
  engine::Code code;
  LinkedUnit* unit = nullptr;
  std::shared_ptr<void> record;  // what lowered code refers to by address
  std::span<void* const> osr;    // its functions of the points where lower code's loops are left
  // Written once, under CodeUnits' lock; null: nobody's yet. No reference, which would keep the code's own
  // instance alive: the generation tells whether it is still the same (its memory is type-stable).
  engine::CodeInstance* instance = nullptr;
  uint64_t generation = 0;
  std::vector<std::unique_ptr<CallSlot>> slots;  // as above
  SlabMemory::Allocation trampolines;            // as above
  uint64_t observed = 0;  // its own number with the observers, if it came from the cache
  // Of counting code.
  HostBackend* backend = nullptr;
  sync::Atomic<int32_t>* count = nullptr;  // in the code's data; lost counts are allowed: relaxed
  std::vector<sync::Atomic<void*>*>
      better;                       // as above; boxed or only entry first. Release here, acquire in the code
  sync::Atomic<bool> asked{false};  // a promotion is asked for once: relaxed

  // Under CodeUnits' lock.
  LinkedUnit* better_unit = nullptr;  // where `better` leads
  bool is_retired = false;            // the engine has let go of the code
  LinkedMember* next = nullptr;  // of the same instance, in one mark; in the pool, of those that are free

  LinkedMember* next_free() const noexcept { return next; }
  void set_next_free(LinkedMember* member) noexcept { next = member; }

  bool is_instance_alive() const noexcept {
    return instance &&
           engine::CodeInstance::generation_of(instance->word.load(std::memory_order_acquire)) == generation;
  }
};

using MemberPool = engine::Pool<LinkedMember>;

struct GiveMemberBack {
  MemberPool* pool;
  void operator()(LinkedMember* member) const noexcept { pool->put(member); }
};
using LinkedMemberPtr = std::unique_ptr<LinkedMember, GiveMemberBack>;

struct LinkedUnit {
  SlabMemory::Allocation memory;
  const void* unwind_section = nullptr;
  std::vector<LinkedMemberPtr> members;
  uint64_t observed = 0;  // its number with the observers

  // Under CodeUnits' lock.
  uint8_t reach = 0;         // of the last mark
  bool is_limbo = false;     // unreachable: nobody new comes in
  bool is_deserted = false;  // and nobody is inside: goes when the engine has let go of all members
};

}  // namespace berth::jit
