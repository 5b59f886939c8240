/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_FINDING_H
#define KITH_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/wire.h"
#include "compare/features.h"

/* A relation between an object and a reference file, and its proof. */
enum verdict {
    VERDICT_IDENTICAL,
    VERDICT_VARIANT,  /* at least half of each matches the other */
    VERDICT_EMBEDDED, /* the object contains the reference, or nearly all of it */
    VERDICT_FRAGMENT, /* the object contains a part of the reference */
    /* for objects without a finding: */
    VERDICT_NONE,
    VERDICT_TOO_SMALL,   /* too small to be sampled */
    VERDICT_LOW_ENTROPY, /* large enough, but its bytes are not distinctive */
    VERDICT_UNREADABLE,
    VERDICT_SKIPPED, /* reading its content was not requested */
    VERDICTS,
};

enum proof {
    PROOF_ESTIMATE, /* samples line up */
    PROOF_BLOCKS,   /* and the SHA-1 of some blocks of the reference matches */
    PROOF_SHA1,     /* the SHA-1 of the whole reference matches */
    PROOF_MEMBERS,  /* of containers: members of both are identical or variants */
    PROOFS,
};

/* Matching bytes of the object and the reference, as half-open ranges. */
struct finding_range {
    uint64_t obj_start, obj_end;
    uint64_t ref_start, ref_end;
};

struct finding {
    enum verdict verdict;
    uint32_t set;  /* index of the set, in the order given by the user */
    uint64_t file; /* number of the reference in the set */
    uint64_t ref_size;
    struct finding_range span; /* from the first to the last byte of all ranges */
    uint64_t matched;          /* bytes of the object in ranges */
    double resemblance;        /* samples in both / samples in either */
    double containment;        /* share of the reference's samples that occur in the object */
    double rarity;             /* of what matches, 0 to 1: finding_rate; not in messages */
    double score;              /* how significant it is, 0 to 1: finding_rate */
    bool reordered;            /* a variant: the same content in another order */
    bool has_edits;            /* whether edits are valid: not for a part of a reference */
    double edits, edits_low, edits_high;
    double ln_e; /* natural logarithm of E (chance_line.h); -INFINITY if identical */
    enum proof proof;
    uint64_t proved, blocks; /* proved blocks (identical members) of the reference, out of this number */
    uint64_t also;           /* other references that would explain the same bytes */
    uint64_t family; /* while matching: all references with these bytes, near-copies of each other; or 0 */
    struct features features;     /* not of an identical file */
    struct finding_range *ranges; /* sorted by obj_start */
    size_t range_count;
};

struct findings {
    struct finding *list; /* best first */
    size_t count, room;
    unsigned lacks; /* why the list may be incomplete: a set of */
};

enum {
    FINDINGS_CUT = 1,    /* too many references or places: not everything was searched */
    FINDINGS_COMMON = 2, /* no finding, but some content is in too many files to be evidence of one of them */
};

/* The name of a verdict: "identical", ... */
const char *finding_verdict_name(enum verdict verdict);
/* The verdict with that name, or -1. */
int finding_verdict_find(const char *name, size_t len);

/* The name of a grade of proof: "sha1", ... */
const char *finding_proof_name(enum proof proof);
/* Appends the proof as text: "sha1", "blocks 3/4", "members 3/4" or "estimate". */
void finding_proof(const struct finding *finding, struct buffer *out);

/* A zero-initialized list is empty.  Reset empties a list but keeps its memory; release frees it. */
void finding_list_reset(struct findings *findings);
void finding_list_release(struct findings *findings);
/* Appends a zeroed finding; NULL without memory. */
struct finding *finding_list_add(struct findings *findings, struct error *err);
/* Sets the number of ranges, for the caller to fill in; -1 without memory. */
int finding_resize(struct finding *finding, size_t ranges, struct error *err);

/*
 * Computes the score, the one figure by which findings are ranked: 1 if identical; else the share of the
 * verdict, which is the resemblance of a variant and otherwise the containment, times 1 - exp(-rare / 1024).
 * rare: the bytes of the reference that its matching samples stand for, times their rarity, which is 1 if
 * only this reference has them and close to 0 if all have.  The score grows with each matching sample, and
 * with its rarity.
 */
void finding_rate(struct finding *finding, double rarity);
/* Whether its content is in the order of the reference: "same" or "other". */
const char *finding_order(const struct finding *finding);

/* Returns how many references have the bytes of a finding if they are very many, as near-copies of one file
 * may be; else 0, as `also` of a few may count a reference more than once. */
uint64_t finding_family(const struct finding *finding);

/* With PROOF_MEMBERS: the members of the reference that were found, identical or as variants. */
uint64_t finding_members(const struct finding *finding);

/* Computes span and matched bytes from the ranges. */
void finding_measure(struct finding *finding);
/* Whether the whole reference is present in one piece, and all of it is proved. */
bool finding_is_complete(const struct finding *finding);

/* Whether all findings are possible for an object of this size; no others may be sent. */
bool finding_list_is_sound(const struct findings *findings, uint64_t size);

/* Encode a list as a message, and decode it.  Decoding returns false if the message is malformed or
 * impossible for an object of this size. */
void finding_list_encode(struct buffer *out, const struct findings *findings);
bool finding_list_decode(struct wire *wire, uint64_t size, struct findings *findings);

#endif
