// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contract page "JIT", section 6: debuggers, profilers, trace and times, through the public API. Rows J71 to
// J74.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <llvm/Support/JSON.h>
#include <sys/resource.h>
#include <unistd.h>
#include <berth/berth.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>
#include <vector>

#include "tests/support/watchdog.hpp"

namespace {

using namespace std::chrono_literals;
using berth::test::Watchdog;
using testing::HasSubstr;
using Number = int64_t(int64_t);

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::filesystem::path folder_of_tests() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

struct TemporaryFolder {
  static inline int made = 0;
  std::filesystem::path path =
      testing::TempDir() + "berth_observers." + std::to_string(getpid()) + "." + std::to_string(made++);
  TemporaryFolder() { std::filesystem::create_directories(path); }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
};

struct Config {
  explicit Config(unsigned threads, const char* cache) {
    berth_config_set_compile_threads(config.get(), threads);
    berth_config_set_cache_directory(config.get(), cache);
  }
  berth::ConfigOwner config{berth_config_new()};
};

struct Fixture {
  explicit Fixture(unsigned threads, const char* cache = nullptr)
      : engine(Config(threads, cache).config.get()), thread(engine) {}

  berth::InstanceRef install(const std::string& ir, const std::string& label,
                             berth_tier_t tier = BERTH_TIER_FAST) {
    berth_reserve_options_t options{};
    options.struct_size = sizeof options;
    options.timeout_ns = -1;
    options.label = label.c_str();
    auto reservation = thread.reserve({reinterpret_cast<const void*>(16 * ++keys), nullptr}, &options);
    auto instance = reservation.lease.instance();
    auto source = berth::SourceOwner::from_ir(ir, "f");
    berth_source_set_tier(source.get(), tier);
    reservation.lease.release(std::move(source));
    return instance;
  }
  Number* entry(const berth::InstanceRef& instance) {
    return reinterpret_cast<Number*>(thread.wait_entry(instance));
  }

