/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_MATCHER_H
#define KITH_MATCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/error.h"
#include "compare/finding.h"
#include "disk/inspector.h"
#include "sample/sample.h"
#include "set/set.h"

/*
 * What an object has to do with the files of reference sets.
 *
 * Its samples come in order, as they are taken; those that pass a set's filter are kept.  At the end:
 *
 *   0. An empty object says nothing, though many sets have an empty file.
 *   1. The digests are looked up.  A set that has the very file says no more of the object, and if a set of
 * kind known has it, no other set is asked for more than its digests.
 *   2. Some of the kept samples are looked up, and the references whose samples line up (chance.h) explain
 * others, until all are explained or looked up.  A sample that a known set has, too, is no evidence for
 * another set; one that stands alone is none for any.
 *   3. Each reference that is believed is compared with the part of the object where it lies, and then
 * proved: the bytes that its blocks must occupy are read again and hashed.
 *   4. Of references that explain the same bytes the best is told and the others are counted.
 *
 * Memory does not depend on the object's size: the samples of a huge one are thinned, and what is to be
 * compared is sampled again from its content.
 */
struct matcher;

enum { MATCHER_MOST_SETS = 64 /* the bits of a uint64_t: each query has one for each set (queries.h) */ };

struct matcher_options {
    double most_ln_e;                    /* findings of a larger E are not believed */
    uint64_t least_matched;              /* bytes */
    bool all_references;                 /* also those that explain nothing that a better one does not */
    uint64_t most_work;                  /* for one object, as the matcher counts it; 0: by its size */
    const struct inspector_watch *watch; /* to which progress is reported; may be NULL */
};

/* The sets are borrowed, and those with samples all have the same n. */
struct matcher *matcher_new(struct set *const *sets, size_t count, const struct matcher_options *options,
                            struct error *err);
void matcher_free(struct matcher *matcher);

/* An object of so many bytes, which was sampled at c.  content: NULL if it cannot be had again. */
void matcher_begin(struct matcher *matcher, uint64_t size, uint32_t c, struct content *content);
/* The object is no file but a stretch of free space or the like, which has no beginning and end of its own:
 * what lies in it is embedded, though it may begin where the stretch does. */
void matcher_is_range(struct matcher *matcher);
/* The next samples. */
int matcher_take(struct matcher *matcher, const struct sample *samples, size_t count, struct error *err);
/*
 * The findings, those of the first set first, and of each set the best one.  *verdict: that of the first, or
 * why there is none.  coincidence: as in struct sampler_result.
 */
int matcher_end(struct matcher *matcher, const struct digest_values *digests, uint32_t coincidence,
                struct findings *findings, enum verdict *verdict, struct error *err);

#endif
