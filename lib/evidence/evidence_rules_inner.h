/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EVIDENCE_RULES_INNER_H
#define KITH_EVIDENCE_RULES_INNER_H

/* Shared by the files of this module: evidence_rules_task.c knows what tasks consist of and what they may
 * cost, evidence_rules.c checks results. */

#include "base/wire.h"
#include "evidence/evidence_rules.h"

enum { EVIDENCE_RULES_SYSTEM = 4 /* numbers written by evidence_put_system */ };

/* The number at a place in a task, counted in numbers; 0 if there is none. */
uint64_t evidence_rules_number(const void *task, size_t len, uint64_t place);
enum evidence_task evidence_rules_kind(const void *task, size_t len);
/* The items of a task as the crew counts them, in halves. */
uint64_t evidence_rules_crew_items(const void *task, size_t len);
/* Positions a wire at the first object of a TASK_FILES. */
struct wire evidence_rules_files(const void *task, size_t len);

#endif
