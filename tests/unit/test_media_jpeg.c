/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check_main.h"
#include "container/media.h"
#include "containers.h"
#include "media.h"

/* A small JPEG, put together from segments; what belongs to the picture is collected at the same time. */
static struct buffer file, picture;

static void put(const void *bytes, size_t len, bool in_picture)
{
    buffer_add(&file, bytes, len);
    if (in_picture)
        buffer_add(&picture, bytes, len);
}

static void put_segment(uint8_t marker, const void *data, size_t len, bool in_picture)
{
    const uint8_t head[] = {0xff, marker, (uint8_t)((len + 2) >> 8), (uint8_t)(len + 2)};

    put(head, 4, in_picture);
    put(data, len, in_picture);
}

#define PUT_METADATA(marker, text) put_segment(marker, text, sizeof(text) - 1, false)

static void begin(void)
{
    buffer_release(&file);
    buffer_release(&picture);
    put("\xff\xd8", 2, true);
}

static void put_tables(void)
{
    uint8_t bytes[65];

    fill_random(bytes, sizeof bytes);
    put_segment(0xdb, bytes, 65, true);
    put_segment(0xc0, "\x08\x00\x80\x00\x80\x01\x01\x11\x00", 9, true);
    put_segment(0xc4, bytes, 30, true);
}

/* Entropy-coded data with stuffed bytes and restart markers, longer than the parser reads at a time. */
static void put_scan(size_t len)
{
    uint8_t *scan = random_block(len);

    for (size_t i = 0; i + 1 < len; i++)
        if (scan[i] == 0xff)
            scan[i + 1] = i % 3 ? 0 : (uint8_t)(0xd0 + i % 8);
    scan[len - 1] = 0;
    put_segment(0xda, "\x01\x01\x00\x00\x3f\x00", 6, true);
    put(scan, len, true);
    free(scan);
}

static void put_end(void)
{
    put("\xff\xd9", 2, true);
}

static struct containers_list list_of(bool is_carved)
{
    return containers_open(&media_format_jpeg, file.data, file.len, is_carved, NULL);
}

static void put_tagged(void)
{
    begin();
    PUT_METADATA(0xe0, "JFIF\0\x01\x01\0\0\x48\0\x48\0\0");
    PUT_METADATA(0xe0, "JFIF\0\x01\x01\0\0\x48\0\x48\1\1rgb");
    PUT_METADATA(0xe1, "Exif\0\0no TIFF header");
    PUT_METADATA(0xe1, "http://ns.adobe.com/xap/1.0/\0<xmp/>");
    PUT_METADATA(0xe1, "http://ns.adobe.com/xmp/extension/\0"
                       "0123456789abcdef0123456789abcdef\0\0\0\x08\0\0\0\0<one>");
    PUT_METADATA(0xe1, "http://ns.adobe.com/xmp/extension/\0"
                       "0123456789abcdef0123456789abcdef\0\0\0\x08\0\0\0\x05two");
    PUT_METADATA(0xe2, "ICC_PROFILE\0\x01\x02profile");
    PUT_METADATA(0xe2, "ICC_PROFILE\0\x02\x02 of two parts");
    PUT_METADATA(0xed, "Photoshop 3.0\0"
                       "8BIM");
    PUT_METADATA(0xfe, "a comment");
    PUT_METADATA(0xfe, "another");
    PUT_METADATA(0xe7, "unknown");
    put_segment(0xee, "Adobe\0\x64\0\0\0\0\x01", 12, true);
    put_tables();
    put("\xff", 1, false); /* fill byte */
    put_scan(200000);
    PUT_METADATA(0xfe, "between scans");
    put_segment(0xc4, "0123456789abcdefghijk", 20, true);
    put_scan(100);
    put_end();
}

