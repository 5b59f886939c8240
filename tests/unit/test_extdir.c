/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <string.h>

#include "check_main.h"
#include "disk/extdir.h"

enum {
    MAX_BLOCK = 65536,
    HEADER = 8,
    MIN_ENTRY = 12,
    TAIL = 12,
    SLOTS = MAX_BLOCK / 4,
    /*
     * Below 65536, so that the end of an overwritten name together with the entry after it cannot look like a
     * name.  No four bytes of a name form an inode number.
     */
    LAST_INODE = 60000,
};

static const size_t block_sizes[] = {1024, 2048, 4096, MAX_BLOCK};

/* ---- a block written as the kernel writes it, with a note of what lies where ---- */

/* By the place of an entry, divided by four. */
struct note {
    enum {
        NOTHING,
        LIVE,
        DELETED,
        TOUCHED
    } state;    /* touched: the name is there, but its inode may be another */
    bool blank; /* live, but without an inode */
    size_t len, name_len;
};

static uint8_t block[MAX_BLOCK];
static size_t block_len, end_of_entries;
static bool has_types;
static struct note notes[SLOTS];

static void put_number(uint8_t *p, uint64_t number, int bytes)
{
    for (int i = 0; i < bytes; i++)
        p[i] = (uint8_t)(number >> 8 * i);
}

static size_t rounded(size_t name_len)
{
    return (HEADER + name_len + 3) / 4 * 4;
}

/* 65536 does not fit into two bytes: the kernel writes 65535 and reads 0 as well. */
static void put_len(size_t at, size_t len)
{
    notes[at / 4].len = len;
    put_number(block + at + 4, len == MAX_BLOCK ? 0xffff : len, 2);
}

static void put_entry(size_t at, uint64_t inode, uint8_t type, const void *name, size_t name_len)
{
    put_number(block + at, inode, 4);
    put_number(block + at + 6, name_len, has_types ? 1 : 2);
    if (has_types)
        block[at + 7] = type;
    memcpy(block + at + HEADER, name, name_len);
}

static void put_tail(void)
{
    static const uint8_t tail[TAIL] = {0, 0, 0, 0, TAIL, 0, 0, 0xde, 0x78, 0x56, 0x34, 0x12};

    memcpy(block + block_len - TAIL, tail, TAIL);
}

static void begin_block(size_t len, bool types, bool tail)
{
    memset(block, 0, len);
    memset(notes, 0, len / 4 * sizeof *notes);
    block_len = len;
    end_of_entries = tail ? len - TAIL : len;
    has_types = types;
    notes[0].state = LIVE;
    notes[0].blank = true;
    put_len(0, end_of_entries);
    if (tail)
        put_tail();
}

/* Deleted entries that lie here are gone; the end of a name may leave all of an entry but some bytes of its
 * inode. */
static void overwrite(size_t at, size_t len)
{
    for (size_t i = at; i < at + len; i += 4)
        if (notes[i / 4].state != LIVE)
            notes[i / 4].state = notes[i / 4].state != NOTHING && i + 4 == at + len ? TOUCHED : NOTHING;
}

/* In the first gap that is large enough (ext4_insert_dentry); false if there is none. */
static bool add_entry(uint64_t inode, uint8_t type, const void *name, size_t name_len)
{
    const size_t needed = rounded(name_len);

    for (size_t at = 0; at < end_of_entries; at += notes[at / 4].len) {
        struct note *note = &notes[at / 4];
        const size_t used = note->blank ? 0 : rounded(note->name_len), gap = note->len - used;

        if (gap < needed)
            continue;
        if (used)
            put_len(at, used);
        overwrite(at + used, needed);
        note = &notes[(at + used) / 4];
        *note = (struct note){.state = LIVE, .name_len = name_len};
        put_len(at + used, gap);
        put_entry(at + used, inode, type, name, name_len);
        return true;
    }
    return false;
}

