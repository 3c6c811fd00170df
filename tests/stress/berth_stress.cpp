// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// berth-stress: threads ask for the methods of a random call graph, in orders of their own, and infer what is not there yet, while
// faults are injected. Reports what was lost: it must be nothing.
//
// Exit code: 0 nothing lost, 1 stall (the chain on stderr), 2 wrong result, 3 could not run.
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
#include "tests/support/stub_compiler.hpp"

namespace berth::stress {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::string compiler = "stub", json, replay, faults;
  uint32_t threads = 8, keys = 500;
  double seconds = 5, stall_seconds = 20;
  uint64_t seed = 0;
};

struct Faults {
  bool delay = false, spurious = false, abandon = false, fail = false, gc = false, death = false, cancel = false;
  bool any() const { return delay || spurious || abandon || fail || gc || death || cancel; }
};

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
      : options_(options), faults_(faults), graph_(options.keys, options.seed), barrier_(options.threads + 1) {
    if (options.compiler == "stub") {
      stub_ = std::make_unique<test::StubCompiler>(true, [](berth_job_t* job) {
        static_cast<Node*>(berth_job_source(job))->compiles.fetch_add(1, std::memory_order_relaxed);
        test::StubCompiler::publish(job);
      });
    }
  }

  int run();

 private:
  void work(uint32_t index);
  void ask_all(berth_thread_t* thread, Random& random);
  void ask(berth_thread_t* thread, Random& random, Node& node, uint32_t depth);
  void give_back(berth_thread_t* thread, Random& random, Node& node, const berth_reservation_t& got);
  void inject(berth_thread_t* thread, Random& random);
  void abandon_by_agent(berth_thread_t* thread, Random& random);
  void abandon_by_death(Random& random);
  berth_source_t* make_source(Node& node);
  void check_round(berth_thread_t* thread);
  bool check_entry(Node& node, void* entry) const;
  void wrong(const std::string& what);
  void watch(const std::stop_token& stop);
  void report(const char* result, std::FILE* out);
  uint64_t metric(const std::string& name);

  const Options options_;
  const Faults faults_;
  CallGraph graph_;
  std::barrier<> barrier_;
  std::unique_ptr<test::StubCompiler> stub_;
  berth_engine_t* engine_ = nullptr;

  std::atomic<bool> last_round_{false};
  std::atomic<uint64_t> progress_{0}, reserves_{0}, rounds_{0}, lost_{0}, wrong_{0}, errors_{0};
  std::atomic<uint32_t> compiles_per_key_max_{0};
  std::mutex cancels_mutex_;
  std::set<berth_cancel_t*> cancels_;
};

