/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "container/pdf_filter_inner.h"
#include "container/pdf_lex.h"

/* ---- ASCIIHexDecode ---- */

static int hex_digit(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The next digit; -1 at the end. */
static int next_digit(struct pdf_filter_stage *stage)
{
    int c;

    while ((c = pdf_filter_get(stage)) >= 0) {
        if (c == '>')
            break;
        if (hex_digit(c) >= 0)
            return hex_digit(c);
        if (!pdf_lex_is_space((uint8_t)c)) {
            pdf_filter_stop(stage, "is damaged");
            return -1;
        }
    }
    stage->ended = true;
    return -1;
}

size_t pdf_filter_hex(struct pdf_filter_stage *stage, uint8_t *into, size_t len)
{
    size_t done = 0;

    while (done < len) {
        const int high = next_digit(stage), low = high < 0 ? -1 : next_digit(stage);

        if (high < 0)
            break;
        into[done++] = (uint8_t)(high << 4 | (low < 0 ? 0 : low));
        if (low < 0)
            break;
    }
    return done;
}

/* ---- ASCII85Decode ---- */

/* Decodes the `count` digits of a group, padded to five, to count - 1 bytes. */
static void take_group(struct pdf_filter_stage *stage, const uint8_t *digits, unsigned count)
{
    uint32_t value = 0;

    for (unsigned i = 0; i < 5; i++)
        value = value * 85 + (i < count ? digits[i] : 84);
    for (unsigned i = 0; i < 4; i++)
        stage->group[i] = (uint8_t)(value >> (24 - 8 * i));
    stage->group_at = 0;
    stage->group_len = count > 1 ? count - 1 : 0;
}

static void read_group(struct pdf_filter_stage *stage)
{
    uint8_t digits[5] = {0};
    unsigned count = 0;

    while (count < 5) {
        const int c = pdf_filter_get(stage);

        if (c == 'z' && count == 0) {
            take_group(stage, digits, 5);
            return;
        }
        if (c >= '!' && c <= 'u') {
            digits[count++] = (uint8_t)(c - '!');
        } else if (c < 0 || !pdf_lex_is_space((uint8_t)c)) {
            if (c >= 0 && c != '~')
                pdf_filter_stop(stage, "is damaged");
            stage->in_ended = true;
            stage->in_at = stage->in_len;
            break;
        }
    }
    take_group(stage, digits, count);
}

size_t pdf_filter_ascii85(struct pdf_filter_stage *stage, uint8_t *into, size_t len)
{
    size_t done = 0;

    while (done < len) {
        if (stage->group_at < stage->group_len) {
            into[done++] = stage->group[stage->group_at++];
            continue;
        }
        stage->group_len = 0;
        if (!stage->in_ended)
            read_group(stage);
        stage->ended = stage->group_len == 0;
        if (stage->ended)
            break;
    }
    return done;
}

/* ---- RunLengthDecode ---- */

/* Reads the header of a run; false at the end. */
static bool begin_run(struct pdf_filter_stage *stage)
{
    const int c = pdf_filter_get(stage);

    if (c < 0 || c == 128) {
        stage->ended = true;
        return false;
    }
    stage->run = c < 128 ? (unsigned)c + 1 : 257 - (unsigned)c;
    stage->repeated = c < 128 ? -1 : pdf_filter_get(stage);
    if (c > 128 && stage->repeated < 0)
        pdf_filter_stop(stage, "is cut off");
    return !stage->ended;
}

size_t pdf_filter_runs(struct pdf_filter_stage *stage, uint8_t *into, size_t len)
{
    size_t done = 0;

    while (done < len && (stage->run > 0 || begin_run(stage))) {
        const int c = stage->repeated >= 0 ? stage->repeated : pdf_filter_get(stage);

        if (c < 0) {
            pdf_filter_stop(stage, "is cut off");
            break;
        }
        into[done++] = (uint8_t)c;
        stage->run--;
    }
    return done;
}

/* ---- LZWDecode ---- */

enum { CLEAR = 256, END_OF_DATA = 257, FIRST = 258 };

static void clear(struct pdf_filter_lzw *lzw)
{
    lzw->next = FIRST;
    lzw->width = 9;
    lzw->previous = PDF_FILTER_CODES;
}

int pdf_filter_lzw_init(struct pdf_filter_stage *stage)
{
    stage->lzw = calloc(1, sizeof *stage->lzw);
    if (!stage->lzw)
        return -1;
    for (unsigned i = 0; i < 256; i++) {
        stage->lzw->last[i] = (uint8_t)i;
        stage->lzw->len[i] = 1;
    }
    clear(stage->lzw);
    return 0;
}

static int next_code(struct pdf_filter_stage *stage)
{
    struct pdf_filter_lzw *lzw = stage->lzw;

    while (lzw->bit_count < lzw->width) {
        const int c = pdf_filter_get(stage);

        if (c < 0)
            return -1;
        lzw->bits = lzw->bits << 8 | (uint32_t)c;
        lzw->bit_count += 8;
    }
    lzw->bit_count -= lzw->width;
    return (int)(lzw->bits >> lzw->bit_count & ((1u << lzw->width) - 1));
}

/* Puts the string of a code at the end of `string`; returns its first byte. */
static uint8_t spell(struct pdf_filter_lzw *lzw, unsigned code, uint8_t *end)
{
    for (unsigned len = lzw->len[code]; len > 0; len--, code = lzw->prefix[code])
        *--end = lzw->last[code];
    return *end;
}

/* A new string: that of the previous code and the byte. */
static void add_code(struct pdf_filter_lzw *lzw, uint8_t byte, bool is_early)
{
    if (lzw->next < PDF_FILTER_CODES) {
        lzw->prefix[lzw->next] = (uint16_t)lzw->previous;
        lzw->last[lzw->next] = byte;
        lzw->len[lzw->next] = (uint16_t)(lzw->len[lzw->previous] + 1);
        lzw->next++;
    }
    if (lzw->next + is_early >= 1u << lzw->width && lzw->width < 12)
        lzw->width++;
}

/* Decodes the next code into `string`. */
static void take_code(struct pdf_filter_stage *stage, int code)
{
    struct pdf_filter_lzw *lzw = stage->lzw;
    uint8_t *const end = lzw->string + sizeof lzw->string;
    const bool has_previous = lzw->previous < PDF_FILTER_CODES;

    if (code == CLEAR) {
        clear(lzw);
    } else if (code < 0 || code == END_OF_DATA) {
        stage->ended = true;
    } else if ((unsigned)code > lzw->next - !has_previous || (unsigned)code >= PDF_FILTER_CODES) {
        pdf_filter_stop(stage, "is damaged");
    } else {
        /* A code that is not yet known begins with the previous one. */
        const bool is_new = (unsigned)code == lzw->next;

        if (has_previous)
            add_code(lzw, spell(lzw, is_new ? lzw->previous : (unsigned)code, end), stage->step.is_early);
        lzw->left = lzw->len[code];
        spell(lzw, (unsigned)code, end);
        lzw->previous = (unsigned)code;
    }
}

size_t pdf_filter_unlzw(struct pdf_filter_stage *stage, uint8_t *into, size_t len)
{
    struct pdf_filter_lzw *lzw = stage->lzw;
    size_t done = 0;

    while (done < len && !stage->ended) {
        while (done < len && lzw->left > 0)
            into[done++] = lzw->string[sizeof lzw->string - lzw->left--];
        if (done < len)
            take_code(stage, next_code(stage));
    }
    return done;
}
