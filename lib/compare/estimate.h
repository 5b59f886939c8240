/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_ESTIMATE_H
#define KITH_ESTIMATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "compare/chain.h"
#include "sample/sampler.h"

/*
 * Estimates from samples alone how two contents are related: matching ranges, resemblance and containment,
 * and the Levenshtein distance in bytes with an interval.
 *
 * Both lists of samples are of scheme gf8, with the same n and the same c.
 */
struct estimate_side {
    const struct sample *samples;
    size_t count;
    uint64_t len;
    uint32_t coincidence; /* as in struct sampler_result */
};

/* Matching bytes of a and b, as half-open ranges.  They may differ in places: see estimate.c. */
struct estimate_range {
    uint64_t a_start, a_end;
    uint64_t b_start, b_end;
    uint64_t anchors; /* number of matching samples in it */
};

struct estimate {
    uint64_t shared;    /* distinct samples in both */
    double resemblance; /* shared / distinct samples in either */
    double a_in_b;      /* containment: shared / distinct samples of a */
    double b_in_a;
    uint64_t of_a, of_b; /* distinct samples of each */
    uint64_t single;     /* samples that occur once in each, */
    uint64_t in_order;   /* and those of them in the longest chain, so in the same order in both */
    uint64_t anchors;    /* matches in the longest chain */
    double edits;
    double edits_low, edits_high;        /* intended to hold in 95 % of cases */
    double point, point_low, point_high; /* edits if all were of single bytes: estimate_point.c */
    uint64_t a_matched, b_matched;       /* bytes in ranges */
    const struct estimate_range *ranges; /* sorted by a_start; the estimator's, valid until its next run */
    size_t range_count;
    const struct estimate_range *solid; /* the parts of ranges with no unmatched sample between matches */
    size_t solid_count;
};

struct estimator;

/* NULL without memory. */
struct estimator *estimate_new(struct error *err);
void estimate_free(struct estimator *estimator);

/* Compares two lists of samples.  hints: as in struct chain_sides, or NULL.  -1 without memory. */
int estimate_run(struct estimator *estimator, const struct estimate_side *a, const struct estimate_side *b,
                 uint32_t n, uint32_t c, const struct chain_hints *hints, struct estimate *out,
                 struct error *err);

/* Makes these the ranges of an estimate: sorts them, and computes the matched bytes.  They are borrowed. */
void estimate_measure(struct estimate_range *ranges, size_t count, struct estimate *out);

/*
 * The expected distance per byte of unrelated contents, from the coincidence of their bytes: the more often
 * two bytes are equal by chance, the more edits an alignment saves.
 */
double estimate_unrelated(uint32_t a_coincidence, uint32_t b_coincidence);

#endif
