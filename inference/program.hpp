// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Program: everything that one text, and what was defined into it later, names: types, functions, methods,
// constants, globals.
//
// Look-ups at a world take no lock; definitions are serialised by one lock (rank 110) and become visible by
// one world step.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/program.h"
#include "engine/engine.hpp"
#include "inference/ir.hpp"
#include "inference/runtime_calls.hpp"
#include "inference/value.hpp"

namespace berth::inference {

class MethodTable;
class Runtime;

/// A variable all threads share. Its value cell is one 8-byte word: unboxed number or Object*.
struct Global {
  std::string name;
  const Type* type = nullptr;
  bool is_constant = false;
  Literal constant;            // const: folds
  gc::Object* cell = nullptr;  // global: permanent object, word at byte 8
};

struct DefinitionSet;  // what a parse made, not yet visible (text.hpp)

/// Ends in two steps: `close` (by delete, or the destructor) gives back what the engine knows of it; the
/// memory lives on while somebody holds a reference (`retain`), as sources not yet compiled do.
class Program : public std::enable_shared_from_this<Program> {
 public:
  Program(engine::Engine& engine, std::string name);
  ~Program();

  /// Keeps the memory; null if the program is not shared. Threads: any. Blocks: never. GC: any, kept.
  std::shared_ptr<Program> retain() noexcept { return weak_from_this().lock(); }
  /// Waits for spawned threads, retires the instances. Idempotent. No call may run or follow. Before the
  /// engine's end. Threads: one at a time. Blocks: may wait, for spawned threads. GC: any, kept.
  void close();

  /// Parses, verifies and makes visible in one new world. Threads: any. Blocks: may wait. GC: any (program
  /// lock is taken safe). Errors: PARSE_ERROR with {"errors":[...]}; TYPE_ERROR.
  Result<void> define(gc::Thread* thread, std::string_view text, std::string_view name);

  engine::Engine& engine() noexcept { return engine_; }
  TypeInterner& types() noexcept { return *types_; }
  TypeLattice& lattice() noexcept { return *lattice_; }
  MethodTable& methods() noexcept { return *methods_; }
  Runtime& runtime() noexcept { return *runtime_; }
  RuntimeCalls& calls() noexcept { return *calls_; }
  const std::shared_ptr<RuntimeCalls>& shared_calls() const noexcept { return calls_; }
  const std::string& name() const noexcept { return name_; }

  // Names; null: none. Threads: any. Blocks: short.
  Function* function(std::string_view name);         // existing
  Function* intern_function(std::string_view name);  // made if new
  const StructType* structure(std::string_view name);
  const AbstractType* abstract(std::string_view name);
  const Global* global(std::string_view name, uint64_t world);
  const Type* parse_type(std::string_view text);  // for API arguments; null: malformed or unknown
  const Specialisation* specialise(const Method& method, std::span<const Type* const> arguments);

  berth_tier_t tier() const noexcept { return tier_.load(std::memory_order_relaxed); }
  void set_tier(berth_tier_t tier) noexcept { tier_.store(tier, std::memory_order_relaxed); }
  const void* owner() const noexcept { return this; }  // of its instances: option sets come later

 private:
  engine::Engine& engine_;
  std::string name_;
  std::unique_ptr<TypeInterner> types_;
  std::unique_ptr<TypeLattice> lattice_;
  std::unique_ptr<MethodTable> methods_;
  std::shared_ptr<RuntimeCalls>
      calls_;  // shared with the handles of buffers and channels, which may die later
  std::unique_ptr<Runtime> runtime_;
  std::atomic<berth_tier_t> tier_{BERTH_TIER_ADAPTIVE};  // an option: relaxed
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::inference
