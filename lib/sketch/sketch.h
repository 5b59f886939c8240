/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SKETCH_H
#define KITH_SKETCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/feed.h"
#include "sample/record.h"
#include "sketch/tokens.h"

/*
 * Named schemes over one interface: sketch a stream, compare two sketches.
 *
 *   shingles   Broder: the whole set S(D, w), exact
 *   min        Broder MIN_s, Cherkasova Min_n: the `size` smallest fingerprints
 *   mod        Broder MOD_m, Cherkasova Mod_n: the fingerprints that are 0 modulo `rate`
 *   minmod     MIN_s of MOD_m
 *   nested     Broder L_i(D): MOD of 2^i, with the smallest i at which at most `size` fingerprints remain
 *              (usually size / 2 to size); two sketches are compared at the larger modulus
 *   minwise    Cherkasova Sketch_n, Yuan's min-wise hashing: the minimum under each of `size` permutations
 *   hamming    Yuan: one bit b() of each of those minima
 *   bsw        Cherkasova BSW_n: content-defined chunks of about `rate` tokens, the smallest window in each
 *   chunks     traditional BSW: a hash of each chunk
 *
 *   coates2011, coates2015, gf8   signatures, by the sampler (window, rate, residue are its n, c, k)
 */
enum sketch_scheme {
    SKETCH_SHINGLES,
    SKETCH_MIN,
    SKETCH_MOD,
    SKETCH_MINMOD,
    SKETCH_NESTED,
    SKETCH_MINWISE,
    SKETCH_HAMMING,
    SKETCH_BSW,
    SKETCH_CHUNKS,
    SKETCH_COATES2011,
    SKETCH_COATES2015,
    SKETCH_GF8,
    SKETCH_SCHEMES,
};

enum {
    SKETCH_MAX_SIZE = 1 << 20,
    SKETCH_MAX_RATE = 1 << 30,
    SKETCH_MAX_VALUES = 1 << 27, /* of one sketch */
};

/* Parameters that a scheme does not use are 0; sketch_uses says which it uses. */
struct sketch_params {
    enum sketch_scheme scheme;
    struct tokens_rules tokens; /* unit, and what is removed */
    bool labelled;    /* Broder's option A: a shingle counts once for each occurrence; else option B */
    uint32_t window;  /* w, in tokens; bytes for the coates schemes and gf8 (their n) */
    uint32_t rate;    /* m, or the average chunk; c for the coates schemes and gf8 (0: automatic) */
    uint32_t size;    /* s, n or k: the numbers kept */
    uint32_t bits;    /* l: bits of a Rabin fingerprint, 16..64 */
    uint32_t residue; /* k of the coates schemes */
    uint64_t seed;    /* chooses the irreducible polynomial and the permutations */
};

/* The parameters that only some schemes use. */
enum sketch_use {
    SKETCH_USE_TOKENS = 1, /* and labelled, bits, seed: every scheme but the coates schemes and gf8 */
    SKETCH_USE_RATE = 2,
    SKETCH_USE_SIZE = 4,
    SKETCH_USE_RESIDUE = 8,
};

/* A zeroed struct is an empty sketch.  Sketches may be refilled without releasing them first. */
struct sketch {
    struct sketch_params params;
    uint64_t len; /* bytes of the document */
    /* Not in its text: bytes that are not UTF-8, or zero, if the tokens are letters or words; and bytes of
     * mark-up that was removed. */
    uint64_t strange, removed;
    uint64_t shingles; /* the number of shingles (chunks, samples), repeated ones included; 0: too small */
    uint32_t modulus;  /* mod, minmod, nested: of the values; else 0 */
    struct digest_values digests; /* SHA-1 of the document, or none */
    uint64_t
        *values; /* ascending and distinct; minwise: one per permutation, in order; hamming: packed bits, 64
                    per value, from the lowest; minwise and hamming of a document that is too small: none */
    size_t count, room;
    struct record record; /* of the coates schemes and gf8, instead of values */
    struct buffer name;   /* raw bytes; see sketch_set_name */
};

/* What a resemblance is the share of. */
enum sketch_basis {
    SKETCH_SAMPLE, /* a sample of the shingles: an estimate, with an interval */
    SKETCH_ALL,    /* all shingles: exact but for collisions, which the interval allows for */
    SKETCH_PIECES, /* content-defined chunks: no estimate of the share of shingles, so without an interval */
};

/*
 * How alike two documents are, as far as the scheme can say.  If one of them has no shingle at all (it is
 * empty, or shorter than the window), or signatures are too short (COMPARE_PAPERS_LEAST), it is too small,
 * and there are no figures.
 *
 * The interval of the resemblance is Wilson's, of 95 %, for a sample of `compared` (hamming: of its bits,
 * eq. 6), widened by what collisions of fingerprints can contribute.  If these are too short for the number
 * of shingles, the figures say nothing about the documents.
 */
struct sketch_likeness {
    bool too_small, has_resemblance, has_containment, has_edits, has_edits_interval, has_significance;
    bool is_exact;  /* all shingles were compared, and collisions do not matter */
    bool too_short; /* over 1 % of the fingerprints of one may occur in the other by coincidence */
    enum sketch_basis basis;
    double resemblance; /* hamming: 2E - 1, which may be negative by chance (it is unbiased for that) */
    double resemblance_low, resemblance_high; /* hamming: the same; SKETCH_PIECES: both are the resemblance */
    double a_in_b, b_in_a;
    uint64_t of_a, of_b; /* values that the containments rest on; gf8: 0, not given */
    double a_in_b_low, a_in_b_high, b_in_a_low, b_in_a_high; /* as those of the resemblance; gf8: 0 */
    uint64_t common, compared;                               /* values; hamming: equal bits, bits */
    double edits, edits_low, edits_high; /* coates schemes, gf8, in bytes; an interval for gf8 only */
    double significance;                 /* coates2011, coates2015: as published */
};

