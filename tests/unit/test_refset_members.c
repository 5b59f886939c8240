/* SPDX-License-Identifier: Apache-2.0 */
#include "refset_twin.h"
#include "set/refset_copy.h"

/* Which files are packed in which others. */

/* The digests of content `number`: by SHA-1 or by MD5 alone, or both. */
static struct digest_values digests_of(int number, unsigned kinds)
{
    struct digest_values digests = {.kinds = kinds};

    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        memset(digests.bytes[kind], number + 100 * kind, DIGEST_MAX_LEN);
    return digests;
}

enum { SHA1 = DIGEST_BIT(DIGEST_SHA1), MD5 = DIGEST_BIT(DIGEST_MD5) };

static void add(struct refset_writer *writer, int number, unsigned kinds)
{
    struct known known = {.digests = digests_of(number, kinds), .has_size = true, .size = (uint64_t)number};

    known_add_name(&known, "a name", 6);
    ck_assert_int_le(refset_writer_add(writer, &known, &err), REFSET_THERE);
    known_release(&known);
}

static void link_by(struct refset_writer *writer, int parent, int member, unsigned kinds)
{
    const struct digest_values digests[] = {digests_of(parent, kinds), digests_of(member, kinds)};

    ck_assert_msg(refset_writer_link(writer, &digests[0], &digests[1], &err) == 0, "%s", err.text);
}

/* Files 1 to 9; 2, 3 and 9 are packed in 1, and 3 and 4 in 2. */
static struct refset_writer *fill(struct refset *set)
{
    struct refset_writer *writer = write_to(set, true);

    for (int i = 1; i <= 9; i++)
        add(writer, i, SHA1);
    link_by(writer, 1, 2, SHA1);
    link_by(writer, 1, 3, SHA1);
    commit(writer);
    link_by(writer, 1, 9, SHA1);
    link_by(writer, 2, 3, SHA1);
    link_by(writer, 2, 4, SHA1);
    return writer;
}

static void assert_ids(const uint64_t *ids, size_t count, const char *wanted)
{
    struct buffer text = {0};

    for (size_t i = 0; i < count; i++)
        buffer_printf(&text, "%s%d", i ? " " : "", (int)ids[i]);
    buffer_add_char(&text, '\0');
    ck_assert_str_eq(text.data, wanted);
    buffer_release(&text);
}

static void assert_members(struct refset_search *search, uint64_t file, const char *members,
                           const char *parents)
{
    uint64_t ids[16];
    size_t count;

    ck_assert_int_eq(refset_search_members(search, file, 0, ids, 16, &count, &err), 0);
    assert_ids(ids, count, members);
    ck_assert_int_eq(refset_search_parents(search, file, 0, ids, 16, &count, &err), 0);
    assert_ids(ids, count, parents);
}

START_TEST(members_and_parents_are_found)
{
    struct refset *set;
    struct refset_search *search;
    struct refset_writer *writer;
    uint64_t ids[2], members;
    size_t count;

    begin_test();
    set = create_at(path, 256);
    writer = fill(set);
    commit(writer);
    refset_writer_free(writer);
    set = reopen(set, REFSET_READ);
    search = refset_search_new(set, 0, &err);
    ck_assert_ptr_nonnull(search);
    assert_members(search, 1, "2 3 9", "");
    assert_members(search, 2, "3 4", "1");
    assert_members(search, 3, "", "1 2");
    assert_members(search, 99, "", "");
    ck_assert_int_eq(refset_search_members(search, 1, 0, ids, 2, &count, &err), 0);
    assert_ids(ids, count, "2 3");
    ck_assert_int_eq(refset_search_members(search, 1, 3, ids, 2, &count, &err), 0);
    assert_ids(ids, count, "9");
    ck_assert_int_eq(refset_count_members(set, &members, &err), 0);
    ck_assert_uint_eq(members, 5);
    refset_search_free(search);
    close_set(set);
    assert_good();
    end_test();
}
END_TEST

START_TEST(noting_a_member_again_or_of_an_unknown_file_or_in_itself_changes_nothing)
{
    struct refset *set;
    struct refset_writer *writer;
    uint64_t generation;

    begin_test();
    set = create_at(path, 256);
    writer = fill(set);
    commit(writer);
    generation = refset_info(set)->generation;
    link_by(writer, 1, 2, SHA1);
    link_by(writer, 1, 77, SHA1);
    link_by(writer, 77, 1, SHA1);
    link_by(writer, 5, 5, SHA1);
    commit(writer);
    ck_assert_uint_eq(refset_info(set)->generation, generation);
    refset_writer_free(writer);
    close_set(set);
    ck_assert_int_eq(ask("SELECT count(*) FROM member"), 5);
    end_test();
}
END_TEST

