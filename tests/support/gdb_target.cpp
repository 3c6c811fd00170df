// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What GDB runs in J71: gdb_target METHODS FILE. Compiles that many methods in four equal parts with the GDB
// observer on, prints how long each part took, writes a command for GDB per method into FILE, and calls some
// of them: each stops inside at_stop().
#include <berth/berth.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

extern "C" {
[[gnu::noinline, gnu::used]] void at_names() { asm volatile(""); }
[[gnu::noinline, gnu::used]] void at_stop() { asm volatile(""); }
}

namespace {

using Number = int64_t(int64_t);
constexpr size_t kParts = 4;

/// Of method n: odd ones call the one before them, even ones stop.
std::string source(size_t n) {
  const char* const callee =
      n % 2 ? "%y = call i64 @inner(i64 %x)" : "call void @at_stop()\n  %y = add i64 %x, 0";
  return std::string("declare i64 @inner(i64)\ndeclare void @at_stop()\ndefine i64 @f(i64 %x) {\n  ") +
         callee + "\n  %z = add i64 %y, " + std::to_string(n) + "\n  ret i64 %z\n}\n";
}

void run(size_t methods, const char* commands) {
  berth::EngineOwner engine;
  berth::check(berth_engine_define_symbol(engine.get(), "at_stop", reinterpret_cast<void*>(&at_stop)));
  engine.set_observers(BERTH_OBSERVE_GDB);
  berth::ThreadOwner thread(engine);
  std::vector<berth::InstanceRef> instances;
  std::vector<Number*> entries;
  for (size_t part = 0; part < kParts; ++part) {
    const auto begin = std::chrono::steady_clock::now();
    const size_t first = instances.size();
    for (size_t n = first; n < first + methods / kParts; ++n) {
      const std::string label = "method_" + std::to_string(n);
      berth_reserve_options_t options{};
      options.struct_size = sizeof options;
      options.timeout_ns = -1;
      options.label = label.c_str();
      auto reservation = thread.reserve({reinterpret_cast<const void*>(16 * (n + 1)), nullptr}, &options);
      instances.push_back(reservation.lease.instance());
      auto made = berth::SourceOwner::from_ir(source(n), "f");
      berth_source_set_tier(made.get(), BERTH_TIER_FAST);
      if (n % 2) berth_source_add_edge(made.get(), instances[n - 1].get(), "inner");
      reservation.lease.release(std::move(made));
    }
    for (size_t n = first; n < instances.size(); ++n)
      entries.push_back(reinterpret_cast<Number*>(thread.wait_entry(instances[n])));
    const auto took = std::chrono::steady_clock::now() - begin;
    std::printf("part %zu %lld ns\n", part, static_cast<long long>(std::chrono::nanoseconds(took).count()));
  }
  std::FILE* const file = std::fopen(commands, "w");
  if (!file) std::exit(2);
  for (Number* entry : entries) std::fprintf(file, "info symbol %p\n", reinterpret_cast<void*>(entry));
  std::fclose(file);
  std::fflush(stdout);
  at_names();
  int64_t sum = 0;
  for (size_t n = 1; n < methods; n += methods / 10) sum += entries[n | 1](1);
  std::printf("sum %lld\n", static_cast<long long>(sum));
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  try {
    run(std::strtoul(arguments[1], nullptr, 10), arguments[2]);
    return 0;
  } catch (const berth::ApiError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
