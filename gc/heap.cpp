// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gc/heap.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "gc/heap_impl.hpp"
#include "gc/stress.hpp"
#include "support/latch.hpp"
#include "support/mutant.hpp"

namespace berth::gc {
namespace {

// Larger ones are refused before an allocator is asked, which may end the process instead of failing
// (sanitizers).
constexpr size_t kLargestBody = size_t{1} << 39;

size_t object_bytes(const Type& type, size_t elements) noexcept {
  if (type.element_bytes == 0) return std::max<size_t>(type.bytes, 16);
  const size_t first = std::max<size_t>(type.bytes, Object::kElementsOffset);
  size_t body = 0;
  if (__builtin_mul_overflow(elements, size_t{type.element_bytes}, &body)) return SIZE_MAX;
  return body > kLargestBody ? SIZE_MAX : (first + body + 7) & ~size_t{7};
}

void set_header(Object* object, const Type* type, size_t elements, uint64_t flags) noexcept {
  if (type->element_bytes != 0) object->word(Object::kLengthOffset) = elements;
  object->header.store(reinterpret_cast<uint64_t>(type) | flags, std::memory_order_relaxed);
}

}  // namespace

Heap::Impl::Impl(Collector& collector, size_t limit_bytes) : collector(collector), limit_bytes(limit_bytes) {}

Heap::Impl::~Impl() {
  run_native();
  std::vector<Object*> rest;
  {
    const sync::Lock lock(lists);
    rest.swap(finalizable);
  }
  for (Object* object : rest) object->type()->finalize(object);
  const sync::Lock lock(lists);
  for (LargeHeader* header : large) free_large(header);
  for (const uintptr_t chunk : chunks) munmap(reinterpret_cast<void*>(chunk), kChunkBytes);
  const sync::Lock roots_lock(roots_mutex);
  for (Object* object : permanent) {
    if (object->type()->finalize) object->type()->finalize(object);
  }
  for (Object* object : permanent) std::free(object);
  while (roots) delete std::exchange(roots, roots->next_);
  for (WeakReference* reference : weak) delete reference;
}

Heap::Heap(Collector& collector, size_t limit_bytes)
    : impl_(std::make_unique<Impl>(collector, limit_bytes)) {}
Heap::~Heap() = default;

const Type* Heap::add_type(Type type) {
  type.has_references = !type.reference_offsets.empty() || type.elements_are_references || type.trace;
  type.bump_class = kNoBumpClass;
  if (type.element_bytes == 0 && !type.finalize && object_bytes(type, 0) <= kLargestCell) {
    type.bump_class = static_cast<uint8_t>(size_class(object_bytes(type, 0)));
    type.bump_bytes = static_cast<uint16_t>(kCellBytes[type.bump_class]);
  }
  auto owned = std::make_unique<Type>(std::move(type));
  const sync::Lock lock(impl_->roots_mutex);
  return impl_->types.emplace_back(std::move(owned)).get();
}

Object* Heap::allocate(Thread& thread, const Type* type, size_t elements) {
  if (Object* object = try_bump(thread, *type)) [[likely]]
    return object;
  if constexpr (kDebugChecks) {
    if (thread.state.load(std::memory_order_relaxed) != State::Unsafe && !mutant::is_on("G9_trap_off"))
      die("managed allocation by a thread that is not unsafe");
    rank::check_none_held(200, 399, "a managed allocation");
  }
  if (thread.foreign) return nullptr;
  if (stress::is_due(stress::Mode::Allocation)) impl_->collector.collect_for_stress(thread);
  const size_t bytes = object_bytes(*type, elements);
  Object* object = nullptr;
  uint64_t flags = 0;
  if (bytes <= kLargestCell) [[likely]] {
    const unsigned index = size_class(bytes);
    AllocationRange& range = thread.allocation.classes[index];
    if (range.next != range.end) [[likely]] {
      object = reinterpret_cast<Object*>(range.next);
      range.next += kCellBytes[index];
    } else {
      object = impl_->allocate_cell(thread, index);
    }
  } else {
    object = impl_->allocate_large(thread, bytes);
    flags = Object::kLarge;
  }
  if (!object) return nullptr;
  set_header(object, type, elements, flags);
  if (type->finalize) [[unlikely]] {
    try {
      thread.allocation.finalizable.push_back(object);
    } catch (const std::bad_alloc&) {
      return nullptr;  // nobody has seen it: it dies without being finalized
    }
  }
  return object;
}

Object* Heap::Impl::allocate_cell(Thread& thread, unsigned size_class) {
  AllocationRange& range = thread.allocation.classes[size_class];
  const uint64_t seen = collector.num_collections();
  if (needs_collection()) collector.collect_after(thread, seen);
  // The second time after a full collection, whoever asked for it; the third time memory is out.
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (range.next != range.end || refill(range, size_class)) {
      auto* object = reinterpret_cast<Object*>(range.next);
      range.next += kCellBytes[size_class];
      return object;
    }
    if (attempt == 0) static_cast<void>(collector.try_collect(thread));
  }
  return nullptr;
}

