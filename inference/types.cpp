// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/types.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <functional>

#include "inference/intern_table.hpp"
#include "inference/ir.hpp"
#include "support/error.hpp"
#include "support/sync.hpp"

namespace berth::inference {
namespace {

constexpr Rank kRankInterner{150, "type interner"};
constexpr size_t kMaxParts = 4;         // more leaves become their common ancestor
constexpr size_t kMaxStructFields = 8;  // fields that a partial keeps
constexpr unsigned kMaxNesting = 2;     // partials inside partials
constexpr size_t kNumKinds = static_cast<size_t>(LeafKind::Tuple) + 1;

struct KindTraits {
  const char* name;
  unsigned bytes;
};
constexpr KindTraits kKinds[kNumKinds] = {
    {"nothing", 0}, {"bool", 1},   {"i8", 1},      {"i16", 2},  {"i32", 4},      {"i64", 8},
    {"u8", 1},      {"u16", 2},    {"u32", 4},     {"u64", 8},  {"f32", 4},      {"f64", 8},
    {"string", 0},  {"type", 0},   {"error", 0},   {"task", 0}, {"function", 0}, {"struct", 0},
    {"array", 0},   {"buffer", 0}, {"channel", 0}, {"tuple", 0}};

template <class T>
size_t hash_of(const T* pointer) {
  return std::hash<const T*>()(pointer);
}

size_t hash_of(const Literal& literal) {
  size_t hash = mix(static_cast<size_t>(literal.kind), literal.bits);
  hash = mix(hash, hash_of(literal.string));
  hash = mix(hash, hash_of(literal.type));
  return mix(hash, hash_of(literal.function));
}

size_t hash_of(const Type& type) {
  size_t hash = mix(static_cast<size_t>(type.kind), type.has_nothing);
  hash = mix(hash, hash_of(type.abstract));
  for (const Part& part : type.parts) {
    hash = mix(mix(hash, hash_of(part.leaf)), static_cast<size_t>(part.precision));
    if (part.precision == Part::Precision::Constant) hash = mix(hash, hash_of(part.constant));
    for (const Type* field : part.fields) hash = mix(hash, hash_of(field));
  }
  return hash;
}

bool equal(const Type& a, const Type& b) {
  return a.kind == b.kind && a.has_nothing == b.has_nothing && a.abstract == b.abstract && a.parts == b.parts;
}

template <class Number>
std::string shortest(Number number) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, number).ptr;
  return std::string(text, end);
}

std::string text_of(const Literal& literal) {
  const auto suffix = [&] { return std::string(":") + name_of(literal.kind); };
  switch (literal.kind) {
    case LeafKind::Nothing: return "nothing";
    case LeafKind::Bool: return literal.bits ? "true" : "false";
    case LeafKind::F64: {
      const double value = __builtin_bit_cast(double, literal.bits);
      return (value != value ? "0x" +
                                   [&] {
                                     char t[20];
                                     return std::string(t, std::to_chars(t, t + 20, literal.bits, 16).ptr);
                                   }()
                             : shortest(value)) +
             suffix();
    }
    case LeafKind::F32: {
      const auto bits = static_cast<uint32_t>(literal.bits);
      const float value = __builtin_bit_cast(float, bits);
      return (value != value ? "0x" +
                                   [&] {
                                     char t[20];
                                     return std::string(t, std::to_chars(t, t + 20, bits, 16).ptr);
                                   }()
                             : shortest(value)) +
             suffix();
    }
    case LeafKind::String: return json_quote(*literal.string);
    case LeafKind::TypeValue: return "type<" + literal.type->name + ">";
    case LeafKind::Function: return literal.function->name;
    default:
      return (is_signed(literal.kind) ? shortest(static_cast<int64_t>(literal.bits))
                                      : shortest(literal.bits)) +
             suffix();
  }
}

