/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/content.h"

enum { PIECE = 32 << 10 };

int content_read(struct content *content, uint64_t offset, void *into, size_t len)
{
    uint8_t *at = into;

    if (offset > content->size || len > content->size - offset)
        return -1;
    while (len > 0) {
        const ssize_t got = content->read(content, offset, at, len);

        if (got <= 0 || (size_t)got > len)
            return -1;
        at += got;
        offset += (size_t)got;
        len -= (size_t)got;
    }
    return 0;
}

int content_digest(struct content *content, struct digest *digest, uint64_t offset, uint64_t len,
                   struct digest_values *values, struct error *err)
{
    uint8_t piece[PIECE];

    if (digest_begin(digest, err))
        return -1;
    for (uint64_t done = 0; done < len;) {
        const size_t part = len - done < PIECE ? (size_t)(len - done) : PIECE;

        if (content_read(content, offset + done, piece, part))
            return 0;
        if (digest_update(digest, piece, part, err))
            return -1;
        done += part;
    }
    *values = (struct digest_values){0};
    return digest_final(digest, values, err) ? -1 : 1;
}
