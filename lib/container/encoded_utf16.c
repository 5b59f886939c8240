/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bytes.h"
#include "container/encoded.h"
#include "container/encoded_inner.h"

enum {
    LEAST = 100,     /* characters of a run */
    JUDGED = 1024,   /* characters by which a run is judged */
    DIFFERENT = 8,   /* of them that must differ */
    FILE_LEAST = 32, /* bytes of a file without a byte order mark */
};

static uint32_t unit_at(const uint8_t *at, enum charset_kind order)
{
    return order == CHARSET_UTF16_LE ? at[0] | (uint32_t)at[1] << 8 : (uint32_t)at[0] << 8 | at[1];
}

/* The script that a letter belongs to. */
enum script { LATIN, GREEK, CYRILLIC, SCRIPTS };

/* Of which scripts a character may be, as bits: the letters that most words consist of, and the space. */
static unsigned scripts_of(uint32_t c)
{
    if (c == ' ')
        return (1u << SCRIPTS) - 1;
    if ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')
        return 1u << LATIN;
    if (c >= 0x391 && c <= 0x3ce)
        return 1u << GREEK;
    return c >= 0x410 && c <= 0x44f ? 1u << CYRILLIC : 0;
}

/* White space, and characters of Western, Greek and Cyrillic texts. */
static bool is_text(uint32_t c)
{
    return (c >= ' ' && c < 0x7f) || c == '\t' || c == '\n' || c == '\r' || (c >= 0xa0 && c < 0x250) ||
           (c >= 0x370 && c < 0x530) || (c >= 0x2010 && c <= 0x2026) || c == 0x20ac || c == 0x2122;
}

/* Looks at four characters, in either order: of the bits that are masked here, what is_utf16 takes for small
 * has none. */
static inline bool may_be_utf16(const uint8_t *at)
{
    const uint64_t first = bytes_load64(at);

    return first && (!(first & UINT64_C(0x00d800d800d800d8)) || !(first & UINT64_C(0xd800d800d800d800)));
}

/* Characters of which every other byte is that of a script, or of quotation marks, in either order. */
static bool is_utf16(const uint8_t *at)
{
    static const encoded_vector even = {255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0};
    const encoded_vector v = encoded_load(at);
    const encoded_vector small = (encoded_vector)((v <= 5) | (v == 0x20)), large = (encoded_vector)(v > 8);

    return encoded_all((even & small) | (~even & large)) || encoded_all((even & large) | (~even & small));
}

static size_t find(const uint8_t *data, size_t from, size_t to)
{
    return encoded_search(data, from, to, may_be_utf16, is_utf16);
}

/* The run in this order to which the character at `at` belongs, in bytes. */
static size_t measure(const uint8_t *data, size_t at, size_t len, enum charset_kind order, size_t *start)
{
    size_t end = at;

    while (at >= 2 && is_text(unit_at(data + at - 2, order)))
        at -= 2;
    while (end + 2 <= len && is_text(unit_at(data + end, order)))
        end += 2;
    *start = at;
    return end - at;
}

/* Whether it reads like text, and not like a table of numbers: mostly letters of one script, and not most of
 * them one more than the one before. */
static bool is_readable(const uint8_t *data, size_t units, enum charset_kind order)
{
    size_t letters[SCRIPTS] = {0}, steps = 0;
    uint64_t seen = 0;
    uint32_t last = 0;

    for (size_t i = 0; i < units; i++) {
        const uint32_t c = unit_at(data + 2 * i, order);

        for (unsigned script = 0; script < SCRIPTS; script++)
            letters[script] += scripts_of(c) >> script & 1;
        steps += c == last + 1 || c == last || c + 1 == last;
        seen |= UINT64_C(1) << (c & 63);
        last = c;
    }
    for (unsigned script = 0; script < SCRIPTS; script++)
        if (letters[script] >= units / 3 * 2)
            return steps < units / 3 && __builtin_popcountll(seen) >= DIFFERENT;
    return false;
}

