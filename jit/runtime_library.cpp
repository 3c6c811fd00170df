// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/runtime_library.hpp"

#include <algorithm>
#include <iterator>

// A macro, as each name stands for a declaration and an entry. Sorted.
// clang-format off: a table
#define BERTH_RUNTIME_LIBRARY(F)                                                                           \
  F(_Unwind_Resume) F(__addtf3) F(__ashlti3) F(__ashrti3) F(__cxa_allocate_exception) F(__cxa_begin_catch) \
  F(__cxa_end_catch) F(__cxa_free_exception) F(__cxa_rethrow) F(__cxa_throw) F(__divdc3) F(__divsc3)       \
  F(__divtc3) F(__divtf3) F(__divti3) F(__divxc3) F(__emutls_get_address) F(__eqtf2) F(__extenddftf2)      \
  F(__extendhfdf2) F(__extendhfsf2) F(__extendhftf2) F(__extendhfxf2) F(__extendsftf2) F(__extendxftf2)    \
  F(__fixdfti) F(__fixhfti) F(__fixsfti) F(__fixtfdi) F(__fixtfsi) F(__fixtfti) F(__fixunsdfti)            \
  F(__fixunshfti) F(__fixunssfti) F(__fixunstfdi) F(__fixunstfsi) F(__fixunstfti) F(__fixunsxfti)          \
  F(__fixxfti) F(__floatditf) F(__floatsitf) F(__floattidf) F(__floattihf) F(__floattisf) F(__floattitf)   \
  F(__floattixf) F(__floatunditf) F(__floatunsitf) F(__floatuntidf) F(__floatuntihf) F(__floatuntisf)      \
  F(__floatuntitf) F(__floatuntixf) F(__gcc_personality_v0) F(__getf2) F(__gttf2) F(__gxx_personality_v0)  \
  F(__letf2) F(__lshrti3) F(__lttf2) F(__modti3) F(__muldc3) F(__mulsc3) F(__multc3) F(__multf3)           \
  F(__multi3) F(__mulxc3) F(__netf2) F(__powidf2) F(__powisf2) F(__powitf2) F(__powixf2)                   \
  F(__stack_chk_fail) F(__subtf3) F(__truncdfhf2) F(__truncsfhf2) F(__trunctfdf2) F(__trunctfhf2)          \
  F(__trunctfsf2) F(__trunctfxf2) F(__truncxfhf2) F(__udivti3) F(__umodti3) F(__unordtf2) F(acos) F(acosf) \
  F(acosf128) F(acosh) F(acoshf) F(acoshl) F(acosl) F(asin) F(asinf) F(asinf128) F(asinh) F(asinhf)        \
  F(asinhl) F(asinl) F(atan) F(atan2) F(atan2f) F(atan2f128) F(atan2l) F(atanf) F(atanf128) F(atanh)       \
  F(atanhf) F(atanhl) F(atanl) F(bcmp) F(cbrt) F(cbrtf) F(cbrtl) F(ceil) F(ceilf) F(ceilf128) F(ceill)     \
  F(copysign) F(copysignf) F(copysignf128) F(copysignl) F(cos) F(cosf) F(cosf128) F(cosh) F(coshf)         \
  F(coshf128) F(coshl) F(cosl) F(exp) F(exp10) F(exp10f) F(exp10f128) F(exp10l) F(exp2) F(exp2f)           \
  F(exp2f128) F(exp2l) F(expf) F(expf128) F(expl) F(expm1) F(expm1f) F(expm1l) F(fabs) F(fabsf) F(fabsl)   \
  F(fdim) F(fdimf) F(fdiml) F(floor) F(floorf) F(floorf128) F(floorl) F(fma) F(fmaf) F(fmaf128) F(fmal)    \
  F(fmax) F(fmaxf) F(fmaxf128) F(fmaximum) F(fmaximum_num) F(fmaximum_numf) F(fmaximum_numl) F(fmaximumf)  \
  F(fmaximuml) F(fmaxl) F(fmin) F(fminf) F(fminf128) F(fminimum) F(fminimum_num) F(fminimum_numf)          \
  F(fminimum_numl) F(fminimumf) F(fminimuml) F(fminl) F(fmod) F(fmodf) F(fmodf128) F(fmodl) F(frexp)       \
  F(frexpf) F(frexpf128) F(frexpl) F(hypot) F(hypotf) F(hypotl) F(ldexp) F(ldexpf) F(ldexpf128) F(ldexpl)  \
  F(llrint) F(llrintf) F(llrintf128) F(llrintl) F(llround) F(llroundf) F(llroundf128) F(llroundl) F(log)   \
  F(log10) F(log10f) F(log10f128) F(log10l) F(log1p) F(log1pf) F(log1pl) F(log2) F(log2f) F(log2f128)      \
  F(log2l) F(logf) F(logf128) F(logl) F(lrint) F(lrintf) F(lrintf128) F(lrintl) F(lround) F(lroundf)       \
  F(lroundf128) F(lroundl) F(memcmp) F(memcpy) F(memmove) F(memset) F(modf) F(modff) F(modff128) F(modfl)  \
  F(nearbyint) F(nearbyintf) F(nearbyintf128) F(nearbyintl) F(pow) F(powf) F(powf128) F(powl) F(remainder) \
  F(remainderf) F(remainderl) F(rint) F(rintf) F(rintf128) F(rintl) F(round) F(roundeven) F(roundevenf)    \
  F(roundevenf128) F(roundevenl) F(roundf) F(roundf128) F(roundl) F(scalbn) F(scalbnf) F(scalbnl) F(sin)   \
  F(sincos) F(sincosf) F(sincosf128) F(sincosl) F(sinf) F(sinf128) F(sinh) F(sinhf) F(sinhf128) F(sinhl)   \
  F(sinl) F(sqrt) F(sqrtf) F(sqrtf128) F(sqrtl) F(strlen) F(tan) F(tanf) F(tanf128) F(tanh) F(tanhf)       \
  F(tanhf128) F(tanhl) F(tanl) F(trunc) F(truncf) F(truncf128) F(truncl)
// clang-format on

// Declared by name only: their addresses are all that is needed, and several have no header.
#define BERTH_DECLARE(name) extern "C" char berth_rt_##name __asm__(#name);
namespace berth::jit::names {
BERTH_RUNTIME_LIBRARY(BERTH_DECLARE)
}  // namespace berth::jit::names
#undef BERTH_DECLARE

namespace berth::jit {
namespace {

struct Entry {
  std::string_view name;
  void* address;
};
#define BERTH_ENTRY(name) {#name, &names::berth_rt_##name},
const Entry kEntries[] = {BERTH_RUNTIME_LIBRARY(BERTH_ENTRY)};
#undef BERTH_ENTRY

}  // namespace

void* runtime_library_symbol(std::string_view name) noexcept {
  const auto* const found =
      std::lower_bound(std::begin(kEntries), std::end(kEntries), name,
                       [](const Entry& entry, std::string_view wanted) { return entry.name < wanted; });
  return found != std::end(kEntries) && found->name == name ? found->address : nullptr;
}

}  // namespace berth::jit
