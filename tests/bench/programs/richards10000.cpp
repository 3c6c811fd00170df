// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/bench/programs/programs.hpp"

#include <array>
#include <memory>
#include <vector>

namespace berth::bench::twins {
namespace {

enum : int64_t { kIdle, kWorker, kHandlerA, kHandlerB, kDeviceA, kDeviceB };
enum : int64_t { kDevicePacket, kWorkPacket };
enum : int64_t { kRunning = 0, kRunnable = 1, kSuspended = 2, kHeld = 4 };

struct Packet {
  Packet* link;
  int64_t id, kind, a1 = 0;
  std::array<int64_t, 4> a2{};
};

struct Scheduler;
struct Block;

struct Task {
  virtual ~Task() = default;
  virtual Block* work(Scheduler& s, Packet* packet) = 0;
};

struct Block {
  Block* link;
  int64_t id, priority;
  Packet* queue;
  int64_t state;
  std::unique_ptr<Task> task;
};

Packet* append(Packet* packet, Packet* queue) {
  packet->link = nullptr;
  if (!queue) return packet;
  Packet* last = queue;
  while (last->link) last = last->link;
  last->link = packet;
  return queue;
}

struct Scheduler {
  int64_t queued = 0, holds = 0;
  Block *list = nullptr, *current = nullptr;
  int64_t current_id = 0;
  std::array<Block*, 6> blocks{};
  std::vector<std::unique_ptr<Block>> all_blocks;
  std::vector<std::unique_ptr<Packet>> all_packets;

  Block* add(int64_t id, int64_t priority, Packet* first, std::unique_ptr<Task> task) {
    all_blocks.push_back(std::make_unique<Block>(
        Block{list, id, priority, first, first ? kSuspended | kRunnable : kSuspended, std::move(task)}));
    return current = list = blocks[id] = all_blocks.back().get();
  }
  Packet* packets(int n, int64_t id, int64_t kind) {
    Packet* first = nullptr;
    for (int i = 0; i < n; ++i) {
      all_packets.push_back(std::make_unique<Packet>(Packet{first, id, kind}));
      first = all_packets.back().get();
    }
    return first;
  }
  Block* release(int64_t id) {
    Block* block = blocks[id];
    if (!block) return block;
    block->state &= ~kHeld;
    return block->priority > current->priority ? block : current;
  }
  Block* hold_current() {
    ++holds;
    current->state |= kHeld;
    return current->link;
  }
  Block* suspend_current() {
    current->state |= kSuspended;
    return current;
  }
  Block* queue(Packet* packet) {
    Block* block = blocks[packet->id];
    if (!block) return block;
    ++queued;
    packet->link = nullptr;
    packet->id = current_id;
    if (block->queue) {
      block->queue = append(packet, block->queue);
    } else {
      block->queue = packet;
      block->state |= kRunnable;
      if (block->priority > current->priority) return block;
    }
    return current;
  }
  Block* step(Block* block) {
    if (block->state != (kSuspended | kRunnable)) return block->task->work(*this, nullptr);
    Packet* packet = block->queue;
    block->queue = packet->link;
    block->state = block->queue ? kRunnable : kRunning;
    return block->task->work(*this, packet);
  }
  void schedule() {
    current = list;
    while (current) {
      Block* block = current;
      if ((block->state & kHeld) != 0 || block->state == kSuspended) {
        current = block->link;
      } else {
        current_id = block->id;
        current = step(block);
      }
    }
  }
};

struct Idle final : Task {
  int64_t v1 = 1, count;
  explicit Idle(int64_t rounds) : count(rounds) {}
  Block* work(Scheduler& s, Packet* /*packet*/) override {
    if (--count == 0) return s.hold_current();
    if ((v1 & 1) == 0) {
      v1 = v1 >> 1;
      return s.release(kDeviceA);
    }
    v1 = v1 >> 1 ^ 0xd008;
    return s.release(kDeviceB);
  }
};

struct Device final : Task {
  Packet* v1 = nullptr;
  Block* work(Scheduler& s, Packet* packet) override {
    if (packet) {
      v1 = packet;
      return s.hold_current();
    }
    Packet* waiting = v1;
    if (!waiting) return s.suspend_current();
    v1 = nullptr;
    return s.queue(waiting);
  }
};

struct Worker final : Task {
  int64_t v1 = kHandlerA, v2 = 0;
  Block* work(Scheduler& s, Packet* packet) override {
    if (!packet) return s.suspend_current();
    v1 = v1 == kHandlerA ? kHandlerB : kHandlerA;
    packet->id = v1;
    packet->a1 = 0;
    for (int64_t& item : packet->a2) {
      if (++v2 > 26) v2 = 1;
      item = v2;
    }
    return s.queue(packet);
  }
};

struct Handler final : Task {
  Packet *v1 = nullptr, *v2 = nullptr;
  Block* work(Scheduler& s, Packet* packet) override {
    if (packet) {
      Packet*& queue = packet->kind == kWorkPacket ? v1 : v2;
      queue = append(packet, queue);
    }
    Packet* job = v1;
    if (!job) return s.suspend_current();
    const int64_t count = job->a1;
    if (count >= 4) {
      v1 = job->link;
      return s.queue(job);
    }
    Packet* free = v2;
    if (!free) return s.suspend_current();
    v2 = free->link;
    free->a1 = job->a2[count];
    job->a1 = count + 1;
    return s.queue(free);
  }
};

}  // namespace

std::string richards10000() {
  Scheduler s;
  s.add(kIdle, 0, nullptr, std::make_unique<Idle>(10000))->state = kRunning;
  s.add(kWorker, 1000, s.packets(2, kWorker, kWorkPacket), std::make_unique<Worker>());
  s.add(kHandlerA, 2000, s.packets(3, kDeviceA, kDevicePacket), std::make_unique<Handler>());
  s.add(kHandlerB, 3000, s.packets(3, kDeviceB, kDevicePacket), std::make_unique<Handler>());
  s.add(kDeviceA, 4000, nullptr, std::make_unique<Device>());
  s.add(kDeviceB, 5000, nullptr, std::make_unique<Device>());
  s.schedule();
  return "queued " + text_of(s.queued) + ", held " + text_of(s.holds) + "\n";
}

}  // namespace berth::bench::twins
