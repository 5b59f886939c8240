/* SPDX-License-Identifier: Apache-2.0 */
#include "sample/packing.h"

#include "base/bits.h"
#include "sample/places.h"

/*
 * Format: the Rice parameter, then for each sample the gap from the one before and its character, padded with
 * zeros to a byte.  The first gap is the first position.
 */
enum { K_BITS = 8, CHARACTER_BITS = PLACES_CHARACTER_BITS };

static uint64_t gap_before(const struct sample *samples, size_t i)
{
    return i ? samples[i].pos - samples[i - 1].pos - 1 : samples[0].pos;
}

/* The last position is the sum of the gaps plus count - 1. */
static unsigned k_for(uint64_t last, size_t count)
{
    return bits_rice_k(last - (count - 1), count);
}

static size_t packed_len(const struct sample *samples, size_t count, unsigned k)
{
    size_t bits = K_BITS;

    for (size_t i = 0; i < count; i++)
        bits += bits_rice_len(gap_before(samples, i), k) + CHARACTER_BITS;
    return (bits + 7) / 8;
}

void packing_pack(struct buffer *out, const struct sample *samples, size_t count)
{
    struct bits_writer writer = {0};
    unsigned k;

    if (count == 0)
        return;
    k = k_for(samples[count - 1].pos, count);
    writer.room = packed_len(samples, count, k);
    writer.out = (uint8_t *)buffer_extend(out, writer.room);
    if (!writer.out)
        return;
    bits_put(&writer, k, K_BITS);
    for (size_t i = 0; i < count; i++) {
        bits_put_rice(&writer, gap_before(samples, i), k);
        bits_put(&writer, samples[i].fp, CHARACTER_BITS);
    }
}

static int get_samples(struct bits_reader *reader, unsigned k, uint64_t limit, struct sample *samples,
                       size_t count)
{
    uint64_t at = 0; /* the lowest position the next sample can have */

    for (size_t i = 0; i < count; i++) {
        const uint64_t gap = bits_get_rice(reader, k);

        samples[i].fp = bits_get(reader, CHARACTER_BITS);
        if (reader->broken || at >= limit || gap >= limit - at)
            return -1;
        samples[i].pos = at + gap;
        at = samples[i].pos + 1;
    }
    return 0;
}

/* The state of unpacking into places. */
struct unpacking {
    struct bits_reader reader;
    unsigned k;
    uint64_t limit, next; /* next: the lowest position the next one can have */
    uint64_t *places;
    size_t at, count;
};

/*
 * The fast path: decodes from whole words until one is escaped or beyond the limit.  Each word is used up
 * before the next is loaded, so that few codes wait for memory.
 */
static void get_quickly(struct unpacking *u)
{
    const unsigned k = u->k, more = 1 + k + CHARACTER_BITS;
    const uint64_t low = ((uint64_t)1 << k) - 1, limit = u->limit;
    const size_t count = u->count;
    uint64_t *places = u->places, next = u->next;
    size_t at = u->at;
    bool done = false;

    while (at < count && !done && bits_has_word(&u->reader)) {
        uint64_t ahead = bits_ahead(&u->reader);
        unsigned left = BITS_AHEAD;

        for (; at < count; at++) {
            const unsigned quotient = (unsigned)__builtin_ctzll(~ahead | (uint64_t)1 << BITS_ESCAPE);
            const uint64_t rest = ahead >> quotient >> 1, gap = (uint64_t)quotient << k | (rest & low);

            if (quotient + more > left)
                break;
            done = quotient == BITS_ESCAPE || next >= limit || gap >= limit - next;
            if (done)
                break;
            next += gap;
            places[at] = next++ << CHARACTER_BITS | (rest >> k & ((1 << CHARACTER_BITS) - 1));
            ahead = rest >> k >> CHARACTER_BITS;
            left -= quotient + more;
        }
        u->reader.at += BITS_AHEAD - left;
    }
    u->next = next;
    u->at = at;
}

static int get_one(struct unpacking *u)
{
    const uint64_t gap = bits_get_rice(&u->reader, u->k);
    const uint64_t character = bits_get(&u->reader, CHARACTER_BITS);

    if (u->reader.broken || u->next >= u->limit || gap >= u->limit - u->next)
        return -1;
    u->places[u->at++] = (u->next + gap) << CHARACTER_BITS | character;
    u->next += gap + 1;
    return 0;
}

static int get_places(struct unpacking *u)
{
    const bool quick = BITS_ESCAPE + 1 + u->k + CHARACTER_BITS <= BITS_AHEAD;

    while (u->at < u->count) {
        if (quick)
            get_quickly(u);
        if (u->at < u->count && get_one(u))
            return -1;
    }
    return 0;
}

/* Checks the zero padding of the last byte. */
static int end_reading(struct bits_reader *reader)
{
    const size_t left = reader->len - reader->at;

    return left < 8 && bits_get(reader, (unsigned)left) == 0 ? 0 : -1;
}

int packing_unpack(const void *data, size_t len, uint64_t limit, struct sample *samples, size_t count)
{
    struct bits_reader reader = {.data = data, .len = len * 8};
    uint64_t k;

    if (count == 0 || len > SIZE_MAX / 8)
        return len == 0 ? 0 : -1;
    k = bits_get(&reader, K_BITS);
    if (k > 63 || get_samples(&reader, (unsigned)k, limit, samples, count) ||
        k != k_for(samples[count - 1].pos, count))
        return -1;
    return end_reading(&reader);
}

int packing_unpack_places(const void *data, size_t len, uint64_t limit, uint64_t *places, size_t count)
{
    struct unpacking u = {.reader = {.data = data, .len = len * 8}, .places = places, .count = count};
    const uint64_t most = ((uint64_t)1 << PLACES_POSITION_BITS) - 1; /* the last one is reserved for "none" */

    if (count == 0 || len > SIZE_MAX / 8)
        return len == 0 ? 0 : -1;
    u.limit = limit < most ? limit : most;
    u.k = (unsigned)bits_get(&u.reader, K_BITS);
    if (u.k > 63 || get_places(&u) || u.k != k_for(places_position(places[count - 1]), count))
        return -1;
    return end_reading(&u.reader);
}