/* The same content twice, by SHA-1 and by MD5, until an entry with both shows that it is one. */
START_TEST(files_that_are_joined_keep_their_members_and_parents)
{
    struct refset *set;
    struct refset_writer *writer;

    begin_test();
    set = create_at(path, 256);
    writer = fill(set);
    for (int i = 1; i <= 6; i++)
        add(writer, i, MD5);
    link_by(writer, 2, 3, MD5);
    link_by(writer, 2, 5, MD5);
    link_by(writer, 6, 2, MD5);
    commit(writer);
    for (int i = 1; i <= 6; i++)
        add(writer, i, SHA1 | MD5);
    commit(writer);
    refset_writer_free(writer);
    close_set(set);
    assert_good();
    ck_assert_int_eq(ask("SELECT count(*) FROM file"), 9);
    ck_assert_int_eq(ask("SELECT count(*) FROM member"), 7);
    ck_assert_int_eq(ask("SELECT sum(p.size * 10 + f.size) FROM member m JOIN file p ON p.id = m.parent"
                         " JOIN file f ON f.id = m.file"),
                     12 + 13 + 19 + 23 + 24 + 25 + 62);
    end_test();
}
END_TEST

static int keep_most(void *arg, const struct known *known, struct error *error)
{
    (void)arg;
    (void)error;
    return known->size != 9;
}

START_TEST(a_copy_has_the_members_whose_container_it_has)
{
    struct refset_copy copy = {.keep = keep_most, .tell = ignore};
    struct refset *set, *to;
    struct refset_writer *writer;

    begin_test();
    set = create_at(beside("b.kset"), 256);
    writer = fill(set);
    commit(writer);
    refset_writer_free(writer);
    to = create_at(path, 256);
    writer = write_to(to, true);
    add(writer, 4, SHA1);
    add(writer, 2, SHA1);
    ck_assert_int_eq(refset_copy(&copy, set, writer, &err), 0);
    commit(writer);
    refset_writer_free(writer);
    close_set(to);
    close_set(set);
    assert_good();
    ck_assert_int_eq(ask("SELECT sum(p.size * 10 + f.size) FROM member m JOIN file p ON p.id = m.parent"
                         " JOIN file f ON f.id = m.file"),
                     12 + 13 + 23 + 24);
    end_test();
}
END_TEST

START_TEST(a_set_of_the_first_schema_is_read_as_it_is_and_upgraded_by_a_writer)
{
    struct refset *set;
    struct refset_search *search;
    struct refset_writer *writer;
    uint64_t members;

    begin_test();
    set = create_at(path, 256);
    writer = fill(set);
    commit(writer);
    refset_writer_free(writer);
    close_set(set);
    spoil("DROP TABLE key; DROP TABLE member; PRAGMA user_version = 1");
    assert_good();
    set = open_as(REFSET_READ);
    ck_assert_uint_eq(refset_info(set)->counts.files, 9);
    search = refset_search_new(set, REFSET_SEARCH_DIGESTS, &err);
    assert_members(search, 1, "", "");
    ck_assert_int_eq(refset_count_members(set, &members, &err), 0);
    ck_assert_uint_eq(members, 0);
    refset_search_free(search);
    set = reopen(set, REFSET_WRITE);
    writer = write_to(set, true);
    link_by(writer, 8, 7, SHA1);
    commit(writer);
    refset_writer_free(writer);
    close_set(set);
    assert_good();
    ck_assert_int_eq(ask("SELECT parent * 10 + file FROM member"), 87);
    end_test();
}
END_TEST

START_TEST(dangling_members_are_found_by_verifying)
{
    static const char *const faults[] = {
        "UPDATE member SET parent = 50 WHERE file = 4",
        "UPDATE member SET file = 50 WHERE file = 50 OR file = 3 AND parent = 1",
        "INSERT INTO member VALUES (7, 7)",
    };
    struct refset *set;
    struct refset_writer *writer;

    begin_test();
    set = create_at(path, 256);
    writer = fill(set);
    commit(writer);
    refset_writer_free(writer);
    close_set(set);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        spoil(faults[i]);
        ck_assert_int_gt(count_faults(), 0);
        spoil("DELETE FROM member WHERE file = parent OR file = 50 OR parent = 50");
        assert_good();
    }
    end_test();
}
END_TEST

RUN_TESTS("refset_members", members_and_parents_are_found,
          noting_a_member_again_or_of_an_unknown_file_or_in_itself_changes_nothing,
          files_that_are_joined_keep_their_members_and_parents, a_copy_has_the_members_whose_container_it_has,
          a_set_of_the_first_schema_is_read_as_it_is_and_upgraded_by_a_writer,
          dangling_members_are_found_by_verifying)
