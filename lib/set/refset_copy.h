/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_COPY_H
#define KITH_REFSET_COPY_H

#include <stdatomic.h>

#include "set/refset_reader.h"
#include "set/refset_writer.h"

/* Copies files of one set into another, with their sources and what is packed in them: the basis of merging,
 * subtracting, intersecting and repairing. */
struct refset_copy {
    int (*keep)(void *arg, const struct known *known,
                struct error *err); /* 1: copy the file, 0: leave it out, -1: error; may be NULL */
    void (*change)(void *arg, uint64_t id,
                   struct known *known); /* may change a file to be copied; may be NULL */
    void *change_arg;
    void (*tell)(void *arg, const char *text); /* receives why a file was not copied */
    void *arg;
    bool forgive;            /* see refset_reader_forgive */
    bool drop_blocks;        /* the sets have different block sizes */
    const atomic_bool *stop; /* set to true to stop copying early; may be NULL */
    atomic_ullong *count;    /* incremented for each file examined; may be NULL */
    uint64_t added, extended, there, left_out, refused, lost_samples;
    const char *from; /* path of the set being read */
};

/* Returns 0 on success, 1 if it was stopped, -1 on error.  Does not commit; the writer does, as it sees
 * fit. */
int refset_copy(struct refset_copy *copy, struct refset *from, struct refset_writer *to, struct error *err);

#endif
