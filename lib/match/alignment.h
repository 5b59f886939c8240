/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_ALIGNMENT_H
#define KITH_ALIGNMENT_H

#include "compare/compare.h"
#include "match/chains.h"

/*
 * Stage 5: which bytes of the object belong to which bytes of the reference.
 *
 * In: a region's chain.  The samples of the object about there, the window, are compared with those of the
 * reference; a set tells only place and character of these, so they get fingerprints again where the object
 * has the same (naming.h).  Out: an alignment, the estimate of which counts from the window's start.
 */
struct alignment {
    const struct subject *subject;
    const struct seed_chain *chain;
    const struct set_record *record;
    const struct record *window;    /* the object's samples from start to end */
    const struct record *reference; /* the reference's */
    uint64_t start, end;            /* bytes of the object */
    bool whole;                     /* the window is the object */
    struct comparison comparison;   /* its ranges lie in the aligner until the next comparison */
};

struct aligner;

/* NULL on error. */
struct aligner *alignment_new(struct error *err);
void alignment_free(struct aligner *aligner);

/*
 * Aligns a chain of these seeds and queries: 1; 0 if its reference is not in the set any more; -1.  What is
 * in the alignment is borrowed, or the aligner's until the next one.
 */
int alignment_make(struct aligner *aligner, const struct seeds *seeds, const struct queries *queries,
                   const struct subject *subject, const struct seed_chain *chain, struct effort *effort,
                   struct alignment *alignment, struct error *err);
/*
 * Compares only the part of the object in which the reference lies, if all of it does, as these ranges say:
 * its comparison, which is valid as long as that of the alignment, which is not any more.
 */
int alignment_trim(struct aligner *aligner, struct alignment *alignment, uint64_t obj_start, uint64_t obj_end,
                   uint64_t ref_start, uint64_t ref_end, struct effort *effort, struct comparison *comparison,
                   struct error *err);

#endif
