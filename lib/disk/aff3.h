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
 * The structure of an AFF file (Advanced Forensic Format, versions 1 to 3): named segments, of which page0,
 * page1 and so on hold the medium.  Nothing marks the end of the file, and segments have no checksums.  But
 * the head and the tail of each segment state its length, and the size of the medium determines which pages
 * there must be.  A file with any error in its structure is refused with the reason; with force, pages that
 * occur exactly once and have the correct length are used, and all others are missing.
 */

struct aff3_page {
    uint64_t number;
    uint64_t offset; /* position of its data in the file */
    uint32_t len;    /* length of its data in the file */
    enum aff3_packing { AFF_PLAIN, AFF_ZLIB, AFF_LZMA, AFF_ZEROS, AFF_BAD } packing;
};

struct aff3 {
    struct datafile file;
    uint64_t size; /* of the medium */
    uint32_t page_size, sector_size;
    struct aff3_page *pages; /* sorted by number */
    size_t page_count;
    bool has_lzma;
    uint8_t *bad_flag;    /* what fills a sector that the acquisition could not read; NULL: unknown */
    uint64_t bad_sectors; /* number of such sectors, according to the file */
    bool is_doubtful;     /* there are such sectors but no marker, so any sector may be one */
    struct digest_values stored;
    struct buffer damages; /* damage that was tolerated, as lines */
};

/* On failure there is nothing to close. */
int aff3_open(struct aff3 *aff, const char *path, bool force, struct error *err);
void aff3_close(struct aff3 *aff);

/* NULL if it is missing. */
const struct aff3_page *aff3_find(const struct aff3 *aff, uint64_t number);
uint64_t aff3_page_total(const struct aff3 *aff);
/* Returns how many bytes of the medium the page holds. */
uint32_t aff3_page_len(const struct aff3 *aff, uint64_t number);

#endif
