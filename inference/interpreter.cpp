// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/interpreter.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <new>

#include "inference/arithmetic.hpp"
#include "inference/kernel_lane.hpp"
#include "inference/program.hpp"
#include "inference/runtime_impl.hpp"
#include "inference/value_frame.hpp"

namespace berth::inference {
namespace {

constexpr size_t kChunkBytes = 64 * 1024;
using Values = boost::container::small_vector<Value, 8>;

// Items of 8 bytes within bounds, which is most of what loops read and write; all else takes the general way.
bool quick_get(const Value& array, const Value& index, Value& result) noexcept {
  if (array.kind != LeafKind::Array || index.kind != LeafKind::I64 || index.bits >= array.object->length()) return false;
  auto* words = reinterpret_cast<uint64_t*>(array.object->elements());
  LeafKind kind{};
  if (!is_unboxed(leaf_of(array.object)->element, kind)) {
    result = Runtime::unbox(reinterpret_cast<gc::Object*>(std::atomic_ref<uint64_t>(words[index.bits]).load(std::memory_order_relaxed)));
    return true;
  }
  if (kind != LeafKind::I64 && kind != LeafKind::F64) return false;
  result = Value::of_bits(kind, std::atomic_ref<uint64_t>(words[index.bits]).load(std::memory_order_relaxed));
  return true;
}
bool quick_set(const Value& array, const Value& index, const Value& value) noexcept {
  if (array.kind != LeafKind::Array || index.kind != LeafKind::I64 || index.bits >= array.object->length()) return false;
  LeafKind kind{};
  if (!is_unboxed(leaf_of(array.object)->element, kind) || kind != value.kind || (kind != LeafKind::I64 && kind != LeafKind::F64)) return false;
  std::atomic_ref<uint64_t>(reinterpret_cast<uint64_t*>(array.object->elements())[index.bits]).store(value.bits, std::memory_order_relaxed);
  return true;
}

double f64_of(const Value& value) noexcept { return std::bit_cast<double>(value.bits); }
bool both(const Value& a, const Value& b, LeafKind kind) noexcept { return a.kind == kind && b.kind == kind; }

}  // namespace

void* InterpreterStack::push(size_t bytes) {
  if (chunks_.empty() || chunks_[current_].size - chunks_[current_].used < bytes) {
    if (!chunks_.empty() && chunks_[current_].used != 0) ++current_;
    if (current_ == chunks_.size() || chunks_[current_].size < bytes) {
      const size_t size = std::max(bytes, kChunkBytes);
      Chunk chunk{std::make_unique_for_overwrite<std::byte[]>(size), size, 0};
      chunks_.resize(current_);  // those above are empty, and too small
      chunks_.push_back(std::move(chunk));
    }
  }
  Chunk& chunk = chunks_[current_];
  void* memory = chunk.memory.get() + chunk.used;
  chunk.used += bytes;
  return memory;
}

void InterpreterStack::pop(size_t bytes) noexcept {
  chunks_[current_].used -= bytes;
  if (chunks_[current_].used == 0 && current_ != 0) --current_;
}

struct Interpreter::Activation {
  gc::Frame frame;
  const InterpreterCode* code;
  Activation* caller;
  uint32_t pc;

