/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SCANNER_H
#define KITH_SCANNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "disk/inspector.h"
#include "match/matcher.h"
#include "set/refset_search.h"

/*
 * Hashing, sampling and matching in one pass: an inspector for evidence.
 *
 * The sets are opened by the process that hands out the work, and again by each worker, which uses the
 * filters of the first.  What comes out of an object is a list of parts: one, or its chunks.
 */
struct scanner_plan {
    const char *const *paths; /* of the sets */
    struct refset_search *const *searches;
    size_t count;
    struct matcher_options matching;
    uint32_t c;       /* at which large objects are sampled; small ones are sampled more densely */
    unsigned digests; /* a set of DIGEST_BIT */
    uint64_t most;    /* bytes of an object; larger ones are not read */
    uint64_t chunk;   /* bytes of a chunk; 0: objects are taken whole */
};

/* What the plan needs: the n of all sets that have samples, the least C, the digests that find all files.  -1
 * if the sets do not go together. */
int scanner_plan_sets(struct scanner_plan *plan, bool deep, struct error *err);

/* The plan must stay; release gives the folders back. */
int scanner_inspector(struct inspector *inspector, const struct scanner_plan *plan, struct error *err);
void scanner_inspector_release(struct inspector *inspector);

/* A part of an object. */
struct scanner_part {
    uint64_t start, len;
    struct digest_values digests;
    enum verdict verdict; /* of the best finding, or why there is none */
    struct findings findings;
};

struct scanner_result {
    struct wire wire;
    uint64_t size; /* of the object */
    uint64_t at;   /* where the next part begins */
    bool begun;
};

/*
 * Reads the parts out of an object's result, one by one: 1; 0 at the end; -1 if the worker failed, or the
 * result is none.
 */
void scanner_result_begin(struct scanner_result *result, const struct object *object);
int scanner_result_next(struct scanner_result *result, const struct scanner_plan *plan,
                        struct scanner_part *part, struct error *err);

#endif
