// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Methods of a loaded unit under their labels: for a debugger, a method is called what the embedder calls it.
// Of typed IR the unboxed code bears the label, its boxed entry "LABEL (boxed)".
#pragma once
#include <span>

#include "jit/code_generator.hpp"
#include "jit/object_unit.hpp"
#include "jit/observers/loaded_unit.hpp"

namespace berth::jit {

/// `members` are the requests' sources, in their order. Sorts by address, one function for each.
void name_methods(LoadedUnit& loaded, std::span<const CompileRequest> requests,
                  std::span<const ObjectMember> members);
/// Of a unit from the cache, whose members are asked for one by one: one member, named.
LoadedUnit part_of(const LoadedUnit& loaded, const CompileRequest& request, const ObjectMember& member);
/// What is no member's own.
LoadedUnit shared_part(const LoadedUnit& loaded, std::span<const ObjectMember> members);

}  // namespace berth::jit
