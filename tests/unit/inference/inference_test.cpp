// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inference within and across methods: types, refinement, groups, sharing between threads, worlds.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <map>
#include <random>
#include <thread>

#include "inference/back_edges.hpp"
#include "inference/transfer.hpp"
#include "tests/unit/inference/inference_fixture.hpp"
#include "tests/unit/inference/random_types.hpp"

namespace berth::inference {
namespace {

using test::count;
using test::InferenceWorld;
using test::kPrelude;
using test::RandomTypes;

TEST(Inference, I11_transfer_functions_are_monotone) {
  InferenceWorld world("type P { x: f64, y: any } mutable type M { x: i64 | nothing }");
  Program& program = world.program();
  Transfer transfer(program, world.engine().world(), false);
  TypeLattice& lattice = program.lattice();
  std::vector<const Type*> pool = world.types(
      {"i64", "f64", "bool", "u8", "string", "nothing", "any", "number", "array", "array<f64>", "array<any>",
       "P", "M", "M | nothing", "P | M", "tuple<i64, f64>", "tuple<any>", "error", "i64 | string"});
  std::mt19937_64 random(11);
  for (const LeafKind kind : {LeafKind::I64, LeafKind::U8, LeafKind::Bool}) {
    for (uint64_t bits = 0; bits < 3; ++bits) {
      Literal literal;
      literal.kind = kind;
      literal.bits = kind == LeafKind::Bool ? bits & 1 : bits;
      pool.push_back(program.types().constant(literal));
    }
  }
  const auto any_of = [&] { return pool[random() % pool.size()]; };
  const Op ops[] = {Op::Add,      Op::Div,       Op::Lt,         Op::Eq,           Op::Shl,      Op::Not,
                    Op::Field,    Op::Set,       Op::Tuple,      Op::Item,         Op::ArrayLen, Op::ArrayGet,
                    Op::ArraySet, Op::ArrayCopy, Op::StringByte, Op::StringConcat, Op::Same,     Op::Is,
                    Op::TypeOf,   Op::Assert,    Op::New,        Op::Convert,      Op::Truncate};
  for (int i = 0; i < 60'000 && !::testing::Test::HasFailure(); ++i) {
    Statement statement;
    statement.op = ops[random() % std::size(ops)];
    statement.number = random() % 2 ? LeafKind::I64 : LeafKind::U8;
    statement.to = LeafKind::U8;
    statement.name = program.types().string("x");
    statement.type = statement.op == Op::New ? world.type("P") : any_of();
    const size_t n = statement.op == Op::ArraySet                           ? 3
                     : statement.op == Op::Not || statement.op == Op::Field ? 1
                                                                            : 2;
    std::vector<const Type*> small, large;
    for (size_t k = 0; k < n; ++k) {
      small.push_back(any_of());
      large.push_back(lattice.join(small.back(), any_of()));
    }
    const Transferred a = transfer.apply(statement, small), b = transfer.apply(statement, large);
    EXPECT_TRUE(lattice.is_subtype(a.type, b.type))
        << text_of(statement.op) << " " << small[0]->name << ": " << a.type->name << " not under "
        << large[0]->name << ": " << b.type->name;
    EXPECT_EQ(a.effects & b.effects, b.effects)
        << text_of(statement.op) << " " << small[0]->name << " " << large[0]->name;
  }
}

TEST(Inference, I12_recursive_types_end) {
  InferenceWorld world(R"(
method nest(%n: i64, %t) { ^0: %c = eq.i64 %n 0 cond %c ^1 ^2
^1: return %t
^2: %m = sub.i64 %n 1 %u = tuple(%t, %n) %r = call nest(%m, %u) return %r }
method grow(%n: i64) { ^0: %c = eq.i64 %n 0 cond %c ^1 ^2
^1: return nothing
^2: %m = sub.i64 %n 1 %t = call grow(%m) %r = tuple(%t) return %r })");
  EXPECT_EQ(world.result("grow", {"i64"}), "tuple<tuple<tuple<any> | nothing> | nothing> | nothing");
  EXPECT_FALSE(world.typed("nest", {"i64", "i64"}).limited);
}

TEST(Inference, I16_dead_branches_are_removed) {
  InferenceWorld world(R"(
method f(%x: i64) {
^0: %s = is %x string cond %s ^1 ^2
^1: %a = call never(%x) return %a
^2: %k = eq.i64 1 2 cond %k ^1 ^3
^3: return %x }
method g(%x: i64) { ^0: %y = string.len %x br ^1
^1: return 1 })");
  const TypedMethod& f = world.typed("f", {"i64"});
  EXPECT_EQ(f.body.blocks.size(), 1u);
  EXPECT_EQ(f.result->name, "i64");
  const TypedMethod& g = world.typed("g", {"i64"});
  EXPECT_EQ(g.result->name, "bottom");
  EXPECT_EQ(count(g, Op::StringLen), 1u);  // it raises: nothing reached is removed
  EXPECT_EQ(g.body.blocks.back().terminator.kind, Terminator::Kind::Unreachable);
}

TEST(Inference, I17_branches_refine) {
  InferenceWorld world(R"(
mutable type Node { next: Node | nothing, value: i64 }
method by_is(%x: i64 | string) { ^0: %c = is %x i64 cond %c ^1 ^2
^1: return %x
^2: %n = string.len %x return %n }
method by_same(%x: Node | nothing) { ^0: %c = same %x nothing cond %c ^1 ^2
^1: return 0
^2: %v = field %x.value return %v }
method by_not(%x: Node | nothing) { ^0: %c = same nothing %x %d = not %c cond %d ^2 ^1
^1: return 0
^2: %v = field %x.value return %v }
method loop(%l: Node | nothing) { ^0: br ^1(%l, 0)
^1(%n, %s: i64): %c = same %n nothing cond %c ^2 ^3
^2: return %s
^3: %v = field %n.value %t = add.i64 %s %v %m = field %n.next br ^1(%m, %t) }
method lost(%x: i64 | string) { ^0: %c = is %x i64 cond %c ^1 ^2
^1: br ^3
^2: br ^3
^3: return %x }
method through(%x: i64 | string) { ^0: %c = is %x i64 cond %c ^1 ^2
^1: br ^3(%x)
^2: br ^3(0)
^3(%y): return %y }
method edge(%x: i64 | string) { ^0: %c = is %x i64 cond %c ^1(%x) ^1(7)
^1(%y): return %y }
method eq(%x) { ^0: %c = eq.i64 %x 5 cond %c ^1 ^2
^1: return %x
^2: return 0 })");
  EXPECT_EQ(world.result("by_is", {"i64 | string"}), "i64");
  for (const char* name : {"by_same", "by_not", "loop"}) {
    const TypedMethod& method = world.typed(name, {"Node | nothing"});
    EXPECT_EQ(method.result->name, "i64") << name;
    EXPECT_TRUE(method.effects & kNoRaise) << name << ": a field of a Node";
  }
  EXPECT_EQ(world.result("lost", {"i64 | string"}), "i64 | string");
  EXPECT_EQ(world.result("through", {"i64 | string"}), "i64");
  EXPECT_EQ(world.result("edge", {"i64 | string"}), "i64");
  EXPECT_EQ(world.result("eq", {"any"}), "i64");
}

TEST(Inference, I18_memory_is_not_refined) {
  InferenceWorld world(R"(
mutable type Cell { v: i64 | string }
method f(%c: Cell) { ^0: %v = field %c.v %i = is %v i64 cond %i ^1 ^2
^1: %w = field %c.v return %w
^2: return 0 }
method g(%c: Cell) { ^0: %s = set %c.v 1 %w = field %c.v return %w })");
  EXPECT_EQ(world.result("f", {"Cell"}), "i64 | string");
  EXPECT_EQ(world.result("g", {"Cell"}), "i64 | string");
}

TEST(Inference, I19_raising_statements_reach_their_handler) {
  InferenceWorld world(R"(
method f(%a: i64, %b: i64) {
^0: br ^1
^1 catch ^2: %q = div.i64 %a %b return %q
^2(%e): %t = field %e.text return %t }
method g(%a: i64, %b: i64) {
^0: br ^1
^1 catch ^2: %q = add.i64 %a %b return %q
^2(%e): return %e }
method h(%a: i64) {
^0: br ^1
^1 catch ^2: throw %a
^2(%e): return %e }
method k(%a) {
^0: br ^1
^1 catch ^2: %b = add.i64 %a 1 %c = string.len %a return %c
^2(%e): return %a })");
  EXPECT_EQ(world.result("f", {"i64", "i64"}), "i64 | string");
  EXPECT_EQ(world.result("g", {"i64", "i64"}), "i64");
  EXPECT_EQ(world.typed("g", {"i64", "i64"}).body.blocks.size(), 1u);  // the handler is never reached
  EXPECT_EQ(world.result("h", {"i64"}), "error");
  EXPECT_EQ(world.result("k", {"string"}), "string");  // add raises: what follows is dead, the handler is not
}

TEST(Inference, I24_no_method_may_raise) {
  InferenceWorld world(R"(
method f(%a: i64) { ^0: return %a }
method covered(%x: i64) { ^0: %r = call f(%x) return %r }
method partly(%x: i64 | string) { ^0: %r = call f(%x) return %r }
method none(%x: string) { ^0: %r = call f(%x) return %r })");
  EXPECT_EQ(world.result("covered", {"i64"}), "i64");
  EXPECT_EQ(count(world.typed("covered", {"i64"}), Op::Call), 0u);
  const TypedMethod& partly = world.typed("partly", {"i64 | string"});
  EXPECT_EQ(partly.result->name, "i64");
  EXPECT_EQ(count(partly, Op::Call), 1u);  // dispatch at run time finds that there is no method
  EXPECT_FALSE(partly.effects & kNoRaise);
  EXPECT_EQ(world.result("none", {"string"}), "bottom");
  EXPECT_EQ(count(world.typed("none", {"string"}), Op::Call), 1u);
}

TEST(Inference, I25_limits_of_candidates_and_splits) {
  std::string text;
  for (const char* type : {"i8", "i16", "i32", "i64", "u8"})
    text += std::string("method f(%a: ") + type + ") { ^0: return %a }\n";
  text += "method four(%x: i8 | i16 | i32 | i64) { ^0: %r = call f(%x) return %r }\n";
  text += "method five(%x: integer) { ^0: %r = call f(%x) return %r }\n";
  InferenceWorld world(text);
  EXPECT_EQ(world.result("four", {"i8 | i16 | i32 | i64"}), "i16 | i32 | i64 | i8");
  EXPECT_EQ(world.result("five", {"integer"}), "any");
}

const char* kHofstadter = R"(
method F(%n) { ^0: %c = call `==`(%n, 0) cond %c ^1 ^2
^1: return 1
^2: %a = call `-`(%n, 1) %x = call F(%a) %y = call M(%x) %r = call `-`(%n, %y) return %r }
method M(%n) { ^0: %c = call `==`(%n, 0) cond %c ^1 ^2
^1: return 0
^2: %a = call `-`(%n, 1) %x = call M(%a) %y = call F(%x) %r = call `-`(%n, %y) return %r }
method fact(%n) { ^0: %c = call `<`(%n, 2) cond %c ^1 ^2
^1: return 1
^2: %a = call `-`(%n, 1) %x = call fact(%a) %r = call `*`(%n, %x) return %r }
method even(%n) { ^0: %c = call `==`(%n, 0) cond %c ^1 ^2
^1: return true
^2: %a = call `-`(%n, 1) %x = call odd(%a) return %x }
method odd(%n) { ^0: %c = call `==`(%n, 0) cond %c ^1 ^2
^1: return false
^2: %a = call `-`(%n, 1) %x = call even(%a) return %x }
)";

TEST(Inference, I32_rings_are_precise) {
  InferenceWorld world(kPrelude);
  world.define(kHofstadter);
  EXPECT_EQ(world.result("F", {"i64"}), "i64");
  EXPECT_EQ(world.result("M", {"i64"}), "i64");
  EXPECT_EQ(world.result("fact", {"i64"}), "i64");
  EXPECT_EQ(world.result("even", {"i64"}), "bool");
  EXPECT_TRUE(world.typed("odd", {"i64"}).is_recursive);
}

/// Methods r0 .. r(n-1); each calls the next, the last the first.
std::string ring(int n) {
  std::string text;
  for (int i = 0; i < n; ++i) {
    text += "method r" + std::to_string(i) + "(%n: i64) { ^0: %c = eq.i64 %n 0 cond %c ^1 ^2\n^1: return " +
            std::to_string(i) + "\n^2: %m = sub.i64 %n 1 %x = call r" + std::to_string((i + 1) % n) +
            "(%m) return %x }\n";
  }
  return text;
}

TEST(Inference, I31_rings_of_one_agent_are_one_group) {
  for (const int n : {1, 2, 50}) {
    InferenceWorld world(ring(n));
    EXPECT_EQ(world.result("r0", {"i64"}), n == 1 ? "const 0:i64" : "i64");
    EXPECT_EQ(world.num_inferred(), static_cast<uint64_t>(n));
    for (int i = 0; i < n; ++i) {
      const Specialisation& member = world.specialisation("r" + std::to_string(i), {"i64"});
      const auto instance = world.engine().lookup({&member, world.program().owner()}, world.engine().world());
      ASSERT_TRUE(instance);
      EXPECT_EQ(engine::instance_max_world(*instance), UINT64_MAX);
      EXPECT_TRUE(typed_method(*instance).is_recursive);
    }
    EXPECT_EQ(world.num_inferred(), static_cast<uint64_t>(n));  // all are there
  }
}

TEST(Inference, I41_call_chain_of_10000) {
  constexpr int kLength = 10'000;
  std::string text;
  for (int i = 0; i < kLength; ++i) {
    text += "method c" + std::to_string(i) + "(%x: i64) { ^0: print(%x) ";
    text += i + 1 < kLength ? "%r = call c" + std::to_string(i + 1) + "(%x) return %r }\n"
                            : std::string("return %x }\n");
  }
  InferenceWorld world(text);
  EXPECT_EQ(world.result("c0", {"i64"}), "i64");
  EXPECT_EQ(world.num_inferred(), static_cast<uint64_t>(kLength));
}

void on_threads(InferenceWorld& world, int n, const std::function<void(gc::Thread&, int)>& body) {
  std::barrier start(n);
  std::vector<std::thread> threads;
  for (int i = 0; i < n; ++i) {
    threads.emplace_back([&, i] {
      gc::Thread* thread = world.engine().attach().value();
      {
        const gc::SafeRegion safe(*thread);
        start.arrive_and_wait();
      }
      body(*thread, i);
      world.engine().detach(*thread);
    });
  }
  const gc::SafeRegion safe(world.thread());
  for (std::thread& thread : threads) thread.join();
}

std::string chain_text(int n) {
  std::string text;
  for (int i = 0; i < n; ++i) {
    text += "method k" + std::to_string(i) + "(%x: i64) { ^0: print(%x) %a = call `+`(%x, " +
            std::to_string(i) + ") ";
    if (i > 0)
      text += "%b = call k" + std::to_string(i - 1) + "(%a) %c = call k" + std::to_string(i / 2) +
              "(%b) return %c }\n";
    else
      text += "return %a }\n";
  }
  return text;
}

TEST(Inference, I29_one_inference_per_key) {
  constexpr int kThreads = 8, kKeys = 60;
  InferenceWorld world(kPrelude);
  std::string text;
  for (int i = 0; i < kKeys; ++i) {
    text += "method k" + std::to_string(i) + "(%x: i64) { ^0: print(%x) %a = call `+`(%x, " +
            std::to_string(i) + ") ";
    text += i ? "%b = call k" + std::to_string(i - 1) + "(%a) return %b }\n" : std::string("return %a }\n");
  }
  world.define(text);
  std::vector<const Specialisation*> keys;
  for (int i = 0; i < kKeys; ++i) keys.push_back(&world.specialisation("k" + std::to_string(i), {"i64"}));
  std::atomic<int> wrong{0};
  on_threads(world, kThreads, [&](gc::Thread& thread, int t) {
    std::mt19937 random(static_cast<unsigned>(t));
    std::vector<const Specialisation*> mine = keys;
    std::shuffle(mine.begin(), mine.end(), random);
    for (const Specialisation* key : mine) {
      const auto inferred = infer(thread, world.program(), *key, world.engine().world(), false);
      if (inferred.has_error() || typed_method(*inferred.value()).result->name != "i64") wrong.fetch_add(1);
    }
  });
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(world.num_inferred(), static_cast<uint64_t>(kKeys) + 1);  // and `+`
}

std::map<std::string, std::string> all_typed(int threads, unsigned seed) {
  InferenceWorld world(kPrelude);
  world.define(kHofstadter);
  world.define(ring(5));
  std::vector<const Specialisation*> keys;
  for (const char* name : {"F", "M", "fact", "even", "odd", "r0", "r1", "r2", "r3", "r4"})
    keys.push_back(&world.specialisation(name, {"i64"}));
  on_threads(world, threads, [&](gc::Thread& thread, int t) {
    std::mt19937 random(seed * 100 + static_cast<unsigned>(t));
    std::vector<const Specialisation*> mine = keys;
    std::shuffle(mine.begin(), mine.end(), random);
    for (const Specialisation* key : mine)
      EXPECT_TRUE(infer(thread, world.program(), *key, world.engine().world(), false).has_value());
  });
  std::map<std::string, std::string> out;
  for (const Specialisation* key : keys) {
    const auto instance = world.engine().lookup({key, world.program().owner()}, world.engine().world());
    if (instance) out[key->name] = print_typed(typed_method(*instance), 1, UINT64_MAX);
  }
  return out;
}

TEST(Inference, I42_parallel_equals_sequential) {
  const auto expected = all_typed(1, 0);
  EXPECT_EQ(expected.size(), 10u);
  for (unsigned schedule = 1; schedule <= 25 && !::testing::Test::HasFailure(); ++schedule) {
    EXPECT_EQ(all_typed(schedule % 3 == 0 ? 16 : 2, schedule), expected) << "schedule " << schedule;
  }
}

TEST(Inference, I33_rings_over_threads_end) {
  for (const int n : {2, 8, 16}) {
    InferenceWorld world(ring(n));
    std::vector<const Specialisation*> keys;
    for (int i = 0; i < n; ++i) keys.push_back(&world.specialisation("r" + std::to_string(i), {"i64"}));
    std::atomic<int> wrong{0};
    on_threads(world, n, [&](gc::Thread& thread, int t) {
      const auto inferred =
          infer(thread, world.program(), *keys[static_cast<size_t>(t)], world.engine().world(), false);
      if (inferred.has_error() || typed_method(*inferred.value()).result->name != "i64") wrong.fetch_add(1);
    });
    EXPECT_EQ(wrong.load(), 0);
    for (const Specialisation* key : keys)
      EXPECT_TRUE(world.engine().lookup({key, world.program().owner()}, world.engine().world()));
  }
}

TEST(Inference, I27_inlined_callee_redefined) {
  InferenceWorld world(kPrelude);
  world.define(
      "method f(%x: i64) { ^0: %r = call `+`(%x, 1) return %r } method other(%x: i64) { ^0: %r = call "
      "`*`(%x, 2) return %r }");
  const auto f = world.infer("f", {"i64"}), other = world.infer("other", {"i64"});
  EXPECT_EQ(count(typed_method(*f), Op::Add), 1u);  // inlined
  EXPECT_EQ(engine::instance_max_world(*f), UINT64_MAX);
  const uint64_t before = world.engine().world();
  world.define("method `+`(%a: i64, %b: i64) { ^0: %r = sub.i64 %a %b return %r }");
  EXPECT_EQ(engine::instance_max_world(*f), before);
  EXPECT_EQ(engine::instance_max_world(*other), UINT64_MAX);
  EXPECT_EQ(count(world.typed("f", {"i64"}), Op::Sub), 1u);
}

TEST(Inference, I50_exactly_transitive_callers_infer_again) {
  InferenceWorld world(kPrelude);
  world.define(chain_text(8));
  world.define("method alone(%x: i64) { ^0: print(%x) return %x }");
  world.infer("k7", {"i64"});
  world.infer("alone", {"i64"});
  const uint64_t before = world.num_inferred();
  EXPECT_EQ(before, 8u + 1 + 1);
  world.define("method k3(%x: i64) { ^0: print(%x) return %x }");
  world.infer("k7", {"i64"});
  world.infer("alone", {"i64"});
  EXPECT_EQ(world.num_inferred() - before, 5u);  // k3 itself and k4 .. k7; not k0 .. k2, `+`, alone
}

TEST(Inference, I52_method_added_where_none_matched) {
  InferenceWorld world(
      "method g(%x: string) { ^0: return 1 } method f(%x: i64) { ^0: %r = call g(%x) return %r }");
  EXPECT_EQ(world.result("f", {"i64"}), "bottom");
  world.define("method g(%x: i64) { ^0: return 2.0 }");
  EXPECT_EQ(world.result("f", {"i64"}), "const 2:f64");
}

TEST(Inference, I53_more_specific_method_concerns_its_signature_only) {
  InferenceWorld world(R"(
method g(%x) { ^0: print(%x) return 1 }
method a(%x: i64) { ^0: %r = call g(%x) return %r }
method b(%x: string) { ^0: %r = call g(%x) return %r })");
  const auto a = world.infer("a", {"i64"}), b = world.infer("b", {"string"});
  world.define("method g(%x: integer) { ^0: print(%x) return 2.0 }");
  EXPECT_NE(engine::instance_max_world(*a), UINT64_MAX);
  EXPECT_EQ(engine::instance_max_world(*b), UINT64_MAX);
  EXPECT_EQ(world.result("a", {"i64"}), "const 2:f64");
}

/// Asks the engine; no sleep.
void until_somebody_waits(InferenceWorld& world) {
  while (world.engine().explain().find("\"waiting_ns\"") == std::string::npos) std::this_thread::yield();
}

TEST(Inference, I30_a_key_held_elsewhere_is_waited_for) {
  InferenceWorld world("method f(%x: i64) { ^0: print(%x) return %x }");
  const Specialisation& key = world.specialisation("f", {"i64"});
  const auto held =
      world.engine().reserve(world.thread(), {&key, world.program().owner()}, {world.engine().world()});
  ASSERT_EQ(held.value().outcome, engine::Outcome::Reserved);
  std::atomic<bool> is_done{false};
  std::thread waiter([&] {
    gc::Thread* thread = world.engine().attach().value();
    const auto inferred = infer(*thread, world.program(), key, world.engine().world(), false);
    is_done = inferred.has_value() && !typed_method(*inferred.value()).limited;
    world.engine().detach(*thread);
  });
  const gc::SafeRegion safe(world.thread());
  until_somebody_waits(world);
  EXPECT_FALSE(is_done);
  ASSERT_TRUE(world.engine()
                  .release(world.thread(), held.value().lease, nullptr)
                  .has_value());  // without result: the waiter infers
  waiter.join();
  EXPECT_TRUE(is_done);
}

TEST(Inference, I39_policy_refuse_gives_a_limited_result) {
  engine::EngineOptions options;
  options.cycle_policy = BERTH_CYCLE_REFUSE;
  InferenceWorld world(ring(2) + "method m(%x: i64) { ^0: %r = call r0(%x) return %r }", options);
  const Specialisation &r0 = world.specialisation("r0", {"i64"}), &r1 = world.specialisation("r1", {"i64"});
  const auto held =
      world.engine().reserve(world.thread(), {&r1, world.program().owner()}, {world.engine().world()});
  std::atomic<bool> is_right{false};
  std::thread other([&] {  // takes r0, waits for r1
    gc::Thread* thread = world.engine().attach().value();
    const auto inferred = infer(*thread, world.program(), r0, world.engine().world(), false);
    is_right = inferred.has_value() && !typed_method(*inferred.value()).limited;
    world.engine().detach(*thread);
  });
  {
    const gc::SafeRegion safe(world.thread());
    until_somebody_waits(world);
  }
  // To wait for r0 would close the ring: m is typed without it, and says so.
  const auto limited = world.infer("m", {"i64"});
  EXPECT_TRUE(typed_method(*limited).limited);
  EXPECT_EQ(typed_method(*limited).result->name, "any");
  EXPECT_EQ(counters(world.program()).limited, 1u);
  ASSERT_TRUE(world.engine().release(world.thread(), held.value().lease, nullptr).has_value());
  {
    const gc::SafeRegion safe(world.thread());
    other.join();
  }
  EXPECT_TRUE(is_right);
  EXPECT_EQ(world.result("m", {"i64"}), "i64");  // I38: asked for as a root it is replaced
}

TEST(Inference, I51_definitions_lose_no_edge) {
  constexpr int kCallers = 24, kDefinitions = 30;
  std::string text;
  for (int i = 0; i < kCallers; ++i)
    text += "method c" + std::to_string(i) + "() { ^0: %r = call leaf() print(%r) return %r }\n";
  InferenceWorld world("method leaf() { ^0: return -1 }\n" + text);
  std::vector<const Specialisation*> keys;
  for (int i = 0; i < kCallers; ++i) keys.push_back(&world.specialisation("c" + std::to_string(i), {}));
  std::atomic<bool> goes_on{true};
  std::thread definer([&] {
    gc::Thread* thread = world.engine().attach().value();
    for (int i = 0; i < kDefinitions; ++i) {
      const auto defined = world.program().define(
          thread, "berth-ir 1\nmethod leaf() { ^0: return " + std::to_string(i) + " }", "<test>");
      EXPECT_TRUE(defined.has_value());
    }
    goes_on = false;
    world.engine().detach(*thread);
  });
  on_threads(world, 4, [&](gc::Thread& thread, int t) {
    std::mt19937 random(static_cast<unsigned>(t));
    while (goes_on) {
      const auto inferred = infer(thread, world.program(), *keys[random() % keys.size()], 0, false);
      EXPECT_TRUE(inferred.has_value());
    }
  });
  {
    const gc::SafeRegion safe(world.thread());
    definer.join();
  }
  const std::string last = "const " + std::to_string(kDefinitions - 1) + ":i64";
  for (const Specialisation* key : keys) {
    // What is still found for the present world saw the last definition.
    if (const auto instance = world.engine().lookup({key, world.program().owner()}, world.engine().world())) {
      EXPECT_EQ(typed_method(*instance).result->name, last);
    }
    EXPECT_EQ(typed_method(*infer(world.thread(), world.program(), *key, 0, false).value()).result->name,
              last);
  }
}

TEST(Inference, kernels_resolve_and_inline_their_calls) {
  InferenceWorld world(kPrelude);
  world.define(R"(
method twice(%x: f64) { ^0: %r = call `*`(%x, 2.0) return %r }
kernel scale(%x: buffer<f64>, %f: f64) {
^0: %i = lane 0 %n = buffer.len %x %c = call `<`(%i, %n) cond %c ^1 ^2
^1: %v = buffer.get %x %i %t = call twice(%v) %w = call `*`(%f, %t) %s = buffer.set %x %i %w return nothing
^2: return nothing }
kernel bad(%x: buffer<f64>) { ^0: %i = lane 0 %v = call twice(%i) return nothing })");
  const auto kernel = [&](const char* name, const std::vector<std::string>& arguments) {
    const Specialisation& root = world.specialisation(name, arguments);
    return infer_kernel(world.thread(), world.program(), *root.method, root.arguments,
                        world.engine().world());
  };
  const auto scale = kernel("scale", {"buffer<f64>", "f64"});
  ASSERT_TRUE(scale.has_value()) << scale.error().message();
  EXPECT_EQ(count(scale.value(), Op::Call) + count(scale.value(), Op::Invoke), 0u);
  EXPECT_EQ(count(scale.value(), Op::Mul), 2u);
  const auto bad = kernel("bad", {"buffer<f64>"});
  ASSERT_TRUE(bad.has_error());
  EXPECT_EQ(bad.error().code(), BERTH_TYPE_ERROR);
  EXPECT_NE(bad.error().message().find("twice"), std::string::npos);
}

}  // namespace
}  // namespace berth::inference
