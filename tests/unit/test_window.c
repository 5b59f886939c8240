/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check_main.h"
#include "container/window.h"
#include "disk/content_part.h"

/* Content that is read in small pieces, each once, and not beyond `broken`. */
struct once {
    struct content content;
    const uint8_t *data;
    uint64_t next, broken;
};

static ssize_t read_once(struct content *content, uint64_t offset, void *into, size_t len)
{
    struct once *once = (struct once *)content;
    size_t piece = 1 + random64() % 50000;

    ck_assert(offset >= once->next && offset < content->size && len > 0);
    if (offset >= once->broken)
        return -1;
    piece = piece < len ? piece : len;
    piece = piece < once->broken - offset ? piece : (size_t)(once->broken - offset);
    memcpy(into, once->data + offset, piece);
    once->next = offset + piece;
    return (ssize_t)piece;
}

static struct once make(const uint8_t *data, size_t len, size_t broken)
{
    return (struct once){{.size = len, .read = read_once}, data, 0, broken};
}

/* Moves on in random steps, some of them large. */
static uint64_t walk(struct window *window, const uint8_t *data)
{
    uint64_t at = 0;
    size_t len;

    for (;;) {
        const size_t want = random64() % (WINDOW_ROOM / 2 + 1);
        const uint8_t *view = window_view(window, at, want, &len);

        ck_assert(len >= want || at + len == window->size);
        ck_assert(len == 0 || memcmp(view, data + at, len) == 0);
        if (at >= window->size)
            return at;
        at += random64() % 8 ? random64() % (len + 1) : len + random64() % 100000;
        at = at < window->content->size ? at : window->content->size;
    }
}

START_TEST(content_once_and_in_order)
{
    enum { LEN = 700000 };
    uint8_t *data = random_block(LEN);

    for (size_t i = 0; i < 60; i++) {
        const size_t len = i < 10 ? i : random64() % LEN;
        struct once once = make(data, len, len);
        struct window window;

        ck_assert_int_eq(window_init(&window, &once.content, false, NULL), 0);
        ck_assert_uint_eq(walk(&window, data), len);
        ck_assert(!window.is_broken);
        window_release(&window);
    }
    free(data);
}
END_TEST

START_TEST(ends_where_it_cannot_be_read)
{
    uint8_t *data = random_block(200000);
    struct once once = make(data, 200000, 150000);
    struct window window;
    size_t len;

    ck_assert_int_eq(window_init(&window, &once.content, false, NULL), 0);
    for (uint64_t at = 0; at < 150000; at += len) {
        const uint8_t *view = window_view(&window, at, 1, &len);

        ck_assert(len > 0);
        ck_assert_mem_eq(view, data + at, len);
    }
    window_view(&window, 150000, 1, &len);
    ck_assert(len == 0 && window.is_broken && window.size == 150000);
    window_release(&window);
    free(data);
}
END_TEST

/* The offset at which text ends that is read in pieces. */
static uint64_t end_of_text(const uint8_t *data, size_t len)
{
    struct once once = make(data, len, len);
    struct window window;
    uint64_t at = 0;
    size_t seen = 1;

    ck_assert_int_eq(window_init(&window, &once.content, true, NULL), 0);
    for (; seen; at += seen)
        window_view(&window, at, 1, &seen);
    ck_assert(window.size == at && !window.is_broken);
    window_release(&window);
    return at;
}

/* Before a zero byte; or before the sector with another byte that no text has. */
START_TEST(text_ends_where_another_file_begins)
{
    enum { LEN = 300000 };
    static const char kept[] = "\t\n\r\f\b\033\016\017\177\200\377";
    uint8_t *data = random_block(LEN);

    for (size_t i = 0; i < 40; i++) {
        const size_t foreign = random64() % LEN;

        for (size_t k = 0; k < LEN; k++)
            data[k] = data[k] < ' ' ? (uint8_t)kept[data[k] % (sizeof kept - 1)] : data[k];
        ck_assert_uint_eq(end_of_text(data, LEN), LEN);
        data[foreign] = i % 2 ? 1 + (uint8_t)(i % 7) : 0;
        ck_assert_uint_eq(end_of_text(data, LEN), i % 2 ? foreign - foreign % 512 : foreign);
    }
    free(data);
}
END_TEST

RUN_TESTS("window", content_once_and_in_order, ends_where_it_cannot_be_read,
          text_ends_where_another_file_begins)