  Value* registers() noexcept { return reinterpret_cast<Value*>(this + 1); }
  static size_t bytes(const InterpreterCode& code) noexcept { return sizeof(Activation) + code.num_registers * sizeof(Value); }
};

Interpreter::Interpreter(gc::Thread& thread, Runtime& runtime)
    : thread_(thread), runtime_(runtime), state_(runtime_thread(thread)),
      stack_(*(state_.stack ? state_.stack : (state_.stack = new InterpreterStack))) {}

Interpreter::Interpreter(gc::Thread& thread, Runtime& runtime, InterpreterStack& stack)
    : thread_(thread), runtime_(runtime), state_(runtime_thread(thread)), stack_(stack) {}

Interpreter::~Interpreter() {
  while (top_) pop();
}

void Interpreter::scan(gc::Frame& frame, gc::SlotVisitor& visitor) {
  auto& activation = reinterpret_cast<Activation&>(frame);
  for (uint32_t i = 0; i < activation.code->num_registers; ++i) visit_value(activation.registers()[i], visitor);
}

bool Interpreter::push(const InterpreterCode& code, const Value* arguments, size_t n) {
  if (state_.depth >= kMaxDepth) return raise("stack", "stack overflow");
  auto* activation = new (stack_.push(Activation::bytes(code))) Activation{{thread_.frames, &code.kind, 0}, &code, top_, 0};
  std::memset(static_cast<void*>(activation->registers()), 0, code.num_registers * sizeof(Value));  // all nothing
  for (size_t i = 0; i < n; ++i) activation->registers()[code.parameters[i]] = arguments[i];
  thread_.frames = &activation->frame;
  top_ = activation;
  ++state_.depth;
  return true;
}

void Interpreter::pop() noexcept {
  Activation* activation = top_;
  top_ = activation->caller;
  thread_.frames = activation->frame.previous;
  --state_.depth;
  stack_.pop(Activation::bytes(*activation->code));
}

bool Interpreter::call(const InterpreterCode& code, std::span<const Value> arguments, Value& result) {
  if (!start(code, arguments)) return false;
  State state = resume();
  while (state == State::BarrierBlock || state == State::BarrierGrid) state = resume();  // outside a launch: one lane
  result = result_;
  return state == State::Done;
}

bool Interpreter::start(const InterpreterCode& code, std::span<const Value> arguments) {
  if (arguments.size() != code.parameters.size()) {
    return raise("type", fmt::format("type: expected {} arguments of {}, got {}", code.parameters.size(), code.method.name, arguments.size()));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!check(code.parameter_checks[i], arguments[i])) return false;
  }
  if (!push(code, arguments.data(), arguments.size())) return false;
  base_ = top_;
  return poll();
}

Interpreter::State Interpreter::resume() {
  const State state = run();
  if (state == State::Done || state == State::Raised) base_ = nullptr;
  return state;
}

Value& Interpreter::operand(const Instruction& instruction, uint32_t i) const noexcept {
  const uint32_t code = top_->code->operands[instruction.first + i];
  // Constants are never written through it.
  return code % 2 == 0 ? top_->registers()[code / 2] : const_cast<Value&>(top_->code->constants[code / 2]);
}

bool Interpreter::raise(const char* kind, std::string_view text) {
  return runtime_.raise(thread_, kind, text, top_ ? reinterpret_cast<const Position*>(top_->frame.position) : nullptr);
}

bool Interpreter::check(const InterpreterCode::Check& check, const Value& value) {
  if (!check.type || (check.kind != LeafKind::Nothing && value.kind == check.kind)) return true;
  if (runtime_.is(value, check.type)) return true;
  return runtime_.raise_type(thread_, check.type->name, value);
}

bool Interpreter::poll() {
  thread_.safepoint();
  if (state_.steps == UINT64_MAX) return true;
  return state_.steps != 0 || raise("steps", "step budget");
}

bool Interpreter::take_branch(uint32_t index) {
  const InterpreterCode::Target& target = top_->code->targets[index];
  Value* registers = top_->registers();
  const auto read = [&](uint32_t code) -> const Value& {
    return code % 2 == 0 ? registers[code / 2] : top_->code->constants[code / 2];
  };
  const InterpreterCode::Move* moves = top_->code->moves.data() + target.first_move;
  for (uint32_t i = 0; i < target.num_moves; ++i) {
    if (!check(moves[i].check, read(moves[i].operand))) return false;
  }
  if (!target.overlaps) {
    for (uint32_t i = 0; i < target.num_moves; ++i) registers[moves[i].destination] = read(moves[i].operand);
  } else {
    Values values;
    for (uint32_t i = 0; i < target.num_moves; ++i) values.push_back(read(moves[i].operand));
    for (uint32_t i = 0; i < target.num_moves; ++i) registers[moves[i].destination] = values[i];
  }
  if (state_.steps != UINT64_MAX) state_.steps -= std::min<uint64_t>(state_.steps, target.cost);
  // Before the jump: an error belongs to the block that is left.
  if (target.is_back_edge && !poll()) return false;
  top_->pc = target.pc;
  return true;
}

bool Interpreter::take_switch(const Instruction& instruction) {
  const Value& value = operand(instruction, 0);
  if (value.kind != LeafKind::I64) return runtime_.raise_type(thread_, "i64", value);
  for (uint32_t i = 0; i < instruction.result; ++i) {
    if (operand(instruction, i + 1).bits == value.bits) return take_branch(instruction.target + i);
  }
  return take_branch(instruction.target + instruction.result);
}

