/* SPDX-License-Identifier: Apache-2.0 */
#include "container/pdf_font.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "container/pdf_font_inner.h"

enum {
    MOST_PROGRAM = 32 << 10, /* bytes of a font program in which its encoding is looked for */
    PROGRAM_PIECE = 4 << 10, /* bytes of it that are read at a time */
};

/* ---- encodings of simple fonts ---- */

static enum pdf_glyphs_encoding encoding_of(struct pdf_value name, enum pdf_glyphs_encoding usual)
{
    if (pdf_lex_is_name(name, "WinAnsiEncoding"))
        return PDF_GLYPHS_WINDOWS;
    if (pdf_lex_is_name(name, "MacRomanEncoding"))
        return PDF_GLYPHS_MAC;
    return pdf_lex_is_name(name, "StandardEncoding") ? PDF_GLYPHS_STANDARD : usual;
}

static void set_glyph(struct pdf_font *font, size_t code, const struct pdf_lex_token *name)
{
    struct buffer text = {0};

    pdf_lex_decode(name, &text);
    memset(font->simple[code], 0, sizeof font->simple[code]);
    if (text.len > 0)
        pdf_glyphs_named(text.data, text.len, font->simple[code]);
    buffer_release(&text);
}

/* [ 65 /A /B 97 /a ] */
static void take_differences(struct pdf_font *font, struct pdf_value differences)
{
    struct pdf_lex lex = pdf_lex_items(differences);
    struct pdf_lex_token token;
    size_t code = 0;

    while (pdf_lex_next(&lex, &token) != PDF_LEX_END && token.kind != PDF_LEX_ARRAY_END)
        if (token.kind == PDF_LEX_NUMBER)
            code = token.number >= 0 && token.number < 256 ? (size_t)token.number : 256;
        else if (token.kind == PDF_LEX_NAME && code < 256)
            set_glyph(font, code++, &token);
}

/* Takes `dup 65 /A put` from the readable part of a Type 1 font.  Returns whether that ends in this text. */
static bool take_readable(struct pdf_font *font, const struct buffer *program, bool *any)
{
    struct pdf_lex lex = {(const uint8_t *)program->data, (const uint8_t *)program->data + program->len};
    struct pdf_lex_token token;
    double code = -1;

    while (pdf_lex_next(&lex, &token) != PDF_LEX_END) {
        if (token.kind == PDF_LEX_NAME && code >= 0 && code < 256) {
            set_glyph(font, (size_t)code, &token);
            *any = true;
        }
        code = token.kind == PDF_LEX_NUMBER ? token.number : -1;
        if (pdf_lex_is(&token, PDF_LEX_WORD, "eexec"))
            return lex.at < lex.end;
    }
    return false;
}

/* The encoding of a Type 1 font.  What follows the readable part is long, and slow to unpack. */
static bool take_program(struct pdf_font *font, struct pdf_objects *objects,
                         const struct pdf_objects_entry *program)
{
    struct pdf_filter *filter = pdf_objects_open(objects, program, NULL);
    struct buffer text = {0};
    bool more = filter != NULL, any = false;

    while (more) {
        char *room = buffer_extend(&text, PROGRAM_PIECE);
        const ssize_t got = room ? pdf_filter_read(filter, room, PROGRAM_PIECE, NULL) : 0;

        if (room)
            text.len -= PROGRAM_PIECE - (size_t)(got > 0 ? got : 0);
        more = got > 0 && text.len < MOST_PROGRAM;
        if (text.len > 0 && (!more || memmem(text.data, text.len, "eexec", 5)))
            more = !take_readable(font, &text, &any) && more;
    }
    pdf_filter_free(filter);
    pdf_objects_work(objects, MOST_PROGRAM);
    buffer_release(&text);
    return any;
}

/* A font without an encoding has that of its program, which is the standard one unless it has symbols. */
static void take_own_encoding(struct pdf_font *font, struct pdf_objects *objects, struct pdf_value dictionary,
                              struct pdf_value descriptor)
{
    const int64_t flags = pdf_lex_whole(pdf_lex_get(descriptor, "Flags"), INT32_MAX);
    const bool is_symbolic = flags >= 0 && (flags & 4);
    const struct pdf_value base = pdf_lex_get(dictionary, "BaseFont");
    uint32_t number;

