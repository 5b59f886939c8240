/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <string.h>

#include "base/digest.h"
#include "check_main.h"
#include "sample/blocks.h"

enum { LEN = 20000 };

static uint8_t content[LEN];
static struct error err;

static void sha1(const uint8_t *p, size_t len, struct digest_values *values)
{
    struct digest *digest = digest_new(DIGEST_BIT(DIGEST_SHA1), &err);

    ck_assert_ptr_nonnull(digest);
    ck_assert(digest_begin(digest, &err) == 0 && digest_update(digest, p, len, &err) == 0 &&
              digest_final(digest, values, &err) == 0);
    digest_free(digest);
}

static void assert_blocks(const struct buffer *out, size_t len, size_t size)
{
    struct digest_values values;
    size_t at = 0;

    ck_assert_ptr_nonnull(out);
    for (size_t i = 0; at < len; i++, at += size) {
        sha1(content + at, len - at < size ? len - at : size, &values);
        ck_assert_uint_ge(out->len, (i + 1) * DIGEST_SHA1_LEN);
        ck_assert_mem_eq(out->data + i * DIGEST_SHA1_LEN, values.bytes[DIGEST_SHA1], DIGEST_SHA1_LEN);
    }
    ck_assert_uint_eq(out->len, (len + size - 1) / size * DIGEST_SHA1_LEN);
}

START_TEST(each_block_has_its_sha1_however_the_stream_is_cut)
{
    static const size_t sizes[] = {512, 513, 4096, LEN, LEN + 1},
                        lens[] = {0, 1, 511, 512, 513, 1024, 4096, 8192, LEN};
    struct blocks *blocks = blocks_new(&err);

    ck_assert_ptr_nonnull(blocks);
    fill_random(content, LEN);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t j = 0; j < sizeof lens / sizeof *lens; j++) {
            ck_assert_int_eq(blocks_begin(blocks, sizes[i], &err), 0);
            for (size_t at = 0, piece; at < lens[j]; at += piece) {
                piece = 1 + random64() % 3000;
                piece = piece < lens[j] - at ? piece : lens[j] - at;
                ck_assert_int_eq(blocks_update(blocks, content + at, piece, &err), 0);
            }
            assert_blocks(blocks_final(blocks, &err), lens[j], sizes[i]);
        }
    blocks_free(blocks);
    blocks_free(NULL);
}
END_TEST

START_TEST(an_unfinished_stream_does_not_affect_the_next)
{
    struct blocks *blocks = blocks_new(&err);

    fill_random(content, LEN);
    ck_assert_int_eq(blocks_begin(blocks, 512, &err), 0);
    ck_assert_int_eq(blocks_update(blocks, content + 7, 1300, &err), 0);
    ck_assert_int_eq(blocks_begin(blocks, 512, &err), 0);
    ck_assert_int_eq(blocks_update(blocks, content, 1300, &err), 0);
    assert_blocks(blocks_final(blocks, &err), 1300, 512);
    blocks_free(blocks);
}
END_TEST

static void check_len(uint64_t len, uint32_t block)
{
    const uint64_t size = blocks_size(len, block), count = blocks_count(len, block);
    const unsigned __int128 all = (unsigned __int128)size * (count ? count : 1);

    ck_assert(size >= block && size % block == 0 && ((size / block) & (size / block - 1)) == 0);
    ck_assert_uint_le(count, BLOCKS_MOST);
    ck_assert(count != 1);
    ck_assert(all >= len);
    if (count)
        ck_assert(all - size < len);
    if (size > block)
        ck_assert_uint_ge(len / (size / 2), BLOCKS_MOST); /* the smaller size would have been too small */
}

START_TEST(blocks_cover_the_file_are_not_too_many_and_no_larger_than_needed)
{
    static const uint32_t sizes[] = {BLOCKS_LEAST, BLOCKS_DEFAULT, BLOCKS_LARGEST};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int shift = 0; shift < 64; shift++)
            for (int more = -2; more <= 2; more++) {
                check_len(((uint64_t)1 << shift) + (uint64_t)(int64_t)more, sizes[i]);
                check_len(sizes[i] * ((uint64_t)1 << shift % 40) * 3 + (uint64_t)(int64_t)more, sizes[i]);
                check_len(random64() >> shift, sizes[i]);
            }
    ck_assert_uint_eq(blocks_count(0, 4096), 0);
    ck_assert_uint_eq(blocks_count(4096, 4096), 0);
    ck_assert_uint_eq(blocks_count(4097, 4096), 2);
    ck_assert_uint_eq(blocks_count(8192, 4096), 2);
    ck_assert_uint_eq(blocks_count(8193, 4096), 3);
}
END_TEST

RUN_TESTS("blocks", each_block_has_its_sha1_however_the_stream_is_cut,
          an_unfinished_stream_does_not_affect_the_next,
          blocks_cover_the_file_are_not_too_many_and_no_larger_than_needed)
