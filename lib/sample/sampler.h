/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SAMPLER_H
#define KITH_SAMPLER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sample/sample.h"

/*
 * Content in, samples out.
 *
 * A window of n bytes slides over the content and a hash of it selects about one position in c.  The samples
 * are a function of the content alone: they do not depend on how it is cut into updates, nor, but for the
 * first GF8_REACH bytes, on what stands around it.
 *
 * gf8 (the default).  A sample's fingerprint is 64 bits: the seven upper bits of the selector (gf8.h), then
 * 57 bits of a strong hash of the window.  A window is selected at c if and only if its fingerprint is less
 * than 2^64 / c; so a list made at c and cut to the fingerprints below 2^64 / 2c is the list made at 2c.
 * Content that says nothing is left out: a window is dropped if it
 *   - has fewer than four different bytes, or a period of 4 (for n >= 16 also of 6 or 8), or
 *   - begins also 1..GF8_REACH positions earlier (before the start of the content stand zeros).
 *
 * coates2011, coates2015: the schemes of Coates' papers, for their tables, with any c, n and k.  coates2011
 * takes the sum of the window's bytes mod c = k (from the second window on, as the paper's steps do) and the
 * fingerprint is the sum; coates2015 XORs the bytes into eight, wrapping round, mod c = k (every window), and
 * the fingerprint is that number.  Nothing is left out: constant content that is selected once is selected at
 * every position.
 *
 * Each sample has a character; the characters in order are the Coates signature.
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
    SAMPLER_DEFAULT_C = 128, /* for gf8, and what AUTO comes to for all but small content */
    SAMPLER_MAX_C = 1 << 20,
    SAMPLER_MAX_SAMPLES = 1 << 27, /* more in one list is an error */
    SAMPLER_COINCIDENCE_ONE = 10000,
};

#define SAMPLER_UNKNOWN UINT64_MAX /* a length that is not known before the end */

struct sampler_params {
    enum sampler_scheme scheme;
    uint32_t n; /* gf8: 8..32; the others: 1..64 */
    uint32_t c; /* gf8: a power of two, 4..SAMPLER_MAX_C, or SAMPLER_AUTO; the others: 2..SAMPLER_MAX_C */
    uint32_t k; /* gf8: 0; the others: below c */
};

/* What one content gave; it lies in the sampler and is valid until the next begin. */
struct sampler_result {
    const struct sample *samples; /* by position */
    size_t count;
    uint32_t c;
    uint32_t coincidence; /* the chance that two bytes of the content are equal, of SAMPLER_COINCIDENCE_ONE;
                             0: unknown */
};

struct sampler;

/* -1 and a message if the parameters are out of their bounds. */
int sampler_check(const struct sampler_params *params, struct error *err);

/* The parameters of a scheme that are used unless the user says otherwise. */
struct sampler_params sampler_defaults(enum sampler_scheme scheme);

/* "gf8" .. */
const char *sampler_scheme_name(enum sampler_scheme scheme);
/* The scheme of that name, or -1. */
int sampler_scheme_find(const char *name);

/* The largest power of two of which len holds 48 or more, within 4..128: small content is sampled more
 * densely. */
uint32_t sampler_auto_c(uint64_t len);

/* A sample's character, printable ASCII other than space " ' , : and backslash. */
char sampler_symbol(enum sampler_scheme scheme, uint64_t fp);

/* The number of bits that a fingerprint of this scheme may have at c. */
unsigned sampler_fp_bits(const struct sampler_params *params);

/* The count of samples that stay at the larger c (gf8; both powers of two); those are moved to the front. */
size_t sampler_thin(struct sample *samples, size_t count, uint32_t c);

/* NULL on error; the parameters are checked. */
struct sampler *sampler_new(const struct sampler_params *params, struct error *err);
void sampler_free(struct sampler *sampler);

/* len is a hint that saves work where c is SAMPLER_AUTO: it changes no result as long as it is right or
 * UNKNOWN. */
void sampler_begin(struct sampler *sampler, uint64_t len);
int sampler_update(struct sampler *sampler, const void *data, size_t len, struct error *err);
/* So many zeros, in no time (gf8 only). */
int sampler_skip(struct sampler *sampler, uint64_t zeros, struct error *err);
/* The samples since the last time, for content of any length in bounded memory; c must be a number.  They lie
 * in the sampler until the next update; final tells the rest. */
size_t sampler_take(struct sampler *sampler, const struct sample **samples);
struct sampler_result sampler_final(struct sampler *sampler);

#endif
