/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_REPAIR_H
#define KITH_REFSET_REPAIR_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/error.h"

/*
 * A new set of all that is sound in a damaged one.
 *
 * It takes the damaged set's place, with its identity, access rights and owner.  The damaged one stays beside
 * it as PATH.damaged, or with a number after that if the name is taken.  If nothing can be saved, or anything
 * fails, the damaged set stays where it is.
 */
struct refset_repair {
    /* what is to be given: */
    void (*tell)(void *arg, const char *text); /* of each thing that is lost */
    void *arg;
    const char *tool; /* as for refset_create */
    int64_t now;
    atomic_ullong *count; /* files that were looked at; may be NULL */
    /* what came out: */
    uint64_t had, kept; /* files */
    uint64_t lost_samples;
    char *damaged; /* where the damaged set is now */
};

/* Repairs the set at the path, to which nobody may be writing.  The results have a meaning if it returns 0.
 * To be released in any case. */
int refset_repair(struct refset_repair *repair, const char *path, struct error *err);
void refset_repair_release(struct refset_repair *repair);

#endif
