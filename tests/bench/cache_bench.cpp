// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bench cache: a start from a full object cache against compiling, and against its limit: reading files with
// the same objects, as many functions in each, and linking them with JITLink into one slab. Processor time of
// all threads (one compile thread), from the first release until all are callable: keys, checks, units,
// reservations, releases, wake-ups and waits are in it.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "tests/bench/jit_bench.hpp"
#include "tests/bench/raw_compiler.hpp"

namespace berth::bench {
namespace {

namespace fs = std::filesystem;

struct TemporaryDirectory {
  TemporaryDirectory() : path((fs::temp_directory_path() / "berth-bench.XXXXXX").string()) {
    if (!::mkdtemp(path.data())) std::abort();
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  std::string path;
};

double start(std::span<const std::string> texts, berth_tier_t tier, const char* cache_directory) {
  JitEngine engine(1, cache_directory);
  return processor_ns([&] { engine.compile_all(texts, tier); });
}

/// A reduction and a stencil over memory: a small numeric kernel.
std::string kernel_source(int index) {
  return fmt::format(
      "define i64 @f{0}(i64 %n) {{\nentry:\n  %p = alloca [256 x double]\n  %q = alloca [256 x double]\n  br "
      "label %a\n"
      "a:\n  %i = phi i64 [ 0, %entry ], [ %i1, %a ]\n  %s = phi double [ 0.0, %entry ], [ %s1, %a ]\n  %m = "
      "and i64 %i, 255\n"
      "  %pa = getelementptr [256 x double], ptr %p, i64 0, i64 %m\n  %d = sitofp i64 %i to double\n  %e = "
      "fmul double %d, {1}.0\n"
      "  store double %e, ptr %pa\n  %s1 = fadd double %s, %e\n  %i1 = add i64 %i, 1\n  %c = icmp slt i64 "
      "%i1, %n\n  br i1 %c, label %a, label %b\n"
      "b:\n  %j = phi i64 [ 1, %a ], [ %j1, %b ]\n  %jm = sub i64 %j, 1\n  %j1 = add i64 %j, 1\n"
      "  %l = getelementptr [256 x double], ptr %p, i64 0, i64 %jm\n  %r = getelementptr [256 x double], ptr "
      "%p, i64 0, i64 %j1\n"
      "  %lv = load double, ptr %l\n  %rv = load double, ptr %r\n  %sum = fadd double %lv, %rv\n  %h = fmul "
      "double %sum, 0.5\n"
      "  %o = getelementptr [256 x double], ptr %q, i64 0, i64 %j\n  store double %h, ptr %o\n  %k = icmp "
      "slt i64 %j1, 255\n"
      "  br i1 %k, label %b, label %end\nend:\n  %z = getelementptr [256 x double], ptr %q, i64 0, i64 7\n  "
      "%zv = load double, ptr %z\n"
      "  %t = fadd double %zv, %s1\n  %x = fptosi double %t to i64\n  ret i64 %x\n}}\n",
      index, index + 2);
}

size_t num_units(const std::string& directory) {
  std::set<ino_t> files;
  for (const auto& entry : fs::directory_iterator(directory)) {
    struct stat status{};
    if (entry.path().filename().string().size() == 64 && ::stat(entry.path().c_str(), &status) == 0)
      files.insert(status.st_ino);
  }
  return files.size();
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  std::string bytes(static_cast<size_t>(in.tellg()), '\0');
  in.seekg(0);
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

void measure(std::vector<Figure>& figures, const char* situation, std::span<const std::string> texts,
             berth_tier_t tier, std::optional<double> warm_goal, std::optional<double> hit_goal) {
  const TemporaryDirectory cache, raw;
  start(texts, tier, cache.path.c_str());  // fills it; the engine's end waits for the files
  const size_t units = num_units(cache.path), per_unit = (texts.size() + units - 1) / units;
  const auto warm = [&] { return start(texts, tier, cache.path.c_str()); };
  figures.push_back(compare(
      fmt::format("cache/warm/{}", situation), "compiling them", warm_goal, texts.size(), warm,
      [&] { return start(texts, tier, nullptr); }, 3));
  const auto raw_tier = tier == BERTH_TIER_OPTIMIZED ? RawCompiler::Tier::Optimized : RawCompiler::Tier::Fast;
  std::vector<std::string> files, entries;
  {
    RawCompiler compiler(raw_tier);
    for (size_t i = 0; i < texts.size(); i += per_unit) {
      files.push_back(fmt::format("{}/{}", raw.path, i));
      entries.push_back(fmt::format("f{}", i));
      std::ofstream(files.back(), std::ios::binary)
          << compiler.object_of(texts.subspan(i, std::min(per_unit, texts.size() - i)));
    }
  }
  figures.push_back(compare(
      fmt::format("cache/hit/{}/functions:{}", situation, per_unit), "raw read and JITLink", hit_goal,
      texts.size(), warm,
      [&] {
        RawCompiler compiler(raw_tier);
        return processor_ns([&] {
          for (size_t i = 0; i < files.size(); ++i) {
            if (!compiler.link(read_file(files[i]), entries[i])) std::abort();
          }
        });
      },
      9));
}

std::vector<std::string> sources(int n, std::string (*make)(int)) {
  std::vector<std::string> texts;
  for (int i = 0; i < n; ++i) texts.push_back(make(i));
  return texts;
}

}  // namespace

std::vector<Figure> cache_figures() {
  std::vector<Figure> figures;
  measure(figures, "optimized", sources(100, kernel_source), BERTH_TIER_OPTIMIZED, 20, 0.8);
  measure(figures, "fast", sources(1000, burst_source), BERTH_TIER_FAST, 4, std::nullopt);
  return figures;
}

}  // namespace berth::bench
