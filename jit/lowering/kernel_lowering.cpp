// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/lowering/kernel_lowering.hpp"

#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "engine/engine.hpp"
#include "inference/inference.hpp"
#include "jit/lowering/arithmetic.hpp"
#include "jit/lowering/root_analysis.hpp"

namespace berth::jit {

using inference::Op;
using inference::Operand;
using inference::Order;
using inference::Scope;
using inference::Terminator;

namespace {

constexpr unsigned kGlobalMemory = 1, kSharedMemory = 3;  // address spaces of the neutral IR

FaultCode fault_of(const inference::Statement& statement) {
  if (statement.op == Op::Div || statement.op == Op::Rem) return kFaultDivision;
  return statement.op == Op::Convert || statement.op == Op::Truncate ? kFaultConversion : kFaultOverflow;
}

llvm::AtomicOrdering ordering_of(Order order) {
  switch (order) {
    case Order::Acquire: return llvm::AtomicOrdering::Acquire;
    case Order::Release: return llvm::AtomicOrdering::Release;
    case Order::AcqRel: return llvm::AtomicOrdering::AcquireRelease;
    case Order::SeqCst: return llvm::AtomicOrdering::SequentiallyConsistent;
    default: return llvm::AtomicOrdering::Monotonic;
  }
}

llvm::SyncScope::ID scope_of(llvm::LLVMContext& context, Scope scope) {
  if (scope == Scope::Block) return context.getOrInsertSyncScopeID("block");
  if (scope == Scope::Device) return context.getOrInsertSyncScopeID("device");
  return llvm::SyncScope::System;
}

}  // namespace

KernelLowering::KernelLowering(llvm::LLVMContext& context, inference::Program& program, bool checked)
    : context_(context), program_(program), checked_(checked), builder_(context) {}

Result<std::unique_ptr<llvm::Module>> KernelLowering::run(const inference::TypedMethod& kernel,
                                                          std::span<const Type* const> arguments) {
  const std::string& name = kernel.specialisation->method->name;
  module_ = std::make_unique<llvm::Module>(name, context_);
  std::vector<llvm::Type*> types;
  for (const Type* type : arguments) append_types(type, types);
  auto* function = llvm::Function::Create(llvm::FunctionType::get(builder_.getVoidTy(), types, false),
                                          llvm::Function::ExternalLinkage, name, *module_);
  emit_body(kernel.body, function, arguments, true, nullptr);
  while (!pending_.empty() && unsupported_.empty()) {
    const inference::Specialisation* callee = pending_.back();
    pending_.pop_back();
    const auto instance = program_.engine().lookup({callee, program_.owner()}, 0);
    const auto& typed = inference::typed_method(*instance);
    emit_body(typed.body, functions_[callee], callee->arguments, false, typed.result);
  }
  if (!unsupported_.empty())
    return make_error(BERTH_UNSUPPORTED, "kernel \"" + name + "\"", unsupported_, "keep it out of kernels");
  return std::move(module_);
}

void KernelLowering::refuse(const std::string& what) {
  if (unsupported_.empty()) unsupported_ = what;
}

// Types.

const inference::Type* KernelLowering::type_of(inference::ValueId id) const {
  const Type* type = method_.body->values[id].inferred;
  return type ? type : program_.types().any();
}

bool KernelLowering::is_buffer(const Type* type) const {
  const inference::Leaf* leaf = type->single_leaf();
  return leaf && leaf->kind == LeafKind::Buffer;
}

llvm::Type* KernelLowering::argument_type(LeafKind kind) const {
  llvm::Type* type = register_type(context_, kind);
  return type->isIntegerTy() && type->getIntegerBitWidth() < 32 ? llvm::Type::getInt32Ty(context_) : type;
}

/// None for `nothing`, two for a buffer.
void KernelLowering::append_types(const Type* type, std::vector<llvm::Type*>& types) const {
  if (is_buffer(type)) {
    types.push_back(llvm::PointerType::get(context_, kGlobalMemory));
    types.push_back(llvm::Type::getInt64Ty(context_));
  } else if (const Shape shape = shape_of(type); shape.is_unboxed()) {
    types.push_back(argument_type(shape.kind));
  }
}

// Bodies.

void KernelLowering::emit_body(const inference::Body& body, llvm::Function* function,
                               std::span<const Type* const> arguments, bool is_kernel, const Type* result) {
  method_ = {&body,
             function,
             is_kernel,
             std::vector<Item>(body.values.size()),
             std::vector<llvm::BasicBlock*>(body.blocks.size()),
             nullptr};
  result_ = result;
  const Roots roots = find_roots(
      body, {[](inference::ValueId) { return false; }, [](const Statement&) { return Safepoint::Quiet; },
             [](const inference::Block&) { return Safepoint::Quiet; }});
  for (const inference::BlockId id : roots.order)
    method_.blocks[id] = llvm::BasicBlock::Create(context_, "b", function);
  builder_.SetInsertPoint(method_.blocks[0]);
  emit_parameters(arguments);
  for (const inference::BlockId id : roots.order) {
    if (id == 0) continue;
    builder_.SetInsertPoint(method_.blocks[id]);
    for (const inference::ValueId parameter : body.blocks[id].parameters) {
      Item& item = method_.values[parameter];
      item.type = type_of(parameter);
      const Shape shape = shape_of(item.type);
      if (is_buffer(item.type)) {
        item.value = builder_.CreatePHI(llvm::PointerType::get(context_, kGlobalMemory), 2);
        item.length = builder_.CreatePHI(builder_.getInt64Ty(), 2);
      } else if (shape.is_unboxed()) {
        item.value = builder_.CreatePHI(register_type(context_, shape), 2);
      } else if (shape.is_reference()) {
        refuse("a block parameter of type " + item.type->name);
      }
    }
  }
  for (const inference::BlockId id : roots.order) {
    builder_.SetInsertPoint(method_.blocks[id]);
    emit_block(body.blocks[id]);
    if (!unsupported_.empty()) return;
  }
  llvm::EliminateUnreachableBlocks(*function);
}

void KernelLowering::emit_parameters(std::span<const Type* const> arguments) {
  unsigned next = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    Item& item = method_.values[method_.body->blocks[0].parameters[i]];
    item.type = arguments[i];
    const Shape shape = shape_of(arguments[i]);
    if (is_buffer(arguments[i])) {
      item.value = method_.function->getArg(next++);
      item.length = method_.function->getArg(next++);
    } else if (shape.is_unboxed()) {
      llvm::Value* argument = method_.function->getArg(next++);
      llvm::Type* type = register_type(context_, shape);
      item.value = shape.kind == LeafKind::Bool
                       ? builder_.CreateICmpNE(argument, llvm::ConstantInt::get(argument->getType(), 0))
                   : argument->getType() == type ? argument
                                                 : builder_.CreateTrunc(argument, type);
    } else if (shape.is_reference()) {
      refuse("a parameter of type " + arguments[i]->name);
    }
  }
}

