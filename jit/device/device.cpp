// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/device/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "jit/device/host_arena.hpp"

namespace berth::jit {
namespace {

Error bad_uri(std::string_view uri, std::string_view part) {
  return make_error(
      BERTH_INVALID_ARGUMENT, fmt::format("device \"{}\"", uri), fmt::format("unknown part \"{}\"", part),
      "use host or host:threads=N,order=ascending|descending|random,seed=S,context_limit=BYTES");
}

uint64_t next_device_id() {
  static sync::Atomic<uint64_t> next{1};  // only distinct numbers matter: relaxed
  return next.fetch_add(1, std::memory_order_relaxed);
}

Result<void> set_option(DeviceOptions& options, std::string_view key, std::string_view value) {
  if (key == "order") {
    if (value == "ascending")
      options.order = LaneOrder::Ascending;
    else if (value == "descending")
      options.order = LaneOrder::Descending;
    else if (value == "random")
      options.order = LaneOrder::Random;
    else
      return bad_uri(options.uri, value);
    return success();
  }
  uint64_t number = 0;
  const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (failed != std::errc() || end != value.data() + value.size()) return bad_uri(options.uri, value);
  if (key == "threads" && number >= 1 && number <= 1024)
    options.threads = static_cast<unsigned>(number);
  else if (key == "seed")
    options.seed = number;
  else if (key == "context_limit")
    options.context_limit = number;
  else
    return bad_uri(options.uri, key);
  return success();
}

}  // namespace

Result<DeviceOptions> parse_device_uri(std::string_view uri) {
  DeviceOptions options;
  options.uri = uri;
  options.threads = std::max(1u, std::thread::hardware_concurrency());
  std::string_view rest = uri;
  if (rest.starts_with("cuda") || rest.starts_with("hip") || rest.starts_with("fake")) {
    return make_error(BERTH_UNSUPPORTED, fmt::format("device \"{}\"", uri), "this build drives the host only",
                      "open \"host\"");
  }
  if (!rest.starts_with("host")) return bad_uri(uri, rest);
  rest.remove_prefix(4);
  if (rest.empty()) return options;
  if (rest.front() != ':') return bad_uri(uri, rest);
  rest.remove_prefix(1);
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const size_t equals = part.find('=');
    if (equals == std::string_view::npos) return bad_uri(uri, part);
    BERTH_TRYV(set_option(options, part.substr(0, equals), part.substr(equals + 1)));
  }
  return options;
}

Device::Device(engine::Engine& engine, DeviceOptions options)
    : engine_(engine), options_(std::move(options)), id_(next_device_id()) {
  HostArena::reserve(options_.threads);
  engine_.add_subsystem(this);
}

Device::~Device() {
  shutdown();
  engine_.remove_subsystem(this);
}

Result<Submission> Device::launch(const KernelRef& kernel, const Grid& grid,
                                  std::vector<LaunchArgumentValue> arguments) {
  const KernelDescription& description = kernel->description();
  const std::string asked = fmt::format("kernel \"{}\"", description.entry);
  if (kernel->device() != id_) {
    return make_error(BERTH_INVALID_ARGUMENT, asked, "it belongs to another device",
                      "make the kernel on the queue's device");
  }
  if (description.grid_barriers > 0 && !grid.cooperative) {
    return make_error(BERTH_INVALID_ARGUMENT, asked, "a grid barrier needs a cooperative launch",
                      "set grid.cooperative");
  }
  if (arguments.size() != description.arguments.size()) {
    return make_error(
        BERTH_INVALID_ARGUMENT, asked,
        fmt::format("{} arguments given, it takes {}", arguments.size(), description.arguments.size()),
        "pass one argument per parameter");
  }
  LaunchOptions options;
  options.entry = kernel->entry();
  std::copy_n(grid.blocks, 3, options.blocks);
  std::copy_n(grid.lanes, 3, options.lanes);
  options.dynamic_shared_bytes = grid.shared_bytes;
  options.static_shared_bytes = description.shared_bytes;
  options.lane_bytes = description.lane_bytes;
  options.has_grid_barrier = description.grid_barriers > 0;
  options.threads = options_.threads;
  options.order = options_.order;
  options.seed = options_.seed;
  options.context_limit = options_.context_limit;
  options.name = description.entry;
  Submission submission;
  submission.name = "launch";
  for (size_t i = 0; i < arguments.size(); ++i) {
    LaunchArgumentValue& argument = arguments[i];
    if (argument.kind != description.arguments[i]) {
      return make_error(BERTH_INVALID_ARGUMENT, asked, fmt::format("argument {} has the wrong kind", i),
                        "see berth_kernel_info_json");
    }
    if (argument.kind == KernelArgument::Buffer) {
      if (argument.buffer->device() != id_) {
        return make_error(BERTH_INVALID_ARGUMENT, asked,
                          fmt::format("the buffer of argument {} belongs to another device", i),
                          "make the buffer on the queue's device");
      }
      options.arguments.push_back(reinterpret_cast<uint64_t>(argument.buffer->memory() + argument.offset));
      submission.buffers.push_back(argument.buffer);
    } else {
      options.arguments.push_back(argument.word);
    }
  }
  if (grid.indirect) submission.buffers.push_back(grid.indirect);
  for (const uint32_t lanes : options.lanes) {
    if (lanes == 0)
      return make_error(BERTH_INVALID_ARGUMENT, asked, "a block of 0 lanes",
                        "give at least 1 lane in each dimension");
  }
  submission.operation = [options = std::move(options), kernel, indirect = grid.indirect,
                          offset = grid.indirect_offset]() mutable -> Result<void> {
    if (indirect) std::memcpy(options.blocks, indirect->memory() + offset, sizeof options.blocks);
    BERTH_TRY(const auto launch, Launch::make(options));
    return launch->run(
        [](std::shared_ptr<Launch> offered, unsigned helpers) { HostArena::offer(offered, helpers); });
  };
  return submission;
}

void Device::add_queue(Queue* queue) {
  sync::Lock lock(mutex_);
  queues_.push_back(queue);
}

void Device::remove_queue(Queue* queue) {
  sync::Lock lock(mutex_);
  std::erase(queues_, queue);
}

void Device::explain(engine::Explanation& explanation) {
  sync::Lock lock(mutex_);
  for (Queue* queue : queues_) queue->explain(explanation);
}

void Device::shutdown() {
  std::vector<Queue*> queues;
  {
    sync::Lock lock(mutex_);
    queues = queues_;
  }
  for (Queue* queue : queues) queue->close(BERTH_SHUT_DOWN);
}

}  // namespace berth::jit