    if (pdf_lex_reference(pdf_lex_get(descriptor, "FontFile"), &number)) {
        const struct pdf_objects_entry *program = pdf_objects_find(objects, number);

        if (program && take_program(font, objects, program))
            return;
    }
    if (is_symbolic || pdf_lex_is_name(base, "Symbol") || pdf_lex_is_name(base, "ZapfDingbats") ||
        pdf_lex_is_name(pdf_lex_get(dictionary, "Subtype"), "Type3"))
        return;
    for (unsigned code = 0; code < 256; code++)
        font->simple[code][0] = pdf_glyphs_code(PDF_GLYPHS_STANDARD, (uint8_t)code);
}

static void take_encoding(struct pdf_font *font, struct pdf_objects *objects, struct pdf_value dictionary,
                          struct pdf_value descriptor)
{
    struct buffer for_encoding = {0}, for_differences = {0};
    const struct pdf_value encoding = pdf_objects_get(objects, dictionary, "Encoding", &for_encoding);
    const struct pdf_value base = pdf_lex_get(encoding, "BaseEncoding");
    const enum pdf_glyphs_encoding table = encoding_of(base.text ? base : encoding, PDF_GLYPHS_NONE);

    if (table == PDF_GLYPHS_NONE)
        take_own_encoding(font, objects, dictionary, descriptor);
    else
        for (unsigned code = 0; code < 256; code++)
            font->simple[code][0] = pdf_glyphs_code(table, (uint8_t)code);
    take_differences(font, pdf_objects_get(objects, encoding, "Differences", &for_differences));
    buffer_release(&for_encoding);
    buffer_release(&for_differences);
}

/* ---- widths ---- */

static void take_simple_widths(struct pdf_font *font, struct pdf_objects *objects,
                               struct pdf_value dictionary, struct pdf_value descriptor)
{
    struct buffer for_widths = {0}, for_matrix = {0};
    const struct pdf_value list = pdf_objects_get(objects, dictionary, "Widths", &for_widths);
    struct pdf_lex items = pdf_lex_items(list);
    struct pdf_lex matrix = pdf_lex_items(pdf_objects_get(objects, dictionary, "FontMatrix", &for_matrix));
    const double usual = pdf_lex_number(pdf_lex_get(descriptor, "MissingWidth"), 0);
    int64_t code = pdf_lex_whole(pdf_lex_get(dictionary, "FirstChar"), 255);
    struct pdf_value value;
    double unit = 0.001;

    if (pdf_lex_is_name(pdf_lex_get(dictionary, "Subtype"), "Type3") && pdf_lex_value(&matrix, &value))
        unit = pdf_lex_number(value, unit);
    for (size_t i = 0; i < 256; i++)
        font->simple_widths[i] = (float)(usual * unit);
    if (!list.text)
        pdf_font_standard_widths(font, pdf_lex_get(dictionary, "BaseFont"));
    for (code = code < 0 ? 0 : code; list.text && code < 256 && pdf_lex_value(&items, &value); code++)
        font->simple_widths[code] = (float)(pdf_lex_number(value, 0) * unit);
    buffer_release(&for_widths);
    buffer_release(&for_matrix);
}

static int add_width(struct pdf_font *font, double first, double last, double width)
{
    if (first < 0 || last < first || last > UINT32_MAX || font->width_count == PDF_FONT_MOST_WIDTHS)
        return 0;
    if (array_reserve(&font->widths, &font->width_room, font->width_count + 1) < 0)
        return -1;
    font->widths[font->width_count++] =
        (struct pdf_font_width){(uint32_t)first, (uint32_t)last, (float)(width / 1000)};
    return 0;
}

static int compare_widths(const void *a, const void *b)
{
    const struct pdf_font_width *one = a, *other = b;

    return one->first < other->first ? -1 : one->first > other->first;
}

/* [ 1 [ 500 600 ] 10 20 750 ]: of the codes 1 and 2, and of all from 10 to 20. */
static int take_composite_widths(struct pdf_font *font, struct pdf_value list)
{
    struct pdf_lex lex = pdf_lex_items(list);
    struct pdf_lex_token token;
    double numbers[3];
    size_t count = 0;
    bool in_array = false;
    int result = 0;

    while (result == 0 && pdf_lex_next(&lex, &token) != PDF_LEX_END) {
        if (token.kind == PDF_LEX_NUMBER && in_array && count > 0) {
            result = add_width(font, numbers[0], numbers[0], token.number);
            numbers[0]++;
        } else if (token.kind == PDF_LEX_NUMBER) {
            numbers[count++] = token.number;
        } else if (token.kind == PDF_LEX_ARRAY) {
            in_array = true;
        } else {
            in_array = false;
            count = 0;
        }
        if (count == 3) {
            result = add_width(font, numbers[0], numbers[1], numbers[2]);
            count = 0;
        }
    }
    if (font->width_count > 0)
        qsort(font->widths, font->width_count, sizeof *font->widths, compare_widths);
    return result;
}