bool Interpreter::finish(const Instruction& instruction, const Value& value) {
  if (instruction.checked_result) {
    // Stored first: a failing check allocates its error, and the value is shown in it.
    top_->registers()[instruction.result] = value;
    return check(top_->code->checks.find(instruction.result)->second, value);
  }
  top_->registers()[instruction.result] = value;
  return true;
}

bool Interpreter::number(const Instruction& instruction, Value& result) {
  Value operands[3];
  const Op op = instruction.statement->op;
  const unsigned n = number_operands(op);
  for (unsigned i = 0; i < n; ++i) operands[i] = operand(instruction, i);
  const NumberFault fault = instruction.code == InterpreterCode::kConversion
                                ? number_conversion(op, instruction.number, instruction.statement->to, operands[0], result)
                                : number_operation(op, instruction.number, instruction.statement->checked, operands, result);
  if (fault == NumberFault::None) [[likely]] return true;
  return runtime_.raise_number(thread_, *instruction.statement, fault, operands, n);
}

bool Interpreter::generic(const Instruction& instruction, Value& result) {
  const Statement& statement = *instruction.statement;
  Values operands;
  for (uint32_t i = 0; i < statement.operands.size(); ++i) operands.push_back(operand(instruction, i));
  return runtime_.execute(thread_, statement, {operands.data(), operands.size()}, result);
}

Interpreter::Step Interpreter::enter(const Specialisation& callee, const Instruction& instruction, std::span<Value> arguments, Value& result) {
  Execution::Target target;
  if (!runtime_.impl().execution.resolve(thread_, callee, target)) return Step::Raised;
  // The last operands, anew: a collection while the callee was looked for may have moved what the registers hold.
  const auto first = static_cast<uint32_t>(instruction.statement->operands.size() - arguments.size());
  for (uint32_t i = 0; i < arguments.size(); ++i) arguments[i] = operand(instruction, first + i);
  if (target.interpreted) {
    if (!push(*target.interpreted, arguments.data(), arguments.size())) return Step::Raised;
    if (state_.steps != UINT64_MAX) state_.steps -= std::min<uint64_t>(state_.steps, 1);
    if (poll()) return Step::Entered;
    pop();  // the error is the call's
    return Step::Raised;
  }
  return target.entry(&thread_, arguments.data(), arguments.size(), &result) == 0 ? Step::Next : Step::Raised;
}

// Call, or Invoke of a known specialisation. The arguments stay rooted in the caller's registers while the callee is looked for.
Interpreter::Step Interpreter::call_statement(const Instruction& instruction) {
  const Statement& statement = *instruction.statement;
  const bool is_call = statement.op == Op::Call;
  Values arguments;
  for (uint32_t i = is_call ? 1 : 0; i < statement.operands.size(); ++i) arguments.push_back(operand(instruction, i));
  const std::span<Value> values{arguments.data(), arguments.size()};
  const Specialisation* callee = statement.callee;
  if (is_call) {
    const Value& function = operand(instruction, 0);
    if (function.kind != LeafKind::Function) {
      runtime_.raise_type(thread_, "function", function);
      return Step::Raised;
    }
    callee = runtime_.dispatch(thread_, *function_of(function.object), values, state_.world);
  } else if (!callee) {
    callee = runtime_.fixed_method(thread_, statement, values);
  }
  if (!callee) return Step::Raised;
  Value result;
  const Step step = enter(*callee, instruction, values, result);
  if (step != Step::Next) return step;
  return finish(instruction, result) ? Step::Next : Step::Raised;
}

// In a kernel nothing raises: the launch is marked as failed, the statement gives 0.
bool Interpreter::fault_instead(const Instruction& instruction) {
  if (!state_.lane || instruction.code >= InterpreterCode::kBranch) return false;
  gc::Object* error = std::exchange(thread_.pending_error, nullptr);
  state_.lane->record(Runtime::string_view(*reinterpret_cast<gc::Object**>(error->at(kErrorText))));
  LeafKind kind = instruction.number == LeafKind::Nothing ? LeafKind::I64 : instruction.number;
  if (instruction.code == InterpreterCode::kConversion) kind = instruction.statement->to;
  if (instruction.statement->op == Op::BufferGet) {
    const Value& buffer = operand(instruction, 0);
    if (buffer.kind == LeafKind::Buffer) is_unboxed(leaf_of(buffer.object)->element, kind);
  }
  top_->registers()[instruction.result] = Value::of_bits(kind, 0);
  return true;
}

