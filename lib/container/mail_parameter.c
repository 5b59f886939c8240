/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "container/charset.h"
#include "container/mail_header.h"
#include "container/transfer.h"

enum { SEGMENTS_MOST = 32 };

struct span {
    const char *at;
    size_t len;
};

struct parameter {
    struct span name;
    struct span value; /* without quotes, but with escapes */
    bool is_quoted;
};

static struct span trim(struct span span)
{
    while (span.len && strchr(" \t\r\n", span.at[0])) {
        span.at++;
        span.len--;
    }
    while (span.len && strchr(" \t\r\n", span.at[span.len - 1]))
        span.len--;
    return span;
}

/* Takes off what comes before a character, and the character. */
static struct span cut(struct span *rest, char c)
{
    const char *stop = rest->len ? memchr(rest->at, c, rest->len) : NULL;
    const struct span piece = {rest->at, stop ? (size_t)(stop - rest->at) : rest->len};
    const size_t used = piece.len + (stop ? 1 : 0);

    *rest = (struct span){rest->at + used, rest->len - used};
    return piece;
}

/* Up to the quote that ends it. */
static struct span cut_quoted(struct span *rest)
{
    const char *start = rest->at;
    size_t len = 0;

    while (len < rest->len && start[len] != '"')
        len += start[len] == '\\' && len + 1 < rest->len ? 2 : 1;
    *rest = (struct span){start + len, rest->len - len};
    return (struct span){start, len};
}

static bool next_parameter(struct span *rest, struct parameter *parameter)
{
    struct span look;

    while (rest->len) {
        const char *semicolon = memchr(rest->at, ';', rest->len);

        if (!memchr(rest->at, '=', semicolon ? (size_t)(semicolon - rest->at) : rest->len)) {
            cut(rest, ';');
            continue;
        }
        parameter->name = trim(cut(rest, '='));
        look = trim(*rest);
        parameter->is_quoted = look.len && look.at[0] == '"';
        if (parameter->is_quoted) {
            rest->len -= (size_t)(look.at + 1 - rest->at);
            rest->at = look.at + 1;
            parameter->value = cut_quoted(rest);
            cut(rest, ';');
        } else
            parameter->value = trim(cut(rest, ';'));
        return true;
    }
    return false;
}

/* Finds the parameter NAME, or one whose name goes on like this. */
static bool find(const struct buffer *field, const char *name, const char *suffix, struct parameter *found)
{
    struct span rest = {field->data, field->len};
    const size_t len = strlen(name);

    cut(&rest, ';');
    while (next_parameter(&rest, found))
        if (found->name.len == len + strlen(suffix) && strncasecmp(found->name.at, name, len) == 0 &&
            memcmp(found->name.at + len, suffix, strlen(suffix)) == 0)
            return true;
    return false;
}

/* Of other backslashes people mean what they write, as in C:\file. */
static void unescape(const struct parameter *parameter, struct buffer *out)
{
    const struct span value = parameter->value;

    for (size_t i = 0; i < value.len; i++) {
        const bool is_escape = parameter->is_quoted && value.at[i] == '\\' && i + 1 < value.len &&
                               strchr("\\\"", value.at[i + 1]);

        i += is_escape;
        buffer_add_char(out, value.at[i]);
    }
}

static void convert(struct span charset_name, struct span text, struct buffer *out)
{
    struct charset charset = {.kind = charset_find(charset_name.at, charset_name.len)};

    charset_add(&charset, out, (const uint8_t *)text.at, text.len);
    charset_end(&charset, out);
}

/* %XX, by way of quoted-printable, which has no other escapes. */
static void decode_percent(struct span text, struct buffer *out)
{
    struct transfer transfer = {.kind = TRANSFER_QUOTED};

    for (size_t i = 0; i < text.len; i++) {
        const char c = text.at[i] == '%' ? '=' : text.at[i];

        if (text.at[i] == '=')
            transfer_add(&transfer, out, (const uint8_t *)"=3D", 3);
        else
            transfer_add(&transfer, out, (const uint8_t *)&c, 1);
    }
    transfer_end(&transfer, out);
}

