// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MethodLowering: one typed method becomes two LLVM functions, its specialised and its boxed entry.
//
// A reference that is live across a safepoint lives in a slot of the shadow frame: stored when made, loaded
// at each use, so a collection in between may move it. All rare cases end in the runtime's generic meaning of
// the statement (Runtime::execute): errors and their texts exist once. A frame is linked at entry if a
// statement can collect and go on, else only around the call that raises.
#pragma once
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <memory>
#include <optional>
#include <unordered_map>

#include "inference/optimiser/passes.hpp"
#include "inference/program.hpp"
#include "inference/runtime.hpp"
#include "jit/lowering/chunked_loops.hpp"
#include "jit/lowering/lowering_record.hpp"
#include "jit/lowering/osr.hpp"
#include "jit/lowering/representations.hpp"
#include "jit/lowering/root_analysis.hpp"
#include "jit/typed_lowering.hpp"

namespace llvm {
class Loop;
}

namespace berth::jit {

/// A value at hand: how it is held and what is known of it.
struct Held {
  llvm::Value* value = nullptr;  // null: None
  Shape shape;
  const inference::Type* type = nullptr;
  const inference::Literal* literal = nullptr;
};

class MethodLowering {
 public:
  /// `callees`: those whose bodies optimised code may take in.
  MethodLowering(llvm::LLVMContext& context, const inference::TypedMethod& typed,
                 const inference::Callees& callees, inference::Program& program, berth_tier_t tier,
                 bool adaptive, LoweredNames& names);
  /// Once. Errors: UNSUPPORTED, naming the method.
  Result<std::unique_ptr<llvm::Module>> run();

 private:
  using LeafKind = inference::LeafKind;
  using Statement = inference::Statement;
  using Type = inference::Type;
  using Operands = std::span<const Held>;
  struct Location {  // of a field or element
    llvm::Value* address;
    const Type* type;    // declared
    std::string region;  // for alias analysis
    bool is_whole_word;  // fields: numbers extended to 8 bytes
  };
  struct Chunks {  // of a chunked loop
    llvm::BasicBlock* entry = nullptr;
    llvm::BasicBlock* last = nullptr;        // of the entry: goes to the header
    std::vector<llvm::PHINode*> parameters;  // those of the header, at the entry
    llvm::Value* end = nullptr;              // counted
    llvm::Value* limit = nullptr;            // counted: of this chunk
    llvm::PHINode* left = nullptr;           // not counted: rounds until the next poll
    std::unordered_map<inference::ValueId, llvm::Value*>
        references;  // rooted ones from outside: nothing moves within a chunk
    std::unordered_map<inference::ValueId, llvm::Value*> lengths;  // of arrays and strings from outside
    llvm::BranchInst* again = nullptr;  // counted: where it is over, to the next chunk
    llvm::Value* is_inside =
        nullptr;  // all accesses of `checks`, in this chunk; null: no copy without checks
    std::vector<llvm::BranchInst*> checks;  // of ChunkedLoop::linear, bounded and enclosed
  };
  struct Nest {                         // of a loop nest
    llvm::BranchInst* poll = nullptr;   // of the outer header
    llvm::BranchInst* enter = nullptr;  // behind it: if what the copy wants holds
    llvm::BranchInst* test = nullptr;   // of the outer header
    llvm::PHINode* index = nullptr;
    llvm::Value* limit = nullptr;  // of the copy: where it comes back to the poll
    std::vector<std::pair<llvm::PHINode*, llvm::Value*>>
        parameters;  // of the header, each with what it is behind the poll
  };
  struct Line {  // scale * counter + start, wrapping
    llvm::Value *scale, *start;
  };