void KernelLowering::emit_block(const inference::Block& block) {
  for (const Statement& statement : block.statements) {
    Item item = emit_statement(statement);
    if (!unsupported_.empty()) return;
    if (statement.result == inference::kNone) continue;
    item.type = type_of(statement.result);
    method_.values[statement.result] = item;
  }
  emit_terminator(block.terminator);
}

void KernelLowering::emit_terminator(const Terminator& terminator) {
  switch (terminator.kind) {
    case Terminator::Kind::Branch: return emit_branch(terminator.targets[0]);
    case Terminator::Kind::Condition: {
      llvm::Value* condition = read(terminator.value).value;
      if (!condition || !condition->getType()->isIntegerTy(1))
        return refuse("a condition that is not known to be a bool");
      llvm::BasicBlock* from = builder_.GetInsertBlock();
      llvm::BasicBlock* yes = emit_edge(terminator.targets[0]);
      llvm::BasicBlock* no = emit_edge(terminator.targets[1]);
      builder_.SetInsertPoint(from);
      builder_.CreateCondBr(condition, yes, no);
      return;
    }
    case Terminator::Kind::Switch: {
      llvm::Value* selector = read(terminator.value).value;
      if (!selector || !selector->getType()->isIntegerTy(64))
        return refuse("a switch over what is not known to be an i64");
      llvm::BasicBlock* from = builder_.GetInsertBlock();
      std::vector<llvm::BasicBlock*> edges;
      for (const auto& target : terminator.targets) edges.push_back(emit_edge(target));
      builder_.SetInsertPoint(from);
      auto* choice = builder_.CreateSwitch(selector, edges.back());
      for (size_t i = 0; i < terminator.cases.size(); ++i)
        choice->addCase(builder_.getInt64(static_cast<uint64_t>(terminator.cases[i])), edges[i]);
      return;
    }
    case Terminator::Kind::Return: return emit_return(&terminator.value);
    case Terminator::Kind::Unreachable: return emit_return(nullptr);
    case Terminator::Kind::Throw: return refuse("throw");
  }
}

