// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `berth repl`: reads, evaluates, prints. Each input is a definition of its own, so a call made from it sees
// the newest world.
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>

#include <unistd.h>

#include "commands.hpp"
#include "session.hpp"
#include "translator.hpp"

namespace berth::lang {
namespace {

class Repl {
 public:
  Repl() : engine_(new_engine()), thread_(attach(engine_.get())), translator_(Translator::Use::Prompt) {
    berth_program_t* program = nullptr;
    const std::string& prelude = translator_.prelude();
    check(berth_program_parse(engine_.get(), prelude.data(), prelude.size(), "<prelude>", &program));
    program_.reset(program);
  }

  void loop() {
    std::string text;
    while (const auto line = read_line(text.empty() ? "> " : ". ")) {
      text += *line + '\n';
      try {
        evaluate(text);
      } catch (const Failure& failure) {
        if (failure.is_incomplete()) continue;
        report(failure);
      }
      text.clear();
    }
    if (!text.empty())
      std::fputs("berth: the input ends inside of brackets, expected the closing ones\n", stderr);
  }

 private:
  static void report(const Failure& failure) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s\n", failure.what());
  }

  /// Collections need not wait for who types.
  std::optional<std::string> read_line(const char* prompt) {
    if (is_terminal_) std::fputs(prompt, stdout);
    std::fflush(stdout);
    const berth_gc_state_t previous = berth_thread_safe_enter(thread_.get());
    std::string line;
    const bool read = static_cast<bool>(std::getline(std::cin, line));
    berth_thread_safe_leave(thread_.get(), previous);
    return read ? std::optional(line) : std::nullopt;
  }

  void evaluate(const std::string& text) {
    const Translator::Input input = translator_.prompt("prompt", text);
    if (input.ir.empty()) return;
    check(berth_program_define(thread_.get(), program_.get(), input.ir.data(), input.ir.size(), "prompt"));
    translator_.commit();
    if (input.method.empty()) return;
    berth_value_t value{};
    check(berth_program_call(thread_.get(), program_.get(), input.method.c_str(), nullptr, 0, &value));
    if (!input.has_value || value.kind == BERTH_VALUE_NOTHING) return;
    char* shown = nullptr;
    check(berth_program_format(thread_.get(), program_.get(), &value, &shown));
    const Text owned(shown);
    std::printf("%s\n", owned.get());
  }

  const bool is_terminal_ = isatty(STDIN_FILENO) != 0;
  Engine engine_;
  Thread thread_;
  Translator translator_;
  Program program_;
};

}  // namespace

int repl() {
  Repl().loop();
  return 0;
}

}  // namespace berth::lang
