/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_COPY_H
#define KITH_REFSET_COPY_H

#include <stdatomic.h>

#include "refset_reader.h"
#include "refset_writer.h"

/* Files of one set into another, with their sources: what merging, subtracting, intersecting and repairing are made of. */
struct refset_copy {
    int (*keep)(void *arg, const struct known *known, struct error *err); /* 1: copy, 0: leave out, -1: error; or NULL */
    void (*lost)(void *arg, const char *text);                            /* see refset_reader_forgive; or NULL */
    void *arg;
    bool drop_blocks;         /* the sets' blocks have different sizes */
    const atomic_bool *stop;  /* becomes true when copying is to end early; may be NULL */
    atomic_ullong *count;     /* files that were looked at; may be NULL */
    uint64_t added, extended, there, left_out;
};

/* 1 if it was stopped.  Commits nothing by itself but what the writer does. */
int refset_copy(struct refset_copy *copy, struct refset *from, struct refset_writer *to, struct error *err);

#endif
