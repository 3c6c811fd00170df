// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/inference_stack.hpp"

#include <algorithm>

#include "inference/back_edges.hpp"
#include "inference/method_table.hpp"
#include "inference/program.hpp"

namespace berth::inference {
namespace {

// Budgets of one root: beyond them its result is limited.
constexpr uint64_t kEvaluationsPerStatement = 64;
constexpr size_t kMaxFrames = 64 * 1024;
constexpr int kMaxAttempts = 3;

engine::Key key_of(const Program& program, const Specialisation& specialisation) {
  return {&specialisation, program.owner()};
}

void drop_method(void* payload) {
  static_cast<KeptMethod*>(static_cast<TypedMethod*>(payload))->self.reset();
}

/// Any call may do anything: for results that must not rest on others.
class OpaqueCalls final : public CallOracle {
 public:
  explicit OpaqueCalls(const Type* any) : any_(any) {}
  CallAnswer call(Flow&, BlockId, const Statement&, std::span<const Type* const>) override {
    return {any_, nullptr};
  }

 private:
  const Type* any_;
};

}  // namespace

void HeldLease::end() noexcept {
  if (!lease_.instance) return;
  const engine::Lease lease = std::exchange(lease_, engine::Lease{});
  static_cast<void>(engine_->release(*thread_, lease, nullptr));
}

InferenceStack::InferenceStack(gc::Thread& thread, Program& program, uint64_t world, bool with_source,
                               const engine::ReserveOptions& options)
    : thread_(thread),
      program_(program),
      engine_(program.engine()),
      world_(world ? world : program.engine().world()),
      with_source_(with_source),
      options_(options),
      transfer_(program, world_, false),
      kernel_transfer_(program, world_, true) {
  options_.world = world_;
  options_.need = engine::Need::Result;
}

InferenceStack::~InferenceStack() {
  // Newest first, as an agent gives leases back.
  while (!frames_.empty()) frames_.pop_back();
}

Result<engine::CodeInstanceRef> InferenceStack::run(const Specialisation& root) {
  root_ = &root;
  BERTH_TRYV(drive(root));
  if (!is_limited_) return finished_.at(&root).instance;
  while (!frames_.empty()) frames_.pop_back();
  return run_limited(root);
}

Result<void> InferenceStack::drive(const Specialisation& root) {
  while (!is_limited_) {
    if (active_.empty()) {
      if (finished_.count(&root)) break;
      BERTH_TRYV(obtain(root));
      continue;
    }
    Frame& frame = *frames_[active_.back()];
    const Type* before = frame.flow.result();
    const Specialisation* missing = frame.flow.run(*this);
    wake_readers(frame, before);
    if (is_over_budget()) {
      is_limited_ = true;
    } else if (missing) {
      BERTH_TRYV(obtain(*missing));
    } else {
      BERTH_TRYV(rest(frame));
    }
  }
  return success();
}

bool InferenceStack::is_over_budget() const {
  const Flow& flow = frames_[active_.back()]->flow;
  // A small method in a ring may be taken up often: the floor under the product.
  return flow.num_evaluated() > kEvaluationsPerStatement * (flow.num_statements() + 64) ||
         frames_.size() > kMaxFrames;
}

// Step 3 of the contract: the cache, then a reservation.
Result<void> InferenceStack::obtain(const Specialisation& specialisation) {
  const engine::Key key = key_of(program_, specialisation);
  if (engine::CodeInstanceRef hit = engine_.lookup(key, world_)) {
    if (use_cached(specialisation, hit)) return success();
    if (&specialisation != root_) {
      is_limited_ = true;  // what is limited answers nobody else
      return success();
    }
    BERTH_TRYV(engine_.invalidate(*hit, 0));  // asked for as a root: tried once more
  }
  engine::ReserveOptions options = options_;
  options.label = specialisation.name.c_str();
  Result<engine::Reservation> reserved = engine_.reserve(thread_, key, options);
  if (reserved.has_error()) {
    const berth_code_t code = reserved.assume_error().code();
    if (code != BERTH_WOULD_DEADLOCK && code != BERTH_RESOURCE_EXHAUSTED)
      return std::move(reserved).assume_error();
    is_limited_ = true;
    return success();
  }
  engine::Reservation& reservation = reserved.assume_value();
  if (reservation.outcome == engine::Outcome::Published) {
    if (!use_cached(specialisation, reservation.published)) is_limited_ = true;
    return success();
  }
  push(specialisation, HeldLease(engine_, thread_, reservation.lease));
  return success();
}

bool InferenceStack::use_cached(const Specialisation& specialisation, engine::CodeInstanceRef instance) {
  const TypedMethod& method = typed_method(*instance);
  if (method.limited) return false;
  finished_[&specialisation] = {std::move(instance), &method};
  return true;
}

void InferenceStack::push(const Specialisation& specialisation, HeldLease lease) {
  const size_t index = frames_.size();
  Transfer& transfer = &specialisation == kernel_ ? kernel_transfer_ : transfer_;
  frames_.push_back(std::unique_ptr<Frame>(
      new Frame{&specialisation,
                std::move(lease),
                Flow(transfer, prepare(*specialisation.method), specialisation.arguments),
                index,
                index,
                {},
                {},
                nullptr}));
  on_stack_[&specialisation] = index;
  active_.push_back(index);
}

CallAnswer InferenceStack::call(Flow& flow, BlockId block, const Statement& statement,
                                std::span<const Type* const> operands) {
  Frame& caller = *frames_[active_.back()];
  ResolvedCall& site = caller.sites[statement.result];
  const bool is_invoke = statement.op == Op::Invoke;
  const auto arguments = is_invoke ? operands : operands.subspan(1);
  if (is_invoke) {
    if (statement.callee) {
      site.candidates = {statement.callee};
    } else {
      // A fixed method, named by its signature.
      site = {};
      const Function* function = statement.name ? program_.function(*statement.name) : nullptr;
      const Method* named = nullptr;
      for (const Method* method :
           function ? program_.methods().all(*function, world_) : std::vector<const Method*>()) {
        if (method->signature == statement.signature) named = method;
      }
      if (!named) return {program_.types().any(), nullptr};
      site.function = function;
      site.arguments = statement.signature;
      site.since = program_.methods().changed(*function, world_);
      site.covers = true;
      site.candidates.push_back(
          program_.specialise(*named, specialised_arguments(program_, *named, arguments)));
    }
  } else if (site.arguments.size() != arguments.size() ||
             !std::equal(arguments.begin(), arguments.end(), site.arguments.begin()) ||
             (!site.function && !site.is_open)) {
    site = resolve_call(program_, operands[0], arguments, world_);
  } else if (const Literal* function = operands[0]->constant();
             !function || function->function != site.function) {
    site = resolve_call(program_, operands[0], arguments, world_);
  }
  if (site.is_open) return {program_.types().any(), nullptr};
  const Type* joined = flow.transfer().program().types().bottom();
  for (const Specialisation* candidate : site.candidates) {
    const Type* result = result_of(caller, block, *candidate);
    if (!result) return {nullptr, candidate};
    joined = program_.lattice().join(joined, result);
  }
  return {joined, nullptr};
}

// Null: not known yet.
const Type* InferenceStack::result_of(Frame& caller, BlockId block, const Specialisation& callee) {
  if (const auto found = finished_.find(&callee); found != finished_.end())
    return found->second.method->result;
  const auto found = on_stack_.find(&callee);
  if (found == on_stack_.end()) return nullptr;
  Frame& frame = *frames_[found->second];
  frame.readers.insert({caller.index, block});
  caller.lowest = std::min(caller.lowest, frame.lowest);
  return frame.flow.result();
}

void InferenceStack::wake_readers(Frame& frame, const Type* before) {
  if (frame.flow.result() == before) return;
  for (const auto& [index, block] : frame.readers) frames_[index]->flow.mark_dirty(block);
}

// The frame has nothing to do: its group is finished, or it waits in it for what is below.
Result<void> InferenceStack::rest(Frame& frame) {
  active_.pop_back();
  if (frame.flow.has_work()) {  // it read its own result, which rose
    active_.push_back(frame.index);
    return success();
  }
  if (frame.lowest < frame.index) {
    if (!active_.empty()) {
      Frame& below = *frames_[active_.back()];
      below.lowest = std::min(below.lowest, frame.lowest);
    }
    return success();
  }
  const auto risen =
      std::find_if(frames_.begin() + static_cast<ptrdiff_t>(frame.index), frames_.end(),
                   [](const std::unique_ptr<Frame>& member) { return member->flow.has_work(); });
  if (risen == frames_.end()) return finish_group(frame.index);
  active_.push_back(frame.index);
  if (*risen != frames_[frame.index]) active_.push_back((*risen)->index);
  return success();
}

Result<void> InferenceStack::finish_group(size_t first) {
  std::set<const Specialisation*> done;
  for (const std::vector<size_t>& component : components(first)) {
    for (const size_t index : component) {
      const auto& readers = frames_[index]->readers;
      const bool calls_itself = std::any_of(readers.begin(), readers.end(),
                                            [&](const auto& reader) { return reader.first == index; });
      optimise(*frames_[index], component.size() > 1 || calls_itself, done);
    }
    for (const size_t index : component) done.insert(frames_[index]->specialisation);
  }
  if (frames_[first]->specialisation == kernel_) return success();  // taken by run_kernel
  Result<void> published = publish_group(first);
  for (size_t i = first; i < frames_.size(); ++i) on_stack_.erase(frames_[i]->specialisation);
  const Specialisation& lowest = *frames_[first]->specialisation;
  while (frames_.size() > first) frames_.pop_back();  // ends the leases
  if (published.has_error() && published.assume_error().code() == BERTH_STALE_LEASE &&
      ++attempts_[&lowest] < kMaxAttempts) {
    return success();  // a duplicate: whoever asked for it looks it up again
  }
  return published;
}

// True cycles of calls among the members, callees first (Tarjan, iterative): frames may share a group only
// because of a state that was passed on the way, and what is inlined must not depend on that.
std::vector<std::vector<size_t>> InferenceStack::components(size_t first) const {
  const size_t n = frames_.size() - first;
  std::vector<std::vector<size_t>> callees(n);
  for (size_t i = 0; i < n; ++i) {
    std::set<size_t> reached;
    for (const auto& [value, site] : frames_[first + i]->sites) {
      for (const Specialisation* candidate : site.candidates) {
        const auto found = on_stack_.find(candidate);
        if (found != on_stack_.end() && found->second >= first) reached.insert(found->second - first);
      }
    }
    callees[i].assign(reached.begin(), reached.end());
  }
  std::vector<size_t> number(n, SIZE_MAX), low(n), stack;
  std::vector<bool> is_open(n);
  std::vector<std::vector<size_t>> out;
  std::vector<std::pair<size_t, size_t>> path;
  size_t next = 0;
  const auto enter = [&](size_t v) {
    number[v] = low[v] = next++;
    is_open[v] = true;
    stack.push_back(v);
    path.emplace_back(v, 0);
  };
  for (size_t root = 0; root < n; ++root) {
    if (number[root] == SIZE_MAX) enter(root);
    while (!path.empty()) {
      const size_t v = path.back().first;
      if (path.back().second < callees[v].size()) {
        const size_t w = callees[v][path.back().second++];
        if (number[w] == SIZE_MAX)
          enter(w);
        else if (is_open[w])
          low[v] = std::min(low[v], number[w]);
        continue;
      }
      path.pop_back();
      if (!path.empty()) low[path.back().first] = std::min(low[path.back().first], low[v]);
      if (low[v] != number[v]) continue;
      out.emplace_back();
      for (size_t w = SIZE_MAX; w != v;) {
        w = stack.back();
        stack.pop_back();
        is_open[w] = false;
        out.back().push_back(first + w);
      }
    }
  }
  return out;
}

void InferenceStack::optimise(Frame& frame, bool is_recursive, const std::set<const Specialisation*>& done) {
  frame.method = std::make_shared<KeptMethod>();
  TypedMethod& method = *frame.method;
  method.specialisation = frame.specialisation;
  method.is_recursive = is_recursive;
  const Callees callees = [&](const Specialisation& callee) -> const TypedMethod* {
    if (const auto found = finished_.find(&callee); found != finished_.end()) return found->second.method;
    const auto found = done.count(&callee) ? on_stack_.find(&callee) : on_stack_.end();
    return found == on_stack_.end() ? nullptr : frames_[found->second]->method.get();
  };
  Optimiser(frame.flow.transfer(), frame.sites, callees, world_).run(frame.flow, method);
  add_edges(frame, method);
  auto& totals = program_.methods().totals();
  totals.methods.fetch_add(1, std::memory_order_relaxed);
  totals.statements_evaluated.fetch_add(frame.flow.num_evaluated(), std::memory_order_relaxed);
}

// In the order of the statements: the same whatever path the inference took.
void InferenceStack::add_edges(const Frame& frame, TypedMethod& method) const {
  std::set<const Specialisation*> callees;
  std::set<std::pair<const Function*, std::vector<const Type*>>> calls;
  const Body& body = frame.flow.body();
  for (BlockId b = 0; b < body.blocks.size(); ++b) {
    if (!frame.flow.is_reached(b)) continue;
    for (const Statement& statement : body.blocks[b].statements) {
      for (const Operand& operand : statement.operands) {
        if (operand.kind == Operand::Kind::Literal && operand.name)
          method.constants.push_back({*operand.name});
      }
      const auto site = frame.sites.find(statement.result);
      if (site == frame.sites.end() || !site->second.function || site->second.is_open) continue;
      std::vector<const Type*> arguments = site->second.arguments;
      for (const Type*& argument : arguments) argument = program_.lattice().widen(argument);
      if (calls.emplace(site->second.function, arguments).second)
        method.calls.push_back({site->second.function, std::move(arguments)});
      for (const Specialisation* candidate : site->second.candidates) {
        if (callees.insert(candidate).second) method.callees.push_back({candidate});
      }
    }
  }
}

uint64_t InferenceStack::min_world(const TypedMethod& method) const {
  uint64_t world = method.specialisation->method->min_world;
  for (const TypedMethod::CallEdge& call : method.calls)
    world = std::max(world, program_.methods().changed(*call.function, world_));
  for (const TypedMethod::CalleeEdge& edge : method.callees) {
    const auto found = finished_.find(edge.callee);
    if (found != finished_.end())
      world = std::max(world, engine::instance_min_world(*found->second.instance));
  }
  return std::min(world, world_);
}

engine::SourcePtr InferenceStack::source_of(Frame& frame, bool is_root) {
  auto source = std::make_unique<engine::Source>();
  TypedMethod& method = *frame.method;
  source->has_worlds = true;
  source->max_world = world_;
  for (const TypedMethod::CalleeEdge& edge : method.callees) {
    if (edge.callee == frame.specialisation) continue;
    if (const auto found = finished_.find(edge.callee); found != finished_.end()) {
      source->edges.push_back({found->second.instance, {}});
    } else if (const auto member = on_stack_.find(edge.callee); member != on_stack_.end()) {
      source->edges.push_back({engine::CodeInstanceRef(frames_[member->second]->lease.get().instance), {}});
    }
  }
  if (engine_.compiler()) {
    source->body = std::make_unique<TypedIrBody>(program_, frame.method);
    source->lazy = !(with_source_ && (is_root || !method.is_inlinable));
    const berth_tier_t tier = program_.tier();
    source->tier = tier == BERTH_TIER_INTERPRET ? BERTH_TIER_ADAPTIVE : tier;
  }
  frame.method->self = frame.method;
  source->payload = &method;
  source->drop_payload = drop_method;
  return source;
}

Result<void> InferenceStack::publish_group(size_t first) {
  // All or none share the newest minimum: whoever finds one member finds the others.
  uint64_t min = 0;
  for (size_t i = first; i < frames_.size(); ++i) min = std::max(min, min_world(*frames_[i]->method));
  std::vector<engine::Lease> leases;
  std::vector<engine::SourcePtr> sources;
  for (size_t i = first; i < frames_.size(); ++i) {
    Frame& frame = *frames_[i];
    leases.push_back(frame.lease.get());
    sources.push_back(source_of(frame, frame.specialisation == root_));
    sources.back()->min_world = min;
  }
  BERTH_TRYV(engine_.publish(thread_, leases, sources));
  std::vector<OurInstance> ours;
  for (size_t i = first; i < frames_.size(); ++i) {
    Frame& frame = *frames_[i];
    engine::CodeInstanceRef instance = engine_.lookup(key_of(program_, *frame.specialisation), world_);
    if (!instance || !use_cached(*frame.specialisation, instance)) {
      return make_error(BERTH_STALE_LEASE, "infer " + frame.specialisation->name,
                        "the result was withdrawn at once", "try again");
    }
    if (finished_.at(frame.specialisation).method != frame.method.get())
      continue;  // a duplicate: the first one stays
    const uint64_t first_edge = program_.methods().back_edges().add(instance, *frame.method);
    ours.push_back({std::move(instance), first_edge});
  }
  promote(ours, first);
  return success();
}

// Finite results become open-ended if no definition since `world_` concerns them.
void InferenceStack::promote(const std::vector<OurInstance>& instances, size_t first) {
  if (instances.empty()) return;
  std::vector<engine::CodeInstance*> members;
  for (const OurInstance& ours : instances) members.push_back(ours.instance.get());
  uint64_t validated = world_;
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    const Result<bool> promoted = engine_.promote(members, validated);
    if (promoted.has_error() || promoted.assume_value()) break;
    validated = engine_.world();
    bool is_valid = true;
    for (size_t i = first; i < frames_.size(); ++i)
      is_valid = is_valid && is_unchanged(*frames_[i]->method, validated);
    if (!is_valid) break;
  }
  for (const OurInstance& ours : instances)
    program_.methods().back_edges().promoted(*ours.instance, ours.first_edge);
}

