// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// berth-compile-worker: reads, checks and generates code for one Berth process, which starts and ends it.
extern "C" int berth_compile_worker(int argc, char** argv);

int main(int argc, char** argv) { return berth_compile_worker(argc, argv); }
