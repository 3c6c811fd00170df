// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/fuzz/interpreter.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <string>

#include "berth/berth.h"
#include "tests/fuzz/model.hpp"

namespace berth::fuzz {
namespace {

constexpr int kAgents = 4, kKeys = 4, kGuards = 2, kMaxCalls = 400;
constexpr size_t kMaxSources = 512;
const char methods[2] = {}, owners[2] = {}, guards[kGuards] = {}, entries[kMaxSources] = {};

class Interpreter {
 public:
  Interpreter(const uint8_t* bytes, size_t size)
      : bytes_(bytes),
        end_(bytes + size),
        shares_(next(2) == 0),
        limit_(1 + next(3)),
        model_(kAgents, kKeys, shares_, limit_) {}
  size_t run();

 private:
  struct AgentHandle {
    Interpreter* interpreter = nullptr;
    int number = 0;
    berth_agent_t* handle = nullptr;
    berth_cancel_t* cancel = nullptr;  // of its wait
    int num_unparks = 0;
    bool has_parked = false;
    Answer answer;  // what the model says at the end of its last park
  };

  // Bytes.
  bool is_over() const { return bytes_ == end_ || num_calls_ >= kMaxCalls; }
  uint32_t next(uint32_t n) { return bytes_ == end_ ? 0 : *bytes_++ % n; }
  template <class T, class Predicate>
  T* choose(const std::vector<std::unique_ptr<T>>& all, Predicate&& fits) {
    std::vector<T*> fitting;
    for (const auto& each : all) {
      if (fits(*each)) fitting.push_back(each.get());
    }
    return fitting.empty() ? nullptr : fitting[next(static_cast<uint32_t>(fitting.size()))];
  }
  Lease* choose_lease() {
    return choose(model_.leases(), [&](const Lease& lease) {
      return handles_.contains(&lease) && (lease.is_live || next(4) == 0);
    });
  }
  Instance* choose_instance() {
    return choose(model_.instances(),
                  [&](const Instance& instance) { return instances_.contains(instance.source); });
  }
  uint64_t choose_world() {
    const uint32_t choice = next(4);
    return choice < 2    ? 0
           : choice == 2 ? 1 + next(static_cast<uint32_t>(model_.world()))
                         : model_.world() + 1;
  }

  // Calls.
  void call();
  void reserve();
  void release(bool with_source);
  void release_error();
  void publish();
  void invalidate();
  void promote();
  void answer_job();
  void answer(int source, berth_job_t* job, bool fails);
  void wait_entry();
  void switch_agent();
  void make_agent(int number);
  void make_or_delete_agent();
  void sweep();
  void cancel();
  void look();
  void drop_reference();
  berth_source_t* make_source(Model::Source& source);
  berth_thread_t* park(AgentHandle& agent);
  void compare_waits();
  void compare_jobs();
  Instance* instance_of(int source) const;
  void finish();

  // Comparing.
  void log(const std::string& text) { log_ += text + "\n"; }
  void expect(bool holds, const std::string& what) {
    if (holds) return;
    std::fprintf(stderr, "%s-> %s\nthe engine: %s\n", log_.c_str(), what.c_str(),
                 berth_engine_explain(engine_));
    std::abort();
  }
  /// Of a fallible call: its code, and the failure's text.
  berth_code_t take(berth_error_t* error, std::string* message = nullptr) {
    const berth_code_t code = berth_error_code(error);
    if (error && message) *message = berth_error_message(error);
    berth_error_delete(error);
    return code;
  }
  void succeed(berth_error_t* error, const char* what) {
    std::string message;
    const bool failed = take(error, &message) != BERTH_OK;
    expect(!failed, std::string(what) + " failed: " + message);
  }
  static berth_key_t key_of(int number) { return {&methods[number / 2], &owners[number % 2]}; }
  void keep_lease(Lease* lease, berth_lease_t handle) { handles_[lease] = handle; }
  int agent() const { return current_; }
  void set_agent(int number) {
    succeed(berth_thread_set_agent(thread_, agents_[number].handle, nullptr), "berth_thread_set_agent");
    current_ = number;
  }
  int runnable_from(uint32_t first) const {
    for (int i = 0; i < kAgents; ++i) {
      const int each = (static_cast<int>(first) + i) % kAgents;
      if (model_.agent(each).exists && !model_.agent(each).is_waiting) return each;
    }
    return -1;
  }

