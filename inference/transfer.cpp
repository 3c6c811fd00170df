// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/transfer.hpp"

#include <algorithm>

#include "inference/arithmetic.hpp"
#include "inference/program.hpp"

namespace berth::inference {
namespace {

constexpr uint8_t kAllocates = kPure & ~(kNoSafepoint | kNoRaise);  // memory may end: that is an error, too
constexpr uint8_t kAllocatesObject = kAllocates & ~kSameResult;     // with an identity of its own
constexpr uint8_t kLoads = kPure & ~kSameResult;
constexpr uint8_t kStores = kPure & ~(kSameResult | kNoWrite);
constexpr uint8_t kOrdered = kNoRaise | kTerminates | kNoSafepoint;

constexpr unsigned bits_of(LeafKind kind) {
  if (kind == LeafKind::Bool) return 1;
  const LeafKind first = is_signed(kind) ? LeafKind::I8 : LeafKind::U8;
  return 8u << (static_cast<unsigned>(kind) - static_cast<unsigned>(first));
}

/// Whether every number of `from` is one of `to`.
bool is_exact(LeafKind from, LeafKind to) {
  if (from == to) return true;
  if (is_integer(from) && is_integer(to)) {
    if (is_signed(from) == is_signed(to)) return bits_of(from) <= bits_of(to);
    return !is_signed(from) && bits_of(from) < bits_of(to);
  }
  if (is_integer(from) && is_float(to)) return bits_of(from) <= (to == LeafKind::F64 ? 32u : 16u);
  return from == LeafKind::F32 && to == LeafKind::F64;
}

}  // namespace

/// One application: collects whether the statement may or must raise.
class Transfer::Step {
 public:
  Step(Transfer& transfer, const Statement& statement, std::span<const Type* const> operands)
      : transfer_(transfer),
        types_(transfer.types_),
        lattice_(transfer.lattice_),
        statement_(statement),
        operands_(operands) {}

  Transferred run() {
    const Transferred done = result();
    Transferred out = done;
    if (may_raise_) out.effects &= static_cast<uint8_t>(~kNoRaise);
    out.may_fail = may_raise_ || must_raise_;
    if (must_raise_) out.type = types_.bottom();
    if (transfer_.is_kernel_) {  // a fault is counted and the lane goes on
      out.effects |= kNoRaise;
      if (must_raise_) out.type = done.type;
    }
    return out;
  }

 private:
  const Type* kind(LeafKind kind) { return types_.kind(kind); }
  const Type* boolean(bool value) {
    Literal literal;
    literal.kind = LeafKind::Bool;
    literal.bits = value;
    return types_.constant(literal);
  }
  /// Operand `i` must be in `type`: what is left of it.
  const Type* need(size_t i, const Type* type) {
    if (lattice_.is_subtype(operands_[i], type)) return operands_[i];
    may_raise_ = true;
    const Type* met = lattice_.meet(operands_[i], type);
    if (met->is_bottom()) must_raise_ = true;
    return met;
  }
  const Type* need(size_t i, LeafKind wanted) { return need(i, kind(wanted)); }
  const Type* need_under(size_t i, const char* abstract) {
    return need(i, types_.everything_under(types_.builtin_abstract(abstract)));
  }

  /// Joins `of(leaf)` over the leaves of a container type; any if they are not known.
  template <class Of>
  const Type* over_leaves(const Type* type, const Of& of) {
    if (type->kind != Type::Kind::Parts) return type->is_bottom() ? type : types_.any();
    const Type* joined = types_.bottom();
    for (const Part& part : type->parts) joined = lattice_.join(joined, of(part));
    return joined;
  }
  const Type* elements(const Type* container) {
    return over_leaves(container, [](const Part& part) { return part.leaf->element; });
  }
  /// The value stored must be in every element type that the container may have; else the store may raise.
  void need_element(size_t i, const Type* container) {
    if (container->kind != Type::Kind::Parts) {
      may_raise_ = may_raise_ || !container->is_bottom();
      return;
    }
    bool can_store = container->parts.empty();
    for (const Part& part : container->parts) {
      if (!lattice_.is_subtype(operands_[i], part.leaf->element)) may_raise_ = true;
      can_store = can_store || lattice_.overlaps(operands_[i], part.leaf->element);
    }
    if (!can_store) must_raise_ = true;
  }
  void index_may_raise() {
    if (!statement_.unchecked_bounds) may_raise_ = true;
  }

