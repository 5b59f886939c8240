/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_ALIGNMENT_H
#define KITH_ALIGNMENT_H

#include "compare/compare.h"
#include "match/chains.h"

/*
 * Stage 5: maps bytes of the object to bytes of the reference.
 *
 * In: the chain of a region.  The object's samples around it, the window, are compared with those of the
 * reference.  A set stores only the place and character of a reference's samples, so those that also occur in
 * the object first get their fingerprints back (naming.h).  Out: an alignment; offsets in its estimate count
 * from the start of the window.
 */
struct alignment {
    const struct subject *subject;
    const struct seed_chain *chain;
    const struct set_record *record;
    const struct record *window;    /* the object's samples between start and end */
    const struct record *reference; /* those of the reference */
    uint64_t start, end;            /* offsets in the object, half open */
    bool whole;                     /* the window is the whole object */
    struct comparison comparison;   /* its ranges are valid until the next one */
};

struct aligner;

/* Returns NULL on error. */
struct aligner *alignment_new(struct error *err);
void alignment_free(struct aligner *aligner);

/*
 * Aligns a chain made of these seeds and queries.  Returns 1 on success, 0 if the reference is no longer in
 * the set, -1 on error.  What the alignment points to is borrowed, or belongs to the aligner and is valid
 * until the next call.
 */
int alignment_make(struct aligner *aligner, const struct seeds *seeds, const struct queries *queries,
                   const struct subject *subject, const struct seed_chain *chain, struct effort *effort,
                   struct alignment *alignment, struct error *err);
/*
 * Repeats the comparison with only that part of the object in which the whole reference would lie, judging by
 * a range of the object and the range of the reference that matches it.  This invalidates
 * alignment->comparison; *comparison is valid until the next comparison.
 */
int alignment_trim(struct aligner *aligner, struct alignment *alignment, uint64_t obj_start, uint64_t obj_end,
                   uint64_t ref_start, uint64_t ref_end, struct effort *effort, struct comparison *comparison,
                   struct error *err);

#endif
