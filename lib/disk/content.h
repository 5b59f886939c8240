/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CONTENT_H
#define KITH_CONTENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/digest.h"
#include "base/error.h"

/*
 * The bytes of an object, from any source: runs of the image (content_runs.h), an attribute that libtsk reads
 * (filesystem.h), a member extracted from a container, or memory.  Each source embeds this struct as its
 * first member.
 */
struct content {
    uint64_t size;
    /*
     * Like pread(2), for bytes before `size`: returns the number of bytes read, at least one but perhaps
     * fewer than len; 0 or -1 if nothing can be read at offset.
     */
    ssize_t (*read)(struct content *content, uint64_t offset, void *into, size_t len);
    /* The first bytes, if they are in memory anyway for as long as this is; NULL: they are not. */
    const uint8_t *head;
    size_t head_len;
};

/* Reads all of these bytes.  -1 if any of them does not exist or cannot be read; `into` is then undefined. */
int content_read(struct content *content, uint64_t offset, void *into, size_t len);

/* Computes the digests of these bytes.  Returns 1, 0 if they cannot be read, or -1 if libcrypto fails. */
int content_digest(struct content *content, struct digest *digest, uint64_t offset, uint64_t len,
                   struct digest_values *values, struct error *err);

#endif
