/* SPDX-License-Identifier: Apache-2.0 */
#include "container/pdf_lex.h"

#include <string.h>

enum { SPACE = 1, DELIMITER };

static const uint8_t classes[256] = {
    [0] = SPACE,       ['\t'] = SPACE,    ['\n'] = SPACE,    ['\f'] = SPACE,
    ['\r'] = SPACE,    [' '] = SPACE,     ['('] = DELIMITER, [')'] = DELIMITER,
    ['<'] = DELIMITER, ['>'] = DELIMITER, ['['] = DELIMITER, [']'] = DELIMITER,
    ['{'] = DELIMITER, ['}'] = DELIMITER, ['/'] = DELIMITER, ['%'] = DELIMITER,
};

bool pdf_lex_is_space(uint8_t c)
{
    return classes[c] == SPACE;
}

bool pdf_lex_is_delimiter(uint8_t c)
{
    return classes[c] == DELIMITER;
}

static void skip_blank(struct pdf_lex *lex)
{
    while (lex->at < lex->end) {
        if (classes[*lex->at] == SPACE)
            lex->at++;
        else if (*lex->at == '%')
            while (lex->at < lex->end && *lex->at != '\n' && *lex->at != '\r')
                lex->at++;
        else
            return;
    }
}

static void skip_regular(struct pdf_lex *lex)
{
    const uint8_t *at = lex->at;

    while (at < lex->end && !classes[*at])
        at++;
    lex->at = at;
}

/* Inside of brackets that may be nested, and escaped. */
static void skip_string(struct pdf_lex *lex, struct pdf_lex_token *token)
{
    size_t depth = 1;

    token->kind = PDF_LEX_STRING;
    token->text = ++lex->at;
    for (; lex->at < lex->end; lex->at++) {
        if (*lex->at == '\\' && lex->end - lex->at > 1)
            lex->at++;
        else if (*lex->at == '(')
            depth++;
        else if (*lex->at == ')' && --depth == 0)
            break;
    }
    token->len = (size_t)(lex->at - token->text);
    if (lex->at < lex->end)
        lex->at++;
}

static void skip_hex(struct pdf_lex *lex, struct pdf_lex_token *token)
{
    const uint8_t *close;

    lex->at++;
    close = memchr(lex->at, '>', (size_t)(lex->end - lex->at));
    token->kind = PDF_LEX_HEX;
    token->text = lex->at;
    token->len = (size_t)((close ? close : lex->end) - lex->at);
    lex->at = close ? close + 1 : lex->end;
}

static void take_delimiter(struct pdf_lex *lex, struct pdf_lex_token *token, enum pdf_lex_kind kind,
                           size_t len)
{
    token->kind = kind;
    token->len = len;
    lex->at += len;
}

/* A sign, digits and a point; what follows them in the word is ignored, as "-" in "0.0-12". */
static bool read_number(struct pdf_lex_token *token)
{
    const uint8_t *p = token->text, *const end = p + token->len;
    double value = 0, unit = 1;
    bool negative = false, point = false, any = false;

    for (; p < end && (*p == '+' || *p == '-'); p++)
        negative |= *p == '-';
    for (; p < end; p++)
        if (*p >= '0' && *p <= '9') {
            any = true;
            value = value * 10 + (*p - '0');
            unit *= point ? 10 : 1;
        } else if (*p == '.' && !point) {
            point = true;
        } else if (*p == '-') {
            break;
        } else {
            return false;
        }
    token->number = (negative ? -value : value) / unit;
    return (any || point) && value < 1e300;
}

/* Takes a number as most are written: at most a sign, and few enough digits for a double to be exact.  What
 * it leaves is read with read_number, which gives the same for these. */
static bool take_plain_number(struct pdf_lex *lex, struct pdf_lex_token *token)
{
    enum { MOST_DIGITS = 15 };
    static const double units[MOST_DIGITS + 1] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const bool has_sign = *lex->at == '-' || *lex->at == '+';
    const uint8_t *p = lex->at + has_sign,
                  *const end = lex->end - p > MOST_DIGITS ? p + MOST_DIGITS : lex->end, *point = NULL;
    uint64_t value = 0;

    for (; p < end; p++)
        if (*p >= '0' && *p <= '9')
            value = value * 10 + (uint64_t)(*p - '0');
        else if (*p == '.' && !point)
            point = p;
        else
            break;
    if (p - lex->at <= has_sign || (p < lex->end && !classes[*p]))
        return false;
    token->kind = PDF_LEX_NUMBER;
    token->len = (size_t)(p - lex->at);
    token->number = *lex->at == '-' ? -(double)value : (double)value;
    if (point)
        token->number /= units[p - point - 1];
    lex->at = p;
    return true;
}

