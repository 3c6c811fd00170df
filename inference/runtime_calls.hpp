// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RuntimeCalls: buffers, launches and channels, as interpreter and compiled code reach them. jit/ fills it;
// tests replace it.
//
// Handles are opaque and owned by the managed object that wraps them (value.hpp), which drops them when it
// dies. Sizes are in elements of `kind`. Calls that wait do so GC-safe.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "berth/device.h"
#include "inference/types.hpp"
#include "support/result.hpp"

namespace berth::engine {
class Engine;
}
namespace berth::gc {
class Thread;
}

namespace berth::inference {

class Program;
struct Method;

struct LaunchArgument {
  LeafKind kind;  // Buffer, or a number or bool
  uint64_t bits = 0;
  void* buffer = nullptr;
  LeafKind element = LeafKind::Nothing;  // of a buffer
};

class RuntimeCalls {
 public:
  virtual ~RuntimeCalls() = default;
  virtual void set_device(berth_device_t* device) = 0;  // borrowed; null: a host device of its own

  virtual Result<void*> buffer_new(gc::Thread&, LeafKind kind, uint64_t length) = 0;  // zeroed
  virtual void buffer_drop(void* buffer) noexcept = 0;
  virtual uint64_t buffer_length(void* buffer) noexcept = 0;
  virtual void* buffer_memory(void* buffer) noexcept = 0;  // host-visible; null if it is not
  virtual Result<void> buffer_read(gc::Thread&, void* buffer, uint64_t first, uint64_t n, void* data) = 0;
  virtual Result<void> buffer_write(gc::Thread&, void* buffer, uint64_t first, uint64_t n,
                                    const void* data) = 0;
  virtual Result<void> launch(gc::Thread&, Program&, const Method& kernel, const uint64_t blocks[3],
                              const uint64_t lanes[3], std::span<const LaunchArgument> arguments) = 0;

  virtual Result<void*> channel_new(gc::Thread&, LeafKind kind, uint64_t slot_length, uint64_t slots,
                                    bool out) = 0;
  virtual void channel_drop(void* channel) noexcept = 0;
  /// Each gives a buffer handle for the slot, borrowed from the channel (dropping it is a no-op that keeps
  /// the channel alive).
  virtual Result<void*> channel_wait_writable(gc::Thread&, void* channel) = 0;
  virtual Result<uint64_t> channel_publish(gc::Thread&, void* channel, std::span<const uint64_t> args) = 0;
  virtual Result<void*> channel_wait_readable(gc::Thread&, void* channel, uint64_t ticket) = 0;
  struct Taken {
    uint64_t ticket;
    void* slot;
    std::span<const uint64_t> args;
    bool closed;
  };
  virtual Result<Taken> channel_take(gc::Thread&, void* channel) = 0;
  virtual Result<void> channel_snap(gc::Thread&, void* channel, uint64_t ticket) = 0;
  virtual Result<void> channel_finish(gc::Thread&, void* channel, uint64_t ticket) = 0;
  virtual void channel_close(void* channel) = 0;
};

/// Link-time factory: jit/ makes the real one; unit tests of inference/ link one that answers UNSUPPORTED.
std::unique_ptr<RuntimeCalls> make_runtime_calls(engine::Engine& engine);
/// Link-time factory: text of a method or kernel in a form that needs code generation ("llvm", "asm", "ptx",
/// "amdgcn", "spirv").
Result<std::string> emit_code(gc::Thread& thread, Program& program, const Method& method,
                              std::span<const Type* const> arguments, const std::string& form,
                              const std::string& target_cpu);

}  // namespace berth::inference
