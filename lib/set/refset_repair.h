/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_REPAIR_H
#define KITH_REFSET_REPAIR_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Replaces a damaged set with a new one that holds everything sound in it.
 *
 * The new set takes the damaged one's place, with its identity, access rights and owner.  The damaged set is
 * kept beside it as PATH.damaged, with a number appended if that name is taken.  If nothing can be recovered,
 * or anything fails, the damaged set stays where it is.
 */
struct refset_repair {
    /* in: */
    void (*tell)(void *arg, const char *text); /* receives a message for each loss */
    void *arg;
    const char *tool; /* as for refset_create */
    int64_t now;
    atomic_ullong *count; /* incremented for each file examined; may be NULL */
    /* out: */
    uint64_t had, kept; /* number of files */
    uint64_t lost_samples;
    char *damaged; /* path of the damaged set */
};

/* Repairs the set at the path, to which no other process may be writing.  Results are valid only if it
 * returns 0; release them in any case. */
int refset_repair(struct refset_repair *repair, const char *path, struct error *err);
void refset_repair_release(struct refset_repair *repair);

#endif
