/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check_main.h"
#include "container/media.h"
#include "containers.h"
#include "disk/deflate.h"
#include "media.h"

/* Small PNG files, with any filter for each row; what "picture" has to be is collected at the same time. */

static struct buffer file, picture, filtered;

static void put_be32(struct buffer *out, uint32_t number)
{
    const uint8_t bytes[] = {(uint8_t)(number >> 24), (uint8_t)(number >> 16), (uint8_t)(number >> 8),
                             (uint8_t)number};

    buffer_add(out, bytes, 4);
}

static void put_chunk(const char *type, const void *data, size_t len)
{
    put_be32(&file, (uint32_t)len);
    buffer_add(&file, type, 4);
    buffer_add(&file, data, len);
    put_be32(&file, deflate_crc(0, file.data + file.len - len - 4, len + 4));
}

#define PUT_TEXT(type, text) put_chunk(type, text, sizeof(text) - 1)

static void begin(uint32_t width, uint32_t height, uint8_t depth, uint8_t colour, bool is_interlaced)
{
    const uint8_t rest[] = {depth, colour, 0, 0, is_interlaced};

    buffer_release(&file);
    buffer_release(&picture);
    buffer_release(&filtered);
    buffer_add(&file, "\x89PNG\r\n\x1a\n", 8);
    put_be32(&picture, width);
    put_be32(&picture, height);
    buffer_add(&picture, rest, 5);
    put_chunk("IHDR", picture.data, 13);
}

/* Paeth's predictor, as the standard states it. */
static int predict_nearest(int a, int b, int c)
{
    const int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);

    if (pa <= pb && pa <= pc)
        return a;
    return pb <= pc ? b : c;
}

static uint8_t predicted(int filter, const uint8_t *row, const uint8_t *above, size_t i, size_t step)
{
    const int a = i >= step ? row[i - step] : 0, b = above[i], c = i >= step ? above[i - step] : 0;
    const int all[] = {0, a, b, (a + b) / 2, predict_nearest(a, b, c)};

    return (uint8_t)all[filter];
}

/* The rows of one pass. */
static void put_rows(size_t width, size_t height, unsigned bits)
{
    const size_t len = (width * bits + 7) / 8, step = (bits + 7) / 8;
    uint8_t *row = calloc(1, len), *above = calloc(1, len);

    for (size_t y = 0; y < height && width > 0; y++) {
        const int filter = (int)(random64() % 5);

        memcpy(above, row, len);
        fill_random(row, len);
        buffer_add(&picture, row, len);
        buffer_add_char(&filtered, (char)filter);
        for (size_t i = 0; i < len; i++)
            buffer_add_char(&filtered, (char)(row[i] - predicted(filter, row, above, i, step)));
    }
    free(row);
    free(above);
}

/* As a zlib stream of stored blocks, in chunks of `most` bytes. */
static void put_data(const char *type, size_t most)
{
    struct buffer packed = {0};

    buffer_add(&packed, "\x78\x01", 2);
    for (size_t at = 0; at <= filtered.len; at += 60000) {
        const size_t left = filtered.len - at, len = left < 60000 ? left : 60000;
        const uint8_t head[] = {len < 60000, (uint8_t)len, (uint8_t)(len >> 8), (uint8_t)~len,
                                (uint8_t)(~len >> 8)};

        buffer_add(&packed, head, 5);
        buffer_add(&packed, filtered.data + at, len);
    }
    put_be32(&packed, deflate_checksum(filtered.data, filtered.len));
    for (size_t at = 0; at < packed.len; at += most)
        put_chunk(type, packed.data + at, packed.len - at < most ? packed.len - at : most);
    buffer_release(&packed);
}

static struct containers_list list_of(bool is_carved)
{
    return containers_open(&media_format_png, file.data, file.len, is_carved, NULL);
}

static const struct {
    uint8_t depth, colour;
    unsigned bits;
} kinds[] = {{1, 0, 1}, {2, 0, 2}, {4, 0, 4}, {8, 0, 8},  {16, 0, 16}, {8, 2, 24}, {16, 2, 48}, {1, 3, 1},
             {2, 3, 2}, {4, 3, 4}, {8, 3, 8}, {8, 4, 16}, {16, 4, 32}, {8, 6, 32}, {16, 6, 64}};

