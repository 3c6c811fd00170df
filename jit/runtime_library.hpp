// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime library: the closed list of functions that code generation may call by itself, or a source by
// name.
#pragma once
#include <string_view>

namespace berth::jit {

/// Address of a runtime-library function, or null. Threads: any. Blocks: never. GC: any, kept.
void* runtime_library_symbol(std::string_view name) noexcept;

}  // namespace berth::jit
