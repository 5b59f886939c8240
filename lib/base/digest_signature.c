/* SPDX-License-Identifier: Apache-2.0 */
#include "base/digest_signature.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

struct digest_signature_key {
    EVP_PKEY *key;
};

static int libcrypto_error(struct error *err, const char *what)
{
    const unsigned long code = ERR_peek_last_error();
    const char *reason = code ? ERR_reason_error_string(code) : NULL;

    ERR_clear_error();
    return error_set(err, "libcrypto: %s failed: %s", what, reason ? reason : "no reason given");
}

/* ---- keys ---- */

/* Takes ownership of the key. */
static struct digest_signature_key *new_key(EVP_PKEY *key, struct error *err)
{
    struct digest_signature_key *made = memory_new(sizeof *made, err);

    if (made)
        made->key = key;
    else
        EVP_PKEY_free(key);
    return made;
}

static struct digest_signature_key *
read_key(const char *path, const char *what,
         EVP_PKEY *(*read)(FILE *, EVP_PKEY **, pem_password_cb *, void *), struct error *err)
{
    FILE *file = fopen(path, "re");
    EVP_PKEY *key;

    if (!file) {
        error_errno(err, "%s", path);
        return NULL;
    }
    key = read(file, NULL, NULL, NULL);
    fclose(file);
    ERR_clear_error();
    if (key && EVP_PKEY_is_a(key, "ED25519"))
        return new_key(key, err);
    error_set(err, key ? "%s: is %s, but not one of Ed25519" : "%s: is not %s in PEM, or cannot be read",
              path, what);
    EVP_PKEY_free(key);
    return NULL;
}

struct digest_signature_key *digest_signature_private(const char *path, struct error *err)
{
    return read_key(path, "a private key", PEM_read_PrivateKey, err);
}

struct digest_signature_key *digest_signature_public(const char *path, struct error *err)
{
    return read_key(path, "a public key", PEM_read_PUBKEY, err);
}

void digest_signature_free(struct digest_signature_key *key)
{
    if (!key)
        return;
    EVP_PKEY_free(key->key);
    free(key);
}

/* ---- signatures ---- */

int digest_signature_make(const struct digest_signature_key *key, const void *message, size_t len,
                          uint8_t signature[DIGEST_SIGNATURE_LEN], struct error *err)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    size_t made = DIGEST_SIGNATURE_LEN;
    const bool good = context && EVP_DigestSignInit(context, NULL, NULL, NULL, key->key) == 1 &&
                      EVP_DigestSign(context, signature, &made, message, len) == 1 &&
                      made == DIGEST_SIGNATURE_LEN;

    EVP_MD_CTX_free(context);
    return good ? 0 : libcrypto_error(err, "signing");
}

int digest_signature_holds(const struct digest_signature_key *key, const void *message, size_t len,
                           const uint8_t signature[DIGEST_SIGNATURE_LEN], struct error *err)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int result = -1;

    if (context && EVP_DigestVerifyInit(context, NULL, NULL, NULL, key->key) == 1)
        result = EVP_DigestVerify(context, signature, DIGEST_SIGNATURE_LEN, message, len) == 1;
    EVP_MD_CTX_free(context);
    if (result < 0)
        return libcrypto_error(err, "checking a signature");
    ERR_clear_error();
    return result;
}
