/* SPDX-License-Identifier: Apache-2.0 */
#include "container/pdf_cmap.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"

enum { PIECE = 16 << 10 };

/* The number that a string of up to four bytes stands for. */
static uint32_t number_of(const struct buffer *bytes)
{
    uint32_t number = 0;

    for (size_t i = 0; i < bytes->len && i < 4; i++)
        number = number << 8 | (uint8_t)bytes->data[i];
    return number;
}

/* UTF-16, big-endian. */
static int add_characters(struct pdf_cmap *cmap, struct pdf_cmap_range *range, const struct buffer *text)
{
    const uint8_t *p = (const uint8_t *)text->data;

    range->at = (uint32_t)cmap->character_count;
    if (array_reserve(&cmap->characters, &cmap->character_room,
                      cmap->character_count + PDF_CMAP_MOST_CHARACTERS) < 0)
        return -1;
    if (text->len == 1) /* malformed, but it happens */
        cmap->characters[range->at + range->count++] = *p;
    for (size_t i = 0; i + 1 < text->len && range->count < PDF_CMAP_MOST_CHARACTERS; i += 2) {
        uint32_t c = (uint32_t)(p[i] << 8 | p[i + 1]);

        if (c >= 0xd800 && c < 0xdc00 && i + 3 < text->len && (p[i + 2] & 0xfc) == 0xdc) {
            c = 0x10000 + ((c & 0x3ff) << 10) + ((uint32_t)(p[i + 2] & 3) << 8 | p[i + 3]);
            i += 2;
        }
        cmap->characters[range->at + range->count++] = c;
    }
    cmap->character_count += range->count;
    return 0;
}

static int add_range(struct pdf_cmap *cmap, uint32_t low, uint32_t high, const struct buffer *text)
{
    struct pdf_cmap_range range = {.low = low, .high = high};

    if (cmap->range_count == PDF_CMAP_MOST || high < low)
        return 0;
    if (add_characters(cmap, &range, text) < 0 ||
        array_reserve(&cmap->ranges, &cmap->range_room, cmap->range_count + 1) < 0)
        return -1;
    if (range.count > 0)
        cmap->ranges[cmap->range_count++] = range;
    return 0;
}

static void add_space(struct pdf_cmap *cmap, const struct buffer *low, const struct buffer *high)
{
    if (cmap->space_count == PDF_CMAP_MOST_SPACES || low->len < 1 || low->len > 4 || high->len != low->len)
        return;
    cmap->spaces[cmap->space_count].low = number_of(low);
    cmap->spaces[cmap->space_count].high = number_of(high);
    cmap->spaces[cmap->space_count++].len = (unsigned)low->len;
}

enum section { NONE, SPACES, CHARACTERS, RANGES };

struct reading {
    struct pdf_cmap *cmap;
    struct pdf_lex lex;
    struct buffer strings[3];
    uint32_t low, high; /* of the range whose array is being read */
};

/* Reads the next token into a string; false if it is none. */
static bool take_string(struct reading *reading, struct pdf_lex_token *token, size_t which)
{
    pdf_lex_next(&reading->lex, token);
    buffer_reset(&reading->strings[which]);
    if (token->kind != PDF_LEX_HEX && token->kind != PDF_LEX_STRING)
        return false;
    pdf_lex_decode(token, &reading->strings[which]);
    return true;
}

/* A character for each code of a range. */
static int take_array(struct reading *reading)
{
    struct pdf_lex_token token;

    for (uint64_t code = reading->low; code <= reading->high && take_string(reading, &token, 2); code++)
        if (add_range(reading->cmap, (uint32_t)code, (uint32_t)code, &reading->strings[2]) < 0)
            return -1;
    return 0;
}

/* The rest of an entry, of which the first string has been read. */
static int take_entry(struct reading *reading, enum section section)
{
    struct pdf_lex_token token;
    const bool is_string = take_string(reading, &token, 1);

    reading->low = reading->high = number_of(&reading->strings[0]);
    if (!is_string)
        return 0;
    if (section == SPACES) {
        add_space(reading->cmap, &reading->strings[0], &reading->strings[1]);
        return 0;
    }
    if (section == CHARACTERS)
        return add_range(reading->cmap, reading->low, reading->low, &reading->strings[1]);
    reading->high = number_of(&reading->strings[1]);
    if (take_string(reading, &token, 2))
        return add_range(reading->cmap, reading->low, reading->high, &reading->strings[2]);
    return token.kind == PDF_LEX_ARRAY ? take_array(reading) : 0;
}

