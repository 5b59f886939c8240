/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPEATS_H
#define KITH_REPEATS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/*
 * The samples of a file whose fingerprint an earlier one has, too.  A set's index holds only the first of
 * them, which is what matching needs; the others are told here, in a few bits each.
 */
struct repeat {
    uint32_t at;    /* the number of the sample in the file */
    uint32_t first; /* of the first one with that fingerprint: smaller */
};

/* repeats ascend; the file has so many samples. */
void repeats_pack(struct buffer *out, const struct repeat *repeats, size_t count, size_t samples);

/* Their number is told by the bytes themselves; -1 if these are not what repeats_pack writes, or without
 * memory. */
int repeats_unpack(const void *data, size_t len, size_t samples, struct repeat **repeats, size_t *count);

#endif
