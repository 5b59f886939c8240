/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_DIGEST_H
#define KITH_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Cryptographic digests of a stream through libcrypto's EVP: always SHA-1, others in the same pass. */

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
    unsigned kinds; /* which of them are present */
    uint8_t bytes[DIGEST_KINDS][DIGEST_MAX_LEN];
};

/* The set of kinds that both have, with different values. */
unsigned digest_differing(const struct digest_values *a, const struct digest_values *b);

/* Whether SHA-1 is equal, and no other digest that both have differs. */
bool digest_agree(const struct digest_values *a, const struct digest_values *b);

struct digest;

/* A digest's length in bytes, and its name in reports and options. */
size_t digest_len(enum digest_kind kind);
const char *digest_name(enum digest_kind kind);

/* Sets libcrypto up, for which it reads files; again, it does nothing.  -1 on error. */
int digest_prepare(struct error *err);
/* Does that, too.  kinds must include SHA-1.  Fetches the algorithms once.  NULL on error. */
struct digest *digest_new(unsigned kinds, struct error *err);
void digest_free(struct digest *digest);

/* Start a new stream (discarding any unfinished one), add to it, and get the digests chosen in digest_new.
 * Return -1 if libcrypto fails. */
int digest_begin(struct digest *digest, struct error *err);
int digest_update(struct digest *digest, const void *data, size_t len, struct error *err);
int digest_final(struct digest *digest, struct digest_values *values, struct error *err);

/* The name and version of the library in use: "OpenSSL 3.0.15 3 Sep 2024". */
const char *digest_library(void);

#endif
