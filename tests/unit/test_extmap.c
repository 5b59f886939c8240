/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <string.h>

#include "check_main.h"
#include "disk/extmap.h"

enum {
    BLOCKS = 40000,
    MAX_BLOCK_SIZE = 4096,
    MAX_FILE = 6000, /* blocks of a file, as far as the twin knows them */
    MAX_EXTENTS = 3000,
    HEADER = 12,
    ENTRY = 12,
    WHOLE = MAX_FILE,
};

static const uint32_t block_sizes[] = {64, 256, 1024, 4096}; /* small ones make deep trees of few blocks */

/* ---- a file system that the tests write into; it has only the blocks of maps ---- */

static uint32_t block_size;
static uint64_t block_count;
static uint8_t *blocks[BLOCKS];
static uint32_t order[BLOCKS]; /* all blocks but the first, shuffled: the order of their allocation */
static uint32_t given;
static uint64_t unreadable; /* a block; 0: none */

/* What the builder mapped, and what came out. */
struct mapped {
    uint64_t block[MAX_FILE];
    bool unwritten[MAX_FILE];
};

static struct mapped wanted, got;
static uint64_t got_next, got_blocks, reads, limit;
static bool refuse;

static void clear_disk(uint32_t size)
{
    block_size = size;
    block_count = BLOCKS;
    given = 0;
    unreadable = 0;
    refuse = false;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        free(blocks[i]);
        blocks[i] = NULL;
    }
    for (uint32_t i = 0; i < BLOCKS - 1; i++) {
        uint32_t other = (uint32_t)(random64() % (i + 1));

        order[i] = order[other];
        order[other] = i + 1;
    }
    memset(&wanted, 0, sizeof wanted);
}

static uint32_t take_block(void)
{
    if (given == BLOCKS - 1)
        ck_abort_msg("the file system is too small for the test");
    return order[given++];
}

static uint8_t *map_block(uint32_t number)
{
    blocks[number] = calloc(1, block_size);
    ck_assert_ptr_nonnull(blocks[number]);
    return blocks[number];
}

static void put16(uint8_t *p, unsigned number)
{
    p[0] = (uint8_t)number;
    p[1] = (uint8_t)(number >> 8);
}

static void put32(uint8_t *p, uint64_t number)
{
    put16(p, (unsigned)(number & 0xffff));
    put16(p + 2, (unsigned)(number >> 16 & 0xffff));
}

/* Check's own assertions are too slow for this many. */
static void require(bool holds)
{
    if (!holds)
        ck_abort_msg("the map was left, or its order");
}

static int read_block(void *arg, uint64_t block, uint8_t *into)
{
    (void)arg;
    require(block > 0 && block < block_count);
    reads++;
    if (block == unreadable)
        return -1;
    if (blocks[block])
        memcpy(into, blocks[block], block_size);
    else
        memset(into, 0, block_size);
    return 0;
}

static int add_stretch(void *arg, uint64_t file_block, uint64_t block, uint64_t count, bool unwritten)
{
    (void)arg;
    require(count > 0 && file_block >= got_next); /* ascending */
    require(file_block < limit && count <= limit - file_block);
    require(block > 0 && block < block_count && count <= block_count - block);
    for (uint64_t i = 0; i < count && file_block + i < MAX_FILE; i++) {
        got.block[file_block + i] = block + i;
        got.unwritten[file_block + i] = unwritten;
    }
    got_next = file_block + count;
    got_blocks += count;
    return refuse ? -1 : 0;
}

static struct extmap begin_map(uint64_t end)
{
    memset(&got, 0, sizeof got);
    got_next = got_blocks = reads = 0;
    limit = end;
    return (struct extmap){
        .block_size = block_size, .block_count = block_count, .read = read_block, .add = add_stretch};
}

static void assert_bounded(void)
{
    ck_assert_uint_le(reads + got_blocks, block_count);
}

static int map_pointers(const uint64_t pointers[EXTMAP_POINTERS], uint64_t end)
{
    const struct extmap map = begin_map(end);
    int result = extmap_pointers(&map, pointers, end);

    assert_bounded();
    return result;
}

