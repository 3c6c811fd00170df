// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/program.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <unordered_map>

#include "gc/heap.hpp"
#include "inference/back_edges.hpp"
#include "inference/execution.hpp"
#include "inference/inference.hpp"
#include "inference/method_table.hpp"
#include "inference/runtime_impl.hpp"
#include "inference/text.hpp"

namespace berth::inference {
namespace {

constexpr Rank kRankDefinition{110, "definition"};
constexpr Rank kRankNames{120, "program names"};
constexpr Rank kRankSpecialisations{121, "specialisations"};

struct SignatureKey {
  const Method* method;
  std::vector<const Type*> arguments;
  friend bool operator==(const SignatureKey&, const SignatureKey&) = default;
};
struct SignatureHash {
  size_t operator()(const SignatureKey& key) const noexcept {
    uint64_t hash = reinterpret_cast<uintptr_t>(key.method) * 0x9e37'79b9'7f4a'7c15;
    for (const Type* type : key.arguments)
      hash = (hash ^ reinterpret_cast<uintptr_t>(type)) * 0xff51'afd7'ed55'8ccd;
    return hash ^ hash >> 31;
  }
};

struct GlobalVersion {
  uint64_t world;  // from which it holds
  std::unique_ptr<Global> global;
};

/// The program's part in what an engine is asked for.
class ProgramSubsystem final : public engine::Subsystem {
 public:
  explicit ProgramSubsystem(Program& program) noexcept : program_(program) {}
  void explain(engine::Explanation& explanation) override {
    Execution& execution = program_.runtime().impl().execution;
    if (execution.num_fallbacks() == 0) return;
    engine::add_item(
        explanation, "programs",
        fmt::format(R"({{"name":{},"interpreted_instead":{},"last_reason":{}}})", json_quote(program_.name()),
                    execution.num_fallbacks(), json_quote(execution.last_fallback())));
  }
  void metrics(std::string& prometheus) override {
    prometheus += fmt::format("berth_program_interpreted_instead_total{{program={}}} {}\n",
                              json_quote(program_.name()), program_.runtime().counters().fallbacks);
  }
  void add_counts(berth_engine_counts_t& counts) override {
    const InferenceCounters own = counters(program_);
    counts.methods_inferred += own.methods;
    counts.limited += own.limited;
  }

 private:
  Program& program_;
};

}  // namespace

struct Program::Impl {
  explicit Impl(Program& program) : subsystem(program) {}

  sync::Mutex definition{kRankDefinition};
  std::vector<std::unique_ptr<Method>> methods BERTH_GUARDED_BY(definition);

  sync::Mutex names_mutex{kRankNames};
  std::map<std::string, std::unique_ptr<Function>, std::less<>> functions BERTH_GUARDED_BY(names_mutex);
  std::map<std::string, const StructType*, std::less<>> structs BERTH_GUARDED_BY(names_mutex);
  std::map<std::string, const AbstractType*, std::less<>> abstracts BERTH_GUARDED_BY(names_mutex);
  std::map<std::string, std::vector<GlobalVersion>, std::less<>> globals BERTH_GUARDED_BY(names_mutex);

  sync::Mutex specialisations_mutex{kRankSpecialisations};
  std::unordered_map<SignatureKey, std::unique_ptr<SpecialisationState>, SignatureHash> specialisations
      BERTH_GUARDED_BY(specialisations_mutex);