static void read_word(struct pdf_lex *lex, struct pdf_lex_token *token)
{
    if (*lex->at <= '9' && take_plain_number(lex, token))
        return;
    skip_regular(lex);
    if (lex->at == token->start)
        lex->at++; /* a stray delimiter */
    token->len = (size_t)(lex->at - token->start);
    token->kind = *token->start <= '9' && read_number(token) ? PDF_LEX_NUMBER : PDF_LEX_WORD;
}

enum pdf_lex_kind pdf_lex_next(struct pdf_lex *lex, struct pdf_lex_token *token)
{
    bool is_double;

    skip_blank(lex);
    *token = (struct pdf_lex_token){.kind = PDF_LEX_END, .start = lex->at, .text = lex->at};
    if (lex->at >= lex->end)
        return PDF_LEX_END;
    is_double = lex->end - lex->at > 1 && lex->at[1] == lex->at[0];
    switch (*lex->at) {
    case '/':
        token->kind = PDF_LEX_NAME;
        token->text = ++lex->at;
        skip_regular(lex);
        token->len = (size_t)(lex->at - token->text);
        break;
    case '(':
        skip_string(lex, token);
        break;
    case '<':
        if (is_double)
            take_delimiter(lex, token, PDF_LEX_DICT, 2);
        else
            skip_hex(lex, token);
        break;
    case '>':
        take_delimiter(lex, token, is_double ? PDF_LEX_DICT_END : PDF_LEX_WORD, is_double ? 2 : 1);
        break;
    case '[':
        take_delimiter(lex, token, PDF_LEX_ARRAY, 1);
        break;
    case ']':
        take_delimiter(lex, token, PDF_LEX_ARRAY_END, 1);
        break;
    default:
        read_word(lex, token);
    }
    return token->kind;
}

