/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPEATS_H
#define KITH_REPEATS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/*
 * Samples of a file whose fingerprint occurred earlier in it.  A set's index holds only the first occurrence,
 * which is all that matching looks up; the others are recorded here, in a few bits each.
 */
struct repeat {
    uint32_t at;    /* the sample's number in the file */
    uint32_t first; /* the number of the first one with the same fingerprint; smaller than `at` */
};

/* repeats must ascend; samples: the number of samples of the file. */
void repeats_pack(struct buffer *out, const struct repeat *repeats, size_t count, size_t samples);

/* The bytes encode the number of repeats.  -1 if they are not what repeats_pack writes, or if memory runs
 * out.  The caller frees *repeats. */
int repeats_unpack(const void *data, size_t len, size_t samples, struct repeat **repeats, size_t *count);

#endif
