// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gccjit: another code generator behind Berth's reservations. A small expression language, compiled by
// libgccjit on the threads that ask, through berth/compiler.h; linked with berth::engine, without LLVM.
//
// Eight threads call all functions of the program below, each beginning with another one. Each function is
// compiled exactly once, whoever comes first; each answer is compared with a tree-walking interpreter's.
//
// libgccjit takes a process-wide mutex for each compile, since GCC's own state is global: contexts may be
// used by several threads, one thread each, but compiles run one after another. So this generator has no
// threads of its own: whoever waits for an entry compiles it
// (`help`), and a thread that waits for that mutex is in a safe region.
#include <libgccjit.h>

#include <array>
#include <atomic>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "berth/berth.hpp"

namespace {

constexpr unsigned kThreads = 8;
constexpr std::string_view kProgram = R"(
  fib(n) = n < 2 ? n : fib(n - 1) + fib(n - 2)
  factorial(n) = n < 2 ? 1 : n * factorial(n - 1)
  gcd(a, b) = b < 1 ? a : gcd(b, a % b)
  power(b, n) = n < 1 ? 1 : n % 2 < 1 ? power(b * b % 1000003, n / 2) : b * power(b, n - 1) % 1000003
  even(n) = n < 1 ? 1 : odd(n - 1)
  odd(n) = n < 1 ? 0 : even(n - 1)
  collatz(n) = n < 2 ? 0 : 1 + collatz(n % 2 < 1 ? n / 2 : 3 * n + 1)
  ackermann(m, n) = m < 1 ? n + 1 : n < 1 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1))
  binomial(n, k) = factorial(n) / (factorial(k) * factorial(n - k))
  coprime(a, b) = gcd(a, b) < 2
)";

// The language: name(parameters) = expression, a line each. Numbers are int64_t.

struct Function;
struct Expression {
  char kind;           // number '0', parameter 'p', call '(', choice '?', else the operator
  int64_t number = 0;  // also: the parameter's index
  Function* callee = nullptr;
  std::vector<std::unique_ptr<Expression>> operands;
};
using Tree = std::unique_ptr<Expression>;
using Arguments = std::array<int64_t, 2>;

/// A method of the embedder: what Berth's keys point to.
struct Function {
  std::string name;
  std::vector<std::string> parameters;
  Tree body;
  // What generated code calls this function by. Set before the entry is published; callers get their own
  // entry after that of all functions that they reach (Calls::prepare), so a plain load in generated code
  // sees it.
  void* cell = nullptr;
  std::atomic<int> compiles{0};
};

struct Program {
  std::map<std::string, Function, std::less<>> functions;
  Function& at(std::string_view name) { return functions.find(name)->second; }
};

class Parser {
 public:
  Parser(std::string_view text, Program& program) : text_(text), program_(program) {}
  void parse() {
    while (skip()) {
      Function& function = program_.functions[identifier()];
      expect('(');
      do function.parameters.push_back(identifier());
      while (accept(','));
      expect(')');
      expect('=');
      current_ = &function;
      function.body = choice();
    }
    for (auto& [name, function] : program_.functions) {
      function.name = name;
      if (!function.body) throw std::runtime_error("the function \"" + name + "\" is called but not defined");
    }
  }

 private:
  bool skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ < text_.size();
  }
  bool accept(char c) {
    if (!skip() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c))
      throw std::runtime_error(std::string("expected '") + c + "' at byte " + std::to_string(at_));
  }
  std::string identifier() {
    skip();
    const size_t begin = at_;
    while (at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_]))) ++at_;
    if (begin == at_) throw std::runtime_error("expected a name at byte " + std::to_string(at_));
    return std::string(text_.substr(begin, at_ - begin));
  }
  static Tree make(char kind, Tree left, Tree right, Tree third = nullptr) {
    auto tree = std::make_unique<Expression>(Expression{kind, 0, nullptr, {}});
    for (Tree* each : {&left, &right, &third}) {
      if (*each) tree->operands.push_back(std::move(*each));
    }
    return tree;
  }
  Tree choice() {
    Tree condition = comparison();
    if (!accept('?')) return condition;
    Tree yes = choice();
    expect(':');
    return make('?', std::move(condition), std::move(yes), choice());
  }
  Tree comparison() {
    Tree left = sum();
    return accept('<') ? make('<', std::move(left), sum()) : std::move(left);
  }
  Tree sum() {
    Tree left = product();
    for (;;) {
      if (accept('+'))
        left = make('+', std::move(left), product());
      else if (accept('-'))
        left = make('-', std::move(left), product());
      else
        return left;
    }
  }
  Tree product() {
    Tree left = primary();
    for (;;) {
      if (accept('*'))
        left = make('*', std::move(left), primary());
      else if (accept('/'))
        left = make('/', std::move(left), primary());
      else if (accept('%'))
        left = make('%', std::move(left), primary());
      else
        return left;
    }
  }
  Tree primary() {
    if (accept('(')) {
      Tree inner = choice();
      expect(')');
      return inner;
    }
    if (skip() && std::isdigit(static_cast<unsigned char>(text_[at_]))) {
      auto tree = make('0', nullptr, nullptr);
      while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) {
        tree->number = tree->number * 10 + (text_[at_++] - '0');
      }
      return tree;
    }
    const std::string name = identifier();
    if (accept('(')) {
      auto tree = make('(', nullptr, nullptr);
      tree->callee = &program_.functions[name];
      do tree->operands.push_back(choice());
      while (accept(','));
      expect(')');
      return tree;
    }
    for (size_t i = 0; i < current_->parameters.size(); ++i) {
      if (current_->parameters[i] != name) continue;
      auto tree = make('p', nullptr, nullptr);
      tree->number = static_cast<int64_t>(i);
      return tree;
    }
    throw std::runtime_error("\"" + name + "\" is no parameter of this function");
  }

  std::string_view text_;
  Program& program_;
  size_t at_ = 0;
  Function* current_ = nullptr;
};