/* Without the bytes as Linux did until 5.12, or with them as since (ext4_generic_delete_entry). */
static void delete_entry(size_t target, bool wipe)
{
    struct note *note = &notes[target / 4];
    size_t before = 0;

    if (wipe) {
        overwrite(target + 4, note->len - 4);
        memset(block + target + 6, 0, note->len - 6);
    }
    if (target == 0) {
        memset(block, 0, 4);
        note->blank = true;
        return;
    }
    while (before + notes[before / 4].len != target)
        before += notes[before / 4].len;
    put_len(before, notes[before / 4].len + note->len);
    note->state = note->blank || wipe ? NOTHING : DELETED;
    if (wipe)
        memset(block + target, 0, 6);
}

/* Arbitrary letters, but none that ends a name, and no four that form an inode number. */
static size_t make_name(uint8_t name[255])
{
    size_t len = random64() % 4 ? 1 + random64() % 20 : 1 + random64() % 255;

    for (size_t i = 0; i < len; i++)
        name[i] = (uint8_t)(0x30 + random64() % 0xd0);
    return len;
}

static bool add_random(void)
{
    uint8_t name[255];
    const size_t len = make_name(name);

    return add_entry(1 + random64() % LAST_INODE, (uint8_t)(1 + random64() % 7), name, len);
}

/* Of the entries in use one at random, but not those before the first. */
static size_t random_live(size_t first)
{
    size_t count = 0, chosen = 0;

    for (size_t at = 0; at < end_of_entries; at += notes[at / 4].len)
        if (at >= first && !notes[at / 4].blank && random64() % ++count == 0)
            chosen = at;
    return count ? chosen : SIZE_MAX;
}

/* A folder that has been in use for a while; with dots if it is the first block of one. */
static void use_block(bool dots, unsigned changes)
{
    const bool wipe = random64() % 8 == 0;
    const uint64_t deletions = 1 + random64() % 9;

    if (dots) {
        add_entry(2, 2, ".", 1);
        add_entry(2, 2, "..", 2);
    }
    while (changes-- > 0)
        if (random64() % 10 >= deletions) {
            add_random();
        } else {
            size_t target = random_live(dots ? 24 : 0);

            if (target != SIZE_MAX)
                delete_entry(target, wipe);
        }
}

/* ---- what is reported ---- */

static struct found_name {
    size_t at, name_len;
    uint64_t inode;
    bool allocated;
    uint8_t type;
} names_found[SLOTS];
static size_t names_count, stop_after;
static const uint8_t *told_block;
static size_t told_len;
static uint64_t last_inode = LAST_INODE;

/* Check's own assertions are too slow for this many. */
static void require(bool holds, const char *what)
{
    if (!holds)
        ck_abort_msg("%s", what);
}

static bool has_byte(const char *name, size_t len, int byte)
{
    return memchr(name, byte, len);
}

/* True for any bytes: names lie in the block, one after another, and deleted ones are plausible. */
static int note_name(void *arg, const struct extdir_name *name)
{
    const size_t at = (size_t)((const uint8_t *)name->name - told_block) - HEADER;

    ck_assert_ptr_eq(arg, &names_count);
    require((const uint8_t *)name->name >= told_block + HEADER && at < told_len && at % 4 == 0,
            "a name elsewhere");
    require(name->len > 0 && name->len <= told_len - at - HEADER, "a name that leaves the block");
    require(names_count == 0 ||
                at >= names_found[names_count - 1].at + rounded(names_found[names_count - 1].name_len),
            "a name within another");
    require(name->inode > 0 && !(name->len <= 2 && memcmp(name->name, "..", name->len) == 0),
            "a name that is none");
    require(has_types || name->type == EXTDIR_UNKNOWN, "a type out of nowhere");
    require(name->allocated || (name->inode <= last_inode && name->len <= 255 &&
                                !has_byte(name->name, name->len, 0) && !has_byte(name->name, name->len, '/')),
            "a deleted name that cannot be");
    names_found[names_count++] = (struct found_name){at, name->len, name->inode, name->allocated, name->type};
    return names_count == stop_after;
}

