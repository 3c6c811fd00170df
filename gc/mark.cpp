// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gc/mark.hpp"

#include <algorithm>
#include <new>

#include "gc/block.hpp"
#include "gc/heap.hpp"
#include "support/latch.hpp"

namespace berth::gc {
namespace {

constexpr size_t kShareAbove = 512;       // entries: smaller stacks are finished sooner than shared
constexpr size_t kAskAbove = 1024;        // entries waiting before parked threads are woken for help
constexpr uint64_t kPieceElements = 1024;  // of an array that is scanned at once

}  // namespace

Marker::Marker(MarkPhase& phase) : phase_(phase) {}

Marker::~Marker() { phase_.live_bytes_.fetch_add(live_bytes_, std::memory_order_relaxed); }

void Marker::count(Object* object) {
  if (object->header.load(std::memory_order_relaxed) & Object::kLarge) {
    live_bytes_ += LargeHeader::of(object)->bytes;
    return;
  }
  Block* block = Block::of(object);
  if (!block->has_marked.load(std::memory_order_relaxed)) block->has_marked.store(true, std::memory_order_relaxed);
  live_bytes_ += block->cell_bytes;
}

void Marker::push(Entry entry) {
  if (phase_.stack_limit_ == 0 || stack_.size() < phase_.stack_limit_) {
    try {
      stack_.push_back(entry);
      return;
    } catch (const std::bad_alloc&) {
      // as a full stack
    }
  }
  phase_.overflow_.store(true, std::memory_order_relaxed);
}

void Marker::run() {
  while (!stack_.empty()) {
    if (stack_.size() > kShareAbove) share();
    const Entry entry = stack_.back();
    stack_.pop_back();
    scan(entry);
  }
}

void Marker::scan(Entry entry) {
  Object* object = entry.object;
  const Type* type = object->type();
  uint64_t first = entry.first;
  if (first == 0) {
    for (const uint32_t offset : type->reference_offsets) visit(reinterpret_cast<Object**>(object->at(offset)));
    if (type->trace) type->trace(object, *this);
  }
  if (!type->elements_are_references) return;
  const uint64_t length = object->length();
  const uint64_t end = std::min(length, first + kPieceElements);
  // The rest first: it is at the bottom of the stack, where sharing takes it.
  if (end < length) push({object, end});
  auto** elements = reinterpret_cast<Object**>(object->at(std::max<size_t>(Object::kElementsOffset, type->bytes)));
  for (; first < end; ++first) visit(elements + first);
}

void Marker::share() {
  const bool hungry = phase_.hungry_.load(std::memory_order_relaxed) > 0;
  const bool ask = !hungry && !asked_for_help_ && stack_.size() > kAskAbove && phase_.wants_help();
  if (!hungry && !ask) return;
  try {
    const auto half = stack_.begin() + static_cast<ptrdiff_t>(stack_.size() / 2);
    MarkPhase::Chunk chunk(stack_.begin(), half);
    const sync::Lock lock(phase_.mutex_);
    phase_.pool_.push_back(std::move(chunk));
    stack_.erase(stack_.begin(), half);
    phase_.changed_.notify_all();
  } catch (const std::bad_alloc&) {
    return;  // keep all of it
  }
  if (!ask) return;
  asked_for_help_ = true;  // once per marker and phase: who does not come is not waited for
  if (phase_.ask_for_help_) phase_.ask_for_help_(phase_.max_markers_ - 1);
}

void MarkPhase::open(std::function<void(unsigned)> ask_for_help) {
  ask_for_help_ = std::move(ask_for_help);
  live_bytes_.store(0, std::memory_order_relaxed);
  overflow_.store(false, std::memory_order_relaxed);
  {
    const sync::Lock lock(mutex_);
    pool_.clear();
    active_ = 0;
    closed_ = false;
  }
  uint64_t word = word_.load(std::memory_order_relaxed);
  while (!word_.compare_exchange_weak(word, (word + kPhase) | kOpen, std::memory_order_acq_rel)) {
  }
}

void MarkPhase::wait(sync::Lock& lock) {
  // Sliced, since glibc 2.36 can lose a wake-up (bug 25847).
  changed_.wait_until(lock, sync::Clock::now() + std::chrono::milliseconds(100));
}

void MarkPhase::drain(Marker& marker, const std::function<void(const std::function<void(Object*)>&)>& walk) {
  {
    const sync::Lock lock(mutex_);
    ++active_;
  }
  for (;;) {
    marker.run();
    {
      sync::Lock lock(mutex_);
      --active_;
      while (pool_.empty() && active_ > 0) wait(lock);
      ++active_;
      if (!pool_.empty()) {
        marker.stack_ = std::move(pool_.back());
        pool_.pop_back();
        continue;
      }
      if (!overflow_.exchange(false, std::memory_order_relaxed)) {
        --active_;
        return;
      }
    }
    // Some marked objects were not scanned: scan all marked ones again. Each pass marks something new or is the last.
    walk([&](Object* object) {
      marker.scan(object);
      marker.run();
    });
  }
}

void MarkPhase::close() {
  word_.fetch_and(~kOpen, std::memory_order_acq_rel);
  sync::Lock lock(mutex_);
  closed_ = true;
  changed_.notify_all();
  while ((word_.load(std::memory_order_acquire) & kJoinedMask) != 0) wait(lock);
  pool_.clear();
  ask_for_help_ = nullptr;
}

bool MarkPhase::join() noexcept {
  uint64_t word = word_.load(std::memory_order_acquire);
  while ((word & kOpen) && (word & kJoinedMask) / kJoined + 1 < max_markers_) {
    if (word_.compare_exchange_weak(word, word + kJoined, std::memory_order_acq_rel, std::memory_order_acquire)) return true;
  }
  return false;
}

bool MarkPhase::help() {
  latch::reach("gc-join");
  if (!join()) return false;
  helped_.fetch_add(1, std::memory_order_relaxed);
  latch::reach("gc-joined");
  {
    Marker marker(*this);
    sync::Lock lock(mutex_);
    for (;;) {
      while (pool_.empty() && !closed_) {
        hungry_.fetch_add(1, std::memory_order_relaxed);
        wait(lock);
        hungry_.fetch_sub(1, std::memory_order_relaxed);
      }
      if (closed_) break;
      marker.stack_ = std::move(pool_.back());
      pool_.pop_back();
      ++active_;
      lock.unlock();
      marker.run();
      lock.lock();
      if (--active_ == 0 && pool_.empty()) changed_.notify_all();
    }
  }
  const sync::Lock lock(mutex_);
  word_.fetch_sub(kJoined, std::memory_order_acq_rel);
  changed_.notify_all();
  return true;
}

}  // namespace berth::gc
