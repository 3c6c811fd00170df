// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/device/kernel.hpp"

#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/BLAKE3.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <map>

#include "jit/device/calling_thread.hpp"
#include "jit/device/device.hpp"
#include "jit/llvm_body.hpp"

namespace berth::jit {
namespace {

// One address per content for the life of the process: the engine's keys are addresses, and one that was
// freed and given to another content would find the wrong code. 32 bytes and a name per distinct kernel.
const void* content_identity(const std::string& hash) {
  static sync::Mutex& mutex = *new sync::Mutex{Rank{510, "kernel contents"}};
  static std::map<std::string, char>& contents = *new std::map<std::string, char>;
  sync::Lock lock(mutex);
  return &*contents.try_emplace(hash).first;
}

std::string hash_of(const LlvmBody& body, const std::string& entry, std::string_view place) {
  llvm::BLAKE3 hasher;
  const std::string head = fmt::format("berth kernel 1|{}|{}|{}|{}|", LLVM_VERSION_STRING,
                                       static_cast<int>(body.kind()), entry, place);
  hasher.update(llvm::StringRef(head));
  hasher.update(llvm::StringRef(body.bytes));
  const auto digest = hasher.final();
  return llvm::toHex(llvm::ArrayRef<uint8_t>(digest.data(), digest.size()));
}

struct Prepared {
  std::string bitcode;
  std::string entry;
  std::unique_ptr<KernelDescription> description;
};

Result<Prepared> prepare(const LlvmBody& body, const std::string& entry) {
  llvm::LLVMContext context;
  context.setDiagnosticHandlerCallBack([](const llvm::DiagnosticInfo*, void*) {});
  llvm::SMDiagnostic diagnostic;
  const auto buffer =
      llvm::MemoryBuffer::getMemBuffer(body.bytes, entry, body.kind() == engine::BodyKind::LlvmIr);
  const auto module = llvm::parseIR(*buffer, diagnostic, context);
  if (!module) {
    return make_error(BERTH_COMPILE_FAILED, fmt::format("kernel \"{}\"", entry),
                      fmt::format("{}:{}: {}", diagnostic.getLineNo(), diagnostic.getColumnNo() + 1,
                                  diagnostic.getMessage().str()),
                      "correct the source");
  }
  std::string problem;
  llvm::raw_string_ostream out(problem);
  if (llvm::verifyModule(*module, &out)) {
    return make_error(BERTH_COMPILE_FAILED, fmt::format("kernel \"{}\"", entry), problem,
                      "correct the source");
  }
  Prepared prepared;
  prepared.description = std::make_unique<KernelDescription>();
  BERTH_TRY(*prepared.description, check_kernel(*module, entry));
  BERTH_TRY(prepared.entry, split_for_host(*module, *prepared.description));
  if (llvm::verifyModule(*module, &out)) {
    return make_error(BERTH_INTERNAL, fmt::format("kernel \"{}\"", entry),
                      "the split kernel is not valid: " + problem, "report this as a defect of Berth");
  }
  llvm::raw_string_ostream bytes(prepared.bitcode);
  llvm::WriteBitcodeToFile(*module, bytes);
  bytes.flush();
  return prepared;
}

engine::SourcePtr source_of(Prepared prepared) {
  auto source = std::make_unique<engine::Source>();
  source->body = std::make_unique<LlvmBody>(engine::BodyKind::Bitcode, std::move(prepared.bitcode));
  source->entry_symbol = std::move(prepared.entry);
  source->tier = BERTH_TIER_OPTIMIZED;
  source->payload = prepared.description.release();
  source->drop_payload = [](void* payload) { delete static_cast<KernelDescription*>(payload); };
  return source;
}

// The instance of `method`; whoever reserves it makes its source with `work`.
template <class Work>
Result<engine::CodeInstanceRef> obtain(engine::Engine& engine, gc::Thread& thread, const void* method,
                                       const char* label, Work&& work) {
  engine::ReserveOptions options;
  options.label = label;
  BERTH_TRY(engine::Reservation reservation, engine.reserve(thread, {method, nullptr}, options));
  if (reservation.outcome == engine::Outcome::Published) return std::move(reservation.published);
  engine::CodeInstanceRef instance(reservation.lease.instance);
  Result<engine::SourcePtr> source = work();
  if (source.has_error()) {
    Error error = std::move(source).assume_error();
    BERTH_TRYV(engine.release_error(thread, reservation.lease, error.clone(), -1));
    return error;
  }
  BERTH_TRYV(engine.release(thread, reservation.lease, std::move(source).assume_value()));
  return instance;
}

}  // namespace

Kernel::~Kernel() {
  for (engine::CodeInstanceRef* reference : {&loaded_, &code_}) {
    if (*reference) engine::Engine::release_reference(reference->detach());
  }
}

Result<KernelRef> Kernel::make(Device& device, const engine::Source& source, const std::string& entry) {
  const auto* body = dynamic_cast<const LlvmBody*>(source.body.get());
  if (!body) {
    return make_error(BERTH_INVALID_ARGUMENT, "berth_kernel_new", "the source is neither LLVM IR nor bitcode",
                      "make it with berth_source_from_ir or berth_source_from_bitcode");
  }
  engine::Engine& engine = device.engine();
  BERTH_TRY(const CallingThread thread, CallingThread::of(engine));
  std::shared_ptr<Kernel> kernel(new Kernel);
  const void* const content = content_identity(hash_of(*body, entry, "host"));
  BERTH_TRY(kernel->code_,
            obtain(engine, *thread, content, entry.c_str(), [&]() -> Result<engine::SourcePtr> {
              Result<Prepared> prepared = make_error(BERTH_INTERNAL, "", "", "");
              gc::in_safe(*thread, [&] { prepared = prepare(*body, entry); });
              BERTH_TRY(Prepared ready, std::move(prepared));
              return source_of(std::move(ready));
            }));
  BERTH_TRY(void* code_entry, engine.wait_entry(*thread, *kernel->code_, Deadline::never()));
  const void* const loaded = content_identity(hash_of(*body, entry, fmt::format("device {}", device.id())));
  BERTH_TRY(kernel->loaded_,
            obtain(engine, *thread, loaded, entry.c_str(), [&]() -> Result<engine::SourcePtr> {
              auto native = std::make_unique<engine::Source>();
              native->body = std::make_unique<engine::NativeBody>(code_entry);
              native->edges.push_back({kernel->code_, ""});
              return native;
            }));
  kernel->description_ = static_cast<const KernelDescription*>(engine::instance_payload(*kernel->code_));
  kernel->entry_ = reinterpret_cast<KernelEntry>(code_entry);
  kernel->device_ = device.id();
  return KernelRef(std::move(kernel));
}

}  // namespace berth::jit
