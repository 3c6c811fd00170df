// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interpreter: runs InterpreterCode; the oracle that every tier is compared with.
//
// Activations live on a heap stack, one per native entry: a call from interpreted to interpreted code uses no
// native stack, up to kMaxDepth, then "stack overflow". Each activation is a gc::Frame: its registers are
// roots, its position is kept for stack traces. Polls at calls and back edges. Errors go to the handler of
// their block, else out of the activation.
//
//   state     | resume                        | a kernel's barrier | return     | error without handler
//   Running   | -                             | AtBarrier          | Done       | Raised
//   AtBarrier | Running                       | -                  | -          | -
//   Done, Raised | -                          | -                  | -          | -
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gc/thread.hpp"
#include "inference/interpreter_code.hpp"
#include "inference/runtime.hpp"

namespace berth::inference {

/// Memory of activations, last in first out. Threads: owner.
class InterpreterStack {
 public:
  void* push(size_t bytes);
  void pop(size_t bytes) noexcept;  // of the last push

 private:
  struct Chunk {
    std::unique_ptr<std::byte[]> memory;
    size_t size = 0, used = 0;
  };
  std::vector<Chunk> chunks_;
  size_t current_ = 0;
};

class Interpreter {
 public:
  static constexpr uint32_t kMaxDepth = 65'536;
  enum class State : uint8_t { Running, BarrierBlock, BarrierGrid, Done, Raised };

  /// Threads: attached, inside an OutermostCall. GC: unsafe.
  Interpreter(gc::Thread& thread, Runtime& runtime);
  /// With a stack of its own, for a kernel's lane.
  Interpreter(gc::Thread& thread, Runtime& runtime, InterpreterStack& stack);
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  /// Runs to its end. False: raised. `arguments` are checked against the signature.
  bool call(const InterpreterCode& code, std::span<const Value> arguments, Value& result);
  /// Begins without running. False: raised.
  bool start(const InterpreterCode& code, std::span<const Value> arguments);
  /// Runs to the next barrier, or the end.
  State resume();
  const Value& result() const noexcept { return result_; }

  static void scan(gc::Frame& frame, gc::SlotVisitor& visitor);  // of an activation

 private:
  struct Activation {
    gc::Frame frame;
    const InterpreterCode* code;
    Activation* caller;
    uint32_t pc;  // behind the instruction that it is at; written before what can raise, collect or call

    Value* registers() noexcept { return reinterpret_cast<Value*>(this + 1); }
    static size_t bytes(const InterpreterCode& code) noexcept {
      return sizeof(Activation) + (code.num_registers + code.constants.size()) * sizeof(Value);
    }
  };
  using Instruction = InterpreterCode::Instruction;
  using Detail = InterpreterCode::Detail;
  enum class Step : uint8_t { Next, Entered, Raised };

  Activation* push(const InterpreterCode& code);
  void pop() noexcept;
  State run();
  size_t index_of(const Instruction& instruction) const noexcept {
    return static_cast<size_t>(&instruction - top_->code->instructions.data());
  }
  const Detail& stop_at(const Instruction& instruction) noexcept;
  bool unwind();
  Value& slot(uint32_t place) const noexcept {
    return *reinterpret_cast<Value*>(reinterpret_cast<char*>(top_->registers()) + place);
  }
  bool poll();
  bool poll_at(const Instruction& instruction);
  bool check(const InterpreterCode::Check& check, const Value& value);
  Step call_statement(const Instruction& instruction);
  Step enter(const Specialisation& callee, const Instruction& instruction, uint32_t first);
  bool number(const Instruction& instruction);
  bool field(const Instruction& instruction);
  bool general(const Instruction& instruction);
  bool fault_instead(const Instruction& instruction, const Detail& detail);
  bool raise(const char* kind, std::string_view text);

  gc::Thread& thread_;
  Runtime& runtime_;
  RuntimeThread& state_;
  InterpreterStack& stack_;
  Activation* top_ = nullptr;
  Activation* base_ = nullptr;
  Value result_;
};

/// What a pure method gives for constant arguments, run as defined; none if it raises, takes more than
/// `steps` instructions, or its result is no constant. For inference: reserves nothing. Threads: attached.
/// GC: unsafe.
std::optional<Literal> evaluate_constant(gc::Thread& thread, Runtime& runtime, const Method& method,
                                         std::span<const Literal> arguments, uint64_t world,
                                         uint64_t steps = 10'000);

}  // namespace berth::inference
