// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can be asked (2.9): explain, metrics, counts.
#include <fmt/format.h>

#include "engine/engine_impl.hpp"
#include "support/latch.hpp"
#include "support/mutant.hpp"

namespace berth::engine {
namespace {

struct KeyReport {
  Key key{};
  std::string label, holder;
  int64_t held_ns = 0;
  bool is_compiling = false;
  std::vector<std::pair<std::string, int64_t>> waiters;
};

void add_waiters(KeyReport& report, const Waiter* head, int64_t now_ns) {
  const Waiter* waiter = head;
  while (waiter) {
    report.waiters.emplace_back(waiter->agent->name, now_ns - waiter->since_ns);
    waiter = waiter->next == head ? nullptr : waiter->next;
  }
}

void append(std::string& json, const KeyReport& report) {
  json += fmt::format("{{\"key\":{{\"method\":\"0x{:x}\",\"owner\":\"0x{:x}\",\"label\":{}}},\"holder\":{},\"held_ns\":{},\"state\":\"{}\",\"waiters\":[",
                      reinterpret_cast<uintptr_t>(report.key.method), reinterpret_cast<uintptr_t>(report.key.owner),
                      json_quote(report.label), json_quote(report.holder), report.held_ns,
                      report.is_compiling ? "compiling" : "reserved");
  for (const auto& [agent, waiting_ns] : report.waiters) {
    if (&agent != &report.waiters.front().first) json += ',';
    json += fmt::format("{{\"agent\":{},\"waiting_ns\":{}}}", json_quote(agent), waiting_ns);
  }
  json += "]}";
}

}  // namespace

std::string Engine::Impl::explain() {
  std::vector<KeyReport> reports;
  for (unsigned i = 0; i < ReservationTable::kShards; ++i) {
    ReservationTable::Shard& shard = table.shard_at(i);
    const sync::Lock lock(shard.mutex);
    table.for_each_slot(shard, [&](Slot& slot, size_t) {
      const int64_t now_ns = clock_ns();
      const Key key{slot.method.load(std::memory_order_relaxed), slot.owner.load(std::memory_order_relaxed)};
      // With the waiter bit the holder cannot give the key back without this shard's lock: its token and label stay.
      const bool is_held = mutant::is_on("R69_token_not_kept") && Slot::token_of(slot.hold.load(std::memory_order_relaxed));
      if (is_held || mark_awaited({&slot, nullptr})) {
        latch::reach("explain", &slot);
        const CodeInstance& token = *Slot::token_of(slot.hold.load(std::memory_order_relaxed));
        KeyReport& report = reports.emplace_back();
        report.key = key;
        report.holder = token.agent.load(std::memory_order_relaxed)->name;
        if (const char* label = instance_label(token)) report.label = label;
        report.held_ns = std::max<int64_t>(0, now_ns - token.held_since_ns.load(std::memory_order_relaxed));
        add_waiters(report, slot.queue, now_ns);
      }
      for (CodeInstance* instance = slot.head.load(std::memory_order_relaxed); instance;
           instance = instance->next.load(std::memory_order_relaxed)) {
        const InstanceDetail* detail = instance->detail.load(std::memory_order_relaxed);
        const bool compiling = CodeInstance::state_of(instance->word.load(std::memory_order_acquire)) == InstanceState::Compiling;
        if (!compiling && !detail->entry_queue) continue;
        KeyReport& report = reports.emplace_back();
        report.key = key;
        report.label = detail->label;
        report.holder = "compiler";
        report.is_compiling = true;
        report.held_ns = std::max<int64_t>(0, now_ns - instance->held_since_ns.load(std::memory_order_relaxed));
        add_waiters(report, detail->entry_queue, now_ns);
      }
    });
  }
  std::string json = "{\"reservations\":[";
  for (const KeyReport& report : reports) {
    if (&report != &reports.front()) json += ',';
    append(json, report);
  }
  json += fmt::format("],\"cycles_broken\":{},\"duplicates\":{},\"world\":{}", counters.cycle.value(), counters.duplicates.value(),
                      worlds.now());
  Explanation explanation;
  for (Subsystem* subsystem : subsystems_copy()) subsystem->explain(explanation);
  for (const auto& [list, items] : explanation) json += ",\"" + list + "\":[" + items + "]";
  return json + "}";
}

std::string Engine::Impl::metrics() {
  using namespace berth::metrics;
  const AgentRegistry::Totals totals = agents.totals();
  std::string out;
  write_counter(out, "berth_reserve_total", "Reserve calls by outcome", totals.reserved, "outcome=\"reserved\"");
  write_sample(out, "berth_reserve_total", totals.published, "outcome=\"published\"");
  write_sample(out, "berth_reserve_total", counters.cycle.value(), "outcome=\"cycle\"");
  write_sample(out, "berth_reserve_total", counters.reentrant.value(), "outcome=\"reentrant\"");
  write_sample(out, "berth_reserve_total", counters.timeouts.value(), "outcome=\"timed_out\"");
  write_sample(out, "berth_reserve_total", counters.cancels.value(), "outcome=\"cancelled\"");
  write_sample(out, "berth_reserve_total", counters.cycles_refused.value(), "outcome=\"would_deadlock\"");
  write_counter(out, "berth_release_total", "Leases ended by release", totals.released);
  write_counter(out, "berth_results_total", "Results linked", counters.published.value());
  write_counter(out, "berth_wakeups_total", "Wake-ups of waiters by reason", counters.wakes_served.value(), "reason=\"served\"");
  write_sample(out, "berth_wakeups_total", counters.wakes_time.value(), "reason=\"time\"");
  write_counter(out, "berth_recovered_total", "Lost notifications found by re-check", counters.recovered.value());
  write_counter(out, "berth_waits_total", "Calls that waited", counters.waits.value());
  write_counter(out, "berth_wait_nanoseconds_total", "Time waited", counters.wait_ns.value());
  write_counter(out, "berth_handed_over_total", "Keys handed to a waiter", counters.handed.value());
  write_counter(out, "berth_failures_delivered_total", "Waiters that got a failure", counters.failures_delivered.value());
  write_counter(out, "berth_duplicates_total", "Results that another one had made needless", counters.duplicates.value());
  write_counter(out, "berth_duplicate_nanoseconds_total", "Time spent on duplicates", counters.duplicate_ns.value());
  write_counter(out, "berth_abandoned_total", "Leases ended by somebody else", counters.abandoned[0].value(), "cause=\"agent\"");
  write_sample(out, "berth_abandoned_total", counters.abandoned[1].value(), "cause=\"timeout\"");
  write_sample(out, "berth_abandoned_total", counters.abandoned[2].value(), "cause=\"guard\"");
  write_sample(out, "berth_abandoned_total", counters.abandoned[3].value(), "cause=\"key\"");
  write_counter(out, "berth_compile_failures_total", "Compiles that failed", counters.compile_failures.value());
  write_gauge(out, "berth_leases", "Leases out", static_cast<double>(totals.leases));
  write_gauge(out, "berth_waiters", "Agents that wait", static_cast<double>(num_waiting.load(std::memory_order_relaxed)));
  write_gauge(out, "berth_slots", "Keys in the table", static_cast<double>(table.num_slots()));
  write_gauge(out, "berth_world", "World age", static_cast<double>(worlds.now()));
  engine.collector().metrics(out);
  for (Subsystem* subsystem : subsystems_copy()) subsystem->metrics(out);
  return out;
}

void Engine::Impl::counts(berth_engine_counts_t& out) {
  const AgentRegistry::Totals totals = agents.totals();
  berth_engine_counts_t counts{};
  counts.reserved = totals.reserved;
  counts.published = totals.published;
  counts.cycle = counters.cycle.value();
  counts.reentrant = counters.reentrant.value();
  counts.published_on_recheck = counters.recheck.value();
  counts.waits = counters.waits.value();
  counts.duplicates = counters.duplicates.value();
  for (const auto& cause : counters.abandoned) counts.abandoned += cause.value();
  counts.recovered = counters.recovered.value();
  counts.compile_failures = counters.compile_failures.value();
  counts.collections = engine.collector().num_collections();
  for (Subsystem* subsystem : subsystems_copy()) subsystem->add_counts(counts);
  counts.struct_size = out.struct_size;
  out = counts;  // the C function copies what its caller's struct holds
}

}  // namespace berth::engine
