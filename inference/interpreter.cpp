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

Interpreter::Interpreter(gc::Thread& thread, Runtime& runtime)
    : thread_(thread),
      runtime_(runtime),
      state_(runtime_thread(thread)),
      stack_(*(state_.stack ? state_.stack : (state_.stack = new InterpreterStack))) {}

Interpreter::Interpreter(gc::Thread& thread, Runtime& runtime, InterpreterStack& stack)
    : thread_(thread), runtime_(runtime), state_(runtime_thread(thread)), stack_(stack) {}

Interpreter::~Interpreter() {
  while (top_) pop();
}

void Interpreter::scan(gc::Frame& frame, gc::SlotVisitor& visitor) {
  auto& activation = reinterpret_cast<Activation&>(frame);
  for (uint32_t i = 0; i < activation.code->num_registers; ++i)
    visit_value(activation.registers()[i], visitor);
}

// Null: raised. The caller fills the parameters.
Interpreter::Activation* Interpreter::push(const InterpreterCode& code) {
  if (state_.depth >= kMaxDepth) {
    raise("stack", "stack overflow");
    return nullptr;
  }
  auto* activation =
      new (stack_.push(Activation::bytes(code))) Activation{{thread_.frames, &code.kind, 0}, &code, top_, 0};
  std::memset(static_cast<void*>(activation->registers()), 0,
              code.num_registers * sizeof(Value));  // all nothing
  std::copy(code.constants.begin(), code.constants.end(), activation->registers() + code.num_registers);
  thread_.frames = &activation->frame;
  top_ = activation;
  ++state_.depth;
  return activation;
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
  while (state == State::BarrierBlock || state == State::BarrierGrid)
    state = resume();  // outside a launch: one lane
  result = result_;
  return state == State::Done;
}

bool Interpreter::start(const InterpreterCode& code, std::span<const Value> arguments) {
  if (arguments.size() != code.parameters.size()) {
    return raise("type", fmt::format("type: expected {} arguments of {}, got {}", code.parameters.size(),
                                     code.method.name, arguments.size()));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!check(code.parameter_checks[i], arguments[i])) return false;
  }
  if (!push(code)) return false;
  for (size_t i = 0; i < arguments.size(); ++i) slot(code.parameters[i]) = arguments[i];
  base_ = top_;
  return poll();
}

Interpreter::State Interpreter::resume() {
  const State state = run();
  if (state == State::Done || state == State::Raised) base_ = nullptr;
  return state;
}

