// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Model: what the contract "reservations" says of a sequence of calls, for one native thread and several
// agents. Slow and plain on purpose: vectors, no locks, no words with bits. The fuzzer makes each call on an
// engine and on this, and compares.
//
// What one call at a time cannot show (races) is left out: leases do not time out, failures stay or do not.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace berth::fuzz {

constexpr uint64_t kOpen = UINT64_MAX;

enum class Kind : uint8_t { ResultOnly, Native, Constant, Opaque };
/// Of an opaque source: a lazy one waits for a demand, a pending one for its job's answer.
enum class Compile : uint8_t { Lazy, Pending, Done, Failed };
enum class Outcome : uint8_t {
  Published,
  Reserved,
  Cycle,
  Reentrant,
  Failed,
  TimedOut,
  Cancelled,
  WouldDeadlock,
  Exhausted,
  Unsupported,
  Waits
};

/// A result that was linked.
struct Instance {
  int source = 0, key = 0;
  Kind kind = Kind::ResultOnly;
  uint64_t min_world = 0, max_world = 0;
  bool is_linked = true, was_promoted = false, was_invalidated = false;
  Compile compile = Compile::Lazy;  // Opaque only, as the next two
  int failure = 0;
  std::vector<int> queue;  // agents that wait for the entry, by arrival
  std::vector<Instance*> callees, callers;
};

struct Failure {
  int number = 0;
  uint64_t min_world = 0, max_world = 0;
  bool covers(uint64_t world) const { return min_world <= world && world <= max_world; }
};

struct Lease {
  int agent = 0, key = 0;
  uint64_t world = 0;
  bool is_registered = false, is_live = true;
  int guard = -1;           // -1: none
  bool has_result = false;  // published, even as a duplicate: there is nothing left to fail or publish
};

/// How a waiting agent was served; None: not yet.
enum class Service : uint8_t { None, Handed, Result, Failed, LookAgain };

struct Agent {
  bool exists = false, is_lifted = false;
  // While it waits.
  bool is_waiting = false, is_queued = false, is_cancelled = false, needs_entry = false;
  int key = 0, guard = -1;
  uint64_t world = 0;
  Instance* target = nullptr;  // while queued: whose entry it waits for; null: the key
  Service service = Service::None;
  Instance* result = nullptr;
  Lease* handed = nullptr;
  int failure = 0, num_wakes = 0;
};

struct Key {
  Lease* holder = nullptr;
  std::vector<int> queue;            // agents, by arrival
  std::vector<Instance*> instances;  // newest first
  std::optional<Failure> failure;
};

struct Answer {
  Outcome outcome = Outcome::Waits;
  Instance* instance = nullptr;  // Published
  Lease* lease = nullptr;        // the three kinds of Reserved
  uint32_t depth = 0;
  int failure = 0;  // Failed
};

class Model {
 public:
  Model(int agents, int keys, bool shares_cycles, uint32_t reentry_limit)
      : agents_(static_cast<size_t>(agents)),
        keys_(static_cast<size_t>(keys)),
        shares_cycles_(shares_cycles),
        reentry_limit_(reentry_limit) {
    agents_[0].exists = true;
  }

  // Calls.

  /// `waits`: for ever, else not at all. Outcome::Waits: the agent is queued; resume() says how it ends.
  Answer reserve(int agent, int key, uint64_t world, bool needs_entry, bool waits, bool is_cancelled,
                 int guard) {
    if (world == 0) world = world_;
    Key& place = keys_[static_cast<size_t>(key)];
    const Look look = this->look(place, world, needs_entry);
    if (look.find == Find::Hit) return published(look.instance);
    if (look.find == Find::Nothing && !place.holder) {
      if (place.failure && place.failure->covers(world)) return failed(place.failure->number);
      return reserved(Outcome::Reserved, agent, key, world, guard, 0);
    }
    if (look.find == Find::Nothing) {
      if (const uint32_t depth = num_leases_on(agent, key)) {
        if (depth > reentry_limit_) return {Outcome::Exhausted, nullptr, nullptr, 0, 0};
        return reserved(Outcome::Reentrant, agent, key, world, guard, depth);
      }
    }
    Agent& self = agents_[static_cast<size_t>(agent)];
    self.key = key;
    self.world = world;
    self.needs_entry = needs_entry;
    self.guard = guard;
    self.is_cancelled = is_cancelled;
    self.service = Service::None;
    return wait(agent, waits);
  }