// The pending error goes to the nearest handler; false: there is none in this interpreter's activations.
bool Interpreter::unwind() {
  for (;;) {
    const Instruction& at = top_->code->instructions[top_->pc - 1];
    if (fault_instead(at)) return true;
    const InterpreterCode::BlockEntry& block = top_->code->blocks[at.block];
    if (block.handler != kNone) {
      top_->registers()[block.handler_register] = object_value(LeafKind::Error, std::exchange(thread_.pending_error, nullptr));
      top_->pc = top_->code->blocks[block.handler].pc;
      return true;
    }
    const bool is_base = top_ == base_;
    pop();
    if (is_base) return false;
  }
}

Interpreter::State Interpreter::run() {
  using C = InterpreterCode;
  const auto i64 = [](uint64_t bits) { return static_cast<int64_t>(bits); };
  // Of the top activation; read anew when it changes.
  const Activation* viewed = nullptr;
  const Instruction* instructions = nullptr;
  const uint32_t* operands = nullptr;
  const Value *registers = nullptr, *constants = nullptr;
  for (;;) {
    if (viewed != top_) {
      viewed = top_;
      instructions = top_->code->instructions.data();
      operands = top_->code->operands.data();
      registers = top_->registers();
      constants = top_->code->constants.data();
    }
    const Instruction& instruction = instructions[top_->pc++];
    const uint32_t* const codes = operands + instruction.first;
    const auto value_at = [&](uint32_t i) -> const Value& { return (codes[i] & 1 ? constants : registers)[codes[i] >> 1]; };
    // Every instruction that can raise, call or allocate is named by the frame first.
    top_->frame.position = reinterpret_cast<uint64_t>(instruction.position);
    Value result;
    bool done = true;
    const auto binary = [&](LeafKind kind, auto&& quick) {
      const Value &a = value_at(0), &b = value_at(1);
      if (both(a, b, kind)) [[likely]] result = quick(a, b);
      else done = number(instruction, result);
    };
    switch (instruction.code) {
      case C::kAddI64: binary(LeafKind::I64, [](auto& a, auto& b) { return Value::of_bits(LeafKind::I64, a.bits + b.bits); }); break;
      case C::kSubI64: binary(LeafKind::I64, [](auto& a, auto& b) { return Value::of_bits(LeafKind::I64, a.bits - b.bits); }); break;
      case C::kMulI64: binary(LeafKind::I64, [](auto& a, auto& b) { return Value::of_bits(LeafKind::I64, a.bits * b.bits); }); break;
      case C::kLtI64: binary(LeafKind::I64, [&](auto& a, auto& b) { return Value::boolean(i64(a.bits) < i64(b.bits)); }); break;
      case C::kLeI64: binary(LeafKind::I64, [&](auto& a, auto& b) { return Value::boolean(i64(a.bits) <= i64(b.bits)); }); break;
      case C::kEqI64: binary(LeafKind::I64, [](auto& a, auto& b) { return Value::boolean(a.bits == b.bits); }); break;
      case C::kAddF64: binary(LeafKind::F64, [](auto& a, auto& b) { return Value::f64(f64_of(a) + f64_of(b)); }); break;
      case C::kSubF64: binary(LeafKind::F64, [](auto& a, auto& b) { return Value::f64(f64_of(a) - f64_of(b)); }); break;
      case C::kMulF64: binary(LeafKind::F64, [](auto& a, auto& b) { return Value::f64(f64_of(a) * f64_of(b)); }); break;
      case C::kDivF64: binary(LeafKind::F64, [](auto& a, auto& b) { return Value::f64(f64_of(a) / f64_of(b)); }); break;
      case C::kLtF64: binary(LeafKind::F64, [](auto& a, auto& b) { return Value::boolean(f64_of(a) < f64_of(b)); }); break;
      case C::kNumber:
      case C::kConversion: done = number(instruction, result); break;

      case static_cast<uint8_t>(Op::ArrayGet):
        if (!quick_get(value_at(0), value_at(1), result)) done = generic(instruction, result);
        break;
      case static_cast<uint8_t>(Op::ArrayLen): {
        const Value& array = value_at(0);
        if (array.kind == LeafKind::Array) result = Value::i64(static_cast<int64_t>(array.object->length()));
        else done = generic(instruction, result);
        break;
      }
      case static_cast<uint8_t>(Op::ArraySet):
        if (!quick_set(value_at(0), value_at(1), value_at(2))) done = generic(instruction, result);
        break;
      case static_cast<uint8_t>(Op::Field):
        done = runtime_.field_get(thread_, value_at(0), instruction.statement->field, instruction.statement->name, result);
        break;
      case static_cast<uint8_t>(Op::Set):
        done = runtime_.field_set(thread_, value_at(0), instruction.statement->field, instruction.statement->name, value_at(1));
        break;
      case static_cast<uint8_t>(Op::Is): result = Value::boolean(runtime_.is(value_at(0), instruction.statement->type)); break;
      case static_cast<uint8_t>(Op::Refine): result = value_at(0); break;
      case static_cast<uint8_t>(Op::Same): result = Value::boolean(Runtime::same(value_at(0), value_at(1))); break;

      case static_cast<uint8_t>(Op::Call):
      case static_cast<uint8_t>(Op::Invoke): {
        const Step step = call_statement(instruction);
        if (step == Step::Raised && !unwind()) return State::Raised;
        continue;
      }
      case static_cast<uint8_t>(Op::BarrierBlock): return State::BarrierBlock;
      case static_cast<uint8_t>(Op::BarrierGrid): return State::BarrierGrid;

      case C::kBranch:
        if (!take_branch(instruction.target) && !unwind()) return State::Raised;
        continue;
      case C::kCondition: {
        const Value& condition = value_at(0);
        done = condition.kind == LeafKind::Bool ? take_branch(instruction.target + (condition.bits ? 0 : 1))
                                                : runtime_.raise_type(thread_, "bool", condition);
        if (!done && !unwind()) return State::Raised;
        continue;
      }
      case C::kSwitch:
        if (!take_switch(instruction) && !unwind()) return State::Raised;
        continue;
      case C::kReturn: {
        const Value value = value_at(0);
        if (!check(top_->code->result_check, value)) {
          if (!unwind()) return State::Raised;
          continue;
        }
        const bool is_base = top_ == base_;
        pop();
        if (is_base) {
          result_ = value;
          return State::Done;
        }
        const Instruction& call = top_->code->instructions[top_->pc - 1];
        if (!finish(call, value) && !unwind()) return State::Raised;
        continue;
      }
      case C::kThrow:
        runtime_.raise_value(thread_, value_at(0), instruction.position);
        if (!unwind()) return State::Raised;
        continue;
      case C::kUnreachable:
        raise("unreachable", "unreachable");
        if (!unwind()) return State::Raised;
        continue;
      default: done = generic(instruction, result); break;
    }
    if (done) done = finish(instruction, result);
    if (!done && !unwind()) return State::Raised;
  }
}

