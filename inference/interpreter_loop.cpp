// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interpreter::run. Each code is a label and jumps to the next one's itself: the predictor sees which follows
// which, and there is no common test of the code's range. Quick forms read and write slots in place; whatever
// can raise, collect or call goes through stop_at() first.
#include <cstring>

#include "inference/interpreter.hpp"
#include "inference/number_rules.hpp"
#include "inference/runtime_impl.hpp"

namespace berth::inference {
namespace {

using C = InterpreterCode;

constexpr void set(Value& slot, LeafKind kind, uint64_t bits) noexcept {
  slot.kind = kind;
  slot.bits = bits;
}

template <class Word>
Word load(const void* address) noexcept {
  return std::atomic_ref<Word>(*static_cast<Word*>(const_cast<void*>(address)))
      .load(std::memory_order_relaxed);
}
template <class Word>
void store(void* address, uint64_t bits) noexcept {
  std::atomic_ref<Word>(*static_cast<Word*>(address))
      .store(static_cast<Word>(bits), std::memory_order_relaxed);
}

// What the code for numbers of type T does, the operation being a constant.
template <class T>
[[gnu::always_inline]] inline NumberFault quick(Op op, LeafKind kind, const Value& a, const Value& b,
                                                Value& out) noexcept {
  if constexpr (std::is_same_v<T, double>) {
    return number_rules::float_operation<T>(op, kind, a, b, b, out);
  } else {
    return number_rules::integer_operation<T>(op, kind, false, a, b, out);
  }
}
template <class T>
[[gnu::always_inline]] inline bool quick_test(Op op, LeafKind kind, const Value& a, const Value& b) noexcept {
  Value out;
  quick<T>(op, kind, a, b, out);
  return out.bits != 0;
}

// Arrays whose type is not proven: items of 8 bytes or references within bounds.
bool quick_get(const Value& array, const Value& index, Value& result) noexcept {
  if (array.kind != LeafKind::Array || index.kind != LeafKind::I64 || index.bits >= array.object->length())
    return false;
  const auto* words = reinterpret_cast<const uint64_t*>(array.object->elements());
  LeafKind kind{};
  if (!is_unboxed(leaf_of(array.object)->element, kind)) {
    result = Runtime::unbox(reinterpret_cast<gc::Object*>(load<uint64_t>(words + index.bits)));
    return true;
  }
  if (kind != LeafKind::I64 && kind != LeafKind::F64) return false;
  set(result, kind, load<uint64_t>(words + index.bits));
  return true;
}
bool quick_set(const Value& array, const Value& index, const Value& value) noexcept {
  if (array.kind != LeafKind::Array || index.kind != LeafKind::I64 || index.bits >= array.object->length())
    return false;
  LeafKind kind{};
  if (!is_unboxed(leaf_of(array.object)->element, kind) || kind != value.kind ||
      (kind != LeafKind::I64 && kind != LeafKind::F64))
    return false;
  store<uint64_t>(reinterpret_cast<uint64_t*>(array.object->elements()) + index.bits, value.bits);
  return true;
}

template <class Word>
bool get_item(const gc::Object* array, uint64_t index, LeafKind kind, Value& result) noexcept {
  if (index >= array->length()) [[unlikely]]
    return false;
  set(result, kind, load<Word>(reinterpret_cast<const Word*>(array->elements()) + index));
  return true;
}
template <class Word>
bool set_item(gc::Object* array, uint64_t index, const Value& value) noexcept {
  if (index >= array->length()) [[unlikely]]
    return false;
  store<Word>(reinterpret_cast<Word*>(array->elements()) + index, value.bits);
  return true;
}

// A reference that is null or of the kind.
void set_reference(Value& slot, LeafKind kind, uint64_t bits) noexcept {
  set(slot, bits ? kind : LeafKind::Nothing, bits);
}

gc::Object* reference_of(const Value& value) noexcept { return value.is_object() ? value.object : nullptr; }

// False: the objects must be looked into.
bool quick_same(const Value& a, const Value& b, Value& result) noexcept {
  const bool equal = a.kind == b.kind && a.bits == b.bits;
  if (!equal && a.kind == b.kind && a.is_object()) return false;
  set(result, LeafKind::Bool, equal);
  return true;
}

bool has_leaf(const Value& value, const Leaf* leaf) noexcept {
  return value.kind == leaf->kind && (!value.is_object() || leaf_of(value.object) == leaf);
}

}  // namespace

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"  // addresses of labels

// clang-format off: labels, also made by macros
Interpreter::State Interpreter::run() {
  static const void* const labels[] = {
#define BERTH_X(op, kind, type) &&op##kind,
      BERTH_QUICK_INTEGERS(BERTH_X) BERTH_QUICK_FLOATS(BERTH_X)
#undef BERTH_X
#define BERTH_X(op, kind, type) &&Branch##op##kind,
          BERTH_TESTS(BERTH_X)
#undef BERTH_X
#define BERTH_X(name) &&name,
              BERTH_OTHER_CODES(BERTH_X)
#undef BERTH_X
  };
  gc::Thread& thread = thread_;
  const bool is_budgeted = state_.steps != UINT64_MAX;
  const Instruction* at = nullptr;  // being done
  char* slots = nullptr;            // of the top activation
  const auto slot = [&](uint32_t place) -> Value& { return *reinterpret_cast<Value*>(slots + place); };
  const auto charge = [&] {
    const uint32_t cost = top_->code->details[index_of(*at)].cost;
    state_.steps -= std::min<uint64_t>(state_.steps, cost);
  };

#define BERTH_GO goto* labels[at->code]
#define BERTH_NEXT \
  do {             \
    ++at;          \
    BERTH_GO;      \
  } while (false)
#define BERTH_JUMP(distance)      \
  do {                            \
    at += (distance);             \
    if (is_budgeted) [[unlikely]] \
      charge();                   \
    BERTH_GO;                     \
  } while (false)

continue_top:
  slots = reinterpret_cast<char*>(top_->registers());
  at = top_->code->instructions.data() + top_->pc;
  BERTH_GO;

raised:
  if (!unwind()) return State::Raised;
  goto continue_top;

#define BERTH_X(op, kind, type)                                                                             \
  op##kind:                                                                                                 \
    if (quick<type>(Op::op, LeafKind::kind, slot(at->a), slot(at->b), slot(at->result)) !=                  \
        NumberFault::None) [[unlikely]] goto Number;                                                        \
    BERTH_NEXT;
  BERTH_QUICK_INTEGERS(BERTH_X) BERTH_QUICK_FLOATS(BERTH_X)
#undef BERTH_X
#define BERTH_X(op, kind, type)                                                                             \
  Branch##op##kind:                                                                                         \
    if (quick_test<type>(Op::op, LeafKind::kind, slot(at->a), slot(at->b))) BERTH_JUMP(at->jump);           \
    BERTH_JUMP(at->otherwise);
  BERTH_TESTS(BERTH_X)
#undef BERTH_X
AnyNumber:
  if (slot(at->a).kind == at->kind && slot(at->b).kind == at->kind) [[likely]] goto* labels[at->inner];
Number:
Conversion:
  if (!number(*at)) goto raised;
  BERTH_NEXT;
Retag:
  set(slot(at->result), at->kind, slot(at->a).bits);
  BERTH_NEXT;

Not:
  if (slot(at->a).kind != LeafKind::Bool) [[unlikely]] goto General;
  set(slot(at->result), LeafKind::Bool, slot(at->a).bits == 0);
  BERTH_NEXT;
Same:
  if (!quick_same(slot(at->a), slot(at->b), slot(at->result))) goto General;
  BERTH_NEXT;
IsNothing:
  set(slot(at->result), LeafKind::Bool, slot(at->a).kind == LeafKind::Nothing);
  BERTH_NEXT;
IsLeaf:
  set(slot(at->result), LeafKind::Bool, has_leaf(slot(at->a), top_->code->leaves[at->c]));
  BERTH_NEXT;
Is:
  set(slot(at->result), LeafKind::Bool,
      runtime_.is(slot(at->a), top_->code->details[index_of(*at)].statement->type));
  BERTH_NEXT;

ArrayLen:
  if (slot(at->a).kind != LeafKind::Array) [[unlikely]] goto General;
  set(slot(at->result), LeafKind::I64, slot(at->a).object->length());
  BERTH_NEXT;
StringLen:
  if (slot(at->a).kind != LeafKind::String) [[unlikely]] goto General;
  set(slot(at->result), LeafKind::I64, slot(at->a).object->length());
  BERTH_NEXT;
StringByte:
  if (slot(at->a).kind != LeafKind::String || slot(at->b).kind != LeafKind::I64) [[unlikely]] goto General;
  if (!get_item<uint8_t>(slot(at->a).object, slot(at->b).bits, LeafKind::U8, slot(at->result))) goto General;
  BERTH_NEXT;
Item: {
  const Value &tuple = slot(at->a), &index = slot(at->b);
  if (tuple.kind != LeafKind::Tuple || index.kind != LeafKind::I64 || index.bits >= tuple.object->length())
      [[unlikely]] goto General;
  slot(at->result) =
      Runtime::unbox(reinterpret_cast<gc::Object* const*>(tuple.object->elements())[index.bits]);
  BERTH_NEXT;
}

GetWord:
  if (!get_item<uint64_t>(slot(at->a).object, slot(at->b).bits, at->kind, slot(at->result))) goto General;
  BERTH_NEXT;
GetWord32:
  if (!get_item<uint32_t>(slot(at->a).object, slot(at->b).bits, at->kind, slot(at->result))) goto General;
  BERTH_NEXT;
GetByte:
  if (!get_item<uint8_t>(slot(at->a).object, slot(at->b).bits, at->kind, slot(at->result))) goto General;
  BERTH_NEXT;
GetObject: {
  const gc::Object* const array = slot(at->a).object;
  const uint64_t index = slot(at->b).bits;
  if (index >= array->length()) [[unlikely]] goto General;
  set_reference(slot(at->result), at->kind, load<uint64_t>(array->elements() + 8 * index));
  BERTH_NEXT;
}
AnyGet:
  if (!quick_get(slot(at->a), slot(at->b), slot(at->result))) goto General;
  BERTH_NEXT;
SetWord:
  if (!set_item<uint64_t>(slot(at->a).object, slot(at->b).bits, slot(at->c))) goto General;
  BERTH_NEXT;
SetWord32:
  if (!set_item<uint32_t>(slot(at->a).object, slot(at->b).bits, slot(at->c))) goto General;
  BERTH_NEXT;
SetByte:
  if (!set_item<uint8_t>(slot(at->a).object, slot(at->b).bits, slot(at->c))) goto General;
  BERTH_NEXT;
SetObject: {
  gc::Object* const array = slot(at->a).object;
  const uint64_t index = slot(at->b).bits;
  if (index >= array->length()) [[unlikely]] goto General;
  gc::Heap::write(array, reinterpret_cast<gc::Object**>(array->elements()) + index,
                  reference_of(slot(at->c)));
  BERTH_NEXT;
}
AnySet:
  if (!quick_set(slot(at->a), slot(at->b), slot(at->c))) goto General;
  BERTH_NEXT;

FieldWord:
  set(slot(at->result), at->kind, load<uint64_t>(slot(at->a).object->at(at->c)));
  BERTH_NEXT;
FieldObject:
  set_reference(slot(at->result), at->kind, load<uint64_t>(slot(at->a).object->at(at->c)));
  BERTH_NEXT;
FieldBoxed:
  slot(at->result) =
      Runtime::unbox(reinterpret_cast<gc::Object*>(load<uint64_t>(slot(at->a).object->at(at->c))));
  BERTH_NEXT;
PutWord:
  store<uint64_t>(slot(at->a).object->at(at->c), slot(at->b).bits);
  BERTH_NEXT;
PutObject: {
  gc::Object* const object = slot(at->a).object;
  gc::Heap::write(object, reinterpret_cast<gc::Object**>(object->at(at->c)), reference_of(slot(at->b)));
  BERTH_NEXT;
}

AnyField:
AnyPut:
  if (!field(*at)) goto raised;
  BERTH_NEXT;
General:
  if (!general(*at)) goto raised;
  BERTH_NEXT;

Call:
Invoke:
  switch (call_statement(*at)) {
    case Step::Next:
      BERTH_NEXT;
    case Step::Entered:
      goto continue_top;
    case Step::Raised:
      goto raised;
  }
BarrierBlock:
  stop_at(*at);
  return State::BarrierBlock;
BarrierGrid:
  stop_at(*at);
  return State::BarrierGrid;

Move:
  slot(at->result) = slot(at->a);
  BERTH_NEXT;
Check:
  if (at->kind == LeafKind::Nothing || slot(at->a).kind != at->kind) {
    stop_at(*at);
    if (!check(top_->code->checks[at->c], slot(at->a))) goto raised;
  }
  BERTH_NEXT;

Loop: {
  const Instruction& edge = *at;
  at += edge.jump;
  if (is_budgeted) [[unlikely]]
    charge();
  if (is_budgeted || thread.poll.load(std::memory_order_relaxed) != 0) [[unlikely]] {
    if (!poll_at(edge)) goto raised;
  }
  BERTH_GO;
}
Jump:
  BERTH_JUMP(at->jump);
AnyBranch:
  if (slot(at->a).kind != LeafKind::Bool) [[unlikely]] {
    stop_at(*at);
    runtime_.raise_type(thread, "bool", slot(at->a));
    goto raised;
  }
Branch:
  if (slot(at->a).bits != 0) BERTH_JUMP(at->jump);
  BERTH_JUMP(at->otherwise);
Switch: {
  const Detail& detail = stop_at(*at);
  const Value& chosen = slot(at->a);
  if (chosen.kind != LeafKind::I64) {
    runtime_.raise_type(thread, "i64", chosen);
    goto raised;
  }
  uint32_t i = 0;
  while (i < detail.count && slot(top_->code->operands[detail.first + i]).bits != chosen.bits) ++i;
  at += 1 + i;
  BERTH_GO;
}
Return: {
  const Value value = slot(at->a);
  const bool is_base = top_ == base_;
  pop();
  if (is_base) {
    result_ = value;
    return State::Done;
  }
  this->slot(top_->code->instructions[top_->pc - 1].result) = value;
  goto continue_top;
}
Throw:
  runtime_.raise_value(thread, slot(at->a), stop_at(*at).position);
  goto raised;
Unreachable:
  stop_at(*at);
  raise("unreachable", "unreachable");
  goto raised;

#undef BERTH_GO
#undef BERTH_NEXT
#undef BERTH_JUMP
}

// clang-format on
#pragma GCC diagnostic pop

}  // namespace berth::inference
