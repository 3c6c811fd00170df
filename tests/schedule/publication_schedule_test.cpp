// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Targets of the schedule explorer: section 3 of the contract page "JIT", the engine's side of publication.
#include "engine/instance_detail.hpp"
#include "tests/schedule/stage.hpp"
#include "tests/schedule/unit_compiler.hpp"

namespace berth::test {
namespace {

using engine::CodeInstance;
using engine::CodeInstanceRef;
using engine::InstanceState;
using schedule::Search;
using Answer = UnitCompiler::Answer;

const Key kKey = key_in(0), kOther = key_in(1);

ReserveOptions for_entry() {
  ReserveOptions options;
  options.need = Need::Entry;
  return options;
}

/// What an instance that is found must be.
void check_published(Stage& stage, const CodeInstance& instance) {
  const uint64_t word = instance.word.load(std::memory_order_acquire);
  if (!CodeInstance::is_linked(word)) return;  // it has gone since
  switch (CodeInstance::state_of(word)) {
    case InstanceState::Callable: return check(engine::instance_code(instance), "callable, without code");
    case InstanceState::Failed:
      return check(instance.detail.load(std::memory_order_acquire)->failure != nullptr,
                   "failed, without a reason");
    default: break;
  }
  check(word & CodeInstance::kHasSource, "neither callable, compilable nor failed");
  // Compilable needs the source, which goes when code has come.
  const sync::Lock lock(
      stage.impl().table.shard(engine::ReservationTable::hash(engine::instance_key(instance))).mutex);
  const uint64_t later = instance.word.load(std::memory_order_acquire);
  const bool has_source = instance.detail.load(std::memory_order_acquire)->source != nullptr;
  check(has_source || engine::instance_code(instance) || !CodeInstance::is_linked(later) ||
            CodeInstance::state_of(later) == InstanceState::Failed,
        "compilable, without source");
}

void observe(Stage& stage, int times) {
  for (int i = 0; i < times; ++i) {
    if (const CodeInstanceRef found = stage->lookup(kKey, 0)) check_published(stage, *found);
    schedule::hook("observed");
  }
}

/// Publishes two results that call each other, then gives both keys back.
void publish_pair(Stage& stage, gc::Thread& self, std::array<Lease, 2> leases) {
  SourcePtr sources[] = {UnitCompiler::source(), UnitCompiler::source()};
  for (size_t i = 0; i < 2; ++i) sources[i]->edges.push_back({leases[1 - i].instance, "other"});
  check(stage->publish(self, leases, sources).has_value(), "a publication fails");
  for (const Lease& lease : leases) stage.give(self, lease);
}

void pair_is_seen_whole() {
  const UnitCompiler::Scope scope;
  Stage stage;
  UnitCompiler& compiler = UnitCompiler::of(*stage);
  stage.thread("holder", [&](gc::Thread& self) {
    const std::array<Lease, 2> leases = {stage.take(self, kKey), stage.take(self, kOther)};
    stage.go();
    publish_pair(stage, self, leases);
  });
  stage.thread("waiter", [&](gc::Thread& self) {
    stage.go();
    const auto got = stage->reserve(self, kKey, for_entry());
    check(got.has_value() && got.assume_value().outcome == Outcome::Published, "no result");
    check(stage->lookup_entry(kOther, 0), "the waiter hears of one, the other has no entry");
    compiler.leave();
  });
  stage.stranger("third", [&] {
    stage.go();
    const bool first = stage->lookup_entry(kKey, 0);
    const Key found = first ? kKey : kOther, rest = first ? kOther : kKey;
    const CodeInstanceRef one = stage->lookup(found, 0);
    const CodeInstanceRef other = stage->lookup(rest, 0);
    if (!one) return;
    check(other != nullptr, "one result of two");
    if (!stage->lookup_entry(found, 0)) return;
    check(stage->lookup_entry(rest, 0), "one has an entry, the other not");
    check(engine::announced_code(*other), "the same by its instance");
  });
  stage.stranger("compiler", [&] {
    stage.go();
    compiler.run(1);
  });
  stage.run();
}

TEST(Schedule, J47_a_pair_is_seen_whole_or_not) { explore_target({}, pair_is_seen_whole); }

TEST(Schedule, J47_a_pair_is_seen_whole_or_not_in_all_schedules) {
  explore_target({.search = Search::Exhaustive, .preemptions = 1}, pair_is_seen_whole);
}

/// One result is compiled while somebody waits for its entry, and is observed all the time. `then`: of the
/// one who waited.
void observed(std::deque<Answer> plan, berth_tier_t tier,
              const std::function<void(Stage&, gc::Thread&, const Result<void*>&)>& then) {
  const UnitCompiler::Scope scope;
  Stage stage;
  UnitCompiler& compiler = UnitCompiler::of(*stage);
  stage.thread("holder", [&](gc::Thread& self) {
    const Lease lease = stage.take(self, kKey);
    stage.go();
    stage.give(self, lease, UnitCompiler::source(tier));
    const CodeInstanceRef result = stage->lookup(kKey, 0);
    check(result != nullptr, "no result");
    const Result<void*> entry = stage->wait_entry(self, *result, Deadline::never());
    then(stage, self, entry);
    compiler.leave();
  });
  stage.stranger("observer", [&] {
    stage.go();
    observe(stage, 3);
  });
  stage.stranger("compiler", [&] {
    stage.go();
    compiler.run(1, plan);
  });
  stage.run();
}

TEST(Schedule, J48_observed_while_it_is_compiled_and_promoted) {
  explore_target({.search = Search::Exhaustive, .preemptions = 2}, [] {
    observed({}, BERTH_TIER_ADAPTIVE, [](Stage& stage, gc::Thread&, const Result<void*>& entry) {
      check(entry.has_value(), "no entry");
      check(stage->request_tier(*stage->lookup(kKey, 0), BERTH_TIER_OPTIMIZED).has_value(), "no promotion");
    });
  });
}

TEST(Schedule, J48_observed_while_compiles_fail) {
  explore_target({.search = Search::Exhaustive, .preemptions = 2}, [] {
    observed({Answer::FailForNow, Answer::Fail}, BERTH_TIER_FAST,
             [](Stage& stage, gc::Thread& self, const Result<void*>& entry) {
               check(entry.has_error() && entry.assume_error().code() == BERTH_COMPILE_FAILED,
                     "the first failure is not heard of");
               const Result<void*> again =
                   stage->wait_entry(self, *stage->lookup(kKey, 0), Deadline::never());
               check(again.has_error() && again.assume_error().code() == BERTH_COMPILE_FAILED,
                     "the second failure is not heard of");
             });
  });
}

// Who asks after the failure hears nothing of it.
TEST(Schedule, J48_observed_while_a_compile_is_tried_again) {
  explore_target({.search = Search::Exhaustive, .preemptions = 2}, [] {
    observed({Answer::FailForNow}, BERTH_TIER_FAST,
             [](Stage& stage, gc::Thread& self, const Result<void*>& entry) {
               if (entry.has_value()) return;
               check(entry.assume_error().code() == BERTH_COMPILE_FAILED, "another error");
               check(stage->wait_entry(self, *stage->lookup(kKey, 0), Deadline::never()).has_value(),
                     "no second compile");
             });
  });
}

TEST(Schedule, J48_observed_while_it_is_invalidated) {
  explore_target({}, [] {
    const UnitCompiler::Scope scope;
    Stage stage;
    UnitCompiler& compiler = UnitCompiler::of(*stage);
    stage.thread("holder", [&](gc::Thread& self) {
      const Lease lease = stage.take(self, kKey);
      stage.go();
      stage.give(self, lease, UnitCompiler::source());
      if (const CodeInstanceRef result = stage->lookup(kKey, 0)) {
        const Result<void*> entry = stage->wait_entry(self, *result, Deadline::never());
        check(entry.has_value() || entry.assume_error().code() == BERTH_NOT_FOUND,
              "neither an entry nor NOT_FOUND");
      }
      compiler.leave();
    });
    stage.stranger("invalidator", [&] {
      stage.go();
      if (const CodeInstanceRef result = stage->lookup(kKey, 0))
        check(stage->invalidate(*result, 0).has_value(), "not invalidated");
    });
    stage.stranger("observer", [&] {
      stage.go();
      observe(stage, 3);
    });
    stage.stranger("compiler", [&] {
      stage.go();
      compiler.run(1);
    });
    stage.run();
  });
}

}  // namespace
}  // namespace berth::test
