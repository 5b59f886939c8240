/* SPDX-License-Identifier: Apache-2.0 */
#include <zlib.h>

#include "base/buffer.h"
#include "check_main.h"
#include "container/archive.h"
#include "containers.h"

/* Archives are written here, as the format's description has it, with whatever fault a test is about. */

enum { MOST_MEMBERS = 8 };

struct written {
    const char *name;
    const void *data;
    size_t len;
    bool is_deflated, sizes_follow, unsigned_descriptor, is_zip64;
    uint16_t flags;
    /* what the directory has instead, if not NULL or 0 */
    const char *central_name;
    uint32_t central_crc, central_size, central_packed;
    uint16_t central_method;
    bool is_hidden; /* it is not in the directory */
    /* set by the writer */
    uint64_t at, packed, size;
    uint32_t crc;
};

static void put16(struct buffer *out, uint64_t value)
{
    buffer_add(out, (uint8_t[]){(uint8_t)value, (uint8_t)(value >> 8)}, 2);
}

static void put32(struct buffer *out, uint64_t value)
{
    put16(out, value & 0xffff);
    put16(out, value >> 16 & 0xffff);
}

static void put64(struct buffer *out, uint64_t value)
{
    put32(out, value & UINT32_MAX);
    put32(out, value >> 32);
}

static void put_deflated(struct buffer *out, const void *data, size_t len)
{
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)len};
    uint8_t *into;

    ck_assert_int_eq(deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.avail_out = (uInt)deflateBound(&stream, len);
    stream.next_out = into = malloc(stream.avail_out);
    ck_assert_int_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
    buffer_add(out, into, stream.total_out);
    deflateEnd(&stream);
    free(into);
}

static void put_descriptor(struct buffer *zip, const struct written *member)
{
    if (!member->unsigned_descriptor)
        buffer_add(zip, "PK\7\10", 4);
    put32(zip, member->crc);
    put32(zip, member->packed);
    put32(zip, member->size);
}

static void put_local(struct buffer *zip, struct written *member)
{
    struct buffer data = {0};
    const bool follow = member->sizes_follow;

    member->at = zip->len;
    member->size = member->len;
    member->crc = (uint32_t)crc32(0, member->data, (uInt)member->len);
    if (member->is_deflated)
        put_deflated(&data, member->data, member->len);
    else
        buffer_add(&data, member->data, member->len);
    member->packed = data.len;
    buffer_add(zip, "PK\3\4\24\0", 6);
    put16(zip, member->flags | (follow ? 8u : 0));
    put16(zip, member->is_deflated ? 8 : 0);
    put32(zip, 0x58a16000); /* 2024-05-01 12:00:00 */
    put32(zip, follow ? 0 : member->crc);
    put32(zip, member->is_zip64 ? UINT32_MAX : follow ? 0 : member->packed);
    put32(zip, member->is_zip64 ? UINT32_MAX : follow ? 0 : member->size);
    put16(zip, strlen(member->name));
    put16(zip, member->is_zip64 ? 20 : 0);
    buffer_add_text(zip, member->name);
    if (member->is_zip64) {
        put16(zip, 1);
        put16(zip, 16);
        put64(zip, member->size);
        put64(zip, member->packed);
    }
    if (data.len > 0)
        buffer_add(zip, data.data, data.len);
    if (follow)
        put_descriptor(zip, member);
    buffer_release(&data);
}

static void put_central(struct buffer *zip, const struct written *member, uint64_t base)
{
    const char *name = member->central_name ? member->central_name : member->name;

    buffer_add(zip, "PK\1\2\24\3\24\0", 8);
    put16(zip, member->flags | (member->sizes_follow ? 8u : 0));
    put16(zip, member->central_method ? member->central_method : member->is_deflated ? 8 : 0);
    put32(zip, 0x58a16000);
    put32(zip, member->central_crc ? member->central_crc : member->crc);
    put32(zip, member->central_packed ? member->central_packed : member->packed);
    put32(zip, member->central_size ? member->central_size : member->size);
    put16(zip, strlen(name));
    put32(zip, 0);
    put32(zip, 0);
    put16(zip, 0);
    put16(zip, 0100644);
    put32(zip, member->at - base);
    buffer_add_text(zip, name);
}

static void put_end(struct buffer *zip, size_t count, uint64_t len, uint64_t offset, const char *comment)
{
    buffer_add(zip, "PK\5\6\0\0\0\0", 8);
    put16(zip, count & 0xffff);
    put16(zip, count & 0xffff);
    put32(zip, len);
    put32(zip, offset);
    put16(zip, strlen(comment));
    buffer_add_text(zip, comment);
}

