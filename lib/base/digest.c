/* SPDX-License-Identifier: Apache-2.0 */
#include "base/digest.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const struct {
    const char *name;
    const char *libcrypto_name;
    size_t len;
} kinds_table[DIGEST_KINDS] = {
    [DIGEST_SHA1] = {"sha1", "SHA1", DIGEST_SHA1_LEN},
    [DIGEST_MD5] = {"md5", "MD5", DIGEST_MD5_LEN},
    [DIGEST_SHA256] = {"sha256", "SHA2-256", DIGEST_SHA256_LEN},
};

struct digest {
    unsigned kinds;
    EVP_MD *algorithms[DIGEST_KINDS];
    EVP_MD_CTX *contexts[DIGEST_KINDS];
};

size_t digest_len(enum digest_kind kind)
{
    return kinds_table[kind].len;
}

const char *digest_name(enum digest_kind kind)
{
    return kinds_table[kind].name;
}

static int libcrypto_error(struct error *err, const char *what, int kind)
{
    unsigned long code = ERR_peek_last_error();
    const char *reason = code ? ERR_reason_error_string(code) : NULL;

    ERR_clear_error();
    return error_set(err, "libcrypto: %s for %s failed: %s", what, kinds_table[kind].name,
                     reason ? reason : "no reason given");
}

unsigned digest_differing(const struct digest_values *a, const struct digest_values *b)
{
    unsigned differing = 0;

    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if ((a->kinds & b->kinds & DIGEST_BIT(kind)) &&
            memcmp(a->bytes[kind], b->bytes[kind], digest_len((enum digest_kind)kind)) != 0)
            differing |= DIGEST_BIT(kind);
    return differing;
}

bool digest_agree(const struct digest_values *a, const struct digest_values *b)
{
    return memcmp(a->bytes[DIGEST_SHA1], b->bytes[DIGEST_SHA1], DIGEST_SHA1_LEN) == 0 &&
           digest_differing(a, b) == 0;
}

/* libcrypto goes on to use whatever it failed to set up, so fail early. */
int digest_prepare(struct error *err)
{
    if (OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, NULL) != 1 || !OSSL_LIB_CTX_get0_global_default())
        return error_set(err, "cannot initialise libcrypto");
    return 0;
}

struct digest *digest_new(unsigned kinds, struct error *err)
{
    struct digest *digest = digest_prepare(err) ? NULL : memory_new(sizeof *digest, err);

    if (!digest)
        return NULL;
    digest->kinds = kinds;
    for (int i = 0; i < DIGEST_KINDS; i++) {
        if (!(kinds & DIGEST_BIT(i)))
            continue;
        digest->algorithms[i] = EVP_MD_fetch(NULL, kinds_table[i].libcrypto_name, NULL);
        digest->contexts[i] = EVP_MD_CTX_new();
        if (!digest->algorithms[i] || !digest->contexts[i]) {
            libcrypto_error(err, "set-up", i);
            digest_free(digest);
            return NULL;
        }
    }
    return digest;
}

void digest_free(struct digest *digest)
{
    for (int i = 0; digest && i < DIGEST_KINDS; i++) {
        EVP_MD_CTX_free(digest->contexts[i]);
        EVP_MD_free(digest->algorithms[i]);
    }
    free(digest);
}

int digest_begin(struct digest *digest, struct error *err)
{
    for (int i = 0; i < DIGEST_KINDS; i++)
        if (digest->contexts[i] && EVP_DigestInit_ex2(digest->contexts[i], digest->algorithms[i], NULL) != 1)
            return libcrypto_error(err, "init", i);
    return 0;
}

int digest_update(struct digest *digest, const void *data, size_t len, struct error *err)
{
    for (int i = 0; i < DIGEST_KINDS; i++)
        if (digest->contexts[i] && EVP_DigestUpdate(digest->contexts[i], data, len) != 1)
            return libcrypto_error(err, "update", i);
    return 0;
}

int digest_final(struct digest *digest, struct digest_values *values, struct error *err)
{
    values->kinds = digest->kinds;
    for (int i = 0; i < DIGEST_KINDS; i++)
        if (digest->contexts[i] && EVP_DigestFinal_ex(digest->contexts[i], values->bytes[i], NULL) != 1)
            return libcrypto_error(err, "final", i);
    return 0;
}

const char *digest_library(void)
{
    return OpenSSL_version(OPENSSL_VERSION);
}