  /// The waiting agent looks again: it was served, cancelled, or wakes for no reason.
  Answer resume(int agent) {
    Agent& self = agents_[static_cast<size_t>(agent)];
    const Service service = std::exchange(self.service, Service::None);
    if (service == Service::Result) return done(self, published(self.result));
    if (service == Service::Failed) return done(self, failed(self.failure));
    if (service == Service::Handed) {
      const Look look = this->look(keys_[static_cast<size_t>(self.key)], self.world, self.needs_entry);
      if (look.find == Find::Nothing) return done(self, {Outcome::Reserved, nullptr, self.handed, 0, 0});
      // A result came meanwhile: the key is given back, unless a sweep took it.
      give(*self.handed);
      if (look.find == Find::Hit) return done(self, published(look.instance));
    }
    return wait(agent, true);
  }
  void cancel(int agent) {
    agents_[static_cast<size_t>(agent)].is_cancelled = true;
    ++agents_[static_cast<size_t>(agent)].num_wakes;
  }

  struct Source {
    int number = 0;
    Kind kind = Kind::ResultOnly;
    bool has_worlds = false, is_lazy = false;
    uint64_t min_world = 0, max_world = 0;
    std::vector<Instance*> callees;
  };
  /// Null: without result. Returns whether the lease was live.
  bool release(Lease& lease, const Source* source) {
    if (!lease.is_live) return false;
    lease.is_live = false;
    if (source && !lease.has_result) {
      link(lease, *source);
      pass(keys_[static_cast<size_t>(lease.key)]);
    }
    give(lease);
    ended(lease);
    return true;
  }
  bool release_error(Lease& lease, bool stays, int number) {
    if (!lease.is_live) return false;
    lease.is_live = false;
    Key& place = keys_[static_cast<size_t>(lease.key)];
    if (place.holder == &lease && !lease.has_result) {
      const Failure failure{number, lease.world, std::max(lease.world, world_)};
      if (stays) place.failure = failure;
      for (const int each : std::vector<int>(place.queue)) {
        if (failure.covers(agents_[static_cast<size_t>(each)].world)) {
          serve(each, Service::Failed);
          agents_[static_cast<size_t>(each)].failure = number;
        }
      }
    }
    give(lease);
    ended(lease);
    return true;
  }
  /// Leases stay. False: one is stale or has its result already; nothing happens.
  bool publish(const std::vector<Lease*>& leases, const std::vector<Source>& sources) {
    for (const Lease* lease : leases) {
      if (!lease->is_live || lease->has_result) return false;
    }
    for (size_t i = 0; i < leases.size(); ++i) link(*leases[i], sources[i]);
    for (size_t i = 0; i < leases.size(); ++i) pass(keys_[static_cast<size_t>(leases[i]->key)]);
    return true;
  }
  void invalidate(Instance& instance, uint64_t max_world) {
    std::vector<Instance*> open{&instance};
    while (!open.empty()) {
      Instance& each = *open.back();
      open.pop_back();
      if (!each.is_linked || each.max_world <= max_world) continue;
      each.max_world = max_world;
      each.was_invalidated = true;
      if (each.max_world < each.min_world) {
        unlink(each);
      } else {
        for (const int waiter : std::vector<int>(each.queue)) {
          if (agents_[static_cast<size_t>(waiter)].world > max_world) serve(waiter, Service::LookAgain);
        }
      }
      open.insert(open.end(), each.callers.begin(), each.callers.end());
    }
  }
  bool promote(Instance& instance, uint64_t validated) {
    if (validated != world_ || !instance.is_linked) return false;
    if (instance.max_world != kOpen && (instance.was_promoted || instance.was_invalidated)) return false;
    for (const Instance* callee : instance.callees) {
      if (callee->max_world != kOpen && callee != &instance) return false;
    }
    instance.was_promoted = true;
    instance.max_world = kOpen;
    return true;
  }
  void advance_world() { ++world_; }
  /// The compiler answers the instance's job; number of the failure, -1: none.
  void compiled(Instance& instance, int failure) {
    if (!instance.is_linked) return;
    instance.compile = failure < 0 ? Compile::Done : Compile::Failed;
    instance.failure = failure;
    for (const int each : std::vector<int>(instance.queue)) {
      serve(each, failure < 0 ? Service::Result : Service::Failed);
      agents_[static_cast<size_t>(each)].result = &instance;
      agents_[static_cast<size_t>(each)].failure = failure;
    }
  }
  /// What berth_instance_wait_entry says that does not wait: Published: there is an entry; Reserved: there
  /// never will be.
  Outcome wait_entry(Instance& instance) {
    if (instance.kind == Kind::Native || (instance.kind == Kind::Opaque && instance.compile == Compile::Done))
      return Outcome::Published;
    if (instance.kind == Kind::Constant) return Outcome::Unsupported;
    if (instance.kind == Kind::ResultOnly || !instance.is_linked) return Outcome::Reserved;
    if (instance.compile == Compile::Failed) return Outcome::Failed;
    demand(instance);
    return Outcome::TimedOut;
  }
  void make_agent(int agent) {
    agents_[static_cast<size_t>(agent)] = Agent{};
    agents_[static_cast<size_t>(agent)].exists = true;
  }
  void delete_agent(int agent) {
    for (size_t i = 0; i < leases_.size(); ++i) {  // an heir's lease joins them
      Lease& lease = *leases_[i];
      if (lease.agent == agent && lease.is_live) abandon(lease);
    }
    agents_[static_cast<size_t>(agent)].exists = false;
  }
  /// The sweep finds the key or the guard dead; -1: none.
  void sweep(int dead_key, int dead_guard) {
    const auto is_dead = [&](const Lease& lease) {
      return lease.is_live && (lease.key == dead_key || (dead_guard >= 0 && lease.guard == dead_guard));
    };
    for (Key& place : keys_) {
      if (place.holder && is_dead(*place.holder))
        abandon(*place.holder);  // its heir, if any, is not looked at
    }
    for (const auto& lease : leases_) {
      if (!lease->is_registered && is_dead(*lease)) abandon(*lease);
    }
    if (dead_key < 0) return;
    Key& dead = keys_[static_cast<size_t>(dead_key)];
    while (!dead.instances.empty()) unlink(*dead.instances.front());
    dead.failure.reset();
  }

