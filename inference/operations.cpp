// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/operations.hpp"

#include <unordered_map>

namespace berth::inference {
namespace {

constexpr Suffix none = Suffix::None, number = Suffix::Number, from_to = Suffix::FromTo;

constexpr OperationRow kRows[] = {
#define BERTH_X(name, text, suffix, operands) {text, suffix, operands},
    BERTH_OPERATIONS(BERTH_X)
#undef BERTH_X
};
constexpr size_t kNumOperations = sizeof(kRows) / sizeof(kRows[0]);

constexpr const char* kOrders[] = {"", "relaxed", "acquire", "release", "acq_rel", "seq_cst"};
constexpr const char* kScopes[] = {"system", "device", "block"};

}  // namespace

const OperationRow& row_of(Op op) noexcept { return kRows[static_cast<size_t>(op)]; }

bool find_operation(std::string_view text, Op& op) noexcept {
  static const auto* const table = [] {
    auto* made = new std::unordered_map<std::string_view, Op>;  // never freed: used until the process ends
    for (size_t i = 0; i < kNumOperations; ++i) made->emplace(kRows[i].text, static_cast<Op>(i));
    return made;
  }();
  const auto found = table->find(text);
  if (found == table->end()) return false;
  op = found->second;
  return true;
}

Shape shape_of(Op op) noexcept {
  switch (op) {
    case Op::Call:
    case Op::CallLatest:
    case Op::Spawn: return Shape::Call;
    case Op::Invoke: return Shape::Invoke;
    case Op::CallHost: return Shape::Host;
    case Op::New: return Shape::New;
    case Op::Field:
    case Op::Set:
    case Op::AtomicField:
    case Op::AtomicSet:
    case Op::RmwField:
    case Op::CasField: return Shape::Member;
    case Op::ArrayNew:
    case Op::Shared:
    case Op::BufferNew:
    case Op::ChannelNew: return Shape::TypeFirst;
    case Op::Is:
    case Op::Assert:
    case Op::Refine: return Shape::TypeLast;
    case Op::GlobalGet:
    case Op::GlobalSet: return Shape::Global;
    case Op::Launch: return Shape::Launch;
    case Op::Tuple:
    case Op::Print:
    case Op::ChannelPublish: return Shape::List;
    default: return Shape::Plain;
  }
}

Access access_of(Op op) noexcept {
  switch (op) {
    case Op::AtomicField:
    case Op::AtomicGet: return Access::Load;
    case Op::AtomicSet:
    case Op::AtomicPut: return Access::Store;
    case Op::RmwField:
    case Op::RmwItem:
    case Op::CasField:
    case Op::CasItem: return Access::ReadModifyWrite;
    default: return Access::None;
  }
}

bool is_legal_order(Access access, Order order) noexcept {
  switch (access) {
    case Access::None: return order == Order::None;
    case Access::Load: return order == Order::Relaxed || order == Order::Acquire || order == Order::SeqCst;
    case Access::Store: return order == Order::Relaxed || order == Order::Release || order == Order::SeqCst;
    case Access::ReadModifyWrite: return order != Order::None;
  }
  return false;
}

bool can_have_scope(Op op) noexcept {
  return op == Op::AtomicGet || op == Op::AtomicPut || op == Op::RmwItem || op == Op::CasItem;
}

bool is_legal_number(Op op, LeafKind kind) noexcept {
  switch (op) {
    case Op::Rem:
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::Shl:
    case Op::Shr: return is_integer(kind);
    case Op::Sqrt:
    case Op::Fma: return is_float(kind);
    default: return row_of(op).suffix == Suffix::Number && is_number(kind);
  }
}

bool is_legal_conversion(Op op, LeafKind from, LeafKind to) noexcept {
  if (row_of(op).suffix != Suffix::FromTo || !is_number(from) || !is_number(to) || from == to) return false;
  return op != Op::Bits || bytes_of(from) == bytes_of(to);
}

bool can_be_checked(Op op, LeafKind kind) noexcept {
  return (op == Op::Add || op == Op::Sub || op == Op::Mul) && is_integer(kind);
}

bool is_kernel_only(Op op) noexcept {
  switch (op) {
    case Op::Lane:
    case Op::Block:
    case Op::Lanes:
    case Op::Blocks:
    case Op::Shared:
    case Op::BarrierBlock:
    case Op::BarrierGrid:
    case Op::Fault: return true;
    default: return false;
  }
}

bool is_kernel_legal(Op op) noexcept {
  if (is_kernel_only(op) || row_of(op).suffix != Suffix::None) return true;
  switch (op) {
    case Op::Not:
    case Op::Same:
    case Op::Is:
    case Op::Assert:
    case Op::Refine:
    case Op::Call:
    case Op::Invoke:
    case Op::BufferLen:
    case Op::BufferGet:
    case Op::BufferSet:
    case Op::AtomicGet:
    case Op::AtomicPut:
    case Op::RmwItem:
    case Op::CasItem: return true;
    default: return false;
  }
}

bool takes_dimension(Op op) noexcept {
  return op == Op::Lane || op == Op::Block || op == Op::Lanes || op == Op::Blocks;
}

const char* name_of(Order order) noexcept { return kOrders[static_cast<size_t>(order)]; }
const char* name_of(Scope scope) noexcept { return kScopes[static_cast<size_t>(scope)]; }

bool find_order(std::string_view text, Order& order) noexcept {
  for (size_t i = 1; i < std::size(kOrders); ++i) {
    if (text != kOrders[i]) continue;
    order = static_cast<Order>(i);
    return true;
  }
  return false;
}

bool find_scope(std::string_view text, Scope& scope) noexcept {
  for (size_t i = 0; i < std::size(kScopes); ++i) {
    if (text != kScopes[i]) continue;
    scope = static_cast<Scope>(i);
    return true;
  }
  return false;
}

bool find_simple_kind(std::string_view text, LeafKind& kind) noexcept {
  for (size_t i = 0; i <= static_cast<size_t>(LeafKind::Task); ++i) {
    if (text != name_of(static_cast<LeafKind>(i))) continue;
    kind = static_cast<LeafKind>(i);
    return true;
  }
  return false;
}

}  // namespace berth::inference
