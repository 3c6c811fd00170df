// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// berth-stress: threads ask for the methods of a random call graph, in orders of their own, and infer what is
// not there yet, while faults are injected. A round ends when all have asked for all; then everything is
// checked and retired, so rounds begin alike. Reports what was lost: it must be nothing.
//
// The report of --json holds the decisions of its last round, thread by thread; --replay FILE takes them from
// there, round after round. The schedule is the machine's: what is replayed is who does what to which key,
// not when.
//
// Exit code: 0 nothing lost, 1 stall (the chain on stderr), 2 wrong result, or memory that grows, 3 could not
// run.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "berth/berth.h"
#include "tests/stress/call_graph.hpp"
#include "tests/stress/decisions.hpp"
#include "tests/stress/memory.hpp"
#include "tests/support/stub_compiler.hpp"

namespace berth::stress {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::string compiler = "stub", json, replay, faults, inject;
  uint32_t threads = 8, keys = 500;
  double seconds = 5, stall_seconds = 20;
  uint64_t seed = 0, round = 0;        // round: of the decisions that are replayed
  std::vector<std::string> decisions;  // replayed: a stream for each thread
};

struct Faults {
  bool delay = false, spurious = false, abandon = false, fail = false, gc = false, death = false,
       cancel = false;
};
constexpr const char* kFaults = "delay, spurious, abandon, fail, gc, death, cancel";

std::optional<Faults> parse_faults(const std::string& text) {
  Faults faults;
  std::stringstream stream(text);
  for (std::string name; std::getline(stream, name, ',');) {
    const bool all = name == "all";
    bool known = all;
    const auto take = [&](const char* fault, bool& flag) {
      if (all || name == fault) flag = known = true;
    };
    take("delay", faults.delay);
    take("spurious", faults.spurious);
    take("abandon", faults.abandon);
    take("fail", faults.fail);
    take("gc", faults.gc);
    take("death", faults.death);
    take("cancel", faults.cancel);
    if (!known) return std::nullopt;
  }
  return faults;
}

/// An error of the C API, owned.
class Failure {
 public:
  explicit Failure(berth_error_t* error) : error_(error) {}
  ~Failure() { berth_error_delete(error_); }
  Failure(const Failure&) = delete;
  Failure& operator=(const Failure&) = delete;
  explicit operator bool() const { return error_ != nullptr; }
  berth_code_t code() const { return berth_error_code(error_); }
  std::string message() const { return berth_error_message(error_); }

 private:
  berth_error_t* error_;
};

class SafeScope {
 public:
  explicit SafeScope(berth_thread_t* thread) : thread_(thread), before_(berth_thread_safe_enter(thread)) {}
  ~SafeScope() { berth_thread_safe_leave(thread_, before_); }
  SafeScope(const SafeScope&) = delete;
  SafeScope& operator=(const SafeScope&) = delete;

 private:
  berth_thread_t* thread_;
  berth_gc_state_t before_;
};

class Stress {
 public:
  Stress(const Options& options, const Faults& faults)
      : options_(options),
        faults_(faults),
        graph_(options.keys, options.seed),
        barrier_(options.threads + 1) {
    if (options.compiler == "stub") {
      stub_ = std::make_unique<test::StubCompiler>(
          true,
          [this](berth_job_t* job) {
            auto& node = *static_cast<Node*>(berth_job_source(job));
            node.compiles.fetch_add(1, std::memory_order_relaxed);
            if (options_.inject == "wrong" && node.number == 0) {
              berth_job_publish(job, this, nullptr);
            } else {
              test::StubCompiler::publish(job);
            }
          },
          false);
    }
    for (uint32_t i = 0; i < options.threads; ++i) {
      decisions_.emplace_back(options.seed, i, options.keys);
      if (!options.decisions.empty() && !decisions_.back().replay(options.decisions[i])) {
        throw std::runtime_error(fmt::format(
            "the decisions of thread {} cannot be read. Remedy: give the file that --json wrote", i));
      }
    }
  }

