// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/execution.hpp"

#include "inference/inference.hpp"
#include "inference/runtime_impl.hpp"

namespace berth::inference {
namespace {

// Errors after which nothing useful can run: they reach the program. All others mean: interpret.
bool ends_the_call(berth_code_t code) noexcept {
  return code == BERTH_CANCELLED || code == BERTH_TIMED_OUT || code == BERTH_SHUT_DOWN ||
         code == BERTH_FORKED || code == BERTH_OUT_OF_MEMORY;
}

bool has_loop(const Body& body) noexcept {
  for (BlockId block = 0; block < body.blocks.size(); ++block) {
    for (const Target& target : body.blocks[block].terminator.targets) {
      if (target.block <= block) return true;
    }
  }
  return false;
}

}  // namespace

Execution::~Execution() = default;

void Execution::count_fallback(const Error& error) {
  fallbacks_.fetch_add(1, std::memory_order_relaxed);
  sync::Lock lock(mutex_);
  last_fallback_ = error.message();
}

std::string Execution::last_fallback() {
  sync::Lock lock(mutex_);
  return last_fallback_;
}

const InterpreterCode& Execution::raw_code(const Method& method) {
  {
    sync::Lock lock(mutex_);
    if (const auto found = raw_.find(&method); found != raw_.end()) return *found->second;
  }
  auto made = std::make_unique<const InterpreterCode>(runtime_, method, method.body);
  sync::Lock lock(mutex_);
  return *raw_.try_emplace(&method, std::move(made)).first->second;
}

bool Execution::is_valid(const Resolution& resolution, uint64_t world) const noexcept {
  const engine::CodeInstance* instance = resolution.instance.get();
  return !instance ||
         (engine::instance_min_world(*instance) <= world && world <= engine::instance_max_world(*instance));
}

std::unique_ptr<Execution::Resolution> Execution::interpret_raw(const SpecialisationState& state,
                                                                berth_tier_t tier) {
  auto resolution = std::make_unique<Resolution>();
  resolution->tier = tier;
  resolution->interpreted = &raw_code(*state.method);
  return resolution;
}

Execution::Resolution& Execution::put(const SpecialisationState& state,
                                      std::unique_ptr<Resolution> resolution) {
  Resolution& made = *resolution;
  sync::Lock lock(mutex_);
  Resolution* const previous = state.resolution.load(std::memory_order_relaxed);
  if (!previous) resolved_.push_back(&state);
  resolution->previous.reset(previous);  // readers may still be in it
  state.resolution.store(resolution.release(), std::memory_order_release);
  return made;
}

bool Execution::resolve(gc::Thread& thread, const Specialisation& specialisation, Target& target) {
  const RuntimeThread& runtime_state = runtime_thread(thread);
  const auto& state = static_cast<const SpecialisationState&>(specialisation);
  if (runtime_state.raw || state.method->is_kernel) {
    target = {&raw_code(*state.method), nullptr};
    return true;
  }
  const berth_tier_t tier = runtime_.program().tier();
  const uint64_t world = runtime_state.world;
  Resolution* resolution = state.resolution.load(std::memory_order_acquire);
  if (!resolution || resolution->tier != tier || !is_valid(*resolution, world)) [[unlikely]] {
    auto made = make(thread, state, tier, world);
    if (made.has_error()) return runtime_.raise_error(thread, "engine", made.error());
    resolution = &put(state, std::move(made).assume_value());
  }
  use(state, *resolution, tier, target);
  return true;
}

void Execution::use(const SpecialisationState& state, Resolution& resolution, berth_tier_t tier,
                    Target& target) {
  const bool adapts = tier == BERTH_TIER_ADAPTIVE && resolution.instance;
  if (adapts && state.calls.fetch_add(1, std::memory_order_relaxed) == kCallsUntilOptimized) {
    // Asked for once and not waited for: calls go on in what there is.
    const auto asked = runtime_.program().engine().request_tier(*resolution.instance, BERTH_TIER_OPTIMIZED);
    if (asked.has_error()) count_fallback(asked.error());
  }
  if (!resolution.interpreted || adapts) {
    // Read at each call: a higher tier replaces the code.
    if (const engine::Code* code = engine::instance_code(*resolution.instance)) {
      target = {nullptr, reinterpret_cast<BoxedEntry>(code->entry)};
      return;
    }
  }
  target = {resolution.interpreted ? resolution.interpreted : &raw_code(*state.method), nullptr};
}

Result<std::unique_ptr<Execution::Resolution>> Execution::make(gc::Thread& thread,
                                                               const SpecialisationState& state,
                                                               berth_tier_t tier, uint64_t world) {
  bool compiles = tier == BERTH_TIER_FAST || tier == BERTH_TIER_OPTIMIZED ||
                  (tier == BERTH_TIER_ADAPTIVE && has_loop(state.method->body));
  auto inferred = infer(thread, runtime_.program(), state, world, compiles);
  if (tier == BERTH_TIER_ADAPTIVE && !compiles && !inferred.has_error() &&
      has_loop(typed_method(*inferred.value()).body)) {
    compiles = true;  // the loop came in with a callee
    inferred = infer(thread, runtime_.program(), state, world, true);
  }
  if (inferred.has_error()) {
    if (ends_the_call(inferred.error().code())) return std::move(inferred).assume_error();
    count_fallback(inferred.error());
    return interpret_raw(state, tier);
  }
  auto resolution = std::make_unique<Resolution>();
  resolution->tier = tier;
  resolution->instance = std::move(inferred).assume_value();
  if (compiles) {
    const auto entry =
        runtime_.program().engine().wait_entry(thread, *resolution->instance, Deadline::never());
    if (!entry.has_error() && engine::instance_code(*resolution->instance)) return resolution;
    if (entry.has_error() && ends_the_call(entry.error().code())) return entry.error().clone();
    if (entry.has_error()) count_fallback(entry.error());
  }
  const TypedMethod& typed = typed_method(*resolution->instance);
  resolution->typed = std::make_unique<const InterpreterCode>(runtime_, *state.method, typed.body);
  resolution->interpreted = resolution->typed.get();
  return resolution;
}

void Execution::close() {
  std::vector<const SpecialisationState*> resolved;
  {
    sync::Lock lock(mutex_);
    resolved.swap(resolved_);
  }
  for (const SpecialisationState* state : resolved)
    delete state->resolution.exchange(nullptr, std::memory_order_relaxed);
}

}  // namespace berth::inference
