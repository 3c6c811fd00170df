// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C functions of the engine's floor, as a client calls them.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "berth/compiler.h"
#include "berth/engine.h"
#include "berth/reservation.h"
#include "berth/source.h"
#include "berth/thread.h"
#include "tests/support/watchdog.hpp"

namespace berth::test {
namespace {

class ReservationApi : public ::testing::Test {
 protected:
  ReservationApi() {
    EXPECT_EQ(berth_engine_new(nullptr, &engine_), nullptr);
    EXPECT_EQ(berth_thread_attach(engine_, &thread_), nullptr);
  }
  ~ReservationApi() override {
    berth_thread_detach(thread_);
    berth_engine_delete(engine_);
  }
  static berth_code_t consume(berth_error_t* error) {
    const berth_code_t code = berth_error_code(error);
    berth_error_delete(error);
    return code;
  }
  berth_reservation_t reserve(const void* method) {
    berth_reservation_t got{};
    EXPECT_EQ(berth_reserve(thread_, {method, nullptr}, nullptr, &got), nullptr);
    return got;
  }
  static int answer() { return 42; }

  Watchdog watchdog_{std::chrono::seconds(20)};
  berth_engine_t* engine_ = nullptr;
  berth_thread_t* thread_ = nullptr;
  const int method_ = 0;
};

TEST_F(ReservationApi, native_source_becomes_callable) {
  const berth_reservation_t got = reserve(&method_);
  EXPECT_EQ(got.outcome, BERTH_RESERVED);
  berth_source_t* source = nullptr;
  ASSERT_EQ(berth_source_from_native(reinterpret_cast<void*>(&answer), &source), nullptr);
  ASSERT_EQ(berth_release(thread_, got.lease, source), nullptr);
  void* entry = berth_lookup_entry(engine_, {&method_, nullptr}, 0);
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(reinterpret_cast<int (*)()>(entry)(), 42);
  const berth_reservation_t again = reserve(&method_);
  EXPECT_EQ(again.outcome, BERTH_PUBLISHED);
  EXPECT_EQ(berth_instance_entry(again.published), entry);
  berth_instance_release(again.published);
}

TEST_F(ReservationApi, constant_has_bytes_and_no_entry) {
  const berth_reservation_t got = reserve(&method_);
  berth_source_t* source = nullptr;
  ASSERT_EQ(berth_source_from_constant("pi", 2, &source), nullptr);
  ASSERT_EQ(berth_release(thread_, got.lease, source), nullptr);
  berth_instance_t* instance = berth_lookup(engine_, {&method_, nullptr}, 0);
  ASSERT_NE(instance, nullptr);
  void* entry = nullptr;
  EXPECT_EQ(consume(berth_instance_wait_entry(thread_, instance, -1, &entry)), BERTH_UNSUPPORTED);
  const void* bytes = nullptr;
  size_t size = 0;
  ASSERT_EQ(berth_instance_constant(instance, &bytes, &size), nullptr);
  EXPECT_EQ(std::string(static_cast<const char*>(bytes), size), "pi");
  berth_instance_release(instance);
}

TEST_F(ReservationApi, errors_name_what_was_asked_and_found) {
  EXPECT_EQ(consume(berth_reserve(thread_, {nullptr, nullptr}, nullptr, nullptr)), BERTH_INVALID_ARGUMENT);
  const berth_reservation_t got = reserve(&method_);
  ASSERT_EQ(berth_release(thread_, got.lease, nullptr), nullptr);
  berth_error_t* error = berth_release(thread_, got.lease, nullptr);
  EXPECT_EQ(berth_error_code(error), BERTH_STALE_LEASE);
  EXPECT_NE(std::string(berth_error_message(error)).find("given back"), std::string::npos);
  berth_error_delete(error);
  EXPECT_EQ(berth_error_code(nullptr), BERTH_OK);
  berth_error_delete(nullptr);
}

TEST_F(ReservationApi, opaque_source_needs_hooks) {
  const berth_reservation_t got = reserve(&method_);
  static int drops = 0;
  berth_source_t* source = nullptr;
  ASSERT_EQ(berth_source_from_opaque(&drops, [](void*) { ++drops; }, &source), nullptr);
  EXPECT_EQ(consume(berth_release(thread_, got.lease, source)), BERTH_UNSUPPORTED);
  EXPECT_EQ(drops, 1);
  EXPECT_EQ(berth_holds(thread_, {&method_, nullptr}), 0);
}

// Contract R53: in the child every call is an error at once, the look-up works.
TEST_F(ReservationApi, R53_forked_child_gets_an_error) {
  const berth_reservation_t got = reserve(&method_);
  berth_source_t* source = nullptr;
  ASSERT_EQ(berth_source_from_native(reinterpret_cast<void*>(&answer), &source), nullptr);
  ASSERT_EQ(berth_release(thread_, got.lease, source), nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    berth_reservation_t inner{};
    bool right =
        berth_error_code(berth_reserve(thread_, {&watchdog_, nullptr}, nullptr, &inner)) == BERTH_FORKED;
    right = right && berth_lookup_entry(engine_, {&method_, nullptr}, 0) == reinterpret_cast<void*>(&answer);
    right = right && berth_error_code(berth_release(thread_, got.lease, nullptr)) == BERTH_FORKED;
    berth_thread_detach(thread_);
    berth_engine_delete(engine_);
    ::_exit(right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(ReservationApi, explain_and_metrics_are_texts) {
  const berth_reservation_t got = reserve(&method_);
  char* text = berth_engine_explain(engine_);
  EXPECT_NE(std::string(text).find("\"state\":\"reserved\""), std::string::npos);
  berth_string_delete(text);
  text = berth_engine_metrics(engine_);
  EXPECT_NE(std::string(text).find("berth_leases 1"), std::string::npos) << text;
  berth_string_delete(text);
  ASSERT_EQ(berth_release(thread_, got.lease, nullptr), nullptr);
}

}  // namespace
}  // namespace berth::test
