// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scheduler: runs threads as fibres of one thread, so that every interleaving is a list of decisions that can
// be searched and replayed.
//
//   fibre    | point(), another chosen | block(on)       | wake(on) | deadline chosen or due | body returns
//   Ready    | Ready                   | -               | -        | -                      | -
//   Running  | Ready                   | Blocked         | -        | -                      | Done
//   Blocked  | -                       | -               | Ready    | Ready, timed out       | -
//
// A decision is a point at which more than one fibre could go on. The usual choice is that the running fibre
// goes on, and that the next one in order does when it blocks; a schedule is written as the decisions that
// were unusual ("12:2,40:t": at decision 12 to fibre 2, at decision 40 time passed). Time is virtual: it
// passes when nothing else can happen, and, up to the horizon, whenever the strategy lets it. Only
// sequentially consistent executions are explored.
//
// Threads: one at a time; each native thread may have a scheduler of its own. Cost: a point 5 ns, a switch 30
// ns.
#pragma once
#include <cxxabi.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define BERTH_SCHEDULE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BERTH_SCHEDULE_ASAN 1
#endif
#endif
#if defined(BERTH_SCHEDULE_ASAN)
#include <sanitizer/common_interface_defs.h>
#endif

namespace berth::schedule {

/// The virtual clock. It stands still but for what the scheduler lets pass.
struct Clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<Clock>;
  static constexpr bool is_steady = true;
  static time_point now() noexcept;
};
using TimePoint = Clock::time_point;

inline constexpr unsigned kMaxFibres = 31;
inline constexpr unsigned kTime = 31;  // as a choice: time passes to the next deadline
inline constexpr unsigned kNobody = 32;

struct Decision {
  uint32_t options = 0;        // bit i: fibre i could go on; bit kTime
  unsigned usual = 0;          // what happens unless the strategy wants otherwise
  unsigned current = kNobody;  // the fibre that has run until now, if it could go on
  bool gives_way = false;      // it has run for so long that it must let others go on
  uint64_t number = 0;         // counts from 0 in each schedule
  uint64_t state = 0;  // equal for equal happens-before relations of all steps so far; 0 unless asked for
};

/// Places of the program where threads meet: accesses of variables that several threads have accessed and one
/// has written. Elsewhere a switch makes no difference, as the steps up to the next such place commute with
/// those of all others; so a search that knows the places leaves the others out, and begins again when a
/// schedule shows a new one.
class Places {
 public:
  bool contains(uint64_t place) const noexcept { return known_.contains(place); }
  void found(uint64_t place) {
    if (known_.insert(place).second) has_grown_ = true;
  }
  /// Since the last call.
  bool has_grown() noexcept { return std::exchange(has_grown_, false); }

 private:
  std::unordered_set<uint64_t> known_;
  bool has_grown_ = false;
};

/// How a search chooses. One implementation per kind of search: berth/schedule/strategy.hpp.
class Strategy {
 public:
  virtual ~Strategy() = default;
  /// Before a schedule. False: none is left.
  virtual bool begin() = 0;
  /// One of the decision's options.
  virtual unsigned choose(const Decision& decision) = 0;
  /// Where the schedule adds the places that it finds, or null: then all are decided at, and Decision::state
  /// is 0.
  virtual Places* places() { return nullptr; }
};

/// An unusual choice.
struct Deviation {
  uint64_t number;
  unsigned choice;
};
using Deviations = std::vector<Deviation>;

inline std::string to_string(const Deviations& deviations) {
  std::string text;
  for (const Deviation& each : deviations) {
    if (!text.empty()) text += ',';
    text += std::to_string(each.number) + ':' + (each.choice == kTime ? "t" : std::to_string(each.choice));
  }
  return text.empty() ? "usual" : text;
}
/// Null: not of that form.
inline std::optional<Deviations> parse_deviations(std::string_view text) {
  Deviations deviations;
  if (text == "usual") return deviations;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(item.size() + 1, text.size()));
    Deviation read{0, kTime};
    const auto number = std::from_chars(item.data(), item.data() + item.size(), read.number);
    const char* const end = item.data() + item.size();
    if (number.ec != std::errc{} || number.ptr == end || *number.ptr != ':') return std::nullopt;
    const std::string_view choice(number.ptr + 1, static_cast<size_t>(end - number.ptr - 1));
    if (choice != "t") {
      const auto parsed = std::from_chars(choice.data(), end, read.choice);
      if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
    }
    deviations.push_back(read);
  }
  return deviations;
}

