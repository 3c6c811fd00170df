// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contract page "handshake": the ticket protocol between compute code, generated code among it, and workers.
#include <gtest/gtest.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include <atomic>
#include <thread>

#include "berth/berth.hpp"
#include "engine/handles.hpp"
#include "jit/channel/channel.hpp"
#include "jit/channel/channel_emitter.hpp"
#include "tests/support/watchdog.hpp"

namespace {

using namespace berth;
using namespace std::chrono_literals;
using jit::Channel;
using jit::ChannelOptions;

class Handshake : public ::testing::Test {
 protected:
  engine::Engine& engine() { return *engine::to_engine(engine_.get()); }
  gc::Thread& self() { return *engine::to_thread(thread_.get()); }

  test::Watchdog watchdog_{60s, [this] { return engine_.explain(); }};
  EngineOwner engine_;
  ThreadOwner thread_{engine_};
};

berth_code_t take_code(berth_error_t* error) {
  const berth_code_t code = berth_error_code(error);
  berth_error_delete(error);
  return code;
}

// A worker on its own attached thread that adds its ticket to every slot; ends when the channel closes.
class Adder {
 public:
  Adder(const EngineOwner& engine, Channel& channel)
      : thread_([&engine, &channel] {
          ThreadOwner thread(engine);
          for (;;) {
            auto taken = channel.take(*engine::to_thread(thread.get()), Deadline::never());
            if (taken.has_error()) return;
            const Channel::Taken& ticket = taken.assume_value();
            auto* const slot = reinterpret_cast<int64_t*>(ticket.slot);
            slot[1] = slot[0] + *static_cast<const int64_t*>(ticket.arguments);
            channel.finish(ticket.ticket, nullptr);
          }
        }) {}
  ~Adder() { thread_.join(); }

