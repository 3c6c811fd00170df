// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/object_image.hpp"

#include <llvm/ExecutionEngine/JITLink/JITLink.h>
#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>
#include <llvm/ExecutionEngine/JITLink/x86_64.h>
#include <llvm/ExecutionEngine/Orc/SymbolStringPool.h>

#include <algorithm>

#include "jit/byte_stream.hpp"

namespace berth::jit {
namespace {

namespace jl = llvm::jitlink;
using Kind = ObjectImage::FixupKind;

// Where the parts are while the image is made: near each other, as in a slab, and far from anything outside.
constexpr uint64_t kBase = uint64_t{1} << 32, kPartStride = uint64_t{1} << 28,
                   kOutside = uint64_t{0x7f} << 40;
constexpr uint64_t kLargestPart = uint64_t{1} << 27;

struct Making {
  ObjectImage image;
  const std::vector<std::string>& wanted;
  bool failed = false;

  ObjectImage::Place place(llvm::orc::ExecutorAddr address) const {
    const uint64_t offset = address.getValue() - kBase;
    return {static_cast<uint32_t>(offset / kPartStride), static_cast<uint32_t>(offset % kPartStride)};
  }
  uint32_t external(const std::string& name) {
    const auto found = std::find(image.externals.begin(), image.externals.end(), name);
    if (found != image.externals.end()) return static_cast<uint32_t>(found - image.externals.begin());
    image.externals.push_back(name);
    return static_cast<uint32_t>(image.externals.size() - 1);
  }
};

SlabMemory::Kind kind_of(llvm::orc::MemProt protection) {
  const auto has = [bits = static_cast<unsigned>(protection)](llvm::orc::MemProt flag) {
    return bits & static_cast<unsigned>(flag);
  };
  if (has(llvm::orc::MemProt::Exec)) return SlabMemory::kText;
  return has(llvm::orc::MemProt::Write) ? SlabMemory::kData : SlabMemory::kReadOnly;
}

class Parts final : public jl::JITLinkMemoryManager {
 public:
  explicit Parts(Making& making) : making_(making) {}
  void allocate(const jl::JITLinkDylib*, jl::LinkGraph& graph, OnAllocatedFunction on_allocated) override {
    jl::BasicLayout layout(graph);
    std::array<uint64_t, SlabMemory::kKinds> starts{};
    for (auto& [group, segment] : layout.segments()) {
      ObjectImage::Part& part = making_.image.parts[kind_of(group.getMemProt())];
      part.bytes = llvm::alignTo(part.bytes, segment.Alignment) + segment.ContentSize + segment.ZeroFillSize;
      part.alignment = std::max(part.alignment, segment.Alignment.value());
    }
    for (ObjectImage::Part& part : making_.image.parts) {
      if (part.bytes > kLargestPart) return on_allocated(llvm::createStringError("too large"));
      part.content.resize(part.bytes);
    }
    for (auto& [group, segment] : layout.segments()) {
      const SlabMemory::Kind kind = kind_of(group.getMemProt());
      starts[kind] = llvm::alignTo(starts[kind], segment.Alignment);
      segment.Addr = llvm::orc::ExecutorAddr(kBase + kind * kPartStride + starts[kind]);
      segment.WorkingMem = making_.image.parts[kind].content.data() + starts[kind];
      starts[kind] += segment.ContentSize + segment.ZeroFillSize;
    }
    if (auto failed = layout.apply()) return on_allocated(std::move(failed));
    on_allocated(std::make_unique<Allocation>());
  }
  void deallocate(std::vector<FinalizedAlloc> allocations, OnDeallocatedFunction on_deallocated) override {
    for (auto& allocation : allocations) allocation.release();
    on_deallocated(llvm::Error::success());
  }