struct sketcher; /* makes sketches, of one stream after another, and compares them; for one thread */

/* The defaults of a scheme; they are valid. */
struct sketch_params sketch_defaults(enum sketch_scheme scheme);
/* "shingles", "min", ...; and the scheme of that name, or -1. */
const char *sketch_scheme_name(enum sketch_scheme scheme);
int sketch_scheme_find(const char *name);
/* A set of enum sketch_use; whether it estimates containment (Cherkasova, table 1). */
unsigned sketch_uses(enum sketch_scheme scheme);
bool sketch_has_containment(enum sketch_scheme scheme);
/* -1 and a message if a parameter is outside the scheme's domain, or is set but not used by it. */
int sketch_check(const struct sketch_params *params, struct error *err);

/* Checks the parameters.  NULL on error. */
struct sketcher *sketch_new(const struct sketch_params *params, struct error *err);
void sketch_free(struct sketcher *sketcher);

/* Chooses the digests that sketches have: a set of DIGEST_BITs that includes SHA-1, which is the default. */
int sketch_digests(struct sketcher *sketcher, unsigned kinds, struct error *err);

/* Start a stream (len: its length if known, else FEED_UNKNOWN), add to it, and get its sketch, except for the
 * name.  -1 if memory runs out, libcrypto fails, or the document has more than SKETCH_MAX_VALUES values. */
int sketch_begin(struct sketcher *sketcher, uint64_t len, struct error *err);
int sketch_update(struct sketcher *sketcher, const void *data, size_t len, struct error *err);
int sketch_final(struct sketcher *sketcher, struct sketch *out, struct error *err);
/* All three for a document in memory; without a digest it is faster. */
int sketch_bytes(struct sketcher *sketcher, const void *data, size_t len, bool with_digest,
                 struct sketch *out, struct error *err);
/* The same for everything that can be read from fd, as feed_fd; with the name. */
enum feed_result sketch_fd(struct sketcher *sketcher, int fd, const char *name, atomic_ullong *progress,
                           struct sketch *out, struct error *err);
/* The same for each block of `size` bytes (at least 1; the last block may be shorter), as if it were a file:
 * its name is `name`, "@", and where it begins.  An empty file has one block.  Each sketch is passed to take,
 * for the duration of the call; if that returns -1, sketching ends.  scratch: a sketch to refill. */
typedef int sketch_take(void *arg, const struct sketch *sketch, struct error *err);
enum feed_result sketch_fd_blocks(struct sketcher *sketcher, int fd, const char *name, uint64_t size,
                                  atomic_ullong *progress, struct sketch *scratch, sketch_take *take,
                                  void *arg, struct error *err);
void sketch_set_name(struct sketch *sketch, const void *name, size_t len);
void sketch_release(struct sketch *sketch);

/* Whether its fingerprints are too short for the number of shingles, so that comparisons have no figures; for
 * schemes that keep a part, this goes by all shingles, repeated ones included. */
bool sketch_is_crowded(const struct sketch *sketch);

/* -1 without memory, or if the parameters of the two differ (the message says which); only the rates of two
 * gf8 sketches may. */
int sketch_compare(struct sketcher *sketcher, const struct sketch *a, const struct sketch *b,
                   struct sketch_likeness *out, struct error *err);

/* ---- text ---- */

/* The first bytes of a sketch's line. */
#define SKETCH_MAGIC     "sketch1:"
#define SKETCH_MAGIC_LEN 8

/* Append the sketch as a line of text (kith-sketch(5)), or as JSON if it was not read from such a line; with
 * a newline.  That of the coates schemes and of gf8 is a record (kith-record(5)).  The text is lossless; a
 * sketch without SHA-1 cannot be read back.
 */
void sketch_format(const struct sketch *sketch, struct buffer *out);
void sketch_format_json(const struct sketch *sketch, struct buffer *out);
/* Appends ,"scheme":"..." and the other parameters, for a JSON object; not for the coates schemes and gf8. */
void sketch_format_params(const struct sketch_params *params, struct buffer *out);

/* Parses a line of either kind without its newline; anything sketch_format would not have written is an
 * error. */
int sketch_parse(struct sketch *sketch, const char *line, size_t len, struct error *err);

/* ---- formulas of the papers ---- */

/* Broder 4.2: the probability p(s, r, eps) that an estimate from s samples lies within eps of r (an exact
 * binomial sum; the paper prints r - eps for both bounds). */
double sketch_sample_probability(uint32_t s, double r, double eps);
/* Broder 4.1: E|f(S)|, the expected number of distinct fingerprints of n different shingles; the bound
 * (n choose 2) / 2^l on the expected number of collisions; and the bound on the error of the resemblance that
 * holds with probability 99.9 %, |union| / 2^(l - 11). */
double sketch_expected_distinct(double n, unsigned bits);
double sketch_collision_bound(double n, unsigned bits);
double sketch_resemblance_bound(double in_union, unsigned bits);
/* The least of that bound and of Chebyshev's for the number of colliding pairs, with the same probability. */
double sketch_collision_error(double in_union, unsigned bits);
/* Yuan eq. 3 and 6: the variance of the estimates from k minima, R(1 - R) / k, and from k bits, (1 - R^2) /
 * k. */
double sketch_minwise_variance(double r, uint32_t k);
double sketch_hamming_variance(double r, uint32_t k);
/* Wilson's interval of 95 % for a proportion, given `common` successes in `compared` trials (not 0). */
void sketch_interval(double common, double compared, double *low, double *high);

#endif
