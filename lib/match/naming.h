/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_NAMING_H
#define KITH_NAMING_H

#include "match/chains.h"
#include "sample/record.h"

/*
 * A set has the place and the character of a reference's samples; here they get fingerprints again: those
 * that were looked up, those that lie on a diagonal where the object has a sample with the same character,
 * and those that are known to be equal to one of these.  The others match nothing.
 */
struct naming {
    const struct seeds *seeds;
    const struct queries *queries;
    const struct seed_chain *chain;
    const struct set_record *record;
    const struct record *window; /* samples of the object, */
    uint64_t start, end;         /* of these bytes of it */
    bool same_window;            /* it is that of the call before */
    struct record *reference;    /* its samples have characters for fingerprints, and get these */
    bool *alone;                 /* those that got none, as they match nothing */
};

struct namer;

/* NULL without memory. */
struct namer *naming_new(struct error *err);
void naming_free(struct namer *namer);
int naming_run(struct namer *namer, const struct naming *naming, struct error *err);

#endif
