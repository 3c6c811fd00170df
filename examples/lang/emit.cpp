// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `berth emit`: one method in any of its forms, or the IR that a file is translated to.
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "commands.hpp"
#include "session.hpp"
#include "translator.hpp"

namespace berth::lang {
namespace {

struct Signature {
  std::string method;
  std::vector<std::string> types;
};

/// `area(Circle, array<tuple<i64, f64>>)`; without parentheses: no parameters.
Signature parse_signature(const std::string& text) {
  const size_t open = text.find('(');
  Signature result{text.substr(0, open), {}};
  if (open == std::string::npos) return result;
  const size_t close = text.rfind(')');
  if (close != text.size() - 1)
    throw Failure(fmt::format("{}: no ')' at the end, expected METHOD(TYPES) as in area(Circle)", text));
  int depth = 0;
  std::string type;
  const auto add = [&] {
    const size_t first = type.find_first_not_of(' ');
    if (first == std::string::npos)
      throw Failure(fmt::format("{}: an empty type, expected METHOD(TYPES) as in area(Circle)", text));
    result.types.push_back(type.substr(first, type.find_last_not_of(' ') - first + 1));
    type.clear();
  };
  for (size_t i = open + 1; i < close; i++) {
    depth += text[i] == '<' ? 1 : text[i] == '>' ? -1 : 0;
    if (text[i] == ',' && depth == 0) {
      add();
    } else {
      type += text[i];
    }
  }
  if (!result.types.empty() || type.find_first_not_of(' ') != std::string::npos) add();
  return result;
}

int emit_file(const EmitOptions& options) {
  if (options.form != "ir" || !has_extension(options.file, ".bth")) {
    throw Failure("no METHOD, expected one as in area(Circle); without it a .bth file is shown as ir");
  }
  const std::string ir = Translator(Translator::Use::File).file(options.file, read_file(options.file));
  std::fwrite(ir.data(), 1, ir.size(), stdout);
  return 0;
}

}  // namespace

int emit(const EmitOptions& options) {
  if (options.method.empty()) return emit_file(options);
  const Signature signature = parse_signature(options.method);
  const Engine engine = new_engine();
  const Thread thread = attach(engine.get());
  const Program program = load_program(engine.get(), thread.get(), options.file);
  std::vector<const char*> types;
  for (const std::string& type : signature.types) types.push_back(type.c_str());
  char* text = nullptr;
  size_t length = 0;
  check(berth_program_emit(
      thread.get(), program.get(), signature.method.c_str(), types.data(), types.size(), options.form.c_str(),
      options.target_cpu.empty() ? nullptr : options.target_cpu.c_str(), &text, &length));
  const Text owned(text);
  std::fwrite(owned.get(), 1, length, stdout);
  if (length != 0 && owned.get()[length - 1] != '\n' && options.form != "spirv") std::fputc('\n', stdout);
  return 0;
}

}  // namespace berth::lang
