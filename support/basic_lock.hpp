// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// BasicLock: scope of a lock; may be unlocked early and locked again. sync::Lock is one, in either form of
// sync.
//
// `Where` is the place in the source that a controlled scheduler reports; empty otherwise.
#pragma once
#include "support/thread_annotations.hpp"

namespace berth::sync {

template <class Mutex, class Where>
class BERTH_SCOPED_CAPABILITY BasicLock {
 public:
  struct Adopted {};

  explicit BasicLock(Mutex& mutex, Where where = Where::current()) BERTH_ACQUIRE(mutex) : mutex_(mutex) {
    mutex_.lock(where);
  }
  /// Takes over a mutex that is held.
  BasicLock(Mutex& mutex, Adopted) BERTH_REQUIRES(mutex) : mutex_(mutex) {}
  ~BasicLock() BERTH_RELEASE() {
    if (held_) mutex_.unlock();
  }
  BasicLock(const BasicLock&) = delete;
  BasicLock& operator=(const BasicLock&) = delete;

  void lock(Where where = Where::current()) BERTH_ACQUIRE() {
    mutex_.lock(where);
    held_ = true;
  }
  void unlock() BERTH_RELEASE() {
    held_ = false;
    mutex_.unlock();
  }
  /// Leaves the mutex locked at the end of the scope.
  void release() noexcept { held_ = false; }

 private:
  friend class Condition;
  Mutex& mutex_;
  bool held_ = true;
};

}  // namespace berth::sync