/* The root in memory of exactly its size, so that a sanitizer sees reads beyond it. */
static int map_extents(const uint8_t *root, uint64_t end)
{
    const struct extmap map = begin_map(end);
    uint8_t *copy = malloc(EXTMAP_ROOT_LEN);
    int result;

    ck_assert_ptr_nonnull(copy);
    memcpy(copy, root, EXTMAP_ROOT_LEN);
    result = extmap_extents(&map, copy, end);
    free(copy);
    assert_bounded();
    return result;
}

static void assert_mapped(uint64_t end)
{
    for (uint64_t i = 0; i < MAX_FILE; i++)
        if (got.block[i] != (i < end ? wanted.block[i] : 0) ||
            got.unwritten[i] != (i < end && wanted.unwritten[i]))
            ck_abort_msg("block %llu: %llu, not %llu", (unsigned long long)i,
                         (unsigned long long)got.block[i], (unsigned long long)wanted.block[i]);
}

static uint64_t random_end(void)
{
    return random64() % 4 ? random64() % MAX_FILE : WHOLE;
}

/* ---- trees of pointers ---- */

/* What one pointer points to: 0 for a hole.  One block in `sparse`, at random, has content. */
static uint32_t build_pointer(int level, uint64_t first, uint64_t span, unsigned sparse)
{
    const uint64_t per = block_size / 4;
    uint32_t number;
    uint8_t *data;

    if (first >= MAX_FILE || (level > 0 && random64() % 8 == 0))
        return 0;
    if (level == 0) {
        if (random64() % sparse)
            return 0;
        wanted.block[first] = take_block();
        return (uint32_t)wanted.block[first];
    }
    number = take_block();
    data = map_block(number);
    for (uint64_t i = 0; i < per; i++)
        put32(data + 4 * i, build_pointer(level - 1, first + i * span, span / per, sparse));
    return number;
}

static void build_pointers(uint64_t pointers[EXTMAP_POINTERS], unsigned sparse)
{
    const uint64_t per = block_size / 4;
    uint64_t first = 12, span = 1;

    for (unsigned i = 0; i < 12; i++)
        pointers[i] = build_pointer(0, i, 1, sparse);
    for (int level = 1; level <= 3; level++) {
        pointers[11 + level] = build_pointer(level, first, span, sparse);
        first += span * per;
        span *= per;
    }
}

START_TEST(pointers_map_what_the_builder_wrote)
{
    uint64_t pointers[EXTMAP_POINTERS];

    for (int round = 0; round < 80; round++) {
        const uint64_t end = random_end();

        clear_disk(block_sizes[round % 4]);
        build_pointers(pointers, 1 + (unsigned)(random64() % (round % 2 ? 2 : 200)));
        ck_assert_int_eq(map_pointers(pointers, end), 0);
        assert_mapped(end);
    }
}
END_TEST

START_TEST(blocks_below_each_level_are_found_at_their_place)
{
    const uint64_t per = 1024 / 4,
                   firsts[] = {12, 12 + per, 12 + per + per * per}; /* of the indirect levels */

    for (int level = 1; level <= 3; level++) {
        uint64_t pointers[EXTMAP_POINTERS] = {0};
        uint32_t number = 0;
        struct extmap map;

        clear_disk(1024);
        for (int i = 0; i < level; i++) { /* the last pointer of each */
            uint32_t above = take_block();

            put32(map_block(above) + 1024 - 4, i ? number : 77);
            number = above;
        }
        pointers[11 + level] = number;
        map = begin_map(UINT64_MAX);
        ck_assert_int_eq(extmap_pointers(&map, pointers, UINT64_MAX), 0);
        ck_assert_uint_eq(got_blocks, 1);
        ck_assert_uint_eq(reads, (unsigned)level);
        ck_assert_uint_eq(got_next, firsts[level - 1] + (level == 1   ? per
                                                         : level == 2 ? per * per
                                                                      : per * per * per));
    }
}
END_TEST

START_TEST(a_pointer_outside_is_damage_and_the_rest_is_mapped)
{
    uint64_t pointers[EXTMAP_POINTERS];

    for (int round = 0; round < 40; round++) {
        const unsigned i = (unsigned)(random64() % 12);

        clear_disk(block_sizes[round % 4]);
        build_pointers(pointers, 2);
        pointers[i] = BLOCKS + (random64() >> random64() % 64) % (UINT32_MAX - BLOCKS);
        wanted.block[i] = 0;
        ck_assert_int_eq(map_pointers(pointers, WHOLE), -1);
        assert_mapped(WHOLE);
        ck_assert_int_eq(map_pointers(pointers, i), 0); /* not asked for */
        assert_mapped(i);
    }
}
END_TEST