  // Questions.

  const Instance* lookup(int key, uint64_t world) const {
    const Look look = this->look(keys_[static_cast<size_t>(key)], world ? world : world_, false);
    return look.find == Find::Hit ? look.instance : nullptr;
  }
  const Instance* lookup_entry(int key, uint64_t world) const {
    const Look look = this->look(keys_[static_cast<size_t>(key)], world ? world : world_, true);
    return look.find == Find::Hit ? look.instance : nullptr;
  }
  uint32_t num_leases_on(int agent, int key) const {
    return static_cast<uint32_t>(std::count_if(leases_.begin(), leases_.end(), [&](const auto& lease) {
      return lease->is_live && lease->agent == agent && lease->key == key;
    }));
  }
  uint64_t world() const { return world_; }
  const Agent& agent(int number) const { return agents_[static_cast<size_t>(number)]; }
  const std::vector<std::unique_ptr<Lease>>& leases() const { return leases_; }
  const std::vector<std::unique_ptr<Instance>>& instances() const { return instances_; }

 private:
  enum class Find : uint8_t { Nothing, Hit, NoEntry, Failed, Target };
  struct Look {
    Find find = Find::Nothing;
    Instance* instance = nullptr;
  };
  static Look look(const Key& place, uint64_t world, bool needs_entry) {
    for (Instance* each : place.instances) {
      if (world < each->min_world || world > each->max_world) continue;
      if (!needs_entry || each->kind == Kind::Native) return {Find::Hit, each};
      if (each->kind == Kind::Constant) return {Find::NoEntry, each};
      if (each->kind != Kind::Opaque) continue;
      return {each->compile == Compile::Done     ? Find::Hit
              : each->compile == Compile::Failed ? Find::Failed
                                                 : Find::Target,
              each};
    }
    return {};
  }

