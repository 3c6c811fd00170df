// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counter, Histogram: cheap metrics; write_*: their Prometheus text form.
//
// Counters are spread over cells, one cache line each, chosen by thread: adding never contends, reading sums
// up.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace berth::metrics {

inline constexpr unsigned kCells = 16;  // a power of two

/// A small number of the calling thread, the same for its whole life. Out of line: a compiler may keep a
/// thread-local's address over a call in which a fibre changes its thread.
unsigned cell_of_thread() noexcept;

class Counter {
 public:
  /// Threads: any. Blocks: never. GC: any, kept.
  void add(uint64_t n = 1) noexcept {
    cells_[cell_of_thread()].value.fetch_add(n, std::memory_order_relaxed);
  }
  /// Exact at rest. As above.
  uint64_t value() const noexcept {
    uint64_t sum = 0;
    for (const Cell& cell : cells_) sum += cell.value.load(std::memory_order_relaxed);
    return sum;
  }

 private:
  struct alignas(64) Cell {
    std::atomic<uint64_t> value{0};  // a counter orders nothing: relaxed
  };
  std::array<Cell, kCells> cells_;
};

/// Counts by powers of two of nanoseconds. Bucket i holds values below 2^i.
class Histogram {
 public:
  static constexpr unsigned kBuckets = 40;
  /// Threads: any. Blocks: never. GC: any, kept.
  void record(uint64_t value) noexcept {
    const unsigned bucket = std::min<unsigned>(static_cast<unsigned>(std::bit_width(value)), kBuckets - 1);
    buckets_[bucket].fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(value, std::memory_order_relaxed);
  }
  uint64_t count() const noexcept {
    uint64_t sum = 0;
    for (const auto& bucket : buckets_) sum += bucket.load(std::memory_order_relaxed);
    return sum;
  }
  uint64_t sum() const noexcept { return sum_.load(std::memory_order_relaxed); }
  uint64_t bucket(unsigned i) const noexcept { return buckets_[i].load(std::memory_order_relaxed); }

 private:
  std::array<std::atomic<uint64_t>, kBuckets> buckets_{};  // counters: relaxed
  std::atomic<uint64_t> sum_{0};
};

/// Appends HELP, TYPE and one sample; `labels` is empty or `key="value",...`. A name's further samples go
/// through write_sample.
void write_counter(std::string& out, std::string_view name, std::string_view help, uint64_t value,
                   std::string_view labels = {});
void write_gauge(std::string& out, std::string_view name, std::string_view help, double value,
                 std::string_view labels = {});
void write_sample(std::string& out, std::string_view name, uint64_t value, std::string_view labels);
/// Nanoseconds in the histogram, seconds in the text.
void write_histogram(std::string& out, std::string_view name, std::string_view help,
                     const Histogram& histogram);

}  // namespace berth::metrics
