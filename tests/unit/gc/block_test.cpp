// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gc/block.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

namespace berth::gc {
namespace {

TEST(Block, every_size_has_the_smallest_class_that_holds_it) {
  for (size_t bytes = 1; bytes <= kLargestCell; ++bytes) {
    const unsigned index = size_class(bytes);
    ASSERT_GE(kCellBytes[index], bytes);
    ASSERT_TRUE(index == 0 || kCellBytes[index - 1] < bytes);
  }
}

TEST(Block, cells_fit_and_are_aligned) {
  for (const uint32_t bytes : kCellBytes) {
    EXPECT_EQ(bytes % 16, 0u);
    EXPECT_GE((kBlockBytes - kBlockHeaderBytes) / bytes, 4u);
  }
}

TEST(Block, runs_are_a_stack) {
  const std::unique_ptr<void, decltype(&std::free)> memory(std::aligned_alloc(kBlockBytes, kBlockBytes),
                                                           &std::free);
  auto* block = new (memory.get()) Block;
  block->cell_bytes = 32;
  block->num_cells = 100;
  EXPECT_EQ(Block::of(block->cell(99)), block);
  block->put_run(gc::Run::of(block->cells(), 3));
  block->put_run(gc::Run::of(reinterpret_cast<char*>(block->cell(50)), 1000));
  const auto second = block->take_run();
  EXPECT_EQ(second.first(), reinterpret_cast<char*>(block->cell(50)));
  EXPECT_EQ(second.count(), 1000u);
  const auto first = block->take_run();
  EXPECT_EQ(first.first(), block->cells());
  EXPECT_EQ(first.count(), 3u);
  EXPECT_FALSE(block->runs);
}

}  // namespace
}  // namespace berth::gc
