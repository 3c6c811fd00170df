// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Agent: the engine's logical thread of control: its leases, its one wait edge, its spare tokens and its
// counters.
//
// It is current on at most one thread; what is marked "running" belongs to that thread, or to whoever deletes
// the suspended agent.
#pragma once
#include <vector>

#include "engine/code_instance.hpp"
#include "gc/agent.hpp"

namespace berth::engine {

class Engine;
struct Waiter;

/// What a waiting agent waits for: a key's holder, or an instance's compile.
struct WaitTarget {
  Slot* slot = nullptr;
  CodeInstance* instance = nullptr;
  bool operator==(const WaitTarget&) const = default;
};

struct LeaseRecord {
  CodeInstance* instance = nullptr;
  uint64_t generation = 0;
  bool is_outstanding() const noexcept {
    const uint64_t word = instance->word.load(std::memory_order_acquire);
    return CodeInstance::generation_of(word) == generation && (word & CodeInstance::kLeased);
  }
};

/// Written by the running thread only (load and store, no read-modify-write), summed by others.
struct AgentCounts {
  sync::Atomic<uint64_t> reserved{0}, published{0}, released{0};
};
inline void bump(sync::Atomic<uint64_t>& count) noexcept {
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

class Agent final : public gc::Agent {
 public:
  Agent(Engine& engine, std::string name) : gc::Agent(std::move(name)), engine(engine) {}

  /// Remembers an outstanding lease. May throw bad_alloc only in reserve_record.
  void reserve_record() {
    if (leases.size() == leases.capacity()) make_room();
  }
  void record(CodeInstance& instance, uint64_t generation) noexcept {
    leases.push_back({&instance, generation});
  }
  /// Outstanding leases of any kind on the key. Threads: running.
  uint32_t num_leases_on(const void* method, const void* owner) const noexcept;
  /// Outstanding leases. Threads: any; exact on the running thread.
  int64_t num_leases() const noexcept {
    return static_cast<int64_t>(leases_taken.load(std::memory_order_relaxed) -
                                leases_given.load(std::memory_order_acquire));
  }

  /// Compacts the list of leases, or lets it grow. Threads: running. Errors: std::bad_alloc.
  void make_room();

  Engine& engine;

  // Running. Records of ended leases stay until the list is compacted: another thread may end a lease, but
  // never write here.
  std::vector<LeaseRecord> leases;
  CodeInstance* spare_tokens = nullptr;
  uint32_t num_spare = 0;
  sync::Atomic<bool> in_wait{false};  // read by its deleter too, after `current`: relaxed
  AgentCounts counts;

  // Graph lock.
  bool waiting = false;
  WaitTarget edge;
  int64_t waiting_since_ns = 0;
  const char* waiting_label = nullptr;

  // Someone waits, directly or not, for a lease of this agent. A hint: relaxed.
  sync::Atomic<bool> lifted{false};

  // Registry lock.
  bool is_zombie = false;
  bool is_doomed = false;  // deleted while it was current or waited
};

}  // namespace berth::engine
