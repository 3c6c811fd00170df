// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/channel/channel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "engine/engine.hpp"

namespace berth::jit {
namespace {

constexpr std::chrono::microseconds kSpin{4};
constexpr uint64_t kClosedBit = uint64_t{1} << 63;  // of taken_

bool reached(uint32_t cell, uint64_t value) noexcept {
  return static_cast<int32_t>(cell - static_cast<uint32_t>(value)) >= 0;
}

}  // namespace

Channel::Channel(engine::Engine& engine, ChannelOptions options)
    : engine_(engine),
      options_(std::move(options)),
      records_(new SlotRecord[options_.slots]),
      memory_(new char[options_.slots * options_.slot_bytes + 1]()),
      taken_(options_.first_ticket),
      finished_(options_.first_ticket) {
  frame_.records = records_.get();
  frame_.memory = memory_.get();
  frame_.slot_bytes = options_.slot_bytes;
  frame_.next = options_.first_ticket;
  frame_.slots = options_.slots;
  frame_.parks = options_.park;
  frame_.channel = this;
  for (uint32_t i = 0; i < options_.slots; ++i) {
    std::memset(records_[i].arguments, 0, kMaxArgumentBytes);
    const auto first = static_cast<uint32_t>(options_.first_ticket);
    records_[i].head.store(first, std::memory_order_relaxed);
    records_[i].snap.store(first, std::memory_order_relaxed);
    records_[i].done.store(first, std::memory_order_relaxed);
  }
  engine_.add_subsystem(this);
}

Channel::~Channel() {
  engine_.remove_subsystem(this);
  delete error_.load(std::memory_order_acquire);
}

Result<void> Channel::ended(bool worker) const {
  if (const berth_error* failure = error())
    return make_error(failure->code, failure->message, "", "", failure->details);
  if (!closed_.load(std::memory_order_acquire)) return success();
  return make_error(worker ? BERTH_CANCELLED : BERTH_INVALID_ARGUMENT,
                    fmt::format("channel \"{}\"", options_.label), "it is closed",
                    "drain before close, and use it no more");
}

Result<void> Channel::wait_cell(gc::Thread& thread, const sync::Atomic<uint32_t>& cell, uint64_t value,
                                bool worker, const char* what, const Deadline& deadline) {
  if (reached(cell.load(std::memory_order_acquire), value)) return worker ? success() : ended(worker);
  Result<void> result = success();
  thread.waiting.since_ns.store(sync::Clock::now().time_since_epoch().count(), std::memory_order_relaxed);
  thread.waiting.kind.store(what, std::memory_order_release);
  gc::in_safe(thread, [&] {
    const auto spin_until = sync::Clock::now() + kSpin;
    for (;;) {
      if (reached(cell.load(std::memory_order_acquire), value)) return;
      result = ended(worker);
      if (result.has_error()) return;
      if (options_.park && sync::Clock::now() >= spin_until) break;
      if (!options_.park && deadline.has_passed()) break;
    }
    if (!options_.park) {
      result = make_error(BERTH_TIMED_OUT, fmt::format("channel \"{}\"", options_.label), what,
                          "wait longer, or see berth_engine_explain");
      return;
    }
    const gc::ParkerRef parker(new gc::Parker);
    {
      sync::Lock lock(mutex_);
      parked_.push_back(parker);
      frame_.waiters.fetch_add(1, std::memory_order_seq_cst);
    }
    for (bool slept_whole_slice = false;;) {
      if (reached(cell.load(std::memory_order_seq_cst), value)) {
        if (slept_whole_slice) recovered_.fetch_add(1, std::memory_order_relaxed);
        break;
      }
      result = ended(worker);
      if (result.has_error()) break;
      if (deadline.has_passed()) {
        result = make_error(BERTH_TIMED_OUT, fmt::format("channel \"{}\"", options_.label), what,
                            "wait longer, or see berth_engine_explain");
        break;
      }
      slept_whole_slice = parker->park(deadline.time()) == 0 && !deadline.has_passed();
    }
    leave(parker);
  });
  thread.waiting.kind.store(nullptr, std::memory_order_release);
  return result;
}

void Channel::store_cell(sync::Atomic<uint32_t>& cell, uint64_t value) {
  if (!options_.park) return cell.store(static_cast<uint32_t>(value), std::memory_order_release);
  cell.store(static_cast<uint32_t>(value), std::memory_order_seq_cst);
  wake();
}

void Channel::wake() {
  if (frame_.waiters.load(std::memory_order_seq_cst) == 0) return;
  std::vector<gc::ParkerRef> parked;
  {
    sync::Lock lock(mutex_);
    parked = parked_;
  }
  for (const gc::ParkerRef& parker : parked) parker->notify(gc::Parker::kServed);
}

Result<char*> Channel::wait_writable(gc::Thread& thread, const Deadline& deadline) {
  BERTH_TRYV(ended(false));
  const uint64_t ticket = frame_.next;
  if (ticket - options_.first_ticket >= options_.slots) {
    const SlotRecord& slot_record = record(ticket);
    BERTH_TRYV(wait_cell(thread, options_.out ? slot_record.snap : slot_record.done,
                         ticket + 1 - options_.slots, false, "waits for a slot to be written", deadline));
  }
  return slot(ticket);
}

Result<uint64_t> Channel::publish(gc::Thread& thread, const void* arguments, const Deadline& deadline) {
  BERTH_TRYV(ended(false));
  const uint64_t ticket = frame_.next;
  SlotRecord& slot_record = record(ticket);
  if (ticket - options_.first_ticket >= options_.slots) {
    BERTH_TRYV(wait_cell(thread, slot_record.done, ticket + 1 - options_.slots, false, "waits to publish",
                         deadline));
  }
  if (options_.argument_bytes != 0 && arguments)
    std::memcpy(slot_record.arguments, arguments, options_.argument_bytes);
  frame_.next = ticket + 1;
  store_cell(slot_record.head, ticket + 1);
  if (on_publish_) on_publish_();
  return ticket;
}

void Channel::set_on_publish(std::function<void()> on_publish) {
  on_publish_ = std::move(on_publish);
  frame_.waiters.fetch_add(
      1, std::memory_order_seq_cst);  // generated code calls published() while this is not 0
}

Result<void> Channel::wait_for(gc::Thread& thread, uint64_t ticket, uint64_t offset, uint64_t value) {
  const SlotRecord& slot_record = record(ticket);
  return wait_cell(thread, offset == offsetof(SlotRecord, snap) ? slot_record.snap : slot_record.done, value,
                   false, "generated code waits for a slot", Deadline::never());
}

void Channel::published() {
  wake();
  if (on_publish_) on_publish_();
}

Result<char*> Channel::wait_readable(gc::Thread& thread, uint64_t ticket, const Deadline& deadline) {
  if (ticket >= frame_.next || frame_.next - ticket > options_.slots) {
    return make_error(BERTH_INVALID_ARGUMENT, fmt::format("channel \"{}\"", options_.label),
                      fmt::format("ticket {} is not outstanding, the next is {}", ticket, frame_.next),
                      "wait for a ticket that publish gave, before its slot is asked for again");
  }
  BERTH_TRYV(
      wait_cell(thread, record(ticket).done, ticket + 1, false, "waits for a slot to be read", deadline));
  return slot(ticket);
}

Result<void> Channel::drain(gc::Thread& thread, const Deadline& deadline) {
  const uint64_t next = frame_.next,
                 first = std::max(options_.first_ticket, next - std::min<uint64_t>(next, options_.slots));
  for (uint64_t ticket = first; ticket < next; ++ticket) {
    BERTH_TRYV(wait_cell(thread, record(ticket).done, ticket + 1, false, "waits for a drain", deadline));
  }
  return ended(false);
}

bool Channel::try_take(Taken& taken) {
  if (closed_.load(std::memory_order_acquire) || error()) return false;
  uint64_t ticket = taken_.load(std::memory_order_acquire);
  do {
    if (ticket & kClosedBit) return false;
    // Equality but for wrap-around: the slot's head is at most K ahead of the ticket to take.
    if (!reached(record(ticket).head.load(std::memory_order_acquire), ticket + 1)) return false;
  } while (!taken_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acq_rel,
                                         std::memory_order_acquire));
  taken = {ticket, slot(ticket), record(ticket).arguments};
  return true;
}

