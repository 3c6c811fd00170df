// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MethodLowering: operands, conversions between representations, runtime calls.
#include <llvm/IR/MDBuilder.h>
#include <cstddef>

#include "engine/engine.hpp"
#include "gc/thread.hpp"
#include "inference/inference.hpp"
#include "jit/field_relaxation.hpp"
#include "jit/lowering/method_lowering.hpp"
#include "support/mutant.hpp"

namespace berth::jit {

using inference::Literal;
using inference::Operand;
using inference::Position;
using inference::Representation;
using inference::Value;

namespace {

constexpr size_t kValueBits = 8;
static_assert(offsetof(gc::Frame, previous) == 0 && offsetof(gc::Frame, kind) == 8 &&
              offsetof(gc::Frame, position) == 16);
static_assert(offsetof(Value, kind) == 0 && offsetof(Value, bits) == kValueBits);

/// Every value of the type is an object or nothing; a number or bool never.
bool holds_no_number(const inference::Type* type) {
  if (!type || type->kind != inference::Type::Kind::Parts) return false;
  for (const auto& part : type->parts)
    if (part.leaf->kind < inference::LeafKind::String) return false;
  return true;
}

}  // namespace

// Operands and results.

Held MethodLowering::read_value(inference::ValueId id) {
  Held held{values_[id], shape_of(type_of(id)), type_of(id), nullptr};
  if (llvm::AllocaInst* cell = cells_[id]) held.value = builder_.CreateLoad(cell->getAllocatedType(), cell);
  if (held.shape.is_reference() && roots_.rooted[id] && !mutant::is_on("J85_no_reload")) {
    held.value = read_in_chunk(id);
    if (!held.value) held.value = in_region(builder_.CreateLoad(pointer_, slot_address(slots_[id])), "frame");
  }
  return held;
}

/// Loaded once per chunk, at its entry; null: not of that kind.
llvm::Value* MethodLowering::read_in_chunk(inference::ValueId id) {
  Chunks* const chunks = chunks_here();
  if (!chunks || chunked_loops_[chunked_in_[current_]]->makes[id]) return nullptr;
  llvm::Value*& value = chunks->references[id];
  if (!value) {
    const llvm::IRBuilderBase::InsertPointGuard guard(builder_);
    builder_.SetInsertPoint(chunks->last->getTerminator());
    value = in_region(builder_.CreateLoad(pointer_, slot_address(slots_[id])), "frame");
  }
  return value;
}

Held MethodLowering::read(const Operand& operand) {
  if (operand.kind == Operand::Kind::Value) return read_value(operand.value);
  if (operand.kind == Operand::Kind::Name && unsupported_.empty())
    unsupported_ = "unresolved name " + *operand.name;
  const Literal& literal = operand.literal;
  Held held{nullptr, shape_of_operand(operand), type_of(operand), &literal};
  if (held.shape.is_unboxed()) held.value = constant_of(context_, literal.kind, literal.bits);
  if (held.shape.is_reference()) held.value = literal_object(literal);
  return held;
}

std::vector<Held> MethodLowering::read_all(const Statement& statement, size_t first) {
  std::vector<Held> operands;
  for (size_t i = first; i < statement.operands.size(); ++i) operands.push_back(read(statement.operands[i]));
  return operands;
}

void MethodLowering::set_value(inference::ValueId id, llvm::Value* value) {
  values_[id] = value;
  if (cells_[id]) builder_.CreateStore(value, cells_[id]);
  if (roots_.rooted[id]) in_region(builder_.CreateStore(value, slot_address(slots_[id])), "frame");
}

void MethodLowering::define(const Statement& statement, Held held) {
  if (statement.result == inference::kNone) return;
  const auto& definition = body_.values[statement.result];
  if (definition.declared && !program_.lattice().is_subtype(held.type, definition.declared))
    check(held, definition.declared, &statement.position);
  const Shape shape = shape_of(type_of(statement.result));
  if (!shape.is_none()) set_value(statement.result, coerce(held, shape, &statement.position));
}

// Conversions.

llvm::Value* MethodLowering::coerce(const Held& held, const Shape& to, const Position* position) {
  if (held.shape == to) return held.value;
  if (to.is_none()) return nullptr;
  if (to.is_unboxed()) {
    if (held.shape.is_reference()) return unbox(held.value, to.kind);
    return llvm::Constant::getNullValue(
        register_type(context_, to.kind));  // of a type without values: never reached
  }
  if (held.shape.is_none()) return llvm::ConstantPointerNull::get(pointer_);
  if (held.literal) return literal_object(*held.literal);
  if (held.shape.kind == LeafKind::Bool)
    return builder_.CreateSelect(held.value, address(runtime_.boolean(true)),
                                 address(runtime_.boolean(false)));
  return box(held, position);
}

llvm::Value* MethodLowering::box(const Held& held, const Position* position) {
  set_position(position);
  store_value(held, scratch_);
  raise_if(call("berth_rt_box", builder_.getInt8Ty(), {{thread_, address(&runtime_), scratch_, boxed_}}));
  return in_region(builder_.CreateLoad(pointer_, boxed_), "value");
}

llvm::Value* MethodLowering::unbox(llvm::Value* reference, LeafKind kind) {
  if (kind == LeafKind::Bool) return builder_.CreateICmpEQ(reference, address(runtime_.boolean(true)));
  llvm::Value* bits =
      builder_.CreateLoad(builder_.getInt64Ty(), offset(reference, gc::Object::kFieldsOffset));
  return from_bits(builder_, in_region(llvm::cast<llvm::LoadInst>(bits), "box"), kind);
}

llvm::Value* MethodLowering::literal_object(const Literal& literal) {
  if (literal.kind == LeafKind::Nothing) return llvm::ConstantPointerNull::get(pointer_);
  if (literal.kind == LeafKind::Bool) return address(runtime_.boolean(literal.bits != 0));
  return address(runtime_.literal_object(literal));
}

// inference::Value in memory.

llvm::Value* MethodLowering::value_at(size_t index) {
  num_values_ = std::max(num_values_, index + 1);
  return offset(value_buffer_, index * sizeof(Value));
}

void MethodLowering::store_value(const Held& held, llvm::Value* target) {
  if (held.shape.is_reference()) {
    const inference::Leaf* leaf = held.type ? held.type->single_leaf() : nullptr;
    if (!leaf || leaf->kind < LeafKind::String) {
      call("berth_rt_unbox", builder_.getVoidTy(), {{held.value, target}});
      return;
    }
    in_region(builder_.CreateStore(builder_.getInt8(static_cast<uint8_t>(leaf->kind)), target), "value");
    in_region(builder_.CreateStore(held.value, offset(target, kValueBits)), "value");
    return;
  }
  const LeafKind kind = held.shape.is_none() ? LeafKind::Nothing : held.shape.kind;
  llvm::Value* bits = held.shape.is_none() ? builder_.getInt64(0) : to_bits(builder_, held.value, kind);
  in_region(builder_.CreateStore(builder_.getInt8(static_cast<uint8_t>(kind)), target), "value");
  in_region(builder_.CreateStore(bits, offset(target, kValueBits)), "value");
}

void MethodLowering::store_values(Operands operands) {
  for (size_t i = 0; i < operands.size(); ++i) store_value(operands[i], value_at(i));
}

Held MethodLowering::load_value(llvm::Value* source, const Type* type, const Position* position) {
  Held held{nullptr, shape_of(type), type, nullptr};
  if (held.shape.is_none()) return held;
  auto load = [&](llvm::Type* of, size_t at) {
    return in_region(builder_.CreateLoad(of, offset(source, at)), "value");
  };
  if (held.shape.is_unboxed()) {
    held.value = from_bits(builder_, load(builder_.getInt64Ty(), kValueBits), held.shape.kind);
  } else if (holds_no_number(type)) {
    llvm::Value* is_nothing = builder_.CreateICmpEQ(load(builder_.getInt8Ty(), 0), builder_.getInt8(0));
    held.value = builder_.CreateSelect(is_nothing, llvm::ConstantPointerNull::get(pointer_),
                                       load(pointer_, kValueBits));
  } else {
    set_position(position);
    raise_if(call("berth_rt_box", builder_.getInt8Ty(), {{thread_, address(&runtime_), source, boxed_}}));
    held.value = in_region(builder_.CreateLoad(pointer_, boxed_), "value");
  }
  return held;
}

void MethodLowering::check(const Held& held, const Type* type, const Position* position) {
  llvm::Value* fits = is(held, type);
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(fits); known && known->isOne()) return;
  llvm::BasicBlock* wrong = new_block("wrong_type");
  llvm::BasicBlock* right = new_block("right_type");
  branch_rarely(builder_.CreateNot(fits), wrong, right);
  builder_.SetInsertPoint(wrong);
  const Position* place = keep(*position);
  begin_cold(place, {&held, 1});
  store_value(held, value_at(0));
  call("berth_rt_wrong_type", builder_.getVoidTy(),
       {{thread_, address(&runtime_), value_at(0), address(type), address(place)}});
  end_cold();
  go_to_error();
  builder_.SetInsertPoint(right);
}

