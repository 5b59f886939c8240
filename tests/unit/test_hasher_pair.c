/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check_main.h"
#include "sample/hasher_pair.h"

enum { MOST = 30000, N = 12, C = 64 };

static const struct sampler_key *const none = NULL;

static void hash(struct hasher *hasher, const uint8_t *data, size_t len, struct record *record)
{
    ck_assert_int_eq(hasher_begin(hasher, len, NULL), 0);
    ck_assert_int_eq(hasher_update(hasher, data, len, NULL), 0);
    ck_assert_int_eq(hasher_final(hasher, record, NULL), 0);
}

/* C is that of sampler_auto_c, which is less than the set's below 24 KiB. */
START_TEST(small_content_is_sampled_by_its_length_and_the_rest_like_the_set)
{
    static uint8_t data[MOST];
    static const struct {
        size_t len;
        uint32_t c;
    } cases[] = {{0, 4},          {500, 8},  {48 * 32 - 1, 16}, {48 * 32, 32}, {24 * 1024 - 1, 32},
                 {24 * 1024, 64}, {MOST, 64}};
    struct hasher_pair pair;

    fill_text(data, sizeof data);
    ck_assert_int_eq(
        hasher_pair_open(&pair, N, C, &none, 1, DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_MD5), NULL), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct sampler_params params = {.scheme = SAMPLER_GF8, .n = N, .c = cases[i].c};
        struct hasher *twin = hasher_new(&params, DIGEST_BIT(DIGEST_SHA1), NULL);
        struct record record = {0}, expected = {0};

        hash(hasher_pair_for(&pair, cases[i].len), data, cases[i].len, &record);
        hash(twin, data, cases[i].len, &expected);
        ck_assert_uint_eq(record.params.c, cases[i].c);
        ck_assert_uint_eq(record.params.n, N);
        ck_assert_uint_eq(record.digests.kinds, DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_MD5));
        ck_assert_mem_eq(record.digests.bytes[DIGEST_SHA1], expected.digests.bytes[DIGEST_SHA1],
                         DIGEST_SHA1_LEN);
        ck_assert_uint_eq(record.count, expected.count);
        for (size_t at = 0; at < record.count; at++) {
            ck_assert_uint_eq(record.samples[at].pos, expected.samples[at].pos);
            ck_assert_uint_eq(record.samples[at].fp, expected.samples[at].fp);
        }
        record_release(&record);
        record_release(&expected);
        hasher_free(twin);
    }
    hasher_pair_close(&pair);
}
END_TEST

START_TEST(a_pair_that_fails_to_open_is_left_closed)
{
    struct hasher_pair pair;
    struct error err;

    ck_assert_int_eq(hasher_pair_open(&pair, N, 65, &none, 1, DIGEST_BIT(DIGEST_SHA1), &err),
                     -1); /* no power of two */
    ck_assert_ptr_null(pair.small);
    ck_assert_ptr_null(pair.large);
    ck_assert_ptr_nonnull(strstr(err.text, "65"));
}
END_TEST

RUN_TESTS("hasher_pair", small_content_is_sampled_by_its_length_and_the_rest_like_the_set,
          a_pair_that_fails_to_open_is_left_closed)
