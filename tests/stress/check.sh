#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# check.sh BERTH_STRESS CHECK: that berth-stress notices what it is there for, by its exit code and by what it says.
set -euo pipefail
stress=$1 check=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
small=(--threads 4 --keys 50 --seconds 1 --seed 7)

expect() { # expect CODE TEXT COMMAND...: the exit code, and the text in what it prints
  local code=$1 text=$2 got=0
  shift 2
  "$@" >"$work/out" 2>&1 || got=$?
  cat "$work/out"
  [ "$got" -eq "$code" ] || { printf 'exit code %d, expected %d\n' "$got" "$code"; exit 1; }
  grep -qF -- "$text" "$work/out" || { printf 'not printed: %s\n' "$text"; exit 1; }
}

case $check in
  stall) expect 1 '"waiters":[{' "$stress" "${small[@]}" --inject stall --stall 1 ;;
  wrong) expect 2 'has an entry of another one' "$stress" "${small[@]}" --inject wrong ;;
  leak) expect 2 '"result":"memory"' "$stress" "${small[@]}" --inject leak ;;
  unknown_fault) expect 3 'unknown fault' "$stress" --faults delay,gremlins ;;
  no_report)
    expect 3 'holds no decisions' "$stress" --replay /dev/null
    ;;
  replay)
    expect 0 '"result":"ok"' "$stress" "${small[@]}" --faults all --json "$work/first"
    expect 0 '"seed":7' "$stress" --replay "$work/first" --seconds 0.2 --json "$work/second"
    # The same decisions, thread by thread, wherever the replay came by the same place.
    taken() { sed -n '/"decisions"/,$p' "$1" | grep -o '[0-9]*\.0[a-z]' | sort; }
    taken "$work/first" >"$work/one"
    taken "$work/second" >"$work/two"
    [ -s "$work/one" ] || { echo 'no decision was recorded'; exit 1; }
    extra=$(comm -13 "$work/one" "$work/two" | wc -l)
    [ "$extra" -eq 0 ] || { echo 'the replay decided what the first run had not'; exit 1; }
    grep -q '0e' "$work/two" || { echo 'the replay took no decision'; exit 1; }
    ;;
  *) echo "unknown check $check"; exit 1 ;;
esac
