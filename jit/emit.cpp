// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// inference::emit_code: what a method or kernel becomes, as text.
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/OptBisect.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include "inference/inference.hpp"
#include "inference/program.hpp"
#include "jit/lowering/ptx.hpp"
#include "jit/target_tools.hpp"
#include "jit/typed_lowering.hpp"

namespace berth::jit {
namespace {

std::string text_of(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

Result<void> verify(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (llvm::verifyModule(module, &stream))
    return make_error(BERTH_INTERNAL, "emitting " + module.getModuleIdentifier(), text,
                      "report this as a defect of Berth");
  return success();
}

/// As the optimised tier compiles it.
Result<std::string> host_assembly(llvm::Module& module) {
  BERTH_TRY(auto host, HostTarget::detect());
  module.setTargetTriple(host.triple);
  module.setDataLayout(host.layout);
  BERTH_TRY(auto tools, TargetTools::make(host, BERTH_TIER_OPTIMIZED));
  tools->optimise(module, llvm::OptPassGate());
  llvm::SmallString<4096> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  if (tools->machine().addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return make_error(BERTH_UNSUPPORTED, "emitting assembly", "the host target has no assembly printer",
                      "emit form llvm");
  passes.run(module);
  return std::string(text.str());
}

Error unknown_form(const std::string& form, bool is_kernel) {
  return make_error(BERTH_UNSUPPORTED, "emitting form \"" + form + "\"",
                    is_kernel ? "not a form of kernels" : "not a form of methods",
                    is_kernel ? "use ir, llvm or ptx" : "use ir, typed-ir, llvm or asm");
}

Result<std::string> emit_kernel(inference::Program& program, const inference::Method& kernel,
                                std::span<const inference::Type* const> arguments, const std::string& form,
                                const std::string& cpu) {
  if (form != "llvm" && form != "ptx") return unknown_form(form, true);
  llvm::LLVMContext context;
  BERTH_TRY(auto module, lower_kernel(context, program, kernel, arguments));
  BERTH_TRYV(verify(*module));
  if (form == "llvm") return text_of(*module);
  return emit_ptx(*module, cpu);
}

Result<std::string> emit_method(gc::Thread& thread, inference::Program& program,
                                const inference::Method& method,
                                std::span<const inference::Type* const> arguments, const std::string& form,
                                const std::string& cpu) {
  if (form != "llvm" && form != "asm") return unknown_form(form, false);
  if (!cpu.empty())
    return make_error(BERTH_UNSUPPORTED, "emitting form \"" + form + "\"",
                      "target CPU " + cpu + " for host code",
                      "leave the target CPU out: host code is for this host");
  const inference::Specialisation* specialisation = program.specialise(method, arguments);
  BERTH_TRY(auto instance,
            inference::infer(thread, program, *specialisation, program.engine().world(), false));
  llvm::LLVMContext context;
  LoweredNames names;
  BERTH_TRY(auto module, lower_typed(context, inference::typed_method(*instance), {}, program,
                                     BERTH_TIER_OPTIMIZED, false, names));
  BERTH_TRYV(verify(*module));
  if (form == "llvm") return text_of(*module);
  return host_assembly(*module);
}

}  // namespace
}  // namespace berth::jit

namespace berth::inference {

Result<std::string> emit_code(gc::Thread& thread, Program& program, const Method& method,
                              std::span<const Type* const> arguments, const std::string& form,
                              const std::string& target_cpu) {
  if (method.is_kernel) return jit::emit_kernel(program, method, arguments, form, target_cpu);
  return jit::emit_method(thread, program, method, arguments, form, target_cpu);
}

}  // namespace berth::inference