/* RFC 2231: NAME*, or NAME*0, NAME*1* and so on; those that end in an asterisk are encoded. */
static bool add_extended(const struct buffer *field, const char *name, struct buffer *out)
{
    struct buffer raw = {0};
    struct span charset = {"", 0};
    struct parameter segment;
    unsigned count;
    char suffix[16];
    bool is_encoded;

    for (count = 0; count < SEGMENTS_MOST; count++) {
        snprintf(suffix, sizeof suffix, "*%u*", count);
        is_encoded = find(field, name, suffix, &segment) || (count == 0 && find(field, name, "*", &segment));
        suffix[strlen(suffix) - 1] = '\0';
        if (!is_encoded && !find(field, name, suffix, &segment))
            break;
        if (is_encoded && count == 0) {
            charset = cut(&segment.value, '\'');
            cut(&segment.value, '\'');
        }
        if (is_encoded)
            decode_percent(segment.value, &raw);
        else
            unescape(&segment, &raw);
    }
    convert(charset, (struct span){raw.data, raw.len}, out);
    buffer_inherit(out, &raw);
    buffer_release(&raw);
    return count > 0;
}

/* Takes an encoded word of RFC 2047 off the text, which begins with "=?". */
static bool add_word(struct span *text, struct buffer *out)
{
    struct span rest = {text->at + 2, text->len - 2}, charset = cut(&rest, '?'), kind = cut(&rest, '?');
    const char *stop = rest.len ? memmem(rest.at, rest.len, "?=", 2) : NULL;
    const bool is_base64 = kind.len == 1 && (kind.at[0] | 0x20) == 'b';
    struct transfer transfer = {.kind = is_base64 ? TRANSFER_BASE64 : TRANSFER_QUOTED};
    struct buffer raw = {0};

    if (!stop || kind.len != 1 || charset.len == 0 || (!is_base64 && (kind.at[0] | 0x20) != 'q'))
        return false;
    for (const char *at = rest.at; at < stop; at++) {
        const uint8_t c = *at == '_' && !is_base64 ? ' ' : (uint8_t)*at;

        transfer_add(&transfer, &raw, &c, 1);
    }
    transfer_end(&transfer, &raw);
    charset = cut(&charset, '*'); /* a language may follow */
    convert(charset, (struct span){raw.data, raw.len}, out);
    buffer_inherit(out, &raw);
    buffer_release(&raw);
    rest.len -= (size_t)(stop + 2 - rest.at);
    *text = (struct span){stop + 2, rest.len};
    return true;
}

/* White space between two encoded words is not part of the text. */
static void add_words(struct span text, struct buffer *out)
{
    bool after_word = false;

    while (text.len) {
        const struct span ahead = trim(text);

        if (after_word && ahead.len > 2 && memcmp(ahead.at, "=?", 2) == 0)
            text = (struct span){ahead.at, text.len - (size_t)(ahead.at - text.at)};
        after_word = text.len > 2 && memcmp(text.at, "=?", 2) == 0 && add_word(&text, out);
        if (after_word)
            continue;
        buffer_add_char(out, text.at[0]);
        text.at++;
        text.len--;
    }
}

bool mail_parameter(const struct buffer *field, const char *name, struct buffer *out)
{
    struct parameter plain;
    struct buffer value = {0};

    if (field->len == 0)
        return false;
    if (add_extended(field, name, out))
        return true;
    if (!find(field, name, "", &plain))
        return false;
    unescape(&plain, &value);
    add_words((struct span){value.data, value.len < MAIL_NAME_MOST ? value.len : MAIL_NAME_MOST}, out);
    buffer_inherit(out, &value);
    buffer_release(&value);
    return true;
}