/* From a copy of exactly this size, so that a sanitizer sees reads beyond it. */
static int read_bytes(const uint8_t *bytes, size_t len)
{
    uint8_t *copy = malloc(len ? len : 1);
    const struct extdir dir = {
        .has_types = has_types, .last_inode = last_inode, .found = note_name, .arg = &names_count};
    int result;

    ck_assert_ptr_nonnull(copy);
    memcpy(copy, bytes, len);
    told_block = copy;
    told_len = len;
    names_count = 0;
    result = extdir_block(&dir, copy, len);
    require(result == 0 || result == -1, "a result that is none");
    require(memcmp(copy, bytes, len) == 0, "the block was changed");
    free(copy);
    return result;
}

static int read_block(void)
{
    return read_bytes(block, block_len);
}

static bool is_dots(size_t at)
{
    return notes[at / 4].name_len <= 2 && memcmp(block + at + HEADER, "..", notes[at / 4].name_len) == 0;
}

/* Everything that was noted, and nothing else; names at `lost` and after it as deleted. */
static void assert_told(size_t lost)
{
    size_t next = 0;

    for (size_t at = 0; at < end_of_entries; at += 4) {
        const struct note *note = &notes[at / 4];
        const struct found_name *name = &names_found[next];

        if (note->state == TOUCHED && next < names_count && name->at == at)
            next++;
        if (note->state == NOTHING || note->state == TOUCHED || note->blank || is_dots(at))
            continue;
        if (next++ == names_count || name->at != at)
            ck_abort_msg("the name at %zu is not reported", at);
        require(name->name_len == note->name_len, "another length of the name");
        require(name->allocated == (note->state == LIVE && at < lost), "whether it is allocated");
        require(name->inode == (uint64_t)(block[at] | block[at + 1] << 8), "another inode");
        require(name->type == (has_types ? block[at + 7] : 0), "another type");
    }
    if (next < names_count)
        ck_abort_msg("what lies at %zu is not a name", names_found[next].at);
}

static void assert_block(void)
{
    ck_assert_int_eq(read_block(), 0);
    assert_told(SIZE_MAX);
}

static bool is_told(size_t at)
{
    for (size_t i = 0; i < names_count; i++)
        if (names_found[i].at == at)
            return true;
    return false;
}

/* ---- whole blocks ---- */

/* Written out by hand from Documentation/filesystems/ext4/directory.rst. */
START_TEST(a_deleted_name_lies_in_the_gap_after_the_name_before_it)
{
    static const uint8_t bytes[64] = "\x0c\0\0\0\x10\0\5\1apple\0\0\0"
                                     "\x0d\0\0\0\x1c\0\3\2fig\0"
                                     "\x0e\0\0\0\x10\0\6\7cherry\0\0"
                                     "\x0f\0\0\0\x14\0\1\4k\0\0";

    has_types = true;
    ck_assert_int_eq(read_bytes(bytes, sizeof bytes), 0);
    ck_assert_uint_eq(names_count, 4);
    for (size_t i = 0; i < 4; i++) {
        static const struct found_name expected[] = {
            {0, 5, 12, true, 1}, {16, 3, 13, true, 2}, {28, 6, 14, false, 7}, {44, 1, 15, true, 4}};

        ck_assert_uint_eq(names_found[i].at, expected[i].at);
        ck_assert_uint_eq(names_found[i].name_len, expected[i].name_len);
        ck_assert_uint_eq(names_found[i].inode, expected[i].inode);
        ck_assert_int_eq(names_found[i].allocated, expected[i].allocated);
        ck_assert_uint_eq(names_found[i].type, expected[i].type);
    }
}
END_TEST

START_TEST(every_name_in_use_or_deleted_is_reported_once)
{
    for (unsigned round = 0; round < 2000; round++) {
        const bool types = round / 8 % 2;

        begin_block(block_sizes[round % 16 ? round % 3 : 3], types, types && round / 16 % 2);
        use_block(round / 32 % 2, (unsigned)(random64() % (block_len / 8)));
        assert_block();
    }
}
END_TEST

