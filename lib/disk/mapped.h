/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_MAPPED_H
#define KITH_MAPPED_H

#include "base/ranges.h"
#include "disk/backend.h"
#include "disk/datafile.h"
#include "disk/deflate.h"

/*
 * The common part of virtual machines' disk formats: a disk consists of blocks of one size, and a map locates
 * each block anywhere in some files, compressed or not, or nowhere, which makes it zeros.  Each format
 * supplies its map.  All memory is allocated on opening, so that running out of memory is not mistaken for
 * damage later.  Free blocks, which the map does not mention, are zeros too, or lost if the map cannot be
 * trusted.
 */
struct mapped_place {
    enum { MAPPED_BAD, MAPPED_FREE, MAPPED_ZEROS, MAPPED_PLAIN, MAPPED_PACKED } kind;
    const struct datafile *file;
    uint64_t offset;
    size_t packed_len; /* maximum length; less if the file ends earlier */
    uint64_t table_at; /* the table that this entry comes from, unless it is known to be correct */
    size_t table_len;  /* 0: known to be correct */
    uint64_t alike;    /* number of blocks, from this one on, that share this entry; 0 means 1 */
    uint64_t claim_at; /* the part of the file that it certainly occupies */
    uint64_t claim_len;
};

/*
 * Where the parts of a map lie in its file: headers, tables, blocks.  No two may share a byte; if they do,
 * not all of them can be correct, and none of them is used.
 */
struct mapped_parts {
    struct ranges claimed;
    struct ranges contested; /* claimed more than once, or by something that cannot be correct */
    struct ranges doubtful;  /* block numbers, for which two tables differ */
    struct ranges invalid;   /* block numbers, whose entry has a value unknown to the format */
    struct ranges cut;       /* block numbers, where the file lacks the block or its table */
    char fault[160];         /* any other error; "": none */
    /* unmapped blocks are not necessarily zeros; not in itself a reason to refuse the map */
    bool doubts_free;
};

/* Initialize to zeros; this makes it empty again. */
void mapped_parts_release(struct mapped_parts *parts);
/* All functions that return an int return -1 if out of memory. */
int mapped_parts_claim(struct mapped_parts *parts, uint64_t start, uint64_t len);
/* Claims what a block occupies, and records it as cut off if the file does not hold the needed bytes. */
int mapped_parts_take(struct mapped_parts *parts, uint64_t block, const struct mapped_place *place,
                      uint64_t needed);
/* Determines which bytes are contested, after everything has been claimed. */
int mapped_parts_settle(struct mapped_parts *parts);
/* After settling: returns whether no byte of the range is contested. */
bool mapped_parts_sound(const struct mapped_parts *parts, uint64_t start, uint64_t len);
/* Settles, then refuses a map with parts that are contested, doubtful, invalid or cut off, or with a fault;
 * with force, appends a description of all that to damages, as lines, and accepts the map. */
int mapped_parts_judge(struct mapped_parts *parts, const char *path, bool force, char *damages, size_t room,
                       struct error *err);

struct mapped {
    uint64_t size;
    uint32_t block_size;
    enum deflate_form form; /* of compressed blocks */
    bool has_packed;
    /* a compressed block, even the last one, must decompress to exactly the needed length */
    bool is_exact;
    const struct mapped_parts *parts; /* of the map, after mapped_parts_judge */
    /* Locates a block; -1 if its entry cannot be read. */
    int (*find)(void *map, uint64_t block, struct mapped_place *place);
    const char *(*damages)(void *map); /* as in backend.h; may be NULL */
    void (*close)(void *map);
    void *map;
};

/* On failure the map is closed. */
int mapped_open(struct backend *backend, const struct mapped *mapped, struct error *err);

/* A map's tables, all of one size, read on demand and partly cached. */
struct mapped_tables;

/* NULL if out of memory. */
struct mapped_tables *mapped_tables_new(size_t table_len);
void mapped_tables_free(struct mapped_tables *tables);
/* Returns a table, valid until the next call; NULL if it cannot be read. */
const uint8_t *mapped_tables_get(struct mapped_tables *tables, const struct datafile *file, uint64_t offset);

#endif