  Transferred number() {
    const LeafKind of = statement_.number;
    const bool is_compare = statement_.op == Op::Lt || statement_.op == Op::Le || statement_.op == Op::Eq;
    const Type* result = kind(is_compare ? LeafKind::Bool : of);
    Value values[3];
    bool all_constant = operands_.size() <= 3;
    for (size_t i = 0; i < operands_.size(); ++i) {
      const Literal* constant = need(i, of)->constant();
      all_constant = all_constant && constant && constant->kind == of;
      if (all_constant) values[i] = Value::of_bits(of, constant->bits);
    }
    if (must_raise_) return {result, kPure};
    if (all_constant) {
      Value out;
      if (number_operation(statement_.op, of, statement_.checked, values, out) == NumberFault::None)
        return {literal(out), kPure};
      may_raise_ = must_raise_ = true;
      return {result, kPure};
    }
    if (statement_.checked) may_raise_ = true;
    const Literal* second = operands_.size() > 1 ? operands_[1]->constant() : nullptr;
    if (second && second->kind != of) second = nullptr;
    if ((statement_.op == Op::Div || statement_.op == Op::Rem) && is_integer(of)) {
      const bool is_safe = second && second->bits != 0 && !(is_signed(of) && second->bits == UINT64_MAX);
      if (!is_safe) may_raise_ = true;
    }
    if (statement_.op == Op::Shl || statement_.op == Op::Shr) {
      if (!second || second->bits >= bits_of(of)) may_raise_ = true;
    }
    return {result, kPure};
  }

  Transferred conversion() {
    const Literal* constant = need(0, statement_.number)->constant();
    const Type* result = kind(statement_.to);
    if (must_raise_) return {result, kPure};
    if (constant && constant->kind == statement_.number) {
      Value out;
      const Value value = Value::of_bits(statement_.number, constant->bits);
      if (number_conversion(statement_.op, statement_.number, statement_.to, value, out) == NumberFault::None)
        return {literal(out), kPure};
      may_raise_ = must_raise_ = true;
      return {result, kPure};
    }
    if (statement_.op == Op::Convert && !is_exact(statement_.number, statement_.to)) may_raise_ = true;
    if (statement_.op == Op::Truncate && is_float(statement_.number) && is_integer(statement_.to))
      may_raise_ = true;
    return {result, kPure};
  }

  const Type* literal(const Value& value) {
    Literal made;
    made.kind = value.kind;
    made.bits = value.bits;
    return types_.constant(made);
  }

  Transferred is_in(const Type* type) {
    if (lattice_.is_subtype(operands_[0], type)) return {boolean(true), kPure};
    if (!lattice_.overlaps(operands_[0], type)) return {boolean(false), kPure};
    return {kind(LeafKind::Bool), kPure};
  }

  Transferred same() {
    const Literal *a = operands_[0]->constant(), *b = operands_[1]->constant();
    if (a && b) return {boolean(operands_[0] == operands_[1]), kPure};
    if (!lattice_.overlaps(operands_[0], operands_[1])) return {boolean(false), kPure};
    return {kind(LeafKind::Bool), kPure};
  }

  Transferred make() {
    const Leaf* leaf = statement_.type->single_leaf();
    const StructType& structure = *leaf->structure;
    Part part{leaf, Part::Precision::Partial, {}, {}};
    for (size_t i = 0; i < structure.fields.size() && i < operands_.size(); ++i) {
      const Type* field = need(i, structure.fields[i].type);
      if (i < 8) part.fields.push_back(field);
    }
    if (structure.is_mutable || must_raise_)
      return {leaf->whole, structure.is_mutable ? kAllocatesObject : kAllocates};
    Type type{Type::Kind::Parts, false, {}, nullptr, nullptr, 0, {}};
    type.parts.push_back(std::move(part));
    return {types_.intern(std::move(type)), kAllocates};
  }