START_TEST(an_unreadable_block_of_pointers_is_damage_and_the_rest_is_mapped)
{
    uint64_t pointers[EXTMAP_POINTERS];

    for (int round = 0; round < 40; round++) {
        const uint64_t per = block_sizes[round % 4] / 4;

        do {
            clear_disk(block_sizes[round % 4]);
            build_pointers(pointers, 2);
        } while (pointers[12] == 0);
        unreadable = round % 2 ? pointers[12] : 0;
        if (!unreadable)
            pointers[12] = block_count + (uint64_t)round;
        for (uint64_t i = 12; i < 12 + per && i < MAX_FILE; i++)
            wanted.block[i] = 0;
        ck_assert_int_eq(map_pointers(pointers, WHOLE), -1);
        assert_mapped(WHOLE);
    }
}
END_TEST

START_TEST(cyclic_pointers_terminate)
{
    for (size_t s = 0; s < sizeof block_sizes / sizeof *block_sizes; s++) {
        uint64_t pointers[EXTMAP_POINTERS];
        uint32_t number;
        uint8_t *data;

        clear_disk(block_sizes[s]);
        block_count = 1000; /* less than such a map would take */
        do
            number = take_block();
        while (number >= block_count);
        data = map_block(number);
        for (uint32_t i = 0; i < block_size / 4; i++)
            put32(data + 4 * i, number);
        for (int i = 0; i < EXTMAP_POINTERS; i++)
            pointers[i] = number;
        ck_assert_int_eq(map_pointers(pointers, UINT64_MAX), -1);
    }
}
END_TEST

/* ---- trees of extents ---- */

struct extent {
    uint32_t file_block;
    uint64_t block;
    unsigned count;
    bool unwritten;
};

static struct extent extents[MAX_EXTENTS];
static size_t extent_count;
static uint32_t leaves[MAX_EXTENTS], nodes[MAX_EXTENTS * 2]; /* blocks of the tree */
static size_t leaf_count, node_count;

/* Ascending ranges of the file, anywhere in the upper half of the file system; the lower half is for the
 * tree. */
static void make_extents(size_t most)
{
    uint64_t at = random64() % 3;

    memset(&wanted, 0, sizeof wanted);
    for (extent_count = 0; extent_count < most && at < MAX_FILE; extent_count++) {
        struct extent *extent = &extents[extent_count];

        extent->file_block = (uint32_t)at;
        extent->count = 1 + (unsigned)(random64() % (random64() % 4 ? 3 : 100));
        if (extent->count > MAX_FILE - at)
            extent->count = (unsigned)(MAX_FILE - at);
        extent->block = BLOCKS / 2 + random64() % (BLOCKS / 2 - 100);
        extent->unwritten = random64() % 5 == 0;
        for (unsigned i = 0; i < extent->count; i++) {
            wanted.block[at + i] = extent->block + i;
            wanted.unwritten[at + i] = extent->unwritten;
        }
        at += extent->count + (random64() % 2 ? 0 : random64() % 5);
    }
}

static void put_extent(uint8_t *entry, const struct extent *extent)
{
    put32(entry, extent->file_block);
    put16(entry + 4, extent->count + (extent->unwritten ? 32768 : 0));
    put16(entry + 6, (unsigned)(extent->block >> 32));
    put32(entry + 8, extent->block);
}

static void put_index(uint8_t *entry, uint32_t file_block, uint64_t child)
{
    put32(entry, file_block);
    put32(entry + 4, child);
    put16(entry + 8, (unsigned)(child >> 32));
}

static void put_header(uint8_t *node, size_t room, size_t entries, unsigned depth)
{
    put16(node, 0xf30a);
    put16(node + 2, (unsigned)entries);
    put16(node + 4, (unsigned)((room - HEADER) / ENTRY));
    put16(node + 6, depth);
}

/* How many extents fit below a node of this many bytes. */
static size_t capacity(size_t room, unsigned depth)
{
    size_t fit = (room - HEADER) / ENTRY;

    while (depth-- > 0 && fit < MAX_EXTENTS)
        fit *= (block_size - HEADER) / ENTRY;
    return fit;
}

static uint32_t take_low_block(void)
{
    uint32_t number;

    do
        number = take_block();
    while (number >= BLOCKS / 2);
    return number;
}

