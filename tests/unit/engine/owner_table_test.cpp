// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/owner_table.hpp"

#include <gtest/gtest.h>

namespace berth::engine {
namespace {

berth_key_traits_t int_traits() {
  berth_key_traits_t traits{};
  traits.struct_size = sizeof traits;
  traits.hash = [](void*, const void* owner) {
    return static_cast<uint64_t>(*static_cast<const int*>(owner) % 3);
  };
  traits.equal = [](void*, const void* a, const void* b) {
    return static_cast<int>(*static_cast<const int*>(a) == *static_cast<const int*>(b));
  };
  return traits;
}

TEST(OwnerTable, identity_without_traits) {
  OwnerTable owners({});
  const int a = 1, b = 1;
  EXPECT_EQ(owners.intern(&a), &a);
  EXPECT_EQ(owners.intern(&b), &b);
}

TEST(OwnerTable, first_of_an_equal_class_stands_for_all) {
  OwnerTable owners(int_traits());
  const int a = 1, same = 1, collides = 4;
  EXPECT_EQ(owners.intern(&a), &a);
  EXPECT_EQ(owners.intern(&same), &a);
  EXPECT_EQ(owners.intern(&collides), &collides);
  EXPECT_EQ(owners.intern(nullptr), nullptr);
}

TEST(OwnerTable, a_swept_owner_stands_for_nobody) {
  OwnerTable owners(int_traits());
  const int dead = 1, later = 1;
  owners.intern(&dead);
  owners.sweep([&](const void* owner) { return owner != &dead; });
  EXPECT_EQ(owners.intern(&later), &later);
}

}  // namespace
}  // namespace berth::engine
