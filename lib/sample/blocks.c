/* SPDX-License-Identifier: Apache-2.0 */
#include "sample/blocks.h"

#include <stdlib.h>

#include "base/digest.h"
#include "base/memory.h"

uint64_t blocks_size(uint64_t len, uint32_t block)
{
    uint64_t size = block;

    while (len / size >= BLOCKS_MOST)
        size *= 2;
    return size;
}

uint64_t blocks_count(uint64_t len, uint32_t block)
{
    const uint64_t size = blocks_size(len, block);

    return len <= size ? 0 : len / size + (len % size != 0);
}

struct blocks {
    struct digest *digest;
    uint64_t size, filled; /* of the current block */
    struct buffer out;
};

struct blocks *blocks_new(struct error *err)
{
    struct blocks *blocks = memory_new(sizeof *blocks, err);

    if (blocks && (blocks->digest = digest_new(DIGEST_BIT(DIGEST_SHA1), err)))
        return blocks;
    blocks_free(blocks);
    return NULL;
}

void blocks_free(struct blocks *blocks)
{
    if (!blocks)
        return;
    digest_free(blocks->digest);
    buffer_release(&blocks->out);
    free(blocks);
}

int blocks_begin(struct blocks *blocks, uint64_t size, struct error *err)
{
    blocks->size = size;
    blocks->filled = 0;
    buffer_reset(&blocks->out);
    return digest_begin(blocks->digest, err);
}

static int end_block(struct blocks *blocks, struct error *err)
{
    struct digest_values values;

    if (digest_final(blocks->digest, &values, err) || digest_begin(blocks->digest, err))
        return -1;
    buffer_add(&blocks->out, values.bytes[DIGEST_SHA1], DIGEST_SHA1_LEN);
    blocks->filled = 0;
    return blocks->out.failed ? error_set(err, "out of memory") : 0;
}

int blocks_update(struct blocks *blocks, const void *data, size_t len, struct error *err)
{
    const char *p = data;

    while (len > 0) {
        const uint64_t room = blocks->size - blocks->filled;
        const size_t piece = room < len ? (size_t)room : len;

        if (digest_update(blocks->digest, p, piece, err))
            return -1;
        blocks->filled += piece;
        p += piece;
        len -= piece;
        if (blocks->filled == blocks->size && end_block(blocks, err))
            return -1;
    }
    return 0;
}

const struct buffer *blocks_final(struct blocks *blocks, struct error *err)
{
    if (blocks->filled && end_block(blocks, err))
        return NULL;
    return &blocks->out;
}
