// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/compile_error.hpp"

#include <fmt/format.h>

#include <new>

namespace berth::jit {

const char* to_string(berth_tier_t tier) noexcept {
  switch (tier) {
    case BERTH_TIER_INTERPRET: return "INTERPRET";
    case BERTH_TIER_FAST: return "FAST";
    case BERTH_TIER_OPTIMIZED: return "OPTIMIZED";
    case BERTH_TIER_ADAPTIVE: return "ADAPTIVE";
  }
  return "UNKNOWN";
}

std::string one_line(std::string_view text) {
  if (text.size() > kLongestErrorText) text = text.substr(0, kLongestErrorText);
  std::string out;
  out.reserve(text.size());
  bool pending = false;  // a break that is written only if more text follows
  for (const char character : text) {
    if (character == '\n' || character == '\r' || character == '\0') {
      pending = !out.empty();
      continue;
    }
    if (pending) out += "; ";
    pending = false;
    out += character;
  }
  while (!out.empty() && (out.back() == '.' || out.back() == ' ')) out.pop_back();
  return out;
}

Error compile_error(const engine::CompileJob& job, std::string_view step, berth_code_t code,
                    std::string_view found, std::string_view advice) noexcept try {
  const std::string& entry = job.source ? job.source->entry_symbol : job.label;
  const std::string asked =
      fmt::format("compiling \"{}\" (entry \"{}\", {}) failed in {}", job.label.empty() ? entry : job.label,
                  entry, to_string(job.tier), step);
  return make_error(code, asked, one_line(found), advice);
} catch (const std::bad_alloc&) { return Error::adopt(out_of_memory_error("compile")); }

Error over_time_error(const engine::CompileJob& job, std::string_view step) noexcept try {
  return compile_error(job, step, BERTH_RESOURCE_EXHAUSTED,
                       fmt::format("it was not finished within {} ms", job.budget.time_ns / 1'000'000),
                       "raise the budget (berth_config_set_compile_budget), or give a simpler source");
} catch (const std::bad_alloc&) { return Error::adopt(out_of_memory_error("compile")); }

constexpr std::string_view kWorkerLost = "{\"worker\":\"lost\"}";

Error worker_error(const engine::CompileJob& job, std::string_view step, std::string_view found) {
  Error error =
      compile_error(job, step, BERTH_COMPILE_FAILED, found, "change what the compiler cannot handle");
  // The one that stands for missing memory belongs to all threads.
  return error.code() == BERTH_OUT_OF_MEMORY ? std::move(error)
                                             : std::move(error).with_details(std::string(kWorkerLost));
}

bool may_pass(const Error& error) noexcept {
  return error.code() == BERTH_OUT_OF_MEMORY || error.code() == BERTH_RESOURCE_EXHAUSTED ||
         error.details() == kWorkerLost;
}

}  // namespace berth::jit
