/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <string.h>

#include "base/bits.h"
#include "check_main.h"
#include "set/keyblock.h"

enum { ENTRIES = 20000, KINDS = 10 };

static const uint64_t key_limit = (uint64_t)1 << KEYBLOCK_KEY_BITS;

/* ---- entries of many kinds ---- */

struct kind {
    uint64_t distance;  /* of keys, at most */
    uint64_t values;    /* below this */
    unsigned group;     /* values of a key, at most */
    unsigned common;    /* one key in this many */
    uint64_t huge_gaps; /* one gap in this many is as large as possible */
    uint64_t marked;    /* marks count fewer values than this, and follow others; 0: they are alone */
};

static const struct kind kinds[KINDS] = {
    {1 << 18, 1 << 24, 1, UINT32_MAX, UINT32_MAX, 0}, /* an index */
    {1 << 18, 1 << 24, 8, 50, UINT32_MAX, 0},
    {1, 1, 1, UINT32_MAX, UINT32_MAX, 0}, /* dense, one value */
    {3, 2, 2, 2, UINT32_MAX, 0},
    {1 << 10, (uint64_t)1 << 48, KEYBLOCK_GROUP, 10, UINT32_MAX, 0},
    {1 << 10, 1 << 8, 4, 10, 100, 0},
    {(uint64_t)1 << 40, (uint64_t)1 << 48, 1, 3, UINT32_MAX, 0},
    {1 << 20, 1, 1, 1, UINT32_MAX, 0},            /* all common */
    {1 << 18, 1 << 24, 17, 20, UINT32_MAX, 1000}, /* an index that counts them */
    {1 << 18, 4, 4, 3, 100, (uint64_t)1 << 32},
};

static int by_value(const void *a, const void *b)
{
    const struct keyblock_entry *x = a, *y = b;

    return (x->value > y->value) - (x->value < y->value);
}

/* The values of a key, ascending and without equal ones; returns their number. */
static size_t make_group(struct keyblock_entry *out, uint64_t key, const struct kind *kind)
{
    size_t count = 1 + random64() % kind->group, kept = 1;

    out[0] = (struct keyblock_entry){key, KEYBLOCK_COMMON};
    if (random64() % kind->common == 0 && !kind->marked)
        return 1;
    for (size_t i = 0; i < count; i++)
        out[i] = (struct keyblock_entry){key, random64() % kind->values};
    qsort(out, count, sizeof *out, by_value);
    for (size_t i = 1; i < count; i++)
        if (out[i].value != out[kept - 1].value)
            out[kept++] = out[i];
    if (kind->marked && random64() % kind->common == 0) {
        kept -= kept == KEYBLOCK_GROUP || random64() % 8 == 0; /* perhaps none are left */
        out[kept++] = (struct keyblock_entry){key, keyblock_mark(random64() % kind->marked)};
    }
    return kept;
}

/* Sorted entries, about max; out has room for a group more. */
static size_t make_entries(struct keyblock_entry *out, size_t max, const struct kind *kind)
{
    uint64_t key = random64() % 1000;
    size_t count = 0;

    while (count < max && key < key_limit) {
        count += make_group(out + count, key, kind);
        if (random64() % kind->huge_gaps == 0)
            key += (key_limit - key) / 2;
        key += 1 + random64() % kind->distance;
    }
    return count;
}

static size_t group_end(const struct keyblock_entry *entries, size_t count, size_t at)
{
    size_t end = at;

    while (end < count && entries[end].key == entries[at].key)
        end++;
    return end;
}

/* ---- packing in memory of exactly the right size ---- */

struct block {
    uint8_t *data;
    size_t len, entries;
    uint64_t first;
};

static struct block pack(const struct keyblock_entry *entries, size_t count, int more)
{
    uint8_t out[KEYBLOCK_MAX];
    struct block block = {.first = entries[0].key};

