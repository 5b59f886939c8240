/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_ARCHIVE_ZIP_H
#define KITH_ARCHIVE_ZIP_H

#include "container/archive_inner.h"

/*
 * The headers of a zip archive (PKWARE's APPNOTE.TXT).  Each member has a local header before its data, and
 * an entry in the central directory at the end.  Offsets are those in the content.
 */

enum {
    ARCHIVE_ZIP_LOCAL = 30, /* bytes of a local header before the name */
    ARCHIVE_ZIP_CENTRAL = 46,
    ARCHIVE_ZIP_END = 22, /* bytes of the end of the directory without its comment */
};

#define ARCHIVE_ZIP_NONE UINT64_MAX

enum archive_zip_flag {
    ARCHIVE_ZIP_ENCRYPTED = 1,
    ARCHIVE_ZIP_SIZES_FOLLOW = 8, /* in a descriptor after the data */
    ARCHIVE_ZIP_STRONG = 64,
    ARCHIVE_ZIP_UTF8 = 2048,
    ARCHIVE_ZIP_MASKED = 8192, /* the values of the local header are */
};

/* A local header, or an entry of the directory. */
struct archive_zip_header {
    uint64_t len; /* of the header with everything in it */
    uint64_t packed, size;
    uint64_t local; /* in the directory: where the local header is, before any correction */
    uint32_t crc;
    uint16_t flags, method;
    uint32_t mode;
    uint32_t volume;
    struct object_stamp times[OBJECT_TIMES];
    size_t full_name_len;
    size_t name_len; /* at most ARCHIVE_NAME */
    char name[ARCHIVE_NAME];
};

/* Sets a time of MS-DOS, taken as UTC. */
void archive_zip_set_time(struct object_stamp *stamp, uint32_t dos);

/* Reads a header; of the directory, `want` bytes are read at a time.  -1 if there is none, or if it is cut
 * off. */
int archive_zip_read_local(struct archive_window *window, uint64_t at, struct archive_zip_header *header);
int archive_zip_read_central(struct archive_window *window, uint64_t at, size_t want,
                             struct archive_zip_header *header);

/* Whether a local header that a program may have written is at `at`, and has at most `most` bytes; and
 * whether an entry of a directory is there. */
bool archive_zip_is_local(struct archive_window *window, uint64_t at, uint64_t most);
bool archive_zip_is_central(struct archive_window *window, uint64_t at);

/* A descriptor: the sizes after the data that begins at `data`, for a header that lacks them. */
struct archive_zip_descriptor {
    uint32_t crc;
    uint64_t packed, size;
    size_t len;
};

/* Whether a descriptor that fits the data is at `at`. */
bool archive_zip_read_descriptor(struct archive_window *window, uint64_t data, uint64_t at,
                                 struct archive_zip_descriptor *descriptor);

/* The end of the directory. */
struct archive_zip_end {
    uint64_t at;              /* where it begins */
    uint64_t len;             /* with its comment */
    uint64_t directory, base; /* where the directory begins, and what is before offset 0 of the archive */
    bool has_directory;       /* there is one */
};

/* Reads what is at `at`, where `directory` begins the directory if that is known (ARCHIVE_ZIP_NONE: not).  -1
 * if there is no end. */
int archive_zip_read_end(struct archive_window *window, uint64_t at, uint64_t directory,
                         struct archive_zip_end *end);
/* Finds the end of the directory at the end of the content; -1 if there is none. */
int archive_zip_find_end(struct archive_window *window, struct archive_zip_end *end);

struct archive_zip_entry {
    uint64_t central; /* its entry in the directory, or ARCHIVE_ZIP_NONE */
    uint64_t local;   /* its local header, or ARCHIVE_ZIP_NONE */
    uint64_t end;     /* of its data, as far as that is known; of entries in the directory: at the least */
};

/* Everything that looks like a member. */
struct archive_zip_table {
    struct archive_zip_entry *entries;
    size_t count, room;
    uint64_t base;       /* what is before offset 0 of the archive */
    uint64_t end;        /* of the archive in the content */
    const char *damage;  /* or NULL */
    uint64_t look_ahead; /* bytes that may still be searched more than once */
    struct archive_zip_header header;
};

/* Finds the members: those of the directory in the order of their local headers, then those that only have
 * local headers.  -1 if out of memory. */
int archive_zip_find_members(struct archive_zip_table *table, struct archive_window *window, bool is_carved,
                             struct error *err);

#endif
