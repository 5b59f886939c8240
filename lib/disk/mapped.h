/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_MAPPED_H
#define KITH_MAPPED_H

#include "base/ranges.h"
#include "disk/backend.h"
#include "disk/datafile.h"
#include "disk/deflate.h"

/*
 * What virtual machines' disks have in common: a disk of blocks of one size, which a map places anywhere in
 * files, packed or not, or nowhere, which makes them zeros.  Each format brings its map; all memory is taken
 * when it is opened, so that running out of it later is not seen as damage.  Of free blocks nothing is said,
 * which makes them zeros, too; if the map is not to be trusted, they are lost.
 */
struct mapped_place {
    enum { MAPPED_BAD, MAPPED_FREE, MAPPED_ZEROS, MAPPED_PLAIN, MAPPED_PACKED } kind;
    const struct datafile *file;
    uint64_t offset;
    size_t packed_len; /* at most so many bytes; fewer if the file ends */
    uint64_t table_at; /* the table that says so, if it is not known to be right */
    size_t table_len;  /* 0: it is */
    uint64_t alike;    /* blocks from this one on of which nothing else is said; 0 is as 1 */
    uint64_t claim_at; /* what it surely takes of the file */
    uint64_t claim_len;
};

/*
 * Where the parts of a map lie in its file: headers, tables, blocks.  No two may share a byte; those that do
 * cannot all be right, and none of them is given.
 */
struct mapped_parts {
    struct ranges claimed;
    struct ranges contested; /* claimed more than once, or by something that cannot be right */
    struct ranges doubtful;  /* blocks by number, of which two tables say different things */
    struct ranges invalid;   /* blocks by number, of which a table says what the format does not know */
    struct ranges cut;       /* blocks by number, that the file does not hold, or not the table */
    char fault[160];         /* what else is wrong; "": nothing */
    bool doubts_free;        /* blocks that are not placed need not be zeros; alone no reason to refuse it */
};

/* One of zeros is empty; this makes it so again. */
void mapped_parts_release(struct mapped_parts *parts);
/* -1 without memory, as with all below. */
int mapped_parts_claim(struct mapped_parts *parts, uint64_t start, uint64_t len);
/* Claims what a block takes, and notes it if the file does not hold the bytes that are needed of it. */
int mapped_parts_take(struct mapped_parts *parts, uint64_t block, const struct mapped_place *place,
                      uint64_t needed);
/* Finds what is contested among all that was claimed. */
int mapped_parts_settle(struct mapped_parts *parts);
/* Once settled; whether nothing of the stretch is contested. */
bool mapped_parts_sound(const struct mapped_parts *parts, uint64_t start, uint64_t len);
/* Settles, and refuses a map in which something is contested, doubtful, invalid or cut, or that has a fault;
 * with force all that is described in damages, as lines that are added. */
int mapped_parts_judge(struct mapped_parts *parts, const char *path, bool force, char *damages, size_t room,
                       struct error *err);

struct mapped {
    uint64_t size;
    uint32_t block_size;
    enum deflate_form form; /* of packed blocks */
    bool has_packed;
    bool is_exact;                    /* a packed block holds no more than it must, also the last one */
    const struct mapped_parts *parts; /* the map's, judged */
    /* Where a block lies; -1: what says so cannot be read. */
    int (*find)(void *map, uint64_t block, struct mapped_place *place);
    const char *(*damages)(void *map); /* as in backend.h; may be NULL */
    void (*close)(void *map);
    void *map;
};

/* On failure the map is closed. */
int mapped_open(struct backend *backend, const struct mapped *mapped, struct error *err);

/* Tables of a map, of one size, read when they are needed; some are kept. */
struct mapped_tables;

/* NULL without memory. */
struct mapped_tables *mapped_tables_new(size_t table_len);
void mapped_tables_free(struct mapped_tables *tables);
/* Valid until the next call; NULL if it cannot be read. */
const uint8_t *mapped_tables_get(struct mapped_tables *tables, const struct datafile *file, uint64_t offset);

#endif
