// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What gc/'s C functions need from the engine floor.
#pragma once
#include "berth/config.h"

namespace berth::gc {

class Collector;

/// Defined by the engine floor, which knows what a berth_engine_t is.
Collector& collector_of(berth_engine_t* engine);

}  // namespace berth::gc