static int hex_digit(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void decode_hex(const struct pdf_lex_token *token, struct buffer *out)
{
    int high = -1;

    for (size_t i = 0; i < token->len; i++) {
        const int digit = hex_digit(token->text[i]);

        if (digit >= 0 && high >= 0)
            buffer_add_char(out, (char)(high << 4 | digit));
        if (digit >= 0)
            high = high >= 0 ? -1 : digit;
    }
    if (high >= 0)
        buffer_add_char(out, (char)(high << 4));
}

static void decode_name(const struct pdf_lex_token *token, struct buffer *out)
{
    for (size_t i = 0; i < token->len; i++) {
        const uint8_t *p = token->text + i;

        if (*p == '#' && token->len - i > 2 && hex_digit(p[1]) >= 0 && hex_digit(p[2]) >= 0) {
            buffer_add_char(out, (char)(hex_digit(p[1]) << 4 | hex_digit(p[2])));
            i += 2;
        } else {
            buffer_add_char(out, (char)*p);
        }
    }
}

/* What follows a backslash; returns the number of bytes. */
static size_t decode_escape(const uint8_t *p, size_t len, struct buffer *out)
{
    static const char letters[] = "nrtbf", meant[] = "\n\r\t\b\f";
    const char *letter = memchr(letters, *p, sizeof letters - 1);
    unsigned value = 0;
    size_t digits = 0;

    for (; digits < 3 && digits < len && p[digits] >= '0' && p[digits] <= '7'; digits++)
        value = value << 3 | (unsigned)(p[digits] - '0');
    if (digits > 0) {
        buffer_add_char(out, (char)value);
        return digits;
    }
    if (*p == '\r')
        return len > 1 && p[1] == '\n' ? 2 : 1;
    if (*p != '\n')
        buffer_add_char(out, letter ? meant[letter - letters] : (char)*p);
    return 1;
}

static void decode_string(const struct pdf_lex_token *token, struct buffer *out)
{
    for (size_t i = 0; i < token->len;) {
        const uint8_t *p = token->text + i;
        const size_t left = token->len - i;

        if (*p == '\\' && left > 1) {
            i += 1 + decode_escape(p + 1, left - 1, out);
            continue;
        }
        buffer_add_char(out, *p == '\r' ? '\n' : (char)*p);
        i += *p == '\r' && left > 1 && p[1] == '\n' ? 2 : 1;
    }
}

void pdf_lex_decode(const struct pdf_lex_token *token, struct buffer *out)
{
    if (token->kind == PDF_LEX_HEX)
        decode_hex(token, out);
    else if (token->kind == PDF_LEX_STRING)
        decode_string(token, out);
    else
        decode_name(token, out);
}

bool pdf_lex_is(const struct pdf_lex_token *token, enum pdf_lex_kind kind, const char *text)
{
    const size_t len = strlen(text);
    size_t i = 0, at = 0;

    if (token->kind != kind)
        return false;
    for (; i < len && at < token->len; i++, at++) {
        const uint8_t *p = token->text + at;

        if (*p == (uint8_t)text[i])
            continue;
        if (kind != PDF_LEX_NAME || *p != '#' || token->len - at < 3 || hex_digit(p[1]) < 0 ||
            hex_digit(p[2]) < 0 || (hex_digit(p[1]) << 4 | hex_digit(p[2])) != (uint8_t)text[i])
            return false;
        at += 2;
    }
    return i == len && at == token->len;
}

/* After a number: the rest of "12 0 R", if that is what follows. */
static void take_reference(struct pdf_lex *lex)
{
    struct pdf_lex ahead = *lex;
    struct pdf_lex_token token;

    if (pdf_lex_next(&ahead, &token) != PDF_LEX_NUMBER)
        return;
    pdf_lex_next(&ahead, &token);
    if (pdf_lex_is(&token, PDF_LEX_WORD, "R"))
        *lex = ahead;
}

bool pdf_lex_value(struct pdf_lex *lex, struct pdf_value *value)
{
    struct pdf_lex_token token;
    size_t depth = 0;

    *value = (struct pdf_value){NULL, 0};
    do {
        const enum pdf_lex_kind kind = pdf_lex_next(lex, &token);

        if (kind == PDF_LEX_END || (depth == 0 && (kind == PDF_LEX_DICT_END || kind == PDF_LEX_ARRAY_END)))
            break;
        if (!value->text)
            value->text = token.start;
        if (kind == PDF_LEX_DICT || kind == PDF_LEX_ARRAY)
            depth++;
        else if (kind == PDF_LEX_DICT_END || kind == PDF_LEX_ARRAY_END)
            depth--;
        else if (kind == PDF_LEX_NUMBER && depth == 0)
            take_reference(lex);
    } while (depth > 0);
    if (value->text)
        value->len = (size_t)(lex->at - value->text);
    return value->text != NULL;
}

static struct pdf_lex begin(struct pdf_value value)
{
    return (struct pdf_lex){value.text, value.text ? value.text + value.len : NULL};
}

struct pdf_value pdf_lex_get(struct pdf_value dictionary, const char *key)
{
    struct pdf_lex lex = begin(dictionary);
    struct pdf_lex_token token;
    struct pdf_value value;

    if (!dictionary.text || pdf_lex_next(&lex, &token) != PDF_LEX_DICT)
        return (struct pdf_value){NULL, 0};
    while (pdf_lex_next(&lex, &token) != PDF_LEX_END && token.kind != PDF_LEX_DICT_END) {
        if (token.kind != PDF_LEX_NAME)
            continue;
        if (!pdf_lex_value(&lex, &value))
            break;
        if (pdf_lex_is(&token, PDF_LEX_NAME, key))
            return value;
    }
    return (struct pdf_value){NULL, 0};
}

struct pdf_lex pdf_lex_items(struct pdf_value array)
{
    struct pdf_lex lex = begin(array), inside = lex;
    struct pdf_lex_token token;

    if (!array.text)
        return (struct pdf_lex){NULL, NULL};
    return pdf_lex_next(&inside, &token) == PDF_LEX_ARRAY ? inside : lex;
}

bool pdf_lex_reference(struct pdf_value value, uint32_t *number)
{
    struct pdf_lex lex = begin(value);
    struct pdf_lex_token first, token;

    if (!value.text || pdf_lex_next(&lex, &first) != PDF_LEX_NUMBER || first.number < 0 ||
        first.number > UINT32_MAX || pdf_lex_next(&lex, &token) != PDF_LEX_NUMBER)
        return false;
    pdf_lex_next(&lex, &token);
    *number = (uint32_t)first.number;
    return pdf_lex_is(&token, PDF_LEX_WORD, "R");
}

double pdf_lex_number(struct pdf_value value, double otherwise)
{
    struct pdf_lex lex = begin(value);
    struct pdf_lex_token token;

    return value.text && pdf_lex_next(&lex, &token) == PDF_LEX_NUMBER ? token.number : otherwise;
}

int64_t pdf_lex_whole(struct pdf_value value, int64_t most)
{
    const double number = pdf_lex_number(value, -1);

    return number >= 0 && number <= (double)most ? (int64_t)number : -1;
}

bool pdf_lex_is_name(struct pdf_value value, const char *name)
{
    struct pdf_lex lex = begin(value);
    struct pdf_lex_token token;

    return value.text && pdf_lex_next(&lex, &token) == PDF_LEX_NAME && pdf_lex_is(&token, PDF_LEX_NAME, name);
}

bool pdf_lex_is_kind(struct pdf_value value, enum pdf_lex_kind kind)
{
    struct pdf_lex lex = begin(value);
    struct pdf_lex_token token;

    return value.text && pdf_lex_next(&lex, &token) == kind;
}