Object* Heap::Impl::allocate_large(Thread& thread, size_t bytes) {
  if (bytes == SIZE_MAX) return nullptr;
  const uint64_t seen = collector.num_collections();
  if (needs_collection()) collector.collect_after(thread, seen);
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (reserve_bytes(bytes)) {
      LargeHeader* header = make_large(bytes);
      if (header && add_large(header)) return header->object();
      free_large(header);
      allocated_since.fetch_sub(bytes, std::memory_order_relaxed);
    }
    if (attempt == 0) static_cast<void>(collector.try_collect(thread));
  }
  return nullptr;
}

bool Heap::Impl::add_large(LargeHeader* header) noexcept try {
  const sync::Lock lock(lists);
  large.insert(header);
  return true;
} catch (const std::bad_alloc&) { return false; }

bool Heap::Impl::reserve_bytes(size_t bytes) noexcept {
  const size_t since = allocated_since.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (limit_bytes == 0 || live.load(std::memory_order_relaxed) + since <= limit_bytes) return true;
  allocated_since.fetch_sub(bytes, std::memory_order_relaxed);
  return false;
}

bool Heap::Impl::refill(AllocationRange& range, unsigned size_class) {
  Block* block = range.block();
  if (!block || !block->runs) block = next_block(size_class);
  if (!block) return false;
  const Run run = block->take_run();
  const size_t bytes = run.count() * block->cell_bytes;
  // All at once, before anything walks the block: cells of one without marks were never touched by the sweep.
  // Smaller pieces are slower.
  std::memset(run.first(), 0, bytes);
  const bool reserved = reserve_bytes(bytes);
  if (!reserved) block->put_run(run);  // the thread keeps the block
  range = {run.first(), run.first() + (reserved ? bytes : 0)};
  return reserved;
}

Block* Heap::Impl::next_block(unsigned size_class) {
  for (;;) {
    Block* block = nullptr;
    {
      const sync::Lock lock(lists);
      if ((block = partial[size_class])) {
        partial[size_class] = block->next;
        return block;
      }
      if (!(block = unswept[size_class])) break;
      unswept[size_class] = block->next;
      block->is_unswept = false;
    }
    sweep_block(*block);  // ours alone now
    if (block->runs) return block;
  }
  return fresh_block(size_class);
}

Block* Heap::Impl::fresh_block(unsigned size_class) {
  Block* block = nullptr;
  {
    const sync::Lock lock(lists);
    if (!free_blocks && !add_chunk()) return nullptr;
    block = free_blocks;
    free_blocks = block->next;
    block->is_free = false;
    block->size_class = size_class;
    block->cell_bytes = kCellBytes[size_class];
    block->num_cells = static_cast<uint32_t>((kBlockBytes - kBlockHeaderBytes) / block->cell_bytes);
  }
  block->runs = {};
  block->put_run(Run::of(block->cells(), block->num_cells));
  return block;
}

