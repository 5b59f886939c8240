/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "check_main.h"
#include "evidence/names.h"

/* Where the limit on the number of names does not matter. */
static size_t paths_of(struct names *names, uint64_t inode, bool allocated, struct buffer *paths, bool *lost)
{
    bool more;

    return names_paths(names, inode, allocated, paths, lost, &more);
}

enum { MAX_NAMES = 2000, MAX_TEXT = 40, ROOT = 5, PATH_ROOM = 4096, DEEP = 20000 };

/* ---- a naive twin: a list searched linearly ---- */

struct name {
    uint64_t inode, parent;
    uint32_t parent_sequence;
    unsigned flags;
    char text[MAX_TEXT];
};

struct use {
    uint32_t sequence; /* 0: not distinguished */
    bool allocated;
};

static struct name list[MAX_NAMES];
static size_t list_count;
static struct use uses[MAX_NAMES]; /* by inode */

static void clear_list(void)
{
    list_count = 0;
    memset(uses, 0, sizeof uses);
}

static struct name *note(uint64_t inode, uint64_t parent, unsigned flags, const char *text)
{
    struct name *name = &list[list_count++];

    if (list_count > MAX_NAMES)
        ck_abort_msg("too many names for the test");
    *name = (struct name){.inode = inode, .parent = parent, .flags = flags};
    snprintf(name->text, sizeof name->text, "%s", text);
    return name;
}

/* The name of a folder: a current one before a former one. */
static const struct name *folder_name(uint64_t inode, uint32_t sequence)
{
    const struct name *found = NULL;
    const struct use *use = inode < MAX_NAMES ? &uses[inode] : NULL;

    if (sequence && use && use->sequence != sequence && (use->allocated || use->sequence != sequence + 1))
        return NULL;
    for (size_t i = 0; i < list_count; i++)
        if (list[i].inode == inode && (list[i].flags & NAMES_FOLDER) &&
            (!found || (list[i].flags & NAMES_ALLOCATED)))
            found = &list[i];
    return found;
}

/* Returns whether it leads to the root. */
static bool path_of(const struct name *name, char path[PATH_ROOM])
{
    char longer[PATH_ROOM + MAX_TEXT + 1];

    snprintf(path, PATH_ROOM, "%s", name->text);
    while (!(name->flags & NAMES_TOP)) {
        if (name->parent == ROOT)
            return true;
        name = folder_name(name->parent, name->parent_sequence);
        if (!name)
            break;
        snprintf(longer, sizeof longer, "%s/%s", name->text, path);
        ck_assert_uint_lt(strlen(longer), PATH_ROOM);
        strcpy(path, longer);
    }
    snprintf(longer, sizeof longer, "$OrphanFiles/%s", path);
    strcpy(path, longer);
    return false;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(a, b);
}

static size_t naive_paths(uint64_t inode, bool allocated, struct buffer *out, bool *lost)
{
    static char paths[16][PATH_ROOM];
    size_t count = 0;

    *lost = true;
    for (size_t i = 0; i < list_count; i++)
        if (list[i].inode == inode && (!allocated || (list[i].flags & NAMES_ALLOCATED)) &&
            path_of(&list[i], paths[count++]))
            *lost = false;
    qsort(paths, count, PATH_ROOM, compare_paths);
    for (size_t i = 0; i < count; i++)
        buffer_add(out, paths[i], strlen(paths[i]) + 1);
    return count;
}

/* ---- names and twin compared ---- */

static void add(struct names *names, const struct name *name)
{
    char text[MAX_TEXT]; /* without a terminator, and gone afterwards */
    const size_t len = strlen(name->text);

    memset(text, 'X', sizeof text);
    memcpy(text, name->text, len);
    if (names_add(names, name->inode, name->parent, name->parent_sequence, name->flags, text, len))
        ck_abort_msg("out of memory");
}

/* All names of the list and some of them twice, in random order; and the uses. */
static struct names *make_names(void)
{
    static size_t order[MAX_NAMES];
    struct names *names = names_new();

    ck_assert_ptr_nonnull(names);
    for (size_t i = 0; i < list_count; i++) {
        size_t other = random64() % (i + 1);

        order[i] = order[other];
        order[other] = i;
    }
    for (uint64_t i = MAX_NAMES; i-- > 0;)
        if (uses[i].sequence)
            ck_assert_int_eq(names_set_sequence(names, i, uses[i].sequence, uses[i].allocated), 0);
    for (size_t i = 0; i < list_count; i++) {
        add(names, &list[order[i]]);
        if (random64() % 10 == 0)
            add(names, &list[order[random64() % (i + 1)]]);
    }
    names_finish(names, ROOT);
    return names;
}

