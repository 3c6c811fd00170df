// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gc/stress.hpp"

#include <charconv>
#include <cstdlib>

namespace berth::gc::stress {

void parse(Modes& modes, std::string_view text) {
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view word = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    const size_t colon = word.find(':');
    const std::string_view name = word.substr(0, colon);
    if (name == "allocation") {
      uint32_t period = 1;
      if (colon != std::string_view::npos) std::from_chars(word.data() + colon + 1, word.data() + word.size(), period);
      modes.allocation_period.store(period, std::memory_order_relaxed);
    } else if (name == "transition") {
      modes.transition.store(true, std::memory_order_relaxed);
    } else if (name == "poll") {
      modes.poll.store(true, std::memory_order_relaxed);
    } else if (name == "lose-notify") {
      modes.lose_notify.store(true, std::memory_order_relaxed);
    }
  }
}

Modes& modes() {
  static Modes& instance = [] () -> Modes& {
    static Modes made;
    if (const char* text = std::getenv("BERTH_GC_STRESS")) parse(made, text);
    return made;
  }();
  return instance;
}

}  // namespace berth::gc::stress
