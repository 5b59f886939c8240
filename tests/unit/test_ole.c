/* SPDX-License-Identifier: Apache-2.0 */
#include "check_main.h"
#include "compound.h"
#include "container/ole.h"
#include "containers.h"

static uint8_t *letter;
static size_t letter_len;

static void load_letter(void)
{
    char path[4096];
    const char *folder = getenv("SRCDIR");

    snprintf(path, sizeof path, "%s/tests/data/containers/letter.doc", folder ? folder : ".");
    letter = containers_load(path, &letter_len);
}

/* As olefile 0.46 reads it. */
static const struct {
    const char *name, *sha1;
} streams[] = {
    {"\1CompObj", "6b77c883318dfd0ad6183f0861ca0d239a410351"},
    {"\1Ole", "d3d1cde9eb43ed4b77d197af879f5ca8b8837577"},
    {"1Table", "e315c425d57f2100df9b353abf43148a18e06e07"},
    {"Data", "6662fc62faa7b552cc839c8a67ca5ed48d64a266"},
    {"\5SummaryInformation", "aa87f2954851b87022d3dbc76ab817ab87437554"},
    {"WordDocument", "50a5dd1a494f7281f1289da5f8852c90422220c2"},
    {"\5DocumentSummaryInformation", "3662aa81d1a5b942b8d9efc565fa7d287e64d302"},
};

enum { STREAMS = sizeof streams / sizeof *streams };

static void check_streams(struct containers_list *list)
{
    ck_assert_str_eq(list->failure, "");
    ck_assert_uint_eq(list->count, STREAMS);
    containers_digests(list);
    for (size_t i = 0; i < STREAMS; i++) {
        const struct containers_member *member = containers_find(list, streams[i].name);

        ck_assert_ptr_nonnull(member);
        ck_assert_str_eq(member->sha1, streams[i].sha1);
        ck_assert_str_eq(member->failure, "");
        ck_assert_uint_eq(member->size, member->data.len);
    }
}

START_TEST(streams_of_a_letter)
{
    for (size_t piece = 1; piece < 20000; piece = piece * 5 + 2) {
        struct containers_list list = containers_open(&ole_format, letter, letter_len, false,
                                                      &(struct containers_limits){.piece = piece});

        ck_assert(list.matches);
        ck_assert_uint_eq(list.end, letter_len);
        check_streams(&list);
        containers_release(&list);
    }
}
END_TEST

/* In free space other content follows. */
START_TEST(carved_from_other_content)
{
    uint8_t *more = random_block(letter_len + 70000);
    struct containers_list list;

    memcpy(more, letter, letter_len);
    list = containers_open(&ole_format, more, letter_len + 70000, true, NULL);
    ck_assert_uint_eq(list.end, letter_len);
    check_streams(&list);
    containers_release(&list);
    free(more);
}
END_TEST

/* Each member is as far as it goes the same, and fails if it is shorter. */
START_TEST(cut_off_anywhere)
{
    struct containers_list whole = containers_open(&ole_format, letter, letter_len, false, NULL);

    for (size_t len = 0; len < letter_len; len += 64) {
        struct containers_list list = containers_open(&ole_format, letter, len, false, NULL);

        for (size_t i = 0; i < list.count; i++) {
            const struct buffer *data = &list.members[i].data, *all = &whole.members[i].data;

            ck_assert_uint_le(data->len, all->len);
            if (data->len)
                ck_assert_mem_eq(data->data, all->data, data->len);
            ck_assert_int_eq(data->len < all->len, list.members[i].failure[0] != '\0');
        }
        if (list.count < whole.count)
            ck_assert_str_ne(list.failure, "");
        containers_release(&list);
    }
    containers_release(&whole);
}
END_TEST

static struct containers_list open_buffer(const struct buffer *file)
{
    return containers_open(&ole_format, file->data, file->len, false, NULL);
}

/* Random bytes in three streams. */
static uint8_t *contents[3];
enum { CONTENT = 5000 };

static void make_file(struct buffer *file)
{
    static const char *const names[] = {"one", "two", "three"};

    compound_begin(file);
    for (size_t i = 0; i < 3; i++) {
        contents[i] = random_block(CONTENT);
        compound_add(file, names[i], contents[i], CONTENT);
    }
}

static void free_file(struct buffer *file)
{
    for (size_t i = 0; i < 3; i++)
        free(contents[i]);
    buffer_release(file);
}

static void check_content(const struct containers_member *member, size_t i)
{
    ck_assert_uint_eq(member->data.len, CONTENT);
    ck_assert_mem_eq(member->data.data, contents[i], CONTENT);
    ck_assert_str_eq(member->failure, "");
}

static size_t entry_at(size_t index)
{
    return COMPOUND_DIRECTORY + index * COMPOUND_ENTRY;
}

/* The entries that are no longer linked follow the others. */
START_TEST(deleted_streams_are_found)
{
    struct containers_list list;
    struct buffer file = {0};

    make_file(&file);
    compound_number(&file, entry_at(0) + 76, 2, 4);
    list = open_buffer(&file);
    ck_assert_uint_eq(list.count, 3);
    check_content(&list.members[0], 1);
    check_content(&list.members[1], 2);
    check_content(&list.members[2], 0);
    ck_assert_mem_eq(list.members[2].name.data, "one", 3);
    containers_release(&list);
    free_file(&file);
}
END_TEST

