/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CONTENT_PART_H
#define KITH_CONTENT_PART_H

#include "disk/content.h"

/* A range of other content, and bytes in memory, as content of their own. */

struct content_part {
    struct content content;
    struct content *whole;
    uint64_t start; /* in the whole */
};

struct content_memory {
    struct content content;
    const uint8_t *data;
};

/* Borrow everything.  The part must lie in the whole. */
void content_part_init(struct content_part *part, struct content *whole, uint64_t start, uint64_t size);
void content_memory_init(struct content_memory *memory, const void *data, size_t len);

#endif
