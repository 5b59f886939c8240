/* SPDX-License-Identifier: Apache-2.0 */
#include "base64_text.h"
#include "check_main.h"
#include "container/encoded.h"
#include "container/window.h"
#include "containers.h"

/* A block that was planted: where it begins, and what it encodes. */
struct planted {
    size_t at, len;
    uint8_t *bytes;
};

/* Whether the members are exactly those. */
static void check_planted(const struct container_format *format, const struct buffer *file,
                          const struct planted *planted, size_t count)
{
    struct containers_list list = containers_open(format, file->data, file->len, false, NULL);

    ck_assert(list.matches);
    ck_assert_str_eq(list.failure, "");
    for (size_t i = 0; i < count && i < list.count; i++) {
        const struct containers_member *member = &list.members[i];
        char name[24];

        snprintf(name, sizeof name, "%zu", planted[i].at);
        ck_assert_msg(member->name.len == strlen(name) && memcmp(member->name.data, name, strlen(name)) == 0,
                      "%.*s instead of %s", (int)member->name.len, member->name.data, name);
        ck_assert_uint_eq(member->data.len, planted[i].len);
        ck_assert_mem_eq(member->data.data, planted[i].bytes, planted[i].len);
        ck_assert_str_eq(member->failure, "");
    }
    ck_assert_uint_eq(list.count, count);
    containers_release(&list);
}

/* How Base64 stands in files. */
static const struct {
    const char *before, *after; /* of the block */
    size_t line;
    const char *newline;
} contexts[] = {
    {"", "", 0, ""},
    {"url(data:image/png;base64,", ") no-repeat;", 0, ""},
    {"{\"key\": \"", "\"}\n", 0, ""},
    {"a word and then ", " and words\n", 0, ""},
    {"-----BEGIN CERTIFICATE-----\n", "-----END CERTIFICATE-----\n", 64, "\n"},
    {"MIME-Version: 1.0\r\nContent-Transfer-Encoding: base64\r\n\r\n", "\r\n--boundary\r\n", 76, "\r\n"},
    {"words\nof text\n", "words\nand words\n", 60, "\n"},
    {"cert: |\n    ", "words: 1\n", 64, "\n    "},
    {"\"-----BEGIN-----\\n", "-----END-----\\n\"", 64, "\\n"},
    {"{\"lines\": \"", "\"}", 70, "\\r\\n"},
    {"<x>", "</x>\n", 1000, "\r\n"},
    {"\n\n\n", "\n\n", 100, "\n"},
};

START_TEST(base64_in_every_context)
{
    for (size_t i = 0; i < sizeof contexts / sizeof *contexts; i++)
        for (size_t round = 0; round < 60; round++) {
            const size_t least = strchr(contexts[i].newline, ' ') ? 750 : 150;
            struct planted planted = {.len = least + random64() % (round < 57 ? 900 : 3 * WINDOW_ROOM)};
            struct buffer file = {0};

            planted.bytes = random_block(planted.len);
            for (size_t fill = random64() % 500; fill > 0; fill--)
                buffer_add_char(&file, random64() % 7 ? '-' : '\n');
            buffer_add_text(&file, contexts[i].before);
            planted.at = file.len;
            base64_text_add(&file, planted.bytes, planted.len, contexts[i].line, contexts[i].newline);
            buffer_add_text(&file, contexts[i].after);
            check_planted(&encoded_base64_format, &file, &planted, 1);
            free(planted.bytes);
            buffer_release(&file);
        }
}
END_TEST

/* Many blocks between random bytes, at any distance. */
START_TEST(base64_many_times)
{
    enum { BLOCKS = 300 };
    struct planted planted[BLOCKS];
    struct buffer file = {0};

    for (size_t i = 0; i < BLOCKS; i++) {
        uint8_t *garbage = random_block(3000);

        planted[i].len = 150 + random64() % 1000;
        planted[i].bytes = random_block(planted[i].len);
        buffer_add(&file, garbage, random64() % 3000);
        buffer_add_char(&file, '"');
        planted[i].at = file.len;
        base64_text_add(&file, planted[i].bytes, planted[i].len, random64() % 2 ? 76 : 0, "\n");
        buffer_add_char(&file, '"');
        free(garbage);
    }
    check_planted(&encoded_base64_format, &file, planted, BLOCKS);
    for (size_t i = 0; i < BLOCKS; i++)
        free(planted[i].bytes);
    buffer_release(&file);
}
END_TEST

/* A block without its end: what there is of it. */
START_TEST(base64_cut_off)
{
    struct planted planted = {.at = 0, .len = 900, .bytes = random_block(900)};
    struct buffer file = {0};

    base64_text_add(&file, planted.bytes, 900, 76, "\n");
    file.len = 77 * 10 + 42; /* 802 characters */
    planted.len = 802 / 4 * 3 + 1;
    check_planted(&encoded_base64_format, &file, &planted, 1);
    buffer_reset(&file);
    base64_text_add(&file, planted.bytes, 900, 0, "");
    file.len = 803;
    planted.len = 803 / 4 * 3 + 2;
    check_planted(&encoded_base64_format, &file, &planted, 1);
    free(planted.bytes);
    buffer_release(&file);
}
END_TEST

