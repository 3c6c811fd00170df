// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/runtime_library.hpp"

#include <algorithm>
#include <iterator>

// Declared by name only: their addresses are all that is needed, and several have no header.
namespace berth::jit::names {
extern "C" char berth_rt_name__Unwind_Resume __asm__("_Unwind_Resume");
extern "C" char berth_rt_name___ashlti3 __asm__("__ashlti3");
extern "C" char berth_rt_name___ashrti3 __asm__("__ashrti3");
extern "C" char berth_rt_name___cxa_allocate_exception __asm__("__cxa_allocate_exception");
extern "C" char berth_rt_name___cxa_begin_catch __asm__("__cxa_begin_catch");
extern "C" char berth_rt_name___cxa_end_catch __asm__("__cxa_end_catch");
extern "C" char berth_rt_name___cxa_free_exception __asm__("__cxa_free_exception");
extern "C" char berth_rt_name___cxa_rethrow __asm__("__cxa_rethrow");
extern "C" char berth_rt_name___cxa_throw __asm__("__cxa_throw");
extern "C" char berth_rt_name___divti3 __asm__("__divti3");
extern "C" char berth_rt_name___emutls_get_address __asm__("__emutls_get_address");
extern "C" char berth_rt_name___extendhfsf2 __asm__("__extendhfsf2");
extern "C" char berth_rt_name___fixdfti __asm__("__fixdfti");
extern "C" char berth_rt_name___fixsfti __asm__("__fixsfti");
extern "C" char berth_rt_name___fixunsdfti __asm__("__fixunsdfti");
extern "C" char berth_rt_name___fixunssfti __asm__("__fixunssfti");
extern "C" char berth_rt_name___floattidf __asm__("__floattidf");
extern "C" char berth_rt_name___floattisf __asm__("__floattisf");
extern "C" char berth_rt_name___floatuntidf __asm__("__floatuntidf");
extern "C" char berth_rt_name___floatuntisf __asm__("__floatuntisf");
extern "C" char berth_rt_name___gcc_personality_v0 __asm__("__gcc_personality_v0");
extern "C" char berth_rt_name___gxx_personality_v0 __asm__("__gxx_personality_v0");
extern "C" char berth_rt_name___lshrti3 __asm__("__lshrti3");
extern "C" char berth_rt_name___modti3 __asm__("__modti3");
extern "C" char berth_rt_name___multi3 __asm__("__multi3");
extern "C" char berth_rt_name___powidf2 __asm__("__powidf2");
extern "C" char berth_rt_name___powisf2 __asm__("__powisf2");
extern "C" char berth_rt_name___stack_chk_fail __asm__("__stack_chk_fail");
extern "C" char berth_rt_name___truncdfhf2 __asm__("__truncdfhf2");
extern "C" char berth_rt_name___truncsfhf2 __asm__("__truncsfhf2");
extern "C" char berth_rt_name___udivti3 __asm__("__udivti3");
extern "C" char berth_rt_name___umodti3 __asm__("__umodti3");
extern "C" char berth_rt_name_acos __asm__("acos");
extern "C" char berth_rt_name_acosf __asm__("acosf");
extern "C" char berth_rt_name_acosh __asm__("acosh");
extern "C" char berth_rt_name_acoshf __asm__("acoshf");
extern "C" char berth_rt_name_asin __asm__("asin");
extern "C" char berth_rt_name_asinf __asm__("asinf");
extern "C" char berth_rt_name_asinh __asm__("asinh");
extern "C" char berth_rt_name_asinhf __asm__("asinhf");
extern "C" char berth_rt_name_atan __asm__("atan");
extern "C" char berth_rt_name_atan2 __asm__("atan2");
extern "C" char berth_rt_name_atan2f __asm__("atan2f");
extern "C" char berth_rt_name_atanf __asm__("atanf");
extern "C" char berth_rt_name_atanh __asm__("atanh");
extern "C" char berth_rt_name_atanhf __asm__("atanhf");
extern "C" char berth_rt_name_bcmp __asm__("bcmp");
extern "C" char berth_rt_name_cbrt __asm__("cbrt");
extern "C" char berth_rt_name_cbrtf __asm__("cbrtf");
extern "C" char berth_rt_name_ceil __asm__("ceil");
extern "C" char berth_rt_name_ceilf __asm__("ceilf");
extern "C" char berth_rt_name_copysign __asm__("copysign");
extern "C" char berth_rt_name_copysignf __asm__("copysignf");
extern "C" char berth_rt_name_cos __asm__("cos");
extern "C" char berth_rt_name_cosf __asm__("cosf");
extern "C" char berth_rt_name_cosh __asm__("cosh");
extern "C" char berth_rt_name_coshf __asm__("coshf");
extern "C" char berth_rt_name_exp __asm__("exp");
extern "C" char berth_rt_name_exp10 __asm__("exp10");
extern "C" char berth_rt_name_exp10f __asm__("exp10f");
extern "C" char berth_rt_name_exp2 __asm__("exp2");
extern "C" char berth_rt_name_exp2f __asm__("exp2f");
extern "C" char berth_rt_name_expf __asm__("expf");
extern "C" char berth_rt_name_expm1 __asm__("expm1");
extern "C" char berth_rt_name_expm1f __asm__("expm1f");
extern "C" char berth_rt_name_fabs __asm__("fabs");
extern "C" char berth_rt_name_fabsf __asm__("fabsf");
extern "C" char berth_rt_name_fdim __asm__("fdim");
extern "C" char berth_rt_name_fdimf __asm__("fdimf");
extern "C" char berth_rt_name_floor __asm__("floor");
extern "C" char berth_rt_name_floorf __asm__("floorf");
extern "C" char berth_rt_name_fma __asm__("fma");
extern "C" char berth_rt_name_fmaf __asm__("fmaf");
extern "C" char berth_rt_name_fmax __asm__("fmax");
extern "C" char berth_rt_name_fmaxf __asm__("fmaxf");
extern "C" char berth_rt_name_fmin __asm__("fmin");
extern "C" char berth_rt_name_fminf __asm__("fminf");
extern "C" char berth_rt_name_fmod __asm__("fmod");
extern "C" char berth_rt_name_fmodf __asm__("fmodf");
extern "C" char berth_rt_name_frexp __asm__("frexp");
extern "C" char berth_rt_name_frexpf __asm__("frexpf");
extern "C" char berth_rt_name_hypot __asm__("hypot");
extern "C" char berth_rt_name_hypotf __asm__("hypotf");
extern "C" char berth_rt_name_ldexp __asm__("ldexp");
extern "C" char berth_rt_name_ldexpf __asm__("ldexpf");
extern "C" char berth_rt_name_llrint __asm__("llrint");
extern "C" char berth_rt_name_llrintf __asm__("llrintf");
extern "C" char berth_rt_name_llround __asm__("llround");
extern "C" char berth_rt_name_llroundf __asm__("llroundf");
extern "C" char berth_rt_name_log __asm__("log");
extern "C" char berth_rt_name_log10 __asm__("log10");
extern "C" char berth_rt_name_log10f __asm__("log10f");
extern "C" char berth_rt_name_log1p __asm__("log1p");
extern "C" char berth_rt_name_log1pf __asm__("log1pf");
extern "C" char berth_rt_name_log2 __asm__("log2");
extern "C" char berth_rt_name_log2f __asm__("log2f");
extern "C" char berth_rt_name_logf __asm__("logf");
extern "C" char berth_rt_name_lrint __asm__("lrint");
extern "C" char berth_rt_name_lrintf __asm__("lrintf");
extern "C" char berth_rt_name_lround __asm__("lround");
extern "C" char berth_rt_name_lroundf __asm__("lroundf");
extern "C" char berth_rt_name_memcmp __asm__("memcmp");
extern "C" char berth_rt_name_memcpy __asm__("memcpy");
extern "C" char berth_rt_name_memmove __asm__("memmove");
extern "C" char berth_rt_name_memset __asm__("memset");
extern "C" char berth_rt_name_modf __asm__("modf");
extern "C" char berth_rt_name_modff __asm__("modff");
extern "C" char berth_rt_name_nearbyint __asm__("nearbyint");
extern "C" char berth_rt_name_nearbyintf __asm__("nearbyintf");
extern "C" char berth_rt_name_pow __asm__("pow");
extern "C" char berth_rt_name_powf __asm__("powf");
extern "C" char berth_rt_name_remainder __asm__("remainder");
extern "C" char berth_rt_name_remainderf __asm__("remainderf");
extern "C" char berth_rt_name_rint __asm__("rint");
extern "C" char berth_rt_name_rintf __asm__("rintf");
extern "C" char berth_rt_name_round __asm__("round");
extern "C" char berth_rt_name_roundeven __asm__("roundeven");
extern "C" char berth_rt_name_roundevenf __asm__("roundevenf");
extern "C" char berth_rt_name_roundf __asm__("roundf");
extern "C" char berth_rt_name_sin __asm__("sin");
extern "C" char berth_rt_name_sincos __asm__("sincos");
extern "C" char berth_rt_name_sincosf __asm__("sincosf");
extern "C" char berth_rt_name_sinf __asm__("sinf");
extern "C" char berth_rt_name_sinh __asm__("sinh");
extern "C" char berth_rt_name_sinhf __asm__("sinhf");
extern "C" char berth_rt_name_sqrt __asm__("sqrt");
extern "C" char berth_rt_name_sqrtf __asm__("sqrtf");
extern "C" char berth_rt_name_strlen __asm__("strlen");
extern "C" char berth_rt_name_tan __asm__("tan");
extern "C" char berth_rt_name_tanf __asm__("tanf");
extern "C" char berth_rt_name_tanh __asm__("tanh");
extern "C" char berth_rt_name_tanhf __asm__("tanhf");
extern "C" char berth_rt_name_trunc __asm__("trunc");
extern "C" char berth_rt_name_truncf __asm__("truncf");
}  // namespace berth::jit::names

