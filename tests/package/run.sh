#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run.sh BUILD SOURCE: installs into an empty prefix, builds C and C++ clients with find_package and pkg-config, and runs them.
set -euo pipefail
build=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >/dev/null
export CMAKE_PREFIX_PATH="$work/prefix"
export PKG_CONFIG_PATH; PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name berth.pc)")
export LD_LIBRARY_PATH; LD_LIBRARY_PATH=$(dirname "$(find "$work/prefix" -name libberth.so)")

echo "== find_package, C"
cmake -S "$source/examples/embed_c" -B "$work/c" >/dev/null
cmake --build "$work/c" >/dev/null
"$work/c/embed_c"
echo "== find_package, C++"
cmake -S "$source/tests/package" -B "$work/cxx" >/dev/null
cmake --build "$work/cxx" >/dev/null
"$work/cxx/client_engine"
"$work/cxx/client_berth"
env -u LD_LIBRARY_PATH -u BERTH_COMPILE_WORKER "$work/cxx/client_isolated"
echo "== find_package, schedule explorer"
cmake -S "$source/examples/schedules" -B "$work/schedules" >/dev/null
cmake --build "$work/schedules" >/dev/null
"$work/schedules/schedules"
echo "== pkg-config, C"
# shellcheck disable=SC2046
cc -std=c11 -Wall -Wextra -Wpedantic -Werror $(pkg-config --cflags berth) "$source/examples/embed_c/embed_c.c" -o "$work/embed_c" \
  $(pkg-config --libs berth) -lpthread
"$work/embed_c"
echo "== pkg-config, C++ without LLVM"
# shellcheck disable=SC2046
c++ -std=c++20 -Wall -Wextra -Werror $(pkg-config --cflags berth-engine) "$source/tests/package/client.cpp" -o "$work/client" \
  $(pkg-config --libs berth-engine)
if grep -q "from_ir" <(nm -D --undefined-only "$work/client"); then echo "client needs LLVM" >&2; exit 1; fi
"$work/client"
echo "== only berth_ symbols are exported"
for library in libberth.so libberth_engine.so; do
  if nm -D --defined-only "$LD_LIBRARY_PATH/$library" | awk '$2 != "A" {print $3}' | grep -v '^berth_'; then
    echo "$library exports more than the C API" >&2; exit 1
  fi
done
