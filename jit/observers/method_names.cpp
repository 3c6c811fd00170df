// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/observers/method_names.hpp"

#include <algorithm>
#include <map>

#include "jit/compile_error.hpp"

namespace berth::jit {
namespace {

bool is_of(const ObjectMember& member, const std::string& symbol) {
  return symbol == member.entry || symbol == member.specialised_entry;
}

void sort_functions(LoadedUnit& loaded) {
  const auto place = [](const LoadedUnit::Function& function) { return function.address; };
  std::ranges::sort(loaded.functions, {}, place);
  const auto same = std::ranges::unique(loaded.functions, {}, place);
  loaded.functions.erase(same.begin(), same.end());
}

template <class Wanted>
LoadedUnit copy_functions(const LoadedUnit& loaded, Wanted&& wanted) {
  LoadedUnit part;
  std::ranges::copy_if(loaded.functions, std::back_inserter(part.functions), wanted);
  if (part.functions.empty()) return part;
  part.sections = loaded.sections;
  sort_functions(part);
  part.text = part.functions.front().address;
  part.text_bytes =
      static_cast<size_t>(part.functions.back().address - part.text) + part.functions.back().bytes;
  return part;
}

}  // namespace

void name_methods(LoadedUnit& loaded, std::span<const CompileRequest> requests,
                  std::span<const ObjectMember> members) {
  std::map<std::string, std::string, std::less<>> labels;
  for (size_t i = 0; i < requests.size(); ++i) {
    const std::string label = one_line(requests[i].job.label);
    if (label.empty()) continue;
    const bool is_typed = !members[i].specialised_entry.empty();
    labels[members[i].entry] = is_typed ? label + " (boxed)" : label;
    if (is_typed) labels[members[i].specialised_entry] = label;
  }
  for (LoadedUnit::Function& function : loaded.functions) {
    if (const auto label = labels.find(function.name); label != labels.end()) function.name = label->second;
  }
  sort_functions(loaded);
}

LoadedUnit part_of(const LoadedUnit& loaded, const CompileRequest& request, const ObjectMember& member) {
  LoadedUnit part = copy_functions(
      loaded, [&](const LoadedUnit::Function& function) { return is_of(member, function.name); });
  name_methods(part, {&request, 1}, {&member, 1});
  return part;
}

LoadedUnit shared_part(const LoadedUnit& loaded, std::span<const ObjectMember> members) {
  return copy_functions(loaded, [&](const LoadedUnit::Function& function) {
    return std::ranges::none_of(members,
                                [&](const ObjectMember& member) { return is_of(member, function.name); });
  });
}

}  // namespace berth::jit
