#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cached.sh BERTH TIER FOLDER PROGRAM...: runs each program in two processes that share an object cache; both must print NAME.out, and the
# second must compile at most a tenth of what the first did, as it loads the rest. (A caller that is lowered before its callee is
# inferred assumes less and is another module.)
set -euo pipefail
berth=$1 tier=$2 folder=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compiled() { # compiled JSON: methods compiled at both tiers
  echo $(($(sed -E 's/.*"compiled":\{"fast":([0-9]+),"optimized":([0-9]+)\}.*/\1 + \2/' "$1")))
}
first=0 second=0
for program in "$@"; do
  for round in 1 2; do
    "$berth" run "$folder/$program.bth" --tier "$tier" --cache "$work/cache" --stats-json "$work/$round.json" >"$work/$round.out" ||
      { echo "$program: round $round failed"; exit 1; }
    cmp "$work/$round.out" "$folder/$program.out" || { echo "$program: another output in round $round"; exit 1; }
  done
  first=$((first + $(compiled "$work/1.json"))) second=$((second + $(compiled "$work/2.json")))
done
echo "compiled: $first, then $second"
[ "$first" -gt 20 ] && [ $((second * 10)) -le "$first" ]
