// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/lowering/method_lowering.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>
#include <cstddef>

#include "gc/thread.hpp"
#include "support/mutant.hpp"

namespace berth::jit {

using inference::kNone;
using inference::Position;
using inference::Terminator;
using inference::Value;

namespace {

/// Blocks in the order in which they usually run: code that is not optimised keeps it, and falls through
/// instead of jumping.
void lay_out(llvm::Function& function) {
  llvm::SmallPtrSet<const llvm::BasicBlock*, 32> placed;
  std::vector<llvm::BasicBlock*> order, pending{&function.getEntryBlock()};
  while (!pending.empty()) {
    llvm::BasicBlock* block = pending.back();
    pending.pop_back();
    while (block && placed.insert(block).second) {
      order.push_back(block);
      const llvm::Instruction* end = block->getTerminator();
      const unsigned n = end->getNumSuccessors();
      const unsigned usual =
          n == 2 && end->hasMetadata(llvm::LLVMContext::MD_prof) ? 1 : 0;  // of branch_rarely
      for (unsigned i = n; i-- > 0;)
        if (i != usual) pending.push_back(end->getSuccessor(i));
      block = n == 0 ? nullptr : end->getSuccessor(usual);
    }
  }
  for (size_t i = 1; i < order.size(); ++i) order[i]->moveAfter(order[i - 1]);
}

/// A recursive method with some levels of its calls taken in; none: it is not recursive, or too large.
std::optional<inference::Body> unrolled(const inference::TypedMethod& method,
                                        const inference::Callees& callees) {
  if (!method.is_recursive) return std::nullopt;
  const auto with_itself = [&](const inference::Specialisation& callee) {
    return &callee == method.specialisation ? &method : callees(callee);
  };
  inference::Body body = method.body;
  if (!inference::unroll_recursion(body, with_itself)) return std::nullopt;
  return body;
}

}  // namespace

MethodLowering::MethodLowering(llvm::LLVMContext& context, const inference::TypedMethod& typed,
                               const inference::Callees& callees, inference::Program& program,
                               berth_tier_t tier, bool adaptive, LoweredNames& names)
    : context_(context),
      typed_(typed),
      unrolled_(tier == BERTH_TIER_OPTIMIZED ? unrolled(typed, callees) : std::nullopt),
      body_(unrolled_ ? *unrolled_ : typed.body),
      program_(program),
      runtime_(program.runtime()),
      tier_(tier),
      is_adaptive_(adaptive),
      names_(names),
      record_(std::make_shared<LoweringRecord>()),
      convention_(typed.specialisation->arguments, typed.result),
      builder_(context),
      pointer_(llvm::PointerType::get(context, 0)) {
  if (unrolled_) record_->inline_sites = unrolled_->inline_sites;
}

Result<std::unique_ptr<llvm::Module>> MethodLowering::run() {
  const std::string& name = typed_.specialisation->name;
  module_ = std::make_unique<llvm::Module>(name, context_);
  names_.specialised_entry = name;
  names_.boxed_entry = name + ".boxed";
  names_.convention = convention_.number();
  const RootQuestions questions{
      [this](inference::ValueId id) { return shape_of(type_of(id)).is_reference(); },
      [this](const Statement& statement) { return plan(statement); },
      [this](const inference::Block& block) { return plan(block); }};
  roots_ = find_roots(body_, questions);
  chunked_loops_ = find_chunked_loops(body_, roots_, questions, tier_ != BERTH_TIER_OPTIMIZED);
  if (tier_ == BERTH_TIER_OPTIMIZED) {
    loop_nests_ = find_loop_nests(body_, roots_, questions, chunked_loops_);
  } else {
    loop_nests_.resize(body_.blocks.size());
  }
  places_.resize(body_.blocks.size());
  for (size_t i = 0; i < roots_.order.size(); ++i) places_[roots_.order[i]] = i;
  find_polls_behind();
  chunked_in_.resize(body_.blocks.size(), kNone);
  for (inference::BlockId header = 0; header < body_.blocks.size(); ++header)
    for (inference::BlockId id = 0; chunked_loops_[header] && id < body_.blocks.size(); ++id)
      if (chunked_loops_[header]->contains[id]) chunked_in_[id] = header;
  for (size_t id = 0; id < roots_.rooted.size(); ++id) slots_.push_back(roots_.rooted[id] ? num_slots_++ : 0);
  // Those of the method as it is at FAST: what was taken in here has loops of its own.
  if (is_adaptive_)
    points_ = find_osr_points(typed_.body, unrolled_ ? find_roots(typed_.body, questions) : roots_);
  names_.num_osr = points_.size();
  emit_method(nullptr);
  emit_boxed();
  std::vector<llvm::Constant*> functions;
  for (const OsrPoint& point : points_) {
    if (tier_ != BERTH_TIER_OPTIMIZED) break;
    emit_method(&point);
    functions.push_back(function_);
  }
  if (!functions.empty()) emit_osr_table(functions);
  finish_addresses();
  if (!unsupported_.empty())
    return make_error(BERTH_UNSUPPORTED, "lowering \"" + name + "\"", unsupported_,
                      "resolve and infer the method first");
  names_.record = record_;
  return std::move(module_);
}

/// Optimised loops that call nothing and have no references among what the header is given poll on the edges
/// back: LLVM then turns the test round to the end, and takes what only the last round is for out of the
/// loop.
void MethodLowering::find_polls_behind() {
  polls_behind_.resize(body_.blocks.size());
  if (tier_ != BERTH_TIER_OPTIMIZED) return;
  const auto is_reference = [this](inference::ValueId id) { return shape_of(type_of(id)).is_reference(); };
  std::vector<std::vector<inference::BlockId>> predecessors(body_.blocks.size());
  for (const inference::BlockId id : roots_.order)
    for (const inference::BlockId next : successors(body_.blocks[id])) predecessors[next].push_back(id);
  const auto is_quiet = [&](inference::BlockId header) {
    std::vector<inference::BlockId> open{header};
    std::vector<bool> is_inside(body_.blocks.size());
    is_inside[header] = true;
    for (size_t i = 0; i < open.size(); ++i) {
      if (roots_.is_hot[open[i]] || body_.blocks[open[i]].handler != kNone) return false;
      for (const inference::BlockId from : predecessors[open[i]]) {
        if (is_inside[from] || places_[from] < places_[header]) continue;
        is_inside[from] = true;
        open.push_back(from);
      }
    }
    return true;
  };
  for (const inference::BlockId id : roots_.order)
    polls_behind_[id] = roots_.is_loop_header[id] && !chunked_loops_[id] && !loop_nests_[id] &&
                        std::ranges::none_of(body_.blocks[id].parameters, is_reference) && is_quiet(id);
}

void MethodLowering::emit_method(const OsrPoint* start) {
  begin_function(start);
  emit_prologue(start);
  for (const inference::BlockId id : order_) emit_block(id);
  finish_frame();
  split_loops();
  copy_nests();
  llvm::EliminateUnreachableBlocks(*function_);
  for (llvm::BasicBlock& block : llvm::make_early_inc_range(*function_)) {
    auto* jump = llvm::dyn_cast<llvm::BranchInst>(&block.front());
    if (jump && jump->isUnconditional() && !block.isEntryBlock())
      llvm::TryToSimplifyUncondBranchFromEmptyBlock(&block);
  }
  lay_out(*function_);
}

void MethodLowering::begin_function(const OsrPoint* start) {
  if (start) {
    const std::string name = names_.specialised_entry + ".osr." + std::to_string(start->header);
    function_ = llvm::Function::Create(type_of_osr(*start), llvm::Function::InternalLinkage, name, *module_);
  } else {
    function_ = llvm::Function::Create(convention_.function_type(context_), llvm::Function::ExternalLinkage,
                                       names_.specialised_entry, *module_);
    specialised_ = function_;
  }
  function_->setCallingConv(llvm::CallingConv::Fast);
  function_->addFnAttr("frame-pointer", "all");
  function_->setUWTableKind(llvm::UWTableKind::Async);
  has_frame_ = roots_.has_hot || roots_.has_rooted;
  record_->frames.push_back({&gc::Frame::scan_slots, 0, nullptr});
  frame_kind_ = &record_->frames.back();
  order_ = start ? order_from(body_, roots_, start->header) : roots_.order;
  values_.assign(body_.values.size(), nullptr);
  cells_.assign(body_.values.size(), nullptr);
  blocks_.assign(body_.blocks.size(), nullptr);
  landings_.assign(body_.blocks.size(), nullptr);
  chunks_.clear();
  nests_.clear();
  is_whole_ = start == nullptr;
  error_exits_[0] = error_exits_[1] = nullptr;
  frame_start_ = nullptr;
  cold_starts_.clear();
  current_ = 0;
  used_temporaries_ = num_temporaries_ = 0;
  num_values_ = 1;
}

/// Allocas, stack check, frame, parameters, poll; and the blocks' parameters as phis, so that edges can refer
/// to them.
void MethodLowering::emit_prologue(const OsrPoint* start) {
  builder_.SetInsertPoint(new_block("entry"));
  llvm::Type* value = llvm::ArrayType::get(builder_.getInt64Ty(), 2);
  frame_ = builder_.CreateAlloca(builder_.getInt8Ty());
  value_buffer_ = builder_.CreateAlloca(builder_.getInt8Ty());
  result_ = builder_.CreateAlloca(value, nullptr, "result");
  scratch_ = builder_.CreateAlloca(value, nullptr, "scratch");
  boxed_ = builder_.CreateAlloca(pointer_, nullptr, "boxed");
  thread_ = function_->getArg(0);
  thread_->setName("thread");
  if (start || roots_.frame_block == 0) begin_frame();
  if (start) {
    emit_osr_arguments(*start);
  } else {
    emit_arguments();
  }
  llvm::BasicBlock* entry = builder_.GetInsertBlock();
  for (const inference::BlockId id : order_) blocks_[id] = new_block("b");
  emit_block_parameters();
  builder_.SetInsertPoint(entry);
  if (start) {
    emit_osr_start(*start, entry);
  } else {
    builder_.CreateBr(blocks_[0]);
  }
}

void MethodLowering::emit_arguments() {
  unsigned next = 1;
  for (size_t i = 0; i < body_.blocks[0].parameters.size(); ++i) {
    if (convention_.arguments[i].is_none()) continue;
    const inference::ValueId id = body_.blocks[0].parameters[i];
    const Held argument{function_->getArg(next++), convention_.arguments[i],
                        typed_.specialisation->arguments[i], nullptr};
    const Shape shape = shape_of(type_of(id));
    // Inference may know a parameter better than the key of the specialisation does, never worse.
    if (!shape.is_none()) set_value(id, coerce(argument, shape, &typed_.specialisation->method->position));
  }
  if (roots_.has_hot && roots_.frame_block == 0) emit_poll();
}

void MethodLowering::emit_block_parameters() {
  for (const inference::BlockId id : order_) {
    if (id == 0) continue;
    Chunks* const chunks = chunked_loops_[id] ? &chunks_[id] : nullptr;
    if (chunks) chunks->entry = new_block("chunk");
    if (chunks && !chunked_loops_[id]->is_counted) {
      builder_.SetInsertPoint(blocks_[id]);
      chunks->left = builder_.CreatePHI(builder_.getInt64Ty(), 2, "left");
    }
    for (const inference::ValueId parameter : body_.blocks[id].parameters) {
      const Shape shape = shape_of(type_of(parameter));
      builder_.SetInsertPoint(blocks_[id]);
      if (!shape.is_none()) values_[parameter] = builder_.CreatePHI(register_type(context_, shape), 2);
      if (!chunks) continue;
      builder_.SetInsertPoint(chunks->entry);
      chunks->parameters.push_back(shape.is_none() ? nullptr
                                                   : builder_.CreatePHI(register_type(context_, shape), 2));
    }
  }
}

llvm::BranchInst* MethodLowering::emit_poll() {
  if (mutant::is_on("G12_no_poll")) return nullptr;
  llvm::LoadInst* bits = builder_.CreateLoad(builder_.getInt32Ty(), thread_word(offsetof(gc::Thread, poll)));
  // The slow path re-reads with acquire; atomic, so that no pass hoists it.
  if (!mutant::is_on("G12_plain_load")) bits->setAtomic(llvm::AtomicOrdering::Monotonic);
  llvm::BasicBlock* slow = new_block("poll");
  llvm::BasicBlock* usual = new_block("polled");
  llvm::BranchInst* poll = branch_rarely(builder_.CreateICmpNE(bits, builder_.getInt32(0)), slow, usual);
  builder_.SetInsertPoint(slow);
  call("berth_rt_poll", builder_.getVoidTy(), {{thread_}});
  builder_.CreateBr(usual);
  builder_.SetInsertPoint(usual);
  return poll;
}

void MethodLowering::emit_block(inference::BlockId id) {
  current_ = id;
  const inference::Block& block = body_.blocks[id];
  if (chunked_loops_[id]) emit_chunk_entry(id);
  builder_.SetInsertPoint(blocks_[id]);
  if (id != 0)
    for (const inference::ValueId parameter : block.parameters)
      if (values_[parameter]) set_value(parameter, values_[parameter]);
  if (is_whole_ && id != 0 && id == roots_.frame_block) {
    begin_frame();
    if (roots_.has_hot) emit_poll();
  }
  if (roots_.is_loop_header[id] && !chunked_loops_[id] && !polls_behind_[id]) {
    llvm::BranchInst* poll = emit_poll();
    emit_osr_exit(id, builder_.getInt32(1));
    if (loop_nests_[id] && poll && is_whole_) emit_nest_entry(id, poll);
  }
  if (chunked_loops_[id] && !chunked_loops_[id]->is_counted) emit_pause_test(id);
  for (const Statement& statement : block.statements) {
    used_temporaries_ = 0;
    emit_statement(statement);
  }
  used_temporaries_ = 0;
  emit_terminator(block);
}

// Terminators.

void MethodLowering::emit_terminator(const inference::Block& block) {
  const Terminator& terminator = block.terminator;
  switch (terminator.kind) {
    case Terminator::Kind::Branch: return emit_branch(terminator.targets[0], &terminator.position);
    case Terminator::Kind::Switch: return emit_switch(terminator);
    case Terminator::Kind::Return: return emit_return(terminator);
    case Terminator::Kind::Condition: {
      if (chunked_loops_[current_] && chunked_loops_[current_]->is_counted)
        return emit_chunk_test(terminator);
      const Held condition = read(terminator.value);
      check(condition, program_.types().kind(LeafKind::Bool), &terminator.position);
      llvm::Value* bit =
          coerce(condition, {inference::Representation::Unboxed, LeafKind::Bool}, &terminator.position);
      llvm::BasicBlock* from = builder_.GetInsertBlock();
      llvm::BasicBlock* yes = emit_edge(terminator.targets[0], &terminator.position);
      llvm::BasicBlock* no = emit_edge(terminator.targets[1], &terminator.position);
      builder_.SetInsertPoint(from);
      llvm::BranchInst* branch = builder_.CreateCondBr(bit, yes, no);
      if (const auto nest = nests_.find(current_); nest != nests_.end()) nest->second.test = branch;
      return;
    }
    case Terminator::Kind::Throw: {
      const Held thrown = read(terminator.value);
      const Position* place = keep(terminator.position);
      begin_cold(place, {&thrown, 1});
      store_value(thrown, value_at(0));
      call("berth_rt_throw", builder_.getVoidTy(),
           {{thread_, address(&runtime_), value_at(0), address(place)}});
      end_cold();
      return go_to_error();
    }
    case Terminator::Kind::Unreachable: {
      const Position* place = keep(terminator.position);
      begin_cold(place, {});
      call("berth_rt_unreachable", builder_.getVoidTy(), {{thread_, address(&runtime_), address(place)}});
      end_cold();
      return go_to_error();
    }
  }
}

void MethodLowering::emit_switch(const Terminator& terminator) {
  const Held selector = read(terminator.value);
  check(selector, program_.types().kind(LeafKind::I64), &terminator.position);
  llvm::Value* number =
      coerce(selector, {inference::Representation::Unboxed, LeafKind::I64}, &terminator.position);
  llvm::BasicBlock* from = builder_.GetInsertBlock();
  std::vector<llvm::BasicBlock*> edges;
  for (const auto& target : terminator.targets) edges.push_back(emit_edge(target, &terminator.position));
  builder_.SetInsertPoint(from);
  llvm::SwitchInst* choice =
      builder_.CreateSwitch(number, edges.back(), static_cast<unsigned>(terminator.cases.size()));
  for (size_t i = 0; i < terminator.cases.size(); ++i)
    choice->addCase(builder_.getInt64(static_cast<uint64_t>(terminator.cases[i])), edges[i]);
}

void MethodLowering::emit_return(const Terminator& terminator) {
  const Held held = read(terminator.value);
  const Type* declared = typed_.specialisation->method->result;
  if (declared && !program_.lattice().is_subtype(held.type, declared))
    check(held, declared, &terminator.position);
  emit_exit(coerce(held, convention_.result, &terminator.position), 0);
}

/// A block of its own for each edge, since conversions and checks of arguments belong to it.
llvm::BasicBlock* MethodLowering::emit_edge(const inference::Target& target, const Position* position) {
  llvm::BasicBlock* edge = new_block("edge");
  builder_.SetInsertPoint(edge);
  emit_branch(target, position);
  return edge;
}

void MethodLowering::emit_branch(const inference::Target& target, const Position* position) {
  const auto& parameters = body_.blocks[target.block].parameters;
  std::vector<llvm::Value*> arguments(parameters.size());
  std::vector<llvm::Value*> boxes(parameters.size());  // slots of those made here, while others are made
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Held held = read(target.arguments[i]);
    const Type* declared = body_.values[parameters[i]].declared;
    if (declared && !program_.lattice().is_subtype(held.type, declared)) check(held, declared, position);
    const Shape shape = shape_of(type_of(parameters[i]));
    if (this->boxes(target.arguments[i], shape)) boxes[i] = root(coerce(held, shape, position));
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Shape shape = shape_of(type_of(parameters[i]));
    if (shape.is_none()) continue;
    arguments[i] = boxes[i] ? in_region(builder_.CreateLoad(pointer_, boxes[i]), "frame")
                            : coerce(read(target.arguments[i]), shape, position);
  }
  // Before what the header is given is handed over: the poll ends in another block.
  if (polls_behind_[target.block] && places_[target.block] <= places_[current_]) emit_poll();
  const auto* loop = chunked_loops_[target.block].get();
  Chunks* const chunks = loop ? &chunks_[target.block] : nullptr;
  const bool goes_round = loop && loop->contains[current_];
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!arguments[i]) continue;
    auto* phi =
        chunks && !goes_round ? chunks->parameters[i] : llvm::cast<llvm::PHINode>(values_[parameters[i]]);
    phi->addIncoming(arguments[i], builder_.GetInsertBlock());
  }
  if (is_framed() && is_whole_ && !roots_.is_framed[target.block]) end_frame();
  if (goes_round && chunks->left)
    chunks->left->addIncoming(builder_.CreateSub(chunks->left, builder_.getInt64(1)),
                              builder_.GetInsertBlock());
  builder_.CreateBr(chunks && !goes_round ? chunks->entry : blocks_[target.block]);
}

