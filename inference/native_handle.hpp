// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NativeHandle: what a task, buffer or channel object owns at byte 8; dropped by the type's `finalize` when
// the object dies, or when the heap ends. So a handle keeps by itself what it needs to drop: the program may
// be gone by then.
#pragma once
#include <memory>

#include "gc/type.hpp"
#include "inference/runtime_calls.hpp"

namespace berth::inference {

class NativeHandle {
 public:
  virtual ~NativeHandle() = default;
  static constexpr size_t kOffset = 8;

  /// `object` is a task, buffer or channel.
  static NativeHandle* of(const gc::Object* object) noexcept {
    return *reinterpret_cast<NativeHandle* const*>(object->at(kOffset));
  }
  static void finalize(gc::Object* object) { delete of(object); }  // null where its making failed
};

class BufferHandle final : public NativeHandle {
 public:
  BufferHandle(std::shared_ptr<RuntimeCalls> calls, void* buffer, LeafKind kind) noexcept
      : calls(std::move(calls)), buffer(buffer), kind(kind) {}
  ~BufferHandle() override {
    if (buffer) calls->buffer_drop(buffer);
  }
  static BufferHandle& of(const gc::Object* object) noexcept {
    return *static_cast<BufferHandle*>(NativeHandle::of(object));
  }

  const std::shared_ptr<RuntimeCalls> calls;
  void* const buffer;
  const LeafKind kind;
};

class ChannelHandle final : public NativeHandle {
 public:
  ChannelHandle(std::shared_ptr<RuntimeCalls> calls, void* channel, LeafKind kind) noexcept
      : calls(std::move(calls)), channel(channel), kind(kind) {}
  ~ChannelHandle() override {
    if (channel) calls->channel_drop(channel);
  }
  static ChannelHandle& of(const gc::Object* object) noexcept {
    return *static_cast<ChannelHandle*>(NativeHandle::of(object));
  }

  const std::shared_ptr<RuntimeCalls> calls;
  void* const channel;
  const LeafKind kind;
};

}  // namespace berth::inference
