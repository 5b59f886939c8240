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
 * A file as reference sets know it: by digests alone, or with all that fuzzy matching and proof need.
 *
 * A fingerprint in a set has KNOWN_KEY_BITS upper bits (the key of the index) and the six lower ones (the
 * character of the Coates signature); the bits between are zero.
 */
enum {
    KNOWN_KEY_SHIFT = 17,
    KNOWN_KEY_BITS = 64 - KNOWN_KEY_SHIFT,
    KNOWN_SYMBOLS = 64,
};

static inline uint64_t known_key(uint64_t fp)
{
    return fp >> KNOWN_KEY_SHIFT;
}

struct known {
    struct digest_values digests; /* at least one */
    bool has_size;
    uint64_t size;
    struct buffer names; /* each ended by a zero byte; the first is the one to show */
    struct buffer
        origins; /* for each name a uint64_t: where it is from, as whoever hands it over counts; or nothing */
    bool has_record;      /* then there is a SHA-1 and a size */
    struct record record; /* its samples and how they were taken; not its name and digests */
    struct buffer blocks; /* blocks_count SHA-1s, or none */
};

/* A known of zeros is an empty one; reset keeps the memory. */
void known_reset(struct known *known);
void known_release(struct known *known);

/* Names are kept as C strings: a zero byte in one ends it. */
void known_add_name(struct known *known, const char *name, size_t len);

/*
 * At which C a file of len bytes is indexed in a set of this C: files of under 3 KiB more densely (at twice
 * what sampler_auto_c has, so with 24 samples if possible), and above 1 MiB the C doubles whenever the length
 * has grown fourfold, so that the index stays a small share of the content.
 */
uint32_t known_c(uint64_t len, uint32_t c);

/* Reduces the record to what a set with this C keeps. */
void known_reduce(struct known *known, uint32_t c);

/* -1 unless record, blocks, size and digests fit each other and a set with these parameters. */
int known_check(const struct known *known, uint32_t n, uint32_t block, struct error *err);

/* What a worker found out about a file, as a message, and back; false if it is none. Names are not in it. */
void known_encode(struct buffer *out, const struct known *known);
bool known_decode(struct wire *wire, struct known *known);

#endif
