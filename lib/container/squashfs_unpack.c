/* SPDX-License-Identifier: Apache-2.0 */
#include "container/squashfs_unpack.h"

#include <stdlib.h>

#include "base/memory.h"
#include "container/unpack.h"
#include "disk/deflate.h"

enum { GZIP = 1, LZMA, LZO, XZ, LZ4, ZSTD };

enum { MOST_MEMORY = 16 << 20 }; /* blocks are at most 1 MiB, and so are dictionaries */

struct squashfs_unpack {
    unsigned method;
    struct deflate *deflate; /* GZIP */
    struct unpack *stream;   /* LZMA, XZ, ZSTD */
};

/* Sets up what the method needs. */
static int prepare(struct squashfs_unpack *unpack, struct error *err)
{
    switch (unpack->method) {
    case GZIP:
        unpack->deflate = deflate_new(DEFLATE_ZLIB);
        return unpack->deflate ? 0 : error_set(err, "out of memory");
    case LZMA:
        unpack->stream = unpack_new(UNPACK_LZMA, MOST_MEMORY, err);
        return unpack->stream ? 0 : -1;
    case XZ:
        unpack->stream = unpack_new(UNPACK_XZ, MOST_MEMORY, err);
        return unpack->stream ? 0 : -1;
    case ZSTD:
        unpack->stream = unpack_new(UNPACK_ZSTD, MOST_MEMORY, err);
        return unpack->stream ? 0 : -1;
    case LZO:
    case LZ4:
        return 0;
    default:
        return error_set(err, "is compressed by an unknown method (%u)", unpack->method);
    }
}

struct squashfs_unpack *squashfs_unpack_new(unsigned method, struct error *err)
{
    struct squashfs_unpack *unpack = memory_new(sizeof *unpack, err);

    if (!unpack)
        return NULL;
    unpack->method = method;
    if (prepare(unpack, err) != 0) {
        squashfs_unpack_free(unpack);
        return NULL;
    }
    return unpack;
}

void squashfs_unpack_free(struct squashfs_unpack *unpack)
{
    if (!unpack)
        return;
    deflate_free(unpack->deflate);
    unpack_free(unpack->stream);
    free(unpack);
}

/* A block is a stream of its own. */
static long unpack_whole(struct unpack *stream, const uint8_t *packed, size_t packed_len, uint8_t *into,
                         size_t room)
{
    struct unpack_step step = {packed, packed_len, into, room};
    int more = unpack_restart(stream, NULL) == 0;

    while (more == 1) {
        const size_t before = step.packed_len + step.room;

        more = unpack_step(stream, &step, NULL);
        if (more == 1 && step.packed_len + step.room == before)
            return -1; /* cut off, or longer */
    }
    return more == 0 ? (long)(room - step.room) : -1;
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
        return unpack_whole(unpack->stream, packed, packed_len, into, room);
    }
}
