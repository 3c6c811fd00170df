// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// InterpreterCode: a verified Body made ready for the interpreter: one flat list of instructions, operands as numbers.
//
// An operand is 2 * register or 2 * constant + 1, so that reading one is two loads and no branch. Immutable once made.
#pragma once
#include <memory>
#include <unordered_map>
#include <vector>

#include "gc/frame.hpp"
#include "inference/ir.hpp"
#include "inference/value.hpp"

namespace berth::inference {

class Runtime;

class InterpreterCode {
 public:
  /// Statements by Op below kFirstShort; common ones with known suffix have short forms; then terminators.
  enum Short : uint8_t {
    kFirstShort = 160, kAddI64 = kFirstShort, kSubI64, kMulI64, kLtI64, kLeI64, kEqI64, kAddF64, kSubF64, kMulF64, kDivF64, kLtF64,
    kNumber, kConversion, kBranch, kCondition, kSwitch, kReturn, kThrow, kUnreachable
  };
  struct Check {  // of a declared type; null: none
    const Type* type = nullptr;
    LeafKind kind = LeafKind::Nothing;  // quick: exactly this kind, if not Nothing
  };
  struct Instruction {
    uint8_t code = kUnreachable;
    uint8_t count = 0;               // of operands, if fewer than 255; Statement has all
    LeafKind number = LeafKind::Nothing;
    uint32_t first = 0;              // operand
    uint32_t result = 0;             // register
    uint32_t block = 0;
    uint32_t target = 0;             // first of its targets
    bool checked_result = false;     // see `checks`
    const Statement* statement = nullptr;
    const Position* position = nullptr;
  };
  struct Move {
    uint32_t operand, destination;
    Check check;
  };
  struct Target {
    uint32_t pc = 0, block = 0;
    uint32_t first_move = 0, num_moves = 0;
    uint32_t cost = 0;          // instructions of the block, for the step budget
    bool is_back_edge = false;  // to the same or an earlier block in reading order
    bool overlaps = false;      // a moved value is overwritten by an earlier move
  };
  struct BlockEntry {
    uint32_t pc = 0;
    uint32_t handler = kNone;   // block
    uint32_t handler_register = 0;
  };

  /// Threads: any. Blocks: short. GC: any, kept (constants are permanent objects).
  InterpreterCode(Runtime& runtime, const Method& method, const Body& body);
  InterpreterCode(const InterpreterCode&) = delete;
  InterpreterCode& operator=(const InterpreterCode&) = delete;

  const Method& method;
  gc::FrameKind kind;                    // of its activations
  uint32_t num_registers = 0;
  bool has_loop = false;
  std::vector<uint32_t> parameters;      // registers
  std::vector<Check> parameter_checks;   // for calls by `invoke`
  Check result_check;
  std::vector<Instruction> instructions;
  std::vector<uint32_t> operands;
  std::vector<Value> constants;
  std::vector<Target> targets;
  std::vector<Move> moves;
  std::vector<BlockEntry> blocks;
  std::unordered_map<uint32_t, Check> checks;  // by register

 private:
  uint32_t encode(Runtime& runtime, const Operand& operand);
  void add_statement(Runtime& runtime, const Body& body, const Statement& statement, uint32_t block);
  void add_terminator(Runtime& runtime, const Body& body, const Terminator& terminator, uint32_t block);
  void add_target(Runtime& runtime, const Body& body, const berth::inference::Target& target, uint32_t block);
  std::unordered_map<uint64_t, std::vector<uint32_t>> constant_index_;  // by bits, while being made
};

}  // namespace berth::inference
