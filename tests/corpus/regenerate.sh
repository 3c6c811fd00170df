#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes modules/*.ll and expected/*.out anew from c/*.c; needs clang-22.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p modules expected
for source in c/*.c; do
  name=$(basename "$source" .c)
  flags="-std=gnu11 -w -fcommon -ffp-contract=off"
  # shellcheck disable=SC2086
  clang-22 $flags -O0 -S -emit-llvm -o "modules/$name.ll" "$source"
  # shellcheck disable=SC2086
  clang-22 $flags -O1 -o "$work/$name" "$source" -lm
  "$work/$name" >"expected/$name.out"
done