std::string name_of(const Part& part) {
  if (part.precision == Part::Precision::Whole || part.leaf->kind == LeafKind::Function)
    return part.leaf->name;
  if (part.precision == Part::Precision::Constant) return "const " + text_of(part.constant);
  const bool is_tuple = part.leaf->kind == LeafKind::Tuple;
  std::string name = is_tuple ? "tuple<" : part.leaf->name + "{";
  for (size_t i = 0; i < part.fields.size(); ++i) name += (i ? ", " : "") + part.fields[i]->name;
  return name + (is_tuple ? ">" : "}");
}

std::string name_of(const Type& type) {
  if (type.kind == Type::Kind::Bottom) return "bottom";
  if (type.kind == Type::Kind::Any) return "any";
  std::string name;
  if (type.kind == Type::Kind::Abstract) name = type.abstract->name;
  for (const Part& part : type.parts) name += (name.empty() ? "" : " | ") + name_of(part);
  if (type.has_nothing) name += name.empty() ? "nothing" : " | nothing";
  return name;
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

/// Types of the fields that a partial of this leaf keeps, as declared.
size_t num_kept_fields(const Leaf& leaf) {
  return leaf.kind == LeafKind::Tuple ? leaf.length
                                      : std::min(kMaxStructFields, leaf.structure->fields.size());
}
const Type* declared_field(const Leaf& leaf, size_t i, const Type* any) {
  return leaf.kind == LeafKind::Tuple ? any : leaf.structure->fields[i].type;
}

}  // namespace

unsigned bytes_of(LeafKind kind) noexcept { return kKinds[static_cast<size_t>(kind)].bytes; }
const char* name_of(LeafKind kind) noexcept { return kKinds[static_cast<size_t>(kind)].name; }

int StructType::field_index(std::string_view wanted) const noexcept {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == wanted) return static_cast<int>(i);
  }
  return -1;
}

const Leaf* Type::single_leaf() const noexcept { return only_leaf; }

const Literal* Type::constant() const noexcept {
  static const Literal nothing{};
  if (kind != Kind::Parts) return nullptr;
  if (parts.empty()) return has_nothing ? &nothing : nullptr;
  if (parts.size() > 1 || has_nothing || parts[0].precision != Part::Precision::Constant) return nullptr;
  return &parts[0].constant;
}

Representation representation(const Type& type) noexcept {
  if (type.is_bottom() || (type.kind == Type::Kind::Parts && type.parts.empty())) return Representation::None;
  const Leaf* leaf = type.single_leaf();
  return leaf && bytes_of(leaf->kind) ? Representation::Unboxed : Representation::Reference;
}

struct TypeInterner::Impl {
  mutable sync::Mutex mutex{kRankInterner};
  // Written under the mutex, read through the tables without it.
  std::deque<AbstractType> abstracts;
  std::deque<StructType> structs;
  std::deque<Leaf> leaves;
  std::deque<Type> types;
  std::deque<std::string> strings;
  InternTable<const Leaf> leaf_table;
  InternTable<const Type> type_table;
  InternTable<const std::string> string_table;
  // Filled by the constructor, then constant.
  const AbstractType *root = nullptr, *number = nullptr, *integer = nullptr, *floating = nullptr,
                     *array = nullptr, *buffer = nullptr, *channel = nullptr, *tuple = nullptr,
                     *function = nullptr;
  const Type *bottom = nullptr, *any = nullptr, *nothing = nullptr;
  std::array<const Leaf*, kNumKinds> simple{};

