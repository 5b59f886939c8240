/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "container/document_inner.h"

void document_strings_release(struct document_strings *strings)
{
    buffer_release(&strings->bytes);
    free(strings->ends);
    free(strings->used);
    *strings = (struct document_strings){0};
}

static bool has_room(const struct document_strings *strings, size_t len)
{
    return strings->count < DOCUMENT_MOST_STRINGS && len <= DOCUMENT_MOST_STRING_BYTES - strings->bytes.len;
}

void document_strings_add(struct document_strings *strings, struct running_text *out, const char *text,
                          size_t len)
{
    if (has_room(strings, len))
        buffer_add(&strings->bytes, text, len);
    else
        running_text_utf8(out, text, len);
}

void document_strings_end(struct document_strings *strings, struct running_text *out)
{
    running_text_break(out);
    if (!has_room(strings, 0))
        return;
    if (array_reserve_all(&strings->room, strings->count + 1, ARRAY_PART(&strings->ends),
                          ARRAY_PART(&strings->used))) {
        strings->bytes.failed = true;
        return;
    }
    strings->used[strings->count] = false;
    strings->ends[strings->count++] = (uint32_t)strings->bytes.len;
}

static void write_string(struct document_strings *strings, size_t i, struct running_text *out)
{
    const size_t start = i ? strings->ends[i - 1] : 0;

    if (strings->ends[i] > start)
        running_text_utf8(out, strings->bytes.data + start, strings->ends[i] - start);
    strings->used[i] = true;
}

void document_strings_rest(struct document_strings *strings, struct running_text *out)
{
    for (size_t i = 0; i < strings->count; i++)
        if (!strings->used[i]) {
            running_text_break(out);
            write_string(strings, i, out);
        }
    running_text_break(out);
}

static bool is_called(const char *name, size_t len, const char *expected)
{
    return len == strlen(expected) && memcmp(name, expected, len) == 0;
}

/* <c r="A1" t="s"><v>12</v></c>, <c t="inlineStr"><is><t>text</t></is></c> */
static void begin_cell(struct document_sheet *sheet, struct running_text *out,
                       const struct markup_token *token)
{
    size_t len = 0;
    const char *type = markup_attribute(token, "t", &len);

    running_text_space(out);
    sheet->is_string = type && is_called(type, len, "s");
    sheet->is_shown = !type || !is_called(type, len, "e");
    sheet->string = 0;
}

static void end_value(struct document_sheet *sheet, struct document_strings *strings,
                      struct running_text *out)
{
    if (sheet->in_value && sheet->is_string && sheet->string < strings->count)
        write_string(strings, (size_t)sheet->string, out);
    sheet->in_value = false;
}

static void take_tag(struct document_sheet *sheet, struct document_strings *strings, struct running_text *out,
                     const struct markup_token *token)
{
    size_t len;
    const char *name = markup_local_name(token, &len);

    if (is_called(name, len, "row"))
        running_text_break(out);
    else if (is_called(name, len, "c") && token->kind != MARKUP_CLOSE)
        begin_cell(sheet, out, token);
    else if (is_called(name, len, "v") || is_called(name, len, "t")) {
        end_value(sheet, strings, out);
        sheet->in_value = token->kind == MARKUP_OPEN;
    }
}

static void read_number(struct document_sheet *sheet, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] >= '0' && text[i] <= '9' && sheet->string < UINT32_MAX)
            sheet->string = sheet->string * 10 + (uint64_t)(text[i] - '0');
}

void document_sheet_token(struct document_sheet *sheet, struct document_strings *strings,
                          struct running_text *out, const struct markup_token *token)
{
    if (token->kind != MARKUP_TEXT && token->kind != MARKUP_CHARACTER)
        take_tag(sheet, strings, out, token);
    else if (!sheet->in_value || !sheet->is_shown)
        return;
    else if (token->kind == MARKUP_CHARACTER)
        running_text_char(out, token->character);
    else if (sheet->is_string)
        read_number(sheet, token->text, token->len);
    else
        running_text_utf8(out, token->text, token->len);
}
