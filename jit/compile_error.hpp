// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of a failed compile: which job, in which step, what was said, what to do.
#pragma once
#include <string>
#include <string_view>

#include "engine/compiler.hpp"
#include "support/error.hpp"

namespace berth::jit {

inline constexpr size_t kLongestErrorText = 64 * 1024;

const char* to_string(berth_tier_t tier) noexcept;
/// `compiling "LABEL" (entry "SYMBOL", TIER) failed in STEP: FOUND. Remedy: ADVICE`, one line.
/// Without memory for the text: OUT_OF_MEMORY. Threads: any. Blocks: never. GC: any, kept.
Error compile_error(const engine::CompileJob& job, std::string_view step, berth_code_t code,
                    std::string_view found, std::string_view advice) noexcept;
/// RESOURCE_EXHAUSTED: the job's time is used up. As above.
Error over_time_error(const engine::CompileJob& job, std::string_view step) noexcept;
/// A compile worker was lost, by no text of LLVM's that would say why: COMPILE_FAILED, and it may pass.
Error worker_error(const engine::CompileJob& job, std::string_view step, std::string_view found);
/// The failure depends on more than the source: memory, time, a compile worker. Asked again, it may be none.
bool may_pass(const Error& error) noexcept;
/// Line breaks become "; ", the length is bounded.
std::string one_line(std::string_view text);

}  // namespace berth::jit
