/* SPDX-License-Identifier: Apache-2.0 */
#include "check_main.h"
#include "container/archive.h"
#include "containers.h"

/* Archives of stored members, written here by the description of the headers; what other programs pack is in
 * test_archive. */

static struct buffer file;

static void put(uint64_t number, int bytes)
{
    for (; bytes > 0; bytes--, number >>= 8)
        buffer_add_char(&file, (char)number);
}

/* The polynomial x^16 + x^15 + x^2 + 1, bits in reverse. */
static unsigned crc_of(const char *data)
{
    unsigned crc = 0;

    for (; *data; data++) {
        crc ^= (uint8_t)*data;
        for (int i = 0; i < 8; i++)
            crc = crc & 1 ? crc >> 1 ^ 0xa001 : crc >> 1;
    }
    return crc;
}

static void put_extension(int type, const char *text, int width)
{
    put(1 + strlen(text) + (size_t)width, width);
    put((uint64_t)type, 1);
    buffer_add_text(&file, text);
}

static void put_extensions(const char *folder, const char *name, int width)
{
    if (folder)
        put_extension(2, folder, width);
    put_extension(1, name, width);
    put(0, width);
}

/* Sets the length, and in kinds 0 and 1 the sum, of the header that begins at `start`. */
static void end_header(size_t start, unsigned kind, size_t base)
{
    uint8_t *header = (uint8_t *)file.data + start;
    const size_t len = file.len - start;

    if (kind < 2) {
        header[0] = (uint8_t)(base - 2);
        header[1] = 0;
        for (size_t i = 2; i < base; i++)
            header[1] = (uint8_t)(header[1] + header[i]);
    } else if (kind == 2) {
        header[0] = (uint8_t)len;
        header[1] = (uint8_t)(len >> 8);
    } else {
        header[0] = 4;
        header[24] = (uint8_t)len;
    }
}

static void add(unsigned kind, const char *folder, const char *name, const char *data)
{
    const size_t start = file.len, len = strlen(data);
    const size_t more = kind == 1 ? 3 + strlen(name) + (folder ? 3 + strlen(folder) : 0) : 0;
    size_t base = 0;

    put(0, 2);
    buffer_add_text(&file, "-lh0-");
    put(len + more, 4);
    put(len, 4);
    put(kind < 2 ? 0x58a16000 : 1714564800, 4); /* 2024-05-01 12:00 */
    put(' ', 1);
    put(kind, 1);
    if (kind < 2)
        put(kind ? 0 : strlen(name), 1);
    if (kind == 0)
        buffer_add_text(&file, name);
    put(crc_of(data), 2);
    if (kind > 0)
        put('U', 1);
    if (kind == 3)
        put(0, 4);
    base = file.len - start + (kind == 1 ? 2 : 0);
    if (kind > 0)
        put_extensions(folder, name, kind == 3 ? 4 : 2);
    end_header(start, kind, base);
    buffer_add_text(&file, data);
}

static struct containers_list open_file(size_t len)
{
    ck_assert(!file.failed);
    return containers_open(&archive_format_lha, file.data, len, false, NULL);
}

static void check(const struct containers_list *list, size_t i, const char *name, const char *data)
{
    const struct containers_member *member = &list->members[i];

    ck_assert_uint_gt(list->count, i);
    ck_assert_msg(member->name.len == strlen(name) && memcmp(member->name.data, name, strlen(name)) == 0,
                  "%.*s instead of %s", (int)member->name.len, member->name.data, name);
    ck_assert_str_eq(member->problem, "");
    ck_assert_str_eq(member->failure, "");
    ck_assert_uint_eq(member->data.len, strlen(data));
    ck_assert_mem_eq(member->data.data, data, strlen(data));
}

/* In Shift JIS, half of a character may be a backslash. */
START_TEST(keeps_names_as_they_are_stored)
{
    struct containers_list list;

    buffer_reset(&file);
    add(0, NULL, "folder\\name", "one");
    add(0, NULL, "\x83\x5c\x83\x7e", "two");
    add(1,
        "a\xff"
        "b\xff",
        "\x83\x5c", "three");
    add(2, "a", "name", "four");
    add(3, NULL, "za\xbf", "five");
    put(0, 1);
    buffer_add_text(&file, "whatever follows");
    list = open_file(file.len);
    ck_assert(list.matches);
    ck_assert_uint_eq(list.count, 5);
    ck_assert_str_eq(list.failure, "");
    check(&list, 0, "folder/name", "one");
    check(&list, 1, "\x83\x5c\x83\x7e", "two");
    check(&list, 2, "a/b/\x83\x5c", "three");
    check(&list, 3, "a/name", "four");
    check(&list, 4, "za\xbf", "five");
    ck_assert_mem_eq(file.data + list.members[2].place, "three", 5);
    containers_release(&list);
}
END_TEST

