/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/lines.h"
#include "check_main.h"

/* ---- helpers ---- */

static struct lines *open_memory(const void *data, size_t len)
{
    struct error err = {""};
    struct lines *lines = lines_open_memory(data, len, &err);

    ck_assert_msg(lines != NULL, "%s", err.text);
    return lines;
}

/* Each line in brackets, and its ending: n, r, or rn. */
static void add_lines(struct buffer *out, struct lines *lines)
{
    enum lines_result result;
    struct error err;
    const char *line;
    size_t len;

    while ((result = lines_next(lines, &line, &len, &err)) != LINES_END) {
        ck_assert_int_ne(result, LINES_FAILED);
        buffer_add_text(out, result == LINES_LONG ? "(long" : "[");
        buffer_add(out, line, len);
        buffer_add_char(out, ']');
        for (const char *end = lines_ending(lines); *end; end++)
            buffer_add_char(out, *end == '\n' ? 'n' : 'r');
    }
    ck_assert_int_eq(lines_next(lines, &line, &len, &err), LINES_END);
}

static void assert_lines(const void *data, size_t len, const char *wanted, size_t wanted_len)
{
    struct lines *lines = open_memory(data, len);
    struct buffer out = {0};

    add_lines(&out, lines);
    ck_assert_msg(out.len == wanted_len && (!out.len || memcmp(out.data, wanted, out.len) == 0), "%.*s",
                  (int)out.len, out.len ? out.data : "");
    buffer_release(&out);
    lines_close(lines);
}

#define ASSERT_LINES(text, wanted) assert_lines(text, sizeof text - 1, wanted, sizeof wanted - 1)

/* ---- ends of lines ---- */

START_TEST(lines_end_with_lf_or_cr_lf_or_the_text)
{
    ASSERT_LINES("", "");
    ASSERT_LINES("a", "[a]");
    ASSERT_LINES("a\n", "[a]n");
    ASSERT_LINES("a\n\nb", "[a]n[]n[b]");
    ASSERT_LINES("a\r\nb\nc\r\n", "[a]rn[b]n[c]rn");
    ASSERT_LINES("\n\n", "[]n[]n");
}
END_TEST

START_TEST(cr_ends_lines_only_where_there_is_no_lf)
{
    ASSERT_LINES("a\rb\r", "[a]r[b]r");
    ASSERT_LINES("a\rb\nc\r", "[a\rb]n[c\r]");
}
END_TEST

START_TEST(zero_bytes_and_invalid_utf8_are_kept)
{
    ASSERT_LINES("a\0b\n\xff\xfe\x80", "[a\0b]n[\xff\xfe\x80]");
}
END_TEST

/* ---- encodings ---- */

START_TEST(a_byte_order_mark_is_dropped)
{
    ASSERT_LINES("\xef\xbb\xbf"
                 "a\nb",
                 "[a]n[b]");
    ASSERT_LINES("\xef\xbb\xbf", "");
    ASSERT_LINES("\xff\xfe", "");
}
END_TEST

START_TEST(utf16_becomes_utf8)
{
    ASSERT_LINES("\xff\xfe"
                 "a\0\n\0\xe9\0\xac\x20\x3d\xd8\x00\xde",
                 "[a]n[\u00e9\u20ac\U0001f600]");
    ASSERT_LINES("\xfe\xff"
                 "\0a\0\n\0\xe9\x20\xac\xd8\x3d\xde\x00",
                 "[a]n[\u00e9\u20ac\U0001f600]");
}
END_TEST

START_TEST(plain_utf16_is_recognized_without_a_mark)
{
    ASSERT_LINES("s\0h\0a\0001\0,\0m\0d\0005\0\r\0\n\0x\0", "[sha1,md5]rn[x]");
    ASSERT_LINES("\0s\0h\0a\0001\0,\0m\0d\0005\0\n\0x", "[sha1,md5]n[x]");
}
END_TEST

