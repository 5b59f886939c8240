/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SAMPLER_H
#define KITH_SAMPLER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sample/sample.h"
#include "sample/sampler_key.h"

/*
 * Selects samples from a stream of bytes.
 *
 * A window of n bytes slides over the content, and a hash of it selects about one position in c.  The samples
 * depend only on the content: not on how it is split into updates nor, after the first GF8_REACH bytes, on
 * what precedes it.
 *
 * gf8 (the default).  A fingerprint has 64 bits: the seven upper bits of the selector (gf8.h), then 57 bits
 * of a strong hash of the window.  A window is selected at c if and only if its fingerprint is less than 2^64
 * / c, so the samples at 2c are those at c with a fingerprint below 2^64 / 2c.  Uninformative windows are
 * dropped:
 *   - those with fewer than four distinct bytes or a period of 4 (for n >= 16, also 6 or 8), and
 *   - those that also occur 1..GF8_REACH positions earlier (the content is preceded by virtual zeros).
 * With a key (sampler_key.h) selector and hash are secret, and other windows are selected.
 *
 * coates2011, coates2015: the schemes of Coates' papers, for their tables, with any c, n and k.  coates2011
 * selects windows whose sum of bytes mod c is k (from the second window on, as in the paper); the fingerprint
 * is the sum.  coates2015 XORs the bytes into eight, wrapping round, and selects by that number mod c = k;
 * the number is the fingerprint.  Nothing is dropped: in constant content either no position is selected or
 * all.
 *
 * Each sample has a character; the sequence of characters is the Coates signature.
 */
enum sampler_scheme {
    SAMPLER_GF8,
    SAMPLER_COATES2011,
    SAMPLER_COATES2015,
    SAMPLER_SCHEMES,
};

enum {
    SAMPLER_AUTO = 0,        /* c from the length: see sampler_auto_c */
    SAMPLER_DEFAULT_N = 12,  /* for gf8 */
    SAMPLER_DEFAULT_C = 128, /* for gf8, and the result of AUTO for all but small content */
    SAMPLER_MIN_C = 4,       /* for gf8, also with AUTO */
    SAMPLER_MAX_C = 1 << 20,
    SAMPLER_MAX_SAMPLES = 1 << 27, /* limit of one list */
    SAMPLER_COINCIDENCE_ONE = 10000,
};

#define SAMPLER_UNKNOWN UINT64_MAX /* the length is not known in advance */

struct sampler_params {
    enum sampler_scheme scheme;
    uint32_t n; /* gf8: 8..32; the others: 1..64 */
    uint32_t c; /* gf8: a power of two, 4..SAMPLER_MAX_C, or SAMPLER_AUTO; the others: 2..SAMPLER_MAX_C */
    uint32_t k; /* gf8: 0, or in a record sampler_key_number of its key; the others: below c */
};

/* The result for one stream, owned by the sampler and valid until the next begin. */
struct sampler_result {
    const struct sample *samples; /* by position */
    size_t count;
    uint32_t c;
    uint32_t coincidence; /* the probability that two bytes of the content are equal, in units of
                             1 / SAMPLER_COINCIDENCE_ONE; 0: unknown */
};

struct sampler;

/* Returns -1 and a message if a parameter is out of range. */
int sampler_check(const struct sampler_params *params, struct error *err);

/* The default parameters of a scheme. */
struct sampler_params sampler_defaults(enum sampler_scheme scheme);

/* "gf8", "coates2011" or "coates2015". */
const char *sampler_scheme_name(enum sampler_scheme scheme);
/* The scheme with this name, or -1. */
int sampler_scheme_find(const char *name);

/* Small content is sampled more densely: returns 128 from 128 KiB on, 64 from 24 KiB on, and below that the
 * largest power of two from 4 to 32 that fits at least 48 times into len. */
uint32_t sampler_auto_c(uint64_t len);

/* The character of a sample: printable ASCII except space " ' , : and backslash. */
char sampler_symbol(const struct sampler_params *params, uint64_t fp);

/* The maximum number of bits of a fingerprint with these parameters. */
unsigned sampler_fp_bits(const struct sampler_params *params);

/* Moves the samples that remain at a larger c to the front and returns their number (gf8 only; c is a power
 * of two). */
size_t sampler_thin(struct sample *samples, size_t count, uint32_t c);

/* Checks the parameters.  NULL on error. */
struct sampler *sampler_new(const struct sampler_params *params, struct error *err);
/* As sampler_new, with a key, which is not needed afterwards; NULL: none.  Only gf8 takes one. */
struct sampler *sampler_new_keyed(const struct sampler_params *params, const struct sampler_key *key,
                                  struct error *err);
/* Overwrites the sampler's secrets. */
void sampler_free(struct sampler *sampler);

/* len: the length if known, which saves work where c is SAMPLER_AUTO, else SAMPLER_UNKNOWN.  The result is
 * the same either way. */
void sampler_begin(struct sampler *sampler, uint64_t len);
int sampler_update(struct sampler *sampler, const void *data, size_t len, struct error *err);
/* Skips a run of zeros in constant time (gf8 only). */
int sampler_skip(struct sampler *sampler, uint64_t zeros, struct error *err);
/* Takes the samples found since the last call, so that content of any length needs bounded memory; unless
 * all has been read, c must not be SAMPLER_AUTO.  They are owned by the sampler and valid until the next
 * update; final returns the rest. */
size_t sampler_take(struct sampler *sampler, const struct sample **samples);
struct sampler_result sampler_final(struct sampler *sampler);

#endif
