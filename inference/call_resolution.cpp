// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/call_resolution.hpp"

#include <algorithm>

#include "inference/method_table.hpp"
#include "inference/program.hpp"

namespace berth::inference {
namespace {

using Arguments = std::vector<const Type*>;

/// The members of a union as types of their own; anything else is its only member.
Arguments members(TypeInterner& types, const Type* type) {
  if (type->kind != Type::Kind::Parts || type->parts.size() + type->has_nothing < 2) return {type};
  Arguments out;
  for (const Part& part : type->parts) {
    Type alone{Type::Kind::Parts, false, {}, nullptr, nullptr, 0, {}};
    alone.parts.push_back(part);
    out.push_back(types.intern(std::move(alone)));
  }
  if (type->has_nothing) out.push_back(types.nothing());
  return out;
}

/// The cases of the union arguments, or the arguments themselves if there are too many.
std::vector<Arguments> split(TypeInterner& types, const Arguments& arguments) {
  std::vector<Arguments> cases{{}};
  for (const Type* argument : arguments) {
    const Arguments alternatives = members(types, argument);
    if (cases.size() * alternatives.size() > kMaxSplits) return {arguments};
    std::vector<Arguments> longer;
    for (const Arguments& one : cases) {
      for (const Type* alternative : alternatives) {
        longer.push_back(one);
        longer.back().push_back(alternative);
      }
    }
    cases = std::move(longer);
  }
  return cases;
}

}  // namespace

std::vector<const Type*> specialised_arguments(Program& program, const Method& method,
                                               std::span<const Type* const> arguments) {
  std::vector<const Type*> out(arguments.begin(), arguments.end());
  for (size_t i = 0; i < out.size(); ++i) {
    TypeLattice& lattice = program.lattice();
    out[i] = lattice.widen(lattice.meet(out[i], method.signature[i]));
  }
  return out;
}

ResolvedCall resolve_call(Program& program, const Type* function, std::span<const Type* const> arguments,
                          uint64_t world) {
  ResolvedCall call;
  call.arguments.assign(arguments.begin(), arguments.end());
  const Literal* constant = function->constant();
  if (!constant || constant->kind != LeafKind::Function) {
    call.is_open = true;
    return call;
  }
  call.function = constant->function;
  struct Reached {
    const Method* method;
    Arguments arguments;
  };
  std::vector<Reached> reached;
  call.covers = true;
  for (const Arguments& one : split(program.types(), call.arguments)) {
    const Dispatch found = program.methods().find(*call.function, one, world);
    call.since = found.since;
    call.covers = call.covers && found.covers;
    for (const Method* method : found.methods) {
      const auto known =
          std::find_if(reached.begin(), reached.end(), [&](const Reached& r) { return r.method == method; });
      if (known == reached.end()) {
        reached.push_back({method, one});
      } else {
        for (size_t i = 0; i < one.size(); ++i)
          known->arguments[i] = program.lattice().join(known->arguments[i], one[i]);
      }
    }
  }
  if (reached.size() > kMaxCandidates) {
    call.is_open = true;
    return call;
  }
  for (const Reached& r : reached) {
    call.candidates.push_back(
        program.specialise(*r.method, specialised_arguments(program, *r.method, r.arguments)));
  }
  return call;
}

}  // namespace berth::inference