START_TEST(half_a_surrogate_pair_and_an_odd_byte_are_kept)
{
    ASSERT_LINES("\xff\xfe\x3d\xd8"
                 "a\0",
                 "[\xed\xa0\xbd"
                 "a]");
    ASSERT_LINES("\xff\xfe\x3d\xd8", "[\xed\xa0\xbd]");
    ASSERT_LINES("\xff\xfe\x3d\xd8\x00\xe0", "[\xed\xa0\xbd\xee\x80\x80]");
    ASSERT_LINES("\xff\xfe"
                 "a\0b",
                 "[ab]");
}
END_TEST

/* A long text in UTF-16 must come out as the same text in UTF-8, wherever reads end. */
START_TEST(utf16_does_not_depend_on_where_reads_end)
{
    struct buffer utf8 = {0}, utf16 = {0}, a = {0}, b = {0};
    struct lines *lines;

    buffer_add(&utf16, "\xff\xfe", 2);
    for (int i = 0; i < 300000; i++) {
        switch (random64() % 20) {
        case 0:
            buffer_add(&utf8, "\n", 1);
            buffer_add(&utf16, "\n\0", 2);
            break;
        case 1:
            buffer_add_text(&utf8, "\U0001f600");
            buffer_add(&utf16, "\x3d\xd8\x00\xde", 4);
            break;
        case 2:
            buffer_add_text(&utf8, "\u20ac");
            buffer_add(&utf16, "\xac\x20", 2);
            break;
        default:
            buffer_add(&utf8, "x", 1);
            buffer_add(&utf16, "x\0", 2);
        }
    }
    add_lines(&a, lines = open_memory(utf8.data, utf8.len));
    lines_close(lines);
    add_lines(&b, lines = open_memory(utf16.data, utf16.len));
    lines_close(lines);
    ck_assert_uint_eq(a.len, b.len);
    ck_assert_mem_eq(a.data, b.data, a.len);
    buffer_release(&utf8);
    buffer_release(&utf16);
    buffer_release(&a);
    buffer_release(&b);
}
END_TEST

/* ---- long lines, numbers ---- */

START_TEST(lines_come_whole_wherever_reads_end)
{
    struct buffer text = {0}, wanted = {0}, out = {0};
    struct lines *lines;
    size_t count = 0;

    for (; text.len < 3 << 20; count++) {
        const size_t len = random64() % 50 ? random64() % 100 : random64() % 400000;

        buffer_add_char(&wanted, '[');
        for (size_t j = 0; j < len; j++) {
            const char c = (char)('a' + random64() % 26);

            buffer_add_char(&text, c);
            buffer_add_char(&wanted, c);
        }
        buffer_add_text(&text, count % 3 ? "\n" : "\r\n");
        buffer_add_text(&wanted, count % 3 ? "]n" : "]rn");
    }
    lines = open_memory(text.data, text.len);
    add_lines(&out, lines);
    ck_assert_uint_eq(lines_number(lines), count);
    ck_assert_uint_eq(lines_position(lines), text.len);
    ck_assert_uint_eq(lines_size(lines), text.len);
    ck_assert_uint_eq(out.len, wanted.len);
    ck_assert_mem_eq(out.data, wanted.data, out.len);
    lines_close(lines);
    buffer_release(&text);
    buffer_release(&wanted);
    buffer_release(&out);
}
END_TEST

START_TEST(an_overlong_line_is_skipped_and_counted)
{
    static char text[3 * LINES_LONGEST];
    const size_t lens[] = {LINES_LONGEST, LINES_LONGEST + 1, LINES_LONGEST * 2};
    struct error err;
    const char *line;
    size_t len;

    for (size_t i = 0; i < 3; i++) {
        struct lines *lines;

        memset(text, 'x', sizeof text);
        memcpy(text, "a\n", 2);
        memcpy(text + 2 + lens[i], "\r\nb\n", 4);
        lines = open_memory(text, lens[i] + 6);
        ck_assert_int_eq(lines_next(lines, &line, &len, &err), LINES_LINE);
        ck_assert_int_eq(lines_next(lines, &line, &len, &err), i ? LINES_LONG : LINES_LINE);
        ck_assert_uint_eq(lines_number(lines), 2);
        ck_assert_int_eq(lines_next(lines, &line, &len, &err), LINES_LINE);
        ck_assert_uint_eq(len, 1);
        ck_assert_uint_eq(lines_number(lines), 3);
        ck_assert_int_eq(lines_next(lines, &line, &len, &err), LINES_END);
        lines_close(lines);
    }
}
END_TEST

