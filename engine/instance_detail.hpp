// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// InstanceDetail: what only published instances have: payload, source, failure, waiters for the entry, edges
// of the call graph. StoredFailure: an error that several waiters get, each as its own copy.
#pragma once
#include <array>
#include <boost/intrusive/list.hpp>
#include <boost/intrusive_ptr.hpp>
#include <memory>
#include <optional>

#include "engine/compile_times.hpp"
#include "engine/source.hpp"
#include "support/error.hpp"
#include "support/mutant.hpp"

namespace berth::engine {

class Agent;
struct Waiter;

/// Immutable but for its count. Covers the worlds [min_world, max_world] until `expires_ns` (-1: for ever).
struct StoredFailure {
  StoredFailure(Error error, uint64_t min_world, uint64_t max_world, int64_t expires_ns)
      : error(std::move(error)), min_world(min_world), max_world(max_world), expires_ns(expires_ns) {}
  bool covers(uint64_t world) const noexcept {
    return (min_world <= world && world <= max_world) || mutant::is_on("R56_all_worlds");
  }

  const Error error;
  const uint64_t min_world, max_world;
  const int64_t expires_ns;
  mutable sync::Atomic<uint32_t> references{0};  // up: relaxed; down: acq_rel, the last sees all writes

  friend void intrusive_ptr_add_ref(const StoredFailure* failure) noexcept {
    failure->references.fetch_add(1, std::memory_order_relaxed);
  }
  friend void intrusive_ptr_release(const StoredFailure* failure) noexcept {
    if (failure->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete failure;
  }
};
using FailureRef = boost::intrusive_ptr<const StoredFailure>;

/// Caller's instance depends on callee's. In two lists, both under the world lock; weak in both directions.
struct CallEdge {
  using Hook = boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
  Hook in_callers;  // of the callee
  Hook in_callees;  // of the caller
  CodeInstance* caller = nullptr;
  CodeInstance* callee = nullptr;
};
using CallerList =
    boost::intrusive::list<CallEdge,
                           boost::intrusive::member_hook<CallEdge, CallEdge::Hook, &CallEdge::in_callers>,
                           boost::intrusive::constant_time_size<false>>;
using CalleeList =
    boost::intrusive::list<CallEdge,
                           boost::intrusive::member_hook<CallEdge, CallEdge::Hook, &CallEdge::in_callees>,
                           boost::intrusive::constant_time_size<false>>;

struct InstanceDetail {
  // Before the link; read after acquiring it.
  void* payload = nullptr;
  void (*drop_payload)(void*) = nullptr;
  std::unique_ptr<SourceBody> constant;
  std::string label;  // the embedder's is borrowed only until the lease ends
  CodeInstanceRef leader;

  // Under the shard lock.
  std::shared_ptr<Source> source;  // until no tier needs it
  FailureRef failure;              // of the compile; set before the state Failed, read after acquiring it
  uint8_t passing_failures = 0;    // compiles that failed for a reason that may pass
  FailureRef passing_failure;      // the last one
  Waiter* entry_queue = nullptr;   // also under the graph lock
  std::unique_ptr<std::array<std::optional<CompileTimes>, 2>>
      times;  // FAST, OPTIMIZED; null: never asked for
  Agent* compiling_agent =
      nullptr;  // graph lock: the agent that runs the compile, null: a thread without one

  // Under the world lock.
  CallerList callers;
  CalleeList callees;
  CodeInstanceRef forward;  // of a duplicate: the instance that won
  bool promoted = false, invalidated = false;

  ~InstanceDetail() {
    if (payload && drop_payload) drop_payload(payload);
  }
};

}  // namespace berth::engine
