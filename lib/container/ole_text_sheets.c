/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/utf8.h"
#include "container/ole_text_inner.h"

/* Records (MS-XLS 2.3): type, length.  Those of cells begin with row, column and format. */
enum record {
    RECORD_FORMULA = 0x6,
    RECORD_END = 0xa,
    RECORD_ENCRYPTION = 0x2f,
    RECORD_CONTINUE = 0x3c,
    RECORD_NUMBERS = 0xbd, /* several packed ones */
    RECORD_STRINGS = 0xfc,
    RECORD_STRING_CELL = 0xfd,
    RECORD_BOX = 0x1b6,
    RECORD_NUMBER = 0x203,
    RECORD_LABEL = 0x204,
    RECORD_RESULT = 0x207, /* the text that the formula before it yields */
    RECORD_PACKED_NUMBER = 0x27e,
    RECORD_BEGIN = 0x809,
};

enum { HEAD = 4, CELL = 6, IS_WIDE = 1, HAS_EXTRA = 4, HAS_RUNS = 8 };

/* ---- strings that continue in other records ---- */

/* Moves on to the record that continues this one; false if there is none. */
static bool continue_record(struct ole_text *text)
{
    struct ole_text_sheets *sheets = &text->sheets;
    const uint8_t *head = ole_text_at(&text->main, sheets->part_end, HEAD);

    if (!head || bytes_load_le(head, 2) != RECORD_CONTINUE)
        return false;
    sheets->part = sheets->part_end + HEAD;
    sheets->part_end = sheets->part + bytes_load_le(head + 2, 2);
    return true;
}

/* The next number, of this many bytes; false at the end. */
static bool take_number(struct ole_text *text, int bytes, uint32_t *number)
{
    struct ole_text_sheets *sheets = &text->sheets;

    *number = 0;
    for (int i = 0; i < bytes; i++) {
        const uint8_t *byte;

        while (sheets->part == sheets->part_end)
            if (!continue_record(text))
                return false;
        byte = ole_text_at(&text->main, sheets->part, 1);
        if (!byte)
            return false;
        *number |= (uint32_t)*byte << 8 * i;
        sheets->part++;
    }
    return true;
}

/* Passes over bytes, record by record. */
static bool skip(struct ole_text *text, uint64_t len)
{
    struct ole_text_sheets *sheets = &text->sheets;

    while (len > sheets->part_end - sheets->part) {
        len -= sheets->part_end - sheets->part;
        if (!continue_record(text))
            return false;
    }
    sheets->part += len;
    return true;
}

/* Where the characters go on in another record, their width is stated anew. */
static bool take_characters(struct ole_text *text, uint32_t count, uint32_t flags)
{
    struct ole_text_sheets *sheets = &text->sheets;
    struct ole_text_utf16 utf16 = {0};
    char utf8[4];
    uint32_t unit, c;

    while (count-- > 0) {
        if (sheets->part == sheets->part_end && (!continue_record(text) || !take_number(text, 1, &flags)))
            return false;
        if (!take_number(text, flags & IS_WIDE ? 2 : 1, &unit))
            return false;
        c = ole_text_unit(&utf16, unit);
        if (c)
            shared_strings_add(&sheets->strings, &text->out, utf8, (size_t)(utf8_put(utf8, c) - utf8));
    }
    return true;
}

static bool take_string(struct ole_text *text)
{
    uint32_t count, flags, runs = 0, extra = 0;
    bool is_whole;

    if (!take_number(text, 2, &count) || !take_number(text, 1, &flags) ||
        ((flags & HAS_RUNS) && !take_number(text, 2, &runs)) ||
        ((flags & HAS_EXTRA) && !take_number(text, 4, &extra)))
        return false;
    is_whole = take_characters(text, count, flags);
    shared_strings_end(&text->sheets.strings, &text->out);
    return is_whole && skip(text, (uint64_t)runs * 4 + extra);
}

static void begin_strings(struct ole_text *text, uint64_t at, size_t len)
{
    text->sheets.part = at;
    text->sheets.part_end = at + len;
    if (!skip(text, 4) || !take_number(text, 4, &text->sheets.string_count))
        text->sheets.string_count = 0;
}

/* ---- cells ---- */

static void begin_cell(struct ole_text *text, uint32_t row)
{
    if (row != text->sheets.row)
        running_text_break(&text->out);
    else
        running_text_space(&text->out);
    text->sheets.row = row;
}

static void write_double(struct ole_text *text, double number)
{
    char digits[32];
    const int len = snprintf(digits, sizeof digits, "%.15g", number);

    running_text_utf8(&text->out, digits, (size_t)len);
    running_text_space(&text->out);
}

static void write_bits(struct ole_text *text, uint64_t bits)
{
    double number;

    memcpy(&number, &bits, sizeof number);
    write_double(text, number);
}

/* A number in 30 bits: the upper ones of a double, or an integer; perhaps times 100. */
static void write_packed(struct ole_text *text, uint32_t packed)
{
    const uint64_t bits = (uint64_t)(packed & ~3u) << 32;
    double number;

    memcpy(&number, &bits, sizeof number);
    if (packed & 2)
        number = (int32_t)packed >> 2;
    write_double(text, packed & 1 ? number / 100 : number);
}