  int run();

 private:
  /// Of one thread: who asks.
  struct Asker {
    berth_thread_t* thread;
    Decisions& decisions;
  };
  /// A visit of one thread to one key.
  struct Visit {
    Asker& asker;
    Node& node;
    uint32_t number;
    bool take(Decision kind, uint64_t one_in) const {
      return asker.decisions.take(kind, node.number, number, one_in);
    }
    uint64_t number_below(Decision kind, uint64_t n) const {
      return asker.decisions.number(kind, node.number, number, n);
    }
  };

  void work(uint32_t index);
  void ask_all(Asker& asker);
  void ask(Asker& asker, Node& node, uint32_t depth);
  bool reserve(const Visit& visit, berth_need_t need, berth_reservation_t& got, uint32_t depth, bool& again);
  void give_back(const Visit& visit, const berth_reservation_t& got);
  void inject(const Visit& visit);
  void take_and_forget(berth_thread_t* thread, Node& node);
  void abandon_by_agent(const Visit& visit);
  void abandon_by_death(const Visit& visit);
  berth_source_t* make_source(Node& node);
  void check_round(berth_thread_t* thread);
  void check_ledger();
  void check_memory();
  bool check_entry(Node& node, void* entry) const;
  void wrong(const std::string& what);
  void watch(const std::stop_token& stop);
  void report(const char* result, std::FILE* out);
  uint64_t metric(const std::string& name);

  const Options options_;
  const Faults faults_;
  CallGraph graph_;
  std::vector<Decisions> decisions_;  // each its thread's; all readable between rounds
  std::barrier<> barrier_;
  std::unique_ptr<test::StubCompiler> stub_;
  berth_engine_t* engine_ = nullptr;

  std::atomic<bool> last_round_{false};
  std::atomic<uint64_t> progress_{0}, reserves_{0}, rounds_{0}, lost_{0}, wrong_{0}, errors_{0};
  // The ledger: what reserve returned, by outcome; compared with the engine's counters at rest.
  std::atomic<uint64_t> outcomes_[4] = {};
  std::atomic<uint32_t> compiles_per_key_max_{0};
  uint64_t round_ = 0;  // written between rounds, as the rest of this group
  Memory memory_at_start_, memory_at_end_;
  std::vector<std::unique_ptr<char[]>> leaked_;
  std::mutex cancels_mutex_;
  std::set<berth_cancel_t*> cancels_;
};

void Stress::wrong(const std::string& what) {
  if (wrong_.fetch_add(1) < 10)
    std::fprintf(stderr, "berth-stress: wrong: %s (seed %llu)\n", what.c_str(),
                 static_cast<unsigned long long>(options_.seed));
}

int64_t factor_of(const Node& node) { return static_cast<int64_t>(node.number) * 7 + 3; }

berth_source_t* Stress::make_source(Node& node) {
  berth_source_t* source = nullptr;
  if (stub_) {
    const Failure failure(berth_source_from_opaque(&node, nullptr, &source));
    if (failure) wrong(failure.message());
  } else {
#if !defined(BERTH_STRESS_NO_LLVM)
    const std::string text = fmt::format(
        "define i64 @f(i64 %x) {{\n  %y = mul i64 %x, {}\n  %z = add i64 %y, {}\n  ret i64 %z\n}}\n",
        factor_of(node), node.number);
    const Failure failure(berth_source_from_ir(text.data(), text.size(), "f", &source));
    if (failure) wrong(failure.message());
    if (source) berth_source_set_tier(source, BERTH_TIER_FAST);
#endif
  }
  if (source) berth_source_set_payload(source, &node, nullptr);
  return source;
}

bool Stress::check_entry(Node& node, void* entry) const {
  if (stub_) return entry == &node;
  const auto function = reinterpret_cast<int64_t (*)(int64_t)>(entry);
  return function && function(11) == 11 * factor_of(node) + static_cast<int64_t>(node.number);
}

