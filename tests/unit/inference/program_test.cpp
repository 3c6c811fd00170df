// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs: definitions and worlds, and the C functions.
#include "inference/program.hpp"

#include <atomic>
#include <cstring>
#include <thread>

#include "berth/berth.h"
#include "inference/method_table.hpp"
#include "tests/unit/inference/runtime_fixture.hpp"

namespace berth::inference {
namespace {

using namespace std::chrono_literals;

TEST(Program, definition_makes_one_world) {
  TestProgram test;
  const uint64_t before = test.engine->world();
  test.define("method f() { ^0: return 1 } method g() { ^0: return 2 } const c = 5 global v: i64 = 1");
  EXPECT_EQ(test.engine->world(), before + 1);
  const Function& f = *test.program->function("f");
  EXPECT_TRUE(test.program->methods().all(f, before).empty());
  EXPECT_EQ(test.program->methods().all(f, before + 1).size(), 1u);
  EXPECT_EQ(test.program->function("nowhere"), nullptr);
}

TEST(Program, failed_definition_changes_nothing) {
  TestProgram test;
  const uint64_t before = test.engine->world();
  EXPECT_NE(test.define_error("type T { x: i64 } method f() { ^0: return %nowhere }"), "");
  EXPECT_EQ(test.engine->world(), before);
  EXPECT_EQ(test.program->structure("T"), nullptr);
  test.define("type T { x: f64 } method f() { ^0: %t = new T(1.0) return %t }");
  EXPECT_EQ(test.run("f"), "T(1.0)");
}

TEST(Program, constant_redefined_is_seen_by_later_methods) {
  TestProgram test;
  test.define("const c = 5 method f() { ^0: %r = add.i64 c 0 return %r }");
  EXPECT_EQ(test.run("f"), "5");
  const uint64_t old = test.engine->world();
  test.define("const c = 6 method g() { ^0: %r = add.i64 c 0 return %r }");
  EXPECT_EQ(test.run("g"), "6");
  EXPECT_EQ(test.program->global("c", old)->constant.bits, 5u);
  EXPECT_EQ(test.program->global("c", test.engine->world())->constant.bits, 6u);
}

TEST(Program, specialisations_are_one_per_signature) {
  TestProgram test;
  test.define("method f(%x) { ^0: return %x }");
  const Method& method =
      *test.program->methods().all(*test.program->function("f"), test.engine->world()).front();
  const Type* i64 = test.program->types().kind(LeafKind::I64);
  const Type* f64 = test.program->types().kind(LeafKind::F64);
  const Specialisation* one = test.program->specialise(method, {&i64, 1});
  EXPECT_EQ(one, test.program->specialise(method, {&i64, 1}));
  EXPECT_NE(one, test.program->specialise(method, {&f64, 1}));
  EXPECT_EQ(one->name, "f(i64)");
}

// Old or new, never a mix: a pair of functions always changes together.
TEST(Inference, I73_redefinition_under_running_calls) {
  test::Watchdog watchdog{60s};
  for (const bool raw : {true, false}) {
    TestProgram test(raw);
    const auto text = [](int n) {
      return "method a() { ^0: return " + std::to_string(n) + " } method b() { ^0: return " +
             std::to_string(n) + " }";
    };
    test.define(text(0) + R"( method both() { ^0: %x = call a() %y = call b() %s = same %x %y return %s })");
    std::atomic<bool> stop{false};
    std::atomic<int> mixed{0}, calls{0};
    std::vector<std::thread> callers;
    for (int i = 0; i < 8; ++i) {
      callers.emplace_back([&] {
        gc::Thread* thread = test.engine->attach().value();
        while (!stop.load(std::memory_order_acquire)) {
          if (test.run("both", {}, thread) != "true") ++mixed;
          ++calls;
        }
        test.engine->detach(*thread);
      });
    }
    int n = 0;
    while (calls.load() < 2000 || n < 20) test.define(text(++n));
    {
      const gc::SafeRegion safe(*test.thread);
      stop.store(true, std::memory_order_release);
      for (std::thread& caller : callers) caller.join();
    }
    EXPECT_EQ(mixed.load(), 0);
    EXPECT_EQ(test.run("a"), std::to_string(n));
  }
}

class ProgramApi : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(berth_engine_new(nullptr, &engine), nullptr);
    ASSERT_EQ(berth_thread_attach(engine, &thread), nullptr);
  }
  void TearDown() override {
    berth_program_delete(program);
    berth_thread_detach(thread);
    berth_engine_delete(engine);
  }
  void parse(const std::string& text) {
    berth_error_t* error = berth_program_parse(engine, text.data(), text.size(), "a.bir", &program);
    ASSERT_EQ(error, nullptr) << berth_error_message(error);
    berth_program_set_tier(program, BERTH_TIER_INTERPRET);
  }
  std::string failure(berth_error_t* error, berth_code_t code) {
    EXPECT_NE(error, nullptr);
    EXPECT_EQ(berth_error_code(error), code);
    const std::string message = error ? berth_error_message(error) : "";
    berth_error_delete(error);
    return message;
  }
  berth_engine_t* engine = nullptr;
  berth_thread_t* thread = nullptr;
  berth_program_t* program = nullptr;
};