// Errors.

void MethodLowering::raise_if(llvm::Value* flag) {
  llvm::BasicBlock* usual = new_block("done");
  branch_rarely(builder_.CreateICmpNE(flag, builder_.getInt8(0)), error_block(), usual);
  builder_.SetInsertPoint(usual);
}

void MethodLowering::go_to_error() { builder_.CreateBr(error_block()); }

llvm::BasicBlock* MethodLowering::error_block() {
  const inference::BlockId handler = body_.blocks[current_].handler;
  llvm::BasicBlock*& block = handler == inference::kNone ? error_exits_[is_framed()] : landings_[handler];
  if (block) return block;
  block = llvm::BasicBlock::Create(context_, handler == inference::kNone ? "raised" : "caught", function_);
  llvm::IRBuilder<>::InsertPointGuard guard(builder_);
  builder_.SetInsertPoint(block);
  if (handler == inference::kNone) {
    emit_exit(nullptr, 1);
    return block;
  }
  llvm::Value* pending = thread_word(offsetof(gc::Thread, pending_error));
  llvm::Value* error = in_region(builder_.CreateLoad(pointer_, pending), "thread");
  in_region(builder_.CreateStore(llvm::ConstantPointerNull::get(pointer_), pending), "thread");
  const inference::ValueId parameter = body_.blocks[handler].parameters.front();
  builder_.CreateBr(blocks_[handler]);
  if (auto* phi = llvm::dyn_cast_or_null<llvm::PHINode>(values_[parameter])) phi->addIncoming(error, block);
  return block;
}

