/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_ARCHIVE_INNER_H
#define KITH_ARCHIVE_INNER_H

#include <archive.h>
#include <archive_entry.h>

#include "container/container.h"

/* ---- the bytes of the content ---- */

enum {
    ARCHIVE_WINDOW = 72 << 10, /* bytes that can be looked at together */
    ARCHIVE_BLOCK = 64 << 10,  /* bytes to read at a time, of data */
    ARCHIVE_LOOK = 4 << 10,    /* ... of a header somewhere */
    ARCHIVE_NAME = 4096,       /* bytes of a name that are kept */
};

/* The part of the content that was read last. */
struct archive_window {
    struct content *content;
    const struct container_watch *watch;
    uint8_t *bytes;
    uint64_t start;
    size_t len;
};

/* content and watch are borrowed.  -1 if out of memory. */
int archive_window_init(struct archive_window *window, struct content *content,
                        const struct container_watch *watch, struct error *err);
void archive_window_release(struct archive_window *window);

/*
 * Returns at least `least` bytes at an offset, valid until the next call, and in *len how many there are;
 * NULL if that many do not exist or cannot be read.  If they have to be read, `want` are read if possible.
 * Both are at most ARCHIVE_WINDOW.
 */
const uint8_t *archive_window_at(struct archive_window *window, uint64_t offset, size_t least, size_t want,
                                 size_t *len);

/* Finds two bytes that begin in [from, to), all of which has to be in the content.  Returns their offset, or
 * `to`; bytes that cannot be read are passed over. */
uint64_t archive_window_find(struct archive_window *window, uint64_t from, uint64_t to, const char *pair);

/* ---- what libarchive reads ---- */

/* Bytes in memory, followed by a range of the content; or what `pull` returns, until that is 0 or -1. */
struct archive_source {
    struct archive_window *window;
    const uint8_t *head;
    size_t head_len;
    uint64_t start, end; /* in the content */
    uint64_t at;         /* position in the whole */
    ssize_t (*pull)(void *arg, void *into, size_t len);
    void *arg;
    uint8_t *pulled; /* ARCHIVE_BLOCK bytes of room */
};

/* An archive that libarchive reads, and the data of its present entry. */
struct archive_reader {
    struct archive *archive;
    struct archive_source source;
    const uint8_t *block; /* data that has not been asked for yet */
    size_t block_len;
    uint64_t block_at;  /* offset in the entry */
    uint64_t at;        /* where reading in the entry goes on */
    uint64_t size;      /* of the entry, if that is stated, or 0 */
    int result;         /* ARCHIVE_OK, ARCHIVE_EOF, or what ended it */
    struct error fault; /* what was wrong before: libarchive does not repeat it */
};

/* Reads with the functions archive_read_support_...; `supports` ends with NULL, and functions that would need
 * an outside program are passed over.  Everything else is borrowed.  -1 and a message on error; release in
 * any case. */
int archive_reader_open(struct archive_reader *reader, int (*const *supports)(struct archive *),
                        struct error *err);
void archive_reader_release(struct archive_reader *reader);

/* Moves on to the next entry: as `next` of a container.  Headers that are damaged are passed over if
 * libarchive can go on, and reported at the end. */
int archive_reader_next(struct archive_reader *reader, struct archive_entry **entry, struct error *err);
/* Reads on in the entry: as `read` of a container. */
ssize_t archive_reader_read(struct archive_reader *reader, void *into, size_t len, struct error *err);

#endif
