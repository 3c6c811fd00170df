# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set(JIT_CHANNEL
  channel/channel.cpp
  channel/channel_api.cpp
  channel/channel_emitter.cpp
  channel/worker_pool.cpp)
