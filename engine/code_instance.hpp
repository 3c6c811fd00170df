// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CodeInstance: token while reserved, result afterwards. One 64-bit word holds generation, leased bit, state and waiter bit.
//
//   (state table: contracts page "reservations", section 1; repeated here by the implementation)
#pragma once
#include <boost/intrusive_ptr.hpp>
#include <cstddef>
#include <cstdint>

#include "berth/reservation.h"
#include "support/sync.hpp"

namespace berth::engine {

struct CodeInstance;
struct Code;

void intrusive_ptr_add_ref(CodeInstance* instance) noexcept;
void intrusive_ptr_release(CodeInstance* instance) noexcept;
using CodeInstanceRef = boost::intrusive_ptr<CodeInstance>;

/// Immutable once published. Made by the compiler, freed through Compiler::retire.
struct Code {
  void* entry = nullptr;              // the source's own; for typed IR the boxed convention
  void* specialised_entry = nullptr;  // or null
  uint32_t convention = 0;            // of the specialised entry; the lowering's own number
  berth_tier_t tier = BERTH_TIER_FAST;
  const void* low = nullptr;          // range of the code, for retirement and backtraces
  const void* high = nullptr;
  void* backend = nullptr;            // the compiler's own record
};

/// The published code, or null. Threads: any. Blocks: never. GC: any, kept.
Code* instance_code(const CodeInstance& instance) noexcept;
/// Payload of a linked instance. As above.
void* instance_payload(const CodeInstance& instance) noexcept;
berth_key_t instance_key(const CodeInstance& instance) noexcept;
const char* instance_label(const CodeInstance& instance) noexcept;
uint64_t instance_min_world(const CodeInstance& instance) noexcept;
uint64_t instance_max_world(const CodeInstance& instance) noexcept;

}  // namespace berth::engine