  // method_lowering.cpp: functions, blocks, terminators.
  void find_polls_behind();
  void emit_method(const OsrPoint* start);  // null: from the beginning
  void begin_function(const OsrPoint* start);
  void emit_prologue(const OsrPoint* start);
  void emit_arguments();
  void emit_block_parameters();
  void emit_block(inference::BlockId id);
  void emit_terminator(const inference::Block& block);
  void emit_switch(const inference::Terminator& terminator);
  void emit_return(const inference::Terminator& terminator);
  llvm::BasicBlock* emit_edge(const inference::Target& target, const inference::Position* position);
  void emit_branch(const inference::Target& target, const inference::Position* position);
  void emit_exit(llvm::Value* value, uint8_t flag);
  bool is_framed() const { return has_frame_ && (!is_whole_ || roots_.is_framed[current_]); }
  void emit_boxed();
  llvm::AllocaInst* emit_rooted_arguments(llvm::Value* arguments);
  llvm::BranchInst* emit_poll();  // null: mutant

  // frames.cpp: the shadow frame.
  void begin_frame();
  void emit_stack_check();
  void end_frame();
  void finish_frame();
  llvm::Value* root(llvm::Value* reference);  // in a temporary slot; gives its address
  llvm::Value* slot_address(unsigned index);
  void set_position(const inference::Position* position);
  void begin_cold(const inference::Position* position, Operands roots);
  void end_cold();

  // loop_chunks.cpp: polls between chunks of a loop.
  void emit_chunk_entry(inference::BlockId header);
  void emit_chunk_test(const inference::Terminator& terminator);
  void emit_limit(const ChunkedLoop& loop, Chunks& chunks);
  llvm::Value* rounds_of(const ChunkedLoop& loop, const Chunks& chunks);
  void emit_pause_test(inference::BlockId header);
  void emit_next_chunk(inference::BlockId header);
  Chunks* chunks_here();

  // loop_nests.cpp: copies of nests of loops without polls.
  void emit_nest_entry(inference::BlockId header, llvm::BranchInst* poll);
  llvm::Value* end_of(const ChunkedLoop& loop);
  void copy_nests();
  void copy_nest(const LoopNest& nest, Nest& made);
  void connect_nest(const llvm::Loop& loop, const Nest& made, llvm::ValueToValueMapTy& copies);

  // loop_versions.cpp: copies of chunked loops without the checks that a test before the chunk proves.
  llvm::Value* emit_inside_test(inference::BlockId header);
  void require_lines_inside(inference::BlockId header, std::vector<llvm::Value*>& conditions);
  void require_enclosed(inference::BlockId header, std::vector<llvm::Value*>& conditions);
  Line line_of(const LinearForms& forms, const inference::Operand& operand);
  void split_loops();
  void add_exits(const llvm::Loop& loop, llvm::ValueToValueMapTy& copies);
  void split_loop(Chunks& chunks, llvm::BasicBlock* header);

  // osr_lowering.cpp: leaving a loop for better code, and functions that begin in one.
  std::vector<inference::ValueId> values_of(const OsrPoint& point) const;  // that are passed
  llvm::FunctionType* type_of_osr(const OsrPoint& point) const;
  void emit_osr_exit(inference::BlockId header, llvm::Value* rounds);
  void emit_osr_arguments(const OsrPoint& start);
  void emit_osr_start(const OsrPoint& start, llvm::BasicBlock* entry);
  void emit_osr_table(std::span<llvm::Constant* const> functions);

  // plan.cpp: what each statement can do to the heap; must agree with what is emitted.
  Safepoint plan(const Statement& statement) const;
  Safepoint plan_operation(const Statement& statement) const;
  Safepoint plan(const inference::Block& block) const;
  bool has_kinds(const Statement& statement) const;
  bool boxes(const inference::Operand& operand, const Shape& to) const;
  const Type* type_of(inference::ValueId id) const;
  const Type* type_of(const inference::Operand& operand) const;
  Shape shape_of_operand(const inference::Operand& operand) const;
  const inference::Leaf* leaf_of_operand(const Statement& statement, size_t i, LeafKind kind) const;
  const inference::StructType* structure_of(
      const Statement& statement) const;  // of field, set: whose field it knows, or nothing
  bool may_be_nothing(const inference::Operand& operand) const;
  const inference::StructType* structure_to_make(const Statement& statement) const;
  const inference::Leaf* array_to_access(const Statement& statement) const;
  bool reads_item(const Statement& statement) const;
  const inference::Global* variable_of(const Statement& statement) const;
  bool fits(const inference::Operand& operand, const Type* type) const;

