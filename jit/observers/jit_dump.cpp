// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/observers/jit_dump.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Support/MemoryBuffer.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <map>

#include "jit/observers/unwind_records.hpp"

namespace berth::jit {
namespace {

#if defined(__aarch64__)
constexpr uint32_t kMachine = EM_AARCH64;
#else
constexpr uint32_t kMachine = EM_X86_64;
#endif
constexpr uint32_t kMagic = 0x4A695444, kVersion = 1;
enum Record : uint32_t { kCodeLoad = 0, kDebugInfo = 2, kUnwindInfo = 4 };

uint64_t now_ns() {  // the clock of `perf record -k CLOCK_MONOTONIC`
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

template <class T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}
void put_text(std::string& out, const std::string& text) { out.append(text.c_str(), text.size() + 1); }

std::string record(Record kind, const std::string& body) {
  std::string out;
  const size_t bytes = 16 + body.size(), padded = (bytes + 7) / 8 * 8;
  put(out, static_cast<uint32_t>(kind));
  put(out, static_cast<uint32_t>(padded));
  put(out, now_ns());
  out += body;
  out.resize(padded, '\0');
  return out;
}

Error failed(const std::string& path) {
  return make_error(BERTH_INVALID_ARGUMENT, fmt::format("writing '{}' for perf", path), std::strerror(errno),
                    "give a folder that can be written in $JITDUMPDIR");
}

/// The unit's lines; null if it has no debug information.
class Lines {
 public:
  explicit Lines(const LoadedUnit& unit) {
    if (!unit.section(".debug_line")) return;
    for (const LoadedUnit::Section& section : unit.sections) {
      if (section.address == 0)
        sections_[section.name.substr(1)] =
            llvm::MemoryBuffer::getMemBuffer(section.bytes, section.name, false);
    }
    const auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
    context_ = llvm::DWARFContext::create(sections_, sizeof(void*), true, ignore, ignore);
  }
  std::string record_of(const LoadedUnit::Function& function) {
    if (!context_) return {};
    const auto start = reinterpret_cast<uint64_t>(function.address);
    const auto table = context_->getLineInfoForAddressRange(
        {start, llvm::object::SectionedAddress::UndefSection}, function.bytes,
        {llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath});
    std::string lines;
    for (const auto& [address, line] : table) {
      put(lines, address);
      put(lines, line.Line);
      put(lines, line.Column);
      put_text(lines, line.FileName);
    }
    if (lines.empty()) return {};
    std::string body;
    put(body, start);
    put(body, static_cast<uint64_t>(table.size()));
    return record(kDebugInfo, body + lines);
  }

 private:
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> sections_;
  std::unique_ptr<llvm::DWARFContext> context_;
};

std::string unwind_record(const UnwindRecords& records) {
  std::string body;
  put(body, static_cast<uint64_t>(records.bytes.size()));
  put(body, static_cast<uint64_t>(records.header_bytes));
  put(body, uint64_t{0});  // the records are in this file only
  return record(kUnwindInfo, body + records.bytes);
}

std::string code_record(const LoadedUnit::Function& function, uint64_t index) {
  std::string body;
  put(body, static_cast<uint32_t>(getpid()));
  put(body, static_cast<uint32_t>(gettid()));
  put(body, reinterpret_cast<uint64_t>(function.address));
  put(body, reinterpret_cast<uint64_t>(function.address));
  put(body, static_cast<uint64_t>(function.bytes));
  put(body, index);
  put_text(body, function.name);
  body.append(function.address, function.bytes);
  return record(kCodeLoad, body);
}

}  // namespace

Result<JitDump*> JitDump::of_process(const std::string& directory) {
  static sync::Mutex mutex{kRankProcessObservers};
  static auto* const dumps =
      new std::map<std::string, JitDump*>;  // stay open: engines may outlive static destructors
  sync::Lock lock(mutex);
  const std::string path =
      fmt::format("{}/jit-{}.dump", directory, getpid());  // a forked child has one of its own
  JitDump*& dump = (*dumps)[path];
  if (dump) return dump;
  const int file = open(path.c_str(), O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0644);
  if (file < 0) return failed(path);
  // perf finds the file by this mapping, which is executable so that it is recorded.
  if (mmap(nullptr, static_cast<size_t>(sysconf(_SC_PAGESIZE)), PROT_READ | PROT_EXEC, MAP_PRIVATE, file,
           0) == MAP_FAILED) {
    Error error = failed(path);
    close(file);
    return error;
  }
  std::string header;
  put(header, kMagic);
  put(header, kVersion);
  put(header, uint32_t{40});
  put(header, kMachine);
  put(header, uint32_t{0});
  put(header, static_cast<uint32_t>(getpid()));
  put(header, now_ns());
  put(header, uint64_t{0});
  if (::write(file, header.data(), header.size()) != static_cast<ssize_t>(header.size())) {
    Error error = failed(path);
    close(file);
    return error;
  }
  return dump = new JitDump(file);
}

Result<void> JitDump::write(const LoadedUnit& unit) {
  Lines lines(unit);
  const auto unwind = unwind_records(unit);
  sync::Lock lock(mutex_);
  std::string records;
  for (const LoadedUnit::Function& function : unit.functions) {
    records += lines.record_of(function);  // both before the code that they are of
    const auto found = unwind.find(reinterpret_cast<uint64_t>(function.address));
    if (found != unwind.end()) records += unwind_record(found->second);
    records += code_record(function, next_index_++);
  }
  return append(records);
}

Result<void> JitDump::append(const std::string& bytes) {
  const off_t whole = lseek(file_, 0, SEEK_CUR);
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t wrote = ::write(file_, bytes.data() + done, bytes.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) {
      const std::string found = std::strerror(errno);
      // Readers stop at half a record: it goes.
      if (ftruncate(file_, whole) == 0) lseek(file_, whole, SEEK_SET);
      return make_error(BERTH_RESOURCE_EXHAUSTED, "writing the jitdump", found,
                        "free disk space and turn the observer on again");
    }
    done += static_cast<size_t>(wrote);
  }
  return success();
}

}  // namespace berth::jit
