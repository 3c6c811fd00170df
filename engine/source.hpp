// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Source: what a release hands over: the result (payload, worlds, edges) and, if there is code, its body.
//
// The engine knows three bodies: native entry, constant bytes, and opaque (for compiler hooks). Floors above
// derive their own from SourceBody (LLVM text, bitcode, typed IR); the compiler recognises them by `kind()`.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "berth/config.h"
#include "engine/code_instance.hpp"

namespace berth::gc {
class SlotVisitor;
}

namespace berth::engine {

enum class BodyKind : uint8_t { Native, Constant, Opaque, LlvmIr, Bitcode, TypedIr };

class SourceBody {
 public:
  virtual ~SourceBody() = default;
  virtual BodyKind kind() const noexcept = 0;
  /// Bytes of memory, for back-pressure.
  virtual size_t size() const noexcept { return 0; }
  /// Managed references in a source not yet compiled are roots. World stopped.
  virtual void visit_roots(gc::SlotVisitor&) {}
};

class NativeBody final : public SourceBody {
 public:
  explicit NativeBody(void* entry) noexcept : entry(entry) {}
  BodyKind kind() const noexcept override { return BodyKind::Native; }
  void* const entry;
};

class ConstantBody final : public SourceBody {
 public:
  explicit ConstantBody(std::string bytes) : bytes(std::move(bytes)) {}
  BodyKind kind() const noexcept override { return BodyKind::Constant; }
  const std::string bytes;
};

class OpaqueBody final : public SourceBody {
 public:
  OpaqueBody(void* source, void (*drop)(void*)) noexcept : source(source), drop(drop) {}
  ~OpaqueBody() override {
    if (drop) drop(source);
  }
  BodyKind kind() const noexcept override { return BodyKind::Opaque; }
  void* const source;
  void (*const drop)(void*);
};

struct Edge {
  CodeInstanceRef callee;
  std::string symbol;  // empty: a back edge only
};

/// Move-only; consumed by release and publish. Dropping it runs the payload's drop function, never under an
/// engine lock.
struct Source {
  std::unique_ptr<SourceBody> body;  // null: result only
  bool has_worlds = false;
  uint64_t min_world = 0, max_world = UINT64_MAX;  // default: the lease's world, open
  berth_tier_t tier = BERTH_TIER_ADAPTIVE;
  bool lazy = false;
  bool isolated = false;
  berth_priority_t priority = BERTH_PRIORITY_NORMAL;
  bool is_incomplete = false;  // memory was missing for an edge: never published
  std::string entry_symbol;
  std::vector<Edge> edges;
  void* payload = nullptr;
  void (*drop_payload)(void*) = nullptr;

  ~Source() {
    if (payload && drop_payload) drop_payload(payload);
  }
};
using SourcePtr = std::unique_ptr<Source>;

}  // namespace berth::engine

struct berth_source : berth::engine::Source {};
