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
 * Hashes, samples and matches in one pass: an inspector for evidence.
 *
 * The sets are opened by the process that hands out the work, and again by each worker, which shares the
 * filters of the first.  The result of an object is a list of parts: either one, or its chunks.
 */
struct scanner_plan {
    const char *const *paths; /* paths of the sets */
    struct refset_search *const *searches;
    const struct sampler_key *const *keys; /* with which each set is sampled, NULL if without; or NULL */
    size_t count;
    struct matcher_options matching;
    uint32_t c;       /* C for large objects; small ones are sampled more densely */
    unsigned digests; /* mask of DIGEST_BIT */
    uint64_t most;    /* in bytes; larger objects are not read */
    uint64_t chunk;   /* in bytes; 0: objects are not cut into chunks */
};

/* Returns the C at which a scan samples large objects, for sets of which the densest has this one. */
uint32_t scanner_rate(uint32_t c, bool deep);

/* Fills in C, from the smallest of the sets, and adds to the digests SHA-1 and those by which all files of
 * the sets can be found.  Returns -1 if sets with samples differ in n, or have too many keys. */
int scanner_plan_sets(struct scanner_plan *plan, bool deep, struct error *err);

/* The plan must outlive the inspector; scanner_inspector_release frees the list of folders. */
int scanner_inspector(struct inspector *inspector, const struct scanner_plan *plan, struct error *err);
void scanner_inspector_release(struct inspector *inspector);

/* One part of an object's result. */
struct scanner_part {
    uint64_t start, len;
    struct digest_values digests;
    enum verdict verdict; /* of the best finding, or the reason why there is none */
    struct findings findings;
};

struct scanner_result {
    struct wire wire;
    uint64_t size; /* of the object, in bytes */
    uint64_t at;   /* offset of the next part */
    bool begun;
};

enum { SCANNER_INVALID = -2 };

/*
 * Reads an object's result part by part.  Returns 1, 0 at the end, -1 if the worker failed, or
 * SCANNER_INVALID if no worker would send this result unless it was taken over.
 */
void scanner_result_begin(struct scanner_result *result, const struct object *object);
int scanner_result_next(struct scanner_result *result, const struct scanner_plan *plan,
                        struct scanner_part *part, struct error *err);

#endif
