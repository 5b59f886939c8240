/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SAMPLER_KEY_H
#define KITH_SAMPLER_KEY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "sample/gf8.h"

/*
 * A secret key that determines which windows are sampled, and their fingerprints.
 *
 * The key is 32 random bytes in a file of its own, as a line "kith-key1:" with 64 hexadecimal digits.  From
 * it are derived the secrets of the selector (gf8.h: 62 bits for the matrix, and of the target as many as C
 * has, up to 7), four 64-bit words for the fingerprints, and an ID that reveals nothing of them.  The
 * selector is linear: whoever knows the places of about a hundred samples can compute it.
 */
enum {
    SAMPLER_KEY_SECRET_LEN = 32,
    SAMPLER_KEY_ID_LEN = 16,
    SAMPLER_KEY_ID_ROOM = 2 * SAMPLER_KEY_ID_LEN + 1,
    SAMPLER_KEY_SEEDS = 4,
};

/* What is derived from a key. */
struct sampler_key {
    uint8_t id[SAMPLER_KEY_ID_LEN]; /* the first four bytes are not all zero */
    struct gf8_secret selector;
    uint64_t seeds[SAMPLER_KEY_SEEDS];
};

/* Creates a file with a new random key, which only its owner can read.  It must not exist.  -1 on error. */
int sampler_key_create(const char *path, struct error *err);

/* Reads a key, from a file that nobody but its owner can read, or from a pipe.  Wipe it after use.  -1 on
 * error. */
int sampler_key_load(struct sampler_key *key, const char *path, struct error *err);

/* Derives everything from these SAMPLER_KEY_SECRET_LEN bytes.  -1 if libcrypto fails. */
int sampler_key_derive(struct sampler_key *key, const uint8_t *secret, struct error *err);

/* Overwrites the key. */
void sampler_key_wipe(struct sampler_key *key);

/* Whether an ID is that of a key: all zeros stand for none. */
bool sampler_key_is_set(const uint8_t id[SAMPLER_KEY_ID_LEN]);

/* The first four bytes of an ID as a number: the k of records that are sampled with the key; 0 without one.
 */
uint32_t sampler_key_number(const uint8_t id[SAMPLER_KEY_ID_LEN]);

/* Writes an ID in hexadecimal. */
void sampler_key_format(char text[SAMPLER_KEY_ID_ROOM], const uint8_t id[SAMPLER_KEY_ID_LEN]);

#endif