Result<Channel::Taken> Channel::take(gc::Thread& thread, const Deadline& deadline) {
  for (Taken taken;;) {
    BERTH_TRYV(ended(true));
    if (try_take(taken)) return taken;
    const uint64_t ticket = taken_.load(std::memory_order_acquire) & ~kClosedBit;
    BERTH_TRYV(wait_cell(thread, record(ticket).head, ticket + 1, true, "waits for a ticket", deadline));
  }
}

void Channel::snap(uint64_t ticket) { store_cell(record(ticket).snap, ticket + 1); }

// Stored before anyone is woken; `done` does not advance, so nobody takes the slot for data.
void Channel::fail(Error error) {
  berth_error* const mine = error.release();
  berth_error* expected = nullptr;
  if (!error_.compare_exchange_strong(expected, mine, std::memory_order_seq_cst)) delete mine;
}

void Channel::shutdown() {
  fail(make_error(BERTH_SHUT_DOWN, fmt::format("channel \"{}\"", options_.label), "the engine shuts down",
                  "drain channels before"));
  wake();
}

void Channel::finish(uint64_t ticket, Error* error) {
  if (error) {
    fail(std::move(*error).with_context(fmt::format("channel \"{}\", ticket {}", options_.label, ticket)));
    return finish_taken();
  }
  SlotRecord& slot_record = record(ticket);
  if (!reached(slot_record.snap.load(std::memory_order_relaxed), ticket + 1)) {
    slot_record.snap.store(static_cast<uint32_t>(ticket + 1), std::memory_order_release);
  }
  store_cell(slot_record.done, ticket + 1);
  finish_taken();
}

