// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/type_reader.hpp"

#include <fmt/format.h>

#include "inference/operations.hpp"
#include "inference/text.hpp"

namespace berth::inference {

const StructType* TypeNames::structure(std::string_view name) const {
  const auto own = structs.find(name);
  return own != structs.end() ? own->second : program.structure(name);
}

const AbstractType* TypeNames::abstract(std::string_view name) const {
  if (const auto* built_in = program.types().builtin_abstract(name)) return built_in;
  const auto own = abstracts.find(name);
  return own != abstracts.end() ? own->second : program.abstract(name);
}

bool TypeReader::fail(const Token& token, std::string text) {
  fault = std::move(text);
  fault_token = token;
  return false;
}

const Type* TypeReader::read() {
  stack_.clear();
  stack_.push_back({Compound::Top, current_, {}, {}});
  wants_member_ = true;
  while (true) {
    if (wants_member_) {
      if (!read_member()) return nullptr;
    } else if (current_.is('|')) {
      advance();
      wants_member_ = true;
    } else if (stack_.back().compound == Compound::Top) {
      return finish_union();
    } else if (!close()) {
      return nullptr;
    }
  }
}

// One member of a union, or the opening of a compound one.
bool TypeReader::read_member() {
  if (current_.kind != Token::Kind::Name) {
    return fail(current_, current_.kind == Token::Kind::Bad ? current_.fault
                                                            : describe(current_) + ", expected a type");
  }
  const Token name = current_;
  advance();
  if (!name.is_quoted && current_.is('<')) {
    for (const auto& [word, compound] :
         {std::pair{"array", Compound::Array}, std::pair{"buffer", Compound::Buffer},
          std::pair{"channel", Compound::Channel}, std::pair{"tuple", Compound::Tuple}}) {
      if (name.text == word) return open(compound);
    }
  }
  const Type* type = find(name);
  if (!type)
    return fail(name,
                fmt::format("unknown type {}, expected one that is built in or defined", describe(name)));
  wants_member_ = false;
  return add(type, name);
}

bool TypeReader::open(Compound compound) {
  if (stack_.size() > kMaxNesting) return fail(current_, "types nested over 256 deep, expected fewer levels");
  stack_.push_back({compound, current_, {}, {}});
  advance();
  if (compound != Compound::Tuple || !current_.is('>')) return true;
  wants_member_ = false;  // tuple<>
  const Token token = current_;
  advance();
  const Type* type = build(stack_.back());
  stack_.pop_back();
  return add(type, token);
}

// After a member of a compound type: the next item, or its end.
bool TypeReader::close() {
  Open& top = stack_.back();
  const bool is_next_item = current_.is(',') && top.compound == Compound::Tuple;
  if (!is_next_item && !current_.is('>')) {
    return fail(current_, fmt::format("{}, expected \">\" or \"|\"", describe(current_)));
  }
  const Type* item = finish_union();
  if (!item) return false;
  top.items.push_back(item);
  if (top.items.size() > kMaxTupleItems) return fail(current_, "a tuple of over 32 items, expected fewer");
  const Token token = current_;
  advance();
  if (is_next_item) {
    top.members = Union{};
    wants_member_ = true;
    return true;
  }
  const Type* type = build(top);
  stack_.pop_back();
  return add(type, token);
}

const Type* TypeReader::build(Open& open) {
  switch (open.compound) {
    case Compound::Array: return types_.whole(types_.array_leaf(open.items[0]));
    case Compound::Buffer: return types_.whole(types_.buffer_leaf(open.items[0]));
    case Compound::Channel: return types_.whole(types_.channel_leaf(open.items[0]));
    default: return types_.tuple(open.items);
  }
}

const Type* TypeReader::find(const Token& name) {
  LeafKind kind{};
  if (!name.is_quoted) {
    if (name.text == "any") return types_.any();
    if (find_simple_kind(name.text, kind)) return types_.kind(kind);
  }
  if (const auto* abstract = names_.abstract(name.text)) return types_.everything_under(abstract);
  const auto* structure = names_.structure(name.text);
  return structure ? types_.whole(structure->leaf) : nullptr;
}

bool TypeReader::add(const Type* member, const Token& token) {
  Union& sum = stack_.back().members;
  if (sum.num_members++ == 0) {
    sum.start = token;
    sum.alone = member;
  } else {
    sum.alone = nullptr;
  }
  if (member->is_any()) {
    sum.has_any = true;
  } else if (member->kind == Type::Kind::Abstract) {
    if (sum.type.abstract)
      return fail(token, "a union of two abstract types, expected leaves, or one abstract type and nothing");
    sum.type.abstract = member->abstract;
  } else if (member->has_nothing) {
    sum.type.has_nothing = true;
  } else {
    return add_part(member->parts[0], token);
  }
  return true;
}

bool TypeReader::add_part(const Part& part, const Token& token) {
  auto& parts = stack_.back().members.type.parts;
  for (const Part& other : parts) {
    if (other.leaf == part.leaf)
      return fail(token, "a union with two members of one leaf, expected each leaf once");
  }
  if (parts.size() == kMaxUnionMembers)
    return fail(token, "a union of over 4 members besides nothing, expected fewer");
  parts.push_back(part);
  return true;
}

const Type* TypeReader::finish_union() {
  Union& sum = stack_.back().members;
  if (sum.alone) return sum.alone;
  const bool has_parts = !sum.type.parts.empty();
  if ((sum.has_any || sum.type.abstract) && (has_parts || (sum.has_any && sum.type.abstract))) {
    fail(sum.start,
         "a union of an abstract type and others, expected leaves, or one abstract type and nothing");
    return nullptr;
  }
  if (sum.has_any) return types_.any();
  if (!has_parts && !sum.type.abstract) return types_.nothing();
  sum.type.kind = sum.type.abstract ? Type::Kind::Abstract : Type::Kind::Parts;
  return types_.intern(std::move(sum.type));
}

Result<const Type*> parse_type(Program& program, std::string_view text) {
  const TypeNames names(program);
  Lexer lexer(text);
  Token current = lexer.next();
  TypeReader reader(names, lexer, current);
  const Type* type = reader.read();
  if (type && current.kind == Token::Kind::End) return type;
  if (type) {
    reader.fault = describe(current) + ", expected the end of the type";
    reader.fault_token = current;
  }
  return make_error(BERTH_PARSE_ERROR,
                    fmt::format("type:{}:{}", reader.fault_token.line, reader.fault_token.column),
                    reader.fault, "");
}

}  // namespace berth::inference