int64_t interpret(const Expression& tree, const Arguments& arguments) {
  const auto operand = [&](size_t i) { return interpret(*tree.operands[i], arguments); };
  switch (tree.kind) {
    case '0': return tree.number;
    case 'p': return arguments[static_cast<size_t>(tree.number)];
    case '?': return operand(0) ? operand(1) : operand(2);
    case '<': return operand(0) < operand(1);
    case '+': return operand(0) + operand(1);
    case '-': return operand(0) - operand(1);
    case '*': return operand(0) * operand(1);
    case '/': return operand(0) / operand(1);
    case '%': return operand(0) % operand(1);
    default: break;
  }
  Arguments inner{};
  for (size_t i = 0; i < tree.operands.size(); ++i) inner[i] = operand(i);
  return interpret(*tree.callee->body, inner);
}

/// One function's translation, in a context of its own.
class Translation {
 public:
  explicit Translation(Function& function) : context_(gcc_jit_context_acquire()) {
    if (!context_) throw std::runtime_error("libgccjit gave no context");
    gcc_jit_context_set_int_option(context_, GCC_JIT_INT_OPTION_OPTIMIZATION_LEVEL, 2);
    integer_ = gcc_jit_context_get_type(context_, GCC_JIT_TYPE_LONG_LONG);
    std::vector<gcc_jit_param*> parameters;
    for (const std::string& name : function.parameters) {
      parameters.push_back(gcc_jit_context_new_param(context_, nullptr, integer_, name.c_str()));
      parameters_.push_back(gcc_jit_param_as_rvalue(parameters.back()));
    }
    code_ = gcc_jit_context_new_function(context_, nullptr, GCC_JIT_FUNCTION_EXPORTED, integer_,
                                         function.name.c_str(), static_cast<int>(parameters.size()),
                                         parameters.data(), 0);
    block_ = gcc_jit_function_new_block(code_, nullptr);
    gcc_jit_rvalue* value = translate(*function.body);
    gcc_jit_block_end_with_return(block_, nullptr, value);
  }
  ~Translation() { gcc_jit_context_release(context_); }
  Translation(const Translation&) = delete;
  Translation& operator=(const Translation&) = delete;

  /// Null on failure; then error() says why.
  gcc_jit_result* compile() { return gcc_jit_context_compile(context_); }
  const char* error() { return gcc_jit_context_get_first_error(context_); }

 private:
  gcc_jit_rvalue* translate(const Expression& tree) {
    switch (tree.kind) {
      case '0': return gcc_jit_context_new_rvalue_from_long(context_, integer_, tree.number);
      case 'p': return parameters_[static_cast<size_t>(tree.number)];
      case '?': return translate_choice(tree);
      case '(': return translate_call(tree);
      default: break;
    }
    gcc_jit_rvalue *left = translate(*tree.operands[0]), *right = translate(*tree.operands[1]);
    if (tree.kind == '<') {
      return gcc_jit_context_new_cast(
          context_, nullptr,
          gcc_jit_context_new_comparison(context_, nullptr, GCC_JIT_COMPARISON_LT, left, right),
          gcc_jit_context_get_type(context_, GCC_JIT_TYPE_LONG_LONG));
    }
    const gcc_jit_binary_op op = tree.kind == '+'   ? GCC_JIT_BINARY_OP_PLUS
                                 : tree.kind == '-' ? GCC_JIT_BINARY_OP_MINUS
                                 : tree.kind == '*' ? GCC_JIT_BINARY_OP_MULT
                                 : tree.kind == '/' ? GCC_JIT_BINARY_OP_DIVIDE
                                                    : GCC_JIT_BINARY_OP_MODULO;
    return gcc_jit_context_new_binary_op(context_, nullptr, op, integer_, left, right);
  }

