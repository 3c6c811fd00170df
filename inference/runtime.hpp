// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime: what a running program needs beyond arithmetic: layouts, boxing, errors, strings, arrays,
// dispatch, tasks, printing.
//
// One per Program; the interpreter and compiled code call the same functions, so each operation has one
// meaning. Convention: a function that can raise returns false and has set thread.pending_error; references
// passed in are rooted by the caller where the function may allocate ("allocates" below; it also polls). All
// run in state unsafe on the attached thread.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "gc/heap.hpp"
#include "inference/ir.hpp"
#include "inference/value.hpp"
#include "support/result.hpp"

namespace berth::inference {

class Program;

class InterpreterStack;
struct KernelLane;
enum class NumberFault : uint8_t;

/// What a thread inside a program has; at gc::Thread::language. Set by the outermost call, inherited by
/// spawned threads.
struct RuntimeThread {
  uint64_t world = 0;                // of the running call
  berth_thread_t* caller = nullptr;  // thread of the outermost call, for print
  uint32_t depth = 0;                // interpreter frames
  bool raw =
      false;  // interpret only, and what was defined: nothing is inferred (constant evaluation, the oracle)
  uint64_t steps = UINT64_MAX;        // interpreter's budget; used up: error "step budget"
  InterpreterStack* stack = nullptr;  // made by the first interpreted call
  const KernelLane* lane = nullptr;   // inside an interpreted kernel
};

// Frames. Each activation of a method, interpreted or compiled, that can raise, call or hold references links
// a gc::Frame with
//   kind->method   const Method*
//   position       const Position* of the statement it is at, or 0; lives as long as the method
// The innermost position is an error's `at`, "file:line"; its `stack` has a line "method at file:line" for
// each frame, at most 32. Positions whose file's name begins with '<' (a library's, as "<prelude>") are left
// out of both.

/// Scope of an outermost call: sets gc::Thread::language and the stack limit, restores what was there, the
/// shadow stack's head too.
class OutermostCall {
 public:
  OutermostCall(gc::Thread& thread, uint64_t world, berth_thread_t* caller);
  ~OutermostCall();
  OutermostCall(const OutermostCall&) = delete;
  OutermostCall& operator=(const OutermostCall&) = delete;
  RuntimeThread state;

 private:
  gc::Thread& thread_;
  void* const previous_;
  gc::Frame* const frames_;
};

/// Boxed convention of compiled code: 0 done, 1 raised (thread->pending_error).
using BoxedEntry = uint8_t (*)(gc::Thread* thread, const Value* arguments, uint64_t n, Value* result);

class Runtime {
 public:
  explicit Runtime(Program& program);
  ~Runtime();

  Program& program() noexcept { return program_; }
  gc::Heap& heap() noexcept;

  // Layouts; made at definition or on first use. Threads: any. Blocks: short.
  const gc::Type* layout(const Leaf* leaf);
  const gc::Type* box_layout(LeafKind kind);
  gc::Object* boolean(bool value) const noexcept;         // permanent
  gc::Object* function_object(const Function* function);  // permanent
  gc::Object* type_object(const Type* type);              // permanent
  gc::Object* literal_object(const Literal& literal);     // boxed form, permanent, one per literal

  // Values.
  bool box(gc::Thread&, const Value& value, gc::Object*& out);  // allocates for numbers
  static Value unbox(gc::Object* object) noexcept;
  const Leaf* leaf_of_value(const Value& value) noexcept;
  const Type* type_of_value(const Value& value);  // for dispatch: whole leaf; tuples with their items' types
  bool is(const Value& value, const Type* type);
  static bool same(const Value& a, const Value& b);

