// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Channel: K slots handed from one compute thread to workers and back by tickets. One writer per cell,
// monotone values.
//
//   state   | wait_*, publish, drain | take          | finish
//   Open    | waits / ticket         | ticket        | once per taken ticket
//   Failed  | the sticky error       | the error     | accepted (engine shutdown: fails with SHUT_DOWN)
//   Closed  | INVALID_ARGUMENT       | CANCELLED     | accepted if taken before
//
// Ticket s uses slot s mod K. Cells hold the low 32 bits of a ticket count: reached(cell, v) is int32(cell -
// v) >= 0.
//   P  compute, publish(s): head = s+1    release   arguments, slot contents, last use of the slot
//   T  worker: head reached s+1           acquire   pairs with P
//   S  worker, out: snap = s+1            release   its reads of the slot are over
//   F  worker: done = s+1                 release   data delivered or persisted; arguments no longer used
//   W  compute: snap reached s+1-K        acquire   pairs with S
//   R  compute: done reached s+1, s+1-K   acquire   pairs with F
// publish(s) waits for done of s-K, not only its snapshot: else two workers may write one `done`. On channels
// that may park, P S F and the re-check are seq_cst: store of the cell, load at the re-check, waiters += 1
// and load of waiters are a store-buffer pattern.
//
// Rank: 180 (the list of parked waiters). Cost: one store and one load per hand-over while nobody is parked.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "berth/channel.h"
#include "engine/engine.hpp"
#include "gc/thread.hpp"
#include "support/deadline.hpp"
#include "support/result.hpp"

namespace berth::jit {

inline constexpr size_t kMaxArgumentBytes = 120;

/// Two blocks of 128 bytes, so that a publish moves one line and a finish another. Generated code knows the
/// offsets.
struct alignas(128) SlotRecord {
  unsigned char arguments[kMaxArgumentBytes];  // compute, before head
  sync::Atomic<uint32_t> head;                 // P, T
  alignas(128) sync::Atomic<uint32_t> snap;    // S, W
  sync::Atomic<uint32_t> done;                 // F, R
};
static_assert(sizeof(SlotRecord) == 256 && offsetof(SlotRecord, head) == 120 &&
              offsetof(SlotRecord, snap) == 128 && offsetof(SlotRecord, done) == 132);

/// What generated code reads. It is given &channel.frame().
struct ChannelFrame {
  SlotRecord* records = nullptr;  // 0
  char* memory = nullptr;         // 8
  uint64_t slot_bytes = 0;        // 16
  uint64_t next = 0;              // 24: next ticket; compute's own
  uint32_t slots = 0;             // 32
  uint32_t parks = 0;             // 36: 1 if waits may park
  // 40: parked or parking threads, and 1 for a pool. seq_cst on both sides, see above.
  sync::Atomic<uint32_t> waiters{0};
  class Channel* channel = nullptr;  // for the slow paths
};
static_assert(offsetof(ChannelFrame, next) == 24 && offsetof(ChannelFrame, slots) == 32 &&
              offsetof(ChannelFrame, waiters) == 40);

struct ChannelOptions {
  bool out = true;
  uint32_t slots = 2, ahead = 2;
  uint64_t slot_bytes = 0, argument_bytes = 0;
  bool park = true;
  uint64_t first_ticket = 0;  // tests start near 2^31 and 2^32
  std::string label;
  std::vector<berth_stage_t> stages;
};

class Channel final : public engine::Subsystem {
 public:
  Channel(engine::Engine& engine, ChannelOptions options);
  ~Channel() override;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // As the C functions. `thread`: attached, any state; safe while waiting.
  Result<char*> wait_writable(gc::Thread& thread, const Deadline& deadline);
  Result<uint64_t> publish(gc::Thread& thread, const void* arguments, const Deadline& deadline);
  Result<char*> wait_readable(gc::Thread& thread, uint64_t ticket, const Deadline& deadline);
  Result<void> drain(gc::Thread& thread, const Deadline& deadline);
  struct Taken {
    uint64_t ticket;
    char* slot;
    const void* arguments;
  };
  Result<Taken> take(gc::Thread& thread, const Deadline& deadline);
  /// A ticket if one is ready now. Threads: workers. Blocks: never.
  bool try_take(Taken& taken);
  void snap(uint64_t ticket);
  void finish(uint64_t ticket, Error* error);
  void close();
  /// Closes and waits until no worker holds a ticket.
  void close_and_wait();
  /// Null: none yet.
  const berth_error* error() const noexcept { return error_.load(std::memory_order_acquire); }

  const ChannelOptions& options() const noexcept { return options_; }
  ChannelFrame& frame() noexcept { return frame_; }
  uint64_t recovered() const noexcept { return recovered_.load(std::memory_order_relaxed); }
  void explain(engine::Explanation& explanation) override;
  /// Every wait ends with SHUT_DOWN.
  void shutdown() override;
  /// Called after each publish, for a pool that serves the channel. Before the first ticket.
  void set_on_publish(std::function<void()> on_publish);

  // For generated code: the slow path of a wait on the cell at `offset` of the ticket's record, and of a
  // publish.
  Result<void> wait_for(gc::Thread& thread, uint64_t ticket, uint64_t offset, uint64_t value);
  void published();

 private:
  SlotRecord& record(uint64_t ticket) noexcept { return frame_.records[ticket % options_.slots]; }
  char* slot(uint64_t ticket) noexcept { return frame_.memory + ticket % options_.slots * frame_.slot_bytes; }
  /// Waits until `cell` reached `value` or the channel ended; for workers (`worker`) closed is CANCELLED.
  Result<void> wait_cell(gc::Thread& thread, const sync::Atomic<uint32_t>& cell, uint64_t value, bool worker,
                         const char* what, const Deadline& deadline);
  Result<void> ended(bool worker) const;
  void store_cell(sync::Atomic<uint32_t>& cell, uint64_t value);
  void wake();
  void leave(const gc::ParkerRef& parker);
  void finish_taken();
  void fail(Error error);

  ChannelFrame frame_;
  std::function<void()> on_publish_;
  engine::Engine& engine_;
  const ChannelOptions options_;
  std::unique_ptr<SlotRecord[]> records_;
  std::unique_ptr<char[]> memory_;
  alignas(128) sync::Atomic<uint64_t> taken_;  // next ticket to take; CAS acq_rel by workers; bit 63: closed
  sync::Atomic<uint64_t> finished_;            // tickets finished; acq_rel, for close_and_wait
  sync::Atomic<berth_error*> error_{nullptr};  // CAS release, before anyone is woken; read acquire
  sync::Atomic<bool> closed_{false};           // release; acquire
  sync::Atomic<uint64_t> recovered_{0};        // a metric: relaxed
  sync::Mutex mutex_{Rank{180, "channel"}};
  std::vector<gc::ParkerRef> parked_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth::jit