  gcc_jit_rvalue* translate_choice(const Expression& tree) {
    gcc_jit_lvalue* result =
        gcc_jit_function_new_local(code_, nullptr, integer_, ("t" + std::to_string(num_locals_++)).c_str());
    gcc_jit_rvalue* zero = gcc_jit_context_zero(context_, integer_);
    gcc_jit_rvalue* condition = gcc_jit_context_new_comparison(context_, nullptr, GCC_JIT_COMPARISON_NE,
                                                               translate(*tree.operands[0]), zero);
    gcc_jit_block* const branches[] = {gcc_jit_function_new_block(code_, nullptr),
                                       gcc_jit_function_new_block(code_, nullptr)};
    gcc_jit_block* join = gcc_jit_function_new_block(code_, nullptr);
    gcc_jit_block_end_with_conditional(block_, nullptr, condition, branches[0], branches[1]);
    for (size_t i = 0; i < 2; ++i) {
      block_ = branches[i];
      gcc_jit_rvalue* value = translate(*tree.operands[i + 1]);  // may move block_ on
      gcc_jit_block_add_assignment(block_, nullptr, result, value);
      gcc_jit_block_end_with_jump(block_, nullptr, join);
    }
    block_ = join;
    return gcc_jit_lvalue_as_rvalue(result);
  }

  // Through the callee's cell: callees may be compiled later, and call each other. The value goes to a local
  // at once: an rvalue of libgccjit is evaluated where it is used.
  gcc_jit_rvalue* translate_call(const Expression& tree) {
    std::vector<gcc_jit_rvalue*> arguments;
    for (const Tree& operand : tree.operands) arguments.push_back(translate(*operand));
    std::vector<gcc_jit_type*> types(arguments.size(), integer_);
    gcc_jit_type* pointer = gcc_jit_context_new_function_ptr_type(
        context_, nullptr, integer_, static_cast<int>(types.size()), types.data(), 0);
    gcc_jit_rvalue* cell =
        gcc_jit_context_new_rvalue_from_ptr(context_, gcc_jit_type_get_pointer(pointer), &tree.callee->cell);
    gcc_jit_rvalue* call = gcc_jit_context_new_call_through_ptr(
        context_, nullptr, gcc_jit_lvalue_as_rvalue(gcc_jit_rvalue_dereference(cell, nullptr)),
        static_cast<int>(arguments.size()), arguments.data());
    gcc_jit_lvalue* local =
        gcc_jit_function_new_local(code_, nullptr, integer_, ("t" + std::to_string(num_locals_++)).c_str());
    gcc_jit_block_add_assignment(block_, nullptr, local, call);
    return gcc_jit_lvalue_as_rvalue(local);
  }

  gcc_jit_context* context_;
  gcc_jit_type* integer_ = nullptr;
  gcc_jit_function* code_ = nullptr;
  gcc_jit_block* block_ = nullptr;  // where the next instruction goes
  std::vector<gcc_jit_rvalue*> parameters_;
  int num_locals_ = 0;
};

/// The code generator behind berth_compiler_hooks_t: jobs lie here until a thread that waits for one takes
/// it.
class Generator {
 public:
  berth_compiler_hooks_t hooks() {
    berth_compiler_hooks_t hooks{};
    hooks.struct_size = sizeof hooks;
    hooks.submit = [](void* self, berth_job_t* job) { static_cast<Generator*>(self)->submit(job); };
    hooks.help = [](void* self, berth_instance_t* instance, int64_t) {
      return static_cast<Generator*>(self)->help(instance);
    };
    hooks.retire = [](void*, void* code) { gcc_jit_result_release(static_cast<gcc_jit_result*>(code)); };
    hooks.stop = [](void* self, int) { static_cast<Generator*>(self)->stop(); };
    return hooks;
  }
  ~Generator() {
    for (gcc_jit_result* result : results_) gcc_jit_result_release(result);
  }

