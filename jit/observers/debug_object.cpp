// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/observers/debug_object.hpp"

#include <elf.h>

#include <cstring>

namespace berth::jit {
namespace {

#if defined(__aarch64__)
constexpr uint16_t kMachine = EM_AARCH64;
#else
constexpr uint16_t kMachine = EM_X86_64;
#endif
constexpr uint16_t kTextSection = 1;

class ElfWriter {
 public:
  ElfWriter() : file_(sizeof(Elf64_Ehdr), '\0') { headers_.push_back({}); }

  /// Its bytes are appended, unless it has none in the file.
  Elf64_Shdr& add(const std::string& name, uint32_t type, uint64_t flags, uint64_t address,
                  const std::string& bytes) {
    file_.resize((file_.size() + 7) / 8 * 8);
    Elf64_Shdr header{};
    header.sh_name = add_string(name);
    header.sh_type = type;
    header.sh_flags = flags;
    header.sh_addr = address;
    header.sh_offset = file_.size();
    header.sh_size = bytes.size();
    header.sh_addralign = 1;
    file_ += bytes;
    headers_.push_back(header);
    return headers_.back();
  }

  uint32_t add_string(const std::string& text) {
    const auto at = static_cast<uint32_t>(strings_.size());
    strings_.append(text.c_str(), text.size() + 1);
    return at;
  }

  std::string finish(std::string symbols) {
    Elf64_Shdr& table = add(".symtab", SHT_SYMTAB, 0, 0, symbols);
    table.sh_link = static_cast<uint32_t>(headers_.size());  // the strings, next
    table.sh_info = 1;                                       // all but the null symbol are global
    table.sh_entsize = sizeof(Elf64_Sym);
    const uint32_t name = add_string(".strtab");
    add("", SHT_STRTAB, 0, 0, strings_).sh_name = name;
    file_.resize((file_.size() + 7) / 8 * 8);
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_EXEC;  // addresses are final
    header.e_machine = kMachine;
    header.e_version = EV_CURRENT;
    header.e_shoff = file_.size();
    header.e_ehsize = sizeof header;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<uint16_t>(headers_.size());
    header.e_shstrndx = static_cast<uint16_t>(headers_.size() - 1);
    std::memcpy(file_.data(), &header, sizeof header);
    file_.append(reinterpret_cast<const char*>(headers_.data()), headers_.size() * sizeof(Elf64_Shdr));
    return std::move(file_);
  }

 private:
  std::string file_, strings_ = std::string(1, '\0');
  std::vector<Elf64_Shdr> headers_;
};

}  // namespace

std::string debug_object(const LoadedUnit& unit) {
  ElfWriter elf;
  elf.add(".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, reinterpret_cast<uint64_t>(unit.text), "").sh_size =
      unit.text_bytes;
  for (const LoadedUnit::Section& section : unit.sections) {
    elf.add(section.name, SHT_PROGBITS, section.address ? SHF_ALLOC : 0, section.address, section.bytes);
  }
  std::string symbols(sizeof(Elf64_Sym), '\0');
  for (const LoadedUnit::Function& function : unit.functions) {
    Elf64_Sym symbol{};
    symbol.st_name = elf.add_string(function.name);
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_shndx = kTextSection;
    symbol.st_value = reinterpret_cast<uint64_t>(function.address);
    symbol.st_size = function.bytes;
    symbols.append(reinterpret_cast<const char*>(&symbol), sizeof symbol);
  }
  return elf.finish(std::move(symbols));
}

}  // namespace berth::jit
