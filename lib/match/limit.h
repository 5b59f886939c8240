/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LIMIT_H
#define KITH_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "set/refset.h"

/*
 * The detection limit: how many of the fragments of a length are found that are copied from a file of a set
 * into other content.
 *
 * A model of all that must come together.  Windows are sampled at random, so that a fragment has as many
 * samples as chance and its content give it.  It is found as soon as
 *   - three of its samples are looked up: those of the file that the object has as well,
 *   - three samples of the file, with no wide gap between them, span the bytes that count as evidence, or
 *     there are enough samples to be evidence without that, and
 *   - E of these samples, which line up (chance_line.h), is low enough for the set.
 * This is simulated for some thousand fragments that grow until they are found; the lengths at which they are
 * give the share for any length.  The same search always gives the same result.
 *
 * The model knows nothing of tables and runs, which are no evidence however long they are; of content that
 * many files of a set share; and of fragments that were edited.
 */
struct limit_search {
    uint32_t n;           /* bytes in a sample */
    uint32_t reference_c; /* at which the file is indexed, and compared: known_c */
    uint32_t object_c;    /* at which objects are sampled */
    double bytes;         /* of all files of the set that are sampled */
    double most_ln_e;     /* findings with a larger ln E are discarded */
    bool is_even;         /* the content is like random bytes, which have as many samples everywhere */
};

struct limit;

/* Returns the search for a file of this many bytes in a set, where objects are sampled at this C. */
struct limit_search limit_search_of(const struct refset_info *info, uint64_t file_len, uint32_t object_c,
                                    double most_ln_e);

/* Simulates a search.  NULL if out of memory. */
struct limit *limit_new(const struct limit_search *search, struct error *err);
void limit_free(struct limit *limit);

/* Returns the share of fragments of this many bytes that are found, 0..1. */
double limit_share(const struct limit *limit, uint64_t len);
/* Returns the least number of bytes from which on at least this share (above 0, at most 1) of fragments is
 * found; UINT64_MAX: no length suffices. */
uint64_t limit_len(const struct limit *limit, double share);

#endif