static void assert_paths(struct names *names, uint64_t inode, bool allocated)
{
    struct buffer wanted = {0}, got = {0};
    bool wanted_lost, got_lost;
    size_t wanted_count = naive_paths(inode, allocated, &wanted, &wanted_lost), got_count;

    buffer_add_text(&got, "before"); /* and stays there */
    got_count = paths_of(names, inode, allocated, &got, &got_lost);
    if (got_count != wanted_count || got_lost != wanted_lost || got.len != wanted.len + 6 ||
        (wanted.len && memcmp(got.data + 6, wanted.data, wanted.len) != 0))
        ck_abort_msg("inode %llu: %zu paths, %s, %.*s; not %zu, %s, %.*s", (unsigned long long)inode,
                     got_count, got_lost ? "lost" : "found", (int)got.len - 6, got.data + 6, wanted_count,
                     wanted_lost ? "lost" : "found", (int)wanted.len, wanted.data);
    if (names_know(names, inode, allocated) != (wanted_count > 0))
        ck_abort_msg("inode %llu: known or not", (unsigned long long)inode);
    buffer_release(&wanted);
    buffer_release(&got);
}

/* All inodes, those of one folder together, as they come on a disk, and then at random. */
static void assert_all_paths(struct names *names, uint64_t inodes)
{
    ck_assert_uint_eq(names_count(names), list_count);
    for (uint64_t i = 0; i < inodes; i++)
        assert_paths(names, i, random64() % 2);
    for (uint64_t i = 0; i < inodes; i++)
        assert_paths(names, random64() % inodes, random64() % 2);
}

/* ---- trees ---- */

static const char *random_text(char text[MAX_TEXT], unsigned number)
{
    static const char *const forms[][2] = {{"", ""},   {"file ", ".txt"}, {"\xff\x01", "\n"},
                                           {"a/", ""}, {"", ".."},        {"\u00e4-", ""}};
    const size_t form = random64() % (sizeof forms / sizeof *forms);

    snprintf(text, MAX_TEXT, "%s%u%s", forms[form][0], number, forms[form][1]); /* never the same twice */
    return text;
}

enum { FIRST = ROOT + 1 };

/* Each inode below an earlier one, so there are no cycles; some parents are gone or not folders. */
static void build_tree(uint64_t inodes, unsigned gone, bool deleted)
{
    bool folders[MAX_NAMES] = {false};
    char text[MAX_TEXT];

    clear_list();
    folders[ROOT] = true;
    for (uint64_t i = FIRST; i < inodes; i++) {
        const unsigned links = random64() % 4 ? 1 : (unsigned)(random64() % 6);

        folders[i] = links == 1 && random64() % 3 == 0;
        for (unsigned k = 0; k < links; k++) {
            unsigned flags =
                (folders[i] ? NAMES_FOLDER : 0) | (!deleted || random64() % 2 ? NAMES_ALLOCATED : 0);
            uint64_t parent = ROOT + random64() % (i - ROOT);

            while (!folders[parent] && random64() % gone)
                parent = ROOT + random64() % (i - ROOT);
            if (random64() % gone == 0)
                parent = inodes + random64() % 10;
            if (deleted && random64() % 20 == 0)
                flags |= NAMES_TOP;
            note(i, parent, flags, random_text(text, (unsigned)list_count));
        }
    }
}

START_TEST(paths_match_a_naive_search)
{
    for (int round = 0; round < 60; round++) {
        const uint64_t inodes = FIRST + random64() % (round % 4 ? 60 : 600);
        struct names *names;

        build_tree(inodes, round % 3 ? 1000000 : 8, round % 2);
        names = make_names();
        assert_all_paths(names, inodes + 5);
        names_free(names);
    }
}
END_TEST

START_TEST(a_renamed_folder_has_its_current_name)
{
    for (int round = 0; round < 40; round++) {
        const uint64_t inodes = 200;
        char text[MAX_TEXT];
        struct names *names;

        build_tree(inodes, 1000000, false);
        for (size_t i = 0, count = list_count; i < count; i++)
            if (list[i].flags & NAMES_FOLDER)
                note(list[i].inode, ROOT + random64() % inodes, NAMES_FOLDER,
                     random_text(text, (unsigned)list_count));
        names = make_names();
        assert_all_paths(names, inodes);
        names_free(names);
    }
}
END_TEST

/* ---- reused inodes ---- */

