# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Promela models; see tests/model/run.sh. The last argument: sizes for the nightly run.
function(berth_model name mode model)
  add_test(NAME Model.${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/model/run.sh ${mode} ${model} ${ARGN})
  set_tests_properties(Model.${name} PROPERTIES TIMEOUT 600 LABELS model)
  if(NOT mode STREQUAL mutant)
    set_tests_properties(Model.${name} PROPERTIES COST 30)
  endif()
endfunction()

# The models are the same in every preset: one of them runs them.
if(BERTH_SANITIZE OR BERTH_MUTANTS)
  return()
endif()
berth_model(reservation_exhaustive exhaustive reservation "RESERVES=3 FAULTS=1" "RESERVES=3 FAULTS=2")
berth_model(reservation_one_shard exhaustive reservation "RESERVES=3 FAULTS=1 SHARDS=1" "RESERVES=3 FAULTS=2 SHARDS=1")
berth_model(reservation_graph_lock_in_steps exhaustive reservation "RESERVES=2 FAULTS=2 FINE" "RESERVES=3 FAULTS=1 FINE")
berth_model(reservation_three_agents bitstate reservation "AGENTS=3 KEYS=3 RESERVES=2 FAULTS=1")
berth_model(R18_reservation_waiters_leave fair reservation "RESERVES=2 FAULTS=1" "RESERVES=3 FAULTS=1")
foreach(mutant R11_w_after_unlock R11_give_ignores_w R11_reset_after_queue R15_leaver_drops_hand_over R23_walk_unlocked
        R23_edge_after_unlock R23_hand_over_unlocked R24_edge_kept)
  string(REGEX REPLACE "^(R[0-9]+)_" "\\1_mutant_" name ${mutant})
  berth_model(${name} mutant reservation "RESERVES=2 FAULTS=1 MUTANT=${mutant}")
endforeach()

berth_model(stop_exhaustive exhaustive stop "MUTATORS=2 REQUESTERS=2 WAITERS=0" "MUTATORS=2 REQUESTERS=2 WAITERS=0 OPERATIONS=2")
berth_model(stop_recruit_exhaustive exhaustive stop "MUTATORS=2 REQUESTERS=1" "MUTATORS=1 REQUESTERS=2")
berth_model(stop_all bitstate stop "MUTATORS=2 REQUESTERS=2")
foreach(mutant G5_leave_unchecked G5_ticket_unchecked G6_leave_release G6_raise_release G21_request_dropped G23_held_ignored
        G23_askers_counted)
  string(REGEX REPLACE "^(G[0-9]+)_" "\\1_mutant_" name ${mutant})
  berth_model(${name} mutant stop "MUTATORS=1 REQUESTERS=2 WAITERS=0 MUTANT=${mutant}")
endforeach()
berth_model(G28_mutant_flag_overwritten mutant stop "MUTATORS=1 REQUESTERS=1 MUTANT=G28_flag_overwritten")

berth_model(J43_publication_exhaustive exhaustive publication "READERS=1" "READERS=2")
foreach(mutant J40_read_before_the_lock J43_relaxed_code J43_relaxed_slot J43_relaxed_load J45_bound_without_the_lock J46_plain_store)
  string(REGEX REPLACE "^(J[0-9]+)_" "\\1_mutant_" name ${mutant})
  berth_model(${name} mutant publication "MUTANT=${mutant}")
endforeach()
