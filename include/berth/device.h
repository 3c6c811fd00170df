// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices: buffers, kernels, queues and timeline semaphores.
#ifndef BERTH_DEVICE_H
#define BERTH_DEVICE_H

#include "berth/error.h"

#endif
