// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flow: abstract interpretation of one body. A type per value that only rises, over edges found executable;
// blocks are taken up in reverse postorder while something they read has risen.
//
//   state   | run(), all callees known | run(), a callee missing | mark_dirty()
//   Working | Done                     | Suspended               | Working
//   Done    | Done                     | -                       | Working
//   Suspended | Done                   | Suspended               | Suspended
//
// Threads: one at a time. Cost: statements times the rises of what they read.
#pragma once
#include <queue>
#include <unordered_map>

#include "inference/call_resolution.hpp"
#include "inference/prepare.hpp"
#include "inference/transfer.hpp"

namespace berth::inference {

class Flow;

/// What a call gives: the type, or the specialisation to infer first.
struct CallAnswer {
  const Type* type = nullptr;
  const Specialisation* missing = nullptr;
};

class CallOracle {
 public:
  virtual ~CallOracle() = default;
  virtual CallAnswer call(Flow& flow, BlockId block, const Statement& statement,
                          std::span<const Type* const> operands) = 0;
};

class Flow {
 public:
  Flow(Transfer& transfer, PreparedBody prepared, std::span<const Type* const> parameters);

  /// Goes on until nothing rises (null) or a callee is missing (that one; call again when it is known).
  const Specialisation* run(CallOracle& oracle);
  void mark_dirty(BlockId block);
  bool has_work() const noexcept { return is_suspended_ || !work_.empty(); }

  const Type* result() const noexcept { return result_; }
  const Body& body() const noexcept { return body_; }
  const Type* type_of(const Operand& operand);
  const Type* type_of(ValueId value) const noexcept { return types_[value]; }
  bool is_reached(BlockId block) const noexcept { return reached_[block]; }
  bool is_edge_taken(BlockId block, size_t target) const noexcept { return edges_[block][target]; }
  bool is_handler_taken(BlockId block) const noexcept { return handled_[block]; }
  /// Effects of a statement at the present types. Calls: all.
  uint8_t effects_of(const Statement& statement);
  /// Evaluations so far.
  uint64_t num_evaluated() const noexcept { return evaluated_; }
  uint64_t num_statements() const noexcept { return statements_; }
  Transfer& transfer() noexcept { return transfer_; }

 private:
  const Specialisation* run_block(CallOracle& oracle);
  void finish_block();
  bool evaluate(CallOracle& oracle, const Statement& statement, CallAnswer& answer);
  void raise(ValueId value, const Type* type, bool is_behind);
  void take_edge(BlockId block, size_t target);
  void take_handler(BlockId block);
  void enter(BlockId block);

  Transfer& transfer_;
  Body body_;
  const std::unordered_map<ValueId, RefineRule> rules_;
  const Type* const bottom_;
  std::vector<const Type*> types_;           // by value
  std::vector<std::vector<BlockId>> users_;  // by value: blocks that read it
  std::vector<uint32_t> rank_;               // by block: place in reverse postorder
  std::vector<BlockId> order_;
  std::vector<bool> reached_, dirty_, handled_;
  std::vector<std::vector<bool>> edges_;
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> work_;  // ranks
  std::vector<const Type*> operands_;                                          // scratch
  const Type* result_;
  BlockId block_ = 0;  // being evaluated
  size_t next_ = 0;    // its next statement
  bool is_suspended_ = false;
  uint64_t evaluated_ = 0, statements_ = 0;
};

bool is_call(Op op) noexcept;

}  // namespace berth::inference