START_TEST(goes_on_after_damage)
{
    for (unsigned kind = 0; kind < 4; kind++) {
        struct containers_list list;
        size_t second;

        buffer_reset(&file);
        add(kind, NULL, "one", "the first member");
        second = file.len;
        add(kind, NULL, "two", "the second member");
        add(kind, NULL, "three", "the third member");
        put(0, 1);
        file.data[second + 3] ^= 1;
        list = open_file(file.len);
        ck_assert_uint_eq(list.count, 2);
        ck_assert_str_eq(list.failure, "is damaged");
        check(&list, 0, "one", "the first member");
        check(&list, 1, "three", "the third member");
        containers_release(&list);
    }
}
END_TEST

/* In free space, what comes after an archive belongs to something else. */
START_TEST(ends_where_the_archive_ends)
{
    for (unsigned kind = 0; kind < 4; kind++) {
        struct containers_list list;
        size_t end;

        buffer_reset(&file);
        add(kind, NULL, "one", "the first member");
        add(kind, NULL, "two", "the second member");
        end = file.len;
        put(0, 512);
        add(kind, NULL, "other", "of another archive");
        for (int i = 0; i < 2; i++, file.data[end] = 'x') { /* with a zero at its end, and without */
            list = containers_open(&archive_format_lha, file.data, file.len, true, NULL);
            ck_assert(list.matches);
            ck_assert_uint_eq(list.count, 2);
            check(&list, 1, "two", "the second member");
            ck_assert_uint_eq(list.end, end);
            containers_release(&list);
        }
    }
}
END_TEST

START_TEST(yields_what_a_cut_leaves)
{
    for (unsigned kind = 0; kind < 4; kind++) {
        size_t ends[2];

        buffer_reset(&file);
        add(kind, NULL, "one", "the first member");
        ends[0] = file.len;
        add(kind, NULL, "two", "the second member");
        ends[1] = file.len;
        for (size_t len = ends[0] + 1; len < ends[1]; len++) {
            struct containers_list list = open_file(len);

            check(&list, 0, "one", "the first member");
            ck_assert_msg(list.failure[0] != 0, "kind %u, %zu bytes", kind, len);
            if (len >= ends[1] - 17) {
                ck_assert_str_eq(list.failure, "is cut off");
                ck_assert_str_ne(list.members[1].failure, "");
                if (list.members[1].data.len > 0)
                    ck_assert_mem_eq(list.members[1].data.data, "the second member",
                                     list.members[1].data.len);
            }
            containers_release(&list);
        }
    }
}
END_TEST

START_TEST(reports_what_it_cannot_unpack)
{
    struct containers_list list;

    buffer_reset(&file);
    add(2, NULL, "old", "by a method of 1988");
    add(2, NULL, "folder", "");
    add(2, NULL, "wrong", "the bytes are not those");
    put(0, 1);
    memcpy((char *)memmem(file.data, file.len, "-lh0-", 5), "-lh1-", 5);
    memcpy((char *)memmem(file.data, file.len, "-lh0-", 5), "-lhd-", 5);
    *(char *)memmem(file.data, file.len, "those", 5) ^= 1;
    list = open_file(file.len);
    ck_assert_uint_eq(list.count, 2);
    ck_assert_str_eq(list.members[0].problem, "it is packed by a method that is not supported: lh1");
    ck_assert_str_ne(list.members[1].failure, "");
    ck_assert_str_eq(list.failure, "");
    containers_release(&list);
}
END_TEST

/* What looks like a header at every 23rd byte, with extensions that do not end. */
START_TEST(survives_headers_without_an_end)
{
    struct containers_list list;

    buffer_reset(&file);
    add(2, NULL, "one", "the first member");
    for (size_t i = 0; i < 100000; i++)
        buffer_add(&file, "\x40\x3f-lh5-\x03\0\x03\x03\0\x03\x03\0\x03\x03\0\x03\x03\x02\x03\0", 23);
    list = open_file(file.len);
    check(&list, 0, "one", "the first member");
    ck_assert_str_eq(list.failure, "is damaged");
    containers_release(&list);
}
END_TEST

RUN_TESTS("archive_lha", keeps_names_as_they_are_stored, goes_on_after_damage, ends_where_the_archive_ends,
          yields_what_a_cut_leaves, reports_what_it_cannot_unpack, survives_headers_without_an_end)
