// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Corpus: a chained hash table that grows, with string keys. Heap memory, pointers to pointers, unsigned
// arithmetic.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
  struct entry* next;
  uint64_t hash;
  int64_t value;
  char key[];
};

struct table {
  struct entry** buckets;
  size_t num_buckets, count;
};

static uint64_t hash_of(const char* key) {
  uint64_t hash = UINT64_C(14695981039346656037);
  for (; *key; ++key) hash = (hash ^ (unsigned char)*key) * UINT64_C(1099511628211);
  return hash;
}

static struct entry** place_of(struct table* table, const char* key, uint64_t hash) {
  struct entry** at = &table->buckets[hash & (table->num_buckets - 1)];
  while (*at && ((*at)->hash != hash || strcmp((*at)->key, key) != 0)) at = &(*at)->next;
  return at;
}

static void grow(struct table* table) {
  struct entry** const old = table->buckets;
  const size_t n = table->num_buckets;
  table->num_buckets = n ? 2 * n : 8;
  table->buckets = calloc(table->num_buckets, sizeof *table->buckets);
  for (size_t i = 0; i < n; ++i) {
    for (struct entry *each = old[i], *next; each; each = next) {
      next = each->next;
      struct entry** const at = &table->buckets[each->hash & (table->num_buckets - 1)];
      each->next = *at;
      *at = each;
    }
  }
  free(old);
}

static int64_t* value_of(struct table* table, const char* key) {
  if (table->count >= table->num_buckets) grow(table);
  const uint64_t hash = hash_of(key);
  struct entry** const at = place_of(table, key, hash);
  if (!*at) {
    const size_t length = strlen(key) + 1;
    struct entry* const made = malloc(sizeof *made + length);
    *made = (struct entry){NULL, hash, 0};
    memcpy(made->key, key, length);
    *at = made;
    ++table->count;
  }
  return &(*at)->value;
}

static int drop(struct table* table, const char* key) {
  struct entry** const at = place_of(table, key, hash_of(key));
  struct entry* const found = *at;
  if (!found) return 0;
  *at = found->next;
  free(found);
  --table->count;
  return 1;
}

static void clear(struct table* table) {
  for (size_t i = 0; i < table->num_buckets; ++i) {
    for (struct entry *each = table->buckets[i], *next; each; each = next) {
      next = each->next;
      free(each);
    }
  }
  free(table->buckets);
}

int main(void) {
  struct table table = {NULL, 0, 0};
  char key[32];
  uint32_t random = 1;
  for (int i = 0; i < 20000; ++i) {
    random = random * 1664525u + 1013904223u;
    snprintf(key, sizeof key, "key-%u", (random >> 8) % 3000);
    *value_of(&table, key) += i;
  }
  printf("keys %zu buckets %zu\n", table.count, table.num_buckets);
  int dropped = 0;
  for (int i = 0; i < 3000; i += 3) {
    snprintf(key, sizeof key, "key-%d", i);
    dropped += drop(&table, key);
  }
  int64_t sum = 0;
  uint64_t mixed = 0;
  for (size_t i = 0; i < table.num_buckets; ++i) {
    for (const struct entry* each = table.buckets[i]; each; each = each->next) {
      sum += each->value;
      mixed ^= each->hash * (uint64_t)each->value;
    }
  }
  printf("dropped %d left %zu sum %lld mixed %016llx\n", dropped, table.count, (long long)sum,
         (unsigned long long)mixed);
  clear(&table);
  return 0;
}
