/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_DIGEST_H
#define KITH_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Cryptographic digests of a stream, by libcrypto's EVP: SHA-1 always, others in the same pass. */

enum {
    DIGEST_SHA1_LEN = 20,
    DIGEST_MD5_LEN = 16,
    DIGEST_SHA256_LEN = 32,
    DIGEST_MAX_LEN = 32,
};

enum digest_kind {
    DIGEST_SHA1,
    DIGEST_MD5,
    DIGEST_SHA256,
    DIGEST_KINDS,
};

/* A set of kinds: DIGEST_BIT(DIGEST_SHA1) | ... */
#define DIGEST_BIT(kind) (1u << (kind))

struct digest_values {
    unsigned kinds; /* those that are there */
    uint8_t bytes[DIGEST_KINDS][DIGEST_MAX_LEN];
};

/* The kinds that both have with another value. */
unsigned digest_differing(const struct digest_values *a, const struct digest_values *b);

struct digest;

/* The length in bytes, and the name as it is written in reports and options. */
size_t digest_len(enum digest_kind kind);
const char *digest_name(enum digest_kind kind);

/* kinds: a set in which SHA-1 is.  The algorithms are fetched here, once. */
struct digest *digest_new(unsigned kinds, struct error *err);
void digest_free(struct digest *digest);

/* A new stream, whatever was before; more of it; its digests, of the kinds of digest_new. */
int digest_begin(struct digest *digest, struct error *err);
int digest_update(struct digest *digest, const void *data, size_t len, struct error *err);
int digest_final(struct digest *digest, struct digest_values *values, struct error *err);

#endif
