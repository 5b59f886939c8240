/* SPDX-License-Identifier: Apache-2.0 */
#include "container/transfer.h"

#include <string.h>
#include <strings.h>

static const struct {
    const char *name;
    enum transfer_kind kind;
} names[] = {
    {"base64", TRANSFER_BASE64}, {"quoted-printable", TRANSFER_QUOTED},
    {"x-uuencode", TRANSFER_UU}, {"uuencode", TRANSFER_UU},
    {"x-uue", TRANSFER_UU},      {"uue", TRANSFER_UU},
};

enum transfer_kind transfer_find(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].name) == len && strncasecmp(names[i].name, name, len) == 0)
            return names[i].kind;
    return TRANSFER_IDENTITY;
}

const uint8_t transfer_base64_values[256] = {
    ['A'] = 1,  ['B'] = 2,  ['C'] = 3,  ['D'] = 4,  ['E'] = 5,  ['F'] = 6,  ['G'] = 7,  ['H'] = 8,
    ['I'] = 9,  ['J'] = 10, ['K'] = 11, ['L'] = 12, ['M'] = 13, ['N'] = 14, ['O'] = 15, ['P'] = 16,
    ['Q'] = 17, ['R'] = 18, ['S'] = 19, ['T'] = 20, ['U'] = 21, ['V'] = 22, ['W'] = 23, ['X'] = 24,
    ['Y'] = 25, ['Z'] = 26, ['a'] = 27, ['b'] = 28, ['c'] = 29, ['d'] = 30, ['e'] = 31, ['f'] = 32,
    ['g'] = 33, ['h'] = 34, ['i'] = 35, ['j'] = 36, ['k'] = 37, ['l'] = 38, ['m'] = 39, ['n'] = 40,
    ['o'] = 41, ['p'] = 42, ['q'] = 43, ['r'] = 44, ['s'] = 45, ['t'] = 46, ['u'] = 47, ['v'] = 48,
    ['w'] = 49, ['x'] = 50, ['y'] = 51, ['z'] = 52, ['0'] = 53, ['1'] = 54, ['2'] = 55, ['3'] = 56,
    ['4'] = 57, ['5'] = 58, ['6'] = 59, ['7'] = 60, ['8'] = 61, ['9'] = 62, ['+'] = 63, ['/'] = 64,
};

/* Three bytes for each four characters; what is left of them stays pending. */
static void decode_base64(struct transfer *transfer, struct buffer *out, const uint8_t *data, size_t len)
{
    uint8_t *to = (uint8_t *)buffer_extend(out, len + 3), *const start = to;

    for (size_t i = 0; to && i < len && !transfer->is_over; i++) {
        const uint8_t value = transfer_base64_values[data[i]];

        if (value) {
            transfer->bits = transfer->bits << 6 | (value - 1u);
            transfer->pads = 0;
            if (++transfer->count < 4)
                continue;
            *to++ = (uint8_t)(transfer->bits >> 16);
            *to++ = (uint8_t)(transfer->bits >> 8);
            *to++ = (uint8_t)transfer->bits;
            transfer->count = 0;
        } else if (data[i] == '=' && transfer->count >= 2)
            transfer->is_over = transfer->count + ++transfer->pads >= 4;
    }
    if (to)
        out->len -= len + 3 - (size_t)(to - start);
}

/* Two or three characters are one or two bytes, padded or not. */
static void end_base64(struct transfer *transfer, struct buffer *out)
{
    const uint32_t bits = transfer->bits << (transfer->count == 2 ? 12 : 6);

    if (transfer->count >= 2)
        buffer_add_char(out, (char)(bits >> 16));
    if (transfer->count == 3)
        buffer_add_char(out, (char)(bits >> 8));
}

