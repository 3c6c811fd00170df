// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// InterpreterCode: a verified Body made ready for the interpreter: one flat list of instructions, operands as
// places in the frame.
//
// A frame has a Value for each register, then the constants, copied at entry: an operand is read by one
// address, without a branch. What is proven of operands (by inference, or by the statement that makes them)
// chooses the code. Where an edge has arguments, their checks and moves are instructions before the jump.
// Immutable once made.
#pragma once
#include <memory>
#include <vector>

#include "gc/frame.hpp"
#include "inference/interpreter_codes.hpp"
#include "inference/ir.hpp"
#include "inference/value.hpp"

namespace berth::inference {

class Runtime;

class InterpreterCode {
 public:
  enum Code : uint8_t {
#define BERTH_X(op, kind, type) k##op##kind,
    BERTH_QUICK_INTEGERS(BERTH_X) BERTH_QUICK_FLOATS(BERTH_X)
#undef BERTH_X
#define BERTH_X(op, kind, type) kBranch##op##kind,
        BERTH_TESTS(BERTH_X)
#undef BERTH_X
#define BERTH_X(name) k##name,
            BERTH_OTHER_CODES(BERTH_X)
#undef BERTH_X
                kNumCodes
  };
  struct Check {  // of a declared type; null: none
    const Type* type = nullptr;
    LeafKind kind = LeafKind::Nothing;  // quick: exactly this kind, if not Nothing
  };
  /// What running reads. Places are byte offsets in the frame, jumps are distances in instructions.
  struct Instruction {
    uint8_t code = kUnreachable;
    uint8_t inner = kUnreachable;  // of AnyNumber
    LeafKind kind =
        LeafKind::Nothing;  // of the operands of AnyNumber, of what is read, of the result of Retag
    uint32_t a = 0, b = 0;  // operands
    union {
      uint32_t result = 0;  // place
      int32_t otherwise;    // jump where the condition is false
    };
    union {
      uint32_t c = 0;  // operand; or offset of a field in its object; or index in `leaves` or `checks`
      int32_t jump;
    };
  };
  static_assert(sizeof(Instruction) == 20);
  /// What else is known of an instruction: for errors, calls and statements that run by their general
  /// meaning.
  struct Detail {
    const Statement* statement = nullptr;  // null: of a terminator
    const Position* position = nullptr;
    uint32_t block = 0;
    uint32_t first = 0, count = 0;  // in `operands`
    uint32_t cost = 0;  // of a block's first instruction: its length in statements, for the step budget
  };
  struct BlockEntry {
    uint32_t pc = 0;
    uint32_t handler = kNone;       // block
    uint32_t handler_register = 0;  // place
  };

  static Check check_of(const Type* declared);  // declared may be null

  /// Threads: any. Blocks: short. GC: any, kept (constants are permanent objects).
  InterpreterCode(Runtime& runtime, const Method& method, const Body& body);
  InterpreterCode(const InterpreterCode&) = delete;
  InterpreterCode& operator=(const InterpreterCode&) = delete;

  const Method& method;
  gc::FrameKind kind;                   // of its activations
  uint32_t num_registers = 0;           // those that a collection visits; constants follow
  std::vector<uint32_t> parameters;     // places
  std::vector<Check> parameter_checks;  // for calls by `invoke`
  std::vector<Instruction> instructions;
  std::vector<Detail> details;     // of each instruction
  std::vector<uint32_t> operands;  // places
  std::vector<Value> constants;
  std::vector<BlockEntry> blocks;
  std::vector<Check> checks;        // of Check
  std::vector<const Leaf*> leaves;  // of IsLeaf
};

}  // namespace berth::inference
