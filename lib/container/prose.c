/* SPDX-License-Identifier: Apache-2.0 */
#include "container/prose.h"

#include <string.h>

#include "base/memory.h"
#include "container/text_file.h"

enum {
    LEAST = 512,
    MOST = 1 << 20,
    LEAST_WIDTH = 50,
    MOST_WIDTH = 100,
    MOST_BYTES = 4 * MOST_WIDTH,
    MOST_WORD = 20,  /* columns for each space: more have lists of digests, and what is encoded */
    SLACK = 4,       /* columns by which a line may be shorter than it need be */
    LEAST_PAIRS = 8, /* lines that are followed by another one of the same paragraph */
    PIECE = 32 << 10,
};

struct prose {
    struct text_file file;
    bool has_text; /* the line that is being read */
    enum running_text_charset charset;
    char bytes[PIECE];
};

/* ---- recognising it ---- */

static bool is_blank(const uint8_t *line, const uint8_t *end)
{
    while (line < end && (*line == ' ' || *line == '\t' || *line == '\r'))
        line++;
    return line == end;
}

/* Characters in UTF-8. */
static size_t columns(const uint8_t *text, const uint8_t *end)
{
    size_t count = 0;

    for (; text < end; text++)
        count += (*text & 0xc0) != 0x80;
    return count;
}

static size_t first_word(const uint8_t *line, const uint8_t *end)
{
    const uint8_t *from;

    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    for (from = line; line < end && *line != ' ' && *line != '\r';)
        line++;
    return columns(from, line);
}

/* The longest line; 0: there are too long ones, or bytes that text does not have. */
static size_t width_of(const uint8_t *text, const uint8_t *end)
{
    size_t width = 0;
    const uint8_t *line_end;

    for (; (line_end = memchr(text, '\n', (size_t)(end - text))) != NULL; text = line_end + 1) {
        const size_t len = line_end - text > MOST_BYTES ? MOST_BYTES : columns(text, line_end);

        if (len > MOST_WIDTH)
            return 0;
        width = len > width ? len : width;
    }
    return end - text > MOST_BYTES || columns(text, end) > MOST_WIDTH ? 0 : width;
}

static size_t count_spaces(const uint8_t *text, const uint8_t *end)
{
    size_t count = 0;

    for (; text < end; text++)
        count += *text == ' ';
    return count;
}

static bool is_wrapped(const uint8_t *text, size_t len)
{
    const uint8_t *const end = text + len;
    const size_t width = width_of(text, end);
    const uint8_t *next;
    size_t pairs = 0, full = 0, before = 0, spaces = 0, all = 0;

    if (width < LEAST_WIDTH || memchr(text, 0, len))
        return false;
    for (; (next = memchr(text, '\n', (size_t)(end - text))) != NULL; text = next + 1) {
        if (is_blank(text, next)) {
            before = 0;
            continue;
        }
        pairs += before > 0;
        full += before > 0 && before + 1 + first_word(text, next) + SLACK > width;
        before = columns(text, next);
        all += before;
        spaces += count_spaces(text, next);
    }
    return pairs >= LEAST_PAIRS && full * 20 >= pairs * 17 && spaces * MOST_WORD >= all;
}

static bool matches(const struct container_sight *sight)
{
    /* Most files are no such text by their first lines. */
    return sight->size >= LEAST && sight->size <= MOST && !sight->is_carved &&
           width_of(sight->head, sight->head + LEAST) > 0 && is_wrapped(sight->head, sight->head_len);
}

/* ---- its text ---- */

static void take_piece(struct prose *prose, const char *text, size_t len)
{
    struct running_text *out = &prose->file.out;

    while (len > 0) {
        const char *end = memchr(text, '\n', len);
        const size_t own = end ? (size_t)(end - text) : len;

        prose->has_text |= !is_blank((const uint8_t *)text, (const uint8_t *)text + own);
        running_text_add(out, prose->charset, text, own);
        if (!end)
            return;
        if (prose->has_text)
            running_text_space(out);
        else
            running_text_break(out);
        prose->has_text = false;
        text = end + 1;
        len -= own + 1;
    }
}

static void produce(struct text_file *file)
{
    struct prose *prose = (struct prose *)file;
    size_t len = 1;

    while (len > 0 && file->out.out.len < TEXT_FILE_AHEAD) {
        len = text_file_read(file, prose->bytes, PIECE);
        running_text_decide(&prose->charset, prose->bytes, len);
        take_piece(prose, prose->bytes, len);
    }
    if (len == 0) {
        running_text_end(&file->out);
        file->is_ended = true;
    }
}

static struct container *open_prose(const struct container_sight *sight, const struct container_watch *watch,
                                    struct error *err)
{
    struct prose *prose = memory_new(sizeof *prose, err);

    if (!prose)
        return NULL;
    text_file_init(&prose->file, sight, watch, produce);
    return &prose->file.container;
}

/* Source files rarely begin with a letter, a digit or a quotation mark; nor with what begins a character of
 * UTF-8, as a byte order mark does. */
const struct container_format prose_format = {
    .name = "text",
    .first = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 \t\r\n\"'"
             "\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xc9\xca\xcb\xcc\xcd\xce\xcf"
             "\xd0\xd1\xd2\xd3\xd4\xd5\xd6\xd7\xd8\xd9\xda\xdb\xdc\xdd\xde\xdf"
             "\xe0\xe1\xe2\xe3\xe4\xe5\xe6\xe7\xe8\xe9\xea\xeb\xec\xed\xee\xef",
    .matches = matches,
    .open = open_prose};
