// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LlvmBody: LLVM IR text or bitcode as a source's body; read on the compile thread.
#pragma once
#include <string>
#include <utility>

#include "engine/source.hpp"

namespace berth::jit {

class LlvmBody final : public engine::SourceBody {
 public:
  LlvmBody(engine::BodyKind kind, std::string bytes) : bytes(std::move(bytes)), kind_(kind) {}
  engine::BodyKind kind() const noexcept override { return kind_; }
  size_t size() const noexcept override { return bytes.size(); }
  const std::string bytes;

 private:
  const engine::BodyKind kind_;  // LlvmIr or Bitcode
};

}  // namespace berth::jit