llvm::BasicBlock* KernelLowering::emit_edge(const inference::Target& target) {
  llvm::BasicBlock* edge = llvm::BasicBlock::Create(context_, "edge", method_.function);
  builder_.SetInsertPoint(edge);
  emit_branch(target);
  return edge;
}

void KernelLowering::emit_branch(const inference::Target& target) {
  const auto& parameters = method_.body->blocks[target.block].parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Item& to = method_.values[parameters[i]];
    const Item from = read(target.arguments[i]);
    for (auto [phi, value] : {std::pair{to.value, from.value}, std::pair{to.length, from.length}}) {
      if (!phi) continue;
      if (value && value->getType() != phi->getType())
        return refuse("a shared buffer that reaches another block as a parameter");
      if (!value)
        value = llvm::Constant::getNullValue(phi->getType());  // of a type without values: never reached
      llvm::cast<llvm::PHINode>(phi)->addIncoming(value, builder_.GetInsertBlock());
    }
  }
  builder_.CreateBr(method_.blocks[target.block]);
}

void KernelLowering::emit_return(const Operand* operand) {
  llvm::Type* type = method_.function->getReturnType();
  if (type->isVoidTy()) {
    builder_.CreateRetVoid();
    return;
  }
  llvm::Value* value = operand ? read(*operand).value : nullptr;
  if (value && value->getType() != type) return refuse("a returned buffer");
  builder_.CreateRet(value ? value : llvm::Constant::getNullValue(type));
}

KernelLowering::Item KernelLowering::read(const Operand& operand) {
  if (operand.kind == Operand::Kind::Value) return method_.values[operand.value];
  if (operand.kind == Operand::Kind::Name) {
    refuse("unresolved name " + *operand.name);
    return {};
  }
  const LeafKind kind = operand.literal.kind;
  if (kind == LeafKind::Nothing) return {nullptr, nullptr, program_.types().nothing()};
  if (kind >= LeafKind::String) {
    refuse(std::string("a ") + inference::name_of(kind));
    return {};
  }
  return {constant_of(context_, kind, operand.literal.bits), nullptr, program_.types().kind(kind)};
}

// Statements.

KernelLowering::Item KernelLowering::emit_statement(const Statement& statement) {
  if (is_arithmetic(statement.op)) return emit_number(statement);
  switch (statement.op) {
    case Op::Lane: return emit_position("berth_lane_id", statement.operands[0]);
    case Op::Block: return emit_position("berth_block_id", statement.operands[0]);
    case Op::Lanes: return emit_position("berth_lane_count", statement.operands[0]);
    case Op::Blocks: return emit_position("berth_block_count", statement.operands[0]);
    case Op::Shared: return emit_shared(statement);
    case Op::BarrierBlock: call("berth_block_barrier", builder_.getVoidTy(), {}, true); return {};
    case Op::BarrierGrid: call("berth_grid_barrier", builder_.getVoidTy(), {}, true); return {};
    case Op::Fault: {
      llvm::Value* code = read(statement.operands[0]).value;
      if (!code || !code->getType()->isIntegerTy())
        refuse("a fault code that is not known to be an integer");
      else
        call("berth_fault", builder_.getVoidTy(),
             {{builder_.CreateIntCast(code, builder_.getInt32Ty(), true)}});
      return {};
    }
    case Op::BufferLen: {
      const Item buffer = read(statement.operands[0]);
      if (!buffer.length) refuse("buffer.len of what is not known to be a buffer");
      return {buffer.length};
    }
    case Op::BufferGet:
    case Op::BufferSet: return emit_buffer(statement);
    case Op::AtomicGet:
    case Op::AtomicPut:
    case Op::RmwItem:
    case Op::CasItem: return emit_atomic(statement);
    case Op::Refine:
    case Op::Assert: return read(statement.operands[0]);
    case Op::Is:
    case Op::Same: return emit_identity(statement);
    case Op::Invoke: return emit_invoke(statement);
    case Op::Call: refuse("a call that its argument types do not resolve"); return {};
    default: refuse(std::string(inference::text_of(statement.op))); return {};
  }
}

