// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/object_unit.hpp"

#include "jit/byte_stream.hpp"

namespace berth::jit {
namespace {

std::string read_string(ByteReader& from) { return std::string(from.text()); }

void write_slot(ByteWriter& to, const EdgeSlot& slot) {
  to.text(slot.symbol);
  to.number(slot.edge);
  to.number(slot.references.size());
  for (const int32_t reference : slot.references) to.number(static_cast<uint32_t>(reference));
}

EdgeSlot read_slot(ByteReader& from) {
  EdgeSlot slot;
  slot.symbol = read_string(from);
  slot.edge = static_cast<size_t>(from.number());
  for (size_t left = from.count(); left != 0 && !from.has_failed(); --left) {
    slot.references.push_back(static_cast<int32_t>(static_cast<uint32_t>(from.number(UINT32_MAX))));
  }
  return slot;
}

}  // namespace

void write_member(ByteWriter& to, const ObjectMember& member) {
  to.text(member.entry);
  to.text(member.specialised_entry);
  to.number(member.convention);
  to.number(member.slots.size());
  for (const EdgeSlot& slot : member.slots) write_slot(to, slot);
  to.text(member.counter.unit_symbol);
  to.text(member.counter.count_symbol);
  to.number(member.counter.better_symbols.size());
  for (const std::string& better : member.counter.better_symbols) to.text(better);
  to.text(member.addresses_symbol);
  to.number(member.num_addresses);
  to.text(member.osr_symbol);
  to.number(member.num_osr);
}

ObjectMember read_member(ByteReader& from) {
  ObjectMember member;
  member.entry = read_string(from);
  member.specialised_entry = read_string(from);
  member.convention = static_cast<uint32_t>(from.number(UINT32_MAX));
  for (size_t left = from.count(); left != 0 && !from.has_failed(); --left)
    member.slots.push_back(read_slot(from));
  member.counter.unit_symbol = read_string(from);
  member.counter.count_symbol = read_string(from);
  for (size_t left = from.count(); left != 0 && !from.has_failed(); --left)
    member.counter.better_symbols.push_back(read_string(from));
  member.addresses_symbol = read_string(from);
  member.num_addresses = from.number();
  member.osr_symbol = read_string(from);
  member.num_osr = from.number();
  return member;
}

std::vector<std::string> ObjectMember::symbols() const {
  std::vector<std::string> all = {entry};
  if (!specialised_entry.empty()) all.push_back(specialised_entry);
  for (const EdgeSlot& slot : slots) all.push_back(slot.symbol);
  if (!addresses_symbol.empty()) all.push_back(addresses_symbol);
  if (!osr_symbol.empty()) all.push_back(osr_symbol);
  if (!counter.unit_symbol.empty()) {
    all.insert(all.end(), {counter.unit_symbol, counter.count_symbol});
    all.insert(all.end(), counter.better_symbols.begin(), counter.better_symbols.end());
  }
  return all;
}

std::vector<std::string> ObjectUnit::symbols() const {
  std::vector<std::string> all;
  for (const ObjectMember& member : members) {
    for (std::string& symbol : member.symbols()) all.push_back(std::move(symbol));
  }
  return all;
}

void write_unit(ByteWriter& to, const ObjectUnit& unit) {
  to.number(unit.tier);
  to.number(unit.members.size());
  for (const ObjectMember& member : unit.members) write_member(to, member);
  to.text(unit.object);
}

bool read_unit(ByteReader& from, ObjectUnit& unit) {
  unit.tier = static_cast<berth_tier_t>(from.number(BERTH_TIER_ADAPTIVE));
  for (size_t left = from.count(); left != 0 && !from.has_failed(); --left)
    unit.members.push_back(read_member(from));
  unit.object = from.text();
  return !from.has_failed();
}

}  // namespace berth::jit