    block.entries = keyblock_pack(entries, count, more, out, &block.len);
    ck_assert(block.entries > 0 && block.entries <= count && block.entries <= KEYBLOCK_ENTRIES);
    ck_assert(block.len > 0 && block.len <= KEYBLOCK_MAX);
    block.data = malloc(block.len);
    ck_assert_ptr_nonnull(block.data);
    memcpy(block.data, out, block.len);
    return block;
}

static struct keyblock_entry unpacked[KEYBLOCK_ENTRIES];

static int unpack(const struct block *block)
{
    return keyblock_unpack(block->data, block->len, block->first, unpacked);
}

static void assert_same(const struct keyblock_entry *a, const struct keyblock_entry *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i].key != b[i].key || a[i].value != b[i].value)
            ck_abort_msg("entry %zu of %zu", i, count);
}

static void assert_found(const struct block *block, const struct keyblock_entry *entries)
{
    uint64_t values[KEYBLOCK_GROUP], last;

    ck_assert_int_eq(keyblock_last(block->data, block->len, block->first, &last), 0);
    ck_assert_uint_eq(last, entries[block->entries - 1].key);

    for (size_t at = 0, end; at < block->entries; at = end) {
        const uint64_t key = entries[at].key;
        int count = keyblock_find(block->data, block->len, block->first, key, values);

        end = group_end(entries, block->entries, at);
        ck_assert_int_eq(count, (int)(end - at));
        for (size_t i = at; i < end; i++)
            ck_assert_uint_eq(values[i - at], entries[i].value);
        if (at == 0 || entries[at - 1].key != key - 1)
            ck_assert_int_eq(keyblock_find(block->data, block->len, block->first, key - 1, values), 0);
        if (end == block->entries || entries[end].key != key + 1)
            ck_assert_int_eq(keyblock_find(block->data, block->len, block->first, key + 1, values), 0);
    }
}

static void check_all(const struct keyblock_entry *entries, size_t count,
                      void (*check)(const struct block *, const struct keyblock_entry *))
{
    for (size_t at = 0, taken; at < count; at += taken) {
        struct block block = pack(entries + at, count - at, 0);

        taken = block.entries;
        check(&block, entries + at);
        free(block.data);
    }
}

static void for_each_kind(void (*check)(const struct block *, const struct keyblock_entry *))
{
    static struct keyblock_entry entries[ENTRIES + KEYBLOCK_GROUP];

    for (int i = 0; i < KINDS; i++)
        check_all(entries, make_entries(entries, ENTRIES, &kinds[i]), check);
}

/* ---- packing ---- */

static void check_round_trip(const struct block *block, const struct keyblock_entry *entries)
{
    ck_assert_int_eq(unpack(block), (int)block->entries);
    assert_same(unpacked, entries, block->entries);
}

START_TEST(packing_round_trips)
{
    for_each_kind(check_round_trip);
}
END_TEST

START_TEST(each_key_is_found_with_its_values_and_no_other_key)
{
    uint64_t values[KEYBLOCK_GROUP];
    struct keyblock_entry entry = {5, 6};
    struct block block = pack(&entry, 1, 0);

    for_each_kind(assert_found);
    ck_assert_int_eq(keyblock_find(block.data, block.len, 5, 0, values), 0);
    ck_assert_int_eq(keyblock_find(block.data, block.len, 5, UINT64_MAX, values), 0);
    ck_assert_int_eq(keyblock_find(block.data, block.len, 5, key_limit, values), 0);
    ck_assert_int_eq(keyblock_find(block.data, block.len, 5, 5, values), 1);
    free(block.data);
}
END_TEST

static void check_whole_keys(const struct block *block, const struct keyblock_entry *entries)
{
    const bool one_key = entries[0].key == entries[block->entries - 1].key;

    ck_assert(block->len <= KEYBLOCK_LEN || one_key);
}

