// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A client of the C API for tests of the compiler: handles that own, errors as values, sources that are
// released and awaited.
#pragma once
#include <berth/berth.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace berth::test {

struct Failure {
  berth_code_t code = BERTH_OK;
  std::string message;
};

/// The error's content; it is deleted.
inline Failure take(berth_error_t* error) {
  Failure failure{berth_error_code(error), error ? berth_error_message(error) : ""};
  berth_error_delete(error);
  return failure;
}

#define ASSERT_OK(call)                                                \
  do {                                                                 \
    const ::berth::test::Failure failure_ = ::berth::test::take(call); \
    ASSERT_EQ(failure_.code, BERTH_OK) << failure_.message;            \
  } while (false)

class Engine {
 public:
  /// threads: -1 for the default. `configure` (may be empty) sets what else the engine is made with.
  explicit Engine(int threads = -1, const std::function<void(berth_config_t*)>& configure = {}) {
    berth_config_t* const config = berth_config_new();
    if (configure) configure(config);
    if (threads >= 0) berth_config_set_compile_threads(config, static_cast<unsigned>(threads));
    const Failure failure = take(berth_engine_new(config, &engine_));
    EXPECT_EQ(failure.code, BERTH_OK) << failure.message;
    berth_config_delete(config);
  }
  ~Engine() { berth_engine_delete(engine_); }
  operator berth_engine_t*() const { return engine_; }
  berth_engine_counts_t counts() const {
    berth_engine_counts_t counts{};
    counts.struct_size = sizeof counts;
    berth_engine_counts(engine_, &counts);
    return counts;
  }

 private:
  berth_engine_t* engine_ = nullptr;
};

class Attached {
 public:
  explicit Attached(berth_engine_t* engine) {
    const Failure failure = take(berth_thread_attach(engine, &thread_));
    EXPECT_EQ(failure.code, BERTH_OK) << failure.message;
  }
  ~Attached() { berth_thread_detach(thread_); }
  operator berth_thread_t*() const { return thread_; }

 private:
  berth_thread_t* thread_ = nullptr;
};

class Instance {
 public:
  explicit Instance(berth_instance_t* instance = nullptr) : instance_(instance) {}
  Instance(Instance&& other) noexcept : instance_(std::exchange(other.instance_, nullptr)) {}
  Instance& operator=(Instance&& other) noexcept {
    std::swap(instance_, other.instance_);
    return *this;
  }
  ~Instance() {
    if (instance_) berth_instance_release(instance_);
  }
  operator berth_instance_t*() const { return instance_; }

 private:
  berth_instance_t* instance_;
};

inline berth_key_t key(size_t n) { return {reinterpret_cast<const void*>(0x1000 + n * 16), nullptr}; }
inline std::string number_source(size_t n) {
  return "define i64 @f(i64 %x) {\n  %y = add i64 %x, " + std::to_string(n) + "\n  ret i64 %y\n}\n";
}
inline berth_source_t* source(const std::string& ir, berth_tier_t tier = BERTH_TIER_FAST, bool lazy = false) {
  berth_source_t* made = nullptr;
  EXPECT_EQ(take(berth_source_from_ir(ir.data(), ir.size(), "f", &made)).code, BERTH_OK);
  berth_source_set_tier(made, tier);
  berth_source_set_lazy(made, lazy);
  return made;
}

/// Reserves the key, which must be free, and releases it with the source. A reference to its instance.
inline Instance install(berth_engine_t* engine, berth_thread_t* thread, berth_key_t at, berth_source_t* made,
                        const char* label = nullptr) {
  berth_reserve_options_t options{};
  options.struct_size = sizeof options;
  options.timeout_ns = -1;
  options.label = label;
  berth_reservation_t reservation{};
  Failure failure = take(berth_reserve(thread, at, &options, &reservation));
  EXPECT_EQ(failure.code, BERTH_OK) << failure.message;
  EXPECT_EQ(reservation.outcome, BERTH_RESERVED);
  berth_instance_retain(reservation.lease.instance);
  Instance instance(reservation.lease.instance);
  failure = take(berth_release(thread, reservation.lease, made));
  EXPECT_EQ(failure.code, BERTH_OK) << failure.message;
  (void)engine;
  return instance;
}

template <class Function>
Function* wait_entry(berth_thread_t* thread, berth_instance_t* instance) {
  void* entry = nullptr;
  const Failure failure = take(berth_instance_wait_entry(thread, instance, -1, &entry));
  EXPECT_EQ(failure.code, BERTH_OK) << failure.message;
  return reinterpret_cast<Function*>(entry);
}
using Number = int64_t(int64_t);

}  // namespace berth::test