  const Type* intern(Type type) {
    const size_t hash = hash_of(type);
    const auto same = [&](const Type& other) { return equal(type, other); };
    if (const Type* found = type_table.find(hash, same)) return found;
    type.name = name_of(type);
    sync::Lock lock(mutex);
    return insert(hash, std::move(type));
  }
  const Type* insert(size_t hash, Type type) BERTH_REQUIRES(mutex) {
    const auto same = [&](const Type& other) { return equal(type, other); };
    if (const Type* found = type_table.find(hash, same)) return found;
    if (type.kind == Type::Kind::Parts && type.parts.size() + type.has_nothing == 1) {
      type.only_leaf = type.has_nothing ? simple[0] : type.parts[0].leaf;
    }
    type.id = static_cast<uint32_t>(types.size());
    types.push_back(std::move(type));
    type_table.insert(hash, &types.back());
    return &types.back();
  }
  /// The Type of all values of a new leaf.
  const Type* insert_whole(const Leaf& leaf) BERTH_REQUIRES(mutex) {
    Type type{Type::Kind::Parts, leaf.kind == LeafKind::Nothing, {}, nullptr, nullptr, 0, {}};
    if (leaf.kind != LeafKind::Nothing) type.parts.push_back({&leaf, Part::Precision::Whole, {}, {}});
    if (leaf.kind == LeafKind::Function) {  // has one value: whole and constant are the same element
      type.parts[0].precision = Part::Precision::Constant;
      type.parts[0].constant.kind = LeafKind::Function;
      type.parts[0].constant.function = leaf.function;
    }
    type.name = name_of(type);
    const size_t hash = hash_of(type);
    return insert(hash, std::move(type));
  }
  const Leaf* add_leaf(Leaf leaf) BERTH_REQUIRES(mutex) {
    leaf.id = static_cast<uint32_t>(leaves.size());
    leaves.push_back(std::move(leaf));
    Leaf& added = leaves.back();
    if (added.kind == LeafKind::Nothing) simple[0] = &added;
    added.whole = insert_whole(added);
    return &added;
  }
  const Leaf* leaf(LeafKind kind, const AbstractType* parent, const Type* element, uint32_t length,
                   const Function* of) {
    const size_t hash = mix(mix(mix(static_cast<size_t>(kind), hash_of(element)), length), hash_of(of));
    const auto same = [&](const Leaf& other) {
      return other.kind == kind && other.element == element && other.length == length && other.function == of;
    };
    if (const Leaf* found = leaf_table.find(hash, same)) return found;
    Leaf made;
    made.kind = kind;
    made.parent = parent;
    made.element = element;
    made.length = length;
    made.function = of;
    made.name = name_of(kind);
    if (element) made.name += "<" + element->name + ">";
    if (of) made.name += "<" + of->name + ">";
    if (kind == LeafKind::Tuple) {
      made.name += "<";
      for (uint32_t i = 0; i < length; ++i) made.name += i ? ", any" : "any";
      made.name += ">";
    }
    sync::Lock lock(mutex);
    if (const Leaf* found = leaf_table.find(hash, same)) return found;
    const Leaf* added = add_leaf(std::move(made));
    leaf_table.insert(hash, added);
    return added;
  }
  const AbstractType* add_abstract(std::string name, const AbstractType* parent) {
    sync::Lock lock(mutex);
    abstracts.push_back({std::move(name), parent, parent ? parent->depth + 1 : 0});
    return &abstracts.back();
  }
  const Type* truncate(const Type* type, unsigned levels);
  void canonicalise(Type& type);
};

// Partials nested deeper than `levels` become the whole leaf: the one bound on types that grow by recursion.
const Type* TypeInterner::Impl::truncate(const Type* type, unsigned levels) {
  const auto is_deep = [&](const Part& part) {
    if (part.precision != Part::Precision::Partial) return false;
    return levels == 0 || std::any_of(part.fields.begin(), part.fields.end(), [&](const Type* field) {
             return truncate(field, levels - 1) != field;
           });
  };
  if (std::none_of(type->parts.begin(), type->parts.end(), is_deep)) return type;
  Type copy = *type;
  for (Part& part : copy.parts) {
    if (part.precision != Part::Precision::Partial) continue;
    if (levels == 0)
      part = {part.leaf, Part::Precision::Whole, {}, {}};
    else
      for (const Type*& field : part.fields) field = truncate(field, levels - 1);
  }
  canonicalise(copy);
  return intern(std::move(copy));
}

