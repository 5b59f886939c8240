/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "check_main.h"

enum {
    ALL = DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_MD5) | DIGEST_BIT(DIGEST_SHA256),
    MAX_LEN = 20000,
};

static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"; /* 448 bits */

/* FIPS 180 (the SHAs) and RFC 1321, A.5 (MD5); where the RFC has no such message: md5sum. */
static const struct vector {
    const char *message;
    const char *md5, *sha1, *sha256;
} vectors[] = {
    {"", "d41d8cd98f00b204e9800998ecf8427e", "da39a3ee5e6b4b0d3255bfef95601890afd80709",
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "900150983cd24fb0d6963f7d28e17f72", "a9993e364706816aba3e25717850c26c9cd0d89d",
     "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {two_blocks, "8215ef0796a20bcaaae116d3876c664a", "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
};

static const struct vector million_a = {"a", "7707d6ae4e027c70eea2a935c2296f21",
                                        "34aa973cd4c4daa4f61eeb2bdbad27316534016f",
                                        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"};

static uint8_t content[MAX_LEN];

static struct digest *make(unsigned kinds)
{
    struct error err;
    struct digest *digest = digest_new(kinds, &err);

    ck_assert_msg(digest != NULL, "%s", digest ? "" : err.text);
    ck_assert_int_eq(digest_begin(digest, &err), 0);
    return digest;
}

static void update(struct digest *digest, const void *data, size_t len)
{
    struct error err;

    ck_assert_int_eq(digest_update(digest, data, len, &err), 0);
}

static struct digest_values finish(struct digest *digest)
{
    struct digest_values values;
    struct error err;

    memset(&values, 0xee, sizeof values);
    ck_assert_int_eq(digest_final(digest, &values, &err), 0);
    return values;
}

static struct digest_values digest_text(struct digest *digest, const char *text)
{
    update(digest, text, strlen(text));
    return finish(digest);
}

static void assert_hex(const struct digest_values *values, enum digest_kind kind, const char *wanted)
{
    char hex[2 * DIGEST_MAX_LEN + 1] = "";

    ck_assert(values->kinds & DIGEST_BIT(kind));
    for (size_t i = 0; i < digest_len(kind); i++)
        snprintf(hex + 2 * i, 3, "%02x", values->bytes[kind][i]);
    ck_assert_str_eq(hex, wanted);
}

static void assert_vector(const struct digest_values *values, const struct vector *wanted)
{
    assert_hex(values, DIGEST_MD5, wanted->md5);
    assert_hex(values, DIGEST_SHA1, wanted->sha1);
    assert_hex(values, DIGEST_SHA256, wanted->sha256);
}

START_TEST(matches_the_published_digests)
{
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        struct digest *digest = make(ALL);
        const struct digest_values values = digest_text(digest, vectors[i].message);

        assert_vector(&values, &vectors[i]);
        digest_free(digest);
    }
}
END_TEST

START_TEST(md5_matches_the_other_digests_of_its_rfc)
{
    static const char *const messages[][2] = {
        {"a", "0cc175b9c0f1b6a831c399e269772661"},
        {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
        {"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
        {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
         "d174ab98d277d9f5a5611c2c9f419d9f"},
        {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
         "57edf4a22be3c955ac49da2e2107b67a"},
    };

    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        struct digest *digest = make(ALL);
        struct digest_values values;

        update(digest, messages[i][0], strlen(messages[i][0]));
        values = finish(digest);
        assert_hex(&values, DIGEST_MD5, messages[i][1]);
        digest_free(digest);
    }
}
END_TEST

START_TEST(a_million_letters_hash_to_the_published_digests)
{
    struct digest *digest = make(ALL);
    struct digest_values values;

    memset(content, 'a', 1000);
    for (int i = 0; i < 1000; i++)
        update(digest, content, 1000);
    values = finish(digest);
    assert_vector(&values, &million_a);
    digest_free(digest);
}
END_TEST

static void assert_same(const struct digest_values *a, const struct digest_values *b)
{
    ck_assert_uint_eq(a->kinds, b->kinds);
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if (a->kinds & DIGEST_BIT(kind))
            ck_assert_mem_eq(a->bytes[kind], b->bytes[kind], digest_len((enum digest_kind)kind));
}

START_TEST(does_not_depend_on_how_input_is_cut)
{
    struct digest *digest = make(ALL);

    fill_random(content, MAX_LEN);
    for (int round = 0; round < 200; round++) {
        const size_t len = random64() % MAX_LEN;
        struct digest_values whole, cut;
        struct error err;

        ck_assert_int_eq(digest_begin(digest, &err), 0);
        update(digest, content, len);
        whole = finish(digest);
        ck_assert_int_eq(digest_begin(digest, &err), 0);
        for (size_t at = 0, piece; at < len; at += piece) {
            piece = random64() % (random64() % 2 ? 70 : 5000);
            piece = piece < len - at ? piece : len - at;
            update(digest, content + at, piece);
        }
        cut = finish(digest);
        assert_same(&whole, &cut);
    }
    digest_free(digest);
}
END_TEST

START_TEST(starts_afresh_after_the_end_and_after_abandoned_input)
{
    struct digest *digest = make(ALL);
    struct digest_values values;
    struct error err;

    update(digest, "something else", 14);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        ck_assert_int_eq(digest_begin(digest, &err), 0);
        update(digest, "given up", 8);
        ck_assert_int_eq(digest_begin(digest, &err), 0);
        values = digest_text(digest, vectors[i].message);
        assert_vector(&values, &vectors[i]);
    }
    digest_free(digest);
}
END_TEST

START_TEST(only_the_requested_kinds_are_present)
{
    for (unsigned kinds = 0; kinds <= ALL; kinds++) {
        struct digest_values values;
        struct digest *digest;

        if (!(kinds & DIGEST_BIT(DIGEST_SHA1)))
            continue;
        digest = make(kinds);
        values = digest_text(digest, "abc");
        ck_assert_uint_eq(values.kinds, kinds);
        assert_hex(&values, DIGEST_SHA1, vectors[1].sha1);
        if (kinds & DIGEST_BIT(DIGEST_MD5))
            assert_hex(&values, DIGEST_MD5, vectors[1].md5);
        if (kinds & DIGEST_BIT(DIGEST_SHA256))
            assert_hex(&values, DIGEST_SHA256, vectors[1].sha256);
        digest_free(digest);
    }
}
END_TEST

START_TEST(names_and_lengths_match_the_algorithms)
{
    ck_assert_str_eq(digest_name(DIGEST_SHA1), "sha1");
    ck_assert_str_eq(digest_name(DIGEST_MD5), "md5");
    ck_assert_str_eq(digest_name(DIGEST_SHA256), "sha256");
    ck_assert_uint_eq(8 * digest_len(DIGEST_SHA1), 160);
    ck_assert_uint_eq(8 * digest_len(DIGEST_MD5), 128);
    ck_assert_uint_eq(8 * digest_len(DIGEST_SHA256), 256);
    digest_free(NULL);
}
END_TEST

RUN_TESTS("digest", matches_the_published_digests, md5_matches_the_other_digests_of_its_rfc,
          a_million_letters_hash_to_the_published_digests, does_not_depend_on_how_input_is_cut,
          starts_afresh_after_the_end_and_after_abandoned_input, only_the_requested_kinds_are_present,
          names_and_lengths_match_the_algorithms)