void Stress::wrong(const std::string& what) {
  if (wrong_.fetch_add(1) < 10) std::fprintf(stderr, "berth-stress: wrong: %s (seed %llu)\n", what.c_str(),
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
        "define i64 @f(i64 %x) {{\n  %y = mul i64 %x, {}\n  %z = add i64 %y, {}\n  ret i64 %z\n}}\n", factor_of(node), node.number);
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
void Stress::give_back(berth_thread_t* thread, Random& random, Node& node, const berth_reservation_t& got) {
  if (got.outcome == BERTH_RESERVED_REENTRANT) {
    const Failure failure(berth_release(thread, got.lease, nullptr));  // the outer lease publishes
    if (failure) wrong("release of a re-entrant lease: " + failure.message());
    return;
  }
  if (faults_.fail && random.one_in(50)) {
    const Failure failure(berth_release_error(thread, got.lease, "injected", 0));
    if (failure && failure.code() != BERTH_STALE_LEASE) wrong("release_error: " + failure.message());
    return;
  }
  if (faults_.abandon && random.one_in(50)) {
    const Failure failure(berth_release(thread, got.lease, nullptr));
    if (failure) wrong("release without source: " + failure.message());
    return;
  }
  berth_source_t* source = make_source(node);
  const Failure failure(berth_release(thread, got.lease, source));
  if (failure) wrong("release: " + failure.message());
}

void Stress::ask(berth_thread_t* thread, Random& random, Node& node, uint32_t depth) {
  const berth_key_t key{&node, this};
  for (;;) {
    berth_reserve_options_t options{};
    options.struct_size = sizeof options;
    options.timeout_ns = -1;
    options.need = depth == 0 && random.one_in(4) ? BERTH_NEED_ENTRY : BERTH_NEED_RESULT;
    berth_cancel_t* cancel = nullptr;
    if (faults_.cancel && random.one_in(16)) {
      const Failure failure(berth_cancel_new(engine_, &cancel));
      const std::lock_guard lock(cancels_mutex_);
      cancels_.insert(cancel);
      options.cancel = cancel;
    }
    berth_reservation_t got{};
    const Failure failure(berth_reserve(thread, key, &options, &got));
    if (cancel) {
      {
        const std::lock_guard lock(cancels_mutex_);
        cancels_.erase(cancel);
      }
      berth_cancel_delete(cancel);
    }
    reserves_.fetch_add(1, std::memory_order_relaxed);
    progress_.fetch_add(1, std::memory_order_relaxed);
    if (failure) {
      const bool expected = failure.code() == BERTH_CANCELLED || (failure.code() == BERTH_COMPILE_FAILED && faults_.fail) ||
                            failure.code() == BERTH_WOULD_DEADLOCK;
      if (!expected) wrong("reserve: " + failure.message());
      errors_.fetch_add(1, std::memory_order_relaxed);
      if (!expected || depth > 0) return;
      continue;
    }
    if (got.outcome == BERTH_PUBLISHED) {
      if (berth_instance_payload(got.published) != &node) wrong("a payload of another key");
      if (options.need == BERTH_NEED_ENTRY && !check_entry(node, berth_instance_entry(got.published))) wrong("an entry of another key");
      berth_instance_release(got.published);
      return;
    }
    if (got.outcome == BERTH_RESERVED_CYCLE) node.cycle_broken.store(true, std::memory_order_relaxed);
    if (faults_.delay && random.one_in(64)) {
      const SafeScope safe(thread);
      ::usleep(static_cast<useconds_t>(random.below(200)));
    }
    if (got.outcome == BERTH_RESERVED) {
      for (const uint32_t callee : node.callees) ask(thread, random, graph_[callee], depth + 1);
    }
    inject(thread, random);
    give_back(thread, random, node, got);
    if (depth > 0 || got.outcome == BERTH_RESERVED_REENTRANT) return;
  }
}

void Stress::inject(berth_thread_t* thread, Random& random) {
  if (faults_.gc && random.one_in(512)) berth_gc_collect(thread);
  if (faults_.spurious && random.one_in(64)) berth_engine_recruit(engine_, 4);
  if (faults_.abandon && random.one_in(256)) abandon_by_agent(thread, random);
  if (faults_.death && random.one_in(1024)) {
    const SafeScope safe(thread);
    abandon_by_death(random);
  }
}

// An agent takes keys and is deleted with them.
void Stress::abandon_by_agent(berth_thread_t* thread, Random& random) {
  berth_agent_t* agent = nullptr;
  berth_agent_t* before = nullptr;
  const Failure made(berth_agent_new(engine_, "mortal", &agent));
  const Failure set(berth_thread_set_agent(thread, agent, &before));
  for (int i = 0; i < 3; ++i) {
    Node& node = graph_[random.below(graph_.size())];
    berth_reserve_options_t options{};
    options.struct_size = sizeof options;
    berth_reservation_t got{};
    const Failure failure(berth_reserve(thread, {&node, this}, &options, &got));
    if (!failure && got.outcome == BERTH_PUBLISHED) berth_instance_release(got.published);
  }
  const Failure unset(berth_thread_set_agent(thread, before, nullptr));
  berth_agent_delete(agent);
}

// A thread takes a key and exits attached.
void Stress::abandon_by_death(Random& random) {
  Node& node = graph_[random.below(graph_.size())];
  std::thread([&] {
    berth_thread_t* thread = nullptr;
    const Failure attached(berth_thread_attach(engine_, &thread));
    if (attached) return;
    berth_reserve_options_t options{};
    options.struct_size = sizeof options;
    berth_reservation_t got{};
    const Failure failure(berth_reserve(thread, {&node, this}, &options, &got));
    if (!failure && got.outcome == BERTH_PUBLISHED) berth_instance_release(got.published);
  }).join();
}

void Stress::ask_all(berth_thread_t* thread, Random& random) {
  std::vector<uint32_t> order(graph_.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  for (const uint32_t i : order) {
    ask(thread, random, graph_[i], 0);
    berth_thread_safepoint(thread);
  }
}

void Stress::work(uint32_t index) {
  berth_thread_t* thread = nullptr;
  const Failure failure(berth_thread_attach(engine_, &thread));
  if (failure) wrong("attach: " + failure.message());
  Random random(options_.seed * 1000003 + index);
  for (;;) {
    {
      const SafeScope safe(thread);
      barrier_.arrive_and_wait();  // the round begins
    }
    if (last_round_.load()) break;
    ask_all(thread, random);
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

// All threads have met: every key has its result, its entry comes, nothing is held. Then all of it is retired.
void Stress::check_round(berth_thread_t* thread) {
  for (size_t i = 0; i < graph_.size(); ++i) {
    Node& node = graph_[i];
    berth_instance_t* instance = berth_lookup(engine_, {&node, this}, 0);
    if (!instance) {
      lost_.fetch_add(1);
      wrong(fmt::format("key {} has no result", i));
      continue;
    }
    if (berth_instance_payload(instance) != &node) wrong(fmt::format("key {} has a payload of another one", i));
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
        if (compiles > 1) wrong(fmt::format("key {} was compiled {} times though no cycle was broken", i, compiles));
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
      std::fprintf(stderr, "berth-stress: stall, seed %llu: %s\n", static_cast<unsigned long long>(options_.seed), text);
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
  const std::string json = fmt::format(
      "{{\"result\":\"{}\",\"lost\":{},\"wrong\":{},\"keys\":{},\"threads\":{},\"rounds\":{},\"reserves\":{},\"reserved\":{},"
      "\"published\":{},\"waits\":{},\"cycles\":{},\"duplicates\":{},\"abandoned\":{},\"recovered\":{},\"errors\":{},"
      "\"compiles_per_key_max\":{},\"collections\":{},\"compiler\":\"{}\",\"faults\":\"{}\",\"seed\":{}}}\n",
      result, lost_.load(), wrong_.load(), graph_.size(), options_.threads, rounds_.load(), reserves_.load(), counts.reserved,
      counts.published, counts.waits, counts.cycle, counts.duplicates, counts.abandoned, counts.recovered, errors_.load(),
      compiles_per_key_max_.load(), counts.collections, options_.compiler, options_.faults, options_.seed);
  if (!options_.json.empty()) {
    std::ofstream file(options_.json);
    file << json;
    if (!file) std::fprintf(stderr, "berth-stress: cannot write %s\n", options_.json.c_str());
  }
  std::fputs(json.c_str(), out);
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
  {
    std::jthread watchdog([this](const std::stop_token& stop) { watch(stop); });
    std::vector<std::jthread> workers;
    for (uint32_t i = 0; i < options_.threads; ++i) workers.emplace_back([this, i] { work(i); });
    const auto end = Clock::now() + std::chrono::duration<double>(options_.seconds);
    for (;;) {
      graph_.begin_round();
      last_round_.store(Clock::now() >= end || wrong_.load() > 0);
      const bool last = last_round_.load();
      {
        const SafeScope safe(thread);
        barrier_.arrive_and_wait();
        if (!last) barrier_.arrive_and_wait();
      }
      if (last) break;
      check_round(thread);
      rounds_.fetch_add(1);
    }
    const SafeScope safe(thread);
    workers.clear();
    watchdog.request_stop();
    watchdog.join();
  }
  report(wrong_.load() ? "wrong" : "ok", stdout);
  berth_thread_detach(thread);
  berth_engine_delete(engine_);
  return wrong_.load() || lost_.load() ? 2 : 0;
}

// The seed and the sizes of an earlier run, from the JSON that it wrote.
bool read_replay(Options& options) {
  std::ifstream file(options.replay);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto value = [&](const std::string& name) -> std::string {
    const size_t at = text.find("\"" + name + "\":");
    if (at == std::string::npos) return "";
    const size_t begin = at + name.size() + 3;
    return text.substr(begin, text.find_first_of(",}", begin) - begin);
  };
  const auto unquoted = [](const std::string& quoted) { return quoted.size() < 2 ? quoted : quoted.substr(1, quoted.size() - 2); };
  if (value("seed").empty()) return false;
  options.seed = std::stoull(value("seed"));
  options.keys = static_cast<uint32_t>(std::stoul(value("keys")));
  options.threads = static_cast<uint32_t>(std::stoul(value("threads")));
  options.compiler = unquoted(value("compiler"));
  const size_t faults = text.find("\"faults\":\"");
  if (faults != std::string::npos) options.faults = text.substr(faults + 10, text.find('"', faults + 10) - faults - 10);
  return true;
}

int main_of(int argc, char** argv) {
  Options options;
  CLI::App app{"Stress test of Berth: threads infer and compile a random call graph; nothing may be lost.", "berth-stress"};
  app.add_option("--compiler", options.compiler, "stub or llvm")->check(CLI::IsMember({"stub", "llvm"}))->capture_default_str();
  app.add_option("--threads", options.threads, "threads that ask")->check(CLI::Range(1, 1024))->capture_default_str();
  app.add_option("--keys", options.keys, "methods of the call graph")->check(CLI::Range(1, 1'000'000))->capture_default_str();
  app.add_option("--seconds", options.seconds, "how long")->capture_default_str();
  app.add_option("--seed", options.seed, "of graph and schedule; 0: from the clock")->capture_default_str();
  app.add_option("--faults", options.faults, "all, or a list of delay,spurious,abandon,fail,gc,death,cancel");
  app.add_option("--json", options.json, "file for the report");
  app.add_option("--replay", options.replay, "report of an earlier run: its seed, sizes and faults");
  app.add_option("--stall", options.stall_seconds, "seconds without progress that count as a stall")->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 3;
  }
  if (!options.replay.empty() && !read_replay(options)) {
    std::fprintf(stderr, "berth-stress: %s holds no seed. Remedy: give the file that --json wrote\n", options.replay.c_str());
    return 3;
  }
  const std::optional<Faults> faults = parse_faults(options.faults);
  if (!faults) {
    std::fprintf(stderr, "berth-stress: unknown fault in \"%s\". Remedy: all, or a list of delay,spurious,abandon,fail,gc,death,cancel\n",
                 options.faults.c_str());
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
