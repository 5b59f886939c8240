/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_FINDING_H
#define KITH_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/wire.h"

/* A relation between an object and a reference file, and how it is proved. */
enum verdict {
    VERDICT_IDENTICAL,
    VERDICT_VARIANT,  /* at least half of each belongs to the other */
    VERDICT_EMBEDDED, /* the reference, or nearly all of it, lies in the object */
    VERDICT_FRAGMENT, /* a part of the reference lies in the object */
    /* of objects without a finding: */
    VERDICT_NONE,
    VERDICT_TOO_SMALL,   /* it has too few bytes to be sampled */
    VERDICT_LOW_ENTROPY, /* it has bytes enough, but they say nothing */
    VERDICT_UNREADABLE,
    VERDICT_SKIPPED, /* its content was not asked for */
    VERDICTS,
};

enum proof {
    PROOF_ESTIMATE, /* samples line up */
    PROOF_BLOCKS,   /* and blocks of the reference have the SHA-1 that they should have */
    PROOF_SHA1,     /* all of the reference has */
    PROOFS,
};

/* Bytes of the object and of the reference that belong together, half open. */
struct finding_range {
    uint64_t obj_start, obj_end;
    uint64_t ref_start, ref_end;
};

struct finding {
    enum verdict verdict;
    uint32_t set;  /* number of the set, as they were named */
    uint64_t file; /* its number in the set */
    uint64_t ref_size;
    struct finding_range span; /* of all ranges */
    uint64_t matched;          /* bytes of the object in ranges */
    double resemblance;        /* of all samples that either has, those that both have */
    double containment;        /* of the reference's samples, those that the object has */
    bool has_edits;            /* these have a meaning: not for a part of a reference */
    double edits, edits_low, edits_high;
    double ln_e; /* the logarithm of E (chance.h); -INFINITY if it is identical */
    enum proof proof;
    uint64_t proved, blocks;      /* so many of the reference's blocks */
    uint64_t also;                /* other references that would explain the same bytes */
    struct finding_range *ranges; /* by obj_start */
    size_t range_count;
};

struct findings {
    struct finding *list; /* best first */
    size_t count, room;
    unsigned lacks; /* what they do not tell: a set of */
};

enum {
    FINDINGS_CUT = 1, /* not all of it was searched: there are too many references or places */
    FINDINGS_COMMON =
        2, /* there is none, but some of the content is in so many files that it is no evidence for any */
};

/* "identical" .. */
const char *finding_verdict_name(enum verdict verdict);
/* The verdict of that name, or -1. */
int finding_verdict_find(const char *name, size_t len);

/* "sha1", "blocks 3/4", "estimate". */
void finding_proof(const struct finding *finding, struct buffer *out);

/* Findings of zeros are none.  Reset forgets them and keeps the room. */
void finding_list_reset(struct findings *findings);
void finding_list_release(struct findings *findings);
/* A new one of zeros at the end; NULL without memory. */
struct finding *finding_list_add(struct findings *findings, struct error *err);
/* Gives the last one so many ranges, to be filled. */
int finding_resize(struct finding *finding, size_t ranges, struct error *err);

/* Span and matched bytes, from the ranges. */
void finding_measure(struct finding *finding);
/* Whether all of the reference is there in one piece, and all of it is proved. */
bool finding_is_complete(const struct finding *finding);

/* As a message, and back: false if it is none, or says what cannot be of an object of this size. */
void finding_list_encode(struct buffer *out, const struct findings *findings);
bool finding_list_decode(struct wire *wire, uint64_t size, struct findings *findings);

#endif
