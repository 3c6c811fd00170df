// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What threads share, under the scheduler: Atomic, Mutex, Condition, Thread, local, pause. Outside of
// explore() they are plain variables of one thread.
//
// Their names and meaning are those of the standard library, so that code written against aliases runs with
// either. Memory orders are taken and ignored: all is sequentially consistent. Each operation remembers where
// it was called, which a failure shows.
#pragma once
#include <atomic>
#include <concepts>
#include <cstring>
#include <type_traits>

#include "berth/schedule/scheduler.hpp"

namespace berth::schedule {

using Where = std::source_location;

inline void point(const char* what, Where where = Where::current()) noexcept {
  if (Scheduler* const scheduler = Scheduler::current()) scheduler->point(what, where);
}
/// A named place where another thread may go on; failures show the last one each thread has passed.
inline void hook(const char* name, Where where = Where::current()) noexcept {
  if (Scheduler* const scheduler = Scheduler::current()) scheduler->hook(name, where);
}
/// One round of a busy wait. Without it a loop that waits for another thread is told from one that works only
/// by its length.
inline void pause(Where where = Where::current()) noexcept {
  if (Scheduler* const scheduler = Scheduler::current()) scheduler->pause(where);
}
/// Ends the schedule as failed.
[[noreturn]] inline void fail(std::string text) noexcept {
  if (Scheduler* const scheduler = Scheduler::current()) scheduler->fail(std::move(text));
  std::fprintf(stderr, "%s\n", text.c_str());
  std::abort();
}
inline void check(bool holds, const char* text, Where where = Where::current()) noexcept {
  if (!holds) [[unlikely]]
    fail(std::string(text) + " (" + where.file_name() + ':' + std::to_string(where.line()) + ')');
}
/// Times that all threads waited and only the passing of time ended it; a lost wake-up behind a timed wait is
/// one.
inline uint64_t num_idle() noexcept {
  Scheduler* const scheduler = Scheduler::current();
  return scheduler ? scheduler->num_idle() : 0;
}

/// One T per thread, made at its first use there, gone when the thread ends.
template <class T>
T& local() {
  if (Scheduler* const scheduler = Scheduler::current()) return scheduler->local<T>();
  thread_local T outside;
  return outside;
}

/// Scope in which nothing is decided: who runs goes on until it blocks. For setting up and taking down.
class Quiet {
 public:
  Quiet() noexcept { change(1); }
  ~Quiet() { change(-1); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  static void change(int by) noexcept {
    if (Scheduler* const scheduler = Scheduler::current()) scheduler->quiet(by);
  }
};

template <class T>
class Atomic {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;
  static constexpr bool is_always_lock_free = std::atomic<T>::is_always_lock_free;

  constexpr Atomic() noexcept = default;
  constexpr Atomic(T value) noexcept : value_(value) {}
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;

  T load(std::memory_order = std::memory_order_seq_cst, Where where = Where::current()) const noexcept {
    if (Scheduler* const scheduler = Scheduler::current()) {
      scheduler->point("load", where);
      scheduler->read(this);
    }
    return value_;
  }
  void store(T value, std::memory_order = std::memory_order_seq_cst,
             Where where = Where::current()) noexcept {
    before_write("store", where);
    value_ = value;
  }
  T exchange(T value, std::memory_order = std::memory_order_seq_cst,
             Where where = Where::current()) noexcept {
    before_write("exchange", where);
    return std::exchange(value_, value);
  }
  /// Never fails spuriously, neither form.
  bool compare_exchange_strong(T& expected, T desired, std::memory_order, std::memory_order,
                               Where where = Where::current()) noexcept {
    if (Scheduler* const scheduler = Scheduler::current()) scheduler->point("compare_exchange", where);
    return replace(expected, desired);
  }
  bool compare_exchange_strong(T& expected, T desired, std::memory_order = std::memory_order_seq_cst,
                               Where where = Where::current()) noexcept {
    return compare_exchange_strong(expected, desired, {}, {}, where);
  }
  bool compare_exchange_weak(T& expected, T desired, std::memory_order, std::memory_order,
                             Where where = Where::current()) noexcept {
    return compare_exchange_strong(expected, desired, {}, {}, where);
  }
  bool compare_exchange_weak(T& expected, T desired, std::memory_order = std::memory_order_seq_cst,
                             Where where = Where::current()) noexcept {
    return compare_exchange_strong(expected, desired, {}, {}, where);
  }
  template <class D>
  T fetch_add(D by, std::memory_order = std::memory_order_seq_cst, Where where = Where::current()) noexcept {
    before_write("fetch_add", where);
    return std::exchange(value_, static_cast<T>(value_ + by));
  }
  template <class D>
  T fetch_sub(D by, std::memory_order = std::memory_order_seq_cst, Where where = Where::current()) noexcept {
    before_write("fetch_sub", where);
    return std::exchange(value_, static_cast<T>(value_ - by));
  }
  T fetch_or(T bits, std::memory_order = std::memory_order_seq_cst, Where where = Where::current()) noexcept
    requires std::integral<T>
  {
    before_write("fetch_or", where);
    return std::exchange(value_, static_cast<T>(value_ | bits));
  }
  T fetch_and(T bits, std::memory_order = std::memory_order_seq_cst, Where where = Where::current()) noexcept
    requires std::integral<T>
  {
    before_write("fetch_and", where);
    return std::exchange(value_, static_cast<T>(value_ & bits));
  }
  operator T() const noexcept { return load(); }
  T operator=(T value) noexcept {
    store(value);
    return value;
  }

