/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "container/inflate64.h"

/* The input is a stream. What it yields, and whether it ends, does not depend on how it is cut, nor on the
 * room for the output. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 1 << 20 };

struct outcome {
    uint8_t *bytes;
    size_t len, taken;
    int result;
};

static struct outcome run(const uint8_t *data, size_t size, size_t piece, size_t room)
{
    struct inflate64 *inflate = inflate64_new();
    struct outcome outcome = {.bytes = malloc(MOST), .result = 1};
    size_t idle = 0;

    if (!inflate || !outcome.bytes)
        abort();
    while (outcome.result > 0 && outcome.len < MOST && idle < 2) {
        const size_t left = size - outcome.taken, most = MOST - outcome.len;
        struct deflate_step step = {.packed = data + outcome.taken,
                                    .packed_len = left < piece ? left : piece,
                                    .into = outcome.bytes + outcome.len,
                                    .room = most < room ? most : room};
        const uint8_t *packed = step.packed, *into = step.into;

        outcome.result = inflate64_step(inflate, &step);
        idle = step.packed == packed && step.into == into ? idle + 1 : 0;
        outcome.taken += (size_t)(step.packed - packed);
        outcome.len += (size_t)(step.into - into);
    }
    inflate64_free(inflate);
    return outcome;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct outcome whole = run(data, size, size, MOST), pieces = run(data, size, 1, 13);

    if (whole.len != pieces.len || memcmp(whole.bytes, pieces.bytes, whole.len) != 0 ||
        (whole.len < MOST && (whole.result != pieces.result || whole.taken != pieces.taken)))
        abort();
    free(whole.bytes);
    free(pieces.bytes);
    return 0;
}
