// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stopping the world: the protocol of gc/collector.cpp, thread.cpp and mark.cpp, in every interleaving of its steps.
//
// Mutators attach, poll, go through safe regions, detach; requesters ask for one collection each; a waiter is parked in a reservation,
// is recruited for marking and served by another thread at any time. A wait on a condition is a wait for what it stands for: the waits
// in the code are sliced and re-checked, so that a lost notification delays them only.
//
// Store buffers: the two stores of the store-buffer pattern (a leaving thread's `state`, the raised `stop`) go through a buffer that
// `memory` drains at any time; a seq_cst load waits until its thread's buffer is empty. Who holds the stop mutex reads through it.
//
// Checked: no managed step and no marker out of place (G5); no missed stop (G6); each request is served by a collection that began
// after it (G21); each thread that a stop held advances before the next (G23); a service of a recruit is not lost (G28); no deadlock;
// every word is idle at the end (G22).
//
// Sizes: MUTATORS, REQUESTERS, WAITERS (0 or 1), OPERATIONS of each mutator. MUTANT: a name below; each has a counterexample.
// tests/model/run.sh runs them.
#ifndef MUTATORS
#define MUTATORS 2
#endif
#ifndef REQUESTERS
#define REQUESTERS 2
#endif
#ifndef WAITERS
#define WAITERS 1
#endif
#ifndef OPERATIONS
#define OPERATIONS 1
#endif

#define G5_leave_unchecked 1
#define G5_ticket_unchecked 2
#define G6_leave_release 3
#define G6_raise_release 4
#define G21_request_dropped 5
#define G23_held_ignored 6
#define G23_askers_counted 7
#define G28_flag_overwritten 8
#ifndef MUTANT
#define MUTANT 0
#endif

#define THREADS (MUTATORS + REQUESTERS + WAITERS)
#define WAITER (MUTATORS + REQUESTERS)

// State
#define Unsafe 0
#define Waiting 1
#define Safe 2
// Flags of the waiter's parker
#define SERVED 1
#define RECRUIT 2

byte state[THREADS];
bit leaving[THREADS];  // Unsafe is in the store buffer
bit poll[THREADS], attached[THREADS];
bit stop, raising;     // raising: the raised stop is in the store buffer
byte owner;            // the collector's thread + 1
byte requested, completed, held;
bit registry, stop_mutex;
bit marking;           // the mark phase is open
byte joined;
byte flags;
// Ghosts
bit stopped;           // all threads are stopped
byte begun, ended;     // collections
bit was_held[THREADS]; // by a stop, and has not gone on

#define lock(mutex) atomic { !mutex -> mutex = 1 }
#define managed assert(!stopped)

inline store_unsafe() { leaving[me] = 1 }

// MarkPhase::help, once the phase is found open.
inline help() {
  joined++;
  assert(stopped);
  atomic { !marking -> assert(stopped); joined-- }
}

// Collector::hold
inline hold(how) {
#if MUTANT == G23_held_ignored
  skip;
#else
  held++;
#endif
  atomic { leaving[me] = 0; state[me] = how; was_held[me] = 1 }
  do
  :: atomic { how == Waiting && marking -> help() }
  :: !stop_mutex && !(stop || raising) -> break
  od;
  store_unsafe();
#if MUTANT == G23_held_ignored
  atomic { !leaving[me] -> was_held[me] = 0 }
#else
  atomic { !leaving[me] && !stop_mutex -> held--; was_held[me] = 0 }
#endif
}

// Thread::leave_outermost
inline leave_safe() {
  store_unsafe();
#if MUTANT != G5_leave_unchecked
  if
#if MUTANT == G6_leave_release
  :: stop -> hold(Safe)
  :: !stop
#else
  :: !leaving[me] && stop -> hold(Safe)
  :: !leaving[me] && !stop
#endif
  fi;
#endif
  safepoint()
}

// Thread::safepoint, poll_slow
inline safepoint() {
  if
  :: atomic { poll[me] -> poll[me] = 0 }
    if
    :: stop -> hold(Waiting)
    :: !stop
    fi
  :: !poll[me]
  fi
}

proctype mutator(byte me) {
  byte left = OPERATIONS;
  // Collector::attach
  atomic { !registry -> attached[me] = 1 }
  leave_safe();
  do
  :: atomic { left > 0 -> left--; managed }
    if
    :: safepoint()
    :: atomic { !leaving[me] -> state[me] = Safe }
      leave_safe()
    fi
  :: left == 0 -> break
  od;
  managed;
  // Collector::detach
  atomic { !leaving[me] -> state[me] = Safe }
  atomic { !registry -> attached[me] = 0 }
}

