#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Reads `ctest -N` on standard input; prints each contract row of rows.tsv with the tests that bear its name, then a count per page.
# Arguments: rows to show (all if none).
set -euo pipefail
rows="$(dirname "${BASH_SOURCE[0]}")/rows.tsv"
sed -n 's/^ *Test *#[0-9]*: //p' | awk -F'\t' -v wanted=" $* " '
  FNR == NR { page[++n] = $1; id[n] = $2; text[n] = $3; next }
  { tests[++m] = $0 }
  END {
    for (i = 1; i <= n; ++i) {
      name = id[i]; gsub("-", "_", name); found = ""
      for (j = 1; j <= m; ++j) if (tests[j] ~ ("(^|[./])" name "(_|$)")) found = found (found == "" ? "" : ", ") tests[j]
      ++rows[page[i]]; if (found != "") ++built[page[i]]
      if (wanted == "  " || index(wanted, " " id[i] " "))
        printf "%-11s %-7s %s\n%20s%s\n", page[i], id[i], text[i], "", found == "" ? "-" : found
    }
    printf "\n"; for (p in rows) printf "%-11s %d of %d rows have a test\n", p, built[p], rows[p]
  }' "$rows" -
