// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ObjectUnit as bytes: what was written is read, and what was cut or changed is refused or harmless.
#include "jit/object_unit.hpp"

#include <gtest/gtest.h>

#include "jit/byte_stream.hpp"

namespace berth::jit {
namespace {

ObjectUnit example() {
  ObjectUnit unit;
  unit.tier = BERTH_TIER_OPTIMIZED;
  unit.members.resize(2);
  unit.members[0].entry = "f";
  unit.members[0].slots = {{"slot.g", 3, {-16, 8}}, {"slot.h", 0, {}}};
  unit.members[1].entry = "boxed";
  unit.members[1].specialised_entry = "specialised";
  unit.members[1].convention = 0xfedcba98;
  unit.members[1].counter = {"unit", "count", {"better", "best"}};
  unit.members[1].addresses_symbol = "addresses";
  unit.members[1].num_addresses = 7;
  unit.object = std::string("\0object\xff", 8);
  return unit;
}

std::string bytes_of(const ObjectUnit& unit) {
  ByteWriter writer;
  write_unit(writer, unit);
  return writer.take();
}

TEST(ObjectUnit, is_read_as_it_was_written) {
  const std::string bytes = bytes_of(example());
  ByteReader reader(bytes);
  ObjectUnit unit;
  ASSERT_TRUE(read_unit(reader, unit));
  EXPECT_TRUE(reader.is_whole());
  EXPECT_EQ(bytes_of(unit), bytes);
  ASSERT_EQ(unit.members.size(), 2u);
  EXPECT_EQ(unit.members[0].slots[0].references, (std::vector<int32_t>{-16, 8}));
  EXPECT_EQ(unit.members[0].slots[0].edge, 3u);
  EXPECT_EQ(unit.members[1].symbols(), example().members[1].symbols());
  EXPECT_EQ(unit.members[1].num_addresses, 7u);
  EXPECT_EQ(unit.object, example().object);
}

TEST(ObjectUnit, every_cut_is_refused) {
  const std::string bytes = bytes_of(example());
  for (size_t length = 0; length < bytes.size(); ++length) {
    ByteReader reader(std::string_view(bytes).substr(0, length));
    ObjectUnit unit;
    ASSERT_FALSE(read_unit(reader, unit)) << length;
  }
}

TEST(ObjectUnit, no_changed_byte_makes_the_reader_leave_its_bytes) {
  const std::string bytes = bytes_of(example());
  int refused = 0;
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const int bit : {0, 7}) {
      // In memory of exactly that size: a sanitizer sees what is read beyond.
      const auto changed = std::make_unique<char[]>(bytes.size());
      std::copy(bytes.begin(), bytes.end(), changed.get());
      changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
      ByteReader reader({changed.get(), bytes.size()});
      ObjectUnit unit;
      refused += !read_unit(reader, unit) || !reader.is_whole();
    }
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace berth::jit