START_TEST(a_full_block_that_is_emptied_from_either_end_keeps_its_names)
{
    for (unsigned round = 0; round < 8; round++) {
        begin_block(block_sizes[round % 4], round % 2, false);
        add_entry(11, 1, "first", 5);
        while (add_random())
            continue;
        assert_block();
        for (;;) {
            size_t at = notes[0].len, target = at;

            for (; round / 4 && at < end_of_entries; at += notes[at / 4].len)
                target = at;
            if (target == end_of_entries)
                break;
            delete_entry(target, false);
            if (round % 4 == 0 || random64() % 64 == 0)
                assert_block();
        }
        delete_entry(0, false);
        assert_block();
    }
}
END_TEST

START_TEST(deleting_the_first_entry_clears_its_inode_but_the_names_it_swallows_are_reported)
{
    begin_block(1024, true, false);
    add_entry(11, 1, "first", 5);
    add_entry(12, 1, "second", 6);
    delete_entry(16, false);
    delete_entry(0, false);
    assert_block();
    ck_assert_uint_eq(names_count, 1);
    ck_assert_uint_eq(names_found[0].inode, 12);
    add_entry(13, 1, "a longer one", 12); /* over both */
    assert_block();
    ck_assert_uint_eq(names_count, 1);
    ck_assert_uint_eq(names_found[0].inode, 13);
}
END_TEST

START_TEST(dot_entries_are_skipped_but_names_starting_with_dots_are_reported)
{
    begin_block(1024, true, false);
    add_entry(2, 2, ".", 1);
    add_entry(2, 2, "..", 2);
    add_entry(12, 2, "...", 3);
    add_entry(13, 2, ".a", 2);
    add_entry(14, 2, "..b", 3);
    add_entry(15, 2, ".", 1);
    add_entry(15, 2, "..", 2);
    add_entry(16, 2, "a.", 2);
    delete_entry(72, false);
    assert_block();
    delete_entry(60, false);
    assert_block();
    ck_assert_uint_eq(names_count, 4);
}
END_TEST

START_TEST(without_types_a_name_still_has_up_to_255_bytes)
{
    uint8_t name[255];

    memset(name, 'n', sizeof name);
    begin_block(1024, false, false);
    add_entry(12, 0, name, 255);
    add_entry(13, 0, name, 3);
    add_entry(14, 0, name, 255);
    delete_entry(264 + 12, false);
    assert_block();
    ck_assert_uint_eq(names_count, 3);
    has_types = true; /* the same bytes: the type of a deleted one is never 0 */
    ck_assert_int_eq(read_block(), 0);
    ck_assert_uint_eq(names_count, 2);
}
END_TEST

START_TEST(without_types_the_checksum_at_the_end_is_no_damage)
{
    begin_block(1024, false, true); /* mke2fs -O ^filetype,metadata_csum */
    add_entry(12, 0, "apple", 5);
    assert_block();
}
END_TEST

START_TEST(a_hash_of_an_index_is_not_a_name)
{
    begin_block(1024, true, false);
    memcpy(block + 8,
           "\x7f\0\2\0\1\0\0\0"
           "\x0c\0\1\1\2\0\0\0",
           16); /* hash 0x0101000c: in block 2 */
    ck_assert_int_eq(read_block(), 0);
    ck_assert_uint_eq(names_count, 0); /* and not inode 1, named "\2" */
}
END_TEST

START_TEST(names_of_255_bytes_may_hold_any_byte_but_zero_and_slash)
{
    uint8_t name[255];

    for (unsigned byte = 1; byte < 256; byte++)
        for (int types = 0; types < 2; types++) {
            if (byte == '/')
                continue;
            memset(name, (int)byte, sizeof name);
            begin_block(1024, types, false);
            for (uint64_t i = 0; i < 3; i++)
                add_entry(12 + i, 1, name, sizeof name);
            assert_block();
            delete_entry(264, false);
            assert_block();
            delete_entry(528, false);
            assert_block();
            ck_assert_uint_eq(names_count, 3);
        }
}
END_TEST

