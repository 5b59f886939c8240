/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <string.h>

#include "container/squashfs_unpack.h"

/*
 * LZ4 as lz4_Block_format.md describes it, and LZO1X as the kernel's Documentation/staging/lzo.rst does. Both
 * alternate between literals and matches, which copy bytes that were written before.
 */

struct lz {
    const uint8_t *in, *in_end;
    uint8_t *start, *out, *out_end;
    bool is_bad;
};

static unsigned take(struct lz *lz)
{
    if (lz->in == lz->in_end) {
        lz->is_bad = true;
        return 0;
    }
    return *lz->in++;
}

static void copy_literals(struct lz *lz, size_t len)
{
    if (len > (size_t)(lz->in_end - lz->in) || len > (size_t)(lz->out_end - lz->out)) {
        lz->is_bad = true;
        return;
    }
    memcpy(lz->out, lz->in, len);
    lz->in += len;
    lz->out += len;
}

/* A match may overlap what it writes: then it repeats. */
static void copy_match(struct lz *lz, size_t distance, size_t len)
{
    if (distance == 0 || distance > (size_t)(lz->out - lz->start) || len > (size_t)(lz->out_end - lz->out)) {
        lz->is_bad = true;
        return;
    }
    if (distance >= len) {
        memcpy(lz->out, lz->out - distance, len);
        lz->out += len;
        return;
    }
    for (; len > 0; len--, lz->out++)
        *lz->out = *(lz->out - distance);
}

/* ---- LZ4 ---- */

/* A length of which the token holds the first four bits. */
static size_t lz4_len(struct lz *lz, unsigned first)
{
    size_t len = first;
    unsigned byte = 255;

    while (first == 15 && byte == 255) {
        byte = take(lz);
        len += byte;
    }
    return len;
}

long squashfs_unpack_lz4(const uint8_t *packed, size_t packed_len, uint8_t *into, size_t room)
{
    struct lz lz = {packed, packed + packed_len, into, into, into + room, packed_len == 0};

    while (!lz.is_bad) {
        const unsigned token = take(&lz);
        unsigned distance;

        copy_literals(&lz, lz4_len(&lz, token >> 4));
        if (lz.is_bad || lz.in == lz.in_end)
            break;
        distance = take(&lz);
        distance |= take(&lz) << 8;
        copy_match(&lz, distance, 4 + lz4_len(&lz, token & 15));
    }
    return lz.is_bad ? -1 : (long)(lz.out - lz.start);
}

/* ---- LZO1X ---- */

/* The bits of a length; if they are 0, it goes on in further bytes. */
static size_t lzo_len(struct lz *lz, unsigned bits, unsigned mask)
{
    const size_t first = bits & mask;
    size_t len = mask;

    if (first > 0)
        return first;
    for (;;) {
        const unsigned byte = take(lz);

        if (byte != 0 || lz->is_bad)
            return len + byte;
        len += 255;
    }
}

/* Of a match further away: where it lies, and in two bits how many literals follow it. */
static size_t lzo_distance(struct lz *lz, unsigned *literals)
{
    unsigned low = take(lz);

    low |= take(lz) << 8;
    *literals = low & 3;
    return low >> 2;
}

/* An instruction below 16: literals, or a short match, depending on the literals before it: 0, 1 to 3, or 4
 * for more. */
static void lzo_short(struct lz *lz, unsigned code, unsigned *before)
{
    size_t distance;

    if (*before == 0) {
        copy_literals(lz, 3 + lzo_len(lz, code, 15));
        *before = 4;
        return;
    }
    distance = (code >> 2 & 3) + ((size_t)take(lz) << 2) + 1;
    copy_match(lz, *before == 4 ? distance + 2048 : distance, *before == 4 ? 3 : 2);
    *before = code & 3;
    copy_literals(lz, *before);
}

/* Any other instruction: a match, and up to three literals.  False at the end of the data. */
static bool lzo_match(struct lz *lz, unsigned code, unsigned *literals)
{
    size_t len, distance;

    if (code >= 64) {
        len = code >= 128 ? 5 + (code >> 5 & 3) : 3 + (code >> 5 & 1);
        distance = ((size_t)take(lz) << 3) + (code >> 2 & 7) + 1;
        *literals = code & 3;
    } else if (code >= 32) {
        len = 2 + lzo_len(lz, code, 31);
        distance = lzo_distance(lz, literals) + 1;
    } else {
        len = 2 + lzo_len(lz, code, 7);
        distance = 16384 + ((size_t)(code & 8) << 11) + lzo_distance(lz, literals);
        if (distance == 16384)
            return false;
    }
    copy_match(lz, distance, len);
    copy_literals(lz, *literals);
    return true;
}

long squashfs_unpack_lzo(const uint8_t *packed, size_t packed_len, uint8_t *into, size_t room)
{
    struct lz lz = {packed, packed + packed_len, into, into, into + room, packed_len == 0};
    unsigned literals = 0;

    if (packed_len > 0 && packed[0] > 17) {
        const unsigned first = take(&lz) - 17;

        copy_literals(&lz, first);
        literals = first < 4 ? first : 4;
    }
    while (!lz.is_bad) {
        const unsigned code = take(&lz);

        if (code < 16)
            lzo_short(&lz, code, &literals);
        else if (!lzo_match(&lz, code, &literals))
            break;
    }
    return lz.is_bad ? -1 : (long)(lz.out - lz.start);
}
