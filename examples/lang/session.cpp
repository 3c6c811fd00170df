// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "translator.hpp"

namespace berth::lang {

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

void check(berth_error_t* error) {
  if (error == nullptr) return;
  const std::string line = first_line(berth_error_message(error));
  berth_error_delete(error);
  throw Failure(line);
}

Engine new_engine(const std::string& cache_directory) {
  const std::unique_ptr<berth_config_t, Deleter<berth_config_delete>> config(berth_config_new());
  if (!cache_directory.empty()) berth_config_set_cache_directory(config.get(), cache_directory.c_str());
  berth_engine_t* engine = nullptr;
  check(berth_engine_new(config.get(), &engine));
  return Engine(engine);
}

Thread attach(berth_engine_t* engine) {
  berth_thread_t* thread = nullptr;
  check(berth_thread_attach(engine, &thread));
  return Thread(thread);
}

std::string read_file(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file)
    throw Failure(fmt::format("{}: {}, expected a file that can be read", path, std::strerror(errno)));
  std::string text;
  char part[65536];
  while (const size_t n = std::fread(part, 1, sizeof part, file.get())) text.append(part, n);
  if (std::ferror(file.get()) != 0)
    throw Failure(fmt::format("{}: {}, expected a file that can be read", path, std::strerror(errno)));
  return text;
}

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

bool has_extension(const std::string& path, std::string_view extension) {
  return std::filesystem::path(path).extension() == extension;
}

Program load_program(berth_engine_t* engine, berth_thread_t* thread, const std::string& path) {
  const std::string text = read_file(path);
  berth_program_t* program = nullptr;
  if (has_extension(path, ".bir")) {
    check(berth_program_parse(engine, text.data(), text.size(), path.c_str(), &program));
    return Program(program);
  }
  if (!has_extension(path, ".bth"))
    throw Failure(fmt::format("{}: unknown kind of file, expected .bth, .bir, .ll or .bc", path));
  Translator translator(Translator::Use::File);
  const std::string ir = translator.file(path, text);
  const std::string& prelude = translator.prelude();
  check(berth_program_parse(engine, prelude.data(), prelude.size(), "<prelude>", &program));
  Program result(program);
  check(berth_program_define(thread, program, ir.data(), ir.size(), path.c_str()));
  return result;
}

}  // namespace berth::lang
