// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TypeInterner: canonical elements, one object each, from many threads.
#include <gtest/gtest.h>

#include <barrier>
#include <thread>

#include "tests/support/watchdog.hpp"
#include "tests/unit/inference/random_types.hpp"

namespace berth::inference {
namespace {

using berth::test::Watchdog;
using test::RandomTypes;

Literal of_bits(LeafKind kind, uint64_t bits) {
  Literal literal;
  literal.kind = kind;
  literal.bits = bits;
  return literal;
}

TEST(Inference, I13_constants_are_told_apart_by_identity) {
  TypeInterner types;
  const auto f64 = [&](uint64_t bits) { return types.constant(of_bits(LeafKind::F64, bits)); };
  EXPECT_NE(f64(0), f64(uint64_t{1} << 63));                    // 0.0 and -0.0
  EXPECT_NE(f64(0x7ff8000000000001), f64(0x7ff8000000000002));  // NaN payloads
  EXPECT_EQ(f64(0x7ff8000000000001), f64(0x7ff8000000000001));
  Literal a, b;
  a.kind = b.kind = LeafKind::String;
  a.string = types.string("same");
  b.string = types.string(std::string("sa") + "me");
  EXPECT_EQ(types.constant(a), types.constant(b));
  EXPECT_NE(types.constant(of_bits(LeafKind::I64, 1)), types.constant(of_bits(LeafKind::I32, 1)));
}

TEST(Inference, I14_threads_intern_one_object_each) {
  const Watchdog watchdog(std::chrono::seconds(100));
  constexpr int kThreads = 16, kTypes = 20'000;
  TypeInterner types;
  std::vector<std::vector<const Type*>> made(kThreads, std::vector<const Type*>(kTypes));
  std::barrier start(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      for (int i = 0; i < kTypes; ++i) {
        const Type* number = types.constant(of_bits(LeafKind::I64, static_cast<uint64_t>(i)));
        const Type* items[] = {number, types.kind(LeafKind::F64)};
        made[static_cast<size_t>(t)][static_cast<size_t>(i)] = types.tuple(items);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int t = 1; t < kThreads; ++t) EXPECT_EQ(made[0], made[static_cast<size_t>(t)]);
  EXPECT_LT(types.num_types(), size_t{2} * kTypes + 100);
}

TEST(TypeInterner, text_is_canonical) {
  RandomTypes random(1);
  TypeInterner& types = random.types;
  Type type{Type::Kind::Parts, true, {}, nullptr, nullptr, 0, {}};
  type.parts.push_back({types.leaf(LeafKind::String), Part::Precision::Whole, {}, {}});
  type.parts.push_back({types.leaf(LeafKind::I64),
                        Part::Precision::Constant,
                        of_bits(LeafKind::I64, static_cast<uint64_t>(-3)),
                        {}});
  EXPECT_EQ(types.intern(type)->name, "const -3:i64 | string | nothing");
  const Type* items[] = {types.kind(LeafKind::I64), types.any()};
  EXPECT_EQ(types.tuple(items)->name, "tuple<i64, any>");
  EXPECT_EQ(types.whole(types.array_leaf(types.kind(LeafKind::F64)))->name, "array<f64>");
}

TEST(TypeInterner, five_leaves_become_their_ancestor) {
  TypeInterner types;
  Type type{Type::Kind::Parts, false, {}, nullptr, nullptr, 0, {}};
  for (const LeafKind kind : {LeafKind::I8, LeafKind::I16, LeafKind::I32, LeafKind::I64}) {
    type.parts.push_back({types.leaf(kind), Part::Precision::Whole, {}, {}});
  }
  EXPECT_EQ(types.intern(type)->parts.size(), 4u);
  type.parts.push_back({types.leaf(LeafKind::F64), Part::Precision::Whole, {}, {}});
  EXPECT_EQ(types.intern(type)->name, "number");
}

TEST(TypeInterner, representations) {
  TypeInterner types;
  EXPECT_EQ(representation(*types.kind(LeafKind::Bool)), Representation::Unboxed);
  EXPECT_EQ(representation(*types.constant(of_bits(LeafKind::F32, 7))), Representation::Unboxed);
  EXPECT_EQ(representation(*types.nothing()), Representation::None);
  EXPECT_EQ(representation(*types.bottom()), Representation::None);
  EXPECT_EQ(representation(*types.any()), Representation::Reference);
  EXPECT_EQ(representation(*types.kind(LeafKind::String)), Representation::Reference);
  EXPECT_EQ(types.nothing()->single_leaf(), types.leaf(LeafKind::Nothing));
}

}  // namespace
}  // namespace berth::inference