START_TEST(a_block_has_whole_keys_and_is_long_only_for_one_with_many_values)
{
    static struct keyblock_entry entries[ENTRIES + KEYBLOCK_GROUP];

    for_each_kind(check_whole_keys);
    for (int i = 0; i < KINDS; i++) {
        size_t count = make_entries(entries, ENTRIES, &kinds[i]);

        for (size_t at = 0, taken; at < count; at += taken) {
            struct block block = pack(entries + at, count - at, 0);

            taken = block.entries;
            if (at + taken < count)
                ck_assert_uint_ne(entries[at + taken].key, entries[at + taken - 1].key);
            free(block.data);
        }
    }
}
END_TEST

START_TEST(the_last_key_is_left_if_more_may_follow_unless_it_is_the_only_one)
{
    struct keyblock_entry entries[] = {{1, 1}, {1, 2}, {5, 1}, {9, 3}, {9, 4}};
    static const size_t expected[] = {1, 2, 2, 3, 3};

    for (size_t count = 1; count <= 5; count++) {
        struct block block = pack(entries, count, 1);

        ck_assert_uint_eq(block.entries, expected[count - 1]);
        free(block.data);
        block = pack(entries, count, 0);
        ck_assert_uint_eq(block.entries, count);
        free(block.data);
        block = pack(entries + 2, count > 2 ? 2 : 1, 1);
        ck_assert_uint_eq(block.entries, 1);
        free(block.data);
    }
}
END_TEST

/* The bits of a block of single values, with the best of all ways to code the keys. */
static size_t least_bits(const struct keyblock_entry *entries, size_t count)
{
    const uint64_t span = entries[count - 1].key - entries[0].key;
    uint64_t min = UINT64_MAX, max = 0, best = UINT64_MAX;

    for (size_t i = 0; i < count; i++) {
        min = entries[i].value < min ? entries[i].value : min;
        max = entries[i].value > max ? entries[i].value : max;
    }
    for (unsigned low = 0; low <= KEYBLOCK_KEY_BITS; low++) {
        const uint64_t bits = (count - 1) * (low + 1) + (span >> low);

        best = bits < best ? bits : best;
    }
    return 73 + count * bits_width(max - min + 1) + best;
}

START_TEST(a_block_uses_the_fewest_bits_that_its_keys_need)
{
    static struct keyblock_entry entries[500];

    for (uint64_t distance = 1; distance < key_limit / 500; distance += 1 + distance / 7)
        for (size_t count = 1; count <= 100; count += 1 + count / 5) {
            struct kind kind = {distance, 1 << 20, 1, UINT32_MAX, UINT32_MAX, 0};
            struct block block = pack(entries, make_entries(entries, count, &kind), 0);

            ck_assert_uint_eq(block.entries, count);
            ck_assert_uint_eq(block.len, (least_bits(entries, count) + 7) / 8);
            free(block.data);
        }
}
END_TEST

START_TEST(blocks_are_full_and_an_entry_of_an_index_takes_five_and_a_half_bytes)
{
    static struct keyblock_entry entries[ENTRIES + 1];
    size_t len = 0;

    ck_assert_uint_eq(make_entries(entries, ENTRIES, &kinds[0]), ENTRIES);
    for (size_t at = 0, taken; at < ENTRIES; at += taken) {
        struct block block = pack(entries + at, ENTRIES - at, 0);

        taken = block.entries;
        len += block.len;
        ck_assert(block.len >= KEYBLOCK_LEN - 10 || at + taken == ENTRIES);
        free(block.data);
    }
    ck_assert_uint_le(len * 10, (size_t)ENTRIES * 55);
}
END_TEST

START_TEST(a_block_never_has_more_entries_than_can_be_unpacked)
{
    static struct keyblock_entry entries[2 * KEYBLOCK_ENTRIES];

    for (size_t i = 0; i < 2 * KEYBLOCK_ENTRIES; i++)
        entries[i] = (struct keyblock_entry){77 + i, KEYBLOCK_COMMON};
    check_all(entries, 2 * KEYBLOCK_ENTRIES, check_round_trip);
    check_all(entries, 2 * KEYBLOCK_ENTRIES, assert_found);
}
END_TEST

