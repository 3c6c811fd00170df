// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/pre_check.hpp"

#include <fmt/format.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <array>

#include "jit/target_tools.hpp"
#include "support/mutant.hpp"

namespace berth::jit {
namespace {

constexpr size_t kMostLeaves = 1024;           // of a first-class aggregate: each becomes a value of its own
constexpr uint64_t kWidestVectorBits = 16384;  // split into registers beyond
constexpr size_t kLongestQuote = 200;

// clang-format off: a table of many short names, several to a line
constexpr auto kAllowedIntrinsics = [] {
  using enum llvm::Intrinsic::IndependentIntrinsics;
  auto ids = std::to_array<llvm::Intrinsic::ID>({
    abs, acos, annotation, asin, assume, atan, atan2, bitreverse, bswap, canonicalize, ceil,
    convert_from_fp16, convert_to_fp16, copysign, cos, cosh, ctlz, ctpop, cttz, dbg_assign, dbg_declare,
    dbg_label, dbg_value, debugtrap, donothing, eh_typeid_for, exp, exp10, exp2, expect,
    expect_with_probability, experimental_noalias_scope_decl, fabs, floor, fma, fmuladd, fptosi_sat,
    fptoui_sat, frameaddress, frexp, fshl, fshr, get_rounding, invariant_end, invariant_start,
    is_constant, is_fpclass, launder_invariant_group, ldexp, lifetime_end, lifetime_start, llrint,
    llround, load_relative, log, log10, log2, lrint, lround, masked_compressstore, masked_expandload,
    masked_gather, masked_load, masked_scatter, masked_store, maximum, maximumnum, maxnum, memcpy,
    memcpy_inline, memmove, memset, memset_inline, minimum, minimumnum, minnum, nearbyint, objectsize,
    pow, powi, prefetch, pseudoprobe, ptr_annotation, ptrmask, readcyclecounter, returnaddress, rint,
    round, roundeven, sadd_sat, sadd_with_overflow, scmp, sideeffect, sin, sinh, smax, smin,
    smul_with_overflow, sqrt, sshl_sat, ssub_sat, ssub_with_overflow, stackrestore, stacksave,
    strip_invariant_group, tan, tanh, threadlocal_address, trap, trunc, uadd_sat, uadd_with_overflow,
    ubsantrap, ucmp, umax, umin, umul_with_overflow, ushl_sat, usub_sat, usub_with_overflow, vacopy,
    vaend, var_annotation, vastart, vector_deinterleave2, vector_extract, vector_insert,
    vector_interleave2, vector_reduce_add, vector_reduce_and, vector_reduce_fadd, vector_reduce_fmax,
    vector_reduce_fmaximum, vector_reduce_fmin, vector_reduce_fminimum, vector_reduce_fmul,
    vector_reduce_mul, vector_reduce_or, vector_reduce_smax, vector_reduce_smin, vector_reduce_umax,
    vector_reduce_umin, vector_reduce_xor, vector_reverse});
  std::ranges::sort(ids);
  return ids;
}();
// clang-format on

bool is_allowed_intrinsic(llvm::Intrinsic::ID id) {
  return std::ranges::binary_search(kAllowedIntrinsics, id);
}

// Why this one of the allowed intrinsics cannot be compiled, or null: for some types LLVM 22 has neither an
// instruction nor a library call.
const char* intrinsic_fault(const llvm::Function& function) {
  const llvm::Type* const result = function.getReturnType()->getScalarType();
  switch (function.getIntrinsicID()) {
    case llvm::Intrinsic::fptosi_sat:
    case llvm::Intrinsic::fptoui_sat:
      return result->isIntegerTy() && result->getIntegerBitWidth() > 128 ? "its result is wider than 128 bits"
                                                                         : nullptr;
    case llvm::Intrinsic::maximum:
    case llvm::Intrinsic::minimum:
    case llvm::Intrinsic::vector_reduce_fmaximum:
    case llvm::Intrinsic::vector_reduce_fminimum:
      return result->isX86_FP80Ty() || result->isFP128Ty() ? "it is not for floats of more than 64 bits"
                                                           : nullptr;
    default: return nullptr;
  }
}

bool is_allowed_convention(llvm::CallingConv::ID convention) {
  switch (convention) {
    case llvm::CallingConv::C:
    case llvm::CallingConv::Fast:
    case llvm::CallingConv::Cold:
    case llvm::CallingConv::PreserveMost:
    case llvm::CallingConv::PreserveAll:
    case llvm::CallingConv::Tail:
    case llvm::CallingConv::X86_64_SysV: return true;
    default: return false;
  }
}

constexpr llvm::StringLiteral kPersonalities[] = {"__gxx_personality_v0", "__gcc_personality_v0"};
constexpr llvm::StringLiteral kReservedSections[] = {".init_array", ".fini_array", ".preinit_array", ".ctors",
                                                     ".dtors",      ".eh_frame",   ".init",          ".fini",
                                                     ".tdata",      ".tbss"};
// Off, these leave no way to pass or return a value; LLVM ends the process.
constexpr llvm::StringLiteral kBaseFeatures[] = {"64bit", "64bit-mode", "cmov", "cx8", "fxsr",
                                                 "mmx",   "sse",        "sse2", "x87"};

class PreCheck {
 public:
  PreCheck(const llvm::Module& module, const HostTarget& host) : module_(module), host_(host) {}

