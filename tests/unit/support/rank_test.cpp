// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/rank.hpp"

#include <gtest/gtest.h>

#include "support/sync.hpp"

namespace berth {
namespace {

TEST(Rank, upwards_is_allowed_and_unlocking_out_of_order_too) {
  sync::Mutex low{Rank{310, "low"}}, high{Rank{320, "high"}};
  sync::Lock first(low);
  sync::Lock second(high);
  first.unlock();
  second.unlock();
  first.lock();
  SUCCEED();
}

TEST(RankDeathTest, downwards_dies_with_both_names) {
  sync::Mutex low{Rank{310, "shard"}}, high{Rank{320, "graph"}};
  EXPECT_DEATH(
      {
        sync::Lock a(high);
        sync::Lock b(low);
      },
      "'shard' \\(rank 310\\) taken while 'graph' \\(rank 320\\)");
}

TEST(RankDeathTest, two_of_one_rank_die) {
  sync::Mutex one{Rank{310, "one"}}, two{Rank{310, "two"}};
  EXPECT_DEATH(
      {
        sync::Lock a(one);
        sync::Lock b(two);
      },
      "'two'.*'one'");
}

TEST(RankDeathTest, check_names_the_held_lock) {
  sync::Mutex shard{Rank{310, "shard"}};
  EXPECT_DEATH(
      {
        sync::Lock a(shard);
        rank::check_none_held(300, 399, "a poll");
      },
      "a poll while lock 'shard'");
}

TEST(Rank, check_passes_outside_the_range) {
  sync::Mutex leaf{Rank{500, "leaf"}};
  const sync::Lock lock(leaf);
  rank::check_none_held(300, 399, "a poll");
}

}  // namespace
}  // namespace berth
