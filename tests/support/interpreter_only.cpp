// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Link-time factories for tests of inference/ without jit/: no compiler, no code to emit; buffers in plain
// memory, no launches and no channels of a device (kernels run interpreted).
#include <cstring>
#include <vector>

#include "engine/compiler.hpp"
#include "inference/runtime_calls.hpp"

namespace berth::engine {

Result<void> check_target(const TargetChoice&) { return success(); }
std::unique_ptr<Compiler> make_compiler(Engine&, CompileSink&, const CompilerOptions&) { return nullptr; }

}  // namespace berth::engine

namespace berth::inference {
namespace {

Error unsupported(const char* asked) {
  return make_error(BERTH_UNSUPPORTED, asked, "this build interprets only", "link jit/");
}

struct PlainBuffer {
  std::vector<std::byte> bytes;
  uint64_t length;
  unsigned element_bytes;
};

class PlainCalls final : public RuntimeCalls {
 public:
  void set_device(berth_device_t*) override {}
  Result<void*> buffer_new(gc::Thread&, LeafKind kind, uint64_t length) override {
    const unsigned bytes = bytes_of(kind);
    return static_cast<void*>(new PlainBuffer{std::vector<std::byte>(length * bytes), length, bytes});
  }
  void buffer_drop(void* buffer) noexcept override { delete static_cast<PlainBuffer*>(buffer); }
  uint64_t buffer_length(void* buffer) noexcept override { return static_cast<PlainBuffer*>(buffer)->length; }
  void* buffer_memory(void* buffer) noexcept override {
    return static_cast<PlainBuffer*>(buffer)->bytes.data();
  }
  Result<void> buffer_read(gc::Thread&, void* buffer, uint64_t first, uint64_t n, void* data) override {
    auto& plain = *static_cast<PlainBuffer*>(buffer);
    if (n) std::memcpy(data, plain.bytes.data() + first * plain.element_bytes, n * plain.element_bytes);
    return success();
  }
  Result<void> buffer_write(gc::Thread&, void* buffer, uint64_t first, uint64_t n,
                            const void* data) override {
    auto& plain = *static_cast<PlainBuffer*>(buffer);
    if (n) std::memcpy(plain.bytes.data() + first * plain.element_bytes, data, n * plain.element_bytes);
    return success();
  }
  Result<void> launch(gc::Thread&, Program&, const Method&, const uint64_t[3], const uint64_t[3],
                      std::span<const LaunchArgument>) override {
    return unsupported("launch");
  }
  Result<void*> channel_new(gc::Thread&, LeafKind, uint64_t, uint64_t, bool) override {
    return unsupported("channel.new");
  }
  void channel_drop(void*) noexcept override {}
  Result<void*> channel_wait_writable(gc::Thread&, void*) override {
    return unsupported("channel.wait_writable");
  }
  Result<uint64_t> channel_publish(gc::Thread&, void*, std::span<const uint64_t>) override {
    return unsupported("channel.publish");
  }
  Result<void*> channel_wait_readable(gc::Thread&, void*, uint64_t) override {
    return unsupported("channel.wait_readable");
  }
  Result<Taken> channel_take(gc::Thread&, void*) override { return unsupported("channel.take"); }
  Result<void> channel_snap(gc::Thread&, void*, uint64_t) override { return unsupported("channel.snap"); }
  Result<void> channel_finish(gc::Thread&, void*, uint64_t) override { return unsupported("channel.finish"); }
  void channel_close(void*) override {}
};

}  // namespace

std::unique_ptr<RuntimeCalls> make_runtime_calls(engine::Engine&) { return std::make_unique<PlainCalls>(); }

Result<std::string> emit_code(gc::Thread&, Program&, const Method&, std::span<const Type* const>,
                              const std::string& form, const std::string&) {
  return unsupported(("emit " + form).c_str());
}

}  // namespace berth::inference
