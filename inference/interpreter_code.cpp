// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/interpreter_code.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "inference/code_choice.hpp"
#include "inference/interpreter.hpp"
#include "inference/program.hpp"
#include "inference/runtime_impl.hpp"

namespace berth::inference {
namespace {

using Code = InterpreterCode;

static_assert(Code::kNumCodes <= UINT8_MAX);

/// The code that branches on what `compare` gives; kBranch: none.
uint8_t branch_code(uint8_t compare) {
  switch (compare) {
    // clang-format off
#define BERTH_X(operation, number, type) \
  case Code::k##operation##number: return Code::kBranch##operation##number;
    BERTH_TESTS(BERTH_X)
#undef BERTH_X
    default: return Code::kBranch;
      // clang-format on
  }
}

class Maker {
 public:
  Maker(Runtime& runtime, const Method& method, const Body& body, Code& code)
      : runtime_(runtime), method_(method), body_(body), code_(code), choice_(runtime, method, body, code) {}
  void run();

 private:
  using Instruction = Code::Instruction;

  void number_registers();
  void count_uses();

  uint32_t constant(const Operand& operand);
  uint32_t place(const Operand& operand);

  Instruction& append(uint8_t code, const Statement* statement, const Position& position);
  void statement(const Statement& statement);
  void check(uint32_t place, Code::Check check, const Statement* statement, const Position& position,
             uint32_t result);
  void terminator(const Terminator& terminator, size_t& num_statements);
  void condition(const Terminator& terminator, size_t& num_statements);
  void edge(const berth::inference::Target& target, const Position& position);
  void moves(const berth::inference::Target& target, const Position& position);
  bool is_plain(const berth::inference::Target& target) const;

  struct Jump {
    uint32_t instruction;
    bool is_otherwise;
    BlockId block;
  };
  void jump_to(uint32_t instruction, bool is_otherwise, BlockId block) {
    jumps_.push_back({instruction, is_otherwise, block});
  }

