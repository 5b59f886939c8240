/* SPDX-License-Identifier: Apache-2.0 */
#include "container/encoded.h"
#include "container/encoded_inner.h"
#include "container/mail.h"

enum {
    LEAST = 200,     /* characters of a block */
    LINE_LEAST = 32, /* of a line, if there are several */
    LINE_MOST = 2048,
    JUDGED = 4096, /* bytes by which a block is judged */
    INDENT_MOST = 256,
};

/* Its characters and those of line ends, however they are written. */
static inline bool looks_like_base64(const uint8_t *at)
{
    const encoded_vector v = encoded_load(at), letter = v | 0x20;

    return encoded_all((encoded_vector)((letter - 'a' < 26) | (v - '/' < 11) | (v == '+') | (v == '\n') |
                                        (v == '\r') | (v == '=') | (v == '\\')));
}

static bool is_base64(const uint8_t *at)
{
    return looks_like_base64(at);
}

static size_t find(const uint8_t *data, size_t from, size_t to)
{
    return encoded_search(data, from, to, looks_like_base64, is_base64);
}

static size_t run_length(const uint8_t *data, size_t len)
{
    size_t run = 0;

    while (run < len && transfer_base64_values[data[run]])
        run++;
    return run;
}

/* The length of a line's end, be it one that is written with backslashes. */
static size_t line_end(const uint8_t *data, size_t len)
{
    static const char *const ends[] = {"\n", "\r\n", "\\n", "\\r\\n"};

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (strlen(ends[i]) <= len && memcmp(data, ends[i], strlen(ends[i])) == 0)
            return strlen(ends[i]);
    return 0;
}

static size_t spaces(const uint8_t *data, size_t len)
{
    size_t count = 0;

    while (count < len && count < INDENT_MOST && (data[count] == ' ' || data[count] == '\t'))
        count++;
    return count;
}

static size_t pads(const uint8_t *data, size_t len)
{
    return len == 0 || data[0] != '=' ? 0 : len > 1 && data[1] == '=' ? 2 : 1;
}

/* The length of a line with its end and the spaces before the next line; 0 if the line does not belong to the
 * block.  Sets *text, the length of the line alone, and is_over after the last one. */
static size_t measure_line(struct encoded *encoded, const uint8_t *data, size_t len, size_t *text)
{
    const size_t whole = encoded->first ? encoded->first : encoded->line;
    const size_t run = run_length(data, len < whole + 1 ? len : whole + 1);
    const size_t padded = run + pads(data + run, len - run), end = line_end(data + padded, len - padded);

    encoded->is_over = true;
    *text = padded;
    if (run > whole || run == 0 || (run < whole && (encoded->left + padded) % 4 != 0 && run < len))
        return 0;
    encoded->left = (encoded->left + (unsigned)run) % 4;
    encoded->is_over = run < whole || padded > run || end == 0 ||
                       spaces(data + padded + end, len - padded - end) != encoded->indent;
    encoded->first = 0;
    return encoded->is_over ? padded : padded + end + encoded->indent;
}

/* The next piece of the block: a line, or of a single one what is in view. */
static size_t measure(struct encoded *encoded, const uint8_t *data, size_t len, size_t *text)
{
    size_t run;

    if (encoded->line)
        return measure_line(encoded, data, len, text);
    run = run_length(data, len);
    encoded->is_over = run < len || len < ENCODED_AHEAD;
    *text = run + pads(data + run, len - run);
    return *text;
}

static size_t take(struct encoded *encoded, const uint8_t *data, size_t len)
{
    size_t used = 0;

    /* A line may take half of what is in view. */
    do {
        size_t text = 0;
        const size_t piece = measure(encoded, data + used, len - used, &text);

        if (piece)
            transfer_add(&encoded->transfer, &encoded->decoded, data + used, text);
        used += piece;
    } while (!encoded->is_over && used <= ENCODED_AHEAD / 2 && encoded->line);
    return used;
}

static void end(struct encoded *encoded)
{
    transfer_end(&encoded->transfer, &encoded->decoded);
}

/* Where the line that contains `at` begins; *is_whole: it does so, apart from *indent spaces. */
static size_t line_start(const uint8_t *data, size_t at, bool *is_whole, size_t *indent)
{
    size_t start = at, before;

    while (start > 0 && transfer_base64_values[data[start - 1]])
        start--;
    *indent = 0;
    if (start > 0 && start < at && data[start - 1] == '\\' && (data[start] == 'n' || data[start] == 'r')) {
        *is_whole = true;
        return start + 1;
    }
    for (before = start; before > 0 && start - before < INDENT_MOST; before--)
        if (data[before - 1] != ' ' && data[before - 1] != '\t')
            break;
    *is_whole = before == 0 || data[before - 1] == '\n';
    if (*is_whole)
        *indent = start - before;
    return start;
}

/* Where the line before the one that begins at `start`, apart from spaces, ends; or 0. */
static size_t previous_end(const uint8_t *data, size_t start, size_t indent)
{
    const size_t at = start - indent;

    for (size_t len = 4; len > 0; len--)
        if (at > len && line_end(data + at - len, len) == len)
            return at - len;
    return 0;
}

