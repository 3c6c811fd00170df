// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RandomTypes: a type interner with a small world of types, and random elements of its lattice.
#pragma once
#include <deque>
#include <random>
#include <vector>

#include "inference/ir.hpp"
#include "inference/types.hpp"

namespace berth::inference::test {

class RandomTypes {
 public:
  explicit RandomTypes(uint64_t seed) : lattice(types), random_(seed) {
    shape_ = types.add_abstract("Shape", nullptr);
    solid_ = types.add_abstract("Solid", shape_);
    for (const char* name : {"Circle", "Square"})
      add_struct(name, shape_, false, {types.kind(LeafKind::F64), types.kind(LeafKind::I64)});
    StructType* list = types.add_struct("List", nullptr, false);
    list->fields = {{"head", types.any()}, {"tail", types.intern(with_nothing(types.whole(list->leaf)))}};
    structs_.push_back(list);
    add_struct("Cube", solid_, true, {types.kind(LeafKind::F64)});
    for (const char* name : {"f", "g"}) {
      functions_.push_back({name, nullptr});
      functions_.back().leaf = types.function_leaf(functions_.back());
    }
    leaves_ = {types.leaf(LeafKind::Bool),
               types.leaf(LeafKind::I64),
               types.leaf(LeafKind::I32),
               types.leaf(LeafKind::U8),
               types.leaf(LeafKind::F64),
               types.leaf(LeafKind::F32),
               types.leaf(LeafKind::String),
               types.leaf(LeafKind::Error),
               types.array_leaf(types.kind(LeafKind::F64)),
               types.array_leaf(types.any()),
               types.tuple_leaf(1),
               types.tuple_leaf(2)};
    for (const StructType* s : structs_) leaves_.push_back(s->leaf);
    for (const Function& f : functions_) leaves_.push_back(f.leaf);
    for (const char* name : {"number", "integer", "float", "array", "tuple", "function"})
      abstracts_.push_back(types.builtin_abstract(name));
    abstracts_.push_back(shape_);
    abstracts_.push_back(solid_);
  }

  size_t below(size_t n) { return random_() % n; }
  bool one_in(size_t n) { return below(n) == 0; }

  /// Any element; partials nest until `depth` is used up.
  const Type* element(unsigned depth = 3) {
    switch (below(12)) {
      case 0: return types.bottom();
      case 1: return types.any();
      case 2:
      case 3: {
        Type type{Type::Kind::Abstract, one_in(3), {}, abstracts_[below(abstracts_.size())], nullptr, 0, {}};
        return types.intern(std::move(type));
      }
      default: break;
    }
    Type type{Type::Kind::Parts, one_in(3), {}, nullptr, nullptr, 0, {}};
    const size_t n = below(one_in(4) ? 5 : 3);
    for (size_t i = 0; i < n; ++i) {
      const Part one = part(leaves_[below(leaves_.size())], depth);
      bool is_new = true;
      for (const Part& other : type.parts) is_new = is_new && other.leaf != one.leaf;
      if (is_new) type.parts.push_back(one);
    }
    return types.intern(std::move(type));
  }

  Part part(const Leaf* leaf, unsigned depth) {
    Part out{leaf, Part::Precision::Whole, {}, {}};
    if (one_in(3)) return out;
    if (leaf->kind == LeafKind::Bool || is_number(leaf->kind) || leaf->kind == LeafKind::String) {
      out.precision = Part::Precision::Constant;
      out.constant = literal(leaf->kind);
    } else if (depth > 0 &&
               (leaf->kind == LeafKind::Tuple || (leaf->structure && !leaf->structure->is_mutable))) {
      out.precision = Part::Precision::Partial;
      const size_t n = leaf->structure ? leaf->structure->fields.size() : leaf->length;
      for (size_t i = 0; i < n; ++i) {
        const Type* field = element(depth - 1);
        out.fields.push_back(leaf->structure ? lattice.meet(field, leaf->structure->fields[i].type) : field);
      }
    }
    return out;
  }

  Literal literal(LeafKind kind) {
    Literal out;
    out.kind = kind;
    if (kind == LeafKind::String)
      out.string = types.string(one_in(2) ? "a" : "b");
    else
      out.bits = kind == LeafKind::Bool ? below(2) : below(3);
    return out;
  }

  /// The type of one random value: constants and partials all the way down.
  const Type* value(unsigned depth = 2) {
    const size_t choice = below(leaves_.size() + 1);
    if (choice == leaves_.size()) return types.nothing();
    const Leaf* leaf = leaves_[choice];
    Part out{leaf, Part::Precision::Whole, {}, {}};
    if (leaf->kind == LeafKind::Bool || is_number(leaf->kind) || leaf->kind == LeafKind::String) {
      out.precision = Part::Precision::Constant;
      out.constant = literal(leaf->kind);
    } else if (depth > 0 && leaf->kind == LeafKind::Tuple) {
      out.precision = Part::Precision::Partial;
      for (uint32_t i = 0; i < leaf->length; ++i) out.fields.push_back(value(depth - 1));
    }
    Type type{Type::Kind::Parts, false, {}, nullptr, nullptr, 0, {}};
    type.parts.push_back(std::move(out));
    return types.intern(std::move(type));
  }

  TypeInterner types;
  TypeLattice lattice;

 private:
  static Type with_nothing(const Type* type) {
    Type copy = *type;
    copy.has_nothing = true;
    return copy;
  }
  void add_struct(const char* name, const AbstractType* parent, bool is_mutable,
                  std::vector<const Type*> fields) {
    StructType* made = types.add_struct(name, parent, is_mutable);
    for (size_t i = 0; i < fields.size(); ++i) made->fields.push_back({"f" + std::to_string(i), fields[i]});
    structs_.push_back(made);
  }

  std::mt19937_64 random_;
  const AbstractType *shape_, *solid_;
  std::vector<StructType*> structs_;
  std::deque<Function> functions_;
  std::vector<const Leaf*> leaves_;
  std::vector<const AbstractType*> abstracts_;
};

}  // namespace berth::inference::test
