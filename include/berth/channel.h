// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Channels: the ticket protocol between generated code and helper threads.
#ifndef BERTH_CHANNEL_H
#define BERTH_CHANNEL_H

#include "berth/device.h"

#endif
