/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EXAMINE_H
#define KITH_EXAMINE_H

#include "match/alignment.h"
#include "match/regions.h"

/*
 * Stages 5 to 7: turns a region into a finding.  The chain is aligned with the object, its evidence is proved
 * as far as possible, and a verdict is given.
 */
struct examiner;

/* Findings with a larger ln E are discarded.  Returns NULL on error. */
struct examiner *examine_new(double most_ln_e, struct error *err);
void examine_free(struct examiner *examiner);

/* Begins an object that was searched in this way; needed before the first of its regions.  Returns -1 if out
 * of memory. */
int examine_begin(struct examiner *examiner, const struct seeds *seeds, const struct queries *queries,
                  const struct subject *subject, struct error *err);
/* Returns 1 and appends a finding to the list (without its set, which the caller fills in), 0 if there is no
 * evidence, -1 on error. */
int examine_region(struct examiner *examiner, const struct seeds *seeds, const struct queries *queries,
                   const struct subject *subject, const struct region *region, struct effort *effort,
                   struct findings *findings, struct error *err);

#endif