  /// Reads or checks a field by name, over all structs that the operand may be.
  const Type* field(const Type* object, bool* is_stable = nullptr) {
    if (object->kind != Type::Kind::Parts) {
      may_raise_ = true;
      return types_.any();
    }
    const Type* joined = types_.bottom();
    bool is_found = false;
    if (object->has_nothing) may_raise_ = true;
    for (const Part& part : object->parts) {
      if (part.leaf->kind == LeafKind::Error) {
        const bool is_value = *statement_.name == "value";
        joined = lattice_.join(joined, is_value ? types_.any() : kind(LeafKind::String));
        is_found = true;
        continue;
      }
      const int index = part.leaf->structure ? part.leaf->structure->field_index(*statement_.name) : -1;
      if (index < 0) {
        may_raise_ = true;
        continue;
      }
      is_found = true;
      const auto i = static_cast<size_t>(index);
      const bool is_known = part.precision == Part::Precision::Partial && i < part.fields.size();
      joined = lattice_.join(joined, is_known ? part.fields[i] : part.leaf->structure->fields[i].type);
      if (is_stable && part.leaf->structure->is_mutable) *is_stable = false;
    }
    if (!is_found) may_raise_ = must_raise_ = true;
    return joined;
  }

  /// The value stored must be in the field's declared type, for each struct that the operand may be; and the
  /// struct mutable.
  void store_field(size_t value) {
    const Type* object = operands_[0];
    if (object->kind != Type::Kind::Parts) {
      may_raise_ = true;
      return;
    }
    bool can_store = false;
    if (object->has_nothing) may_raise_ = true;
    for (const Part& part : object->parts) {
      const StructType* structure = part.leaf->structure;
      const int index = structure && structure->is_mutable ? structure->field_index(*statement_.name) : -1;
      const Type* declared = index < 0 ? types_.bottom() : structure->fields[static_cast<size_t>(index)].type;
      if (!lattice_.is_subtype(operands_[value], declared)) may_raise_ = true;
      can_store = can_store || lattice_.overlaps(operands_[value], declared);
    }
    if (!can_store) may_raise_ = must_raise_ = true;
  }

  Transferred item() {
    const Type* tuple = need_under(0, "tuple");
    const Literal* index = need(1, LeafKind::I64)->constant();
    if (must_raise_ || tuple->kind != Type::Kind::Parts) {
      may_raise_ = true;
      return {types_.any(), kPure};
    }
    const Type* joined = types_.bottom();
    for (const Part& part : tuple->parts) {
      const bool is_whole = part.precision == Part::Precision::Whole;
      if (!index) may_raise_ = true;
      if (index && index->bits >= part.leaf->length) {
        may_raise_ = true;
        continue;
      }
      for (uint64_t i = index ? index->bits : 0; i < (index ? index->bits + 1 : part.leaf->length); ++i) {
        joined = lattice_.join(joined, is_whole ? types_.any() : part.fields[i]);
      }
    }
    if (joined->is_bottom()) must_raise_ = true;
    return {joined, kPure};
  }

  Transferred type_of() {
    const Leaf* leaf = operands_[0]->single_leaf();
    if (!leaf || leaf->kind == LeafKind::Tuple || leaf->kind == LeafKind::Function)
      return {kind(LeafKind::TypeValue), kPure};
    Literal literal;
    literal.kind = LeafKind::TypeValue;
    literal.type = leaf->whole;
    return {types_.constant(literal), kPure};
  }

  Transferred global(bool is_store) {
    const Global* global = transfer_.program_.global(*statement_.name, transfer_.world_);
    if (!global) {
      may_raise_ = true;
      return {types_.any(), kAllEffects};
    }
    if (is_store) {
      need(0, global->type);
      return {types_.nothing(), kStores};
    }
    return {global->is_constant ? transfer_.type_of(global->constant) : global->type, kLoads};
  }

  Transferred result();

