/* SPDX-License-Identifier: Apache-2.0 */
#include "check_main.h"
#include "container/prose.h"
#include "containers.h"

static const char *const words[] = {
    "the", "office", "accepted", "an",      "efficient", "offer", "of", "internationalization",
    "a",   "and",    "sent",     "letters", "about"};

enum { WORDS = sizeof words / sizeof *words };

/* Paragraphs of `count` words each, wrapped at `width` as a writer's program does; and as running text. */
static void write_text(struct buffer *wrapped, struct buffer *running, size_t paragraphs, size_t count,
                       size_t width)
{
    size_t at = 0;

    for (size_t i = 0; i < paragraphs; i++) {
        size_t column = 0;

        for (size_t j = 0; j < count; j++, at = at * 7 + j + i) {
            const char *word = words[at % WORDS];

            if (column > 0) {
                const bool fits = column + 1 + strlen(word) <= width;

                buffer_add_char(wrapped, fits ? ' ' : '\n');
                buffer_add_char(running, ' ');
                column = fits ? column + 1 : 0;
            }
            buffer_add_text(wrapped, word);
            buffer_add_text(running, word);
            column += strlen(word);
        }
        buffer_add_text(wrapped, i % 2 ? "\n\n" : "\n \n\n");
        buffer_add_char(running, '\n');
    }
}

static struct containers_list open_text(const struct buffer *text, size_t piece)
{
    const struct containers_limits limits = {.piece = piece};

    ck_assert(!text->failed);
    return containers_open(&prose_format, text->data, text->len, false, &limits);
}

START_TEST(joins_the_lines_of_paragraphs)
{
    static const size_t widths[] = {60, 72, 80, 99};

    for (size_t i = 0; i < 4; i++)
        for (size_t paragraphs = 1; paragraphs <= 200; paragraphs += 199) {
            struct buffer wrapped = {0}, running = {0};
            struct containers_list list;

            write_text(&wrapped, &running, paragraphs, 300, widths[i]);
            list = open_text(&wrapped, i % 2 ? 7 : CONTAINER_PIECE);
            ck_assert(list.matches);
            ck_assert_uint_eq(list.count, 1);
            ck_assert_mem_eq(list.members[0].name.data, "text", 4);
            ck_assert_uint_eq(list.members[0].data.len, running.len);
            ck_assert_mem_eq(list.members[0].data.data, running.data, running.len);
            containers_release(&list);
            buffer_release(&wrapped);
            buffer_release(&running);
        }
}
END_TEST

/* The text with each "e" written as these bytes. */
static void write_with(const struct buffer *text, const char *bytes, struct buffer *out)
{
    for (size_t i = 0; i < text->len; i++)
        if (text->data[i] == 'e')
            buffer_add_text(out, bytes);
        else
            buffer_add_char(out, text->data[i]);
}

/* Columns are characters; and words are the same, however they are encoded. */
START_TEST(reads_letters_that_are_not_ascii)
{
    static const struct {
        const char *start, *stored, *text;
    } encodings[] = {{"", "\xc3\xa9", "\xc3\xa9"}, /* UTF-8 */
                     {"\xef\xbb\xbf", "\xd0\xb5", "\xd0\xb5"},
                     {"", "\xe9", "\xc3\xa9"}, /* Windows-1252 */
                     {"\"", "e", "e"}};
    struct buffer wrapped = {0}, running = {0};

    write_text(&wrapped, &running, 200, 300, 72);
    for (size_t i = 0; i < 4; i++) {
        struct buffer text = {0}, truth = {0};
        struct containers_list list;

        buffer_add_text(&text, encodings[i].start);
        buffer_add_text(&truth, encodings[i].start[0] == '"' ? "\"" : "");
        write_with(&wrapped, encodings[i].stored, &text);
        write_with(&running, encodings[i].text, &truth);
        ck_assert(strchr(prose_format.first, text.data[0]));
        list = open_text(&text, CONTAINER_PIECE);
        ck_assert_uint_eq(list.count, 1);
        ck_assert_uint_eq(list.members[0].data.len, truth.len);
        ck_assert_mem_eq(list.members[0].data.data, truth.data, truth.len);
        containers_release(&list);
        buffer_release(&text);
        buffer_release(&truth);
    }
    buffer_release(&wrapped);
    buffer_release(&running);
}
END_TEST

static void check_refused(const struct buffer *text, const char *what)
{
    struct containers_list list = open_text(text, CONTAINER_PIECE);

    ck_assert_msg(!list.matches, "%s", what);
    containers_release(&list);
}

/* Lines that end where they need not: lists, tables, verse, programs; and what is too short, or no text. */
START_TEST(refuses_what_is_not_wrapped)
{
    struct buffer text = {0}, running = {0};

    for (int i = 0; i < 100; i++)
        buffer_printf(&text, "%s of item %d%s\n", words[i % WORDS], i * i,
                      i % 3 ? "" : ", which is a longer one than most of the others are");
    check_refused(&text, "a list");
    buffer_reset(&text);
    for (int i = 0; i < 100; i++)
        buffer_printf(&text, "%*sif (%s == %s)\n", i % 12, "", words[i % WORDS], words[i * 7 % WORDS]);
    check_refused(&text, "a program");
    buffer_reset(&text);
    for (int i = 0; i < 100; i++)
        buffer_printf(&text, "%064x  file-%03d\n", i, i);
    check_refused(&text, "digests");
    buffer_reset(&text);
    for (int i = 0; i < 100; i++)
        buffer_printf(&text, "%076d\n", i);
    check_refused(&text, "what is encoded");
    buffer_reset(&text);
    write_text(&text, &running, 50, 300, 2000);
    check_refused(&text, "lines without a width");
    buffer_reset(&text);
    write_text(&text, &running, 1, 60, 72);
    ck_assert_uint_lt(text.len, 512);
    check_refused(&text, "a short text");
    buffer_reset(&text);
    write_text(&text, &running, 5, 300, 72);
    text.data[1000] = 0;
    check_refused(&text, "a zero byte");
    buffer_reset(&text);
    write_text(&text, &running, 800, 300, 72);
    ck_assert_uint_gt(text.len, 1 << 20);
    check_refused(&text, "a long text");
    buffer_release(&text);
    buffer_release(&running);
}
END_TEST

RUN_TESTS("prose", joins_the_lines_of_paragraphs, reads_letters_that_are_not_ascii,
          refuses_what_is_not_wrapped)
