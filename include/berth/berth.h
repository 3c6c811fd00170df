// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Berth: a JIT compilation engine with reservation locks. This header includes all others.
#ifndef BERTH_BERTH_H
#define BERTH_BERTH_H

#include "berth/channel.h"
#include "berth/compiler.h"
#include "berth/config.h"
#include "berth/device.h"
#include "berth/engine.h"
#include "berth/error.h"
#include "berth/gc.h"
#include "berth/program.h"
#include "berth/reservation.h"
#include "berth/source.h"
#include "berth/thread.h"

#endif