static void build_node(uint8_t *node, size_t room, unsigned depth, const struct extent *first, size_t count)
{
    const size_t below = depth ? capacity(block_size, depth - 1) : 1, fit = (room - HEADER) / ENTRY;
    size_t children = (count + below - 1) / below;

    if (depth && children < fit) /* more than are needed */
        children += random64() % (fit - children + 1);
    if (children > count)
        children = count;
    put_header(node, room, children, depth);
    for (size_t i = 0; i < children; i++, node += ENTRY) {
        const size_t some = count / (children - i) + (count % (children - i) != 0);
        uint32_t number;

        if (depth == 0) {
            put_extent(node + HEADER, first);
        } else {
            number = take_low_block();
            put_index(node + HEADER, first->file_block, number);
            build_node(map_block(number), block_size, depth - 1, first, some);
            nodes[node_count++] = number;
            if (depth == 1)
                leaves[leaf_count++] = number;
        }
        first += some;
        count -= some;
    }
}

static void build_extents(uint8_t root[EXTMAP_ROOT_LEN], unsigned depth)
{
    const size_t most = capacity(EXTMAP_ROOT_LEN, depth),
                 wish = random64() % (random64() % 2 ? MAX_EXTENTS / 2 : 20);

    make_extents(wish < most ? wish : most);
    memset(root, 0, EXTMAP_ROOT_LEN);
    leaf_count = node_count = 0;
    build_node(root, EXTMAP_ROOT_LEN, depth, extents, extent_count);
}

START_TEST(extents_map_what_the_builder_wrote)
{
    uint8_t root[EXTMAP_ROOT_LEN];

    for (int round = 0; round < 150; round++) {
        const uint64_t end = random_end();

        clear_disk(block_sizes[round % 4]);
        build_extents(root, (unsigned)(random64() % 6));
        ck_assert_int_eq(map_extents(root, end), 0);
        assert_mapped(end);
        ck_assert_uint_le(reads, node_count); /* each once at most */
    }
}
END_TEST

START_TEST(the_longest_extents_are_distinguished_from_unwritten_ones)
{
    static const unsigned counts[] = {1, 32767, 32768};
    uint8_t root[EXTMAP_ROOT_LEN] = {0};

    for (int i = 0; i < 6; i++) {
        struct extent extent = {.block = 1, .count = counts[i / 2], .unwritten = i % 2};

        if (extent.unwritten && extent.count == 32768) /* impossible */
            continue;
        clear_disk(1024);
        put_header(root, sizeof root, 1, 0);
        put_extent(root + HEADER, &extent);
        ck_assert_int_eq(map_extents(root, UINT64_MAX), 0);
        ck_assert_uint_eq(got_blocks, extent.count);
        ck_assert_int_eq(got.unwritten[0], extent.unwritten);
    }
}
END_TEST

START_TEST(addresses_have_48_bits)
{
    const uint64_t far = ((uint64_t)1 << 48) - 10;
    struct extent extent = {.file_block = UINT32_MAX, .block = far, .count = 9};
    uint8_t root[EXTMAP_ROOT_LEN] = {0};
    struct extmap map;

    clear_disk(1024);
    put_header(root, sizeof root, 1, 0);
    put_extent(root + HEADER, &extent);
    block_count = far + 9;
    map = begin_map(UINT64_MAX);
    ck_assert_int_eq(extmap_extents(&map, root, UINT64_MAX), 0);
    ck_assert_uint_eq(got_next, (uint64_t)UINT32_MAX + 9);
    map.block_count = far + 8;
    got_next = got_blocks = 0;
    ck_assert_int_eq(extmap_extents(&map, root, UINT64_MAX), -1);
    ck_assert_uint_eq(got_blocks, 0);
}
END_TEST

static void forget(const struct extent *extent)
{
    for (unsigned i = 0; i < extent->count; i++) {
        wanted.block[extent->file_block + i] = 0;
        wanted.unwritten[extent->file_block + i] = false;
    }
}

/* Extents in the root alone, so that each can be found. */
static void build_flat(uint8_t root[EXTMAP_ROOT_LEN])
{
    clear_disk(1024);
    memset(root, 0, EXTMAP_ROOT_LEN);
    make_extents(4);
    put_header(root, EXTMAP_ROOT_LEN, 4, 0);
    for (size_t i = 0; i < 4; i++)
        put_extent(root + HEADER + ENTRY * i, &extents[i]);
}