START_TEST(the_limit_can_be_set)
{
    struct lines *lines = open_memory("abc\nabcd\nabc\n", 13);
    struct buffer out = {0};

    lines_limit(lines, 3);
    add_lines(&out, lines);
    ck_assert_uint_eq(out.len, 23);
    ck_assert_mem_eq(out.data, "[abc]n(longabcd]n[abc]n", 23);
    buffer_release(&out);
    lines_close(lines);
}
END_TEST

/* ---- bytes, head, digest ---- */

START_TEST(the_head_is_available_before_anything_is_read)
{
    struct lines *lines = open_memory("\xff\xfe"
                                      "a\0b\0",
                                      6);
    struct error err;
    char bytes[8];
    size_t len;

    ck_assert_mem_eq(lines_head(lines, &len), "ab", 2);
    ck_assert_uint_eq(len, 2);
    ck_assert_mem_eq(lines_raw_head(lines, &len),
                     "\xff\xfe"
                     "a\0b\0",
                     6);
    ck_assert_uint_eq(len, 6);
    lines_binary(lines);
    ck_assert_int_eq(lines_copy(lines, bytes, sizeof bytes, &len, &err), 0);
    ck_assert_uint_eq(len, 6);
    ck_assert_mem_eq(bytes,
                     "\xff\xfe"
                     "a\0b\0",
                     6);
    lines_close(lines);
}
END_TEST

START_TEST(the_sha256_is_that_of_the_raw_bytes)
{
    /* printf 'abc' | sha256sum; printf '' | sha256sum; printf '\377\376a\0' | sha256sum */
    static const struct {
        const char *data;
        size_t len;
        uint8_t first[4];
    } samples[] = {
        {"abc", 3, {0xba, 0x78, 0x16, 0xbf}},
        {"", 0, {0xe3, 0xb0, 0xc4, 0x42}},
        {"\xff\xfe"
         "a\0",
         4,
         {0xee, 0x49, 0x9f, 0x13}},
    };
    struct error err;
    uint8_t sha256[DIGEST_SHA256_LEN];

    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct lines *lines = open_memory(samples[i].data, samples[i].len);

        for (int twice = 0; twice < 2; twice++) {
            ck_assert_int_eq(lines_sha256(lines, sha256, &err), 0);
            ck_assert_mem_eq(sha256, samples[i].first, 4);
        }
        lines_close(lines);
    }
}
END_TEST

/* ---- lines read again ---- */

/* Reads some lines ahead, puts them back, and reads them one by one; adds the number, the line and its ending
 * of each. */
static void read_again_and_again(struct buffer *out, struct lines *lines, size_t ahead)
{
    enum lines_result result = LINES_LINE;
    struct buffer text = {0};
    struct error err;
    const char *line;
    size_t len;

    while (result != LINES_END) {
        uint64_t count = 0;

        result = lines_next(lines, &line, &len, &err);
        buffer_printf(out, "%llu%s", (unsigned long long)lines_number(lines),
                      result == LINES_LONG ? "long" : "");
        buffer_add(out, line, result == LINES_LINE ? len : 0);
        buffer_add_text(out, result == LINES_LINE ? lines_ending(lines) : "");
        buffer_reset(&text);
        if (random64() % 3 == 0 || result == LINES_END)
            continue;
        result = LINES_LINE;
        while (count < ahead && (result = lines_next(lines, &line, &len, &err)) == LINES_LINE) {
            buffer_add(&text, line, len);
            buffer_add_text(&text, lines_ending(lines));
            count++;
        }
        ck_assert_int_eq(lines_return(lines, text.data, text.len, count, result == LINES_LONG, &err), 0);
        result = LINES_LINE;
    }
    buffer_release(&text);
}

