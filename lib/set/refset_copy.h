/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_COPY_H
#define KITH_REFSET_COPY_H

#include <stdatomic.h>

#include "set/refset_reader.h"
#include "set/refset_writer.h"

/* Files of one set into another, with their sources: what merging, subtracting, intersecting and repairing
 * are made of. */
struct refset_copy {
    int (*keep)(void *arg, const struct known *known,
                struct error *err);            /* 1: copy, 0: leave out, -1: error; or NULL */
    void (*tell)(void *arg, const char *text); /* of what cannot be copied, and the rest is */
    void *arg;
    bool forgive;            /* see refset_reader_forgive */
    bool drop_blocks;        /* the sets' blocks have different sizes */
    const atomic_bool *stop; /* becomes true when copying is to end early; may be NULL */
    atomic_ullong *count;    /* files that were looked at; may be NULL */
    uint64_t added, extended, there, left_out, refused, lost_samples;
    const char *from; /* path of the set that is being read */
};

/* 1 if it was stopped.  Commits nothing by itself but what the writer does. */
int refset_copy(struct refset_copy *copy, struct refset *from, struct refset_writer *to, struct error *err);

#endif
