/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "check_main.h"
#include "container/running_text.h"

static void check_out(struct running_text *text, const char *expected)
{
    running_text_end(text);
    ck_assert(!text->out.failed);
    ck_assert_uint_eq(text->out.len, strlen(expected));
    if (text->out.len)
        ck_assert_mem_eq(text->out.data, expected, text->out.len);
    running_text_release(text);
}

static const struct {
    const char *in, *out;
} cases[] = {
    {"", ""},
    {" \r\n\t ", ""},
    {"one", "one\n"},
    {"  two \n  words ", "two words\n"},
    {"of\xef\xac\x81"
     "ce",
     "office\n"},                   /* U+FB01 */
    {"soft\xc2\xadly", "softly\n"}, /* U+00AD */
    {"no\xc2\xa0"
     "break",
     "no break\n"},                             /* U+00A0 */
    {"zero\xe2\x80\x8bwidth", "zerowidth\n"},   /* U+200B */
    {"\xef\xbb\xbfmark", "mark\n"},             /* U+FEFF */
    {"\xf0\x9f\x99\x82", "\xf0\x9f\x99\x82\n"}, /* U+1F642 */
    {"a\xffz", "a z\n"},                        /* never in UTF-8 */
    {"a\xc0\xafz", "a z\n"},                    /* too long for a slash */
    {"a\xe2\x82z", "a z\n"},                    /* cut off */
    {"a\xed\xa0\x80z", "a z\n"},                /* half of a surrogate pair */
    {"a\xf4\x90\x80\x80z", "a z\n"},            /* beyond Unicode */
    {"bell\a\x1b[2Jend", "bell [2Jend\n"},
};

START_TEST(cases_as_written)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct running_text text = {0};

        running_text_utf8(&text, cases[i].in, strlen(cases[i].in));
        check_out(&text, cases[i].out);
    }
}
END_TEST

/* However the input is divided, the text is the same. */
START_TEST(divided_anywhere)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t at = 0; at <= strlen(cases[i].in); at++) {
            struct running_text text = {0};

            running_text_utf8(&text, cases[i].in, at);
            running_text_utf8(&text, cases[i].in + at, strlen(cases[i].in + at));
            check_out(&text, cases[i].out);
        }
}
END_TEST

START_TEST(paragraphs)
{
    struct running_text text = {0};

    running_text_break(&text);
    running_text_utf8(&text, "one ", 4);
    running_text_break(&text);
    running_text_space(&text);
    running_text_break(&text);
    running_text_char(&text, 't');
    running_text_space(&text);
    running_text_space(&text);
    running_text_char(&text, 0x20ac);
    running_text_break(&text);
    check_out(&text, "one\nt \xe2\x82\xac\n");
}
END_TEST

/* A character that a break cuts off is not completed after it. */
START_TEST(break_in_a_character)
{
    struct running_text text = {0};

    running_text_utf8(&text, "a\xe2\x82", 3);
    running_text_break(&text);
    running_text_utf8(&text,
                      "\xac"
                      "b",
                      2);
    check_out(&text, "a\nb\n");
}
END_TEST

/* Against a table made with Python: bytes(range(256)).decode('cp1252', 'replace'). */
START_TEST(windows)
{
    struct running_text text = {0};

    running_text_windows(&text, "caf\xe9 \x80\x8a\x93x\x94\x81y", 13);
    check_out(&text, "caf\xc3\xa9 \xe2\x82\xac\xc5\xa0\xe2\x80\x9cx\xe2\x80\x9d y\n");
}
END_TEST

/* Random bytes give UTF-8 without double spaces, and ending in a line feed. */
START_TEST(random_bytes)
{
    for (int round = 0; round < 300; round++) {
        struct running_text text = {0};
        uint8_t bytes[200];

        fill_random(bytes, sizeof bytes);
        running_text_utf8(&text, (const char *)bytes, sizeof bytes);
        running_text_end(&text);
        for (size_t i = 0; i + 1 < text.out.len; i++) {
            ck_assert((uint8_t)text.out.data[i] >= ' ');
            ck_assert(memcmp(text.out.data + i, "  ", 2) != 0);
        }
        ck_assert(text.out.len == 0 || text.out.data[text.out.len - 1] == '\n');
        running_text_release(&text);
    }
}
END_TEST

/* However it is taken away, and even while more is added, it is the same text. */
START_TEST(taken_piece_by_piece)
{
    static const char words[] = "some  words of caf\xc3\xa9 and\ttea";
    char taken[sizeof words];
    struct running_text text = {0};
    size_t len = 0;

    for (size_t i = 0; i < strlen(words); i++) {
        running_text_utf8(&text, words + i, 1);
        if (i % 3 == 0)
            len += running_text_take(&text, taken + len, i % 4);
    }
    running_text_end(&text);
    for (size_t count = 1; count > 0; len += count)
        count = running_text_take(&text, taken + len, 2);
    ck_assert_uint_eq(text.out.len, 0);
    ck_assert_uint_eq(len, strlen("some words of cafe' and tea\n"));
    ck_assert_mem_eq(taken, "some words of caf\xc3\xa9 and tea\n", len);
    running_text_release(&text);
}
END_TEST

RUN_TESTS("running_text", cases_as_written, divided_anywhere, paragraphs, break_in_a_character, windows,
          random_bytes, taken_piece_by_piece)