/* Appends an archive, whose offsets begin at its start. */
static void put_zip(struct buffer *zip, struct written *members, size_t count)
{
    const uint64_t base = zip->len;
    uint64_t directory;
    size_t listed = 0;

    for (size_t i = 0; i < count; i++)
        put_local(zip, &members[i]);
    directory = zip->len;
    for (size_t i = 0; i < count; i++)
        if (!members[i].is_hidden) {
            put_central(zip, &members[i], base);
            listed++;
        }
    put_end(zip, listed, zip->len - directory, directory - base, "comment");
}

static struct containers_list list_zip(const struct buffer *zip)
{
    uint8_t *copy = malloc(zip->len);
    struct containers_list list;

    memcpy(copy, zip->data, zip->len);
    list = containers_open(&archive_format_zip, copy, zip->len, false, NULL);
    free(copy);
    return list;
}

/* Opens it, and frees the archive. */
static struct containers_list list_members(struct written *members, size_t count)
{
    struct buffer zip = {0};
    struct containers_list list;

    put_zip(&zip, members, count);
    list = list_zip(&zip);
    buffer_release(&zip);
    return list;
}

static void has(const struct containers_list *list, size_t at, const char *name, const void *data, size_t len)
{
    const struct containers_member *member = &list->members[at];

    ck_assert_uint_lt(at, list->count);
    ck_assert_uint_eq(member->name.len, strlen(name));
    ck_assert_mem_eq(member->name.data, name, strlen(name));
    ck_assert_str_eq(member->problem, "");
    ck_assert_uint_eq(member->data.len, len);
    if (len)
        ck_assert_mem_eq(member->data.data, data, len);
}

static void has_whole(const struct containers_list *list, size_t at, const struct written *member)
{
    has(list, at, member->name, member->data, member->len);
    ck_assert_str_eq(list->members[at].failure, "");
}

static uint8_t text[300000];

static void three(struct written members[3])
{
    fill_text(text, sizeof text);
    members[0] = (struct written){.name = "stored", .data = text, .len = 5000};
    members[1] =
        (struct written){.name = "a/deflated", .data = text, .len = sizeof text, .is_deflated = true};
    members[2] = (struct written){.name = "last", .data = text + 100, .len = 1000, .is_deflated = true};
}

START_TEST(yields_what_was_packed)
{
    static const char *const names[] = {"stored", "a/deflated", "last"};
    struct written members[3];
    struct containers_list list;

    for (unsigned how = 0; how < 8; how++) {
        three(members);
        for (size_t i = 0; i < 3; i++) {
            members[i].sizes_follow = how & 1;
            members[i].unsigned_descriptor = how & 2;
            members[i].is_zip64 = (how & 4) && !(how & 1);
        }
        list = list_members(members, 3);
        ck_assert(list.matches && list.opened);
        ck_assert_uint_eq(list.count, 3);
        ck_assert_str_eq(list.failure, "");
        for (size_t i = 0; i < 3; i++) {
            has_whole(&list, i, &members[i]);
            ck_assert_str_eq(members[i].name, names[i]);
            ck_assert_uint_eq(list.members[i].size, members[i].len);
        }
        ck_assert_uint_eq(list.members[0].place, 30 + strlen("stored") + (members[0].is_zip64 ? 20 : 0));
        ck_assert_uint_eq(list.members[1].place, CONTAINER_UNKNOWN);
        containers_release(&list);
    }
}
END_TEST

/* Deleted from the directory, or of an archive that another one was appended to. */
START_TEST(yields_members_without_an_entry_last)
{
    struct written members[3], again[3];
    struct containers_list list;
    struct buffer zip = {0};

    for (unsigned follow = 0; follow < 2; follow++) {
        three(members);
        members[1].is_hidden = true;
        members[1].sizes_follow = follow;
        list = list_members(members, 3);
        ck_assert_uint_eq(list.count, 3);
        has_whole(&list, 0, &members[0]);
        has_whole(&list, 1, &members[2]);
        has_whole(&list, 2, &members[1]);
        containers_release(&list);
    }
    three(members);
    three(again);
    again[0].name = "other";
    put_zip(&zip, members, 3);
    buffer_add_text(&zip, "something between the archives");
    put_zip(&zip, again, 3);
    list = list_zip(&zip);
    ck_assert_uint_eq(list.count, 6);
    for (size_t i = 0; i < 6; i++)
        has_whole(&list, i, i < 3 ? &again[i] : &members[i - 3]);
    ck_assert_uint_eq(list.end, zip.len);
    containers_release(&list);
    buffer_release(&zip);
}
END_TEST

