// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launch: one grid of a kernel on the host: blocks are tiles that threads claim, phase by phase; a whole-grid
// barrier ends a phase.
//
//   state    | last finisher: all at one barrier | all exit | ids differ, or a fault
//   Phase n  | Phase n + 1                       | Complete | Complete (failed)
//
// Nobody waits in a barrier: a block that reaches one returns its id, and the last finisher of the phase
// decides. So one thread runs any number of blocks. State belongs to the launch, never to the kernel. Cost:
// one CAS and one fetch_sub per block and phase.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "support/result.hpp"
#include "support/sync.hpp"

namespace berth::jit {

/// What compiled kernels read; jit/device/kernel_split.cpp knows the offsets.
struct LaunchFrame {
  const uint64_t* arguments;  // 0: one word each, small ones in the low bytes
  void (*fault)(LaunchFrame*, int32_t code, uint64_t block, uint32_t lane);  // 8
  uint32_t blocks[3];                                                        // 16
  uint32_t lanes[3];                                                         // 28
  uint32_t shared_bytes = 0;                                                 // 40: dynamic part
  uint32_t lane_order = 0;                                                   // 44: 0 ascending, 1 descending
};
static_assert(offsetof(LaunchFrame, blocks) == 16 && offsetof(LaunchFrame, lanes) == 28 &&
              offsetof(LaunchFrame, shared_bytes) == 40 && offsetof(LaunchFrame, lane_order) == 44);

/// Runs the lanes of `block` from resume point `from` to the next grid barrier: its id, kKernelExit, or
/// kKernelDisagree.
using KernelEntry = int32_t (*)(LaunchFrame*, int32_t from, uint64_t block, char* context);
inline constexpr int32_t kKernelExit = -1, kKernelDisagree = -2;

/// Order in which blocks are claimed and lanes run; race-free kernels give equal bytes in all.
enum class LaneOrder : uint8_t { Ascending, Descending, Random };

struct LaunchOptions {
  KernelEntry entry = nullptr;
  uint32_t blocks[3] = {1, 1, 1}, lanes[3] = {1, 1, 1};
  uint32_t dynamic_shared_bytes = 0;
  uint64_t static_shared_bytes = 0;
  uint64_t lane_bytes = 0;  // live across barriers, per lane
  bool has_grid_barrier = false;
  std::vector<uint64_t> arguments;
  unsigned threads = 1;
  LaneOrder order = LaneOrder::Ascending;
  uint64_t seed = 0;
  uint64_t context_limit = 0;
  std::string name;  // of the kernel, for errors
};

class Launch : public std::enable_shared_from_this<Launch> {
 public:
  /// Errors: RESOURCE_EXHAUSTED over the context limit, OUT_OF_MEMORY.
  static Result<std::shared_ptr<Launch>> make(LaunchOptions options);
  /// Runs the whole grid; the calling thread takes part, up to threads - 1 others of `offer` help.
  /// Threads: one. Blocks: until done. GC: must be safe. Errors: RUNTIME_ERROR.
  Result<void> run(const std::function<void(std::shared_ptr<Launch>, unsigned helpers)>& offer);
  /// Claims and runs tiles until none is left in the present phase. Threads: any.
  void help();

 private:
  explicit Launch(LaunchOptions options);
  static void record_fault(LaunchFrame* frame, int32_t code, uint64_t block, uint32_t lane);
  bool claim(uint64_t& epoch, uint64_t& tile);
  void run_tile(uint64_t tile, std::unique_ptr<char[]>& own_context);
  void finish_phase();
  uint64_t block_of(uint64_t tile) const noexcept;
  Result<void> outcome() const;

  LaunchOptions options_;
  struct Frame : LaunchFrame {
    Launch* launch;
  } frame_;
  uint64_t num_blocks_ = 0;
  uint64_t context_bytes_ = 0;  // per block, or per claim without grid barrier
  std::unique_ptr<char[]>
      contexts_;        // one per block, if there is a grid barrier and something lives across it
  int32_t resume_ = 0;  // written by the last finisher before it publishes the epoch

  // Epoch in the high 40 bits, next tile in the low 24. Publish: release; claim: CAS acquire; a stale epoch
  // fails.
  alignas(64) sync::Atomic<uint64_t> control_{0};
  // Tiles not finished in this phase. fetch_sub acq_rel: the last finisher sees all writes of the phase.
  alignas(64) sync::Atomic<uint64_t> remaining_{0};
  alignas(64) sync::Atomic<int32_t> lowest_{INT32_MAX},
      highest_{INT32_MIN};  // ids of the phase: relaxed, ordered by remaining_
  // 0 none, 1 being written, 2 written (release).
  sync::Atomic<uint32_t> fault_state_{0};
  int32_t fault_code_ = 0;
  uint64_t fault_block_ = 0;
  uint32_t fault_lane_ = 0;
  sync::Atomic<uint64_t> disagreeing_block_{0};  // any of them, for the error: relaxed

  sync::Mutex mutex_{Rank{165, "launch"}};
  sync::Condition changed_;  // the runner waits here when no tile is left
  bool complete_ BERTH_GUARDED_BY(mutex_) = false;
  uint64_t published_ BERTH_GUARDED_BY(mutex_) = 0;
  bool failed_ = false;  // by the last finisher; read after complete_
  std::function<void(std::shared_ptr<Launch>, unsigned)> offer_;
};

}  // namespace berth::jit