bool Interpreter::raise(const char* kind, std::string_view text) {
  return runtime_.raise(thread_, kind, text,
                        top_ ? reinterpret_cast<const Position*>(top_->frame.position) : nullptr);
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

// Names the instruction in its frame: for errors, stack traces, and to go on behind it.
const Interpreter::Detail& Interpreter::stop_at(const Instruction& instruction) noexcept {
  const size_t index = index_of(instruction);
  const Detail& detail = top_->code->details[index];
  top_->pc = static_cast<uint32_t>(index + 1);
  top_->frame.position = reinterpret_cast<uint64_t>(detail.position);
  return detail;
}

// A back edge: an error belongs to the block that is left.
bool Interpreter::poll_at(const Instruction& instruction) {
  stop_at(instruction);
  return poll();
}

bool Interpreter::number(const Instruction& instruction) {
  const Detail& detail = stop_at(instruction);
  const Statement& statement = *detail.statement;
  Value operands[3], result;
  const unsigned n = number_operands(statement.op);
  for (unsigned i = 0; i < n; ++i) operands[i] = slot(top_->code->operands[detail.first + i]);
  const NumberFault fault =
      instruction.code == InterpreterCode::kConversion
          ? number_conversion(statement.op, statement.number, statement.to, operands[0], result)
          : number_operation(statement.op, statement.number, statement.checked, operands, result);
  if (fault != NumberFault::None) [[unlikely]]
    return runtime_.raise_number(thread_, statement, fault, operands, n);
  slot(instruction.result) = result;
  return true;
}

bool Interpreter::field(const Instruction& instruction) {
  const Statement& statement = *stop_at(instruction).statement;
  const Value& object = slot(instruction.a);
  if (instruction.code == InterpreterCode::kAnyPut) {
    return runtime_.field_set(thread_, object, statement.field, statement.name, slot(instruction.b));
  }
  Value result;
  if (!runtime_.field_get(thread_, object, statement.field, statement.name, result)) return false;
  slot(instruction.result) = result;
  return true;
}

bool Interpreter::general(const Instruction& instruction) {
  const Detail& detail = stop_at(instruction);
  Values operands;
  for (uint32_t i = 0; i < detail.count; ++i)
    operands.push_back(slot(top_->code->operands[detail.first + i]));
  Value result;
  if (!runtime_.execute(thread_, *detail.statement, {operands.data(), operands.size()}, result)) return false;
  slot(instruction.result) = result;
  return true;
}

// `first`: of the operands that are arguments. They are read when the callee has been found, since that may
// collect and move them.
Interpreter::Step Interpreter::enter(const Specialisation& callee, const Instruction& instruction,
                                     uint32_t first) {
  Execution::Target target;
  if (!runtime_.impl().execution.resolve(thread_, callee, target)) return Step::Raised;
  const Detail& detail = top_->code->details[top_->pc - 1];
  const uint32_t* const places = top_->code->operands.data() + detail.first + first;
  const uint32_t n = detail.count - first;
  if (target.interpreted) {
    const auto* from = reinterpret_cast<const char*>(top_->registers());
    if (!push(*target.interpreted)) return Step::Raised;
    for (uint32_t i = 0; i < n; ++i)
      slot(target.interpreted->parameters[i]) = *reinterpret_cast<const Value*>(from + places[i]);
    if (state_.steps != UINT64_MAX) state_.steps -= std::min<uint64_t>(state_.steps, 1);
    if (poll()) return Step::Entered;
    pop();  // the error is the call's
    return Step::Raised;
  }
  Values arguments;
  for (uint32_t i = 0; i < n; ++i) arguments.push_back(slot(places[i]));
  Value result;
  if (target.entry(&thread_, arguments.data(), n, &result) != 0) return Step::Raised;
  slot(instruction.result) = result;
  return Step::Next;
}

// Call, or Invoke of a known specialisation.
Interpreter::Step Interpreter::call_statement(const Instruction& instruction) {
  const Detail& detail = stop_at(instruction);
  const Specialisation* callee = detail.statement->callee;
  if (instruction.code == InterpreterCode::kInvoke && callee) return enter(*callee, instruction, 0);
  const uint32_t first = instruction.code == InterpreterCode::kCall ? 1 : 0;
  Values arguments;
  for (uint32_t i = first; i < detail.count; ++i)
    arguments.push_back(slot(top_->code->operands[detail.first + i]));
  const std::span<const Value> values{arguments.data(), arguments.size()};
  if (first == 0) {
    callee = runtime_.fixed_method(thread_, *detail.statement, values);
  } else {
    const Value& function = slot(instruction.a);
    if (function.kind != LeafKind::Function) {
      runtime_.raise_type(thread_, "function", function);
      return Step::Raised;
    }
    callee = runtime_.dispatch(thread_, *function_of(function.object), values, state_.world);
  }
  return callee ? enter(*callee, instruction, first) : Step::Raised;
}

// In a kernel nothing raises: the launch is marked as failed, the statement gives 0.
bool Interpreter::fault_instead(const Instruction& instruction, const Detail& detail) {
  if (!state_.lane || !detail.statement) return false;
  gc::Object* error = std::exchange(thread_.pending_error, nullptr);
  state_.lane->record(Runtime::string_view(*reinterpret_cast<gc::Object**>(error->at(kErrorText))));
  const Statement& statement = *detail.statement;
  LeafKind kind = statement.number == LeafKind::Nothing ? LeafKind::I64 : statement.number;
  if (statement.to != LeafKind::Nothing) kind = statement.to;
  if (statement.op == Op::BufferGet) {
    const Value& buffer = slot(instruction.a);
    if (buffer.kind == LeafKind::Buffer) is_unboxed(leaf_of(buffer.object)->element, kind);
  }
  slot(instruction.result) = Value::of_bits(kind, 0);
  return true;
}

// The pending error goes to the nearest handler; false: there is none in this interpreter's activations.
bool Interpreter::unwind() {
  for (;;) {
    const InterpreterCode& code = *top_->code;
    const Detail& detail = code.details[top_->pc - 1];
    if (fault_instead(code.instructions[top_->pc - 1], detail)) return true;
    const InterpreterCode::BlockEntry& block = code.blocks[detail.block];
    if (block.handler != kNone) {
      slot(block.handler_register) =
          object_value(LeafKind::Error, std::exchange(thread_.pending_error, nullptr));
      top_->pc = code.blocks[block.handler].pc;
      return true;
    }
    const bool is_base = top_ == base_;
    pop();
    if (is_base) return false;
  }
}

std::optional<Literal> evaluate_constant(gc::Thread& thread, Runtime& runtime, const Method& method,
                                         std::span<const Literal> arguments, uint64_t world, uint64_t steps) {
  OutermostCall outermost(thread, world, nullptr);
  outermost.state.raw = true;
  outermost.state.steps = steps;
  Values values;
  for (const Literal& literal : arguments) {
    values.push_back(literal.kind < LeafKind::String
                         ? Value::of_bits(literal.kind, literal.bits)
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
    case LeafKind::String:
      literal.string = runtime.program().types().string(Runtime::string_view(result.object));
      break;
    case LeafKind::Function: literal.function = function_of(result.object); break;
    case LeafKind::TypeValue: literal.type = type_held_by(result.object); break;
    default:
      if (result.is_object()) return std::nullopt;
      literal.bits = result.bits;
  }
  return literal;
}

}  // namespace berth::inference