static bool examine(struct encoded *encoded, const uint8_t *data, size_t at, size_t len, size_t *start)
{
    size_t best = 0, units;

    /* Text in one order may be text in the other one, too, with a character less; of two equal ones, the
     * former is it. */
    for (size_t i = 0; i < 4; i++) {
        const enum charset_kind order = i < 2 ? CHARSET_UTF16_LE : CHARSET_UTF16_BE;
        size_t from;
        const size_t run = measure(data, at + i % 2, len, order, &from);

        if (run > best) {
            best = run;
            *start = from;
            encoded->charset = (struct charset){.kind = order};
        }
    }
    units = best / 2;
    if (units >= LEAST && is_readable(data + *start, units < JUDGED ? units : JUDGED, encoded->charset.kind))
        return true;
    *start = best && *start + best > at + ENCODED_STRIDE ? *start + best : at + ENCODED_STRIDE;
    return false;
}

static size_t take_run(struct encoded *encoded, const uint8_t *data, size_t len)
{
    size_t used = 0;

    while (used + 2 <= len && is_text(unit_at(data + used, encoded->charset.kind)))
        used += 2;
    encoded->is_over = used + 2 <= len || len < ENCODED_AHEAD;
    charset_add(&encoded->charset, &encoded->decoded, data, used);
    return used;
}

static size_t take_all(struct encoded *encoded, const uint8_t *data, size_t len)
{
    charset_add(&encoded->charset, &encoded->decoded, data, len);
    encoded->is_over = len < ENCODED_AHEAD;
    return len;
}

static void end(struct encoded *encoded)
{
    charset_end(&encoded->charset, &encoded->decoded);
}

static const struct encoded_kind runs = {find, examine, take_run, end};

static bool notices(const uint8_t *data, size_t len)
{
    return encoded_notices(&runs, data, len);
}
static const struct encoded_kind whole = {.take = take_all, .end = end};

/* Whether these bytes are text in this order; after a byte order mark, of any script. */
static bool is_all_text(const uint8_t *data, size_t len, enum charset_kind order)
{
    const bool has_mark = len >= 2 && unit_at(data, order) == 0xfeff;

    for (size_t at = has_mark ? 2 : 0; at + 2 <= len; at += 2) {
        const uint32_t c = unit_at(data + at, order);

        if (has_mark ? c < '\t' || c >= 0xfffe : !is_text(c))
            return false;
    }
    return len >= (has_mark ? 4 : FILE_LEAST);
}

/* CHARSET_RAW: it is no UTF-16. */
static enum charset_kind find_order(const struct container_sight *sight)
{
    return is_all_text(sight->head, sight->head_len, CHARSET_UTF16_LE)   ? CHARSET_UTF16_LE
           : is_all_text(sight->head, sight->head_len, CHARSET_UTF16_BE) ? CHARSET_UTF16_BE
                                                                         : CHARSET_RAW;
}

static bool matches_file(const struct container_sight *sight)
{
    return find_order(sight) != CHARSET_RAW;
}

static bool matches_runs(const struct container_sight *sight)
{
    return sight->size >= 2 * LEAST && !matches_file(sight);
}

static struct container *open_file(const struct container_sight *sight, const struct container_watch *watch,
                                   struct error *err)
{
    struct container *container = encoded_open(&whole, sight, watch, err);

    if (container)
        ((struct encoded *)container)->charset.kind = find_order(sight);
    return container;
}

static struct container *open_runs(const struct container_sight *sight, const struct container_watch *watch,
                                   struct error *err)
{
    return encoded_open(&runs, sight, watch, err);
}

const struct container_format encoded_utf16_format = {
    .name = "utf16", .matches = matches_file, .open = open_file};

const struct container_format encoded_utf16_runs_format = {
    .name = "utf16", .is_guess = true, .notices = notices, .matches = matches_runs, .open = open_runs};
