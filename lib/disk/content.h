/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CONTENT_H
#define KITH_CONTENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/digest.h"
#include "base/error.h"

/*
 * The bytes of an object, wherever they come from: runs of the image (content_runs.h), an attribute that
 * libtsk reads (filesystem.h), a member that is unpacked from a container, memory.  Whoever makes one puts
 * this struct first in its own.
 */
struct content {
    uint64_t size;
    /*
     * As pread(2), for bytes of which none lies after size: the number of bytes that were read, at least one
     * and maybe less than len; 0 or -1 if none can be had at offset.
     */
    ssize_t (*read)(struct content *content, uint64_t offset, void *into, size_t len);
};

/* All of these bytes.  -1: not all of them are there or can be read; what is then in `into` means nothing. */
int content_read(struct content *content, uint64_t offset, void *into, size_t len);

/* The digests of such bytes: 1; 0 if they cannot be read; -1 if libcrypto fails. */
int content_digest(struct content *content, struct digest *digest, uint64_t offset, uint64_t len,
                   struct digest_values *values, struct error *err);

#endif
