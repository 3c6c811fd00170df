// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the front end's tests share: a text to its IR, or to its error.
#pragma once
#include <string>
#include <string_view>

#include "translator.hpp"

namespace berth::lang {

/// The IR without head and places, so that a test shows what it is about.
inline std::string ir_of(std::string_view text) {
  std::string ir = Translator(Translator::Use::File).file("t.bth", text);
  ir.erase(0, ir.find('\n', ir.find("file ")) + 1);
  std::string result;
  for (size_t i = 0; i < ir.size(); i++) {
    const bool place =
        ir[i] == ' ' && i + 2 < ir.size() && ir[i + 1] == '@' && ir[i + 2] >= '0' && ir[i + 2] <= '9';
    if (place) {
      i += 2;
      while (i + 1 < ir.size() && (ir[i + 1] == ':' || (ir[i + 1] >= '0' && ir[i + 1] <= '9'))) i++;
    } else {
      result += ir[i];
    }
  }
  return result;
}

inline std::string error_of(std::string_view text) {
  try {
    Translator(Translator::Use::File).file("t.bth", text);
  } catch (const Failure& failure) { return failure.what(); }
  return "accepted";
}

}  // namespace berth::lang