struct Limits {
  uint64_t steps = 200'000;  // points of one schedule; more is a failure
  uint64_t idle = 1'000;     // times that time passed because nothing else could happen; more is a failure
  std::chrono::nanoseconds horizon{0};  // time that may pass while something could happen
  bool trace = false;                   // writes each switch to stderr
};

class Scheduler {
 public:
  Scheduler(Strategy& strategy, const Limits& limits)
      : strategy_(strategy), limits_(limits), places_(strategy.places()) {}
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// The scheduler whose fibre is running here, or null: then the primitives are plain variables.
  static Scheduler* current() noexcept { return active_; }
  /// Failed schedules of this process. Threads: any.
  static size_t num_abandoned() noexcept { return num_abandoned_.load(std::memory_order_relaxed); }

  /// Runs one schedule to its end. Null: all is well. What a failed schedule leaves is never freed: its
  /// fibres stand where they failed, and their frames cannot be unwound through functions that do not throw.
  std::optional<std::string> run(std::function<void()> body);

  // The following: called by fibres.
  /// Before an access that other fibres could notice: here another may go on.
  void point(const char* what, std::source_location where) noexcept {
    Fibre& self = *running_;
    self.what = what;
    self.where = where;
    const bool meets = note_place(self, where);
    if (++steps_ > limits_.steps)
      fail("the schedule does not end: " + std::to_string(limits_.steps) + " steps");
    if (ready_ == bit(self.id) && !time_may_pass()) return;
    Fibre* next = choose(meets);
    if (next != &self) switch_to(next);
  }
  /// A point with a name, shown with the fibre's position. Always decided at: plain data may lie around it.
  void hook(const char* name, std::source_location where) noexcept {
    running_->passed = name;
    if (places_) places_->found(place_of(where));
    point(name, where);
  }
  /// One round of a busy wait: others go on first; if all wait so, a microsecond passes.
  void pause(std::source_location where) noexcept {
    Fibre& self = *running_;
    self.what = "pause";
    self.where = where;
    if (++steps_ > limits_.steps) fail("the schedule does not end: a busy wait");
    paused_ |= bit(self.id);
    Fibre* next = choose();
    if (next != &self) switch_to(next);
  }
  /// Until wake(on) or the deadline; false: the deadline. No point by itself.
  bool block(const void* on, TimePoint deadline, const char* what, std::source_location where) noexcept {
    Fibre& self = *running_;
    self.what = what;
    self.where = where;
    self.waits_on = on;
    self.deadline = deadline;
    self.blocked_at = ++num_blocked_;
    self.timed_out = false;
    ready_ &= ~bit(self.id);
    Fibre* next = choose();
    if (next != &self) switch_to(next);
    return !self.timed_out;
  }
  /// The fibres that are blocked on it, or only the one that has been for longest.
  void wake(const void* on, bool all) noexcept {
    Fibre* oldest = nullptr;
    for (const auto& fibre : fibres_) {
      if (fibre->waits_on != on) continue;
      if (all) {
        make_ready(*fibre);
      } else if (!oldest || fibre->blocked_at < oldest->blocked_at) {
        oldest = fibre.get();
      }
    }
    if (oldest) make_ready(*oldest);
  }
  /// Ends the schedule as failed.
  [[noreturn]] void fail(std::string text) noexcept {
    failure_ = std::move(text) + positions();
    leave_for_good();
  }

  unsigned spawn(std::function<void()> body, std::string name);
  void join(unsigned id, std::source_location where) noexcept;
  unsigned id() const noexcept { return running_->id; }

