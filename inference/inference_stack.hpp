// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// InferenceStack: infers methods across calls for one agent. Frames live here, not on the native stack;
// methods that call each other in a ring become one group (SCC), optimised and published together.
//
//   callee              | step
//   finished (cache)    | its result type
//   on this stack       | everything above it joins its group; its present type, again when it rises
//   neither             | reserve: published: its result; else a new frame, on top; the caller waits
//
//   frame   | callee missing  | at rest, calls below it | at rest, lowest of its group
//   Running | waits (new top) | back to its caller      | all at rest: published, leases end; or who rose
//
// A frame holds its lease; whatever ends the stack early gives all of them back. Threads: one agent. Cost:
// linear in statements times rises; a group's fixed point is shared by its members.
#pragma once
#include <deque>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "inference/flow.hpp"
#include "inference/inference.hpp"
#include "inference/optimiser/optimiser.hpp"

namespace berth::inference {

/// A lease that ends with its scope.
class HeldLease {
 public:
  HeldLease() = default;
  HeldLease(engine::Engine& engine, gc::Thread& thread, engine::Lease lease)
      : engine_(&engine), thread_(&thread), lease_(lease) {}
  HeldLease(HeldLease&& other) noexcept
      : engine_(other.engine_),
        thread_(other.thread_),
        lease_(std::exchange(other.lease_, engine::Lease{})) {}
  HeldLease& operator=(HeldLease&& other) noexcept {
    std::swap(engine_, other.engine_);
    std::swap(thread_, other.thread_);
    std::swap(lease_, other.lease_);
    return *this;
  }
  ~HeldLease() { end(); }
  /// Without a result of its own: what was published stays. A lease that somebody else ended is no error
  /// here.
  void end() noexcept;
  const engine::Lease& get() const noexcept { return lease_; }

 private:
  engine::Engine* engine_ = nullptr;
  gc::Thread* thread_ = nullptr;
  engine::Lease lease_;
};

/// A TypedMethod that a payload and a source body share: the payload's drop function lets go of `self`.
struct KeptMethod final : TypedMethod {
  std::shared_ptr<KeptMethod> self;
};

class InferenceStack final : private CallOracle {
 public:
  InferenceStack(gc::Thread& thread, Program& program, uint64_t world, bool with_source,
                 const engine::ReserveOptions& options);
  ~InferenceStack() override;

  Result<engine::CodeInstanceRef> run(const Specialisation& root);
  /// The root is a kernel: nothing is reserved or published for it.
  Result<TypedMethod> run_kernel(const Specialisation& root);

 private:
  struct Frame {
    const Specialisation* specialisation;
    HeldLease lease;
    Flow flow;
    size_t index;   // in frames_
    size_t lowest;  // frame of its group that it reaches
    CallSites sites;
    std::set<std::pair<size_t, BlockId>> readers;  // frames and blocks that used its result
    std::shared_ptr<KeptMethod> method;            // once optimised
  };
  struct Finished {
    engine::CodeInstanceRef instance;
    const TypedMethod* method;
  };

  // Going on.
  Result<void> drive(const Specialisation& root);
  Result<void> obtain(const Specialisation& specialisation);
  bool use_cached(const Specialisation& specialisation, engine::CodeInstanceRef instance);
  void push(const Specialisation& specialisation, HeldLease lease);
  Result<void> rest(Frame& frame);
  CallAnswer call(Flow& flow, BlockId block, const Statement& statement,
                  std::span<const Type* const> operands) override;
  const Type* result_of(Frame& caller, BlockId block, const Specialisation& callee);
  void wake_readers(Frame& frame, const Type* before);
  bool is_over_budget() const;

  // Ending a group.
  Result<void> finish_group(size_t first);
  std::vector<std::vector<size_t>> components(size_t first) const;
  void optimise(Frame& frame, bool is_recursive, const std::set<const Specialisation*>& done);
  void add_edges(const Frame& frame, TypedMethod& method) const;
  Result<void> publish_group(size_t first);
  engine::SourcePtr source_of(Frame& frame, bool is_root);
  struct OurInstance {
    engine::CodeInstanceRef instance;
    uint64_t first_edge;
  };
  void promote(const std::vector<OurInstance>& instances, size_t first);
  bool is_unchanged(const TypedMethod& method, uint64_t world) const;
  uint64_t min_world(const TypedMethod& method) const;
  Result<engine::CodeInstanceRef> run_limited(const Specialisation& root);

  gc::Thread& thread_;
  Program& program_;
  engine::Engine& engine_;
  const uint64_t world_;
  const bool with_source_;
  engine::ReserveOptions options_;
  Transfer transfer_, kernel_transfer_;
  const Specialisation* root_ = nullptr;
  std::vector<std::unique_ptr<Frame>> frames_;  // unfinished, in order of discovery
  std::vector<size_t> active_;                  // indexes: the chain of calls being evaluated
  std::unordered_map<const Specialisation*, size_t> on_stack_;
  std::unordered_map<const Specialisation*, Finished> finished_;
  std::unordered_map<const Specialisation*, int>
      attempts_;  // publications that somebody else's release undid
  const Specialisation* kernel_ = nullptr;
  bool is_limited_ = false;
};

}  // namespace berth::inference