static int read_sections(struct reading *reading)
{
    enum section section = NONE;
    struct pdf_lex_token token;
    int result = 0;

    while (result == 0) {
        const bool is_string = take_string(reading, &token, 0);

        if (token.kind == PDF_LEX_END)
            break;
        if (is_string && section != NONE)
            result = take_entry(reading, section);
        else if (pdf_lex_is(&token, PDF_LEX_WORD, "begincodespacerange"))
            section = SPACES;
        else if (pdf_lex_is(&token, PDF_LEX_WORD, "beginbfchar"))
            section = CHARACTERS;
        else if (pdf_lex_is(&token, PDF_LEX_WORD, "beginbfrange"))
            section = RANGES;
        else if (token.kind == PDF_LEX_WORD)
            section = NONE;
    }
    for (size_t i = 0; i < 3; i++) {
        result = reading->strings[i].failed ? -1 : result;
        buffer_release(&reading->strings[i]);
    }
    return result;
}

static int compare_ranges(const void *a, const void *b)
{
    const struct pdf_cmap_range *one = a, *other = b;

    if (one->low != other->low)
        return one->low < other->low ? -1 : 1;
    return one->at < other->at ? -1 : one->at > other->at;
}

int pdf_cmap_init(struct pdf_cmap *cmap, struct pdf_objects *objects, const struct pdf_objects_entry *stream)
{
    struct pdf_filter *filter = pdf_objects_open(objects, stream, NULL);
    struct buffer text = {0};
    struct reading reading = {.cmap = cmap};
    ssize_t got = 1;
    int result = 0;

    *cmap = (struct pdf_cmap){0};
    while (filter && got > 0 && text.len < PDF_CMAP_MOST_STREAM) {
        char *room = buffer_extend(&text, PIECE);

        if (!room)
            break;
        got = pdf_filter_read(filter, room, PIECE, NULL);
        text.len -= PIECE - (size_t)(got > 0 ? got : 0);
    }
    pdf_filter_free(filter);
    if (text.failed) {
        result = -1;
    } else if (text.len > 0 && pdf_objects_work(objects, text.len)) {
        reading.lex = (struct pdf_lex){(const uint8_t *)text.data, (const uint8_t *)text.data + text.len};
        result = read_sections(&reading);
    }
    buffer_release(&text);
    if (cmap->range_count > 0)
        qsort(cmap->ranges, cmap->range_count, sizeof *cmap->ranges, compare_ranges);
    return result;
}

void pdf_cmap_release(struct pdf_cmap *cmap)
{
    free(cmap->ranges);
    free(cmap->characters);
    *cmap = (struct pdf_cmap){0};
}

size_t pdf_cmap_find(const struct pdf_cmap *cmap, uint32_t code, uint32_t into[PDF_CMAP_MOST_CHARACTERS])
{
    const size_t after = SEARCH_FIRST(i, 0, cmap->range_count, cmap->ranges[i].low > code);
    const struct pdf_cmap_range *range;

    if (after == 0 || code > cmap->ranges[after - 1].high)
        return 0;
    range = &cmap->ranges[after - 1];
    for (size_t i = 0; i < range->count; i++)
        into[i] = cmap->characters[range->at + i];
    into[range->count - 1] += code - range->low;
    return range->count;
}

size_t pdf_cmap_code_len(const struct pdf_cmap *cmap, const uint8_t *text, size_t len)
{
    uint32_t code = 0;

    for (unsigned i = 1; i <= 4 && i <= len; i++) {
        code = code << 8 | text[i - 1];
        for (size_t j = 0; j < cmap->space_count; j++)
            if (cmap->spaces[j].len == i && code >= cmap->spaces[j].low && code <= cmap->spaces[j].high)
                return i;
    }
    return 0;
}