// Gives a lease back, mostly with source; a fault may make it fail.
void Stress::give_back(const Visit& visit, const berth_reservation_t& got) {
  berth_thread_t* const thread = visit.asker.thread;
  if (got.outcome == BERTH_RESERVED_REENTRANT) {
    const Failure failure(berth_release(thread, got.lease, nullptr));  // the outer lease publishes
    if (failure) wrong("release of a re-entrant lease: " + failure.message());
    return;
  }
  if (faults_.fail && visit.take(Decision::Fail, 50)) {
    const Failure failure(berth_release_error(thread, got.lease, "injected", 0));
    if (failure) wrong("release_error: " + failure.message());
    return;
  }
  if (faults_.abandon && visit.take(Decision::Abandon, 50)) {
    const Failure failure(berth_release(thread, got.lease, nullptr));
    if (failure) wrong("release without source: " + failure.message());
    return;
  }
  const Failure failure(berth_release(thread, got.lease, make_source(visit.node)));
  if (failure) wrong("release: " + failure.message());
}

// False: no reservation. `again`: the call may be repeated.
bool Stress::reserve(const Visit& visit, berth_need_t need, berth_reservation_t& got, uint32_t depth,
                     bool& again) {
  berth_reserve_options_t options{};
  options.struct_size = sizeof options;
  options.timeout_ns = -1;
  options.need = need;
  berth_cancel_t* cancel = nullptr;
  if (faults_.cancel && visit.take(Decision::Cancel, 16)) {
    const Failure failure(berth_cancel_new(engine_, &cancel));
    const std::lock_guard lock(cancels_mutex_);
    cancels_.insert(cancel);
    options.cancel = cancel;
  }
  const Failure failure(berth_reserve(visit.asker.thread, {&visit.node, this}, &options, &got));
  if (cancel) {
    {
      const std::lock_guard lock(cancels_mutex_);
      cancels_.erase(cancel);
    }
    berth_cancel_delete(cancel);
  }
  reserves_.fetch_add(1, std::memory_order_relaxed);
  progress_.fetch_add(1, std::memory_order_relaxed);
  if (!failure) {
    outcomes_[got.outcome].fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  // Refused is only the ring through an entry.
  const bool expected = failure.code() == BERTH_CANCELLED || failure.code() == BERTH_WOULD_DEADLOCK ||
                        (failure.code() == BERTH_COMPILE_FAILED && faults_.fail);
  if (!expected) wrong("reserve: " + failure.message());
  errors_.fetch_add(1, std::memory_order_relaxed);
  again = expected && depth == 0;
  return false;
}

void Stress::ask(Asker& asker, Node& node, uint32_t depth) {
  for (bool again = true; again;) {
    again = false;
    const Visit visit{asker, node, asker.decisions.visit(node.number)};
    const berth_need_t need =
        depth == 0 && visit.take(Decision::NeedEntry, 4) ? BERTH_NEED_ENTRY : BERTH_NEED_RESULT;
    berth_reservation_t got{};
    if (!reserve(visit, need, got, depth, again)) continue;
    if (got.outcome == BERTH_PUBLISHED) {
      if (berth_instance_payload(got.published) != &node) wrong("a payload of another key");
      if (need == BERTH_NEED_ENTRY && !check_entry(node, berth_instance_entry(got.published)))
        wrong("an entry of another key");
      berth_instance_release(got.published);
      return;
    }
    if (got.outcome == BERTH_RESERVED_CYCLE) node.cycle_broken.store(true, std::memory_order_relaxed);
    if (faults_.delay && visit.take(Decision::Delay, 64)) {
      const SafeScope safe(asker.thread);
      ::usleep(static_cast<useconds_t>(visit.number_below(Decision::Delay, 200)));
    }
    if (got.outcome == BERTH_RESERVED) {
      for (const uint32_t callee : node.callees) ask(asker, graph_[callee], depth + 1);
    }
    inject(visit);
    give_back(visit, got);
    again = depth == 0 && got.outcome != BERTH_RESERVED_REENTRANT;  // until it is published
  }
}

void Stress::inject(const Visit& visit) {
  if (faults_.gc && visit.take(Decision::Collect, 512)) berth_gc_collect(visit.asker.thread);
  if (faults_.spurious && visit.take(Decision::Spurious, 64)) berth_engine_recruit(engine_, 4);
  if (faults_.abandon && visit.take(Decision::KillAgent, 256)) abandon_by_agent(visit);
  if (faults_.death && visit.take(Decision::KillThread, 1024)) {
    const SafeScope safe(visit.asker.thread);
    abandon_by_death(visit);
  }
}

// At once or not at all: whoever waited would be no victim but a user.
void Stress::take_and_forget(berth_thread_t* thread, Node& node) {
  berth_reserve_options_t options{};
  options.struct_size = sizeof options;
  berth_reservation_t got{};
  const Failure failure(berth_reserve(thread, {&node, this}, &options, &got));
  reserves_.fetch_add(1, std::memory_order_relaxed);
  if (failure) return;
  outcomes_[got.outcome].fetch_add(1, std::memory_order_relaxed);
  if (got.outcome == BERTH_PUBLISHED) berth_instance_release(got.published);
}

// An agent takes keys and is deleted with them.
void Stress::abandon_by_agent(const Visit& visit) {
  berth_thread_t* const thread = visit.asker.thread;
  berth_agent_t* agent = nullptr;
  berth_agent_t* before = nullptr;
  const Failure made(berth_agent_new(engine_, "mortal", &agent));
  const Failure set(berth_thread_set_agent(thread, agent, &before));
  const uint64_t first = visit.number_below(Decision::KillAgent, graph_.size());
  for (uint64_t i = 0; i < 3; ++i) take_and_forget(thread, graph_[(first + i * 7) % graph_.size()]);
  const Failure unset(berth_thread_set_agent(thread, before, nullptr));
  berth_agent_delete(agent);
}

// A thread takes a key and exits attached.
void Stress::abandon_by_death(const Visit& visit) {
  Node& node = graph_[visit.number_below(Decision::KillThread, graph_.size())];
  std::thread([&] {
    berth_thread_t* thread = nullptr;
    const Failure attached(berth_thread_attach(engine_, &thread));
    if (!attached) take_and_forget(thread, node);
  }).join();
}

void Stress::ask_all(Asker& asker) {
  std::vector<uint32_t> order(graph_.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  Random random = asker.decisions.order();
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  for (const uint32_t i : order) {
    ask(asker, graph_[i], 0);
    berth_thread_safepoint(asker.thread);
  }
}

void Stress::work(uint32_t index) {
  berth_thread_t* thread = nullptr;
  const Failure failure(berth_thread_attach(engine_, &thread));
  if (failure) wrong("attach: " + failure.message());
  Asker asker{thread, decisions_[index]};
  if (index == 0 && options_.inject == "stall") take_and_forget(thread, graph_[0]);
  for (;;) {
    {
      const SafeScope safe(thread);
      barrier_.arrive_and_wait();  // the round begins
    }
    if (last_round_.load()) break;
    asker.decisions.begin_round(round_);
    if (index == 0 && options_.inject == "stall") {
      const SafeScope safe(thread);
      for (;;) ::pause();
    }
    ask_all(asker);
    const SafeScope safe(thread);
    barrier_.arrive_and_wait();  // all have asked for all
  }
  berth_thread_detach(thread);
}

uint64_t Stress::metric(const std::string& name) {
  char* text = berth_engine_metrics(engine_);
  const std::string all = text;
  berth_string_delete(text);
  const size_t at = all.find("\n" + name + " ");
  return at == std::string::npos ? 0 : static_cast<uint64_t>(std::stod(all.substr(at + name.size() + 2)));
}

// All threads have met: every key has its result, its entry comes, nothing is held. Then all of it is
// retired.
void Stress::check_round(berth_thread_t* thread) {
  for (size_t i = 0; i < graph_.size(); ++i) {
    Node& node = graph_[i];
    berth_instance_t* instance = berth_lookup(engine_, {&node, this}, 0);
    if (!instance) {
      lost_.fetch_add(1);
      wrong(fmt::format("key {} has no result", i));
      continue;
    }
    if (berth_instance_payload(instance) != &node)
      wrong(fmt::format("key {} has a payload of another one", i));
    void* entry = nullptr;
    const Failure failure(berth_instance_wait_entry(thread, instance, 30'000'000'000, &entry));
    if (failure) {
      lost_.fetch_add(1);
      wrong(fmt::format("key {}: {}", i, failure.message()));
    } else if (!check_entry(node, entry) || berth_lookup_entry(engine_, {&node, this}, 0) != entry) {
      wrong(fmt::format("key {} has an entry of another one", i));
    }
    progress_.fetch_add(1);
    if (stub_) {
      const uint32_t compiles = node.compiles.load(std::memory_order_relaxed);
      if (!node.cycle_broken.load(std::memory_order_relaxed) && compiles > compiles_per_key_max_.load()) {
        compiles_per_key_max_.store(compiles);
        if (compiles > 1)
          wrong(fmt::format("key {} was compiled {} times though no cycle was broken", i, compiles));
      }
    }
    const Failure invalid(berth_instance_invalidate(engine_, instance, 0));
    berth_instance_release(instance);
  }
  const uint64_t held = metric("berth_leases"), waiting = metric("berth_waiters");
  if (held || waiting) {
    lost_.fetch_add(held + waiting);
    wrong(fmt::format("{} leases and {} waiters at rest", held, waiting));
  }
}

// All threads have met: what they counted is what the engine counted.
void Stress::check_ledger() {
  berth_engine_counts_t counts{};
  counts.struct_size = sizeof counts;
  berth_engine_counts(engine_, &counts);
  const uint64_t theirs[] = {counts.published, counts.reserved, counts.cycle, counts.reentrant};
  for (size_t i = 0; i < 4; ++i) {
    if (theirs[i] != outcomes_[i].load()) {
      wrong(
          fmt::format("outcome {}: the engine counts {}, its callers {}", i, theirs[i], outcomes_[i].load()));
    }
  }
}

void Stress::check_memory() {
  if (options_.inject == "leak") leaked_.push_back(std::make_unique<char[]>(size_t{4} << 20));
  memory_at_end_ = Memory::now();
}

// No progress for a while: says who waits for whom, and ends the process.
void Stress::watch(const std::stop_token& stop) {
  uint64_t seen = 0;
  auto since = Clock::now();
  Random random(options_.seed ^ 0x5555);
  while (!stop.stop_requested()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (faults_.cancel) {
      const std::lock_guard lock(cancels_mutex_);
      for (berth_cancel_t* cancel : cancels_) {
        if (random.one_in(4)) berth_cancel_fire(cancel);
      }
    }
    const uint64_t now = progress_.load();
    if (now != seen) {
      seen = now;
      since = Clock::now();
    } else if (Clock::now() - since > std::chrono::duration<double>(options_.stall_seconds)) {
      char* text = berth_engine_explain(engine_);
      std::fprintf(stderr, "berth-stress: stall, seed %llu: %s\n",
                   static_cast<unsigned long long>(options_.seed), text);
      report("stall", stdout);
      std::fflush(nullptr);
      ::_exit(1);
    }
  }
}

void Stress::report(const char* result, std::FILE* out) {
  berth_engine_counts_t counts{};
  counts.struct_size = sizeof counts;
  berth_engine_counts(engine_, &counts);
  std::string json = fmt::format(
      "{{\"result\":\"{}\",\"lost\":{},\"wrong\":{},\"keys\":{},\"threads\":{},\"rounds\":{},\"reserves\":{},"
      "\"reserved\":{},"
      "\"published\":{},\"waits\":{},\"cycles\":{},\"duplicates\":{},\"abandoned\":{},\"recovered\":{},"
      "\"errors\":{},"
      "\"compiles_per_key_max\":{},\"collections\":{},\"resident_start\":{},\"resident_end\":{},\"heap_"
      "start\":{},\"heap_end\":{},"
      "\"compiler\":\"{}\",\"faults\":\"{}\",\"round\":{},\"seed\":{}",
      result, lost_.load(), wrong_.load(), graph_.size(), options_.threads, rounds_.load(), reserves_.load(),
      counts.reserved, counts.published, counts.waits, counts.cycle, counts.duplicates, counts.abandoned,
      counts.recovered, errors_.load(), compiles_per_key_max_.load(), counts.collections,
      memory_at_start_.resident_bytes, memory_at_end_.resident_bytes, memory_at_start_.heap_bytes,
      memory_at_end_.heap_bytes, options_.compiler, options_.faults, round_, options_.seed);
  std::fprintf(out, "%s}\n", json.c_str());
  if (options_.json.empty()) return;
  json += ",\"decisions\":[";
  for (const Decisions& each : decisions_)
    json += fmt::format("{}\n\"{}\"", &each == &decisions_.front() ? "" : ",", each.stream());
  std::ofstream file(options_.json);
  file << json << "]}\n";
  if (!file.flush()) std::fprintf(stderr, "berth-stress: cannot write %s\n", options_.json.c_str());
}

int Stress::run() {
  berth_config_t* config = berth_config_new();
  if (stub_) {
    const berth_compiler_hooks_t hooks = stub_->hooks();
    berth_config_set_compiler_hooks(config, &hooks, stub_.get());
  }
  const Failure failure(berth_engine_new(config, &engine_));
  berth_config_delete(config);
  berth_thread_t* thread = nullptr;
  const Failure attached(failure ? nullptr : berth_thread_attach(engine_, &thread));
  if (failure || attached) {
    std::fprintf(stderr, "berth-stress: %s\n", (failure ? failure : attached).message().c_str());
    return 3;
  }
  bool has_grown = false;
  {
    std::jthread watchdog([this](const std::stop_token& stop) { watch(stop); });
    std::vector<std::jthread> workers;
    for (uint32_t i = 0; i < options_.threads; ++i) workers.emplace_back([this, i] { work(i); });
    const auto begin = Clock::now();
    const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
    for (;;) {
      graph_.begin_round();
      const bool last = elapsed() >= options_.seconds || wrong_.load() > 0;
      last_round_.store(last);
      if (!last) round_ = options_.decisions.empty() ? rounds_.load() : options_.round;
      {
        const SafeScope safe(thread);
        barrier_.arrive_and_wait();
        if (!last) barrier_.arrive_and_wait();
      }
      if (last) break;
      check_round(thread);
      check_ledger();
      check_memory();
      rounds_.fetch_add(1);
      // The first rounds fill pools and arenas: memory is compared from a third of the time on.
      if (rounds_.load() <= 3 || elapsed() < options_.seconds / 3) memory_at_start_ = memory_at_end_;
    }
    // A compile thread keeps its machine and pipeline, some MiB from when it first has work; relief threads
    // may come late, one for each thread that waits.
    const uint64_t kept =
        options_.compiler == std::string_view("llvm") ? (uint64_t{4} << 20) * options_.threads : 0;
    has_grown = memory_at_end_.has_grown_since(memory_at_start_, kept);
    const SafeScope safe(thread);
    workers.clear();
    watchdog.request_stop();
    watchdog.join();
  }
  const char* const result = wrong_.load() || lost_.load() ? "wrong" : has_grown ? "memory" : "ok";
  report(result, stdout);
  berth_thread_detach(thread);
  berth_engine_delete(engine_);
  return result == std::string_view("ok") ? 0 : 2;
}

// The seed, the sizes and the last round's decisions of an earlier run, from the JSON that it wrote. Throws
// what std::stoul throws.
bool read_replay(Options& options) {
  std::ifstream file(options.replay);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto value = [&](const std::string& name) -> std::string {
    const size_t at = text.find("\"" + name + "\":");
    if (at == std::string::npos) return "";
    const size_t begin = at + name.size() + 3;
    if (text[begin] == '"') return text.substr(begin + 1, text.find('"', begin + 1) - begin - 1);
    return text.substr(begin, text.find_first_of(",}", begin) - begin);
  };
  const auto number = [&](const std::string& name) -> uint64_t {
    return value(name).empty() ? 0 : std::stoull(value(name));
  };
  options.seed = number("seed");
  options.round = number("round");
  options.keys = static_cast<uint32_t>(number("keys"));
  options.threads = static_cast<uint32_t>(number("threads"));
  options.compiler = value("compiler");
  options.faults = value("faults");
  size_t at = text.find("\"decisions\":[");
  if (at == std::string::npos || options.keys == 0 || options.threads == 0) return false;
  at = text.find('[', at);
  for (size_t begin; (begin = text.find('"', at)) != std::string::npos;) {
    at = text.find('"', begin + 1);
    if (at == std::string::npos) return false;
    options.decisions.push_back(text.substr(begin + 1, at - begin - 1));
    ++at;
  }
  return options.decisions.size() == options.threads;
}

int main_of(int argc, char** argv) {
  Options options;
  CLI::App app{"Stress test of Berth: threads infer and compile a random call graph; nothing may be lost.",
               "berth-stress"};
  app.add_option("--compiler", options.compiler, "stub or llvm")
      ->check(CLI::IsMember({"stub", "llvm"}))
      ->capture_default_str();
  app.add_option("--threads", options.threads, "threads that ask")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--keys", options.keys, "methods of the call graph")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "how long")->capture_default_str();
  app.add_option("--seed", options.seed, "of graph and schedule; 0: from the clock")->capture_default_str();
  app.add_option("--faults", options.faults, std::string("all, or a list of ") + kFaults);
  app.add_option("--json", options.json, "file for the report");
  app.add_option("--replay", options.replay,
                 "report of an earlier run: its seed, sizes, faults, and the decisions of its last round");
  app.add_option("--stall", options.stall_seconds, "seconds without progress that count as a stall")
      ->capture_default_str();
  // For the tests of this program: that it notices.
  app.add_option("--inject", options.inject, "")->check(CLI::IsMember({"stall", "wrong", "leak"}))->group("");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) { return app.exit(error) == 0 ? 0 : 3; }
  if (!options.replay.empty()) {
    if (!read_replay(options)) {
      std::fprintf(stderr, "berth-stress: %s holds no decisions. Remedy: give the file that --json wrote\n",
                   options.replay.c_str());
      return 3;
    }
    if (options.compiler != "stub") {
      std::fprintf(stderr,
                   "berth-stress: %s is a run with LLVM, whose compile threads decide too. Remedy: replay "
                   "runs with the stub\n",
                   options.replay.c_str());
      return 3;
    }
  }
  const std::optional<Faults> faults = parse_faults(options.faults);
  if (!faults) {
    std::fprintf(stderr, "berth-stress: unknown fault in \"%s\". Remedy: all, or a list of %s\n",
                 options.faults.c_str(), kFaults);
    return 3;
  }
#if defined(BERTH_STRESS_NO_LLVM)
  if (options.compiler == "llvm") {
    std::fprintf(stderr, "berth-stress: built without LLVM. Remedy: --compiler stub\n");
    return 3;
  }
#endif
  if (options.seed == 0) options.seed = static_cast<uint64_t>(Clock::now().time_since_epoch().count()) | 1;
  return Stress(options, *faults).run();
}

}  // namespace
}  // namespace berth::stress

int main(int argc, char** argv) {
  try {
    return berth::stress::main_of(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "berth-stress: %s\n", error.what());
    return 3;
  }
}
