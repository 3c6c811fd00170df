// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// KernelLowering: a typed kernel, with what it invokes, becomes neutral kernel IR (contract page
// "devices", 3.1).
//
// No heap, no errors, no polls: what would raise is a fault and gives 0. Buffers are pointers with a length;
// the methods a kernel invokes become internal functions that are always inlined, since barriers may stand in
// them.
#pragma once
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <map>
#include <memory>

#include "inference/program.hpp"
#include "jit/lowering/representations.hpp"
#include "jit/typed_lowering.hpp"

namespace berth::jit {

class KernelLowering {
 public:
  KernelLowering(llvm::LLVMContext& context, inference::Program& program, bool checked);
  /// Once. Errors: UNSUPPORTED, naming the statement that a kernel cannot have.
  Result<std::unique_ptr<llvm::Module>> run(const inference::TypedMethod& kernel,
                                            std::span<const inference::Type* const> arguments);

 private:
  using LeafKind = inference::LeafKind;
  using Statement = inference::Statement;
  using Type = inference::Type;
  struct Item {                     // one value
    llvm::Value* value = nullptr;   // number, bool, or a buffer's memory; null: nothing
    llvm::Value* length = nullptr;  // of a buffer
    const Type* type = nullptr;
  };
  struct Method {  // being lowered
    const inference::Body* body = nullptr;
    llvm::Function* function = nullptr;
    bool is_kernel = false;
    std::vector<Item> values;
    std::vector<llvm::BasicBlock*> blocks;
    const inference::Specialisation* specialisation = nullptr;
  };

  void emit_body(const inference::Body& body, llvm::Function* function,
                 std::span<const Type* const> arguments, bool is_kernel, const Type* result);
  void emit_parameters(std::span<const Type* const> arguments);
  void emit_block(const inference::Block& block);
  void emit_terminator(const inference::Terminator& terminator);
  void emit_branch(const inference::Target& target);
  llvm::BasicBlock* emit_edge(const inference::Target& target);
  void emit_return(const inference::Operand* operand);
  Item emit_statement(const Statement& statement);
  Item emit_number(const Statement& statement);
  Item emit_buffer(const Statement& statement);
  Item emit_atomic(const Statement& statement);
  Item emit_identity(const Statement& statement);
  Item emit_position(const char* name, const inference::Operand& dimension);
  Item emit_shared(const Statement& statement);
  Item emit_invoke(const Statement& statement);
  llvm::Function* function_of(const inference::Specialisation& callee);
  /// `usual`, but a fault and 0 where `rare` is true; null: never.
  llvm::Value* guarded(llvm::Value* rare, FaultCode code, llvm::Type* type,
                       llvm::function_ref<llvm::Value*()> usual);
  llvm::Value* call(const char* name, llvm::Type* result, std::span<llvm::Value* const> arguments,
                    bool is_barrier = false);
  Item read(const inference::Operand& operand);
  const Type* type_of(inference::ValueId id) const;
  bool is_buffer(const Type* type) const;
  void append_types(const Type* type, std::vector<llvm::Type*>& types) const;
  llvm::Type* argument_type(LeafKind kind) const;
  void refuse(const std::string& what);

  llvm::LLVMContext& context_;
  inference::Program& program_;
  const bool checked_;
  std::unique_ptr<llvm::Module> module_;
  llvm::IRBuilder<> builder_;
  Method method_;
  const Type* result_ = nullptr;
  std::map<const inference::Specialisation*, llvm::Function*> functions_;
  std::vector<const inference::Specialisation*> pending_;
  std::string unsupported_;  // first reason
};

}  // namespace berth::jit