  Result<void> run(std::string_view entry, bool typed) {
    BERTH_TRYV(check_target());
    BERTH_TRYV(check_entry(entry, typed));
    BERTH_TRYV(check_globals());
    for (const llvm::Function& function : module_) BERTH_TRYV(check_function(function));
    return success();
  }

 private:
  static Error refuse(berth_code_t code, std::string found, std::string_view advice) {
    return make_error(code, "", found, advice);
  }

  static std::string quote(const llvm::Instruction& instruction) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    instruction.print(stream);
    const size_t first = text.find_first_not_of(' ');
    return text.substr(first == std::string::npos ? 0 : first, kLongestQuote);
  }
  static Error refuse(berth_code_t code, const llvm::Instruction& at, std::string_view reason,
                      std::string_view advice) {
    return refuse(code,
                  fmt::format("function '{}', instruction '{}': {}", at.getFunction()->getName().str(),
                              quote(at), reason),
                  advice);
  }

  Result<void> check_target() {
    const llvm::Triple& triple = module_.getTargetTriple();
    const llvm::Triple& ours = host_.triple;
    if (!triple.str().empty() && (triple.getArch() != ours.getArch() || triple.getOS() != ours.getOS() ||
                                  triple.getEnvironment() != ours.getEnvironment())) {
      return refuse(
          BERTH_UNSUPPORTED,
          fmt::format("the module is for '{}', the engine compiles for '{}'", triple.str(), ours.str()),
          "leave the triple out, or generate for this host");
    }
    const std::string& layout = module_.getDataLayoutStr();
    if (!layout.empty() && layout != host_.layout) {
      return refuse(
          BERTH_UNSUPPORTED,
          fmt::format("the module's data layout '{}' is not the engine's '{}'", layout, host_.layout),
          "leave the data layout out, or generate for this host");
    }
    return success();
  }

  Result<void> check_entry(std::string_view entry, bool typed) {
    const llvm::GlobalValue* const value = module_.getNamedValue(llvm::StringRef(entry.data(), entry.size()));
    const auto* const function = llvm::dyn_cast_or_null<llvm::Function>(value);
    if (!function || function->isDeclaration()) {
      return refuse(BERTH_COMPILE_FAILED,
                    fmt::format("the entry symbol '{}' is not a function the source defines", entry),
                    "define it, or name another entry");
    }
    if (function->hasAvailableExternallyLinkage()) {
      return refuse(BERTH_COMPILE_FAILED,
                    fmt::format("the entry '{}' is available_externally: it gives no code", entry),
                    "make it external");
    }
    const llvm::CallingConv::ID convention = function->getCallingConv();
    if (!typed && convention != llvm::CallingConv::C && convention != llvm::CallingConv::X86_64_SysV) {
      return refuse(BERTH_UNSUPPORTED,
                    fmt::format("the entry '{}' has calling convention {}", entry, convention),
                    "give the entry the C convention: it is called through a C function pointer");
    }
    return success();
  }

  Result<void> check_globals() {
    if (!module_.ifunc_empty()) {
      return refuse(BERTH_UNSUPPORTED,
                    fmt::format("'{}' is an ifunc", module_.ifuncs().begin()->getName().str()),
                    "call the function itself");
    }
    for (const llvm::GlobalVariable& global : module_.globals()) BERTH_TRYV(check_global(global));
    return success();
  }