  berth::EngineOwner engine;
  berth::ThreadOwner thread;
  size_t keys = 0;
};

/// Of `additions` instructions.
std::string source(size_t additions) {
  std::string ir = "define i64 @f(i64 %x0) {\n";
  for (size_t i = 0; i < additions; ++i) {
    ir += "  %x" + std::to_string(i + 1) + " = " + (i % 2 ? "mul" : "add") + " i64 %x" + std::to_string(i) +
          ", " + std::to_string(i + 3) + "\n";
  }
  return ir + "  ret i64 %x" + std::to_string(additions) + "\n}\n";
}

// --- J71

std::string gdb(size_t methods, const std::filesystem::path& folder) {
  const std::string commands = folder / "names.gdb", output = folder / "gdb.txt";
  std::ofstream(folder / "script.gdb")
      << "set pagination off\nset confirm off\nset debuginfod enabled off\n"
      << "set environment ASAN_OPTIONS detect_leaks=0\n"  // it cannot work under a debugger
      << "break at_names\nbreak at_stop\nrun\nsource " << commands << "\n"
      << "python\nfor i in range(10):\n  gdb.execute('continue')\n  gdb.execute('bt')\nend\ncontinue\n";
  const std::string command = "gdb -nx -q -batch -x " + (folder / "script.gdb").string() + " --args " +
                              (folder_of_tests() / "berth-gdb-target").string() + " " +
                              std::to_string(methods) + " " + commands + " > " + output + " 2>&1 < /dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0) << read_file(output);
  return read_file(output);
}

double part_ns(const std::string& output, size_t part) {
  const std::string head = "part " + std::to_string(part) + " ";
  const size_t at = output.find(head);
  return at == std::string::npos ? 0 : std::stod(output.substr(at + head.size()));
}

TEST(Jit, J71_gdb_names_2000_methods_in_near_linear_time) {
  Watchdog watchdog{240s};
  ASSERT_EQ(std::system("gdb --version > /dev/null 2>&1"), 0)
      << "this test needs gdb: install the package gdb (./dev test does)";
  constexpr size_t kMethods = 2000;
  double best_ratio = 1e9;
  for (int run = 0; run < 3 && best_ratio > 2; ++run) {
    const TemporaryFolder folder;
    const std::string output = gdb(kMethods, folder.path);
    for (size_t n = 0; n < kMethods; ++n) {
      ASSERT_THAT(output, HasSubstr("method_" + std::to_string(n) + " in section .text"))
          << output.substr(0, 4000);
    }
    for (size_t n = 1; n < kMethods; n += kMethods / 10) {  // frames of both methods, then the host's
      const std::string outer = " in method_" + std::to_string(n | 1) + " ()",
                        inner = " in method_" + std::to_string((n | 1) - 1) + " ()";
      const size_t at = output.find(inner);
      ASSERT_NE(at, std::string::npos) << inner << output.substr(0, 4000);
      const std::string rest = output.substr(at, 2000);
      EXPECT_THAT(rest.substr(0, rest.find("main")), HasSubstr(outer));
    }
    EXPECT_THAT(output, HasSubstr("exited normally"));
    best_ratio = std::min(best_ratio, part_ns(output, 3) / part_ns(output, 0));
    RecordProperty("last_500_over_first_500", std::to_string(best_ratio));
  }
  EXPECT_LE(best_ratio, 2) << "the last 500 methods took that much longer than the first 500";
}

// --- J72

struct DumpedCode {
  uint64_t address, bytes, index;
  std::string code;
  uint64_t unwind_range = 0;  // of the records before it
  std::vector<std::pair<uint64_t, uint32_t>> lines;
};

template <class T>
T at(const std::string& bytes, size_t offset) {
  T value{};
  if (offset + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// The length that the last record in .eh_frame says the function has; its place, behind the code, must lead
/// back to the code.
uint64_t unwind_range(const std::string& unwind, uint64_t header_bytes, uint64_t code_bytes) {
  const size_t own = 4 + at<uint32_t>(unwind, 0);
  const int64_t place = at<int32_t>(unwind, own + 8) + static_cast<int64_t>(own) + 8 +
                        static_cast<int64_t>((code_bytes + 7) / 8 * 8);
  EXPECT_EQ(place, 0);
  EXPECT_EQ(at<uint32_t>(unwind, own + 4), own + 4);
  const size_t header = unwind.size() - header_bytes;
  EXPECT_EQ(at<uint32_t>(unwind, header + 8), 1u);
  EXPECT_EQ(static_cast<int64_t>(header) + at<int32_t>(unwind, header + 16), static_cast<int64_t>(own));
  return at<uint32_t>(unwind, own + 12);
}

std::multimap<std::string, DumpedCode> parse_dump(const std::string& dump) {
  std::multimap<std::string, DumpedCode> codes;
  EXPECT_EQ(at<uint32_t>(dump, 0), 0x4A695444u);
  EXPECT_EQ(at<uint32_t>(dump, 4), 1u);
  EXPECT_EQ(at<uint32_t>(dump, 20), static_cast<uint32_t>(getpid()));
  std::string unwind;
  uint64_t header_bytes = 0;
  std::vector<std::pair<uint64_t, uint32_t>> lines;
  size_t record = at<uint32_t>(dump, 8);
  uint64_t time = 0;
  while (record < dump.size()) {
    const auto kind = at<uint32_t>(dump, record);
    const auto bytes = at<uint32_t>(dump, record + 4);
    EXPECT_GE(at<uint64_t>(dump, record + 8), time);
    time = at<uint64_t>(dump, record + 8);
    const size_t body = record + 16;
    if (kind == 0) {
      const char* const name = dump.data() + body + 40;
      DumpedCode code{at<uint64_t>(dump, body + 16),
                      at<uint64_t>(dump, body + 24),
                      at<uint64_t>(dump, body + 32),
                      {},
                      0,
                      std::move(lines)};
      code.code = dump.substr(body + 40 + std::strlen(name) + 1, code.bytes);
      if (!unwind.empty()) code.unwind_range = unwind_range(unwind, header_bytes, code.bytes);
      codes.emplace(name, std::move(code));
      unwind.clear();
      lines.clear();
    } else if (kind == 2) {
      size_t entry = body + 16;
      for (uint64_t i = 0; i < at<uint64_t>(dump, body + 8); ++i) {
        lines.emplace_back(at<uint64_t>(dump, entry), at<uint32_t>(dump, entry + 8));
        entry += 16 + std::strlen(dump.data() + entry + 16) + 1;
      }
    } else if (kind == 4) {
      header_bytes = at<uint64_t>(dump, body + 8);
      unwind = dump.substr(body + 24, at<uint64_t>(dump, body));
    } else {
      ADD_FAILURE() << "a record of kind " << kind;
    }
    if (bytes < 16 || record + bytes > dump.size()) {
      ADD_FAILURE() << "the dump ends in half a record";
      break;
    }
    record += bytes;
  }
  return codes;
}

constexpr const char* kWithLines = R"(define i64 @f(i64 %x) !dbg !4 {
  %y = add i64 %x, 1, !dbg !7
  %z = mul i64 %y, %y, !dbg !8
  ret i64 %z, !dbg !9
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "test", isOptimized: false, emissionKind: FullDebug)
!1 = !DIFile(filename: "squares.lang", directory: "/source")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"Dwarf Version", i32 5}
!4 = distinct !DISubprogram(name: "square", scope: !1, file: !1, line: 40, scopeLine: 40, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!7 = !DILocation(line: 41, column: 3, scope: !4)
!8 = !DILocation(line: 42, column: 3, scope: !4)
!9 = !DILocation(line: 43, column: 3, scope: !4)
)";

TEST(Jit, J72_jitdump_has_each_symbol_once_with_its_size) {
  Watchdog watchdog{120s};
  const TemporaryFolder folder;
  ASSERT_EQ(setenv("JITDUMPDIR", folder.path.c_str(), 1), 0);
  constexpr size_t kMethods = 200;
  std::map<std::string, Number*> entries;
  {
    // Two engines, one file. The thread is safe in the one that it does not use.
    const auto aside = [](Fixture& idle, auto&& act) {
      const berth::SafeScope scope(idle.thread.get());
      return act();
    };
    Fixture fixture(2);
    auto other = aside(fixture, [] { return std::make_unique<Fixture>(1u); });
    fixture.engine.set_observers(BERTH_OBSERVE_PERF | BERTH_OBSERVE_VTUNE);
    other->engine.set_observers(BERTH_OBSERVE_PERF);
    std::map<std::string, berth::InstanceRef> instances, others;
    for (size_t n = 0; n < kMethods; ++n) {
      const std::string label = "area(Shape" + std::to_string(n) + ")";
      const berth_tier_t tier = n % 3 ? BERTH_TIER_FAST : BERTH_TIER_OPTIMIZED;
      if (n % 4) {
        instances[label] = aside(*other, [&] { return fixture.install(source(n), label, tier); });
      } else {
        others[label] = aside(fixture, [&] { return other->install(source(n), label, tier); });
      }
    }
    aside(fixture, [&] {
      for (const auto& [label, instance] : others) entries[label] = other->entry(instance);
    });
    aside(*other, [&] {
      instances["square"] = fixture.install(kWithLines, "square");
      for (const auto& [label, instance] : instances) entries[label] = fixture.entry(instance);
      fixture.engine.set_observers(0);
      fixture.entry(fixture.install(source(1), "unseen"));
    });
    const auto codes = parse_dump(read_file(folder.path / ("jit-" + std::to_string(getpid()) + ".dump")));
    EXPECT_EQ(codes.size(), entries.size());
    std::map<uint64_t, int> indices;
    for (const auto& [label, entry] : entries) {
      ASSERT_EQ(codes.count(label), 1u) << label;
      const DumpedCode& code = codes.find(label)->second;
      EXPECT_EQ(code.address, reinterpret_cast<uint64_t>(entry));
      EXPECT_EQ(code.unwind_range, code.bytes)
          << label;  // the assembler's word for the size, not the symbol's
      EXPECT_EQ(std::memcmp(code.code.data(), reinterpret_cast<const void*>(entry), code.bytes), 0);
      EXPECT_EQ(++indices[code.index], 1);
      EXPECT_EQ(code.lines.empty(), label != "square");
    }
    std::vector<uint32_t> lines;
    for (const auto& [address, line] : codes.find("square")->second.lines) {
      EXPECT_GE(address, reinterpret_cast<uint64_t>(entries["square"]));
      lines.push_back(line);
    }
    EXPECT_THAT(lines, testing::IsSupersetOf({40u, 41u, 42u, 43u}));
    aside(fixture, [&] {
      others.clear();
      other.reset();
    });
  }
  unsetenv("JITDUMPDIR");
}

TEST(Jit, J72_code_from_the_object_cache_is_named_too) {
  Watchdog watchdog{60s};
  const TemporaryFolder folder;
  const std::string cache = folder.path / "cache";
  ASSERT_EQ(setenv("JITDUMPDIR", folder.path.c_str(), 1), 0);
  constexpr size_t kMethods = 20;
  const auto compile_all = [&](Fixture& fixture, const std::string& prefix) {
    std::vector<berth::InstanceRef> instances;
    for (size_t n = 0; n < kMethods; ++n)
      instances.push_back(fixture.install(source(n + 1), prefix + std::to_string(n)));
    std::map<std::string, Number*> entries;
    for (size_t n = 0; n < kMethods; ++n) entries[prefix + std::to_string(n)] = fixture.entry(instances[n]);
    return entries;
  };
  {
    Fixture fixture(0, cache.c_str());  // without threads the cache is written in place
    compile_all(fixture, "compiled_");
  }
  Fixture fixture(1, cache.c_str());
  fixture.engine.set_observers(BERTH_OBSERVE_PERF | BERTH_OBSERVE_GDB);
  const auto entries = compile_all(fixture, "loaded_");
  EXPECT_THAT(fixture.engine.metrics(), HasSubstr("berth_cache_hits_total " + std::to_string(kMethods)));
  const auto codes = parse_dump(read_file(folder.path / ("jit-" + std::to_string(getpid()) + ".dump")));
  EXPECT_EQ(codes.size(), kMethods);
  for (const auto& [label, entry] : entries) {
    ASSERT_EQ(codes.count(label), 1u) << label;
    EXPECT_EQ(codes.find(label)->second.address, reinterpret_cast<uint64_t>(entry));
    EXPECT_EQ(codes.find(label)->second.unwind_range, codes.find(label)->second.bytes);
  }
  unsetenv("JITDUMPDIR");
}

TEST(Jit, J72_without_a_jitdump_folder_names_go_into_a_map) {
  Watchdog watchdog{60s};
  unsetenv("JITDUMPDIR");
  Fixture fixture(1);
  fixture.engine.set_observers(BERTH_OBSERVE_PERF);
  const auto instance = fixture.install(source(3), "area(Circle)\nof two lines");
  Number* const entry = fixture.entry(instance);
  const std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  std::istringstream lines(read_file(path));
  std::filesystem::remove(path);
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  char expected[64];
  std::snprintf(expected, sizeof expected, "%lx ", reinterpret_cast<unsigned long>(entry));
  EXPECT_EQ(line.rfind(expected, 0), 0u) << line;
  EXPECT_THAT(line, HasSubstr("area(Circle); of two lines"));
  EXPECT_FALSE(std::getline(lines, line));
}

TEST(Jit, J72_vtunes_agent_is_told_where_there_is_one) {
  Watchdog watchdog{60s};
  const TemporaryFolder folder;
  Fixture fixture(1);
  unsetenv("INTEL_JIT_PROFILER64");
  fixture.engine.set_observers(BERTH_OBSERVE_VTUNE);  // none: no error
  fixture.entry(fixture.install(source(1), "nobody is told"));
  setenv("INTEL_JIT_PROFILER64", (folder.path / "missing.so").c_str(), 1);
  fixture.engine.set_observers(BERTH_OBSERVE_VTUNE);
  fixture.entry(fixture.install(source(1), "nobody is told"));
  EXPECT_THAT(fixture.engine.metrics(), HasSubstr("berth_observer_faults_total{observer=\"vtune\"} 0"));

  const std::string log = folder.path / "agent.log";
  setenv("BERTH_TEST_AGENT_LOG", log.c_str(), 1);
  setenv("INTEL_JIT_PROFILER64", (folder_of_tests() / "berth-vtune-agent.so").c_str(), 1);
  fixture.engine.set_observers(BERTH_OBSERVE_VTUNE);
  fixture.entry(fixture.install(source(1), "area(Circle)"));
  unsetenv("INTEL_JIT_PROFILER64");
  EXPECT_EQ(read_file(log).rfind("area(Circle) ", 0), 0u) << read_file(log);
}

TEST(Jit, J72_an_observer_that_fails_is_turned_off_and_fails_no_compile) {
  Watchdog watchdog{60s};
  const TemporaryFolder folder;
  ASSERT_EQ(setenv("JITDUMPDIR", (folder.path / "missing").c_str(), 1), 0);
  Fixture fixture(1);
  try {
    fixture.engine.set_observers(BERTH_OBSERVE_PERF);
    ADD_FAILURE() << "the folder does not exist";
  } catch (const berth::ApiError& error) {
    EXPECT_EQ(error.code(), BERTH_INVALID_ARGUMENT);
    EXPECT_THAT(error.what(), HasSubstr("missing/jit-"));
  }
  setenv("JITDUMPDIR", folder.path.c_str(), 1);
  fixture.engine.set_observers(BERTH_OBSERVE_PERF | BERTH_OBSERVE_GDB);
  fixture.entry(fixture.install(source(1), "first"));
  const std::string path = folder.path / ("jit-" + std::to_string(getpid()) + ".dump");
  const size_t whole = std::filesystem::file_size(path);
  // Files may not grow: what a full disk is like.
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit none{whole + 10, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
  Number* const second = fixture.entry(fixture.install(source(1), "second"));
  Number* const third = fixture.entry(fixture.install(source(2), "third"));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(second(1), 4);
  EXPECT_EQ(third(1), 16);
  EXPECT_EQ(std::filesystem::file_size(path), whole) << "half a record is left";
  auto explained = llvm::json::parse(fixture.engine.explain());
  ASSERT_TRUE(static_cast<bool>(explained));
  const auto* const faults = explained->getAsObject()->getArray("warnings");
  ASSERT_NE(faults, nullptr);
  EXPECT_EQ(faults->size(), 1u);  // once
  EXPECT_THAT(faults->front().getAsString()->str(), HasSubstr("observer perf: "));
  const std::string metrics = fixture.engine.metrics();
  EXPECT_THAT(metrics, HasSubstr("berth_observer_faults_total{observer=\"perf\"} 1"));
  EXPECT_THAT(metrics, HasSubstr("berth_observed_units_total{observer=\"perf\"} 1"));
  EXPECT_THAT(metrics, HasSubstr("berth_observed_units_total{observer=\"gdb\"} 3"));
  unsetenv("JITDUMPDIR");
}

// --- J73

struct Span {
  double begin, end;
  std::string name;
};

/// Checks one trace; how many spans of each category it has is added.
void check_trace(const std::string& path, double earliest_us,
                 std::map<std::string, size_t>& spans_by_category) {
  auto parsed = llvm::json::parse(read_file(path));
  ASSERT_TRUE(static_cast<bool>(parsed)) << llvm::toString(parsed.takeError());
  const auto* const events = parsed->getAsObject()->getArray("traceEvents");
  ASSERT_NE(events, nullptr);
  std::map<int64_t, std::vector<Span>> threads;
  for (const llvm::json::Value& value : *events) {
    const auto& event = *value.getAsObject();
    const double begin = *event.getNumber("ts");
    constexpr double kCoarseUs = 10'000;  // leases are dated by the coarse clock
    ASSERT_GE(begin, event.getString("name") == "hold" ? earliest_us - kCoarseUs : earliest_us)
        << event.getString("name")->str();
    if (event.getString("ph") != "X") continue;
    const double duration = *event.getNumber("dur");
    ASSERT_GE(duration, 0);
    threads[*event.getInteger("tid")].push_back({begin, begin + duration, event.getString("name")->str()});
    ++spans_by_category[event.getString("cat")->str()];
  }
  constexpr double kRounding =
      0.0005;  // half a nanosecond: the sum of two numbers that are exact in the file
  for (auto& [thread, spans] : threads) {
    std::ranges::sort(spans, [](const Span& a, const Span& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    std::vector<const Span*> open;
    for (const Span& span : spans) {
      while (!open.empty() && open.back()->end <= span.begin + kRounding) open.pop_back();
      if (!open.empty()) {
        ASSERT_LE(span.end, open.back()->end + kRounding)
            << span.name << " ends after " << open.back()->name << " around it";
      }
      open.push_back(&span);
    }
  }
}

TEST(Jit, J73_trace_toggled_1000_times_under_load_is_valid_and_nested) {
  Watchdog watchdog{240s};
  const TemporaryFolder folder;
  const std::string path = folder.path / "trace.json";
  const double earliest_us =
      std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
  Fixture fixture(2);
  std::atomic<bool> done{false};      // relaxed: only ends the load
  std::atomic<uint64_t> compiled{0};  // release and acquire: its compile's events are written before
  std::thread load([&] {
    berth::ThreadOwner thread(fixture.engine);
    for (size_t n = 0; !done.load(std::memory_order_relaxed); ++n) {
      auto reservation = thread.reserve({reinterpret_cast<const void*>(0x1000'0000 + 16 * n), nullptr});
      const auto instance = reservation.lease.instance();
      auto made = berth::SourceOwner::from_ir(source(n % 50), "f");
      berth_source_set_tier(made.get(), n % 4 ? BERTH_TIER_FAST : BERTH_TIER_OPTIMIZED);
      reservation.lease.release(std::move(made));
      thread.wait_entry(instance);
      compiled.fetch_add(1, std::memory_order_release);
      compiled.notify_all();
    }
  });
  std::map<std::string, size_t> spans;
  {
    const berth::SafeScope safe(fixture.thread.get());
    for (int round = 0; round < 1000 && !testing::Test::HasFatalFailure(); ++round) {
      berth::check(berth_engine_trace_start(fixture.engine.get(), path.c_str()));
      // Sometimes stopped at once, in the middle of a compile; sometimes after whole ones.
      const uint64_t before = compiled.load(std::memory_order_acquire);
      for (uint64_t now = before; now < before + static_cast<uint64_t>(round % 3);
           now = compiled.load(std::memory_order_acquire)) {
        compiled.wait(now, std::memory_order_acquire);
      }
      berth::check(berth_engine_trace_stop(fixture.engine.get()));
      check_trace(path, earliest_us, spans);
    }
  }
  done.store(true, std::memory_order_relaxed);
  load.join();
  EXPECT_GT(spans["compile"], 1000u);
  EXPECT_GT(spans["llvm"], 100u);
}

TEST(Jit, J73_one_trace_has_engine_compile_and_llvm_spans_of_each_step) {
  Watchdog watchdog{60s};
  const TemporaryFolder folder;
  const std::string path = folder.path / "trace.json";
  Fixture fixture(1);
  berth::check(berth_engine_trace_start(fixture.engine.get(), path.c_str()));
  fixture.entry(fixture.install(source(2000), "area(Circle)", BERTH_TIER_OPTIMIZED));
  berth::check(berth_engine_trace_stop(fixture.engine.get()));
  const std::string text = read_file(path);
  for (const char* step : {"read", "check", "optimise", "generate", "link"}) {
    EXPECT_THAT(text, HasSubstr("{\"name\":\"" + std::string(step) + "\",\"cat\":\"compile\",\"ph\":\"X\""));
  }
  EXPECT_THAT(text, HasSubstr("\"label\":\"area(Circle)\",\"tier\":\"OPTIMIZED\""));
  EXPECT_THAT(text, HasSubstr("\"cat\":\"llvm\""));
  EXPECT_THAT(text, HasSubstr("{\"name\":\"published\",\"cat\":\"engine\""));
}

// --- J74

std::map<std::string, double> times_of(const berth::InstanceRef& instance, const char* tier) {
  std::map<std::string, double> times;
  auto parsed = llvm::json::parse(instance.times_json());
  EXPECT_TRUE(static_cast<bool>(parsed));
  const auto* const object = parsed->getAsObject()->getObject(tier);
  if (!object) return times;
  for (const auto& [name, value] : *object) times[name.str()] = *value.getAsNumber();
  return times;
}

double sum_of(const std::map<std::string, double>& times, bool with_queued) {
  double sum = 0;
  for (const auto& [name, ns] : times) {
    if (with_queued || name != "queued_ns") sum += ns;
  }
  return sum;
}

class JitTimes : public testing::TestWithParam<berth_tier_t> {};
INSTANTIATE_TEST_SUITE_P(Tiers, JitTimes, testing::Values(BERTH_TIER_FAST, BERTH_TIER_OPTIMIZED));

// Compiled by the thread that waits: what it measures around the call is the wall.
TEST_P(JitTimes, J74_times_add_up_to_the_threads_wall) {
  Watchdog watchdog{120s};
  Fixture fixture(0);
  fixture.engine.set_observers(BERTH_OBSERVE_TIMES);
  const char* const tier = GetParam() == BERTH_TIER_FAST ? "fast" : "optimized";
  double best = 0;
  for (int run = 0; run < 20 && best < 0.95; ++run) {
    const auto released = std::chrono::steady_clock::now();
    const auto instance = fixture.install(source(1500), "sum", GetParam());
    const auto began = std::chrono::steady_clock::now();
    fixture.entry(instance);
    const auto ended = std::chrono::steady_clock::now();
    const auto times = times_of(instance, tier);
    ASSERT_EQ(times.size(), 8u) << instance.times_json();
    for (const auto& [name, ns] : times) EXPECT_GE(ns, 0) << name;
    for (const char* step : {"queued_ns", "read_ns", "check_ns", "generate_ns", "link_ns"})
      EXPECT_GT(times.at(step), 0) << step;
    if (GetParam() == BERTH_TIER_OPTIMIZED) { EXPECT_GT(times.at("optimise_ns"), 0); }
    const double wall = static_cast<double>(std::chrono::nanoseconds(ended - began).count());
    ASSERT_LE(sum_of(times, false), wall);
    ASSERT_LE(sum_of(times, true), static_cast<double>(std::chrono::nanoseconds(ended - released).count()));
    best = std::max(best, sum_of(times, false) / wall);
  }
  EXPECT_GE(best, 0.95);
}

// One worker compiles a queue: its methods' shares add up to what they took together.
TEST(Jit, J74_shares_of_a_batch_add_up_to_its_workers_wall) {
  Watchdog watchdog{120s};
  Fixture fixture(1);
  fixture.engine.set_observers(BERTH_OBSERVE_TIMES);
  double best = 0;
  for (int run = 0; run < 20 && best < 0.7; ++run) {
    std::vector<berth::InstanceRef> instances;
    const auto began = std::chrono::steady_clock::now();
    for (int n = 0; n < 200; ++n) instances.push_back(fixture.install(source(20), "method"));
    for (const auto& instance : instances) fixture.entry(instance);
    const double wall =
        static_cast<double>(std::chrono::nanoseconds(std::chrono::steady_clock::now() - began).count());
    double sum = 0;
    for (const auto& instance : instances) sum += sum_of(times_of(instance, "fast"), false);
    // A relief thread may have helped: two threads at most.
    ASSERT_LE(sum, 2 * wall);
    ASSERT_GT(sum, 0);
    best = std::max(best, std::min(sum / wall, 1.0));
  }
  EXPECT_GE(best, 0.7);
}

TEST(Jit, J74_times_are_off_by_default_and_go_with_the_switch) {
  Watchdog watchdog{60s};
  Fixture fixture(1);
  const auto before = fixture.install(source(1), "before");
  fixture.entry(before);
  EXPECT_EQ(before.times_json(), "{}");
  fixture.engine.set_observers(BERTH_OBSERVE_TIMES);
  const auto during = fixture.install(source(1), "during");
  fixture.entry(during);
  EXPECT_NE(during.times_json(), "{}");
  fixture.engine.set_observers(0);
  const auto after = fixture.install(source(1), "after");
  fixture.entry(after);
  EXPECT_EQ(after.times_json(), "{}");
  try {
    fixture.engine.set_observers(1u << 20);
    ADD_FAILURE() << "an unknown bit";
  } catch (const berth::ApiError& error) { EXPECT_EQ(error.code(), BERTH_INVALID_ARGUMENT); }
}

}  // namespace