  TimePoint now() noexcept {
    if (places_ && quiet_ == 0) mix(running_->hash, static_cast<uint64_t>(now_.time_since_epoch().count()));
    return now_;
  }
  /// While raised, nothing is decided: whoever runs goes on until it blocks.
  void quiet(int change) noexcept { quiet_ += change; }
  /// How often time has passed because nothing else could happen.
  uint64_t num_idle() const noexcept { return idle_; }
  uint64_t num_decisions() const noexcept { return decisions_; }
  const Deviations& deviations() const noexcept { return deviations_; }

  /// One T per fibre, made at its first use, gone when the fibre ends.
  template <class T>
  T& local();

  // For Decision::state and the places: an access to a variable, after its point; reads commute.
  void read(const void* variable) noexcept {
    if (!places_ || quiet_ != 0) return;
    Version& version = versions_[variable];
    mix(running_->hash, version.written);
    version.reads += running_->hash;
    version.note(running_->id, running_->place);
  }
  void write(const void* variable) noexcept {
    if (!places_ || quiet_ != 0) return;
    Version& version = versions_[variable];
    mix(running_->hash, version.written ^ std::rotl(version.reads, 32));
    version.written = running_->hash;
    version.reads = 0;
    version.note(running_->id, running_->place);
    version.is_written = true;
  }

 private:
  struct Local {
    const void* key;
    void* value;
    void (*free)(void*);
  };
  // What the C++ runtime keeps per thread: exceptions being handled.
  struct Exceptions {
    void* caught = nullptr;
    unsigned uncaught = 0;
  };
  struct Fibre {
    unsigned id = 0;
    std::string name;
    std::function<void()> body;
    boost::context::fiber context;
    const void* waits_on = nullptr;  // null: not blocked
    TimePoint deadline = TimePoint::max();
    uint64_t blocked_at = 0;
    bool timed_out = false, done = false;
    const char* what = "start";
    const char* passed = nullptr;
    std::source_location where;
    uint64_t hash = 0;
    uint64_t place = 0;  // of its last point
    std::vector<Local> locals;
    Exceptions exceptions;
    void* fake_stack = nullptr;  // AddressSanitizer's
    const void* stack_low = nullptr;
    size_t stack_bytes = 0;
  };
  struct Version {
    uint64_t written = 0, reads = 0;
    uint32_t fibres = 0;
    bool is_written = false;
    std::vector<uint64_t> places;
    void note(unsigned fibre, uint64_t place) {
      fibres |= bit(fibre);
      if (std::ranges::find(places, place) == places.end()) places.push_back(place);
    }
  };

  /// Stacks are used again: mapping one costs more than a schedule.
  class Stacks {
   public:
    using traits_type = boost::context::stack_traits;
    static constexpr size_t kBytes = 256 * 1024;
    boost::context::stack_context allocate() {
      auto& free = list();
      if (free.empty()) return boost::context::protected_fixedsize_stack(kBytes).allocate();
      const boost::context::stack_context stack = free.back();
      free.pop_back();
      return stack;
    }
    void deallocate(boost::context::stack_context& stack) noexcept { list().push_back(stack); }

   private:
    struct Kept {
      Kept() = default;
      ~Kept() {
        for (boost::context::stack_context& stack : stacks)
          boost::context::protected_fixedsize_stack(kBytes).deallocate(stack);
      }
      Kept(const Kept&) = delete;
      Kept& operator=(const Kept&) = delete;
      std::vector<boost::context::stack_context> stacks;
    };
    static std::vector<boost::context::stack_context>& list() {
      static thread_local Kept kept;  // the thread that explores outlives its fibres
      return kept.stacks;
    }
  };

  static constexpr uint32_t bit(unsigned id) noexcept { return uint32_t{1} << id; }
  static constexpr uint64_t kLongRun =
      2'000;  // decisions for one fibre in a row, then others go on: it may wait for them in a loop
  static uint64_t scramble(uint64_t x) noexcept {
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    return x ^ (x >> 32);
  }
  static void mix(uint64_t& hash, uint64_t value) noexcept {
    hash = scramble(hash * 0x9e3779b97f4a7c15u + value + 1);
  }