  Result<void> check_global(const llvm::GlobalVariable& global) {
    const std::string name = global.getName().str();
    if (name == "llvm.global_ctors" || name == "llvm.global_dtors") {
      const llvm::Constant* const list = global.hasInitializer() ? global.getInitializer() : nullptr;
      if (!list || list->isNullValue() || list->getNumOperands() == 0) return success();
      return refuse(BERTH_UNSUPPORTED,
                    fmt::format("the source has static constructors or destructors ({})", name),
                    "do that work in a function and call it");
    }
    if (global.isThreadLocal() && global.isDeclaration()) {
      return refuse(BERTH_UNSUPPORTED, fmt::format("'{}' is a thread-local variable of the host", name),
                    "reach it through a function");
    }
    if (global.getAddressSpace() != 0) {
      return refuse(BERTH_UNSUPPORTED,
                    fmt::format("global '{}' is in address space {}", name, global.getAddressSpace()),
                    "use address space 0");
    }
    BERTH_TRYV(check_section(global.getSection(), name));
    if (const char* const reason = type_fault(*global.getValueType())) {
      return refuse(BERTH_UNSUPPORTED, fmt::format("global '{}': {}", name, reason),
                    "use a type the host has");
    }
    return success();
  }

  static Result<void> check_section(llvm::StringRef section, const std::string& name) {
    for (const llvm::StringRef reserved : kReservedSections) {
      if (section.starts_with(reserved)) {
        return refuse(BERTH_UNSUPPORTED, fmt::format("'{}' is in section '{}'", name, section.str()),
                      "leave the section out");
      }
    }
    return success();
  }

  Result<void> check_function(const llvm::Function& function) {
    const std::string name = function.getName().str();
    const auto fault = [&](std::string_view reason, std::string_view advice) {
      return refuse(BERTH_UNSUPPORTED, fmt::format("function '{}': {}", name, reason), advice);
    };
    if (function.isIntrinsic()) {
      if (function.use_empty()) return success();
      const char* reason = "it is not an intrinsic the host back end compiles";
      if (is_allowed_intrinsic(function.getIntrinsicID()))
        reason = mutant::is_on("J53_drop_an_item") ? nullptr : intrinsic_fault(function);
      if (!reason) return success();
      constexpr const char* kAdvice = "use an intrinsic that does not depend on a target, or another type";
      for (const llvm::User* user : function.users()) {
        if (const auto* at = llvm::dyn_cast<llvm::Instruction>(user)) {
          return refuse(BERTH_UNSUPPORTED, *at, fmt::format("intrinsic '{}': {}", name, reason), kAdvice);
        }
      }
      return fault(reason, kAdvice);
    }
    if (name.starts_with("llvm.")) return fault("there is no such intrinsic", "correct the name");
    if (!is_allowed_convention(function.getCallingConv())) {
      return fault(fmt::format("calling convention {} is not one of this host", function.getCallingConv()),
                   "use the C or fast convention");
    }
    if (function.hasGC())
      return fault(fmt::format("gc \"{}\" names no collector strategy of this host", function.getGC()),
                   "remove it");
    if (const char* const reason = type_fault(*function.getFunctionType()))
      return fault(reason, "use types the host has");
    BERTH_TRYV(check_section(function.getSection(), name));
    BERTH_TRYV(check_target_attributes(function));
    if (function.hasPersonalityFn() && !is_allowed_personality(*function.getPersonalityFn())) {
      return fault("its personality is unknown to the host", "use __gxx_personality_v0");
    }
    for (const llvm::Instruction& instruction : llvm::instructions(function))
      BERTH_TRYV(check_instruction(instruction));
    return success();
  }

  static bool is_allowed_personality(const llvm::Constant& personality) {
    const llvm::StringRef name = personality.stripPointerCasts()->getName();
    return std::find(std::begin(kPersonalities), std::end(kPersonalities), name) != std::end(kPersonalities);
  }

  Result<void> check_target_attributes(const llvm::Function& function) {
    const std::string name = function.getName().str();
    const llvm::StringRef cpu = function.getFnAttribute("target-cpu").getValueAsString();
    if (!cpu.empty() && !host_.subtarget->isCPUStringValid(cpu)) {
      return refuse(BERTH_UNSUPPORTED, fmt::format("function '{}': unknown target-cpu '{}'", name, cpu.str()),
                    "leave target-cpu out");
    }
    const llvm::Attribute list = function.getFnAttribute("target-features");
    if (!list.isValid() || !checked_features_.insert(list.getRawPointer()).second) return success();
    llvm::SmallVector<llvm::StringRef, 16> features;
    list.getValueAsString().split(features, ',', -1, false);
    for (const llvm::StringRef feature : features) {
      if (const char* const reason = feature_fault(feature)) {
        return refuse(BERTH_UNSUPPORTED,
                      fmt::format("function '{}': target feature '{}' {}", name, feature.str(), reason),
                      "leave target-features out: the engine knows the host");
      }
    }
    return success();
  }

