/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_WHOLE_H
#define KITH_WHOLE_H

#include "match/regions.h"

/*
 * Finds references that lie in the object bit for bit.
 *
 * Where a chain explains about as many samples as its reference has, the bytes where the reference should lie
 * are hashed and the digest is looked up.  So the right one of a thousand near-copies is found without
 * comparing them, even if it was only counted.
 */

/* Marks the regions whose references lie there bit for bit, and reorders all regions; the digest computes
 * SHA-1. */
int whole_mark(struct digest *digest, struct region *regions, size_t count, const struct seeds *seeds,
               const struct queries *queries, const struct subject *subject, struct effort *effort,
               struct error *err);

/* Fills the finding for a region that was marked, except for its set, file and E. */
int whole_find(struct set *set, const struct subject *subject, const struct region *region,
               struct finding *finding, struct error *err);

#endif