  static Answer published(Instance* instance) { return {Outcome::Published, instance, nullptr, 0, 0}; }
  static Answer failed(int number) { return {Outcome::Failed, nullptr, nullptr, 0, number}; }
  Answer done(Agent& agent, Answer answer) {
    agent.is_waiting = false;
    lapse(static_cast<int>(&agent - agents_.data()));
    return answer;
  }
  // Nobody waits for an agent without leases; a wait counts as one, since its token is there.
  void lapse(int agent) {
    Agent& self = agents_[static_cast<size_t>(agent)];
    const bool has_lease = std::any_of(leases_.begin(), leases_.end(), [&](const auto& each) {
      return each->is_live && each->agent == agent;
    });
    if (!has_lease && !self.is_waiting) self.is_lifted = false;
  }
  Answer reserved(Outcome outcome, int agent, int key, uint64_t world, int guard, uint32_t depth) {
    const bool is_registered = outcome == Outcome::Reserved;
    Lease* lease = leases_
                       .emplace_back(std::make_unique<Lease>(
                           Lease{agent, key, world, is_registered, true, guard, false}))
                       .get();
    if (is_registered) keys_[static_cast<size_t>(key)].holder = lease;
    return {outcome, nullptr, lease, depth, 0};
  }

  Answer wait(int agent, bool waits) {
    Agent& self = agents_[static_cast<size_t>(agent)];
    Key& place = keys_[static_cast<size_t>(self.key)];
    const auto leave = [&](Answer answer) {
      unqueue(agent);
      return done(self, answer);
    };
    const Look look = this->look(place, self.world, self.needs_entry);
    if (look.find == Find::Hit) return leave(published(look.instance));
    if (look.find == Find::NoEntry) return leave({Outcome::Unsupported, nullptr, nullptr, 0, 0});
    if (look.find == Find::Failed) return leave(failed(look.instance->failure));
    if (look.find == Find::Target) {
      if (self.is_cancelled) return leave({Outcome::Cancelled, nullptr, nullptr, 0, 0});
      demand(*look.instance);
      if (!waits) return leave({Outcome::TimedOut, nullptr, nullptr, 0, 0});
      if (self.is_queued && self.target == look.instance) return {Outcome::Waits, nullptr, nullptr, 0, 0};
      unqueue(agent);
      self.is_waiting = true;
      enqueue(agent, look.instance);
      return {Outcome::Waits, nullptr, nullptr, 0, 0};
    }
    if (place.failure && place.failure->covers(self.world)) return leave(failed(place.failure->number));
    if (self.is_cancelled) return leave({Outcome::Cancelled, nullptr, nullptr, 0, 0});
    if (!place.holder) return leave(reserved(Outcome::Reserved, agent, self.key, self.world, self.guard, 0));
    if (!waits) return leave({Outcome::TimedOut, nullptr, nullptr, 0, 0});
    if (self.is_queued && !self.target) return {Outcome::Waits, nullptr, nullptr, 0, 0};
    unqueue(agent);
    // Whoever waits for a key waits for its holder: a ring, or a chain to one who works, lifted by us.
    for (int holder = place.holder->agent;;) {
      if (holder == agent) {
        if (!shares_cycles_) return done(self, {Outcome::WouldDeadlock, nullptr, nullptr, 0, 0});
        return done(self, reserved(Outcome::Cycle, agent, self.key, self.world, self.guard, 0));
      }
      const Agent& next = agents_[static_cast<size_t>(holder)];
      if (!next.is_queued || next.target) break;  // nobody's agent runs a compile here
      holder = keys_[static_cast<size_t>(next.key)].holder->agent;
    }
    for (int holder = place.holder->agent;;) {
      Agent& next = agents_[static_cast<size_t>(holder)];
      next.is_lifted = true;
      if (!next.is_queued || next.target) break;
      holder = keys_[static_cast<size_t>(next.key)].holder->agent;
    }
    self.is_waiting = true;
    enqueue(agent, nullptr);
    return {Outcome::Waits, nullptr, nullptr, 0, 0};
  }