START_TEST(a_reused_parent_is_a_different_folder)
{
    for (int round = 0; round < 60; round++) {
        const uint64_t inodes = 150;
        struct names *names;

        build_tree(inodes, 1000000, true);
        for (uint64_t i = ROOT; i < inodes; i++)
            uses[i] = (struct use){2 + (uint32_t)(random64() % 65000), random64() % 2};
        for (size_t i = 0; i < list_count; i++) {
            struct name *name = &list[i];
            const uint32_t right = uses[name->parent].sequence;
            const uint64_t choice = random64() % 8;

            name->parent_sequence = choice == 0   ? right + 1
                                    : choice < 3  ? right - 1
                                    : choice == 3 ? 0
                                                  : right;
            if (name->parent == ROOT)
                name->parent_sequence = right;
        }
        names = make_names();
        assert_all_paths(names, inodes);
        names_free(names);
    }
}
END_TEST

static void assert_is(struct names *names, uint64_t inode, const char *path, bool lost)
{
    struct buffer paths = {0};
    bool is_lost;

    ck_assert_uint_eq(paths_of(names, inode, false, &paths, &is_lost), 1);
    ck_assert_str_eq(paths.data, path);
    ck_assert_uint_eq(paths.len, strlen(path) + 1);
    ck_assert_int_eq(is_lost, lost);
    buffer_release(&paths);
}

START_TEST(a_deleted_folder_counts_one_more_use)
{
    struct names *names = names_new();

    ck_assert_int_eq(names_add(names, 10, ROOT, 5, NAMES_FOLDER, "gone", 4), 0);
    ck_assert_int_eq(names_add(names, 11, ROOT, 5, NAMES_FOLDER | NAMES_ALLOCATED, "there", 5), 0);
    ck_assert_int_eq(names_set_sequence(names, 10, 8, false), 0);
    ck_assert_int_eq(names_set_sequence(names, 11, 8, true), 0);
    ck_assert_int_eq(names_set_sequence(names, ROOT, 5, true), 0);
    for (uint64_t sequence = 6; sequence <= 9; sequence++)
        for (uint64_t parent = 10; parent <= 11; parent++)
            ck_assert_int_eq(names_add(names, 100 * parent + sequence, parent, (uint32_t)sequence, 0, "x", 1),
                             0);
    names_finish(names, ROOT);
    assert_is(names, 1006, "$OrphanFiles/x", true);
    assert_is(names, 1007, "gone/x", false); /* before it was deleted */
    assert_is(names, 1008, "gone/x", false);
    assert_is(names, 1009, "$OrphanFiles/x", true);
    assert_is(names, 1106, "$OrphanFiles/x", true);
    assert_is(names, 1107, "$OrphanFiles/x", true);
    assert_is(names, 1108, "there/x", false);
    assert_is(names, 1109, "$OrphanFiles/x", true);
    names_free(names);
}
END_TEST

/* NTFS skips 0, which stands for none. */
START_TEST(uses_wrap_from_65535_to_1)
{
    struct names *names = names_new();

    ck_assert_int_eq(names_add(names, 10, ROOT, 0, NAMES_FOLDER, "gone", 4), 0);
    ck_assert_int_eq(names_add(names, 100, 10, 65535, 0, "x", 1), 0);
    ck_assert_int_eq(names_set_sequence(names, 10, 1, false), 0);
    names_finish(names, ROOT);
    assert_is(names, 100, "gone/x", false);
    names_free(names);
}
END_TEST

/* ---- impossible structures ---- */

static void assert_begins(const struct buffer *paths, const char *text)
{
    ck_assert_msg(paths->len > strlen(text) && memcmp(paths->data, text, strlen(text)) == 0, "%.60s",
                  paths->data);
}

START_TEST(a_cycle_of_folders_is_lost)
{
    for (uint64_t len = 1; len <= 100; len = len * 3 + 1) {
        struct names *names = names_new();
        struct buffer paths = {0};
        bool lost;

        for (uint64_t i = 0; i < len; i++)
            ck_assert_int_eq(
                names_add(names, 10 + i, 10 + (i + 1) % len, 0, NAMES_FOLDER | NAMES_ALLOCATED, "round", 5),
                0);
        ck_assert_int_eq(names_add(names, 9, 10, 0, NAMES_ALLOCATED, "file", 4), 0);
        names_finish(names, ROOT);
        for (uint64_t inode = 9; inode < 10 + len; inode++) {
            buffer_reset(&paths);
            ck_assert_uint_eq(paths_of(names, inode, true, &paths, &lost), 1);
            ck_assert(lost);
            assert_begins(&paths, "$OrphanFiles/");
        }
        buffer_release(&paths);
        names_free(names);
    }
}
END_TEST

