/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_COMPARE_H
#define KITH_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "compare/estimate.h"
#include "sample/record.h"

/* Two records side by side, and what one may say of them.  a is in the place of evidence, b of a reference.
 */
enum compare_verdict {
    COMPARE_IDENTICAL, /* SHA-1 and length are equal */
    COMPARE_VARIANT,   /* at least half of each belongs to the other */
    COMPARE_EMBEDDED,  /* one of them, or nearly all of it, lies in the other */
    COMPARE_FRAGMENT,  /* they share a part, or repeated content whose place cannot be told (then there are no
                          ranges) */
    COMPARE_NONE,      /* nothing in common was found */
    COMPARE_TOO_SMALL, /* one has too few bytes to be sampled */
    COMPARE_LOW_ENTROPY, /* one has bytes enough, but they say nothing */
    COMPARE_UNDECIDED,   /* records of the papers' schemes: there is a distance, but no verdict */
};

struct comparison {
    enum compare_verdict verdict;
    bool a_in_b, b_in_a;         /* if embedded: which lies in which */
    uint32_t c;                  /* at which the samples were compared */
    size_t a_samples, b_samples; /* so many */
    struct estimate estimate;    /* its ranges lie in the comparer until the next run */
};

/* What the papers tell, from the signatures alone. */
struct compare_papers {
    uint64_t a_len, b_len; /* characters */
    uint64_t distance;
    double edits_2011, edits_2015;
    double significance;
};

struct comparer;

/* "identical" .., "too-small", "low-entropy", "undecided". */
const char *compare_verdict_name(enum compare_verdict verdict);

/* What comparing needs again and again; NULL without memory. */
struct comparer *compare_new(struct error *err);
void compare_free(struct comparer *comparer);

/*
 * Records of different scheme, n or k are an error; of gf8 records the denser one is reduced to the larger c,
 * of the others a different c is an error, too.
 */
int compare_run(struct comparer *comparer, const struct record *a, const struct record *b,
                struct comparison *out, struct error *err);

/* As compare_run for records of gf8 that need no digests: the verdict is never identical.  hints: as in
 * struct chain_sides, or NULL. */
int compare_relate(struct comparer *comparer, const struct record *a, const struct record *b,
                   const struct chain_hints *hints, struct comparison *out, struct error *err);

/* The distance of the signatures; stop as for distance_bounded: 1 if it said so. */
int compare_signatures(struct comparer *comparer, const struct record *a, const struct record *b,
                       int (*stop)(void *arg), void *arg, struct compare_papers *out, struct error *err);

#endif