  Runtime& runtime_;
  const Method& method_;
  const Body& body_;
  Code& code_;
  CodeChoice choice_;
  BlockId block_ = 0;
  uint32_t num_scratch_ = 0;
  std::vector<uint32_t> registers_;  // by value
  std::vector<uint32_t> uses_;       // by value
  std::vector<Code::Check> checks_;  // by value
  std::vector<Jump> jumps_;          // to a block, set when all have their place
  std::unordered_map<uint64_t, std::vector<uint32_t>> constant_index_;  // by bits
};

/// Arguments that an earlier move of the same edge overwrites.
std::vector<size_t> overwritten(const Body& body, const berth::inference::Target& target) {
  std::vector<size_t> found;
  std::unordered_set<ValueId> written;
  for (size_t i = 0; i < target.arguments.size(); ++i) {
    const Operand& argument = target.arguments[i];
    if (argument.kind == Operand::Kind::Value && written.contains(argument.value)) found.push_back(i);
    written.insert(body.blocks[target.block].parameters[i]);
  }
  return found;
}

void Maker::number_registers() {
  registers_.assign(body_.values.size(), kNone);
  checks_.resize(body_.values.size());
  uint32_t next = 0;
  for (const Block& block : body_.blocks) {
    for (const ValueId parameter : block.parameters) registers_[parameter] = next++;
    for (const Statement& statement : block.statements) registers_[statement.result] = next++;
    for (const berth::inference::Target& target : block.terminator.targets) {
      num_scratch_ = std::max(num_scratch_, static_cast<uint32_t>(overwritten(body_, target).size()));
    }
  }
  code_.num_registers = next + num_scratch_;
  for (ValueId value = 0; value < body_.values.size(); ++value)
    checks_[value] = Code::check_of(body_.values[value].declared);
}

void Maker::count_uses() {
  uses_.assign(body_.values.size(), 0);
  const auto count = [&](const Operand& operand) {
    if (operand.kind == Operand::Kind::Value) ++uses_[operand.value];
  };
  for (const Block& block : body_.blocks) {
    for (const Statement& statement : block.statements)
      std::for_each(statement.operands.begin(), statement.operands.end(), count);
    count(block.terminator.value);
    for (const berth::inference::Target& target : block.terminator.targets) {
      std::for_each(target.arguments.begin(), target.arguments.end(), count);
    }
  }
}

void Maker::run() {
  number_registers();
  for (const ValueId parameter : body_.blocks.front().parameters) {
    code_.parameters.push_back(registers_[parameter] * static_cast<uint32_t>(sizeof(Value)));
  }
  for (const Type* type : method_.signature) code_.parameter_checks.push_back(Code::check_of(type));
  count_uses();
  for (block_ = 0; block_ < body_.blocks.size(); ++block_) {
    const Block& block = body_.blocks[block_];
    Code::BlockEntry entry{static_cast<uint32_t>(code_.instructions.size()), block.handler, 0};
    if (block.handler != kNone) {
      entry.handler_register =
          registers_[body_.blocks[block.handler].parameters.front()] * static_cast<uint32_t>(sizeof(Value));
    }
    code_.blocks.push_back(entry);
    size_t num_statements = block.statements.size();
    const size_t first = code_.instructions.size();
    // The terminator may take in the last statements; what it does not, comes before it.
    terminator(block.terminator, num_statements);
    code_.details[first].cost = static_cast<uint32_t>(block.statements.size()) + 1;
  }
  for (const Jump& jump : jumps_) {
    Instruction& instruction = code_.instructions[jump.instruction];
    const auto distance =
        static_cast<int32_t>(code_.blocks[jump.block].pc) - static_cast<int32_t>(jump.instruction);
    (jump.is_otherwise ? instruction.otherwise : instruction.jump) = distance;
  }
}

uint32_t Maker::constant(const Operand& operand) {
  Literal literal = operand.literal;
  if (operand.kind == Operand::Kind::Name) {
    literal = {};
    literal.kind = LeafKind::Function;
    literal.function = runtime_.program().intern_function(*operand.name);
  }
  const Value value = literal.kind < LeafKind::String
                          ? Value::of_bits(literal.kind, literal.bits)
                          : object_value(literal.kind, runtime_.literal_object(literal));
  std::vector<uint32_t>& candidates = constant_index_[value.bits];
  for (const uint32_t index : candidates) {
    if (code_.constants[index].kind == value.kind) return index;
  }
  candidates.push_back(static_cast<uint32_t>(code_.constants.size()));
  code_.constants.push_back(value);
  return candidates.back();
}

uint32_t Maker::place(const Operand& operand) {
  const uint32_t index = operand.kind == Operand::Kind::Value ? registers_[operand.value]
                                                              : code_.num_registers + constant(operand);
  return index * static_cast<uint32_t>(sizeof(Value));
}

Code::Instruction& Maker::append(uint8_t code, const Statement* statement, const Position& position) {
  Code::Detail detail;
  detail.statement = statement;
  detail.position = &position;
  detail.block = block_;
  code_.details.push_back(detail);
  code_.instructions.emplace_back().code = code;
  return code_.instructions.back();
}

void Maker::check(uint32_t place, Code::Check check, const Statement* statement, const Position& position,
                  uint32_t result) {
  Instruction& instruction = append(Code::kCheck, statement, position);
  instruction.a = place;
  instruction.result = result;
  instruction.kind = check.kind;
  instruction.c = static_cast<uint32_t>(code_.checks.size());
  code_.checks.push_back(check);
}

void Maker::statement(const Statement& statement) {
  const auto first = static_cast<uint32_t>(code_.operands.size());
  for (const Operand& operand : statement.operands) code_.operands.push_back(place(operand));
  Instruction& instruction = append(Code::kGeneral, &statement, statement.position);
  code_.details.back().first = first;
  code_.details.back().count = static_cast<uint32_t>(statement.operands.size());
  instruction.result = registers_[statement.result] * static_cast<uint32_t>(sizeof(Value));
  const size_t n = statement.operands.size();
  if (n > 0) instruction.a = instruction.b = code_.operands[first];
  if (n > 1) instruction.b = code_.operands[first + 1];
  if (n > 2) instruction.c = code_.operands[first + 2];
  choice_.choose(instruction, statement);
  // A value that fails is shown in the error: it is in its register.
  const uint32_t result = instruction.result;
  if (checks_[statement.result].type)
    check(result, checks_[statement.result], &statement, statement.position, result);
}

void Maker::terminator(const Terminator& terminator, size_t& num_statements) {
  const std::vector<Statement>& statements = body_.blocks[block_].statements;
  if (terminator.kind == Terminator::Kind::Condition) return condition(terminator, num_statements);
  for (const Statement& made : statements) statement(made);
  const auto value = [&] { return place(terminator.value); };
  switch (terminator.kind) {
    case Terminator::Kind::Branch: return edge(terminator.targets[0], terminator.position);
    case Terminator::Kind::Return: {
      const uint32_t returned = value();
      if (const Code::Check declared = Code::check_of(method_.result); declared.type)
        check(returned, declared, nullptr, terminator.position, returned);
      append(Code::kReturn, nullptr, terminator.position).a = returned;
      return;
    }
    case Terminator::Kind::Throw: {
      const uint32_t thrown = value();
      append(Code::kThrow, nullptr, terminator.position).a = thrown;
      return;
    }
    case Terminator::Kind::Switch: {
      // Followed by a jump for each case, then the default's; case values are constants in `operands`.
      const uint32_t chosen = value();
      const auto first = static_cast<uint32_t>(code_.operands.size());
      for (const int64_t one : terminator.cases) {
        Operand literal;
        literal.literal = {LeafKind::I64, static_cast<uint64_t>(one)};
        code_.operands.push_back(place(literal));
      }
      append(Code::kSwitch, nullptr, terminator.position).a = chosen;
      code_.details.back().first = first;
      code_.details.back().count = static_cast<uint32_t>(terminator.cases.size());
      const auto jumps = static_cast<uint32_t>(code_.instructions.size());
      for (size_t i = 0; i < terminator.targets.size(); ++i)
        append(Code::kJump, nullptr, terminator.position);
      for (uint32_t i = 0; i < terminator.targets.size(); ++i) {
        if (is_plain(terminator.targets[i])) {
          jump_to(jumps + i, false, terminator.targets[i].block);
          continue;
        }
        code_.instructions[jumps + i].jump =
            static_cast<int32_t>(code_.instructions.size()) - static_cast<int32_t>(jumps + i);
        edge(terminator.targets[i], terminator.position);
      }
      return;
    }
    default: append(Code::kUnreachable, nullptr, terminator.position);
  }
}

// A compare that only the condition uses, perhaps through `not`, becomes one instruction with it.
void Maker::condition(const Terminator& terminator, size_t& num_statements) {
  const std::vector<Statement>& statements = body_.blocks[block_].statements;
  Operand tested = terminator.value;
  bool negated = false;
  const auto last_makes_it = [&] {
    return num_statements != 0 && tested.kind == Operand::Kind::Value &&
           statements[num_statements - 1].result == tested.value && uses_[tested.value] == 1 &&
           !checks_[tested.value].type;
  };
  while (last_makes_it() && statements[num_statements - 1].op == Op::Not &&
         choice_.kind_of(statements[num_statements - 1].operands[0]) == LeafKind::Bool) {
    tested = statements[--num_statements].operands[0];
    negated = !negated;
  }
  for (size_t i = 0; i < num_statements; ++i) statement(statements[i]);
  auto at = static_cast<uint32_t>(code_.instructions.size());
  const uint8_t fused =
      last_makes_it() ? branch_code(code_.instructions.back().code) : uint8_t{Code::kBranch};
  if (fused != Code::kBranch) {
    --at;
    code_.instructions.back().code = fused;
    code_.details.back().statement = nullptr;
    code_.details.back().position = &terminator.position;
  } else {
    const uint32_t value = place(tested);
    append(choice_.kind_of(tested) == LeafKind::Bool ? Code::kBranch : Code::kAnyBranch, nullptr,
           terminator.position)
        .a = value;
  }
  for (const bool is_otherwise : {false, true}) {
    const berth::inference::Target& target = terminator.targets[is_otherwise != negated ? 1 : 0];
    if (is_plain(target)) {
      jump_to(at, is_otherwise, target.block);
      continue;
    }
    const auto distance = static_cast<int32_t>(code_.instructions.size() - at);
    (is_otherwise ? code_.instructions[at].otherwise : code_.instructions[at].jump) = distance;
    edge(target, terminator.position);
  }
}

bool Maker::is_plain(const berth::inference::Target& target) const {
  return target.arguments.empty() && target.block > block_;
}

void Maker::edge(const berth::inference::Target& target, const Position& position) {
  const std::vector<ValueId>& parameters = body_.blocks[target.block].parameters;
  for (size_t i = 0; i < target.arguments.size(); ++i) {
    if (const Code::Check& declared = checks_[parameters[i]]; declared.type) {
      const uint32_t from = place(target.arguments[i]);
      check(from, declared, nullptr, position, from);
    }
  }
  moves(target, position);
  jump_to(static_cast<uint32_t>(code_.instructions.size()), false, target.block);
  append(target.block <= block_ ? Code::kLoop : Code::kJump, nullptr, position);
}

void Maker::moves(const berth::inference::Target& target, const Position& position) {
  const auto move = [&](uint32_t from, uint32_t to) {
    if (from == to) return;
    Instruction& instruction = append(Code::kMove, nullptr, position);
    instruction.a = from;
    instruction.result = to;
  };
  const auto scratch = [&](size_t i) {
    return (code_.num_registers - num_scratch_ + static_cast<uint32_t>(i)) *
           static_cast<uint32_t>(sizeof(Value));
  };
  const std::vector<size_t> saved = overwritten(body_, target);
  for (size_t i = 0; i < saved.size(); ++i) move(place(target.arguments[saved[i]]), scratch(i));
  size_t next = 0;
  for (size_t i = 0; i < target.arguments.size(); ++i) {
    const uint32_t to =
        registers_[body_.blocks[target.block].parameters[i]] * static_cast<uint32_t>(sizeof(Value));
    const bool is_saved = next < saved.size() && saved[next] == i;
    move(is_saved ? scratch(next++) : place(target.arguments[i]), to);
  }
}

}  // namespace

InterpreterCode::Check InterpreterCode::check_of(const Type* declared) {
  if (!declared || declared->is_any()) return {};
  Check check{declared, LeafKind::Nothing};
  const Leaf* leaf = declared->only_leaf;
  const bool is_whole =
      leaf && declared->parts.size() == 1 && declared->parts[0].precision == Part::Precision::Whole;
  if (is_whole && leaf->kind <= LeafKind::Task) check.kind = leaf->kind;
  return check;
}

InterpreterCode::InterpreterCode(Runtime& runtime, const Method& method, const Body& body)
    : method(method), kind{&Interpreter::scan, 0, &method} {
  Maker(runtime, method, body, *this).run();
}

}  // namespace berth::inference