START_TEST(separates_metadata_from_the_picture)
{
    struct containers_list list;

    put_tagged();
    list = list_of(false);
    ck_assert(list.matches);
    ck_assert_str_eq(list.failure, "");
    ck_assert_uint_eq(list.count, 11);
    MEDIA_CHECK_TEXT(&list, "jfif", "\x01\x01\0\0\x48\0\x48\1\1rgb");
    MEDIA_CHECK_TEXT(&list, "exif", "no TIFF header");
    MEDIA_CHECK_TEXT(&list, "xmp", "<xmp/>");
    MEDIA_CHECK_TEXT(&list, "xmp-extension", "<one>two");
    MEDIA_CHECK_TEXT(&list, "icc", "profile of two parts");
    MEDIA_CHECK_TEXT(&list, "photoshop", "8BIM");
    MEDIA_CHECK_TEXT(&list, "comment", "a comment");
    MEDIA_CHECK_TEXT(&list, "app7", "unknown");
    media_check_bytes(&list, "picture", picture.data, picture.len);
    ck_assert_uint_eq(list.members[7].data.len, 7);
    ck_assert_mem_eq(list.members[7].data.data, "another", 7);
    ck_assert_uint_eq(list.members[10].data.len, 13);
    ck_assert_mem_eq(list.members[10].data.data, "between scans", 13);
    containers_release(&list);
}
END_TEST

/* However it is read, and wherever the scan's bytes lie in what the parser reads at a time. */
START_TEST(does_not_depend_on_how_it_is_read)
{
    static const struct containers_limits limits[] = {{.piece = 1}, {.piece = 777}, {.piece = 1 << 20}};

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct containers_list list;

        put_tagged();
        list = containers_open(&media_format_jpeg, file.data, file.len, false, &limits[i]);
        media_check_bytes(&list, "picture", picture.data, picture.len);
        containers_release(&list);
    }
}
END_TEST

START_TEST(finds_the_thumbnail_of_exif_data)
{
    static const uint8_t exif[] = "Exif\0\0MM\0*\0\0\0\x08"
                                  "\0\0\0\0\0\x0e"
                                  "\0\x02"
                                  "\x02\x01\0\x04\0\0\0\x01\0\0\0\x2c"
                                  "\x02\x02\0\x04\0\0\0\x01\0\0\0\x08"
                                  "\0\0\0\0\xff\xd8small\xd9 the rest";
    struct containers_list list;

    begin();
    put_segment(0xe1, exif, sizeof exif - 1, false);
    put_tables();
    put_scan(50);
    put_end();
    list = list_of(false);
    ck_assert_uint_eq(list.count, 3);
    MEDIA_CHECK_TEXT(&list, "thumbnail", "\xff\xd8small\xd9");
    media_check_bytes(&list, "exif", exif + 6, sizeof exif - 7);
    media_check_bytes(&list, "picture", picture.data, picture.len);
    containers_release(&list);
}
END_TEST

START_TEST(gives_what_follows_the_picture)
{
    struct containers_list list;

    begin();
    put_tables();
    put_scan(5000);
    put_end();
    put("PK\3\4 hidden", 11, false);
    list = list_of(false);
    ck_assert(list.matches);
    MEDIA_CHECK_TEXT(&list, "after", "PK\3\4 hidden");
    media_check_bytes(&list, "picture", picture.data, picture.len);
    ck_assert_uint_eq(containers_find(&list, "after")->place, picture.len);
    containers_release(&list);
    /* in free space, what follows is something else */
    list = list_of(true);
    ck_assert(list.matches);
    ck_assert_uint_eq(list.count, 1);
    ck_assert_uint_eq(list.end, picture.len);
    containers_release(&list);
}
END_TEST

/* Otherwise the picture would be opened again and again. */
START_TEST(a_bare_picture_is_no_container)
{
    struct containers_list list;

    put_tagged();
    list = containers_open(&media_format_jpeg, picture.data, picture.len, false, NULL);
    ck_assert(!list.matches);
    containers_release(&list);
    list = containers_open(&media_format_jpeg, picture.data, picture.len - 100, false, NULL);
    ck_assert(!list.matches);
    containers_release(&list);
}
END_TEST

/* Cut off at each byte: the picture is as long as what is there of it, and the members before it are whole.
 */
