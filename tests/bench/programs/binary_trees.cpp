// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/bench/programs/programs.hpp"

#include <memory>

namespace berth::bench::twins {
namespace {

struct Tree {
  std::unique_ptr<Tree> left, right;
};

std::unique_ptr<Tree> grow(int64_t depth) {
  auto tree = std::make_unique<Tree>();
  if (depth == 0) return tree;
  tree->left = grow(depth - 1);
  tree->right = grow(depth - 1);
  return tree;
}

int64_t count(const Tree& tree) { return tree.left ? 1 + count(*tree.left) + count(*tree.right) : 1; }

}  // namespace

std::string binary_trees() {
  const int64_t least = 4, most = 10;
  std::string out =
      "stretch tree of depth " + text_of(most + 1) + "\t check: " + text_of(count(*grow(most + 1))) + "\n";
  const auto long_lived = grow(most);
  for (int64_t depth = least; depth <= most; depth += 2) {
    const int64_t trees = int64_t{1} << (most - depth + least);
    int64_t check = 0;
    for (int64_t i = 0; i < trees; ++i) check += count(*grow(depth));
    out += text_of(trees) + "\t trees of depth " + text_of(depth) + "\t check: " + text_of(check) + "\n";
  }
  return out + "long lived tree of depth " + text_of(most) + "\t check: " + text_of(count(*long_lived)) +
         "\n";
}

}  // namespace berth::bench::twins
