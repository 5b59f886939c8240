/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/content.h"

enum { PIECE = 32 << 10 };

int content_digest(struct content *content, struct digest *digest, uint64_t offset, uint64_t len,
                   struct digest_values *values, struct error *err)
{
    uint8_t piece[PIECE];

    if (digest_begin(digest, err))
        return -1;
    for (uint64_t done = 0; done < len;) {
        const size_t part = len - done < PIECE ? (size_t)(len - done) : PIECE;

        if (content->read(content, offset + done, piece, part))
            return 0;
        if (digest_update(digest, piece, part, err))
            return -1;
        done += part;
    }
    *values = (struct digest_values){0};
    return digest_final(digest, values, err) ? -1 : 1;
}