void TypeInterner::Impl::canonicalise(Type& type) {
  type.only_leaf = nullptr;
  type.name.clear();
  type.id = 0;
  if (type.kind == Type::Kind::Bottom || type.kind == Type::Kind::Any) {
    type.has_nothing = false;
    type.parts.clear();
    return;
  }
  if (type.kind == Type::Kind::Abstract) {
    type.parts.clear();
    if (type.abstract == root) type = *any;
    return;
  }
  std::vector<Part> parts;
  for (Part& part : type.parts) {
    if (part.leaf->kind == LeafKind::Nothing) {
      type.has_nothing = true;
      continue;
    }
    if (part.leaf->kind == LeafKind::Function) part = part.leaf->whole->parts[0];
    if (part.precision != Part::Precision::Constant) part.constant = {};
    if (part.precision != Part::Precision::Partial) part.fields.clear();
    if (part.precision == Part::Precision::Partial) {
      bool is_whole = true, is_empty = false;
      const size_t kept = num_kept_fields(*part.leaf);
      part.fields.resize(kept, any);
      for (size_t i = 0; i < kept; ++i) {
        part.fields[i] = truncate(part.fields[i], kMaxNesting - 1);
        is_whole = is_whole && part.fields[i] == declared_field(*part.leaf, i, any);
        is_empty = is_empty || part.fields[i]->is_bottom();
      }
      if (is_empty) continue;  // no value has a field without values
      if (is_whole) part = {part.leaf, Part::Precision::Whole, {}, {}};
    }
    parts.push_back(std::move(part));
  }
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return a.leaf->name < b.leaf->name; });
  type.parts = std::move(parts);
  if (type.parts.empty() && !type.has_nothing) type = *bottom;
  if (type.parts.size() <= kMaxParts) return;
  const AbstractType* ancestor = type.parts[0].leaf->parent;
  for (const Part& part : type.parts) ancestor = common_ancestor(ancestor, part.leaf->parent);
  type.kind = Type::Kind::Abstract;
  type.abstract = ancestor;
  type.parts.clear();
  if (ancestor == root) type = *any;
}

TypeInterner::TypeInterner() : impl_(std::make_unique<Impl>()) {
  Impl& impl = *impl_;
  impl.root = impl.add_abstract("any", nullptr);
  impl.number = impl.add_abstract("number", impl.root);
  impl.integer = impl.add_abstract("integer", impl.number);
  impl.floating = impl.add_abstract("float", impl.number);
  impl.array = impl.add_abstract("array", impl.root);
  impl.buffer = impl.add_abstract("buffer", impl.root);
  impl.channel = impl.add_abstract("channel", impl.root);
  impl.tuple = impl.add_abstract("tuple", impl.root);
  impl.function = impl.add_abstract("function", impl.root);
  impl.bottom = impl.intern({Type::Kind::Bottom, false, {}, nullptr, nullptr, 0, {}});
  impl.any = impl.intern({Type::Kind::Any, false, {}, nullptr, nullptr, 0, {}});
  for (size_t i = 0; i <= static_cast<size_t>(LeafKind::Task); ++i) {
    const auto kind = static_cast<LeafKind>(i);
    const AbstractType* parent = is_integer(kind) ? impl.integer : is_float(kind) ? impl.floating : impl.root;
    impl.simple[i] = impl.leaf(kind, parent, nullptr, 0, nullptr);
  }
  impl.nothing = impl.simple[0]->whole;
}

TypeInterner::~TypeInterner() = default;

