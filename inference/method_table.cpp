// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/method_table.hpp"

#include <algorithm>
#include <deque>
#include <functional>

#include "inference/back_edges.hpp"
#include "inference/intern_table.hpp"
#include "inference/types.hpp"
#include "support/sync.hpp"

namespace berth::inference {
namespace {

constexpr Rank kRankMethodTable{152, "method table"};
using Signature = std::vector<const Type*>;

/// The methods of one function from `world` on, in order of definition.
struct Methods {
  uint64_t world = 0;
  std::vector<const Method*> list;
  const Methods* previous = nullptr;  // of older worlds
};

struct FunctionMethods {
  const Function* function = nullptr;
  // Release when a definition is published, acquire by look-ups: the list behind it is complete.
  std::atomic<const Methods*> newest{nullptr};
};

}  // namespace

struct MethodTable::Version {
  struct Change {
    FunctionMethods* function;
    std::unique_ptr<Methods> methods;
  };
  std::vector<Change> changes;
  std::vector<Method*> added;
  std::unique_ptr<Version> next;  // published ones are kept: nothing is freed under the world lock
};

struct MethodTable::Impl {
  mutable sync::Mutex mutex{kRankMethodTable};
  std::deque<FunctionMethods> functions;
  InternTable<FunctionMethods> table;
  std::unique_ptr<Version> published;
  BackEdges back_edges;

