// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <memory>
#include <vector>

#include "tests/bench/programs/programs.hpp"

namespace berth::bench::twins {
namespace {

struct Shape {
  virtual ~Shape() = default;
  virtual int64_t area() const = 0;
};
struct Square final : Shape {
  int64_t side;
  explicit Square(int64_t n) : side(n) {}
  int64_t area() const override { return side * side; }
};
struct Bar final : Shape {
  int64_t length;
  explicit Bar(int64_t n) : length(n) {}
  int64_t area() const override { return length + 1; }
};

[[gnu::noinline]] int64_t total(const std::vector<std::unique_ptr<Shape>>& shapes) {
  int64_t sum = 0;
  for (const auto& shape : shapes) sum += shape->area();
  return sum;
}

}  // namespace

double dispatch(int64_t rounds) {
  std::vector<std::unique_ptr<Shape>> shapes;
  int64_t seed = 42;
  for (int64_t i = 0; i < kNumShapes; ++i) {
    seed = (seed * 3877 + 29573) % 139968;
    shapes.push_back(seed % 7 < 3 ? std::unique_ptr<Shape>(std::make_unique<Square>(i))
                                  : std::make_unique<Bar>(i));
  }
  int64_t sum = 0;
  for (int64_t round = 0; round < rounds; ++round) sum += total(shapes);
  return static_cast<double>(sum);
}

}  // namespace berth::bench::twins
