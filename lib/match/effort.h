/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EFFORT_H
#define KITH_EFFORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disk/inspector.h"

/*
 * How much was done for an object, and how much may be: content that is related to everything must not take
 * for ever.  A sample that goes through a comparison counts one (30 ns of a processor of 2023), what is done
 * in a fraction of that time counts as much less.  It is counted, not measured, so the outcome is the same on
 * every machine; and since there is an end to it, it may be reported as progress however slow the machine is.
 */
struct effort {
    uint64_t done, most;
    uint64_t reported;                   /* of what is done */
    const struct inspector_watch *watch; /* NULL: nobody wants to know */
};

/* Half a second at 30 ns each; a worker is stopped after 20 s without progress, so a machine may be forty
 * times slower.  (work_is_reported_as_progress_now_and_then) */
enum { EFFORT_REPORT = 1 << 24 };

/* Counts what was done, and reports it now and then. */
static inline void effort_add(struct effort *effort, uint64_t work)
{
    effort->done += work;
    if (effort->done - effort->reported < EFFORT_REPORT)
        return;
    effort->reported = effort->done;
    if (effort->watch)
        effort->watch->progress(effort->watch->arg);
}

static inline bool effort_is_spent(const struct effort *effort)
{
    return effort->done >= effort->most;
}

#endif