START_TEST(lines_put_back_are_read_again_with_their_numbers)
{
    static const char *const parts[] = {"a\n", "\n", "b\r\n", "a longer line\n", "this line is too long\n",
                                        "\r"};

    for (int round = 0; round < 300; round++) {
        struct buffer text = {0}, once = {0}, again = {0};
        uint8_t sums[2][DIGEST_SHA256_LEN];
        struct error err;

        for (uint64_t i = 1 + random64() % 100; i > 0; i--)
            buffer_add_text(&text, parts[random64() % 6]);
        for (size_t ahead = 0; ahead < 2; ahead++) {
            struct lines *lines = open_memory(text.data, text.len);

            lines_limit(lines, 15);
            read_again_and_again(ahead ? &again : &once, lines, ahead * (1 + random64() % 9));
            ck_assert_int_eq(lines_sha256(lines, sums[ahead], &err), 0);
            ck_assert_uint_eq(lines_position(lines), text.len);
            lines_close(lines);
        }
        ck_assert_uint_eq(once.len, again.len);
        ck_assert_mem_eq(once.data, again.data, once.len);
        ck_assert_mem_eq(sums[0], sums[1], DIGEST_SHA256_LEN);
        buffer_release(&text);
        buffer_release(&once);
        buffer_release(&again);
    }
}
END_TEST

START_TEST(a_file_that_cannot_be_opened_is_named)
{
    struct error err = {""};

    ck_assert_ptr_null(lines_open("/nowhere/at/all", &err));
    ck_assert_ptr_nonnull(strstr(err.text, "/nowhere/at/all"));
    ck_assert_ptr_null(lines_open("/", &err));
    ck_assert_ptr_nonnull(strstr(err.text, "folder"));
}
END_TEST

START_TEST(a_pipe_is_read_as_data_arrives)
{
    char path[] = "/tmp/test_lines.XXXXXX", fifo[64];
    struct buffer out = {0};
    struct error err = {""};
    struct lines *lines;
    FILE *to;

    ck_assert_ptr_nonnull(mkdtemp(path));
    snprintf(fifo, sizeof fifo, "%s/fifo", path);
    ck_assert_int_eq(mkfifo(fifo, 0600), 0);
    if (fork() == 0) {
        to = fopen(fifo, "w");
        for (int i = 0; to && i < 3; i++) {
            fputs("a\nb", to);
            fflush(to);
        }
        _exit(0);
    }
    lines = lines_open(fifo, &err);
    ck_assert_msg(lines != NULL, "%s", err.text);
    ck_assert(!lines_is_file(lines));
    ck_assert_uint_eq(lines_size(lines), 0);
    add_lines(&out, lines);
    ck_assert_uint_eq(out.len, 17);
    ck_assert_mem_eq(out.data, "[a]n[ba]n[ba]n[b]", 17);
    lines_close(lines);
    buffer_release(&out);
    unlink(fifo);
    rmdir(path);
}
END_TEST

RUN_TESTS("lines", lines_end_with_lf_or_cr_lf_or_the_text, cr_ends_lines_only_where_there_is_no_lf,
          zero_bytes_and_invalid_utf8_are_kept, a_byte_order_mark_is_dropped, utf16_becomes_utf8,
          plain_utf16_is_recognized_without_a_mark, half_a_surrogate_pair_and_an_odd_byte_are_kept,
          utf16_does_not_depend_on_where_reads_end, lines_come_whole_wherever_reads_end,
          an_overlong_line_is_skipped_and_counted, the_limit_can_be_set,
          the_head_is_available_before_anything_is_read, the_sha256_is_that_of_the_raw_bytes,
          lines_put_back_are_read_again_with_their_numbers, a_file_that_cannot_be_opened_is_named,
          a_pipe_is_read_as_data_arrives)