START_TEST(a_live_name_is_reported_whatever_it_holds)
{
    begin_block(1024, true, false);
    add_entry(LAST_INODE + 1, 1, "beyond", 6);
    add_entry(UINT32_MAX, 0, "a/b", 3);
    add_entry(12, 200, "c\0d", 3);
    ck_assert_int_eq(read_block(), 0);
    ck_assert_uint_eq(names_count, 3);
    ck_assert_uint_eq(names_found[0].inode, LAST_INODE + 1);
    ck_assert_uint_eq(names_found[1].inode, UINT32_MAX);
    ck_assert_uint_eq(names_found[2].type, 200);
    for (size_t i = 0; i < 3; i++)
        ck_assert(names_found[i].allocated);
}
END_TEST

/* ---- between the entries ---- */

/* Whether a deleted entry written like this is reported. */
static bool tells_deleted(uint64_t inode, size_t len, size_t name_len, uint8_t type, const char *name)
{
    begin_block(1024, true, false);
    add_entry(11, 1, "first", 5);
    put_entry(16, inode, type, name, name_len);
    put_number(block + 20, len, 2);
    ck_assert_int_eq(read_block(), 0);
    ck_assert(is_told(0));
    ck_assert_uint_le(names_count, 2);
    return names_count == 2;
}

START_TEST(what_only_resembles_a_deleted_entry_is_not_reported)
{
    for (unsigned type = 0; type < 256; type++)
        ck_assert_int_eq(tells_deleted(12, 16, 6, (uint8_t)type, "second"), type >= 1 && type <= 7);
    for (size_t len = 0; len < 64; len++)
        ck_assert_int_eq(tells_deleted(12, len, 6, 1, "second"), len >= 16 && len % 4 == 0);
    ck_assert(tells_deleted(1, 1008, 6, 1, "second"));
    ck_assert(tells_deleted(LAST_INODE, 1008, 6, 1, "second"));
    ck_assert(!tells_deleted(LAST_INODE + 1, 1008, 6, 1, "second"));
    ck_assert(!tells_deleted(0, 16, 6, 1, "second"));
    ck_assert(!tells_deleted(12, 16, 0, 1, "second"));
    ck_assert(!tells_deleted(12, 16, 6, 1, "sec/nd"));
    ck_assert(!tells_deleted(12, 16, 6, 1, "sec\0nd"));
    ck_assert(!tells_deleted(12, 16, 6, 1, "secon"));
}
END_TEST

START_TEST(a_deleted_entry_ends_before_the_next_live_one)
{
    for (size_t gap = 4; gap <= 24; gap += 4) {
        begin_block(1024, true, false);
        add_entry(11, 1, "first", 5);
        put_len(0, 16 + gap);
        put_entry(16, 12, 1, "seconds", 7); /* needs 16, and all of it in the gap */
        put_number(block + 20, 16, 2);
        put_entry(16 + gap, 13, 1, "third", 5);
        put_number(block + 20 + gap, 1024 - 16 - gap, 2);
        ck_assert_int_eq(read_block(), 0);
        ck_assert(is_told(0) && is_told(16 + gap));
        ck_assert_uint_eq(names_count, gap < 16 ? 2 : 3);
    }
}
END_TEST

START_TEST(names_after_garbage_are_found)
{
    for (size_t skip = 4; skip < 900; skip += 4) {
        begin_block(1024, true, false);
        add_entry(11, 1, "first", 5);
        memset(block + 16, 0xff, skip);
        put_entry(16 + skip, 12, 2, "lost", 4);
        put_number(block + 16 + skip + 4, 12, 2);
        ck_assert_int_eq(read_block(), 0);
        ck_assert_uint_eq(names_count, 2);
        ck_assert_uint_eq(names_found[1].at, 16 + skip);
        ck_assert(!names_found[1].allocated);
        ck_assert_uint_eq(names_found[1].type, EXTDIR_FOLDER);
    }
}
END_TEST

