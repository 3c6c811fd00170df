// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/call_slot.hpp"

#include <cerrno>
#include <cstring>

#include "support/mutant.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

extern "C" {
__attribute__((visibility("hidden"))) void berth_call_stub();
__attribute__((visibility("hidden"))) uint64_t berth_call_stub_area =
    0;  // bytes the stub saves vector registers in; 0: fxsave
__attribute__((visibility("hidden"), used)) void* berth_call_stub_resolve(berth::jit::CallSlot* slot,
                                                                          char* base) {
  return slot->table->resolve(*slot, base);
}
}

#if defined(__x86_64__)
// Entered by a trampoline with the slot in r11 and the caller's arguments and return address in place. Keeps
// every argument register at full width (xsave: mxcsr, sse, avx, avx-512), asks for the entry, and jumps
// there as if it had been called. The frame can be unwound: the resolution may throw. argument_offset() knows
// where the general registers lie.
asm(R"(
  .text
  .p2align 4
  .hidden berth_call_stub
  .globl berth_call_stub
  .type berth_call_stub, @function
berth_call_stub:
  .cfi_startproc
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  pushq %rax
  pushq %r10
  cmpq $0, berth_call_stub_area(%rip)
  je 1f
  subq berth_call_stub_area(%rip), %rsp
  andq $-64, %rsp
  movq $0, 512(%rsp)
  movq $0, 520(%rsp)
  movq $0, 528(%rsp)
  movq $0, 536(%rsp)
  movq $0, 544(%rsp)
  movq $0, 552(%rsp)
  movq $0, 560(%rsp)
  movq $0, 568(%rsp)
  movl $0xe6, %eax
  xorl %edx, %edx
  xsave64 (%rsp)
  movq %r11, %rdi
  movq %rbp, %rsi
  call berth_call_stub_resolve
  movq %rax, %r11
  movl $0xe6, %eax
  xorl %edx, %edx
  xrstor64 (%rsp)
  jmp 2f
1:
  subq $512, %rsp
  andq $-64, %rsp
  fxsave64 (%rsp)
  movq %r11, %rdi
  movq %rbp, %rsi
  call berth_call_stub_resolve
  movq %rax, %r11
  fxrstor64 (%rsp)
2:
  leaq -64(%rbp), %rsp
  popq %r10
  popq %rax
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  popq %rbp
  .cfi_def_cfa %rsp, 8
  .cfi_restore %rbp
  jmpq *%r11
  .cfi_endproc
  .size berth_call_stub, .-berth_call_stub
)");
#endif

namespace berth::jit {
namespace {

#if defined(__x86_64__)
uint64_t vector_area_bytes() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kOsXsave = 1u << 27;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & kOsXsave)) return 0;
  if (!__get_cpuid_count(0xd, 0, &a, &b, &c, &d)) return 0;
  return (b + 63u) & ~63u;
}
const bool stub_is_ready = (berth_call_stub_area = vector_area_bytes(), true);
#endif

}  // namespace

bool has_call_stub() noexcept {
#if defined(__x86_64__)
  return stub_is_ready;
#else
  return false;
#endif
}

// movabs $slot, %r11; jmp *(%r11): r11 is the one register that no convention passes anything in.
void write_trampoline(char* to, const CallSlot* slot) noexcept {
  const auto address = reinterpret_cast<uint64_t>(slot);
  std::memcpy(to, "\x49\xbb", 2);
  std::memcpy(to + 2, &address, 8);
  std::memcpy(to + 10, "\x41\xff\x23\xcc\xcc\xcc", 6);
}

void SlotTable::bind(CallSlot& slot, const engine::Code* code) noexcept {
  slot.word->store(code && code->entry ? code->entry : slot.trampoline,
                   mutant::order("J43_relaxed_store", std::memory_order_release));
}

void SlotTable::link(CallSlot& slot, engine::CodeInstanceRef callee) {
  Entry& entry = entries_[callee.get()];
  slot.callee = callee.get();
  if (!entry.callee) entry.callee = std::move(callee);
  entry.slots.push_back(slot);
  bind(slot, engine::instance_code(*slot.callee));
}

engine::CodeInstanceRef SlotTable::unlink(CallSlot& slot) noexcept {
  if (!slot.callee) return nullptr;
  const auto entry = entries_.find(std::exchange(slot.callee, nullptr));
  entry->second.slots.erase(entry->second.slots.iterator_to(slot));
  if (!entry->second.slots.empty()) return nullptr;
  engine::CodeInstanceRef callee = std::move(entry->second.callee);
  entries_.erase(entry);
  return callee;
}

void SlotTable::add(CallSlot& slot, engine::CodeInstanceRef callee) {
#if defined(__x86_64__)
  slot.stub = &berth_call_stub;
#else
  slot.stub = nullptr;
#endif
  slot.table = this;
  const sync::Lock lock(mutex_);
  if (closed_) {
    slot.word->store(slot.trampoline, std::memory_order_release);
    return;
  }
  link(slot, std::move(callee));
}

engine::CodeInstanceRef SlotTable::remove(CallSlot& slot) noexcept {
  const sync::Lock lock(mutex_);
  return unlink(slot);
}

void SlotTable::publish(engine::CodeInstance& callee) noexcept {
  if (mutant::is_on("J39_no_slot_rewrite")) return;
  const engine::Code* const read_early =
      mutant::is_on("J40_write_outside_leaf_lock") ? engine::instance_code(callee) : nullptr;
  for (int i = 0; read_early && i < 1000; ++i) sync::pause();  // as a thread that lost its processor
  const sync::Lock lock(mutex_);
  const auto found = entries_.find(&callee);
  if (found == entries_.end()) return;
  const engine::Code* const code = read_early ? read_early : engine::instance_code(callee);
  for (CallSlot& slot : found->second.slots) bind(slot, code);
}

const engine::CodeInstance* SlotTable::callee_of(const CallSlot& slot) const noexcept {
  const sync::Lock lock(mutex_);
  return slot.callee;
}

void* SlotTable::resolve(CallSlot& slot, char* base) {
  const int kept_errno = errno;
  slow_calls_.fetch_add(1, std::memory_order_relaxed);
  engine::CodeInstanceRef callee;
  {
    const sync::Lock lock(mutex_);
    callee = slot.callee;
  }
  if (!callee) {
    throw make_error(BERTH_SHUT_DOWN, "calling over an edge",
                     "the callee has no code and the engine is shut down",
                     "finish calls before the shutdown");
  }
  const engine::CodeInstance* const asked = callee.get();
  Result<void*> entry = driver_(callee, {base, slot.references, slot.trampoline});
  if (entry.has_error()) throw std::move(entry).assume_error();
  if (callee.get() == asked) {
    publish(*callee);
  } else {
    // A token that another result won: from now on the slot is that one's.
    engine::CodeInstanceRef last;
    const sync::Lock lock(mutex_);
    if (slot.callee == asked) {
      last = unlink(slot);
      link(slot, callee);
    }
  }
  errno = kept_errno;
  return entry.assume_value();
}

void SlotTable::close() noexcept {
  std::unordered_map<const engine::CodeInstance*, Entry> entries;
  {
    const sync::Lock lock(mutex_);
    closed_ = true;
    for (auto& [callee, entry] : entries_) {
      entry.slots.clear_and_dispose([](CallSlot* slot) { slot->callee = nullptr; });
    }
    entries.swap(entries_);
  }
  // The references go without the lock.
}

}  // namespace berth::jit
