// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Corpus: text. Tables of strings, host functions that optimisers replace by others (printf, sprintf, strcat,
// strchr), byte loops.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] =
    "the quick brown fox jumps over the lazy dog; the dog sleeps, the fox runs and runs and runs.";
static const char* const months[] = {"jan", "feb", "mar", "apr", "may", "jun", "jul",
                                     "aug", "sep", "oct", "nov", "dec", NULL};

struct word {
  char text[16];
  int count;
};

static int month_of(const char* name) {
  for (int i = 0; months[i]; ++i) {
    if (strcmp(months[i], name) == 0) return i + 1;
  }
  return 0;
}

static void reverse(char* from) {
  for (char* to = from + strlen(from); from < to--;) {
    const char kept = *from;
    *from++ = *to;
    *to = kept;
  }
}

static int count_words(const char* at, struct word* words, int most) {
  int n = 0;
  while (*at) {
    while (*at && !isalpha((unsigned char)*at)) ++at;
    char word[16] = "";
    size_t length = 0;
    while (isalpha((unsigned char)*at) && length + 1 < sizeof word) word[length++] = *at++;
    if (!length) break;
    int i = 0;
    while (i < n && strcmp(words[i].text, word) != 0) ++i;
    if (i == most) continue;
    if (i == n) strcpy(words[n++].text, word);
    ++words[i].count;
  }
  return n;
}

static int distance(const char* a, const char* b) {
  int row[64];
  const int n = (int)strlen(b);
  for (int j = 0; j <= n; ++j) row[j] = j;
  for (int i = 1; a[i - 1]; ++i) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= n; ++j) {
      const int above = row[j], change = diagonal + (a[i - 1] != b[j - 1]);
      int best = above < row[j - 1] ? above + 1 : row[j - 1] + 1;
      if (change < best) best = change;
      row[j] = best;
      diagonal = above;
    }
  }
  return row[n];
}

int main(void) {
  struct word words[32] = {{{0}, 0}};
  const int n = count_words(text, words, 32);
  for (int i = 0; i < n; ++i) {
    if (words[i].count > 1) printf("%s=%d ", words[i].text, words[i].count);
  }
  printf("\n");
  printf("plain line\n");
  printf("%s\n", "one argument");
  printf("%c", '*');
  puts("");
  char buffer[64];
  sprintf(buffer, "%s", "copied");
  strcat(buffer, "-and-added");
  printf("%s %zu %s\n", buffer, strlen(buffer), strchr(buffer, 'a'));
  reverse(buffer);
  printf("%s %d %d\n", buffer, month_of("aug"), month_of("xyz"));
  printf("%d %d\n", distance("kitten", "sitting"), distance("saturday", "sunday"));
  printf("%d %d %d\n", strncmp("abcd", "abce", 3), memcmp("aab", "aaa", 3) > 0,
         strncmp("abcd", "abce", 4) < 0);
  printf("%ld %d %s\n", strtol("0x7f", NULL, 16), atoi("-42"), strstr(text, "lazy"));
  printf("%5d|%-5d|%05d|%+.3f|%x|%%\n", 42, 42, 42, 3.14159, 255u);
  return 0;
}
