// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reservations: the protocol of engine/reserve.cpp, release.cpp and wait_graph.cpp, in every interleaving of its steps.
//
// A step ("atomic") is what other threads see as one: one access to a word that is read without a lock (`hold`, the leased bit, the
// chain of results, a parker's flag), with everything around it that only the locks held there guard. Sections under the graph lock are
// one step, too: edges and queues change nowhere else, and a word with W changes only under its shard lock and the graph lock; FINE and
// the mutants of R23 take them apart.
//
// Checked: one registered holder a key (R1); an awaited word is never null; a reported ring is real (R24); a walk takes one step per
// agent; a free key has no waiters; an agent that ends has no edge; every end state is final: no deadlock, no lost wake-up (R11, R15,
// R23). With RECHECK the slice of a park may end at any time and any notification may be lost: `waiters_leave`, under weak fairness.
//
// Not in the model: entry waits, failures and shutdown, which serve like a result; cancel, which leaves like a time-out; a lease given
// back by another thread, which claims like the sweep; memory orders.
//
// Sizes: AGENTS, KEYS, SHARDS (of a key: key % SHARDS), RESERVES of each agent, FAULTS (lost notifications, spurious wakes, time-outs
// and sweeps together). MUTANT: a name below; each has a counterexample. tests/model/run.sh runs them.
#ifndef AGENTS
#define AGENTS 2
#endif
#ifndef KEYS
#define KEYS 2
#endif
#ifndef SHARDS
#define SHARDS 2
#endif
#ifndef RESERVES
#define RESERVES 3
#endif
#ifndef FAULTS
#define FAULTS 2
#endif

#define R11_w_after_unlock 1
#define R11_give_ignores_w 2
#define R11_reset_after_queue 3
#define R15_leaver_drops_hand_over 4
#define R23_walk_unlocked 5
#define R23_edge_after_unlock 6
#define R23_hand_over_unlocked 7
#define R24_edge_kept 8
#ifndef MUTANT
#define MUTANT 0
#endif

// One step, unless a mutant or FINE takes it apart.
#if defined(FINE) || MUTANT == R23_walk_unlocked || MUTANT == R23_edge_after_unlock || MUTANT == R23_hand_over_unlocked
#define graph_section
#else
#define graph_section atomic
#endif
#if MUTANT == R23_walk_unlocked
#define lock_graph skip
#else
#define lock_graph atomic { !graph -> graph = 1 }
#endif

// Service
#define None 0
#define Handed 1
#define Result 2
// What an agent remembers of a key: its lease.
#define Registered 1
#define Cycle 2

// hold: null, or the agent's token for this key; bit 0 is W.
#define W 1
#define TOKEN(agent) (2 * ((agent) + 1))
#define HOLDER(key) (hold[key] / 2 - 1)

byte hold[KEYS];
byte leased[KEYS];  // the leased bit of the token in `hold`: its agent + 1, until someone claims it
byte fit[KEYS];     // worlds, as bits, for which a result is linked
chan queue[KEYS] = [AGENTS] of { byte };
bit shard[SHARDS], graph;  // locks
// Per agent:
byte edge[AGENTS];     // awaited key + 1
byte service[AGENTS];  // what its wait was served with
bit flag[AGENTS];      // of its parker
bit lost[AGENTS];      // a notification was lost: the next slice will tell
byte faults = FAULTS;

#define free_shard(key) (!shard[(key) % SHARDS])
#define lock_shard(key) shard[(key) % SHARDS] = 1
#define unlock_shard(key) shard[(key) % SHARDS] = 0
// Odd agents ask for the current world, even ones for an older one.
#define is_hit(key, agent) (fit[key] & (1 << ((agent) % 2)))

inline take(key, agent) {
  assert(!leased[key]);
  leased[key] = agent + 1
}

inline serve(agent, how) {
#if MUTANT != R24_edge_kept
  edge[agent] = 0;
#endif
  service[agent] = how;
  wakes = wakes | (1 << agent)
}