  const char* feature_fault(llvm::StringRef feature) {
    const bool on = feature.starts_with("+");
    if (!on && !feature.starts_with("-")) return "has no + or -";
    const llvm::StringRef name = feature.drop_front();
    const auto all = host_.subtarget->getAllProcessorFeatures();
    const bool known =
        std::any_of(all.begin(), all.end(), [&](const auto& entry) { return name == entry.Key; });
    if (!known) return "is unknown";
    const bool base =
        std::find(std::begin(kBaseFeatures), std::end(kBaseFeatures), name) != std::end(kBaseFeatures);
    if (!on) return base ? "cannot be switched off on this host" : nullptr;
    return base || host_.feature_map.count(name) ? nullptr : "is not one of this host's CPU";
  }

  Result<void> check_instruction(const llvm::Instruction& instruction) {
    const auto fault = [&](std::string_view reason, std::string_view advice) {
      return refuse(BERTH_UNSUPPORTED, instruction, reason, advice);
    };
    if (const char* const reason = value_fault(*instruction.getType()))
      return fault(reason, "use a type the host has");
    for (const llvm::Use& operand : instruction.operands()) {
      if (const char* const reason = value_fault(*operand->getType()))
        return fault(reason, "use a type the host has");
    }
    if (const auto* allocation = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
      if (const char* const reason = type_fault(*allocation->getAllocatedType()))
        return fault(reason, "use a type the host has");
    }
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      if (!is_allowed_convention(call->getCallingConv()))
        return fault("its calling convention is not one of this host", "use the C convention");
      const bool prefetches = call->getIntrinsicID() == llvm::Intrinsic::prefetch;
      const auto* const cache =
          prefetches ? llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(3)) : nullptr;
      if (cache && !cache->isOne()) {
        return fault("this host prefetches data, not instructions", "give the cache type 1");
      }
      if (call->hasInAllocaArgument()) return fault("inalloca arguments are not of this host", "pass byval");
      if (llvm::isa<llvm::CallBrInst>(call))
        return fault("callbr is not supported", "use a call and a branch");
    }
    if (llvm::isa<llvm::CatchSwitchInst, llvm::CatchPadInst, llvm::CleanupPadInst>(instruction)) {
      return fault("funclet exception handling is not of this host", "use landingpad");
    }
    return check_atomic(instruction);
  }

  Result<void> check_atomic(const llvm::Instruction& instruction) {
    const auto fault = [&](std::string_view reason, std::string_view advice) {
      return refuse(BERTH_UNSUPPORTED, instruction, reason, advice);
    };
    if (!instruction.isAtomic()) return success();
    const auto scope = llvm::getAtomicSyncScopeID(&instruction);
    if (scope && *scope != llvm::SyncScope::System && *scope != llvm::SyncScope::SingleThread) {
      return fault("its synchronisation scope is unknown to this host", "leave the scope out");
    }
    const llvm::Type* type = nullptr;
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) type = load->getType();
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
      type = store->getValueOperand()->getType();
    if (const auto* modify = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
      type = modify->getValOperand()->getType();
    if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
      type = exchange->getNewValOperand()->getType();
    if (!type) return success();
    const uint64_t bytes =
        module_.getDataLayout().getTypeStoreSize(const_cast<llvm::Type*>(type)).getKnownMinValue();
    if (bytes > 8) return fault("atomic accesses are at most 8 bytes wide", "guard it with a lock");
    if (alignment_of(instruction).value() < bytes)
      return fault("its alignment is less than its size", "align what is accessed atomically");
    return success();
  }

  static llvm::Align alignment_of(const llvm::Instruction& atomic) {
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&atomic)) return load->getAlign();
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&atomic)) return store->getAlign();
    if (const auto* modify = llvm::dyn_cast<llvm::AtomicRMWInst>(&atomic)) return modify->getAlign();
    return llvm::cast<llvm::AtomicCmpXchgInst>(atomic).getAlign();
  }

  // Why no value of the type can be compiled, or null. A first-class aggregate is as many values as it has
  // leaves.
  const char* value_fault(llvm::Type& type) {
    if (const char* const reason = type_fault(type)) return reason;
    return type.isAggregateType() && leaves(type) > kMostLeaves
               ? "an aggregate value of over 1,024 parts (keep it in memory)"
               : nullptr;
  }

  static size_t leaves(llvm::Type& type) {
    if (auto* array = llvm::dyn_cast<llvm::ArrayType>(&type)) {
      const uint64_t n = std::min<uint64_t>(array->getNumElements(), kMostLeaves + 1);
      return n * std::min(leaves(*array->getElementType()), kMostLeaves + 1);
    }
    auto* const structure = llvm::dyn_cast<llvm::StructType>(&type);
    if (!structure) return 1;
    size_t sum = 0;
    for (llvm::Type* element : structure->elements()) {
      sum += leaves(*element);
      if (sum > kMostLeaves) break;
    }
    return sum;
  }

  const char* type_fault(llvm::Type& type, unsigned depth = 0) {
    if (depth > kDeepestNesting) return "a type nested deeper than 256";
    if (const auto seen = types_.find(&type); seen != types_.end()) return seen->second;
    const char* reason = own_type_fault(type);
    for (auto element = type.subtype_begin(); !reason && element != type.subtype_end(); ++element)
      reason = type_fault(**element, depth + 1);
    types_[&type] = reason;
    return reason;
  }

  static const char* own_type_fault(llvm::Type& type) {
    if (type.isIntegerTy() && type.getIntegerBitWidth() > kWidestInteger)
      return "an integer wider than 1,024 bits";
    if (llvm::isa<llvm::ScalableVectorType>(type)) return "a scalable vector: this host has none";
    if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(&type)) {
      const uint64_t element =
          std::max<uint64_t>(1, vector->getElementType()->getPrimitiveSizeInBits().getFixedValue());
      if (vector->getNumElements() > kWidestVectorBits ||
          vector->getNumElements() * element > kWidestVectorBits) {
        return "a vector wider than 16,384 bits";
      }
    }
    if (type.isPointerTy() && type.getPointerAddressSpace() != 0)
      return "a pointer to another address space than 0";
    if (type.isX86_AMXTy() || type.isTargetExtTy()) return "a type of a target's own";
    if (type.isPPC_FP128Ty()) return "a type of another target";
    return nullptr;
  }

  const llvm::Module& module_;
  const HostTarget& host_;
  llvm::DenseSet<void*> checked_features_;  // attributes; most functions of a module have the same
  llvm::DenseMap<const llvm::Type*, const char*> types_;
};

}  // namespace

