// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/observers/observers.hpp"

#include <fmt/format.h>

#include <exception>

#include "berth/engine.h"

namespace berth::jit {
namespace {

struct Kind {
  uint32_t flag;
  const char* name;
  Result<std::unique_ptr<Observer>> (*make)();
};
constexpr Kind kAll[] = {{BERTH_OBSERVE_GDB, "gdb", &make_gdb_observer},
                         {BERTH_OBSERVE_PERF, "perf", &make_perf_observer},
                         {BERTH_OBSERVE_VTUNE, "vtune", &make_vtune_observer}};

}  // namespace

const uint32_t Observers::kUnitObservers = BERTH_OBSERVE_GDB | BERTH_OBSERVE_PERF | BERTH_OBSERVE_VTUNE;

bool Observers::wants_times() const noexcept {
  return flags_.load(std::memory_order_relaxed) & BERTH_OBSERVE_TIMES;
}

Result<void> Observers::set(uint32_t flags) {
  static_assert(std::size(kAll) == kKinds);
  if (flags & ~(kUnitObservers | BERTH_OBSERVE_TIMES)) {
    return make_error(BERTH_INVALID_ARGUMENT, "berth_engine_set_observers",
                      fmt::format("flags 0x{:x} have unknown bits", flags),
                      "use the bits of berth_observer_t");
  }
  std::array<std::unique_ptr<Observer>, kKinds> gone;  // after the lock: taking back may be slow
  sync::Lock lock(mutex_);
  std::array<std::unique_ptr<Observer>, kKinds> made;
  for (size_t i = 0; i < kKinds; ++i) {
    if (!(flags & kAll[i].flag) || observers_[i]) continue;
    BERTH_TRY(made[i], kAll[i].make());
  }
  uint32_t on = flags & BERTH_OBSERVE_TIMES;
  for (size_t i = 0; i < kKinds; ++i) {
    if (!(flags & kAll[i].flag)) gone[i] = std::move(observers_[i]);
    if (made[i]) observers_[i] = std::move(made[i]);
    if (observers_[i]) on |= kAll[i].flag;
  }
  flags_.store(on, std::memory_order_relaxed);
  return success();
}

uint64_t Observers::linked(const LoadedUnit& unit) noexcept {
  sync::Lock lock(mutex_);
  const uint64_t number = next_++;
  bool told = false;
  for (size_t i = 0; i < kKinds; ++i) {
    if (!observers_[i]) continue;
    try {
      auto result = observers_[i]->linked(number, unit);
      if (result.has_error()) {
        fail(i, result.assume_error().message());
        continue;
      }
      ++told_[i];
      told = true;
    } catch (const std::exception& exception) { fail(i, exception.what()); }
  }
  return told ? number : 0;
}

void Observers::fail(size_t kind, std::string_view text) noexcept {
  ++failed_[kind];
  observers_[kind].reset();
  flags_.fetch_and(~kAll[kind].flag, std::memory_order_relaxed);
  try {
    faults_.push_back(fmt::format("{}: {}", kAll[kind].name, text));
  } catch (const std::bad_alloc&) {  // the counter tells
  }
}

void Observers::retired(uint64_t number) noexcept {
  if (number == 0) return;
  sync::Lock lock(mutex_);
  for (const auto& observer : observers_) {
    if (observer) observer->retired(number);
  }
}

std::vector<std::string> Observers::faults() const {
  sync::Lock lock(mutex_);
  return faults_;
}

void Observers::metrics(std::string& prometheus) const {
  sync::Lock lock(mutex_);
  for (size_t i = 0; i < kKinds; ++i) {
    prometheus += fmt::format(
        "berth_observed_units_total{{observer=\"{0}\"}} {1}\nberth_observer_faults_total{{observer=\"{0}\"}} "
        "{2}\n",
        kAll[i].name, told_[i], failed_[i]);
  }
}

}  // namespace berth::jit
