// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gc/stress.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "support/latch.hpp"

namespace berth::gc::stress {
namespace {

constexpr std::array<std::string_view, kModes> kNames = {
    "allocation", "transition", "poll", "handover", "recruit", "lose-notify", "delay", "move", "verify"};
constexpr uint32_t kDefaultDelayUs = 50;

std::array<Setting, kModes> table;

bool parse_word(std::string_view word) {
  const size_t colon = word.find(':');
  const std::string_view name = word.substr(0, colon);
  for (size_t i = 0; i < kModes; ++i) {
    if (kNames[i] != name) continue;
    const auto mode = static_cast<Mode>(i);
    uint32_t value = mode == Mode::Delay ? kDefaultDelayUs : 1;
    if (colon != std::string_view::npos)
      std::from_chars(word.data() + colon + 1, word.data() + word.size(), value);
    set(mode, value);
    return true;
  }
  return false;
}

}  // namespace

bool parse(std::string_view text) {
  bool known = true;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    known = parse_word(text.substr(0, comma)) && known;
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
  }
  return known;
}

void set(Mode mode, uint32_t value) {
  table[static_cast<size_t>(mode)].value.store(value, std::memory_order_relaxed);
  if (mode == Mode::Delay) latch::delay_each(value);
}

std::array<Setting, kModes>& settings() {
  static const bool once = [] {
    const char* text = std::getenv("BERTH_GC_STRESS");
    if (text && !parse(text))
      std::fprintf(stderr, "berth: BERTH_GC_STRESS=%s has a word that is no mode; gc/stress.hpp lists them\n",
                   text);
    return true;
  }();
  static_cast<void>(once);
  return table;
}

}  // namespace berth::gc::stress
