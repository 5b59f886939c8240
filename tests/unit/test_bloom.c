/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check_main.h"
#include "levels.h"
#include "set/bloom.h"

enum { KEYS = 20000 };

/* Keys that share many bits, and random ones. */
static uint64_t key_of(uint64_t i, unsigned spread)
{
    switch (spread) {
    case 0:
        return i;
    case 1:
        return i << 40;
    case 2:
        return UINT64_MAX - i * 4096;
    default:
        return (i + 1) * 0x9e3779b97f4a7c15 ^ (i * i) << 17;
    }
}

static struct bloom *filled(unsigned spread, uint64_t count)
{
    struct bloom *bloom = bloom_new(bloom_blocks_for(count));
    uint64_t *keys = calloc(count + 1, sizeof *keys);

    ck_assert(bloom && keys);
    for (uint64_t i = 0; i < count; i++)
        keys[i] = key_of(i, spread);
    bloom_add(bloom, keys, count);
    free(keys);
    return bloom;
}

static size_t probe_range(const struct bloom *bloom, unsigned spread, uint64_t begin, size_t count)
{
    uint64_t *keys = calloc(count, sizeof *keys);
    uint32_t *passed = calloc(count, sizeof *passed);
    size_t found;

    ck_assert(keys && passed);
    for (size_t i = 0; i < count; i++)
        keys[i] = key_of(begin + i, spread);
    found = bloom_probe(bloom, keys, count, passed);
    for (size_t i = 0; i < found; i++)
        ck_assert(passed[i] < count && (i == 0 || passed[i] > passed[i - 1]));
    free(keys);
    free(passed);
    return found;
}

static void probe_keys_and_others(void)
{
    for (unsigned spread = 0; spread < 4; spread++) {
        struct bloom *bloom = filled(spread, KEYS);
        size_t others;

        ck_assert_uint_eq(probe_range(bloom, spread, 0, KEYS), KEYS);
        others = probe_range(bloom, spread, KEYS, 10 * KEYS);
        ck_assert_uint_ge(others, KEYS / 200); /* 0.5 in 1,000; fewer: it is too large */
        ck_assert_uint_le(others, KEYS / 50);  /* 2 */
        bloom_free(bloom);
    }
}

START_TEST(passes_every_key_that_was_added_and_few_others)
{
    for_each_level(probe_keys_and_others);
}
END_TEST

/* From the specification of Parquet's filter: one bit in each of the eight words of a block. */
static void twin_add(uint32_t *words, uint64_t blocks, uint64_t key)
{
    static const uint32_t salts[] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                     0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};
    uint64_t block;

    key ^= key >> 30;
    key *= 0xbf58476d1ce4e5b9;
    key ^= key >> 27;
    key *= 0x94d049bb133111eb;
    key ^= key >> 31;
    block = (uint64_t)(((unsigned __int128)key * blocks) >> 64);
    for (int i = 0; i < 8; i++)
        words[block * 8 + (unsigned)i] |= (uint32_t)1 << ((uint32_t)((uint32_t)key * salts[i]) >> 27);
}

static void compare_with_twin(void)
{
    for (uint64_t count = 0; count < 3000; count += 1 + count / 3) {
        struct bloom *bloom = filled(3, count);
        uint32_t *words = calloc(bloom->blocks, BLOOM_BLOCK_LEN);

        ck_assert_ptr_nonnull(words);
        for (uint64_t i = 0; i < count; i++)
            twin_add(words, bloom->blocks, key_of(i, 3));
        ck_assert_mem_eq(bloom->words, words, bloom->blocks * BLOOM_BLOCK_LEN);
        free(words);
        bloom_free(bloom);
    }
}

START_TEST(sets_the_same_bits_as_a_twin_of_the_specification)
{
    for_each_level(compare_with_twin);
}
END_TEST

START_TEST(every_level_passes_the_same_keys)
{
    static uint64_t keys[KEYS];
    static uint32_t passed[KEYS], expected[KEYS];
    struct bloom *bloom = filled(3, 1000);
    size_t count;

    for (size_t i = 0; i < KEYS; i++)
        keys[i] = i % 7 ? random64() : key_of(random64() % 1000, 3);
    setenv("KITH_CPU", "scalar", 1);
    count = bloom_probe(bloom, keys, KEYS, expected);
    unsetenv("KITH_CPU");
    ck_assert_uint_ge(count, KEYS / 7);
    ck_assert_uint_eq(bloom_probe(bloom, keys, KEYS, passed), count);
    ck_assert_mem_eq(passed, expected, count * sizeof *passed);
    bloom_free(bloom);
}
END_TEST

static void probe_each_count(void)
{
    struct bloom *bloom = filled(0, 100);

    for (size_t count = 1; count <= 100; count++)
        ck_assert_uint_eq(probe_range(bloom, 0, 0, count), count);
    ck_assert_uint_eq(bloom_probe(bloom, NULL, 0, NULL), 0);
    bloom_free(bloom);
}

START_TEST(any_number_of_keys_can_be_looked_up_at_once)
{
    for_each_level(probe_each_count);
}
END_TEST

static void probe_empty(void)
{
    struct bloom *bloom = filled(0, 0);

    ck_assert_uint_eq(bloom->blocks, 1);
    ck_assert_uint_eq(probe_range(bloom, 3, 0, 1000), 0);
    bloom_free(bloom);
}

START_TEST(an_empty_filter_passes_nothing)
{
    for_each_level(probe_empty);
}
END_TEST

START_TEST(the_number_of_blocks_gives_each_key_its_bits)
{
    ck_assert_uint_eq(bloom_blocks_for(0), 1);
    ck_assert_uint_eq(bloom_blocks_for(16), 1);
    ck_assert_uint_eq(bloom_blocks_for(17), 2);
    ck_assert_uint_eq(bloom_blocks_for(UINT64_MAX), (uint64_t)1 << 60);
}
END_TEST

START_TEST(absurd_sizes_are_refused_and_large_filters_start_empty)
{
    struct bloom *bloom;

    ck_assert_ptr_null(bloom_new(0));
    ck_assert_ptr_null(bloom_new(UINT64_MAX));
    ck_assert_ptr_null(bloom_new(((uint64_t)1 << 59) + 1)); /* 32 bytes, if the size is cut to 64 bits */
    ck_assert_ptr_null(bloom_new(bloom_blocks_for(UINT64_MAX)));
    bloom_free(NULL);
    bloom = bloom_new(100001); /* 3 MB, and not a multiple of a page */
    ck_assert_ptr_nonnull(bloom);
    for (size_t i = 0; i < bloom->blocks * BLOOM_BLOCK_LEN / 4; i++)
        if (bloom->words[i])
            ck_abort_msg("word %zu", i);
    bloom_free(bloom);
}
END_TEST

RUN_TESTS("bloom", passes_every_key_that_was_added_and_few_others,
          sets_the_same_bits_as_a_twin_of_the_specification, every_level_passes_the_same_keys,
          any_number_of_keys_can_be_looked_up_at_once, an_empty_filter_passes_nothing,
          the_number_of_blocks_gives_each_key_its_bits,
          absurd_sizes_are_refused_and_large_filters_start_empty)
