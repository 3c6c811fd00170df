// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A mailbox for one message, written once and run twice: by threads, and under every schedule with at most
// two preemptions.
//
// Its first version notifies one waiter. Senders and receivers wait on one condition, so a notification can
// reach the wrong kind, which goes back to sleep with it. The explorer finds the schedule; the second version
// notifies all.
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <optional>
#include <thread>

#include "berth/schedule.hpp"

namespace {

struct Real {
  using Mutex = std::mutex;
  using Condition = std::condition_variable;
  using Thread = std::jthread;
};
struct Explored {
  using Mutex = berth::schedule::Mutex;
  using Condition = berth::schedule::Condition;
  using Thread = berth::schedule::Thread;
};

template <class Sync, bool notifies_all>
class Mailbox {
 public:
  void send(int message) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !message_; });
    message_ = message;
    notify();
  }
  int receive() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return message_.has_value(); });
    const int message = *message_;
    message_.reset();
    notify();
    return message;
  }

 private:
  void notify() {
    if (notifies_all) {
      changed_.notify_all();
    } else {
      changed_.notify_one();
    }
  }
  typename Sync::Mutex mutex_;
  typename Sync::Condition changed_;
  std::optional<int> message_;
};

template <class Sync, bool notifies_all>
int exchange() {
  Mailbox<Sync, notifies_all> mailbox;
  int one = 0, other = 0;
  {
    typename Sync::Thread sender([&] { mailbox.send(1); });
    typename Sync::Thread second_sender([&] { mailbox.send(2); });
    typename Sync::Thread receiver([&] { one = mailbox.receive(); });
    typename Sync::Thread second_receiver([&] { other = mailbox.receive(); });
  }
  return one + other;
}

template <bool notifies_all>
berth::schedule::Report explore() {
  using namespace berth::schedule;
  return berth::schedule::explore(
      {.name = "mailbox", .search = Search::Exhaustive, .schedules = 0, .preemptions = 2},
      [] { check(exchange<Explored, notifies_all>() == 3, "a message is lost"); });
}

}  // namespace

int main() {
  const auto one = explore<false>();
  const auto all = explore<true>();
  std::printf("notify_one, after %llu schedules: %s\n", static_cast<unsigned long long>(one.schedules),
              one.failure ? one.failure->text.c_str() : "no failure");
  std::printf("notify_all, all %llu schedules: %s\n", static_cast<unsigned long long>(all.schedules),
              all.failure ? all.failure->text.c_str() : "no failure");
  std::printf("threads: %d\n", exchange<Real, true>());
  return one.failure && !all.failure && all.exhausted ? 0 : 1;
}