  static uint64_t place_of(std::source_location where) noexcept {
    uint64_t place = reinterpret_cast<uintptr_t>(where.file_name());
    mix(place, (uint64_t{where.line()} << 32) | where.column());
    return place;
  }
  /// Whether threads may meet there.
  bool note_place(Fibre& self, std::source_location where) noexcept {
    if (!places_ || quiet_ != 0) return true;
    mix(self.hash, 0);  // another place, though no access may lie between it and the last
    self.place = place_of(where);
    return places_->contains(self.place);
  }
  void find_places() noexcept {
    for (const auto& [variable, version] : versions_) {
      if (!version.is_written || std::has_single_bit(version.fibres)) continue;
      for (const uint64_t place : version.places) places_->found(place);
    }
  }
  void make_ready(Fibre& fibre) noexcept {
    fibre.waits_on = nullptr;
    fibre.deadline = TimePoint::max();
    ready_ |= bit(fibre.id);
  }
  TimePoint next_deadline() const noexcept {
    TimePoint next = TimePoint::max();
    for (const auto& fibre : fibres_) next = std::min(next, fibre->deadline);
    return next;
  }
  bool time_may_pass() const noexcept {
    return quiet_ == 0 && now_ < horizon_ && next_deadline() <= horizon_;
  }
  void pass_time(TimePoint until) noexcept {
    now_ = std::max(now_, until);
    for (const auto& fibre : fibres_) {
      if (fibre->deadline > now_) continue;
      fibre->timed_out = true;
      if (places_) mix(fibre->hash, static_cast<uint64_t>(now_.time_since_epoch().count()));
      make_ready(*fibre);
    }
  }

  /// `meets` false: whatever could go on, the usual happens.
  Fibre* choose(bool meets = true) noexcept;
  Fibre* run_on(unsigned chosen) noexcept {
    run_length_ = chosen == last_ ? run_length_ + 1 : 0;
    paused_ &= bit(chosen);
    last_ = chosen;
    return fibres_[chosen].get();
  }
  unsigned usual_of(uint32_t options, unsigned current, bool gives_way) const noexcept {
    if (current != kNobody && !gives_way) return current;
    // The next in order, so that none is left out.
    const uint32_t fibres = options & ~bit(kTime) & ~(gives_way ? bit(current) : 0);
    const uint32_t later = last_ < kMaxFibres ? fibres & ~((bit(last_) << 1) - 1) : fibres;
    return static_cast<unsigned>(std::countr_zero(later ? later : fibres));
  }
  uint64_t state(uint32_t options) const noexcept {
    uint64_t sum = static_cast<uint64_t>(now_.time_since_epoch().count());
    for (const auto& fibre : fibres_) sum += scramble(fibre->hash + fibre->id);
    mix(sum, last_);
    mix(sum, options);  // to be about to block is no step
    return sum;
  }
  void switch_to(Fibre* next) noexcept {
    if (limits_.trace) trace_switch(next);
    next_ = next;
    suspend();
  }
  void suspend() noexcept;
  [[noreturn]] void leave_for_good() noexcept {
    next_ = nullptr;
    for (;;) suspend();
  }
  void resume(Fibre& fibre);
  void start(Fibre& fibre);
  static void exchange_exceptions(Exceptions& saved) noexcept {
    auto* globals = reinterpret_cast<Exceptions*>(abi::__cxa_get_globals());
    std::swap(globals->caught, saved.caught);
    std::swap(globals->uncaught, saved.uncaught);
  }
  static std::string position_of(const Fibre& fibre);
  std::string positions() const;
  void trace_switch(const Fibre* next) const;
  static inline thread_local constinit Scheduler* active_ = nullptr;
  static inline std::atomic<size_t> num_abandoned_{0};  // a counter: relaxed

  Strategy& strategy_;
  const Limits limits_;
  Places* const places_;
  std::vector<std::unique_ptr<Fibre>> fibres_;
  Fibre* running_ = nullptr;
  Fibre* next_ = nullptr;
  boost::context::fiber loop_;
  uint32_t ready_ = 0, paused_ = 0;  // paused: not before another fibre has made a step
  unsigned last_ = kNobody;          // who ran last
  uint64_t steps_ = 0, decisions_ = 0, idle_ = 0, run_length_ = 0, num_blocked_ = 0;
  int quiet_ = 0;
  TimePoint now_{std::chrono::seconds(1)};  // not 0, which code may take for "never"
  const TimePoint horizon_ = now_ + limits_.horizon;
  Deviations deviations_;
  std::unordered_map<const void*, Version> versions_;
  std::optional<std::string> failure_;
  [[maybe_unused]] const void* loop_stack_low_ = nullptr;  // AddressSanitizer's
  [[maybe_unused]] size_t loop_stack_bytes_ = 0;
};