  const uint8_t* bytes_;
  const uint8_t* const end_;
  const bool shares_;
  const uint32_t limit_;
  Model model_;
  berth_engine_t* engine_ = nullptr;
  berth_thread_t* thread_ = nullptr;
  berth_instance_t* scratch_ = nullptr;
  AgentHandle agents_[kAgents];
  int current_ = 0;
  int dead_key_ = -1, dead_guard_ = -1;  // during a sweep
  std::map<const Lease*, berth_lease_t> handles_;
  std::map<int, berth_instance_t*> instances_;   // by source: a reference each
  std::map<berth_instance_t*, int> sources_of_;  // of leases that were given one
  std::map<int, berth_job_t*> jobs_;             // by source: not answered yet
  int num_sources_ = 0, num_failures_ = 0, num_dropped_ = 0, num_opaque_ = 0, num_opaque_dropped_ = 0;
  uint64_t num_outcomes_[4] = {};
  size_t num_calls_ = 0;
  std::string log_;
};

// Of the running interpreter.
int* dropped_count = nullptr;
int* opaque_dropped_count = nullptr;

// The call's answer, which the model gave beforehand or at the end of the last park.
void Interpreter::reserve() {
  const int number = static_cast<int>(next(kKeys));
  const uint64_t world = choose_world();
  const uint32_t flags = next(8);
  // The thread's own agent has no park hooks: it never waits.
  const bool needs_entry = flags & 1, waits = (flags & 6) && agent() != 0, is_fired = waits && flags == 7;
  const int guard = next(4) == 3 ? static_cast<int>(next(kGuards)) : -1;
  AgentHandle& self = agents_[agent()];
  log("agent " + std::to_string(agent()) + " reserves key " + std::to_string(number) + " world " +
      std::to_string(world) + (needs_entry ? " with entry" : "") + (waits ? " waits" : "") +
      (is_fired ? " cancelled" : ""));
  if (waits) succeed(berth_cancel_new(engine_, &self.cancel), "berth_cancel_new");
  if (is_fired) berth_cancel_fire(self.cancel);
  self.has_parked = false;
  self.num_unparks = model_.agent(agent()).num_wakes;
  const Answer first = model_.reserve(agent(), number, world, needs_entry, waits, is_fired, guard);
  berth_reserve_options_t options{};
  options.struct_size = sizeof options;
  options.world = world;
  options.need = needs_entry ? BERTH_NEED_ENTRY : BERTH_NEED_RESULT;
  options.timeout_ns = waits ? -1 : 0;
  options.cancel = self.cancel;
  options.guard = guard >= 0 ? &guards[guard] : nullptr;
  berth_reservation_t got{};
  std::string message;
  const berth_code_t code = take(berth_reserve(thread_, key_of(number), &options, &got), &message);
  expect(agent() == self.number, "another agent is current after the wait");
  expect(self.has_parked == (first.outcome == Outcome::Waits),
         self.has_parked ? "slept, though it need not" : "did not sleep");
  const Answer answer = self.has_parked ? self.answer : first;
  if (self.cancel) berth_cancel_delete(std::exchange(self.cancel, nullptr));

  const auto fails = [&](berth_code_t wanted) {
    expect(code == wanted,
           "code " + std::to_string(code) + " (" + message + ") instead of " + std::to_string(wanted));
  };
  switch (answer.outcome) {
    case Outcome::Failed:
      fails(BERTH_COMPILE_FAILED);
      expect(message.find("failure " + std::to_string(answer.failure) + ".") != std::string::npos,
             "another failure: " + message);
      return;
    case Outcome::TimedOut: return fails(BERTH_TIMED_OUT);
    case Outcome::Cancelled: return fails(BERTH_CANCELLED);
    case Outcome::WouldDeadlock: return fails(BERTH_WOULD_DEADLOCK);
    case Outcome::Exhausted: return fails(BERTH_RESOURCE_EXHAUSTED);
    case Outcome::Unsupported: return fails(BERTH_UNSUPPORTED);
    case Outcome::Waits: return expect(false, "returned, though it should wait");
    default: break;
  }
  fails(BERTH_OK);
  const int outcome = static_cast<int>(answer.outcome);
  expect(static_cast<int>(got.outcome) == outcome,
         "outcome " + std::to_string(got.outcome) + " instead of " + std::to_string(outcome));
  ++num_outcomes_[outcome];
  expect(got.depth == answer.depth,
         "depth " + std::to_string(got.depth) + " instead of " + std::to_string(answer.depth));
  if (answer.outcome == Outcome::Published) {
    const auto known = sources_of_.find(got.published);
    expect(known != sources_of_.end() && known->second == answer.instance->source, "another result");
    if (needs_entry)
      expect(berth_instance_entry(got.published) == &entries[answer.instance->source],
             "another entry, or none");
    berth_instance_release(got.published);
  } else {
    keep_lease(answer.lease, got.lease);
  }
}

berth_source_t* Interpreter::make_source(Model::Source& source) {
  source.number = num_sources_++;
  source.kind = static_cast<Kind>(next(4));
  berth_source_t* made = nullptr;
  const char* const entry = &entries[source.number];
  switch (source.kind) {
    case Kind::ResultOnly: succeed(berth_source_new(&made), "berth_source_new"); break;
    case Kind::Native:
      succeed(berth_source_from_native(const_cast<char*>(entry), &made), "berth_source_from_native");
      break;
    case Kind::Opaque:
      succeed(berth_source_from_opaque(
                  const_cast<char*>(entry), [](void*) { ++*opaque_dropped_count; }, &made),
              "opaque");
      ++num_opaque_;
      source.is_lazy = next(2) == 1;
      berth_source_set_lazy(made, source.is_lazy);
      if (next(2) == 1) berth_source_set_tier(made, BERTH_TIER_FAST);
      break;
    case Kind::Constant:
      succeed(berth_source_from_constant(&source.number, sizeof source.number, &made), "constant");
      break;
  }
  berth_source_set_payload(made, const_cast<char*>(entry), [](void*) { ++*dropped_count; });
  if (next(3) == 2) {
    source.has_worlds = true;
    source.min_world = 1 + next(static_cast<uint32_t>(model_.world()) + 1);
    source.max_world = next(2) == 0 ? kOpen : 1 + next(static_cast<uint32_t>(model_.world()) + 1);
    berth_source_set_worlds(made, source.min_world, source.max_world);
  }
  if (next(3) == 2) {
    if (Instance* callee = choose_instance()) {
      source.callees.push_back(callee);
      berth_source_add_edge(made, instances_[callee->source], nullptr);
    }
  }
  return made;
}

void Interpreter::release(bool with_source) {
  Lease* lease = choose_lease();
  if (!lease || num_sources_ >= static_cast<int>(kMaxSources)) return;
  const berth_lease_t handle = handles_[lease];
  const bool was_live = lease->is_live, had_result = lease->has_result;
  Model::Source source;
  berth_source_t* made = with_source ? make_source(source) : nullptr;
  log("agent " + std::to_string(agent()) + " releases a lease of agent " + std::to_string(lease->agent) +
      " on key " + std::to_string(lease->key) +
      (with_source ? " with source " + std::to_string(source.number) : "") + (was_live ? "" : ", stale"));
  if (with_source && was_live && !had_result) {
    berth_instance_retain(handle.instance);
    sources_of_[handle.instance] = source.number;
    instances_[source.number] = handle.instance;
  }
  model_.release(*lease, with_source ? &source : nullptr);
  const berth_code_t code = take(berth_release(thread_, handle, made));
  expect(code == (was_live ? BERTH_OK : BERTH_STALE_LEASE), "release gave code " + std::to_string(code));
}

void Interpreter::release_error() {
  Lease* lease = choose_lease();
  if (!lease) return;
  const bool stays = next(2) == 1, was_live = lease->is_live;
  const int number = num_failures_++;
  log("agent " + std::to_string(agent()) + " fails a lease of agent " + std::to_string(lease->agent) +
      " on key " + std::to_string(lease->key) + (stays ? " for ever" : " once") +
      (was_live ? "" : ", stale"));
  const std::string message = "failure " + std::to_string(number) + ".";
  model_.release_error(*lease, stays, number);
  const berth_code_t code =
      take(berth_release_error(thread_, handles_[lease], message.c_str(), stays ? -1 : 0));
  expect(code == (was_live ? BERTH_OK : BERTH_STALE_LEASE),
         "release_error gave code " + std::to_string(code));
}

void Interpreter::publish() {
  std::vector<Lease*> leases;
  for (uint32_t i = 0, n = 1 + next(2); i < n; ++i) {
    Lease* lease = choose_lease();
    if (lease && std::find(leases.begin(), leases.end(), lease) == leases.end()) leases.push_back(lease);
  }
  if (leases.empty() || num_sources_ + 2 >= static_cast<int>(kMaxSources)) return;
  std::vector<Model::Source> sources(leases.size());
  std::vector<berth_source_t*> made;
  std::vector<berth_lease_t> handles;
  berth_code_t wanted = BERTH_OK;
  for (const Lease* lease : leases) {
    if (wanted == BERTH_OK && !lease->is_live) wanted = BERTH_STALE_LEASE;
    if (wanted == BERTH_OK && lease->has_result) wanted = BERTH_INVALID_ARGUMENT;
  }
  for (size_t i = 0; i < leases.size(); ++i) {
    made.push_back(make_source(sources[i]));
    handles.push_back(handles_[leases[i]]);
    log("publishes source " + std::to_string(sources[i].number) + " on key " +
        std::to_string(leases[i]->key));
  }
  if (wanted == BERTH_OK) {
    for (size_t i = 0; i < leases.size(); ++i) {
      berth_instance_retain(handles[i].instance);
      sources_of_[handles[i].instance] = sources[i].number;
      instances_[sources[i].number] = handles[i].instance;
    }
  }
  model_.publish(leases, sources);
  const berth_code_t code = take(berth_publish(thread_, handles.data(), made.data(), leases.size()));
  expect(code == wanted, "publish gave code " + std::to_string(code));
}

void Interpreter::invalidate() {
  Instance* instance = choose_instance();
  if (!instance) return;
  const uint64_t max_world = next(static_cast<uint32_t>(model_.world()) + 1);
  log("invalidates source " + std::to_string(instance->source) + " to world " + std::to_string(max_world));
  model_.invalidate(*instance, max_world);
  succeed(berth_instance_invalidate(engine_, instances_[instance->source], max_world), "invalidate");
}

void Interpreter::promote() {
  Instance* instance = choose_instance();
  if (!instance) return;
  const uint64_t validated = model_.world() - (next(4) == 3 ? 1 : 0);
  log("promotes source " + std::to_string(instance->source) + " validated in " + std::to_string(validated));
  const bool wanted = model_.promote(*instance, validated);
  int promoted = -1;
  berth_instance_t* const handle = instances_[instance->source];
  succeed(berth_instance_promote(engine_, &handle, 1, validated, &promoted), "promote");
  expect(promoted == static_cast<int>(wanted), promoted ? "promoted, though it may not" : "not promoted");
}

void Interpreter::answer(int source, berth_job_t* job, bool fails) {
  Instance* instance = instance_of(source);
  const int number = fails ? num_failures_++ : -1;
  log(std::string(fails ? "fails" : "publishes") + " the job of source " + std::to_string(source));
  if (instance) model_.compiled(*instance, number);
  jobs_.erase(source);
  if (fails) {
    berth_job_fail(job, ("failure " + std::to_string(number) + ".").c_str());
  } else {
    berth_job_publish(job, const_cast<char*>(&entries[source]), nullptr);
  }
}

void Interpreter::answer_job() {
  if (jobs_.empty()) return;
  auto chosen = jobs_.begin();
  std::advance(chosen, next(static_cast<uint32_t>(jobs_.size())));
  answer(chosen->first, chosen->second, next(4) == 3);
}

void Interpreter::wait_entry() {
  Instance* instance = choose_instance();
  if (!instance) return;
  log("asks for the entry of source " + std::to_string(instance->source));
  const Outcome outcome = model_.wait_entry(*instance);
  void* entry = nullptr;
  const berth_code_t code = take(berth_instance_wait_entry(thread_, instances_[instance->source], 0, &entry));
  const berth_code_t wanted = outcome == Outcome::Published     ? BERTH_OK
                              : outcome == Outcome::Unsupported ? BERTH_UNSUPPORTED
                              : outcome == Outcome::Reserved    ? BERTH_NOT_FOUND
                              : outcome == Outcome::Failed      ? BERTH_COMPILE_FAILED
                                                                : BERTH_TIMED_OUT;
  expect(code == wanted,
         "wait_entry gave code " + std::to_string(code) + " instead of " + std::to_string(wanted));
  if (code == BERTH_OK) expect(entry == &entries[instance->source], "another entry");
}

Instance* Interpreter::instance_of(int source) const {
  for (const auto& each : model_.instances()) {
    if (each->source == source) return each.get();
  }
  return nullptr;
}

// Every demanded compile has its job, and no other has one; of an instance that is gone the job is still to
// be answered.
void Interpreter::compare_jobs() {
  for (const auto& each : model_.instances()) {
    if (each->kind != Kind::Opaque || !each->is_linked) continue;
    expect(jobs_.contains(each->source) == (each->compile == Compile::Pending),
           "source " + std::to_string(each->source) +
               (jobs_.contains(each->source) ? " has a job" : " has no job"));
  }
}

void Interpreter::switch_agent() {
  const int other = runnable_from(next(kAgents));
  if (other >= 0) set_agent(other);
}

void Interpreter::make_agent(int number) {
  AgentHandle& agent = agents_[number];
  log("makes agent " + std::to_string(number));
  succeed(berth_agent_new(engine_, "fuzzed", &agent.handle), "berth_agent_new");
  const berth_park_hooks_t hooks = {sizeof hooks,
                                    [](void* context, berth_thread_t*, int64_t) {
                                      auto& self = *static_cast<AgentHandle*>(context);
                                      return self.interpreter->park(self);
                                    },
                                    [](void* context) { ++static_cast<AgentHandle*>(context)->num_unparks; }};
  berth_agent_set_park_hooks(agent.handle, &hooks, &agent);
  model_.make_agent(number);
}

void Interpreter::make_or_delete_agent() {
  const int number = 1 + static_cast<int>(next(kAgents - 1));
  AgentHandle& other = agents_[number];
  if (!model_.agent(number).exists) {
    make_agent(number);
  } else if (number != agent() && !model_.agent(number).is_waiting && next(4) == 3) {
    log("deletes agent " + std::to_string(number));
    model_.delete_agent(number);
    berth_agent_delete(std::exchange(other.handle, nullptr));
  }
}

void Interpreter::sweep() {
  const uint32_t choice = next(kKeys + kGuards);
  dead_key_ = choice < kKeys ? static_cast<int>(choice) : -1;
  dead_guard_ = choice < kKeys ? -1 : static_cast<int>(choice - kKeys);
  log(dead_key_ >= 0 ? "sweeps key " + std::to_string(dead_key_)
                     : "sweeps guard " + std::to_string(dead_guard_));
  // A method or owner stands for two keys: both are dead, or it is the guard.
  if (dead_key_ >= 0) {
    for (int i = 0; i < kKeys; ++i) {
      if (key_of(i).method == key_of(dead_key_).method) model_.sweep(i, -1);
    }
  } else {
    model_.sweep(-1, dead_guard_);
  }
  berth_engine_sweep(engine_);
  dead_key_ = dead_guard_ = -1;
}

void Interpreter::cancel() {
  for (AgentHandle& each : agents_) {
    if (!each.cancel || !model_.agent(each.number).is_waiting || model_.agent(each.number).is_cancelled)
      continue;
    log("cancels agent " + std::to_string(each.number));
    model_.cancel(each.number);
    berth_cancel_fire(each.cancel);
    return;
  }
}

void Interpreter::look() {
  const int number = static_cast<int>(next(kKeys));
  const uint64_t world = choose_world();
  log("looks up key " + std::to_string(number) + " world " + std::to_string(world));
  const Instance* wanted = model_.lookup(number, world);
  berth_instance_t* found = berth_lookup(engine_, key_of(number), world);
  expect(!found == !wanted, found ? "found a result, there is none" : "found no result");
  if (found) {
    expect(sources_of_[found] == wanted->source, "found another result");
    expect(berth_instance_payload(found) == &entries[wanted->source], "another payload");
    berth_instance_release(found);
  }
  const Instance* with_entry = model_.lookup_entry(number, world);
  void* entry = berth_lookup_entry(engine_, key_of(number), world);
  expect(entry == (with_entry ? &entries[with_entry->source] : nullptr), "another entry");
  const int held = berth_holds(thread_, key_of(number));
  expect(held == static_cast<int>(model_.num_leases_on(agent(), number)),
         "holds " + std::to_string(held) + " leases");
}

// Of a result that nobody calls: with a caller its edges would go at a moment that is the engine's business.
void Interpreter::drop_reference() {
  Instance* instance = choose_instance();
  if (!instance || !instance->callers.empty()) return;
  log("drops the reference to source " + std::to_string(instance->source));
  berth_instance_release(instances_[instance->source]);
  instances_.erase(instance->source);
}

void Interpreter::call() {
  ++num_calls_;
  switch (next(24)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4: reserve(); break;
    case 5:
    case 6: release(false); break;
    case 7:
    case 8:
    case 9: release(true); break;
    case 10: release_error(); break;
    case 11: publish(); break;
    case 12: invalidate(); break;
    case 13: promote(); break;
    case 14:
      log("advances the world");
      model_.advance_world();
      berth_engine_advance_world(engine_);
      break;
    case 15: switch_agent(); break;
    case 16: make_or_delete_agent(); break;
    case 17: next(3) ? cancel() : sweep(); break;
    case 18: look(); break;
    case 19:
    case 20:
    case 21: answer_job(); break;
    case 22: wait_entry(); break;
    default: drop_reference(); break;
  }
  // What lost its last reference goes now; a sweep leaves the ends of leases to such a call.
  berth_instance_retain(scratch_);
  berth_instance_release(scratch_);
  compare_waits();
  compare_jobs();
}

// Each service and each cancel wakes its agent once, and nothing else does.
void Interpreter::compare_waits() {
  for (const AgentHandle& each : agents_) {
    if (!model_.agent(each.number).is_waiting) continue;
    expect(each.num_unparks == model_.agent(each.number).num_wakes,
           "agent " + std::to_string(each.number) + " was woken " + std::to_string(each.num_unparks) +
               " times in all instead of " + std::to_string(model_.agent(each.number).num_wakes));
  }
}

berth_thread_t* Interpreter::park(AgentHandle& self) {
  expect(agent() == self.number, "an agent parks that is not current");
  const Agent& state = model_.agent(self.number);
  expect(state.is_waiting, "an agent parks that need not wait");
  self.has_parked = true;
  log("agent " + std::to_string(self.number) + " parks");
  for (;;) {
    const bool may_return = state.service != Service::None || state.is_cancelled;
    const int other = runnable_from(is_over() ? 0 : next(kAgents));
    if (may_return && (other < 0 || is_over() || next(2) == 0)) break;
    if (!may_return && (other < 0 || is_over())) {
      // Nobody is left who would serve it.
      log("cancels agent " + std::to_string(self.number) + " at last");
      model_.cancel(self.number);
      berth_cancel_fire(self.cancel);
      break;
    }
    if (!may_return && next(16) == 15) break;  // wakes for no reason
    set_agent(other);
    call();
  }
  set_agent(self.number);
  log("agent " + std::to_string(self.number) + " wakes");
  self.answer = model_.resume(self.number);
  return thread_;
}

void Interpreter::finish() {
  while (!jobs_.empty()) answer(jobs_.begin()->first, jobs_.begin()->second, false);
  for (const auto& [lease, handle] : handles_) {
    if (!lease->is_live) continue;
    model_.release(const_cast<Lease&>(*lease), nullptr);
    succeed(berth_release(thread_, handle, nullptr), "the last release");
  }
  berth_engine_counts_t counts{};
  counts.struct_size = sizeof counts;
  berth_engine_counts(engine_, &counts);
  const uint64_t theirs[] = {counts.published, counts.reserved, counts.cycle, counts.reentrant};
  for (size_t i = 0; i < 4; ++i) {
    expect(theirs[i] == num_outcomes_[i] + (i == 1 ? 1 : 0),  // the scratch key
           "the engine counts " + std::to_string(theirs[i]) + " of outcome " + std::to_string(i));
  }
  char* metrics = berth_engine_metrics(engine_);
  const std::string text = metrics;
  berth_string_delete(metrics);
  for (const char* gauge : {"\nberth_leases 0\n", "\nberth_waiters 0\n"})
    expect(text.find(gauge) != std::string::npos, "not at rest: " + text);
}

size_t Interpreter::run() {
  dropped_count = &num_dropped_;
  opaque_dropped_count = &num_opaque_dropped_;
  berth_gc_hooks_t hooks{};
  hooks.struct_size = sizeof hooks;
  hooks.is_live = [](void* context, const void* object) -> int {
    const auto& self = *static_cast<const Interpreter*>(context);
    if (self.dead_key_ >= 0) return object != key_of(self.dead_key_).method;
    return object != &guards[self.dead_guard_];
  };
  berth_config_t* config = berth_config_new();
  berth_config_set_gc_hooks(config, &hooks, this);
  berth_compiler_hooks_t compiler{};
  compiler.struct_size = sizeof compiler;
  compiler.submit = [](void* context, berth_job_t* job) {
    auto& self = *static_cast<Interpreter*>(context);
    const auto source = static_cast<int>(static_cast<const char*>(berth_job_source(job)) - entries);
    self.expect(self.jobs_.emplace(source, job).second, "a second job of source " + std::to_string(source));
  };
  berth_config_set_compiler_hooks(config, &compiler, this);
  berth_config_set_cycle_policy(config, shares_ ? BERTH_CYCLE_SHARE : BERTH_CYCLE_REFUSE);
  berth_config_set_reentry_limit(config, limit_);
  succeed(berth_engine_new(config, &engine_), "berth_engine_new");
  berth_config_delete(config);
  succeed(berth_thread_attach(engine_, &thread_), "berth_thread_attach");
  for (int i = 0; i < kAgents; ++i) agents_[i] = {this, i, nullptr, nullptr, 0, false, {}};
  // Something whose release makes the engine tidy up.
  static const char scratch_method = 0;
  berth_reservation_t reservation{};
  succeed(berth_reserve(thread_, {&scratch_method, nullptr}, nullptr, &reservation), "the scratch key");
  scratch_ = reservation.lease.instance;
  berth_instance_retain(scratch_);
  berth_source_t* scratch = nullptr;
  succeed(berth_source_new(&scratch), "berth_source_new");
  succeed(berth_release(thread_, reservation.lease, scratch), "the scratch key");
  for (int i = 1; i < kAgents; ++i) make_agent(i);
  set_agent(1);
  while (!is_over()) call();
  finish();
  set_agent(0);
  for (AgentHandle& each : agents_) berth_agent_delete(each.handle);
  for (const auto& [source, instance] : instances_) berth_instance_release(instance);
  berth_instance_release(scratch_);
  berth_thread_detach(thread_);
  berth_engine_delete(engine_);
  engine_ = nullptr;
  if (num_dropped_ != num_sources_ || num_opaque_dropped_ != num_opaque_) {
    std::fprintf(stderr, "%s-> %d payloads were dropped of %d, %d opaque sources of %d\n", log_.c_str(),
                 num_dropped_, num_sources_, num_opaque_dropped_, num_opaque_);
    std::abort();
  }
  return num_calls_;
}

}  // namespace

size_t interpret(const uint8_t* bytes, size_t size) { return Interpreter(bytes, size).run(); }

}  // namespace berth::fuzz