  std::vector<int>& queue_of(const Agent& agent) {
    return agent.target ? agent.target->queue : keys_[static_cast<size_t>(agent.key)].queue;
  }
  void enqueue(int agent, Instance* target) {
    Agent& self = agents_[static_cast<size_t>(agent)];
    self.target = target;
    self.is_queued = true;
    queue_of(self).push_back(agent);
  }
  void unqueue(int agent) {
    Agent& self = agents_[static_cast<size_t>(agent)];
    if (!std::exchange(self.is_queued, false)) return;
    std::erase(queue_of(self), agent);
  }
  static void demand(Instance& instance) {
    if (instance.compile == Compile::Lazy) instance.compile = Compile::Pending;
  }
  void serve(int agent, Service service) {
    unqueue(agent);
    agents_[static_cast<size_t>(agent)].service = service;
    ++agents_[static_cast<size_t>(agent)].num_wakes;
  }

  // Those whom a result fits are served, wherever it came from.
  void pass(Key& place) {
    for (const int each : std::vector<int>(place.queue)) {
      Agent& waiter = agents_[static_cast<size_t>(each)];
      const Look look = this->look(place, waiter.world, waiter.needs_entry);
      if (look.find == Find::Nothing) continue;
      if (look.find == Find::Target) {  // from now on it waits for the compile
        demand(*look.instance);
        unqueue(each);
        enqueue(each, look.instance);
        continue;
      }
      serve(each, look.find == Find::Hit ? Service::Result : Service::LookAgain);
      waiter.result = look.instance;
    }
  }
  // If it is the key's: to the first waiter whose leases others wait for, else to the first.
  void give(Lease& lease) {
    Key& place = keys_[static_cast<size_t>(lease.key)];
    if (place.holder != &lease) return;
    lease.is_live = false;
    place.holder = nullptr;
    if (place.queue.empty()) return;
    const auto lifted = std::find_if(place.queue.begin(), place.queue.end(),
                                     [&](int each) { return agents_[static_cast<size_t>(each)].is_lifted; });
    const int next = lifted == place.queue.end() ? place.queue.front() : *lifted;
    serve(next, Service::Handed);
    Agent& heir = agents_[static_cast<size_t>(next)];
    heir.handed = reserved(Outcome::Reserved, next, heir.key, heir.world, heir.guard, 0).lease;
  }
  void abandon(Lease& lease) {
    lease.is_live = false;
    give(lease);
    ended(lease);
  }
  void ended(const Lease& lease) { lapse(lease.agent); }

  void link(Lease& lease, const Source& source) {
    lease.has_result = true;
    Key& place = keys_[static_cast<size_t>(lease.key)];
    uint64_t low = source.has_worlds ? source.min_world : lease.world;
    uint64_t high = source.has_worlds ? source.max_world : kOpen;
    if (high == kOpen && world_ != lease.world) high = lease.world;
    uint64_t limit = kOpen;
    for (const Instance* callee : source.callees) limit = std::min(limit, callee->max_world);
    if (limit != kOpen) high = std::min(high, high == kOpen ? std::min(lease.world, limit) : limit);
    if (high < low) return;
    for (const Instance* other : place.instances) {
      if (other->kind == Kind::Opaque && other->compile == Compile::Failed) continue;
      if ((other->kind != Kind::ResultOnly || source.kind == Kind::ResultOnly) && other->min_world <= low &&
          other->max_world >= high) {
        return;  // a duplicate
      }
    }
    auto made = std::make_unique<Instance>();
    made->source = source.number;
    made->compile = source.is_lazy ? Compile::Lazy : Compile::Pending;
    made->key = lease.key;
    made->kind = source.kind;
    made->min_world = low;
    made->max_world = high;
    made->callees = source.callees;
    for (Instance* callee : source.callees) callee->callers.push_back(made.get());
    place.instances.insert(place.instances.begin(), made.get());
    if (place.failure && place.failure->max_world >= low) place.failure.reset();
    instances_.push_back(std::move(made));
  }
  void unlink(Instance& instance) {
    instance.is_linked = false;
    for (const int each : std::vector<int>(instance.queue)) serve(each, Service::LookAgain);
    std::erase(keys_[static_cast<size_t>(instance.key)].instances, &instance);
  }

  std::vector<Agent> agents_;
  std::vector<Key> keys_;
  std::vector<std::unique_ptr<Lease>> leases_;
  std::vector<std::unique_ptr<Instance>> instances_;
  const bool shares_cycles_;
  const uint32_t reentry_limit_;
  uint64_t world_ = 1;
};

}  // namespace berth::fuzz
