// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/channel/worker_pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "engine/engine.hpp"
#include "engine/handles.hpp"

namespace berth::jit {
namespace {

constexpr std::chrono::milliseconds kSlice{100};  // of every sleep: glibc bug 25847

}  // namespace

Result<std::unique_ptr<WorkerPool>> WorkerPool::make(engine::Engine& engine, uint32_t threads) {
  std::unique_ptr<WorkerPool> pool(new WorkerPool(engine));
  for (uint32_t i = 0; i < std::max(1u, threads); ++i) {
    try {
      pool->threads_.emplace_back([raw = pool.get()] { raw->work(); });
    } catch (const std::system_error& failure) {
      return make_error(BERTH_RESOURCE_EXHAUSTED, "berth_worker_pool_new",
                        fmt::format("thread {} did not start: {}", i, failure.what()),
                        "ask for fewer threads");
    }
  }
  return pool;
}

WorkerPool::~WorkerPool() {
  {
    sync::Lock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  auto join = [this] {
    for (std::thread& thread : threads_) thread.join();
  };
  if (gc::Thread* thread = gc::current_thread(&engine_.collector()))
    gc::in_safe(*thread, join);
  else
    join();
}

void WorkerPool::add(Channel& channel) {
  sync::Lock lock(mutex_);
  channels_.push_back(&channel);
}

void WorkerPool::remove(Channel& channel) {
  auto wait = [&] {
    sync::Lock lock(mutex_);
    std::erase(channels_, &channel);
    while (std::find(in_use_.begin(), in_use_.end(), &channel) != in_use_.end()) {
      released_.wait_until(lock, sync::Clock::now() + kSlice);
    }
  };
  if (gc::Thread* thread = gc::current_thread(&engine_.collector()))
    gc::in_safe(*thread, wait);
  else
    wait();
}

void WorkerPool::wake() {
  sync::Lock lock(mutex_);
  ++published_;
  changed_.notify_one();
}

void WorkerPool::work() {
  Result<gc::Thread*> attached = engine_.attach();
  if (attached.has_error()) return;  // the engine shuts down
  gc::Thread& thread = *attached.assume_value();
  for (uint64_t seen = 0;;) {
    while (serve_one(thread)) thread.safepoint();
    bool stop = false;
    gc::in_safe(thread, [&] {
      sync::Lock lock(mutex_);
      while (!stopping_ && published_ == seen) changed_.wait_until(lock, sync::Clock::now() + kSlice);
      // Who takes one wake looks at all channels, so all publications so far are seen; the next worker is
      // woken while work is left.
      seen = published_;
      stop = stopping_;
    });
    if (stop) break;
  }
  engine_.detach(thread);
}

bool WorkerPool::serve_one(gc::Thread& thread) {
  Channel* channel = nullptr;
  size_t looked = 0;
  for (;;) {
    {
      sync::Lock lock(mutex_);
      if (channel) {
        in_use_.erase(std::find(in_use_.begin(), in_use_.end(), channel));
        released_.notify_all();
      }
      if (stopping_ || looked++ >= channels_.size()) return false;
      channel = channels_[next_++ % channels_.size()];
      in_use_.push_back(channel);
    }
    Channel::Taken taken{};
    if (!channel->try_take(taken)) continue;
    wake();  // another ticket may be ready for another worker
    run_stages(thread, *channel, taken);
    looked = 0;
  }
}

void WorkerPool::run_stages(gc::Thread& thread, Channel& channel, const Channel::Taken& taken) {
  const std::vector<berth_stage_t>& stages = channel.options().stages;
  void* state = nullptr;
  size_t last_reader = stages.size();
  for (size_t i = 0; i < stages.size(); ++i) {
    if (stages[i].last_reader) last_reader = i;
  }
  for (size_t i = 0; i < stages.size(); ++i) {
    if (berth_error* failure = stages[i].run(stages[i].context, engine::to_handle(&thread), taken.slot,
                                             taken.arguments, &state)) {
      Error error = Error::adopt(failure).with_context(
          fmt::format("stage \"{}\"", stages[i].name ? stages[i].name : ""));
      return channel.finish(taken.ticket, &error);
    }
    if (i == last_reader) channel.snap(taken.ticket);
  }
  channel.finish(taken.ticket, nullptr);
}

}  // namespace berth::jit