/* Whether what begins at `start`, within a line, may be the beginning of a block whose other lines are
 * longer: it is not a word that happens to be the last one of a line. */
static bool begins_block(const uint8_t *data, size_t start, size_t len)
{
    return len > 0 && len % 4 == 0 && (len >= LINE_LEAST || data[start - 1] != ' ');
}

/* Includes lines before the one that begins at `start`: those of the same length, and the end of one that
 * begins with something else. */
static size_t earlier_lines(struct encoded *encoded, const uint8_t *data, size_t start)
{
    for (;;) {
        const size_t stop = previous_end(data, start, encoded->indent);
        bool is_whole;
        size_t indent, from;

        if (stop == 0)
            return start;
        from = line_start(data, stop, &is_whole, &indent);
        if (stop - from == encoded->line && is_whole && indent == encoded->indent) {
            start = from;
            continue;
        }
        if (is_whole || stop - from > encoded->line || !begins_block(data, from, stop - from))
            return start;
        encoded->first = stop - from;
        return from;
    }
}

/* Finds out how the lines are arranged, beginning with the one of `at`.  Returns where the block begins. */
static size_t arrange(struct encoded *encoded, const uint8_t *data, size_t at, size_t len)
{
    bool is_whole;
    size_t indent, start = line_start(data, at, &is_whole, &indent);

    for (int i = 0;; i++) {
        const size_t run = run_length(data + start, len - start),
                     end = line_end(data + start + run, len - start - run);
        const size_t next = start + run + end, next_indent = spaces(data + next, len - next);
        const size_t next_run = end ? run_length(data + next + next_indent, len - next - next_indent) : 0;
        const bool is_shorter = next_run > run;

        encoded->line = next_run == 0 ? 0 : is_shorter ? next_run : run;
        encoded->first = run;
        encoded->indent = next_indent;
        if (is_shorter && i == 0 && (is_whole || !begins_block(data, start, run))) {
            start = next + next_indent; /* this one is something else */
            indent = next_indent;
            is_whole = true;
            continue;
        }
        if (is_shorter && is_whole)
            encoded->first = 0; /* these are lines of any length */
        return is_whole && run == encoded->line && indent == next_indent ? earlier_lines(encoded, data, start)
                                                                         : start;
    }
}

static bool is_lower(uint8_t c)
{
    return c >= 'a' && c <= 'z';
}

/* Whether these characters may be Base64 of something, and not one letter repeated, hexadecimal digits, or
 * words, in which lower-case letters follow one another. */
static bool is_mixed(const uint8_t *data, size_t len)
{
    size_t upper = 0, lower = 0, digits = 0, hex = 0, pairs = 0;

    for (size_t i = 0; i < len; i++) {
        upper += data[i] >= 'A' && data[i] <= 'Z';
        lower += is_lower(data[i]);
        digits += (data[i] >= '0' && data[i] <= '9') || data[i] == '+' || data[i] == '/';
        hex += (data[i] >= '0' && data[i] <= '9') || (is_lower(data[i]) && data[i] <= 'f');
        pairs += i > 0 && is_lower(data[i]) && is_lower(data[i - 1]);
    }
    return upper > 1 && lower > 1 && digits > 0 && digits < len / 5 * 2 && hex < len / 5 * 3 &&
           pairs < len / 5 * 2;
}

/* Whether a single line may end here: the number of characters is right, or the file is cut off. */
static bool ends_well(const struct encoded *encoded, size_t used, bool at_end)
{
    return encoded->line || !encoded->is_over || used % 4 == 0 || at_end;
}

static bool examine(struct encoded *encoded, const uint8_t *data, size_t at, size_t len, size_t *start)
{
    size_t used = 0, first, text;
    bool is_block;

    while (at < len && !transfer_base64_values[data[at]])
        at++;
    *start = arrange(encoded, data, at, len);
    encoded->left = 0;
    encoded->is_over = false;
    first = encoded->first;
    while (!encoded->is_over && used < JUDGED)
        used += measure(encoded, data + *start + used, len - *start - used, &text);
    encoded->first = first;
    encoded->left = 0;
    encoded->transfer = (struct transfer){.kind = TRANSFER_BASE64};
    is_block = used >= LEAST &&
               (encoded->line == 0 || (encoded->line >= LINE_LEAST && encoded->line <= LINE_MOST)) &&
               ends_well(encoded, used, *start + used == len) &&
               is_mixed(data + *start, used < JUDGED ? used : JUDGED);
    if (!is_block)
        *start = *start + used > at + ENCODED_STRIDE ? *start + used : at + ENCODED_STRIDE;
    return is_block;
}

static const struct encoded_kind kind = {find, examine, take, end};

static bool notices(const uint8_t *data, size_t len)
{
    return encoded_notices(&kind, data, len);
}

/* The blocks in a mail are its parts. */
static bool matches(const struct container_sight *sight)
{
    return sight->size >= LEAST && !mail_format.matches(sight) && !mail_box_format.matches(sight);
}

static struct container *open_blocks(const struct container_sight *sight, const struct container_watch *watch,
                                     struct error *err)
{
    return encoded_open(&kind, sight, watch, err);
}

const struct container_format encoded_base64_format = {
    .name = "base64", .is_guess = true, .notices = notices, .matches = matches, .open = open_blocks};
