/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/bytes.h"
#include "check_main.h"
#include "container/squashfs.h"
#include "container/squashfs_unpack.h"
#include "containers.h"

/* tests/data/containers/squashfs.sh made the file systems; the digests are those of the files that they were
 * made of. */

enum { FILES = 306 };

static const struct {
    const char *name, *digest;
} expected[] = {
    {"numbers", "763ceab1c1f9165c45031c86313c16f2cbb0ad0c"},
    {"two-blocks", "9be0e8f4c13d55cef687f30c733140fddf386112"},
    {"sparse", "5b42f2ab346b287b811358b0ff1c7db8de7cae61"},
    {"empty", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
    {"deep/er/still/short", "699eba14bd9436cb33fc9a5793c5449994a89b14"},
    {"caf\351", "9578dd2a658bceaec1c73681ae66377e3b26d9ff"},
    {"many/300", "ccf271b7830882da1791852baeca1737fcbe4b90"},
};

static uint8_t *load(const char *name, size_t *len)
{
    const char *source = getenv("SRCDIR");
    char path[4096];

    snprintf(path, sizeof path, "%s/tests/data/containers/squashfs/%s", source ? source : ".", name);
    return containers_load(path, len);
}

static void check_files(struct containers_list *list)
{
    containers_digests(list);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct containers_member *member = containers_find(list, expected[i].name);

        ck_assert_msg(member != NULL, "no member %s", expected[i].name);
        ck_assert_str_eq(member->problem, "");
        ck_assert_str_eq(member->failure, "");
        ck_assert_uint_eq(member->size, member->data.len);
        ck_assert_str_eq(member->sha1, expected[i].digest);
    }
}

START_TEST(files_of_each_method)
{
    static const char *const methods[] = {"gzip", "lzma", "lzo",    "xz",
                                          "lz4",  "zstd", "stored", "no-fragments"};

    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        size_t len;
        uint8_t *data = load(methods[i], &len);
        struct containers_list list = containers_open(&squashfs_format, data, len, false, NULL);

        ck_assert(list.matches);
        ck_assert_str_eq(list.failure, "");
        ck_assert_uint_eq(list.count, FILES);
        ck_assert_uint_eq(list.end, len);
        ck_assert_ptr_null(containers_find(&list, "second-name"));
        ck_assert_ptr_null(containers_find(&list, "link"));
        check_files(&list);
        containers_release(&list);
        free(data);
    }
}
END_TEST

START_TEST(does_not_depend_on_how_it_is_read)
{
    const struct containers_limits limits = {.piece = 11};
    size_t len;
    uint8_t *data = load("lz4", &len);
    struct containers_list list = containers_open(&squashfs_format, data, len, false, &limits);

    check_files(&list);
    containers_release(&list);
    free(data);
}
END_TEST

/* What is stored as it is can be found in the content. */
START_TEST(says_where_files_lie)
{
    size_t len, found = 0;
    uint8_t *data = load("stored", &len);
    struct containers_list list = containers_open(&squashfs_format, data, len, false, NULL);

    for (size_t i = 0; i < list.count; i++) {
        const struct containers_member *member = &list.members[i];
        const size_t part = member->data.len < 4000 ? member->data.len : 4000;

        if (member->place == CONTAINER_UNKNOWN || part == 0)
            continue;
        ck_assert_uint_le(member->place + part, len);
        ck_assert_mem_eq(data + member->place, member->data.data, part);
        found++;
    }
    ck_assert_uint_ge(found, FILES - 2);
    containers_release(&list);
    free(data);
}
END_TEST

START_TEST(describes_files)
{
    size_t len;
    uint8_t *data = load("gzip", &len);
    struct content_memory memory;
    const struct container_sight sight = {&memory.content, data, len < CONTAINER_HEAD ? len : CONTAINER_HEAD,
                                          len, false};
    struct container *container;
    struct container_member member;

    content_memory_init(&memory, data, len);
    container = squashfs_format.open(&sight, NULL, NULL);
    ck_assert_int_eq(container->next(container, &member, NULL), 1);
    ck_assert_uint_eq(member.mode, 0100644);
    ck_assert_int_eq(member.times[OBJECT_MTIME].seconds, 1700000000);
    container->close(container);
    free(data);
}
END_TEST

/* A folder that contains its own root: everything else is still found. */
START_TEST(a_folder_in_itself)
{
    size_t len;
    uint8_t *data = load("stored", &len), *name = memmem(data, len, "still", 5);
    struct containers_list list;

    ck_assert_ptr_nonnull(name);
    memcpy(name - 16, data + 34, 4); /* the block of the root's inode */
    memcpy(name - 8, data + 32, 2);  /* and its place in it */
    list = containers_open(&squashfs_format, data, len, false, NULL);
    ck_assert_uint_eq(list.count, FILES - 1);
    ck_assert_str_eq(list.failure, "is damaged");
    containers_release(&list);
    free(data);
}
END_TEST

START_TEST(damage_costs_its_file)
{
    size_t len;
    uint8_t *data = load("gzip", &len);
    struct containers_list list;
    struct containers_member *member;

    memset(data + 100, 0x55, 20); /* in the first block */
    list = containers_open(&squashfs_format, data, len, false, NULL);
    ck_assert_uint_eq(list.count, FILES);
    member = containers_find(&list, "numbers");
    ck_assert_str_ne(member->failure, "");
    ck_assert_str_eq(containers_find(&list, "many/300")->failure, "");
    containers_release(&list);
    free(data);
}
END_TEST

