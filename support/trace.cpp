// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/trace.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace berth {
namespace {

constexpr size_t kBlockBytes = 1 << 16;

// The format's microseconds, exact: rounded ones would let a span end after the one around it.
std::string microseconds(sync::Clock::duration time) {
  const int64_t ns = std::chrono::nanoseconds(time).count();
  return fmt::format("{}.{:03}", ns / 1000, ns % 1000);
}

std::string head(std::string_view category, std::string_view name, char phase, sync::TimePoint time) {
  return fmt::format(R"({{"name":{},"cat":{},"ph":"{}","pid":{},"tid":{},"ts":{})", json_quote(name),
                     json_quote(category), phase, getpid(), gettid(), microseconds(time.time_since_epoch()));
}

}  // namespace

Trace::~Trace() { (void)stop(); }

Result<void> Trace::start(const char* path) {
  const sync::Lock lock(mutex_);
  const std::string asked = fmt::format("trace to '{}'", path ? path : "");
  if (file_) {
    return make_error(BERTH_INVALID_ARGUMENT, asked, "a trace is running already", "stop it first");
  }
  file_ = path ? std::fopen(path, "we") : nullptr;
  if (!file_) {
    return make_error(BERTH_INVALID_ARGUMENT, asked, path ? std::strerror(errno) : "no path",
                      "give a path that can be written");
  }
  buffer_ = R"({"displayTimeUnit":"ns","traceEvents":[)";
  first_ = true;
  failed_ = false;
  on_.store(true, std::memory_order_relaxed);
  return success();
}

Result<void> Trace::stop() {
  const sync::Lock lock(mutex_);
  if (!file_) return success();
  on_.store(false, std::memory_order_relaxed);
  buffer_ += "\n]}\n";
  flush();
  failed_ = std::fclose(std::exchange(file_, nullptr)) != 0 || failed_;
  if (failed_) {
    return make_error(BERTH_INTERNAL, "trace", "the file could not be written completely",
                      "free disk space and trace again");
  }
  return success();
}

void Trace::instant(std::string_view category, std::string_view name, std::string_view arguments) {
  if (!is_on()) return;
  write(
      fmt::format(R"({},"s":"t","args":{{{}}}}})", head(category, name, 'i', sync::Clock::now()), arguments));
}

void Trace::complete(std::string_view category, std::string_view name, sync::TimePoint begin,
                     sync::TimePoint end, std::string_view arguments) {
  if (!is_on()) return;
  write(fmt::format(R"({},"dur":{},"args":{{{}}}}})", head(category, name, 'X', begin),
                    microseconds(end - begin), arguments));
}

void Trace::overlapping(std::string_view category, std::string_view name, uint64_t id, sync::TimePoint begin,
                        std::string_view arguments) {
  if (!is_on()) return;
  const auto end = std::max(begin, sync::Clock::now());
  write(fmt::format("{},\"id\":\"0x{:x}\",\"args\":{{{}}}}},\n{},\"id\":\"0x{:x}\"}}",
                    head(category, name, 'b', begin), id, arguments, head(category, name, 'e', end), id));
}

void Trace::write(std::string_view event) {
  const sync::Lock lock(mutex_);
  if (!file_) return;  // stopped meanwhile
  buffer_ += first_ ? "\n" : ",\n";
  first_ = false;
  buffer_ += event;
  if (buffer_.size() >= kBlockBytes) flush();
}

void Trace::flush() {
  failed_ = std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size() || failed_;
  buffer_.clear();
}

}  // namespace berth
