/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/lab_edits.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "lab/lab_text.h"

/*
 * Chooses places one after another: `left` of those that `remain` still have to be given out, this one
 * included.  Returns how often this place is chosen, and takes that from left.  Each subset of places is
 * equally likely (Knuth, algorithm S); if there are fewer places than choices, they are spread evenly.
 */
static size_t choose(struct lab_random *random, size_t remain, size_t *left)
{
    const size_t times = *left / remain + (lab_random_below(random, remain) < *left % remain);

    *left -= times;
    return times;
}

static bool is_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The length of the word at p; white space at the beginning of a document belongs to its first word. */
static size_t word_len(const uint8_t *p, size_t len)
{
    size_t i = 0;

    while (i < len && is_space(p[i]))
        i++;
    while (i < len && !is_space(p[i]))
        i++;
    while (i < len && is_space(p[i]))
        i++;
    return i;
}

static size_t line_len(const uint8_t *p, size_t len)
{
    const uint8_t *end = memchr(p, '\n', len);

    return end ? (size_t)(end - p) + 1 : len;
}

typedef size_t piece_len(const uint8_t *p, size_t len);

static size_t count_pieces(piece_len *measure, const uint8_t *data, size_t len)
{
    size_t count = 0;

    for (size_t at = 0; at < len; at += measure(data + at, len - at))
        count++;
    return count;
}

void lab_edits_substitute(struct lab_random *random, const uint8_t *data, size_t len, double share,
                          struct buffer *out)
{
    size_t left = (size_t)lround(share * (double)len);
    char *to = len ? buffer_extend(out, len) : NULL;

    for (size_t i = 0; to && i < len; i++) {
        to[i] = (char)data[i];
        if (choose(random, len - i, &left))
            while ((uint8_t)to[i] == data[i])
                to[i] = (char)(' ' + lab_random_below(random, 95));
    }
}

void lab_edits_add_blocks(struct lab_random *random, const uint8_t *data, size_t len, unsigned blocks,
                          size_t size, struct buffer *out)
{
    size_t left = blocks;

    for (size_t i = 0; i <= len; i++) {
        for (size_t times = choose(random, len + 1 - i, &left); times > 0; times--)
            lab_text_generate(random, size, out);
        if (i < len)
            buffer_add_char(out, (char)data[i]);
    }
}

void lab_edits_insert(struct lab_random *random, const uint8_t *data, size_t len, const char *text,
                      unsigned times, struct buffer *out)
{
    const size_t words = count_pieces(word_len, data, len);
    size_t left = times, size;

    for (size_t at = 0, word = 0; at < len; at += size, word++) {
        size = word_len(data + at, len - at);
        for (size_t here = choose(random, words - word, &left); here > 0; here--)
            buffer_add_text(out, text);
        buffer_add(out, data + at, size);
    }
    for (; left > 0; left--)
        buffer_add_text(out, text);
}

static void remove_pieces(struct lab_random *random, piece_len *measure, const uint8_t *data, size_t len,
                          size_t left, struct buffer *out)
{
    const size_t pieces = count_pieces(measure, data, len);
    size_t size;

    for (size_t at = 0, piece = 0; at < len; at += size, piece++) {
        size = measure(data + at, len - at);
        if (choose(random, pieces - piece, &left) == 0)
            buffer_add(out, data + at, size);
    }
}

void lab_edits_remove_words(struct lab_random *random, const uint8_t *data, size_t len, unsigned words,
                            struct buffer *out)
{
    remove_pieces(random, word_len, data, len, words, out);
}

void lab_edits_remove_lines(struct lab_random *random, const uint8_t *data, size_t len, unsigned lines,
                            struct buffer *out)
{
    remove_pieces(random, line_len, data, len, lines, out);
}

void lab_edits_remove_block(struct lab_random *random, const uint8_t *data, size_t len, unsigned lines,
                            struct buffer *out)
{
    const size_t count = count_pieces(line_len, data, len);
    const size_t first = count > lines ? lab_random_below(random, count - lines + 1) : 0;
    size_t size;

    for (size_t at = 0, line = 0; at < len; at += size, line++) {
        size = line_len(data + at, len - at);
        if (line < first || line - first >= lines)
            buffer_add(out, data + at, size);
    }
}
