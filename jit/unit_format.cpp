// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/unit_format.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Support/CRC.h>
#include <llvm/Support/Compression.h>
#include <llvm/Support/Error.h>

#include <cstring>

#include "jit/byte_stream.hpp"
#include "support/mutant.hpp"

namespace berth::jit {
namespace {

constexpr char kMagic[8] = {'b', 'e', 'r', 't', 'h', 'o', 'b', 'j'};
constexpr uint32_t kMostKeys = 4096;
constexpr uint64_t kLargestPayload = uint64_t{1} << 30;
constexpr size_t kCompressFrom = 256 * 1024;  // smaller ones are read much faster than they are decompressed

struct Header {
  char magic[8];
  uint32_t num_keys, header_crc, payload_crc, zero;
  uint64_t stored_bytes, payload_bytes;
  uint8_t environment[32];
};
static_assert(sizeof(Header) == 72 && std::has_unique_object_representations_v<Header>);

llvm::ArrayRef<uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

uint32_t crc_of(std::string_view text) { return llvm::crc32(as_bytes(text)); }

// With its own CRC taken as 0.
uint32_t header_crc(std::string_view header_and_keys) {
  Header header;
  std::memcpy(&header, header_and_keys.data(), sizeof header);
  header.header_crc = 0;
  const uint32_t crc = crc_of({reinterpret_cast<const char*>(&header), sizeof header});
  return llvm::crc32(crc, as_bytes(header_and_keys.substr(sizeof header)));
}

Error corrupt(std::string_view found) {
  return make_error(BERTH_CORRUPT, "reading a cached object", found, "delete the file");
}

}  // namespace

std::string encode_unit(const StoredUnit& unit, const CacheKey& environment) {
  const std::vector<CacheKey>& keys = unit.keys;
  ByteWriter writer;
  write_unit(writer, unit.unit);
  const std::optional<ObjectImage> image = ObjectImage::of(unit.unit.object, unit.unit.symbols());
  writer.number(image.has_value());
  if (image) write_image(writer, *image);
  const std::string written = writer.take();
  std::string_view payload = written;
  llvm::SmallVector<uint8_t, 0> compressed;
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.num_keys = static_cast<uint32_t>(keys.size());
  header.payload_bytes = payload.size();
  if (payload.size() >= kCompressFrom && llvm::compression::zstd::isAvailable()) {
    llvm::compression::zstd::compress(as_bytes(payload), compressed, 1);
    if (compressed.size() < payload.size())
      payload = {reinterpret_cast<const char*>(compressed.data()), compressed.size()};
  }
  header.stored_bytes = payload.size();
  header.payload_crc = crc_of(payload);
  std::memcpy(header.environment, environment.bytes.data(), sizeof header.environment);
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  for (const CacheKey& key : keys)
    bytes.append(reinterpret_cast<const char*>(key.bytes.data()), key.bytes.size());
  header.header_crc = header_crc(bytes);
  std::memcpy(bytes.data(), &header, sizeof header);
  bytes += payload;
  return bytes;
}

Result<StoredUnit> decode_unit(std::string_view bytes, const CacheKey& environment) {
  const bool no_crc = mutant::is_on("J76_no_crc");
  Header header;
  if (bytes.size() < sizeof header) return corrupt("it is shorter than a header");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0)
    return corrupt("it does not begin as a cached object does");
  if (header.num_keys == 0 || header.num_keys > kMostKeys || header.payload_bytes > kLargestPayload)
    return corrupt("its header is damaged");
  const size_t before = sizeof header + header.num_keys * sizeof(CacheKey);
  if (bytes.size() < before || bytes.size() - before != header.stored_bytes)
    return corrupt("it has another length than it says");
  if (!no_crc && header_crc(bytes.substr(0, before)) != header.header_crc)
    return corrupt("its header is damaged");
  if (std::memcmp(header.environment, environment.bytes.data(), sizeof header.environment) != 0) {
    return corrupt("it was made for another processor, LLVM or build of Berth");
  }
  std::string_view payload = bytes.substr(before);
  if (!no_crc && crc_of(payload) != header.payload_crc) return corrupt("its payload is damaged");
  llvm::SmallVector<uint8_t, 0> decompressed;
  if (header.stored_bytes != header.payload_bytes) {
    if (!llvm::compression::zstd::isAvailable())
      return corrupt("it is compressed, and this LLVM has no zstd");
    if (auto failed =
            llvm::compression::zstd::decompress(as_bytes(payload), decompressed, header.payload_bytes)) {
      return corrupt(llvm::toString(std::move(failed)));
    }
    payload = {reinterpret_cast<const char*>(decompressed.data()), decompressed.size()};
    if (payload.size() != header.payload_bytes) return corrupt("its payload has another length than it says");
  }
  StoredUnit stored;
  stored.keys.resize(header.num_keys);
  std::memcpy(stored.keys.data(), bytes.data() + sizeof header, header.num_keys * sizeof(CacheKey));
  ByteReader reader(payload);
  bool is_right = read_unit(reader, stored.unit) && stored.unit.members.size() == stored.keys.size();
  if (reader.number(1) != 0) {
    is_right = read_image(reader, stored.image.emplace()) &&
               stored.image->symbols.size() == stored.unit.symbols().size() && is_right;
  }
  if (!is_right || !reader.is_whole()) return corrupt("its payload is damaged");
  return stored;
}

}  // namespace berth::jit
