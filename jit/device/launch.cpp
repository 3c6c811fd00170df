// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/device/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace berth::jit {
namespace {

constexpr uint64_t kTileBits = 24, kTileMask = (uint64_t{1} << kTileBits) - 1;

template <class Compare>
void fold(sync::Atomic<int32_t>& word, int32_t id, Compare better) noexcept {
  int32_t seen = word.load(std::memory_order_relaxed);
  while (better(id, seen) && !word.compare_exchange_weak(seen, id, std::memory_order_relaxed)) {}
}

}  // namespace

Launch::Launch(LaunchOptions options) : options_(std::move(options)) {
  frame_.arguments = options_.arguments.data();
  frame_.fault = &Launch::record_fault;
  std::copy_n(options_.blocks, 3, frame_.blocks);
  std::copy_n(options_.lanes, 3, frame_.lanes);
  frame_.shared_bytes = options_.dynamic_shared_bytes;
  frame_.lane_order = options_.order == LaneOrder::Descending ? 1 : 0;
  frame_.launch = this;
  num_blocks_ = uint64_t{options_.blocks[0]} * options_.blocks[1] * options_.blocks[2];
}

Result<std::shared_ptr<Launch>> Launch::make(LaunchOptions options) {
  std::shared_ptr<Launch> launch(new Launch(std::move(options)));
  const LaunchOptions& o = launch->options_;
  const uint64_t lanes = uint64_t{o.lanes[0]} * o.lanes[1] * o.lanes[2];
  if (launch->num_blocks_ > kTileMask) {
    return make_error(BERTH_RESOURCE_EXHAUSTED, fmt::format("kernel \"{}\"", o.name),
                      fmt::format("{} blocks, at most {} in one launch", launch->num_blocks_, kTileMask),
                      "use fewer blocks");
  }
  if (lanes == 0) {
    return make_error(BERTH_INVALID_ARGUMENT, fmt::format("kernel \"{}\"", o.name), "a block of 0 lanes",
                      "give at least 1 lane in each dimension");
  }
  const uint64_t shared = (o.static_shared_bytes + o.dynamic_shared_bytes + 63) / 64 * 64;
  launch->context_bytes_ = (shared + lanes * o.lane_bytes + 63) / 64 * 64;
  const uint64_t contexts = o.has_grid_barrier ? launch->num_blocks_ : 0;
  if (launch->context_bytes_ != 0 && contexts > o.context_limit / launch->context_bytes_) {
    return make_error(BERTH_RESOURCE_EXHAUSTED, fmt::format("kernel \"{}\"", o.name),
                      fmt::format("{} blocks x {} bytes live across grid barriers, at most {} bytes",
                                  contexts, launch->context_bytes_, o.context_limit),
                      "use fewer blocks or keep less alive across the barrier");
  }
  if (contexts * launch->context_bytes_ != 0) {
    launch->contexts_.reset(new (std::nothrow) char[contexts * launch->context_bytes_]);
    if (!launch->contexts_) {
      return make_error(
          BERTH_OUT_OF_MEMORY, fmt::format("kernel \"{}\"", o.name),
          fmt::format("no memory for {} bytes of launch context", contexts * launch->context_bytes_),
          "use fewer blocks");
    }
  }
  return launch;
}

Result<void> Launch::run(const std::function<void(std::shared_ptr<Launch>, unsigned)>& offer) {
  if (num_blocks_ == 0) return success();
  offer_ = offer;
  remaining_.store(num_blocks_, std::memory_order_relaxed);
  {
    sync::Lock lock(mutex_);
    published_ = 1;
  }
  control_.store(uint64_t{1} << kTileBits, std::memory_order_release);
  const auto helpers = [&] {
    return static_cast<unsigned>(std::min<uint64_t>(options_.threads, num_blocks_)) - 1;
  };
  if (helpers() > 0) offer_(shared_from_this(), helpers());
  for (uint64_t seen = 0;;) {
    help();
    sync::Lock lock(mutex_);
    while (!complete_ && published_ == seen)
      changed_.wait_until(lock, sync::Clock::now() + std::chrono::milliseconds(100));
    if (complete_) break;
    seen = published_;
  }
  offer_ = nullptr;
  return outcome();
}

void Launch::help() {
  uint64_t epoch = control_.load(std::memory_order_acquire) >> kTileBits, tile = 0;
  std::unique_ptr<char[]> own_context;  // without grid barriers a context serves one tile after another
  while (claim(epoch, tile)) run_tile(tile, own_context);
}

// Follows the epoch: a thread that finishes a phase and opens the next goes on in it.
bool Launch::claim(uint64_t& epoch, uint64_t& tile) {
  uint64_t word = control_.load(std::memory_order_acquire);
  for (;;) {
    epoch = word >> kTileBits;
    tile = word & kTileMask;
    if (epoch == 0 || tile >= num_blocks_) return false;
    if (control_.compare_exchange_weak(word, word + 1, std::memory_order_acquire, std::memory_order_acquire))
      return true;
  }
}

