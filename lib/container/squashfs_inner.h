/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SQUASHFS_INNER_H
#define KITH_SQUASHFS_INNER_H

#include "container/squashfs.h"
#include "container/squashfs_unpack.h"

/* The parts of squashfs: metadata, of which inodes and directories consist (squashfs_meta.c), the bytes of
 * files (squashfs_file.c), and the walk through the directories (squashfs.c). */

enum {
    SQUASHFS_META = 8192,     /* bytes of a decompressed block of metadata */
    SQUASHFS_KEPT = 16,       /* blocks of metadata that are kept */
    SQUASHFS_DEEPEST = 512,   /* nested folders */
    SQUASHFS_LONGEST = 4096,  /* path */
    SQUASHFS_BLOCK = 1 << 20, /* largest block of data */
};

/* A place in metadata: a block's place in the content, and a byte in it. */
struct squashfs_cursor {
    uint64_t block;
    uint32_t offset;
};

struct squashfs_meta {
    uint64_t start, next; /* in the content: the block, and what follows it */
    uint64_t used;        /* when */
    uint32_t len;
    uint8_t bytes[SQUASHFS_META];
};

struct squashfs_inode {
    unsigned type; /* SQUASHFS_FOLDER or SQUASHFS_FILE; others are not told apart */
    uint32_t number, mtime;
    uint16_t mode, uid, gid; /* the latter two are indexes */
    uint64_t size;
    uint64_t start;  /* of the data; of a folder, its block in the table of directories */
    uint32_t offset; /* of a folder: in that block; of a file: of its end in the fragment */
    uint32_t fragment;
    struct squashfs_cursor sizes; /* of a file: the sizes of its blocks */
};

enum { SQUASHFS_FOLDER = 1, SQUASHFS_FILE = 2, SQUASHFS_NO_FRAGMENT = -1 };

/* A block of data, decompressed. */
struct squashfs_data {
    uint8_t *bytes; /* SQUASHFS_BLOCK of them, or NULL: none yet */
    uint64_t start; /* which */
    uint32_t len;   /* 0: none */
};

struct squashfs_level {
    struct squashfs_cursor at;
    uint32_t left;         /* bytes of the listing */
    uint32_t entries;      /* left in this part of it */
    uint32_t block, inode; /* that its entries count from */
    size_t path_len;
};

struct squashfs {
    struct container container;
    struct content *content;
    const struct container_watch *watch;
    uint64_t size; /* of the content, or of the file system if that is less */
    uint32_t block_size, inodes, fragments;
    uint16_t ids;
    uint64_t bytes_used, id_table, inode_table, folder_table, fragment_table, root;
    struct squashfs_unpack *unpack;
    uint8_t *packed; /* SQUASHFS_BLOCK bytes, or NULL */
    uint64_t clock;
    struct squashfs_meta metas[SQUASHFS_KEPT];

    uint8_t *seen; /* a bit for each inode */
    uint64_t entries_left;
    struct squashfs_level levels[SQUASHFS_DEEPEST];
    unsigned depth;
    char path[SQUASHFS_LONGEST];
    bool is_damaged;

    struct squashfs_inode file; /* of the present member */
    uint64_t left;              /* bytes of it */
    uint64_t blocks;            /* that are left of it */
    uint64_t at;                /* where the next one lies */
    uint64_t zeros;             /* of a hole, not yet given */
    const uint8_t *ready;       /* bytes that are not yet given */
    size_t ready_len;
    struct squashfs_data block, fragment;
};

/* Reports that a long call is getting on. */
void squashfs_progress(struct squashfs *squashfs);

/* Takes bytes of metadata, and moves the cursor after them.  -1 if they are damaged or missing. */
int squashfs_meta_take(struct squashfs *squashfs, struct squashfs_cursor *cursor, void *into, size_t len);
/* Takes the n-th item of a table: its index of 64-bit pointers to metadata lies at `table`. */
int squashfs_meta_item(struct squashfs *squashfs, uint64_t table, uint32_t n, void *into, size_t len);
/* Takes the inode of a reference.  Returns 1, 0 if it is neither a folder nor a file, -1 if it is damaged. */
int squashfs_meta_inode(struct squashfs *squashfs, uint64_t reference, struct squashfs_inode *inode);

/* Begins to read squashfs->file. */
void squashfs_file_begin(struct squashfs *squashfs);
/* As `read` and `place` of a container. */
ssize_t squashfs_file_read(struct container *container, void *into, size_t len, struct error *err);
uint64_t squashfs_file_place(struct container *container);

#endif
