// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engine's compiler in schedules: none, or what the test asks for.
#include "tests/schedule/unit_compiler.hpp"

namespace berth::engine {

Result<void> check_target(const TargetChoice&) {
  return make_error(BERTH_UNSUPPORTED, "berth_config_set_target", "this library has no compiler",
                    "link libberth");
}
std::unique_ptr<Compiler> make_compiler(Engine&, CompileSink& sink, const CompilerOptions&) {
  if (!test::UnitCompiler::is_wanted()) return nullptr;
  return std::make_unique<test::UnitCompiler>(sink);
}

}  // namespace berth::engine
