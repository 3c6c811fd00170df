// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Corpus: structures and unions by value in every class of the calling convention, bit-fields, copies,
// compound literals.
#include <stdint.h>
#include <stdio.h>

struct two_floats {
  float x, y;
};
struct three_floats {
  float x, y, z;
};
struct mixed {
  double weight;
  int32_t count;
};
struct small {
  int8_t a;
  int16_t b;
  int8_t c;
};
struct two_words {
  uint64_t low, high;
};
struct large {
  int32_t items[12];
  double scale;
};
struct nested {
  struct two_floats at;
  union {
    int32_t whole;
    float real;
  } value;
  uint8_t kind;
};
struct empty_tail {
  uint32_t n;
  uint8_t bytes[3];
};
struct bits {
  unsigned low : 3;
  signed middle : 7;
  unsigned : 0;
  unsigned wide : 29;
  uint64_t high : 41;
  unsigned flag : 1;
};
struct __attribute__((packed)) packed {
  uint8_t tag;
  uint32_t value;
  uint16_t rest;
};

static struct two_floats swap_floats(struct two_floats v) { return (struct two_floats){v.y, v.x}; }
static struct three_floats scale_floats(struct three_floats v, float by) {
  return (struct three_floats){v.x * by, v.y * by, v.z * by};
}
static struct mixed add_mixed(struct mixed a, struct mixed b) {
  return (struct mixed){a.weight + b.weight, a.count + b.count};
}
static struct small turn_small(struct small v) { return (struct small){v.c, (int16_t)-v.b, v.a}; }
static struct two_words add_words(struct two_words a, struct two_words b) {
  const uint64_t low = a.low + b.low;
  return (struct two_words){low, a.high + b.high + (low < a.low)};
}
static struct large rotate_large(struct large v, int by) {
  struct large out = v;
  for (int i = 0; i < 12; ++i) out.items[(i + by) % 12] = v.items[i];
  out.scale = v.scale / 2;
  return out;
}
static struct nested make_nested(float x, float y, int whole) {
  struct nested made = {{x, y}, {.whole = whole}, 7};
  if (whole < 0) made.value.real = (float)whole * 0.5f;
  return made;
}
static double many(int a, struct mixed b, double c, struct two_floats d, int e, struct large f,
                   struct small g, int64_t h, struct two_words i, float j) {
  return a + b.weight * b.count + c + d.x - d.y + e + f.items[3] * f.scale + g.b + (double)h + (double)i.low +
         j;
}
static uint32_t sum_tail(struct empty_tail v) { return v.n + v.bytes[0] + v.bytes[1] + v.bytes[2]; }

int main(void) {
  const struct two_floats swapped = swap_floats((struct two_floats){1.5f, -2.25f});
  const struct three_floats scaled = scale_floats((struct three_floats){1, 2, 3}, 0.5f);
  printf("%a %a %a %a %a\n", (double)swapped.x, (double)swapped.y, (double)scaled.x, (double)scaled.y,
         (double)scaled.z);
  const struct mixed sum = add_mixed((struct mixed){0.25, 3}, (struct mixed){8, -10});
  const struct small turned = turn_small((struct small){-1, 300, 5});
  printf("%a %d %d %d %d\n", sum.weight, sum.count, turned.a, turned.b, turned.c);
  const struct two_words words = add_words((struct two_words){UINT64_MAX, 1}, (struct two_words){2, 40});
  printf("%llx %llx\n", (unsigned long long)words.low, (unsigned long long)words.high);
  struct large large = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 3};
  for (int i = 0; i < 5; ++i) large = rotate_large(large, i);
  printf("%d %d %d %a\n", large.items[0], large.items[5], large.items[11], large.scale);
  const struct nested whole = make_nested(1, 2, 77), real = make_nested(3, 4, -9);
  printf("%d %a %d %a\n", whole.value.whole, (double)real.value.real, real.kind,
         (double)(whole.at.x + real.at.y));
  printf("%a\n", many(1, (struct mixed){2, 3}, 4, (struct two_floats){5, 6}, 7, large, turned, 8, words, 9));
  printf("%u %zu %zu\n", sum_tail((struct empty_tail){1, {2, 3, 4}}), sizeof(struct bits),
         sizeof(struct packed));
  struct bits bits = {5, -33, 0x1abcdef, UINT64_C(0x1ffdeadbeef), 1};
  bits.low += 4;
  bits.middle *= 2;
  bits.high ^= UINT64_C(0xffffffff);
  printf("%u %d %x %llx %u\n", bits.low, bits.middle, bits.wide, (unsigned long long)bits.high, bits.flag);
  struct packed packed[2] = {{1, 0x12345678, 2}, {3, 0x9abcdef0, 4}};
  uint32_t packed_sum = 0;
  for (int i = 0; i < 2; ++i) packed_sum += packed[i].tag * packed[i].value + packed[i].rest;
  printf("%08x\n", packed_sum);
  return 0;
}