START_TEST(pixels_of_each_kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct containers_list list;

        begin(37, 21, kinds[i].depth, kinds[i].colour, false);
        put_rows(37, 21, kinds[i].bits);
        put_data("IDAT", 100);
        put_chunk("IEND", "", 0);
        list = list_of(false);
        ck_assert(list.matches);
        ck_assert_str_eq(list.failure, "");
        ck_assert_uint_eq(list.count, 1);
        media_check_bytes(&list, "picture", picture.data, picture.len);
        ck_assert_uint_eq(list.end, file.len);
        containers_release(&list);
    }
}
END_TEST

/* The pixels of each pass, counted one by one. */
START_TEST(interlaced_pictures_of_all_small_sizes)
{
    for (size_t width = 1; width <= 9; width++)
        for (size_t height = 1; height <= 9; height++) {
            static const struct {
                size_t x, y, dx, dy;
            } passes[] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                          {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
            struct containers_list list;

            begin((uint32_t)width, (uint32_t)height, 4, 0, true);
            for (size_t i = 0; i < 7; i++) {
                size_t columns = 0, rows = 0;

                for (size_t x = passes[i].x; x < width; x += passes[i].dx)
                    columns++;
                for (size_t y = passes[i].y; y < height; y += passes[i].dy)
                    rows++;
                put_rows(columns, rows, 4);
            }
            put_data("IDAT", 1000);
            put_chunk("IEND", "", 0);
            list = list_of(false);
            media_check_bytes(&list, "picture", picture.data, picture.len);
            containers_release(&list);
        }
}
END_TEST

static void put_tagged(void)
{
    begin(300, 200, 8, 3, false);
    PUT_TEXT("tEXt", "Comment\0a comment");
    PUT_TEXT("PLTE", "palette");
    buffer_add(&picture, "palette", 7);
    PUT_TEXT("tRNS", "alpha");
    buffer_add(&picture, "alpha", 5);
    PUT_TEXT("gAMA", "\0\0\xb1\x8f");
    PUT_TEXT("iTXt", "XML:com.adobe.xmp\0\0\0\0\0<xmp/>");
    PUT_TEXT("iTXt", "Title\0\1\0de\0Titel\0\x78\x01\x01\x05\0\xfa\xffhello\x06\x2c\x02\x15");
    PUT_TEXT("zTXt", "Author\0\0\x78\x01\x01\x02\0\xfd\xffme\x01\x41\0\xd3");
    PUT_TEXT("iCCP", "a profile\0\0\x78\x01\x01\x03\0\xfc\xfficc\x02\x67\x01\x30");
    put_rows(300, 200, 8);
    put_data("IDAT", 8192);
    PUT_TEXT("eXIf", "MM\0*");
    PUT_TEXT("prVt", "private");
    put_chunk("IEND", "", 0);
}

START_TEST(separates_metadata_from_the_picture)
{
    struct containers_list list;

    put_tagged();
    buffer_add(&file, "PK\3\4", 4);
    list = list_of(false);
    ck_assert_str_eq(list.failure, "");
    ck_assert_uint_eq(list.count, 9);
    MEDIA_CHECK_TEXT(&list, "text/Comment", "a comment");
    MEDIA_CHECK_TEXT(&list, "xmp", "<xmp/>");
    MEDIA_CHECK_TEXT(&list, "text/Title", "hello");
    MEDIA_CHECK_TEXT(&list, "text/Author", "me");
    MEDIA_CHECK_TEXT(&list, "icc", "icc");
    MEDIA_CHECK_TEXT(&list, "exif", "MM\0*");
    MEDIA_CHECK_TEXT(&list, "prVt", "private");
    MEDIA_CHECK_TEXT(&list, "after", "PK\3\4");
    media_check_bytes(&list, "picture", picture.data, picture.len);
    containers_release(&list);
    list = list_of(true);
    ck_assert_uint_eq(list.count, 8);
    ck_assert_uint_eq(list.end, file.len - 4);
    containers_release(&list);
}
END_TEST

START_TEST(does_not_depend_on_how_it_is_read)
{
    static const struct containers_limits limits[] = {{.piece = 1}, {.piece = 299}, {.piece = 1 << 20}};

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct containers_list list;

        put_tagged();
        list = containers_open(&media_format_png, file.data, file.len, false, &limits[i]);
        media_check_bytes(&list, "picture", picture.data, picture.len);
        MEDIA_CHECK_TEXT(&list, "text/Title", "hello");
        containers_release(&list);
    }
}
END_TEST

