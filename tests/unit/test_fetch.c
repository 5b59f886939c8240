/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "check_main.h"
#include "fetch.h"
#include "file.h"

/* Content that is fetched is compared with the bytes that the test wrote. */

enum { IMAGE_LEN = 5 * (1 << 20) + 700, MOST_WANTS = 8 };

static uint8_t *content;
static char folder[64], path[128];

static void begin(const char *name)
{
    strcpy(folder, "/tmp/test_fetch_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/%s", folder, name);
    content = random_block(IMAGE_LEN);
    file_store(path, content, IMAGE_LEN);
}

static void end(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf -- %s", folder);
    ck_assert_int_eq(system(command), 0);
    free(content);
}

/* What came of each want. */
static struct {
    unsigned begun, ended;
    uint64_t size, bytes, last;
    char volume[64];
    const uint8_t *expected;
    unsigned most; /* pieces of data after which to refuse; 0: no limit */
} got[MOST_WANTS];

static int take_begin(void *arg, size_t want, const char *volume, uint64_t size)
{
    (void)arg;
    got[want].begun++;
    got[want].size = size;
    snprintf(got[want].volume, sizeof got[want].volume, "%s", volume);
    return 0;
}

static int take_data(void *arg, size_t want, uint64_t offset, const void *data, size_t len)
{
    (void)arg;
    ck_assert_uint_ge(offset, got[want].last);
    ck_assert_uint_le(offset + len, got[want].size);
    ck_assert(memcmp(data, got[want].expected + offset, len) == 0);
    got[want].bytes += len;
    got[want].last = offset + len;
    return got[want].most && --got[want].most == 0;
}

static int take_bad(void *arg, size_t want, uint64_t offset, uint64_t len)
{
    (void)arg, (void)want, (void)offset, (void)len;
    ck_abort_msg("all of it can be read");
}

static int take_end(void *arg, size_t want, const char *volume, const struct object *object,
                    const char *paths, size_t count)
{
    (void)arg, (void)paths, (void)count;
    ck_assert_str_eq(volume, got[want].volume);
    ck_assert_uint_eq(object->size, got[want].size);
    ck_assert_int_eq(object->state, OBJECT_WHOLE);
    got[want].ended++;
    return 0;
}

static const uint64_t *offsets; /* of the objects in the content; NULL: all 0 */

static enum evidence_result fetch_all(const char *from, const struct fetch_want *wants, size_t count)
{
    static const struct fetch_sink sink = {
        .begin = take_begin, .data = take_data, .bad = take_bad, .end = take_end};
    const struct evidence_options options = {
        .workers = 2, .seconds = 600, .kinds = OBJECT_STORED, .ok_unexamined = true, .no_sandbox = true};
    struct error err = {""};
    enum evidence_result result;

    memset(got, 0, sizeof got);
    for (size_t i = 0; i < count; i++)
        got[i].expected = content + (offsets && i < 5 ? offsets[i] : 0);
    result = fetch(from, &options, wants, count, &sink, &err);
    ck_assert_msg(result != EVIDENCE_FAILED, "%s", err.text);
    return result;
}

START_TEST(a_whole_range_of_an_image_is_fetched)
{
    static const struct fetch_want want = {.volume = "-", .address = "@0+5243580"};

    begin("x.dd");
    ck_assert_int_eq(fetch_all(path, &want, 1), EVIDENCE_DONE);
    ck_assert_uint_eq(got[0].begun, 1);
    ck_assert_uint_eq(got[0].ended, 1);
    ck_assert_uint_eq(got[0].bytes, IMAGE_LEN);
    ck_assert_str_eq(got[0].volume, "-");
    end();
}
END_TEST

START_TEST(only_the_wanted_bytes_are_fetched_for_each_want)
{
    static const struct range few[] = {{3, 10}, {1000000, 2100000}, {IMAGE_LEN - 5, 100}, {IMAGE_LEN + 9, 1}},
                              none[] = {{IMAGE_LEN, 50}};
    static const struct fetch_want wants[] = {
        {.volume = "-", .address = "@0+5243580", .ranges = few, .range_count = 4},
        {.volume = "-", .address = "@0+5243581"},
        {.volume = "2@512", .address = "@0+5243580"},
        {.address = "@0+5243580"},
        {.volume = "-", .address = "@0+5243580", .ranges = none, .range_count = 1}};
    static const uint64_t bytes[] = {2100015, 0, 0, IMAGE_LEN, 0};

    begin("x.dd");
    ck_assert_int_eq(fetch_all(path, wants, 5), EVIDENCE_DONE);
    for (size_t i = 0; i < 5; i++) {
        ck_assert_uint_eq(got[i].bytes, bytes[i]);
        ck_assert_uint_eq(got[i].begun, i != 1 && i != 2);
        ck_assert_uint_eq(got[i].ended, got[i].begun);
    }
    end();
}
END_TEST

