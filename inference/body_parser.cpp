// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/body_parser.hpp"

#include <fmt/format.h>

namespace berth::inference {

bool BodyParser::parse() {
  const size_t errors_before = reader_.num_errors();
  if (!parse_head()) reader_.recover();
  parse_blocks();
  if (reader_.num_errors() != errors_before) return false;
  return resolve();
}

bool BodyParser::parse_head() {
  place_ = method_.position;
  Block entry;
  if (!parse_parameters(entry.parameters)) return false;
  for (const ValueId parameter : entry.parameters) {
    const Type* declared = body_.values[parameter].declared;
    method_.signature.push_back(declared ? declared : reader_.scope().program().types().any());
  }
  body_.blocks.push_back(std::move(entry));
  if (reader_.current().kind == Token::Kind::Arrow) {
    reader_.advance();
    if (!reader_.read_type(method_.result)) return false;
    if (method_.result->is_any()) method_.result = nullptr;
  }
  return reader_.read_place(place_, has_place_) && (method_.position = place_, reader_.expect('{'));
}

// `(%a: T, %b)`
bool BodyParser::parse_parameters(std::vector<ValueId>& parameters) {
  if (!reader_.expect('(')) return false;
  if (reader_.accept(')')) return true;
  do {
    const Token token = reader_.current();
    if (token.kind != Token::Kind::Value) return reader_.expected("a parameter such as %x");
    if (parameters.size() == kMaxParameters)
      return reader_.error(token, "over 255 parameters, expected fewer");
    reader_.advance();
    const Type* declared = nullptr;
    if (reader_.accept(':') && !reader_.read_type(declared)) return false;
    ValueId id = kNone;
    if (!define_value(token, declared, id)) return false;
    parameters.push_back(id);
  } while (reader_.accept(','));
  return reader_.expect(')');
}

void BodyParser::parse_blocks() {
  while (true) {
    const Token& token = reader_.current();
    if (token.kind == Token::Kind::End || token.offset >= end_) {
      reader_.expected("\"}\" at the end of the method");
      return;
    }
    if (token.is('}')) break;
    if (!(token.kind == Token::Kind::Label ? parse_label() : parse_line())) reader_.recover();
  }
  if (!has_block_) reader_.expected("a block such as ^0:");
  if (!is_terminated_)
    reader_.expected("a terminator of the last block: br, cond, switch, return, throw or unreachable");
  reader_.advance();
}

bool BodyParser::parse_label() {
  if (!is_terminated_) {
    reader_.expected("a terminator of the block before: br, cond, switch, return, throw or unreachable");
  }
  uint32_t label = 0;
  Token token;
  if (!reader_.read_label(label, token)) return false;
  const uint32_t mentioned =
      block_labels_.try_emplace(label, static_cast<uint32_t>(blocks_.size())).first->second;
  if (mentioned == blocks_.size()) blocks_.push_back({token});
  if (blocks_[mentioned].number != kNone) {
    return reader_.error(token,
                         fmt::format("block {} defined twice, expected another number", describe(token)));
  }
  if (has_block_ || body_.blocks.empty()) body_.blocks.emplace_back();
  blocks_[mentioned].number = static_cast<uint32_t>(body_.blocks.size() - 1);
  Block& block = body_.blocks.back();
  const bool is_entry = !has_block_;
  has_block_ = true;
  is_terminated_ = false;
  if (reader_.current().is('(')) {
    if (is_entry) return reader_.expected("\":\": the parameters of the first block are the method's");
    if (!parse_parameters(block.parameters)) return false;
  }
  if (reader_.accept_word("catch")) {
    uint32_t handler = 0;
    if (!reader_.read_label(handler, token)) return false;
    block.handler = block_labels_.try_emplace(handler, static_cast<uint32_t>(blocks_.size())).first->second;
    if (block.handler == blocks_.size()) blocks_.push_back({token});
  }
  return reader_.expect(':');
}

bool BodyParser::parse_line() {
  if (!has_block_) return reader_.expected("a block such as ^0:");
  if (is_terminated_) return reader_.expected("a block such as ^1: or \"}\" behind a terminator");
  bool is_terminator = false;
  if (!parse_terminator(is_terminator)) return false;
  return is_terminator || parse_statement();
}

bool BodyParser::read_position(Position& position, const Token& start) {
  bool is_explicit = false;
  if (!reader_.read_place(place_, is_explicit)) return false;
  has_place_ = has_place_ || is_explicit;
  position.file = method_.position.file;
  position.line = has_place_ ? place_.line : start.line;
  position.column = has_place_ ? place_.column : start.column;
  return true;
}

// --- terminators

bool BodyParser::parse_terminator(bool& is_terminator) {
  const Token start = reader_.current();
  Terminator terminator;
  is_terminator = true;
  operands_.clear();
  bool done = false;
  if (reader_.accept_word("br")) {
    terminator.kind = Terminator::Kind::Branch;
    done = parse_target(terminator);
  } else if (reader_.accept_word("cond")) {
    terminator.kind = Terminator::Kind::Condition;
    done = read_operand(operands_) && parse_target(terminator) && parse_target(terminator);
  } else if (reader_.accept_word("switch")) {
    terminator.kind = Terminator::Kind::Switch;
    done = read_operand(operands_) && parse_switch(terminator);
  } else if (reader_.accept_word("return")) {
    terminator.kind = Terminator::Kind::Return;
    done = read_operand(operands_);
  } else if (reader_.accept_word("throw")) {
    terminator.kind = Terminator::Kind::Throw;
    done = read_operand(operands_);
  } else if (reader_.accept_word("unreachable")) {
    terminator.kind = Terminator::Kind::Unreachable;
    done = true;
  } else {
    is_terminator = false;
    return true;
  }
  is_terminated_ = true;  // also when it is malformed: one error, not two
  if (!done || !read_position(terminator.position, start)) return false;
  if (!operands_.empty()) terminator.value = operands_[0];
  body_.blocks.back().terminator = std::move(terminator);
  return true;
}

bool BodyParser::parse_target(Terminator& terminator) {
  uint32_t label = 0;
  Token token;
  if (!reader_.read_label(label, token)) return false;
  Target target;
  target.block = block_labels_.try_emplace(label, static_cast<uint32_t>(blocks_.size())).first->second;
  if (target.block == blocks_.size()) blocks_.push_back({token});
  if (reader_.current().is('(')) {
    std::vector<Operand> arguments;
    if (!read_list(arguments)) return false;
    target.arguments.assign(arguments.begin(), arguments.end());
  }
  terminator.targets.push_back(std::move(target));
  return true;
}

// `[1: ^2, 7: ^3(%y)] ^4`
bool BodyParser::parse_switch(Terminator& terminator) {
  if (!reader_.expect('[')) return false;
  if (!reader_.accept(']')) {
    do {
      int64_t value = 0;
      if (!reader_.read_case(value) || !reader_.expect(':') || !parse_target(terminator)) return false;
      terminator.cases.push_back(value);
    } while (reader_.accept(','));
    if (!reader_.expect(']')) return false;
  }
  return parse_target(terminator);
}

// --- statements

bool BodyParser::parse_statement() {
  const Token start = reader_.current();
  Statement statement;
  if (start.kind == Token::Kind::Value) {
    reader_.advance();
    const Type* declared = nullptr;
    const bool has_type = !reader_.accept(':') || reader_.read_type(declared);
    // Defined even if the rest of the line is wrong: else each of its uses would be an error too.
    if (!define_value(start, declared, statement.result) || !has_type || !reader_.expect('=')) return false;
  } else {
    statement.result = define_unnamed();
  }
  if (++num_statements_ > kMaxStatements) {
    return reader_.error(start, "over 1048576 statements in a method, expected fewer");
  }
  operands_.clear();
  if (!parse_operation(statement) || !parse_operands(statement) || !read_position(statement.position, start))
    return false;
  statement.operands.assign(operands_.begin(), operands_.end());
  body_.blocks.back().statements.push_back(std::move(statement));
  return true;
}

// The longest operation that the dotted name begins with, then its suffix: `array.get.atomic` + `acquire`.
bool BodyParser::parse_operation(Statement& statement) {
  if (reader_.current().kind != Token::Kind::Name || reader_.current().is_quoted) {
    return reader_.expected("a statement, a terminator or a block");
  }
  reader_.extend_dotted();
  const Token token = reader_.current();
  reader_.advance();
  size_t end = token.text.size();
  while (end != std::string_view::npos && !find_operation(token.text.substr(0, end), statement.op)) {
    end = end == 0 ? std::string_view::npos : token.text.rfind('.', end - 1);
  }
  if (end == std::string_view::npos) {
    return reader_.error(
        token, fmt::format("unknown operation {}, expected one such as add.i64 or call", describe(token)));
  }
  if (statement.op == Op::Refine) return reader_.error(token, "refine is made by inference, expected assert");
  return parse_suffix(token, token.text.substr(end), statement);
}

bool BodyParser::parse_suffix(const Token& token, std::string_view rest, Statement& statement) {
  // `rest` is empty or begins with a dot.
  const auto take = [&rest] {
    const size_t dot = rest.find('.', 1);
    const std::string_view word =
        rest.empty() ? rest : rest.substr(1, dot == std::string_view::npos ? dot : dot - 1);
    rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot);
    return word;
  };
  const char* what = "nothing behind it";
  bool is_legal = true;
  const OperationRow& row = row_of(statement.op);
  if (row.suffix == Suffix::Number) {
    what = "a number type that it exists for, as in add.i64, or add.i64.checked";
    is_legal = find_simple_kind(take(), statement.number) && is_legal_number(statement.op, statement.number);
    if (is_legal && rest == ".checked") {
      statement.checked = true;
      is_legal = can_be_checked(statement.op, statement.number);
      rest = {};
    }
  } else if (row.suffix == Suffix::FromTo) {
    what = "two number types, as in convert.i64.f64 (bits: of equal size)";
    is_legal = find_simple_kind(take(), statement.number) && find_simple_kind(take(), statement.to) &&
               is_legal_conversion(statement.op, statement.number, statement.to);
  } else if (access_of(statement.op) != Access::None) {
    what =
        "an order that it can have: relaxed acquire release acq_rel seq_cst; then, for items, a scope: "
        "device block";
    is_legal =
        find_order(take(), statement.order) && is_legal_order(access_of(statement.op), statement.order);
    if (is_legal && !rest.empty())
      is_legal = find_scope(take(), statement.scope) && can_have_scope(statement.op);
  }
  if (is_legal && rest.empty()) return true;
  return reader_.error(token,
                       fmt::format("operation {}, expected {} with {}", describe(token), row.text, what));
}

