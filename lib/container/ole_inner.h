/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_OLE_INNER_H
#define KITH_OLE_INNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "container/container.h"

/*
 * The structures of a compound file.  It is divided into sectors, whose chains are in the FAT; the FAT's own
 * sectors are listed in the header and in the chain of the DIFAT.  Small streams lie in sectors of 64 bytes
 * in the "mini stream", the content of the root, with a FAT of their own.
 *
 * Chains are hostile: each is limited to the length that the stream needs or the file can have, and ends
 * where it enters a loop.
 */

enum {
    OLE_ENTRY = 128,        /* length of a directory entry */
    OLE_NAME_UNITS = 31,    /* of UTF-16, at most */
    OLE_NAME_ROOM = 3 * 32, /* of a name in UTF-8 */
    OLE_CACHE = 16,         /* sectors of the FAT that are kept */
    OLE_MOST_SECTOR = 4096,
    OLE_MOST_FAT = 1 << 20,     /* sectors of the FAT */
    OLE_MOST_CHAIN = 4 << 20,   /* sectors of a chain */
    OLE_MOST_ENTRIES = 1 << 20, /* in the directory */
    OLE_NO_PARENT = -1,
};

enum ole_type { OLE_UNUSED = 0, OLE_STORAGE = 1, OLE_STREAM = 2, OLE_ROOT = 5 };

struct ole_chain {
    uint32_t *sectors;
    size_t count, room;
    const char *problem; /* why it ends too early; NULL: it does not */
};

struct ole_entry {
    char name[OLE_NAME_ROOM];
    size_t name_len;
    enum ole_type type;
    uint32_t left, right, child; /* of a folder's tree of entries */
    uint32_t start;              /* first sector */
    uint64_t size;
    struct object_stamp created, modified;
};

struct ole_file {
    struct content *content;
    const struct container_watch *watch;
    unsigned shift;        /* log2 of the size of a sector */
    bool is_long;          /* sizes have 64 bits */
    uint32_t sector_count; /* that the content has room for */
    uint32_t mini_cutoff;  /* smaller streams lie in the mini stream */
    uint32_t *fat;         /* the sectors of the FAT */
    size_t fat_count, fat_room;
    struct ole_chain directory, mini_fat, mini_stream;
    uint32_t entry_count;
    int32_t *parents; /* of each entry; OLE_NO_PARENT: no folder leads to it */
    uint32_t cached[OLE_CACHE];
    uint8_t cache[OLE_CACHE][OLE_MOST_SECTOR];
};

/* The signature at its start. */
extern const struct container_magic ole_file_magic[];
bool ole_file_matches(const struct container_sight *sight);

/* Opens the file; to be closed even if that fails.  -1 if it is damaged so that nothing can be found, or if
 * memory runs out. */
int ole_file_open(struct ole_file *file, struct content *content, const struct container_watch *watch,
                  struct error *err);
void ole_file_close(struct ole_file *file);

/* Reads a directory entry, below entry_count; false if it cannot be read. */
bool ole_file_entry(struct ole_file *file, uint32_t index, struct ole_entry *entry);
/* Whether it is a stream of this name. */
bool ole_entry_is(const struct ole_entry *entry, const char *name);
/* The first stream of this name in a folder (the root: 0); false if there is none. */
bool ole_file_find(struct ole_file *file, int32_t folder, const char *name, struct ole_entry *entry);
/* Where the last sector that the FAT has in use ends in the content. */
uint64_t ole_file_end(struct ole_file *file);

struct ole_stream {
    struct ole_chain chain;
    bool is_mini;
    uint64_t size;       /* as far as the chain reaches */
    const char *problem; /* why that is less than the entry states; NULL: it is not */
};

/* Opens a stream by its entry; release it afterwards.  -1 if memory runs out. */
int ole_stream_open(struct ole_stream *stream, struct ole_file *file, const struct ole_entry *entry,
                    struct error *err);
void ole_stream_release(struct ole_stream *stream);
/* As the read of a content: at least one byte before `size`, 0 after it, -1 if nothing can be read there. */
ssize_t ole_stream_read(struct ole_stream *stream, struct ole_file *file, uint64_t offset, void *into,
                        size_t len);
/* Reads all of these bytes, or returns -1. */
int ole_stream_read_all(struct ole_stream *stream, struct ole_file *file, uint64_t offset, void *into,
                        size_t len);

#endif