  const gc::Type* cells[2] = {};  // of plain bits, of a reference
  ProgramSubsystem subsystem;
  bool is_closed = false;
};

Program::Program(engine::Engine& engine, std::string name)
    : engine_(engine),
      name_(std::move(name)),
      types_(std::make_unique<TypeInterner>()),
      lattice_(std::make_unique<TypeLattice>(*types_)),
      methods_(std::make_unique<MethodTable>(*lattice_)),
      calls_(make_runtime_calls(engine)),
      impl_(std::make_unique<Impl>(*this)) {
  runtime_ = std::make_unique<Runtime>(*this);
  gc::Type cell;
  cell.name = "global";
  cell.bytes = 16;
  impl_->cells[0] = engine.collector().heap().add_type(cell);
  cell.reference_offsets = {8};
  impl_->cells[1] = engine.collector().heap().add_type(cell);
  engine.add_subsystem(&impl_->subsystem);
}

Program::~Program() { close(); }

std::shared_ptr<Program> retain(Program& program) noexcept { return program.retain(); }

void Program::close() {
  if (std::exchange(impl_->is_closed, true)) return;
  gc::Thread* const thread = gc::current_thread(&engine_.collector());
  {
    std::optional<gc::SafeRegion> safe;
    if (thread) safe.emplace(*thread);
    runtime_->wait_for_tasks();
  }
  engine_.remove_subsystem(&impl_->subsystem);
  // The next program may get the same addresses: its worlds begin after those of every instance of this one.
  const uint64_t world = engine_.world();
  std::vector<engine::CodeInstanceRef> instances;
  {
    sync::Lock lock(impl_->specialisations_mutex);
    for (const auto& [key, specialisation] : impl_->specialisations) {
      if (auto instance = engine_.lookup({specialisation.get(), owner()}, world))
        instances.push_back(std::move(instance));
    }
  }
  for (const auto& instance : instances) (void)engine_.invalidate(*instance, world);
  if (!instances.empty()) engine_.advance_world();
  runtime_->impl().execution.close();
  // Cells are permanent: what they refer to would live as long as the engine.
  sync::Lock lock(impl_->names_mutex);
  for (auto& [name, versions] : impl_->globals) {
    for (GlobalVersion& version : versions) {
      if (version.global->cell)
        gc::Heap::write(version.global->cell, reinterpret_cast<gc::Object**>(version.global->cell->at(8)),
                        nullptr);
    }
  }
}

namespace {

Result<DefinitionSet> read(Program& program, std::string_view text, std::string_view name) {
  BERTH_TRY(DefinitionSet set, parse(program, text, name));
  for (const auto& method : set.methods) BERTH_TRYV(verify(program, *method));
  return set;
}

}  // namespace

Result<void> Program::define(gc::Thread* thread, std::string_view text, std::string_view name) {
  if (!thread) thread = gc::current_thread(&engine_.collector());
  std::optional<gc::SafeRegion> safe;
  if (thread) safe.emplace(*thread);
  sync::Lock definition(impl_->definition);
  BERTH_TRY(DefinitionSet set, read(*this, text, name));
  safe.reset();  // what follows makes permanent objects

  std::vector<std::unique_ptr<Global>> variables;
  for (DefinitionSet::Variable& variable : set.variables) {
    auto global = std::make_unique<Global>(
        Global{variable.name, variable.type, variable.is_constant, variable.value, nullptr});
    if (!variable.is_constant) {
      LeafKind kind{};
      const bool unboxed = is_unboxed(variable.type, kind);
      global->cell = engine_.collector().heap().allocate_permanent(impl_->cells[unboxed ? 0 : 1]);
      if (unboxed) {
        global->cell->word(8) = variable.value.bits;
      } else {
        gc::Heap::write(global->cell, reinterpret_cast<gc::Object**>(global->cell->at(8)),
                        runtime_->literal_object(variable.value));
      }
    }
    variables.push_back(std::move(global));
  }
  for (const StructType* structure : set.structs) runtime_->layout(structure->leaf);

  // Names first: a method that is visible finds all that it names. An older world does not see newer globals.
  {
    const uint64_t next = engine_.world() + 1;
    sync::Lock lock(impl_->names_mutex);
    for (const StructType* structure : set.structs) impl_->structs.emplace(structure->name, structure);
    for (const AbstractType* abstract : set.abstracts) impl_->abstracts.emplace(abstract->name, abstract);
    for (auto& global : variables) {
      auto& versions = impl_->globals[global->name];
      versions.push_back({next, std::move(global)});
    }
  }
  std::vector<Method*> added;
  for (const auto& method : set.methods) added.push_back(method.get());
  install(engine_, *methods_, added);
  for (auto& method : set.methods) impl_->methods.push_back(std::move(method));
  return success();
}

Function* Program::function(std::string_view name) {
  sync::Lock lock(impl_->names_mutex);
  const auto found = impl_->functions.find(name);
  return found == impl_->functions.end() ? nullptr : found->second.get();
}

Function* Program::intern_function(std::string_view name) {
  sync::Lock lock(impl_->names_mutex);
  const auto found = impl_->functions.find(name);
  if (found != impl_->functions.end()) return found->second.get();
  auto made = std::make_unique<Function>();
  made->name = name;
  made->leaf = types_->function_leaf(*made);
  return impl_->functions.emplace(std::string(name), std::move(made)).first->second.get();
}

const StructType* Program::structure(std::string_view name) {
  sync::Lock lock(impl_->names_mutex);
  const auto found = impl_->structs.find(name);
  return found == impl_->structs.end() ? nullptr : found->second;
}

const AbstractType* Program::abstract(std::string_view name) {
  if (const AbstractType* built_in = types_->builtin_abstract(name)) return built_in;
  sync::Lock lock(impl_->names_mutex);
  const auto found = impl_->abstracts.find(name);
  return found == impl_->abstracts.end() ? nullptr : found->second;
}

const Global* Program::global(std::string_view name, uint64_t world) {
  sync::Lock lock(impl_->names_mutex);
  const auto found = impl_->globals.find(name);
  if (found == impl_->globals.end()) return nullptr;
  const auto& versions = found->second;
  // A variable has one version, seen from every world: its cell does not change. A constant has its newest
  // that is not too new.
  if (!versions.front().global->is_constant) return versions.front().global.get();
  const Global* newest = nullptr;
  for (const GlobalVersion& version : versions) {
    if (version.world <= world) newest = version.global.get();
  }
  return newest;
}

const Type* Program::parse_type(std::string_view text) {
  auto parsed = berth::inference::parse_type(*this, text);
  return parsed.has_error() ? nullptr : parsed.value();
}

const Specialisation* Program::specialise(const Method& method, std::span<const Type* const> arguments) {
  SignatureKey key{&method, {arguments.begin(), arguments.end()}};
  sync::Lock lock(impl_->specialisations_mutex);
  auto& slot = impl_->specialisations[key];
  if (!slot) {
    slot = std::make_unique<SpecialisationState>();
    slot->method = &method;
    slot->name = method.name + "(";
    for (size_t i = 0; i < key.arguments.size(); ++i) slot->name += (i ? ", " : "") + key.arguments[i]->name;
    slot->name += ")";
    slot->arguments = key.arguments;
  }
  return slot.get();
}

}  // namespace berth::inference
