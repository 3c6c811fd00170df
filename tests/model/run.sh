#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run.sh MODE MODEL DEFINITIONS [NIGHTLY DEFINITIONS]: checks tests/model/MODEL.pml with spin.
#   exhaustive  all states: no error
#   bitstate    as many states as a bit array of 8 MiB tells apart (nightly: 512 MiB): no error
#   fair        all states, weak fairness: the model's ltl formula holds
#   mutant      a counterexample is found
# DEFINITIONS: words like KEYS=3; with BERTH_NIGHTLY set, the nightly ones if there are some.
set -euo pipefail
mode=$1 model=$(cd "$(dirname "$0")" && pwd)/$2.pml definitions=$3
[ -n "${BERTH_NIGHTLY:-}" ] && [ $# -gt 3 ] && definitions=$4
command -v spin >/dev/null || { echo "run.sh: spin is missing: install the Debian package spin"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

generate=() compile=(-O2 -DMEMLIM=4000) search=(-m100000)
for word in $definitions; do generate+=("-D$word"); done
case $mode in
  exhaustive) compile+=(-DSAFETY -DCOLLAPSE) ;;
  mutant) compile=(-DSAFETY -DMEMLIM=4000) ;;  # few states: compiling would take longer than the search
  bitstate)
    compile+=(-DSAFETY -DBITSTATE)
    if [ -n "${BERTH_NIGHTLY:-}" ]; then search+=(-w32); else search+=(-w26); fi
    ;;
  fair)
    generate+=(-DRECHECK)
    compile+=(-DCOLLAPSE -DNFAIR=3)
    search+=(-a -f)
    ;;
  *) echo "run.sh: unknown mode $mode"; exit 1 ;;
esac

echo "$mode $2 $definitions"
spin -a "${generate[@]}" "$model" >generated || { cat generated; exit 1; }
gcc -w "${compile[@]}" -o pan pan.c
./pan "${search[@]}" >log 2>&1 || true
grep -E 'assertion violated|invalid end state|acceptance cycle|errors:|states, stored|hash factor|total actual memory|elapsed time' log || true
found=$(sed -n 's/.*errors: \([0-9]*\).*/\1/p' log)
if [ "$mode" = mutant ]; then
  [ "${found:-0}" -gt 0 ] && exit
  echo "no counterexample: the model does not notice the mutant"
  exit 1
fi
# A search that was cut short proves nothing.
if [ "$found" = 0 ] && ! grep -qE 'Search not completed|max search depth too small|out of memory' log; then exit; fi
cat log
ls ./*.trail >trails 2>/dev/null && spin -t -p -g -l "${generate[@]}" "$model" | tail -n 200
exit 1