 private:
  struct Allocation final : InFlightAlloc {
    void abandon(OnAbandonedFunction on_abandoned) override { on_abandoned(llvm::Error::success()); }
    void finalize(OnFinalizedFunction on_finalised) override {
      on_finalised(FinalizedAlloc(llvm::orc::ExecutorAddr(1)));
    }
  };
  Making& making_;
};

class MakingContext final : public jl::JITLinkContext {
 public:
  explicit MakingContext(Making& making) : JITLinkContext(nullptr), making_(making), parts_(making) {}
  jl::JITLinkMemoryManager& getMemoryManager() override { return parts_; }
  void notifyFailed(llvm::Error failure) override {
    llvm::consumeError(std::move(failure));
    making_.failed = true;
  }
  void lookup(const LookupMap& symbols,
              std::unique_ptr<jl::JITLinkAsyncLookupContinuation> continuation) override {
    jl::AsyncLookupResult found;
    for (const auto& [symbol, flags] : symbols) {
      if (flags != jl::SymbolLookupFlags::RequiredSymbol) making_.failed = true;
      found[symbol] = {llvm::orc::ExecutorAddr(kOutside + 16 * making_.external((*symbol).str())),
                       llvm::JITSymbolFlags::Exported};
    }
    continuation->run(std::move(found));
  }
  llvm::Error modifyPassConfig(jl::LinkGraph&, jl::PassConfiguration& passes) override {
    passes.PreFixupPasses.push_back([this](jl::LinkGraph& graph) {
      record(graph);
      return llvm::Error::success();
    });
    return llvm::Error::success();
  }
  llvm::Error notifyResolved(jl::LinkGraph&) override { return llvm::Error::success(); }
  void notifyFinalized(jl::JITLinkMemoryManager::FinalizedAlloc allocation) override { allocation.release(); }

 private:
  void record(jl::LinkGraph& graph) {
    for (jl::Block* block : graph.blocks()) {
      for (const jl::Edge& edge : block->edges()) {
        if (edge.isRelocation()) record(*block, edge);
      }
    }
    std::vector<std::optional<ObjectImage::Place>> symbols(making_.wanted.size());
    for (jl::Symbol* symbol : graph.defined_symbols()) {
      if (!symbol->hasName()) continue;
      const auto at = std::find(making_.wanted.begin(), making_.wanted.end(), *symbol->getName());
      if (at != making_.wanted.end())
        symbols[static_cast<size_t>(at - making_.wanted.begin())] = making_.place(symbol->getAddress());
    }
    for (const auto& symbol : symbols) {
      making_.failed |= !symbol;
      making_.image.symbols.push_back(symbol.value_or(ObjectImage::Place{}));
    }
    if (jl::Section* const section = graph.findSectionByName(".eh_frame")) {
      const jl::SectionRange range(*section);
      if (!range.empty()) making_.image.unwind = making_.place(range.getStart());
    }
  }

  // As jl::x86_64::applyFixup takes them.
  void record(const jl::Block& block, const jl::Edge& edge) {
    ObjectImage::Fixup fixup{
        Kind::Absolute64, making_.place(block.getAddress() + edge.getOffset()), {}, edge.getAddend()};
    switch (edge.getKind()) {
      case jl::x86_64::Pointer64: break;
      case jl::x86_64::Delta64: fixup.kind = Kind::Relative64; break;
      case jl::x86_64::Delta32: fixup.kind = Kind::Relative32; break;
      case jl::x86_64::NegDelta64: fixup.kind = Kind::Backward64; break;
      case jl::x86_64::NegDelta32: fixup.kind = Kind::Backward32; break;
      case jl::x86_64::PCRel32:
      case jl::x86_64::BranchPCRel32:
      case jl::x86_64::BranchPCRel32ToPtrJumpStub:
      case jl::x86_64::BranchPCRel32ToPtrJumpStubBypassable:
      case jl::x86_64::PCRel32GOTLoadRelaxable:
      case jl::x86_64::PCRel32GOTLoadREXRelaxable:
        fixup.kind = Kind::Relative32;
        fixup.addend -= 4;
        break;
      default: making_.failed = true; return;
    }
    const jl::Symbol& target = edge.getTarget();
    if (target.isExternal()) {
      fixup.target = {ObjectImage::kExternal, making_.external((*target.getName()).str())};
      making_.failed |= fixup.kind != Kind::Absolute64;  // nothing else reaches everywhere
    } else if (target.isDefined()) {
      fixup.target = making_.place(target.getAddress());
    } else {
      making_.failed = true;
    }
    making_.image.fixups.push_back(fixup);
  }

