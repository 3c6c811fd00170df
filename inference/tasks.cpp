// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks: spawn and join. A task object holds a Task and, once it ended, its boxed result or its error at
// byte 16.
#include "inference/native_handle.hpp"
#include "inference/runtime_impl.hpp"
#include "inference/value_frame.hpp"

namespace berth::inference {
namespace {

constexpr size_t kTaskResult = 16;

/// What the joining threads wait for.
//
//   state   | end(failed)      | wait
//   Running | Ended or Failed  | waits
//   Ended, Failed | -          | returns
//
// Rank: 171.
class Task {
 public:
  enum class State : uint8_t { Running, Ended, Failed, Lost };

  /// Threads: the task's. Blocks: short. The result is in the object before.
  void end(State state) {
    sync::Lock lock(mutex_);
    state_ = state;
    ended_.notify_all();
  }
  /// Threads: any. Blocks: may wait, for the task. GC: must be safe.
  State wait() {
    sync::Lock lock(mutex_);
    // Sliced: a lost notification (glibc bug 25847) delays, it does not hang.
    while (state_ == State::Running)
      ended_.wait_until(lock, sync::Clock::now() + std::chrono::milliseconds(100));
    return state_;
  }

 private:
  sync::Mutex mutex_{Rank{171, "task"}};
  sync::Condition ended_;
  State state_ BERTH_GUARDED_BY(mutex_) = State::Running;
};

class TaskHandle final : public NativeHandle {
 public:
  explicit TaskHandle(std::shared_ptr<Task> task) noexcept : task(std::move(task)) {}
  static TaskHandle& of(const gc::Object* object) noexcept {
    return *static_cast<TaskHandle*>(NativeHandle::of(object));
  }
  const std::shared_ptr<Task> task;
};

/// What the parent hands to the new thread; objects are in global roots until the thread has them in a frame.
struct Start {
  Runtime& runtime;
  std::shared_ptr<Task> task;
  gc::GlobalRoot object;
  std::vector<Value> values;          // function, then arguments
  std::vector<gc::GlobalRoot> roots;  // of the objects among them, in order
  uint64_t world;
  berth_thread_t* caller;
  bool raw;
};

gc::Object** result_slot(gc::Object* task) noexcept {
  return reinterpret_cast<gc::Object**>(task->at(kTaskResult));
}

// On the new, attached thread. Its end is told by the caller of this.
Task::State run(gc::Thread& thread, Start& start) {
  OutermostCall outermost(thread, start.world, start.caller);
  outermost.state.raw = start.raw;
  gc::Rooted<1> object(thread);
  object[0] = start.object.get();
  auto root = start.roots.begin();
  for (Value& value : start.values) {
    if (value.is_object()) value.object = (root++)->get();  // may have been moved since the spawn
  }
  const ValueFrame values(thread, start.values);
  start.roots.clear();
  Value result;
  const bool done =
      start.runtime.call_value(thread, values.values()[0], values.values().subspan(1), 0, result);
  gc::Object* boxed = nullptr;
  if (done && start.runtime.box(thread, result, boxed)) {
    gc::Heap::write(object[0], result_slot(object[0]), boxed);
    return Task::State::Ended;
  }
  gc::Heap::write(object[0], result_slot(object[0]), std::exchange(thread.pending_error, nullptr));
  return Task::State::Failed;
}

void run_task(std::unique_ptr<Start> start) {
  const std::shared_ptr<Task> task = start->task;
  engine::Engine& engine = start->runtime.program().engine();
  auto attached = engine.attach();
  if (attached.has_error()) {  // the engine shuts down
    start.reset();
    task->end(Task::State::Lost);
    return;
  }
  gc::Thread& thread = *attached.value();
  const Task::State state = run(thread, *start);
  start.reset();
  task->end(state);
  engine.detach(thread);
}

}  // namespace

bool Runtime::spawn(gc::Thread& thread, const Value& function, std::span<const Value> arguments,
                    gc::Object*& out) {
  if (function.kind != LeafKind::Function) return raise_type(thread, "function", function);
  const ValueFrame values(thread, arguments);
  gc::Rooted<1> object(thread);
  object[0] = heap().allocate(thread, layout(program_.types().leaf(LeafKind::Task)));
  if (!object[0]) return raise(thread, "memory", "out of memory");
  auto task = std::make_shared<Task>();
  object[0]->word(NativeHandle::kOffset) =
      reinterpret_cast<uint64_t>(static_cast<NativeHandle*>(new TaskHandle(task)));
  const RuntimeThread& state = runtime_thread(thread);
  auto start = std::make_unique<Start>(
      Start{*this, task, gc::GlobalRoot(heap(), object[0]), {}, {}, state.world, state.caller, state.raw});
  const auto hand_over = [&](const Value& value) {
    start->values.push_back(value);
    if (value.is_object()) start->roots.emplace_back(heap(), value.object);
  };
  hand_over(function);
  for (const Value& value : values.values()) hand_over(value);
  Start* const raw = start.release();
  const auto started = [&] {
    const gc::SafeRegion safe(thread);  // ended threads are joined
    return impl_->tasks.start([raw] { run_task(std::unique_ptr<Start>(raw)); });
  }();
  if (started.has_error()) {
    delete raw;
    return raise_error(thread, "task", started.error());
  }
  out = object[0];
  return true;
}

bool Runtime::join(gc::Thread& thread, gc::Object* task, Value& result) {
  gc::Rooted<1> object(thread);
  object[0] = task;
  Task::State state;
  {
    const std::shared_ptr<Task> waited = TaskHandle::of(task).task;
    thread.waiting.since_ns.store(sync::Clock::now().time_since_epoch().count(), std::memory_order_relaxed);
    thread.waiting.kind.store("join", std::memory_order_release);
    {
      const gc::SafeRegion safe(thread);
      state = waited->wait();
    }
    thread.waiting.kind.store(nullptr, std::memory_order_release);
  }
  gc::Object* kept = std::atomic_ref<gc::Object*>(*result_slot(object[0])).load(std::memory_order_relaxed);
  if (state == Task::State::Lost)
    return raise(thread, "task", "the task could not start: the engine shuts down");
  if (state == Task::State::Failed) {
    thread.pending_error = kept;
    return false;
  }
  result = unbox(kept);
  return true;
}

}  // namespace berth::inference