START_TEST(a_key_may_have_256_values_far_apart)
{
    static struct keyblock_entry entries[3 * KEYBLOCK_GROUP];
    const uint64_t far = (((uint64_t)1 << KEYBLOCK_VALUE_BITS) - 1) / (KEYBLOCK_GROUP - 1);

    for (size_t i = 0; i < 3 * KEYBLOCK_GROUP; i++)
        entries[i] = (struct keyblock_entry){i / KEYBLOCK_GROUP * (key_limit / 3), i % KEYBLOCK_GROUP * far};
    ck_assert_uint_eq(entries[KEYBLOCK_GROUP - 1].value, ((uint64_t)1 << KEYBLOCK_VALUE_BITS) - 1);
    check_all(entries, 3 * KEYBLOCK_GROUP, check_round_trip);
    check_all(entries, 3 * KEYBLOCK_GROUP, assert_found);
}
END_TEST

START_TEST(the_smallest_and_the_largest_keys_and_values_are_packed)
{
    const uint64_t most = key_limit - 1, last = ((uint64_t)1 << KEYBLOCK_VALUE_BITS) - 1;
    struct keyblock_entry entries[] = {
        {0, 0}, {1, last}, {most - 1, 0}, {most - 1, last}, {most, KEYBLOCK_COMMON}};

    for (size_t begin = 0; begin < 5; begin++)
        for (size_t count = 1; begin + count <= 5; count++) {
            check_all(entries + begin, count, check_round_trip);
            check_all(entries + begin, count, assert_found);
        }
}
END_TEST

START_TEST(no_entries_pack_to_nothing)
{
    uint8_t out[KEYBLOCK_MAX];
    size_t len = 1;

    ck_assert_uint_eq(keyblock_pack(NULL, 0, 0, out, &len), 0);
    ck_assert_uint_eq(len, 0);
    ck_assert_int_eq(keyblock_unpack(out, 0, 0, unpacked), -1);
    ck_assert_int_eq(keyblock_find(out, 0, 0, 0, (uint64_t[KEYBLOCK_GROUP]){0}), -1);
    ck_assert_int_eq(keyblock_last(out, 0, 0, &(uint64_t){0}), -1);
}
END_TEST

/* ---- broken blocks ---- */

/* A block of at most some 300 entries. */
static struct block small_block(int kind)
{
    static struct keyblock_entry entries[300 + KEYBLOCK_GROUP];

    return pack(entries, make_entries(entries, 1 + random64() % 300, &kinds[kind]), 0);
}

static void look_for_all_kinds_of_keys(const struct block *block)
{
    uint64_t values[KEYBLOCK_GROUP], last;

    keyblock_last(block->data, block->len, block->first, &last);
    for (int i = 0; i < 20; i++) {
        uint64_t key = block->first + (random64() >> (16 + random64() % 48));

        ck_assert_int_le(keyblock_find(block->data, block->len, block->first, key, values), KEYBLOCK_GROUP);
    }
}

START_TEST(a_block_truncated_anywhere_is_broken)
{
    for (int round = 0; round < 2 * KINDS; round++) {
        struct block block = small_block(round % KINDS);

        for (size_t len = 0; len < block.len; len++) {
            struct block cut = {malloc(len ? len : 1), len, 0, block.first};

            ck_assert_ptr_nonnull(cut.data);
            memcpy(cut.data, block.data, len);
            ck_assert_int_eq(unpack(&cut), -1);
            look_for_all_kinds_of_keys(&cut);
            free(cut.data);
        }
        free(block.data);
    }
}
END_TEST

