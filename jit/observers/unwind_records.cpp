// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads what LLVM writes for x86-64 and AArch64: 32-bit records, places relative to themselves in 32 bits
// (augmentation "zR", "zPLR").
#include "jit/observers/unwind_records.hpp"

#include <cstring>
#include <optional>

namespace berth::jit {
namespace {

constexpr uint8_t kPcRelative32 = 0x1b, kAbsolute32 = 0x03, kDataRelative32 = 0x3b;  // DW_EH_PE encodings
constexpr size_t kPlaceOffset = 8;  // of the function's start in its record

uint32_t read32(const std::string& bytes, size_t at) {
  uint32_t value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}
void write32(std::string& bytes, size_t at, int64_t value) {
  const auto narrow = static_cast<int32_t>(value);
  std::memcpy(bytes.data() + at, &narrow, sizeof narrow);
}
size_t round_up8(size_t value) { return (value + 7) / 8 * 8; }

UnwindRecords records_of(const LoadedUnit::Function& function, const std::string& common, std::string own) {
  const size_t distance = round_up8(function.bytes);  // from the code to the records, in perf's file
  UnwindRecords records;
  records.bytes = common;
  const size_t own_at = records.bytes.size();
  write32(own, 4, static_cast<int64_t>(own_at) + 4);  // back to the common record
  write32(own, kPlaceOffset, -static_cast<int64_t>(distance + own_at + kPlaceOffset));
  records.bytes += own;
  records.bytes.append(4, '\0');
  records.bytes.resize(round_up8(records.bytes.size()), '\0');
  const auto header_at = static_cast<int64_t>(records.bytes.size());
  std::string header(20, '\0');  // version, encodings; place of the records; a table of one
  header[0] = 1;
  header[1] = kPcRelative32;
  header[2] = kAbsolute32;
  header[3] = kDataRelative32;
  write32(header, 4, -(header_at + 4));
  write32(header, 8, 1);
  write32(header, 12, -(static_cast<int64_t>(distance) + header_at));
  write32(header, 16, static_cast<int64_t>(own_at) - header_at);
  records.header_bytes = header.size();
  records.bytes += header;
  return records;
}

/// Whether a common record says that places are relative to themselves.
bool is_readable(const std::string& common) {
  const char* const augmentation = common.data() + 9;  // length, id, version
  const size_t letters = strnlen(augmentation, common.size() - 9);
  size_t at = 9 + letters + 1;
  const auto skip_number = [&] {
    while (at < common.size() && (common[at++] & 0x80)) {}
  };
  if (*augmentation != 'z') return false;
  for (int i = 0; i < 4; ++i) skip_number();  // alignments, return register, size of what follows
  for (size_t i = 1; i < letters && at < common.size(); ++i) {
    switch (augmentation[i]) {
      case 'R': return static_cast<uint8_t>(common[at]) == kPcRelative32;
      case 'P': at += (common[at] & 0x0f) == 0x0b || (common[at] & 0x0f) == 0x03 ? 5 : 9; break;
      case 'L': ++at; break;
      case 'S':
      case 'B': break;
      default: return false;
    }
  }
  return false;
}

}  // namespace

std::map<uint64_t, UnwindRecords> unwind_records(const LoadedUnit& unit) {
  std::map<uint64_t, UnwindRecords> found;
  const LoadedUnit::Section* const section = unit.section(".eh_frame");
  if (!section) return found;
  std::map<uint64_t, const LoadedUnit::Function*> functions;
  for (const LoadedUnit::Function& function : unit.functions)
    functions[reinterpret_cast<uint64_t>(function.address)] = &function;
  const std::string& bytes = section->bytes;
  for (size_t at = 0; at + 12 <= bytes.size();) {
    const size_t length = read32(bytes, at);
    const size_t end = at + 4 + length;
    if (length < 8 || end > bytes.size()) break;  // the end, or 64-bit records
    const uint32_t back = read32(bytes, at + 4);
    if (back != 0 && back <= at + 4) {  // not a common record
      const size_t common_at = at + 4 - back;
      const size_t common_end = common_at + 4 + read32(bytes, common_at);
      const uint64_t place = section->address + at + kPlaceOffset +
                             static_cast<int64_t>(static_cast<int32_t>(read32(bytes, at + kPlaceOffset)));
      const auto function = functions.find(place);
      if (function != functions.end() && common_end <= at && common_end - common_at > 12) {
        const std::string common = bytes.substr(common_at, common_end - common_at);
        if (is_readable(common))
          found[place] = records_of(*function->second, common, bytes.substr(at, end - at));
      }
    }
    at = end;
  }
  return found;
}

}  // namespace berth::jit