TEST_F(ProgramApi, calls_with_values_of_each_kind) {
  parse(R"(berth-ir 1 method id(%x) { ^0: return %x } method text() { ^0: return "hello" }
           method add(%a: i64, %b: i64) { ^0: %c = add.i64 %a %b return %c })");
  const berth_value_t arguments[] = {{BERTH_VALUE_I64, {.i = 40}}, {BERTH_VALUE_I64, {.i = 2}}};
  berth_value_t result{};
  ASSERT_EQ(berth_program_call(thread, program, "add", arguments, 2, &result), nullptr);
  EXPECT_EQ(result.kind, BERTH_VALUE_I64);
  EXPECT_EQ(result.i, 42);
  for (const berth_value_t value :
       {berth_value_t{BERTH_VALUE_NOTHING, {}}, berth_value_t{BERTH_VALUE_F64, {.f = 2.5}},
        berth_value_t{BERTH_VALUE_BOOL, {.b = 1}}}) {
    ASSERT_EQ(berth_program_call(thread, program, "id", &value, 1, &result), nullptr);
    EXPECT_EQ(result.kind, value.kind);
  }
  EXPECT_EQ(result.b, 1);
  const size_t scope = berth_gc_scope_open(thread);
  ASSERT_EQ(berth_program_call(thread, program, "text", nullptr, 0, &result), nullptr);
  EXPECT_EQ(result.kind, BERTH_VALUE_OBJECT);
  berth_gc_collect(thread);
  char* text = nullptr;
  ASSERT_EQ(berth_program_format(thread, program, &result, &text), nullptr);
  EXPECT_STREQ(text, "hello");
  berth_string_delete(text);
  berth_gc_scope_close(thread, scope);
}

TEST_F(ProgramApi, errors_name_place_and_remedy) {
  parse("berth-ir 1\nmethod f(%x: i64) {\n^0: %y = div.i64 1 %x\n return %y }");
  const berth_value_t zero{BERTH_VALUE_I64, {.i = 0}};
  berth_value_t result{BERTH_VALUE_BOOL, {.b = 1}};
  const std::string message =
      failure(berth_program_call(thread, program, "f", &zero, 1, &result), BERTH_RUNTIME_ERROR);
  EXPECT_EQ(message.rfind("a.bir:3: division by zero. Remedy:", 0), 0u) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
  EXPECT_EQ(result.kind, BERTH_VALUE_BOOL);  // untouched
  EXPECT_NE(failure(berth_program_call(thread, program, "nowhere", nullptr, 0, &result), BERTH_NOT_FOUND)
                .find("nowhere"),
            std::string::npos);
  EXPECT_NE(failure(berth_program_call(thread, program, "f", nullptr, 0, &result), BERTH_RUNTIME_ERROR)
                .find("no method f()"),
            std::string::npos);
  failure(berth_program_call(nullptr, program, "f", nullptr, 0, &result), BERTH_INVALID_ARGUMENT);
  const char* broken = "berth-ir 1 method f( {";
  failure(berth_program_define(thread, program, broken, std::strlen(broken), "b.bir"), BERTH_PARSE_ERROR);
}

TEST_F(ProgramApi, emits_ir_and_typed_ir) {
  parse("berth-ir 1 method f(%x: i64) -> i64 { ^0: %y = add.i64 %x 1 return %y }");
  char* text = nullptr;
  size_t length = 0;
  ASSERT_EQ(berth_program_emit(thread, program, "f", nullptr, 0, "ir", nullptr, &text, &length), nullptr);
  EXPECT_NE(std::string(text, length).find("add.i64 %0 1"), std::string::npos) << text;
  berth_string_delete(text);
  const char* types[] = {"i64"};
  ASSERT_EQ(berth_program_infer(thread, program, "f", types, 1, &text), nullptr);
  EXPECT_NE(std::string(text).find("i64"), std::string::npos);
  berth_string_delete(text);
  failure(berth_program_emit(thread, program, "f", types, 1, "llvm", nullptr, &text, &length),
          BERTH_UNSUPPORTED);
  const char* wrong[] = {"string"};
  failure(berth_program_infer(thread, program, "f", wrong, 1, &text), BERTH_NOT_FOUND);
}

}  // namespace
}  // namespace berth::inference