void MethodLowering::emit_exit(llvm::Value* value, uint8_t flag) {
  if (is_framed() && !(flag != 0 && mutant::is_on("G35_head_left"))) end_frame();
  if (convention_.result.is_none()) {
    builder_.CreateRet(builder_.getInt8(flag));
    return;
  }
  llvm::Value* result = llvm::Constant::getNullValue(function_->getReturnType());
  if (value) result = builder_.CreateInsertValue(result, value, 0);
  builder_.CreateRet(builder_.CreateInsertValue(result, builder_.getInt8(flag), 1));
}

// Boxed entry: unpacks the arguments, calls the specialised entry, packs the result.

void MethodLowering::emit_boxed() {
  llvm::Type* flag_type = builder_.getInt8Ty();
  auto* type =
      llvm::FunctionType::get(flag_type, {pointer_, pointer_, builder_.getInt64Ty(), pointer_}, false);
  llvm::Function* specialised = function_;
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, names_.boxed_entry, *module_);
  function_->addFnAttr("frame-pointer", "all");
  function_->setUWTableKind(llvm::UWTableKind::Async);
  thread_ = function_->getArg(0);
  llvm::Value* arguments = function_->getArg(1);
  llvm::Value* target = function_->getArg(3);
  builder_.SetInsertPoint(new_block("entry"));
  llvm::AllocaInst* rooted = emit_rooted_arguments(arguments);
  std::vector<llvm::Value*> operands{thread_};
  for (size_t i = 0; i < convention_.arguments.size(); ++i) {
    const Shape& shape = convention_.arguments[i];
    llvm::Value* bits = offset(arguments, i * sizeof(Value) + offsetof(Value, bits));
    if (shape.is_unboxed())
      operands.push_back(from_bits(
          builder_, in_region(builder_.CreateLoad(builder_.getInt64Ty(), bits), "value"), shape.kind));
    if (shape.is_reference())
      operands.push_back(
          builder_.CreateLoad(pointer_, offset(rooted, sizeof(gc::Frame) + i * sizeof(void*))));
  }
  if (rooted) {
    frame_ = rooted;
    end_frame();
  }
  llvm::CallInst* result = builder_.CreateCall(specialised, operands);
  result->setCallingConv(llvm::CallingConv::Fast);
  if (convention_.result.is_none()) {
    builder_.CreateStore(builder_.getInt8(0), target);
    builder_.CreateStore(builder_.getInt64(0), offset(target, offsetof(Value, bits)));
    builder_.CreateRet(result);
    return;
  }
  const Held held{builder_.CreateExtractValue(result, 0), convention_.result, typed_.result, nullptr};
  store_value(held, target);
  builder_.CreateRet(builder_.CreateExtractValue(result, 1));
}