bool Heap::Impl::add_chunk() {
  // Twice the size, then cut to alignment.
  void* mapped = mmap(nullptr, 2 * kChunkBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return false;
  const auto start = reinterpret_cast<uintptr_t>(mapped);
  const uintptr_t aligned = (start + kChunkBytes - 1) & ~(kChunkBytes - 1);
  if (aligned != start) munmap(mapped, aligned - start);
  munmap(reinterpret_cast<void*>(aligned + kChunkBytes), start + kChunkBytes - aligned);
  try {
    chunks.insert(aligned);
    blocks.reserve(blocks.size() + kChunkBytes / kBlockBytes);
  } catch (const std::bad_alloc&) {
    chunks.erase(aligned);
    munmap(reinterpret_cast<void*>(aligned), kChunkBytes);
    return false;
  }
  for (size_t offset = kChunkBytes; offset > 0;) {
    offset -= kBlockBytes;
    auto* block = new (reinterpret_cast<void*>(aligned + offset)) Block;
    block->next = free_blocks;
    free_blocks = block;
    blocks.push_back(block);
  }
  return true;
}

void Heap::Impl::flush(AllocationBuffers& buffers) {
  const sync::Lock lock(lists);
  for (AllocationRange& range : buffers.classes) {
    Block* block = range.block();
    if (!block) continue;
    if (range.next != range.end) {
      const auto left = static_cast<size_t>(range.end - range.next);
      block->put_run(Run::of(range.next, left / block->cell_bytes));
      allocated_since.fetch_sub(left, std::memory_order_relaxed);
    }
    if (block->runs) {
      block->next = partial[block->size_class];
      partial[block->size_class] = block;
    }
    range = {};
  }
  finalizable.insert(finalizable.end(), buffers.finalizable.begin(), buffers.finalizable.end());
  buffers.finalizable.clear();
}

Object* Heap::allocate_permanent(const Type* type, size_t elements) {
  const size_t bytes = object_bytes(*type, elements);
  if (bytes == SIZE_MAX) return nullptr;
  auto* object = static_cast<Object*>(std::calloc(1, bytes));
  if (!object) return nullptr;
  set_header(object, type, elements, Object::kPermanent);
  const sync::Lock lock(impl_->roots_mutex);
  impl_->permanent.push_back(object);
  if constexpr (kDebugChecks) impl_->permanent_set.insert(object);
  if (type->has_references) impl_->permanent_with_references.push_back(object);
  return object;
}

Root* Heap::new_root(Object* object) {
  auto* root = new Root;
  root->object = object;
  root->heap = this;
  const sync::Lock lock(impl_->roots_mutex);
  root->next_ = impl_->roots;
  if (impl_->roots) impl_->roots->previous_ = root;
  impl_->roots = root;
  return root;
}

void Heap::delete_root(Root* root) {
  if (!root) return;
  {
    const sync::Lock lock(impl_->roots_mutex);
    (root->previous_ ? root->previous_->next_ : impl_->roots) = root->next_;
    if (root->next_) root->next_->previous_ = root->previous_;
  }
  delete root;
}

void Heap::delete_any_root(Root* root) {
  if (root) root->heap->delete_root(root);
}

void Heap::delete_any_weak(WeakReference* weak) {
  if (weak) weak->heap->delete_weak(weak);
}

Object*& Heap::root_slot(Root* root) noexcept { return root->object; }

WeakReference* Heap::new_weak(Object* object) {
  auto* weak = new WeakReference;
  weak->object.store(object, std::memory_order_relaxed);
  weak->heap = this;
  const sync::Lock lock(impl_->roots_mutex);
  weak->index_ = impl_->weak.size();
  impl_->weak.push_back(weak);
  return weak;
}

Object* Heap::weak_get(const WeakReference* weak) noexcept {
  return weak->object.load(std::memory_order_acquire);
}

void Heap::delete_weak(WeakReference* weak) {
  if (!weak) return;
  {
    const sync::Lock lock(impl_->roots_mutex);
    WeakReference* last = impl_->weak.back();
    impl_->weak[weak->index_] = last;
    last->index_ = weak->index_;
    impl_->weak.pop_back();
  }
  delete weak;
}

void Heap::add_finalizer(Object* object, void (*finalizer)(void*, void*), void* context) {
  const sync::Lock lock(impl_->roots_mutex);
  impl_->finalizers.push_back({object, finalizer, context});
}

size_t Heap::live_bytes() const noexcept {
  return impl_->live.load(std::memory_order_relaxed) + impl_->allocated_since.load(std::memory_order_relaxed);
}

size_t Heap::num_objects() const {
  const sync::Lock lock(impl_->lists);
  size_t count = impl_->large.size();
  for (Block* block : impl_->blocks) {
    if (block->is_free) continue;
    for (uint32_t i = 0; i < block->num_cells; ++i) {
      const uint64_t header = block->cell(i)->header.load(std::memory_order_relaxed);
      count += block->is_unswept ? (header & Object::kMark) != 0 : header != 0;
    }
  }
  return count;
}

uint64_t Heap::num_ready_finalizers() const noexcept {
  return impl_->num_ready.load(std::memory_order_relaxed);
}
uint64_t Heap::num_failed_finalizers() const noexcept {
  return impl_->num_failed.load(std::memory_order_relaxed);
}

size_t Heap::size_of(const Object* object) noexcept {
  const uint64_t header = object->header.load(std::memory_order_relaxed);
  if (header & Object::kPermanent) return 0;
  return header & Object::kLarge ? LargeHeader::of(object)->bytes : Block::of(object)->cell_bytes;
}

bool Heap::contains(const void* pointer) const noexcept { return impl_->contains(pointer); }
bool Heap::is_live(const void* pointer) const noexcept { return impl_->is_live(pointer); }

bool Heap::Impl::is_live(const void* pointer) const noexcept {
  if (!contains(pointer)) return true;
  return static_cast<const Object*>(pointer)->header.load(std::memory_order_relaxed) & Object::kMark;
}

bool Heap::Impl::contains(const void* pointer) const noexcept {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  const sync::Lock lock(lists);
  if (!chunks.contains(address & ~(kChunkBytes - 1))) {
    return large.contains(reinterpret_cast<LargeHeader*>(address - sizeof(LargeHeader)));
  }
  Block* block = Block::of(pointer);
  const auto first = reinterpret_cast<uintptr_t>(block->cells());
  return !block->is_free && address >= first && (address - first) % block->cell_bytes == 0 &&
         (address - first) / block->cell_bytes < block->num_cells &&
         static_cast<const Object*>(pointer)->header.load(std::memory_order_relaxed) != 0;
}

void Heap::Impl::run_finalizers(Thread& thread) {
  const auto may_run = [&] {
    // seq_cst, see Agent::give_lease; then the count, with acquire.
    (void)thread.agent->leases_given.load(std::memory_order_seq_cst);
    return (!thread.in_finalizer || mutant::is_on("G45_nested")) && thread.safe_mutexes_held == 0 &&
           (mutant::is_on("G44_by_thread") ? thread.own_agent : thread.agent)->finalizer_inhibitions() == 0;
  };
  Finalizer due;
  while (may_run() && pop_ready(due)) {
    Rooted<2> kept(thread);  // the object; an error that is on its way through this safe point
    kept[0] = due.object;
    kept[1] = std::exchange(thread.pending_error, nullptr);
    thread.in_finalizer = true;
    latch::reach("gc-finalizer", due.object);
    try {
      due.function(due.object, due.context);
    } catch (...) { num_failed.fetch_add(1, std::memory_order_relaxed); }
    thread.in_finalizer = false;
    thread.pending_error = kept[1];
    if constexpr (kDebugChecks) {
      if (thread.state.load(std::memory_order_relaxed) != State::Unsafe)
        die("a finalizer left its thread in another state");
    }
  }
}

bool Heap::Impl::pop_ready(Finalizer& out) {
  const sync::Lock lock(roots_mutex);
  if (ready.empty()) return false;
  out = ready.front();
  ready.pop_front();
  num_ready.store(ready.size(), std::memory_order_seq_cst);
  return true;
}

}  // namespace berth::gc
