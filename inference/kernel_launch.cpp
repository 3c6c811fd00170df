// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/kernel_launch.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>

#include "inference/interpreter.hpp"
#include "inference/kernel_lane.hpp"
#include "inference/method_table.hpp"
#include "inference/native_handle.hpp"
#include "inference/runtime_impl.hpp"
#include "inference/value_frame.hpp"

namespace berth::inference {
namespace {

constexpr uint64_t kMostLanes = 1 << 20;  // each has an activation of its own

uint64_t volume(const uint64_t sizes[3]) noexcept {
  uint64_t product = 1;
  for (int i = 0; i < 3; ++i) {
    if (__builtin_mul_overflow(product, sizes[i], &product)) return UINT64_MAX;
  }
  return product;
}

void coordinates(uint64_t index, const uint64_t sizes[3], uint64_t out[3]) noexcept {
  out[0] = index % sizes[0];
  out[1] = index / sizes[0] % sizes[1];
  out[2] = index / sizes[0] / sizes[1];
}

/// The lanes of one interpreted launch.
class LaneGrid {
 public:
  LaneGrid(gc::Thread& thread, Runtime& runtime, const uint64_t blocks[3], const uint64_t lanes[3])
      : thread_(thread), runtime_(runtime) {
    std::copy_n(blocks, 3, launch_.blocks);
    std::copy_n(lanes, 3, launch_.lanes);
    const uint64_t num_blocks = volume(blocks);
    per_block_ = volume(lanes);
    shared_.resize(num_blocks);
    lanes_.resize(num_blocks * per_block_);
    for (uint64_t i = 0; i < lanes_.size(); ++i) {
      Lane& lane = lanes_[i];
      lane.place.launch = &launch_;
      lane.place.shared = &shared_[i / per_block_];
      coordinates(i / per_block_, blocks, lane.place.block);
      coordinates(i % per_block_, lanes, lane.place.lane);
    }
    record_ = {{thread.frames, &kKind, 0}, this};
    thread.frames = &record_.frame;
    previous_ = runtime_thread(thread).lane;
    was_raw_ = std::exchange(runtime_thread(thread).raw,
                             true);  // what a kernel calls is interpreted as defined, like the kernel
    depth_ = runtime_thread(thread).depth;
  }
  ~LaneGrid() {
    for (Lane& lane : lanes_) {
      if (lane.interpreter) link(lane);  // so that its activations leave the frames they are in
      lane.interpreter.reset();
    }
    runtime_thread(thread_).depth = depth_;
    runtime_thread(thread_).lane = previous_;
    runtime_thread(thread_).raw = was_raw_;
    thread_.frames = record_.frame.previous;
  }
  LaneGrid(const LaneGrid&) = delete;
  LaneGrid& operator=(const LaneGrid&) = delete;

  void run(const InterpreterCode& code, std::span<const Value> arguments, LaneOrder order, uint64_t seed);
  const KernelLaunch& launch() const noexcept { return launch_; }

 private:
  using State = Interpreter::State;
  struct Lane {
    KernelLane place;
    InterpreterStack stack;
    std::unique_ptr<Interpreter> interpreter;
    State state = State::Running;
    gc::Frame* frames = nullptr;  // its own, while it is suspended
    uint32_t depth = 0;           // activations on its stack
  };
  struct Record {
    gc::Frame frame;
    LaneGrid* owner;
  };
  // A suspended lane's frames are out of the thread's list, so they are the launch's to show: its registers
  // hold copies of references, which a moving collection must rewrite even where others keep the objects
  // alive.
  static void scan(gc::Frame& frame, gc::SlotVisitor& visitor) {
    LaneGrid& grid = *reinterpret_cast<Record&>(frame).owner;
    for (auto& block : grid.shared_) {
      for (auto& [statement, buffer] : block) visit_value(buffer, visitor);
    }
    for (Lane& lane : grid.lanes_) {
      for (gc::Frame* own = lane.frames; own && own != &frame; own = own->previous)
        own->kind->scan(*own, visitor);
    }
  }
  static constexpr gc::FrameKind kKind{&LaneGrid::scan, 0, nullptr};

  void link(Lane& lane) noexcept;
  void unlink(Lane& lane) noexcept;
  void step(Lane& lane, const InterpreterCode& code, std::span<const Value> arguments);
  bool open_barriers();

