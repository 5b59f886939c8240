/* SPDX-License-Identifier: Apache-2.0 */
#include "sample/repeats.h"

#include <stdlib.h>

#include "base/bits.h"

enum { COUNT_BITS = 32, K_BITS = 6 };

/* Format: count, k; then for each the distance from the one before, minus one, and the number of the first.
 */
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

/* told: a bit for each sample already listed as a repeat. */
static int take(struct bits_reader *from, size_t samples, struct repeat *repeats, size_t count,
                uint64_t *told)
{
    struct bits_reader reader = *from;
    const unsigned width = bits_width(samples), k = (unsigned)bits_get(&reader, K_BITS);
    uint64_t next = 0;

    if (k != bits_rice_k(samples, count))
        return -1;
    for (size_t i = 0; i < count; i++) {
        const uint64_t gap = bits_get_rice(&reader, k), first = bits_get(&reader, width);

        if (reader.broken || gap >= samples || next + gap >= samples || first >= next + gap ||
            (told[first / 64] >> first % 64 & 1))
            return -1;
        next += gap;
        repeats[i] = (struct repeat){(uint32_t)next, (uint32_t)first};
        told[next / 64] |= (uint64_t)1 << next % 64;
        next++;
    }
    return reader.len - reader.at < 8 && bits_get(&reader, (unsigned)(reader.len - reader.at)) == 0 ? 0 : -1;
}

int repeats_unpack(const void *data, size_t len, size_t samples, struct repeat **repeats, size_t *count)
{
    struct bits_reader reader = {.data = data, .len = 8 * len};
    const size_t room = len ? (size_t)bits_get(&reader, COUNT_BITS) : 0;
    uint64_t *told;

    *repeats = NULL;
    *count = 0;
    if (len == 0)
        return 0;
    if (room == 0 || room >= samples || room > 8 * len)
        return -1;
    *repeats = malloc(room * sizeof **repeats);
    told = calloc(samples / 64 + 1, sizeof *told);
    if (*repeats && told && take(&reader, samples, *repeats, room, told) == 0) {
        free(told);
        *count = room;
        return 0;
    }
    free(told);
    free(*repeats);
    *repeats = NULL;
    return -1;
}
