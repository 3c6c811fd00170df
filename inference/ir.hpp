// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// IR: SSA methods of basic blocks with parameters. What the parser makes, the verifier checks, inference
// types, the optimiser rewrites, the interpreter runs and jit/lowering compiles. Plain data; one owner at a
// time, immutable once defined or published.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "inference/types.hpp"

namespace berth::inference {

using ValueId = uint32_t;
using BlockId = uint32_t;
inline constexpr uint32_t kNone = UINT32_MAX;

struct Specialisation;

// X(enumerator, text, suffix, operands)
//   suffix   none; number: one leaf kind (`add.i64`); from_to: two (`convert.i64.f64`)
//   operands -1: any number
// Results: every statement has one (perhaps `nothing`), named in the text only if used.
// clang-format off: a table
#define BERTH_OPERATIONS(X)                                                                                \
  /* numbers; add sub mul wrap, with `.checked` they raise "overflow" */                                   \
  X(Add, "add", number, 2) X(Sub, "sub", number, 2) X(Mul, "mul", number, 2) X(Div, "div", number, 2)      \
  X(Rem, "rem", number, 2) X(And, "and", number, 2) X(Or, "or", number, 2) X(Xor, "xor", number, 2)        \
  X(Shl, "shl", number, 2) X(Shr, "shr", number, 2) X(Lt, "lt", number, 2) X(Le, "le", number, 2)          \
  X(Eq, "eq", number, 2) X(Neg, "neg", number, 1) X(Sqrt, "sqrt", number, 1) X(Abs, "abs", number, 1)      \
  X(Min, "min", number, 2) X(Max, "max", number, 2) X(Fma, "fma", number, 3)                               \
  X(Convert, "convert", from_to, 1)   /* exact or raises */                                                \
  X(Truncate, "truncate", from_to, 1) /* wraps; float to integer: toward zero, out of range raises */      \
  X(Bits, "bits", from_to, 1)         /* same size, bits kept */                                           \
  X(Not, "not", none, 1)              /* bool */                                                           \
  /* calls: operand 0 is the function (a name or a value), the others its arguments */                     \
  X(Call, "call", none, -1) X(CallLatest, "call.latest", none, -1)                                         \
  X(Invoke, "invoke", none, -1)       /* invoke name(types)(arguments); all operands are arguments */      \
  X(CallHost, "call.host", none, -1)  /* text: call.host symbol(arguments) type; i64 and f64 only */       \
  /* data */                                                                                               \
  X(New, "new", none, -1)             /* new Type(fields) */                                               \
  X(Field, "field", none, 1)          /* field %x.name; a struct's or an error's */                        \
  X(Set, "set", none, 2)              /* set %x.name %v */                                                 \
  X(Tuple, "tuple", none, -1) X(Item, "item", none, 2)                                                     \
  X(ArrayNew, "array.new", none, 2)   /* array.new T %length %fill */                                      \
  X(ArrayLen, "array.len", none, 1) X(ArrayGet, "array.get", none, 2) X(ArraySet, "array.set", none, 3)    \
  X(ArrayCopy, "array.copy", none, 1)                                                                      \
  X(StringLen, "string.len", none, 1) X(StringByte, "string.byte", none, 2)                                \
  X(StringSlice, "string.slice", none, 3)                                                                  \
  X(StringConcat, "string.concat", none, 2) X(StringEq, "string.eq", none, 2)                              \
  X(StringOf, "string.of", none, 1)                                                                        \
  X(StringFixed, "string.fixed", none, 2) /* f64, decimals */                                              \
  X(Print, "print", none, -1)         /* texts of the operands, nothing added */                           \
  X(Same, "same", none, 2)                                                                                 \
  /* tasks */                                                                                              \
  X(Spawn, "spawn", none, -1) X(Join, "join", none, 1)                                                     \
  /* types */                                                                                              \
  X(Is, "is", none, 1) X(TypeOf, "typeof", none, 1) X(Assert, "assert", none, 1)                           \
  X(Refine, "refine", none, 1)                                                                             \
  /* globals: global.get name, global.set name %v */                                                       \
  X(GlobalGet, "global.get", none, 0) X(GlobalSet, "global.set", none, 1)                                  \
  /* order: suffix .relaxed .acquire .release .acq_rel .seq_cst after the name */                          \
  X(AtomicField, "field.atomic", none, 1) X(AtomicSet, "set.atomic", none, 2)                              \
  X(AtomicGet, "array.get.atomic", none, 2) X(AtomicPut, "array.set.atomic", none, 3)                      \
  X(RmwField, "rmw.field", none, 2)   /* adds; gives the old value; rmw.field.seq_cst %x.name %v */        \
  X(RmwItem, "rmw.item", none, 3)     /* %array %index %v; also of a kernel's buffer, with a scope */      \
  X(CasField, "cas.field", none, 3)   /* %x.name %expected %new; gives a bool */                           \
  X(CasItem, "cas.item", none, 4)                                                                          \
  /* kernels: dimension 0..2 is a literal operand */                                                       \
  X(Lane, "lane", none, 1) X(Block, "block", none, 1) X(Lanes, "lanes", none, 1)                           \
  X(Blocks, "blocks", none, 1)                                                                             \
  X(Shared, "shared", none, 1)        /* shared T n: a buffer<T> of the block */                           \
  X(BarrierBlock, "barrier.block", none, 0) X(BarrierGrid, "barrier.grid", none, 0)                        \
  X(Fault, "fault", none, 1)                                                                               \
  /* buffers and launches */                                                                               \
  X(BufferOf, "buffer.of", none, 1) X(BufferArray, "buffer.array", none, 1)                                \
  X(BufferNew, "buffer.new", none, 1)                                                                      \
  X(BufferLen, "buffer.len", none, 1) X(BufferGet, "buffer.get", none, 2)                                  \
  X(BufferSet, "buffer.set", none, 3)                                                                      \
  X(Launch, "launch", none, -1)       /* launch k(args) blocks %x %y %z lanes %x %y %z; 6 sizes, args */   \
  /* channels: contract page "handshake", section 3 */                                                     \
  X(ChannelNew, "channel.new", none, 3) /* channel.new T %slot_length %slots %direction("out"|"in") */     \
  X(ChannelWaitWritable, "channel.wait_writable", none, 1) X(ChannelPublish, "channel.publish", none, -1)  \
  X(ChannelWaitReadable, "channel.wait_readable", none, 2) X(ChannelTake, "channel.take", none, 1)         \
  X(ChannelSnap, "channel.snap", none, 2) X(ChannelFinish, "channel.finish", none, 2)                      \
  X(ChannelClose, "channel.close", none, 1)
// clang-format on

enum class Op : uint8_t {
#define BERTH_X(name, text, suffix, operands) name,
  BERTH_OPERATIONS(BERTH_X)
#undef BERTH_X
};
const char* text_of(Op op) noexcept;

enum class Order : uint8_t { None, Relaxed, Acquire, Release, AcqRel, SeqCst };
enum class Scope : uint8_t { System, Device, Block };

struct InlineSite;
struct Method;

struct Position {
  const std::string* file = nullptr;  // interned by the program
  uint32_t line = 0, column = 0;
  const InlineSite* inlined =
      nullptr;  // of a statement that the optimiser took in from another method; owned by the Body
};

/// For stack traces through inlining: whose statement it was, and where that method was called (perhaps
/// inlined in turn).
struct InlineSite {
  const Method* method = nullptr;
  Position call;
};

struct Operand {
  enum class Kind : uint8_t { Value, Literal, Name };
  Kind kind = Kind::Literal;
  ValueId value = kNone;
  Literal literal;  // Literal; functions too, once resolved
  const std::string* name =
      nullptr;  // Name: a function, type or constant not yet resolved; only before definition
};

struct Statement {
  Op op = Op::Add;
  LeafKind number = LeafKind::Nothing;  // number suffix; from_to: from
  LeafKind to = LeafKind::Nothing;      // from_to: to
  bool checked = false;
  bool unchecked_bounds = false;  // set by the optimiser where the index is proven
  Order order = Order::None;
  Scope scope = Scope::System;
  ValueId result = kNone;  // always a value of the method
  std::vector<Operand> operands;
  const Type* type =
      nullptr;  // of new, array.new, is, assert, refine, shared, channel.new; result of call.host
  const std::string* name =
      nullptr;  // of field, set, global, host symbol, kernel of a launch, method of invoke
  std::vector<const Type*> signature;      // invoke
  const Specialisation* callee = nullptr;  // invoke, once inferred
  uint32_t field = kNone;                  // index, once resolved
  Position position;
};

struct Target {
  BlockId block = kNone;
  std::vector<Operand> arguments;
};

struct Terminator {
  enum class Kind : uint8_t { Branch, Condition, Switch, Return, Throw, Unreachable };
  Kind kind = Kind::Unreachable;
  Operand value;                // Condition, Switch, Return, Throw
  std::vector<Target> targets;  // Branch 1; Condition 2 (true, false); Switch cases then default
  std::vector<int64_t> cases;
  Position position;
};

struct Block {
  std::vector<ValueId> parameters;
  BlockId handler = kNone;  // takes every error raised here; its one parameter is the error
  std::vector<Statement> statements;
  Terminator terminator;
};

struct ValueDefinition {
  std::string name;                // as written; empty: numbered
  const Type* declared = nullptr;  // checked when the value is made
  const Type* inferred = nullptr;  // set by inference
};

/// One method body. Parameters are those of block 0.
struct Body {
  std::vector<ValueDefinition> values;
  std::vector<Block> blocks;
  std::vector<std::shared_ptr<const InlineSite>> inline_sites;  // shared with copies of the body
};

enum Effect : uint8_t {
  kSameResult = 1,
  kNoWrite = 2,
  kNoRaise = 4,
  kTerminates = 8,
  kNoSafepoint = 16,
  kAllEffects = 0,
  kPure = 31
};

/// A method as defined: immutable afterwards.
struct Method {
  const Function* function = nullptr;
  std::string name;
  std::vector<const Type*> signature;  // declared parameter types; any where not declared
  const Type* result = nullptr;        // declared; null: none
  bool is_kernel = false;
  Body body;
  Position position;
  uint64_t min_world = 0;  // of its definition
};

/// A generic function: a name; its methods are in the MethodTable.
struct Function {
  std::string name;
  const Leaf* leaf = nullptr;
};

/// Method with argument types, widened: the engine's key.method. Interned by the Program: equal means same
/// address.
struct Specialisation {
  const Method* method = nullptr;
  std::vector<const Type*> arguments;
  std::string name;  // "area(Circle)", for labels and symbols
};

/// The payload of an inferred instance.
struct TypedMethod {
  const Specialisation* specialisation = nullptr;
  Body body;  // optimised, every value with its inferred type
  const Type* result = nullptr;
  uint8_t effects = kAllEffects;
  bool limited = false;
  bool is_recursive = false;  // on a cycle of calls: never inlined
  bool is_inlinable = false;  // small and not recursive
  struct CalleeEdge {
    const Specialisation* callee;
  };
  struct CallEdge {
    const Function* function;
    std::vector<const Type*> arguments;
  };  // also "no match"
  struct ConstantEdge {
    std::string name;
  };
  std::vector<CalleeEdge> callees;
  std::vector<CallEdge> calls;
  std::vector<ConstantEdge> constants;
};

}  // namespace berth::inference