static void add_repeated(struct buffer *out, const char *what, size_t len)
{
    for (size_t i = 0; i < len; i++)
        buffer_add_char(out, what[i % strlen(what)]);
}

START_TEST(what_is_no_base64)
{
    static const char *const texts[] = {
        "a",
        "ACGTTGCA",
        "0123456789abcdef",
        "words words words ",
        "camelCaseWordsAreLong4You",
        "usr/share/doc/Files1/",
        "word\n",
        "Words1\n",
        "0123456789ABCDEFghijkl-",
        "=",
    };
    struct buffer file = {0};
    uint8_t *bytes = random_block(150);

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        buffer_reset(&file);
        add_repeated(&file, texts[i], 10000);
        check_planted(&encoded_base64_format, &file, NULL, 0);
    }
    buffer_reset(&file);
    add_repeated(&file, " ", 100);
    base64_text_add(&file, bytes, 147, 0, ""); /* 196 characters */
    add_repeated(&file, " ", 100);
    check_planted(&encoded_base64_format, &file, NULL, 0);
    buffer_reset(&file);
    for (size_t len = 60; len < 150; len += 3) { /* in lines that differ in length */
        base64_text_add(&file, bytes, len, 0, "");
        buffer_add_char(&file, '\n');
    }
    check_planted(&encoded_base64_format, &file, NULL, 0);
    free(bytes);
    buffer_release(&file);
}
END_TEST

START_TEST(mail_is_left_to_mail)
{
    static const char mail[] = "From: a@b.c\nSubject: x\n\n",
                      box[] = "From a@b Fri Apr 20 19:35:02 2001\nA: b\n\n";
    uint8_t bytes[300];

    fill_random(bytes, sizeof bytes);
    for (int i = 0; i < 2; i++) {
        struct buffer file = {0};
        struct containers_list list;

        buffer_add_text(&file, i ? mail : box);
        base64_text_add(&file, bytes, sizeof bytes, 76, "\n");
        list = containers_open(&encoded_base64_format, file.data, file.len, false, NULL);
        ck_assert(!list.matches);
        containers_release(&list);
        buffer_release(&file);
    }
}
END_TEST

/* Text in UTF-16, and the same in UTF-8, by the definitions. */
static const uint32_t pangram[] = {'T', 'h',  'e',  ' ', 'q', 'u', 'i', 'c', 'k', ' ',    0xe9, 0xdf,
                                   '.', ' ',  'b',  'r', 'o', 'w', 'n', ',', ' ', 0x2019, 'f',  'o',
                                   'x', '\r', '\n', 'j', 'u', 'm', 'p', 's', ' ', 'o',    'v',  'e'};

static void add_text(struct buffer *out, struct buffer *utf8, size_t units, bool is_little)
{
    for (size_t i = 0; i < units; i++) {
        const uint32_t c = pangram[i % (sizeof pangram / sizeof *pangram)];

        buffer_add_char(out, (char)(is_little ? c : c >> 8));
        buffer_add_char(out, (char)(is_little ? c >> 8 : c));
        if (c < 0x80)
            buffer_add_char(utf8, (char)c);
        else if (c < 0x800)
            buffer_printf(utf8, "%c%c", (int)(0xc0 | c >> 6), (int)(0x80 | (c & 63)));
        else
            buffer_printf(utf8, "%c%c%c", (int)(0xe0 | c >> 12), (int)(0x80 | (c >> 6 & 63)),
                          (int)(0x80 | (c & 63)));
    }
}

START_TEST(utf16_files)
{
    static const size_t sizes[] = {16, 100, 5000, 300000};

    for (size_t i = 0; i < 16; i++) {
        const bool is_little = i & 1, has_mark = i & 2;
        struct buffer file = {0}, utf8 = {0};
        struct containers_list list;

        if (has_mark)
            buffer_add(&file, is_little ? "\xff\xfe" : "\xfe\xff", 2);
        add_text(&file, &utf8, sizes[i / 4], is_little);
        list = containers_open(&encoded_utf16_format, file.data, file.len, false, NULL);
        ck_assert(list.matches);
        ck_assert_uint_eq(list.count, 1);
        ck_assert_mem_eq(list.members[0].name.data, "text", 4);
        ck_assert_uint_eq(list.members[0].data.len, utf8.len);
        ck_assert_mem_eq(list.members[0].data.data, utf8.data, utf8.len);
        containers_release(&list);
        list = containers_open(&encoded_utf16_runs_format, file.data, file.len, false, NULL);
        ck_assert(!list.matches);
        containers_release(&list);
        buffer_release(&file);
        buffer_release(&utf8);
    }
}
END_TEST

static bool matches_utf16(const char *data, size_t len)
{
    struct containers_list list = containers_open(&encoded_utf16_format, data, len, false, NULL);
    const bool matches = list.matches;

    containers_release(&list);
    return matches;
}

