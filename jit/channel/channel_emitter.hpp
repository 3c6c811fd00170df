// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ChannelEmitter: the compute side of a channel as LLVM IR: one load and one compare inline, a call when it
// must wait.
//
// Cells are accessed by aligned atomic loads and stores with the orders of channel.hpp, tagged
// `!berth.channel !{role, order}`; pointers carry no attribute that would let accesses of a slot move across
// a wait. The channel is reached through a pointer argument, so the code can be cached and shared.
#pragma once
#include <span>

#include "jit/typed_lowering.hpp"

namespace llvm {
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace berth::jit {

class ChannelEmitter {
 public:
  /// `frame`: ptr to ChannelFrame; `thread`: ptr to the attached gc::Thread. `parks`: the channel's waits may
  /// park.
  ChannelEmitter(llvm::IRBuilderBase& builder, llvm::Value* thread, llvm::Value* frame, bool out, bool parks)
      : builder_(builder), thread_(thread), frame_(frame), out_(out), parks_(parks) {}

  struct Waited {
    llvm::Value* code;  // i32, a berth_code_t: the code branches on it
    llvm::Value* slot;  // ptr; undefined if the code is not 0
  };
  /// Each continues in a new block, where the builder then stands.
  Waited wait_writable();
  Waited wait_readable(llvm::Value* ticket);
  /// `arguments`: ptr to `bytes` bytes, or null. Gives the code; `*ticket` is the ticket (i64).
  llvm::Value* publish(llvm::Value* arguments, uint64_t bytes, llvm::Value** ticket);

 private:
  llvm::Value* record(llvm::Value* ticket);
  llvm::Value* slot(llvm::Value* ticket);
  llvm::Value* field(uint64_t offset, llvm::Value* base);
  llvm::Value* wait(llvm::Value* ticket, uint64_t cell, llvm::Value* value, const char* role);

  llvm::IRBuilderBase& builder_;
  llvm::Value* thread_;
  llvm::Value* frame_;
  bool out_, parks_;
};

/// The functions that emitted code calls: berth_rt_channel_wait, berth_rt_channel_published.
std::span<const RuntimeSymbol> channel_symbols();

}  // namespace berth::jit