/// Arguments that the method wants as objects, in a frame of their own while numbers among them are boxed.
/// Null: there are none.
llvm::AllocaInst* MethodLowering::emit_rooted_arguments(llvm::Value* arguments) {
  const size_t n = convention_.arguments.size();
  bool any = false;
  for (const Shape& shape : convention_.arguments) any |= shape.is_reference();
  if (!any) return nullptr;
  record_->bridge.slots = static_cast<uint32_t>(n);
  llvm::AllocaInst* frame =
      builder_.CreateAlloca(llvm::ArrayType::get(builder_.getInt64Ty(), sizeof(gc::Frame) / 8 + n));
  llvm::Value* head = thread_word(offsetof(gc::Thread, frames));
  builder_.CreateStore(address(&record_->bridge), offset(frame, offsetof(gc::Frame, kind)));
  builder_.CreateStore(builder_.getInt64(0), offset(frame, offsetof(gc::Frame, position)));
  builder_.CreateStore(builder_.CreateLoad(pointer_, head), frame);
  llvm::Value* slots = offset(frame, sizeof(gc::Frame));
  llvm::Value* failed = call("berth_rt_root_arguments", builder_.getInt8Ty(),
                             {{thread_, address(&runtime_), frame, arguments, builder_.getInt64(n), slots}});
  llvm::BasicBlock* no_memory = new_block("no_memory");
  llvm::BasicBlock* usual = new_block("rooted");
  branch_rarely(builder_.CreateICmpNE(failed, builder_.getInt8(0)), no_memory, usual);
  builder_.SetInsertPoint(no_memory);
  builder_.CreateStore(builder_.CreateLoad(pointer_, frame), head);
  builder_.CreateRet(failed);
  builder_.SetInsertPoint(usual);
  return frame;
}

}  // namespace berth::jit
