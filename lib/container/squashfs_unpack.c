/* SPDX-License-Identifier: Apache-2.0 */
#include "container/squashfs_unpack.h"

#include <stdlib.h>

#include "base/memory.h"
#include "disk/deflate.h"

enum { GZIP = 1, LZMA, LZO, XZ, LZ4, ZSTD };

struct squashfs_unpack {
    unsigned method;
    struct deflate *deflate;
};

struct squashfs_unpack *squashfs_unpack_new(unsigned method, struct error *err)
{
    struct squashfs_unpack *unpack;

    if (method != GZIP && method != LZO && method != LZ4) {
        error_set(err, "is compressed by an unsupported method (%u)", method);
        return NULL;
    }
    unpack = memory_new(sizeof *unpack, err);
    if (!unpack)
        return NULL;
    unpack->method = method;
    if (method == GZIP && (unpack->deflate = deflate_new(DEFLATE_ZLIB)) == NULL) {
        error_set(err, "out of memory");
        free(unpack);
        return NULL;
    }
    return unpack;
}

void squashfs_unpack_free(struct squashfs_unpack *unpack)
{
    if (unpack)
        deflate_free(unpack->deflate);
    free(unpack);
}

long squashfs_unpack_block(struct squashfs_unpack *unpack, const uint8_t *packed, size_t packed_len,
                           uint8_t *into, size_t room)
{
    switch (unpack->method) {
    case GZIP:
        return deflate_unpack(unpack->deflate, packed, packed_len, into, room);
    case LZO:
        return squashfs_unpack_lzo(packed, packed_len, into, room);
    case LZ4:
        return squashfs_unpack_lz4(packed, packed_len, into, room);
    default:
        return -1;
    }
}
