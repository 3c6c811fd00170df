// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/code_units.hpp"

#include <algorithm>
#include <unordered_map>

#include "jit/thrown_exceptions.hpp"
#include "support/mutant.hpp"

namespace berth::jit {
namespace {

using engine::CodeInstance;
using engine::CodeInstanceRef;

// Pauses of 1 ms, 2 ms and so on: up to a quarter of a second while somebody is inside of dead code, to half
// a minute while references keep what could go without them, of whose end nobody hears.
constexpr unsigned kLimboDoublings = 8, kProspectDoublings = 15;
constexpr auto kShortestPause = std::chrono::milliseconds(1);
constexpr int kPauseFactor = 20;

enum : uint8_t { kUnreached, kReachable, kEntered };  // entered: somebody whom no search finds may be inside

UnwindRegistry::Unit unwind_unit(const LinkedUnit& unit) {
  const SlabMemory::Part& text = unit.memory.parts[SlabMemory::kText];
  const auto low = reinterpret_cast<uintptr_t>(text.address);
  return {unit.memory.slab, low, low + text.bytes, unit.unwind_section};
}

template <class Function>
void for_each_code_range(const LinkedUnit& unit, Function&& function) {
  const auto call = [&](const SlabMemory::Allocation& memory) {
    const SlabMemory::Part& text = memory.parts[SlabMemory::kText];
    if (text.bytes)
      function(reinterpret_cast<uintptr_t>(text.address),
               reinterpret_cast<uintptr_t>(text.address) + text.bytes);
  };
  call(unit.memory);
  for (const auto& member : unit.members) call(member->trampolines);
}

bool has_exception(const LinkedUnit& unit) {
  return std::ranges::any_of(unit.memory.parts, [](const SlabMemory::Part& part) {
    const auto low = reinterpret_cast<uintptr_t>(part.address);
    return part.bytes && has_thrown_from(low, low + part.bytes);
  });
}

}  // namespace

/// One mark over some units: instances lead to their code, a unit to the callees of its slots and to the
/// better code it leads on to.
class CodeUnits::Reach {
 public:
  explicit Reach(const SlotTable& slots) : slots_(slots) {}

  void add(LinkedUnit& unit) {
    unit.reach = kUnreached;
    for (const auto& member : unit.members) {
      if (member->is_instance_alive()) {
        Node& node = nodes_[member->instance];
        member->next = std::exchange(node.first, member.get());
      }
      for (const auto& slot : member->slots) {
        if (const CodeInstance* const callee = slots_.callee_of(*slot)) nodes_[callee].is_called = true;
      }
    }
  }
  void reach(LinkedUnit& unit, uint8_t level) {
    if (unit.reach >= level) return;
    unit.reach = level;
    todo_.push_back(&unit);
    while (!todo_.empty()) {
      LinkedUnit& next = *todo_.back();
      todo_.pop_back();
      for (const auto& member : next.members) {
        if (member->better_unit) push(*member->better_unit, level);
        for (const auto& slot : member->slots) {
          const auto node = nodes_.find(slots_.callee_of(*slot));
          if (node != nodes_.end()) visit(node->second, level);
        }
      }
    }
  }
  /// From all instances that are valid, or that somebody but the cache and the slots refers to.
  void reach_from_roots() {
    for (const auto& [instance, node] : nodes_) {
      const CodeInstance* const leader = instance->leader.load(std::memory_order_acquire);
      if (leader && leader != instance) groups_[leader].push_back(instance);
    }
    for (auto& [instance, node] : nodes_) {
      if (node.first && is_referenced(*node.first->instance, node.is_called)) reach_code(node, kEntered);
    }
    for (auto& [instance, node] : nodes_) {
      if (node.first && CodeInstance::is_linked(node.first->instance->word.load(std::memory_order_acquire)))
        reach_code(node, kReachable);
    }
  }

 private:
  struct Node {
    LinkedMember* first = nullptr;
    bool is_called = false;  // the slots' table has one reference
    uint8_t level = kUnreached;
  };

