// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unit files and their keys: what was written is read, what was damaged is refused; each part of a key
// counts.
#include "jit/unit_format.hpp"

#include <gtest/gtest.h>

#include <set>

#include "jit/byte_stream.hpp"

namespace berth::jit {
namespace {

CacheKey key(int n) {
  CacheKey key;
  key.bytes.fill(static_cast<uint8_t>(n));
  return key;
}

ObjectUnit unit_example(size_t object_bytes) {
  ObjectUnit unit;
  unit.tier = BERTH_TIER_OPTIMIZED;
  unit.members.resize(2);
  unit.members[0].entry = "f";
  unit.members[0].slots = {{"slot.g", 3, {-16, 8}}};
  unit.members[1].entry = "boxed";
  unit.members[1].specialised_entry = "specialised";
  unit.members[1].counter = {"unit", "count", {"better", "best"}};
  unit.members[1].addresses_symbol = "addresses";
  unit.members[1].num_addresses = 7;
  for (size_t i = 0; i < object_bytes; ++i) unit.object += static_cast<char>(i * i >> 3);
  return unit;
}
StoredUnit example(size_t object_bytes = 300) { return {{key(1), key(2)}, unit_example(object_bytes), {}}; }

TEST(UnitFormat, is_read_as_it_was_written) {
  for (const size_t object_bytes : {size_t{0}, size_t{300}, size_t{300'000}}) {
    const std::string bytes = encode_unit(example(object_bytes), key(9));
    EXPECT_LT(bytes.size(), object_bytes < 1000 ? 1000 : object_bytes) << "large ones are compressed";
    auto stored = decode_unit(bytes, key(9));
    ASSERT_TRUE(stored.has_value());
    const StoredUnit& unit = stored.assume_value();
    EXPECT_EQ(unit.keys, (std::vector<CacheKey>{key(1), key(2)}));
    EXPECT_EQ(unit.unit.object, unit_example(object_bytes).object);
    EXPECT_EQ(unit.unit.tier, BERTH_TIER_OPTIMIZED);
    ASSERT_EQ(unit.unit.members.size(), 2u);
    EXPECT_EQ(unit.unit.members[0].slots[0].references, (std::vector<int32_t>{-16, 8}));
    EXPECT_EQ(unit.unit.members[1].num_addresses, 7u);
  }
}

TEST(UnitFormat, J76_every_flipped_byte_is_refused) {
  for (const size_t object_bytes : {size_t{300}, size_t{5'000}}) {
    const std::string bytes = encode_unit(example(object_bytes), key(9));
    for (size_t at = 0; at < bytes.size(); ++at) {
      for (const int bits : {1, 0x80, 0xff}) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ bits);
        const auto stored = decode_unit(damaged, key(9));
        ASSERT_TRUE(stored.has_error()) << "byte " << at << " of " << bytes.size() << ", bits " << bits;
        ASSERT_EQ(stored.assume_error().code(), BERTH_CORRUPT);
      }
    }
  }
}

TEST(UnitFormat, J76_every_cut_length_is_refused) {
  const std::string bytes = encode_unit(example(), key(9));
  for (size_t length = 0; length < bytes.size(); ++length) {
    // In memory of exactly that size: a sanitizer sees what is read beyond.
    const std::vector<char> cut(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(length));
    ASSERT_TRUE(decode_unit({cut.data(), cut.size()}, key(9)).has_error()) << length;
  }
  ASSERT_TRUE(decode_unit(bytes + '\0', key(9)).has_error());
}

TEST(UnitFormat, J75_a_unit_of_another_environment_is_refused) {
  const auto stored = decode_unit(encode_unit(example(), key(9)), key(8));
  ASSERT_TRUE(stored.has_error());
  EXPECT_NE(stored.assume_error().message().find("another processor"), std::string::npos);
}

// An image as one is made of an object, by hand: linked ones are in JitCache.
ObjectImage image_example() {
  ObjectImage image;
  image.parts[SlabMemory::kText] = {64, 16, std::string(48, '\x90')};
  image.parts[SlabMemory::kData] = {16, 8, std::string(8, '\0')};
  image.externals = {"sin"};
  image.fixups = {
      {ObjectImage::FixupKind::Relative32, {SlabMemory::kText, 4}, {SlabMemory::kData, 8}, -4},
      {ObjectImage::FixupKind::Absolute64, {SlabMemory::kData, 0}, {ObjectImage::kExternal, 0}, 3}};
  image.symbols = {{SlabMemory::kText, 0}};
  image.unwind = ObjectImage::Place{SlabMemory::kText, 32};
  return image;
}
std::string bytes_of(const ObjectImage& image) {
  ByteWriter writer;
  write_image(writer, image);
  return writer.take();
}

TEST(ObjectImage, is_read_as_it_was_written) {
  const std::string bytes = bytes_of(image_example());
  ByteReader reader(bytes);
  ObjectImage image;
  ASSERT_TRUE(read_image(reader, image));
  EXPECT_TRUE(reader.is_whole());
  EXPECT_EQ(bytes_of(image), bytes);
}

TEST(ObjectImage, J76_nothing_that_is_read_lies_outside) {
  const std::string bytes = bytes_of(image_example());
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const int bits : {1, 0x10, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ bits);
      ByteReader reader(damaged);
      ObjectImage image;
      if (!read_image(reader, image)) continue;
      const auto is_inside = [&](const ObjectImage::Place& place, size_t size) {
        return place.part < SlabMemory::kKinds && place.offset + size <= image.parts[place.part].bytes;
      };
      for (const ObjectImage::Part& part : image.parts) ASSERT_LE(part.content.size(), part.bytes) << at;
      for (const ObjectImage::Fixup& fixup : image.fixups) {
        ASSERT_TRUE(is_inside(fixup.at, ObjectImage::width(fixup.kind))) << at;
        ASSERT_TRUE(is_inside(fixup.target, 0) || (fixup.target.part == ObjectImage::kExternal &&
                                                   fixup.target.offset < image.externals.size()))
            << at;
      }
      for (const ObjectImage::Place& place : image.symbols) ASSERT_TRUE(is_inside(place, 0)) << at;
    }
  }
  for (size_t length = 0; length < bytes.size(); ++length) {
    ByteReader reader(std::string_view(bytes).substr(0, length));
    ObjectImage image;
    ASSERT_FALSE(read_image(reader, image) && reader.is_whole()) << length;
  }
}

TEST(ObjectImage, there_is_none_of_what_is_no_object) { EXPECT_FALSE(ObjectImage::of("no object", {"f"})); }

// Keys

CacheEnvironment environment() {
  return {"1",     "build", "22.1",  "x86_64", "cpu",   "+sse",
          "e-m:e", "O2",    "small", "strict", "polls", "checked"};
}
CacheSource source() {
  CacheSource source;
  source.bytes = "define";
  source.entry = "f";
  source.edges = {"g", "h"};
  source.owner = "owner";
  return source;
}

TEST(CacheKey, J75_each_part_gives_another_key) {
  std::vector<CacheKey> keys;
  const auto with_environment = [&](std::string CacheEnvironment::* part) {
    CacheEnvironment changed = environment();
    changed.*part += "x";
    keys.push_back(source().key(changed.digest()));
  };
  const auto with_source = [&](auto&& change) {
    CacheSource changed = source();
    change(changed);
    keys.push_back(changed.key(environment().digest()));
  };
  using E = CacheEnvironment;
  for (const auto part : {&E::format, &E::engine, &E::llvm, &E::triple, &E::cpu, &E::features, &E::layout,
                          &E::pipeline, &E::code_model, &E::floats, &E::polls, &E::bounds}) {
    with_environment(part);
  }
  static_assert(sizeof(CacheEnvironment) == 12 * sizeof(std::string), "a new part: flip it above");
  with_source([](CacheSource& s) { s.kind = engine::BodyKind::TypedIr; });
  with_source([](CacheSource& s) { s.bytes = "definf"; });
  with_source([](CacheSource& s) { s.entry = "e"; });
  with_source([](CacheSource& s) { s.edges = {"g"}; });
  with_source([](CacheSource& s) { s.edges = {"gh", ""}; });
  with_source([](CacheSource& s) { s.edges = {"h", "g"}; });
  with_source([](CacheSource& s) { s.tier = BERTH_TIER_OPTIMIZED; });
  with_source([](CacheSource& s) { s.counted = true; });
  with_source([](CacheSource& s) { s.owner = ""; });
  with_source([](CacheSource& s) { s.bytes = "definef", s.entry = ""; });  // no part runs into the next
  const CacheKey same = source().key(environment().digest());
  EXPECT_EQ(std::set<CacheKey>(keys.begin(), keys.end()).size(), keys.size());
  EXPECT_EQ(std::count(keys.begin(), keys.end(), same), 0);
  EXPECT_EQ(source().key(environment().digest()), same);
}

TEST(CacheKey, has_a_name_and_a_number) {
  EXPECT_EQ(key(0xab).name(), std::string(64, 'a').replace(1, 63, [] {
    std::string text;
    for (int i = 0; i < 63; ++i) text += i % 2 ? 'a' : 'b';
    return text;
  }()));
  EXPECT_GE(key(0xff).number(), 0);
  EXPECT_NE(key(1).number(), key(2).number());
}

}  // namespace
}  // namespace berth::jit