bool BodyParser::parse_operands(Statement& statement) {
  const int n = row_of(statement.op).operands;
  switch (shape_of(statement.op)) {
    case Shape::Plain: return read_plain(static_cast<size_t>(n));
    case Shape::List: return read_list(operands_);
    case Shape::Call: return parse_call(statement);
    case Shape::Invoke: return parse_invoke(statement);
    case Shape::Host: return parse_host(statement);
    case Shape::New: return reader_.read_type(statement.type) && read_list(operands_);
    case Shape::Member: return parse_member(statement);
    case Shape::TypeFirst: return reader_.read_type(statement.type) && read_plain(static_cast<size_t>(n));
    case Shape::TypeLast: return read_plain(static_cast<size_t>(n)) && reader_.read_type(statement.type);
    case Shape::Global: return parse_global(statement) && read_plain(static_cast<size_t>(n));
    case Shape::Launch: return parse_launch(statement);
  }
  return false;
}

bool BodyParser::parse_call(Statement&) {
  if (reader_.is_literal()) return reader_.expected("a function: its name, or a value such as %f");
  return read_operand(operands_) && read_list(operands_);
}

bool BodyParser::parse_invoke(Statement& statement) {
  PendingName pending;
  if (!reader_.read_name(pending.token, "the name of a function") || !reader_.expect('(')) return false;
  statement.name = reader_.intern(pending.token.text);
  if (!reader_.accept(')')) {
    do {
      const Type* type = nullptr;
      if (!reader_.read_type(type)) return false;
      statement.signature.push_back(type);
    } while (reader_.accept(','));
    if (!reader_.expect(')')) return false;
  }
  pending.function = reader_.scope().program().intern_function(pending.token.text);
  pending.signature = statement.signature;
  pending_.push_back(std::move(pending));
  return read_list(operands_);
}

