// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C functions of berth/device.h.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "engine/handles.hpp"
#include "jit/device/calling_thread.hpp"
#include "jit/device/handles.hpp"
#include "support/api.hpp"

namespace {

using namespace berth;
using namespace berth::jit;

char* copy_string(const std::string& text) {
  char* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

Error missing(const char* call, const char* what) {
  return make_error(BERTH_INVALID_ARGUMENT, call, fmt::format("{} is null", what), "pass a valid one");
}

struct Required {
  const char* name;
  const void* object;
};

// The first handle that is null, as an error.
Result<void> require(const char* call, std::initializer_list<Required> objects) {
  for (const Required& required : objects) {
    if (!required.object) return missing(call, required.name);
  }
  return success();
}

Result<void> check_points(const char* call, const berth_points_t* points) {
  for (size_t i = 0; points && i < points->count; ++i) {
    if (!points->items || !points->items[i].semaphore) return missing(call, "a semaphore of the points");
  }
  return success();
}

std::vector<Point> points_of(const berth_points_t* points) {
  std::vector<Point> out;
  for (size_t i = 0; points && i < points->count; ++i)
    out.push_back({*points->items[i].semaphore->ref, points->items[i].value});
  return out;
}

// Waits and signals into the submission, after the checks of a call.
Result<void> add_points(Submission& submission, const berth_points_t* waits, const berth_points_t* signals) {
  BERTH_TRYV(check_points(submission.name, waits));
  BERTH_TRYV(check_points(submission.name, signals));
  submission.waits = points_of(waits);
  const std::vector<Point> own = points_of(signals);
  for (size_t i = 0; i < own.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (own[i].semaphore == own[j].semaphore) {
        return make_error(BERTH_INVALID_ARGUMENT, submission.name,
                          fmt::format("signals {} and {} name one semaphore", j, i),
                          "signal each semaphore once");
      }
    }
    if (own[i].value <= own[i].semaphore->value() && !own[i].semaphore->has_failed()) {
      return make_error(
          BERTH_INVALID_ARGUMENT, submission.name,
          fmt::format("signal to {} refused, value is {}", own[i].value, own[i].semaphore->value()),
          "signal a value above the current one");
    }
    for (const Point& wait : submission.waits) {
      if (wait.semaphore == own[i].semaphore && wait.value >= own[i].value) {
        return make_error(
            BERTH_INVALID_ARGUMENT, submission.name,
            fmt::format("it waits for {} of a semaphore that it signals to {}", wait.value, own[i].value),
            "wait for a smaller value");
      }
    }
  }
  for (const Point& point : own) submission.signals.emplace_back(Signaller(point.semaphore), point.value);
  return success();
}

// What the caller's version of the struct holds; zero for the rest.
berth_grid_t known_part(const berth_grid_t& given) {
  berth_grid_t known{};
  std::memcpy(&known, &given, std::min(given.struct_size, sizeof known));
  return known;
}

Result<void> check_device(const berth_queue_t* queue, const berth_buffer_t* buffer, const char* call) {
  if (buffer->ref->device() == queue->ref->device().id()) return success();
  return make_error(BERTH_INVALID_ARGUMENT, call, "the buffer belongs to another device",
                    "make the buffer on the queue's device");
}

Result<LaunchArgumentValue> argument_of(const berth_arg_t& argument, size_t index) {
  LaunchArgumentValue value{};
  switch (argument.kind) {
    case BERTH_ARG_BUFFER:
      if (!argument.buffer)
        return missing("berth_queue_launch", fmt::format("the buffer of argument {}", index).c_str());
      BERTH_TRYV(argument.buffer->ref->check_range("berth_queue_launch", argument.offset, argument.length));
      value.kind = KernelArgument::Buffer;
      value.buffer = argument.buffer->ref;
      value.offset = argument.offset;
      return value;
    case BERTH_ARG_I32:
      value.kind = KernelArgument::I32;
      std::memcpy(&value.word, &argument.i32, 4);
      return value;
    case BERTH_ARG_I64:
      value.kind = KernelArgument::I64;
      std::memcpy(&value.word, &argument.i64, 8);
      return value;
    case BERTH_ARG_F32:
      value.kind = KernelArgument::F32;
      std::memcpy(&value.word, &argument.f32, 4);
      return value;
    case BERTH_ARG_F64:
      value.kind = KernelArgument::F64;
      std::memcpy(&value.word, &argument.f64, 8);
      return value;
  }
  return make_error(BERTH_INVALID_ARGUMENT, "berth_queue_launch",
                    fmt::format("argument {} has no known kind", index), "use a BERTH_ARG constant");
}

}  // namespace

