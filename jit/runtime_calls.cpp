// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RuntimeCalls over this floor: a program's buffers and launches go to a device, its channels to jit/channel.
//
// A launch returns when it is done, so it runs on the calling thread, which takes part in the grid; helpers
// come from the host arena.
#include "inference/runtime_calls.hpp"

#include <fmt/format.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include <cstring>
#include <map>

#include "engine/engine.hpp"
#include "inference/program.hpp"
#include "jit/channel/channel.hpp"
#include "jit/device/device.hpp"
#include "jit/device/handles.hpp"
#include "jit/llvm_body.hpp"
#include "jit/typed_lowering.hpp"

namespace berth::jit {
namespace {

using inference::LaunchArgument;
using inference::LeafKind;

/// A program's buffer: memory of a device, or a slot of a channel, which it keeps alive.
struct ProgramBuffer {
  BufferRef memory;
  std::shared_ptr<Channel> channel;
  char* slot = nullptr;
  LeafKind kind = LeafKind::Nothing;
  uint64_t length = 0;
  char* data() const noexcept { return memory ? memory->memory() : slot; }
};

/// Arguments of a ticket: their number, then one word each.
constexpr size_t kMaxWords = kMaxArgumentBytes / 8 - 1;

ProgramBuffer& buffer_of(void* handle) { return *static_cast<ProgramBuffer*>(handle); }

KernelArgument argument_kind(LeafKind kind) {
  switch (kind) {
    case LeafKind::I64:
    case LeafKind::U64: return KernelArgument::I64;
    case LeafKind::F32: return KernelArgument::F32;
    case LeafKind::F64: return KernelArgument::F64;
    default: return KernelArgument::I32;
  }
}

class DeviceCalls final : public inference::RuntimeCalls {
 public:
  explicit DeviceCalls(engine::Engine& engine) : engine_(engine) {}

  void set_device(berth_device_t* device) override {
    sync::Lock lock(mutex_);
    device_ = device ? device->ref : nullptr;
    kernels_.clear();
  }

  Result<void*> buffer_new(gc::Thread&, LeafKind kind, uint64_t length) override {
    const uint64_t bytes = inference::bytes_of(kind);
    if (length > SIZE_MAX / std::max<uint64_t>(bytes, 1)) {
      return make_error(BERTH_OUT_OF_MEMORY, "buffer.new", fmt::format("no memory for {} elements", length),
                        "ask for less");
    }
    BERTH_TRY(const auto device, this->device());
    auto buffer = std::make_unique<ProgramBuffer>();
    BERTH_TRY(buffer->memory, Buffer::make(device->id(), length * bytes));
    buffer->kind = kind;
    buffer->length = length;
    return static_cast<void*>(buffer.release());
  }
  void buffer_drop(void* buffer) noexcept override { delete static_cast<ProgramBuffer*>(buffer); }
  uint64_t buffer_length(void* buffer) noexcept override { return buffer_of(buffer).length; }
  void* buffer_memory(void* buffer) noexcept override { return buffer_of(buffer).data(); }
  Result<void> buffer_read(gc::Thread&, void* handle, uint64_t first, uint64_t n, void* data) override {
    const ProgramBuffer& buffer = buffer_of(handle);
    BERTH_TRYV(check_range(buffer, first, n));
    const size_t bytes = inference::bytes_of(buffer.kind);
    if (n != 0) std::memcpy(data, buffer.data() + first * bytes, n * bytes);
    return success();
  }
  Result<void> buffer_write(gc::Thread&, void* handle, uint64_t first, uint64_t n,
                            const void* data) override {
    const ProgramBuffer& buffer = buffer_of(handle);
    BERTH_TRYV(check_range(buffer, first, n));
    const size_t bytes = inference::bytes_of(buffer.kind);
    if (n != 0) std::memcpy(buffer.data() + first * bytes, data, n * bytes);
    return success();
  }

