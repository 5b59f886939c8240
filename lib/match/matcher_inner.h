/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_MATCHER_INNER_H
#define KITH_MATCHER_INNER_H

#include "compare/compare.h"
#include "match/chance.h"
#include "match/matcher.h"
#include "match/proof.h"
#include "sample/repeats.h"
#include "set/refset_cache.h"

/*
 * What the parts of the matcher share: matcher.c collects samples and sorts out what is found,
 * matcher_search.c finds candidates with matcher_lookup.c, matcher_whole.c knows those that need no
 * comparing, matcher_align.c compares the others with the object, with matcher_name.c and matcher_judge.c.
 */

enum { SEARCH_STRETCH = 512 /* samples; where so many are without a query, one may cut */ };

/*
 * How much was done for an object, and how much may be: content that is related to everything must not take
 * for ever.  A sample that goes through a comparison counts one, what is done in a fraction of that time
 * counts as much less.  It is counted, not measured, so the outcome is the same on every machine.
 */
struct effort {
    uint64_t done, most;
};

static inline bool effort_is_spent(const struct effort *effort)
{
    return effort->done >= effort->most;
}

/* A sample of the object that passed the filter of at least one set. */
struct query {
    uint64_t pos, fp;
    uint64_t sets; /* a bit each */
};

enum match_kind {
    MATCH_RARE,
    MATCH_EXPLAINED, /* where something was found */
    MATCH_ADMITTED, /* so many files have it that it is no evidence of a part, but of all there is no other */
};

/* A query that is a sample of a reference. */
struct match {
    uint64_t sample; /* in the set */
    uint32_t query;
    enum match_kind kind;
};

/* A reference that lies somewhere in the object, as it seems. */
struct candidate {
    struct refset_place place;
    struct cluster cluster;
    size_t first, count; /* the reference's matches */
    uint64_t support;    /* queries that it explains */
    bool common;         /* its matches are, so only all of it is worth telling */
    bool whole;          /* it lies there to the bit: the digest of these bytes is its own */
    bool counted;        /* so many others explain its matches that it is only counted: of its place first is
                            known, and about the length, of its cluster start and end */
    bool copy;           /* the same part of the reference lies elsewhere in the object, too */
    size_t finding;      /* its number, from 1 on; 0: nothing came of it */
};

/* ---- finding candidates in one set ---- */

struct search_object {
    const struct query *queries; /* by pos */
    size_t query_count;
    uint64_t size;
    uint32_t c; /* at which it was sampled */
    double most_ln_e;
    bool all;      /* also references that others explain */
    bool may_part; /* if it is too much, it will be searched again in parts */
    struct effort *effort;
};

struct searcher;

/* cache: bytes of records that it may keep. */
struct searcher *matcher_search_new(struct refset_search *search, size_t cache, struct error *err);
void matcher_search_free(struct searcher *searcher);

/* set: its bit; known: the bits of sets whose samples are no evidence for it. */
int matcher_search_run(struct searcher *searcher, const struct search_object *object, uint64_t set,
                       uint64_t known, struct error *err);
/* What was found, until the next run. */
struct candidate *matcher_search_candidates(struct searcher *searcher, size_t *count);
/* Whether there were more candidates than it can keep. */
bool matcher_search_was_cut(const struct searcher *searcher);
/* How many queries are in so many files that they are no evidence of a part of one. */
size_t matcher_search_common(const struct searcher *searcher);
const struct match *matcher_search_matches(const struct searcher *searcher);
struct refset_cache *matcher_search_cache(struct searcher *searcher);

/* ---- candidates that lie in the object to the bit ---- */

struct aligner_object;
struct wholes;

/* NULL without memory. */
struct wholes *matcher_whole_new(struct error *err);
void matcher_whole_free(struct wholes *wholes);

/*
 * The bytes where a candidate would lie are hashed, if it explains about as many samples as it has, and the
 * digest is looked up: so of a thousand near-copies the right one is found without comparing them, be it one
 * that was only counted.  Sets candidate->whole, and puts the candidates into another order.
 */
int matcher_whole_mark(struct wholes *wholes, struct refset_search *search, struct searcher *searcher,
                       const struct aligner_object *object, struct error *err);
/* What there is to say of one that was marked. */
int matcher_whole_tell(const struct aligner_object *object, struct searcher *searcher,
                       const struct candidate *candidate, struct finding *finding, struct error *err);

/* ---- comparing a candidate ---- */

struct aligner;

/* What an object is compared with. */
struct aligner_object {
    const struct sample *samples; /* by position */
    size_t count;
    uint32_t n, c;     /* of the samples */
    uint32_t probed_c; /* at which it was looked for: of a huge object the samples that are kept are fewer */
    uint64_t size;
    uint64_t turn;        /* another one for other samples, and for other objects */
    uint32_t coincidence; /* 0: unknown */
    bool range;           /* it is no file: see matcher_is_range */
    struct content *content;
    const struct query *queries;
    struct effort *effort;
};

/* NULL without memory. */
struct aligner *matcher_align_new(struct error *err);
void matcher_align_free(struct aligner *aligner);

/*
 * Compares a candidate of the searcher's with the object: 1 and a finding (its set and file are not filled
 * in) at the end of the list, 0 if nothing of it is left, -1 on error.
 */
int matcher_align_run(struct aligner *aligner, struct refset_search *search, struct searcher *searcher,
                      const struct aligner_object *object, const struct candidate *candidate,
                      struct findings *findings, struct error *err);

/* One candidate on its way. */
struct aligning {
    struct aligner *aligner;
    struct refset_search *search;
    const struct aligner_object *object;
    const struct candidate *candidate;
    const struct match *matches;
    struct refset_place place;
    struct record *window;       /* the object's samples from start to end, counted from start */
    bool same_window;            /* it is that of the comparison before */
    struct record *reference;    /* the reference's, which get fingerprints by matcher_name_run */
    bool *alone;                 /* those that got none, as they match nothing */
    const struct places *places; /* its samples, as the set has them */
    const struct repeat *repeats;
    size_t repeat_count;
    uint64_t start, end;
    bool whole;       /* the window is the object */
    uint64_t anchors; /* matches in the ranges that were taken */
    uint8_t *piece;   /* room for ALIGNER_PIECE bytes */
    struct error *err;
};

enum { ALIGNER_PIECE = 64 << 10 };

/* matcher_name.c: a set tells the place and the character of a reference's samples; here they get
 * fingerprints again. */
struct namer;
struct namer *matcher_name_new(struct error *err);
void matcher_name_free(struct namer *namer);
int matcher_name_run(struct namer *namer, const struct aligning *a);

/* matcher_judge.c: what to think of it. */
int matcher_judge_ranges(struct aligning *a, const struct estimate *estimate, struct finding *finding);
/* Whether it is worth telling though nothing of it be proved. */
bool matcher_judge_is_evidence(const struct aligning *a, const struct estimate *estimate,
                               const struct finding *finding);
/* Once it is proved as far as it can be; may drop ranges that are mere repetition. */
enum verdict matcher_judge_verdict(const struct aligning *a, const struct comparison *comparison,
                                   struct finding *finding);

#endif
