/* SPDX-License-Identifier: Apache-2.0 */
#include "repeats.h"

#include <stdbool.h>
#include <stdlib.h>

#include "bits.h"

enum { COUNT_BITS = 32, K_BITS = 6 };

/* count, k; then for each the distance to the one before, less one, and the number of the first. */
void repeats_pack(struct buffer *out, const struct repeat *repeats, size_t count, size_t samples)
{
    const unsigned width = bits_width(samples), k = bits_rice_k(samples, count ? count : 1);
    const size_t room = (COUNT_BITS + K_BITS + count * (BITS_LONGEST + width) + 7) / 8, start = out->len;
    uint8_t *data = count ? (uint8_t *)buffer_extend(out, room) : NULL;
    struct bits_writer writer = {.out = data, .room = room};
    uint32_t next = 0;

    if (!data)
        return;
    bits_put(&writer, count, COUNT_BITS);
    bits_put(&writer, k, K_BITS);
    for (size_t i = 0; i < count; i++) {
        bits_put_rice(&writer, repeats[i].at - next, k);
        bits_put(&writer, repeats[i].first, width);
        next = repeats[i].at + 1;
    }
    out->len = start + (writer.len + 7) / 8;
}

static bool is_repeat(const struct repeat *repeats, size_t count, uint64_t at)
{
    size_t low = 0, high = count;

    while (low < high) {
        const size_t middle = (low + high) / 2;

        if (repeats[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && repeats[low].at == at;
}

static int take(struct bits_reader *reader, size_t samples, struct repeat *repeats, size_t count)
{
    const unsigned width = bits_width(samples), k = (unsigned)bits_get(reader, K_BITS);
    uint64_t next = 0;

    if (k != bits_rice_k(samples, count))
        return -1;
    for (size_t i = 0; i < count; i++) {
        const uint64_t gap = bits_get_rice(reader, k), first = bits_get(reader, width);

        if (reader->broken || gap >= samples || next + gap >= samples || first >= next + gap ||
            is_repeat(repeats, i, first))
            return -1;
        repeats[i] = (struct repeat){(uint32_t)(next + gap), (uint32_t)first};
        next += gap + 1;
    }
    return reader->len - reader->at < 8 && bits_get(reader, (unsigned)(reader->len - reader->at)) == 0 ? 0
                                                                                                       : -1;
}

int repeats_unpack(const void *data, size_t len, size_t samples, struct repeat **repeats, size_t *count)
{
    struct bits_reader reader = {.data = data, .len = 8 * len};
    const size_t told = len ? (size_t)bits_get(&reader, COUNT_BITS) : 0;

    *repeats = NULL;
    *count = 0;
    if (len == 0)
        return 0;
    if (told == 0 || told >= samples || told > 8 * len)
        return -1;
    *repeats = malloc(told * sizeof **repeats);
    if (!*repeats)
        return -1;
    if (take(&reader, samples, *repeats, told) == 0) {
        *count = told;
        return 0;
    }
    free(*repeats);
    *repeats = NULL;
    return -1;
}
