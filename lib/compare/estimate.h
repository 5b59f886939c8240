/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_ESTIMATE_H
#define KITH_ESTIMATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "compare/chain.h"
#include "sample/sampler.h"

/*
 * How far apart two contents are, from their samples alone: the matched ranges, resemblance and containment,
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

/* Bytes of a and of b that belong together, half open.  They may differ in places: see estimate.c. */
struct estimate_range {
    uint64_t a_start, a_end;
    uint64_t b_start, b_end;
    uint64_t anchors; /* samples that match in it */
};

struct estimate {
    uint64_t shared;    /* different samples that both have */
    double resemblance; /* of those that either has */
    double a_in_b;      /* containment: of a's samples, those that b has, too */
    double b_in_a;
    uint64_t anchors; /* matches in the longest chain */
    double edits;
    double edits_low, edits_high;        /* meant to hold in 95 % of cases */
    uint64_t a_matched, b_matched;       /* bytes in ranges */
    const struct estimate_range *ranges; /* by a_start; they lie in the estimator until the next run */
    size_t range_count;
    const struct estimate_range
        *solid; /* of that, from match to match with nothing between that does not match */
    size_t solid_count;
};

struct estimator;

/* NULL without memory. */
struct estimator *estimate_new(struct error *err);
void estimate_free(struct estimator *estimator);

/* hints: as in struct chain_sides, or NULL. */
int estimate_run(struct estimator *estimator, const struct estimate_side *a, const struct estimate_side *b,
                 uint32_t n, uint32_t c, const struct chain_hints *hints, struct estimate *out,
                 struct error *err);

/*
 * The distance per byte of contents that have nothing to do with each other, from the coincidence of their
 * bytes: the more often two bytes are equal by chance, the more of them an alignment saves.
 */
double estimate_unrelated(uint32_t a_coincidence, uint32_t b_coincidence);

#endif
