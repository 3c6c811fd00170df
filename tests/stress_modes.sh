#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# stress_modes.sh PROGRAM MODE[,MODE...]: runs a gtest program under modes of BERTH_GC_STRESS (contract row G51), without the tests that
# stress_modes.tsv excepts from one of them, each with its reason. All of them with BERTH_NIGHTLY set, else a third, another one for each mode.
set -euo pipefail
program=$1 mode=$2
table="$(dirname "${BASH_SOURCE[0]}")/stress_modes.tsv"
excepted=$(awk -F'\t' -v modes="$mode" '
  BEGIN { for (i = split(modes, list, ","); i > 0; --i) { sub(/:.*/, "", list[i]); on[list[i]] } }
  !/^#/ && ($1 == "*" || $1 in on) { print $2 }' "$table" | paste -sd:)
if [ -z "${BERTH_NIGHTLY:-}" ]; then
  export GTEST_TOTAL_SHARDS=3 GTEST_SHARD_INDEX=$((${#mode} % 3))
fi
export BERTH_GC_STRESS=$mode
# Death tests start the program anew, in the same mode, and expect its checks to be the first to die.
exec "$program" --gtest_brief=1 --gtest_filter="*-*DeathTest.*${excepted:+:$excepted}"
