// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/observers/loaded_unit.hpp"

#include <llvm/ExecutionEngine/JITLink/JITLink.h>
#include <llvm/ExecutionEngine/Orc/Debugging/DebugInfoSupport.h>

#include <algorithm>
#include <cstring>

namespace berth::jit {
namespace {

namespace jl = llvm::jitlink;

// Blocks after fix-ups; of a loaded section they lie in the writable alias.
std::string content_of(jl::Section& section, const jl::SectionRange& range) {
  std::string bytes(range.getSize(), '\0');
  for (const jl::Block* block : section.blocks()) {
    if (block->isZeroFill()) continue;
    const llvm::ArrayRef<char> content = block->getContent();
    std::memcpy(bytes.data() + (block->getAddress() - range.getStart()), content.data(), content.size());
  }
  return bytes;
}

llvm::Error describe(jl::LinkGraph& graph, LoadedUnit& unit) {
  for (const jl::Symbol* symbol : graph.defined_symbols()) {
    if (!symbol->hasName() || !symbol->isCallable() || symbol->getSize() == 0) continue;
    unit.functions.push_back(
        {(*symbol->getName()).str(), symbol->getAddress().toPtr<const char*>(), symbol->getSize()});
  }
  for (jl::Section& section : graph.sections()) {
    const llvm::StringRef name = section.getName();
    const bool debug = name.starts_with(".debug_");
    const jl::SectionRange range(section);
    if ((!debug && name != ".eh_frame") || range.empty()) continue;
    unit.sections.push_back(
        {name.str(), debug ? 0 : range.getStart().getValue(), content_of(section, range)});
  }
  return llvm::Error::success();
}

}  // namespace

const LoadedUnit::Section* LoadedUnit::section(const std::string& name) const noexcept {
  const auto found = std::find_if(sections.begin(), sections.end(),
                                  [&](const Section& section) { return section.name == name; });
  return found == sections.end() ? nullptr : &*found;
}

void describe_link(jl::PassConfiguration& passes, LoadedUnit& unit) {
  passes.PrePrunePasses.push_back(llvm::orc::preserveDebugSections);
  passes.PostFixupPasses.push_back([&unit](jl::LinkGraph& graph) { return describe(graph, unit); });
}

}  // namespace berth::jit
