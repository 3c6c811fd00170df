// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/cache_key.hpp"

#include <elf.h>
#include <link.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Support/BLAKE3.h>

#include <cstring>

#include "jit/target_tools.hpp"
#include "jit/unit_format.hpp"
#include "support/mutant.hpp"

namespace berth::jit {
namespace {

// Each part with its length: no two lists of parts give the same bytes.
class Digest {
 public:
  void add(std::string_view part) {
    const uint64_t size = part.size();
    state_.update(llvm::StringRef(reinterpret_cast<const char*>(&size), sizeof size));
    state_.update(llvm::StringRef(part.data(), part.size()));
  }
  void add(uint64_t number) { add(std::string_view(reinterpret_cast<const char*>(&number), sizeof number)); }
  CacheKey finish() {
    CacheKey key;
    key.bytes = state_.final<32>();
    return key;
  }

 private:
  llvm::BLAKE3 state_;
};

struct Search {
  uintptr_t inside;  // an address of the library that is sought
  std::string id;
};

// The build id that the linker gave the library or program with this function, so that any change of Berth's
// code gives other keys.
int find_build_id(dl_phdr_info* object, size_t, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  bool contains = false;
  for (const auto* header = object->dlpi_phdr; header != object->dlpi_phdr + object->dlpi_phnum; ++header) {
    contains |=
        header->p_type == PT_LOAD && search.inside - (object->dlpi_addr + header->p_vaddr) < header->p_memsz;
  }
  if (!contains) return 0;
  for (const auto* header = object->dlpi_phdr; header != object->dlpi_phdr + object->dlpi_phnum; ++header) {
    if (header->p_type != PT_NOTE) continue;
    const char* at = reinterpret_cast<const char*>(object->dlpi_addr + header->p_vaddr);
    const char* const end = at + header->p_memsz;
    while (static_cast<size_t>(end - at) >= sizeof(ElfW(Nhdr))) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const char* const name = at + sizeof note;
      const char* const content = name + (note.n_namesz + 3) / 4 * 4;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0)
        search.id.assign(content, note.n_descsz);
      at = content + (note.n_descsz + 3) / 4 * 4;
    }
  }
  return 1;
}

std::string build_id() {
  Search search{reinterpret_cast<uintptr_t>(&find_build_id), {}};
  dl_iterate_phdr(&find_build_id, &search);
  return search.id;
}

}  // namespace

std::string CacheKey::name() const { return llvm::toHex(bytes, true); }

int64_t CacheKey::number() const noexcept {
  uint64_t number = 0;
  std::memcpy(&number, bytes.data(), sizeof number);
  return static_cast<int64_t>(number >> 2);
}

CacheEnvironment CacheEnvironment::of(const HostTarget& host) {
  CacheEnvironment environment;
  environment.format = std::to_string(kUnitFormat);
  environment.engine = build_id();
  environment.llvm = LLVM_VERSION_STRING;
  environment.triple = host.triple.str();
  environment.cpu = host.cpu;
  environment.features = host.features;
  environment.layout = host.layout;
  // As TargetTools and the lowering have them; what they make of typed IR is in its bytes too.
  environment.pipeline = "fast: O0, FastISel; optimized: O2, vectorised";
  environment.code_model = "small, position-independent, emulated thread-locals";
  environment.floats = "strict";
  environment.polls = "entries, back edges";
  environment.bounds = "checked";
  return environment;
}

CacheKey CacheEnvironment::digest() const {
  Digest digest;
  for (const std::string* part : {&format, &engine, &llvm, &triple, &cpu, &features, &layout, &pipeline,
                                  &code_model, &floats, &polls, &bounds}) {
    if (part == &features && mutant::is_on("J75_drop_a_part")) continue;
    digest.add(*part);
  }
  return digest.finish();
}

CacheKey CacheSource::key(const CacheKey& environment) const {
  Digest digest;
  digest.add(
      std::string_view(reinterpret_cast<const char*>(environment.bytes.data()), environment.bytes.size()));
  digest.add(static_cast<uint64_t>(kind));
  digest.add(bytes);
  digest.add(entry);
  digest.add(edges.size());
  for (const std::string_view symbol : edges) digest.add(symbol);
  digest.add(static_cast<uint64_t>(tier));
  digest.add(uint64_t{counted});
  if (!mutant::is_on("J75_drop_owner")) digest.add(owner);
  return digest.finish();
}

}  // namespace berth::jit
