// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can be asked (2.9): explain, metrics, counts.
#include <fmt/format.h>

#include "engine/engine_impl.hpp"
#include "support/latch.hpp"
#include "support/mutant.hpp"

namespace berth::engine {
namespace {

/// What explain copies under a shard's lock. Nothing is allocated there: what finds no room is only counted,
/// and the copy is made again with room for it.
class ShardCopy {
 public:
  struct Text {
    size_t from = 0, size = 0;
  };
  struct Row {  // a waiter, or a key with the waiters after it
    bool is_waiter = false, is_compiling = false;
    Key key{};
    Text name, label;  // of the waiter or holder
    int64_t since_ns = 0;
  };

  void clear() noexcept {
    rows_.clear();
    text_.clear();
    needed_rows_ = needed_text_ = 0;
  }
  void add_key(Key key, std::string_view holder, const char* label, int64_t since_ns,
               bool is_compiling) noexcept {
    const Text name = copy(holder);
    add({false, is_compiling, key, name, copy(label ? label : ""), since_ns});
  }
  void add_waiters(const Waiter* head) noexcept {
    for (const Waiter* waiter = head; waiter; waiter = waiter->next == head ? nullptr : waiter->next) {
      add({true, false, {}, copy(waiter->agent->name), {}, waiter->since_ns});
    }
  }
  bool is_whole() const noexcept { return rows_.size() == needed_rows_ && text_.size() == needed_text_; }
  /// Room for twice of what did not fit, as there may be more of it by then. Errors: std::bad_alloc.
  void make_room() {
    rows_.reserve(2 * needed_rows_);
    text_.reserve(2 * needed_text_);
  }
  void append_to(std::string& json, int64_t now_ns) const {
    const auto text = [&](Text part) {
      return json_quote(std::string_view(text_).substr(part.from, part.size));
    };
    for (size_t i = 0; i < rows_.size();) {
      const Row& row = rows_[i];
      if (json.back() != '[') json += ',';
      json += fmt::format(
          "{{\"key\":{{\"method\":\"0x{:x}\",\"owner\":\"0x{:x}\",\"label\":{}}},\"holder\":{},\"held_ns\":{}"
          ",\"state\":\"{}\",\"waiters\":[",
          reinterpret_cast<uintptr_t>(row.key.method), reinterpret_cast<uintptr_t>(row.key.owner),
          text(row.label), text(row.name), std::max<int64_t>(0, now_ns - row.since_ns),
          row.is_compiling ? "compiling" : "reserved");
      for (++i; i < rows_.size() && rows_[i].is_waiter; ++i) {
        if (json.back() != '[') json += ',';
        json += fmt::format("{{\"agent\":{},\"waiting_ns\":{}}}", text(rows_[i].name),
                            now_ns - rows_[i].since_ns);
      }
      json += "]}";
    }
  }

 private:
  void add(const Row& row) noexcept {
    ++needed_rows_;
    if (rows_.size() < rows_.capacity()) rows_.push_back(row);
  }
  Text copy(std::string_view text) noexcept {
    needed_text_ += text.size();
    const Text place{text_.size(), text.size()};
    if (text_.capacity() - text_.size() >= text.size()) text_ += text;
    return place;
  }

