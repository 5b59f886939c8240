/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_AFF3_H
#define KITH_AFF3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/digest.h"
#include "base/error.h"
#include "disk/datafile.h"

/*
 * The structure of an AFF file (Advanced Forensic Format, version 1 to 3): named segments, of which those
 * called page0, page1 and so on hold the medium.  Nothing marks the end of the file, and no segment has a
 * checksum of its own, but head and tail of each give its length, and the size of the medium says which pages
 * there must be. A file in which anything of this is wrong is refused with the reason; or, if that is forced,
 * the pages that are there once, with the length that they must have, are kept, and all others are missing.
 */

struct aff3_page {
    uint64_t number;
    uint64_t offset; /* of its data in the file */
    uint32_t len;    /* of its data there */
    enum aff3_packing { AFF_PLAIN, AFF_ZLIB, AFF_LZMA, AFF_ZEROS, AFF_BAD } packing;
};

struct aff3 {
    struct datafile file;
    uint64_t size; /* of the medium */
    uint32_t page_size, sector_size;
    struct aff3_page *pages; /* by number */
    size_t page_count;
    bool has_lzma;
    uint8_t *bad_flag;    /* what a sector holds that the acquisition could not read; NULL: there is none */
    uint64_t bad_sectors; /* how many those are, as it says */
    bool is_doubtful;     /* there are some, and nothing marks them: it may be any sector */
    struct digest_values stored;
    struct buffer damages; /* what is wrong with it and was put up with; lines */
};

/* On failure there is nothing to be released. */
int aff3_open(struct aff3 *aff, const char *path, bool force, struct error *err);
void aff3_close(struct aff3 *aff);

/* NULL if it is missing. */
const struct aff3_page *aff3_find(const struct aff3 *aff, uint64_t number);
uint64_t aff3_page_total(const struct aff3 *aff);
/* What the page holds of the medium. */
uint32_t aff3_page_len(const struct aff3 *aff, uint64_t number);

#endif