  Transfer& transfer_;
  TypeInterner& types_;
  TypeLattice& lattice_;
  const Statement& statement_;
  const std::span<const Type* const> operands_;
  bool may_raise_ = false, must_raise_ = false;
};

Transferred Transfer::Step::result() {
  const auto text = [&](LeafKind of, uint8_t effects) { return Transferred{kind(of), effects}; };
  switch (statement_.op) {
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div:
    case Op::Rem:
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::Shl:
    case Op::Shr:
    case Op::Lt:
    case Op::Le:
    case Op::Eq:
    case Op::Neg:
    case Op::Sqrt:
    case Op::Abs:
    case Op::Min:
    case Op::Max:
    case Op::Fma: return number();
    case Op::Convert:
    case Op::Truncate:
    case Op::Bits: return conversion();
    case Op::Not: {
      const Literal* constant = need(0, LeafKind::Bool)->constant();
      return {constant && !must_raise_ ? boolean(!constant->bits) : kind(LeafKind::Bool), kPure};
    }
    case Op::Call:
    case Op::CallLatest:
    case Op::Invoke:
    case Op::Join: may_raise_ = true; return {types_.any(), kAllEffects};
    case Op::CallHost:
      may_raise_ = true;
      return {statement_.type ? statement_.type : types_.nothing(), kAllEffects};
    case Op::New: return make();
    case Op::Field: {
      bool is_stable = true;
      const Type* type = field(operands_[0], &is_stable);
      return {type, is_stable && !may_raise_ ? uint8_t{kPure} : kLoads};
    }
    case Op::Set: store_field(1); return {types_.nothing(), kStores};
    case Op::Tuple: return {types_.tuple(operands_), kAllocates};
    case Op::Item: return item();
    case Op::ArrayNew: {
      need(0, LeafKind::I64);
      need(1, statement_.type);
      return {types_.array_leaf(statement_.type)->whole, kAllocatesObject};
    }
    case Op::ArrayLen: need_under(0, "array"); return {kind(LeafKind::I64), kPure};
    case Op::ArrayGet: {
      const Type* array = need_under(0, "array");
      need(1, LeafKind::I64);
      index_may_raise();
      return {elements(array), kLoads};
    }
    case Op::ArraySet: {
      const Type* array = need_under(0, "array");
      need(1, LeafKind::I64);
      need_element(2, array);
      index_may_raise();
      return {types_.nothing(), kStores};
    }
    case Op::ArrayCopy: return {need_under(0, "array"), kAllocatesObject};
    case Op::StringLen: need(0, LeafKind::String); return text(LeafKind::I64, kPure);
    case Op::StringByte:
      need(0, LeafKind::String);
      need(1, LeafKind::I64);
      index_may_raise();
      return text(LeafKind::U8, kPure);
    case Op::StringSlice:
      for (size_t i = 0; i < 3; ++i) need(i, i ? LeafKind::I64 : LeafKind::String);
      may_raise_ = true;
      return text(LeafKind::String, kAllocates);
    case Op::StringConcat:
      need(0, LeafKind::String);
      need(1, LeafKind::String);
      return text(LeafKind::String, kAllocates);
    case Op::StringEq:
      need(0, LeafKind::String);
      need(1, LeafKind::String);
      return text(LeafKind::Bool, kPure);
    case Op::StringOf: may_raise_ = true; return text(LeafKind::String, kAllocates & ~kSameResult);
    case Op::StringFixed:
      need(0, LeafKind::F64);
      need(1, LeafKind::I64);
      may_raise_ = true;
      return text(LeafKind::String, kAllocates);
    case Op::Print: may_raise_ = true; return {types_.nothing(), kTerminates};
    case Op::Same: return same();
    case Op::Spawn: may_raise_ = true; return text(LeafKind::Task, kAllEffects);
    case Op::Is: return is_in(statement_.type);
    case Op::TypeOf: return type_of();
    case Op::Assert: return {need(0, statement_.type), kPure};
    case Op::Refine: return {lattice_.meet(operands_[0], statement_.type), kPure};
    case Op::GlobalGet: return global(false);
    case Op::GlobalSet: return global(true);
    case Op::AtomicField: return {field(operands_[0]), kOrdered};
    case Op::AtomicSet: store_field(1); return {types_.nothing(), kOrdered};
    case Op::RmwField: {
      const Type* type = field(operands_[0]);
      store_field(1);
      return {type, kOrdered};
    }
    case Op::CasField: store_field(2); return text(LeafKind::Bool, kOrdered);
    case Op::AtomicGet:
    case Op::RmwItem: {
      need(1, LeafKind::I64);
      may_raise_ = true;
      return {over_leaves(operands_[0],
                          [&](const Part& part) {
                            return part.leaf->element ? part.leaf->element : types_.bottom();
                          }),
              kOrdered};
    }
    case Op::AtomicPut:
      need(1, LeafKind::I64);
      may_raise_ = true;
      return {types_.nothing(), kOrdered};
    case Op::CasItem:
      need(1, LeafKind::I64);
      may_raise_ = true;
      return text(LeafKind::Bool, kOrdered);
    case Op::Lane:
    case Op::Block: return text(LeafKind::I64, kLoads);
    case Op::Lanes:
    case Op::Blocks: return text(LeafKind::I64, kLoads);
    case Op::Shared: return {types_.buffer_leaf(statement_.type)->whole, kLoads};
    case Op::BarrierBlock:
    case Op::BarrierGrid:
    case Op::Fault: return {types_.nothing(), kNoRaise};
    case Op::BufferOf: {
      const Type* array = need_under(0, "array");
      may_raise_ = true;
      if (array->kind != Type::Kind::Parts)
        return {types_.everything_under(types_.builtin_abstract("buffer")), kAllEffects};
      return {
          over_leaves(array, [&](const Part& part) { return types_.buffer_leaf(part.leaf->element)->whole; }),
          kAllEffects};
    }
    case Op::BufferArray: {
      const Type* buffer = need_under(0, "buffer");
      may_raise_ = true;
      if (buffer->kind != Type::Kind::Parts)
        return {types_.everything_under(types_.builtin_abstract("array")), kAllEffects};
      return {
          over_leaves(buffer, [&](const Part& part) { return types_.array_leaf(part.leaf->element)->whole; }),
          kAllEffects};
    }
    case Op::BufferNew:
      need(0, LeafKind::I64);
      may_raise_ = true;
      if (!statement_.type) return {types_.everything_under(types_.builtin_abstract("buffer")), kAllEffects};
      return {types_.buffer_leaf(statement_.type)->whole, kAllEffects};
    case Op::BufferLen: need_under(0, "buffer"); return text(LeafKind::I64, kPure);
    case Op::BufferGet: {
      const Type* buffer = need_under(0, "buffer");
      need(1, LeafKind::I64);
      may_raise_ = true;
      return {elements(buffer), kLoads};
    }
    case Op::BufferSet: {
      const Type* buffer = need_under(0, "buffer");
      need(1, LeafKind::I64);
      need_element(2, buffer);
      may_raise_ = true;
      return {types_.nothing(), kStores};
    }
    case Op::Launch: may_raise_ = true; return {types_.nothing(), kAllEffects};
    case Op::ChannelNew: may_raise_ = true; return {types_.channel_leaf(statement_.type)->whole, kAllEffects};
    case Op::ChannelWaitWritable:
    case Op::ChannelWaitReadable: {
      const Type* channel = need_under(0, "channel");
      may_raise_ = true;
      if (channel->kind != Type::Kind::Parts)
        return {types_.everything_under(types_.builtin_abstract("buffer")), kAllEffects};
      return {over_leaves(channel,
                          [&](const Part& part) { return types_.buffer_leaf(part.leaf->element)->whole; }),
              kAllEffects};
    }
    case Op::ChannelPublish: may_raise_ = true; return text(LeafKind::I64, kAllEffects);
    case Op::ChannelTake: may_raise_ = true; return {types_.any(), kAllEffects};
    case Op::ChannelSnap:
    case Op::ChannelFinish:
    case Op::ChannelClose: may_raise_ = true; return {types_.any(), kAllEffects};
  }
  return {types_.any(), kAllEffects};
}

Transfer::Transfer(Program& program, uint64_t world, bool is_kernel)
    : program_(program),
      types_(program.types()),
      lattice_(program.lattice()),
      world_(world),
      is_kernel_(is_kernel) {}

Transferred Transfer::apply(const Statement& statement, std::span<const Type* const> operands) {
  return Step(*this, statement, operands).run();
}

const Type* Transfer::refine(const Statement& statement, RefineRule rule,
                             std::span<const Type* const> operands) {
  switch (rule) {
    case RefineRule::Is: return lattice_.meet(operands[0], statement.type);
    case RefineRule::IsNot: return lattice_.subtract(operands[0], statement.type);
    case RefineRule::Same: return lattice_.meet(operands[0], operands[1]);
    case RefineRule::NotSame:
      return operands[1]->constant() ? lattice_.subtract(operands[0], operands[1]) : operands[0];
  }
  return operands[0];
}

const Type* Transfer::type_of(const Literal& literal) { return types_.constant(literal); }

}  // namespace berth::inference
