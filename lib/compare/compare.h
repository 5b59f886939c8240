/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_COMPARE_H
#define KITH_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "compare/estimate.h"
#include "sample/record.h"

/* Compares two records and gives a verdict.  a takes the place of the evidence, b that of a reference. */
enum compare_verdict {
    COMPARE_IDENTICAL, /* same length and SHA-1, and no other digest that both have differs */
    COMPARE_VARIANT,   /* at least half of each matches the other */
    COMPARE_EMBEDDED,  /* one of them, or nearly all of it, is contained in the other */
    COMPARE_FRAGMENT,  /* they share a part, or repetitive content that cannot be located (no ranges then) */
    COMPARE_NONE,      /* nothing in common was found */
    COMPARE_TOO_SMALL, /* one is too small to be sampled, or for a window */
    COMPARE_LOW_ENTROPY, /* one is large enough, but its bytes are not distinctive */
    COMPARE_UNDECIDED,   /* records of the papers' schemes, which have a distance but no verdict */
};

struct comparison {
    enum compare_verdict verdict;
    bool a_in_b, b_in_a;         /* if embedded: which is contained in the other */
    bool reordered;              /* a variant: the same content in another order */
    uint32_t c;                  /* at which the samples were compared */
    size_t a_samples, b_samples; /* number of samples at that c */
    struct estimate estimate;    /* its ranges belong to the comparer and are valid until its next run */
};

/* Signatures that are expected to be fewer edits than this apart if unrelated are too short: their distance
 * may be any by chance. */
enum { COMPARE_PAPERS_LEAST = 10 };

/* The measures of Coates' papers, from the signatures alone. */
struct compare_papers {
    uint64_t a_len, b_len; /* characters */
    uint64_t distance;
    double expected; /* the distance of unrelated contents: E */
    bool too_short;  /* E is below COMPARE_PAPERS_LEAST: what follows means nothing */
    bool unrelated;  /* the distance is at least E */
    double edits_2011, edits_2015;
    uint64_t edits_least; /* the difference of the contents' lengths, a lower bound */
    double significance;  /* as published; it is positive beyond E, too */
};

struct comparer;

/* "identical" .., "too-small", "low-entropy", "undecided". */
const char *compare_verdict_name(enum compare_verdict verdict);

/* Work space, reusable for any number of comparisons; NULL without memory. */
struct comparer *compare_new(struct error *err);
void compare_free(struct comparer *comparer);

/*
 * Compares two records.  -1 without memory, or if scheme, n or k differ, unless the contents are identical.
 * If c differs, the denser of two gf8 records is reduced to the larger c; for the other schemes that is an
 * error, too.
 */
int compare_run(struct comparer *comparer, const struct record *a, const struct record *b,
                struct comparison *out, struct error *err);

/* Like compare_run, but ignores digests, so the verdict is never identical.  Both records must be of scheme
 * gf8 with the same n.  hints: as in struct chain_sides, or NULL. */
int compare_relate(struct comparer *comparer, const struct record *a, const struct record *b,
                   const struct chain_hints *hints, struct comparison *out, struct error *err);

/* The factors of the estimate of 2015 and of the significance, for records of a type (factors.h), instead of
 * COATES_FACTOR for both. */
void compare_set_factors(struct comparer *comparer, double contents, double signatures);

/* The distance between the signatures.  stop: as for distance_bounded; returns 1 if that stopped it, -1 on
 * error. */
int compare_signatures(struct comparer *comparer, const struct record *a, const struct record *b,
                       int (*stop)(void *arg), void *arg, struct compare_papers *out, struct error *err);

#endif