// The last access of a worker to the channel: under the lock, which the deleting thread takes after it.
void Channel::finish_taken() {
  sync::Lock lock(mutex_);
  finished_.fetch_add(1, std::memory_order_acq_rel);
  if (!error() && !closed_.load(std::memory_order_relaxed)) return;
  for (const gc::ParkerRef& parker : parked_) parker->notify(gc::Parker::kServed);
}

void Channel::leave(const gc::ParkerRef& parker) {
  sync::Lock lock(mutex_);
  parked_.erase(std::find(parked_.begin(), parked_.end(), parker));
  frame_.waiters.fetch_sub(1, std::memory_order_seq_cst);
  // Under the lock: whoever deletes the channel waits for the list to be empty, and frees this lock then.
  if (closed_.load(std::memory_order_relaxed)) {
    for (const gc::ParkerRef& other : parked_) other->notify(gc::Parker::kServed);
  }
}

void Channel::close() {
  closed_.store(true, std::memory_order_seq_cst);
  taken_.fetch_or(kClosedBit, std::memory_order_acq_rel);  // no ticket is taken any more
  wake();
}

void Channel::close_and_wait() {
  close();
  const gc::ParkerRef parker(new gc::Parker);
  const auto is_idle = [&] {
    sync::Lock lock(mutex_);
    return finished_.load(std::memory_order_acquire) ==
               (taken_.load(std::memory_order_acquire) & ~kClosedBit) &&
           parked_.size() == 1;
  };
  auto wait = [&] {
    {
      sync::Lock lock(mutex_);
      parked_.push_back(parker);
      frame_.waiters.fetch_add(1, std::memory_order_seq_cst);
    }
    while (!is_idle()) parker->park(sync::TimePoint::max());
    leave(parker);
  };
  if (gc::Thread* thread = gc::current_thread(&engine_.collector()))
    gc::in_safe(*thread, wait);
  else
    wait();
}

void Channel::explain(engine::Explanation& explanation) {
  std::string item =
      fmt::format("{{\"label\":{},\"protocol\":\"ticket\",\"slots\":[", json_quote(options_.label));
  for (uint32_t i = 0; i < options_.slots; ++i) {
    item += fmt::format("{}{{\"head\":{},\"snap\":{},\"done\":{}}}", i == 0 ? "" : ",",
                        records_[i].head.load(std::memory_order_acquire),
                        records_[i].snap.load(std::memory_order_acquire),
                        records_[i].done.load(std::memory_order_acquire));
  }
  item += fmt::format("],\"waiters\":{},\"recovered\":{}}}", frame_.waiters.load(std::memory_order_seq_cst),
                      recovered());
  engine::add_item(explanation, "channels", item);
}

}  // namespace berth::jit
