// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RawCompiler: the limit of the jit benches: the steps of a compile without an engine: read a batch into one
// context, verify, merge, one pooled machine, JITLink into one slab. One thread at a time.
#pragma once
#include <memory>
#include <span>
#include <string>

namespace berth::bench {

class RawCompiler {
 public:
  enum class Tier { Fast, Optimized };
  explicit RawCompiler(Tier tier);
  ~RawCompiler();
  RawCompiler(RawCompiler&&) noexcept;
  RawCompiler& operator=(RawCompiler&&) = delete;

  /// Sources whose names do not clash, into one object. Address of `entry`. Ends the process if something
  /// fails.
  void* compile(std::span<const std::string> texts, const std::string& entry) {
    return link(object_of(texts), entry);
  }
  // Its two halves.
  std::string object_of(std::span<const std::string> texts);
  void* link(const std::string& object, const std::string& entry);

 private:
  struct Tools;
  std::unique_ptr<Tools> tools_;
};

/// `define i64 @f<index>(i64)`, about 70 instructions in one block.
std::string burst_source(int index);
/// The same name and signature; a chain of loops over memory, some milliseconds at OPTIMIZED.
std::string heavy_source(int index);
/// `define i64 @f(i64 %x)`: x + n.
std::string trivial_source(int n);

}  // namespace berth::bench