proctype requester(byte me) {
  byte ticket, serves, seen, i, pending;
  leave_safe();
  managed;
  // Collector::collect
  atomic { requested++; ticket = requested; seen = begun }
#if MUTANT == G21_request_dropped
  if
  :: owner -> goto served
  :: !owner
  fi;
#endif
  // stop_until
#if MUTANT == G23_askers_counted
  held++;
#endif
  atomic { !leaving[me] -> state[me] = Waiting }
  do
  :: completed >= ticket -> break
  :: atomic { completed < ticket && marking -> help() }
  :: atomic { owner == 0 -> owner = me + 1 }
    if
    :: completed >= ticket -> owner = 0; break
    :: completed < ticket
    fi;
    lock(registry);
    atomic {
#if MUTANT == G23_held_ignored
      !stop_mutex ->
#else
      !stop_mutex && held == 0 ->
#endif
      raising = 1;
      for (i : 0 .. THREADS - 1) { assert(!was_held[i]) }
      i = 0
    }
#if MUTANT != G6_raise_release
    !raising;
#endif
    do
    :: atomic { i < THREADS && attached[i] && state[i] == Unsafe -> poll[i] = 1; pending = pending | (1 << i); i++ }
    :: atomic { i < THREADS && !(attached[i] && state[i] == Unsafe) -> i++ }
    :: atomic { i == THREADS -> i = 0; break }
    od;
    do
    :: atomic {
        pending ->
        do
        :: pending & (1 << i) -> break
        :: else -> i++
        od;
        state[i] != Unsafe;
        pending = pending & ~(1 << i); i = 0
      }
    :: pending == 0 -> break
    od;
    // collect_stopped
    atomic { stopped = 1; begun++; serves = requested }
    marking = 1;
#if WAITERS
#if MUTANT == G28_flag_overwritten
    flags = RECRUIT;
#else
    flags = flags | RECRUIT;
#endif
#endif
    marking = 0;
    joined == 0;
    // ~Stop
    d_step {
      for (i : 0 .. THREADS - 1) { poll[i] = 0 }
      i = 0
    }
    atomic { !stop_mutex -> completed = serves; ended = begun; stopped = 0; raising = 0; stop = 0 }
    registry = 0;
    owner = 0
  od;
  // Leave
#if MUTANT == G23_askers_counted
  held--;
#endif
  store_unsafe();
#if MUTANT != G5_ticket_unchecked
  if
  :: !leaving[me] && stop -> hold(Waiting)
  :: !leaving[me] && !stop
  fi;
#endif
  safepoint();
#if MUTANT == G21_request_dropped
served:
#endif
  managed;
  assert(ended > seen);
  atomic { !leaving[me] -> state[me] = Safe }
}

// gc::park of a thread that waits for a key.
proctype waiter(byte me) {
  byte got;
  do
  :: atomic { flags -> got = flags; flags = 0 }
    if
    :: got & RECRUIT ->  // Collector::help_mark
      state[me] = Waiting;
      if
      :: atomic { marking -> help() }
      :: !marking
      fi;
      state[me] = Safe
    :: else
    fi;
    if
    :: got & SERVED -> break
    :: else
    fi
  od;
  got = 0;
  leave_safe();
  managed;
  atomic { !leaving[me] -> state[me] = Safe }
}

// Parker::notify
proctype server() {
#if MUTANT == G28_flag_overwritten
  flags = SERVED
#else
  flags = flags | SERVED
#endif
}

proctype memory() {
end:
  do
  :: atomic { raising -> stop = 1; raising = 0 }
  :: atomic { leaving[0] -> state[0] = Unsafe; leaving[0] = 0 }
  :: atomic { leaving[1] -> state[1] = Unsafe; leaving[1] = 0 }
  :: atomic { leaving[2] -> state[2] = Unsafe; leaving[2] = 0 }
#if THREADS > 3
  :: atomic { leaving[3] -> state[3] = Unsafe; leaving[3] = 0 }
#endif
#if THREADS > 4
  :: atomic { leaving[4] -> state[4] = Unsafe; leaving[4] = 0 }
#endif
  od
}

init {
  byte i;
  atomic {
    run memory();
    for (i : 0 .. THREADS - 1) {
      state[i] = Safe; attached[i] = (i >= MUTATORS)
    }
    for (i : 0 .. MUTATORS - 1) {
      run mutator(i)
    }
    for (i : MUTATORS .. WAITER - 1) {
      run requester(i)
    }
#if WAITERS
    run waiter(WAITER);
    run server();
#endif
    i = 0
  }
  _nr_pr == 2;
  assert(!stop && !owner && !held && !registry && !marking && !joined && completed == requested)
}