/* Extent i of the root is replaced by one that is bad: the others are still mapped. */
static void assert_damaged(uint8_t *root, size_t i, const struct extent *bad)
{
    put_extent(root + HEADER + ENTRY * i, bad);
    forget(&extents[i]);
    ck_assert_int_eq(map_extents(root, WHOLE), -1);
    assert_mapped(WHOLE);
}

START_TEST(an_impossible_extent_is_damage_and_the_rest_is_mapped)
{
    uint8_t root[EXTMAP_ROOT_LEN];

    for (int round = 0; round < 200; round++) {
        const size_t i = random64() % 4;
        struct extent bad = extents[i];

        build_flat(root);
        bad = extents[i];
        switch (round % 5) {
        case 0:
            bad.block = 0;
            break;
        case 1:
            bad.block = block_count + random64() % 1000;
            break;
        case 2:
            bad.block = block_count - bad.count + 1;
            break;
        case 3:
            bad.block = (uint64_t)1 << (20 + random64() % 28);
            break;
        default:
            bad.count = 0;
            bad.unwritten = false;
            break;
        }
        assert_damaged(root, i, &bad);
    }
}
END_TEST

START_TEST(extents_out_of_order_or_overlapping_are_damage)
{
    uint8_t root[EXTMAP_ROOT_LEN];

    for (int round = 0; round < 200; round++) {
        const size_t i = 1 + random64() % 3;
        struct extent bad;

        build_flat(root);
        bad = extents[i];
        bad.file_block =
            round % 2 ? extents[i - 1].file_block : extents[i - 1].file_block + extents[i - 1].count - 1;
        assert_damaged(root, i, &bad);
    }
}
END_TEST

START_TEST(a_lost_leaf_is_damage_and_the_rest_is_mapped)
{
    uint8_t root[EXTMAP_ROOT_LEN];

    for (int round = 0; round < 100; round++) {
        uint32_t leaf;
        uint8_t *data;

        clear_disk(block_sizes[round % 4]);
        do
            build_extents(root, 1 + (unsigned)(random64() % 4));
        while (leaf_count == 0);
        leaf = leaves[random64() % leaf_count];
        data = blocks[leaf];
        for (unsigned i = 0; i < (unsigned)(data[2] | data[3] << 8); i++) {
            const uint8_t *entry = data + HEADER + (size_t)ENTRY * i;
            uint32_t first = entry[0] | (uint32_t)entry[1] << 8;

            for (size_t k = 0; k < extent_count; k++)
                if (extents[k].file_block == first)
                    forget(&extents[k]);
        }
        if (round % 5 == 0)
            unreadable = leaf;
        else if (round % 5 == 1)
            put16(data, 0xf30b);
        else if (round % 5 == 2)
            put16(data + 2, (block_size - HEADER) / ENTRY + 1);
        else if (round % 5 == 3)
            put16(data + 2, 0xffff);
        else
            put16(data + 6, 1 + (unsigned)(random64() % 5));
        ck_assert_int_eq(map_extents(root, WHOLE), -1);
        assert_mapped(WHOLE);
    }
}
END_TEST

START_TEST(an_impossible_root_is_damage)
{
    uint8_t root[EXTMAP_ROOT_LEN];

    build_flat(root);
    for (unsigned depth = 1; depth <= 65535; depth += depth < 10 ? 1 : 1000) {
        put16(root + 6, depth);
        ck_assert_int_eq(map_extents(root, WHOLE), -1);
    }
    build_flat(root);
    for (unsigned entries = 5; entries <= 65535; entries += entries < 10 ? 1 : 1000) {
        put16(root + 2, entries);
        ck_assert_int_eq(map_extents(root, WHOLE), -1);
    }
    memset(root, 0, sizeof root);
    ck_assert_int_eq(map_extents(root, WHOLE), -1);
}
END_TEST

