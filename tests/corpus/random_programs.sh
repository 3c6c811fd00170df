#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Random C programs of csmith: the checksum that each prints compiled ahead of time (clang -O1) is what it prints through the engine, at each tier.
#   random_programs.sh BERTH_CORPUS FOLDER [COUNT [FIRST_SEED]]
# COUNT: 8; with BERTH_NIGHTLY 500, of seeds that change by the day. No new program is begun after 100 s (nightly: 3,000 s); how many there were
# is printed. Programs that do not end in 5 s are left out, as csmith cannot tell. Those that differ stay in FOLDER.
set -euo pipefail
runner=$1
folder=$2
count=${3:-${BERTH_NIGHTLY:+500}}
count=${count:-8}
first=${4:-${BERTH_NIGHTLY:+$(date +%j)000}}
first=${first:-1000}
[ -n "${BERTH_NIGHTLY:-}" ] && limit=3000 || limit=100
flags="-std=gnu11 -w -ffp-contract=off -I/usr/include/csmith"
mkdir -p "$folder"

compared=0
endless=0
failed=0
for ((i = 0; i < count && SECONDS < limit; ++i)); do
  seed=$((first + i))
  stem=$folder/random-$seed
  csmith --seed "$seed" --output "$stem.c" >/dev/null
  # shellcheck disable=SC2086
  clang-22 $flags -O1 -o "$stem" "$stem.c"
  if ! timeout 5 "$stem" >"$stem.expected"; then
    endless=$((endless + 1))
    rm -f "$stem" "$stem".*
    continue
  fi
  # Unoptimised bitcode, so that the engine's passes see all of it; of every fourth program what clang made of it, as text.
  if [ $((i % 4)) -eq 3 ]; then
    module=$stem.ll
    # shellcheck disable=SC2086
    clang-22 $flags -O2 -S -emit-llvm -o "$module" "$stem.c"
  else
    module=$stem.bc
    # shellcheck disable=SC2086
    clang-22 $flags -O0 -Xclang -disable-O0-optnone -emit-llvm -c -o "$module" "$stem.c"
  fi
  good=1
  for tier in fast optimized adaptive; do
    if ! timeout 120 "$runner" "$tier" "$module" >"$stem.$tier" 2>&1 || ! diff -q "$stem.expected" <(grep -v '^main gives' "$stem.$tier") >/dev/null; then
      printf 'seed %d, %s: expected %s, got %s\n' "$seed" "$tier" "$(tail -1 "$stem.expected")" "$(grep -v '^main gives' "$stem.$tier" | tail -1)"
      good=0
    fi
  done
  compared=$((compared + 1))
  if [ $good -eq 1 ]; then rm -f "$stem" "$stem".*; else failed=$((failed + 1)); fi
done
printf 'seeds %d to %d: %d programs compared, %d left out as they do not end, %d differ\n' "$first" $((first + i - 1)) $compared $endless $failed
[ $compared -gt 0 ] && [ $failed -eq 0 ]
