// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gc/handle.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace berth::gc {
namespace {

struct Counting final : SlotVisitor {
  std::vector<Object**> slots;
  void visit(Object** slot) override { slots.push_back(slot); }
};

TEST(HandleBlock, scopes_close_last_in_first_out_over_blocks) {
  Agent agent{"test"};
  std::vector<size_t> marks;
  std::vector<Object**> handles;
  for (uintptr_t i = 0; i < 3 * HandleBlock::kSlots; ++i) {
    marks.push_back(HandleBlock::mark(agent));
    handles.push_back(HandleBlock::add(agent, reinterpret_cast<Object*>(i)));
  }
  EXPECT_EQ(HandleBlock::mark(agent), handles.size());
  for (uintptr_t i = 0; i < handles.size(); ++i)
    ASSERT_EQ(*handles[i], reinterpret_cast<Object*>(i));  // addresses are stable
  for (size_t i = marks.size(); i-- > 0;) {
    ASSERT_TRUE(HandleBlock::close(agent, marks[i]));
    ASSERT_EQ(HandleBlock::mark(agent), i);
    Counting counting;
    HandleBlock::visit(agent, counting);
    ASSERT_EQ(counting.slots.size(), i);
  }
  EXPECT_EQ(agent.handles, nullptr);
}

TEST(HandleBlock, closing_above_what_is_open_is_refused) {
  Agent agent{"test"};
  HandleBlock::add(agent, nullptr);
  EXPECT_FALSE(HandleBlock::close(agent, 2));
  EXPECT_EQ(HandleBlock::mark(agent), 1u);
}

}  // namespace
}  // namespace berth::gc