START_TEST(a_cycle_of_folders_terminates)
{
    static const size_t lens[] = {0, 1, 255, 60000};
    static char text[60000];

    memset(text, 'r', sizeof text);
    for (size_t i = 0; i < sizeof lens / sizeof *lens; i++) {
        struct names *names = names_new();
        struct buffer paths = {0};
        bool lost;

        ck_assert_int_eq(names_add(names, 10, 11, 0, NAMES_FOLDER, text, lens[i]), 0);
        ck_assert_int_eq(names_add(names, 11, 10, 0, NAMES_FOLDER, text, lens[i]), 0);
        names_finish(names, ROOT);
        ck_assert_uint_eq(paths_of(names, 11, false, &paths, &lost), 1);
        ck_assert_uint_lt(paths.len, 300000);
        buffer_release(&paths);
        names_free(names);
    }
}
END_TEST

/* A chain of folders 100, 101 .. of which the first lies in top. */
static struct names *chain(uint64_t top)
{
    struct names *names = names_new();
    char text[MAX_TEXT];

    for (uint64_t i = DEEP; i-- > 0;) {
        snprintf(text, sizeof text, "%llu", (unsigned long long)i);
        if (names_add(names, 100 + i, i ? 99 + i : top, 0, NAMES_FOLDER | NAMES_ALLOCATED, text,
                      strlen(text)))
            ck_abort_msg("out of memory");
    }
    names_finish(names, ROOT);
    return names;
}

/* The whole path, from one name to another. */
static void put_chain(struct buffer *out, uint64_t last)
{
    buffer_reset(out);
    for (uint64_t i = 0; i <= last; i++)
        buffer_printf(out, "%s%llu", i ? "/" : "", (unsigned long long)i);
    buffer_add_char(out, '\0');
}

START_TEST(an_overlong_path_keeps_its_end)
{
    static const uint64_t lasts[] = {0, 1, 2, 500, 5000, 6000, 7000, 8000, 10000, 15000, 18000, DEEP - 1};
    struct names *names = chain(ROOT);
    struct buffer whole = {0}, paths = {0};
    bool lost;

    for (size_t i = 0; i < sizeof lasts / sizeof *lasts; i++) {
        put_chain(&whole, lasts[i]);
        buffer_reset(&paths);
        ck_assert_uint_eq(paths_of(names, 100 + lasts[i], true, &paths, &lost), 1);
        ck_assert(!lost);
        ck_assert_uint_le(paths.len, whole.len + 4);
        if (paths.data[0] == '.') { /* whole names only, and no less than a system would accept */
            assert_begins(&paths, ".../");
            ck_assert_uint_gt(paths.len, 4096);
            ck_assert_mem_eq(paths.data + 3, whole.data + whole.len - (paths.len - 3), paths.len - 3);
        } else {
            ck_assert_uint_eq(paths.len, whole.len);
            ck_assert_mem_eq(paths.data, whole.data, whole.len);
        }
    }
    ck_assert_int_eq(paths.data[0], '.');
    buffer_release(&whole);
    buffer_release(&paths);
    names_free(names);
}
END_TEST

START_TEST(a_deep_chain_that_leads_nowhere_is_lost)
{
    struct names *names = chain(7);
    struct buffer paths = {0};
    bool lost;

    for (uint64_t i = 1; i <= DEEP; i *= 5) {
        buffer_reset(&paths);
        ck_assert_uint_eq(paths_of(names, 99 + i, true, &paths, &lost), 1);
        ck_assert_msg(lost, "%llu deep", (unsigned long long)i);
        assert_begins(&paths, "$OrphanFiles/");
    }
    buffer_reset(&paths);
    ck_assert_uint_eq(paths_of(names, 99 + DEEP, true, &paths, &lost), 1);
    ck_assert_msg(lost, "%d deep", DEEP);
    buffer_release(&paths);
    names_free(names);
}
END_TEST

static struct buffer all_paths(struct names *names, uint64_t inodes)
{
    struct buffer all = {0};

    for (uint64_t i = 0; i < 2 * inodes; i++) {
        bool lost;
        size_t count = paths_of(names, i / 2, i % 2, &all, &lost);

        buffer_printf(&all, " %zu %d %d ", count, lost, names_know(names, i / 2, i % 2));
    }
    return all;
}

