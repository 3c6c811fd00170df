// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiter: one blocked call, on the stack of its thread; in the queue of a slot or of an instance until it is
// detached. WaitQueue: those of one target, in order of arrival.
#pragma once
#include "engine/agent.hpp"
#include "engine/engine.hpp"
#include "engine/instance_detail.hpp"

namespace berth::engine {

enum class Service : uint8_t { None, Handed, Result, Failed, ShutDown, LookAgain };

struct Waiter {
  // Set by the waiting thread before it is queued.
  Agent* agent = nullptr;
  CodeInstance* token = nullptr;  // null: waits for an entry only
  Need need = Need::Result;
  uint64_t world = 0;

  // Shard and graph lock.
  Waiter* next = nullptr;
  Waiter* previous = nullptr;
  WaitTarget queued;  // none: in no queue
  int64_t since_ns = 0;

  // Set by who detaches it, under both locks; read by the waiting thread under the shard lock.
  Service service = Service::None;
  CodeInstanceRef result;
  FailureRef failure;
  int64_t served_ns = 0;
};

/// A circular list of which only the head is stored, so that an idle slot stays small.
struct WaitQueue {
  static void push(Waiter*& head, Waiter& waiter) noexcept;
  static void remove(Waiter*& head, Waiter& waiter) noexcept;
};

}  // namespace berth::engine