START_TEST(reports_what_the_headers_differ_in)
{
    struct written members[3];
    struct containers_list list;

    three(members);
    members[0].central_name = "other";
    members[2].central_size = 999;
    members[2].central_crc = 0x12345678;
    list = list_members(members, 3);
    ck_assert_uint_eq(list.count, 5);
    has(&list, 0, "other", text, 5000);
    ck_assert_uint_eq(list.members[1].name.len, 0);
    ck_assert_str_eq(list.members[1].problem,
                     "the central directory calls it other, its local header stored");
    ck_assert_str_eq(list.members[3].failure, "its size does not agree");
    ck_assert_uint_eq(list.members[3].data.len, 1000);
    ck_assert_mem_eq(list.members[4].problem,
                     "the central directory states this number of bytes: 999, its local header 1000; "
                     "the central directory states CRC-32 12345678, its local header ",
                     100);
    containers_release(&list);
    three(members);
    members[0].central_method = 8;
    list = list_members(members, 1);
    ck_assert_uint_eq(list.count, 2);
    ck_assert_str_eq(list.members[1].problem,
                     "the central directory states method 8, its local header 0: stored");
    containers_release(&list);
}
END_TEST

START_TEST(reports_a_crc_that_does_not_agree)
{
    struct written members[3];
    struct buffer zip = {0};
    struct containers_list list;

    three(members);
    put_zip(&zip, members, 3);
    zip.data[30 + strlen("stored") + 4321] ^= 1;
    list = list_zip(&zip);
    ck_assert_uint_eq(list.count, 3);
    ck_assert_str_eq(list.members[0].failure, "its CRC-32 does not agree");
    ck_assert_uint_eq(list.members[0].data.len, 5000);
    has_whole(&list, 1, &members[1]);
    containers_release(&list);
    buffer_release(&zip);
}
END_TEST

START_TEST(reports_what_cannot_be_unpacked)
{
    struct written members[3];
    struct containers_list list;

    three(members);
    members[0].flags = 1;
    members[1].central_method = 6;
    list = list_members(members, 3);
    ck_assert_str_eq(list.members[0].problem, "it is encrypted");
    ck_assert_str_eq(list.members[1].problem,
                     "it is packed by a method that is not supported: 6 (Implode)");
    has_whole(&list, 3, &members[2]);
    containers_release(&list);
}
END_TEST

/* Whatever comes before the cut is still there. */
START_TEST(yields_what_a_cut_leaves)
{
    struct written members[3];
    struct buffer zip = {0};
    uint64_t complete[3];

    three(members);
    members[1].len = 20000;
    for (unsigned follow = 0; follow < 2; follow++) {
        for (size_t i = 0; i < 3; i++)
            members[i].sizes_follow = follow;
        zip.len = 0;
        put_zip(&zip, members, 3);
        for (size_t i = 0; i < 3; i++)
            complete[i] =
                members[i].at + 30 + strlen(members[i].name) + members[i].packed + (follow ? 16 : 0);
        for (size_t len = 4; len < zip.len - 100; len += 61) {
            const struct buffer cut = {.data = zip.data, .len = len};
            struct containers_list list = list_zip(&cut);

            for (size_t i = 0; i < 3 && complete[i] <= len; i++)
                has_whole(&list, i, &members[i]);
            if (len > members[1].at + 100 && len < complete[1]) {
                ck_assert_uint_eq(list.count, 2);
                ck_assert_mem_eq(list.members[1].data.data, text, list.members[1].data.len);
                ck_assert_str_eq(list.members[1].failure, "it is cut off");
            }
            if (len > members[1].at + 1500 && len < complete[1])
                ck_assert_uint_gt(list.members[1].data.len, 1000);
            ck_assert_str_eq(list.failure, "is cut off");
            containers_release(&list);
        }
    }
    buffer_release(&zip);
}
END_TEST

START_TEST(ends_where_the_archive_ends)
{
    struct written members[3];
    struct buffer zip = {0};

    for (unsigned how = 0; how < 4; how++) {
        struct containers_list list;
        size_t len;

        three(members);
        for (size_t i = 0; i < 3; i++)
            members[i].sizes_follow = how & 1;
        zip.len = 0;
        put_zip(&zip, members, how & 2 ? 0 : 3);
        len = zip.len;
        fill_random((uint8_t *)buffer_extend(&zip, 70000), 70000);
        put_zip(&zip, members, 1); /* another one further on is no part of it */
        list = containers_open(&archive_format_zip, zip.data, zip.len, true, NULL);
        ck_assert_uint_eq(list.end, len);
        ck_assert_uint_eq(list.count, how & 2 ? 0 : 3);
        for (size_t i = 0; i < list.count; i++)
            has_whole(&list, i, &members[i]);
        ck_assert_str_eq(list.failure, "");
        containers_release(&list);
    }
    buffer_release(&zip);
}
END_TEST

