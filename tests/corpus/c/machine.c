// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Corpus: two interpreters of one small machine: a dense switch, which becomes a table, and labels as values,
// which become indirect branches through a table of block addresses.
#include <stdint.h>
#include <stdio.h>

enum op { PUSH, ADD, SUB, MUL, DUP, SWAP, LESS, JUMP, JUMP_IF, STORE, LOAD, PRINT, HALT };

static uint64_t printed;

static void print(int32_t value) { printed = printed * 31 + (uint64_t)(int64_t)value; }

// The 40th Fibonacci number, taken from three.
static const int32_t fibonacci[] = {
    PUSH, 0,   STORE, 0,       PUSH, 1,     STORE, 1,    PUSH, 0,    STORE, 2,    LOAD, 0,     LOAD,
    1,    DUP, STORE, 0,       ADD,  STORE, 1,     LOAD, 2,    PUSH, 1,     ADD,  DUP,  STORE, 2,
    PUSH, 40,  LESS,  JUMP_IF, 12,   LOAD,  0,     PUSH, 3,    SWAP, SUB,   JUMP, 44,   HALT,  HALT};

// Sum of squares up to 200, as code of the machine.
static const int32_t squares[] = {PUSH, 0,     STORE, 0,    PUSH,  1,     STORE,   1,    LOAD, 1,    DUP, MUL,
                                  LOAD, 0,     ADD,   DUP,  PRINT, STORE, 0,       LOAD, 1,    PUSH, 1,   ADD,
                                  DUP,  STORE, 1,     PUSH, 201,   LESS,  JUMP_IF, 8,    LOAD, 0,    HALT};

static int32_t run_switch(const int32_t* code) {
  int32_t stack[32], memory[4] = {0, 0, 0, 0}, *top = stack;
  for (const int32_t* at = code;;) {
    switch ((enum op) * at++) {
      case PUSH: *top++ = *at++; break;
      case ADD:
        --top;
        top[-1] += top[0];
        break;
      case SUB:
        --top;
        top[-1] -= top[0];
        break;
      case MUL:
        --top;
        top[-1] *= top[0];
        break;
      case DUP:
        top[0] = top[-1];
        ++top;
        break;
      case SWAP: {
        const int32_t kept = top[-1];
        top[-1] = top[-2];
        top[-2] = kept;
        break;
      }
      case LESS:
        --top;
        top[-1] = top[-1] < top[0];
        break;
      case JUMP: at = code + *at; break;
      case JUMP_IF: at = *--top ? code + *at : at + 1; break;
      case STORE: memory[*at++] = *--top; break;
      case LOAD: *top++ = memory[*at++]; break;
      case PRINT: print(*--top); break;
      case HALT: return top > stack ? top[-1] : -1;
    }
  }
}

static int32_t run_labels(const int32_t* code) {
  static const void* const labels[] = {&&push, &&add,     &&sub,   &&mul,  &&dup,   &&swap, &&less,
                                       &&jump, &&jump_if, &&store, &&load, &&print, &&halt};
  int32_t stack[32], memory[4] = {0, 0, 0, 0}, *top = stack;
  const int32_t* at = code;
#define NEXT goto* labels[*at++]
  NEXT;
push:
  *top++ = *at++;
  NEXT;
add:
  --top;
  top[-1] += top[0];
  NEXT;
sub:
  --top;
  top[-1] -= top[0];
  NEXT;
mul:
  --top;
  top[-1] *= top[0];
  NEXT;
dup:
  top[0] = top[-1];
  ++top;
  NEXT;
swap: {
  const int32_t kept = top[-1];
  top[-1] = top[-2];
  top[-2] = kept;
}
  NEXT;
less:
  --top;
  top[-1] = top[-1] < top[0];
  NEXT;
jump:
  at = code + *at;
  NEXT;
jump_if:
  at = *--top ? code + *at : at + 1;
  NEXT;
store:
  memory[*at++] = *--top;
  NEXT;
load:
  *top++ = memory[*at++];
  NEXT;
print:
  print(*--top);
  NEXT;
halt:
  return top > stack ? top[-1] : -1;
#undef NEXT
}

// A sparse switch with ranges, for the other shapes that a switch takes.
static int classify(int64_t n) {
  switch (n) {
    case INT64_MIN: return 1;
    case -1000000:
    case -1000:
    case -1: return 2;
    case 0: return 3;
    case 1 ... 9: return 4;
    case 1000:
    case 1 << 20: return 5;
    case INT64_MAX: return 6;
    default: return n < 0 ? 7 : 8;
  }
}

int main(void) {
  const int32_t by_switch = run_switch(squares);
  const uint64_t printed_by_switch = printed;
  printed = 0;
  const int32_t by_labels = run_labels(squares);
  printf("%d %d %llx %llx\n", by_switch, by_labels, (unsigned long long)printed_by_switch,
         (unsigned long long)printed);
  printf("%d %d\n", run_switch(fibonacci), run_labels(fibonacci));
  static const int64_t numbers[] = {INT64_MIN, -1000000, -1000, -999, -1,      0,         1,
                                    5,         9,        10,    1000, 1 << 20, INT64_MAX, INT64_MAX - 1};
  for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; ++i) printf("%d", classify(numbers[i]));
  printf("\n");
  return 0;
}
