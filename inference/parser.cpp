// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/parser.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "inference/method_table.hpp"

namespace berth::inference {
namespace {

// Behind one of these a word is a name, never the beginning of a declaration.
bool takes_name(const Token& token) {
  if (token.kind == Token::Kind::Arrow || token.kind == Token::Kind::Under) return true;
  return token.kind == Token::Kind::Sign &&
         std::string_view(":|<,=.(").find(token.text[0]) != std::string_view::npos;
}

bool is_in(Program& program, const Literal& literal, const Type* type) {
  return program.lattice().is_subtype(program.types().constant(literal), type);
}

}  // namespace

Parser::Parser(Program& program, std::string_view text, std::string_view name)
    : program_(program),
      text_(text),
      name_(program.types().string(name)),
      file_(name_),
      scope_(program, set_),
      reader_(scope_, text) {}

Result<DefinitionSet> Parser::parse() {
  if (text_.size() > kMaxText) {
    return make_error(BERTH_PARSE_ERROR, *name_ + ":1:1",
                      fmt::format("a text of {} bytes, expected at most 64 MiB", text_.size()), "");
  }
  if (read_header()) {
    find_declarations();
    check_between();
    read_nominals();
    make_abstracts();
    make_structs();
    for (Nominal& nominal : nominals_) {
      if (nominal.declaration->kind != Kind::Abstract) read_fields(nominal);
    }
    for (const Declaration& declaration : declarations_) {
      if (declaration.kind == Kind::Const || declaration.kind == Kind::Global) read_variable(declaration);
    }
    for (const Declaration& declaration : declarations_) {
      if (declaration.kind == Kind::Method || declaration.kind == Kind::Kernel) read_method(declaration);
    }
    if (!reader_.has_errors()) check_pending();
  }
  if (reader_.has_errors()) return parse_error();
  return std::move(set_);
}

Error Parser::parse_error() {
  const auto errors = reader_.take_errors();
  std::string details = "{\"errors\":[";
  for (const TextError& error : errors) {
    details += fmt::format("{}{{\"line\":{},\"column\":{},\"text\":{}}}", details.back() == '[' ? "" : ",",
                           error.line, error.column, json_quote(error.text));
  }
  return make_error(BERTH_PARSE_ERROR, fmt::format("{}:{}:{}", *name_, errors[0].line, errors[0].column),
                    errors[0].text, "", details + "]}");
}

bool Parser::read_header() {
  const Token token = reader_.current();
  constexpr std::string_view kWord = "berth-ir";
  if (text_.substr(token.offset, kWord.size()) != kWord)
    return reader_.expected("the first words \"berth-ir 1\"");
  Lexer::Place place = reader_.place();
  place.offset = token.offset + kWord.size();
  reader_.go_to(place);
  if (reader_.current().text != "1") return reader_.expected("version 1, as in \"berth-ir 1\"");
  reader_.advance();
  return true;
}

void Parser::add_declaration(Kind kind, const Token& token, Lexer::Place place) {
  place.offset = token.offset;
  if (!declarations_.empty()) declarations_.back().end = std::min(declarations_.back().end, token.offset);
  declarations_.push_back({kind, token.line, place, file_, text_.size()});
}

// `file "name"`: for the declarations behind it.
void Parser::read_file(Token& token, Lexer& lexer) {
  if (!declarations_.empty()) declarations_.back().end = std::min(declarations_.back().end, token.offset);
  token = lexer.next();
  std::string file;
  size_t bad = 0;
  if (token.kind != Token::Kind::String || !unescape(token.text, file, bad)) {
    reader_.error(token, fmt::format("{}, expected the name of a file as a string", describe(token)));
    return;
  }
  file_ = program_.types().string(file);
}

void Parser::find_declarations() {
  static const std::unordered_map<std::string_view, Kind> kinds{
      {"abstract", Kind::Abstract}, {"type", Kind::Type},     {"mutable", Kind::MutableType},
      {"const", Kind::Const},       {"global", Kind::Global}, {"method", Kind::Method},
      {"kernel", Kind::Kernel}};
  Lexer lexer(text_);
  lexer.go_to(reader_.place());
  // The reader has already taken the word behind the header.
  Token token = reader_.current(), previous, candidate;
  Lexer::Place candidate_place;
  size_t depth = 0;
  for (; token.kind != Token::Kind::End; previous = token, token = lexer.next()) {
    if (token.is('{')) ++depth;
    if (token.is('}') && depth > 0) --depth;
    if (candidate.kind == Token::Kind::Name && token.kind == Token::Kind::Name) {
      // A word of a declaration first in its line and then a name: the one before lacks its closing brace.
      depth = 0;
      add_declaration(kinds.at(candidate.text), candidate, candidate_place);
      candidate = Token();
      continue;
    }
    candidate = Token();
    if (token.kind != Token::Kind::Name || token.is_quoted || takes_name(previous)) continue;
    if (depth == 0 && token.text == "file") {
      read_file(token, lexer);
      continue;
    }
    const auto kind = kinds.find(token.text);
    if (kind == kinds.end()) continue;
    if (depth > 0) {
      if (previous.line < token.line) candidate = token, candidate_place = lexer.place();
      continue;
    }
    add_declaration(kind->second, token, lexer.place());
    // What it declares may be called like a word of the language.
    if (kind->second == Kind::MutableType) previous = token, token = lexer.next();
    const auto place = lexer.place();
    previous = token;
    token = lexer.next();
    if (token.kind != Token::Kind::Name) lexer.go_to(place), token = previous;
  }
}

// Words before the first declaration belong to none.
void Parser::check_between() {
  const size_t first = declarations_.empty() ? text_.size() : declarations_[0].place.offset;
  while (reader_.current().kind != Token::Kind::End && reader_.current().offset < first) {
    if (reader_.current().is_word("file")) {  // checked by find_declarations
      reader_.advance();
      reader_.advance();
      continue;
    }
    reader_.expected("a declaration: abstract, type, mutable type, const, global, method or kernel");
    reader_.recover();
  }
}

// Behind the first word of a declaration.
void Parser::start(const Declaration& declaration) {
  reader_.go_to(declaration.place);
  reader_.advance();
}

bool Parser::is_at_end(const Declaration& declaration) {
  const Token& next = reader_.current();
  return next.kind == Token::Kind::End || next.offset >= declaration.end ||
         reader_.expected("a declaration behind this one");
}

// --- types

void Parser::read_nominals() {
  for (const Declaration& declaration : declarations_) {
    if (declaration.kind <= Kind::MutableType) read_nominal(declaration);
  }
}

bool Parser::read_nominal(const Declaration& declaration) {
  start(declaration);
  Nominal nominal{&declaration, {}, {}};
  if (declaration.kind == Kind::MutableType && !reader_.expect_word("type")) return false;
  if (!reader_.read_name(nominal.name, "the name of a type")) return false;
  if (reader_.current().kind == Token::Kind::Under) {
    reader_.advance();
    if (!reader_.read_name(nominal.parent, "the name of an abstract type")) return false;
  }
  if (declaration.kind == Kind::Abstract && !is_at_end(declaration)) return false;
  if (!is_free_name(nominal)) return false;
  const std::string_view name = nominal.name.text;
  if (declaration.kind == Kind::Abstract) {
    nominal.is_new = !program_.abstract(name) && abstract_index_.try_emplace(name, nominals_.size()).second;
  } else {
    nominal.is_new = !program_.structure(name) && scope_.types.structs.try_emplace(name, nullptr).second;
  }
  nominals_.push_back(nominal);
  return true;
}

bool Parser::is_free_name(const Nominal& nominal) {
  const std::string_view name = nominal.name.text;
  LeafKind kind{};
  if (find_simple_kind(name, kind) || program_.types().builtin_abstract(name)) {
    return reader_.error(nominal.name,
                         fmt::format("type {} is built in, expected another name", describe(nominal.name)));
  }
  const bool is_abstract = nominal.declaration->kind == Kind::Abstract;
  const bool is_other = is_abstract ? program_.structure(name) || scope_.types.structs.contains(name)
                                    : program_.abstract(name) || abstract_index_.contains(name);
  if (!is_other) return true;
  return reader_.error(nominal.name,
                       fmt::format("type {} is already {}, expected another name", describe(nominal.name),
                                   is_abstract ? "a struct" : "abstract"));
}

const AbstractType* Parser::parent_of(const Nominal& nominal) {
  const auto& types = program_.types();
  if (nominal.parent.kind == Token::Kind::End) return types.builtin_abstract("any");
  const std::string_view name = nominal.parent.text;
  if (name != "any" && types.builtin_abstract(name)) {
    reader_.error(nominal.parent,
                  fmt::format("parent {} is built in, expected any or an abstract type of a program",
                              describe(nominal.parent)));
    return nullptr;
  }
  const AbstractType* parent = scope_.types.abstract(name);
  if (!parent) {
    reader_.error(nominal.parent, fmt::format("unknown abstract type {}, expected one that is defined",
                                              describe(nominal.parent)));
  }
  return parent;
}

void Parser::make_abstracts() {
  std::vector<size_t> chain;
  for (size_t i = 0; i < nominals_.size(); ++i) {
    if (nominals_[i].declaration->kind == Kind::Abstract && nominals_[i].is_new) make_abstract(i, chain);
  }
  for (const Nominal& nominal : nominals_) {
    if (nominal.declaration->kind != Kind::Abstract || nominal.is_new) continue;
    const AbstractType* known = scope_.types.abstract(nominal.name.text);
    const AbstractType* parent = parent_of(nominal);
    if (!known || !parent || parent == known->parent) continue;
    reader_.error(
        nominal.name,
        fmt::format("abstract type {} has another parent, expected an equal definition or a new name",
                    describe(nominal.name)));
  }
}

// Parents first, whatever their order in the text. The chain of parents not yet made ends at one that is
// known, or is a cycle: then it is longer than the tree may be deep.
void Parser::make_abstract(size_t index, std::vector<size_t>& chain) {
  chain.assign(1, index);
  while (!chain.empty()) {
    const Nominal& nominal = nominals_[chain.back()];
    const auto own_parent = abstract_index_.find(nominal.parent.text);
    const bool waits = nominal.parent.kind == Token::Kind::Name && own_parent != abstract_index_.end() &&
                       !scope_.types.abstracts.contains(nominal.parent.text);
    if (waits && chain.size() <= kMaxTreeDepth) {
      chain.push_back(own_parent->second);
      continue;
    }
    chain.pop_back();
    if (scope_.types.abstracts.contains(nominal.name.text)) continue;
    const AbstractType* parent = waits ? nullptr : parent_of(nominal);
    if (waits || (parent && parent->depth >= kMaxTreeDepth)) {
      reader_.error(nominal.name,
                    fmt::format("abstract type {} in a cycle or over 16 deep, expected a tree of at most 16",
                                describe(nominal.name)));
      parent = nullptr;
    }
    // One without a sound parent stands under `any`, so that its uses are not errors too.
    const AbstractType* made = program_.types().add_abstract(std::string(nominal.name.text), parent);
    scope_.types.abstracts.emplace(nominal.name.text, made);
    set_.abstracts.push_back(made);
  }
}

void Parser::make_structs() {
  for (Nominal& nominal : nominals_) {
    if (nominal.declaration->kind == Kind::Abstract || !nominal.is_new) continue;
    const AbstractType* parent = parent_of(nominal);
    nominal.structure = program_.types().add_struct(std::string(nominal.name.text), parent,
                                                    nominal.declaration->kind == Kind::MutableType);
    scope_.types.structs[nominal.name.text] = nominal.structure;
    set_.structs.push_back(nominal.structure);
  }
}

void Parser::read_fields(Nominal& nominal) {
  start(*nominal.declaration);
  while (reader_.current().kind != Token::Kind::End && !reader_.current().is('{') &&
         reader_.current().offset < nominal.declaration->end) {
    if (reader_.current().kind != Token::Kind::Name && reader_.current().kind != Token::Kind::Under) break;
    reader_.advance();
  }
  std::vector<Field> fields;
  if (!reader_.expect('{') || !read_fields(fields)) return;
  if (!is_at_end(*nominal.declaration)) return;
  if (nominal.structure) {
    nominal.structure->fields = std::move(fields);
    return;
  }
  const StructType* known = scope_.types.structure(nominal.name.text);
  const AbstractType* parent = parent_of(nominal);
  bool is_equal = known && parent == known->parent && known->fields.size() == fields.size() &&
                  known->is_mutable == (nominal.declaration->kind == Kind::MutableType);
  for (size_t i = 0; is_equal && i < fields.size(); ++i) {
    is_equal = known->fields[i].name == fields[i].name && known->fields[i].type == fields[i].type;
  }
  if (is_equal) return;
  reader_.error(
      nominal.name,
      fmt::format("type {} is already defined otherwise, expected an equal definition or a new name",
                  describe(nominal.name)));
}

bool Parser::read_fields(std::vector<Field>& fields) {
  std::unordered_map<std::string_view, bool> seen;
  if (reader_.accept('}')) return true;
  do {
    Token name;
    Field field{"", nullptr};
    if (!reader_.read_name(name, "a field such as r: f64")) return false;
    if (fields.size() == kMaxFields) return reader_.error(name, "over 1024 fields, expected fewer");
    if (!seen.emplace(name.text, true).second) {
      return reader_.error(name, fmt::format("field {} twice, expected another name", describe(name)));
    }
    field.name = std::string(name.text);
    if (!reader_.expect(':') || !reader_.read_type(field.type)) return false;
    fields.push_back(std::move(field));
  } while (reader_.accept(','));
  return reader_.accept('}') || reader_.expected("\",\" or \"}\"");
}

// --- constants and globals

void Parser::read_variable(const Declaration& declaration) {
  DefinitionSet::Variable variable;
  Token name;
  if (!read_variable(declaration, variable, name)) return;
  if (is_at_end(declaration)) add_variable(std::move(variable), name);
}

bool Parser::read_variable(const Declaration& declaration, DefinitionSet::Variable& variable, Token& name) {
  start(declaration);
  variable.is_constant = declaration.kind == Kind::Const;
  if (!reader_.read_name(name, "a name")) return false;
  variable.name = std::string(name.text);
  variable.position = {declaration.file, name.line, name.column};
  if (reader_.accept(':') && !reader_.read_type(variable.type)) return false;
  if (!reader_.expect('=')) return false;
  const Token value = reader_.current();
  const std::string* constant = nullptr;
  if (!(reader_.is_literal() ? reader_.read_literal(variable.value)
                             : reader_.read_named_value(variable.value, constant)))
    return false;
  auto& types = program_.types();
  if (!variable.type) {
    variable.type = !variable.is_constant                       ? types.any()
                    : variable.value.kind == LeafKind::Function ? types.constant(variable.value)
                                                                : types.kind(variable.value.kind);
  }
  return is_in(program_, variable.value, variable.type) ||
         reader_.error(value,
                       fmt::format("{}, expected a value of type {}", describe(value), variable.type->name));
}

void Parser::add_variable(DefinitionSet::Variable variable, const Token& name) {
  const Global* known = program_.global(name.text, program_.engine().world());
  const char* fault = nullptr;
  if (scope_.variables.contains(name.text) || scope_.kept_globals.contains(name.text))
    fault = "is defined twice in this text";
  if (known && known->is_constant != variable.is_constant)
    fault = known->is_constant ? "is already a constant" : "is already a global";
  if (known && !known->is_constant && known->type != variable.type)
    fault = "is already a global of another type";
  if (fault) {
    reader_.error(name, fmt::format("{} {}, expected another name", describe(name), fault));
  } else if (known && !known->is_constant) {
    scope_.kept_globals.emplace(name.text, true);  // keeps its value
  } else {
    scope_.variables.emplace(name.text, set_.variables.size());
    set_.variables.push_back(std::move(variable));
  }
}

// --- methods

void Parser::read_method(const Declaration& declaration) {
  start(declaration);
  Token name;
  if (!reader_.read_name(name, "the name of a method")) return;
  auto method = std::make_unique<Method>();
  method->name = std::string(name.text);
  method->function = program_.intern_function(name.text);
  method->is_kernel = declaration.kind == Kind::Kernel;
  method->position = {declaration.file, name.line, name.column};
  BodyParser body(reader_, *method, pending_, declaration.end);
  if (!body.parse()) return;
  set_.num_statements += body.num_statements();
  if (!is_at_end(declaration)) return;
  own_methods_[method->function].push_back(method.get());
  set_.methods.push_back(std::move(method));
}

bool Parser::is_method(const PendingName& pending) const {
  const auto matches = [&](const Method* method) { return method->signature == pending.signature; };
  const auto own = own_methods_.find(pending.function);
  if (own != own_methods_.end() && std::any_of(own->second.begin(), own->second.end(), matches)) return true;
  const auto known = program_.methods().all(*pending.function, program_.engine().world());
  return std::any_of(known.begin(), known.end(), matches);
}

bool Parser::is_kernel(const Function* function) const {
  const auto is_one = [](const Method* method) { return method->is_kernel; };
  const auto own = own_methods_.find(function);
  if (own != own_methods_.end() && std::any_of(own->second.begin(), own->second.end(), is_one)) return true;
  const auto known = program_.methods().all(*function, program_.engine().world());
  return std::any_of(known.begin(), known.end(), is_one);
}

void Parser::check_pending() {
  for (const PendingName& pending : pending_) {
    if (pending.is_launch && !is_kernel(pending.function)) {
      reader_.error(pending.token,
                    fmt::format("unknown kernel {}, expected one that is defined", describe(pending.token)));
    } else if (!pending.is_launch && !is_method(pending)) {
      std::string types;
      for (const Type* type : pending.signature) types += (types.empty() ? "" : ", ") + type->name;
      reader_.error(pending.token,
                    fmt::format("no method {}({}), expected the parameter types of one that is defined",
                                pending.token.text, types));
    }
  }
}

Result<DefinitionSet> parse(Program& program, std::string_view text, std::string_view name) {
  return Parser(program, text, name).parse();
}

}  // namespace berth::inference