 private:
  void submit(berth_job_t* job) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(job);
  }
  int help(berth_instance_t* instance) {
    berth_job_t* job = nullptr;
    {
      const std::lock_guard lock(mutex_);
      for (auto each = jobs_.begin(); each != jobs_.end() && !job; ++each) {
        if (berth_job_instance(*each) != instance) continue;
        job = *each;
        jobs_.erase(each);
        break;
      }
    }
    if (!job) return 0;  // another thread compiles it
    compile(job);
    return 1;
  }
  void compile(berth_job_t* job) {
    auto& function = *static_cast<Function*>(berth_job_source(job));
    Translation translation(function);
    gcc_jit_result* result = translation.compile();
    void* entry = result ? gcc_jit_result_get_code(result, function.name.c_str()) : nullptr;
    if (!entry) {
      if (result) gcc_jit_result_release(result);
      berth_job_fail(job, translation.error());
      return;
    }
    function.cell = entry;
    function.compiles.fetch_add(1, std::memory_order_relaxed);
    {
      // Code that is published when the engine ends is not retired: it is ours to release.
      const std::lock_guard lock(mutex_);
      results_.push_back(result);
    }
    berth_job_publish(job, entry, nullptr);
  }
  void stop() {
    std::list<berth_job_t*> left;
    {
      const std::lock_guard lock(mutex_);
      left.swap(jobs_);
    }
    for (berth_job_t* job : left) berth_job_fail(job, "the engine shuts down");
  }

  std::mutex mutex_;
  std::list<berth_job_t*> jobs_;
  std::vector<gcc_jit_result*> results_;
};

/// What one thread asks: all functions, with code.
class Caller {
 public:
  explicit Caller(const berth::EngineOwner& engine) : thread_(engine) {}

  /// The entry of the function, those of all that it reaches being there. May wait.
  void* prepare(Function& function) {
    void*& entry = entries_[&function];
    if (entry) return entry;
    berth::ReservationResult reservation = thread_.reserve({&function, nullptr});
    berth::InstanceRef instance = std::move(reservation.published);
    if (reservation.lease) {
      instance = reservation.lease.instance();
      berth_source_t* source = nullptr;
      berth::check(berth_source_from_opaque(&function, nullptr, &source));
      berth_source_set_tier(source, BERTH_TIER_FAST);
      reservation.lease.release(berth::SourceOwner(source));
    }
    entry = thread_.wait_entry(instance);
    prepare_callees(*function.body);
    return entry;
  }
  int64_t call(Function& function, const Arguments& arguments) {
    void* entry = prepare(function);
    if (function.parameters.size() == 1) return reinterpret_cast<int64_t (*)(int64_t)>(entry)(arguments[0]);
    return reinterpret_cast<int64_t (*)(int64_t, int64_t)>(entry)(arguments[0], arguments[1]);
  }

 private:
  void prepare_callees(const Expression& tree) {
    if (tree.callee) prepare(*tree.callee);
    for (const Tree& operand : tree.operands) prepare_callees(*operand);
  }

  berth::ThreadOwner thread_;
  std::map<const Function*, void*> entries_;
};

struct Case {
  const char* function;
  Arguments arguments;
};
constexpr Case kCases[] = {{"fib", {20, 0}},     {"factorial", {15, 0}}, {"gcd", {1071, 462}},
                           {"power", {7, 1000}}, {"even", {1000, 0}},    {"odd", {999, 0}},
                           {"collatz", {27, 0}}, {"ackermann", {2, 7}},  {"binomial", {14, 5}},
                           {"coprime", {35, 64}}};

int run() {
  Program program;
  Parser(kProgram, program).parse();
  std::vector<int64_t> expected;
  for (const Case& each : kCases)
    expected.push_back(interpret(*program.at(each.function).body, each.arguments));

  Generator generator;
  std::atomic<int> calls{0}, wrong{0}, failed{0};
  {
    const berth::ConfigOwner config(berth_config_new());
    const berth_compiler_hooks_t hooks = generator.hooks();
    berth_config_set_compiler_hooks(config.get(), &hooks, &generator);
    berth::EngineOwner engine(config.get());
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        try {
          Caller caller(engine);
          for (size_t k = 0; k < std::size(kCases); ++k) {
            const size_t n = (i + k) % std::size(kCases);
            const int64_t answer = caller.call(program.at(kCases[n].function), kCases[n].arguments);
            calls.fetch_add(1);
            if (answer != expected[n]) wrong.fetch_add(1);
          }
        } catch (const std::exception& error) {
          std::fprintf(stderr, "gccjit: %s\n", error.what());
          failed.fetch_add(1);
        }
      });
    }
  }
  int once = 0;
  for (const auto& [name, function] : program.functions) once += function.compiles.load() == 1;
  std::printf("%u threads, %zu functions: compiled once %d, calls %d, wrong results %d, failed threads %d\n",
              kThreads, program.functions.size(), once, calls.load(), wrong.load(), failed.load());
  return once == static_cast<int>(program.functions.size()) && wrong == 0 && failed == 0 ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gccjit: %s\n", error.what());
    return 1;
  }
}
