/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LIKENESS_H
#define KITH_LIKENESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* How alike two documents are, and how alike they must be. */
struct likeness {
    bool has_resemblance, has_containment, has_edits, has_interval; /* what the judge can measure */
    double resemblance;                                             /* Broder 1997, section 2: 0..1 */
    double a_in_b, b_in_a;                                          /* containment: 0..1 */
    double edits, edits_low, edits_high;                            /* bytes; with an interval of 95 % */
    bool has_share_intervals; /* of the shares, of 95 % (Wilson); else the bounds are the shares themselves */
    double resemblance_low, resemblance_high;
    double a_in_b_low, a_in_b_high, b_in_a_low, b_in_a_high;
    uint64_t common, compared; /* samples or values that the resemblance is the share of; 0, 0: not known */
    uint64_t a_matched, b_matched; /* bytes in matching ranges, if the judge knows them */
};

/* What two documents must have to be related; every limit that is given must be met. */
struct likeness_limits {
    double resemblance;     /* at least; 0: not given */
    double containment;     /* of either in the other, at least; 0: not given */
    bool has_edits;         /* whether edits are limited: */
    double most_edits;      /* bytes; INFINITY: only by the share */
    double most_edit_share; /* of the longer of the two; INFINITY: only by the number of bytes */
    bool certain;           /* the worse end of the interval must meet the limits, not the estimate */
};

/* Sets the intervals of the shares from the distinct samples of a, of b, and those in both. */
void likeness_set_intervals(struct likeness *likeness, uint64_t shared, uint64_t of_a, uint64_t of_b);

/* Whether two documents of these sizes in bytes meet the limits. */
bool likeness_meets(const struct likeness_limits *limits, const struct likeness *likeness, uint64_t a_size,
                    uint64_t b_size);

/*
 * Whether they may meet the limits, if the index found `shared` fingerprints in both and left out up to
 * `hidden` more that both may have (those too common to be indexed).  rarer and denser: the number of their
 * different fingerprints, of which only the rarer document's are known to be compared if the other was
 * sampled at a smaller C (same_rate is false).
 */
bool likeness_may_meet(const struct likeness_limits *limits, uint64_t shared, uint64_t hidden, uint64_t rarer,
                       uint64_t denser, bool same_rate);

/* Compares documents by number, in one thread. */
struct likeness_judge {
    /* A state for one thread; NULL on error. */
    void *(*open)(const void *arg, struct error *err);
    void (*close)(void *state);
    /* Whether the documents may meet the limits, by the number of fingerprints the index found in both. */
    bool (*may)(const void *state, uint32_t a, uint32_t b, uint32_t shared);
    /* Compares them.  Returns 1 if they meet the limits, 0 if not, -1 on error. */
    int (*compare)(void *state, uint32_t a, uint32_t b, struct likeness *out, struct error *err);
    const void *arg;
};

#endif
