// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decisions: what a thread of the stress test does at a place, other than its work. A place is a key and the
// number of the visit that this thread makes to it in this round, so that a decision does not depend on how
// the threads are scheduled.
//
//   mode    | take(kind, key)
//   drawn   | by the seed, round, thread and place; what was taken is kept until the next round
//   replayed| what the recorded stream of this thread holds for the place
//
// A stream is text: "KEY.VISIT" and the kind's letter, for each decision that was taken, one round long:
// rounds begin alike, so a failure depends on its own only.
#pragma once
#include <cctype>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "tests/stress/call_graph.hpp"

namespace berth::stress {

/// The letters in streams. NeedEntry is no fault.
enum class Decision : char {
  Abandon = 'a',
  Cancel = 'c',
  Delay = 'd',
  NeedEntry = 'e',
  Fail = 'f',
  Collect = 'g',
  KillAgent = 'k',
  Spurious = 's',
  KillThread = 't'
};

/// One thread's.
class Decisions {
 public:
  Decisions(uint64_t seed, uint32_t thread, uint32_t keys) : base_(mix(seed, thread)), visits_(keys, 0) {}

  /// Of one recorded stream; false if it is none.
  bool replay(const std::string& stream) {
    replays_ = true;
    for (size_t at = 0; at < stream.size();) {
      size_t end = stream.find(' ', at);
      if (end == std::string::npos) end = stream.size();
      const std::string entry = stream.substr(at, end - at);
      at = end + 1;
      const size_t point = entry.find('.');
      if (point == std::string::npos || point == 0 || entry.size() < point + 3) return false;
      for (size_t i = 0; i + 1 < entry.size(); ++i) {
        if (i != point && !std::isdigit(static_cast<unsigned char>(entry[i]))) return false;
      }
      if (entry.size() > 20) return false;
      recorded_.insert(place(static_cast<Decision>(entry.back()), static_cast<uint32_t>(std::stoul(entry)),
                             static_cast<uint32_t>(std::stoul(entry.substr(point + 1)))));
    }
    return true;
  }
  void begin_round(uint64_t round) {
    round_ = mix(base_, round);
    visits_.assign(visits_.size(), 0);
    stream_.clear();
  }
  /// A generator for what concerns no key: the order of the keys.
  Random order() const { return Random(round_); }
  /// Begins one visit to a key.
  uint32_t visit(uint32_t key) { return visits_[key]++; }
  /// Once in `one_in` places; at most once a kind and visit.
  bool take(Decision kind, uint32_t key, uint32_t visit, uint64_t one_in) {
    const uint64_t where = place(kind, key, visit);
    const bool taken = replays_ ? recorded_.contains(where) : mix(round_, where) % one_in == 0;
    if (taken) {
      if (!stream_.empty()) stream_ += ' ';
      stream_ += std::to_string(key) + '.' + std::to_string(visit) + static_cast<char>(kind);
    }
    return taken;
  }
  /// A number below `n` for a decision that was taken.
  uint64_t number(Decision kind, uint32_t key, uint32_t visit, uint64_t n) const {
    return mix(round_ ^ 1, place(kind, key, visit)) % n;
  }
  /// What was taken in this round.
  const std::string& stream() const { return stream_; }

 private:
  static uint64_t mix(uint64_t a, uint64_t b) { return Random(a ^ Random(b).next()).next(); }
  static uint64_t place(Decision kind, uint32_t key, uint32_t visit) {
    return (static_cast<uint64_t>(static_cast<unsigned char>(kind)) << 56) ^
           (static_cast<uint64_t>(visit) << 32) ^ key;
  }

  const uint64_t base_;
  uint64_t round_ = 0;
  bool replays_ = false;
  std::vector<uint32_t> visits_;
  std::unordered_set<uint64_t> recorded_;
  std::string stream_;
};

}  // namespace berth::stress