/* What it returns could have been packed. */
static void assert_valid(const struct keyblock_entry *entries, int count)
{
    size_t group = 1;

    for (int i = 0; i < count; i++) {
        const struct keyblock_entry *entry = &entries[i];

        ck_assert(entry->key < key_limit);
        ck_assert(keyblock_is_mark(entry->value) || entry->value < (uint64_t)1 << KEYBLOCK_VALUE_BITS);
        ck_assert(entry->value <= keyblock_mark(KEYBLOCK_MOST_COUNTED));
        group = i > 0 && entry[-1].key == entry->key ? group + 1 : 1;
        ck_assert(group <= KEYBLOCK_GROUP);
        if (group > 1)
            ck_assert(entry->value > entry[-1].value && !keyblock_is_mark(entry[-1].value));
        else if (i > 0)
            ck_assert(entry->key > entry[-1].key);
    }
}

START_TEST(a_block_with_changed_bits_is_broken_or_gives_what_can_be_packed)
{
    for (int round = 0; round < 5000; round++) {
        struct block block = small_block(round % KINDS);

        for (uint64_t flips = 1 + random64() % 3; flips > 0; flips--) {
            const size_t reach = random64() % 2 ? block.len : 12; /* the head */
            const size_t at = random64() % (reach < block.len ? reach : block.len);

            block.data[at] ^= (uint8_t)(1 << random64() % 8);
        }
        assert_valid(unpacked, unpack(&block));
        look_for_all_kinds_of_keys(&block);
        free(block.data);
    }
}
END_TEST

/* A block assembled by hand. */
struct parts {
    size_t entries, keys;
    unsigned low, width;
    uint64_t min, first, lows; /* of each key */
    bool grouped;              /* though each key has one value */
    uint64_t most;             /* what marks count at most */
    const char *starts;        /* '0' and '1' */
    uint64_t values[300];
    const char *highs;
    size_t more; /* bytes at the end */
};

static void put_text(struct bits_writer *writer, const char *text)
{
    for (; text && *text; text++)
        bits_put(writer, *text == '1', 1);
}

static struct block put_parts(const struct parts *parts)
{
    static uint8_t out[2 * KEYBLOCK_MAX];
    struct bits_writer writer = {.out = out, .room = sizeof out};
    const bool grouped = parts->keys != parts->entries || parts->grouped;

    memset(out, 0, sizeof out);
    bits_put(&writer, parts->entries - 1, 12);
    bits_put(&writer, grouped, 1);
    bits_put(&writer, parts->low, 6);
    bits_put(&writer, parts->width, 6);
    bits_put(&writer, parts->min, 48);
    if (parts->most) {
        bits_put(&writer, 4095, 12);
        bits_put(&writer, parts->most, 32);
    }
    if (grouped)
        bits_put(&writer, parts->keys - 1, 12);
    put_text(&writer, parts->starts);
    for (size_t i = 0; i < parts->entries; i++)
        bits_put(&writer, parts->values[i], parts->width);
    for (size_t i = 1; i < parts->keys; i++)
        bits_put(&writer, parts->lows, parts->low);
    put_text(&writer, parts->highs);
    return (struct block){out, (writer.len + 7) / 8 + parts->more, parts->entries, parts->first};
}

static int unpack_parts(const struct parts *parts)
{
    struct block block = put_parts(parts);

    return unpack(&block);
}

static int find_in_parts(const struct parts *parts, uint64_t key)
{
    uint64_t values[KEYBLOCK_GROUP];
    struct block block = put_parts(parts);

    return keyblock_find(block.data, block.len, block.first, key, values);
}

