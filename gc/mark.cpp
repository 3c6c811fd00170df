// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gc/mark.hpp"

#include <algorithm>
#include <new>

#include "gc/block.hpp"
#include "gc/heap.hpp"
#include "gc/stress.hpp"

namespace berth::gc {
namespace {

constexpr size_t kShareAbove = 32;  // entries: smaller stacks are finished sooner than shared
constexpr size_t kAskAbove = 1024;  // objects that wait to be marked before parked threads are woken for help
constexpr uint64_t kPieceElements = 1024;  // of an array that is scanned at once
constexpr uint64_t kMostPieces = 0x10000;  // an entry has 16 bits for them
constexpr int kStealAtOnce = 64;           // entries: late in a phase most lead to nothing new
constexpr int kSpins = 200;                // looks for work before an idle marker sleeps: a few microseconds

inline void pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

Marker::Marker(MarkPhase& phase, unsigned index) : phase_(phase), deque_(phase.deques_[index]) {}

Marker::~Marker() { phase_.live_bytes_.fetch_add(live_bytes_, std::memory_order_relaxed); }

void Marker::count(Object* object, uint64_t header) {
  if (header & Object::kLarge) {
    live_bytes_ += LargeHeader::of(object)->bytes;
    return;
  }
  Block* block = Block::of(object);
  if (!block->has_marked.load(std::memory_order_relaxed))
    block->has_marked.store(true, std::memory_order_relaxed);
  live_bytes_ += block->cell_bytes;
}

void Marker::push(Entry entry) {
  if (phase_.stack_limit_ == 0 || stack_.size() - base_ < phase_.stack_limit_) {
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
  for (;;) {
    while (stack_.size() > base_) {
      if (stack_.size() - base_ > kShareAbove) share();
      const Entry entry = stack_.back();
      stack_.pop_back();
      scan(entry);
    }
    stack_.clear();
    base_ = 0;
    while (num_marked_ != num_visited_ && stack_.empty()) mark_oldest();
    if (!stack_.empty()) continue;
    const Entry entry{deque_.take()};
    if (entry.word == 0) return;
    scan(entry);
  }
}

void Marker::scan(Entry entry) {
  Object* object = entry.object();
  const Type* type = object->type();
  if (entry.piece() == 0) {
    const size_t skipped = mutant::is_on("G31_last_field") && !type->reference_offsets.empty();
    for (size_t i = 0; i + skipped < type->reference_offsets.size(); ++i) {
      visit(reinterpret_cast<Object**>(object->at(type->reference_offsets[i])));
    }
    if (type->trace) type->trace(object, *this);
  }
  if (type->elements_are_references) scan_elements(object, type, entry.piece());
}

void Marker::scan_elements(Object* object, const Type* type, uint64_t piece) {
  const uint64_t length = object->length();
  const uint64_t elements = std::max(kPieceElements, length / kMostPieces + 1);
  const uint64_t first = piece * elements, end = std::min(length, first + elements);
  if (end < length) {
    // The rest first, where it can be stolen: each piece may be another marker's.
    const Entry rest = Entry::of(object, piece + 1);
    phase_.ask_for_help(length - end);
    if (phase_.has_helpers() && deque_.push(rest.word)) {
      phase_.wake_idle();
    } else {
      push(rest);
    }
  }
  auto** slots =
      reinterpret_cast<Object**>(object->at(std::max<size_t>(Object::kElementsOffset, type->bytes)));
  for (uint64_t i = first; i < end; ++i) visit(slots + i);
}

void Marker::share() {
  const size_t waiting = stack_.size() - base_;
  phase_.ask_for_help(waiting);
  if (!phase_.has_helpers() || !deque_.is_empty()) return;
  // The oldest: in most graphs what is behind them is more.
  for (size_t n = waiting / 2; n > 0 && deque_.push(stack_[base_].word); --n) ++base_;
  phase_.wake_idle();
}

void Marker::drop_all() noexcept {
  num_marked_ = num_visited_;
  stack_.clear();
  base_ = 0;
  while (deque_.take() != 0) {}
}

MarkPhase::MarkPhase(unsigned max_markers, size_t stack_limit)
    : max_markers_(max_markers), stack_limit_(stack_limit), deques_(new MarkDeque[max_markers]) {}

void MarkPhase::open(std::function<void(unsigned)> ask_for_help) {
  ask_for_help_ = std::move(ask_for_help);
  live_bytes_.store(0, std::memory_order_relaxed);
  overflow_.store(false, std::memory_order_relaxed);
  asked_.store(false, std::memory_order_relaxed);
  for (unsigned i = 0; i < max_markers_; ++i) deques_[i].reset();
  {
    const sync::Lock lock(mutex_);
    failure_ = nullptr;
  }
  // Closed and nobody inside: no other thread writes it.
  const uint64_t phase = word_.load(std::memory_order_relaxed) / kPhase + 1;
  word_.store(phase * kPhase | kBusy | kOpen, std::memory_order_seq_cst);
}

void MarkPhase::drain(Marker& marker, const std::function<void(const std::function<void(Object*)>&)>& walk) {
  for (;;) {
    do marker.run();
    while (find_work(marker));
    {
      const sync::Lock lock(mutex_);
      if (failure_) std::rethrow_exception(failure_);
    }
    if (!overflow_.exchange(false, std::memory_order_relaxed) || mutant::is_on("G32_no_rescan")) return;
    // Some marked objects were not scanned: scan all marked ones again. Each pass marks something new or is
    // the last.
    walk([&](Object* object) {
      marker.scan(object);
      marker.run();
    });
  }
}

// Sliced, since glibc 2.36 can lose a wake-up (bug 25847).
template <class Done>
void MarkPhase::wait(sync::Lock& lock, Done done) {
  const bool notified = changed_.wait_until(lock, sync::Clock::now() + std::chrono::milliseconds(100));
  if (!notified && done()) recovered_.fetch_add(1, std::memory_order_relaxed);
}

void MarkPhase::close() {
  word_.fetch_and(~kOpen, std::memory_order_seq_cst);
  sync::Lock lock(mutex_);
  notify_idle();
  const auto must_wait = [&] {
    if (mutant::is_on("G29_waits_for_all") && asked_.load() && joined(word_.load()) == 0) return true;
    return joined(word_.load(std::memory_order_seq_cst)) != 0;
  };
  while (must_wait()) wait(lock, [&] { return !must_wait(); });
  ask_for_help_ = nullptr;
}

void MarkPhase::ask_for_help(size_t waiting) {
  if (waiting <= kAskAbove || max_markers_ == 1 || asked_.load(std::memory_order_relaxed)) return;
  // Once per phase: who does not come is not waited for.
  if (asked_.exchange(true, std::memory_order_relaxed) || !ask_for_help_) return;
  try {
    ask_for_help_(max_markers_ - 1);
  } catch (const std::bad_alloc&) {
    // fewer come, or none
  }
}

/// The index of the deque that the caller owns from now on, 0: refused. Nobody leaves before the phase
/// closes, so it is free.
unsigned MarkPhase::join() noexcept {
  uint64_t word = word_.load(std::memory_order_acquire);
  while (((word & kOpen) || mutant::is_on("G30_joins_closed")) && joined(word) + 1 < max_markers_) {
    if (word_.compare_exchange_weak(word, word + kJoined + kBusy, std::memory_order_seq_cst))
      return joined(word) + 1;
  }
  return 0;
}

bool MarkPhase::help() {
  latch::reach("gc-join");
  const unsigned index = join();
  if (index == 0) return false;
  helped_.fetch_add(1, std::memory_order_relaxed);
  latch::reach("gc-joined");
  {
    Marker marker(*this, index);
    for (bool found = true; found;) {
      try {
        marker.run();
        found = find_work(marker);
      } catch (...) {
        marker.drop_all();  // the collection fails: what it marked is taken back
        const sync::Lock lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
      }
    }
  }
  const sync::Lock lock(mutex_);
  word_.fetch_sub(kJoined, std::memory_order_seq_cst);
  notify_idle();
  return true;
}

/// For a marker without work. False: none is left (the collector, busy again), or the phase closed (others).
bool MarkPhase::find_work(Marker& marker) {
  leave_busy();
  for (int spins = 0;; ++spins) {
    if (is_over(marker)) {
      if (&marker.deque_ == &deques_[0]) word_.fetch_add(kBusy, std::memory_order_seq_cst);
      return false;
    }
    if (has_work()) {
      word_.fetch_add(kBusy, std::memory_order_seq_cst);
      if (steal_into(marker)) return true;
      leave_busy();
    }
    if (spins < kSpins) {
      pause();
    } else {
      sleep(marker);
    }
  }
}

bool MarkPhase::steal_into(Marker& marker) {
  const unsigned markers = joined(word_.load(std::memory_order_relaxed)) + 1;
  const auto own = static_cast<unsigned>(&marker.deque_ - deques_.get());
  for (unsigned i = 1; i < markers; ++i) {
    MarkDeque& victim = deques_[(own + i) % markers];
    int stolen = 0;
    for (uint64_t word = 0; stolen < kStealAtOnce && (word = victim.steal()) != 0; ++stolen)
      marker.push(Marker::Entry{word});
    if (stolen != 0) return true;
  }
  return false;
}

bool MarkPhase::has_work() const noexcept {
  const unsigned markers = joined(word_.load(std::memory_order_relaxed)) + 1;
  return std::any_of(deques_.get(), deques_.get() + markers,
                     [](const MarkDeque& deque) { return !deque.is_empty(); });
}

bool MarkPhase::is_over(const Marker& marker) const noexcept {
  const uint64_t word = word_.load(std::memory_order_seq_cst);
  return &marker.deque_ == &deques_[0] ? (word & kBusyMask) == 0 : (word & kOpen) == 0;
}

void MarkPhase::leave_busy() noexcept {
  const uint64_t before = word_.fetch_sub(kBusy, std::memory_order_seq_cst);
  if ((before & kBusyMask) == kBusy) wake_idle();  // the last one: the collector may go on
}

void MarkPhase::wake_idle() noexcept {
  if (idle_.load(std::memory_order_seq_cst) == 0) return;
  const sync::Lock lock(mutex_);
  notify_idle();
}

void MarkPhase::sleep(const Marker& marker) {
  sync::Lock lock(mutex_);
  // First the count, then the look: who pushes or leaves looks in the other order.
  idle_.fetch_add(1, std::memory_order_seq_cst);
  const auto may_go_on = [&] { return has_work() || is_over(marker); };
  if (!may_go_on()) wait(lock, may_go_on);
  idle_.fetch_sub(1, std::memory_order_relaxed);
}

void MarkPhase::notify_idle() noexcept {
  if (!stress::is_due(stress::Mode::LoseNotify)) changed_.notify_all();
}

}  // namespace berth::gc
