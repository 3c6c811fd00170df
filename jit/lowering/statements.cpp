// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MethodLowering: one function per group of statements. What is not known well enough to inline goes to the
// runtime.
#include <algorithm>
#include <cstddef>

#include "gc/stress.hpp"
#include "gc/thread.hpp"
#include "gc/verify.hpp"
#include "inference/value.hpp"
#include "jit/field_relaxation.hpp"
#include "jit/lowering/arithmetic.hpp"
#include "jit/lowering/method_lowering.hpp"

namespace berth::jit {

using inference::Leaf;
using inference::Op;
using inference::Operand;
using inference::StructType;
using inference::Value;

void MethodLowering::emit_statement(const Statement& statement) {
  define(statement, emit_operation(statement));
}

Held MethodLowering::emit_operation(const Statement& statement) {
  if (is_arithmetic(statement.op)) return emit_arithmetic(statement);
  switch (statement.op) {
    case Op::Call: return emit_call(statement);
    case Op::Invoke: return emit_invoke(statement);
    case Op::New: return emit_new(statement);
    case Op::ArrayNew: return emit_array_new(statement);
    case Op::Field: return emit_field(statement);
    case Op::Set: return emit_set(statement);
    case Op::Item: return emit_item(statement);
    case Op::ArrayLen:
    case Op::StringLen: return emit_length(statement);
    case Op::ArrayGet:
    case Op::ArraySet: return emit_element(statement);
    case Op::StringByte: return emit_string_byte(statement);
    case Op::Same: return emit_same(statement);
    case Op::Is: {
      const Held held = read(statement.operands[0]);
      return {is(held, statement.type),
              {inference::Representation::Unboxed, LeafKind::Bool},
              program_.types().kind(LeafKind::Bool),
              nullptr};
    }
    case Op::Assert: return emit_assert(statement);
    case Op::Refine: return emit_refine(statement);
    case Op::GlobalGet:
    case Op::GlobalSet: return emit_global(statement);
    default: return execute(statement, wanted(statement));
  }
}

/// What a result that comes from the runtime is read as: checked first if that is declared, so `any` then.
const inference::Type* MethodLowering::wanted(const Statement& statement) const {
  if (statement.result == inference::kNone) return program_.types().nothing();
  return body_.values[statement.result].declared ? program_.types().any() : type_of(statement.result);
}

Held MethodLowering::execute(const Statement& statement, const Type* type) {
  raise_if(call_execute(statement));
  return load_value(result_, type, &keep(statement)->position);
}

llvm::BranchInst* MethodLowering::raise_where(llvm::Value* wrong, const Statement& statement) {
  llvm::BasicBlock* raise = new_block("raise");
  llvm::BasicBlock* usual = new_block("usual");
  llvm::BranchInst* branch = branch_rarely(wrong, raise, usual);
  builder_.SetInsertPoint(raise);
  call_execute(statement);
  go_to_error();  // nothing comes back from here, so what a loop has in registers may stay there
  builder_.SetInsertPoint(usual);
  return branch;
}

llvm::Value* MethodLowering::call_execute(const Statement& statement) {
  const bool is_hot = plan(statement) == Safepoint::Hot;
  const std::vector<Held> operands = read_all(statement);
  const Statement* kept = keep(statement);
  if (is_hot) {
    set_position(&kept->position);
  } else {
    begin_cold(&kept->position, operands);
  }
  store_values(operands);
  llvm::Value* failed = call("berth_rt_execute", builder_.getInt8Ty(),
                             {{thread_, address(&runtime_), address(kept), value_at(0),
                               builder_.getInt64(operands.size()), result_}});
  if (!is_hot) end_cold();
  return failed;
}

Held MethodLowering::guarded(const Statement& statement, llvm::Value* rare, const Type* type,
                             llvm::function_ref<llvm::Value*()> usual) {
  const Shape shape = shape_of(type);
  if (!rare) return {usual(), shape, type, nullptr};
  llvm::BasicBlock* slow = new_block("rare");
  llvm::BasicBlock* fast = new_block("usual");
  llvm::BasicBlock* joined = new_block("joined");
  branch_rarely(rare, slow, fast);
  builder_.SetInsertPoint(slow);
  const Held judged = execute(statement, type);
  llvm::BasicBlock* slow_end = builder_.GetInsertBlock();
  builder_.CreateBr(joined);
  builder_.SetInsertPoint(fast);
  llvm::Value* value = usual();
  llvm::BasicBlock* fast_end = builder_.GetInsertBlock();
  builder_.CreateBr(joined);
  builder_.SetInsertPoint(joined);
  if (shape.is_none()) return {nullptr, shape, type, nullptr};
  llvm::PHINode* phi = builder_.CreatePHI(register_type(context_, shape), 2);
  phi->addIncoming(judged.value, slow_end);
  phi->addIncoming(value, fast_end);
  return {phi, shape, type, nullptr};
}

Held MethodLowering::emit_arithmetic(const Statement& statement) {
  if (!has_kinds(statement)) return execute(statement, wanted(statement));
  std::vector<llvm::Value*> operands;
  for (const Operand& operand : statement.operands) operands.push_back(read(operand).value);
  return guarded(statement, trap_condition(builder_, statement, operands),
                 program_.types().kind(result_kind(statement)),
                 [&] { return arithmetic(builder_, statement, operands); });
}

// Calls.

Held MethodLowering::emit_call(const Statement& statement) {
  const Operand& callee = statement.operands[0];
  const bool is_known = callee.kind == Operand::Kind::Literal && callee.literal.kind == LeafKind::Function;
  if (!is_known) return execute(statement, wanted(statement));
  const std::vector<Held> arguments = read_all(statement, 1);
  const inference::Position* place = &keep(statement)->position;
  set_position(place);
  store_values(arguments);
  raise_if(call("berth_rt_call", builder_.getInt8Ty(),
                {{thread_, address(&runtime_), address(callee.literal.function), value_at(0),
                  builder_.getInt64(arguments.size()), result_}}));
  return load_value(result_, wanted(statement), place);
}

Held MethodLowering::emit_invoke(const Statement& statement) {
  const inference::Specialisation* callee = statement.callee;
  if (!callee || callee->arguments.size() != statement.operands.size())
    return execute(statement, wanted(statement));
  const Type* result = callee_result(*callee);
  if (!result) result = wanted(statement);  // a guess: another convention is never bound to the slot
  const Convention convention(callee->arguments, result);
  const inference::Position* place = &keep(statement)->position;
  std::vector<llvm::Value*> boxes(statement.operands.size());
  for (size_t i = 0; i < boxes.size(); ++i)
    if (this->boxes(statement.operands[i], convention.arguments[i]))
      boxes[i] = root(coerce(read(statement.operands[i]), convention.arguments[i], place));
  set_position(place);
  if (callee == typed_.specialisation)
    return emit_bound_call(statement, convention, specialised_, result, boxes);

  record_->sites.push_back({callee, convention.number()});
  const CallSite& site = record_->sites.back();
  auto* slot = new llvm::GlobalVariable(*module_, pointer_, false, llvm::GlobalValue::InternalLinkage,
                                        llvm::ConstantPointerNull::get(pointer_),
                                        "slot." + std::to_string(record_->sites.size() - 1));
  slot->setAlignment(llvm::Align(8));
  names_.call_slots.push_back({slot->getName().str(), callee});
  llvm::LoadInst* entry = builder_.CreateLoad(pointer_, slot);
  entry->setAtomic(llvm::AtomicOrdering::Acquire);  // against the release of whoever found the callee's code
  llvm::BasicBlock* unbound = new_block("unbound");
  llvm::BasicBlock* bound = new_block("bound");
  llvm::BasicBlock* joined = new_block("called");
  branch_rarely(builder_.CreateIsNull(entry), unbound, bound);
  builder_.SetInsertPoint(unbound);
  store_values(read_all(statement));
  raise_if(call("berth_rt_invoke", builder_.getInt8Ty(),
                {{thread_, address(&runtime_), address(&site), slot, value_at(0), result_}}));
  const Held slow = load_value(result_, result, place);
  llvm::BasicBlock* slow_end = builder_.GetInsertBlock();
  builder_.CreateBr(joined);
  builder_.SetInsertPoint(bound);
  const Held fast = emit_bound_call(statement, convention, entry, result, boxes);
  llvm::BasicBlock* fast_end = builder_.GetInsertBlock();
  builder_.CreateBr(joined);
  builder_.SetInsertPoint(joined);
  if (!fast.value) return fast;
  llvm::PHINode* phi = builder_.CreatePHI(fast.value->getType(), 2);
  phi->addIncoming(slow.value, slow_end);
  phi->addIncoming(fast.value, fast_end);
  return {phi, fast.shape, result, nullptr};
}

Held MethodLowering::emit_bound_call(const Statement& statement, const Convention& convention,
                                     llvm::Value* function, const Type* result,
                                     std::span<llvm::Value* const> boxes) {
  std::vector<llvm::Value*> arguments{thread_};
  for (size_t i = 0; i < convention.arguments.size(); ++i) {
    if (convention.arguments[i].is_none()) continue;
    arguments.push_back(
        boxes[i] ? in_region(builder_.CreateLoad(pointer_, boxes[i]), "frame")
                 : coerce(read(statement.operands[i]), convention.arguments[i], &statement.position));
  }
  llvm::CallInst* called = builder_.CreateCall(convention.function_type(context_), function, arguments);
  called->setCallingConv(llvm::CallingConv::Fast);
  const bool is_none = convention.result.is_none();
  raise_if(is_none ? called : builder_.CreateExtractValue(called, 1));
  return {is_none ? nullptr : builder_.CreateExtractValue(called, 0), convention.result, result, nullptr};
}

// Memory.

Held MethodLowering::load(const Location& location) {
  const Shape shape = shape_of(location.type);
  Held held{nullptr, shape, location.type, nullptr};
  if (shape.is_none()) return held;
  llvm::Type* type = shape.is_reference()     ? static_cast<llvm::Type*>(pointer_)
                     : location.is_whole_word ? builder_.getInt64Ty()
                                              : memory_type(context_, shape.kind);
  llvm::LoadInst* load = in_region(builder_.CreateLoad(type, location.address), location.region);
  // Racing threads: references and words of objects are read whole. Elements that are numbers may tear, so
  // that loops vectorise.
  if (shape.is_reference() || location.is_whole_word) load->setAtomic(llvm::AtomicOrdering::Unordered);
  held.value = shape.is_reference()     ? static_cast<llvm::Value*>(load)
               : location.is_whole_word ? from_bits(builder_, load, shape.kind)
                                        : from_memory(builder_, load, shape.kind);
  return held;
}

/// `value` has the location's shape. Stores of references are the write barrier's inline form
/// (gc::Heap::write), or calls of it where it does more.
void MethodLowering::store(const Location& location, llvm::Value* value) {
  const Shape shape = shape_of(location.type);
  if (shape.is_none()) value = llvm::ConstantPointerNull::get(pointer_);
  if (!shape.is_unboxed() && gc::Verifier::is_on()) {
    call("berth_rt_write", builder_.getVoidTy(), {{location.address, value}});
    return;
  }
  if (shape.is_unboxed())
    value = location.is_whole_word ? to_bits(builder_, value, shape.kind)
                                   : to_memory(builder_, value, shape.kind);
  llvm::StoreInst* store = in_region(builder_.CreateStore(value, location.address), location.region);
  if (!shape.is_unboxed() || location.is_whole_word) store->setAtomic(llvm::AtomicOrdering::Unordered);
}

MethodLowering::Location MethodLowering::field_location(llvm::Value* object, const StructType& structure,
                                                        uint32_t index) {
  // By name, not by address: equal methods give equal modules in all processes. Structs of one name share it,
  // which only costs.
  std::string region = kFieldRegion + structure.name + "." + structure.fields[index].name;
  return {offset(object, gc::Object::kFieldsOffset + 8 * index), structure.fields[index].type,
          std::move(region), true};
}

MethodLowering::Location MethodLowering::element_location(llvm::Value* array, const Leaf& leaf,
                                                          llvm::Value* index) {
  const Shape shape = shape_of(leaf.element);
  llvm::Type* type = shape.is_unboxed() ? memory_type(context_, shape.kind) : pointer_;
  llvm::Value* elements = offset(array, gc::Object::kElementsOffset);
  return {builder_.CreateGEP(type, elements, index), leaf.element,
          shape.is_unboxed() ? inference::name_of(shape.kind) : "element", false};
}

Held MethodLowering::emit_field(const Statement& statement) {
  const StructType* structure = structure_of(statement);
  if (!structure) return execute(statement, wanted(statement));
  const auto index = static_cast<uint32_t>(structure->field_index(*statement.name));
  llvm::Value* object = object_to_access(statement);
  Held held = load(field_location(object, *structure, index));
  return narrow(statement, held);
}

/// Of field and set: operand 0, behind a check that there is one.
llvm::Value* MethodLowering::object_to_access(const Statement& statement) {
  llvm::Value* object = read(statement.operands[0]).value;
  if (may_be_nothing(statement.operands[0])) raise_where(builder_.CreateIsNull(object), statement);
  return object;
}

/// Inference may know a result better than the declaration that it is loaded by.
Held MethodLowering::narrow(const Statement& statement, Held held) {
  if (statement.result != inference::kNone && !body_.values[statement.result].declared)
    held.type = type_of(statement.result);
  return held;
}

Held MethodLowering::emit_set(const Statement& statement) {
  const StructType* structure = structure_of(statement);
  const auto index = structure ? static_cast<uint32_t>(structure->field_index(*statement.name)) : 0;
  if (!structure || !fits(statement.operands[1], structure->fields[index].type))
    return execute(statement, wanted(statement));
  const Shape shape = shape_of(structure->fields[index].type);
  llvm::Value* value = coerce(read(statement.operands[1]), shape, &statement.position);
  llvm::Value* object = object_to_access(statement);
  store(field_location(object, *structure, index), value);
  return {nullptr, {}, program_.types().nothing(), nullptr};
}

Held MethodLowering::emit_new(const Statement& statement) {
  const StructType* structure = structure_to_make(statement);
  const gc::Type* layout = structure ? runtime_.layout(structure->leaf) : nullptr;
  if (!layout) return execute(statement, wanted(statement));
  const size_t n = statement.operands.size();
  std::vector<llvm::Value*> boxes(n);
  for (size_t i = 0; i < n; ++i) {
    const Shape shape = shape_of(structure->fields[i].type);
    if (this->boxes(statement.operands[i], shape))
      boxes[i] = root(coerce(read(statement.operands[i]), shape, &statement.position));
  }
  set_position(&statement.position);
  llvm::Value* object = emit_allocation(*layout);
  return guarded(statement, builder_.CreateIsNull(object), program_.types().whole(structure->leaf), [&] {
    for (size_t i = 0; i < n; ++i) {
      const Shape shape = shape_of(structure->fields[i].type);
      llvm::Value* value = boxes[i] ? in_region(builder_.CreateLoad(pointer_, boxes[i]), "frame")
                                    : coerce(read(statement.operands[i]), shape, &statement.position);
      store(field_location(object, *structure, static_cast<uint32_t>(i)), value);
    }
    return object;
  });
}

/// As Heap::try_bump does: the next cell of the thread's range, which is zero. Null: out of memory.
llvm::Value* MethodLowering::emit_allocation(const gc::Type& type) {
  const auto allocate = [&] {
    return call("berth_rt_allocate", pointer_, {{thread_, address(&runtime_), address(&type)}});
  };
  if (type.bump_class == gc::kNoBumpClass || gc::stress::is_on(gc::stress::Mode::Allocation))
    return allocate();
  const size_t range = offsetof(gc::Thread, allocation) + offsetof(gc::AllocationBuffers, classes) +
                       type.bump_class * sizeof(gc::AllocationRange);
  llvm::Value* position = thread_word(range + offsetof(gc::AllocationRange, next));
  llvm::Value* next = in_region(builder_.CreateLoad(pointer_, position), "allocation");
  llvm::Value* end = in_region(
      builder_.CreateLoad(pointer_, thread_word(range + offsetof(gc::AllocationRange, end))), "allocation");
  llvm::BasicBlock* slow = new_block("refill");
  llvm::BasicBlock* fast = new_block("cell");
  llvm::BasicBlock* joined = new_block("allocated");
  branch_rarely(builder_.CreateICmpEQ(next, end), slow, fast);
  builder_.SetInsertPoint(slow);
  llvm::Value* refilled = allocate();
  builder_.CreateBr(joined);
  builder_.SetInsertPoint(fast);
  in_region(builder_.CreateStore(offset(next, type.bump_bytes), position), "allocation");
  llvm::StoreInst* header = in_region(builder_.CreateStore(address(&type), next), "header");
  header->setAtomic(llvm::AtomicOrdering::Monotonic);  // markers set their bit in it later
  builder_.CreateBr(joined);
  builder_.SetInsertPoint(joined);
  llvm::PHINode* object = builder_.CreatePHI(pointer_, 2);
  object->addIncoming(refilled, slow);
  object->addIncoming(next, fast);
  return object;
}

Held MethodLowering::emit_array_new(const Statement& statement) {
  const Shape length = shape_of_operand(statement.operands[0]);
  if (length != Shape{inference::Representation::Unboxed, LeafKind::I64})
    return execute(statement, wanted(statement));
  const Leaf* leaf = program_.types().array_leaf(statement.type);
  set_position(&statement.position);
  store_value(read(statement.operands[1]), value_at(0));
  raise_if(call("berth_rt_array_new", builder_.getInt8Ty(),
                {{thread_, address(&runtime_), address(leaf), read(statement.operands[0]).value, value_at(0),
                  boxed_}}));
  return {in_region(builder_.CreateLoad(pointer_, boxed_), "value"),
          {inference::Representation::Reference, LeafKind::Nothing},
          program_.types().whole(leaf),
          nullptr};
}

Held MethodLowering::emit_item(const Statement& statement) {
  if (!reads_item(statement)) return execute(statement, wanted(statement));
  const uint64_t index = statement.operands[1].literal.bits;
  const inference::Part& part = type_of(statement.operands[0])->parts.front();
  const bool is_partial = part.precision == inference::Part::Precision::Partial && index < part.fields.size();
  llvm::Value* item = offset(read(statement.operands[0]).value, gc::Object::kElementsOffset + 8 * index);
  llvm::LoadInst* load = in_region(builder_.CreateLoad(pointer_, item), "element");
  load->setAtomic(llvm::AtomicOrdering::Unordered);
  return {load,
          {inference::Representation::Reference, LeafKind::Nothing},
          is_partial ? part.fields[index] : program_.types().any(),
          nullptr};
}

/// Of an array or string; in a counted loop read once per chunk if the object is from outside, since lengths
/// do not change.
llvm::Value* MethodLowering::length_of(const Operand& object) {
  Chunks* const chunks = chunks_here();
  const bool stands_still = chunks && object.kind == Operand::Kind::Value &&
                            !chunked_loops_[chunked_in_[current_]]->makes[object.value];
  if (!stands_still) return load_length(read(object).value);
  llvm::Value*& length = chunks->lengths[object.value];
  if (!length) {
    const llvm::IRBuilderBase::InsertPointGuard guard(builder_);
    builder_.SetInsertPoint(chunks->last->getTerminator());
    length = load_length(read(object).value);
  }
  return length;
}

llvm::Value* MethodLowering::load_length(llvm::Value* object) {
  llvm::LoadInst* length = in_region(
      builder_.CreateLoad(builder_.getInt64Ty(), offset(object, gc::Object::kLengthOffset)), "length");
  length->setAtomic(llvm::AtomicOrdering::Unordered);
  return length;
}

void MethodLowering::check_bounds(const Statement& statement, llvm::Value* index) {
  llvm::BranchInst* check =
      raise_where(builder_.CreateICmpUGE(index, length_of(statement.operands[0])), statement);
  Chunks* const chunks = chunks_here();
  if (!chunks || !chunks->is_inside) return;
  const ChunkedLoop& loop = *chunked_loops_[chunked_in_[current_]];
  const auto is_this = [&](const auto& access) { return access.statement == &statement; };
  const bool is_proven = std::ranges::find(loop.linear, &statement) != loop.linear.end() ||
                         std::ranges::any_of(loop.bounded, is_this) ||
                         std::ranges::any_of(loop.enclosed, is_this);
  if (is_proven) chunks->checks.push_back(check);
}

Held MethodLowering::emit_length(const Statement& statement) {
  const LeafKind kind = statement.op == Op::ArrayLen ? LeafKind::Array : LeafKind::String;
  if (!leaf_of_operand(statement, 0, kind)) return execute(statement, wanted(statement));
  return {length_of(statement.operands[0]),
          {inference::Representation::Unboxed, LeafKind::I64},
          program_.types().kind(LeafKind::I64),
          nullptr};
}

Held MethodLowering::emit_element(const Statement& statement) {
  const Leaf* leaf = array_to_access(statement);
  if (!leaf) return execute(statement, wanted(statement));
  const bool is_set = statement.op == Op::ArraySet;
  const Shape shape = shape_of(leaf->element);
  llvm::Value* value = is_set ? coerce(read(statement.operands[2]), shape, &statement.position) : nullptr;
  llvm::Value* array = read(statement.operands[0]).value;
  llvm::Value* index = read(statement.operands[1]).value;
  if (!statement.unchecked_bounds) check_bounds(statement, index);
  const Location location = element_location(array, *leaf, index);
  if (!is_set) return load(location);
  store(location, value);
  return {nullptr, {}, program_.types().nothing(), nullptr};
}

Held MethodLowering::emit_string_byte(const Statement& statement) {
  if (!leaf_of_operand(statement, 0, LeafKind::String) || !leaf_of_operand(statement, 1, LeafKind::I64))
    return execute(statement, wanted(statement));
  llvm::Value* string = read(statement.operands[0]).value;
  llvm::Value* index = read(statement.operands[1]).value;
  check_bounds(statement, index);
  llvm::Value* byte =
      builder_.CreateGEP(builder_.getInt8Ty(), offset(string, gc::Object::kElementsOffset), index);
  return {in_region(builder_.CreateLoad(builder_.getInt8Ty(), byte), "text"),
          {inference::Representation::Unboxed, LeafKind::U8},
          program_.types().kind(LeafKind::U8),
          nullptr};
}

// Types and identity.

/// i1; a constant where the types decide.
llvm::Value* MethodLowering::is(const Held& held, const Type* type) {
  auto& lattice = program_.lattice();
  if (lattice.is_subtype(held.type, type)) return builder_.getTrue();
  if (lattice.meet(held.type, type)->is_bottom()) return builder_.getFalse();
  bool is_simple = held.shape.is_reference() && type->kind == Type::Kind::Parts;
  for (const auto& part : type->parts) is_simple &= part.precision == inference::Part::Precision::Whole;
  if (!is_simple) {
    store_value(held, value_at(0));
    llvm::Value* answer =
        call("berth_rt_is", builder_.getInt8Ty(), {{address(&runtime_), value_at(0), address(type)}});
    return builder_.CreateICmpNE(answer, builder_.getInt8(0));
  }
  if (!lattice.is_subtype(program_.types().nothing(), held.type)) return has_one_of(held.value, *type);
  llvm::Value* is_nothing = builder_.CreateIsNull(held.value);
  if (type->parts.empty()) return is_nothing;
  llvm::BasicBlock* start = builder_.GetInsertBlock();
  llvm::BasicBlock* object = new_block("object");
  llvm::BasicBlock* joined = new_block("is");
  builder_.CreateCondBr(is_nothing, joined, object);
  builder_.SetInsertPoint(object);
  llvm::Value* answer = has_one_of(held.value, *type);
  llvm::BasicBlock* end = builder_.GetInsertBlock();
  builder_.CreateBr(joined);
  builder_.SetInsertPoint(joined);
  llvm::PHINode* phi = builder_.CreatePHI(builder_.getInt1Ty(), 2);
  phi->addIncoming(builder_.getInt1(type->has_nothing), start);
  phi->addIncoming(answer, end);
  return phi;
}

/// Of an object: its header names its layout, and each leaf has one.
llvm::Value* MethodLowering::has_one_of(llvm::Value* object, const Type& type) {
  llvm::LoadInst* header = in_region(builder_.CreateLoad(builder_.getInt64Ty(), object), "header");
  header->setAtomic(llvm::AtomicOrdering::Monotonic);  // markers set the mark bit meanwhile
  llvm::Value* layout = builder_.CreateAnd(header, builder_.getInt64(gc::Object::kTypeMask));
  llvm::Value* answer = builder_.getFalse();
  for (const auto& part : type.parts) {
    llvm::Value* matches = nullptr;
    if (part.leaf->kind == LeafKind::Bool) {
      matches = builder_.CreateOr(builder_.CreateICmpEQ(object, address(runtime_.boolean(true))),
                                  builder_.CreateICmpEQ(object, address(runtime_.boolean(false))));
    } else {
      const gc::Type* wanted = inference::is_number(part.leaf->kind) ? runtime_.box_layout(part.leaf->kind)
                                                                     : runtime_.layout(part.leaf);
      matches =
          builder_.CreateICmpEQ(layout, builder_.CreatePtrToInt(address(wanted), builder_.getInt64Ty()));
    }
    answer = builder_.CreateOr(answer, matches);
  }
  return answer;
}

Held MethodLowering::emit_assert(const Statement& statement) {
  Held held = read(statement.operands[0]);
  check(held, statement.type, &statement.position);
  held = read(statement.operands[0]);
  held.type = program_.lattice().meet(held.type, statement.type);
  return held;
}

/// Inference made it: its type is the result's. The statement's own may be one that is ruled out.
Held MethodLowering::emit_refine(const Statement& statement) {
  Held held = read(statement.operands[0]);
  held.type = type_of(statement.result);
  return held;
}

namespace {

/// Two values, one of this type, are the same exactly if they are one object.
bool has_identity(const inference::Type* type) {
  if (type->kind != inference::Type::Kind::Parts) return false;
  for (const auto& part : type->parts) {
    switch (part.leaf->kind) {
      case inference::LeafKind::Struct:
        if (!part.leaf->structure->is_mutable) return false;
        break;
      case inference::LeafKind::Array:
      case inference::LeafKind::Error:
      case inference::LeafKind::Task:
      case inference::LeafKind::Function: break;
      default: return false;
    }
  }
  return true;
}

}  // namespace

Held MethodLowering::emit_same(const Statement& statement) {
  const Held a = read(statement.operands[0]), b = read(statement.operands[1]);
  Held answer{nullptr,
              {inference::Representation::Unboxed, LeafKind::Bool},
              program_.types().kind(LeafKind::Bool),
              nullptr};
  const auto as_object = [&](const Held& held) {
    return held.shape.is_none() ? llvm::ConstantPointerNull::get(pointer_) : held.value;
  };
  if (a.shape.is_unboxed() && b.shape.is_unboxed()) {
    answer.value = a.shape.kind != b.shape.kind
                       ? static_cast<llvm::Value*>(builder_.getFalse())
                       : builder_.CreateICmpEQ(to_bits(builder_, a.value, a.shape.kind),
                                               to_bits(builder_, b.value, b.shape.kind));
  } else if (!a.shape.is_unboxed() && !b.shape.is_unboxed() &&
             (has_identity(a.type) || has_identity(b.type))) {
    answer.value =
        builder_.CreateICmpEQ(as_object(a), as_object(b));  // `nothing` has no parts, so it has identity
  } else {
    store_values(std::vector<Held>{a, b});
    answer.value = builder_.CreateICmpNE(
        call("berth_rt_same", builder_.getInt8Ty(), {{value_at(0), value_at(1)}}), builder_.getInt8(0));
  }
  return answer;
}

Held MethodLowering::emit_global(const Statement& statement) {
  const inference::Global* global = variable_of(statement);
  if (!global) return execute(statement, wanted(statement));
  const Location location{offset(address(global->cell), gc::Object::kFieldsOffset), global->type, "global",
                          true};
  if (statement.op == Op::GlobalGet) return load(location);
  store(location, coerce(read(statement.operands[0]), shape_of(global->type), &statement.position));
  return {nullptr, {}, program_.types().nothing(), nullptr};
}

}  // namespace berth::jit