std::optional<Literal> evaluate_constant(gc::Thread& thread, Runtime& runtime, const Method& method, std::span<const Literal> arguments,
                                         uint64_t world, uint64_t steps) {
  OutermostCall outermost(thread, world, nullptr);
  outermost.state.raw = true;
  outermost.state.steps = steps;
  Values values;
  for (const Literal& literal : arguments) {
    values.push_back(literal.kind < LeafKind::String ? Value::of_bits(literal.kind, literal.bits)
                                                     : object_value(literal.kind, runtime.literal_object(literal)));
  }
  Value result;
  const InterpreterCode& code = runtime.impl().execution.raw_code(method);
  const bool done = Interpreter(thread, runtime).call(code, {values.data(), values.size()}, result);
  if (!done) {
    thread.pending_error = nullptr;
    return std::nullopt;
  }
  Literal literal;
  literal.kind = result.kind;
  switch (result.kind) {
    case LeafKind::String: literal.string = runtime.program().types().string(Runtime::string_view(result.object)); break;
    case LeafKind::Function: literal.function = function_of(result.object); break;
    case LeafKind::TypeValue: literal.type = type_held_by(result.object); break;
    default:
      if (result.is_object()) return std::nullopt;
      literal.bits = result.bits;
  }
  return literal;
}

}  // namespace berth::inference
