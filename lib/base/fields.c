/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fields.h"

#include <string.h>

/* ---- fields ---- */

int fields_split(struct fields *fields, const char *line, size_t len, struct error *err)
{
    const char *p = line, *stop = line + len;
    const unsigned last = fields->count - 1;

    for (unsigned i = 0; i < last; i++) {
        const char *colon = memchr(p, ':', (size_t)(stop - p));

        if (!colon)
            return error_set(err, "field %u (%s) is missing: the line ends after %zu bytes", i + 2,
                             fields->names[i + 1], len);
        fields->list[i] = (struct fields_text){p, (size_t)(colon - p)};
        p = colon + 1;
    }
    fields->list[last] = (struct fields_text){p, (size_t)(stop - p)};
    return 0;
}

int fields_bad(const struct fields *fields, unsigned field, const struct fields_text *text, const char *why,
               struct error *err)
{
    const int shown = text->len < 40 ? (int)text->len : 40;

    return error_set(err, "field %u (%s) %s: '%.*s'%s", field + 1, fields->names[field], why, shown, text->p,
                     text->len > 40 ? "..." : "");
}

int fields_number(const struct fields *fields, unsigned field, uint64_t most, uint64_t *out,
                  struct error *err)
{
    const struct fields_text *text = &fields->list[field];
    uint64_t value = 0;

    if (text->len == 0 || (text->p[0] == '0' && text->len > 1))
        return fields_bad(fields, field, text, "is not a number", err);
    for (size_t i = 0; i < text->len; i++) {
        const uint64_t digit = (uint64_t)text->p[i] - '0';

        if (digit > 9)
            return fields_bad(fields, field, text, "is not a number", err);
        if (digit > most || value > (most - digit) / 10)
            return fields_bad(fields, field, text, "is too large", err);
        value = value * 10 + digit;
    }
    *out = value;
    return 0;
}

bool fields_hex(const char *text, size_t len, uint8_t *out)
{
    for (size_t i = 0; i < 2 * len; i++) {
        const char c = text[i];
        const int value = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;

        if (value < 0)
            return false;
        out[i / 2] = (uint8_t)(out[i / 2] << 4 | value);
    }
    return true;
}

void fields_put_hex(char *text, const uint8_t *bytes, size_t len)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < len; i++) {
        *text++ = digits[bytes[i] >> 4];
        *text++ = digits[bytes[i] & 15];
    }
}

/* ---- six bits per character ---- */

char *fields_put_digits(char *to, uint64_t value, unsigned chars)
{
    for (unsigned i = chars; i-- > 0; value >>= 6)
        to[i] = fields_digit(value & 63);
    return to + chars;
}

bool fields_get_digits(const char *from, unsigned bits, uint64_t *out)
{
    const unsigned chars = (bits + 5) / 6;
    uint64_t value = 0;

    for (unsigned i = 0; i < chars; i++) {
        const int digit = fields_digit_value(from[i]);

        if (digit < 0 || (i == 0 && digit >> (6 - (6 * chars - bits))))
            return false;
        value = value << 6 | (uint64_t)digit;
    }
    *out = value;
    return true;
}