namespace berth::jit {
namespace {

struct Entry {
  std::string_view name;
  void* address;
};
const Entry kEntries[] = {  // sorted by name
    {"_Unwind_Resume", &names::berth_rt_name__Unwind_Resume},
    {"__ashlti3", &names::berth_rt_name___ashlti3},
    {"__ashrti3", &names::berth_rt_name___ashrti3},
    {"__cxa_allocate_exception", &names::berth_rt_name___cxa_allocate_exception},
    {"__cxa_begin_catch", &names::berth_rt_name___cxa_begin_catch},
    {"__cxa_end_catch", &names::berth_rt_name___cxa_end_catch},
    {"__cxa_free_exception", &names::berth_rt_name___cxa_free_exception},
    {"__cxa_rethrow", &names::berth_rt_name___cxa_rethrow},
    {"__cxa_throw", &names::berth_rt_name___cxa_throw},
    {"__divti3", &names::berth_rt_name___divti3},
    {"__emutls_get_address", &names::berth_rt_name___emutls_get_address},
    {"__extendhfsf2", &names::berth_rt_name___extendhfsf2},
    {"__fixdfti", &names::berth_rt_name___fixdfti},
    {"__fixsfti", &names::berth_rt_name___fixsfti},
    {"__fixunsdfti", &names::berth_rt_name___fixunsdfti},
    {"__fixunssfti", &names::berth_rt_name___fixunssfti},
    {"__floattidf", &names::berth_rt_name___floattidf},
    {"__floattisf", &names::berth_rt_name___floattisf},
    {"__floatuntidf", &names::berth_rt_name___floatuntidf},
    {"__floatuntisf", &names::berth_rt_name___floatuntisf},
    {"__gcc_personality_v0", &names::berth_rt_name___gcc_personality_v0},
    {"__gxx_personality_v0", &names::berth_rt_name___gxx_personality_v0},
    {"__lshrti3", &names::berth_rt_name___lshrti3},
    {"__modti3", &names::berth_rt_name___modti3},
    {"__multi3", &names::berth_rt_name___multi3},
    {"__powidf2", &names::berth_rt_name___powidf2},
    {"__powisf2", &names::berth_rt_name___powisf2},
    {"__stack_chk_fail", &names::berth_rt_name___stack_chk_fail},
    {"__truncdfhf2", &names::berth_rt_name___truncdfhf2},
    {"__truncsfhf2", &names::berth_rt_name___truncsfhf2},
    {"__udivti3", &names::berth_rt_name___udivti3},
    {"__umodti3", &names::berth_rt_name___umodti3},
    {"acos", &names::berth_rt_name_acos},
    {"acosf", &names::berth_rt_name_acosf},
    {"acosh", &names::berth_rt_name_acosh},
    {"acoshf", &names::berth_rt_name_acoshf},
    {"asin", &names::berth_rt_name_asin},
    {"asinf", &names::berth_rt_name_asinf},
    {"asinh", &names::berth_rt_name_asinh},
    {"asinhf", &names::berth_rt_name_asinhf},
    {"atan", &names::berth_rt_name_atan},
    {"atan2", &names::berth_rt_name_atan2},
    {"atan2f", &names::berth_rt_name_atan2f},
    {"atanf", &names::berth_rt_name_atanf},
    {"atanh", &names::berth_rt_name_atanh},
    {"atanhf", &names::berth_rt_name_atanhf},
    {"bcmp", &names::berth_rt_name_bcmp},
    {"cbrt", &names::berth_rt_name_cbrt},
    {"cbrtf", &names::berth_rt_name_cbrtf},
    {"ceil", &names::berth_rt_name_ceil},
    {"ceilf", &names::berth_rt_name_ceilf},
    {"copysign", &names::berth_rt_name_copysign},
    {"copysignf", &names::berth_rt_name_copysignf},
    {"cos", &names::berth_rt_name_cos},
    {"cosf", &names::berth_rt_name_cosf},
    {"cosh", &names::berth_rt_name_cosh},
    {"coshf", &names::berth_rt_name_coshf},
    {"exp", &names::berth_rt_name_exp},
    {"exp10", &names::berth_rt_name_exp10},
    {"exp10f", &names::berth_rt_name_exp10f},
    {"exp2", &names::berth_rt_name_exp2},
    {"exp2f", &names::berth_rt_name_exp2f},
    {"expf", &names::berth_rt_name_expf},
    {"expm1", &names::berth_rt_name_expm1},
    {"expm1f", &names::berth_rt_name_expm1f},
    {"fabs", &names::berth_rt_name_fabs},
    {"fabsf", &names::berth_rt_name_fabsf},
    {"fdim", &names::berth_rt_name_fdim},
    {"fdimf", &names::berth_rt_name_fdimf},
    {"floor", &names::berth_rt_name_floor},
    {"floorf", &names::berth_rt_name_floorf},
    {"fma", &names::berth_rt_name_fma},
    {"fmaf", &names::berth_rt_name_fmaf},
    {"fmax", &names::berth_rt_name_fmax},
    {"fmaxf", &names::berth_rt_name_fmaxf},
    {"fmin", &names::berth_rt_name_fmin},
    {"fminf", &names::berth_rt_name_fminf},
    {"fmod", &names::berth_rt_name_fmod},
    {"fmodf", &names::berth_rt_name_fmodf},
    {"frexp", &names::berth_rt_name_frexp},
    {"frexpf", &names::berth_rt_name_frexpf},
    {"hypot", &names::berth_rt_name_hypot},
    {"hypotf", &names::berth_rt_name_hypotf},
    {"ldexp", &names::berth_rt_name_ldexp},
    {"ldexpf", &names::berth_rt_name_ldexpf},
    {"llrint", &names::berth_rt_name_llrint},
    {"llrintf", &names::berth_rt_name_llrintf},
    {"llround", &names::berth_rt_name_llround},
    {"llroundf", &names::berth_rt_name_llroundf},
    {"log", &names::berth_rt_name_log},
    {"log10", &names::berth_rt_name_log10},
    {"log10f", &names::berth_rt_name_log10f},
    {"log1p", &names::berth_rt_name_log1p},
    {"log1pf", &names::berth_rt_name_log1pf},
    {"log2", &names::berth_rt_name_log2},
    {"log2f", &names::berth_rt_name_log2f},
    {"logf", &names::berth_rt_name_logf},
    {"lrint", &names::berth_rt_name_lrint},
    {"lrintf", &names::berth_rt_name_lrintf},
    {"lround", &names::berth_rt_name_lround},
    {"lroundf", &names::berth_rt_name_lroundf},
    {"memcmp", &names::berth_rt_name_memcmp},
    {"memcpy", &names::berth_rt_name_memcpy},
    {"memmove", &names::berth_rt_name_memmove},
    {"memset", &names::berth_rt_name_memset},
    {"modf", &names::berth_rt_name_modf},
    {"modff", &names::berth_rt_name_modff},
    {"nearbyint", &names::berth_rt_name_nearbyint},
    {"nearbyintf", &names::berth_rt_name_nearbyintf},
    {"pow", &names::berth_rt_name_pow},
    {"powf", &names::berth_rt_name_powf},
    {"remainder", &names::berth_rt_name_remainder},
    {"remainderf", &names::berth_rt_name_remainderf},
    {"rint", &names::berth_rt_name_rint},
    {"rintf", &names::berth_rt_name_rintf},
    {"round", &names::berth_rt_name_round},
    {"roundeven", &names::berth_rt_name_roundeven},
    {"roundevenf", &names::berth_rt_name_roundevenf},
    {"roundf", &names::berth_rt_name_roundf},
    {"sin", &names::berth_rt_name_sin},
    {"sincos", &names::berth_rt_name_sincos},
    {"sincosf", &names::berth_rt_name_sincosf},
    {"sinf", &names::berth_rt_name_sinf},
    {"sinh", &names::berth_rt_name_sinh},
    {"sinhf", &names::berth_rt_name_sinhf},
    {"sqrt", &names::berth_rt_name_sqrt},
    {"sqrtf", &names::berth_rt_name_sqrtf},
    {"strlen", &names::berth_rt_name_strlen},
    {"tan", &names::berth_rt_name_tan},
    {"tanf", &names::berth_rt_name_tanf},
    {"tanh", &names::berth_rt_name_tanh},
    {"tanhf", &names::berth_rt_name_tanhf},
    {"trunc", &names::berth_rt_name_trunc},
    {"truncf", &names::berth_rt_name_truncf},
};

}  // namespace

void* runtime_library_symbol(std::string_view name) noexcept {
  const auto* const found = std::lower_bound(std::begin(kEntries), std::end(kEntries), name,
                                             [](const Entry& entry, std::string_view wanted) { return entry.name < wanted; });
  return found != std::end(kEntries) && found->name == name ? found->address : nullptr;
}

}  // namespace berth::jit
