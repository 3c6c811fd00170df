// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C functions of berth/gc.h.
#include "berth/gc.h"

#include <gtest/gtest.h>

#include "tests/support/gc_world.hpp"

namespace berth {
namespace {

using namespace test;

class GcApi : public testing::Test {
 protected:
  berth_thread_t* thread() { return reinterpret_cast<berth_thread_t*>(&*self); }
  berth_engine_t* engine() { return reinterpret_cast<berth_engine_t*>(&world.collector); }
  void expect(berth_error_t* error, berth_code_t code) {
    ASSERT_NE(error, nullptr);
    EXPECT_EQ(error->code, code) << error->message;
    berth_error_delete(error);
  }
  berth_gc_type_t* pair() {
    static const uint32_t offsets[] = {8, 16};
    berth_gc_type_options_t options{};
    options.struct_size = sizeof options;
    options.name = "pair";
    options.bytes = 24;
    options.reference_offsets = offsets;
    options.reference_count = 2;
    berth_gc_type_t* type = nullptr;
    EXPECT_EQ(berth_gc_type_new(engine(), &options, &type), nullptr);
    return type;
  }
  void* make(const berth_gc_type_t* type) {
    void* object = nullptr;
    EXPECT_EQ(berth_gc_allocate(thread(), type, 0, &object), nullptr);
    return object;
  }
  static void** field(void* object, size_t offset) {
    return reinterpret_cast<void**>(static_cast<char*>(object) + offset);
  }

  GcWorld world;
  AttachedThread self{world.collector};
};

TEST_F(GcApi, objects_live_through_roots_handles_and_fields) {
  berth_gc_type_t* type = pair();
  void* first = make(type);
  berth_gc_root_t* root = nullptr;
  ASSERT_EQ(berth_gc_root_new(thread(), first, &root), nullptr);
  void* second = make(type);
  berth_gc_write(thread(), first, field(first, 8), second);
  const size_t scope = berth_gc_scope_open(thread());
  void** handle = nullptr;
  ASSERT_EQ(berth_gc_scope_handle(thread(), make(type), &handle), nullptr);
  make(type);  // garbage
  berth_gc_collect(thread());
  EXPECT_EQ(world.heap().num_objects(), 3u);
  EXPECT_EQ(berth_gc_root_get(root), first);
  EXPECT_EQ(*field(first, 8), second);
  berth_gc_scope_close(thread(), scope);
  berth_gc_collect(thread());
  EXPECT_EQ(world.heap().num_objects(), 2u);
  berth_gc_root_set(root, second);
  berth_gc_collect(thread());
  EXPECT_EQ(world.heap().num_objects(), 1u);
  berth_gc_root_delete(root);
  berth_gc_root_delete(nullptr);
  berth_gc_collect(thread());
  EXPECT_EQ(world.heap().num_objects(), 0u);
}

TEST_F(GcApi, weak_references_and_finalizers) {
  void* object = make(pair());
  berth_gc_weak_t* weak = nullptr;
  ASSERT_EQ(berth_gc_weak_new(thread(), object, &weak), nullptr);
  EXPECT_EQ(berth_gc_weak_get(thread(), weak), object);
  void* finalized = nullptr;
  berth_gc_add_finalizer(thread(), object, [](void* o, void* c) { *static_cast<void**>(c) = o; }, &finalized);
  berth_gc_inhibit_finalizers(thread(), 1);
  berth_gc_collect(thread());
  EXPECT_EQ(berth_gc_weak_get(thread(), weak), nullptr);
  EXPECT_EQ(finalized, nullptr);
  berth_gc_inhibit_finalizers(thread(), -1);
  EXPECT_EQ(finalized, nullptr);
  self->safepoint();
  EXPECT_EQ(finalized, object);
  berth_gc_weak_delete(weak);
  berth_gc_weak_delete(nullptr);
}

TEST_F(GcApi, bad_types_are_errors) {
  berth_gc_type_options_t options{};
  options.struct_size = sizeof options;
  berth_gc_type_t* type = nullptr;
  options.bytes = 4;
  expect(berth_gc_type_new(engine(), &options, &type), BERTH_INVALID_ARGUMENT);
  options.bytes = 16;
  const uint32_t outside = 16, unaligned = 12, header = 0;
  options.reference_count = 1;
  for (const uint32_t* offset : {&outside, &unaligned, &header}) {
    options.reference_offsets = offset;
    expect(berth_gc_type_new(engine(), &options, &type), BERTH_INVALID_ARGUMENT);
  }
  options.reference_count = 0;
  options.elements_are_references = 1;
  options.element_bytes = 4;
  expect(berth_gc_type_new(engine(), &options, &type), BERTH_INVALID_ARGUMENT);
  options.struct_size = 8;
  expect(berth_gc_type_new(engine(), &options, &type), BERTH_INVALID_ARGUMENT);
  expect(berth_gc_type_new(engine(), nullptr, &type), BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(type, nullptr);
}

TEST_F(GcApi, allocation_of_too_much_is_an_error) {
  berth_gc_type_options_t options{};
  options.struct_size = sizeof options;
  options.name = "bytes";
  options.bytes = 16;
  options.element_bytes = 1;
  berth_gc_type_t* type = nullptr;
  ASSERT_EQ(berth_gc_type_new(engine(), &options, &type), nullptr);
  void* object = nullptr;
  expect(berth_gc_allocate(thread(), type, SIZE_MAX / 2, &object), BERTH_OUT_OF_MEMORY);
  EXPECT_EQ(object, nullptr);
  expect(berth_gc_allocate(thread(), nullptr, 1, &object), BERTH_INVALID_ARGUMENT);
}

using GcApiDeathTest = GcApi;

TEST_F(GcApiDeathTest, G9_heap_functions_trap_in_a_safe_region) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  berth_gc_type_t* type = pair();
  void* object = make(type);
  const gc::SafeRegion region(*self);
  void* out = nullptr;
  void** handle = nullptr;
  EXPECT_DEATH(berth_gc_allocate(thread(), type, 0, &out), "not unsafe");
  EXPECT_DEATH(berth_gc_scope_handle(thread(), object, &handle), "not unsafe");
  EXPECT_DEATH(berth_gc_write(thread(), object, field(object, 8), nullptr), "not unsafe");
  EXPECT_DEATH(berth_gc_collect(thread()), "not unsafe");
}

}  // namespace
}  // namespace berth
