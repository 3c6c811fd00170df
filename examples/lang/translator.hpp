// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Translator: texts of the reference language to texts of the IR, for one program. It remembers what earlier
// texts declared.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "catalog.hpp"

namespace berth::lang {

/// The prelude's text, in the language.
std::string_view prelude_text() noexcept;

class Translator {
 public:
  enum class Use {
    File,
    Prompt
  };  // a file is all there will be; at a prompt everything may be defined again
  explicit Translator(Use use);

  /// IR of the prelude, which the program must have first.
  const std::string& prelude() const noexcept { return prelude_; }
  /// IR of a file's declarations. Throws Failure, then nothing is remembered.
  std::string file(std::string_view name, std::string_view text);

  struct Input {
    std::string ir;      // to be defined; empty: nothing to do
    std::string method;  // to be called; empty: declarations only
    bool has_value = false;
  };
  /// IR of what was typed at the prompt. Remembered by commit(), once the program took it.
  Input prompt(std::string_view name, std::string_view text);
  void commit() { catalog_ = std::move(next_); }

 private:
  std::string translate(Catalog& catalog, const std::shared_ptr<Unit>& unit) const;
  void globals_of_prompt(Unit& unit);

  Catalog catalog_, next_;
  std::string prelude_;
  unsigned prompts_ = 0;
};

}  // namespace berth::lang
