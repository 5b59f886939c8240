/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check_main.h"
#include "set/known.h"

enum { SAMPLES = 200, N = 12, BLOCK = 4096 };

static struct known known;
static struct error err;

/* An entry that a set accepts. */
static void make_known(uint64_t size, uint32_t c)
{
    struct sample samples[SAMPLES];
    size_t count = 0;

    known_reset(&known);
    fill_random((uint8_t *)known.digests.bytes, sizeof known.digests.bytes);
    known.digests.kinds = DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_SHA256);
    known.has_size = known.has_record = true;
    known.size = size;
    known.record.params = (struct sampler_params){SAMPLER_GF8, N, c, 0};
    known.record.coincidence = 777;
    known.record.len = size;
    for (uint64_t pos = random64() % 50; pos + N <= size && count < SAMPLES; pos += 1 + random64() % 50)
        samples[count++] = (struct sample){pos, random64() / c};
    ck_assert_int_eq(record_set_samples(&known.record, samples, count, &err), 0);
    for (uint64_t i = 0; i < blocks_count(size, BLOCK) * DIGEST_SHA1_LEN; i++)
        buffer_add_char(&known.blocks, (char)random64());
}

static int check(void)
{
    return known_check(&known, N, 0, BLOCK, &err);
}

/* ---- C ---- */

/* 1 MiB has 2^20 / c samples, and four times the length has twice as many. */
START_TEST(c_grows_with_the_square_root_of_large_files)
{
    for (uint32_t c = 4; c <= SAMPLER_MAX_C; c *= 2)
        for (uint64_t len = 128 << 10; len < (uint64_t)1 << 62; len += 1 + len / 7) {
            const uint32_t got = known_c(len, c);
            const double doublings = len > 1 << 20 ? (double)(len - 1) / (1 << 20) : 0;

            ck_assert(got >= c && got <= SAMPLER_MAX_C && (got & (got - 1)) == 0);
            if (len <= 1 << 20)
                ck_assert_uint_eq(got, c);
            else if (got <
                     SAMPLER_MAX_C) { /* (got / c)^2 is the next power of four above the lengths' ratio */
                ck_assert_double_gt((double)(got / c) * (got / c), doublings);
                ck_assert_double_le((double)(got / c) * (got / c), 4 * doublings + 4);
            }
        }
}
END_TEST

START_TEST(small_files_are_as_dense_as_their_size_and_the_set_allow)
{
    for (uint32_t c = 4; c <= SAMPLER_MAX_C; c *= 2)
        for (uint64_t len = 0; len < 128 << 10; len += 1 + len / 60) {
            const uint32_t got = known_c(len, c), densest = sampler_auto_c(len);

            ck_assert((got & (got - 1)) == 0);
            if (c <= 128)
                ck_assert_uint_eq(got, densest < c ? densest : c);
            else /* as many times sparser as the set, unless that leaves fewer than 24 samples */
                ck_assert(got == densest * (c / 128) || (len / (2 * got) < 24 && got >= densest));
            ck_assert(c <= 128 || got == densest || len / got >= 24);
        }
}
END_TEST

START_TEST(c_never_falls_with_length)
{
    uint32_t last = 0;

    for (uint64_t len = 0; len < (uint64_t)1 << 62; len += 1 + len / 7) {
        ck_assert_uint_ge(known_c(len, 128), last);
        last = known_c(len, 128);
    }
    ck_assert_uint_eq(known_c(UINT64_MAX, SAMPLER_MAX_C), SAMPLER_MAX_C);
    ck_assert_uint_eq(known_c(0, 128), 4);
    ck_assert_uint_eq(known_c(1 << 20, 128), 128);
    ck_assert_uint_eq(known_c((1 << 20) + 1, 128), 256);
    ck_assert_uint_eq(known_c(4 << 20, 128), 256);
    ck_assert_uint_eq(known_c((4 << 20) + 1, 128), 512);
}
END_TEST

START_TEST(denser_records_are_reduced_and_others_stay)
{
    make_known(200000, 16);
    known_reduce(&known, 128);
    ck_assert_uint_eq(known.record.params.c, 128);
    for (size_t i = 0; i < known.record.count; i++)
        ck_assert_uint_lt(known.record.samples[i].fp, (uint64_t)1 << 57);
    ck_assert(known.record.count > 0 && known.record.count < SAMPLES / 2);
    ck_assert_int_eq(check(), 0);
    make_known(20000, 1024);
    known_reduce(&known, 128);
    ck_assert_uint_eq(known.record.params.c, 1024);
    ck_assert_uint_gt(known.record.count, 0);
    known_release(&known);
}
END_TEST

