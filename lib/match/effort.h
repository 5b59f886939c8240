/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EFFORT_H
#define KITH_EFFORT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * How much was done for an object, and how much may be: content that is related to everything must not take
 * for ever.  A sample that goes through a comparison counts one, what is done in a fraction of that time
 * counts as much less.  It is counted, not measured, so the outcome is the same on every machine.
 */
struct effort {
    uint64_t done, most;
};

static inline bool effort_is_spent(const struct effort *effort)
{
    return effort->done >= effort->most;
}

#endif
