// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The commands of `berth`. Each returns the exit code and throws Failure where it could not do its work.
#pragma once
#include <string>
#include <vector>

#include "berth/berth.h"

namespace berth::lang {

struct RunOptions {
  std::vector<std::string> files;
  unsigned threads = 1;
  berth_tier_t tier = BERTH_TIER_ADAPTIVE;
  std::string device, stats_json, trace, cache;
  bool stats = false;
};

struct EmitOptions {
  std::string file, method, form = "ir", target_cpu;
};

int run(const RunOptions& options);
int repl();
int emit(const EmitOptions& options);
int devices();

}  // namespace berth::lang
