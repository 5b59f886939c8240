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
#include "sample/sampler_key.h"
#include "set/set.h"

/*
 * Matches objects with the files of reference sets.
 *
 * The samples of an object come in order, as they are taken; those that pass the filter of a set are kept.
 * At the end of the object:
 *
 * 0. An empty object has no findings, though many sets contain an empty file.
 * 1. Its digests are looked up.  A set that contains the file itself is searched no further, and if a set of
 *    kind known contains it, no set is searched for anything but digests.
 * 2. Some of the kept samples are looked up.  References whose samples line up (chance.h) explain others.
 *    This is repeated until every sample is explained or looked up.  A sample that a known set also has is no
 *    evidence for another set; an isolated sample is no evidence at all.
 * 3. Each accepted reference is compared with the part of the object where it lies; its matches give E
 *    (significance.h).  Then it is proved: the bytes that its blocks must occupy are read again and hashed.
 * 4. Of references that explain the same bytes the best is reported and the others are counted.
 *
 * Memory does not depend on the object's size: the samples of a huge object are thinned, and what is to be
 * compared is sampled again from its content.
 */
struct matcher;

enum { MATCHER_MOST_SETS = 64 /* the bits of a uint64_t: a query has one for each set (queries.h) */ };

/* The usual limit of E. */
#define MATCHER_USUAL_E 1e-3

struct matcher_options {
    double most_ln_e;                    /* findings with a larger ln E are discarded */
    uint64_t least_matched;              /* findings with fewer matching bytes are dropped */
    bool all_references;                 /* also report references whose matches a better one explains */
    uint64_t most_work;                  /* for one object, in units of effort.h; 0: depends on its size */
    const struct sampler_key *key;       /* with which all sets, and the objects, are sampled; NULL: none */
    const struct inspector_watch *watch; /* receives progress; may be NULL */
};

/* The sets are borrowed; those with samples must all have the same n.  Returns NULL on error. */
struct matcher *matcher_new(struct set *const *sets, size_t count, const struct matcher_options *options,
                            struct error *err);
void matcher_free(struct matcher *matcher);

/* Starts an object of `size` bytes, sampled at c.  content: NULL if it cannot be read again. */
void matcher_begin(struct matcher *matcher, uint64_t size, uint32_t c, struct content *content);
/* Declares that the object is not a file but a stretch of free space or the like, without a beginning and end
 * of its own: content in it is embedded, even if it begins where the stretch does. */
void matcher_is_range(struct matcher *matcher);
/* Whether a set of kind known has the object itself: 1, 0, or -1 on error. */
int matcher_is_known(struct matcher *matcher, const struct digest_values *digests, struct error *err);
/* Declares that the object needs to be looked up by its digests only. */
void matcher_search_no_more(struct matcher *matcher);
/* Takes the object's next samples.  Returns -1 on error. */
int matcher_take(struct matcher *matcher, const struct sample *samples, size_t count, struct error *err);
/*
 * Ends the object.  Returns its findings, sorted by set and within a set best first, and in *verdict that of
 * the first finding, or the reason why there is none.  coincidence: as in struct sampler_result.  Returns -1
 * on error.
 */
int matcher_end(struct matcher *matcher, const struct digest_values *digests, uint32_t coincidence,
                struct findings *findings, enum verdict *verdict, struct error *err);

/* The work done for the latest object, in units of effort.h. */
uint64_t matcher_work(const struct matcher *matcher);

#endif
