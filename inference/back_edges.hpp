// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// BackEdges: which instances rest on how a call is dispatched; and install(), which makes definitions visible
// and closes those.
//
//   edge        | add()   | promoted()       | collect() meets it | apply()
//   none        | Waiting | -                | -                  | -
//   Waiting     | -       | Open             | -                  | closed, if added after collect and met
//   Open        | -       | -                | listed             | closed; forgotten by a later collect
//
// An edge is added before its instance is promoted, and a definition looks once more under the world lock: so
// an instance is either finite or found. Rank: 345, taken inside the world lock; under it nothing is
// allocated while the world lock is held. Cost: add constant; collect linear in the edges of the functions
// that change.
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/engine.hpp"
#include "inference/ir.hpp"

namespace berth::inference {

class MethodTable;

class BackEdges {
 public:
  explicit BackEdges(TypeLattice& lattice) noexcept : lattice_(lattice) {}

  /// Registers the call edges of a published instance; the edge types outlive the program's instances
  /// (interned). Returns the number of the first. Threads: any. Blocks: short. GC: any, kept. Errors: none.
  uint64_t add(const engine::CodeInstanceRef& instance, const TypedMethod& method);
  /// The instance is open-ended, or stays finite for ever: its edges, numbered from `first` on, may be
  /// forgotten once it is closed.
  void promoted(const engine::CodeInstance& instance, uint64_t first);
  size_t num_edges() const;

  /// What definitions will close; made by collect() outside the world lock.
  struct Closing {
    std::vector<engine::CodeInstanceRef> instances;
    std::vector<std::pair<const inference::Function*, uint64_t>>
        seen;  // per function: edges numbered below were looked at
    std::vector<const Method*> added;
  };
  /// Threads: one at a time (the program's definition lock). Blocks: short. GC: any, kept. Errors: none.
  Closing collect(std::span<Method* const> added);
  /// Lowers what `closing` lists and what was added since. Threads: as above, under the world lock. Allocates
  /// nothing.
  void apply(engine::Engine& engine, const Closing& closing, uint64_t max_world);

 private:
  struct Edge {
    uint64_t number;
    engine::CodeInstanceRef instance;
    std::vector<const Type*> arguments;
    bool is_settled = false;
  };
  bool meets(const Edge& edge, const inference::Function* function,
             std::span<const Method* const> added) const;
  /// The first instance with an edge numbered from `from` on that meets `added`; moves `from` behind it.
  engine::CodeInstanceRef next_meeting(const inference::Function* function,
                                       std::span<const Method* const> added, uint64_t& from) const;

  TypeLattice& lattice_;
  mutable sync::Mutex mutex_{Rank{345, "back edges"}};
  std::unordered_map<const inference::Function*, std::deque<Edge>> edges_ BERTH_GUARDED_BY(mutex_);
  uint64_t next_ BERTH_GUARDED_BY(mutex_) = 0;
  size_t size_ BERTH_GUARDED_BY(mutex_) = 0;
};

/// Makes `added` visible in one new world and closes every instance that rested on a dispatch they change.
/// `also` (may be empty) runs under the world lock with the new world: it allocates nothing. Returns the new
/// world. Threads: one at a time per program (its definition lock). Blocks: short. GC: any, kept. Errors:
/// none.
uint64_t install(engine::Engine& engine, MethodTable& methods, std::span<Method* const> added,
                 const std::function<void(uint64_t world)>& also = {});

}  // namespace berth::inference