extern "C" {

berth_error_t* berth_device_count(berth_engine_t*, size_t* count) {
  *count = 1;  // the host; other drivers are not built in
  return nullptr;
}

berth_error_t* berth_device_uri(berth_engine_t*, size_t index, char** uri) {
  return at_boundary("berth_device_uri", [&]() -> Result<void> {
    if (index != 0) {
      return make_error(BERTH_INVALID_ARGUMENT, "berth_device_uri", fmt::format("index {} of 1", index),
                        "ask berth_device_count first");
    }
    *uri = copy_string("host");
    return success();
  });
}

berth_error_t* berth_device_open(berth_engine_t* engine, const char* uri, berth_device_t** out) {
  return at_boundary("berth_device_open", [&]() -> Result<void> {
    if (!engine) return missing("berth_device_open", "engine");
    BERTH_TRY(DeviceOptions options, parse_device_uri(uri ? uri : "host"));
    *out = new berth_device{std::make_shared<Device>(*engine::to_engine(engine), std::move(options))};
    return success();
  });
}

void berth_device_delete(berth_device_t* device) { delete device; }

char* berth_device_info_json(berth_device_t* device) {
  const DeviceOptions& options = device->ref->options();
  return copy_string(fmt::format("{{\"uri\":{},\"target\":\"host\",\"threads\":{},\"context_limit\":{}}}",
                                 json_quote(options.uri), options.threads, options.context_limit));
}

berth_error_t* berth_device_cooperative_limit(berth_device_t*, berth_kernel_t*, uint32_t, uint32_t,
                                              uint32_t* blocks) {
  *blocks = (1u << 24) - 1;  // tiles of one launch; blocks need not be resident on the host
  return nullptr;
}

berth_error_t* berth_buffer_new(berth_device_t* device, size_t bytes, berth_buffer_t** out) {
  return at_boundary("berth_buffer_new", [&]() -> Result<void> {
    if (!device) return missing("berth_buffer_new", "device");
    BERTH_TRY(BufferRef buffer, Buffer::make(device->ref->id(), bytes));
    *out = new berth_buffer{device->ref, std::move(buffer)};
    return success();
  });
}

void berth_buffer_delete(berth_buffer_t* buffer) { delete buffer; }

berth_error_t* berth_buffer_write(berth_buffer_t* buffer, size_t offset, const void* data, size_t bytes) {
  return at_boundary("berth_buffer_write", [&]() -> Result<void> {
    BERTH_TRYV(require("berth_buffer_write", {{"buffer", buffer}}));
    return buffer->ref->write(offset, data, bytes);
  });
}

berth_error_t* berth_buffer_read(berth_buffer_t* buffer, size_t offset, void* data, size_t bytes) {
  return at_boundary("berth_buffer_read", [&]() -> Result<void> {
    BERTH_TRYV(require("berth_buffer_read", {{"buffer", buffer}}));
    return buffer->ref->read(offset, data, bytes);
  });
}

berth_error_t* berth_kernel_new(berth_device_t* device, berth_source_t* source, const char* entry,
                                berth_kernel_t** out) {
  return at_boundary("berth_kernel_new", [&]() -> Result<void> {
    if (!device) return missing("berth_kernel_new", "device");
    if (!source) return missing("berth_kernel_new", "source");
    BERTH_TRY(KernelRef kernel, Kernel::make(*device->ref, *source, entry ? entry : source->entry_symbol));
    *out = new berth_kernel{device->ref, std::move(kernel)};
    return success();
  });
}

void berth_kernel_delete(berth_kernel_t* kernel) { delete kernel; }

char* berth_kernel_info_json(berth_kernel_t* kernel) {
  const KernelDescription& d = kernel->ref->description();
  std::string arguments;
  for (const KernelArgument argument : d.arguments) {
    constexpr const char* kNames[] = {"buffer", "i32", "i64", "f32", "f64"};
    arguments += fmt::format("{}\"{}\"", arguments.empty() ? "" : ",", kNames[static_cast<int>(argument)]);
  }
  return copy_string(fmt::format(
      "{{\"entry\":{},\"arguments\":[{}],\"block_barriers\":{},\"grid_barriers\":{},\"shared_bytes\":{},"
      "\"lane_bytes\":{}}}",
      json_quote(d.entry), arguments, d.block_barriers, d.grid_barriers, d.shared_bytes, d.lane_bytes));
}

berth_error_t* berth_queue_new(berth_device_t* device, berth_queue_t** out) {
  return at_boundary("berth_queue_new", [&]() -> Result<void> {
    if (!device) return missing("berth_queue_new", "device");
    *out = new berth_queue{std::make_shared<Queue>(device->ref)};
    return success();
  });
}

void berth_queue_delete(berth_queue_t* queue) {
  if (!queue) return;
  queue->ref->stop();
  delete queue;
}

berth_error_t* berth_queue_drain(berth_queue_t* queue, int64_t timeout_ns) {
  return at_boundary("berth_queue_drain", [&]() -> Result<void> {
    BERTH_TRYV(require("berth_queue_drain", {{"queue", queue}}));
    return queue->ref->drain(Deadline::in(timeout_ns));
  });
}

berth_error_t* berth_queue_launch(berth_queue_t* queue, berth_kernel_t* kernel, const berth_grid_t* given,
                                  const berth_args_t* args, const berth_points_t* waits,
                                  const berth_points_t* signals) {
  return at_boundary("berth_queue_launch", [&]() -> Result<void> {
    BERTH_TRYV(require("berth_queue_launch", {{"queue", queue}, {"kernel", kernel}, {"grid", given}}));
    const berth_grid_t own_grid = known_part(*given);
    const berth_grid_t* const grid = &own_grid;
    std::vector<LaunchArgumentValue> arguments;
    for (size_t i = 0; args && i < args->count; ++i) {
      BERTH_TRY(LaunchArgumentValue value, argument_of(args->items[i], i));
      arguments.push_back(std::move(value));
    }
    Grid captured{};
    std::copy_n(grid->blocks, 3, captured.blocks);
    std::copy_n(grid->lanes, 3, captured.lanes);
    captured.shared_bytes = grid->shared_bytes;
    captured.cooperative = grid->cooperative != 0;
    if (grid->indirect) {
      BERTH_TRYV(check_device(queue, grid->indirect, "berth_queue_launch"));
      BERTH_TRYV(grid->indirect->ref->check_range("berth_queue_launch", grid->indirect_offset, 12));
      captured.indirect = grid->indirect->ref;
      captured.indirect_offset = grid->indirect_offset;
    }
    BERTH_TRY(Submission submission,
              queue->ref->device().launch(kernel->ref, captured, std::move(arguments)));
    BERTH_TRYV(add_points(submission, waits, signals));
    return queue->ref->submit(std::move(submission));
  });
}

berth_error_t* berth_queue_barrier(berth_queue_t* queue, const berth_points_t* waits,
                                   const berth_points_t* signals) {
  return at_boundary("berth_queue_barrier", [&]() -> Result<void> {
    BERTH_TRYV(require("berth_queue_barrier", {{"queue", queue}}));
    Submission submission;
    submission.name = "barrier";
    BERTH_TRYV(add_points(submission, waits, signals));
    return queue->ref->submit(std::move(submission));
  });
}

berth_error_t* berth_queue_copy(berth_queue_t* queue, berth_buffer_t* from, size_t from_offset,
                                berth_buffer_t* to, size_t to_offset, size_t bytes,
                                const berth_points_t* waits, const berth_points_t* signals) {
  return at_boundary("berth_queue_copy", [&]() -> Result<void> {
    BERTH_TRYV(require("berth_queue_copy", {{"queue", queue}, {"from", from}, {"to", to}}));
    BERTH_TRYV(check_device(queue, from, "berth_queue_copy"));
    BERTH_TRYV(check_device(queue, to, "berth_queue_copy"));
    BERTH_TRYV(from->ref->check_range("berth_queue_copy", from_offset, bytes));
    BERTH_TRYV(to->ref->check_range("berth_queue_copy", to_offset, bytes));
    if (from->ref == to->ref && from_offset < to_offset + bytes && to_offset < from_offset + bytes) {
      return make_error(BERTH_INVALID_ARGUMENT, "berth_queue_copy", "the ranges overlap",
                        "copy through another buffer");
    }
    Submission submission;
    submission.name = "copy";
    submission.buffers = {from->ref, to->ref};
    submission.operation = [source = from->ref->memory() + from_offset,
                            target = to->ref->memory() + to_offset, bytes]() -> Result<void> {
      std::memcpy(target, source, bytes);
      return success();
    };
    BERTH_TRYV(add_points(submission, waits, signals));
    return queue->ref->submit(std::move(submission));
  });
}

berth_error_t* berth_queue_fill(berth_queue_t* queue, berth_buffer_t* to, size_t offset, size_t bytes,
                                uint64_t pattern, size_t pattern_bytes, const berth_points_t* waits,
                                const berth_points_t* signals) {
  return at_boundary("berth_queue_fill", [&]() -> Result<void> {
    BERTH_TRYV(require("berth_queue_fill", {{"queue", queue}, {"to", to}}));
    BERTH_TRYV(check_device(queue, to, "berth_queue_fill"));
    BERTH_TRYV(to->ref->check_range("berth_queue_fill", offset, bytes));
    const bool known = pattern_bytes == 1 || pattern_bytes == 2 || pattern_bytes == 4 || pattern_bytes == 8;
    if (!known || offset % pattern_bytes != 0 || bytes % pattern_bytes != 0) {
      return make_error(
          BERTH_INVALID_ARGUMENT, "berth_queue_fill",
          fmt::format("offset {}, length {}, pattern of {} bytes", offset, bytes, pattern_bytes),
          "use a pattern of 1, 2, 4 or 8 bytes, offset and length multiples of it");
    }
    Submission submission;
    submission.name = "fill";
    submission.buffers = {to->ref};
    submission.operation = [target = to->ref->memory() + offset, bytes, pattern,
                            pattern_bytes]() -> Result<void> {
      for (size_t i = 0; i < bytes; i += pattern_bytes) std::memcpy(target + i, &pattern, pattern_bytes);
      return success();
    };
    BERTH_TRYV(add_points(submission, waits, signals));
    return queue->ref->submit(std::move(submission));
  });
}

berth_error_t* berth_queue_update(berth_queue_t* queue, const void* data, berth_buffer_t* to, size_t offset,
                                  size_t bytes, const berth_points_t* waits, const berth_points_t* signals) {
  return at_boundary("berth_queue_update", [&]() -> Result<void> {
    BERTH_TRYV(require("berth_queue_update", {{"queue", queue}, {"to", to}}));
    BERTH_TRYV(check_device(queue, to, "berth_queue_update"));
    BERTH_TRYV(to->ref->check_range("berth_queue_update", offset, bytes));
    Submission submission;
    submission.name = "update";
    submission.buffers = {to->ref};
    submission.operation = [target = to->ref->memory() + offset,
                            copy = std::string(static_cast<const char*>(data), bytes)]() -> Result<void> {
      std::memcpy(target, copy.data(), copy.size());
      return success();
    };
    BERTH_TRYV(add_points(submission, waits, signals));
    return queue->ref->submit(std::move(submission));
  });
}

berth_error_t* berth_semaphore_new(berth_engine_t* engine, uint64_t initial, berth_semaphore_t** out) {
  return at_boundary("berth_semaphore_new", [&]() -> Result<void> {
    if (!engine) return missing("berth_semaphore_new", "engine");
    if (initial >> 63) {
      return make_error(BERTH_INVALID_ARGUMENT, "berth_semaphore_new",
                        fmt::format("initial value {}", initial), "stay below 2^63");
    }
    *out = new berth_semaphore{
        Signaller(std::make_shared<TimelineSemaphore>(engine::to_engine(engine)->collector(), initial))};
    return success();
  });
}

void berth_semaphore_delete(berth_semaphore_t* semaphore) { delete semaphore; }

berth_error_t* berth_semaphore_query(berth_semaphore_t* semaphore, uint64_t* value) {
  return at_boundary("berth_semaphore_query", [&]() -> Result<void> {
    BERTH_TRYV(require("berth_semaphore_query", {{"semaphore", semaphore}}));
    const TimelineSemaphore& s = **semaphore->ref;
    if (s.has_failed()) return s.failure();
    *value = s.value();
    return success();
  });
}

berth_error_t* berth_semaphore_signal(berth_semaphore_t* semaphore, uint64_t value) {
  return at_boundary("berth_semaphore_signal", [&]() -> Result<void> {
    BERTH_TRYV(require("berth_semaphore_signal", {{"semaphore", semaphore}}));
    const SemaphoreRef keep = *semaphore->ref;  // a callback may delete the handle
    return keep->signal(value);
  });
}

void berth_semaphore_fail(berth_semaphore_t* semaphore, berth_error_t* error) {
  const SemaphoreRef keep = *semaphore->ref;
  keep->fail(error ? Error::adopt(error)
                   : make_error(BERTH_CANCELLED, "semaphore", "failed without a reason", "give an error"));
}

berth_error_t* berth_semaphore_wait(berth_semaphore_t* semaphore, uint64_t value, int64_t timeout_ns) {
  return at_boundary("berth_semaphore_wait", [&]() -> Result<void> {
    BERTH_TRYV(require("berth_semaphore_wait", {{"semaphore", semaphore}}));
    const Point point{*semaphore->ref, value};
    return wait_all({&point, 1}, Deadline::in(timeout_ns));
  });
}

berth_error_t* berth_semaphore_wait_all(const berth_points_t* points, int64_t timeout_ns) {
  return at_boundary("berth_semaphore_wait_all", [&]() -> Result<void> {
    BERTH_TRYV(check_points("berth_semaphore_wait_all", points));
    return wait_all(points_of(points), Deadline::in(timeout_ns));
  });
}

berth_error_t* berth_semaphore_wait_any(const berth_points_t* points, int64_t timeout_ns, size_t* index) {
  return at_boundary("berth_semaphore_wait_any", [&]() -> Result<void> {
    BERTH_TRYV(check_points("berth_semaphore_wait_any", points));
    BERTH_TRY(*index, wait_any(points_of(points), Deadline::in(timeout_ns)));
    return success();
  });
}

}  // extern "C"
