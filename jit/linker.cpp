// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/linker.hpp"

#include <llvm/ExecutionEngine/JITLink/JITLink.h>
#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>
#include <llvm/ExecutionEngine/Orc/SymbolStringPool.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "jit/object_image.hpp"

namespace berth::jit {
namespace {

namespace jl = llvm::jitlink;

struct LinkState {
  SlabMemory& memory;
  const std::vector<std::string>& wanted;
  const Linker::Lookup& lookup;
  LinkedObject linked;
  std::optional<Error> error;  // the first
  bool finalised = false;

  void fail(Error reason) {
    if (!error) error = std::move(reason);
  }
};

Error undefined(std::vector<std::string> missing) {
  std::sort(missing.begin(), missing.end());
  std::string text = missing.size() == 1 ? "undefined symbol " : "undefined symbols ";
  for (size_t i = 0; i < missing.size(); ++i) text += (i ? ", '" : "'") + missing[i] + "'";
  return make_error(BERTH_LINK_FAILED, "", text,
                    "add an edge for it, define it in the source, or call berth_engine_define_symbol");
}

llvm::Error already_reported() { return llvm::createStringError("see the link's own error"); }

class UnitAllocation final : public jl::JITLinkMemoryManager::InFlightAlloc {
 public:
  UnitAllocation(LinkState& state, llvm::orc::shared::AllocActions& actions)
      : state_(state), actions_(actions) {}
  void abandon(OnAbandonedFunction on_abandoned) override {
    state_.memory.abandon(state_.linked.memory);
    state_.linked.memory = {};
    on_abandoned(llvm::Error::success());
  }
  void finalize(OnFinalizedFunction on_finalised) override {
    if (auto sealed = state_.memory.seal(state_.linked.memory); sealed.has_error()) {
      state_.fail(std::move(sealed).assume_error());
      return on_finalised(already_reported());
    }
    auto undo = llvm::orc::shared::runFinalizeActions(actions_);
    if (!undo) return on_finalised(undo.takeError());
    on_finalised(jl::JITLinkMemoryManager::FinalizedAlloc(
        llvm::orc::ExecutorAddr::fromPtr(state_.linked.memory.slab)));
  }

 private:
  LinkState& state_;
  llvm::orc::shared::AllocActions& actions_;
};

SlabMemory::Kind kind_of(llvm::orc::MemProt protection) {
  const auto has = [bits = static_cast<unsigned>(protection)](llvm::orc::MemProt flag) {
    return bits & static_cast<unsigned>(flag);
  };
  if (has(llvm::orc::MemProt::Exec)) return SlabMemory::kText;
  return has(llvm::orc::MemProt::Write) ? SlabMemory::kData : SlabMemory::kReadOnly;
}

size_t round_up(size_t value, size_t alignment) { return (value + alignment - 1) / alignment * alignment; }

// The memory manager of one link: segments are packed into one part per kind.
class UnitMemory final : public jl::JITLinkMemoryManager {
 public:
  explicit UnitMemory(LinkState& state) : state_(state) {}

  void allocate(const jl::JITLinkDylib*, jl::LinkGraph& graph, OnAllocatedFunction on_allocated) override {
    jl::BasicLayout layout(graph);
    SlabMemory::Sizes sizes;
    for (auto& [group, segment] : layout.segments()) {
      SlabMemory::Size& size = sizes[kind_of(group.getMemProt())];
      size.bytes =
          round_up(size.bytes, segment.Alignment.value()) + segment.ContentSize + segment.ZeroFillSize;
      size.alignment = std::max<size_t>(size.alignment, segment.Alignment.value());
    }
    auto allocation = state_.memory.allocate(sizes);
    if (allocation.has_error()) {
      state_.fail(std::move(allocation).assume_error());
      return on_allocated(already_reported());
    }
    state_.linked.memory = allocation.assume_value();
    std::array<size_t, SlabMemory::kKinds> used{};
    for (auto& [group, segment] : layout.segments()) {
      const SlabMemory::Kind kind = kind_of(group.getMemProt());
      const SlabMemory::Part& part = state_.linked.memory.parts[kind];
      used[kind] = round_up(used[kind], segment.Alignment.value());
      segment.Addr = llvm::orc::ExecutorAddr::fromPtr(part.address + used[kind]);
      segment.WorkingMem = part.writable + used[kind];
      std::memset(segment.WorkingMem + segment.ContentSize, 0, segment.ZeroFillSize);
      used[kind] += segment.ContentSize + segment.ZeroFillSize;
    }
    auto result = std::make_unique<UnitAllocation>(state_, layout.graphAllocActions());
    if (auto failed = layout.apply()) {
      state_.memory.abandon(state_.linked.memory);
      return on_allocated(std::move(failed));
    }
    on_allocated(std::move(result));
  }