  gc::Thread& thread_;
  Runtime& runtime_;
  KernelLaunch launch_;
  uint64_t per_block_ = 0;
  std::vector<std::map<const Statement*, Value>> shared_;  // by block
  std::vector<Lane> lanes_;
  Record record_{};
  const KernelLane* previous_ = nullptr;
  bool was_raw_ = false;
  uint32_t depth_ = 0;  // of the launching thread
};

void LaneGrid::link(Lane& lane) noexcept {
  runtime_thread(thread_).lane = &lane.place;
  if (lane.frames)
    thread_.frames = std::exchange(lane.frames, nullptr);  // the thread's again, not the launch's
  runtime_thread(thread_).depth += lane.depth;
}
void LaneGrid::unlink(Lane& lane) noexcept {
  lane.frames = thread_.frames;
  thread_.frames = &record_.frame;
  lane.depth = runtime_thread(thread_).depth - depth_;
  runtime_thread(thread_).depth = depth_;
}

void LaneGrid::step(Lane& lane, const InterpreterCode& code, std::span<const Value> arguments) {
  link(lane);
  if (!lane.interpreter) {
    lane.interpreter = std::make_unique<Interpreter>(thread_, runtime_, lane.stack);
    if (!lane.interpreter->start(code, arguments)) lane.state = State::Raised;
  }
  if (lane.state != State::Raised) lane.state = lane.interpreter->resume();
  if (lane.state == State::Raised && thread_.pending_error) {
    lane.place.record(
        Runtime::string_view(*reinterpret_cast<gc::Object**>(thread_.pending_error->at(kErrorText))));
    thread_.pending_error = nullptr;
  }
  unlink(lane);
}

// Every lane is at a barrier or done. Opens what can be opened; false: all are done.
bool LaneGrid::open_barriers() {
  bool waits = false, block_opened = false;
  for (Lane& lane : lanes_) {
    waits |= lane.state == State::BarrierBlock || lane.state == State::BarrierGrid;
    if (lane.state == State::BarrierBlock) {
      lane.state = State::Running;
      block_opened = true;
    }
  }
  if (!waits || block_opened) return waits;
  for (Lane& lane : lanes_) {
    if (lane.state == State::BarrierGrid) lane.state = State::Running;
  }
  return true;
}

void LaneGrid::run(const InterpreterCode& code, std::span<const Value> arguments, LaneOrder order,
                   uint64_t seed) {
  std::vector<size_t> sequence(lanes_.size());
  std::iota(sequence.begin(), sequence.end(), size_t{0});
  if (order == LaneOrder::Descending) std::reverse(sequence.begin(), sequence.end());
  std::mt19937_64 random(seed);
  do {
    if (order == LaneOrder::Random) std::shuffle(sequence.begin(), sequence.end(), random);
    for (const size_t index : sequence) {
      if (lanes_[index].state == State::Running) step(lanes_[index], code, arguments);
    }
  } while (open_barriers() && !launch_.has_fault);
}

const Method* find_kernel(gc::Thread& thread, Runtime& runtime, const std::string& name,
                          std::span<const Value> arguments, const Position* at) {
  Program& program = runtime.program();
  std::vector<const Type*> types;
  for (const Value& argument : arguments) types.push_back(runtime.type_of_value(argument));
  if (const Function* function = program.function(name)) {
    const Dispatch found = program.methods().find(*function, types, runtime_thread(thread).world);
    if (!found.methods.empty() && found.methods.front()->is_kernel) return found.methods.front();
  }
  std::string text = "no kernel " + name + "(";
  for (size_t i = 0; i < types.size(); ++i) text += (i ? ", " : "") + types[i]->name;
  runtime.raise(thread, "method", text + ")", at);
  return nullptr;
}

}  // namespace

bool interpret_kernel(gc::Thread& thread, Runtime& runtime, const Method& kernel, const uint64_t blocks[3],
                      const uint64_t lanes[3], std::span<const Value> arguments, LaneOrder order,
                      uint64_t seed, const Position* at) {
  const uint64_t num_blocks = volume(blocks), num_lanes = volume(lanes);
  if (num_blocks == 0 || num_lanes == 0) return true;
  uint64_t total = 0;
  if (__builtin_mul_overflow(num_blocks, num_lanes, &total) || total > kMostLanes) {
    return runtime.raise(thread, "device", "launch of more than 1048576 lanes at tier interpret", at);
  }
  LaneGrid grid(thread, runtime, blocks, lanes);
  grid.run(runtime.impl().execution.raw_code(kernel), arguments, order, seed);
  if (!grid.launch().has_fault) return true;
  const std::string text = "kernel " + kernel.name + ": " + grid.launch().fault;
  return runtime.raise(thread, "device", text, at);
}

bool launch_kernel(gc::Thread& thread, Runtime& runtime, const std::string& name, const uint64_t blocks[3],
                   const uint64_t lanes[3], std::span<const Value> arguments, const Position* at) {
  const Method* kernel = find_kernel(thread, runtime, name, arguments, at);
  if (!kernel) return false;
  Program& program = runtime.program();
  std::vector<LaunchArgument> native;
  bool is_visible = true;
  for (const Value& argument : arguments) {
    LaunchArgument made{argument.kind};
    if (argument.kind == LeafKind::Buffer) {
      BufferHandle& handle = BufferHandle::of(argument.object);
      made.buffer = handle.buffer;
      made.element = handle.kind;
      is_visible &= program.calls().buffer_memory(handle.buffer) != nullptr;
    } else if (argument.is_object()) {
      return runtime.raise_type(thread, "a number or buffer", argument, at);
    } else {
      made.bits = argument.bits;
    }
    native.push_back(made);
  }
  const bool interpreted = program.tier() == BERTH_TIER_INTERPRET || runtime_thread(thread).raw;
  if (interpreted && is_visible)
    return interpret_kernel(thread, runtime, *kernel, blocks, lanes, arguments, LaneOrder::Ascending, 0, at);
  const auto done = program.calls().launch(thread, program, *kernel, blocks, lanes, native);
  return !done.has_error() || runtime.raise_error(thread, "device", done.error(), at);
}

}  // namespace berth::inference
