// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/back_edges.hpp"

#include <algorithm>

#include "inference/method_table.hpp"

namespace berth::inference {

uint64_t BackEdges::add(const engine::CodeInstanceRef& instance, const TypedMethod& method) {
  sync::Lock lock(mutex_);
  const uint64_t first = next_;
  for (const TypedMethod::CallEdge& call : method.calls) {
    edges_[call.function].push_back({next_++, instance, call.arguments});
    ++size_;
  }
  return first;
}

void BackEdges::promoted(const engine::CodeInstance& instance, uint64_t first) {
  const auto& method = *static_cast<const TypedMethod*>(engine::instance_payload(instance));
  sync::Lock lock(mutex_);
  for (const TypedMethod::CallEdge& call : method.calls) {
    std::deque<Edge>& edges = edges_[call.function];
    for (auto edge = edges.rbegin(); edge != edges.rend() && edge->number >= first; ++edge) {
      if (edge->instance.get() == &instance) edge->is_settled = true;
    }
  }
}

size_t BackEdges::num_edges() const {
  sync::Lock lock(mutex_);
  return size_;
}

bool BackEdges::meets(const Edge& edge, const inference::Function* function,
                      std::span<const Method* const> added) const {
  return std::any_of(added.begin(), added.end(), [&](const Method* method) {
    if (method->function != function || method->signature.size() != edge.arguments.size()) return false;
    for (size_t i = 0; i < edge.arguments.size(); ++i) {
      if (!lattice_.overlaps(edge.arguments[i], method->signature[i])) return false;
    }
    return true;
  });
}

BackEdges::Closing BackEdges::collect(std::span<Method* const> added) {
  Closing closing;
  closing.added.assign(added.begin(), added.end());
  std::vector<engine::CodeInstanceRef>
      forgotten;  // dropped after the lock: the last reference may free an instance
  sync::Lock lock(mutex_);
  for (const Method* method : added) {
    const inference::Function* function = method->function;
    const auto is_seen = [&](const auto& entry) { return entry.first == function; };
    if (std::any_of(closing.seen.begin(), closing.seen.end(), is_seen)) continue;
    closing.seen.emplace_back(function, next_);
    const auto found = edges_.find(function);
    if (found == edges_.end()) continue;
    std::deque<Edge> kept;
    for (Edge& edge : found->second) {
      if (edge.is_settled && engine::instance_max_world(*edge.instance) != UINT64_MAX) {
        forgotten.push_back(std::move(edge.instance));
        --size_;
        continue;
      }
      if (meets(edge, function, closing.added)) closing.instances.push_back(edge.instance);
      kept.push_back(std::move(edge));
    }
    found->second = std::move(kept);
  }
  lock.unlock();
  return closing;
}

void BackEdges::apply(engine::Engine& engine, const Closing& closing, uint64_t max_world) {
  for (const engine::CodeInstanceRef& instance : closing.instances)
    engine.lower_max_world(*instance, max_world);
  for (const auto& [function, mark] : closing.seen) {
    uint64_t next = mark;
    while (engine::CodeInstanceRef instance = next_meeting(function, closing.added, next)) {
      engine.lower_max_world(*instance, max_world);  // takes lower ranks: not under our lock
    }
  }
}

engine::CodeInstanceRef BackEdges::next_meeting(const inference::Function* function,
                                                std::span<const Method* const> added, uint64_t& from) const {
  sync::Lock lock(mutex_);
  const auto found = edges_.find(function);
  if (found == edges_.end()) return {};
  const std::deque<Edge>& edges = found->second;
  auto edge = std::lower_bound(edges.begin(), edges.end(), from,
                               [](const Edge& e, uint64_t n) { return e.number < n; });
  for (; edge != edges.end(); ++edge) {
    if (!meets(*edge, function, added)) continue;
    from = edge->number + 1;
    return edge->instance;
  }
  return {};
}

uint64_t install(engine::Engine& engine, MethodTable& methods, std::span<Method* const> added,
                 const std::function<void(uint64_t world)>& also) {
  MethodTable::VersionPtr version = methods.prepare(added, engine.world() + 1);
  const BackEdges::Closing closing = methods.back_edges().collect(added);
  return engine.advance_world_with([&](uint64_t world) {
    methods.publish(std::move(version), world + 1);
    methods.back_edges().apply(engine, closing, world);
    if (also) also(world + 1);
  });
}

}  // namespace berth::inference
