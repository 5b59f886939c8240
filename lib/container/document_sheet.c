/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "container/document_inner.h"

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

static void end_value(struct document_sheet *sheet, struct shared_strings *strings, struct running_text *out)
{
    if (sheet->in_value && sheet->is_string)
        shared_strings_write(strings, sheet->string, out);
    sheet->in_value = false;
}

static void take_tag(struct document_sheet *sheet, struct shared_strings *strings, struct running_text *out,
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

void document_sheet_token(struct document_sheet *sheet, struct shared_strings *strings,
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
