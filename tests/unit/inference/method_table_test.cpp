// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MethodTable: dispatch against a brute-force oracle, ambiguity, versions by world.
#include <gtest/gtest.h>

#include <algorithm>

#include "inference/method_table.hpp"
#include "tests/unit/inference/inference_fixture.hpp"
#include "tests/unit/inference/random_types.hpp"

namespace berth::inference {
namespace {

using test::InferenceWorld;
using test::RandomTypes;

struct Methods {
  std::vector<std::unique_ptr<Method>> owned;
  std::vector<Method*> list;
  void add(const Function& function, std::vector<const Type*> signature) {
    owned.push_back(std::make_unique<Method>());
    owned.back()->function = &function;
    owned.back()->name = function.name;
    owned.back()->signature = std::move(signature);
    list.push_back(owned.back().get());
  }
};

/// The definition: the one applicable method whose signature is under that of every other.
const Method* oracle(const TypeLattice& lattice, const std::vector<Method*>& methods,
                     const std::vector<const Type*>& arguments, bool& is_ambiguous) {
  const auto under = [&](const std::vector<const Type*>& a, const std::vector<const Type*>& b) {
    for (size_t i = 0; i < a.size(); ++i) {
      if (!lattice.is_subtype(a[i], b[i])) return false;
    }
    return true;
  };
  std::vector<const Method*> applicable;
  for (const Method* method : methods) {
    if (under(arguments, method->signature)) applicable.push_back(method);
  }
  for (const Method* method : applicable) {
    if (std::all_of(applicable.begin(), applicable.end(),
                    [&](const Method* other) { return under(method->signature, other->signature); })) {
      return method;
    }
  }
  is_ambiguous = !applicable.empty();
  return nullptr;
}

TEST(Inference, I22_dispatch_equals_oracle) {
  RandomTypes random(22);
  Function function{"f", nullptr};
  constexpr int kSets = 800;
  for (int set = 0; set < kSets && !::testing::Test::HasFailure(); ++set) {
    MethodTable table(random.lattice);
    Methods methods;
    const size_t arity = 1 + random.below(2);
    for (size_t i = 0; i < 6; ++i) {
      std::vector<const Type*> signature;
      for (size_t k = 0; k < arity; ++k) {
        const Type* type = random.lattice.widen(random.element(1), 1);
        signature.push_back(type->is_bottom() ? random.types.any() : type);
      }
      const bool is_new = std::none_of(methods.list.begin(), methods.list.end(),
                                       [&](const Method* m) { return m->signature == signature; });
      if (is_new) methods.add(function, signature);
    }
    table.publish(table.prepare(methods.list, 1), 1);
    for (int call = 0; call < 13; ++call) {
      std::vector<const Type*> arguments;
      for (size_t k = 0; k < arity; ++k) arguments.push_back(random.value());
      bool is_ambiguous = false;
      const Method* expected = oracle(random.lattice, methods.list, arguments, is_ambiguous);
      const Dispatch found = table.find(function, arguments, 1);
      SCOPED_TRACE("set " + std::to_string(set) + " arguments " + arguments[0]->name);
      EXPECT_EQ(found.ambiguous[0] != nullptr, is_ambiguous);
      EXPECT_EQ(found.covers, expected != nullptr);
      EXPECT_EQ(found.methods.size(), expected ? 1u : 0u);
      if (expected && !found.methods.empty()) { EXPECT_EQ(found.methods[0], expected); }
      // Larger arguments reach at least that method.
      std::vector<const Type*> larger;
      for (const Type* argument : arguments)
        larger.push_back(random.lattice.join(argument, random.element(1)));
      const Dispatch more = table.find(function, larger, 1);
      if (expected) {
        EXPECT_NE(std::find(more.methods.begin(), more.methods.end(), expected), more.methods.end());
      }
      if (more.covers) { EXPECT_TRUE(found.covers); }
    }
  }
}

TEST(Inference, I23_ambiguity_names_both_and_a_covering_method_cures_it) {
  InferenceWorld world("method f(%a: i64, %b) { ^0: return 1 } method f(%a, %b: i64) { ^0: return 2 }");
  const Function& f = *world.program().function("f");
  const auto arguments = world.types({"i64", "i64"});
  const Dispatch found = world.program().methods().find(f, arguments, world.engine().world());
  EXPECT_TRUE(found.methods.empty());
  ASSERT_TRUE(found.ambiguous[0] && found.ambiguous[1]);
  EXPECT_NE(found.ambiguous[0], found.ambiguous[1]);
  EXPECT_EQ(
      world.program().methods().find(f, world.types({"i64", "f64"}), world.engine().world()).methods.size(),
      1u);
  world.define("method f(%a: i64, %b: i64) { ^0: return 3 }");
  const Dispatch cured = world.program().methods().find(f, arguments, world.engine().world());
  EXPECT_EQ(cured.methods.size(), 1u);
  EXPECT_FALSE(cured.ambiguous[0]);
}

TEST(MethodTable, a_world_keeps_its_methods) {
  InferenceWorld world("method f(%a: i64) { ^0: return 1 }");
  const Function& f = *world.program().function("f");
  const uint64_t before = world.engine().world();
  const Method* first = world.program().methods().find(f, world.types({"i64"}), before).methods.at(0);
  world.define("method f(%a: i64) { ^0: return 2 } method f(%a: string) { ^0: return 3 }");
  EXPECT_EQ(world.program().methods().find(f, world.types({"i64"}), before).methods.at(0), first);
  EXPECT_TRUE(world.program().methods().find(f, world.types({"string"}), before).methods.empty());
  const Dispatch now = world.program().methods().find(f, world.types({"i64"}), world.engine().world());
  EXPECT_NE(now.methods.at(0), first);
  EXPECT_EQ(now.since, world.engine().world());
  EXPECT_EQ(world.program().methods().all(f, world.engine().world()).size(),
            2u);  // the same signature replaced
}

}  // namespace
}  // namespace berth::inference
