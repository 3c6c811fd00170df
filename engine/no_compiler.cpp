// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engine alone has no compiler: sources are native, constant, or opaque for the embedder's own code
// generator.
#include "engine/compiler.hpp"

namespace berth::engine {

Result<void> check_target(const TargetChoice&) {
  return make_error(BERTH_UNSUPPORTED, "berth_config_set_target", "this library has no compiler",
                    "link libberth");
}
std::unique_ptr<Compiler> make_compiler(Engine&, CompileSink&, const CompilerOptions&) { return nullptr; }

}  // namespace berth::engine