START_TEST(a_tree_deeper_than_five_levels_is_damage)
{
    struct extent extent = {.block = 5, .count = 1};

    for (unsigned deepest = 0; deepest < 9; deepest++) {
        uint8_t root[EXTMAP_ROOT_LEN] = {0};
        uint8_t *node = root;
        size_t room = sizeof root;

        clear_disk(256);
        for (unsigned depth = deepest; depth > 0; depth--) {
            const uint32_t child = take_block();

            put_header(node, room, 1, depth);
            put_index(node + HEADER, 0, child);
            node = map_block(child);
            room = block_size;
        }
        put_header(node, room, 1, 0);
        put_extent(node + HEADER, &extent);
        ck_assert_int_eq(map_extents(root, WHOLE), deepest > 5 ? -1 : 0);
        ck_assert_uint_eq(got_blocks, deepest > 5 ? 0 : 1);
    }
}
END_TEST

START_TEST(cyclic_nodes_terminate)
{
    for (unsigned depth = 1; depth <= 5; depth++) {
        uint8_t root[EXTMAP_ROOT_LEN] = {0};
        uint32_t ring[6];

        clear_disk(1024);
        block_count = 2000;
        put_header(root, sizeof root, 4, depth);
        for (unsigned i = 0; i < depth; i++) {
            do
                ring[i] = take_block();
            while (ring[i] >= block_count);
            map_block(ring[i]);
        }
        for (unsigned i = 0; i < 4; i++)
            put_index(root + HEADER + (size_t)ENTRY * i, 0, ring[0]);
        for (unsigned i = 0; i < depth;
             i++) { /* each full of pointers to the next; the last points to the first */
            put_header(blocks[ring[i]], block_size, 84, i + 1 < depth ? depth - i - 1 : depth);
            for (unsigned k = 0; k < 84; k++)
                put_index(blocks[ring[i]] + HEADER + (size_t)ENTRY * k, 0, ring[(i + 1) % depth]);
        }
        ck_assert_int_eq(map_extents(root, UINT64_MAX), -1);
    }
}
END_TEST

START_TEST(a_refusal_is_passed_on)
{
    uint64_t pointers[EXTMAP_POINTERS] = {5};
    uint8_t root[EXTMAP_ROOT_LEN];

    build_flat(root);
    refuse = true;
    ck_assert_int_eq(map_extents(root, WHOLE), -1);
    ck_assert_int_eq(map_pointers(pointers, WHOLE), -1);
    refuse = false;
    ck_assert_int_eq(map_extents(root, WHOLE), 0);
    ck_assert_int_eq(map_pointers(pointers, WHOLE), 0);
}
END_TEST

/* add_stretch and read_block check what comes out. */
START_TEST(damaged_maps_stay_within_bounds)
{
    uint8_t root[EXTMAP_ROOT_LEN];
    uint64_t pointers[EXTMAP_POINTERS];

    for (int round = 0; round < 60; round++) {
        clear_disk(block_sizes[round % 4]);
        if (round % 2)
            block_count = 1 + random64() % BLOCKS;
        build_extents(root, (unsigned)(random64() % 6));
        for (int hit = 0; hit < 20; hit++) {
            uint8_t *node = node_count && random64() % 4 ? blocks[nodes[random64() % node_count]] : root;

            node[random64() % (random64() % 2 ? HEADER + ENTRY : EXTMAP_ROOT_LEN)] ^=
                (uint8_t)(1 << random64() % 8);
            map_extents(root, random64() % 2 ? UINT64_MAX : random_end());
        }
        for (int i = 0; i < EXTMAP_POINTERS; i++)
            pointers[i] = random64() % (random64() % 4 ? block_count : UINT64_MAX);
        for (uint32_t i = 0; i < 200; i++)
            fill_random(map_block(take_block()), block_size);
        map_pointers(pointers, random64() % 2 ? UINT64_MAX : random_end());
    }
}
END_TEST

RUN_TESTS("extmap", pointers_map_what_the_builder_wrote, blocks_below_each_level_are_found_at_their_place,
          a_pointer_outside_is_damage_and_the_rest_is_mapped,
          an_unreadable_block_of_pointers_is_damage_and_the_rest_is_mapped, cyclic_pointers_terminate,
          extents_map_what_the_builder_wrote, the_longest_extents_are_distinguished_from_unwritten_ones,
          addresses_have_48_bits, an_impossible_extent_is_damage_and_the_rest_is_mapped,
          extents_out_of_order_or_overlapping_are_damage, a_lost_leaf_is_damage_and_the_rest_is_mapped,
          an_impossible_root_is_damage, a_tree_deeper_than_five_levels_is_damage, cyclic_nodes_terminate,
          a_refusal_is_passed_on, damaged_maps_stay_within_bounds)
