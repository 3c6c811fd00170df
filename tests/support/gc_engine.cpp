// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests of gc/ without the engine floor: an engine handle is a Collector.
#include "gc/collector.hpp"
#include "gc/gc_api.hpp"

namespace berth::gc {

Collector& collector_of(berth_engine_t* engine) { return *reinterpret_cast<Collector*>(engine); }

}  // namespace berth::gc
