// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thrown exceptions: the exception objects that linked code threw and that are not destroyed yet. One may
// name the code (its destructor) or its data (its type), wherever the object has gone: such code must stay.
//
// Process-wide, as exception objects are. Rank: a leaf. Cost: two locks per exception thrown by linked code.
#pragma once
#include <cstdint>
#include <typeinfo>

namespace berth::jit {

/// What linked code calls as __cxa_throw.
[[noreturn]] void throw_from_code(void* object, std::type_info* type, void (*destroy)(void*));
/// Whether an exception's destructor or type lies in [low, high). Threads: any. Blocks: short. GC: any, kept.
/// Errors: none.
bool has_thrown_from(uintptr_t low, uintptr_t high);

}  // namespace berth::jit
