/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "by_letter.h"
#include "sample/repeats.h"

/*
 * The input is 'b', four bytes of the number of samples and packed repeats, or 'r' and repeats of two bytes.
 *
 * What is unpacked is packed again to the same bytes; what is packed is unpacked again.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 4096 };

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void require_round_trip(const struct repeat *repeats, size_t count, size_t samples, struct buffer *out)
{
    struct repeat *back;
    size_t found;

    repeats_pack(out, repeats, count, samples);
    require(!out->failed);
    require(repeats_unpack(out->data, out->len, samples, &back, &found) == 0 && found == count);
    for (size_t i = 0; i < count; i++)
        require(back[i].at == repeats[i].at && back[i].first == repeats[i].first);
    free(back);
}

static void run_bytes(const uint8_t *data, size_t size)
{
    struct buffer out = {0};
    struct repeat *repeats;
    size_t samples, count;

    if (size < 4)
        return;
    samples = (uint32_t)bytes_load_le(data, 4);
    if (repeats_unpack(data + 4, size - 4, samples, &repeats, &count))
        return;
    for (size_t i = 0; i < count; i++)
        require(repeats[i].first < repeats[i].at && repeats[i].at < samples &&
                (i == 0 || repeats[i].at > repeats[i - 1].at));
    require_round_trip(repeats, count, samples, &out);
    require(out.len == size - 4 && (out.len == 0 || memcmp(out.data, data + 4, out.len) == 0));
    free(repeats);
    buffer_release(&out);
}

static bool is_repeat(const struct repeat *repeats, size_t count, uint32_t at)
{
    for (size_t i = 0; i < count; i++)
        if (repeats[i].at == at)
            return true;
    return false;
}

/* The distance to the one before, and a first that is itself no repeat. */
static void run_repeats(const uint8_t *data, size_t size)
{
    static struct repeat repeats[MOST];
    struct buffer out = {0};
    uint32_t next = 1;
    size_t count = 0;

    for (; size >= 2 && count < MOST; data += 2, size -= 2) {
        const uint32_t at = next + (uint32_t)(data[0] < 200 ? data[0] % 8 : (1 << (data[0] - 200) % 20)),
                       first = (uint32_t)((uint64_t)at * data[1] / 256);

        next = at + 1;
        if (!is_repeat(repeats, count, first))
            repeats[count++] = (struct repeat){at, first};
    }
    require_round_trip(repeats, count, next + size, &out);
    buffer_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return run_by_letter(data, size, 'b', run_bytes, 'r', run_repeats);
}