void Launch::run_tile(uint64_t tile, std::unique_ptr<char[]>& own_context) {
  const uint64_t block = block_of(tile);
  char* context = contexts_ ? contexts_.get() + block * context_bytes_ : nullptr;
  if (!context && context_bytes_ != 0) {
    if (!own_context) own_context.reset(new char[context_bytes_]);
    context = own_context.get();
  }
  const int32_t id = options_.entry(&frame_, resume_, block, context);
  if (id == kKernelDisagree) disagreeing_block_.store(block, std::memory_order_relaxed);
  fold(lowest_, id, std::less<>());
  fold(highest_, id, std::greater<>());
  if (remaining_.fetch_sub(1, std::memory_order_acq_rel) == 1) finish_phase();
}

// By the last finisher alone: every tile of the phase is done, and no new one can be claimed.
void Launch::finish_phase() {
  const int32_t lowest = lowest_.load(std::memory_order_relaxed),
                highest = highest_.load(std::memory_order_relaxed);
  const bool faulted = fault_state_.load(std::memory_order_acquire) != 0;
  if (lowest == highest && lowest > 0 && !faulted) {
    resume_ = lowest;
    lowest_.store(INT32_MAX, std::memory_order_relaxed);
    highest_.store(INT32_MIN, std::memory_order_relaxed);
    remaining_.store(num_blocks_,
                     std::memory_order_relaxed);  // before the epoch: a claimer may finish at once
    const uint64_t epoch = (control_.load(std::memory_order_relaxed) >> kTileBits) + 1;
    const unsigned helpers = static_cast<unsigned>(std::min<uint64_t>(options_.threads, num_blocks_)) - 1;
    const auto offer = offer_;  // once the epoch is published the launch may complete under us
    const auto self = shared_from_this();
    control_.store(epoch << kTileBits, std::memory_order_release);
    {
      sync::Lock lock(mutex_);
      ++published_;
      changed_.notify_all();
    }
    if (helpers > 0) offer(self, helpers);
    return;
  }
  failed_ = lowest != highest || lowest == kKernelDisagree || faulted;
  sync::Lock lock(mutex_);
  complete_ = true;
  changed_.notify_all();
}

uint64_t Launch::block_of(uint64_t tile) const noexcept {
  switch (options_.order) {
    case LaneOrder::Ascending: return tile;
    case LaneOrder::Descending: return num_blocks_ - 1 - tile;
    case LaneOrder::Random: break;
  }
  // A permutation of [0, n): multiplication by a number coprime to n, then an offset.
  uint64_t factor = (options_.seed * 2 + 1) % num_blocks_ | 1;
  while (std::__gcd(factor, num_blocks_) != 1) factor += 2;
  return (tile * (factor % num_blocks_) + options_.seed) % num_blocks_;
}

void Launch::record_fault(LaunchFrame* frame, int32_t code, uint64_t block, uint32_t lane) {
  Launch& launch = *static_cast<Frame*>(frame)->launch;
  uint32_t none = 0;
  if (!launch.fault_state_.compare_exchange_strong(none, 1, std::memory_order_acquire,
                                                   std::memory_order_relaxed))
    return;
  launch.fault_code_ = code;
  launch.fault_block_ = block;
  launch.fault_lane_ = lane;
  launch.fault_state_.store(2, std::memory_order_release);
}

Result<void> Launch::outcome() const {
  if (!failed_) return success();
  const std::string asked = fmt::format("kernel \"{}\"", options_.name);
  if (fault_state_.load(std::memory_order_acquire) == 2) {
    const char* const meaning = fault_code_ == -1   ? " (index out of bounds)"
                                : fault_code_ == -2 ? " (division by zero)"
                                : fault_code_ == -3 ? " (overflow)"
                                : fault_code_ == -4 ? " (conversion)"
                                                    : "";
    return make_error(
        BERTH_RUNTIME_ERROR, asked,
        fmt::format("fault {}{} in block {}, lane {}", fault_code_, meaning, fault_block_, fault_lane_),
        "see what the kernel does there; its output is undefined");
  }
  const int32_t lowest = lowest_.load(std::memory_order_relaxed);
  if (lowest == kKernelDisagree) {
    return make_error(BERTH_RUNTIME_ERROR, asked,
                      fmt::format("lanes of block {} disagree at a barrier. Output is undefined",
                                  disagreeing_block_.load(std::memory_order_relaxed)),
                      "let all lanes of a block reach the same barrier");
  }
  return make_error(
      BERTH_RUNTIME_ERROR, asked,
      fmt::format("blocks disagree at a grid barrier: some wait at site {}, some {}. Output is undefined",
                  highest_.load(std::memory_order_relaxed),
                  lowest == kKernelExit ? std::string("left") : fmt::format("at site {}", lowest)),
      "let all blocks reach the same barrier");
}

}  // namespace berth::jit