bool BodyParser::parse_host(Statement& statement) {
  Token name;
  if (!reader_.read_name(name, "the name of a C function") || !read_list(operands_)) return false;
  statement.name = reader_.intern(name.text);
  return reader_.read_type(statement.type);
}

// `%x.name`, then the other operands.
bool BodyParser::parse_member(Statement& statement) {
  Token name;
  if (!read_operand(operands_) || !reader_.expect('.') || !reader_.read_name(name, "the name of a field"))
    return false;
  statement.name = reader_.intern(name.text);
  return read_plain(static_cast<size_t>(row_of(statement.op).operands) - 1);
}

bool BodyParser::parse_global(Statement& statement) {
  Token name;
  if (!reader_.read_name(name, "the name of a global")) return false;
  statement.name = reader_.intern(name.text);
  if (reader_.scope().is_global(name.text)) return true;
  if (reader_.scope().constant(name.text)) {
    return reader_.error(
        name,
        fmt::format("{} is a constant, expected a global; a constant's name is its value", describe(name)));
  }
  return reader_.error(name, fmt::format("unknown global {}, expected one that is defined", describe(name)));
}

// `k(args) blocks x y z lanes x y z`; operands: the sizes, then the arguments.
bool BodyParser::parse_launch(Statement& statement) {
  PendingName pending;
  pending.is_launch = true;
  std::vector<Operand> arguments;
  if (!reader_.read_name(pending.token, "the name of a kernel") || !read_list(arguments)) return false;
  statement.name = reader_.intern(pending.token.text);
  pending.function = reader_.scope().program().intern_function(pending.token.text);
  pending_.push_back(std::move(pending));
  if (!reader_.expect_word("blocks") || !read_plain(3) || !reader_.expect_word("lanes") || !read_plain(3))
    return false;
  operands_.insert(operands_.end(), arguments.begin(), arguments.end());
  return true;
}

