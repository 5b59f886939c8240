/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_NAMING_H
#define KITH_NAMING_H

#include "match/chains.h"
#include "sample/record.h"

/*
 * A set stores the place and the character of a reference's samples, not their fingerprints.  Here they get
 * fingerprints again: samples that were looked up, samples that lie on a diagonal where the object has one
 * with the same character, and samples known to be equal to one of these.  All others match nothing.
 */
struct naming {
    const struct seeds *seeds;
    const struct queries *queries;
    const struct seed_chain *chain;
    const struct set_record *record;
    const struct record *window; /* samples of the object, */
    uint64_t start, end;         /* the window's offsets in the object */
    bool same_window;            /* the window is that of the previous call */
    struct record *reference; /* its samples have characters in place of fingerprints, and get fingerprints */
    bool *alone;              /* out: the samples that got none, so match nothing */
};

struct namer;

/* Returns NULL if out of memory. */
struct namer *naming_new(struct error *err);
void naming_free(struct namer *namer);
int naming_run(struct namer *namer, const struct naming *naming, struct error *err);

#endif