START_TEST(ranges_of_the_image_are_read_wherever_they_lie)
{
    static const struct range few[] = {{10, 20}};
    static const struct fetch_want wants[] = {
        {.volume = "5@0", .address = "@1000+70000", .on_image = true},
        {.address = "@1000+70000", .on_image = true, .ranges = few, .range_count = 1},
        {.address = "@500+5000000", .on_image = true},
        {.volume = "-", .address = "@0+5243580"}, /* an object */
        {.address = "@5243500+80", .on_image = true},
        {.address = "@5243500+81", .on_image = true},
        {.address = "@0+18446744073709551615", .on_image = true},
        {.address = "12-1-0", .on_image = true}};
    static const uint64_t starts[] = {1000, 1000, 500, 0, 5243500},
                          bytes[] = {70000, 20, 5000000, IMAGE_LEN, 80};

    begin("x.dd");
    offsets = starts;
    ck_assert_int_eq(fetch_all(path, wants, 8), EVIDENCE_DONE);
    for (size_t i = 0; i < 8; i++) {
        ck_assert_uint_eq(got[i].bytes, i < 5 ? bytes[i] : 0);
        ck_assert_uint_eq(got[i].begun, i < 5);
        ck_assert_uint_eq(got[i].ended, i < 5);
    }
    offsets = NULL;
    end();
}
END_TEST

START_TEST(files_of_a_folder_are_found_by_their_paths)
{
    static const struct fetch_want wants[] = {{.volume = "-", .address = "-", .path = "y"},
                                              {.volume = "-", .address = "-", .path = "x"},
                                              {.volume = "-", .address = "-", .path = "z"},
                                              {.volume = "-", .address = "-", .path = "empty"}};

    begin("x");
    snprintf(path, sizeof path, "%s/y", folder);
    file_store(path, content, 12345);
    snprintf(path, sizeof path, "%s/empty", folder);
    file_store(path, content, 0);
    ck_assert_int_eq(fetch_all(folder, wants, 4), EVIDENCE_DONE);
    ck_assert_uint_eq(got[0].bytes, 12345);
    ck_assert_uint_eq(got[1].bytes, IMAGE_LEN);
    ck_assert_uint_eq(got[2].begun + got[2].ended, 0);
    ck_assert_uint_eq(got[0].ended + got[1].ended + got[3].ended, 3);
    end();
}
END_TEST

static int take_data_and_end(void *arg, size_t want, uint64_t offset, const void *data, size_t len)
{
    unsigned *pieces = arg;

    (void)want, (void)offset, (void)data, (void)len;
    return ++*pieces == 3;
}

START_TEST(a_callback_can_end_the_fetching)
{
    static const struct fetch_want want = {.volume = "-", .address = "@0+5243580"};
    unsigned pieces = 0;
    const struct fetch_sink sink = {
        .begin = take_begin, .data = take_data_and_end, .bad = take_bad, .end = take_end, .arg = &pieces};
    const struct evidence_options options = {
        .workers = 1, .seconds = 600, .kinds = OBJECT_STORED, .ok_unexamined = true, .no_sandbox = true};
    struct error err;

    begin("x.dd");
    ck_assert_int_eq(fetch(path, &options, &want, 1, &sink, &err), EVIDENCE_STOPPED);
    ck_assert_uint_lt(pieces, IMAGE_LEN / (1 << 16));
    end();
}
END_TEST

RUN_TESTS("fetch", a_whole_range_of_an_image_is_fetched, only_the_wanted_bytes_are_fetched_for_each_want,
          ranges_of_the_image_are_read_wherever_they_lie, files_of_a_folder_are_found_by_their_paths,
          a_callback_can_end_the_fetching)
