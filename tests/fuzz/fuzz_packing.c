/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "by_letter.h"
#include "sample/packing.h"

/*
 * The input is 'p', eight bytes of a limit, a byte of the number of samples and what was packed, or 's' and
 * samples of three bytes.
 *
 * Packed samples are refused, or are just what is packed from what they give.  What is packed is unpacked
 * again.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SAMPLES = 4096 };

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void run_packed(const uint8_t *data, size_t size)
{
    struct sample samples[UINT8_MAX];
    struct buffer again = {0};
    uint64_t limit;
    size_t count;

    if (size < 9)
        return;
    limit = bytes_load64(data);
    count = data[8];
    if (packing_unpack(data + 9, size - 9, limit, samples, count))
        return;
    for (size_t i = 0; i < count; i++) {
        require(samples[i].pos < limit && samples[i].fp < 64);
        require(i == 0 || samples[i].pos > samples[i - 1].pos);
    }
    packing_pack(&again, samples, count);
    require(!again.failed && again.len == size - 9);
    require(again.len == 0 || memcmp(again.data, data + 9, again.len) == 0);
    buffer_release(&again);
}

static void run_samples(const uint8_t *data, size_t size)
{
    static struct sample samples[SAMPLES], back[SAMPLES];
    struct buffer packed = {0};
    uint64_t next = 0;
    size_t count = 0;

    for (; size >= 3 && count < SAMPLES; data += 3, size -= 3) {
        const uint64_t gap = (uint64_t)data[0] << data[1] % 57;

        if (gap >= UINT64_MAX - next)
            break;
        samples[count++] = (struct sample){next + gap, data[2]};
        next += gap + 1;
    }
    packing_pack(&packed, samples, count);
    require(!packed.failed && packing_unpack(packed.data, packed.len, next, back, count) == 0);
    for (size_t i = 0; i < count; i++)
        require(back[i].pos == samples[i].pos && back[i].fp == samples[i].fp % 64);
    require(count == 0 || packing_unpack(packed.data, packed.len, next - 1, back, count) == -1);
    buffer_release(&packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return run_by_letter(data, size, 'p', run_packed, 's', run_samples);
}