  // statements.cpp
  void emit_statement(const Statement& statement);
  Held emit_operation(const Statement& statement);
  Held emit_arithmetic(const Statement& statement);
  Held emit_call(const Statement& statement);
  Held emit_invoke(const Statement& statement);
  Held emit_bound_call(const Statement& statement, const Convention& convention, llvm::Value* function,
                       const Type* result, std::span<llvm::Value* const> boxes);
  Held emit_field(const Statement& statement);
  Held emit_set(const Statement& statement);
  Held emit_new(const Statement& statement);
  llvm::Value* emit_allocation(const gc::Type& type);
  Held emit_array_new(const Statement& statement);
  Held emit_item(const Statement& statement);
  Held emit_length(const Statement& statement);
  Held emit_element(const Statement& statement);
  Held emit_string_byte(const Statement& statement);
  Held emit_same(const Statement& statement);
  Held emit_assert(const Statement& statement);
  Held emit_refine(const Statement& statement);
  Held narrow(const Statement& statement, Held held);
  const Type* wanted(const Statement& statement) const;
  llvm::Value* length_of(const inference::Operand& object);
  llvm::Value* load_length(llvm::Value* object);
  void check_bounds(const Statement& statement, llvm::Value* index);
  Held emit_global(const Statement& statement);
  llvm::Value* call_execute(const Statement& statement);  // gives the error flag
  /// Raises where `wrong` is true; the generic meaning does so whenever it is.
  llvm::BranchInst* raise_where(llvm::Value* wrong, const Statement& statement);
  /// The generic meaning, whatever it is; the result held as one of `type`.
  Held execute(const Statement& statement, const Type* type);
  /// `usual`, but the generic meaning where `rare` is true; null: never.
  Held guarded(const Statement& statement, llvm::Value* rare, const Type* type,
               llvm::function_ref<llvm::Value*()> usual);
  Held load(const Location& location);
  void store(const Location& location, llvm::Value* value);
  llvm::Value* object_to_access(const Statement& statement);
  Location field_location(llvm::Value* object, const inference::StructType& structure, uint32_t index);
  Location element_location(llvm::Value* array, const inference::Leaf& leaf, llvm::Value* index);
  llvm::Value* is(const Held& held, const Type* type);
  llvm::Value* has_one_of(llvm::Value* object, const Type& type);

  // values.cpp: operands, conversions, runtime calls.
  Held read(const inference::Operand& operand);
  Held read_value(inference::ValueId id);
  llvm::Value* read_in_chunk(inference::ValueId id);
  std::vector<Held> read_all(const Statement& statement, size_t first = 0);
  void define(const Statement& statement, Held held);
  void set_value(inference::ValueId id, llvm::Value* value);
  llvm::Value* coerce(const Held& held, const Shape& to, const inference::Position* position);
  llvm::Value* box(const Held& held, const inference::Position* position);
  llvm::Value* unbox(llvm::Value* reference, LeafKind kind);
  llvm::Value* literal_object(const inference::Literal& literal);
  void store_value(const Held& held, llvm::Value* target);
  void store_values(Operands operands);
  llvm::Value* value_at(size_t index);
  Held load_value(llvm::Value* source, const Type* type, const inference::Position* position);
  void check(const Held& held, const Type* type, const inference::Position* position);
  void raise_if(llvm::Value* flag);
  void go_to_error();
  llvm::BasicBlock* error_block();
  llvm::Value* call(const char* name, llvm::Type* result, std::span<llvm::Value* const> arguments);
  llvm::Value* address(const void* object);
  void finish_addresses();
  llvm::Value* thread_word(size_t offset);
  llvm::Value* offset(llvm::Value* base, uint64_t bytes);
  llvm::BasicBlock* new_block(const char* name);
  llvm::BranchInst* branch_rarely(llvm::Value* condition, llvm::BasicBlock* rare, llvm::BasicBlock* usual);
  template <class Instruction>
  Instruction* in_region(Instruction* access, const std::string& region);
  const Statement* keep(const Statement& statement);
  const inference::Position* keep(const inference::Position& position);
  const Type* callee_result(const inference::Specialisation& callee);

