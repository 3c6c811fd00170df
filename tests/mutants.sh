#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs each mutant of mutants.tsv against the test that must notice it. A mutant is killed if that test fails with it and passes
# without it. Arguments: parts of mutants' names (all if none). Exit code 1 if one survives, or if the sources and the table differ.
#
# mutants.tsv: name, preset (mutants, tsan for memory orders, or mutants-jit for code that needs LLVM), regular expression for ctest. The presets are built already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
table=tests/mutants.tsv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

grep -rhoE 'mutant::(is_on|order|open_gap)\("[^"]+"' support gc engine inference jit | sed 's/.*"\(.*\)"/\1/' | sort -u >"$work/in_source"
cut -f1 "$table" | sort >"$work/in_table"
if ! diff "$work/in_source" <(sort -u "$work/in_table") >"$work/diff"; then
  printf 'mutants: sources (<) and %s (>) differ:\n' "$table"
  cat "$work/diff"
  exit 1
fi

run() { # run NAME PRESET REGEX: one line of result
  local name=$1 preset=$2 regex=$3 log="$work/$1.log" rc=0 test verdict=killed
  BERTH_MUTANT=$name timeout 300 ctest --test-dir "build/$preset" -R "$regex" --no-tests=error --stop-on-failure >"$log" 2>&1 || rc=$?
  test=$(sed -n 's/^ *[0-9]*\/[0-9]* Test *#[0-9]*: \([^ ]*\).*\*\*\*.*/\1/p' "$log" | head -1)
  if [ "$rc" -eq 0 ]; then
    verdict=SURVIVES
  elif grep -q 'No tests were found' "$log"; then
    verdict='NO TEST'
  elif [ "$rc" -ne 124 ] && [ -z "$test" ]; then
    verdict=BROKEN  # ctest failed, and no test did
  fi
  printf '%-9s %-44s %s\n' "$verdict" "$name" "${test:-$regex}"
}
sound() { # sound PRESET REGEX: the tests pass without a mutant
  ctest --test-dir "build/$1" -R "$2" --no-tests=error >"$work/sound.log" 2>&1 && return
  cat "$work/sound.log"
  printf 'mutants: tests of preset %s fail without a mutant\n' "$1"
  exit 1
}
export -f run
export work

if [ $# -gt 0 ]; then
  for part; do grep -F -- "$part" "$table"; done | sort -u >"$work/chosen"
else
  cp "$table" "$work/chosen"
fi
for preset in $(cut -f2 "$work/chosen" | sort -u); do
  sound "$preset" "$(awk -F'\t' -v preset="$preset" '$2 == preset { printf "%s%s", separator, $3; separator = "|" }' "$work/chosen")"
done
tr '\t' '\n' <"$work/chosen" | xargs -r -d '\n' -n 3 -P "$(nproc)" bash -c 'run "$@"' _ | tee "$work/results"
killed=$(grep -c '^killed' "$work/results" || true)
all=$(wc -l <"$work/chosen")
printf '%d of %d mutants killed\n' "$killed" "$all"
[ "$killed" -eq "$all" ]
