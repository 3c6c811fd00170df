// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// UnitCompiler: a compiler for schedules. It keeps jobs until a thread of the test answers them: all that are
// there as one unit, as the pool does with a batch. Its code is a number.
#pragma once
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "berth/schedule.hpp"
#include "engine/compiler.hpp"
#include "engine/engine.hpp"

namespace berth::test {

class UnitCompiler final : public engine::Compiler {
 public:
  enum class Answer { Publish, Fail, FailForNow };

  /// While one lives, engines are made with such a compiler.
  class Scope {
   public:
    Scope() { is_wanted_ = true; }
    ~Scope() { is_wanted_ = false; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
  };
  static bool is_wanted() noexcept { return is_wanted_; }
  static UnitCompiler& of(engine::Engine& engine) { return static_cast<UnitCompiler&>(*engine.compiler()); }
  static engine::SourcePtr source(berth_tier_t tier = BERTH_TIER_FAST) {
    auto made = std::make_unique<engine::Source>();
    made->body = std::make_unique<Body>();
    made->tier = tier;
    return made;
  }

  explicit UnitCompiler(engine::CompileSink& sink) : sink_(sink) {}

  /// Answers jobs until so many others have left and none is queued. `plan`: of the first jobs; Publish then.
  /// Threads: one. Blocks: may wait.
  void run(unsigned others, std::deque<Answer> plan = {}) {
    plan_ = std::move(plan);
    sync::Lock lock(mutex_);
    for (;;) {
      while (jobs_.empty() && num_left_ < others) changed_.wait(lock);
      if (jobs_.empty()) return;
      std::vector<engine::CompileJob> taken;
      taken.swap(jobs_);
      lock.unlock();
      answer(taken);
      lock.lock();
    }
  }
  /// The caller asks for nothing any more.
  void leave() {
    const sync::Lock lock(mutex_);
    ++num_left_;
    changed_.notify_all();
  }

  Result<void> submit(engine::CompileJob job) override { return submit_together({&job, 1}); }
  Result<void> submit_together(std::span<engine::CompileJob> jobs) override {
    const sync::Lock lock(mutex_);
    if (is_stopped_)
      return make_error(BERTH_SHUT_DOWN, "submitting a compile", "the engine is shut down", "");
    for (engine::CompileJob& job : jobs) jobs_.push_back(std::move(job));
    changed_.notify_all();
    return success();
  }
  bool help(engine::CodeInstance&, const Deadline&) override { return false; }
  void lift(engine::CodeInstance&, engine::Priority) override {}
  void cancel(engine::CodeInstance& instance) override {
    drop([&](const engine::CompileJob& job) { return job.instance.get() == &instance; });
  }
  void retire(engine::Code* code) override {
    schedule::check(retired_.insert(code).second, "code is retired twice");
  }
  void stop(engine::StopMode) override {
    {
      const sync::Lock lock(mutex_);
      is_stopped_ = true;
    }
    drop([](const engine::CompileJob&) { return true; });
  }
  Result<void> define_symbol(const char*, void*) override { return success(); }
  bool has_threads() const noexcept override { return true; }

 private:
  class Body final : public engine::SourceBody {
   public:
    engine::BodyKind kind() const noexcept override { return engine::BodyKind::LlvmIr; }
    size_t size() const noexcept override { return 1; }
  };

  template <class Which>
  void drop(Which&& which) {
    std::vector<engine::CompileJob> dropped;
    {
      const sync::Lock lock(mutex_);
      std::erase_if(jobs_, [&](engine::CompileJob& job) {
        if (!which(job)) return false;
        dropped.push_back(std::move(job));
        return true;
      });
    }
    for (engine::CompileJob& job : dropped) {
      sink_.dropped(*job.instance);
      sink_.release(std::move(job.instance));
    }
  }
  void answer(std::vector<engine::CompileJob>& jobs) {
    std::vector<engine::NewCode> unit;
    for (engine::CompileJob& job : jobs) {
      if (!engine::instance_code(*job.instance) && !sink_.claim(*job.instance)) {
        sink_.dropped(*job.instance);
        continue;
      }
      const Answer answer = plan_.empty() ? Answer::Publish : plan_.front();
      if (!plan_.empty()) plan_.pop_front();
      if (answer != Answer::Publish) {
        sink_.failed(*job.instance, make_error(BERTH_COMPILE_FAILED, "compiling", "as planned", ""),
                     answer == Answer::FailForNow);
        continue;
      }
      engine::Code& code = codes_.emplace_back();
      code.entry = reinterpret_cast<void*>(0x200000 + 16 * codes_.size());
      code.tier = job.tier;
      unit.push_back({job.instance.get(), &code});
    }
    if (!unit.empty()) sink_.published(unit);
    for (const engine::NewCode& made : unit) {
      if (made.unused) retire(made.unused);
    }
    for (engine::CompileJob& job : jobs) {
      job.source.reset();
      sink_.release(std::move(job.instance));
    }
  }

  static inline bool is_wanted_ = false;
  engine::CompileSink& sink_;
  std::deque<Answer> plan_;                // of the thread that runs
  std::deque<engine::Code> codes_;         // as above
  std::set<const engine::Code*> retired_;  // the scheduler's threads are one thread
  sync::Mutex mutex_{Rank{500, "unit compiler"}};
  sync::Condition changed_;
  std::vector<engine::CompileJob> jobs_ BERTH_GUARDED_BY(mutex_);
  unsigned num_left_ BERTH_GUARDED_BY(mutex_) = 0;
  bool is_stopped_ BERTH_GUARDED_BY(mutex_) = false;
};

}  // namespace berth::test