// Small pieces.

llvm::Value* MethodLowering::call(const char* name, llvm::Type* result,
                                  std::span<llvm::Value* const> arguments) {
  std::vector<llvm::Type*> types;
  for (llvm::Value* argument : arguments) types.push_back(argument->getType());
  const auto callee = module_->getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  return builder_.CreateCall(callee, llvm::ArrayRef<llvm::Value*>(arguments.data(), arguments.size()));
}

/// The one place where the code learns an address: from the module's table, numbered by first use, so that
/// equal methods give equal modules in all processes.
llvm::Value* MethodLowering::address(const void* object) {
  if (!object) return llvm::ConstantPointerNull::get(pointer_);
  const auto [entry, added] = address_numbers_.emplace(object, names_.addresses.size());
  if (added) names_.addresses.push_back(object);
  if (!addresses_) {
    addresses_ = new llvm::GlobalVariable(*module_, builder_.getInt8Ty(), false,
                                          llvm::GlobalValue::ExternalLinkage, nullptr, "__berth_addresses");
  }
  llvm::LoadInst* load = builder_.CreateAlignedLoad(
      pointer_, offset(addresses_, entry->second * sizeof(void*)), llvm::Align(sizeof(void*)));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
  return load;
}

void MethodLowering::finish_addresses() {
  if (!addresses_) return;
  llvm::Type* type = llvm::ArrayType::get(pointer_, names_.addresses.size());
  auto* table = new llvm::GlobalVariable(*module_, type, false, llvm::GlobalValue::ExternalLinkage,
                                         llvm::Constant::getNullValue(type));
  table->setAlignment(llvm::Align(sizeof(void*)));
  table->setDSOLocal(true);
  table->takeName(addresses_);
  addresses_->replaceAllUsesWith(table);
  addresses_->eraseFromParent();
  names_.addresses_symbol = table->getName().str();
}

