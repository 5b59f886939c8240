/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/digest_cipher.h"
#include "check_main.h"

enum { BLOCKS = 4 };

static size_t from_hex(const char *hex, uint8_t *bytes)
{
    const size_t len = strlen(hex) / 2;

    for (size_t i = 0; i < len; i++) {
        unsigned byte;

        ck_assert_int_eq(sscanf(hex + 2 * i, "%2x", &byte), 1);
        bytes[i] = (uint8_t)byte;
    }
    return len;
}

/* NIST SP 800-38A, F.2.2 and F.2.6. */
static const char start_hex[] = "000102030405060708090a0b0c0d0e0f";
static const char plain_hex[] = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
                                "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";
static const struct {
    const char *key, *encrypted;
} vectors[] = {
    {"2b7e151628aed2a6abf7158809cf4f3c", "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
                                         "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"},
    {"603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
     "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
     "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b"},
};

START_TEST(decrypts_in_any_pieces)
{
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        for (size_t piece = 1; piece <= BLOCKS; piece++) {
            uint8_t key[32], start[DIGEST_CIPHER_BLOCK], plain[BLOCKS * DIGEST_CIPHER_BLOCK],
                bytes[sizeof plain];
            const size_t key_len = from_hex(vectors[i].key, key);
            struct digest_cipher *cipher;

            from_hex(start_hex, start);
            from_hex(plain_hex, plain);
            from_hex(vectors[i].encrypted, bytes);
            cipher = digest_cipher_new(key, key_len, start, NULL);
            ck_assert_ptr_nonnull(cipher);
            for (size_t at = 0; at < sizeof bytes;) {
                size_t len = piece * DIGEST_CIPHER_BLOCK;

                len = len < sizeof bytes - at ? len : sizeof bytes - at;
                ck_assert_int_eq(digest_cipher_decrypt(cipher, bytes + at, len, bytes + at, NULL), 0);
                at += len;
            }
            ck_assert_mem_eq(bytes, plain, sizeof plain);
            digest_cipher_free(cipher);
        }
    digest_cipher_free(NULL);
}
END_TEST

START_TEST(encrypts)
{
    uint8_t key[DIGEST_CIPHER_BLOCK], start[DIGEST_CIPHER_BLOCK], encrypted[BLOCKS * DIGEST_CIPHER_BLOCK],
        bytes[sizeof encrypted];

    from_hex(vectors[0].key, key);
    from_hex(start_hex, start);
    from_hex(plain_hex, bytes);
    from_hex(vectors[0].encrypted, encrypted);
    ck_assert_int_eq(digest_cipher_encrypt(key, start, bytes, sizeof bytes, bytes, NULL), 0);
    ck_assert_mem_eq(bytes, encrypted, sizeof bytes);
}
END_TEST

/* RFC 1321, A.5, and FIPS 180-4's example "abc". */
START_TEST(hashes)
{
    static const char *const expected[] = {
        "900150983cd24fb0d6963f7d28e17f72",
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
        ("ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd"
         "454d4423643ce80e2a9ac94fa54ca49f")};

    for (int kind = DIGEST_CIPHER_MD5; kind <= DIGEST_CIPHER_SHA512; kind++) {
        uint8_t hash[DIGEST_CIPHER_MOST_HASH], right[DIGEST_CIPHER_MOST_HASH];
        const size_t len = from_hex(expected[kind], right);

        ck_assert_uint_eq(digest_cipher_hash((enum digest_cipher_hash)kind, "abc", 3, hash, NULL), len);
        ck_assert_mem_eq(hash, right, len);
    }
}
END_TEST

RUN_TESTS("digest_cipher", decrypts_in_any_pieces, encrypts, hashes)
