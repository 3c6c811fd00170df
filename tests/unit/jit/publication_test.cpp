// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// J43: who reads an entry, from the code word or from a call slot, sees what lies behind it: the code's
// fields and bytes. The readers do what generated code does and have nothing but the pointer: under
// ThreadSanitizer only the orders of publication make their reads safe. Links no other part of jit/ than the
// slots, and no LLVM.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <deque>
#include <optional>
#include <thread>

#include "jit/call_slot.hpp"
#include "tests/support/stub_compiler.hpp"
#include "tests/support/test_engine.hpp"

namespace berth::jit {
namespace {

using engine::CodeInstance;
using engine::CodeInstanceRef;

/// Code that is data: what its entry points to.
struct Bytes {
  std::array<uint64_t, 8> words{};  // plain, as the bytes of code are
  void fill(uint64_t with) { words.fill(with); }
  bool is_filled(uint64_t with) const {
    return std::ranges::all_of(words, [=](uint64_t word) { return word == with; });
  }
};

/// One callee, published twice, and a caller's slot.
struct Round {
  CodeInstanceRef callee;
  Bytes fast, optimized;
  engine::Code fast_code, optimized_code;
  sync::Atomic<void*> word{nullptr};
  char trampoline = 0;
  CallSlot slot{};
};

/// Of any tier: the number of its bytes, or 0 if they are not all there.
uint64_t read_bytes(const Round& round, const void* entry) {
  const auto& bytes = *static_cast<const Bytes*>(entry);
  const uint64_t number = entry == &round.fast ? 1 : 2;
  return bytes.is_filled(number) ? number : 0;
}

class Publication : public testing::Test {
 protected:
  static constexpr int kRounds = 500;

  Publication() {
    engine::EngineOptions options;
    options.has_compiler_hooks = true;
    options.compiler_hooks = stub.hooks();
    options.compiler_context = &stub;
    engine.emplace(options);
    stub.close_gate();  // the test publishes
    for (int i = 0; i < kRounds; ++i) {
      auto source = std::make_unique<engine::Source>();
      source->body = std::make_unique<engine::OpaqueBody>(&rounds[i], nullptr);
      engine->release(engine->take(key(i)), std::move(source));
      Round& round = rounds[i];
      round.callee = (*engine)->lookup(key(i), 0);
      round.slot.word = &round.word;
      round.slot.trampoline = &round.trampoline;
      table.add(round.slot, round.callee);
    }
  }
  ~Publication() override {
    for (Round& round : rounds) {
      table.remove(round.slot).reset();
      round.callee.reset();
    }
    stub.open_gate();
  }

  engine::Key key(int i) const { return {&rounds[static_cast<size_t>(i)], nullptr}; }
  void publish(Round& round, engine::Code& code) {
    engine::NewCode made{round.callee.get(), &code};
    engine->impl().published({&made, 1});
    table.publish(*round.callee);
  }
  /// Writes code, as a compile does, and publishes it: the lower tier, then the better one.
  void publish_both(Round& round) {
    round.fast.fill(1);
    round.fast_code.entry = &round.fast;
    publish(round, round.fast_code);
    round.optimized.fill(2);
    round.optimized_code.entry = &round.optimized;
    round.optimized_code.tier = BERTH_TIER_OPTIMIZED;
    publish(round, round.optimized_code);
  }
  /// `read` gives the number of the bytes that it finds, 0 if they are not all there, -1 if there is no code
  /// yet.
  template <class Read>
  void race(Read&& read) {
    std::barrier together(3);
    std::atomic<int> torn{0}, went_back{0};
    const auto reader = [&] {
      for (Round& round : rounds) {
        together.arrive_and_wait();
        for (int64_t seen = 0; seen != 2;) {
          const int64_t now = read(round);
          torn += now == 0;
          if (now > seen) {
            seen = now;
          } else {
            went_back += now > 0 && now < seen;
            std::this_thread::yield();
          }
        }
      }
    };
    std::thread first(reader), second(reader);
    for (Round& round : rounds) {
      together.arrive_and_wait();
      publish_both(round);
    }
    first.join();
    second.join();
    EXPECT_EQ(torn.load(), 0);
    EXPECT_EQ(went_back.load(), 0);
  }

  std::deque<Round> rounds = std::deque<Round>(kRounds);
  test::StubCompiler stub;
  std::optional<test::TestEngine> engine;
  SlotTable table{[](CodeInstanceRef&, StubArguments) -> Result<void*> {
    return make_error(BERTH_INTERNAL, "", "", "");
  }};
};

TEST_F(Publication, J43_a_call_over_a_slot_finds_the_bytes) {
  race([](Round& round) -> int64_t {
    const void* const entry = round.word.load(std::memory_order_acquire);
    if (entry == &round.trampoline) return -1;
    return static_cast<int64_t>(read_bytes(round, entry));
  });
}

TEST_F(Publication, J43_who_has_the_code_finds_fields_and_bytes) {
  race([](Round& round) -> int64_t {
    const engine::Code* const code = engine::instance_code(*round.callee);
    if (!code) return -1;
    const uint64_t number = read_bytes(round, code->entry);
    return (code->tier == BERTH_TIER_OPTIMIZED) == (number == 2) ? static_cast<int64_t>(number) : 0;
  });
}

TEST_F(Publication, J43_who_looks_the_entry_up_finds_the_bytes) {
  race([this](Round& round) -> int64_t {
    const void* const entry = (*engine)->lookup_entry({&round, nullptr}, 0);
    return entry ? static_cast<int64_t>(read_bytes(round, entry)) : -1;
  });
}

}  // namespace
}  // namespace berth::jit
