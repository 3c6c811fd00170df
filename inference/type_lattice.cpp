// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TypeLattice: order, join and meet of Types. All are structural recursions over at most 4 parts, 2 levels
// deep.
#include <algorithm>

#include "inference/types.hpp"

namespace berth::inference {
namespace {

using Kind = Type::Kind;
using Precision = Part::Precision;

bool is_under(const AbstractType* below, const AbstractType* above) noexcept {
  while (below && below->depth > above->depth) below = below->parent;
  return below == above;
}

const AbstractType* common_ancestor(const AbstractType* a, const AbstractType* b) noexcept {
  while (a != b) {
    if (a->depth >= b->depth)
      a = a->parent;
    else
      b = b->parent;
  }
  return a;
}

const Part* part_of(const Type& type, const Leaf* leaf) noexcept {
  for (const Part& part : type.parts) {
    if (part.leaf == leaf) return &part;
  }
  return nullptr;
}

bool has_nothing(const Type& type) noexcept { return type.has_nothing || type.is_any(); }

Type empty_parts(bool with_nothing) { return {Kind::Parts, with_nothing, {}, nullptr, nullptr, 0, {}}; }

}  // namespace

bool TypeLattice::is_subtype(const Type* a, const Type* b) const {
  if (a == b || a->is_bottom() || b->is_any()) return true;
  if (b->is_bottom() || a->is_any() || (a->has_nothing && !b->has_nothing)) return false;
  if (a->kind == Kind::Abstract) return b->kind == Kind::Abstract && is_under(a->abstract, b->abstract);
  const auto part_is_under = [&](const Part& part) {
    if (b->kind == Kind::Abstract) return is_under(part.leaf->parent, b->abstract);
    const Part* other = part_of(*b, part.leaf);
    if (!other) return false;
    if (other->precision == Precision::Whole) return true;
    if (part.precision != other->precision) return false;
    if (part.precision == Precision::Constant) return part.constant == other->constant;
    for (size_t i = 0; i < part.fields.size(); ++i) {
      if (!is_subtype(part.fields[i], other->fields[i])) return false;
    }
    return true;
  };
  return std::all_of(a->parts.begin(), a->parts.end(), part_is_under);
}

const Type* TypeLattice::join(const Type* a, const Type* b) {
  if (is_subtype(a, b)) return b;
  if (is_subtype(b, a)) return a;
  const bool with_nothing = a->has_nothing || b->has_nothing;
  if (a->kind == Kind::Parts && b->kind == Kind::Parts) {
    Type joined = *a;
    joined.has_nothing = with_nothing;
    for (const Part& part : b->parts) {
      const auto place = std::find_if(joined.parts.begin(), joined.parts.end(),
                                      [&](const Part& p) { return p.leaf == part.leaf; });
      if (place == joined.parts.end()) {
        joined.parts.push_back(part);
      } else if (place->precision == Precision::Partial && part.precision == Precision::Partial) {
        for (size_t i = 0; i < part.fields.size(); ++i)
          place->fields[i] = join(place->fields[i], part.fields[i]);
      } else if (!(*place == part)) {
        *place = {part.leaf, Precision::Whole, {}, {}};
      }
    }
    return interner_.intern(std::move(joined));  // more than four leaves: their common ancestor
  }
  const AbstractType* ancestor = nullptr;
  for (const Type* type : {a, b}) {
    if (type->abstract) ancestor = ancestor ? common_ancestor(ancestor, type->abstract) : type->abstract;
    for (const Part& part : type->parts)
      ancestor = ancestor ? common_ancestor(ancestor, part.leaf->parent) : part.leaf->parent;
  }
  return interner_.intern({Kind::Abstract, with_nothing, {}, ancestor, nullptr, 0, {}});
}

const Type* TypeLattice::meet(const Type* a, const Type* b) {
  if (is_subtype(a, b)) return a;
  if (is_subtype(b, a)) return b;
  Type met = empty_parts(a->has_nothing && b->has_nothing);
  if (a->kind == Kind::Abstract && b->kind == Kind::Abstract) {
    const bool a_below = is_under(a->abstract, b->abstract);
    if (a_below || is_under(b->abstract, a->abstract)) {
      met.kind = Kind::Abstract;
      met.abstract = a_below ? a->abstract : b->abstract;
    }
    return interner_.intern(std::move(met));
  }
  if (a->kind == Kind::Abstract) std::swap(a, b);
  for (const Part& part : a->parts) {
    if (b->kind == Kind::Abstract) {
      if (is_under(part.leaf->parent, b->abstract)) met.parts.push_back(part);
      continue;
    }
    const Part* other = part_of(*b, part.leaf);
    if (!other) continue;
    if (part.precision == Precision::Whole) {
      met.parts.push_back(*other);
    } else if (other->precision == Precision::Whole || part == *other) {
      met.parts.push_back(part);
    } else if (part.precision == Precision::Partial && other->precision == Precision::Partial) {
      Part both = part;
      for (size_t i = 0; i < both.fields.size(); ++i) both.fields[i] = meet(part.fields[i], other->fields[i]);
      met.parts.push_back(std::move(both));  // dropped by intern if a field is bottom
    }
  }
  return interner_.intern(std::move(met));
}

bool TypeLattice::overlaps(const Type* a, const Type* b) const {
  if (a->is_bottom() || b->is_bottom()) return false;
  if (a->is_any() || b->is_any() || (has_nothing(*a) && has_nothing(*b))) return true;
  if (a->kind == Kind::Abstract && b->kind == Kind::Abstract) {
    return is_under(a->abstract, b->abstract) || is_under(b->abstract, a->abstract);
  }
  if (a->kind == Kind::Abstract) std::swap(a, b);
  return std::any_of(a->parts.begin(), a->parts.end(), [&](const Part& part) {
    if (b->kind == Kind::Abstract) return is_under(part.leaf->parent, b->abstract);
    const Part* other = part_of(*b, part.leaf);
    if (!other) return false;
    if (part.precision == Precision::Whole || other->precision == Precision::Whole) return true;
    if (part.precision != Precision::Partial || other->precision != Precision::Partial) return part == *other;
    for (size_t i = 0; i < part.fields.size(); ++i) {
      if (!overlaps(part.fields[i], other->fields[i])) return false;
    }
    return true;
  });
}

bool TypeLattice::leaf_is_under(const Leaf* leaf, const Type* type) const {
  return is_subtype(leaf->whole, type);
}

const Type* TypeLattice::widen(const Type* type, unsigned depth) {
  if (type->kind != Kind::Parts) return type;
  const auto is_narrow = [](const Part& part) {
    return part.precision != Precision::Whole && part.leaf->kind != LeafKind::Function;
  };
  if (std::none_of(type->parts.begin(), type->parts.end(), is_narrow)) return type;
  Type wide = *type;
  for (Part& part : wide.parts) {
    if (!is_narrow(part)) continue;
    if (part.leaf->kind == LeafKind::Tuple && depth > 1) {
      for (const Type*& item : part.fields) item = widen(item, depth - 1);
    } else {
      part = {part.leaf, Precision::Whole, {}, {}};
    }
  }
  return interner_.intern(std::move(wide));
}

const Type* TypeLattice::subtract(const Type* type, const Type* removed) {
  if (is_subtype(type, removed)) return interner_.bottom();
  if (type->is_any()) return type;
  Type rest = *type;
  rest.has_nothing = type->has_nothing && !has_nothing(*removed);
  if (type->kind == Kind::Abstract) {
    // The abstract part is gone if `removed` holds all of it.
    if (removed->kind == Kind::Abstract && is_under(type->abstract, removed->abstract)) {
      return interner_.intern(empty_parts(rest.has_nothing));
    }
    return interner_.intern(std::move(rest));
  }
  std::vector<Part> kept;
  for (Part part : type->parts) {
    Type only = empty_parts(false);
    only.parts.push_back(part);
    const Type* alone =
        type->parts.size() == 1 && !type->has_nothing ? type : interner_.intern(std::move(only));
    if (is_subtype(alone, removed)) continue;
    const Part* other = removed->kind == Kind::Parts ? part_of(*removed, part.leaf) : nullptr;
    if (other && part.leaf->kind == LeafKind::Bool && part.precision == Precision::Whole) {
      part.precision = Precision::Constant;  // a bool that is not one is the other
      part.constant.kind = LeafKind::Bool;
      part.constant.bits = !other->constant.bits;
    }
    kept.push_back(std::move(part));
  }
  rest.parts = std::move(kept);
  return interner_.intern(std::move(rest));
}

}  // namespace berth::inference
