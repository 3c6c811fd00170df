// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TypeLattice: its laws on random elements. A failure prints the elements; the seed is fixed.
#include <gtest/gtest.h>

#include "tests/unit/inference/random_types.hpp"

namespace berth::inference {
namespace {

using test::RandomTypes;

constexpr int kTriples = 200'000;

TEST(Inference, I8_order_join_and_meet_laws) {
  RandomTypes random(8);
  TypeLattice& lattice = random.lattice;
  const auto le = [&](const Type* a, const Type* b) { return lattice.is_subtype(a, b); };
  const auto join = [&](const Type* a, const Type* b) { return lattice.join(a, b); };
  const auto meet = [&](const Type* a, const Type* b) { return lattice.meet(a, b); };
  for (int i = 0; i < kTriples && !::testing::Test::HasFailure(); ++i) {
    const Type *a = random.element(), *b = random.element(), *c = random.element();
    SCOPED_TRACE(a->name + "   " + b->name + "   " + c->name);
    EXPECT_TRUE(le(a, a));
    EXPECT_TRUE(!le(a, b) || !le(b, a) || a == b);
    EXPECT_TRUE(!le(a, b) || !le(b, c) || le(a, c));
    EXPECT_EQ(join(a, b), join(b, a));
    EXPECT_EQ(meet(a, b), meet(b, a));
    EXPECT_EQ(join(a, join(b, c)), join(join(a, b), c));
    EXPECT_EQ(meet(a, meet(b, c)), meet(meet(a, b), c));
    EXPECT_EQ(join(a, meet(a, b)), a);
    EXPECT_EQ(meet(a, join(a, b)), a);
    EXPECT_EQ(le(a, b), join(a, b) == b);
    EXPECT_EQ(le(a, b), meet(a, b) == a);
    EXPECT_EQ(lattice.overlaps(a, b), !meet(a, b)->is_bottom());
    EXPECT_TRUE(!le(a, b) || le(lattice.widen(a), lattice.widen(b)));
    EXPECT_TRUE(le(a, lattice.widen(a)));
    EXPECT_TRUE(!le(a, b) || le(lattice.subtract(a, c), lattice.subtract(b, c)));
    EXPECT_TRUE(le(a, join(lattice.subtract(a, c), c)));
  }
}

TEST(Inference, I9_intersection_is_an_element) {
  RandomTypes random(9);
  for (int i = 0; i < kTriples && !::testing::Test::HasFailure(); ++i) {
    const Type *a = random.element(), *b = random.element();
    SCOPED_TRACE(a->name + "   " + b->name);
    const Type* both = random.lattice.meet(a, b);
    EXPECT_EQ(random.types.intern(*both), both);  // canonical already
    // Exactly the common values.
    const Type* value = random.value();
    EXPECT_EQ(random.lattice.is_subtype(value, both),
              random.lattice.is_subtype(value, a) && random.lattice.is_subtype(value, b))
        << value->name;
  }
}

TEST(Inference, I10_membership_is_kept) {
  RandomTypes random(10);
  for (int i = 0; i < kTriples && !::testing::Test::HasFailure(); ++i) {
    const Type *a = random.element(), *b = random.element(), *value = random.value();
    SCOPED_TRACE(value->name + "   " + a->name + "   " + b->name);
    const auto in = [&](const Type* type) { return random.lattice.is_subtype(value, type); };
    EXPECT_TRUE(!in(a) || in(random.lattice.join(a, b)));
    EXPECT_TRUE(!in(a) || !random.lattice.is_subtype(a, b) || in(b));
    EXPECT_TRUE(!in(a) || in(random.lattice.widen(a)));
    EXPECT_TRUE(!in(a) || in(b) || in(random.lattice.subtract(a, b)));
  }
}

TEST(Inference, I12_nesting_ends) {
  RandomTypes random(12);
  const Type* type = random.types.kind(LeafKind::I64);
  const Type* previous = nullptr;
  int steps = 0;
  for (; type != previous && steps < 100; ++steps) {  // t = (t,), joined with what it was
    previous = type;
    const Type* items[] = {type};
    type = random.lattice.join(type, random.types.tuple(items));
  }
  EXPECT_LT(steps, 27);
}

}  // namespace
}  // namespace berth::inference
