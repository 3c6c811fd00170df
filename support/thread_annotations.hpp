// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clang's thread-safety annotations; nothing under other compilers.
#pragma once

#if defined(__clang__)
#define BERTH_ANNOTATE_(x) __attribute__((x))
#else
#define BERTH_ANNOTATE_(x)
#endif

#define BERTH_CAPABILITY(name) BERTH_ANNOTATE_(capability(name))
#define BERTH_SCOPED_CAPABILITY BERTH_ANNOTATE_(scoped_lockable)
#define BERTH_GUARDED_BY(x) BERTH_ANNOTATE_(guarded_by(x))
#define BERTH_PT_GUARDED_BY(x) BERTH_ANNOTATE_(pt_guarded_by(x))
#define BERTH_REQUIRES(...) BERTH_ANNOTATE_(requires_capability(__VA_ARGS__))
#define BERTH_EXCLUDES(...) BERTH_ANNOTATE_(locks_excluded(__VA_ARGS__))
#define BERTH_ACQUIRE(...) BERTH_ANNOTATE_(acquire_capability(__VA_ARGS__))
#define BERTH_TRY_ACQUIRE(...) BERTH_ANNOTATE_(try_acquire_capability(__VA_ARGS__))
#define BERTH_RELEASE(...) BERTH_ANNOTATE_(release_capability(__VA_ARGS__))
#define BERTH_NO_ANALYSIS BERTH_ANNOTATE_(no_thread_safety_analysis)