START_TEST(loops_in_the_tree_end)
{
    struct containers_list list;
    struct buffer file = {0};

    make_file(&file);
    compound_number(&file, entry_at(2) + 68, 1, 4);
    compound_number(&file, entry_at(3) + 68, 3, 4);
    compound_number(&file, entry_at(3) + 72, 0, 4);
    list = open_buffer(&file);
    ck_assert_uint_eq(list.count, 3);
    for (size_t i = 0; i < 3; i++)
        check_content(&list.members[i], i);
    containers_release(&list);
    free_file(&file);
}
END_TEST

START_TEST(loops_of_sectors_end)
{
    struct containers_list list;
    struct buffer file = {0};
    const uint32_t first = COMPOUND_STREAMS / COMPOUND_SECTOR - 1;

    make_file(&file);
    compound_number(&file, COMPOUND_FAT + 4 * (first + 3), first + 1, 4);
    list = open_buffer(&file);
    ck_assert_uint_eq(list.count, 3);
    ck_assert_str_eq(list.members[0].failure, "has a chain of sectors that is a loop");
    ck_assert_uint_ge(list.members[0].data.len, 4 * COMPOUND_SECTOR);
    ck_assert_mem_eq(list.members[0].data.data, contents[0], 4 * COMPOUND_SECTOR);
    check_content(&list.members[1], 1);
    check_content(&list.members[2], 2);
    containers_release(&list);
    free_file(&file);
}
END_TEST

START_TEST(sizes_that_are_false)
{
    struct containers_list list;
    struct buffer file = {0};

    make_file(&file);
    compound_number(&file, entry_at(1) + 120, 0xffffffff, 4);
    compound_number(&file, entry_at(2) + 120, 100, 4);
    compound_number(&file, entry_at(3) + 116, 0x1000000, 4);
    list = open_buffer(&file);
    ck_assert_uint_eq(list.count, 3);
    ck_assert_str_eq(list.members[0].failure, "is shorter than its directory states");
    ck_assert_uint_eq(list.members[0].data.len, 10 * COMPOUND_SECTOR);
    ck_assert_mem_eq(list.members[0].data.data, contents[0], CONTENT);
    ck_assert_uint_eq(list.members[1].data.len, 100);
    ck_assert_str_eq(list.members[2].failure, "is cut off");
    ck_assert_uint_eq(list.members[2].data.len, 0);
    containers_release(&list);
    free_file(&file);
}
END_TEST

START_TEST(folders_are_part_of_the_name)
{
    struct containers_list list;
    struct buffer file = {0};

    make_file(&file);
    compound_number(&file, entry_at(1) + 66, 1, 1); /* "one" becomes a folder with the others in it */
    compound_number(&file, entry_at(1) + 72, UINT32_MAX, 4);
    compound_number(&file, entry_at(1) + 76, 2, 4);
    list = open_buffer(&file);
    ck_assert_uint_eq(list.count, 2);
    check_content(containers_find(&list, "one/two"), 1);
    check_content(containers_find(&list, "one/three"), 2);
    containers_release(&list);
    free_file(&file);
}
END_TEST

START_TEST(embedded_files_are_unwrapped)
{
    static const char head[] =
        "\x37\0\0\0\2\0offer.txt\0C:\\offer.txt\0\0\0\3\0\x0b\0\0\0C:\\tmp\\offe\x07\0\0\0content";
    struct containers_list list;
    struct buffer file = {0};

    compound_begin(&file);
    compound_add(&file, "\1Ole10Native", head, sizeof head - 1);
    compound_add(&file, "after", "1", 1);
    list = open_buffer(&file);
    ck_assert_uint_eq(list.count, 3);
    ck_assert_uint_eq(list.members[0].data.len, sizeof head - 1);
    ck_assert_uint_eq(list.members[1].name.len, strlen("\1Ole10Native/offer.txt"));
    ck_assert_mem_eq(list.members[1].name.data, "\1Ole10Native/offer.txt", list.members[1].name.len);
    ck_assert_uint_eq(list.members[1].data.len, 7);
    ck_assert_mem_eq(list.members[1].data.data, "content", 7);
    ck_assert_uint_eq(list.members[2].data.len, 1);
    containers_release(&list);
    buffer_release(&file);
}
END_TEST

START_TEST(encrypted_documents_are_reported)
{
    struct containers_list list;
    struct buffer file = {0};

    compound_begin(&file);
    compound_add(&file, "EncryptionInfo", "x", 1);
    compound_add(&file, "EncryptedPackage", "x", 1);
    list = open_buffer(&file);
    ck_assert_str_eq(list.members[0].problem, "");
    ck_assert_str_eq(list.members[1].problem, "it is encrypted");
    containers_release(&list);
    buffer_release(&file);
}
END_TEST

START_TEST(without_a_directory)
{
    struct buffer file = {0};
    struct containers_list list;

    compound_begin(&file);
    compound_number(&file, 48, 0xfffffffe, 4);
    list = open_buffer(&file);
    ck_assert(!list.opened);
    ck_assert_str_eq(list.failure, "is cut off before its directory");
    containers_release(&list);
    compound_number(&file, 30, 31, 2);
    list = open_buffer(&file);
    ck_assert_str_eq(list.failure, "has sectors of an unknown size");
    containers_release(&list);
    buffer_release(&file);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {streams_of_a_letter,
                                  carved_from_other_content,
                                  cut_off_anywhere,
                                  deleted_streams_are_found,
                                  loops_in_the_tree_end,
                                  loops_of_sectors_end,
                                  sizes_that_are_false,
                                  folders_are_part_of_the_name,
                                  embedded_files_are_unwrapped,
                                  encrypted_documents_are_reported,
                                  without_a_directory};
    int result;

    load_letter();
    result = run_tests("ole", tests, sizeof tests / sizeof *tests);
    free(letter);
    return result;
}