bool InferenceStack::is_unchanged(const TypedMethod& method, uint64_t world) const {
  const MethodTable& table = program_.methods();
  return std::all_of(method.calls.begin(), method.calls.end(), [&](const TypedMethod::CallEdge& call) {
    return table.changed(*call.function, world) <= world_;
  });
}

// Sound without anybody else's result: serves this request, is flagged, answers no other inference.
Result<engine::CodeInstanceRef> InferenceStack::run_limited(const Specialisation& root) {
  const engine::Key key = key_of(program_, root);
  engine::ReserveOptions options = options_;
  options.label = root.name.c_str();
  BERTH_TRY(engine::Reservation reservation, engine_.reserve(thread_, key, options));
  if (reservation.outcome == engine::Outcome::Published) return reservation.published;
  push(root, HeldLease(engine_, thread_, reservation.lease));
  Frame& frame = *frames_.back();
  OpaqueCalls calls(program_.types().any());
  frame.flow.run(calls);
  frame.method = std::make_shared<KeptMethod>();
  frame.method->specialisation = &root;
  frame.method->limited = frame.method->is_recursive = true;
  Optimiser(
      transfer_, frame.sites, [](const Specialisation&) { return nullptr; }, world_)
      .run(frame.flow, *frame.method);
  program_.methods().totals().methods.fetch_add(1, std::memory_order_relaxed);
  program_.methods().totals().limited.fetch_add(1, std::memory_order_relaxed);
  std::vector<engine::Lease> leases{frame.lease.get()};
  std::vector<engine::SourcePtr> sources;
  sources.push_back(source_of(frame, true));
  sources.back()->min_world = min_world(*frame.method);
  BERTH_TRYV(engine_.publish(thread_, leases, sources));
  engine::CodeInstanceRef instance = engine_.lookup(key, world_);
  frames_.pop_back();
  if (!instance)
    return make_error(BERTH_STALE_LEASE, "infer " + root.name, "the result was withdrawn at once",
                      "try again");
  return instance;
}

Result<TypedMethod> InferenceStack::run_kernel(const Specialisation& root) {
  kernel_ = &root;
  push(root, HeldLease());
  while (!is_limited_ && !active_.empty()) {
    Frame& frame = *frames_[active_.back()];
    const Type* before = frame.flow.result();
    const Specialisation* missing = frame.flow.run(*this);
    wake_readers(frame, before);
    if (is_over_budget())
      is_limited_ = true;
    else if (missing) {
      BERTH_TRYV(obtain(*missing));
    } else {
      BERTH_TRYV(rest(frame));
    }
  }
  if (is_limited_ || frames_.size() != 1 || !frames_[0]->method) {
    return make_error(BERTH_RESOURCE_EXHAUSTED, "infer kernel " + root.name,
                      "the budget of inference was used up", "make the kernel or what it calls smaller");
  }
  return std::move(static_cast<TypedMethod&>(*frames_[0]->method));
}

}  // namespace berth::inference
