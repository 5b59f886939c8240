/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_WHOLE_H
#define KITH_WHOLE_H

#include "match/regions.h"

/*
 * Which references lie in the object to the bit.
 *
 * The bytes where a chain says that its reference lies are hashed, if it explains about as many samples as
 * the reference has, and the digest is looked up: so of a thousand near-copies the right one is found without
 * comparing them, be it one that was only counted.
 */

/* Marks those that lie there to the bit, and puts all into another order; the digest is a SHA-1. */
int whole_mark(struct digest *digest, struct region *regions, size_t count, const struct seeds *seeds,
               const struct queries *queries, const struct subject *subject, struct error *err);

/* The finding for one that was marked, but for its set and file. */
int whole_find(struct set *set, const struct subject *subject, const struct region *region,
               struct finding *finding, struct error *err);

#endif