llvm::Value* KernelLowering::guarded(llvm::Value* rare, FaultCode code, llvm::Type* type,
                                     llvm::function_ref<llvm::Value*()> usual) {
  if (!rare) return usual();
  llvm::Function* function = method_.function;
  auto* bad = llvm::BasicBlock::Create(context_, "fault", function);
  auto* good = llvm::BasicBlock::Create(context_, "usual", function);
  auto* joined = llvm::BasicBlock::Create(context_, "joined", function);
  builder_.CreateCondBr(rare, bad, good);
  builder_.SetInsertPoint(bad);
  call("berth_fault", builder_.getVoidTy(), {{builder_.getInt32(static_cast<uint32_t>(code))}});
  builder_.CreateBr(joined);
  builder_.SetInsertPoint(good);
  llvm::Value* value = usual();
  llvm::BasicBlock* end = builder_.GetInsertBlock();
  builder_.CreateBr(joined);
  builder_.SetInsertPoint(joined);
  if (!type) return nullptr;
  llvm::PHINode* phi = builder_.CreatePHI(type, 2);
  phi->addIncoming(llvm::Constant::getNullValue(type), bad);
  phi->addIncoming(value, end);
  return phi;
}

KernelLowering::Item KernelLowering::emit_number(const Statement& statement) {
  llvm::Type* expected = register_type(context_, operand_kind(statement));
  std::vector<llvm::Value*> operands;
  for (const Operand& operand : statement.operands) {
    operands.push_back(read(operand).value);
    if (!operands.back() || operands.back()->getType() != expected) {
      refuse(std::string(inference::text_of(statement.op)) + " on operands not known to be " +
             inference::name_of(operand_kind(statement)));
      return {};
    }
  }
  return {guarded(trap_condition(builder_, statement, operands), fault_of(statement),
                  register_type(context_, result_kind(statement)),
                  [&] { return arithmetic(builder_, statement, operands); })};
}

KernelLowering::Item KernelLowering::emit_position(const char* name, const Operand& dimension) {
  llvm::Value* number = read(dimension).value;
  if (!number || !number->getType()->isIntegerTy()) {
    refuse("a dimension that is not an integer");
    return {};
  }
  llvm::Value* id =
      call(name, builder_.getInt32Ty(), {{builder_.CreateIntCast(number, builder_.getInt32Ty(), true)}});
  return {builder_.CreateZExt(id, builder_.getInt64Ty())};
}

KernelLowering::Item KernelLowering::emit_shared(const Statement& statement) {
  const inference::Leaf* leaf = statement.type ? statement.type->single_leaf() : nullptr;
  const Operand& length = statement.operands[0];
  if (!leaf || leaf->kind >= LeafKind::String || length.kind != Operand::Kind::Literal) {
    refuse("shared memory without a number type and a literal length");
    return {};
  }
  auto* type = llvm::ArrayType::get(memory_type(context_, leaf->kind), length.literal.bits);
  auto* memory = new llvm::GlobalVariable(*module_, type, false, llvm::GlobalValue::InternalLinkage,
                                          llvm::UndefValue::get(type), "shared", nullptr,
                                          llvm::GlobalValue::NotThreadLocal, kSharedMemory);
  memory->setAlignment(llvm::Align(16));
  return {memory, builder_.getInt64(length.literal.bits)};
}

