// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Corpus: floating point at its edges: denormals, infinities, NaN, signed zero, conversions, long double,
// complex, exact hexadecimal.
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static volatile double zero = 0, one = 1, huge_number = DBL_MAX, tiny = DBL_MIN;
static volatile float one_float = 1, tiny_float = FLT_MIN;

static double harmonic(int n) {
  double sum = 0;
  for (int i = 1; i <= n; ++i) sum += 1.0 / i;
  return sum;
}

static double fused_or_not(double a, double b, double c) { return a * b + c; }

static double power(double x, int n) {
  double result = 1;
  for (; n; n >>= 1, x *= x) {
    if (n & 1) result *= x;
  }
  return result;
}

int main(void) {
  const double denormal = tiny / 4, infinite = huge_number * 2, not_a_number = zero / zero;
  printf("%a %a %d %d\n", denormal, denormal * 3, isinf(infinite), isnan(not_a_number));
  printf("%llx %llx %d\n", (unsigned long long)bits_of(-zero), (unsigned long long)bits_of(zero * -one),
         1 / -zero < 0);
  printf("%d %d %d %d\n", not_a_number == not_a_number, not_a_number < one, one < infinite,
         not_a_number != one);
  printf("%a %a %a\n", harmonic(1000), power(1.0000001, 12345), fused_or_not(1 + 0x1p-30, 1 - 0x1p-30, -1));
  printf("%a %a\n", (double)(tiny_float / 8), (double)(one_float / 3));
  printf("%lld %d %u %llu\n", (long long)-2.9999, (int)2.9999f, (unsigned)3e9, (unsigned long long)1.5e19);
  printf("%a %a %a\n", (double)UINT64_MAX, (double)INT64_MIN, (double)(float)16777217);
  printf("%a %a %a %a\n", floor(-2.5), ceil(-2.5), trunc(-2.5), round(-2.5));
  printf("%a %a %a %a\n", rint(2.5), nearbyint(3.5), fmod(-7.5, 2), remainder(7.5, 2));
  printf("%a %a %a\n", copysign(3, -zero), fabs(-infinite), fmax(not_a_number, 2));
  printf("%a %a\n", sqrt(2 * one), (double)sqrtf(2 * one_float));
  int exponent;
  const double fraction = frexp(48 * one, &exponent);
  printf("%a %d %a %a\n", fraction, exponent, ldexp(fraction, 3), scalbn(one, -3));
  const long double wide = 1.0L + 0x1p-60L * (long double)one;
  printf("%La %d %a\n", wide, wide > 1.0L, (double)(wide - 1.0L));
  printf("%La %lld\n", sqrtl(2.0L * (long double)one), (long long)floorl(-1.5L * (long double)one));
  const double complex z = (one + 2 * one * I) * (3 - one * I);
  const double complex quotient = z / (one + I);
  const float complex single = (float complex)z * (float complex)z;
  printf("%a %a %a %a %a %a\n", creal(z), cimag(z), creal(quotient), cimag(quotient), (double)crealf(single),
         (double)cimagf(single));
  printf("%d %d %d\n", fpclassify(denormal) == FP_SUBNORMAL, signbit(-zero) != 0,
         fpclassify(zero) == FP_ZERO);
  return 0;
}
