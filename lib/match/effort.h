/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EFFORT_H
#define KITH_EFFORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disk/inspector.h"

/*
 * The work done for an object, and its limit: content that is related to everything must not take forever.
 * The unit is one sample going through a comparison (30 ns on a processor of 2023); faster steps count as
 * fractions of it.  Work is counted, not timed, so results are the same on every machine; and because it is
 * bounded, it may be reported as progress however slow the machine is.
 */
struct effort {
    uint64_t done, most;
    uint64_t most_search;                /* what of it may be done before anything is compared */
    uint64_t reported;                   /* the value of done at the last report */
    const struct inspector_watch *watch; /* NULL: progress is not reported */
};

/* Half a second at 30 ns each.  A worker is stopped after 20 s without progress, so a machine may be forty
 * times slower (work_is_reported_as_progress_at_intervals). */
enum { EFFORT_REPORT = 1 << 24 };

/* Bytes that are read again and hashed in the time of one sample: 1 GB/s. */
enum { EFFORT_HASHED = 32 };

/* Counts work, and reports it as progress now and then. */
static inline void effort_add(struct effort *effort, uint64_t work)
{
    effort->done += work;
    if (effort->done - effort->reported < EFFORT_REPORT)
        return;
    effort->reported = effort->done;
    if (effort->watch)
        effort->watch->progress(effort->watch->arg);
}

/* Whether the limit has been reached. */
static inline bool effort_is_spent(const struct effort *effort)
{
    return effort->done >= effort->most;
}

/* Leaves half of what is left for comparing what the search will find. */
static inline void effort_begin_search(struct effort *effort)
{
    effort->most_search =
        effort_is_spent(effort) ? effort->done : effort->most - (effort->most - effort->done) / 2;
}

/* Whether the search must end. */
static inline bool effort_search_is_spent(const struct effort *effort)
{
    return effort->done >= effort->most_search;
}

/* Limits the work to a part of what is left, so that something is left for the others: `part` of `whole`, not
 * 0.  Returns the limit before, to which .most is to be set afterwards. */
static inline uint64_t effort_share(struct effort *effort, uint64_t part, uint64_t whole)
{
    const uint64_t most = effort->most;

    if (!effort_is_spent(effort) && part < whole)
        effort->most =
            effort->done + (uint64_t)((double)(most - effort->done) * ((double)part / (double)whole));
    return most;
}

#endif