bool BodyParser::read_plain(size_t n) {
  for (size_t i = 0; i < n; ++i) {
    if (!read_operand(operands_)) return false;
  }
  return true;
}

bool BodyParser::read_list(std::vector<Operand>& out) {
  if (!reader_.expect('(')) return false;
  if (reader_.accept(')')) return true;
  do {
    if (!read_operand(out)) return false;
  } while (reader_.accept(','));
  return reader_.expect(')');
}

bool BodyParser::read_operand(std::vector<Operand>& out) {
  Operand operand;
  if (reader_.current().kind == Token::Kind::Value) {
    operand.kind = Operand::Kind::Value;
    operand.value = mention(value_names_, values_, reader_.current());
    reader_.advance();
  } else if (reader_.is_literal()) {
    if (!reader_.read_literal(operand.literal)) return false;
  } else if (!reader_.read_named_value(operand.literal, operand.name)) {
    return false;
  }
  out.push_back(operand);
  return true;
}

// --- names of values and blocks

uint32_t BodyParser::mention(std::unordered_map<std::string_view, uint32_t>& names, std::vector<Named>& list,
                             const Token& token) {
  const auto [entry, is_new] = names.try_emplace(token.text, static_cast<uint32_t>(list.size()));
  if (is_new) list.push_back({token});
  return entry->second;
}

bool BodyParser::define_value(const Token& token, const Type* declared, ValueId& id) {
  Named& named = values_[mention(value_names_, values_, token)];
  if (named.number != kNone) {
    return reader_.error(token,
                         fmt::format("value {} defined twice, expected another name", describe(token)));
  }
  id = named.number = static_cast<ValueId>(body_.values.size());
  body_.values.push_back({std::string(token.text), declared && declared->is_any() ? nullptr : declared});
  return true;
}

ValueId BodyParser::define_unnamed() {
  body_.values.emplace_back();
  return static_cast<ValueId>(body_.values.size() - 1);
}

bool BodyParser::resolve() {
  for (const Named& value : values_) {
    if (value.number == kNone) {
      reader_.error(value.token, fmt::format("unknown value {}, expected one that is defined in this method",
                                             describe(value.token)));
    }
  }
  for (const Named& block : blocks_) {
    if (block.number == kNone) {
      reader_.error(block.token,
                    fmt::format("unknown block {}, expected one of this method", describe(block.token)));
    }
  }
  bool is_whole = true;
  for (Block& block : body_.blocks) {
    if (block.handler != kNone) is_whole &= resolve_block(block.handler);
    for (Statement& statement : block.statements) is_whole &= resolve(statement.operands);
    is_whole &= resolve(block.terminator.value);
    for (Target& target : block.terminator.targets) {
      is_whole &= resolve_block(target.block);
      is_whole &= resolve(target.arguments);
    }
  }
  return is_whole;
}

bool BodyParser::resolve(std::vector<Operand>& operands) {
  bool is_whole = true;
  for (Operand& operand : operands) is_whole &= resolve(operand);
  return is_whole;
}

bool BodyParser::resolve(Operand& operand) {
  if (operand.kind == Operand::Kind::Value) operand.value = values_[operand.value].number;
  return operand.kind != Operand::Kind::Value || operand.value != kNone;
}

bool BodyParser::resolve_block(BlockId& block) {
  block = blocks_[block].number;
  return block != kNone;
}

}  // namespace berth::inference
