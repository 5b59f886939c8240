/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_BLOCKS_H
#define KITH_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

/*
 * The SHA-1 of each aligned block of a stream; the last block may be shorter.  Block digests prove that bytes
 * of the evidence are bytes of a known file without having that file.
 */
enum {
    BLOCKS_LEAST = 512,
    BLOCKS_LARGEST = 1 << 20,
    BLOCKS_DEFAULT = 4096,
    BLOCKS_MOST = 1 << 16, /* per file: larger files get larger blocks */
};

/* The block size for a file of len bytes in a set whose block size is `block`, and the number of blocks: none
 * if a single block would hold the file, since the file's own SHA-1 proves that. */
uint64_t blocks_size(uint64_t len, uint32_t block);
uint64_t blocks_count(uint64_t len, uint32_t block);

struct blocks;

/* Reusable for any number of streams, one at a time.  NULL on error. */
struct blocks *blocks_new(struct error *err);
void blocks_free(struct blocks *blocks);

/* size: the block size in bytes. */
int blocks_begin(struct blocks *blocks, uint64_t size, struct error *err);
int blocks_update(struct blocks *blocks, const void *data, size_t len, struct error *err);
/* The digests, DIGEST_SHA1_LEN bytes each, owned by blocks and valid until the next begin.  NULL on error. */
const struct buffer *blocks_final(struct blocks *blocks, struct error *err);

#endif
