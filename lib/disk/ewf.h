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
 * The structure of an E01 set, or of its older form, S01: where each chunk of the medium lies in which
 * segment.  (Expert Witness Compression Format, as documented by Joachim Metz.)
 *
 * Everything that is used has been checked: section descriptors, geometry and chunk tables carry checksums,
 * segments their number and the identifier of their set, and the tables must account for every chunk.  A set
 * in which anything of this is wrong is refused with the reason; or, if that is forced, what can be placed
 * beyond doubt is kept and the rest is missing.  Only the chunks themselves are left to who reads them.
 *
 * The tables of S01 have no checksum of their entries and no copy, and its segments no identifier.  There the
 * chunks of a table lie within its section, and must do so one after the other.
 */

enum { EWF_SET_ID_LEN = 16 };

/* The chunks of one table: consecutive ones, in one segment. */
struct ewf_run {
    size_t file;
    uint64_t first; /* number of its first chunk on the medium */
    uint64_t base;  /* of the offsets in the entries */
    uint32_t count;
    uint32_t *entries;   /* as in the file, in this machine's byte order */
    uint32_t plain_from; /* entries from here on are offsets of 32 bits, of uncompressed chunks */
    bool after_gap;      /* chunks may be missing before it */
};

struct ewf {
    struct datafile *files;
    size_t file_count;
    bool is_smart; /* S01 */

    uint32_t sector_size, chunk_sectors;
    uint64_t sectors, chunk_count;
    uint8_t set_id[EWF_SET_ID_LEN];
    struct ewf_run *runs; /* by first */
    size_t run_count;
    struct digest_values stored;
    struct ranges unread;  /* sectors that the acquisition could not read, sorted; their content is made up */
    struct buffer damages; /* what is wrong with it and was put up with; lines */
};

/* A chunk's place; compressed: len is the most that it may take. */
struct ewf_place {
    size_t file;
    uint64_t offset, len;
    bool compressed;
};

/* Opens the files at paths.  On failure there is nothing to be released. */
int ewf_open_set(struct ewf *ewf, char *const *paths, size_t count, bool force, struct error *err);
void ewf_close_set(struct ewf *ewf);

/* Bytes of a chunk, and of the whole. */
uint32_t ewf_chunk_size(const struct ewf *ewf);
uint64_t ewf_media_size(const struct ewf *ewf);
/* False if the chunk is missing. */
bool ewf_find(const struct ewf *ewf, uint64_t chunk, struct ewf_place *place);
/* All of the bytes, or -1. */
int ewf_read_at(const struct ewf *ewf, size_t file, uint64_t offset, void *into, size_t len);

#endif