inline TimePoint Clock::now() noexcept {
  Scheduler* const scheduler = Scheduler::current();
  return scheduler ? scheduler->now() : TimePoint(std::chrono::seconds(1));
}

inline Scheduler::Fibre* Scheduler::choose(bool meets) noexcept {
  for (;;) {
    uint32_t options = ready_ & ~paused_;
    if (!options && ready_) {  // everyone is in a busy wait
      pass_time(now_ + std::chrono::microseconds(1));
      paused_ = 0;
      options = ready_;
    }
    const bool could_pass = time_may_pass();
    if (!options) {
      const TimePoint deadline = next_deadline();
      if (deadline == TimePoint::max()) {
        failure_ = "deadlock: no thread can go on" + positions();
        return nullptr;
      }
      if (++idle_ > limits_.idle) {
        failure_ = "no progress: " + std::to_string(limits_.idle) + " waits ended by their deadlines alone" +
                   positions();
        return nullptr;
      }
      pass_time(deadline);
      continue;
    }
    if (could_pass) options |= bit(kTime);
    const unsigned current = last_ < kMaxFibres && (options & bit(last_)) ? last_ : kNobody;
    const bool alone = std::has_single_bit(options & ~bit(kTime));
    const bool gives_way = current != kNobody && run_length_ >= kLongRun && !alone;
    const unsigned usual = usual_of(options, current, gives_way);
    unsigned chosen = usual;
    if (quiet_ == 0 && !std::has_single_bit(options)) {
      // Counted also where nothing is decided, so that a schedule means the same to each strategy.
      const uint64_t number = decisions_++;
      if (!meets) return run_on(usual);
      const Decision decision{options, usual, current, gives_way, number, places_ ? state(options) : 0};
      chosen = strategy_.choose(decision);
      if (chosen != usual) deviations_.push_back({decision.number, chosen});
    }
    if (chosen == kTime) {
      pass_time(next_deadline());
      continue;
    }
    return run_on(chosen);
  }
}

inline std::optional<std::string> Scheduler::run(std::function<void()> body) {
  Scheduler* const outer = std::exchange(active_, this);
  spawn(std::move(body), "main");
  next_ = choose();
  while (next_) resume(*next_);
  active_ = outer;
  if (places_) find_places();
  if (failure_) {
    static_cast<void>(new auto(std::move(fibres_)));
    num_abandoned_.fetch_add(1, std::memory_order_relaxed);
  }
  return failure_;
}

inline unsigned Scheduler::spawn(std::function<void()> body, std::string name) {
  if (fibres_.size() == kMaxFibres) fail("more than 31 threads");
  Fibre& fibre = *fibres_.emplace_back(std::make_unique<Fibre>());
  fibre.id = static_cast<unsigned>(fibres_.size() - 1);
  fibre.name = std::move(name);
  fibre.body = std::move(body);
  fibre.hash = running_ ? running_->hash : 0;
  mix(fibre.hash, fibre.id);
  if (running_) mix(running_->hash, fibre.id);
  const boost::context::stack_context stack = Stacks{}.allocate();
  fibre.stack_low = static_cast<char*>(stack.sp) - stack.size;
  fibre.stack_bytes = stack.size;
  fibre.context =
      boost::context::fiber(std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack),
                            Stacks{}, [this, &fibre](boost::context::fiber&& loop) {
                              loop_ = std::move(loop);
                              start(fibre);
                              return std::move(loop_);
                            });
  ready_ |= bit(fibre.id);
  return fibre.id;
}