  // The cache's reference goes after the state, and comes before it: if that has changed meanwhile, nothing
  // is known. A group's other members each hold one of the leader, until they are buried; they forget the
  // leader before they drop it, so who is found to know it after the count was read had it counted.
  bool is_referenced(const CodeInstance& instance, bool is_called) const {
    const uint64_t word = instance.word.load(std::memory_order_acquire);
    const uint32_t references = instance.references.load(std::memory_order_acquire);
    if (instance.word.load(std::memory_order_acquire) != word) return true;
    uint32_t known = (CodeInstance::is_linked(word) ? 1u : 0u) + (is_called ? 1u : 0u);
    if (const auto group = groups_.find(&instance);
        group != groups_.end() && !mutant::is_on("J41_group_holds_its_leader")) {
      for (const CodeInstance* member : group->second)
        known += member->leader.load(std::memory_order_acquire) == &instance;
    }
    return references > known;
  }
  void push(LinkedUnit& unit, uint8_t level) {
    if (unit.reach >= level) return;
    unit.reach = level;
    todo_.push_back(&unit);
  }
  void visit(Node& node, uint8_t level) {
    if (node.level >= level) return;
    node.level = level;
    for (LinkedMember* member = node.first; member; member = member->next) {
      if (!member->is_retired || level == kEntered) push(*member->unit, level);
    }
  }
  void reach_code(Node& node, uint8_t level) {
    if (node.level >= level) return;
    node.level = level;
    for (LinkedMember* member = node.first; member; member = member->next) {
      if (!member->is_retired || level == kEntered) reach(*member->unit, level);
    }
  }

