/* SPDX-License-Identifier: Apache-2.0 */
#include "sketch/tokens_markup.h"

#include <string.h>

static bool is_letter(uint32_t code)
{
    return (code | 32) >= 'a' && (code | 32) <= 'z';
}

static bool is_digit(uint32_t code)
{
    return code >= '0' && code <= '9';
}

/* ---- entities ---- */

/* A digit of the base, or -1. */
static int digit_of(uint32_t code, unsigned base)
{
    const int digit = is_digit(code)                          ? (int)(code - '0')
                      : is_letter(code) && (code | 32) <= 'f' ? (int)((code | 32) - 'a' + 10)
                                                              : -1;

    return digit < (int)base ? digit : -1;
}

/* The code in "#123" or "#x7b", or 0. */
static uint32_t numeric(const struct tokens_text *text, size_t count)
{
    const bool is_hex = count > 1 && (text[1].code | 32) == 'x';
    uint32_t code = 0;

    if (count < (is_hex ? 3 : 2))
        return 0;
    for (size_t i = is_hex ? 2 : 1; i < count; i++) {
        const int digit = digit_of(text[i].code, is_hex ? 16 : 10);

        if (digit < 0 || code > 0x10ffff)
            return 0;
        code = code * (is_hex ? 16 : 10) + (uint32_t)digit;
    }
    return code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? 0 : code;
}

static uint32_t named(const struct tokens_text *text, size_t count)
{
    static const struct {
        const char *name;
        uint32_t code;
    } all[] = {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}, {"nbsp", 0xa0}};
    char name[TOKENS_MARKUP_LONGEST + 2] = "";

    for (size_t i = 0; i < count; i++)
        name[i] = text[i].code < 0x80 ? (char)text[i].code : '?';
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(name, all[i].name) == 0)
            return all[i].code;
    return 0;
}

/* ---- states ---- */

/* One character is text instead of those that are held. */
static size_t replace(struct tokens_markup *markup, struct tokens_text c)
{
    markup->state = MARKUP_TEXT;
    markup->count = 0;
    markup->held[0] = c;
    return 1;
}

/* A tag or comment, whose last character is not held, becomes a space. */
static size_t remove_held(struct tokens_markup *markup)
{
    for (size_t i = 0; i < markup->count; i++)
        markup->removed += markup->held[i].len;
    markup->removed++;
    return replace(markup, tokens_text_of(' '));
}

static void hold(struct tokens_markup *markup, struct tokens_text c)
{
    markup->held[markup->count++] = c;
}

/* Text after the first `given` characters of `held`, which are, too. */
static size_t take_text(struct tokens_markup *markup, struct tokens_text c, size_t given)
{
    markup->state = c.code == '<' ? MARKUP_LESS : c.code == '&' ? MARKUP_ENTITY : MARKUP_TEXT;
    markup->held[given] = c;
    markup->first = given;
    markup->count = markup->state != MARKUP_TEXT;
    return given + !markup->count;
}

/* After "<": a tag, or the two characters as they are. */
static size_t take_less(struct tokens_markup *markup, struct tokens_text c)
{
    if (!is_letter(c.code) && c.code != '/' && c.code != '?' && c.code != '!')
        return take_text(markup, c, markup->count);
    markup->state = c.code == '!' ? MARKUP_BANG : MARKUP_TAG;
    markup->quote = 0;
    markup->has_equals = false;
    hold(markup, c);
    return 0;
}

static size_t take_entity(struct tokens_markup *markup, struct tokens_text c)
{
    uint32_t code;

    if ((is_letter(c.code) || is_digit(c.code) || (c.code == '#' && markup->count == 1)) &&
        markup->count <= TOKENS_MARKUP_LONGEST) {
        hold(markup, c);
        return 0;
    }
    code = c.code != ';' || markup->count < 2 ? 0
           : markup->held[1].code == '#'      ? numeric(markup->held + 1, markup->count - 1)
                                              : named(markup->held + 1, markup->count - 1);
    if (!code)
        return take_text(markup, c, markup->count);
    return replace(markup, tokens_text_of(code));
}

/* A quote begins after "=" and ends a value; elsewhere it is a mere character. */
static void see_quote(struct tokens_markup *markup, uint32_t code)
{
    if (markup->quote)
        markup->quote = code == markup->quote ? 0 : markup->quote;
    else if ((code == '"' || code == '\'') && markup->has_equals)
        markup->quote = code;
    markup->has_equals = code == '=' || (markup->has_equals && code == ' ');
}

/* Within a tag, whose end becomes a space.  What another one follows first, or no end within reason, is text:
 * "if (a <b)". */
static size_t take_tag(struct tokens_markup *markup, struct tokens_text c)
{
    if (c.code == '>' && !markup->quote)
        return remove_held(markup);
    if ((c.code == '<' && !markup->quote) || markup->count == TOKENS_MARKUP_TAG)
        return take_text(markup, c, markup->count);
    see_quote(markup, c.code);
    hold(markup, c);
    if (markup->state == MARKUP_BANG)
        markup->state = c.code == '-' ? MARKUP_DASH : MARKUP_TAG;
    else if (markup->state == MARKUP_DASH)
        markup->state = c.code == '-' ? MARKUP_COMMENT : MARKUP_TAG;
    if (markup->state == MARKUP_COMMENT)
        markup->dashes = 2; /* "<!-->" is a comment */
    return 0;
}

/* Within a comment, whose end becomes a space.  Without an end within reason it is text. */
static size_t take_comment(struct tokens_markup *markup, struct tokens_text c)
{
    if (c.code == '>' && markup->dashes >= 2)
        return remove_held(markup);
    if (markup->count == TOKENS_MARKUP_COMMENT)
        return take_text(markup, c, markup->count);
    markup->dashes = c.code == '-' ? markup->dashes + (markup->dashes < 2) : 0;
    hold(markup, c);
    return 0;
}

void tokens_markup_begin(struct tokens_markup *markup)
{
    markup->state = MARKUP_TEXT;
    markup->removed = 0;
    markup->count = markup->first = 0;
}

size_t tokens_markup_take(struct tokens_markup *markup, struct tokens_text c)
{
    markup->held[0] = markup->held[markup->first]; /* one at most is held after text */
    markup->first = 0;
    switch (markup->state) {
    case MARKUP_TEXT:
        return take_text(markup, c, 0);
    case MARKUP_LESS:
        return take_less(markup, c);
    case MARKUP_ENTITY:
        return take_entity(markup, c);
    case MARKUP_COMMENT:
        return take_comment(markup, c);
    default:
        return take_tag(markup, c);
    }
}

size_t tokens_markup_end(struct tokens_markup *markup)
{
    markup->held[0] = markup->held[markup->first];
    markup->first = 0;
    return markup->count;
}