  // Memory goes back with its unit.
  void deallocate(std::vector<FinalizedAlloc> allocations, OnDeallocatedFunction on_deallocated) override {
    for (auto& allocation : allocations) allocation.release();
    on_deallocated(llvm::Error::success());
  }

 private:
  LinkState& state_;
};

class LinkContext final : public jl::JITLinkContext {
 public:
  explicit LinkContext(LinkState& state) : JITLinkContext(nullptr), state_(state), memory_(state) {}

  jl::JITLinkMemoryManager& getMemoryManager() override { return memory_; }

  void notifyFailed(llvm::Error failure) override {
    const std::string text = llvm::toString(std::move(failure));
    state_.fail(make_error(BERTH_LINK_FAILED, "", text, "change what cannot be linked"));
  }

  void lookup(const LookupMap& symbols,
              std::unique_ptr<jl::JITLinkAsyncLookupContinuation> continuation) override {
    jl::AsyncLookupResult found;
    std::vector<std::string> missing;
    for (const auto& [symbol, flags] : symbols) {
      const std::string name = (*symbol).str();
      void* const address = state_.lookup(name);
      if (!address && flags == jl::SymbolLookupFlags::RequiredSymbol) {
        missing.push_back(name);
        continue;
      }
      if (address)
        found[symbol] = {llvm::orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
    }
    if (missing.empty()) return continuation->run(std::move(found));
    state_.fail(undefined(std::move(missing)));
    continuation->run(already_reported());
  }

  llvm::Error modifyPassConfig(jl::LinkGraph&, jl::PassConfiguration& passes) override {
    if (state_.linked.loaded) describe_link(passes, *state_.linked.loaded);
    return llvm::Error::success();
  }

  llvm::Error notifyResolved(jl::LinkGraph& graph) override {
    for (jl::Symbol* symbol : graph.defined_symbols()) {
      if (!symbol->hasName()) continue;
      const llvm::StringRef name = *symbol->getName();
      if (std::find(state_.wanted.begin(), state_.wanted.end(), name) == state_.wanted.end()) continue;
      state_.linked.symbols[name.str()] = symbol->getAddress().toPtr<void*>();
    }
    for (const std::string& name : state_.wanted) {
      if (state_.linked.symbols.contains(name)) continue;
      state_.fail(make_error(BERTH_INTERNAL, "", "the object lacks the symbol '" + name + "'",
                             "report this as a defect of Berth"));
      return already_reported();
    }
    if (jl::Section* const section = graph.findSectionByName(".eh_frame")) {
      const jl::SectionRange range(*section);
      if (!range.empty()) state_.linked.unwind_section = range.getStart().toPtr<const void*>();
    }
    return llvm::Error::success();
  }

  void notifyFinalized(jl::JITLinkMemoryManager::FinalizedAlloc allocation) override {
    allocation.release();
    state_.finalised = true;
  }

 private:
  LinkState& state_;
  UnitMemory memory_;
};

}  // namespace

Result<LinkedObject> Linker::link(llvm::MemoryBufferRef object, const std::vector<std::string>& wanted,
                                  const Lookup& lookup, bool describe) {
  LinkState state{memory_, wanted, lookup, {}, {}, false};
  if (describe) state.linked.loaded = std::make_shared<LoadedUnit>();
  const auto names =
      std::make_shared<llvm::orc::SymbolStringPool>();  // of this link; outlives the look-up's results
  auto graph = jl::createLinkGraphFromObject(object, names);
  if (!graph) {
    return make_error(BERTH_LINK_FAILED, "", llvm::toString(graph.takeError()),
                      "change what cannot be linked");
  }
  jl::link(std::move(*graph), std::make_unique<LinkContext>(state));
  if (state.error) return std::move(*state.error);
  if (!state.finalised)
    return make_error(BERTH_INTERNAL, "", "the link did not end", "report this as a defect of Berth");
  if (state.linked.loaded) {
    const SlabMemory::Part& text = state.linked.memory.parts[SlabMemory::kText];
    state.linked.loaded->text = text.address;
    state.linked.loaded->text_bytes = text.bytes;
  }
  return std::move(state.linked);
}

namespace {

// False: the distance does not fit.
bool apply(const ObjectImage::Fixup& fixup, char* to, uint64_t at, uint64_t target) {
  using Kind = ObjectImage::FixupKind;
  const uint64_t addend = static_cast<uint64_t>(fixup.addend);
  const bool is_backward = fixup.kind == Kind::Backward32 || fixup.kind == Kind::Backward64;
  const uint64_t value =
      fixup.kind == Kind::Absolute64 ? target + addend : (is_backward ? at - target : target - at) + addend;
  if (ObjectImage::width(fixup.kind) == sizeof value) {
    std::memcpy(to, &value, sizeof value);
    return true;
  }
  const auto narrow = static_cast<int32_t>(value);
  std::memcpy(to, &narrow, sizeof narrow);
  return static_cast<int64_t>(value) == narrow;
}

}  // namespace

Result<LinkedObject> Linker::place(const ObjectImage& image, const std::vector<std::string>& wanted,
                                   const Lookup& lookup) {
  std::vector<uint64_t> externals;
  std::vector<std::string> missing;
  for (const std::string& name : image.externals) {
    externals.push_back(reinterpret_cast<uintptr_t>(lookup(name)));
    if (externals.back() == 0) missing.push_back(name);
  }
  if (!missing.empty()) return undefined(std::move(missing));
  LinkedObject linked;
  SlabMemory::Sizes sizes;
  for (size_t kind = 0; kind < SlabMemory::kKinds; ++kind)
    sizes[kind] = {image.parts[kind].bytes, image.parts[kind].alignment};
  BERTH_TRY(linked.memory, memory_.allocate(sizes));
  const auto& parts = linked.memory.parts;
  for (size_t kind = 0; kind < SlabMemory::kKinds; ++kind) {
    const ObjectImage::Part& part = image.parts[kind];
    if (part.bytes == 0) continue;
    std::memcpy(parts[kind].writable, part.content.data(), part.content.size());
    std::memset(parts[kind].writable + part.content.size(), 0, part.bytes - part.content.size());
  }
  const auto address = [&](const ObjectImage::Place& place) {
    return parts[place.part].address + place.offset;
  };
  for (const ObjectImage::Fixup& fixup : image.fixups) {
    const uint64_t target = fixup.target.part == ObjectImage::kExternal
                                ? externals[fixup.target.offset]
                                : reinterpret_cast<uintptr_t>(address(fixup.target));
    if (apply(fixup, parts[fixup.at.part].writable + fixup.at.offset,
              reinterpret_cast<uintptr_t>(address(fixup.at)), target))
      continue;
    memory_.abandon(linked.memory);
    return make_error(BERTH_LINK_FAILED, "", "a distance does not fit into 32 bits",
                      "report this as a defect of Berth");
  }
  if (auto sealed = memory_.seal(linked.memory); sealed.has_error()) {
    memory_.abandon(linked.memory);
    return std::move(sealed).assume_error();
  }
  for (size_t i = 0; i < wanted.size(); ++i) linked.symbols.emplace(wanted[i], address(image.symbols[i]));
  if (image.unwind) linked.unwind_section = address(*image.unwind);
  return linked;
}

}  // namespace berth::jit
