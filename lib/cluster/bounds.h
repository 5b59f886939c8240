/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_BOUNDS_H
#define KITH_BOUNDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cluster/likeness.h"

/*
 * Clusters contents that are not at hand, but of which it is known how much they resemble references.
 *
 * 1 - r is a metric (Broder 1997, section 2), so two contents that resemble the same reference by r and s
 * resemble each other by at least r + s - 1.  What is found is a lower bound: contents may be more alike than
 * the references show.
 */
struct bounds_finding {
    uint32_t content;
    uint32_t reference;
    double resemblance; /* of the two */
};

/*
 * Both set leaders[c] to the first content of its cluster, for each of `contents`: single linkage, or
 * greedily as in greedy.h.  Two contents are related if their bound is at least `resemblance`.  The findings
 * are sorted. Return -1 if out of memory.
 */
int bounds_link(struct bounds_finding *findings, size_t count, double resemblance, uint32_t *leaders,
                size_t contents, struct error *err);
int bounds_join(struct bounds_finding *findings, size_t count, double resemblance, uint32_t *leaders,
                size_t contents, struct error *err);

/* Fills in the best bound of each content and its leader; without one, the likeness has no resemblance.  The
 * findings are sorted. */
void bounds_measure(struct bounds_finding *findings, size_t count, const uint32_t *leaders,
                    struct likeness *likenesses, size_t contents);

#endif
