/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buffer.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool grow(struct buffer *buffer, size_t more)
{
    size_t room = buffer->room ? buffer->room : 256;
    char *data;

    if (buffer->failed)
        return false;
    while (room - buffer->len < more && room <= SIZE_MAX / 2)
        room *= 2;
    data = room - buffer->len < more ? NULL : realloc(buffer->data, room);
    if (!data) {
        buffer->failed = true;
        return false;
    }
    buffer->data = data;
    buffer->room = room;
    return true;
}

static inline bool reserve(struct buffer *buffer, size_t more)
{
    return (more <= buffer->room - buffer->len && !buffer->failed) || grow(buffer, more);
}

char *buffer_extend(struct buffer *buffer, size_t len)
{
    if (!reserve(buffer, len))
        return NULL;
    buffer->len += len;
    return buffer->data + buffer->len - len;
}

void buffer_add(struct buffer *buffer, const void *data, size_t len)
{
    char *to = len ? buffer_extend(buffer, len) : NULL;

    if (to)
        memcpy(to, data, len);
}

void buffer_add_text(struct buffer *buffer, const char *text)
{
    buffer_add(buffer, text, strlen(text));
}

void buffer_add_char(struct buffer *buffer, char c)
{
    if (reserve(buffer, 1))
        buffer->data[buffer->len++] = c;
}

void buffer_add_number(struct buffer *buffer, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;

    do
        digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    buffer_add(buffer, digits + at, sizeof digits - at);
}

/* Rounds by itself where it is certain to round as printf does, from the exact value: not near a tie. */
void buffer_add_fixed(struct buffer *buffer, double number, int decimals)
{
    static const double largest = 1e9, near = 1e-3;
    static const unsigned scales[] = {1, 10, 100, 1000};
    const unsigned scale = decimals >= 0 && decimals <= 3 ? scales[decimals] : 0;
    const double scaled = number * scale;
    uint64_t rounded;

    if (!scale || !(number >= 0) || signbit(number) || scaled >= largest ||
        fabs(scaled - floor(scaled) - .5) < near) {
        buffer_printf(buffer, "%.*f", decimals, number);
        return;
    }
    rounded = (uint64_t)(scaled + .5);
    buffer_add_number(buffer, rounded / scale);
    if (scale == 1)
        return;
    buffer_add_char(buffer, '.');
    for (unsigned digit = scale / 10; digit; digit /= 10)
        buffer_add_char(buffer, (char)('0' + rounded / digit % 10));
}

/* Most texts fit into what is there, and need not be formatted twice. */
void buffer_printf(struct buffer *buffer, const char *fmt, ...)
{
    const size_t room = buffer->failed ? 0 : buffer->room - buffer->len;
    va_list args, again;
    int len;

    va_start(args, fmt);
    va_copy(again, args);
    len = vsnprintf(room ? buffer->data + buffer->len : NULL, room, fmt, args);
    if (len > 0 &&
        reserve(buffer, (size_t)len + 1)) { /* vsnprintf needs one more for the NUL, which is not kept */
        if ((size_t)len >= room)
            vsnprintf(buffer->data + buffer->len, (size_t)len + 1, fmt, again);
        buffer->len += (size_t)len;
    }
    va_end(again);
    va_end(args);
}

void buffer_reset(struct buffer *buffer)
{
    buffer->len = 0;
}

void buffer_inherit(struct buffer *buffer, const struct buffer *from)
{
    buffer->failed = buffer->failed || from->failed;
}

void buffer_release(struct buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct buffer){0};
}
