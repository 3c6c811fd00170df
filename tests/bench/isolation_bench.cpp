// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bench isolation: what a compile worker costs. Informative: a FAST or OPTIMIZED compile of one source at a
// time, in a worker process against in this one; and the first isolated compile of an engine, which starts
// the worker.
//
// Both sides reserve, release and wait for the entry of new keys, with one compile thread.
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "berth/berth.hpp"
#include "tests/bench/harness.hpp"

namespace berth::bench {
namespace {

constexpr int kSources = 50;

// About 70 instructions.
std::string source_text() {
  std::string text = "define i64 @f(i64 %x0) {\n";
  for (int i = 0; i < 68; ++i) {
    constexpr const char* kOps[] = {"add", "xor", "mul", "sub"};
    text += fmt::format("  %x{} = {} i64 %x{}, {}\n", i + 1, kOps[i % 4], i, 5 + i);
  }
  return text + "  ret i64 %x68\n}\n";
}

class Compiles {
 public:
  Compiles(berth_containment_t containment, berth_tier_t tier) : tier_(tier) {
    ConfigOwner config(berth_config_new());
    berth_config_set_compile_threads(config.get(), 1);
    berth_config_set_containment(config.get(), containment);
    engine_ = std::make_unique<EngineOwner>(config.get());
    thread_ = std::make_unique<ThreadOwner>(*engine_);
  }
  double run(int n) {
    return time_ns([&] {
      for (int i = 0; i < n; ++i) {
        auto reservation = thread_->reserve({reinterpret_cast<const void*>(++last_key_ * 16), nullptr});
        const InstanceRef instance = reservation.lease.instance();
        SourceOwner source = SourceOwner::from_ir(text_, "f");
        berth_source_set_tier(source.get(), tier_);
        reservation.lease.release(std::move(source));
        thread_->wait_entry(instance);
      }
    });
  }

 private:
  const berth_tier_t tier_;
  const std::string text_ = source_text();
  uintptr_t last_key_ = 0;
  std::unique_ptr<EngineOwner> engine_;
  std::unique_ptr<ThreadOwner> thread_;
};

Figure warm(const char* name, berth_tier_t tier) {
  Compiles ours(BERTH_CONTAINMENT_PROCESS, tier), baseline(BERTH_CONTAINMENT_HANDLER, tier);
  return compare(
      name, "compiled in this process", std::nullopt, kSources, [&] { return ours.run(kSources); },
      [&] { return baseline.run(kSources); }, 7);
}

Figure first() {
  return compare(
      "isolation/first/fast", "compiled in this process", std::nullopt, 1,
      [] { return Compiles(BERTH_CONTAINMENT_PROCESS, BERTH_TIER_FAST).run(1); },
      [] { return Compiles(BERTH_CONTAINMENT_HANDLER, BERTH_TIER_FAST).run(1); }, 7);
}

}  // namespace

std::vector<Figure> isolation_figures() {
  return {warm("isolation/warm/fast", BERTH_TIER_FAST),
          warm("isolation/warm/optimized", BERTH_TIER_OPTIMIZED), first()};
}

}  // namespace berth::bench