 private:
  std::thread thread_;
};

struct Case {
  uint32_t slots;
  bool park;
  uint64_t first;
  int workers;
};
class Tickets : public Handshake, public ::testing::WithParamInterface<Case> {};

// Slot contents and arguments written before publish are read by the worker; what it wrote is read after the
// delivery.
TEST_P(Tickets, H7_data_is_ordered_and_H9_counters_wrap) {
  const Case& c = GetParam();
  ChannelOptions options;
  options.slots = options.ahead = c.slots;
  options.slot_bytes = 16;
  options.argument_bytes = 8;
  options.park = c.park;
  options.first_ticket = c.first;
  Channel channel(engine(), options);
  {
    std::vector<std::unique_ptr<Adder>> workers;
    for (int i = 0; i < c.workers; ++i) workers.push_back(std::make_unique<Adder>(engine_, channel));
    for (int64_t i = 0; i < 2000; ++i) {
      auto* const slot = reinterpret_cast<int64_t*>(channel.wait_writable(self(), Deadline::never()).value());
      slot[0] = i;
      const int64_t argument = 7 * i;
      const uint64_t ticket = channel.publish(self(), &argument, Deadline::never()).value();
      ASSERT_EQ(ticket, c.first + static_cast<uint64_t>(i));
      auto* const read =
          reinterpret_cast<int64_t*>(channel.wait_readable(self(), ticket, Deadline::never()).value());
      ASSERT_EQ(read[1], 8 * i);
    }
    ASSERT_FALSE(channel.drain(self(), Deadline::never()).has_error());
    channel.close();
  }
  channel.close_and_wait();
  EXPECT_EQ(channel.recovered(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Handshake, Tickets,
                         ::testing::Values(Case{1, true, 0, 1}, Case{1, true, 0, 2},
                                           Case{2, true, (1ull << 31) - 500, 1},
                                           Case{3, true, (1ull << 32) - 700, 2}, Case{2, false, 0, 1}));

TEST_F(Handshake, H8_publish_waits_for_done_not_only_for_the_snapshot) {
  ChannelOptions options;
  options.slots = options.ahead = 1;
  options.slot_bytes = 8;
  Channel channel(engine(), options);
  ASSERT_TRUE(channel.wait_writable(self(), Deadline::in(0)).has_value());
  ASSERT_TRUE(channel.publish(self(), nullptr, Deadline::in(0)).has_value());
  Channel::Taken taken{};
  ASSERT_TRUE(channel.try_take(taken));
  EXPECT_EQ(channel.wait_writable(self(), Deadline::in(0)).error().code(), BERTH_TIMED_OUT);
  channel.snap(taken.ticket);
  EXPECT_TRUE(channel.wait_writable(self(), Deadline::in(0)).has_value());
  EXPECT_EQ(channel.publish(self(), nullptr, Deadline::in(0)).error().code(), BERTH_TIMED_OUT);
  channel.finish(taken.ticket, nullptr);
  EXPECT_TRUE(channel.publish(self(), nullptr, Deadline::in(0)).has_value());
}

TEST_F(Handshake, H11_a_collection_does_not_wait_for_a_parked_side) {
  ChannelOptions options;
  options.slot_bytes = 8;
  Channel channel(engine(), options);
  {
    Adder worker(engine_, channel);  // parks at once: nothing is published
    for (int i = 0; i < 20; ++i) berth_gc_collect(thread_.get());
    channel.close();
  }
}

TEST_F(Handshake, H12_tickets_finish_in_any_order) {
  ChannelOptions options;
  options.slots = options.ahead = 2;
  options.slot_bytes = 8;
  options.out = false;
  Channel channel(engine(), options);
  const uint64_t first = channel.publish(self(), nullptr, Deadline::in(0)).value();
  const uint64_t second = channel.publish(self(), nullptr, Deadline::in(0)).value();
  Channel::Taken a{}, b{};
  ASSERT_TRUE(channel.try_take(a));
  ASSERT_TRUE(channel.try_take(b));
  EXPECT_EQ(a.ticket, first);
  channel.finish(b.ticket, nullptr);
  EXPECT_TRUE(channel.wait_readable(self(), second, Deadline::in(0)).has_value());
  EXPECT_EQ(channel.wait_readable(self(), first, Deadline::in(0)).error().code(), BERTH_TIMED_OUT);
  channel.finish(a.ticket, nullptr);
  EXPECT_TRUE(channel.wait_readable(self(), first, Deadline::in(0)).has_value());
}

TEST_F(Handshake, H17_a_failed_stage_reaches_every_call_through_the_pool) {
  berth_worker_pool_t* raw_pool = nullptr;
  check(berth_worker_pool_new(engine_.get(), 2, &raw_pool));
  const WorkerPoolOwner pool(raw_pool);
  berth_stage_t stage{};
  stage.name = "persist";
  stage.run = [](void*, berth_thread_t*, void*, const void* args, void**) -> berth_error_t* {
    if (*static_cast<const int64_t*>(args) != 5) return nullptr;
    return make_error(BERTH_RESOURCE_EXHAUSTED, "disk", "full", "").release();
  };
  berth_channel_options_t options{};
  options.struct_size = sizeof options;
  options.slots = 2;
  options.slot_bytes = options.args_bytes = 8;
  options.pool = pool.get();
  options.stages = &stage;
  options.stage_count = 1;
  options.label = "out";
  berth_channel_t* raw = nullptr;
  check(berth_channel_new(engine_.get(), &options, &raw));
  const ChannelOwner channel(raw);
  berth_error_t* error = nullptr;
  for (int64_t i = 0; !error && i < 100; ++i) {
    void* slot = nullptr;
    error = berth_channel_wait_writable(thread_.get(), channel.get(), -1, &slot);
    if (!error) error = berth_channel_publish(thread_.get(), channel.get(), &i, -1, nullptr);
  }
  EXPECT_NE(std::string(berth_error_message(error)).find("stage \"persist\""), std::string::npos)
      << berth_error_message(error);
  EXPECT_EQ(take_code(error), BERTH_RESOURCE_EXHAUSTED);
  EXPECT_EQ(take_code(berth_channel_drain(thread_.get(), channel.get(), -1)), BERTH_RESOURCE_EXHAUSTED);
  EXPECT_EQ(take_code(berth_channel_error(channel.get())), BERTH_RESOURCE_EXHAUSTED);
}

TEST_F(Handshake, H18_close_and_delete_at_any_time) {
  for (int round = 0; round < 100; ++round) {
    ChannelOptions options;
    options.slot_bytes = 16;
    options.argument_bytes = 8;
    auto channel = std::make_unique<Channel>(engine(), options);
    {
      Adder one(engine_, *channel), two(engine_, *channel);
      for (int64_t i = 0; i < round % 7; ++i) {
        if (channel->wait_writable(self(), Deadline::never()).has_error()) break;
        if (channel->publish(self(), &i, Deadline::never()).has_error()) break;
      }
      channel->close_and_wait();
    }
  }
}

TEST_F(Handshake, H18_engine_shutdown_ends_every_wait) {
  ChannelOptions options;
  options.slot_bytes = 8;
  options.label = "field";
  Channel channel(engine(), options);
  EXPECT_NE(engine_.explain().find("\"label\":\"field\""), std::string::npos) << engine_.explain();
  berth_code_t code = BERTH_OK;
  std::thread worker([&] {
    ThreadOwner thread(engine_);
    const auto taken = channel.take(*engine::to_thread(thread.get()), Deadline::never());
    if (taken.has_error()) code = taken.error().code();
  });
  {
    const SafeScope safe(thread_.get());
    while (channel.frame().waiters.load() == 0) std::this_thread::yield();  // until it parks
    check(berth_engine_shutdown(engine_.get()));
    worker.join();
  }
  EXPECT_EQ(code, BERTH_SHUT_DOWN);
  EXPECT_EQ(channel.wait_writable(self(), Deadline::in(0)).error().code(), BERTH_SHUT_DOWN);
}

// A loop in LLVM IR: for i in 0..n { slot = wait_writable(); *slot = i * i; publish(i); }, compiled by the
// engine.
std::string producer_ir(bool parks) {
  llvm::LLVMContext context;
  llvm::Module module("producer", context);
  llvm::IRBuilder<> b(context);
  auto* type = llvm::FunctionType::get(b.getInt32Ty(), {b.getPtrTy(), b.getPtrTy(), b.getInt64Ty()}, false);
  auto* function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "produce", module);
  auto* entry = llvm::BasicBlock::Create(context, "entry", function);
  auto* loop = llvm::BasicBlock::Create(context, "loop", function);
  auto* fill = llvm::BasicBlock::Create(context, "fill", function);
  auto* next = llvm::BasicBlock::Create(context, "next", function);
  auto* fail = llvm::BasicBlock::Create(context, "fail", function);
  auto* done = llvm::BasicBlock::Create(context, "done", function);
  b.SetInsertPoint(entry);
  auto* argument = b.CreateAlloca(b.getInt64Ty());
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  auto* i = b.CreatePHI(b.getInt64Ty(), 2);
  i->addIncoming(b.getInt64(0), entry);
  jit::ChannelEmitter channel(b, function->getArg(0), function->getArg(1), true, parks);
  const auto waited = channel.wait_writable();
  b.CreateCondBr(b.CreateICmpEQ(waited.code, b.getInt32(0)), fill, fail);
  b.SetInsertPoint(fill);
  b.CreateStore(b.CreateMul(i, i), waited.slot);
  b.CreateStore(i, argument);
  llvm::Value* ticket = nullptr;
  llvm::Value* code = channel.publish(argument, 8, &ticket);
  b.CreateCondBr(b.CreateICmpEQ(code, b.getInt32(0)), next, fail);
  b.SetInsertPoint(next);
  auto* i1 = b.CreateAdd(i, b.getInt64(1));
  i->addIncoming(i1, next);
  b.CreateCondBr(b.CreateICmpULT(i1, function->getArg(2)), loop, done);
  llvm::IRBuilder<>(fail).CreateRet(b.getInt32(1));
  llvm::IRBuilder<>(done).CreateRet(b.getInt32(0));
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

TEST_F(Handshake, H20_emitted_cells_are_atomic_ordered_and_tagged) {
  const std::string parks = producer_ir(true), spins = producer_ir(false);
  EXPECT_NE(parks.find("load atomic i32"), std::string::npos);
  EXPECT_NE(parks.find("store atomic i32"), std::string::npos);
  EXPECT_NE(parks.find("seq_cst, align 4, !berth.channel"), std::string::npos) << parks;
  EXPECT_NE(spins.find("release, align 4, !berth.channel"), std::string::npos) << spins;
  EXPECT_EQ(parks.find("volatile"), std::string::npos);
  EXPECT_EQ(parks.find("fence"), std::string::npos);
}

TEST_F(Handshake, H30_generated_code_hands_data_to_a_worker) {
  for (const jit::RuntimeSymbol& symbol : jit::channel_symbols())
    check(berth_engine_define_symbol(engine_.get(), symbol.name, symbol.address));
  static const char method = 0;
  auto reservation = thread_.reserve({&method, nullptr});
  const InstanceRef instance = reservation.lease.instance();
  reservation.lease.release(SourceOwner::from_ir(producer_ir(true), "produce"));
  const auto produce = reinterpret_cast<int32_t (*)(void*, void*, int64_t)>(thread_.wait_entry(instance));
  ChannelOptions options;
  options.slot_bytes = 16;
  options.argument_bytes = 8;
  Channel channel(engine(), options);
  constexpr int64_t kTickets = 20000;
  int64_t wrong = 0, taken_count = 0;
  std::thread worker([&] {
    ThreadOwner thread(engine_);
    for (int64_t i = 0; i < kTickets; ++i) {
      const auto taken = channel.take(*engine::to_thread(thread.get()), Deadline::never());
      if (taken.has_error()) return;
      wrong += *reinterpret_cast<const int64_t*>(taken.value().slot) != i * i;
      wrong += *static_cast<const int64_t*>(taken.value().arguments) != i;
      ++taken_count;
      channel.finish(taken.value().ticket, nullptr);
    }
  });
  EXPECT_EQ(produce(&self(), &channel.frame(), kTickets), 0);
  {
    const SafeScope safe(thread_.get());
    worker.join();
  }
  EXPECT_EQ(taken_count, kTickets);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(channel.recovered(), 0u);
}

}  // namespace