// Engine::Impl::pass, shard lock held: serves whom the linked `news` fits; if `giver` holds the key, the first of the others gets it.
inline pass(key, giver, news) {
  graph_section {
#if MUTANT != R23_hand_over_unlocked
    lock_graph;
#endif
    d_step {
      count = len(queue[key]);
      do
      :: news && count > 0 ->
        queue[key]?other;
        if
        :: is_hit(key, other) -> serve(other, Result)
        :: else -> queue[key]!other
        fi;
        count--
      :: else -> break
      od;
      count = 0; other = 0
    }
    if
    :: HOLDER(key) == giver && len(queue[key]) > 0 ->
      d_step {
        queue[key]?other;
        serve(other, Handed)
      }
      d_step {
        take(key, other);
        hold[key] = TOKEN(other) + (len(queue[key]) > 0 -> W : 0);
        other = 0
      }
    :: HOLDER(key) == giver && len(queue[key]) == 0 -> hold[key] = 0
    :: HOLDER(key) != giver  // a cycle lease
    fi;
    assert(hold[key] || len(queue[key]) == 0);
#if MUTANT != R23_hand_over_unlocked
    graph = 0
#endif
  }
}

// Engine::Impl::settle: the parkers are told one by one, no lock held.
inline notify() {
  do
  :: wakes == 0 -> break
  :: atomic {
      wakes != 0 ->
      do
      :: wakes & (1 << other) -> break
      :: else -> other++
      od;
      wakes = wakes & ~(1 << other);
      if
      :: flag[other] = 1
#ifdef RECHECK
      :: skip
#else
      :: faults > 0 -> faults--; lost[other] = 1
#endif
      fi;
      other = 0
    }
  od
}

// WaitGraph::walk: `ring` if it reaches the caller.
inline walk(key) {
  at = key;
  do
  :: atomic {
      assert(hold[at]);
      if
      :: HOLDER(at) == me -> ring = 1; break
      :: HOLDER(at) != me && !edge[HOLDER(at)] -> break
      :: else ->
        assert(service[HOLDER(at)] == None && steps < AGENTS);
        steps++;
        at = edge[HOLDER(at)] - 1
      fi
    }
  od;
  steps = 0; at = 0
}

// Each agent of the reported ring waits for a key that the next one has.
inline assert_ring_is_real(key) {
  d_step {
    at = key;
    do
    :: HOLDER(at) == me -> break
    :: else ->
      assert(hold[at] && edge[HOLDER(at)] && service[HOLDER(at)] == None);
      at = edge[HOLDER(at)] - 1
    od;
    at = 0
  }
}

inline reset_parker() {
  flag[me] = 0; lost[me] = 0
}

