/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_FIELDS_H
#define KITH_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Untrusted lines of a fixed number of fields that are separated by colons: records and sketches. */

enum { FIELDS_MOST = 20 };

struct fields_text {
    const char *p;
    size_t len;
};

/* The caller sets the names and their number; fields_split the rest. */
struct fields {
    const char *const *names;
    unsigned count; /* at most FIELDS_MOST */
    struct fields_text list[FIELDS_MOST];
};

/* Divides the line; its last field may contain colons.  -1 and a message if there are too few. */
int fields_split(struct fields *fields, const char *line, size_t len, struct error *err);

/* Reports a malformed field by its number and name, with the first bytes of text, which is it or a part of
 * it. Returns -1. */
int fields_bad(const struct fields *fields, unsigned field, const struct fields_text *text, const char *why,
               struct error *err);

/* Parses a canonical decimal number: no sign, no leading zeros.  -1 and a message, also if it exceeds most.
 */
int fields_number(const struct fields *fields, unsigned field, uint64_t most, uint64_t *out,
                  struct error *err);

/* Parses 2 * len lower-case hexadecimal digits; false if there is anything else among them. */
bool fields_hex(const char *text, size_t len, uint8_t *out);
/* Writes 2 * len lower-case hexadecimal digits, without a zero byte. */
void fields_put_hex(char *text, const uint8_t *bytes, size_t len);

/* Numbers of six bits per character: the character of a digit, 0..63. */
static inline char fields_digit(unsigned digit)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    return digits[digit];
}

/* The digit of a character, or -1. */
static inline int fields_digit_value(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '-' ? 62 : c == '_' ? 63 : -1;
}

/* Writes a number of fixed width, most significant digit first; returns where it ends. */
char *fields_put_digits(char *to, uint64_t value, unsigned chars);
/* Parses one of `bits` bits, in (bits + 5) / 6 characters; false if it is malformed or has more bits. */
bool fields_get_digits(const char *from, unsigned bits, uint64_t *out);

#endif
