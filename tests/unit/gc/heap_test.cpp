// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gc/heap.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "gc/block.hpp"
#include "tests/support/gc_world.hpp"

namespace berth {
namespace {

using namespace test;
using gc::Object;

TEST(Heap, objects_are_zeroed_and_carry_type_and_length) {
  GcWorld world;
  AttachedThread self(world.collector);
  for (int round = 0; round < 3; ++round) {
    for (const size_t length : {size_t{0}, size_t{1}, size_t{100}, size_t{5000}, size_t{100000}}) {
      Object* object = world.heap().allocate(*self, world.bytes, length);
      ASSERT_NE(object, nullptr);
      EXPECT_EQ(object->type(), world.bytes);
      EXPECT_EQ(object->length(), length);
      for (size_t i = 0; i < length; ++i) ASSERT_EQ(object->elements()[i], 0);
      std::memset(object->elements(), 0xff, length);
    }
    world.collector.collect(*self);  // the next round gets the same memory
  }
}

TEST(Heap, elements_of_large_arrays_lie_at_cache_lines) {
  GcWorld world;
  AttachedThread self(world.collector);
  for (size_t length = gc::kLargestCell; length < 1'000'000; length += 7919) {
    Object* object = world.heap().allocate(*self, world.bytes, length);
    ASSERT_NE(object, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(object->elements()) % 64, 0u) << length;
  }
}

TEST(Heap, objects_do_not_overlap_in_any_class) {
  GcWorld world;
  AttachedThread self(world.collector);
  gc::Rooted<1> kept(*self);
  constexpr size_t kObjects = 3000;
  kept[0] = world.heap().allocate(*self, world.array, kObjects);
  std::mt19937 random(7);
  for (int round = 0; round < 3; ++round) {
    for (size_t i = 0; i < kObjects; ++i) {
      const size_t length = random() % (i % 10 == 0 ? 12000 : 300);
      Object* object = world.heap().allocate(*self, world.bytes, length);
      std::memset(object->elements(), static_cast<int>(i % 251), length);
      if (random() % 3) set(kept[0], element(kept[0], i), object);
    }
    for (size_t i = 0; i < kObjects; ++i) {
      const Object* object = element(kept[0], i);
      for (size_t k = 0; object && k < object->length(); ++k)
        ASSERT_EQ(static_cast<uint8_t>(object->elements()[k]), i % 251);
    }
  }
}

TEST(Heap, collection_starts_by_growth) {
  const Watchdog watchdog{30s};
  GcWorld world;
  AttachedThread self(world.collector);
  for (int i = 0; i < 1000000; ++i) ASSERT_NE(world.heap().allocate(*self, world.node), nullptr);
  EXPECT_GE(world.collector.num_collections(), 5u);  // 32 MB by 4 MiB
  EXPECT_LE(world.heap().live_bytes(), 8u * 1024 * 1024);
}

TEST(Heap, a_trace_function_is_used_beside_the_map) {
  GcWorld world;
  gc::Type type;
  type.name = "hidden";
  type.bytes = 24;
  type.reference_offsets = {8};
  type.trace = [](Object* object, gc::SlotVisitor& visitor) {
    visitor.visit(reinterpret_cast<Object**>(object->at(16)));
  };
  const gc::Type* hidden = world.heap().add_type(type);
  AttachedThread self(world.collector);
  gc::Rooted<1> kept(*self);
  kept[0] = world.heap().allocate(*self, hidden);
  set(kept[0], left(kept[0]), world.heap().allocate(*self, world.leaf));
  set(kept[0], right(kept[0]), world.heap().allocate(*self, world.leaf));
  world.collector.collect(*self);
  EXPECT_EQ(world.heap().num_objects(), 3u);
}

TEST(Heap, references_in_the_fixed_part_and_in_elements) {
  GcWorld world;
  gc::Type type;
  type.name = "both";  // 8: length, 16: a number, 24: reference, 32: elements
  type.bytes = 32;
  type.reference_offsets = {24};
  type.element_bytes = 8;
  type.elements_are_references = true;
  const gc::Type* both = world.heap().add_type(type);
  AttachedThread self(world.collector);
  gc::Rooted<1> kept(*self);
  kept[0] = world.heap().allocate(*self, both, 3);
  kept[0]->word(16) = 12345;
  set(kept[0], *reinterpret_cast<Object**>(kept[0]->at(24)), world.heap().allocate(*self, world.leaf));
  set(kept[0], *reinterpret_cast<Object**>(kept[0]->at(32 + 16)), world.heap().allocate(*self, world.leaf));
  world.collector.collect(*self);
  EXPECT_EQ(world.heap().num_objects(), 3u);
  EXPECT_EQ(kept[0]->word(16), 12345u);
}

TEST(Heap, native_finalize_runs_once_safe_and_after_the_object_died) {
  static int runs = 0;
  static bool was_safe = false;
  static gc::Thread* current = nullptr;
  runs = 0;
  {
    GcWorld world;
    gc::Type type;
    type.name = "native";
    type.bytes = 16;
    type.finalize = [](Object* object) {
      EXPECT_EQ(object->word(8), 9u);
      ++runs;
      was_safe = current && current->state.load() == gc::State::Safe;
    };
    const gc::Type* native = world.heap().add_type(type);
    AttachedThread self(world.collector);
    current = &*self;
    gc::Rooted<1> kept(*self);
    kept[0] = world.heap().allocate(*self, native);
    kept[0]->word(8) = 9;
    world.heap().allocate(*self, native)->word(8) = 9;
    world.collector.collect(*self);
    EXPECT_EQ(runs, 1);
    EXPECT_TRUE(was_safe);
    world.collector.collect(*self);
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(world.heap().num_objects(), 1u);  // its memory is free one collection later
    current = nullptr;
  }
  EXPECT_EQ(runs, 2);  // the rest when the heap ends
}

TEST(Heap, permanent_objects_live_and_are_never_counted) {
  GcWorld world;
  AttachedThread self(world.collector);
  Object* object = world.heap().allocate_permanent(world.bytes, 10);
  EXPECT_EQ(object->length(), 10u);
  EXPECT_TRUE(world.heap().is_live(object));
  world.collector.collect(*self);
  EXPECT_EQ(world.heap().num_objects(), 0u);
  EXPECT_EQ(object->type(), world.bytes);
}

TEST(Heap, empty_blocks_serve_other_classes) {
  const Watchdog watchdog{30s};
  gc::CollectorOptions options;
  options.heap_limit_bytes = 16 * 1024 * 1024;
  GcWorld world(options);
  AttachedThread self(world.collector);
  for (int round = 0; round < 20; ++round) {
    const size_t length = static_cast<size_t>(round) * 37 + 1;
    for (int i = 0; i < 20000; ++i) {
      Object* object = world.heap().allocate(*self, world.bytes, length);
      ASSERT_NE(object, nullptr);
      ASSERT_EQ(object->elements()[0], 0);
      object->elements()[0] = 1;
    }
  }
}

TEST(Heap, threads_share_partly_used_blocks) {
  GcWorld world;
  AttachedThread self(world.collector);
  gc::Rooted<1> kept(*self);
  kept[0] = world.heap().allocate(*self, world.array, 200);
  for (size_t i = 0; i < 200; ++i) {
    const gc::SafeRegion region(*self);
    std::thread([&] {
      AttachedThread other(world.collector);
      Object* object = world.heap().allocate(*other, world.leaf);
      object->word(8) = i;
      set(kept[0], element(kept[0], i), object);
    }).join();
  }
  for (size_t i = 0; i < 200; ++i) ASSERT_EQ(element(kept[0], i)->word(8), i);
  // One block of the class, not one per thread.
  EXPECT_EQ(gc::Block::of(element(kept[0], 0)), gc::Block::of(element(kept[0], 199)));
}

TEST(Heap, many_threads_allocate_and_collect) {
  const Watchdog watchdog{60s};
  gc::CollectorOptions options;
  options.mark_threads = 2;
  GcWorld world(options);
  std::vector<std::thread> threads;
  for (uint64_t id = 0; id < 4; ++id) {
    threads.emplace_back([&, id] {
      AttachedThread self(world.collector);
      std::mt19937_64 random(id);
      gc::Rooted<2> kept(*self);
      kept[0] = world.heap().allocate(*self, world.array, 100);
      for (int n = 0; n < 60000; ++n) {
        Object* node = world.heap().allocate(*self, world.node);
        node->word(24) = id << 32 | static_cast<uint64_t>(n);
        kept[1] = node;
        const size_t at = random() % 100;
        if (random() % 2) set(node, left(node), element(kept[0], random() % 100));
        if (random() % 8 == 0) set(node, left(node), nullptr);
        set(kept[0], element(kept[0], at), node);
        if (n % 20000 == 0) world.collector.collect(*self);
        Object* check = element(kept[0], random() % 100);
        ASSERT_TRUE(!check || check->word(24) >> 32 == id);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_TRUE(world.collector.is_idle());
}

}  // namespace
}  // namespace berth