START_TEST(keys_that_do_not_ascend_or_are_too_large_are_broken)
{
    ck_assert_int_eq(unpack_parts(&(struct parts){.entries = 2, .keys = 2, .highs = "01"}), 2);
    ck_assert_int_eq(unpack_parts(&(struct parts){.entries = 2, .keys = 2, .highs = "1"}), -1);
    ck_assert_int_eq(unpack_parts(&(struct parts){.entries = 3, .keys = 3, .highs = "0101"}), 3);
    ck_assert_int_eq(unpack_parts(&(struct parts){.entries = 3, .keys = 3, .highs = "011"}), -1);
    ck_assert_int_eq(
        unpack_parts(&(struct parts){.entries = 2, .keys = 2, .first = key_limit - 2, .highs = "01"}), 2);
    ck_assert_int_eq(
        unpack_parts(&(struct parts){.entries = 2, .keys = 2, .first = key_limit - 2, .highs = "001"}), -1);
    ck_assert_int_eq(unpack_parts(&(struct parts){.entries = 2, .keys = 2, .low = 47, .highs = "01"}), 2);
    ck_assert_int_eq(unpack_parts(&(struct parts){.entries = 2, .keys = 2, .low = 48, .highs = "01"}), -1);
    ck_assert_int_eq(unpack_parts(&(struct parts){.entries = 2, .keys = 2, .low = 63, .highs = "0001"}), -1);
    ck_assert_int_eq(unpack_parts(&(struct parts){.entries = 1, .keys = 1, .first = key_limit - 1}), 1);
    ck_assert_int_eq(unpack_parts(&(struct parts){.entries = 1, .keys = 1, .first = key_limit}), -1);
    ck_assert_int_eq(unpack_parts(&(struct parts){.entries = 1, .keys = 1, .first = UINT64_MAX}), -1);
    ck_assert_int_eq(
        unpack_parts(&(struct parts){.entries = 2, .keys = 2, .low = 63, .lows = 5, .highs = "001"}), -1);
    ck_assert_int_eq(
        unpack_parts(&(struct parts){.entries = 2, .keys = 2, .low = 3, .lows = 5, .highs = "001"}), 2);
}
END_TEST

START_TEST(excess_content_of_a_block_is_not_found)
{
    const struct parts more = {.entries = 2, .keys = 2, .highs = "0101"},
                       large = {.entries = 2, .keys = 2, .first = key_limit - 2, .highs = "001"},
                       twice = {.entries = 3, .keys = 2, .width = 4, .starts = "100", .highs = "01"},
                       longer = {.entries = 1, .keys = 1, .more = KEYBLOCK_MAX};

    ck_assert_int_eq(find_in_parts(&more, 1), 1);
    ck_assert_int_eq(find_in_parts(&more, 2), 0);
    ck_assert_int_eq(find_in_parts(&large, key_limit), 0);
    ck_assert_int_eq(find_in_parts(&twice, 1), -1);
    ck_assert_int_eq(find_in_parts(&longer, 0), -1);
}
END_TEST

START_TEST(values_that_do_not_ascend_or_are_too_large_are_broken)
{
    const uint64_t most = ((uint64_t)1 << 48) - 1;
    struct parts parts = {.entries = 2, .keys = 1, .width = 3, .starts = "10", .values = {1, 2}};

    ck_assert_int_eq(unpack_parts(&parts), 2);
    parts.values[1] = 1;
    ck_assert_int_eq(unpack_parts(&parts), -1);
    parts.values[1] = 0;
    ck_assert_int_eq(unpack_parts(&parts), -1);
    parts.values[1] = 7; /* a mark */
    ck_assert_int_eq(unpack_parts(&parts), 2);
    parts.values[0] = 7;
    ck_assert_int_eq(unpack_parts(&parts), -1);
    parts = (struct parts){.entries = 1, .keys = 1, .width = 2, .min = most - 1, .values = {1}};
    ck_assert_int_eq(unpack_parts(&parts), 1);
    ck_assert_uint_eq(unpacked[0].value, most);
    parts.min = most;
    ck_assert_int_eq(unpack_parts(&parts), -1);
    parts = (struct parts){.entries = 1, .keys = 1, .width = 49, .values = {most}};
    ck_assert_int_eq(unpack_parts(&parts), 1);
    parts.width = 50;
    ck_assert_int_eq(unpack_parts(&parts), -1);
}
END_TEST

