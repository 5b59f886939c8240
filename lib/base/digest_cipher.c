/* SPDX-License-Identifier: Apache-2.0 */
#include "base/digest_cipher.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

static int libcrypto_error(struct error *err, const char *what)
{
    ERR_clear_error();
    return error_set(err, "libcrypto: %s failed", what);
}

size_t digest_cipher_hash(enum digest_cipher_hash kind, const void *message, size_t len,
                          uint8_t hash[DIGEST_CIPHER_MOST_HASH], struct error *err)
{
    static const char *const names[] = {"MD5", "SHA2-256", "SHA2-384", "SHA2-512"};
    EVP_MD *algorithm = EVP_MD_fetch(NULL, names[kind], NULL);
    unsigned hash_len = 0;

    if (!algorithm || EVP_Digest(message, len, hash, &hash_len, algorithm, NULL) != 1) {
        libcrypto_error(err, names[kind]);
        hash_len = 0;
    }
    EVP_MD_free(algorithm);
    return hash_len;
}

struct digest_cipher {
    EVP_CIPHER *algorithm;
    EVP_CIPHER_CTX *context;
};

static struct digest_cipher *begin(const uint8_t *key, size_t key_len, const uint8_t *start, bool encrypts,
                                   struct error *err)
{
    struct digest_cipher *cipher = memory_new(sizeof *cipher, err);

    if (!cipher)
        return NULL;
    cipher->algorithm = EVP_CIPHER_fetch(NULL, key_len == 32 ? "AES-256-CBC" : "AES-128-CBC", NULL);
    cipher->context = EVP_CIPHER_CTX_new();
    if (!cipher->algorithm || !cipher->context ||
        EVP_CipherInit_ex2(cipher->context, cipher->algorithm, key, start, encrypts, NULL) != 1 ||
        EVP_CIPHER_CTX_set_padding(cipher->context, 0) != 1) {
        libcrypto_error(err, "AES");
        digest_cipher_free(cipher);
        return NULL;
    }
    return cipher;
}

static int step(struct digest_cipher *cipher, const uint8_t *from, size_t len, uint8_t *into,
                struct error *err)
{
    int got = 0;

    if (len > INT_MAX || EVP_CipherUpdate(cipher->context, into, &got, from, (int)len) != 1 ||
        got != (int)len)
        return libcrypto_error(err, "AES");
    return 0;
}

struct digest_cipher *digest_cipher_new(const uint8_t *key, size_t key_len,
                                        const uint8_t start[DIGEST_CIPHER_BLOCK], struct error *err)
{
    return begin(key, key_len, start, false, err);
}

void digest_cipher_free(struct digest_cipher *cipher)
{
    if (cipher) {
        EVP_CIPHER_CTX_free(cipher->context);
        EVP_CIPHER_free(cipher->algorithm);
    }
    free(cipher);
}

int digest_cipher_decrypt(struct digest_cipher *cipher, const uint8_t *from, size_t len, uint8_t *into,
                          struct error *err)
{
    return step(cipher, from, len, into, err);
}

int digest_cipher_encrypt(const uint8_t key[DIGEST_CIPHER_BLOCK], const uint8_t start[DIGEST_CIPHER_BLOCK],
                          const uint8_t *from, size_t len, uint8_t *into, struct error *err)
{
    struct digest_cipher *cipher = begin(key, DIGEST_CIPHER_BLOCK, start, true, err);
    const int result = cipher ? step(cipher, from, len, into, err) : -1;

    digest_cipher_free(cipher);
    return result;
}
