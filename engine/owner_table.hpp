// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OwnerTable: interns owners through the embedder's traits; the first owner of an equal class stands for all.
//
// hash and equal are the embedder's code: they run on a snapshot, an insertion is one compare-and-swap. Nodes
// stay until the engine ends, since unlocked readers pass over them; a dead owner's node matches nothing.
//
// Cost: identity: none; else one hash and the compares of one bucket.
#pragma once
#include <array>
#include <functional>

#include "berth/engine.h"
#include "support/mutant.hpp"
#include "support/sync.hpp"

namespace berth::engine {

class OwnerTable {
 public:
  explicit OwnerTable(const berth_key_traits_t& traits) noexcept : traits_(traits) {}
  ~OwnerTable();

  /// Threads: any. Blocks: never; calls the embedder. GC: any, kept. Errors: std::bad_alloc.
  const void* intern(const void* owner) {
    if (mutant::is_on("R3_owner_ignored")) return nullptr;
    return !owner || !has_traits() || mutant::is_on("R68_identity_of_owners") ? owner
                                                                              : intern_by_traits(owner);
  }
  /// Threads: any. Blocks: never.
  bool has_traits() const noexcept { return traits_.hash && traits_.equal; }
  /// World stopped or right after. Threads: one at a time.
  void sweep(const std::function<bool(const void*)>& is_live);

 private:
  const void* intern_by_traits(const void* owner);

  struct Node {
    sync::Atomic<const void*> owner;  // null: dead. Release when swept, acquire when read
    uint64_t hash;
    Node* next;
  };
  static constexpr size_t kBuckets = 256;

  const berth_key_traits_t traits_;
  // CAS release, acquire when read: a node is filled before seen.
  std::array<sync::Atomic<Node*>, kBuckets> buckets_{};
};

}  // namespace berth::engine