  Result<void> launch(gc::Thread& thread, inference::Program& program, const inference::Method& method,
                      const uint64_t blocks[3], const uint64_t lanes[3],
                      std::span<const LaunchArgument> arguments) override {
    BERTH_TRY(const auto device, this->device());
    BERTH_TRY(const KernelRef kernel, this->kernel(*device, program, method, arguments));
    Grid grid{};
    for (int d = 0; d < 3; ++d) {
      if (blocks[d] > UINT32_MAX || lanes[d] > UINT32_MAX) {
        return make_error(BERTH_INVALID_ARGUMENT, fmt::format("launch of {}", method.name),
                          fmt::format("{} blocks of {} lanes", blocks[d], lanes[d]),
                          "stay below 2^32 in each dimension");
      }
      grid.blocks[d] = static_cast<uint32_t>(blocks[d]);
      grid.lanes[d] = static_cast<uint32_t>(lanes[d]);
    }
    grid.cooperative = true;
    std::vector<LaunchArgumentValue> values;
    for (const LaunchArgument& argument : arguments) add_argument(*device, argument, values);
    BERTH_TRY(Submission submission, device->launch(kernel, grid, std::move(values)));
    Result<void> outcome = success();
    for (const BufferRef& buffer : submission.buffers) buffer->begin_use();
    gc::in_safe(thread, [&] { outcome = submission.operation(); });
    for (const BufferRef& buffer : submission.buffers) buffer->end_use();
    return outcome;
  }

  Result<void*> channel_new(gc::Thread&, LeafKind kind, uint64_t slot_length, uint64_t slots,
                            bool out) override {
    if (slots == 0 || slots > 65536 || slot_length > (uint64_t{1} << 40)) {
      return make_error(BERTH_INVALID_ARGUMENT, "channel.new",
                        fmt::format("{} slots of {} elements", slots, slot_length), "use 1 to 65536 slots");
    }
    ChannelOptions options;
    options.out = out;
    options.slots = options.ahead = static_cast<uint32_t>(slots);
    options.slot_bytes = slot_length * inference::bytes_of(kind);
    options.argument_bytes = kMaxArgumentBytes;
    auto* const channel =
        new ProgramChannel{std::make_shared<Channel>(engine_, std::move(options)), kind, slot_length};
    return static_cast<void*>(channel);
  }
  void channel_drop(void* channel) noexcept override { delete static_cast<ProgramChannel*>(channel); }

  Result<void*> channel_wait_writable(gc::Thread& thread, void* channel) override {
    const ProgramChannel own = channel_of(channel);  // a copy: the handle may die while this thread waits
    BERTH_TRY(char* slot, own.channel->wait_writable(thread, Deadline::never()));
    return slot_buffer(own, slot);
  }
  Result<uint64_t> channel_publish(gc::Thread& thread, void* channel,
                                   std::span<const uint64_t> args) override {
    if (args.size() > kMaxWords) {
      return make_error(BERTH_INVALID_ARGUMENT, "channel.publish", fmt::format("{} arguments", args.size()),
                        fmt::format("pass at most {}", kMaxWords));
    }
    uint64_t words[kMaxWords + 1] = {args.size()};
    std::copy(args.begin(), args.end(), words + 1);
    const ProgramChannel own = channel_of(channel);
    return own.channel->publish(thread, words, Deadline::never());
  }
  Result<void*> channel_wait_readable(gc::Thread& thread, void* channel, uint64_t ticket) override {
    const ProgramChannel own = channel_of(channel);
    BERTH_TRY(char* slot, own.channel->wait_readable(thread, ticket, Deadline::never()));
    return slot_buffer(own, slot);
  }
  Result<Taken> channel_take(gc::Thread& thread, void* channel) override {
    const ProgramChannel own = channel_of(channel);
    Result<Channel::Taken> taken = own.channel->take(thread, Deadline::never());
    if (taken.has_error()) {
      if (taken.assume_error().code() == BERTH_CANCELLED) return Taken{0, nullptr, {}, true};
      return std::move(taken).assume_error();
    }
    const Channel::Taken& ticket = taken.assume_value();
    const auto* words = static_cast<const uint64_t*>(ticket.arguments);
    return Taken{ticket.ticket, slot_buffer(own, ticket.slot), {words + 1, words[0]}, false};
  }
  Result<void> channel_snap(gc::Thread&, void* channel, uint64_t ticket) override {
    channel_of(channel).channel->snap(ticket);
    return success();
  }
  Result<void> channel_finish(gc::Thread&, void* channel, uint64_t ticket) override {
    channel_of(channel).channel->finish(ticket, nullptr);
    return success();
  }
  void channel_close(void* channel) override { channel_of(channel).channel->close(); }