START_TEST(cut_off_anywhere)
{
    put_tagged();
    for (size_t len = 0; len < file.len; len += len < 900 ? 1 : 9973) {
        struct containers_list list = containers_open(&media_format_jpeg, file.data, len, false, NULL);
        const struct containers_member *found = containers_find(&list, "picture");

        ck_assert_str_eq(list.failure, "is cut off");
        if (found)
            ck_assert_mem_eq(found->data.data, picture.data, found->data.len);
        if (len > 900)
            MEDIA_CHECK_TEXT(&list, "xmp-extension", "<one>two");
        if (len > 900 && len < 200000)
            ck_assert_uint_eq(file.len - len + found->data.len, picture.len + sizeof "between scans" - 1 + 4);
        containers_release(&list);
    }
}
END_TEST

/* In free space, where another file's blocks follow. */
START_TEST(stops_at_other_content)
{
    struct containers_list list;
    size_t len;

    begin();
    PUT_METADATA(0xfe, "x");
    put_tables();
    put_scan(9000);
    len = picture.len;
    put("\xff\x3c no marker of a scan", 23, false);
    put_end();
    list = list_of(true);
    ck_assert_str_eq(list.failure, "is damaged");
    media_check_bytes(&list, "picture", picture.data, len);
    ck_assert_uint_eq(list.end, len + 5);
    containers_release(&list);
    /* zeros: no marker at all, so the size of the picture is the limit */
    ck_assert_ptr_nonnull(buffer_extend(&file, 4 << 20));
    memset(file.data + len, 0, file.len - len);
    list = list_of(true);
    ck_assert_str_eq(list.failure, "is damaged");
    ck_assert_uint_lt(list.end, 2 << 20);
    containers_release(&list);
}
END_TEST

/* A damaged byte in a file does not end its picture. */
START_TEST(damage_inside_a_scan)
{
    struct containers_list list;

    begin();
    PUT_METADATA(0xfe, "x");
    put_tables();
    put_scan(9000);
    memcpy(file.data + file.len - 3000, "\xff\xf5", 2);
    memcpy(picture.data + picture.len - 3000, "\xff\xf5", 2);
    put_end();
    list = list_of(false);
    ck_assert_str_eq(list.failure, "");
    media_check_bytes(&list, "picture", picture.data, picture.len);
    containers_release(&list);
}
END_TEST

/* tests/data/containers/media.sh made the files; the digests are of what exiftool extracts. */
START_TEST(files_of_other_programs)
{
    static const struct {
        const char *name, *digest;
    } expected[] = {
        {"exif", "cff51fa4efc87ebcf088f10f91bd056fe682b3e3"},
        {"thumbnail", "9af6613c5d209803efbee8841f3dc94062eae662"},
        {"xmp", "b79d601a66dcd667fd052e9ec616643a2d580620"},
        {"icc", "9eadb3b4828b44c5820add181ee72b1ca2d9f235"},
        {"comment", "9cbae24479d2e6391e2d1be21dd08d1626f00360"},
        {"picture", "a0fb67422abccdc42dc0027431e540e23d9227ac"}, /* stripped.jpg */
    };
    struct containers_list list = media_open(&media_format_jpeg, "tagged.jpg");

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        ck_assert_str_eq(containers_find(&list, expected[i].name)->sha1, expected[i].digest);
    containers_release(&list);
}
END_TEST

START_TEST(changed_metadata_leave_the_picture_the_same)
{
    static const char *const names[] = {"tagged.jpg", "exiv2.jpg", "jhead.jpg", "jpegtran.jpg"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct containers_list list = media_open(&media_format_jpeg, names[i]);

        ck_assert(list.matches);
        ck_assert_str_eq(containers_find(&list, "picture")->sha1, "a0fb67422abccdc42dc0027431e540e23d9227ac");
        containers_release(&list);
    }
}
END_TEST

RUN_TESTS("media_jpeg", separates_metadata_from_the_picture, does_not_depend_on_how_it_is_read,
          finds_the_thumbnail_of_exif_data, gives_what_follows_the_picture, a_bare_picture_is_no_container,
          cut_off_anywhere, stops_at_other_content, damage_inside_a_scan, files_of_other_programs,
          changed_metadata_leave_the_picture_the_same)