START_TEST(what_is_no_utf16)
{
    static const char utf32[] = "\xff\xfe\0\0a\0\0\0b\0\0\0", sound[] = "\xff\xfe\1\0\2\0\3\0",
                      text[] = "plain text in ASCII, of some length.";

    ck_assert(matches_utf16("\xff\xfe"
                            "a\0",
                            4));
    ck_assert(matches_utf16("\xff\xfe\x4e\x2d\x65\x87", 6));
    ck_assert(!matches_utf16(utf32, sizeof utf32 - 1));
    ck_assert(!matches_utf16(sound, sizeof sound - 1));
    ck_assert(!matches_utf16(text, sizeof text - 1));
    ck_assert(!matches_utf16("", 0));
    ck_assert(!matches_utf16("\xff\xfe", 2));
    ck_assert(!matches_utf16("a\0b\0c\0d\0", 8));
}
END_TEST

/* At even and odd offsets, in either order. */
START_TEST(runs_of_utf16)
{
    for (size_t round = 0; round < 100; round++) {
        struct planted planted[2];
        struct buffer file = {0}, texts[2] = {{0}};

        for (size_t i = 0; i < 2; i++) {
            uint8_t *garbage = random_block(20000);

            buffer_add(&file, garbage, random64() % 20000);
            buffer_add(&file, "\x90\x91\x92", 3);
            planted[i].at = file.len;
            add_text(&file, &texts[i], 100 + random64() % (round < 95 ? 500 : 2 * WINDOW_ROOM),
                     random64() % 2);
            buffer_add(&file, "\x90\x91\x92", 3);
            planted[i].len = texts[i].len;
            planted[i].bytes = (uint8_t *)texts[i].data;
            free(garbage);
        }
        check_planted(&encoded_utf16_runs_format, &file, planted, 2);
        for (size_t i = 0; i < 2; i++)
            buffer_release(&texts[i]);
        buffer_release(&file);
    }
}
END_TEST

/* Numbers of 16 bits, and texts that are too short. */
START_TEST(what_is_no_run_of_utf16)
{
    struct buffer file = {0}, text = {0};

    for (size_t i = 0; i < 4000; i++) {
        const size_t value = i < 1000   ? 'A' + i % 26
                             : i < 2000 ? 'A' + 2 * (i % 200)
                             : i < 3000 ? 'a'
                                        : '0' + i * 7 % 23;

        buffer_add_char(&file, (char)value);
        buffer_add_char(&file, (char)(value >> 8));
    }
    buffer_add(&file, "\x90\x91\x92", 3);
    for (size_t i = 0; i < 50; i++) {
        add_text(&file, &text, 99, true);
        buffer_add(&file, "\0\0\x90\x91\x92", 3 + i % 3);
    }
    check_planted(&encoded_utf16_runs_format, &file, NULL, 0);
    buffer_release(&file);
    buffer_release(&text);
}
END_TEST

/* Whether encoded text is noticed in one of two pieces, wherever they are divided. */
static bool is_noticed(const struct container_format *format, const struct buffer *file, size_t at)
{
    const uint8_t *data = (const uint8_t *)file->data;

    return format->notices(data, at) || format->notices(data + at, file->len - at);
}

START_TEST(noticed_in_pieces)
{
    uint8_t *garbage = random_block(4000), bytes[150];

    for (size_t shift = 0; shift < 200; shift += 3) {
        struct buffer base64 = {0}, utf16 = {0}, utf8 = {0};

        fill_random(bytes, sizeof bytes);
        buffer_add(&base64, garbage, 2000 + shift);
        buffer_add(&utf16, garbage, 2000 + shift);
        buffer_add_char(&base64, '"');
        buffer_add(&utf16, "\x90\x91\x92", 3);
        base64_text_add(&base64, bytes, sizeof bytes, 0, "");
        add_text(&utf16, &utf8, 100, shift % 2);
        buffer_add_char(&base64, '"');
        buffer_add(&utf16, "\x90\x91\x92", 3);
        buffer_add(&base64, garbage, 2000);
        buffer_add(&utf16, garbage, 2000);
        for (size_t at = 1000; at < 3000; at += 7)
            ck_assert(is_noticed(&encoded_base64_format, &base64, at) &&
                      is_noticed(&encoded_utf16_runs_format, &utf16, at));
        ck_assert(!encoded_base64_format.notices((const uint8_t *)utf16.data, utf16.len));
        ck_assert(!encoded_utf16_runs_format.notices((const uint8_t *)base64.data, base64.len));
        buffer_release(&base64);
        buffer_release(&utf16);
        buffer_release(&utf8);
    }
    free(garbage);
}
END_TEST

RUN_TESTS("encoded", base64_in_every_context, base64_many_times, base64_cut_off, what_is_no_base64,
          mail_is_left_to_mail, utf16_files, what_is_no_utf16, runs_of_utf16, what_is_no_run_of_utf16,
          noticed_in_pieces)
