// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Configuration: what an engine is made with; and the export macro that every public function carries.
#ifndef BERTH_CONFIG_H
#define BERTH_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#if defined(BERTH_STATIC)
#define BERTH_API
#else
#define BERTH_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
#define BERTH_BEGIN extern "C" {
#define BERTH_END }
#else
#define BERTH_BEGIN
#define BERTH_END
#endif

BERTH_BEGIN

typedef struct berth_agent berth_agent_t;
typedef struct berth_cancel berth_cancel_t;
typedef struct berth_config berth_config_t;
typedef struct berth_engine berth_engine_t;
typedef struct berth_error berth_error_t;
typedef struct berth_instance berth_instance_t;
typedef struct berth_job berth_job_t;
typedef struct berth_program berth_program_t;
typedef struct berth_source berth_source_t;
typedef struct berth_thread berth_thread_t;
typedef struct berth_device berth_device_t;

typedef enum berth_tier { BERTH_TIER_INTERPRET, BERTH_TIER_FAST, BERTH_TIER_OPTIMIZED, BERTH_TIER_ADAPTIVE } berth_tier_t;
typedef enum berth_cycle_policy { BERTH_CYCLE_SHARE, BERTH_CYCLE_REFUSE } berth_cycle_policy_t;

BERTH_END

#endif