  // Errors: kind and text.
  //   method      no method add(i64, string) | ambiguous: f(i64, any) at a.bth:3, f(any, i64) at a.bth:4
  //   index       index 10 of 10
  //   arithmetic  division by zero | overflow
  //   conversion  cannot convert 1.5 to i64
  //   type        type: expected i64, got string
  //   field       no field q in Point
  //   stack       stack overflow
  //   steps       step budget
  //   memory      out of memory
  //   thrown      the text of what was thrown
  //   engine, device, channel, host, task   what the floor below said
  bool raise(gc::Thread&, std::string_view kind, std::string_view text,
             const Position* at = nullptr);                                // allocates; false
  bool raise_value(gc::Thread&, const Value& thrown, const Position* at);  // `throw v`
  bool raise_number(gc::Thread&, const Statement& statement, NumberFault fault, const Value* operands,
                    unsigned n);
  bool raise_type(gc::Thread&, std::string_view expected, const Value& found, const Position* at = nullptr);
  /// An error of a floor below, as a value. GC: unsafe.
  bool raise_error(gc::Thread&, std::string_view kind, const Error& error, const Position* at = nullptr);
  /// The pending error, taken: as a C error, with place and stack. For the C boundary.
  Error take_error(gc::Thread&);

  // Strings and arrays. All allocate unless said otherwise.
  bool string_new(gc::Thread&, std::string_view text, gc::Object*& out);
  static std::string_view string_view(const gc::Object* string) noexcept;  // valid until the next allocation
  bool string_concat(gc::Thread&, gc::Object* a, gc::Object* b, gc::Object*& out);
  bool string_slice(gc::Thread&, gc::Object* s, int64_t from, int64_t to, gc::Object*& out);
  bool string_of(gc::Thread&, const Value& value, gc::Object*& out);
  bool string_fixed(gc::Thread&, double value, int64_t decimals, gc::Object*& out);
  std::string text_of_value(const Value& value);  // as print writes it
  bool print(gc::Thread&, std::span<const Value> values);
  bool array_new(gc::Thread&, const Leaf* array, int64_t length, const Value& fill, gc::Object*& out);
  bool array_copy(gc::Thread&, gc::Object* array, gc::Object*& out);
  bool array_get(gc::Thread&, gc::Object* array, int64_t index, Value& out);
  bool array_set(gc::Thread&, gc::Object* array, int64_t index, const Value& value);
  bool struct_new(gc::Thread&, const StructType* type, std::span<const Value> fields, gc::Object*& out);
  bool field_get(gc::Thread&, const Value& object, uint32_t index, const std::string* name, Value& out);
  bool field_set(gc::Thread&, const Value& object, uint32_t index, const std::string* name,
                 const Value& value);
  bool tuple_new(gc::Thread&, std::span<const Value> items, gc::Object*& out);

  // Calls. Arguments are copied to roots by the callee's frame before anything allocates.
  /// The specialisation that these arguments select at `world`; null: raised. Hit: no lock.
  const Specialisation* dispatch(gc::Thread&, const Function& function, std::span<const Value> arguments,
                                 uint64_t world, const Position* at = nullptr);
  /// The specialisation that `invoke` names by its signature; null: raised.
  const Specialisation* fixed_method(gc::Thread&, const Statement& invoke, std::span<const Value> arguments);
  /// Dynamic dispatch at `world` (0: the thread's).
  bool call(gc::Thread&, const Function* function, std::span<const Value> arguments, uint64_t world,
            Value& result);
  bool call_value(gc::Thread&, const Value& function, std::span<const Value> arguments, uint64_t world,
                  Value& result);
  /// A fixed method, by the program's tier: interpreted, or inferred, compiled and entered.
  bool invoke(gc::Thread&, const Specialisation& callee, std::span<const Value> arguments, Value& result);
  bool spawn(gc::Thread&, const Value& function, std::span<const Value> arguments, gc::Object*& task);
  bool join(gc::Thread&, gc::Object* task, Value& result);

  /// Any statement by its generic meaning, on values; compiled code calls it for what it does not lower
  /// itself.
  bool execute(gc::Thread&, const Statement& statement, std::span<const Value> operands, Value& result);

  void set_print(void (*print)(void*, berth_thread_t*, const char*, size_t), void* context);

  /// Waits for spawned threads; afterwards nothing runs. Blocks: may wait. GC: must be safe or unattached.
  void wait_for_tasks();
  struct Counters {
    uint64_t fallbacks;  // compiles or inferences that failed, interpreted instead
  };
  Counters counters() const noexcept;

  struct Impl;  // of this floor's sources
  Impl& impl() noexcept { return *impl_; }

 private:
  Program& program_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::inference