/* A count of characters, their width unless the file is old, and the characters, in `len` bytes. */
static void write_label(struct ole_text *text, const uint8_t *label, size_t len)
{
    const size_t head = text->sheets.is_old ? 2 : 3;
    const size_t unit = len > 2 && !text->sheets.is_old && (label[2] & IS_WIDE) ? 2 : 1;
    struct ole_text_utf16 utf16 = {0};
    size_t count;

    if (len < head)
        return;
    count = bytes_load_le(label, 2);
    for (size_t i = 0; i < count && head + (i + 1) * unit <= len; i++) {
        const uint32_t c = ole_text_unit(&utf16, (uint32_t)bytes_load_le(label + head + i * unit, (int)unit));
        const char byte = (char)c;

        if (text->sheets.is_old)
            running_text_windows(&text->out, &byte, 1);
        else if (c)
            running_text_char(&text->out, c);
    }
    running_text_space(&text->out);
}

/* A formula yields a number unless this is marked as something else. */
static bool has_number(const uint8_t *formula, size_t len)
{
    return len >= CELL + 8 && bytes_load_le(formula + CELL + 6, 2) != 0xffff;
}

static void take_cell(struct ole_text *text, uint32_t type, const uint8_t *data, size_t len)
{
    begin_cell(text, (uint32_t)bytes_load_le(data, 2));
    if (type == RECORD_STRING_CELL && len >= CELL + 4)
        shared_strings_write(&text->sheets.strings, bytes_load32(data + CELL), &text->out);
    else if (type == RECORD_LABEL)
        write_label(text, data + CELL, len - CELL);
    else if ((type == RECORD_NUMBER || (type == RECORD_FORMULA && has_number(data, len))) && len >= CELL + 8)
        write_bits(text, bytes_load64(data + CELL));
    else if (type == RECORD_PACKED_NUMBER && len >= CELL + 4)
        write_packed(text, bytes_load32(data + CELL));
    else if (type == RECORD_NUMBERS)
        for (size_t at = CELL; at + 4 + 2 <= len; at += CELL) /* each after its format; a column follows */
            write_packed(text, bytes_load32(data + at));
}

/* The text of a box or a comment: the width of its characters, and these. */
static void take_box(struct ole_text *text, const uint8_t *data, size_t len)
{
    const size_t unit = len > 0 && (data[0] & IS_WIDE) ? 2 : 1;
    struct ole_text_utf16 utf16 = {0};

    running_text_break(&text->out);
    for (size_t at = 1; at + unit <= len; at += unit) {
        const uint32_t c = ole_text_unit(&utf16, (uint32_t)bytes_load_le(data + at, (int)unit));

        if (c == '\n')
            running_text_break(&text->out);
        else if (c)
            running_text_char(&text->out, c);
    }
    running_text_break(&text->out);
}

/* ---- records ---- */

static bool is_cell(uint32_t type)
{
    return type == RECORD_STRING_CELL || type == RECORD_LABEL || type == RECORD_NUMBER ||
           type == RECORD_FORMULA || type == RECORD_PACKED_NUMBER || type == RECORD_NUMBERS;
}

static void take_record(struct ole_text *text, uint32_t type, uint64_t at, const uint8_t *data, size_t len)
{
    const bool has_box = text->sheets.has_box;

    text->sheets.has_box = type == RECORD_BOX && len >= 12 && bytes_load_le(data + 10, 2) > 0;
    if (is_cell(type) && len >= CELL) {
        take_cell(text, type, data, len);
    } else if (type == RECORD_STRINGS && !text->sheets.strings.count) {
        begin_strings(text, at, len);
    } else if (type == RECORD_RESULT) {
        write_label(text, data, len);
    } else if (type == RECORD_CONTINUE && has_box) {
        take_box(text, data, len);
    } else if (type == RECORD_BEGIN) {
        running_text_break(&text->out);
        text->sheets.row = UINT32_MAX;
    }
}

static int step(struct ole_text *text, struct error *err)
{
    const uint64_t at = text->sheets.at, size = text->main.stream.size;
    const uint8_t *head = ole_text_at(&text->main, at, HEAD), *data;
    uint32_t type;
    size_t len;

    (void)err;
    if (text->sheets.string_count > 0) {
        text->sheets.string_count = take_string(text) ? text->sheets.string_count - 1 : 0;
        return 0;
    }
    if (!head) {
        text->damage = text->main.stream.problem;
        shared_strings_write_rest(&text->sheets.strings, &text->out);
        text->is_ended = true;
        return 0;
    }
    type = (uint32_t)bytes_load_le(head, 2);
    len = bytes_load_le(head + 2, 2);
    text->sheets.at = at + HEAD + len;
    len = len < size - at - HEAD ? len : (size_t)(size - at - HEAD);
    len = len < OLE_TEXT_WINDOW ? len : OLE_TEXT_WINDOW; /* of what is longer nothing is used but strings */
    data = ole_text_at(&text->main, at + HEAD, len);
    if (data)
        take_record(text, type, at + HEAD, data, len);
    else
        text->damage = "is cut off";
    return 0;
}

/* Whether encryption is stated among the first records. */
static int begin(struct ole_text *text, const char **problem, struct error *err)
{
    enum { FIRST = 16 };
    uint64_t at = 0;

    (void)err;
    for (int i = 0; i < FIRST; i++) {
        const uint8_t *head = ole_text_at(&text->main, at, HEAD);

        if (!head)
            break;
        if (bytes_load_le(head, 2) == RECORD_ENCRYPTION)
            *problem = "it is encrypted";
        at += HEAD + bytes_load_le(head + 2, 2);
    }
    text->sheets.row = UINT32_MAX;
    return 0;
}

static int begin_old(struct ole_text *text, const char **problem, struct error *err)
{
    text->sheets.is_old = true;
    return begin(text, problem, err);
}

const struct ole_text_kind ole_text_sheets_kind = {"Workbook", false, begin, step};
const struct ole_text_kind ole_text_sheets_old_kind = {"Book", false, begin_old, step};