START_TEST(finds_the_archive_of_a_program)
{
    struct written members[3];
    struct buffer zip = {0};
    struct containers_list list;

    three(members);
    buffer_add_text(&zip, "MZ and some code before the archive");
    put_zip(&zip, members, 3);
    zip.len -= strlen("comment");
    memset(zip.data + zip.len - 2, 0, 2);
    list = list_zip(&zip);
    ck_assert(list.matches);
    ck_assert_uint_eq(list.count, 3);
    for (size_t i = 0; i < 3; i++)
        has_whole(&list, i, &members[i]);
    containers_release(&list);
    zip.data[0] = 'm';
    list = list_zip(&zip);
    ck_assert(!list.matches);
    containers_release(&list);
    buffer_release(&zip);
}
END_TEST

/* Members that all have the same data, which is stored once. */
START_TEST(unpacks_overlapping_members_one_by_one)
{
    struct written member = {.name = "x", .data = text, .len = 1000, .is_deflated = true};
    struct buffer zip = {0};
    struct containers_list list;
    uint64_t directory;

    fill_text(text, sizeof text);
    put_local(&zip, &member);
    directory = zip.len;
    for (int i = 0; i < 1000; i++)
        put_central(&zip, &member, 0);
    put_end(&zip, 1000, zip.len - directory, directory, "");
    list = list_zip(&zip);
    ck_assert_uint_eq(list.count, 1000);
    for (size_t i = 0; i < 1000; i++)
        has_whole(&list, i, &member);
    containers_release(&list);
    buffer_release(&zip);
}
END_TEST

/* Without a list, which would take its time. */
static size_t count_members(const struct buffer *zip)
{
    static const struct container_watch watch = {.progress = containers_progress};
    struct content_memory content;
    const struct container_sight sight = {&content.content, (const uint8_t *)zip->data, CONTAINER_HEAD,
                                          zip->len, false};
    struct container_member member;
    struct container *container;
    size_t count = 0;
    uint8_t byte;

    content_memory_init(&content, zip->data, zip->len);
    container = archive_format_zip.open(&sight, &watch, NULL);
    ck_assert_ptr_nonnull(container);
    for (; container->next(container, &member, NULL) == 1; count++)
        ck_assert_int_eq(container->read(container, &byte, 1, NULL), 0);
    container->close(container);
    return count;
}

START_TEST(takes_linear_time_for_many_members)
{
    struct written member = {.name = "x", .data = "", .len = 0};
    struct buffer zip = {0};
    enum { COUNT = 100000 };
    uint64_t directory;

    for (int i = 0; i < COUNT; i++)
        put_local(&zip, &member);
    directory = zip.len;
    for (unsigned i = 0; i < COUNT; i++) {
        member.at = (uint64_t)(i * 7919 % COUNT) * (30 + 1);
        put_central(&zip, &member, 0);
    }
    put_end(&zip, COUNT, zip.len - directory, directory, "");
    ck_assert_uint_eq(count_members(&zip), COUNT);
    /* the same without a directory */
    zip.len = directory;
    ck_assert_uint_eq(count_members(&zip), COUNT);
    buffer_release(&zip);
}
END_TEST

START_TEST(believes_no_size)
{
    struct written members[3];
    struct buffer zip = {0};
    struct containers_list list;
    uint64_t directory;

    three(members);
    put_local(&zip, &members[0]);
    directory = zip.len;
    put_central(&zip, &members[0], 0);
    memset(zip.data + directory + 20, 0xff, 8); /* both sizes: in the extra field */
    zip.data[directory + 30] = 20;
    put16(&zip, 1);
    put16(&zip, 16);
    put64(&zip, INT64_MAX + UINT64_C(1));
    put64(&zip, INT64_MAX + UINT64_C(1));
    put_end(&zip, 1, zip.len - directory, directory, "");
    list = list_zip(&zip);
    ck_assert_uint_eq(list.count, 2);
    ck_assert_uint_eq(list.members[0].size, UINT64_C(1) << 63);
    ck_assert_str_ne(list.members[0].failure, "");
    containers_release(&list);
    buffer_release(&zip);
}
END_TEST

RUN_TESTS("archive_zip", yields_what_was_packed, yields_members_without_an_entry_last,
          reports_what_the_headers_differ_in, reports_a_crc_that_does_not_agree,
          reports_what_cannot_be_unpacked, yields_what_a_cut_leaves, ends_where_the_archive_ends,
          finds_the_archive_of_a_program, unpacks_overlapping_members_one_by_one,
          takes_linear_time_for_many_members, believes_no_size)
