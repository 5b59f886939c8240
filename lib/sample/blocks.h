/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_BLOCKS_H
#define KITH_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

/*
 * The SHA-1 of each aligned block of a stream, the last one as short as it is: what proves, without the file
 * at hand, that bytes of evidence are bytes of it.
 */
enum {
    BLOCKS_LEAST = 512,
    BLOCKS_LARGEST = 1 << 20,
    BLOCKS_DEFAULT = 4096,
    BLOCKS_MOST = 1 << 16, /* of one file: larger ones have larger blocks */
};

/* The block size for a file of len bytes in a set with this one; and how many blocks those are: none if one
 * block holds all of it, since that is proved by the file's own SHA-1. */
uint64_t blocks_size(uint64_t len, uint32_t block);
uint64_t blocks_count(uint64_t len, uint32_t block);

struct blocks;

/* For one stream after another; NULL on error. */
struct blocks *blocks_new(struct error *err);
void blocks_free(struct blocks *blocks);

/* size: of a block, in bytes. */
int blocks_begin(struct blocks *blocks, uint64_t size, struct error *err);
int blocks_update(struct blocks *blocks, const void *data, size_t len, struct error *err);
/* The digests, DIGEST_SHA1_LEN each; they lie in blocks until the next begin. */
const struct buffer *blocks_final(struct blocks *blocks, struct error *err);

#endif
