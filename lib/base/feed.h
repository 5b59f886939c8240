/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_FEED_H
#define KITH_FEED_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Feeds the content of an open file, in pieces, to something that takes a stream of bytes. */

enum { FEED_ROOM = 256 << 10 }; /* bytes of the buffer: with everything else it fits in the L2 cache */

#define FEED_UNKNOWN UINT64_MAX /* the length is not known in advance */

enum feed_result {
    FEED_OK,
    FEED_UNREADABLE, /* the content cannot be read */
    FEED_CHANGED,    /* the file changed while it was read */
    FEED_FAILED,     /* an error of the environment: memory, libcrypto */
};

/* Functions that return -1 and a message on errors. */
struct feed_taker {
    int (*begin)(void *arg, uint64_t len, struct error *err); /* len: or FEED_UNKNOWN */
    int (*update)(void *arg, const void *data, size_t len, struct error *err);
    void *arg;
};

/*
 * Reads everything from fd and passes it on; `name` is used in messages, and buffer holds FEED_ROOM bytes.
 * Holes are not read.  For a regular file, a change of its size or times meanwhile is reported as
 * FEED_CHANGED.  If progress is not NULL, bytes read are added to it.
 */
enum feed_result feed_fd(int fd, const char *name, const struct feed_taker *taker, void *buffer,
                         atomic_ullong *progress, struct error *err);

#endif
