// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heap::Impl: blocks, large objects, roots, weak references, finalizers; private to the heap's and the
// collector's sources.
//
// Ranks: 450 heap lists, taken by allocating threads and by the collector, one at a time; 455 roots.
#pragma once
#include <array>
#include <cstdlib>
#include <deque>
#include <memory>
#include <unordered_set>
#include <vector>

#include "gc/block.hpp"
#include "gc/heap.hpp"
#include "gc/mark.hpp"
#include "gc/verify.hpp"

namespace berth::gc {

inline constexpr Rank kRankHeap{450, "heap lists"};
inline constexpr Rank kRankRoots{455, "heap roots"};
inline constexpr size_t kLeastGrowthBytes = 4 * 1024 * 1024;

/// Of the elements of an array that is a large object: so none of a loop's vectors of that size is in two
/// cache lines, which makes the loop half as fast.
inline constexpr size_t kLargeAlignment = 64;

/// Zeroed but for the header, whose `padding` is what lies in front of it. Null: no memory. Free with
/// free_large.
inline LargeHeader* make_large(size_t bytes) noexcept {
  constexpr uintptr_t kElements = sizeof(LargeHeader) + Object::kElementsOffset;
  char* const memory = static_cast<char*>(std::calloc(1, kLargeAlignment + sizeof(LargeHeader) + bytes));
  if (!memory) return nullptr;
  const uintptr_t padding = (0 - (reinterpret_cast<uintptr_t>(memory) + kElements)) % kLargeAlignment;
  auto* header = reinterpret_cast<LargeHeader*>(memory + padding);
  *header = {bytes, padding};
  return header;
}

inline void free_large(LargeHeader* header) noexcept {
  if (header) std::free(reinterpret_cast<char*>(header) - header->padding);
}

class Root {
 public:
  Object* object = nullptr;
  Heap* heap = nullptr;

 private:
  friend class Heap;
  friend struct Heap::Impl;
  Root* previous_ = nullptr;
  Root* next_ = nullptr;
};

class WeakReference {
 public:
  // Cleared by the collector with the world stopped: CAS acq_rel; read acquire.
  sync::Atomic<Object*> object{nullptr};
  Heap* heap = nullptr;

 private:
  friend class Heap;
  friend struct Heap::Impl;
  size_t index_ = 0;  // in the heap's list
};

struct Finalizer {
  Object* object;
  void (*function)(void*, void*);
  void* context;
};

struct Heap::Impl {
  Impl(Collector& collector, size_t limit_bytes);
  ~Impl();

  // Allocation.
  Object* allocate_cell(Thread& thread, unsigned size_class);
  Object* allocate_large(Thread& thread, size_t bytes);
  bool refill(AllocationRange& range, unsigned size_class);
  bool add_large(LargeHeader* header) noexcept;
  bool reserve_bytes(size_t bytes) noexcept;
  bool needs_collection() const noexcept {
    return allocated_since.load(std::memory_order_relaxed) >= threshold.load(std::memory_order_relaxed);
  }
  Block* next_block(unsigned size_class);
  Block* fresh_block(unsigned size_class);
  bool add_chunk() BERTH_REQUIRES(lists);
  /// Gives back what a thread did not use. Threads: its own, or the collector for a stopped one.
  void flush(AllocationBuffers& buffers);

  // Collection.
  /// Sweeps what allocating threads have not yet swept. Threads: the collector.
  void finish_sweep();
  void visit_roots(Marker& marker);
  void visit_root_slots(SlotVisitor& visitor);
  void clear_weak();
  /// Moves dead objects with finalizers to the ready list and marks through them.
  void ready_finalizers(Marker& marker);
  /// Keeps the memory of dead objects with a native finalize until it has run.
  void ready_native(Marker& marker);
  /// After the marks are complete: large objects at once, blocks when a thread needs them.
  void begin_sweep(uint64_t marked_bytes);
  /// Takes every mark back, after a failed collection.
  void clear_marks();
  void walk_marked(const std::function<void(Object*)>& visit);
  // Stress modes `verify` and `move`, see gc/stress.hpp. `visit_roots`: of all threads, agents and clients.
  std::vector<Object*> marked_objects();
  void verify_roots(const std::function<void(SlotVisitor&)>& visit_roots);
  void verify_marked();
  void remember_marked();
  bool is_permanent(const Object* object) const;
  void move_marked(const std::unordered_set<const void*>& pinned,
                   const std::function<void(SlotVisitor&)>& visit_roots);
  /// After the resume. Threads: the collecting one. GC: must be safe.
  void run_native();
  /// Runs ready finalizers, unless the thread may not now. Threads: attached. GC: unsafe.
  void run_finalizers(Thread& thread);
  bool pop_ready(Finalizer& out);
  static void sweep_block(Block& block);
  bool contains(const void* pointer) const noexcept;
  /// As Heap::is_live.
  bool is_live(const void* pointer) const noexcept;

  Collector& collector;
  const size_t limit_bytes;

  // Read and written by allocating threads and reset by the collector: sums that order nothing, relaxed.
  sync::Atomic<size_t> allocated_since{0}, live{0}, threshold{kLeastGrowthBytes};

  mutable sync::Mutex lists{kRankHeap};
  std::vector<Block*> blocks BERTH_GUARDED_BY(lists);
  std::unordered_set<uintptr_t> chunks BERTH_GUARDED_BY(lists);
  Block* free_blocks BERTH_GUARDED_BY(lists) = nullptr;
  std::array<Block*, kNumClasses> unswept BERTH_GUARDED_BY(lists){};
  std::array<Block*, kNumClasses> partial BERTH_GUARDED_BY(lists){};
  std::unordered_set<LargeHeader*> large BERTH_GUARDED_BY(lists);
  std::vector<Object*> finalizable BERTH_GUARDED_BY(lists);  // of types with a native finalize
  std::vector<Object*> native_ready BERTH_GUARDED_BY(lists);
  std::vector<Object*> native_running BERTH_GUARDED_BY(lists);  // in their finalize

  mutable sync::Mutex roots_mutex{kRankRoots};
  std::vector<std::unique_ptr<Type>> types BERTH_GUARDED_BY(roots_mutex);
  Root* roots BERTH_GUARDED_BY(roots_mutex) = nullptr;
  std::vector<WeakReference*> weak BERTH_GUARDED_BY(roots_mutex);
  std::vector<Object*> permanent BERTH_GUARDED_BY(roots_mutex);
  std::vector<Object*> permanent_with_references BERTH_GUARDED_BY(roots_mutex);
  std::unordered_set<const Object*> permanent_set BERTH_GUARDED_BY(roots_mutex);  // in debug builds
  std::vector<Finalizer> finalizers BERTH_GUARDED_BY(roots_mutex);
  std::deque<Finalizer> ready BERTH_GUARDED_BY(roots_mutex);
  sync::Atomic<uint64_t> num_ready{0};  // of `ready`; seq_cst, see Agent::give_lease
  sync::Atomic<uint64_t> num_failed{0};
  Verifier verifier;  // the collector's
};

}  // namespace berth::gc
