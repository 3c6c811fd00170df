// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CacheKey: what a compile depends on, as one BLAKE3 digest: the name of its object in an object cache.
//
// Two steps: the environment, which is one for all compiles of an engine, then the source. Not part of it:
// worlds, addresses, labels.
#pragma once
#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "berth/config.h"
#include "engine/source.hpp"

namespace berth::jit {

struct HostTarget;

struct CacheKey {
  std::array<uint8_t, 32> bytes{};
  auto operator<=>(const CacheKey&) const = default;
  /// 64 hexadecimal digits.
  std::string name() const;
  /// 62 bits of it: a place in a lock file.
  int64_t number() const noexcept;
};

/// What is the same for all compiles of an engine.
struct CacheEnvironment {
  std::string format;  // of unit files
  std::string engine;  // build id of Berth: runtime entry points, layouts, conventions, passes of its own;
                       // empty: built without one
  std::string llvm;    // version
  std::string triple, cpu, features, layout;
  std::string pipeline;  // passes per tier
  std::string code_model, floats, polls, bounds;

  static CacheEnvironment of(const HostTarget& host);
  CacheKey digest() const;
};

struct CacheSource {
  engine::BodyKind kind = engine::BodyKind::LlvmIr;
  std::string_view bytes;  // typed IR: bitcode of what it was lowered to
  std::string_view entry;
  std::vector<std::string_view> edges;
  berth_tier_t tier = BERTH_TIER_FAST;
  bool counted = false;
  std::string_view owner;  // its token

  CacheKey key(const CacheKey& environment) const;
};

}  // namespace berth::jit
