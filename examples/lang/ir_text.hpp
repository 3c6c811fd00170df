// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The spelling of the IR text form (docs/ir.md): names, literals, and one method as blocks that are filled in
// any order.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "syntax.hpp"

namespace berth::lang {

std::string ir_name(std::string_view name);  // in backquotes where it is not a plain name
std::string ir_string(std::string_view text);
std::string ir_float(double value, std::string_view type);
std::string ir_literal(const Expression& literal);  // Integer, Float, String, Bool, Nothing

class MethodText {
 public:
  using BlockId = uint32_t;
  static constexpr BlockId kNoBlock = UINT32_MAX;

  std::string new_value() { return "%" + std::to_string(values_++); }
  BlockId new_block() { return blocks_++; }
  /// Statements go to this block from now on. handler: kNoBlock for none.
  void start(BlockId block, const std::vector<std::string>& parameters, BlockId handler);
  bool is_open() const noexcept { return current_ != SIZE_MAX; }
  /// Position of the open block, to end it later, and the way back to it.
  size_t leave_open() noexcept;
  void resume(size_t block) noexcept { current_ = block; }
  void statement(const std::string& text, Place at);
  void end(const std::string& terminator, Place at);
  std::string text() const;

 private:
  struct Block {
    BlockId id = 0;
    std::vector<std::string> parameters;
    BlockId handler = kNoBlock;
    std::string lines;
    Place last;
  };
  void line(const std::string& text, Place at);
  uint32_t values_ = 0, blocks_ = 0;
  size_t current_ = SIZE_MAX;
  std::vector<Block> started_;
};

}  // namespace berth::lang
