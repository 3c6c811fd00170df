// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The `berth` command: runs, tries out and shows programs of the reference language, of the IR and of LLVM.
#include <cstdio>
#include <exception>
#include <map>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "commands.hpp"

namespace {

int dispatch(CLI::App& app, int argc, char** argv) {
  using namespace berth::lang;
  RunOptions run_options;
  EmitOptions emit_options;
  const std::map<std::string, berth_tier_t> tiers{{"interpret", BERTH_TIER_INTERPRET},
                                                  {"fast", BERTH_TIER_FAST},
                                                  {"optimized", BERTH_TIER_OPTIMIZED},
                                                  {"adaptive", BERTH_TIER_ADAPTIVE}};
  app.require_subcommand(1);
  CLI::App* run_command =
      app.add_subcommand("run", "Run main() of each file on every thread and compare with NAME.out");
  run_command->add_option("FILE", run_options.files, ".bth, .bir, .ll or .bc")->required();
  run_command->add_option("--threads", run_options.threads, "Threads that call every main")
      ->check(CLI::Range(1, 4096));
  run_command->add_option("--tier", run_options.tier, "interpret, fast, optimized or adaptive")
      ->transform(CLI::CheckedTransformer(tiers));
  run_command->add_option("--device", run_options.device,
                          "Device of launches: host, host:threads=4, cuda:0, hip:0");
  run_command->add_flag("--stats", run_options.stats, "A table of what was inferred, reserved and compiled");
  run_command->add_option("--stats-json", run_options.stats_json, "The same as JSON into this file");
  run_command->add_option("--cache", run_options.cache,
                          "Directory of the object cache: what was compiled once is loaded the next time");
  run_command->add_option("--trace", run_options.trace, "A trace for chrome://tracing into this file");
  CLI::App* repl_command = app.add_subcommand("repl", "Read, evaluate, print");
  CLI::App* emit_command = app.add_subcommand("emit", "Show the code of a method");
  emit_command->add_option("FILE", emit_options.file, ".bth or .bir")->required();
  emit_command->add_option("METHOD", emit_options.method, "area(Circle); none: the whole file, as ir");
  emit_command->add_option("--as", emit_options.form, "ir, typed-ir, llvm, asm, ptx, amdgcn or spirv")
      ->check(CLI::IsMember({"ir", "typed-ir", "llvm", "asm", "ptx", "amdgcn", "spirv"}));
  emit_command->add_option("--target-cpu", emit_options.target_cpu, "sm_90, gfx942; none: this machine");
  CLI::App* devices_command = app.add_subcommand("devices", "List the devices");
  app.parse(argc, argv);
  if (run_command->parsed()) return run(run_options);
  if (repl_command->parsed()) return repl();
  if (emit_command->parsed()) return emit(emit_options);
  return devices_command->parsed() ? devices() : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Berth: a JIT compilation engine with reservation locks");
  try {
    return dispatch(app, argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "berth: %s\n", error.what());
    return 1;
  }
}
