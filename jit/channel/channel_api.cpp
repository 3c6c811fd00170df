// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C functions of berth/channel.h.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "engine/handles.hpp"
#include "jit/channel/worker_pool.hpp"
#include "support/api.hpp"

struct berth_worker_pool {
  std::unique_ptr<berth::jit::WorkerPool> pool;
};
struct berth_channel {
  std::unique_ptr<berth::jit::Channel> channel;
  berth::jit::WorkerPool* pool;
};

namespace {

using namespace berth;
using namespace berth::jit;

Error invalid(const char* found, const char* advice) {
  return make_error(BERTH_INVALID_ARGUMENT, "berth_channel_new", found, advice);
}

Result<ChannelOptions> options_of(const berth_channel_options_t& given) {
  berth_channel_options_t o{};  // what the caller's version of the struct holds; zero for the rest
  std::memcpy(&o, &given, std::min(given.struct_size, sizeof o));
  if (o.protocol != BERTH_PROTOCOL_TICKET) {
    return make_error(BERTH_UNSUPPORTED, "berth_channel_new", "the compat protocol is not built in",
                      "use BERTH_PROTOCOL_TICKET");
  }
  ChannelOptions options;
  options.out = o.direction == BERTH_DIRECTION_OUT;
  options.slots = o.slots == 0 ? 2 : o.slots;
  options.ahead = o.ahead == 0 ? options.slots : o.ahead;
  if (options.slots > 65536) return invalid("more than 65536 slots", "use fewer");
  if (options.ahead > options.slots)
    return invalid("more requests ahead than slots", "let ahead be at most slots");
  if (o.args_bytes > kMaxArgumentBytes)
    return invalid("arguments of more than 120 bytes", "pass a pointer to larger ones");
  options.slot_bytes = o.slot_bytes;
  options.argument_bytes = o.args_bytes;
  options.park = o.wait == BERTH_CHANNEL_WAIT_PARK;
  options.label = o.label ? o.label : "";
  options.stages.assign(o.stages, o.stages + o.stage_count);
  for (const berth_stage_t& stage : options.stages) {
    if (stage.kernel) {
      return make_error(BERTH_UNSUPPORTED, "berth_channel_new", "a kernel as a stage is not built in",
                        "launch it from a stage function");
    }
    if (!stage.run) return invalid("a stage without function", "set run");
  }
  if (o.pool && options.stages.empty()) return invalid("a pool without stages", "give at least one stage");
  return options;
}

Result<void> require(const char* call, const void* thread, const void* channel) {
  if (thread && channel) return success();
  return make_error(BERTH_INVALID_ARGUMENT, call, thread ? "channel is null" : "thread is null",
                    "pass a valid one");
}

}  // namespace

extern "C" {

berth_error_t* berth_worker_pool_new(berth_engine_t* engine, uint32_t threads, berth_worker_pool_t** out) {
  return at_boundary("berth_worker_pool_new", [&]() -> Result<void> {
    BERTH_TRY(auto pool, WorkerPool::make(*engine::to_engine(engine), threads));
    *out = new berth_worker_pool{std::move(pool)};
    return success();
  });
}

void berth_worker_pool_delete(berth_worker_pool_t* pool) { delete pool; }

berth_error_t* berth_channel_new(berth_engine_t* engine, const berth_channel_options_t* options,
                                 berth_channel_t** out) {
  return at_boundary("berth_channel_new", [&]() -> Result<void> {
    if (!engine || !options) return invalid("engine or options are null", "pass valid ones");
    BERTH_TRY(ChannelOptions own, options_of(*options));
    auto channel = std::make_unique<Channel>(*engine::to_engine(engine), std::move(own));
    WorkerPool* const pool = options->pool ? options->pool->pool.get() : nullptr;
    if (pool) {
      channel->set_on_publish([pool] { pool->wake(); });
      pool->add(*channel);
    }
    *out = new berth_channel{std::move(channel), pool};
    return success();
  });
}

void berth_channel_delete(berth_channel_t* channel) {
  if (!channel) return;
  channel->channel->close();
  if (channel->pool) channel->pool->remove(*channel->channel);
  channel->channel->close_and_wait();
  delete channel;
}

berth_error_t* berth_channel_wait_writable(berth_thread_t* thread, berth_channel_t* channel,
                                           int64_t timeout_ns, void** slot) {
  return at_boundary("berth_channel_wait_writable", [&]() -> Result<void> {
    BERTH_TRYV(require("berth_channel_wait_writable", thread, channel));
    BERTH_TRY(*slot, channel->channel->wait_writable(*engine::to_thread(thread), Deadline::in(timeout_ns)));
    return success();
  });
}

berth_error_t* berth_channel_publish(berth_thread_t* thread, berth_channel_t* channel, const void* args,
                                     int64_t timeout_ns, uint64_t* ticket) {
  return at_boundary("berth_channel_publish", [&]() -> Result<void> {
    BERTH_TRYV(require("berth_channel_publish", thread, channel));
    BERTH_TRY(const uint64_t given,
              channel->channel->publish(*engine::to_thread(thread), args, Deadline::in(timeout_ns)));
    if (ticket) *ticket = given;
    return success();
  });
}

berth_error_t* berth_channel_wait_readable(berth_thread_t* thread, berth_channel_t* channel, uint64_t ticket,
                                           int64_t timeout_ns, void** slot) {
  return at_boundary("berth_channel_wait_readable", [&]() -> Result<void> {
    BERTH_TRYV(require("berth_channel_wait_readable", thread, channel));
    BERTH_TRY(*slot,
              channel->channel->wait_readable(*engine::to_thread(thread), ticket, Deadline::in(timeout_ns)));
    return success();
  });
}

berth_error_t* berth_channel_drain(berth_thread_t* thread, berth_channel_t* channel, int64_t timeout_ns) {
  return at_boundary("berth_channel_drain", [&]() -> Result<void> {
    BERTH_TRYV(require("berth_channel_drain", thread, channel));
    return channel->channel->drain(*engine::to_thread(thread), Deadline::in(timeout_ns));
  });
}

berth_error_t* berth_channel_take(berth_thread_t* thread, berth_channel_t* channel, int64_t timeout_ns,
                                  uint64_t* ticket, void** slot, const void** args) {
  return at_boundary("berth_channel_take", [&]() -> Result<void> {
    BERTH_TRYV(require("berth_channel_take", thread, channel));
    BERTH_TRY(const Channel::Taken taken,
              channel->channel->take(*engine::to_thread(thread), Deadline::in(timeout_ns)));
    *ticket = taken.ticket;
    *slot = taken.slot;
    if (args) *args = taken.arguments;
    return success();
  });
}

void berth_channel_snap(berth_channel_t* channel, uint64_t ticket) { channel->channel->snap(ticket); }

void berth_channel_finish(berth_channel_t* channel, uint64_t ticket, berth_error_t* error) {
  if (!error) return channel->channel->finish(ticket, nullptr);
  Error owned = Error::adopt(error);
  channel->channel->finish(ticket, &owned);
}

void berth_channel_close(berth_channel_t* channel) { channel->channel->close(); }

berth_error_t* berth_channel_error(const berth_channel_t* channel) {
  const berth_error* failure = channel->channel->error();
  return failure ? make_error(failure->code, failure->message, "", "", failure->details).release() : nullptr;
}

}  // extern "C"
