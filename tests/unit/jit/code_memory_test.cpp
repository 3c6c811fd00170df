// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SlabMemory, UnwindRegistry, SlotTable and CodeUnits with the system and the instances in the test's hands.
#include <gtest/gtest.h>
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <barrier>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>

#include "jit/host_backend.hpp"
#include "jit/llvm_body.hpp"
#include "tests/support/watchdog.hpp"

namespace berth::jit {
namespace {

using namespace std::chrono_literals;
using engine::CodeInstance;
using test::Watchdog;

SlabMemory::Sizes sizes_of(size_t text, size_t read_only = 0, size_t data = 0) {
  SlabMemory::Sizes sizes;
  sizes[SlabMemory::kText] = {text, 16};
  sizes[SlabMemory::kReadOnly] = {read_only, 8};
  sizes[SlabMemory::kData] = {data, 64};
  return sizes;
}
void expect_balance(const SlabMemory& memory) {
  const SlabMemory::Accounts accounts = memory.accounts();
  EXPECT_EQ(accounts.live_bytes + accounts.limbo_bytes + accounts.free_bytes, accounts.reserved_bytes);
}

#if defined(__x86_64__)
/// mov eax, number; ret
void write_number(const SlabMemory::Part& text, int number) {
  unsigned char bytes[] = {0xb8, 0, 0, 0, 0, 0xc3};
  std::memcpy(bytes + 1, &number, sizeof number);
  std::memcpy(text.writable, bytes, sizeof bytes);
}
int run(const SlabMemory::Part& text) { return reinterpret_cast<int (*)()>(text.address)(); }

std::atomic<int> barriers{0}, registrations{0};
int count_membarrier(int command) {
  (command == MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE ? barriers : registrations)++;
  return static_cast<int>(syscall(SYS_membarrier, command, 0, 0));
}

TEST(SlabMemory, J51_a_range_that_held_code_is_used_again_after_a_barrier) {
  constexpr int kReuses = 100'000;
  Watchdog watchdog{120s};
  SlabSystem system = SlabSystem::real();
  system.membarrier = &count_membarrier;
  barriers = registrations = 0;
  SlabMemory memory(system);
  EXPECT_EQ(registrations.load(), 1);
  char* first = nullptr;
  for (int i = 0; i < kReuses; ++i) {
    const auto allocation = memory.allocate(sizes_of(64)).assume_value();
    const SlabMemory::Part& text = allocation.parts[SlabMemory::kText];
    if (i == 0) first = text.address;
    ASSERT_EQ(text.address, first);
    const int before = barriers.load();
    write_number(text, i);
    ASSERT_FALSE(memory.seal(allocation).has_error());
    ASSERT_EQ(barriers.load(), before + (i == 0 ? 0 : 1));  // once for each that is put where code was
    ASSERT_EQ(run(text), i);
    memory.retire(allocation);
    memory.free({&allocation, 1});
    ASSERT_EQ(barriers.load(), before + (i == 0 ? 1 : 2));  // once for each batch that goes
  }
  expect_balance(memory);
  EXPECT_EQ(memory.accounts().live_bytes, 0u);
}

TEST(SlabMemory, J51_a_batch_takes_one_barrier_and_without_it_nothing_is_used_again) {
  SlabSystem system = SlabSystem::real();
  system.membarrier = &count_membarrier;
  barriers = 0;
  {
    SlabMemory memory(system);
    std::vector<SlabMemory::Allocation> all;
    for (int i = 0; i < 100; ++i) {
      all.push_back(memory.allocate(sizes_of(64)).assume_value());
      ASSERT_FALSE(memory.seal(all.back()).has_error());
      memory.retire(all.back());
    }
    memory.free(all);
    EXPECT_EQ(barriers.load(), 1);
  }
  system.membarrier = [](int) {
    errno = ENOSYS;
    return -1;
  };
  SlabMemory memory(system);
  const auto one = memory.allocate(sizes_of(64)).assume_value();
  const auto other = memory.allocate(sizes_of(64)).assume_value();  // keeps the slab
  ASSERT_FALSE(memory.seal(one).has_error());
  memory.retire(one);
  memory.free({&one, 1});
  EXPECT_EQ(memory.accounts().limbo_bytes, 64u);
  const auto next = memory.allocate(sizes_of(64)).assume_value();
  EXPECT_NE(next.parts[SlabMemory::kText].address, one.parts[SlabMemory::kText].address);
  EXPECT_FALSE(memory.seal(next).has_error());
  expect_balance(memory);
  memory.abandon(other);
}

// The child goes on in the pages that it shares with its parent.
TEST(SlabMemory, J24_what_a_forked_child_may_run_is_not_written_again) {
  Watchdog watchdog{60s};
  SlabMemory memory;
  const auto code = memory.allocate(sizes_of(64)).assume_value();
  const auto keeps_the_slab = memory.allocate(sizes_of(64)).assume_value();
  const SlabMemory::Part text = code.parts[SlabMemory::kText];
  write_number(text, 42);
  ASSERT_FALSE(memory.seal(code).has_error());
  int go[2];
  ASSERT_EQ(pipe(go), 0);
  const pid_t child = fork();
  if (child == 0) {
    char byte = 0;
    _exit(read(go[0], &byte, 1) == 1 ? run(text) : 1);
  }
  memory.retire(code);
  memory.free({&code, 1});
  const auto next = memory.allocate(sizes_of(64)).assume_value();
  write_number(next.parts[SlabMemory::kText], 7);
  ASSERT_EQ(write(go[1], "x", 1), 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 42);
  close(go[0]);
  close(go[1]);
  EXPECT_EQ(memory.accounts().limbo_bytes, 64u);
  expect_balance(memory);
  // When nothing is left in it, the slab goes.
  for (const auto& allocation : {keeps_the_slab, next}) {
    memory.retire(allocation);
    memory.free({&allocation, 1});
  }
  EXPECT_EQ(memory.accounts().limbo_bytes, 0u);
  EXPECT_EQ(memory.accounts().slabs, 0u);
}
#endif

TEST(SlabMemory, J66_accounts_balance_and_free_ranges_join) {
  for (const bool deny_memfd : {false, true}) {
    SlabSystem system = SlabSystem::real();
    if (deny_memfd) {
      system.memfd_create = [](const char*, unsigned) {
        errno = EPERM;
        return -1;
      };
    }
    SlabMemory memory(system, size_t{2} << 20);
    std::mt19937 random(7);
    std::map<char*, SlabMemory::Allocation> live;
    for (int i = 0; i < 20'000; ++i) {
      if (live.size() < 200 && random() % 2) {
        const auto allocation =
            memory.allocate(sizes_of(1 + random() % 3000, random() % 300, random() % 300)).assume_value();
        const SlabMemory::Part& text = allocation.parts[SlabMemory::kText];
        const auto after = live.lower_bound(text.address);
        if (after != live.end()) { ASSERT_LE(text.address + text.bytes, after->first); }
        if (after != live.begin()) {
          ASSERT_LE(std::prev(after)->first + std::prev(after)->second.parts[SlabMemory::kText].bytes,
                    text.address);
        }
        std::memset(text.writable, 0x90, text.bytes);
        ASSERT_FALSE(memory.seal(allocation).has_error());
        live.emplace(text.address, allocation);
      } else if (!live.empty()) {
        const auto gone = std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
        if (random() % 4) {
          memory.retire(gone->second);
          memory.free({&gone->second, 1});
        } else {
          memory.abandon(gone->second);
        }
        live.erase(gone);
      }
    }
    expect_balance(memory);
    for (const auto& [address, allocation] : live) {
      memory.retire(allocation);
      memory.free({&allocation, 1});
    }
    expect_balance(memory);
    const SlabMemory::Accounts accounts = memory.accounts();
    EXPECT_EQ(accounts.live_bytes + accounts.limbo_bytes, 0u);
    EXPECT_LE(accounts.slabs, 1u);
    // One range again: the whole part can be had.
    const auto whole = memory.allocate(sizes_of((size_t{1} << 20) - 4096));
    ASSERT_FALSE(whole.has_error());
    EXPECT_LE(memory.accounts().slabs, 1u);
  }
}

TEST(SlabMemory, J65_an_abandoned_link_leaves_nothing) {
  SlabMemory memory;
  const auto other = memory.allocate(sizes_of(64, 64, 64)).assume_value();
  const SlabMemory::Accounts before = memory.accounts();
  memory.abandon(memory.allocate(sizes_of(1000, 1000, 1000)).assume_value());
  const SlabMemory::Accounts after = memory.accounts();
  EXPECT_EQ(after.live_bytes, before.live_bytes);
  EXPECT_EQ(after.free_bytes, before.free_bytes);
  EXPECT_EQ(after.limbo_bytes, 0u);
  memory.abandon(other);
}

TEST(SlabMemory, a_limit_counts_live_and_limbo) {
  SlabMemory memory(SlabSystem::real(), size_t{2} << 20, 1000);
  const auto one = memory.allocate(sizes_of(512)).assume_value();
  memory.retire(one);
  const auto refused = memory.allocate(sizes_of(512));
  ASSERT_TRUE(refused.has_error());
  EXPECT_EQ(refused.assume_error().code(), BERTH_RESOURCE_EXHAUSTED);
  memory.free({&one, 1});
  EXPECT_FALSE(memory.allocate(sizes_of(512)).has_error());
}

// --- unwind lists

/// What is registered: of each table its sections, which here are the units' ranges.
struct Range {
  uintptr_t low, high;
};
std::map<const void*, std::vector<const Range*>> tables;
void watch_register(void* table) {
  std::vector<const Range*>& ranges = tables[table];
  for (auto* section = static_cast<const void**>(table); *section; ++section)
    ranges.push_back(static_cast<const Range*>(*section));
}
void watch_deregister(const void* table) { EXPECT_EQ(tables.erase(table), 1u); }

TEST(UnwindRegistry, J68_at_most_two_disjoint_lists_per_slab) {
  tables.clear();
  std::mt19937 random(11);
  {
    UnwindRegistry registry({&watch_register, &watch_deregister});
    const char slab_names[2] = {};
    std::map<uintptr_t, UnwindRegistry::Unit> units[2];
    std::deque<Range> ranges;
    uintptr_t top[2] = {1 << 20, 1 << 28};
    const auto check = [&] {
      for (int slab = 0; slab < 2; ++slab) {
        std::vector<Range> lists;
        std::set<uintptr_t> listed;
        for (const auto& [table, sections] : tables) {
          if (sections.empty() || (sections[0]->low >= (1 << 28)) != (slab == 1)) continue;
          Range all{UINTPTR_MAX, 0};
          for (const Range* range : sections) {
            all = {std::min(all.low, range->low), std::max(all.high, range->high)};
            ASSERT_TRUE(listed.insert(range->low).second);
          }
          lists.push_back(all);
        }
        ASSERT_EQ(listed.size(), units[slab].size());
        for (const auto& [low, unit] : units[slab]) ASSERT_TRUE(listed.contains(low));
        ASSERT_LE(lists.size(), 2u);
        if (lists.size() == 2) {
          ASSERT_TRUE(lists[0].high <= lists[1].low || lists[1].high <= lists[0].low);
        }
      }
      ASSERT_EQ(registry.num_lists(), tables.size());
    };
    for (int i = 0; i < 8000; ++i) {
      const int slab = static_cast<int>(random() % 2);
      if (random() % 8 == 0 && !units[slab].empty()) {
        std::vector<UnwindRegistry::Unit> gone;
        for (size_t n = 1 + random() % 5; n != 0 && !units[slab].empty(); --n) {
          const auto each =
              std::next(units[slab].begin(),
                        static_cast<std::ptrdiff_t>(random() % std::min<size_t>(units[slab].size(), 50)));
          gone.push_back(each->second);
          units[slab].erase(each);
        }
        ASSERT_TRUE(registry.remove(gone));
      } else {
        // At the end, or into a gap below.
        uintptr_t low = top[slab];
        if (random() % 2 && units[slab].size() > 1) {
          const auto each = std::next(units[slab].begin(),
                                      static_cast<std::ptrdiff_t>(random() % (units[slab].size() - 1)));
          if (each->second.high + 16 <= std::next(each)->first) low = each->second.high;
        }
        if (low == top[slab]) top[slab] += 64;
        ranges.push_back({low, low + 16 + (low == top[slab] - 64 ? random() % 3 * 16 : 0)});
        const UnwindRegistry::Unit unit{&slab_names[slab], low, ranges.back().high, &ranges.back()};
        units[slab].emplace(low, unit);
        registry.add(unit);
      }
      if (i % 17 == 0) check();
      if (testing::Test::HasFatalFailure()) return;
    }
    check();
    EXPECT_GT(units[0].size(), UnwindRegistry::kOpenUnits);
  }
  EXPECT_TRUE(tables.empty());
}

// --- with code of LLVM's

class Instances final : public engine::Recycler {
 public:
  CodeInstance& make() {
    CodeInstance& instance = all_.emplace_back();
    instance.references.store(1, std::memory_order_relaxed);
    instance.recycler = this;
    return instance;
  }
  void unreferenced(CodeInstance&) noexcept override { std::abort(); }