START_TEST(a_mark_counts_backwards_from_the_largest_value)
{
    struct parts parts = {
        .entries = 3, .keys = 1, .width = 4, .most = 3, .starts = "100", .min = 100, .values = {1, 11, 12}};

    ck_assert_int_eq(unpack_parts(&parts), 3);
    ck_assert_uint_eq(unpacked[1].value, 111);
    ck_assert_uint_eq(unpacked[2].value, keyblock_mark(3));
    ck_assert_uint_eq(keyblock_marked(unpacked[2].value), 3);
    parts.values[1] = 12; /* two marks, */
    parts.values[2] = 13;
    ck_assert_int_eq(unpack_parts(&parts), -1);
    parts.values[2] = 1; /* or one that is not the last */
    ck_assert_int_eq(unpack_parts(&parts), -1);
    parts.most = 16; /* more than the width has */
    parts.values[1] = 2;
    parts.values[2] = 3;
    ck_assert_int_eq(unpack_parts(&parts), -1);
}
END_TEST

START_TEST(entry_counts_that_disagree_are_broken)
{
    struct parts parts = {
        .entries = 3, .keys = 2, .width = 4, .starts = "101", .values = {1, 2, 3}, .highs = "01"};
    static char starts[300] = "1";

    ck_assert_int_eq(unpack_parts(&parts), 3);
    parts.starts = "100";
    ck_assert_int_eq(unpack_parts(&parts), -1);
    parts.starts = "111";
    ck_assert_int_eq(unpack_parts(&parts), -1);
    parts.starts = "011";
    ck_assert_int_eq(unpack_parts(&parts), -1);
    parts = (struct parts){
        .entries = 2, .keys = 3, .width = 4, .starts = "11", .values = {1, 2}, .highs = "0101"};
    ck_assert_int_eq(unpack_parts(&parts), -1);
    parts = (struct parts){.entries = 2, .keys = 2, .grouped = true, .starts = "11", .highs = "01"};
    ck_assert_int_eq(unpack_parts(&parts), -1);
    parts = (struct parts){.entries = KEYBLOCK_GROUP, .keys = 1, .width = 9, .starts = starts};
    memset(starts + 1, '0', KEYBLOCK_GROUP - 1);
    for (size_t i = 0; i < 300; i++)
        parts.values[i] = i;
    ck_assert_int_eq(unpack_parts(&parts), KEYBLOCK_GROUP);
    starts[parts.entries++] = '0';
    ck_assert_int_eq(unpack_parts(&parts), -1);
}
END_TEST

START_TEST(a_block_with_something_left_over_is_broken)
{
    ck_assert_int_eq(unpack_parts(&(struct parts){.entries = 2, .keys = 2, .highs = "01"}), 2);
    ck_assert_int_eq(unpack_parts(&(struct parts){.entries = 2, .keys = 2, .highs = "01", .more = 1}), -1);
    ck_assert_int_eq(unpack_parts(&(struct parts){.entries = 2, .keys = 2, .highs = "0101"}), -1);
    ck_assert_int_eq(unpack_parts(&(struct parts){.entries = 1, .keys = 1, .more = KEYBLOCK_MAX}), -1);
}
END_TEST

RUN_TESTS("keyblock", packing_round_trips, each_key_is_found_with_its_values_and_no_other_key,
          a_block_has_whole_keys_and_is_long_only_for_one_with_many_values,
          the_last_key_is_left_if_more_may_follow_unless_it_is_the_only_one,
          blocks_are_full_and_an_entry_of_an_index_takes_five_and_a_half_bytes,
          a_block_uses_the_fewest_bits_that_its_keys_need,
          a_block_never_has_more_entries_than_can_be_unpacked, a_key_may_have_256_values_far_apart,
          the_smallest_and_the_largest_keys_and_values_are_packed, no_entries_pack_to_nothing,
          a_block_truncated_anywhere_is_broken,
          a_block_with_changed_bits_is_broken_or_gives_what_can_be_packed,
          keys_that_do_not_ascend_or_are_too_large_are_broken, excess_content_of_a_block_is_not_found,
          values_that_do_not_ascend_or_are_too_large_are_broken,
          a_mark_counts_backwards_from_the_largest_value, entry_counts_that_disagree_are_broken,
          a_block_with_something_left_over_is_broken)
