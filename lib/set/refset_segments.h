/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_SEGMENTS_H
#define KITH_REFSET_SEGMENTS_H

#include "set/refset_inner.h"

/* The segments that the indexes of a set consist of; see refset_index.h. */

enum refset_index {
    REFSET_FEATURE, /* key of a fingerprint -> the first sample in each file that has it */
    REFSET_COMMON,  /* sample -> key, for common features; never looked up, so it has no filter */
    REFSET_SHA1,    /* refset_digest_key -> file */
    REFSET_MD5,
    REFSET_SHA256,
    REFSET_INDEXES,
};

struct refset_segment {
    int64_t id;
    enum refset_index index;
    uint64_t entries, keys, blocks; /* blocks: size of the filter */
    uint64_t marks;                 /* entries that mark common keys */
    uint64_t generation;            /* generation of the set when it was written */
};

struct refset_segments {
    struct refset_segment *list; /* by index, then from large to small */
    size_t count, room;
};

/* Reads all current segments.  An invalid row is an error; or, if bad is not NULL, it is left out and counted
 * in *bad. */
int refset_segments_read(struct refset *set, struct refset_segments *segments, unsigned *bad,
                         struct error *err);
void refset_segments_release(struct refset_segments *segments);

#endif
