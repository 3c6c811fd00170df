// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `berth run`: every thread calls every main, each beginning with another file, so that threads meet over the
// same methods.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "commands.hpp"
#include "device_handle.hpp"
#include "run_file.hpp"
#include "session.hpp"

namespace berth::lang {
namespace {

/// One line that is written over, on a terminal only.
class Progress {
 public:
  explicit Progress(size_t total) : total_(total), shows_(isatty(STDERR_FILENO) != 0) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void step(const std::string& what) {
    if (!shows_) return;
    const std::lock_guard guard(mutex_);
    std::fputs(fmt::format("\r\033[K[{}/{}] {}", ++done_, total_, what).c_str(), stderr);
  }
  void clear() {
    if (shows_) std::fputs("\r\033[K", stderr);
  }

 private:
  size_t total_, done_ = 0;
  bool shows_;
  std::mutex mutex_;
};

std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 32) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

void write_json(const std::string& path, const std::deque<RunFile>& files,
                const berth_engine_counts_t& counts, double wall_ms) {
  std::string programs;
  for (const RunFile& file : files) {
    if (!programs.empty()) programs += ',';
    programs += fmt::format("{{\"name\":{},\"ok\":{},\"seconds\":{:.6f}}}",
                            json_string(file_name(file.path())), file.is_ok(), file.seconds());
  }
  const std::string text = fmt::format(
      "{{\"programs\":[{}],\"methods_inferred\":{},\"limited\":{},\"reservations\":{{\"reserved\":{},"
      "\"published\":{},\"cycle\":{},"
      "\"reentrant\":{},\"waits\":{},\"duplicates\":{}}},\"compiled\":{{\"fast\":{},\"optimized\":{}}},"
      "\"wall_ms\":{:.3f}}}\n",
      programs, counts.methods_inferred, counts.limited, counts.reserved, counts.published, counts.cycle,
      counts.reentrant, counts.waits, counts.duplicates, counts.compiled_fast, counts.compiled_optimized,
      wall_ms);
  std::FILE* out = std::fopen(path.c_str(), "wb");
  const bool written = out != nullptr && std::fwrite(text.data(), 1, text.size(), out) == text.size();
  const bool closed = out != nullptr && std::fclose(out) == 0;
  if (!written || !closed)
    throw Failure(fmt::format("{}: cannot be written, expected the name of a file for --stats-json", path));
}

void print_table(const std::deque<RunFile>& files, const berth_engine_counts_t& counts, double wall_ms) {
  std::string text = fmt::format("\n{:<32} {:>6} {:>10}\n", "program", "ok", "seconds");
  for (const RunFile& file : files)
    text += fmt::format("{:<32} {:>6} {:>10.3f}\n", file_name(file.path()), file.is_ok() ? "yes" : "no",
                        file.seconds());
  text += fmt::format("{:<32} {:>17}\n", "methods inferred", counts.methods_inferred);
  text += fmt::format("{:<32} {:>17}\n", "  limited", counts.limited);
  text += fmt::format("{:<32} {:>17}\n", "reservations: reserved", counts.reserved);
  text += fmt::format("{:<32} {:>17}\n", "  waited", counts.waits);
  text += fmt::format("{:<32} {:>17}\n", "  published", counts.published);
  text += fmt::format("{:<32} {:>17}\n", "  published on re-check", counts.published_on_recheck);
  text += fmt::format("{:<32} {:>17}\n", "  cycles", counts.cycle);
  text += fmt::format("{:<32} {:>17}\n", "  duplicates", counts.duplicates);
  text += fmt::format("{:<32} {:>17}\n", "compiled: fast", counts.compiled_fast);
  text += fmt::format("{:<32} {:>17}\n", "  optimized", counts.compiled_optimized);
  // A method whose compile failed is interpreted: right, but slow, and nobody is told elsewhere.
  text += fmt::format("{:<32} {:>17}\n", "  failures, interpreted", counts.compile_failures);
  text += fmt::format("{:<32} {:>17}\n", "collections", counts.collections);
  text += fmt::format("{:<32} {:>17.1f}\n", "wall, ms", wall_ms);
  std::fputs(text.c_str(), stdout);
}

void call_all(berth_engine_t* engine, std::deque<RunFile>& files, unsigned threads) {
  Progress progress(files.size() * threads);
  std::mutex mutex;
  std::string failure;  // a thread that could not be attached; guarded by mutex
  const auto work = [&](unsigned number) {
    try {
      const Thread thread = attach(engine);
      for (size_t i = 0; i < files.size(); i++) {
        RunFile& file = files[(i + number) % files.size()];
        if (file.is_loaded()) file.call(thread.get(), number == 0);
        progress.step(file_name(file.path()));
      }
    } catch (const std::exception& error) {
      const std::lock_guard guard(mutex);
      failure = error.what();
    }
  };
  std::deque<std::thread> pool;
  try {
    for (unsigned number = 0; number < threads; number++) pool.emplace_back(work, number);
  } catch (const std::system_error& error) {
    failure = fmt::format("thread {} cannot start: {}, expected fewer --threads", pool.size(), error.what());
  }
  for (std::thread& thread : pool) thread.join();
  if (!failure.empty()) throw Failure(failure);
}

bool report(const std::deque<RunFile>& files) {
  bool all_ok = true;
  for (const RunFile& file : files) {
    std::fwrite(file.output().data(), 1, file.output().size(), stdout);
    std::fflush(stdout);
    if (!file.is_ok()) std::fprintf(stderr, "berth: %s\n", file.error().c_str());
    all_ok = all_ok && file.is_ok();
  }
  return all_ok;
}

}  // namespace

int run(const RunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const Engine engine = new_engine(options.cache);
  if (!options.trace.empty()) check(berth_engine_trace_start(engine.get(), options.trace.c_str()));
  const Device device = open_device(engine.get(), options.device);
  std::deque<RunFile> files;
  for (const std::string& path : options.files) files.emplace_back(path);
  {
    const Thread thread = attach(engine.get());
    for (RunFile& file : files) file.load(engine.get(), thread.get(), options, device.get());
  }
  call_all(engine.get(), files, options.threads);
  const double wall_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  berth_engine_counts_t counts{};
  counts.struct_size = sizeof counts;
  berth_engine_counts(engine.get(), &counts);
  const bool all_ok = report(files);
  if (options.stats) print_table(files, counts, wall_ms);
  if (!options.stats_json.empty()) write_json(options.stats_json, files, counts, wall_ms);
  if (!options.trace.empty()) check(berth_engine_trace_stop(engine.get()));
  for (RunFile& file : files) file.unload();
  check(berth_engine_shutdown(engine.get()));
  return all_ok ? 0 : 1;
}

}  // namespace berth::lang