 private:
  void before_write(const char* what, Where where) noexcept {
    if (Scheduler* const scheduler = Scheduler::current()) {
      scheduler->point(what, where);
      scheduler->write(this);
    }
  }
  bool replace(T& expected, T desired) noexcept {
    Scheduler* const scheduler = Scheduler::current();
    if (std::memcmp(&value_, &expected, sizeof(T)) != 0) {
      if (scheduler) scheduler->read(this);
      expected = value_;
      return false;
    }
    if (scheduler) scheduler->write(this);
    value_ = desired;
    return true;
  }

  alignas(std::atomic<T>) T value_{};
};

/// Lockable, for std::lock_guard and std::unique_lock.
class Mutex {
 public:
  constexpr Mutex() noexcept = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock(Where where = Where::current()) noexcept {
    Scheduler* const scheduler = Scheduler::current();
    if (!scheduler) return;
    scheduler->point("lock", where);
    lock_again(*scheduler, where);
  }
  bool try_lock(Where where = Where::current()) noexcept {
    Scheduler* const scheduler = Scheduler::current();
    if (!scheduler) return true;
    scheduler->point("try_lock", where);
    if (owner_ != kNobody) {
      scheduler->read(this);
      return false;
    }
    scheduler->write(this);
    owner_ = scheduler->id();
    return true;
  }
  // No point: whoever is woken competes with this thread from its next one on.
  void unlock() noexcept {
    Scheduler* const scheduler = Scheduler::current();
    if (!scheduler) return;
    if (owner_ != scheduler->id()) scheduler->fail("a mutex is unlocked by a thread that does not hold it");
    scheduler->write(this);
    owner_ = kNobody;
    scheduler->wake(this, true);
  }

 private:
  friend class Condition;
  void lock_again(Scheduler& scheduler, Where where) noexcept {
    while (owner_ != kNobody) {
      if (owner_ == scheduler.id()) scheduler.fail("a thread locks a mutex that it holds");
      scheduler.block(this, TimePoint::max(), "lock", where);
    }
    scheduler.write(this);
    owner_ = scheduler.id();
  }
  unsigned owner_ = kNobody;
};

/// Waits with any lock type over Mutex. No spurious wake-ups. notify_one wakes the one that has waited for
/// longest.
class Condition {
 public:
  template <class Lock>
  void wait(Lock& lock, Where where = Where::current()) noexcept {
    wait_until(lock, TimePoint::max(), where);
  }
  /// False when `deadline` has passed.
  template <class Lock>
  bool wait_until(Lock& lock, TimePoint deadline, Where where = Where::current()) noexcept {
    Scheduler* const scheduler = Scheduler::current();
    if (!scheduler) fail("a wait outside of explore() would never end");
    scheduler->point("wait", where);
    if (deadline <= scheduler->now()) return false;
    scheduler->write(this);
    lock.unlock();
    const bool notified = scheduler->block(this, deadline, "wait", where);
    lock.lock();
    return notified;
  }
  template <class Lock, class Predicate>
  void wait(Lock& lock, Predicate predicate, Where where = Where::current()) {
    while (!predicate()) wait(lock, where);
  }
  void notify_one(Where where = Where::current()) noexcept { notify(false, where); }
  void notify_all(Where where = Where::current()) noexcept { notify(true, where); }

 private:
  void notify(bool all, Where where) noexcept {
    Scheduler* const scheduler = Scheduler::current();
    if (!scheduler) return;
    scheduler->point("notify", where);
    scheduler->write(this);
    scheduler->wake(this, all);
  }
};

/// Inside explore() only. Joined by its destructor.
class Thread {
 public:
  explicit Thread(std::function<void()> body, std::string name = "thread")
      : id_(Scheduler::current() ? Scheduler::current()->spawn(std::move(body), std::move(name)) : kNobody) {
    if (id_ == kNobody) fail("a thread is started outside of explore()");
  }
  ~Thread() { join(); }
  Thread(Thread&& other) noexcept : id_(std::exchange(other.id_, kNobody)) {}
  Thread& operator=(Thread&&) = delete;
  void join(Where where = Where::current()) noexcept {
    if (id_ != kNobody) Scheduler::current()->join(std::exchange(id_, kNobody), where);
  }

 private:
  unsigned id_;
};

}  // namespace berth::schedule
