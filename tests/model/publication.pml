// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Publication of code: the steps of engine/compile.cpp (code word) and jit/call_slot.cpp (slots), in every interleaving.
//
// Two publishers, of FAST and of OPTIMIZED code for one instance; a binder makes a new call slot meanwhile; readers look at the code word
// and call over the slots, of which one was there before.
//
// Memory is weaker than any machine's that the code runs on: each store is on its way until `memory` makes it visible, in any order;
// a release store only after all earlier ones of its thread. A relaxed load may take what it leads to before it. A compare-exchange
// acts on visible memory.
//
// Checked: who finds an entry, in either place, finds its bytes and fields (J43); neither place ever goes back to worse code (J40, J46);
// at the end both have the best, also a slot that was made meanwhile (J45); no deadlock.
//
// Sizes: READERS, 1 or 2. MUTANT: a name below; each has a counterexample. tests/model/run.sh runs them.
#define J40_read_before_the_lock 1
#define J43_relaxed_code 2
#define J43_relaxed_slot 3
#define J43_relaxed_load 4
#define J45_bound_without_the_lock 5
#define J46_plain_store 6
#ifndef MUTANT
#define MUTANT 0
#endif
#ifndef READERS
#define READERS 1
#endif

// Tiers; 0 is no code, and in a slot the stub.
#define FAST 1
#define OPTIMIZED 2
#define TIERS 3
#define NOTHING 7  // on its way

#define OLD 0  // slots
#define NEW 1

// Visible memory.
bit bytes[TIERS], fields[TIERS];
byte code;
byte slot[2];
bool is_linked;  // NEW is in the table; under the lock
bool is_locked;

// On its way, by publisher.
bit bytes_due[TIERS], fields_due[TIERS];
byte code_due[TIERS] = NOTHING;
byte slot_due[TIERS * 2] = NOTHING;  // of each publisher; the binder's stores are under 0

byte running = 3 + READERS;  // publishers, binder, readers

#define lock() atomic { !is_locked -> is_locked = 1 }
#define due(who, which) slot_due[2 * (who) + (which)]
// A release: after all that the thread has stored.
#define unlock(who) \
  atomic { \
    written(who) && code_due[who] == NOTHING && due(who, OLD) == NOTHING && due(who, NEW) == NOTHING -> is_locked = 0 \
  }
// A thread reads its own stores at once.
#define code_as_seen(who) (code_due[who] != NOTHING -> code_due[who] : code)
#define written(tier) (!bytes_due[tier] && !fields_due[tier])

proctype publisher(byte tier) {
  byte found;
  atomic { bytes_due[tier] = 1; fields_due[tier] = 1 }
  // Only over nothing or a lower tier.
  atomic {
    code_due[FAST] == NOTHING && code_due[OPTIMIZED] == NOTHING;
#if MUTANT != J46_plain_store
    if
    :: code < tier -> code_due[tier] = tier
    :: else
    fi
#else
    code_due[tier] = tier
#endif
  }
#if MUTANT == J40_read_before_the_lock
  found = code_as_seen(tier);
#endif
  lock();
#if MUTANT != J40_read_before_the_lock
  found = code_as_seen(tier);
#endif
  due(tier, OLD) = found;
  if
  :: is_linked -> due(tier, NEW) = found
  :: else
  fi;
  unlock(tier);
  running--
}

proctype binder() {
  byte found;
#if MUTANT == J45_bound_without_the_lock
  found = code;
#endif
  lock();
#if MUTANT != J45_bound_without_the_lock
  found = code;
#endif
  is_linked = 1;
  due(0, NEW) = found;
  unlock(0);
  running--
}

#if MUTANT != J43_relaxed_code
#define code_may_go(who) (code_due[who] != NOTHING && written(who))
#else
#define code_may_go(who) (code_due[who] != NOTHING)
#endif
#if MUTANT != J43_relaxed_slot
#define slot_may_go(who, which) (due(who, which) != NOTHING && written(who) && code_due[who] == NOTHING)
#else
#define slot_may_go(who, which) (due(who, which) != NOTHING)
#endif
#define arrives_whole(tier) \
  :: bytes_due[tier] -> atomic { bytes[tier] = 1; bytes_due[tier] = 0 } \
  :: fields_due[tier] -> atomic { fields[tier] = 1; fields_due[tier] = 0 } \
  :: code_may_go(tier) -> atomic { code = code_due[tier]; code_due[tier] = NOTHING }
#define arrives_in_slot(who, which) \
  :: slot_may_go(who, which) -> atomic { slot[which] = due(who, which); due(who, which) = NOTHING }

active proctype memory() {
end:
  do
  arrives_whole(FAST)
  arrives_whole(OPTIMIZED)
  arrives_in_slot(FAST, OLD)
  arrives_in_slot(FAST, NEW)
  arrives_in_slot(OPTIMIZED, OLD)
  arrives_in_slot(OPTIMIZED, NEW)
  arrives_in_slot(0, NEW)
  od
}

// Each looks twice at one place: 0 and 1 are the slots, 2 the code word.
#define look(entry) \
  if \
  :: place == 2 -> entry = code \
  :: else -> entry = slot[place] \
  fi

proctype reader(byte place) {
  byte last = 0, entry = 0, looks = 0;
  bit early_bytes[TIERS];
  do
  :: looks < 2 ->
     looks++;
#if MUTANT == J43_relaxed_load
     atomic { early_bytes[FAST] = bytes[FAST]; early_bytes[OPTIMIZED] = bytes[OPTIMIZED] }
#endif
     look(entry);
     assert(entry >= last);
     last = entry;
     if
     :: entry == 0
     :: else ->
        assert(fields[entry]);
#if MUTANT == J43_relaxed_load
        assert(early_bytes[entry])
#else
        assert(bytes[entry])
#endif
     fi
  :: else -> break
  od;
  running--
}

init {
  byte place;
  atomic {
    run publisher(FAST);
    run publisher(OPTIMIZED);
    run binder();
    select(place : 0 .. 2);
    run reader(place);
#if READERS > 1
    select(place : 0 .. 2);
    run reader(place);
#endif
  }
  running == 0;
  // All has arrived.
  written(FAST) && written(OPTIMIZED) && code_due[FAST] == NOTHING && code_due[OPTIMIZED] == NOTHING;
  assert(code == OPTIMIZED);
  assert(slot[OLD] == OPTIMIZED);
  assert(slot[NEW] == OPTIMIZED)
}