inline void Scheduler::start(Fibre& fibre) {
#if defined(BERTH_SCHEDULE_ASAN)
  __sanitizer_finish_switch_fiber(nullptr, &loop_stack_low_, &loop_stack_bytes_);
#endif
  try {
    fibre.body();
    while (!fibre.locals.empty()) {
      const Local last = fibre.locals.back();
      fibre.locals.pop_back();
      last.free(last.value);
    }
  } catch (const std::exception& exception) {
    fail(std::string("an exception leaves the thread: ") + exception.what());
  } catch (...) { fail("an exception leaves the thread"); }
  fibre.body = nullptr;
  fibre.done = true;
  ready_ &= ~bit(fibre.id);
  wake(&fibre, true);
  const bool all_done = ready_ == 0 && next_deadline() == TimePoint::max() &&
                        std::ranges::all_of(fibres_, [](const auto& each) { return each->done; });
  next_ = all_done ? nullptr : choose();
  if (limits_.trace && next_) trace_switch(next_);
#if defined(BERTH_SCHEDULE_ASAN)
  __sanitizer_start_switch_fiber(nullptr, loop_stack_low_, loop_stack_bytes_);
#endif
}

inline void Scheduler::join(unsigned id, std::source_location where) noexcept {
  Fibre& fibre = *fibres_[id];
  point("join", where);
  if (!fibre.done) block(&fibre, TimePoint::max(), "join", where);
  mix(running_->hash, fibre.hash);
}

inline void Scheduler::resume(Fibre& fibre) {
  running_ = &fibre;
  exchange_exceptions(fibre.exceptions);
#if defined(BERTH_SCHEDULE_ASAN)
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, fibre.stack_low, fibre.stack_bytes);
#endif
  fibre.context = std::move(fibre.context).resume();
#if defined(BERTH_SCHEDULE_ASAN)
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
  exchange_exceptions(fibre.exceptions);
}

inline void Scheduler::suspend() noexcept {
  [[maybe_unused]] Fibre& self = *running_;
#if defined(BERTH_SCHEDULE_ASAN)
  __sanitizer_start_switch_fiber(&self.fake_stack, loop_stack_low_, loop_stack_bytes_);
#endif
  loop_ = std::move(loop_).resume();
#if defined(BERTH_SCHEDULE_ASAN)
  __sanitizer_finish_switch_fiber(self.fake_stack, &loop_stack_low_, &loop_stack_bytes_);
#endif
}

inline std::string Scheduler::position_of(const Fibre& fibre) {
  std::string text = fibre.name;
  if (fibre.done) return text + ": has ended";
  text += fibre.waits_on ? ": waits in " : ": before ";
  text += fibre.what;
  if (fibre.where.line() != 0) {
    const std::string_view file = fibre.where.file_name();
    text += " at " + std::string(file.substr(file.rfind('/') + 1)) + ':' + std::to_string(fibre.where.line());
  }
  if (fibre.passed) text += std::string(", past hook ") + fibre.passed;
  return text;
}

inline std::string Scheduler::positions() const {
  std::string text;
  for (const auto& fibre : fibres_) {
    text += "\n  " + std::to_string(fibre->id) + ' ' + position_of(*fibre);
    if (fibre.get() == running_ && !fibre->done) text += " (running)";
  }
  return text;
}

inline void Scheduler::trace_switch(const Fibre* next) const {
  std::fprintf(stderr, "%8llu  %s  ->  %s\n", static_cast<unsigned long long>(decisions_),
               position_of(*running_).c_str(), next ? next->name.c_str() : "the end");
}

template <class T>
T& Scheduler::local() {
  static constexpr char key = 0;
  for (const Local& each : running_->locals) {
    if (each.key == &key) return *static_cast<T*>(each.value);
  }
  auto* value = new T();
  running_->locals.push_back({&key, value, [](void* object) { delete static_cast<T*>(object); }});
  return *value;
}

}  // namespace berth::schedule

#if defined(BERTH_SCHEDULE_ASAN)
// What a failed schedule leaves is no leak to report. A program's own definition replaces this one.
extern "C" __attribute__((weak)) int __lsan_is_turned_off() {
  return berth::schedule::Scheduler::num_abandoned() != 0;
}
#endif
