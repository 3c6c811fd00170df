// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Corpus: sorting. Recursion, arrays on the stack and in static data, comparators called by the host's qsort
// and bsearch.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1000 };

struct record {
  uint32_t key;
  uint16_t origin;
  char name[10];
};

static uint32_t state = 12345;
static uint32_t scratch[COUNT];

static uint32_t next_random(void) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

static void quick_sort(uint32_t* items, int low, int high) {
  while (low < high) {
    const uint32_t pivot = items[low + (high - low) / 2];
    int i = low, j = high;
    while (i <= j) {
      while (items[i] < pivot) ++i;
      while (items[j] > pivot) --j;
      if (i <= j) {
        const uint32_t kept = items[i];
        items[i++] = items[j];
        items[j--] = kept;
      }
    }
    if (j - low < high - i) {
      quick_sort(items, low, j);
      low = i;
    } else {
      quick_sort(items, i, high);
      high = j;
    }
  }
}

static void merge_sort(uint32_t* items, size_t n) {
  if (n < 2) return;
  const size_t half = n / 2;
  merge_sort(items, half);
  merge_sort(items + half, n - half);
  memcpy(scratch, items, half * sizeof *items);
  size_t left = 0, right = half, to = 0;
  while (left < half)
    items[to++] = right < n && items[right] < scratch[left] ? items[right++] : scratch[left++];
}

static void sift(uint32_t* items, size_t root, size_t n) {
  for (size_t child; (child = 2 * root + 1) < n; root = child) {
    if (child + 1 < n && items[child + 1] > items[child]) ++child;
    if (items[root] >= items[child]) return;
    const uint32_t kept = items[root];
    items[root] = items[child];
    items[child] = kept;
  }
}

static void heap_sort(uint32_t* items, size_t n) {
  for (size_t i = n / 2; i-- > 0;) sift(items, i, n);
  while (n-- > 1) {
    const uint32_t kept = items[0];
    items[0] = items[n];
    items[n] = kept;
    sift(items, 0, n);
  }
}

static int compare_records(const void* a, const void* b) {
  const struct record *const left = a, *const right = b;
  if (left->key % 97 != right->key % 97) return left->key % 97 < right->key % 97 ? -1 : 1;
  return left->origin - right->origin;
}

static uint32_t checksum(const uint32_t* items, size_t n) {
  uint32_t sum = 0;
  for (size_t i = 0; i < n; ++i) sum = sum * 31 + items[i];
  return sum;
}

int main(void) {
  uint32_t one[COUNT], two[COUNT], three[COUNT];
  for (int i = 0; i < COUNT; ++i) one[i] = two[i] = three[i] = next_random() % 5000;
  quick_sort(one, 0, COUNT - 1);
  merge_sort(two, COUNT);
  heap_sort(three, COUNT);
  printf("sorted %08x %08x %08x\n", checksum(one, COUNT), checksum(two, COUNT), checksum(three, COUNT));
  printf("equal %d %d\n", memcmp(one, two, sizeof one) == 0, memcmp(one, three, sizeof one) == 0);

  static struct record records[200];
  for (int i = 0; i < 200; ++i) {
    records[i].key = next_random();
    records[i].origin = (uint16_t)i;
    snprintf(records[i].name, sizeof records[i].name, "r%d", i);
  }
  qsort(records, 200, sizeof records[0], compare_records);
  uint32_t order = 0;
  for (int i = 0; i < 200; ++i) order = order * 33 + records[i].origin;
  printf("records %08x %s %s\n", order, records[0].name, records[199].name);
  const struct record* const found = bsearch(&records[77], records, 200, sizeof records[0], compare_records);
  printf("found %td\n", found - records);
  return 0;
}