  std::vector<Row> rows_;
  std::string text_;
  size_t needed_rows_ = 0, needed_text_ = 0;
};

}  // namespace

std::string Engine::Impl::explain() {
  std::string json = "{\"reservations\":[";
  ShardCopy copy;
  const auto copy_slot = [&](Slot& slot, size_t) {
    const Key key{slot.method.load(std::memory_order_relaxed), slot.owner.load(std::memory_order_relaxed)};
    // With the waiter bit the holder cannot give the key back without this shard's lock: its token and label
    // stay.
    const bool is_held =
        mutant::is_on("R69_token_not_kept") && Slot::token_of(slot.hold.load(std::memory_order_relaxed));
    if (is_held || mark_awaited({&slot, nullptr})) {
      latch::reach("explain", &slot);
      const CodeInstance& token = *Slot::token_of(slot.hold.load(std::memory_order_acquire));
      copy.add_key(key, token.agent.load(std::memory_order_relaxed)->name, instance_label(token),
                   token.held_since_ns.load(std::memory_order_relaxed), false);
      copy.add_waiters(slot.queue);
    }
    for (CodeInstance* instance = slot.head.load(std::memory_order_relaxed); instance;
         instance = instance->next.load(std::memory_order_relaxed)) {
      const InstanceDetail* detail = instance->detail.load(std::memory_order_relaxed);
      const bool compiling =
          CodeInstance::state_of(instance->word.load(std::memory_order_acquire)) == InstanceState::Compiling;
      if (!compiling && !detail->entry_queue) continue;
      copy.add_key(key, "compiler", detail->label.c_str(),
                   instance->held_since_ns.load(std::memory_order_relaxed), true);
      copy.add_waiters(detail->entry_queue);
    }
  };
  for (unsigned i = 0; i < ReservationTable::kShards; ++i) {
    ReservationTable::Shard& shard = table.shard_at(i);
    for (;; copy.make_room()) {
      copy.clear();
      const sync::Lock lock(shard.mutex);
      table.for_each_slot(shard, copy_slot);
      if (mutant::is_on("R69_room_made_under_lock")) copy.make_room();
      if (copy.is_whole()) break;
    }
    copy.append_to(json, clock_ns());
  }
  json += fmt::format("],\"cycles_broken\":{},\"duplicates\":{},\"world\":{}", counters.cycle.value(),
                      counters.duplicates.value(), worlds.now());
  Explanation explanation;
  for (Subsystem* subsystem : subsystems_copy()) subsystem->explain(explanation);
  for (const auto& [list, items] : explanation) json += ",\"" + list + "\":[" + items + "]";
  return json + "}";
}

std::string Engine::Impl::metrics() {
  using namespace berth::metrics;
  const AgentRegistry::Totals totals = agents.totals();
  std::string out;
  write_counter(out, "berth_reserve_total", "Reserve calls by outcome", totals.reserved,
                "outcome=\"reserved\"");
  write_sample(out, "berth_reserve_total", totals.published, "outcome=\"published\"");
  write_sample(out, "berth_reserve_total", counters.cycle.value(), "outcome=\"cycle\"");
  write_sample(out, "berth_reserve_total", counters.reentrant.value(), "outcome=\"reentrant\"");
  write_sample(out, "berth_reserve_total", counters.timeouts.value(), "outcome=\"timed_out\"");
  write_sample(out, "berth_reserve_total", counters.cancels.value(), "outcome=\"cancelled\"");
  write_sample(out, "berth_reserve_total", counters.cycles_refused.value(), "outcome=\"would_deadlock\"");
  write_counter(out, "berth_release_total", "Leases ended by release", totals.released);
  write_counter(out, "berth_results_total", "Results linked", counters.published.value());
  write_counter(out, "berth_wakeups_total", "Wake-ups of waiters by reason", counters.wakes_served.value(),
                "reason=\"served\"");
  write_sample(out, "berth_wakeups_total", counters.wakes_time.value(), "reason=\"time\"");
  write_counter(out, "berth_recovered_total", "Lost notifications found by re-check",
                counters.recovered.value());
  write_counter(out, "berth_waits_total", "Calls that waited", counters.waits.value());
  write_counter(out, "berth_wait_nanoseconds_total", "Time waited", counters.wait_ns.value());
  write_counter(out, "berth_handed_over_total", "Keys handed to a waiter", counters.handed.value());
  write_counter(out, "berth_failures_delivered_total", "Waiters that got a failure",
                counters.failures_delivered.value());
  write_counter(out, "berth_duplicates_total", "Results that another one had made needless",
                counters.duplicates.value());
  write_counter(out, "berth_duplicate_nanoseconds_total", "Time spent on duplicates",
                counters.duplicate_ns.value());
  write_counter(out, "berth_abandoned_total", "Leases ended by somebody else", counters.abandoned[0].value(),
                "cause=\"agent\"");
  write_sample(out, "berth_abandoned_total", counters.abandoned[1].value(), "cause=\"timeout\"");
  write_sample(out, "berth_abandoned_total", counters.abandoned[2].value(), "cause=\"guard\"");
  write_sample(out, "berth_abandoned_total", counters.abandoned[3].value(), "cause=\"key\"");
  write_counter(out, "berth_compile_failures_total", "Compiles that failed",
                counters.compile_failures.value());
  write_gauge(out, "berth_leases", "Leases out", static_cast<double>(totals.leases));
  write_gauge(out, "berth_waiters", "Agents that wait",
              static_cast<double>(num_waiting.load(std::memory_order_relaxed)));
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
