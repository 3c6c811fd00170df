// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_file.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include <fmt/format.h>

namespace berth::lang {
namespace {

/// Where two texts part, as one line.
std::string difference(const std::string& expected, const std::string& found) {
  const size_t n = std::min(expected.size(), found.size());
  const size_t at = static_cast<size_t>(
      std::mismatch(expected.begin(), expected.begin() + static_cast<ptrdiff_t>(n), found.begin()).first -
      expected.begin());
  const size_t start = at == 0 ? 0 : expected.rfind('\n', at - 1) + 1;
  const auto line = std::count(expected.begin(), expected.begin() + static_cast<ptrdiff_t>(at), '\n') + 1;
  const auto shown = [&](const std::string& text) {
    return start >= text.size() ? "end of output" : "'" + first_line(text.substr(start)) + "'";
  };
  return fmt::format("output line {} is {}, expected {}", line, shown(found), shown(expected));
}

}  // namespace

void RunFile::load(berth_engine_t* engine, berth_thread_t* thread, const RunOptions& options,
                   berth_device_t* device) {
  tier_ = options.tier;
  try {
    if (is_module()) {
      module_ = read_file(path_);
    } else {
      program_ = load_program(engine, thread, path_);
      berth_program_set_tier(program_.get(), tier_);
      berth_program_set_print(program_.get(), &Capture::print, &capture_);
      if (device != nullptr) berth_program_set_device(program_.get(), device);
    }
    const std::string expected = std::filesystem::path(path_).replace_extension(".out").string();
    if (std::filesystem::exists(expected)) expected_ = read_file(expected);
    is_loaded_ = true;
  } catch (const std::exception& failure) { error_ = failure.what(); }
}

void RunFile::call(berth_thread_t* thread, bool first) {
  const auto start = std::chrono::steady_clock::now();
  std::string error, output;
  try {
    output = is_module() ? call_module(thread) : call_program(thread);
    compare(output);
  } catch (const std::exception& failure) {
    error = failure.what();
    if (program_) output += capture_.take(thread);
  }
  finish(std::move(output), error,
         std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), first);
}

void RunFile::finish(std::string output, const std::string& error, double seconds, bool first) {
  const std::lock_guard guard(mutex_);
  seconds_ = std::max(seconds_, seconds);
  if (error_.empty()) error_ = error;
  if (first) output_ = std::move(output);
}

void RunFile::compare(const std::string& output) const {
  if (expected_ && *expected_ != output)
    throw Failure(fmt::format("{}: {}", path_, difference(*expected_, output)));
}

std::string RunFile::call_program(berth_thread_t* thread) {
  berth_value_t result{};
  berth_error_t* error = berth_program_call(thread, program_.get(), "main", nullptr, 0, &result);
  if (berth_error_code(error) == BERTH_NOT_FOUND) {
    berth_error_delete(error);
    throw Failure(fmt::format("{}: no function main. Remedy: define fn main() {{ .. }}", path_));
  }
  check(error);
  return capture_.take(thread);
}

std::string RunFile::call_module(berth_thread_t* thread) {
  const Instance instance = compile_module(thread);
  void* entry = nullptr;
  check(berth_instance_wait_entry(thread, instance.get(), -1, &entry));
  return fmt::format("{}\n", reinterpret_cast<int64_t (*)()>(entry)());
}

Instance RunFile::compile_module(berth_thread_t* thread) {
  berth_reserve_options_t options{};
  options.struct_size = sizeof options;
  options.need = BERTH_NEED_RESULT;
  options.timeout_ns = -1;
  options.label = path_.c_str();
  berth_reservation_t reservation{};
  check(berth_reserve(thread, {this, nullptr}, &options, &reservation));
  if (reservation.outcome == BERTH_PUBLISHED) return Instance(reservation.published);
  berth_source_t* source = nullptr;
  const auto make = has_extension(path_, ".ll")
                        ? berth_source_from_ir(module_.data(), module_.size(), "main", &source)
                        : berth_source_from_bitcode(module_.data(), module_.size(), "main", &source);
  if (make != nullptr) {
    check(berth_release_error(thread, reservation.lease, berth_error_message(make), -1));
    check(make);
  }
  berth_source_set_tier(source, tier_ == BERTH_TIER_INTERPRET ? BERTH_TIER_FAST : tier_);
  // The lease's pointer is good until the release only.
  berth_instance_retain(reservation.lease.instance);
  Instance instance(reservation.lease.instance);
  check(berth_release(thread, reservation.lease, source));
  return instance;
}

}  // namespace berth::lang