/* ---- indexes (Documentation/filesystems/ext4/directory.rst, "Hash Tree Directories") ---- */

/* Entries of a hash, of which the lowest bit is not part, and a block of the folder. */
static void put_index(size_t at, uint32_t least_hash)
{
    const size_t room = (end_of_entries - at) / 8, count = 1 + random64() % room;

    put_number(block + at, room, 2);
    put_number(block + at + 2, count, 2);
    put_number(block + at + 4, 1 + random64() % 100, 4);
    for (size_t i = 1; i < count; i++) {
        const uint64_t hash = least_hash + random64() % (UINT64_C(0x100000000) - least_hash);

        put_number(block + at + 8 * i, hash & 0xfffffffe, 4);
        put_number(block + at + 8 * i + 4, 1 + random64() % 10000, 4);
    }
}

static void put_index_root(uint32_t least_hash)
{
    add_entry(2, 2, ".", 1);
    add_entry(2, 2, "..", 2);
    put_number(block + 24, 0, 4);
    memcpy(block + 28, "\1\x08\0\0", 4); /* half MD4, 8 bytes */
    put_index(32, least_hash);
}

/* An index ends with its own checksum, which no entry covers. */
static void begin_index(size_t len, bool types, uint32_t least_hash, bool root)
{
    begin_block(len, types, false);
    if (root)
        put_index_root(least_hash);
    else
        put_index(8, least_hash);
}

/*
 * No hash from 0x08000000 on looks like a header with a type; others may happen to look like one with a short
 * name, because the upper byte of a block number is 0.
 */
START_TEST(an_index_is_not_taken_for_names)
{
    for (unsigned round = 0; round < 2000; round++) {
        begin_index(block_sizes[round % 3], true, 0x08000000, round / 3 % 2);
        ck_assert_int_eq(read_block(), 0);
        if (names_count > 0)
            ck_abort_msg("what lies at %zu of an index is not a name", names_found[0].at);
    }
}
END_TEST

START_TEST(no_index_looks_like_a_name_of_more_than_three_bytes)
{
    for (unsigned round = 0; round < 2000; round++) {
        begin_index(block_sizes[round % 3], true, 0, round / 3 % 2);
        ck_assert_int_eq(read_block(), 0);
        for (size_t i = 0; i < names_count; i++) {
            ck_assert_uint_le(names_found[i].name_len, 3);
            ck_assert(!names_found[i].allocated);
        }
    }
}
END_TEST

START_TEST(names_that_survive_after_an_index_are_found)
{
    static const uint8_t index[32] = "\x7c\0\3\0\1\0\0\0"
                                     "\x10\x32\x54\x76\2\0\0\0"
                                     "\xf0\xde\xbc\x9a\3\0\0\0";

    begin_block(1024, true, false);
    add_entry(2, 2, ".", 1);
    add_entry(2, 2, "..", 2);
    while (add_random())
        continue;
    put_len(12, 1012);
    for (size_t at = 24; at < 1024; at += 4)
        if (notes[at / 4].state == LIVE)
            notes[at / 4].state = at < 64 ? NOTHING : DELETED;
    memset(block + 24, 0, 8);
    memcpy(block + 32, index, sizeof index);
    assert_block();
    ck_assert_uint_gt(names_count, 3);
}
END_TEST

START_TEST(the_checksum_at_the_end_is_not_a_name)
{
    for (size_t i = 0; i < 4; i++) {
        begin_block(block_sizes[i], true, true);
        assert_block();
        ck_assert_uint_eq(names_count, 0);
        while (add_random())
            continue;
        for (int sum = 0; sum < 50; sum++) {
            fill_random(block + block_len - 4, 4);
            assert_block();
        }
    }
}
END_TEST

/* ---- 64 KiB ---- */