  Making& making_;
  Parts parts_;
};

uint64_t packed(const ObjectImage::Place& place, Kind kind = {}) {
  return static_cast<uint64_t>(kind) << 40 | static_cast<uint64_t>(place.part) << 32 | place.offset;
}
ObjectImage::Place unpacked(uint64_t place) {
  return {static_cast<uint32_t>(place >> 32 & 0xff), static_cast<uint32_t>(place)};
}

}  // namespace

std::optional<ObjectImage> ObjectImage::of(std::string_view object, const std::vector<std::string>& wanted) {
  Making making{{}, wanted};
  const auto names = std::make_shared<llvm::orc::SymbolStringPool>();
  auto graph = jl::createLinkGraphFromObject(
      llvm::MemoryBufferRef(llvm::StringRef(object.data(), object.size()), "object"), names);
  if (!graph) {
    llvm::consumeError(graph.takeError());
    return {};
  }
  if ((*graph)->getTargetTriple().getArch() != llvm::Triple::x86_64) return {};
  jl::link(std::move(*graph), std::make_unique<MakingContext>(making));
  if (making.failed || making.image.symbols.size() != wanted.size()) return {};
  for (Part& part : making.image.parts) {
    const size_t end = part.content.find_last_not_of('\0');
    part.content.resize(end == std::string::npos ? 0 : end + 1);
  }
  // What a fixup writes lies in the content.
  for (const Fixup& fixup : making.image.fixups) {
    std::string& content = making.image.parts[fixup.at.part].content;
    content.resize(std::max(content.size(), fixup.at.offset + width(fixup.kind)));
  }
  return std::move(making.image);
}

void write_image(ByteWriter& to, const ObjectImage& image) {
  for (const ObjectImage::Part& part : image.parts) {
    to.number(part.bytes);
    to.number(part.alignment);
    to.text(part.content);
  }
  to.number(image.externals.size());
  for (const std::string& name : image.externals) to.text(name);
  to.number(image.fixups.size());
  for (const ObjectImage::Fixup& fixup : image.fixups) {
    to.number(packed(fixup.at, fixup.kind));
    to.number(packed(fixup.target));
    to.number(static_cast<uint64_t>(fixup.addend));
  }
  to.number(image.symbols.size());
  for (const ObjectImage::Place& place : image.symbols) to.number(packed(place));
  to.number(image.unwind.has_value());
  to.number(packed(image.unwind.value_or(ObjectImage::Place{})));
}

bool read_image(ByteReader& from, ObjectImage& image) {
  const auto place_of = [&](uint64_t number, size_t bytes) {
    const ObjectImage::Place place = unpacked(number);
    if (place.part >= SlabMemory::kKinds || bytes > image.parts[place.part].bytes ||
        place.offset > image.parts[place.part].bytes - bytes)
      from.fail();
    return place;
  };
  for (ObjectImage::Part& part : image.parts) {
    part.bytes = from.number(kLargestPart);
    part.alignment = from.number(4096);
    part.content = from.text();
    if (part.content.size() > part.bytes || part.alignment == 0 ||
        (part.alignment & (part.alignment - 1)) != 0)
      from.fail();
  }
  for (size_t left = from.count(); left != 0 && !from.has_failed(); --left)
    image.externals.emplace_back(from.text());
  const size_t num_fixups = from.count();
  image.fixups.reserve(num_fixups / 3);
  for (size_t left = num_fixups; left != 0 && !from.has_failed(); --left) {
    ObjectImage::Fixup fixup{};
    const uint64_t at = from.number(), target = from.number();
    fixup.addend = static_cast<int64_t>(from.number());
    if (at >> 40 > static_cast<uint64_t>(Kind::Backward32)) from.fail();
    fixup.kind = static_cast<Kind>(at >> 40 & 0xff);
    fixup.at = place_of(at, ObjectImage::width(fixup.kind));
    if (unpacked(target).part == ObjectImage::kExternal) {
      fixup.target = unpacked(target);
      if (fixup.target.offset >= image.externals.size()) from.fail();
    } else {
      fixup.target = place_of(target, 0);
    }
    if (!from.has_failed()) image.fixups.push_back(fixup);
  }
  for (size_t left = from.count(); left != 0 && !from.has_failed(); --left)
    image.symbols.push_back(place_of(from.number(), 0));
  const bool has_unwind = from.number(1) != 0;
  const ObjectImage::Place unwind = place_of(from.number(), 0);
  if (has_unwind) image.unwind = unwind;
  return !from.has_failed();
}

}  // namespace berth::jit
