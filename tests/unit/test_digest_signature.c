/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/digest_signature.h"
#include "file.h"

enum { VECTORS = 3 };

static const char key_path[] = "test_digest_signature.pem";

/* RFC 8032, section 7.1, tests 1 to 3; the keys as PEM (RFC 8410) have them. */
static const struct vector {
    const char *private, *public;
    const char *message;
    size_t len;
    const char *signature;
} vectors[VECTORS] = {
    {"MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g",
     "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=", "", 0,
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f"
     "0"
     "595bbe24655141438e7a100b"},
    {"MC4CAQAwBQYDK2VwBCIEIEzNCJso/5banbbDRuwRTg9bijGfNaumJNqM9u1PuKb7",
     "MCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=", "\x72", 1,
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2ea"
     "e"
     "b4302aeeb00d291612bb0c00"},
    {"MC4CAQAwBQYDK2VwBCIEIMWqjfQ/n4N77bdELzHct7Fm04U1B28JS4XOOi4LRFj3",
     "MCowBQYDK2VwAyEA/FHNjmIYoaONpH7QAjDwWAgW7RO6MwOsXeuRFUiQgCU=", "\xaf\x82", 2,
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e"
     "9"
     "716ed28dc027beceea1ec40a"},
};

static struct error err;

static void store_key(const char *body, const char *what)
{
    char pem[300];

    snprintf(pem, sizeof pem, "-----BEGIN %s KEY-----\n%s\n-----END %s KEY-----\n", what, body, what);
    file_store(key_path, pem, strlen(pem));
}

static struct digest_signature_key *private_key(size_t i)
{
    struct digest_signature_key *key;

    store_key(vectors[i].private, "PRIVATE");
    key = digest_signature_private(key_path, &err);
    ck_assert_msg(key != NULL, "%s", key ? "" : err.text);
    unlink(key_path);
    return key;
}

static struct digest_signature_key *public_key(size_t i)
{
    struct digest_signature_key *key;

    store_key(vectors[i].public, "PUBLIC");
    key = digest_signature_public(key_path, &err);
    ck_assert_msg(key != NULL, "%s", key ? "" : err.text);
    unlink(key_path);
    return key;
}

static void parse(const char *hex, uint8_t out[DIGEST_SIGNATURE_LEN])
{
    for (size_t i = 0; i < DIGEST_SIGNATURE_LEN; i++) {
        unsigned byte;

        ck_assert_int_eq(sscanf(hex + 2 * i, "%2x", &byte), 1);
        out[i] = (uint8_t)byte;
    }
}

START_TEST(makes_the_signatures_of_the_standard)
{
    for (size_t i = 0; i < VECTORS; i++) {
        const struct vector *vector = &vectors[i];
        struct digest_signature_key *key = private_key(i);
        uint8_t made[DIGEST_SIGNATURE_LEN], expected[DIGEST_SIGNATURE_LEN];

        parse(vector->signature, expected);
        ck_assert_int_eq(digest_signature_make(key, vector->message, vector->len, made, &err), 0);
        ck_assert_mem_eq(made, expected, sizeof made);
        digest_signature_free(key);
    }
    digest_signature_free(NULL);
}
END_TEST

START_TEST(only_the_message_as_signed_by_the_owner_of_the_key_holds)
{
    for (size_t i = 0; i < VECTORS; i++) {
        const struct vector *vector = &vectors[i];
        struct digest_signature_key *key = public_key(i), *other = public_key((i + 1) % VECTORS);
        uint8_t signature[DIGEST_SIGNATURE_LEN];

        parse(vector->signature, signature);
        ck_assert_int_eq(digest_signature_holds(key, vector->message, vector->len, signature, &err), 1);
        ck_assert_int_eq(digest_signature_holds(other, vector->message, vector->len, signature, &err), 0);
        ck_assert_int_eq(digest_signature_holds(key, "other", 5, signature, &err), 0);
        for (size_t byte = 0; byte < sizeof signature; byte++) {
            signature[byte] ^= (uint8_t)(1 << byte % 8);
            ck_assert_int_eq(digest_signature_holds(key, vector->message, vector->len, signature, &err), 0);
            signature[byte] ^= (uint8_t)(1 << byte % 8);
        }
        digest_signature_free(key);
        digest_signature_free(other);
    }
}
END_TEST

START_TEST(other_files_are_no_keys)
{
    /* a public key of X25519, which cannot sign */
    static const char x25519[] = "MCowBQYDK2VuAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";

    store_key(x25519, "PUBLIC");
    ck_assert_ptr_null(digest_signature_public(key_path, &err));
    ck_assert_str_eq(err.text, "test_digest_signature.pem: is a public key, but not one of Ed25519");
    store_key(vectors[0].private, "PRIVATE");
    ck_assert_ptr_null(digest_signature_public(key_path, &err));
    ck_assert_str_eq(err.text, "test_digest_signature.pem: is not a public key in PEM, or cannot be read");
    store_key(vectors[0].public, "PUBLIC");
    ck_assert_ptr_null(digest_signature_private(key_path, &err));
    ck_assert_str_eq(err.text, "test_digest_signature.pem: is not a private key in PEM, or cannot be read");
    store_key("MCowBQYDK2VwAyEA", "PUBLIC");
    ck_assert_ptr_null(digest_signature_public(key_path, &err));
    file_store(key_path, "", 0);
    ck_assert_ptr_null(digest_signature_public(key_path, &err));
    ck_assert_ptr_null(digest_signature_public(".", &err));
    unlink(key_path);
    ck_assert_ptr_null(digest_signature_public(key_path, &err));
    ck_assert_str_eq(err.text, "test_digest_signature.pem: No such file or directory");
}
END_TEST

RUN_TESTS("digest_signature", makes_the_signatures_of_the_standard,
          only_the_message_as_signed_by_the_owner_of_the_key_holds, other_files_are_no_keys)
