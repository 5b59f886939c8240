/* SPDX-License-Identifier: Apache-2.0 */
#include "packing.h"

#include "bits.h"

/*
 * The Rice parameter, then for each sample the gap to the one before and its character; zeros fill up the
 * last byte.  The first gap is the first position.
 */
enum { K_BITS = 8, CHARACTER_BITS = 6 };

static uint64_t gap_before(const struct sample *samples, size_t i)
{
    return i ? samples[i].pos - samples[i - 1].pos - 1 : samples[0].pos;
}

/* The gaps and count - 1 samples make up the last position. */
static unsigned k_for(const struct sample *samples, size_t count)
{
    return bits_rice_k(samples[count - 1].pos - (count - 1), count);
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
    k = k_for(samples, count);
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
    uint64_t at = 0; /* the first position that the next sample can have */

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

int packing_unpack(const void *data, size_t len, uint64_t limit, struct sample *samples, size_t count)
{
    struct bits_reader reader = {.data = data, .len = len * 8};
    uint64_t k;
    size_t left;

    if (count == 0 || len > SIZE_MAX / 8)
        return len == 0 ? 0 : -1;
    k = bits_get(&reader, K_BITS);
    if (k > 63 || get_samples(&reader, (unsigned)k, limit, samples, count) || k != k_for(samples, count))
        return -1;
    left = reader.len - reader.at;
    return left < 8 && bits_get(&reader, (unsigned)left) == 0 ? 0 : -1;
}
