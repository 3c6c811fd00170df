// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A client whose compiles run in the worker that is installed with the library.
#include <cstdio>

#include "berth/berth.hpp"

int main() {
  try {
    berth::ConfigOwner config(berth_config_new());
    berth_config_set_containment(config.get(), BERTH_CONTAINMENT_PROCESS);
    berth::EngineOwner engine(config.get());
    berth::ThreadOwner thread(engine);
    static const char method = 0;
    auto reservation = thread.reserve({&method, nullptr});
    const berth::InstanceRef instance = reservation.lease.instance();
    reservation.lease.release(berth::SourceOwner::from_ir("define i32 @f() {\n  ret i32 42\n}\n", "f"));
    const int answer = reinterpret_cast<int (*)()>(thread.wait_entry(instance))();
    std::printf("%d\n", answer);
    return answer == 42 ? 0 : 1;
  } catch (const berth::ApiError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