namespace {

// Of the characters that are looked at: most of a text are none of them.
enum class Character : uint8_t { Plain, Line, Quote, Comment, Open, Close };
constexpr std::array<Character, 256> kCharacters = [] {
  std::array<Character, 256> kinds{};
  kinds['\n'] = Character::Line;
  kinds['"'] = Character::Quote;
  kinds[';'] = Character::Comment;
  for (const char open : {'(', '[', '{', '<'}) kinds[static_cast<size_t>(open)] = Character::Open;
  for (const char close : {')', ']', '}', '>'}) kinds[static_cast<size_t>(close)] = Character::Close;
  return kinds;
}();

}  // namespace

Result<void> check_text(std::string_view text) {
  unsigned depth = 0;
  bool quoted = false, comment = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const Character kind = kCharacters[static_cast<unsigned char>(text[i])];
    if (kind == Character::Plain) continue;
    if (kind == Character::Line) {
      comment = false;
    } else if (comment) {
      continue;
    } else if (kind == Character::Quote) {
      quoted = !quoted;
    } else if (quoted) {
      continue;
    } else if (kind == Character::Comment) {
      comment = true;
    } else if (kind == Character::Close) {
      depth -= depth > 0;
    } else if (++depth > kDeepestNesting) {
      const std::string_view before = text.substr(0, i);
      const size_t line_start = before.rfind('\n') + 1;  // 0 if there is none before
      return make_error(
          BERTH_COMPILE_FAILED, "",
          fmt::format("{}:{}: nested deeper than {}", std::count(before.begin(), before.end(), '\n') + 1,
                      i - line_start + 1, kDeepestNesting),
          "flatten the type or expression");
    }
  }
  return success();
}

Result<void> check_module(const llvm::Module& module, std::string_view entry, const HostTarget& host,
                          bool typed) {
  return PreCheck(module, host).run(entry, typed);
}

}  // namespace berth::jit
