// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state table of CodeInstance that needs no engine: claims, references, generations.
#include "engine/code_instance.hpp"

#include <gtest/gtest.h>

namespace berth::engine {
namespace {

struct RecordingRecycler final : Recycler {
  void unreferenced(CodeInstance&) noexcept override { ++count; }
  int count = 0;
};

uint64_t word_of(uint64_t generation, InstanceState state, bool leased) {
  return (generation << CodeInstance::kGenerationShift) | static_cast<uint64_t>(state) |
         (leased ? CodeInstance::kLeased : 0);
}

TEST(CodeInstance, a_lease_is_claimed_once_and_by_its_generation) {
  CodeInstance instance;
  instance.word = word_of(7, InstanceState::Reserved, true);
  EXPECT_FALSE(claim_lease(instance, 6, false));
  EXPECT_TRUE(claim_lease(instance, 7, false));
  EXPECT_EQ(instance.state(), InstanceState::Rejected);
  EXPECT_FALSE(claim_lease(instance, 7, false));
}

TEST(CodeInstance, claiming_for_a_result_keeps_the_state) {
  for (const InstanceState state :
       {InstanceState::Reserved, InstanceState::Fulfilled, InstanceState::Callable, InstanceState::Failed}) {
    CodeInstance instance;
    instance.word = word_of(1, state, true);
    EXPECT_TRUE(claim_lease(instance, 1, true));
    EXPECT_EQ(instance.state(), state);
  }
}

TEST(CodeInstance, sharing_a_token_counts_its_lease) {
  RecordingRecycler recycler;
  CodeInstance instance;
  instance.recycler = &recycler;
  EXPECT_FALSE(try_retain(instance));  // an unlocked reader gets no token
  intrusive_ptr_add_ref(&instance);
  EXPECT_EQ(instance.references, 2u);
  intrusive_ptr_release(&instance);
  EXPECT_EQ(recycler.count, 0);
  intrusive_ptr_release(&instance);
  EXPECT_EQ(recycler.count, 1);
}

TEST(CodeInstance, linked_states) {
  for (int i = 0; i <= static_cast<int>(InstanceState::Retired); ++i) {
    const auto state = static_cast<InstanceState>(i);
    const bool linked = state == InstanceState::Fulfilled || state == InstanceState::Compiling ||
                        state == InstanceState::Callable || state == InstanceState::Failed;
    EXPECT_EQ(CodeInstance::is_linked(word_of(3, state, false)), linked);
  }
}

}  // namespace
}  // namespace berth::engine