KernelLowering::Item KernelLowering::emit_buffer(const Statement& statement) {
  const Item buffer = read(statement.operands[0]), index = read(statement.operands[1]);
  const inference::Leaf* leaf = buffer.type ? buffer.type->single_leaf() : nullptr;
  if (!buffer.length || !leaf || !index.value || !index.value->getType()->isIntegerTy(64)) {
    refuse(std::string(inference::text_of(statement.op)) + " on operands of unknown type");
    return {};
  }
  const LeafKind kind = shape_of(leaf->element).kind;
  llvm::Type* type = memory_type(context_, kind);
  llvm::Value* outside =
      checked_ && !statement.unchecked_bounds ? builder_.CreateICmpUGE(index.value, buffer.length) : nullptr;
  const bool is_set = statement.op == Op::BufferSet;
  llvm::Value* stored = is_set ? read(statement.operands[2]).value : nullptr;
  if (is_set && (!stored || stored->getType() != register_type(context_, kind))) {
    refuse("buffer.set of a value not known to be " + leaf->element->name);
    return {};
  }
  llvm::Value* result =
      guarded(outside, kFaultBounds, is_set ? nullptr : register_type(context_, kind), [&]() -> llvm::Value* {
        llvm::Value* place = builder_.CreateGEP(type, buffer.value, index.value);
        const llvm::Align align(inference::bytes_of(kind));
        if (!is_set) return from_memory(builder_, builder_.CreateAlignedLoad(type, place, align), kind);
        builder_.CreateAlignedStore(to_memory(builder_, stored, kind), place, align);
        return nullptr;
      });
  return {result};
}

KernelLowering::Item KernelLowering::emit_atomic(const Statement& statement) {
  const Item buffer = read(statement.operands[0]), index = read(statement.operands[1]);
  const inference::Leaf* leaf = buffer.type ? buffer.type->single_leaf() : nullptr;
  std::vector<llvm::Value*> values;
  for (size_t i = 2; i < statement.operands.size(); ++i) values.push_back(read(statement.operands[i]).value);
  bool known = buffer.length && leaf && index.value && index.value->getType()->isIntegerTy(64);
  const LeafKind kind = known ? shape_of(leaf->element).kind : LeafKind::I64;
  llvm::Type* type = register_type(context_, kind);
  for (llvm::Value* value : values) known &= value && value->getType() == type;
  if (!known || kind == LeafKind::Bool) {
    refuse(std::string(inference::text_of(statement.op)) + " on operands of unknown type");
    return {};
  }
  const auto order = ordering_of(statement.order);
  const auto scope = scope_of(context_, statement.scope);
  llvm::Value* outside = checked_ ? builder_.CreateICmpUGE(index.value, buffer.length) : nullptr;
  llvm::Type* result = statement.op == Op::AtomicPut ? nullptr
                       : statement.op == Op::CasItem ? builder_.getInt1Ty()
                                                     : type;
  return {guarded(outside, kFaultBounds, result, [&]() -> llvm::Value* {
    llvm::Value* place = builder_.CreateGEP(type, buffer.value, index.value);
    const llvm::Align align(inference::bytes_of(kind));
    switch (statement.op) {
      case Op::AtomicGet: {
        llvm::LoadInst* load = builder_.CreateAlignedLoad(type, place, align);
        load->setAtomic(order, scope);
        return load;
      }
      case Op::AtomicPut:
        builder_.CreateAlignedStore(values[0], place, align)->setAtomic(order, scope);
        return nullptr;
      case Op::RmwItem: {
        const auto add = inference::is_float(kind) ? llvm::AtomicRMWInst::FAdd : llvm::AtomicRMWInst::Add;
        return builder_.CreateAtomicRMW(add, place, values[0], align, order, scope);
      }
      default: {
        llvm::Type* bits = builder_.getIntNTy(type->getScalarSizeInBits());
        llvm::Value* exchange = builder_.CreateAtomicCmpXchg(
            place, builder_.CreateBitCast(values[0], bits), builder_.CreateBitCast(values[1], bits), align,
            order, llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(order), scope);
        return builder_.CreateExtractValue(exchange, 1);
      }
    }
  })};
}

