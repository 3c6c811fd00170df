// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program on an engine of its own, interpreted: raw, or after inference.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <string>

#include "engine/engine.hpp"
#include "inference/program.hpp"
#include "inference/runtime.hpp"
#include "tests/support/watchdog.hpp"

namespace berth::inference {

class TestProgram {
 public:
  explicit TestProgram(bool raw = true) : raw(raw) {
    engine = engine::Engine::make({}).value();
    thread = engine->attach().value();
    program = std::make_shared<Program>(*engine, "test");
    program->set_tier(BERTH_TIER_INTERPRET);
    program->runtime().set_print(&TestProgram::print, this);
  }
  ~TestProgram() {
    program->close();
    program.reset();
    engine->detach(*thread);
  }

  /// "berth-ir 1" is put before `text`, on the same line.
  void define(const std::string& text, const std::string& name = "t.bir") {
    auto defined = program->define(thread, "berth-ir 1 " + text, name);
    ASSERT_FALSE(defined.has_error()) << defined.error().message();
  }
  std::string define_error(const std::string& text) {
    auto defined = program->define(thread, "berth-ir 1 " + text, "t.bir");
    return defined.has_error() ? defined.error().message() : "";
  }
  /// Text of the result; "! TEXT" of an error.
  std::string run(const std::string& function, std::vector<Value> arguments = {}, gc::Thread* on = nullptr) {
    gc::Thread& runs = on ? *on : *thread;
    OutermostCall outermost(runs, engine->world(), reinterpret_cast<berth_thread_t*>(&runs));
    outermost.state.raw = raw;
    outermost.state.steps = steps;
    Value result;
    if (program->runtime().call(runs, program->intern_function(function), arguments, 0, result)) {
      return program->runtime().text_of_value(result);
    }
    const Error error = program->runtime().take_error(runs);
    last_message = error.message();
    last_details = error.details();
    const std::string& text = last_details;
    const auto begin = text.find("\"text\":\"") + 8;
    return "! " + text.substr(begin, text.find("\",\"at\"") - begin);
  }

  std::string output() {
    const std::lock_guard lock(print_mutex_);
    return output_;
  }
  berth_thread_t* printed_by() {
    const std::lock_guard lock(print_mutex_);
    return printed_by_;
  }

  std::unique_ptr<engine::Engine> engine;
  gc::Thread* thread = nullptr;
  std::shared_ptr<Program> program;
  bool raw;
  uint64_t steps = UINT64_MAX;
  std::string last_message, last_details;

 private:
  static void print(void* context, berth_thread_t* caller, const char* text, size_t length) {
    auto& self = *static_cast<TestProgram*>(context);
    const std::lock_guard lock(self.print_mutex_);
    self.output_.append(text, length);
    self.printed_by_ = caller;
  }
  std::mutex print_mutex_;
  std::string output_;
  berth_thread_t* printed_by_ = nullptr;
};

}  // namespace berth::inference