 private:
  struct ProgramChannel {
    std::shared_ptr<Channel> channel;
    LeafKind kind;
    uint64_t slot_length;
  };
  static ProgramChannel& channel_of(void* handle) { return *static_cast<ProgramChannel*>(handle); }
  static void* slot_buffer(const ProgramChannel& channel, char* slot) {
    return new ProgramBuffer{nullptr, channel.channel, slot, channel.kind, channel.slot_length};
  }
  static Result<void> check_range(const ProgramBuffer& buffer, uint64_t first, uint64_t n) {
    if (first <= buffer.length && n <= buffer.length - first) return success();
    return make_error(BERTH_INVALID_ARGUMENT, "buffer",
                      fmt::format("elements {} to {} + {} of {}", first, first, n, buffer.length),
                      "stay inside the buffer");
  }

  Result<std::shared_ptr<Device>> device() {
    sync::Lock lock(mutex_);
    if (!device_) {
      BERTH_TRY(DeviceOptions options, parse_device_uri("host"));
      device_ = std::make_shared<Device>(engine_, std::move(options));
    }
    return device_;
  }

  static void add_argument(Device& device, const LaunchArgument& argument,
                           std::vector<LaunchArgumentValue>& values) {
    if (argument.kind != LeafKind::Buffer) {
      values.push_back({argument_kind(argument.kind), argument.bits, nullptr, 0});
      return;
    }
    const ProgramBuffer& buffer = buffer_of(argument.buffer);
    LaunchArgumentValue value{KernelArgument::Buffer, 0, buffer.memory, 0};
    if (!buffer.memory)
      value.buffer =
          Buffer::borrow(device.id(), buffer.slot, buffer.length * inference::bytes_of(buffer.kind));
    values.push_back(std::move(value));
    values.push_back({KernelArgument::I64, buffer.length, nullptr, 0});
  }

  // A kernel per method and argument types; the compile itself is one per content, whoever asks
  // (Kernel::make).
  Result<KernelRef> kernel(Device& device, inference::Program& program, const inference::Method& method,
                           std::span<const LaunchArgument> arguments) {
    std::vector<const inference::Type*> types;
    for (const LaunchArgument& argument : arguments) {
      inference::TypeInterner& interner = program.types();
      types.push_back(argument.kind == LeafKind::Buffer
                          ? interner.whole(interner.buffer_leaf(interner.kind(argument.element)))
                          : interner.kind(argument.kind));
    }
    const std::pair key(&method, types);
    {
      sync::Lock lock(mutex_);
      const auto found = kernels_.find(key);
      if (found != kernels_.end()) return found->second;
    }
    llvm::LLVMContext context;
    BERTH_TRY(const auto module, lower_kernel(context, program, method, types));
    std::string text;
    llvm::raw_string_ostream(text) << *module;
    engine::Source source;
    source.body = std::make_unique<LlvmBody>(engine::BodyKind::LlvmIr, std::move(text));
    BERTH_TRY(KernelRef made, Kernel::make(device, source, method.name));
    sync::Lock lock(mutex_);
    return kernels_.try_emplace(key, std::move(made)).first->second;
  }

  engine::Engine& engine_;
  sync::Mutex mutex_{Rank{105, "program device"}};
  std::shared_ptr<Device> device_ BERTH_GUARDED_BY(mutex_);
  std::map<std::pair<const inference::Method*, std::vector<const inference::Type*>>, KernelRef> kernels_
      BERTH_GUARDED_BY(mutex_);
};

}  // namespace
}  // namespace berth::jit

namespace berth::inference {

std::unique_ptr<RuntimeCalls> make_runtime_calls(engine::Engine& engine) {
  return std::make_unique<jit::DeviceCalls>(engine);
}

}  // namespace berth::inference