  explicit Impl(TypeLattice& lattice) : back_edges(lattice) {}
  ~Impl() {
    // Iteratively: a chain of 10^5 definitions must not recurse.
    while (published) published = std::move(published->next);
  }
  static size_t hash(const Function& function) { return mix(0, std::hash<const Function*>()(&function)); }
  FunctionMethods* find(const Function& function) const {
    return table.find(hash(function),
                      [&](const FunctionMethods& other) { return other.function == &function; });
  }
  FunctionMethods* intern(const Function& function) {
    if (FunctionMethods* found = find(function)) return found;
    sync::Lock lock(mutex);
    if (FunctionMethods* found = find(function)) return found;
    functions.emplace_back().function = &function;
    table.insert(hash(function), &functions.back());
    return &functions.back();
  }
  const Methods* at(const Function& function, uint64_t world) const {
    const FunctionMethods* found = find(function);
    const Methods* methods = found ? found->newest.load(std::memory_order_acquire) : nullptr;
    while (methods && methods->world > world) methods = methods->previous;
    return methods;
  }
};

MethodTable::MethodTable(TypeLattice& lattice) : lattice_(lattice), impl_(std::make_unique<Impl>(lattice)) {}
MethodTable::~MethodTable() = default;
BackEdges& MethodTable::back_edges() noexcept { return impl_->back_edges; }

MethodTable::VersionPtr MethodTable::prepare(std::span<Method* const> added, uint64_t world) {
  VersionPtr version(new Version);
  version->added.assign(added.begin(), added.end());
  for (Method* method : added) {
    FunctionMethods* function = impl_->intern(*method->function);
    auto change = std::find_if(version->changes.begin(), version->changes.end(),
                               [&](const Version::Change& other) { return other.function == function; });
    if (change == version->changes.end()) {
      auto methods = std::make_unique<Methods>();
      methods->previous = function->newest.load(std::memory_order_acquire);
      if (methods->previous) methods->list = methods->previous->list;
      methods->world = world;
      change = version->changes.insert(version->changes.end(), {function, std::move(methods)});
    }
    std::vector<const Method*>& list = change->methods->list;
    const auto old = std::find_if(list.begin(), list.end(),
                                  [&](const Method* other) { return other->signature == method->signature; });
    if (old != list.end())
      *old = method;
    else
      list.push_back(method);
  }
  return version;
}

void MethodTable::publish(VersionPtr version, uint64_t world) noexcept {
  for (Method* method : version->added) method->min_world = world;
  for (Version::Change& change : version->changes) {
    change.methods->world = world;
    change.function->newest.store(change.methods.get(), std::memory_order_release);
  }
  version->next = std::move(impl_->published);
  impl_->published.reset(version.release());
}

void MethodTable::DeleteVersion::operator()(Version* version) const noexcept { delete version; }

Dispatch MethodTable::find(const Function& function, std::span<const Type* const> arguments,
                           uint64_t world) const {
  Dispatch dispatch;
  const Methods* methods = impl_->at(function, world);
  if (!methods) return dispatch;
  dispatch.since = methods->world;
  const auto may_apply = [&](const Method& method) {
    if (method.signature.size() != arguments.size()) return false;
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (!lattice_.overlaps(arguments[i], method.signature[i])) return false;
    }
    return true;
  };
  std::vector<const Method*> possible;
  for (const Method* method : methods->list) {
    if (may_apply(*method)) possible.push_back(method);
  }
  const auto is_under = [&](const Signature& a, const Signature& b) {
    for (size_t i = 0; i < a.size(); ++i) {
      if (!lattice_.is_subtype(a[i], b[i])) return false;
    }
    return true;
  };
  const auto both = [&](std::span<const Type* const> a, const Signature& b) {
    Signature met(a.begin(), a.end());
    for (size_t i = 0; i < met.size(); ++i) met[i] = lattice_.meet(met[i], b[i]);
    return met;
  };
  const auto has_values = [](const Signature& types) {
    return std::none_of(types.begin(), types.end(), [](const Type* type) { return type->is_bottom(); });
  };
  // More specific before less specific, else as defined: a topological order, since "under" is partial.
  const auto order = [&](std::vector<const Method*>& list) {
    for (size_t i = 0; i + 1 < list.size(); ++i) {
      const auto first = std::find_if(list.begin() + i, list.end(), [&](const Method* a) {
        return std::none_of(list.begin() + i, list.end(),
                            [&](const Method* b) { return b != a && is_under(b->signature, a->signature); });
      });
      std::rotate(list.begin() + i, first, first + 1);
    }
  };
  const Signature given(arguments.begin(), arguments.end());
  if (possible.size() == 1) {  // the usual case: nothing to compare
    dispatch.covers = is_under(given, possible[0]->signature);
    dispatch.methods = std::move(possible);
    return dispatch;
  }
  // A method is never selected if another one applies wherever it does and is not less specific.
  for (const Method* method : possible) {
    const Signature reached = both(arguments, method->signature);
    const bool is_hidden = std::any_of(possible.begin(), possible.end(), [&](const Method* other) {
      return other != method && is_under(reached, other->signature) &&
             !is_under(method->signature, other->signature);
    });
    if (!is_hidden) dispatch.methods.push_back(method);
    dispatch.covers = dispatch.covers || is_under(given, method->signature);
  }
  // A pair that overlaps in the arguments is ambiguous unless one method under both applies to all of the
  // overlap.
  for (size_t i = 0; i < possible.size() && !dispatch.ambiguous[0]; ++i) {
    for (size_t j = i + 1; j < possible.size() && !dispatch.ambiguous[0]; ++j) {
      const Signature &a = possible[i]->signature, &b = possible[j]->signature;
      if (is_under(a, b) || is_under(b, a)) continue;
      const Signature overlap = both(both(arguments, a), b);
      if (!has_values(overlap)) continue;
      const bool is_resolved = std::any_of(possible.begin(), possible.end(), [&](const Method* other) {
        return is_under(other->signature, a) && is_under(other->signature, b) &&
               is_under(overlap, other->signature);
      });
      if (is_resolved) continue;
      dispatch.ambiguous[0] = possible[i];
      dispatch.ambiguous[1] = possible[j];
      dispatch.covers = false;
    }
  }
  order(dispatch.methods);
  return dispatch;
}

uint64_t MethodTable::changed(const Function& function, uint64_t world) const {
  const Methods* methods = impl_->at(function, world);
  return methods ? methods->world : 0;
}

std::vector<const Method*> MethodTable::all(const Function& function, uint64_t world) const {
  const Methods* methods = impl_->at(function, world);
  return methods ? methods->list : std::vector<const Method*>();
}

}  // namespace berth::inference
