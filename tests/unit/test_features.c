/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check_main.h"
#include "compare/features.h"

enum { SAMPLES = 40 };

static bool are_equal(const struct features *a, const struct features *b)
{
    return a->count == b->count && memcmp(a->list, b->list, a->count * sizeof *a->list) == 0;
}

static struct features take(const uint64_t *fingerprints, size_t count)
{
    uint64_t copy[2 * SAMPLES];
    struct features features = {.holders = 3};

    memcpy(copy, fingerprints, count * sizeof *copy);
    features_take(&features, copy, count);
    ck_assert(features_are_sound(&features));
    ck_assert_uint_eq(features.holders, 3);
    return features;
}

START_TEST(content_has_the_same_features_however_densely_it_is_sampled)
{
    uint64_t list[2 * SAMPLES];

    for (int round = 0; round < 200; round++) {
        struct features sparse, dense;

        for (int i = 0; i < SAMPLES; i++) {
            list[i] = random64() >> 4; /* selected at C = 16 */
            list[SAMPLES + i] = (random64() >> 2) | UINT64_C(1) << 60;
        }
        sparse = take(list, SAMPLES);
        dense = take(list, sizeof list / sizeof *list);
        ck_assert_uint_eq(sparse.count, FEATURES_MOST);
        ck_assert(are_equal(&sparse, &dense));
    }
}
END_TEST

START_TEST(neither_order_nor_repetition_changes_features)
{
    uint64_t list[2 * SAMPLES];
    struct features once, twice;

    for (int i = 0; i < SAMPLES; i++)
        list[i] = random64();
    once = take(list, SAMPLES);
    for (int i = 0; i < SAMPLES; i++)
        list[SAMPLES + i] = list[SAMPLES - 1 - i];
    twice = take(list, sizeof list / sizeof *list);
    ck_assert(are_equal(&once, &twice));
}
END_TEST

START_TEST(different_content_has_different_features)
{
    uint64_t fingerprint = 1, other = 2;
    const struct features one = take(&fingerprint, 1), two = take(&other, 1), none = take(&other, 0);

    ck_assert_uint_eq(one.count, 1);
    ck_assert_uint_eq(two.count, 1);
    ck_assert(!are_equal(&one, &two));
    ck_assert_uint_eq(none.count, 0);
    /* A fingerprint of a set with a key is secret, so it must not be there in plain. */
    ck_assert_uint_ne(one.list[0], 1);
}
END_TEST

START_TEST(features_survive_messages_and_cases)
{
    for (size_t count = 0; count < 12; count++) {
        uint64_t list[12];
        struct buffer message = {0}, packed = {0};
        struct features features, received = {.count = 5}, unpacked = {.count = 5};
        struct wire wire;

        for (size_t i = 0; i < count; i++)
            list[i] = random64();
        features = take(list, count);
        features_encode(&message, &features);
        wire = (struct wire){.data = message.data, .len = message.len};
        ck_assert(features_decode(&wire, &received) && !wire.broken);
        ck_assert(are_equal(&features, &received));
        ck_assert_uint_eq(received.holders, 3);

        features_pack(&packed, &features);
        ck_assert_uint_eq(packed.len, 4 * features.count);
        ck_assert(features_unpack(packed.data, packed.len, &unpacked));
        ck_assert(are_equal(&features, &unpacked));
        buffer_release(&message);
        buffer_release(&packed);
    }
}
END_TEST

static bool decodes(const uint64_t *numbers, size_t count)
{
    struct buffer message = {0};
    struct features features;
    struct wire wire;
    bool result;

    wire_put_numbers(&message, numbers, count);
    wire = (struct wire){.data = message.data, .len = message.len};
    result = features_decode(&wire, &features) && !wire.broken;
    buffer_release(&message);
    return result;
}

START_TEST(impossible_features_are_refused)
{
    ck_assert(decodes((const uint64_t[]){0, 2, 1, 2}, 4));
    ck_assert(!decodes((const uint64_t[]){0, 2, 2, 1}, 4));
    ck_assert(!decodes((const uint64_t[]){0, 2, 1, 1}, 4));
    ck_assert(!decodes((const uint64_t[]){0, 1, UINT64_C(1) << 32}, 3));
    ck_assert(!decodes((const uint64_t[]){0, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 11));
    ck_assert(!decodes((const uint64_t[]){0, UINT64_MAX, 1}, 3));
    ck_assert(!decodes((const uint64_t[]){0, 3, 1, 2}, 4));

    ck_assert(!features_unpack("\1\0\0", 3, &(struct features){0}));
    ck_assert(!features_unpack("\1\0\0\0\1\0\0\0", 8, &(struct features){0}));
    ck_assert(!features_unpack("\2\0\0\0\1\0\0\0", 8, &(struct features){0}));
    ck_assert(!features_unpack("0123456789abcdef0123456789abcdef0123", 36, &(struct features){0}));
}
END_TEST

RUN_TESTS("features", content_has_the_same_features_however_densely_it_is_sampled,
          neither_order_nor_repetition_changes_features, different_content_has_different_features,
          features_survive_messages_and_cases, impossible_features_are_refused)
