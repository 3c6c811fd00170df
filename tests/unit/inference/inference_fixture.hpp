// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// InferenceWorld: an engine without compiler, a program, an attached thread; infers by name and types, prints
// typed IR.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.hpp"
#include "inference/inference.hpp"
#include "inference/method_table.hpp"
#include "inference/program.hpp"
#include "inference/text.hpp"
#include "tests/support/watchdog.hpp"

namespace berth::inference::test {

class InferenceWorld {
 public:
  explicit InferenceWorld(std::string_view text = {}, engine::EngineOptions options = {})
      : watchdog_(std::chrono::seconds(60), [this] { return engine_ ? engine_->explain() : std::string(); }),
        engine_(engine::Engine::make(options).value()),
        thread_(engine_->attach().value()),
        program_(std::make_shared<Program>(*engine_, "test")) {
    if (!text.empty()) define(text);
  }
  ~InferenceWorld() {
    program_->close();
    program_.reset();
    engine_->detach(*thread_);
  }

  void define(std::string_view text, std::string_view name = "<test>") {
    const auto defined = program_->define(thread_, "berth-ir 1\n" + std::string(text), name);
    if (defined.has_error()) ADD_FAILURE() << defined.error().message();
  }
  const Type* type(std::string_view text) {
    const auto parsed = parse_type(*program_, text);
    EXPECT_TRUE(parsed.has_value()) << text;
    return parsed.has_value() ? parsed.value() : program_->types().any();
  }
  std::vector<const Type*> types(const std::vector<std::string>& texts) {
    std::vector<const Type*> out;
    for (const std::string& text : texts) out.push_back(type(text));
    return out;
  }
  const Specialisation& specialisation(std::string_view function, const std::vector<std::string>& arguments) {
    const std::vector<const Type*> given = types(arguments);
    const Function* of = program_->function(function);
    EXPECT_TRUE(of) << function;
    const Dispatch found = program_->methods().find(*of, given, engine_->world());
    EXPECT_EQ(found.methods.size(), 1u) << function;
    return *program_->specialise(*found.methods.at(0), given);
  }
  engine::CodeInstanceRef infer(std::string_view function, const std::vector<std::string>& arguments) {
    const auto inferred =
        inference::infer(*thread_, *program_, specialisation(function, arguments), engine_->world(), false);
    if (inferred.has_error()) {
      ADD_FAILURE() << inferred.error().message();
      return {};
    }
    return inferred.value();
  }
  const TypedMethod& typed(std::string_view function, const std::vector<std::string>& arguments = {}) {
    kept_.push_back(infer(function, arguments));
    const TypedMethod& method = typed_method(*kept_.back());
    for (const ValueDefinition& value : method.body.values) EXPECT_TRUE(value.inferred);
    const auto verified = verify_body(*program_, *method.specialisation->method, method.body);
    if (verified.has_error())
      ADD_FAILURE() << verified.error().message() << "\n" << print_typed(method, 1, UINT64_MAX);
    return method;
  }
  /// Name of the result type.
  std::string result(std::string_view function, const std::vector<std::string>& arguments = {}) {
    return typed(function, arguments).result->name;
  }
  std::string printed(std::string_view function, const std::vector<std::string>& arguments = {}) {
    return print_typed(typed(function, arguments), 1, UINT64_MAX);
  }
  uint64_t num_inferred() { return counters(*program_).methods; }

  engine::Engine& engine() { return *engine_; }
  gc::Thread& thread() { return *thread_; }
  Program& program() { return *program_; }

 private:
  berth::test::Watchdog watchdog_;
  std::unique_ptr<engine::Engine> engine_;
  gc::Thread* thread_;
  std::shared_ptr<Program> program_;
  std::vector<engine::CodeInstanceRef> kept_;
};

/// Statements of one operation in a body.
inline size_t count(const TypedMethod& method, Op op) {
  size_t n = 0;
  for (const Block& block : method.body.blocks) {
    for (const Statement& statement : block.statements) n += statement.op == op;
  }
  return n;
}

inline constexpr const char* kPrelude = R"(
method `+`(%a: i64, %b: i64) { ^0: %r = add.i64 %a %b return %r }
method `+`(%a: f64, %b: f64) { ^0: %r = add.f64 %a %b return %r }
method `-`(%a: i64, %b: i64) { ^0: %r = sub.i64 %a %b return %r }
method `*`(%a: i64, %b: i64) { ^0: %r = mul.i64 %a %b return %r }
method `*`(%a: f64, %b: f64) { ^0: %r = mul.f64 %a %b return %r }
method `/`(%a: i64, %b: i64) { ^0: %r = div.i64 %a %b return %r }
method `<`(%a: i64, %b: i64) { ^0: %r = lt.i64 %a %b return %r }
method `<`(%a: f64, %b: f64) { ^0: %r = lt.f64 %a %b return %r }
method `==`(%a: i64, %b: i64) { ^0: %r = eq.i64 %a %b return %r }
method `==`(%a, %b) { ^0: %r = same %a %b return %r }
)";

}  // namespace berth::inference::test