KernelLowering::Item KernelLowering::emit_identity(const Statement& statement) {
  const Item a = read(statement.operands[0]);
  auto& lattice = program_.lattice();
  if (statement.op == Op::Is) {
    if (a.type && lattice.is_subtype(a.type, statement.type)) return {builder_.getTrue()};
    if (a.type && lattice.meet(a.type, statement.type)->is_bottom()) return {builder_.getFalse()};
    refuse("a type test that its operand's type does not decide");
    return {};
  }
  const Item b = read(statement.operands[1]);
  if (a.length || b.length) {
    refuse("same on buffers");
    return {};
  }
  if (!a.value || !b.value || a.type->single_leaf() != b.type->single_leaf())
    return {builder_.getInt1(!a.value && !b.value)};
  const LeafKind kind = a.type->single_leaf()->kind;
  return {builder_.CreateICmpEQ(to_bits(builder_, a.value, kind), to_bits(builder_, b.value, kind))};
}

// Calls.

KernelLowering::Item KernelLowering::emit_invoke(const Statement& statement) {
  llvm::Function* function = statement.callee ? function_of(*statement.callee) : nullptr;
  if (!function) {
    refuse("a call of a method that was not inferred");
    return {};
  }
  std::vector<llvm::Value*> arguments;
  for (size_t i = 0; i < statement.operands.size(); ++i) {
    const Item item = read(statement.operands[i]);
    if (!item.value) continue;
    if (item.length && item.value->getType()->getPointerAddressSpace() != kGlobalMemory) {
      refuse("a shared buffer as argument of a call that is not inlined");
      return {};
    }
    const LeafKind kind =
        item.type && item.type->single_leaf() ? item.type->single_leaf()->kind : LeafKind::I64;
    llvm::Type* type = item.length ? item.value->getType() : argument_type(kind);
    arguments.push_back(
        type == item.value->getType()
            ? item.value
            : builder_.CreateIntCast(item.value, type, kind != LeafKind::Bool && inference::is_signed(kind)));
    if (item.length) arguments.push_back(item.length);
  }
  if (arguments.size() != function->arg_size()) {
    refuse("a call whose arguments are not known well enough");
    return {};
  }
  llvm::Value* result = builder_.CreateCall(function, arguments);
  return {result->getType()->isVoidTy() ? nullptr : result};
}

llvm::Function* KernelLowering::function_of(const inference::Specialisation& callee) {
  auto [place, is_new] = functions_.try_emplace(&callee, nullptr);
  if (!is_new) return place->second;
  const auto instance = program_.engine().lookup({&callee, program_.owner()}, 0);
  if (!instance || !engine::instance_payload(*instance)) return nullptr;
  const Type* result = inference::typed_method(*instance).result;
  std::vector<llvm::Type*> types;
  for (const Type* type : callee.arguments) append_types(type, types);
  const Shape shape = shape_of(result);
  llvm::Type* returned = shape.is_unboxed() ? register_type(context_, shape) : builder_.getVoidTy();
  if (shape.is_reference()) refuse("a call that gives " + result->name);
  place->second = llvm::Function::Create(llvm::FunctionType::get(returned, types, false),
                                         llvm::Function::InternalLinkage, callee.name, *module_);
  place->second->addFnAttr(llvm::Attribute::AlwaysInline);
  pending_.push_back(&callee);
  return place->second;
}

llvm::Value* KernelLowering::call(const char* name, llvm::Type* result,
                                  std::span<llvm::Value* const> arguments, bool is_barrier) {
  std::vector<llvm::Type*> types;
  for (llvm::Value* argument : arguments) types.push_back(argument->getType());
  auto callee = module_->getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  if (is_barrier) {
    function->addFnAttr(llvm::Attribute::Convergent);
    function->addFnAttr(llvm::Attribute::NoDuplicate);
  } else if (!result->isVoidTy()) {
    function->setDoesNotAccessMemory();  // ids and sizes: the same for a lane at every place
    function->setDoesNotThrow();
    function->addFnAttr(llvm::Attribute::WillReturn);
  }
  return builder_.CreateCall(callee, llvm::ArrayRef<llvm::Value*>(arguments.data(), arguments.size()));
}

}  // namespace berth::jit
