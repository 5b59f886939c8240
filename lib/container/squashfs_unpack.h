/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SQUASHFS_UNPACK_H
#define KITH_SQUASHFS_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Decompression of single blocks by any of the methods that squashfs knows. */

struct squashfs_unpack;

/* The method is numbered as in the superblock.  NULL if it is unknown, or if out of memory. */
struct squashfs_unpack *squashfs_unpack_new(unsigned method, struct error *err);
void squashfs_unpack_free(struct squashfs_unpack *unpack);
/* Returns the decompressed length, or -1 if the block is damaged or longer than `room`. */
long squashfs_unpack_block(struct squashfs_unpack *unpack, const uint8_t *packed, size_t packed_len,
                           uint8_t *into, size_t room);

/* LZ4 (one block, without a frame), and LZO1X: as squashfs_unpack_block. */
long squashfs_unpack_lz4(const uint8_t *packed, size_t packed_len, uint8_t *into, size_t room);
long squashfs_unpack_lzo(const uint8_t *packed, size_t packed_len, uint8_t *into, size_t room);

#endif