/* Further frames have sizes of their own. */
START_TEST(frames_of_animations)
{
    struct containers_list list;

    begin(50, 40, 8, 2, false);
    PUT_TEXT("acTL", "\0\0\0\3\0\0\0\0");
    PUT_TEXT("fcTL", "\0\0\0\0\0\0\0\x32\0\0\0\x28\0\0\0\0\0\0\0\0\0\1\0\1\0\0");
    put_rows(50, 40, 24);
    put_data("IDAT", 3000);
    for (int i = 0; i < 2; i++) {
        struct buffer packed = {0};
        const size_t before = file.len;

        PUT_TEXT("fcTL", "\0\0\0\1\0\0\0\x0a\0\0\0\x05\0\0\0\0\0\0\0\0\0\1\0\1\0\0");
        buffer_reset(&filtered);
        put_rows(10, 5, 24);
        put_data("IDAT", 10000);
        /* the same data as fdAT, after a sequence number, in two chunks */
        buffer_add(&packed, "\0\0\0\2", 4);
        buffer_add(&packed, file.data + before + 38 + 8, file.len - before - 38 - 12);
        file.len = before + 38;
        put_chunk("fdAT", packed.data, 50);
        memcpy(packed.data + 46, "\0\0\0\3", 4);
        put_chunk("fdAT", packed.data + 46, packed.len - 46);
        buffer_release(&packed);
    }
    put_chunk("IEND", "", 0);
    list = list_of(false);
    ck_assert_str_eq(list.failure, "");
    ck_assert_uint_eq(list.count, 3);
    media_check_bytes(&list, "picture", picture.data, 13 + 50 * 40 * 3);
    for (size_t i = 0; i < 2; i++) {
        ck_assert_uint_eq(list.members[1 + i].data.len, 150);
        ck_assert_mem_eq(list.members[1 + i].data.data, picture.data + 13 + 6000 + 150 * i, 150);
    }
    containers_release(&list);
}
END_TEST

START_TEST(cut_off_anywhere)
{
    put_tagged();
    for (size_t len = 60; len < file.len; len += len < 500 ? 1 : 997) {
        struct containers_list list = containers_open(&media_format_png, file.data, len, false, NULL);
        const struct containers_member *found = containers_find(&list, "picture");

        ck_assert_str_eq(list.failure, "is cut off");
        if (len > 500)
            ck_assert_uint_ge(found->data.len + 600, len);
        if (found) {
            ck_assert_int_eq(found->failure[0] != '\0', found->data.len < picture.len);
            ck_assert_mem_eq(found->data.data, picture.data, found->data.len);
        }
        containers_release(&list);
    }
}
END_TEST

START_TEST(impossible_headers)
{
    static const struct {
        uint32_t width, height;
        uint8_t depth, colour;
    } headers[] = {{0, 1, 8, 0}, {1, 0, 8, 0},  {1, 1, 3, 0}, {1, 1, 4, 2},          {1, 1, 8, 1},
                   {1, 1, 8, 5}, {1, 1, 16, 3}, {1, 1, 8, 7}, {0xffffffff, 1, 8, 6}, {9 << 20, 1, 8, 0}};

    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        struct containers_list list;

        begin(headers[i].width, headers[i].height, headers[i].depth, headers[i].colour, false);
        put_rows(1, 1, 8);
        put_data("IDAT", 100);
        put_chunk("IEND", "", 0);
        list = list_of(false);
        ck_assert_str_ne(containers_find(&list, "picture")->problem, "");
        containers_release(&list);
    }
}
END_TEST

/* tests/data/containers/media.sh made the files: by other programs, which compress better; the digest is of
 * the pixels as ImageMagick writes them. */
START_TEST(compressed_anew)
{
    static const char *const names[] = {"plain.png", "optipng.png", "pngcrush.png", "zopflipng.png"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct containers_list list = media_open(&media_format_png, names[i]);
        struct containers_member *member = containers_find(&list, "picture");
        struct digest *digest = digest_new(DIGEST_BIT(DIGEST_SHA1), NULL);

        ck_assert_ptr_nonnull(member);
        ck_assert_str_eq(member->failure, "");
        memmove(member->data.data, member->data.data + 13, member->data.len - 13);
        member->data.len -= 13;
        containers_digest(member, digest);
        ck_assert_str_eq(member->sha1, "301450084a02fa21d9fc45608ac7620afb672c56");
        digest_free(digest);
        containers_release(&list);
    }
}
END_TEST

RUN_TESTS("media_png", pixels_of_each_kind, interlaced_pictures_of_all_small_sizes,
          separates_metadata_from_the_picture, does_not_depend_on_how_it_is_read, frames_of_animations,
          cut_off_anywhere, impossible_headers, compressed_anew)
