/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EWF_H
#define KITH_EWF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/ranges.h"
#include "disk/datafile.h"

/*
 * The structure of an E01 set, or its older form S01: in which segment, and where in it, each chunk of the
 * medium lies.  (Expert Witness Compression Format, as documented by Joachim Metz.)
 *
 * Everything used has been verified: section descriptors, geometry and chunk tables have checksums, segments
 * state their number and the identifier of their set, and the tables must account for every chunk.  A set
 * with any error is refused with the reason; with force, chunks whose position is beyond doubt are used and
 * the rest is missing.  Only the chunks themselves remain to be verified by the reader.
 *
 * The tables of S01 have neither a checksum over their entries nor a copy, and its segments no set
 * identifier.  Instead, the chunks of a table must lie within its section, one after another.
 */

enum { EWF_SET_ID_LEN = 16 };

/* The chunks of one table: consecutive, and in one segment. */
struct ewf_run {
    size_t file;
    uint64_t first; /* number of its first chunk */
    uint64_t base;  /* added to the offsets in the entries */
    uint32_t count;
    uint32_t *entries;   /* as in the file, but in host byte order */
    uint32_t plain_from; /* entries from here on are 32-bit offsets of uncompressed chunks */
    bool after_gap;      /* chunks may be missing before it */
};

struct ewf {
    struct datafile *files;
    size_t file_count;
    bool is_smart; /* S01 */

    uint32_t sector_size, chunk_sectors;
    uint64_t sectors, chunk_count;
    uint8_t set_id[EWF_SET_ID_LEN];
    struct ewf_run *runs; /* sorted by first */
    size_t run_count;
    struct digest_values stored;
    struct ranges unread;  /* sectors that the acquisition could not read, sorted; their content is filler */
    struct buffer damages; /* damage that was tolerated, as lines */
};

/* Position of a chunk.  compressed: len is an upper limit. */
struct ewf_place {
    size_t file;
    uint64_t offset, len;
    bool compressed;
};

/* Opens the files at paths; content: as in backend.h.  On failure there is nothing to close. */
int ewf_open_set(struct ewf *ewf, char *const *paths, size_t count, struct content *content, bool force,
                 struct error *err);
void ewf_close_set(struct ewf *ewf);

/* Bytes in a chunk, and in the whole medium. */
uint32_t ewf_chunk_size(const struct ewf *ewf);
uint64_t ewf_media_size(const struct ewf *ewf);
/* False if the chunk is missing. */
bool ewf_find(const struct ewf *ewf, uint64_t chunk, struct ewf_place *place);
/* Reads all of the bytes; -1 on error. */
int ewf_read_at(const struct ewf *ewf, size_t file, uint64_t offset, void *into, size_t len);

#endif