/* ---- fonts ---- */

/* /Encoding of a font whose codes are UTF-16: UniJIS-UTF16-H, UniGB-UCS2-V. */
static bool is_unicode(struct pdf_value encoding)
{
    return pdf_lex_is_kind(encoding, PDF_LEX_NAME) && encoding.len > 4 &&
           memcmp(encoding.text, "/Uni", 4) == 0 &&
           (memmem(encoding.text, encoding.len, "UCS2", 4) ||
            memmem(encoding.text, encoding.len, "UTF16", 5));
}

static int init_composite(struct pdf_font *font, struct pdf_objects *objects, struct pdf_value dictionary)
{
    struct buffer for_list = {0}, for_descendant = {0}, for_widths = {0};
    struct pdf_lex list = pdf_lex_items(pdf_objects_get(objects, dictionary, "DescendantFonts", &for_list));
    struct pdf_value descendant = {NULL, 0};
    int result;

    pdf_lex_value(&list, &descendant);
    descendant = pdf_objects_resolve(objects, descendant, &for_descendant, NULL);
    font->is_composite = true;
    font->is_unicode = is_unicode(pdf_lex_get(dictionary, "Encoding"));
    font->width = (float)(pdf_lex_number(pdf_lex_get(descendant, "DW"), 1000) / 1000);
    result = take_composite_widths(font, pdf_objects_get(objects, descendant, "W", &for_widths));
    buffer_release(&for_list);
    buffer_release(&for_descendant);
    buffer_release(&for_widths);
    return result;
}

static void init_simple(struct pdf_font *font, struct pdf_objects *objects, struct pdf_value dictionary)
{
    struct buffer buffer = {0};
    const struct pdf_value descriptor = pdf_objects_get(objects, dictionary, "FontDescriptor", &buffer);

    take_encoding(font, objects, dictionary, descriptor);
    take_simple_widths(font, objects, dictionary, descriptor);
    buffer_release(&buffer);
}

int pdf_font_init(struct pdf_font *font, struct pdf_objects *objects, struct pdf_value dictionary)
{
    const struct pdf_objects_entry *stream;
    uint32_t number;
    int result = 0;

    *font = (struct pdf_font){0};
    if (pdf_lex_is_name(pdf_lex_get(dictionary, "Subtype"), "Type0"))
        result = init_composite(font, objects, dictionary);
    else
        init_simple(font, objects, dictionary);
    if (result == 0 && pdf_lex_reference(pdf_lex_get(dictionary, "ToUnicode"), &number) &&
        (stream = pdf_objects_find(objects, number)) != NULL)
        result = pdf_cmap_init(&font->cmap, objects, stream);
    return result;
}

void pdf_font_release(struct pdf_font *font)
{
    free(font->widths);
    pdf_cmap_release(&font->cmap);
    *font = (struct pdf_font){0};
}

static double width_of(const struct pdf_font *font, uint32_t code)
{
    const size_t after = SEARCH_FIRST(i, 0, font->width_count, font->widths[i].first > code);

    if (!font->is_composite)
        return (double)font->simple_widths[code & 0xff];
    return (double)(after > 0 && code <= font->widths[after - 1].last ? font->widths[after - 1].width
                                                                      : font->width);
}

static uint32_t read_code(const struct pdf_font *font, const uint8_t *text, size_t len, size_t *code_len)
{
    uint32_t number = 0;

    *code_len = 1;
    if (font->is_composite) {
        *code_len = pdf_cmap_code_len(&font->cmap, text, len);
        if (*code_len == 0)
            *code_len = len < 2 ? len : 2;
    }
    for (size_t i = 0; i < *code_len; i++)
        number = number << 8 | text[i];
    return number;
}

void pdf_font_code(const struct pdf_font *font, const uint8_t *text, size_t len, struct pdf_font_code *code)
{
    const uint32_t number = read_code(font, text, len, &code->len);

    code->is_space = code->len == 1 && number == ' ';
    code->width = width_of(font, number);
    code->count = pdf_cmap_find(&font->cmap, number, code->characters);
    if (code->count > 0)
        return;
    if (font->is_unicode)
        code->characters[code->count++] = number;
    else if (!font->is_composite)
        while (code->count < PDF_GLYPHS_MOST && font->simple[number & 0xff][code->count]) {
            code->characters[code->count] = font->simple[number & 0xff][code->count];
            code->count++;
        }
}