 private:
  std::deque<CodeInstance> all_;
};

struct Compiled {
  explicit Compiled(HostBackend::Options options) : backend(nullptr, std::move(options)) {}
  engine::CompileJob job(std::string ir) {
    engine::CompileJob job;
    job.instance = &instances.make();
    job.source = std::make_shared<engine::Source>();
    job.source->body = std::make_unique<LlvmBody>(engine::BodyKind::LlvmIr, std::move(ir));
    job.source->entry_symbol = "f";
    job.tier = BERTH_TIER_FAST;
    return job;
  }
  engine::Code* compile(const engine::CompileJob& job) {
    const CompileRequest request{job, cancelled};
    auto answers = backend.generate({&request, 1});
    if (answers.has_error()) {
      ADD_FAILURE() << answers.assume_error().message();
      return nullptr;
    }
    return answers.assume_value().front().assume_value();
  }
  /// As the engine does when the last reference has gone.
  void end(CodeInstance& instance, engine::Code* code) {
    instance.word.fetch_add(uint64_t{1} << CodeInstance::kGenerationShift);
    backend.retire(code);
  }
  Instances instances;
  sync::Atomic<bool> cancelled{false};
  HostBackend backend;
};

void throw_number(int n) { throw std::runtime_error(std::to_string(n)); }

/// Functions that throw through themselves, called at every step of every change of a list.
struct Throwers {
  static inline std::vector<void (*)(int)> all;
  static void throw_through(void (*function)(int), int n) {
    try {
      function(n);
      ADD_FAILURE() << "returned";
    } catch (const std::runtime_error& error) { ASSERT_EQ(error.what(), std::to_string(n)); }
  }
  static void throw_through_some() {
    for (const size_t at : {size_t{0}, all.size() / 2, all.size() - 1}) {
      if (at < all.size()) throw_through(all[at], 7);
    }
  }
  static void register_table(void* table) {
    throw_through_some();
    UnwindSystem::real().register_table(table);
    throw_through_some();
  }
  static void deregister_table(const void* table) {
    throw_through_some();
    UnwindSystem::real().deregister_table(table);
    throw_through_some();
  }
};

TEST(Jit, J69_throws_find_old_and_new_code_at_each_step_of_a_change) {
  Watchdog watchdog{300s};
  HostBackend::Options options;
  options.unwind = {&Throwers::register_table, &Throwers::deregister_table};
  Throwers::all.clear();
  Compiled f(std::move(options));
  ASSERT_FALSE(f.backend.define_symbol("throw_number", reinterpret_cast<void*>(&throw_number)).has_error());
  const auto make = [&](const engine::CompileJob& job) { return f.compile(job); };
  const std::string ir =
      "declare void @throw_number(i32)\ndefine void @f(i32 %x) {\n  call void @throw_number(i32 %x)\n  call "
      "void asm sideeffect \"\", \"\"()\n  ret void\n}\n";
  const auto add = [&] {
    engine::Code* const code = make(f.job(ir));
    ASSERT_TRUE(code);
    auto* const function = reinterpret_cast<void (*)(int)>(code->entry);
    for (int i = 0; i < 3; ++i)
      Throwers::throw_through(function, i);  // libgcc sorts at the first, and may lose it at the second
    Throwers::all.push_back(function);
  };
  for (size_t i = 0; i < UnwindRegistry::kOpenUnits + 20; ++i) add();  // over a seal
  // Holes in both lists, and code in them again.
  std::vector<std::pair<CodeInstance*, engine::Code*>> holes;
  for (int i = 0; i < 10; ++i) {
    const auto job = f.job(ir);
    holes.emplace_back(job.instance.get(), make(job));
    add();
  }
  for (const auto& [instance, code] : holes) f.end(*instance, code);
  EXPECT_TRUE(f.backend.units().reclaim(sync::Clock::now() + 10s));
  for (int i = 0; i < 10; ++i) add();
  for (void (*function)(int) : Throwers::all) Throwers::throw_through(function, 1);
  EXPECT_LE(f.backend.num_unwind_lists(), 2u);
  Throwers::all.clear();
}

// Slabs of two MiB where the test wants them: next to the host, and far from it and each other.
uintptr_t hint = 0, hint_step = 0;
void* placed_mmap(void* address, size_t length, int protection, int flags, int fd, long offset) {
  if (!address && protection == PROT_NONE) {
    address = reinterpret_cast<void*>(hint);
    hint += hint_step;
  }
  return mmap(address, length, protection, flags, fd, offset);
}
int64_t host_number(int64_t x) { return x + 1; }

TEST(Jit, J64_code_reaches_code_and_host_from_near_and_far) {
  Watchdog watchdog{120s};
  const auto here = reinterpret_cast<uintptr_t>(&host_number) & ~uintptr_t{0xfffff};
  for (const bool far : {false, true}) {
    hint = far ? 0x1000'0000'0000 : here + (uintptr_t{64} << 20);
    hint_step = far ? 0x0100'0000'0000 : uintptr_t{4} << 20;
    HostBackend::Options options;
    options.system.mmap = &placed_mmap;
    options.slab_bytes = size_t{2} << 20;
    Compiled f(std::move(options));
    ASSERT_FALSE(f.backend.define_symbol("host", reinterpret_cast<void*>(&host_number)).has_error());
    // A large body in each, so that they lie in slabs of their own.
    const std::string pad = "@pad = internal constant [400000 x i8] c\"" + std::string(400000, 'a') + "\"\n";
    const std::string use =
        "  %q = getelementptr i8, ptr @pad, i64 %x\n  %b = load i8, ptr %q\n  %w = zext i8 %b to i64\n";
    const auto last =
        f.job(pad + "declare i64 @host(i64)\ndeclare double @sin(double)\ndefine i64 @f(i64 %x) {\n" + use +
              "  %y = call i64 @host(i64 %x)\n  %s = call double @sin(double 0.0)\n  %i = fptosi double %s "
              "to i64\n  %v = add i64 %y, %w\n  %z = add i64 %v, %i\n  ret i64 %z\n}\n");
    CodeInstance* callee = last.instance.get();
    engine::Code* code = f.compile(last);
    ASSERT_TRUE(code);
    callee->code.store(code, std::memory_order_release);
    std::set<uintptr_t> megabytes{reinterpret_cast<uintptr_t>(code->low) >> 21};
    for (int i = 0; i < 3; ++i) {
      auto job = f.job(pad + "declare i64 @g(i64)\ndeclare i64 @host(i64)\ndefine i64 @f(i64 %x) {\n" + use +
                       "  %h = call i64 @host(i64 0)\n  %y = call i64 @g(i64 %x)\n  %v = add i64 %y, %w\n  "
                       "%z = add i64 %v, %h\n  ret i64 %z\n}\n");
      job.source->edges.push_back({callee, "g"});
      callee = job.instance.get();
      code = f.compile(job);
      ASSERT_TRUE(code);
      callee->code.store(code, std::memory_order_release);
      megabytes.insert(reinterpret_cast<uintptr_t>(code->low) >> 21);
    }
    EXPECT_EQ(reinterpret_cast<int64_t (*)(int64_t)>(code->entry)(5), 6 + 'a' + 3 * ('a' + 1));
    EXPECT_GE(megabytes.size(), 2u);
    const auto distance =
        static_cast<int64_t>(reinterpret_cast<uintptr_t>(code->low)) - static_cast<int64_t>(here);
    EXPECT_EQ(std::abs(distance) > (int64_t{1} << 31), far);
  }
}

// --- call slots

struct Slotted {
  SlotTable table{[](engine::CodeInstanceRef& callee, StubArguments) -> Result<void*> {
    return engine::instance_code(*callee)->entry;
  }};
  Instances instances;
  CodeInstance& callee = instances.make();
  sync::Atomic<void*> word{nullptr};
  CallSlot slot{};
  engine::Code fast, optimized;
  char places[3] = {};
  Slotted() {
    slot.word = &word;
    slot.trampoline = &places[0];
    fast.entry = &places[1];
    optimized.entry = &places[2];
    optimized.tier = BERTH_TIER_OPTIMIZED;
    table.add(slot, &callee);
  }
  ~Slotted() { table.remove(slot).reset(); }
};

// Two publishers of one instance, as the engine lets them: each writes the code word, then the slots.
TEST(SlotTable, J40_a_slot_never_goes_back) {
  constexpr int kRounds = 4'000;
  Watchdog watchdog{120s};
  std::deque<Slotted> all(kRounds);
  std::barrier together(3);
  std::atomic<int> went_back{0};
  const auto rank = [](const Slotted& each, const void* entry) {
    return entry == each.optimized.entry ? 2 : entry == each.fast.entry ? 1 : 0;
  };
  const auto each_round = [&](auto&& part) {
    return std::thread([&, part] {
      for (Slotted& each : all) {
        together.arrive_and_wait();
        part(each);
        together.arrive_and_wait();
      }
    });
  };
  std::thread first = each_round([](Slotted& each) {
    engine::Code* none = nullptr;
    each.callee.code.compare_exchange_strong(none, &each.fast);
    each.table.publish(each.callee);
  });
  std::thread second = each_round([](Slotted& each) {
    each.callee.code.store(&each.optimized);
    each.table.publish(each.callee);
  });
  std::thread reader = each_round([&](Slotted& each) {
    int seen = 0;
    for (int i = 0; i < 50; ++i) {
      const int now = rank(each, each.word.load(std::memory_order_acquire));
      if (now < seen) ++went_back;
      seen = now;
    }
  });
  for (std::thread* thread : {&first, &second, &reader}) thread->join();
  for (const Slotted& each : all) went_back += rank(each, each.word.load()) != 2;
  EXPECT_EQ(went_back.load(), 0);
}

// A slot that is made while its callee is published has the entry afterwards, whoever came first.
TEST(SlotTable, J45_no_publication_is_lost_on_a_new_slot) {
  constexpr int kRounds = 4'000;
  Watchdog watchdog{120s};
  SlotTable table([](engine::CodeInstanceRef&, StubArguments) -> Result<void*> {
    return make_error(BERTH_INTERNAL, "", "", "");
  });
  Instances instances;
  std::barrier together(2);
  struct Round {
    CodeInstance* callee;
    engine::Code code;
    sync::Atomic<void*> word{nullptr};
    CallSlot slot{};
    char places[2] = {};
  };
  std::deque<Round> rounds(kRounds);
  for (Round& round : rounds) {
    round.callee = &instances.make();
    round.code.entry = &round.places[0];
    round.slot.word = &round.word;
    round.slot.trampoline = &round.places[1];
  }
  std::thread publisher([&] {
    for (Round& round : rounds) {
      together.arrive_and_wait();
      round.callee->code.store(&round.code, std::memory_order_release);
      table.publish(*round.callee);
    }
  });
  for (Round& round : rounds) {
    together.arrive_and_wait();
    table.add(round.slot, round.callee);
  }
  publisher.join();
  int lost = 0;
  for (Round& round : rounds) {
    lost += round.word.load() != round.code.entry;
    EXPECT_EQ(table.remove(round.slot).get(), round.callee);
  }
  EXPECT_EQ(lost, 0);
}

}  // namespace
}  // namespace berth::jit
