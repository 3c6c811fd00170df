// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types: leaves, the tree of abstract types, and lattice elements (Type). All are interned: equal means same
// address.
//
// A Type is bottom; or at most 4 parts (leaf or tuple length, each constant, partial or whole); or everything
// under one abstract type; or any; the middle two with an optional `nothing` that does not count. A declared
// type is a Type. The set of Types is closed under intersection, so meet is intersection and join the least
// Type above both.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::gc {
struct Type;
}

namespace berth::inference {

struct Function;
struct Leaf;
struct StructType;
struct Type;

enum class LeafKind : uint8_t {
  Nothing,
  Bool,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F32,
  F64,
  String,
  TypeValue,
  Error,
  Task,
  Function,
  Struct,
  Array,
  Buffer,
  Channel,
  Tuple
};
constexpr bool is_integer(LeafKind kind) { return kind >= LeafKind::I8 && kind <= LeafKind::U64; }
constexpr bool is_signed(LeafKind kind) { return kind >= LeafKind::I8 && kind <= LeafKind::I64; }
constexpr bool is_float(LeafKind kind) { return kind == LeafKind::F32 || kind == LeafKind::F64; }
constexpr bool is_number(LeafKind kind) { return is_integer(kind) || is_float(kind); }
/// Bytes of a bool or number as array element or unboxed value; 0 for all else.
unsigned bytes_of(LeafKind kind) noexcept;
const char* name_of(LeafKind kind) noexcept;  // "i64"; for compound kinds the bare word ("array")

/// Built-in ones: any (root), number, integer, float, array, buffer, channel, tuple, function; then the
/// program's.
struct AbstractType {
  std::string name;
  const AbstractType* parent;  // null: any
  uint32_t depth;
};

/// A run-time type. Tuple leaves are one per length; item types live in partials.
struct Leaf {
  LeafKind kind = LeafKind::Nothing;
  const AbstractType* parent = nullptr;
  const StructType* structure = nullptr;  // Struct
  const Function* function = nullptr;     // Function: one leaf per function, which has one value
  const Type* element = nullptr;          // Array, Buffer, Channel: invariant
  uint32_t length = 0;                    // Tuple
  uint32_t id = 0;                        // order of first interning; only for hashing, never for results
  std::string name;                       // canonical text: "array<f64>", "Circle"
  const Type* whole = nullptr;            // the Type of all its values
  const gc::Type* layout = nullptr;       // filled by the runtime at definition; null for unboxed-only kinds
};

struct Field {
  std::string name;
  const Type* type;
};

struct StructType {
  std::string name;
  const AbstractType* parent;
  bool is_mutable;
  std::vector<Field> fields;
  const Leaf* leaf = nullptr;
  int field_index(std::string_view name) const noexcept;  // -1: none
};

/// A value known at compile time. Compared by `same`: bits of numbers, contents of strings.
struct Literal {
  LeafKind kind = LeafKind::Nothing;    // Nothing, Bool, numbers, String, TypeValue, Function
  uint64_t bits = 0;                    // numbers sign- or zero-extended, f32 in the low half, bool 0 or 1
  const std::string* string = nullptr;  // interned by the TypeInterner
  const Type* type = nullptr;           // TypeValue
  const Function* function = nullptr;   // Function
  friend bool operator==(const Literal&, const Literal&) = default;
};

struct Part {
  enum class Precision : uint8_t { Constant, Partial, Whole };
  const Leaf* leaf;
  Precision precision = Precision::Whole;
  Literal constant;                 // Constant
  std::vector<const Type*> fields;  // Partial: first 8 fields of an immutable struct, or all items of a tuple
  friend bool operator==(const Part&, const Part&) = default;
};

struct Type {
  enum class Kind : uint8_t { Bottom, Parts, Abstract, Any };
  Kind kind;
  bool has_nothing = false;  // Parts and Abstract. {nothing} alone: Parts without parts, has_nothing
  std::vector<Part> parts;   // sorted by leaf name: canonical
  const AbstractType* abstract = nullptr;
  const Leaf* only_leaf = nullptr;  // set by the interner: the one leaf of all values
  uint32_t id = 0;
  std::string name;  // canonical text

  bool is_bottom() const noexcept { return kind == Kind::Bottom; }
  bool is_any() const noexcept { return kind == Kind::Any; }
  /// The one leaf that all values have, or null. `nothing` has the leaf Nothing.
  const Leaf* single_leaf() const noexcept;
  /// The one value, or null.
  const Literal* constant() const noexcept;
};

/// How values of a type are passed by compiled code. Unboxed: exactly one bool or number leaf, without
/// nothing.
enum class Representation : uint8_t { None, Unboxed, Reference };
Representation representation(const Type& type) noexcept;  // None: only `nothing` or bottom

/// Makes and keeps all types of a program. Threads: any; find without lock where hot, insert under one (rank
/// 150).
class TypeInterner {
 public:
  TypeInterner();
  ~TypeInterner();

  const Type* bottom() const noexcept;
  const Type* any() const noexcept;
  const Type* nothing() const noexcept;
  const Leaf* leaf(LeafKind kind);  // simple kinds
  const Leaf* array_leaf(const Type* element);
  const Leaf* buffer_leaf(const Type* element);
  const Leaf* channel_leaf(const Type* element);
  const Leaf* tuple_leaf(uint32_t length);
  const Leaf* function_leaf(const Function& function);
  /// New nominal types. The caller has checked that the name is free in its program.
  const AbstractType* add_abstract(std::string name, const AbstractType* parent);
  StructType* add_struct(std::string name, const AbstractType* parent,
                         bool is_mutable);  // fields are set before first use
  const AbstractType* builtin_abstract(std::string_view name) const noexcept;  // null: none

  const Type* whole(const Leaf* leaf);  // nothing's leaf gives nothing()
  const Type* kind(LeafKind kind) { return whole(leaf(kind)); }
  const Type* everything_under(const AbstractType* abstract);
  const Type* tuple(std::span<const Type* const> items);
  const Type* constant(const Literal& literal);
  /// Interns any canonical element; parts in any order.
  const Type* intern(Type type);
  const std::string* string(std::string_view text);  // interned text for literals
  size_t num_types() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Order, join and meet. Pure functions of their arguments but for interning. Threads: any.
class TypeLattice {
 public:
  explicit TypeLattice(TypeInterner& interner) noexcept : interner_(interner) {}
  bool is_subtype(const Type* a, const Type* b) const;
  const Type* join(const Type* a, const Type* b);
  const Type* meet(const Type* a, const Type* b);
  bool leaf_is_under(const Leaf* leaf, const Type* type) const;  // every value of the leaf is in the type
  /// Whether a value can be in both: meet is not bottom. Interns nothing. Blocks: never.
  bool overlaps(const Type* a, const Type* b) const;
  /// Constants and partials dropped (tuple items kept as their widened types up to `depth`).
  const Type* widen(const Type* type, unsigned depth = 4);
  /// The values of `type` that are not in `removed`, or an upper bound of them.
  const Type* subtract(const Type* type, const Type* removed);
  TypeInterner& interner() noexcept { return interner_; }

 private:
  TypeInterner& interner_;
};

}  // namespace berth::inference
