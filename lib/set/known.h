/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_KNOWN_H
#define KITH_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/wire.h"
#include "sample/blocks.h"
#include "sample/record.h"

/*
 * A file as reference sets know it: by digests alone, or with everything that approximate matching and proof
 * need.
 *
 * Of a fingerprint a set stores the upper KNOWN_KEY_BITS bits (the key of the index) and the lowest six (the
 * character of the Coates signature); the bits between are zero.
 */
enum {
    KNOWN_KEY_SHIFT = 17,
    KNOWN_KEY_BITS = 64 - KNOWN_KEY_SHIFT,
    KNOWN_SYMBOLS = 64,
};

/* Returns the key of a fingerprint. */
static inline uint64_t known_key(uint64_t fp)
{
    return fp >> KNOWN_KEY_SHIFT;
}

struct known {
    struct digest_values digests; /* at least one digest */
    bool has_size;
    uint64_t size;
    struct buffer names;   /* each terminated by a zero byte; the first is the one to show */
    struct buffer origins; /* for each name a uint64_t that identifies its source to the caller; or empty */
    bool has_record;       /* requires a SHA-1 and a size */
    struct record record;  /* its samples and sampling parameters, not its name and digests */
    struct buffer blocks;  /* blocks_count SHA-1 digests, or empty */
};

/* A zeroed struct is empty; known_reset keeps its memory for reuse. */
void known_reset(struct known *known);
void known_release(struct known *known);

/* Adds a name.  Names are kept as C strings: a zero byte ends them. */
void known_add_name(struct known *known, const char *name, size_t len);

/*
 * Returns the C at which a file of len bytes is indexed in a set of this C.  Files below 128 KiB are indexed
 * more densely, as sampler_auto_c says, or where c is above its default, as many times less densely, but with
 * 24 samples if possible; above 1 MiB C doubles whenever the length has grown fourfold, so that the index
 * stays a small fraction of the content.
 */
uint32_t known_c(uint64_t len, uint32_t c);

/* Thins the record to what a set with this C keeps. */
void known_reduce(struct known *known, uint32_t c);

/* Returns -1 unless record, blocks, size and digests are consistent with each other and with a set of these
 * parameters; k: as in struct sampler_params. */
int known_check(const struct known *known, uint32_t n, uint32_t k, uint32_t block, struct error *err);

/* Encodes a worker's result for a file, without its names, as a message; decodes it, returning false if it is
 * invalid. */
void known_encode(struct buffer *out, const struct known *known);
bool known_decode(struct wire *wire, struct known *known);

#endif
