// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RandomProgram: a well-typed, terminating program of the IR from a start value: numbers, objects, arrays,
// strings, loops of all kinds, branches, handlers, calls of functions made earlier. Its `main` gives a number
// and prints; what it raises on the way it catches.
//
// A value is made where it can be used: the writer knows the names that are visible, with their kinds. Loops
// have literal bounds and calls go to earlier functions only, so everything ends; the statements that a run
// takes are estimated and bounded. Bits of a NaN are not looked at: which one an operation gives is not said.
#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace berth::test {

class RandomProgram {
 public:
  explicit RandomProgram(uint64_t seed) : random_(seed) {}

  std::string text() {
    std::string program = kHead;
    const int64_t functions = 2 + below(4);
    for (int64_t i = 0; i < functions; ++i) program += function("f" + std::to_string(i));
    return program + main_method();
  }

 private:
  enum Kind { I64, F64, Bool, I32, U8, Ints, Floats, Mutable, Pair, Text, Any, kKinds };
  struct Visible {
    std::string name;
    Kind kind;
  };
  struct Made {
    std::string name;
    std::vector<Kind> parameters;
    Kind result;
    uint64_t cost;
  };

  static constexpr const char* kTypes[] = {"i64",        "f64", "bool", "i32",    "u8", "array<i64>",
                                           "array<f64>", "M",   "P",    "string", "any"};
  static constexpr uint64_t kMostCost = 20'000;  // statements of one call
  static constexpr const char* kHead = R"(
mutable type M { a: i64, b: f64, c: any, next: M | nothing }
type P { x: i64, y: f64, z: string }
global count: i64 = 0
global last: any = nothing
method tame(%x: f64) -> f64 { ^0: %same = eq.f64 %x %x cond %same ^1 ^2 ^1: return %x ^2: return 0.0 }
)";

  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  bool once_in(int64_t n) { return below(n) == 0; }
  template <class T>
  const T& one_of(const std::vector<T>& from) {
    return from[static_cast<size_t>(below(static_cast<int64_t>(from.size())))];
  }
  const char* one_of(std::initializer_list<const char*> from) {
    return *(from.begin() + below(static_cast<int64_t>(from.size())));
  }
  std::string fresh() { return "%v" + std::to_string(values_++); }
  std::string label() { return "^" + std::to_string(++labels_); }
  Kind kind() { return static_cast<Kind>(below(kKinds)); }

  // Text.

  void line(const std::string& text) {
    out_ += "  " + text + "\n";
    cost_ += weight_;
  }
  std::string assign(const std::string& operation) {
    const std::string name = fresh();
    line(name + " = " + operation);
    return name;
  }
  void make(Kind kind, const std::string& operation) { visible_.push_back({assign(operation), kind}); }
  void start(const std::string& block, const std::vector<Visible>& parameters = {}) {
    out_ += block;
    for (size_t i = 0; i < parameters.size(); ++i)
      out_ += (i ? ", " : "(") + parameters[i].name +
              (once_in(3) ? std::string(": ") + kTypes[parameters[i].kind] : "");
    if (!parameters.empty()) out_ += ")";
    if (!handler_.empty()) out_ += " catch " + handler_;
    out_ += ":\n";
  }
  static std::string list(const std::vector<std::string>& arguments) {
    std::string text;
    for (const std::string& argument : arguments) text += (text.empty() ? "(" : ", ") + argument;
    return text.empty() ? text : text + ")";
  }

  // Operands.

  std::string literal(Kind kind) {
    switch (kind) {
      case I64:
        return one_of({"0", "1", "2", "3", "7", "-1", "-5", "63", "64", "255", "4096", "9223372036854775807",
                       "-9223372036854775808"});
      case F64: return one_of({"0.0", "1.0", "-1.5", "0.1", "1e10", "-1e300", "3.25"});
      case Bool: return once_in(2) ? "true" : "false";
      case I32: return one_of({"0:i32", "1:i32", "-1:i32", "2147483647:i32", "-2147483648:i32", "100:i32"});
      case U8: return one_of({"0:u8", "1:u8", "7:u8", "255:u8", "128:u8"});
      case Text: return one_of({"\"\"", "\"a\"", "\"text\"", "\"longer text\""});
      case Any: return one_of({"nothing", "1", "2.5", "\"s\"", "true", "9:u8"});
      default: return "";
    }
  }
  /// A visible value of the kind, a literal, or one made now.
  std::string some(Kind kind) {
    std::vector<std::string> names;
    for (const Visible& value : visible_)
      if (value.kind == kind || (kind == Any && once_in(3))) names.push_back(value.name);
    // Newer ones are likelier.
    if (!names.empty() && !once_in(6))
      return names[names.size() - 1 -
                   static_cast<size_t>(std::min(below(static_cast<int64_t>(names.size())),
                                                below(static_cast<int64_t>(names.size()))))];
    std::string text = literal(kind);
    if (!text.empty()) return text;
    switch (kind) {
      case Ints: make(Ints, "array.new i64 " + std::to_string(below(40)) + " " + some(I64)); break;
      case Floats: make(Floats, "array.new f64 " + std::to_string(8 + below(300)) + " " + some(F64)); break;
      case Mutable: {
        const std::string a = some(I64), b = some(F64), c = some(Any);
        make(Mutable, "new M(" + a + ", " + b + ", " + c + ", nothing)");
        break;
      }
      default: {
        const std::string x = some(I64), y = some(F64), z = some(Text);
        make(Pair, "new P(" + x + ", " + y + ", " + z + ")");
      }
    }
    return visible_.back().name;
  }
  std::vector<std::string> some_of(const std::vector<Kind>& kinds) {
    std::vector<std::string> names;
    for (const Kind kind : kinds) names.push_back(some(kind));
    return names;
  }
  std::string index() {
    const std::string any = some(I64);
    return once_in(3) ? any : assign("and.i64 " + any + " " + one_of({"7", "15", "31"}));
  }

  // Statements.

  void statement() {
    switch (below(24)) {
      case 0:
      case 1:
      case 2: {
        const std::string a = some(I64), b = some(I64);
        make(I64, std::string(one_of(
                      {"add", "sub", "mul", "and", "or", "xor", "shl", "shr", "min", "max", "add", "sub"})) +
                      ".i64 " + a + " " + b);
        break;
      }
      case 3: {
        const std::string a = some(I64), b = some(I64);
        make(I64, std::string(one_of(
                      {"div.i64", "rem.i64", "add.i64.checked", "mul.i64.checked", "sub.i64.checked"})) +
                      " " + a + " " + b);
        break;
      }
      case 4: make(I64, std::string(one_of({"neg", "abs"})) + ".i64 " + some(I64)); break;
      case 5:
      case 6: {
        const std::string a = some(F64), b = some(F64);
        make(F64,
             std::string(one_of({"add", "sub", "mul", "div", "min", "max", "mul"})) + ".f64 " + a + " " + b);
        break;
      }
      case 7: make(F64, std::string(one_of({"sqrt", "abs", "neg"})) + ".f64 " + some(F64)); break;
      case 8: {
        const std::string a = some(F64), b = some(F64), c = some(F64);
        make(F64, "fma.f64 " + a + " " + b + " " + c);
        break;
      }
      case 9: {
        const Kind of = std::vector<Kind>{I64, F64, I32, U8}[static_cast<size_t>(below(4))];
        const std::string a = some(of), b = some(of);
        make(Bool, std::string(one_of({"lt", "le", "eq"})) + "." + kTypes[of] + " " + a + " " + b);
        break;
      }
      case 10: {
        const Kind of = once_in(2) ? I32 : U8;
        const std::string a = some(of), b = some(of);
        make(of, std::string(one_of({"add", "sub", "mul", "xor", "shr", "shl", "min"})) + "." + kTypes[of] +
                     " " + a + " " + b);
        break;
      }
      case 11: convert(); break;
      case 12: make(I64, "array.len " + some(once_in(2) ? Ints : Floats)); break;
      case 13: {
        const bool ints = once_in(2);
        const std::string array = some(ints ? Ints : Floats), at = index();
        make(ints ? I64 : F64, "array.get " + array + " " + at);
        break;
      }
      case 14: {
        const bool ints = once_in(2);
        const std::string array = some(ints ? Ints : Floats), at = index(), value = some(ints ? I64 : F64);
        line("array.set " + array + " " + at + " " + value);
        break;
      }
      case 15: object(); break;
      case 16: {
        const std::string x = some(Any);
        make(Bool, "is " + x + " " + one_of({"i64", "f64", "string", "M", "P", "nothing"}));
        break;
      }
      case 17: {
        if (!once_in(5)) return statement();  // most raise
        const Kind to = std::vector<Kind>{I64, F64, Text, Mutable}[static_cast<size_t>(below(4))];
        const std::string x = some(Any);
        make(to, "assert " + x + " " + kTypes[to]);
        break;
      }
      case 18: {
        const std::string a = some(Text);
        make(Text, once_in(2) ? "string.of " + some(I64)
                              : "string.slice " + a + " 0 " + one_of({"0", "1", "1", "3"}));
        break;
      }
      case 19: make(I64, "string.len " + some(Text)); break;
      case 20: {
        const std::string a = some(I64), b = some(Any);
        const std::string tuple = assign("tuple(" + a + ", " + b + ", 3)");
        make(Any, "item " + tuple + " " + one_of({"0", "1", "2"}));
        break;
      }
      case 21: global(); break;
      case 22: call(); break;
      default: print(); break;
    }
  }
  void convert() {
    switch (below(6)) {
      case 0: make(I32, "truncate.i64.i32 " + some(I64)); break;
      case 1: make(I64, "convert.i32.i64 " + some(I32)); break;
      case 2: make(U8, "truncate.i64.u8 " + some(I64)); break;
      case 3: make(I64, "convert.u8.i64 " + some(U8)); break;
      case 4: make(F64, std::string(once_in(4) ? "convert" : "truncate") + ".i64.f64 " + some(I64)); break;
      default: make(I64, "truncate.f64.i64 " + assign("call tame(" + some(F64) + ")")); break;
    }
  }
  void object() {
    const std::string m = some(Mutable);
    switch (below(8)) {
      case 0: make(I64, "field " + m + ".a"); break;
      case 1: make(F64, "field " + m + ".b"); break;
      case 2: make(Any, "field " + m + ".c"); break;
      case 3: line("set " + m + ".a " + some(I64)); break;
      case 4: line("set " + m + ".b " + some(F64)); break;
      case 5: line("set " + m + ".c " + some(Any)); break;
      case 6: line("set " + m + ".next " + (once_in(3) ? "nothing" : some(Mutable))); break;
      default: make(Text, "field " + some(Pair) + ".z"); break;
    }
  }
  void global() {
    switch (below(4)) {
      case 0: make(I64, "global.get count"); break;
      case 1: make(Any, "global.get last"); break;
      case 2: line("global.set count " + some(I64)); break;
      default: line("global.set last " + some(Any)); break;
    }
  }
  void call() {
    std::vector<Made> callable;
    for (const Made& function : made_)
      if (cost_ + function.cost * weight_ < kMostCost) callable.push_back(function);
    if (callable.empty()) return;
    const Made function = one_of(callable);
    const std::vector<std::string> arguments = some_of(function.parameters);
    const std::string text = list(arguments);
    make(function.result, "call " + function.name + (text.empty() ? "()" : text));
    cost_ += function.cost * weight_;
  }
  void print() {
    if (weight_ > 20) return;
    const Kind of = std::vector<Kind>{I64, Bool, I32, U8, Text}[static_cast<size_t>(below(5))];
    line("print(" + some(of) + ", \"\\n\")");
  }

  // Constructs.

  void statements(int depth) {
    for (int64_t n = 2 + below(6); n-- > 0;) {
      const int64_t choice = depth < 3 ? below(12) : 11;
      if (choice == 0)
        branch(depth);
      else if (choice == 1)
        loop(depth);
      else if (choice == 2 && handler_.empty())
        guard(depth);
      else
        statement();
    }
  }
  std::vector<Kind> some_kinds() {
    std::vector<Kind> kinds;
    for (int64_t n = 1 + below(3); n-- > 0;) kinds.push_back(kind());
    return kinds;
  }
  std::vector<Visible> parameters_of(const std::vector<Kind>& kinds) {
    std::vector<Visible> parameters;
    for (const Kind kind : kinds) parameters.push_back({fresh(), kind});
    return parameters;
  }
  void add_all(const std::vector<Visible>& values) {
    visible_.insert(visible_.end(), values.begin(), values.end());
  }

  void branch(int depth) {
    const std::string condition = some(Bool), yes = label(), no = label(), join = label();
    const std::vector<Kind> kinds = some_kinds();
    const std::vector<Visible> before = visible_;
    line("cond " + condition + " " + yes + " " + no);
    for (const std::string& arm : {yes, no}) {
      start(arm);
      visible_ = before;
      statements(depth + 1);
      if (arm == no && once_in(6)) {
        line(once_in(2) ? "throw " + some(once_in(2) ? Text : I64) : "return " + some(result_));
      } else {
        line("br " + join + list(some_of(kinds)));
      }
    }
    visible_ = before;
    const std::vector<Visible> joined = parameters_of(kinds);
    start(join, joined);
    add_all(joined);
  }

  void loop(int depth) {
    const int64_t rounds = weight_ > 30 ? 1 + below(4) : once_in(3) ? 60 + below(300) : 1 + below(12);
    const std::string header = label(), body = label(), behind = label(), end = std::to_string(rounds);
    const std::vector<Kind> kinds = some_kinds();
    const int64_t form = below(4);
    std::vector<std::string> first = some_of(kinds);
    first.insert(first.begin(), form == 2 ? end : "0");
    line("br " + header + list(first));
    std::vector<Visible> parameters = parameters_of(kinds);
    parameters.insert(parameters.begin(), {fresh(), I64});
    const std::vector<Visible> before = visible_;
    start(header, parameters);
    add_all(parameters);
    const std::string counter = parameters[0].name;
    const std::string test = form == 0   ? "lt.i64 " + counter + " " + end
                             : form == 1 ? "le.i64 " + counter + " " + end
                             : form == 2 ? "lt.i64 0 " + counter
                                         : "lt.i64 " + counter + " " + end;
    std::vector<std::string> carried;
    for (size_t i = 1; i < parameters.size(); ++i) carried.push_back(parameters[i].name);
    const std::string condition = assign(test);
    line("cond " + condition + " " + body + " " + behind + list(carried));
    const uint64_t outer = weight_;
    weight_ *= static_cast<uint64_t>(rounds);
    start(body);
    statements(depth + 1);
    if (once_in(4)) {
      const std::string out = some(Bool), on = label();
      line("cond " + out + " " + behind + list(some_of(kinds)) + " " + on);
      start(on);
    }
    std::vector<std::string> next = some_of(kinds);
    const std::string step = form == 1   ? "add.i64 " + counter + " 2"
                             : form == 2 ? "sub.i64 " + counter + " 1"
                             : form == 3 ? "add.i64 " + counter + " 3"
                                         : "add.i64 " + counter + " 1";
    next.insert(next.begin(), assign(step));
    line("br " + header + list(next));
    weight_ = outer;
    visible_ = before;
    const std::vector<Visible> left = parameters_of(kinds);
    start(behind, left);
    add_all(left);
  }

  /// A protected region; what is raised in it is printed.
  void guard(int depth) {
    const std::string inside = label(), caught = label(), join = label();
    const std::vector<Kind> kinds = {kind()};
    const std::vector<Visible> before = visible_;
    line("br " + inside);
    handler_ = caught;
    start(inside);
    statements(depth + 1);
    line("br " + join + list(some_of(kinds)));
    handler_.clear();
    visible_ = before;
    const std::string error = fresh();
    out_ += caught + "(" + error + "):\n";
    const std::string what = assign("field " + error + ".kind"), said = assign("field " + error + ".text");
    if (weight_ <= 20) line("print(" + what + ", \"|\", " + said + ", \"\\n\")");
    visible_.push_back({said, Text});
    line("br " + join + list(some_of(kinds)));
    visible_ = before;
    const std::vector<Visible> joined = parameters_of(kinds);
    start(join, joined);
    add_all(joined);
  }

  // Methods.

  std::string function(const std::string& name) {
    Made made{name, {}, kind(), 0};
    begin();
    result_ = made.result;
    std::string head;
    for (int64_t n = below(4); n-- > 0;) {
      made.parameters.push_back(kind());
      visible_.push_back({fresh(), made.parameters.back()});
      head += (head.empty() ? "" : ", ") + visible_.back().name + ": " + kTypes[visible_.back().kind];
    }
    statements(0);
    line("return " + some(result_));
    made.cost = cost_;
    made_.push_back(made);
    return "method " + name + "(" + head + ")" + (once_in(2) ? std::string(" -> ") + kTypes[result_] : "") +
           " {\n^0:\n" + out_ + "}\n";
  }

  std::string main_method() {
    begin();
    result_ = I64;
    for (const Made& function : made_) {
      const std::string inside = label(), caught = label(), join = label();
      const std::vector<std::string> arguments = some_of(function.parameters);
      line("br " + inside);
      out_ += inside + " catch " + caught + ":\n";
      const std::string text = list(arguments);
      const std::string value = assign("call " + function.name + (text.empty() ? "()" : text));
      const std::string x = function.result == F64 ? assign("call tame(" + value + ")") : value;
      const bool is_shown = function.result == I64 || function.result == F64 || function.result == Text ||
                            function.result == Bool;
      if (is_shown) line("print(" + x + ", \"\\n\")");
      line("br " + join);
      const std::string error = fresh();
      out_ += caught + "(" + error + "):\n";
      const std::string said = assign("field " + error + ".text");
      line("print(\"raised \", " + said + ", \"\\n\")");
      line("br " + join);
      out_ += join + ":\n";
    }
    const std::string count = assign("global.get count");
    line("return " + count);
    return "method main() {\n^0:\n" + out_ + "}\n";
  }

  void begin() {
    out_.clear();
    visible_.clear();
    handler_.clear();
    values_ = 0;
    labels_ = 0;
    weight_ = 1;
    cost_ = 0;
  }

  std::mt19937_64 random_;
  std::vector<Made> made_;
  // Of the method being written.
  std::string out_, handler_;
  std::vector<Visible> visible_;
  Kind result_ = I64;
  uint64_t values_ = 0, labels_ = 0, weight_ = 1, cost_ = 0;
};

}  // namespace berth::test
