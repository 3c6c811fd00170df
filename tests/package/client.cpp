// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A C++ client against the installed package: the RAII header, a native source, and a lease given back by its
// destructor.
#include <cstdio>

#include "berth/berth.hpp"

namespace {
int answer() { return 42; }
}  // namespace

int main() {
  try {
    berth::EngineOwner engine;
    berth::ThreadOwner thread(engine);
    static const char method = 0;
    { const auto given_back = thread.reserve({&method, nullptr}); }
    auto reservation = thread.reserve({&method, nullptr});
    if (!reservation.lease) return 1;
    const berth::InstanceRef instance = reservation.lease.instance();
    reservation.lease.release(berth::SourceOwner::from_native(reinterpret_cast<void*>(&answer)));
    const auto entry = reinterpret_cast<int (*)()>(thread.wait_entry(instance));
    std::printf("%d\n", entry());
    return entry() == 42 ? 0 : 1;
  } catch (const berth::ApiError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