START_TEST(a_length_of_64_kib_is_written_as_0_or_65535)
{
    static const unsigned lens[] = {0, 0xffff};

    for (int i = 0; i < 4; i++) {
        begin_block(MAX_BLOCK, i / 2, false);
        add_entry(12, 1, "only", 4);
        add_entry(13, 1, "deleted", 7);
        delete_entry(12, false);
        put_number(block + 4, lens[i % 2], 2);
        assert_block();
        ck_assert_uint_eq(names_count, 2);
    }
}
END_TEST

START_TEST(in_smaller_blocks_and_after_their_start_such_lengths_are_damage)
{
    static const unsigned lens[] = {0, 0xffff};

    for (size_t i = 0; i < 8; i++) {
        begin_block(block_sizes[i % 4], true, false);
        add_entry(12, 1, "one", 3);
        add_entry(13, 1, "two", 3);
        put_number(block + 12 + 4, lens[i / 4], 2);
        ck_assert_int_eq(read_block(), -1);
        ck_assert(names_count > 0 && names_found[0].at == 0 && names_found[0].allocated);
        if (i % 4 == 3)
            continue;
        put_number(block + 4, lens[i / 4], 2);
        ck_assert_int_eq(read_block(), -1);
    }
}
END_TEST

/* ---- damage ---- */

/* An impossible entry length. */
static size_t broken_len(size_t at)
{
    const size_t used = rounded(notes[at / 4].name_len), room = block_len - at;

    switch (random64() % 5) {
    case 0:
        return 4 * (random64() % 2 + (block_len == MAX_BLOCK && at == 0)); /* 0 or 4 */
    case 1:
        return notes[at / 4].len / 4 * 4 - 1 - random64() % 3;
    case 2:
        return room + 4 <= 65532 ? room + 4 + random64() % ((65532 - room) / 4) * 4 : 4;
    case 3:
        return used - 4;
    default:
        return random64() % used;
    }
}

START_TEST(a_broken_chain_is_reported_and_so_are_the_names_around_it)
{
    for (unsigned round = 0; round < 1500; round++) {
        size_t at;

        do {
            begin_block(block_sizes[round % 16 ? round % 3 : 3], round / 4 % 2, false);
            use_block(round / 32 % 2, (unsigned)(random64() % (block_len / 8)));
            at = random_live(0);
        } while (at == SIZE_MAX);
        put_number(block + at + 4, broken_len(at), 2);
        ck_assert_int_eq(read_block(), -1);
        if (!is_told(at)) /* it may be found as deleted or not: its length is wrong */
            notes[at / 4].state = NOTHING;
        assert_told(at);
    }
}
END_TEST

START_TEST(a_name_that_does_not_fit_its_entry_breaks_the_chain)
{
    for (unsigned name_len = 1; name_len < 256; name_len++) {
        begin_block(1024, true, false);
        add_entry(12, 1, "one", 3);
        add_entry(13, 1, "sixteen letters.", 16);
        add_entry(14, 1, "three", 5);
        block[12 + 6] = (uint8_t)name_len;
        ck_assert_int_eq(read_block(), name_len <= 16 ? 0 : -1);
        ck_assert(names_found[0].at == 0 && names_found[0].allocated);
        ck_assert_int_eq(is_told(12), name_len <= 16);
        ck_assert(is_told(36));
    }
}
END_TEST

START_TEST(the_callback_can_stop_the_search)
{
    for (unsigned round = 0; round < 200; round++) {
        size_t all;

        begin_block(1024, true, false);
        use_block(false, 60);
        read_block();
        all = names_count;
        for (stop_after = 1; stop_after <= all; stop_after++) {
            ck_assert_int_eq(read_block(), 0);
            ck_assert_uint_eq(names_count, stop_after);
        }
        stop_after = 0;
    }
}
END_TEST