  const SlotTable& slots_;
  std::unordered_map<const CodeInstance*, Node> nodes_;
  std::unordered_map<const CodeInstance*, std::vector<const CodeInstance*>> groups_;  // by leader, but for it
  std::vector<LinkedUnit*> todo_;
};

CodeUnits::CodeUnits(engine::Engine* engine, SlabMemory& memory, UnwindRegistry& unwind, SlotTable& slots,
                     bool has_thread, Disown disown, Freed freed)
    : engine_(engine),
      memory_(memory),
      unwind_(unwind),
      slots_(slots),
      has_thread_(has_thread),
      disown_(std::move(disown)),
      told_(std::move(freed)) {}

CodeUnits::~CodeUnits() { stop(); }

// --- units

LinkedUnit& CodeUnits::add(std::unique_ptr<LinkedUnit> unit) {
  LinkedUnit& added = *unit;
  unwind_.add(unwind_unit(added));
  try {
    const sync::Lock lock(units_mutex_);
    units_.push_back(std::move(unit));
  } catch (...) {
    const UnwindRegistry::Unit removed[] = {unwind_unit(added)};
    static_cast<void>(unwind_.remove(removed));
    throw;
  }
  return added;
}

void CodeUnits::bind(LinkedMember& member, engine::CodeInstance* instance, MemberSlots slots) {
  try {
    for (size_t i = 0; i < slots.slots.size(); ++i) slots_.add(*slots.slots[i], std::move(slots.callees[i]));
  } catch (...) {
    for (const auto& slot : slots.slots) slots_.remove(*slot);
    memory_.abandon(slots.trampolines);
    throw;
  }
  const sync::Lock lock(units_mutex_);
  member.instance = instance;
  if (instance)
    member.generation = CodeInstance::generation_of(instance->word.load(std::memory_order_acquire));
  member.slots = std::move(slots.slots);
  member.trampolines = slots.trampolines;
}

void CodeUnits::retire(LinkedMember& member) noexcept {
  {
    const sync::Lock lock(units_mutex_);
    member.is_retired = true;
  }
  look();
}

void CodeUnits::lead_on(LinkedMember& lower, LinkedMember& better) noexcept {
  const sync::Lock lock(units_mutex_);
  lower.better_unit = better.unit;
}

CodeUnits::Accounts CodeUnits::accounts() const {
  const sync::Lock lock(mutex_);
  const sync::Lock units_lock(units_mutex_);
  return {units_.size(), num_limbo_, passes_, freed_};
}

// --- passes

void CodeUnits::look() noexcept {
  const sync::Lock lock(mutex_);
  fruitless_ = 0;
  if (is_due_ || is_stopped_) return;
  is_due_ = true;
  if (!has_thread_) return;
  if (!thread_.joinable()) start_thread();
  wake_.notify_one();
}

// Without a thread to be had the passes are step's.
void CodeUnits::start_thread() noexcept try {
  thread_ = boost::thread([this] { run(); });
} catch (const std::exception&) {}

void CodeUnits::run() {
  sync::Lock lock(mutex_);
  while (!is_stopped_) {
    if (!is_due_) {
      wake_.wait(lock);
    } else if (sync::Clock::now() < next_) {
      wake_.wait_until(lock, next_);
    } else {
      lock.unlock();
      step();
      lock.lock();
    }
  }
}

void CodeUnits::step() noexcept {
  const auto began = sync::Clock::now();
  {
    const sync::Lock lock(mutex_);
    if (is_busy_ || is_stopped_ || !is_due_ || began < next_ || is_forked()) return;
    is_busy_ = true;
    is_due_ = false;  // what happens from here on is seen by the next pass
  }
  Outcome outcome = Outcome::Fruitless;
  try {
    outcome = pass();
  } catch (const std::bad_alloc&) {  // later
  }
  const auto now = sync::Clock::now();
  const sync::Lock lock(mutex_);
  is_busy_ = false;
  last_ = outcome;
  waits_ = outcome == Outcome::Waiting ? waits_ + 1 : 0;
  fruitless_ = outcome == Outcome::Fruitless ? fruitless_ + 1 : outcome == Outcome::Freed ? 0 : fruitless_;
  switch (outcome) {
    case Outcome::Nothing: next_ = now + (now - began) * kPauseFactor; break;
    case Outcome::Waiting:  // for threads that neither poll nor are safe
      is_due_ = true;
      next_ = now + std::chrono::microseconds(50) * (1 << std::min(waits_, 9u));
      break;
    case Outcome::Fruitless:
      is_due_ = true;
      next_ = now + std::max<sync::Clock::duration>(
                        (now - began) * kPauseFactor,
                        kShortestPause * (1 << std::min(fruitless_ - 1, limbo_.empty() ? kProspectDoublings
                                                                                       : kLimboDoublings)));
      break;
    case Outcome::Freed:
      is_due_ = true;
      next_ = now + (now - began) * kPauseFactor;
      break;
  }
  ended_.notify_all();
}

CodeUnits::Outcome CodeUnits::pass() {
  if (!search_) {
    if (!begin()) {
      if (free_deserted() != 0) return Outcome::Freed;
      return has_prospects_ ? Outcome::Fruitless : Outcome::Nothing;
    }
    std::vector<gc::StackSearch::Range> ranges;
    for (const LinkedUnit* unit : limbo_) {
      for_each_code_range(*unit, [&](uintptr_t low, uintptr_t high) { ranges.push_back({low, high}); });
    }
    if (engine_) search_ = std::make_unique<gc::StackSearch>(engine_->collector(), std::move(ranges));
  }
  const auto state =
      !search_ || mutant::is_on("J49_free_at_once") ? gc::StackSearch::State::Complete : search_->advance();
  if (state == gc::StackSearch::State::Pending) return Outcome::Waiting;
  std::vector<LinkedUnit*> deserted;
  if (state == gc::StackSearch::State::Complete) find_inside(deserted);
  search_.reset();
  if (deserted.empty()) return Outcome::Fruitless;
  std::vector<CodeInstance*> callees;
  for (const LinkedUnit* unit : deserted) {
    for (const auto& member : unit->members) {
      for (const auto& slot : member->slots) {
        if (CodeInstanceRef last = slots_.remove(*slot)) callees.push_back(last.detach());
      }
    }
  }
  // With no lock held: of a ring these were the last references, and the engine retires its code.
  for (CodeInstance* callee : callees) {
    if (engine_) {
      engine::Engine::release_reference(callee);
    } else {
      intrusive_ptr_release(callee);
    }
  }
  return free_deserted() != 0 ? Outcome::Freed : Outcome::Fruitless;
}

// Of a unit whose other members have all gone, those that nobody has asked for go with them.
void CodeUnits::disown_members(LinkedUnit& unit) {
  const auto is_bound = [](const auto& member) { return member->instance || member->is_retired; };
  const auto is_gone = [](const auto& member) {
    return !member->instance || (member->is_retired && !member->is_instance_alive());
  };
  if (!std::ranges::any_of(unit.members, is_bound) || !std::ranges::all_of(unit.members, is_gone)) return;
  for (const auto& member : unit.members) {
    if (!member->instance && !member->is_retired) member->is_retired = disown_(*member);
  }
}

// What cannot be reached goes to limbo. True: there is some.
bool CodeUnits::begin() {
  limbo_.clear();
  has_prospects_ = false;
  {
    const sync::Lock lock(mutex_);
    ++passes_;
  }
  const sync::Lock lock(units_mutex_);
  limbo_.reserve(units_.size());
  Reach reach(slots_);
  for (const auto& unit : units_) {
    if (!unit->is_limbo) reach.add(*unit);
  }
  for (const auto& unit : units_) {
    if (unit->is_limbo) continue;
    disown_members(*unit);
    for (const auto& member : unit->members) {
      // Of an instance that has just gone the engine is about to let go.
      if (!member->is_retired && (!member->is_instance_alive() || mutant::is_on("J41_counts_only")))
        reach.reach(*unit, kReachable);
      has_prospects_ |= member->is_retired ||
                        (member->instance &&
                         !CodeInstance::is_linked(member->instance->word.load(std::memory_order_acquire)));
    }
  }
  reach.reach_from_roots();
  for (const auto& unit : units_) {
    if (unit->is_deserted || (!unit->is_limbo && unit->reach != kUnreached)) continue;
    if (!std::exchange(unit->is_limbo, true)) {
      ++num_limbo_;
      memory_.retire(unit->memory);
      for (const auto& member : unit->members) memory_.retire(member->trampolines);
    }
    limbo_.push_back(unit.get());
  }
  return !limbo_.empty();
}

// Of what is in limbo: what nobody is inside of, and what is not reached from where somebody is.
void CodeUnits::find_inside(std::vector<LinkedUnit*>& deserted) {
  deserted.reserve(limbo_.size());
  const auto is_held = [&](const LinkedUnit& unit) {
    bool held = has_exception(unit);
    if (!search_) return held;
    for_each_code_range(unit, [&](uintptr_t low, uintptr_t) {
      const auto& ranges = search_->ranges();
      held |= std::ranges::lower_bound(ranges, low, {}, &gc::StackSearch::Range::low)->is_held;
    });
    return held;
  };
  const sync::Lock lock(units_mutex_);
  Reach reach(slots_);
  for (LinkedUnit* unit : limbo_) reach.add(*unit);
  for (LinkedUnit* unit : limbo_) {
    if (is_held(*unit)) reach.reach(*unit, kEntered);
  }
  for (LinkedUnit* unit : limbo_) {
    if (unit->reach != kUnreached) continue;
    unit->is_deserted = true;
    deserted.push_back(unit);
  }
}

size_t CodeUnits::free_deserted() {
  std::vector<std::unique_ptr<LinkedUnit>> gone;
  std::vector<UnwindRegistry::Unit> unwound;
  std::vector<SlabMemory::Allocation> memory;
  const auto is_gone = [](const LinkedUnit& unit) {
    return unit.is_deserted &&
           std::ranges::all_of(unit.members, [](const auto& member) { return member->is_retired; });
  };
  {
    const sync::Lock lock(units_mutex_);
    for (const auto& unit : units_) {
      if (is_gone(*unit)) unwound.push_back(unwind_unit(*unit));
    }
    if (unwound.empty()) return 0;
    gone.reserve(unwound.size());
    memory.reserve(2 * unwound.size());
    for (size_t i = 0; i < units_.size();) {
      if (gone.size() == unwound.size() || !is_gone(*units_[i])) {
        ++i;
        continue;
      }
      gone.push_back(std::move(units_[i]));
      if (i + 1 != units_.size()) units_[i] = std::move(units_.back());
      units_.pop_back();
    }
    num_limbo_ -= gone.size();
  }
  if (!unwind_.remove(unwound)) {  // later
    const sync::Lock lock(units_mutex_);
    num_limbo_ += gone.size();
    for (auto& unit : gone) units_.push_back(std::move(unit));  // their room is still there
    return 0;
  }
  const auto tell = [&](uint64_t observed) {
    if (told_ && observed != 0) told_(observed);
  };
  for (const auto& unit : gone) {
    tell(unit->observed);
    memory.push_back(unit->memory);
    for (const auto& member : unit->members) {
      tell(std::exchange(member->observed, 0));
      if (member->trampolines.slab) memory.push_back(member->trampolines);
    }
  }
  memory_.free(memory);
  std::vector<std::shared_ptr<void>> records;  // end without the lock
  const size_t n = gone.size();
  {
    const sync::Lock lock(units_mutex_);
    for (const auto& unit : gone) {
      for (const auto& member : unit->members) {
        std::vector<std::unique_ptr<CallSlot>>().swap(member->slots);
        records.push_back(std::move(member->record));
        LinkedMember& fresh = *member;
        fresh.code = {};
        fresh.unit = fresh.better_unit = nullptr;
        fresh.instance = nullptr;
        fresh.trampolines = {};
        fresh.backend = nullptr;
        fresh.count = nullptr;
        fresh.better.clear();
        fresh.osr = {};
        fresh.asked.store(false, std::memory_order_relaxed);
        fresh.is_retired = false;
      }
    }
  }
  const sync::Lock lock(mutex_);
  freed_ += n;
  return n;
}

bool CodeUnits::reclaim(sync::TimePoint deadline) noexcept {
  uint64_t before = 0;
  {
    sync::Lock lock(mutex_);
    before = freed_;
    next_ = {};
  }
  look();
  for (;;) {
    if (!has_thread_) step();
    sync::Lock lock(mutex_);
    if (freed_ != before) return true;
    if (is_stopped_ || (!is_due_ && !is_busy_ && last_ == Outcome::Nothing) || sync::Clock::now() >= deadline)
      return false;
    ended_.wait_until(lock, std::min(deadline, has_thread_ ? deadline : next_));
  }
}

void CodeUnits::stop() noexcept {
  boost::thread thread;
  if (is_forked()) {  // the thread is not here, and the lock may be held for ever
    [&]() BERTH_NO_ANALYSIS { thread_.detach(); }();
    static_cast<void>(search_.release());
    return;
  }
  {
    sync::Lock lock(mutex_);
    is_stopped_ = true;
    thread.swap(thread_);
    wake_.notify_one();
    ended_.notify_all();
    while (is_busy_) ended_.wait(lock);
  }
  if (thread.joinable()) thread.join();
  search_.reset();
}

}  // namespace berth::jit