static int hex_value(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* After "=".  A "=" after "=" is one, as Python and old encoders have it. */
static void begin_escape(struct transfer *transfer, struct buffer *out, uint8_t c)
{
    transfer->count = 0;
    if (c == '\r' || hex_value(c) >= 0) {
        transfer->line[0] = c;
        transfer->count = 2;
    } else if (c != '\n') {
        buffer_add_char(out, '=');
        if (c != '=')
            buffer_add_char(out, (char)c);
    }
}

/* After "=" and a character: of a soft line break, everything up to its line feed is left out. */
static void end_escape(struct transfer *transfer, struct buffer *out, uint8_t c)
{
    const uint8_t first = transfer->line[0];

    transfer->count = first == '\r' && c != '\n' ? 2 : 0;
    if (first == '\r')
        return;
    if (hex_value(c) >= 0) {
        buffer_add_char(out, (char)((unsigned)hex_value(first) << 4 | (unsigned)hex_value(c)));
        return;
    }
    buffer_add_char(out, '=');
    buffer_add_char(out, (char)first);
    if (c == '=')
        transfer->count = 1;
    else
        buffer_add_char(out, (char)c);
}

/* transfer->count: characters of an escape that are pending, the "=" included. */
static void decode_quoted(struct transfer *transfer, struct buffer *out, const uint8_t *data, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (transfer->count == 2)
            end_escape(transfer, out, data[i]);
        else if (transfer->count == 1)
            begin_escape(transfer, out, data[i]);
        else if (data[i] == '=')
            transfer->count = 1;
        else {
            const uint8_t *stop = memchr(data + i, '=', len - i);
            const size_t plain = stop ? (size_t)(stop - data) - i : len - i;

            buffer_add(out, data + i, plain);
            i += plain - 1;
        }
}

static void end_quoted(struct transfer *transfer, struct buffer *out)
{
    if (transfer->count == 2 && transfer->line[0] != '\r') {
        buffer_add_char(out, '=');
        buffer_add_char(out, (char)transfer->line[0]);
    }
}

/* A line says how many bytes it holds; characters that it lacks are spaces, which mail loses. */
static void decode_uu_line(struct transfer *transfer, struct buffer *out)
{
    uint8_t six[TRANSFER_UU_LINE] = {0}, bytes[TRANSFER_UU_LINE];
    const size_t count = transfer->count ? (transfer->line[0] - 32u) & 63 : 0;

    if (!transfer->is_begun) {
        transfer->is_begun = transfer->count > 6 && memcmp(transfer->line, "begin ", 6) == 0;
        return;
    }
    transfer->is_over = transfer->count >= 3 && memcmp(transfer->line, "end", 3) == 0;
    if (transfer->is_over)
        return;
    for (size_t i = 1; i < transfer->count; i++)
        six[i - 1] = (transfer->line[i] - 32u) & 63;
    for (size_t to = 0, from = 0; to < count; to += 3, from += 4) {
        bytes[to] = (uint8_t)(six[from] << 2 | six[from + 1] >> 4);
        bytes[to + 1] = (uint8_t)(six[from + 1] << 4 | six[from + 2] >> 2);
        bytes[to + 2] = (uint8_t)(six[from + 2] << 6 | six[from + 3]);
    }
    buffer_add(out, bytes, count);
}

static void end_uu_line(struct transfer *transfer, struct buffer *out)
{
    decode_uu_line(transfer, out);
    transfer->count = 0;
}

static void decode_uu(struct transfer *transfer, struct buffer *out, const uint8_t *data, size_t len)
{
    for (size_t i = 0; i < len && !transfer->is_over; i++)
        if (data[i] == '\n')
            end_uu_line(transfer, out);
        else if (data[i] != '\r' && transfer->count < sizeof transfer->line)
            transfer->line[transfer->count++] = data[i];
}

void transfer_add(struct transfer *transfer, struct buffer *out, const uint8_t *data, size_t len)
{
    if (transfer->kind == TRANSFER_BASE64)
        decode_base64(transfer, out, data, len);
    else if (transfer->kind == TRANSFER_QUOTED)
        decode_quoted(transfer, out, data, len);
    else if (transfer->kind == TRANSFER_UU)
        decode_uu(transfer, out, data, len);
    else
        buffer_add(out, data, len);
}

void transfer_end(struct transfer *transfer, struct buffer *out)
{
    if (transfer->kind == TRANSFER_BASE64)
        end_base64(transfer, out);
    else if (transfer->kind == TRANSFER_QUOTED)
        end_quoted(transfer, out);
    else if (transfer->kind == TRANSFER_UU && !transfer->is_over)
        end_uu_line(transfer, out);
    transfer->count = 0;
}