const Type* TypeInterner::bottom() const noexcept { return impl_->bottom; }
const Type* TypeInterner::any() const noexcept { return impl_->any; }
const Type* TypeInterner::nothing() const noexcept { return impl_->nothing; }
const Leaf* TypeInterner::leaf(LeafKind kind) { return impl_->simple[static_cast<size_t>(kind)]; }
const Leaf* TypeInterner::array_leaf(const Type* element) {
  return impl_->leaf(LeafKind::Array, impl_->array, element, 0, nullptr);
}
const Leaf* TypeInterner::buffer_leaf(const Type* element) {
  return impl_->leaf(LeafKind::Buffer, impl_->buffer, element, 0, nullptr);
}
const Leaf* TypeInterner::channel_leaf(const Type* element) {
  return impl_->leaf(LeafKind::Channel, impl_->channel, element, 0, nullptr);
}
const Leaf* TypeInterner::tuple_leaf(uint32_t length) {
  return impl_->leaf(LeafKind::Tuple, impl_->tuple, nullptr, length, nullptr);
}
const Leaf* TypeInterner::function_leaf(const Function& function) {
  return impl_->leaf(LeafKind::Function, impl_->function, nullptr, 0, &function);
}

const AbstractType* TypeInterner::add_abstract(std::string name, const AbstractType* parent) {
  return impl_->add_abstract(std::move(name), parent ? parent : impl_->root);
}

StructType* TypeInterner::add_struct(std::string name, const AbstractType* parent, bool is_mutable) {
  if (!parent) parent = impl_->root;
  sync::Lock lock(impl_->mutex);
  impl_->structs.push_back({std::move(name), parent, is_mutable, {}, nullptr});
  StructType& added = impl_->structs.back();
  Leaf leaf;
  leaf.kind = LeafKind::Struct;
  leaf.parent = parent;
  leaf.structure = &added;
  leaf.name = added.name;
  added.leaf = impl_->add_leaf(std::move(leaf));
  return &added;
}

const AbstractType* TypeInterner::builtin_abstract(std::string_view name) const noexcept {
  for (const AbstractType* type : {impl_->root, impl_->number, impl_->integer, impl_->floating, impl_->array,
                                   impl_->buffer, impl_->channel, impl_->tuple, impl_->function}) {
    if (type->name == name) return type;
  }
  return nullptr;
}

const Type* TypeInterner::whole(const Leaf* leaf) { return leaf->whole; }

const Type* TypeInterner::everything_under(const AbstractType* abstract) {
  return intern({Type::Kind::Abstract, false, {}, abstract, nullptr, 0, {}});
}

const Type* TypeInterner::tuple(std::span<const Type* const> items) {
  Type type{Type::Kind::Parts, false, {}, nullptr, nullptr, 0, {}};
  type.parts.push_back({tuple_leaf(static_cast<uint32_t>(items.size())),
                        Part::Precision::Partial,
                        {},
                        {items.begin(), items.end()}});
  return intern(std::move(type));
}

const Type* TypeInterner::constant(const Literal& literal) {
  if (literal.kind == LeafKind::Nothing) return nothing();
  if (literal.kind == LeafKind::Function) return function_leaf(*literal.function)->whole;
  Type type{Type::Kind::Parts, false, {}, nullptr, nullptr, 0, {}};
  type.parts.push_back({leaf(literal.kind), Part::Precision::Constant, literal, {}});
  return impl_->intern(std::move(type));
}

const Type* TypeInterner::intern(Type type) {
  impl_->canonicalise(type);
  return impl_->intern(std::move(type));
}

const std::string* TypeInterner::string(std::string_view text) {
  const size_t hash = std::hash<std::string_view>()(text);
  const auto same = [&](const std::string& other) { return other == text; };
  if (const std::string* found = impl_->string_table.find(hash, same)) return found;
  sync::Lock lock(impl_->mutex);
  if (const std::string* found = impl_->string_table.find(hash, same)) return found;
  impl_->strings.emplace_back(text);
  impl_->string_table.insert(hash, &impl_->strings.back());
  return &impl_->strings.back();
}

size_t TypeInterner::num_types() const noexcept {
  sync::Lock lock(impl_->mutex);
  return impl_->types.size();
}

}  // namespace berth::inference