START_TEST(cut_off_anywhere)
{
    size_t len;
    uint8_t *data = load("gzip", &len);

    for (size_t cut = 0; cut < len; cut += 64) {
        struct containers_list list = containers_open(&squashfs_format, data, cut, false, NULL);

        ck_assert_str_ne(list.failure, "");
        containers_release(&list);
    }
    free(data);
}
END_TEST

/* Every single byte of the tables, changed: no call may hang, or read what is not there. */
START_TEST(changed_bytes)
{
    const struct containers_limits limits = {.members = 20, .bytes = 100000};
    size_t len;
    uint8_t *data = load("stored", &len);
    const size_t tables = (size_t)bytes_load64(data + 64);

    for (size_t i = 0; i < len; i += i < 96 ? 1 : i < tables ? 4999 : 41) {
        const uint8_t before = data[i];

        for (int bit = 0; bit < 8; bit += 3) {
            struct containers_list list;

            data[i] = (uint8_t)(before ^ 1u << bit);
            list = containers_open(&squashfs_format, data, len, false, &limits);
            containers_release(&list);
        }
        data[i] = before;
    }
    free(data);
}
END_TEST

static void check_lz(long (*unpack)(const uint8_t *, size_t, uint8_t *, size_t), const char *packed,
                     size_t packed_len, const char *expected_text)
{
    uint8_t out[64];
    const long len = unpack((const uint8_t *)packed, packed_len, out, sizeof out);

    if (!expected_text) {
        ck_assert_int_eq(len, -1);
        return;
    }
    ck_assert_int_eq(len, (long)strlen(expected_text));
    ck_assert_mem_eq(out, expected_text, strlen(expected_text));
    ck_assert_int_eq(unpack((const uint8_t *)packed, packed_len, out, strlen(expected_text) - 1), -1);
}

#define CHECK_LZ(unpack, packed, expected) check_lz(unpack, packed, sizeof(packed) - 1, expected)

/* By hand, from the descriptions of the formats. */
START_TEST(lz_by_hand)
{
    CHECK_LZ(squashfs_unpack_lz4,
             "\x30"
             "abc",
             "abc");
    CHECK_LZ(squashfs_unpack_lz4,
             "\x22"
             "ab\2\0\x10"
             "c",
             "ababababc");
    CHECK_LZ(squashfs_unpack_lz4,
             "\xf0\x01"
             "0123456789abcdef",
             "0123456789abcdef");
    CHECK_LZ(squashfs_unpack_lz4,
             "\x1f"
             "a\1\0\x05\x10"
             "z",
             "aaaaaaaaaaaaaaaaaaaaaaaaaz");
    CHECK_LZ(squashfs_unpack_lz4,
             "\x22"
             "ab\3\0\x10"
             "c",
             NULL); /* before the start */
    CHECK_LZ(squashfs_unpack_lz4,
             "\x22"
             "ab\0\0\x10"
             "c",
             NULL);
    CHECK_LZ(squashfs_unpack_lz4,
             "\x40"
             "abc",
             NULL);
    CHECK_LZ(squashfs_unpack_lz4, "", NULL);
    CHECK_LZ(squashfs_unpack_lzo,
             "\x14"
             "abc\x11\0\0",
             "abc");
    CHECK_LZ(squashfs_unpack_lzo,
             "\x15"
             "abcd\x64\0\x11\0\0",
             "abcdcdcd");
    CHECK_LZ(squashfs_unpack_lzo,
             "\x01"
             "abcd\x21\0\0\x11\0\0",
             "abcdddd");
    CHECK_LZ(squashfs_unpack_lzo,
             "\x14"
             "abc\x21\x10\0\x11\0\0",
             NULL); /* before the start */
    CHECK_LZ(squashfs_unpack_lzo,
             "\x14"
             "abc",
             NULL); /* no end */
    CHECK_LZ(squashfs_unpack_lzo,
             "\x14"
             "ab",
             NULL);
}
END_TEST

/* A match of three bytes after literals lies at least 2,049 bytes back. */
START_TEST(lzo_far_back)
{
    enum { LITERALS = 2100 }; /* 3 + 15 + 8 * 255 + 42 */
    uint8_t packed[10 + LITERALS + 5] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 42}, out[LITERALS + 3];

    fill_random(packed + 10, LITERALS);
    memcpy(packed + 10 + LITERALS, "\x0c\x0c\x11\0\0", 5); /* 2048 + 1 + 3 + 4 * 12: from the first byte */
    ck_assert_int_eq(squashfs_unpack_lzo(packed, sizeof packed, out, sizeof out), LITERALS + 3);
    ck_assert_mem_eq(out, packed + 10, LITERALS);
    ck_assert_mem_eq(out + LITERALS, packed + 10, 3);
}
END_TEST

RUN_TESTS("squashfs", files_of_each_method, does_not_depend_on_how_it_is_read, says_where_files_lie,
          describes_files, a_folder_in_itself, damage_costs_its_file, cut_off_anywhere, changed_bytes,
          lz_by_hand, lzo_far_back)
