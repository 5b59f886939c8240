/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "../unit/containers.h"
#include "container/squashfs.h"
#include "container/squashfs_unpack.h"

/* However the files are read, their bytes are the same.  The input is also decompressed as LZ4 and as LZO. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void unpack(const uint8_t *data, size_t size)
{
    enum { ROOM = 5000 };
    uint8_t *room = malloc(ROOM); /* memory of its own, so that a sanitizer sees writes beyond it */

    containers_require(room != NULL, "out of memory");
    containers_require(squashfs_unpack_lz4(data, size, room, ROOM) <= ROOM, "LZ4 is too long");
    containers_require(squashfs_unpack_lzo(data, size, room, ROOM) <= ROOM, "LZO is too long");
    free(room);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct containers_limits limits = {.members = 200, .bytes = 4 << 20},
                                   other = {.members = 200, .bytes = 4 << 20, .piece = 100};
    struct containers_list list = containers_open(&squashfs_format, data, size, false, &limits);
    struct containers_list again = containers_open(&squashfs_format, data, size, true, &other);

    containers_require(list.count == again.count && strcmp(list.failure, again.failure) == 0, "other files");
    for (size_t i = 0; i < list.count; i++) {
        const struct buffer *one = &list.members[i].data, *two = &again.members[i].data;
        const size_t len = one->len < two->len ? one->len : two->len; /* the limit may cut either */

        containers_require(len == 0 || memcmp(one->data, two->data, len) == 0, "other bytes");
    }
    containers_release(&list);
    containers_release(&again);
    unpack(data, size);
    return 0;
}