/* ---- what a set takes ---- */

START_TEST(consistent_entries_are_accepted)
{
    static const uint64_t sizes[] = {0, 1, 11, 12, 13, 4096, 4097, 100000, 1 << 22};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint32_t c = 4; c <= SAMPLER_MAX_C; c *= 4) {
            make_known(sizes[i], c);
            ck_assert_msg(check() == 0, "%s", err.text);
            buffer_reset(&known.blocks);
            ck_assert_int_eq(check(), 0);
        }
    known.has_record = false;
    ck_assert_int_eq(check(), 0);
    known.has_size = false;
    ck_assert_int_eq(check(), 0);
    known.digests.kinds = DIGEST_BIT(DIGEST_MD5);
    ck_assert_int_eq(check(), 0);
    known_release(&known);
}
END_TEST

/* Each time one thing in a valid entry is wrong. */
#define REFUSES(spoil)                                                                                       \
    do {                                                                                                     \
        make_known(20000, 16);                                                                               \
        ck_assert_int_eq(check(), 0);                                                                        \
        spoil;                                                                                               \
        ck_assert_int_eq(check(), -1);                                                                       \
    } while (0)

START_TEST(inconsistent_entries_are_refused)
{
    struct record *record = &known.record;

    REFUSES(known.digests.kinds = 0);
    REFUSES(known.digests.kinds = DIGEST_BIT(DIGEST_MD5));
    REFUSES(known.has_size = false);
    REFUSES(known.size = (uint64_t)INT64_MAX + 1);
    REFUSES(record->params.scheme = SAMPLER_COATES2011);
    REFUSES(record->params.n = N + 1);
    REFUSES(record->params.c = 100);
    REFUSES(record->params.c = 2);
    REFUSES(record->params.c = SAMPLER_MAX_C * 2);
    REFUSES(record->coincidence = SAMPLER_COINCIDENCE_ONE + 1);
    REFUSES(record->samples[5].fp = (uint64_t)1 << 60);
    REFUSES(record->samples[5].pos = record->samples[4].pos);
    REFUSES(record->samples[5].pos = record->samples[4].pos - 1);
    REFUSES(record->samples[record->count - 1].pos = known.size - N + 1);
    REFUSES(record->samples[record->count - 1].pos = known.size + 1);
    REFUSES(record->samples[record->count - 1].pos = UINT64_MAX);
    REFUSES(known.blocks.len--);
    REFUSES(known.blocks.len -= DIGEST_SHA1_LEN);
    REFUSES(buffer_add(&known.blocks, "12345678901234567890", DIGEST_SHA1_LEN));
    make_known(20000, 16);
    record->samples[record->count - 1].pos = known.size - N;
    record->samples[5].fp = ((uint64_t)1 << 60) - 1;
    ck_assert_int_eq(check(), 0);
    known_release(&known);
}
END_TEST

START_TEST(a_record_without_c_is_refused)
{
    REFUSES(known.record.params.c = SAMPLER_AUTO);
    known_release(&known);
}
END_TEST

START_TEST(a_name_ends_at_a_zero_byte_and_an_empty_one_does_not_count)
{
    known_add_name(&known, "a\0b", 3);
    known_add_name(&known, "", 0);
    known_add_name(&known, "\0c", 2);
    known_add_name(&known, "\xff\n def", 3);
    ck_assert_uint_eq(known.names.len, 6);
    ck_assert_mem_eq(known.names.data, "a\0\xff\n \0", 6);
    known_release(&known);
    ck_assert_uint_eq(known.names.len, 0);
}
END_TEST

START_TEST(a_reset_entry_is_empty)
{
    make_known(20000, 16);
    known_add_name(&known, "a", 1);
    known_reset(&known);
    ck_assert(!known.digests.kinds && !known.has_size && !known.has_record && !known.size &&
              !known.record.count && !known.names.len && !known.blocks.len);
    known_release(&known);
}
END_TEST

/* ---- messages ---- */

static void encode(struct buffer *out)
{
    buffer_reset(out);
    known_encode(out, &known);
    ck_assert(!out->failed);
}