  llvm::LLVMContext& context_;
  const inference::TypedMethod& typed_;
  const std::optional<inference::Body> unrolled_;  // where recursion is unrolled
  const inference::Body& body_;
  inference::Program& program_;
  inference::Runtime& runtime_;
  const berth_tier_t tier_;
  const bool is_adaptive_;
  LoweredNames& names_;
  std::shared_ptr<LoweringRecord> record_;
  Convention convention_;
  std::unique_ptr<llvm::Module> module_;
  llvm::IRBuilder<> builder_;
  llvm::PointerType* pointer_;
  Roots roots_;
  std::vector<OsrPoint> points_;
  llvm::Function* specialised_ = nullptr;
  llvm::Function* function_ = nullptr;  // from here on: of the function that is being made
  gc::FrameKind* frame_kind_ = nullptr;
  std::vector<inference::BlockId> order_;  // of the blocks that are in it
  std::vector<size_t> places_;             // of blocks in the order of the whole method
  std::vector<bool> polls_behind_;         // per block: on the edges back to it
  std::vector<llvm::AllocaInst*>
      cells_;  // of what an OSR start gives and the method may make again; null: made once, or rooted
  llvm::Value* thread_ = nullptr;
  bool is_whole_ = true;    // begins where the method does
  bool has_frame_ = false;  // linked from Roots::frame_block on

  std::vector<llvm::Value*> values_;
  std::vector<unsigned> slots_;  // index of a rooted value
  unsigned num_slots_ = 0, used_temporaries_ = 0, num_temporaries_ = 0;
  std::vector<llvm::BasicBlock*> blocks_, landings_;
  ChunkedLoops chunked_loops_;                             // by header; null: another loop
  std::vector<std::unique_ptr<LoopNest>> loop_nests_;      // likewise; optimised code only
  std::unordered_map<inference::BlockId, Nest> nests_;     // of those, by header
  std::unordered_map<inference::BlockId, Chunks> chunks_;  // of those, by header
  std::vector<inference::BlockId>
      chunked_in_;  // per block: header of the counted loop that it is part of, or kNone
  llvm::BasicBlock* error_exits_[2] = {};  // by whether the frame is linked
  llvm::Instruction* frame_ = nullptr;     // placeholders until sizes are known
  llvm::Instruction* value_buffer_ = nullptr;
  llvm::Instruction* frame_start_ = nullptr;  // temporaries are cleared before it, rooted values at the entry
  // Where the frame is linked for one cold statement: temporaries from this number on are cleared before it.
  std::vector<std::pair<llvm::Instruction*, unsigned>> cold_starts_;
  size_t num_values_ = 1;
  llvm::AllocaInst *result_ = nullptr, *scratch_ = nullptr, *boxed_ = nullptr;
  inference::BlockId current_ = 0;
  std::unordered_map<const Statement*, const Statement*> kept_;
  llvm::GlobalVariable* addresses_ = nullptr;                // placeholder until their number is known
  std::unordered_map<const void*, size_t> address_numbers_;  // index in LoweredNames::addresses
  std::unordered_map<std::string, llvm::MDNode*> regions_;
  std::string unsupported_;  // first reason
};

}  // namespace berth::jit