/* Cycles, folders with many names, names in many folders, each repeatedly: the result is always the same. */
static void assert_order_does_not_matter(unsigned flags_of_names)
{
    for (int round = 0; round < 40; round++) {
        const uint64_t inodes = round % 2 ? 30 : 6, folders = random64();
        struct buffer first = {0};

        clear_list();
        for (int i = 0; i < 60; i++) {
            const uint64_t inode = random64() % inodes;
            const unsigned flags =
                (folders >> inode & 1 ? NAMES_FOLDER : 0) | ((unsigned)random64() & flags_of_names);

            note(inode, random64() % inodes, flags, i % 2 ? "a" : "b")->parent_sequence =
                (uint32_t)(random64() % 2);
        }
        for (uint64_t i = 0; i < inodes; i++)
            uses[i] = (struct use){1, random64() % 2};
        for (int again = 0; again < 5; again++) {
            struct names *names = make_names();
            struct buffer all = all_paths(names, inodes);

            if (again == 0)
                buffer_add(&first, all.data, all.len);
            if (first.len != all.len || memcmp(first.data, all.data, all.len) != 0)
                ck_abort_msg("another order, other paths");
            buffer_release(&all);
            names_free(names);
        }
        buffer_release(&first);
    }
}

START_TEST(the_order_of_adding_does_not_matter)
{
    assert_order_does_not_matter(NAMES_ALLOCATED);
}
END_TEST

/* A name may occur as that of a file and of a folder, found in a folder and by the search for lost ones. */
START_TEST(the_order_of_adding_contradictory_names_does_not_matter)
{
    assert_order_does_not_matter(NAMES_ALLOCATED | NAMES_FOLDER | NAMES_TOP);
}
END_TEST

START_TEST(without_names_no_path_is_known)
{
    struct names *names = names_new();
    struct buffer paths = {0};
    bool lost = false;

    names_finish(names, ROOT);
    ck_assert_uint_eq(names_count(names), 0);
    ck_assert(!names_know(names, ROOT, false));
    ck_assert_uint_eq(paths_of(names, ROOT, false, &paths, &lost), 0);
    ck_assert_uint_eq(paths.len, 0);
    ck_assert(lost);
    names_free(names);
    names_free(NULL);
}
END_TEST

START_TEST(a_zero_byte_ends_a_name)
{
    struct names *names = names_new();

    ck_assert_int_eq(names_add(names, 10, ROOT, 0, 0, "ab\0cd", 5), 0);
    ck_assert_int_eq(names_add(names, 11, ROOT, 0, 0, "", 0), 0);
    names_finish(names, ROOT);
    assert_is(names, 10, "ab", false);
    assert_is(names, 11, "", false);
    names_free(names);
}
END_TEST

/* More text than fits into one piece of memory of any sensible size. */
START_TEST(long_names_of_many_files_are_kept)
{
    static char text[1500];
    struct names *names = names_new();
    struct buffer paths = {0};
    bool lost;

    for (uint64_t i = 0; i < 5000; i++) {
        memset(text, (int)('a' + i % 26), sizeof text);
        memcpy(text, &i, sizeof i); /* no zeros: */
        for (size_t k = 0; k < sizeof i; k++)
            text[k] |= (char)0x80;
        if (names_add(names, i * 977 % 5000 + 100, ROOT, 0, 0, text, 8 + i % (sizeof text - 8)))
            ck_abort_msg("out of memory");
    }
    names_finish(names, ROOT);
    for (uint64_t i = 0; i < 5000; i++) {
        buffer_reset(&paths);
        if (paths_of(names, i * 977 % 5000 + 100, false, &paths, &lost) != 1 || lost ||
            paths.len != 9 + i % (sizeof text - 8))
            ck_abort_msg("name %llu is not there", (unsigned long long)i);
        for (size_t k = 0; k < paths.len - 1; k++)
            if (paths.data[k] != (k < 8 ? (char)((i >> 8 * k) | 0x80) : (char)('a' + i % 26)))
                ck_abort_msg("name %llu is another one", (unsigned long long)i);
    }
    buffer_release(&paths);
    names_free(names);
}
END_TEST

RUN_TESTS("names", paths_match_a_naive_search, a_renamed_folder_has_its_current_name,
          a_reused_parent_is_a_different_folder, a_deleted_folder_counts_one_more_use,
          uses_wrap_from_65535_to_1, a_cycle_of_folders_is_lost, a_cycle_of_folders_terminates,
          an_overlong_path_keeps_its_end, a_deep_chain_that_leads_nowhere_is_lost,
          the_order_of_adding_does_not_matter, the_order_of_adding_contradictory_names_does_not_matter,
          without_names_no_path_is_known, a_zero_byte_ends_a_name, long_names_of_many_files_are_kept)