static void assert_same(const struct known *a, const struct known *b)
{
    ck_assert_uint_eq(a->digests.kinds, b->digests.kinds);
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if (a->digests.kinds & DIGEST_BIT(kind))
            ck_assert_mem_eq(a->digests.bytes[kind], b->digests.bytes[kind],
                             digest_len((enum digest_kind)kind));
    ck_assert(a->has_size && b->has_size && a->size == b->size && b->record.len == b->size);
    ck_assert(b->has_record && a->record.count == b->record.count &&
              a->record.coincidence == b->record.coincidence);
    ck_assert_mem_eq(&a->record.params, &b->record.params, sizeof a->record.params);
    for (size_t i = 0; i < a->record.count; i++)
        ck_assert(a->record.samples[i].pos == b->record.samples[i].pos &&
                  a->record.samples[i].fp == b->record.samples[i].fp);
    ck_assert_uint_eq(a->blocks.len, b->blocks.len);
    if (a->blocks.len)
        ck_assert_mem_eq(a->blocks.data, b->blocks.data, a->blocks.len);
}

START_TEST(encoding_round_trips)
{
    static const uint64_t sizes[] = {0, 5, 30000, 100, 1 << 20};
    struct buffer out = {0};
    struct known back = {0};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        make_known(sizes[i], 32);
        known.record.params.k = (uint32_t)(i * 0x55555555);
        encode(&out);
        struct wire wire = {.data = out.data, .len = out.len};
        ck_assert(known_decode(&wire, &back));
        ck_assert(!wire_more(&wire));
        assert_same(&known, &back);
    }
    known_release(&back);
    known_release(&known);
    buffer_release(&out);
}
END_TEST

/* Whatever decoding returns is checked before it is used; the check must survive it. */
START_TEST(truncated_or_changed_messages_do_no_harm)
{
    struct buffer out = {0};
    struct known back = {0};

    make_known(9000, 32);
    encode(&out);
    for (size_t i = 0; i < 4 * out.len; i++) {
        const size_t len = i < out.len ? i : out.len;
        char *copy = malloc(len + 1);
        struct wire wire = {.data = copy, .len = len};

        memcpy(copy, out.data, len);
        if (i >= out.len)
            copy[i % out.len] = (char)(i / out.len % 2 ? random64() : 0);
        const bool taken = known_decode(&wire, &back);
        ck_assert(i >= out.len || !taken);
        if (taken)
            known_check(&back, N, 0, BLOCK, &err);
        free(copy);
    }
    known_release(&back);
    known_release(&known);
    buffer_release(&out);
}
END_TEST

START_TEST(a_record_is_refused_by_a_set_with_another_key)
{
    static const struct {
        uint32_t record, set;
        const char *why;
    } cases[] = {{0, 7, "without a key, the set with one"},
                 {7, 0, "with a key, the set without"},
                 {7, 8, "with a key, the set with another"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_known(9000, 32);
        known.record.params.k = cases[i].record;
        ck_assert_int_eq(known_check(&known, N, cases[i].record, BLOCK, &err), 0);
        ck_assert_int_eq(known_check(&known, N, cases[i].set, BLOCK, &err), -1);
        ck_assert_ptr_nonnull(strstr(err.text, cases[i].why));
    }
    known_release(&known);
}
END_TEST

START_TEST(a_fingerprint_has_47_bits_of_key_and_six_of_character)
{
    ck_assert_uint_eq(known_key(UINT64_MAX), ((uint64_t)1 << 47) - 1);
    ck_assert_uint_eq(known_key((uint64_t)1 << 17), 1);
    ck_assert_uint_eq(known_key(((uint64_t)1 << 17) - 1), 0);
    ck_assert_uint_eq(KNOWN_SYMBOLS, 64);
}
END_TEST

RUN_TESTS("known", c_grows_with_the_square_root_of_large_files,
          small_files_are_as_dense_as_their_size_and_the_set_allow, c_never_falls_with_length,
          denser_records_are_reduced_and_others_stay, consistent_entries_are_accepted,
          inconsistent_entries_are_refused, a_record_without_c_is_refused,
          a_name_ends_at_a_zero_byte_and_an_empty_one_does_not_count, a_reset_entry_is_empty,
          encoding_round_trips, truncated_or_changed_messages_do_no_harm,
          a_record_is_refused_by_a_set_with_another_key, a_fingerprint_has_47_bits_of_key_and_six_of_character)
