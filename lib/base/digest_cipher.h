/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_DIGEST_CIPHER_H
#define KITH_DIGEST_CIPHER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* What encrypted documents are made with: AES in CBC mode without padding, and hashes of short messages, both
 * by libcrypto, which digest_prepare() has to set up before files can no longer be opened. */

enum {
    DIGEST_CIPHER_BLOCK = 16,
    DIGEST_CIPHER_MOST_HASH = 64,
};

enum digest_cipher_hash {
    DIGEST_CIPHER_MD5,
    DIGEST_CIPHER_SHA256,
    DIGEST_CIPHER_SHA384,
    DIGEST_CIPHER_SHA512,
};

/* The hash of a message of `len` bytes. Returns its length, or 0 if libcrypto fails. */
size_t digest_cipher_hash(enum digest_cipher_hash kind, const void *message, size_t len,
                          uint8_t hash[DIGEST_CIPHER_MOST_HASH], struct error *err);

struct digest_cipher;

/* Begins to decrypt with a key of 16 or 32 bytes. NULL if libcrypto fails. */
struct digest_cipher *digest_cipher_new(const uint8_t *key, size_t key_len,
                                        const uint8_t start[DIGEST_CIPHER_BLOCK], struct error *err);
void digest_cipher_free(struct digest_cipher *cipher);
/* Decrypts whole blocks: len is a multiple of DIGEST_CIPHER_BLOCK, and `into` may be `from`. Returns -1 if
 * libcrypto fails. */
int digest_cipher_decrypt(struct digest_cipher *cipher, const uint8_t *from, size_t len, uint8_t *into,
                          struct error *err);

/* Encrypts whole blocks at once with a key of 16 bytes. Returns -1 if libcrypto fails. */
int digest_cipher_encrypt(const uint8_t key[DIGEST_CIPHER_BLOCK], const uint8_t start[DIGEST_CIPHER_BLOCK],
                          const uint8_t *from, size_t len, uint8_t *into, struct error *err);

#endif