proctype agent(byte me) {
  byte left = RESERVES;
  byte key, kind[KEYS];
  bit late;  // the deadline has passed
  bit ring;
  byte at, steps, other, count, wakes;

next:
  atomic {
    key = 0;
    if
    :: left && !kind[0] -> left--; goto look
    :: left && !kind[1] -> left--; key = 1; goto look
    :: kind[0] -> goto release
    :: kind[1] -> key = 1; goto release
#if KEYS > 2
    :: left && !kind[2] -> left--; key = 2; goto look
    :: kind[2] -> key = 2; goto release
    :: !left && !kind[0] && !kind[1] && !kind[2] -> goto end_done
#else
    :: !left && !kind[0] && !kind[1] -> goto end_done
#endif
    fi
  }

look:  // Engine::Impl::reserve_at_once and reserve_by_steps
  if
  :: is_hit(key, me) -> goto next
  :: else
  fi;
  if
  :: atomic {
      hold[key] == 0 -> take(key, me); hold[key] = TOKEN(me); kind[key] = Registered;
      if  // look again: someone may have published between the look and the take
      :: is_hit(key, me) -> goto give_back
      :: else -> goto next
      fi
    }
  :: atomic {
      free_shard(key) -> lock_shard(key);
#if MUTANT != R11_reset_after_queue
      reset_parker()
#endif
    }
  fi;

locked:  // Engine::Impl::step_locked
  atomic {
    if
#if MUTANT == R15_leaver_drops_hand_over
    :: service[me] && late -> service[me] = None; late = 0; unlock_shard(key); goto next
#endif
    :: service[me] == Handed ->
      service[me] = None; late = 0; edge[me] = 0; kind[key] = Registered; unlock_shard(key);
      if
      :: is_hit(key, me) -> goto give_back
      :: else -> goto next
      fi
    :: service[me] == Result || (service[me] == None && is_hit(key, me)) -> goto leave
    :: service[me] == None && !is_hit(key, me) ->
      if
      :: hold[key] == 0 ->
        assert(!edge[me]);
        take(key, me); hold[key] = TOKEN(me); kind[key] = Registered;
        late = 0; unlock_shard(key); goto next
      :: else ->
#if MUTANT != R11_w_after_unlock
        hold[key] = hold[key] | W;  // mark_awaited
#endif
        if
        :: late -> goto leave
        :: !late && edge[me] -> unlock_shard(key); goto park
        :: else
        fi
      fi
    fi
  }
  graph_section {  // Engine::Impl::enqueue
    lock_graph;
    walk(key);
#if MUTANT == R23_edge_after_unlock
    graph = 0;
#endif
    if
    :: atomic {
        ring -> assert_ring_is_real(key);
        ring = 0; kind[key] = Cycle; graph = 0; unlock_shard(key); goto next
      }
    :: atomic { !ring -> edge[me] = key + 1; queue[key]!me; graph = 0; unlock_shard(key) }
    fi
  }
#if MUTANT == R11_w_after_unlock
  atomic {
    if
    :: hold[key] -> hold[key] = hold[key] | W
    :: else
    fi
  }
#endif
#if MUTANT == R11_reset_after_queue
  atomic { reset_parker() }
#endif

park:  // gc::park
  atomic {
    if
    :: flag[me] -> flag[me] = 0
#ifdef RECHECK
    :: service[me] || is_hit(key, me) || hold[key] == 0
    :: !(service[me] || is_hit(key, me) || hold[key] == 0) -> goto park  // the slice ends, and nothing has happened
#else
    :: lost[me] -> lost[me] = 0
    :: faults > 0 -> faults--
#endif
    :: faults > 0 -> faults--; late = 1
    fi
  }
  atomic { free_shard(key) -> lock_shard(key); goto locked }

leave:  // served, a hit, or the deadline: shard lock held
  atomic {
    !graph ->
    if
    :: edge[me] && !service[me] -> queue[key]??eval(me)
    :: else
    fi;
    edge[me] = 0; service[me] = None; late = 0; unlock_shard(key); goto next
  }

release:
  atomic {
    if
    :: goto give_back
    :: kind[key] == Cycle
    :: kind[key] == Registered && leased[key] == me + 1 -> leased[key] = 0
    :: kind[key] == Registered && leased[key] != me + 1 -> kind[key] = 0; goto next  // stale
    fi;
    kind[key] = 0
  }
  // Engine::Impl::publish_all
  atomic {
    free_shard(key) -> lock_shard(key);
    if  // for older worlds only, or for all
    :: fit[key] = fit[key] | 1
    :: fit[key] = 3
    fi
  }
  pass(key, me, 1);
  unlock_shard(key);
  notify();
  goto next;

give_back:  // Engine::Impl::give_back
  atomic {
    if
    :: kind[key] == Registered && leased[key] == me + 1 -> leased[key] = 0; kind[key] = 0
    :: else -> kind[key] = 0; goto next  // stale; or a cycle lease: `hold` does not name it
    fi
  }
  if
  :: atomic {
#if MUTANT == R11_give_ignores_w
      HOLDER(key) == me ->
#else
      hold[key] == TOKEN(me) ->
#endif
      hold[key] = 0; goto next
    }
  :: atomic { hold[key] == TOKEN(me) + W && free_shard(key) -> lock_shard(key) }
  fi;
  pass(key, me, 0);
  unlock_shard(key);
  notify();
  goto next;

end_done:
  assert(!edge[me] && !service[me])
}

// Engine::Impl::sweep_slot and abandon_locked: somebody else claims the lease of a key.
proctype sweeper() {
  byte key, holder, count, other, wakes;
end_idle:
  do
  :: atomic {
      faults > 0 -> faults--;
      if
      :: hold[0] && free_shard(0)
      :: hold[1] && free_shard(1) -> key = 1
#if KEYS > 2
      :: hold[2] && free_shard(2) -> key = 2
#endif
      :: else -> goto end_idle
      fi;
      lock_shard(key);
      hold[key] = hold[key] | W; holder = HOLDER(key)
    }
    if
    :: atomic { leased[key] == holder + 1 -> leased[key] = 0 }
      pass(key, holder, 0)
    :: leased[key] != holder + 1  // its release is under way
    fi;
    unlock_shard(key);
    notify();
    atomic { key = 0; holder = 0 }
  od
}

init {
  atomic {
    byte i;
    for (i : 0 .. AGENTS - 1) {
      run agent(i)
    }
    run sweeper()
  }
}

#ifdef RECHECK
ltl waiters_leave { [] ((edge[0] != 0) -> <> (edge[0] == 0)) }
#endif