START_TEST(the_callback_can_stop_the_search_after_damage)
{
    begin_block(1024, true, false);
    for (uint64_t i = 0; i < 5; i++)
        add_entry(12 + i, 1, "name", 4);
    put_number(block + 12 + 4, 2, 2);
    for (stop_after = 1; stop_after <= 4; stop_after++) {
        read_block();
        ck_assert_uint_eq(names_count, stop_after);
    }
    stop_after = 0;
}
END_TEST

START_TEST(a_block_may_be_truncated_anywhere)
{
    ck_assert_int_eq(read_bytes(block, 0), 0);
    ck_assert_uint_eq(names_count, 0);
    for (unsigned round = 0; round < 16; round++) {
        begin_block(1024, round % 2, false);
        use_block(round / 2 % 2, 60);
        for (size_t len = 0; len <= 1024; len++)
            read_bytes(block, len);
    }
}
END_TEST

START_TEST(damaged_blocks_are_read_within_their_bounds)
{
    for (unsigned round = 0; round < 8000; round++) {
        begin_block(block_sizes[round % 3], round / 4 % 2, false);
        use_block(round / 8 % 2, 30 + (unsigned)(random64() % 30));
        for (uint64_t damage = 1 + random64() % 8; damage > 0; damage--) {
            const size_t at = random64() % block_len;

            block[random64() % 2 ? at : at % 256] = (uint8_t)(random64() % 4   ? random64()
                                                              : random64() % 2 ? 0xff
                                                                               : 0);
        }
        last_inode = random64() % 4 ? LAST_INODE : random64() >> random64() % 64;
        read_block();
    }
    last_inode = LAST_INODE;
}
END_TEST

/* Small numbers look like entries far more often than random ones. */
START_TEST(any_bytes_are_read_within_their_bounds)
{
    static uint8_t bytes[4096];

    for (unsigned round = 0; round < 20000; round++) {
        const size_t len = random64() % (random64() % 8 ? 300 : sizeof bytes + 1);

        fill_random(bytes, len);
        for (size_t i = 0; round % 4 && i < len; i++)
            if (round % 4 == 3 || i % 4 >= round % 4)
                bytes[i] = (uint8_t)(bytes[i] % (i % 4 ? 8 : 32) * (round % 4 == 3 ? 4 : 1));
        has_types = random64() % 2;
        last_inode = random64() % 2 ? UINT32_MAX : random64() >> random64() % 64;
        read_bytes(bytes, len);
    }
    last_inode = LAST_INODE;
}
END_TEST

RUN_TESTS("extdir", a_deleted_name_lies_in_the_gap_after_the_name_before_it,
          every_name_in_use_or_deleted_is_reported_once,
          a_full_block_that_is_emptied_from_either_end_keeps_its_names,
          deleting_the_first_entry_clears_its_inode_but_the_names_it_swallows_are_reported,
          dot_entries_are_skipped_but_names_starting_with_dots_are_reported,
          without_types_a_name_still_has_up_to_255_bytes, without_types_the_checksum_at_the_end_is_no_damage,
          a_hash_of_an_index_is_not_a_name, names_of_255_bytes_may_hold_any_byte_but_zero_and_slash,
          a_live_name_is_reported_whatever_it_holds, what_only_resembles_a_deleted_entry_is_not_reported,
          a_deleted_entry_ends_before_the_next_live_one, names_after_garbage_are_found,
          an_index_is_not_taken_for_names, no_index_looks_like_a_name_of_more_than_three_bytes,
          names_that_survive_after_an_index_are_found, the_checksum_at_the_end_is_not_a_name,
          a_length_of_64_kib_is_written_as_0_or_65535,
          in_smaller_blocks_and_after_their_start_such_lengths_are_damage,
          a_broken_chain_is_reported_and_so_are_the_names_around_it,
          a_name_that_does_not_fit_its_entry_breaks_the_chain, the_callback_can_stop_the_search,
          the_callback_can_stop_the_search_after_damage, a_block_may_be_truncated_anywhere,
          damaged_blocks_are_read_within_their_bounds, any_bytes_are_read_within_their_bounds)