llvm::Value* MethodLowering::offset(llvm::Value* base, uint64_t bytes) {
  return bytes == 0 ? base : builder_.CreatePtrAdd(base, builder_.getInt64(bytes));
}

llvm::Value* MethodLowering::thread_word(size_t bytes) { return offset(thread_, bytes); }

llvm::BasicBlock* MethodLowering::new_block(const char* name) {
  return llvm::BasicBlock::Create(context_, name, function_);
}

llvm::BranchInst* MethodLowering::branch_rarely(llvm::Value* condition, llvm::BasicBlock* rare,
                                                llvm::BasicBlock* usual) {
  return builder_.CreateCondBr(condition, rare, usual,
                               llvm::MDBuilder(context_).createBranchWeights(1, 1 << 20));
}

/// Regions of memory that no one access can share: what the collector, arrays of each element type, each
/// field of each struct and frames hold. All accesses are aligned to their size, which a module without a
/// layout does not know.
template <class Instruction>
Instruction* MethodLowering::in_region(Instruction* access, const std::string& region) {
  llvm::Type* accessed = llvm::getLoadStoreType(access);
  access->setAlignment(
      llvm::Align(accessed->isPointerTy() ? sizeof(void*) : accessed->getPrimitiveSizeInBits() / 8));
  llvm::MDNode*& tag = regions_[region];
  if (!tag) {
    llvm::MDBuilder metadata(context_);
    llvm::MDNode* type = metadata.createTBAANode(region, metadata.createTBAARoot(kRegionRoot));
    tag = metadata.createTBAAStructTagNode(type, type, 0);
  }
  access->setMetadata(llvm::LLVMContext::MD_tbaa, tag);
  return access;
}
template llvm::LoadInst* MethodLowering::in_region(llvm::LoadInst*, const std::string&);
template llvm::StoreInst* MethodLowering::in_region(llvm::StoreInst*, const std::string&);

const inference::Statement* MethodLowering::keep(const Statement& statement) {
  const Statement*& kept = kept_[&statement];
  if (!kept) {
    record_->statements.push_back(statement);
    kept = &record_->statements.back();
  }
  return kept;
}

const Position* MethodLowering::keep(const Position& position) {
  if (!record_->positions.empty()) {
    const Position& last = record_->positions.back();
    if (last.file == position.file && last.line == position.line && last.column == position.column)
      return &last;
  }
  record_->positions.push_back(position);
  return &record_->positions.back();
}

const inference::Type* MethodLowering::callee_result(const inference::Specialisation& callee) {
  if (&callee == typed_.specialisation) return typed_.result;
  const auto instance = program_.engine().lookup({&callee, program_.owner()}, 0);
  const void* payload = instance ? engine::instance_payload(*instance) : nullptr;
  return payload ? inference::typed_method(*instance).result : nullptr;
}

}  // namespace berth::jit
