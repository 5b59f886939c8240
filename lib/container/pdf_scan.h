/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PDF_SCAN_H
#define KITH_PDF_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "container/container.h"
#include "container/pdf_lex.h"

/*
 * Finds the objects of a PDF one after another by reading it from its start: `N G obj ... endobj`.  What a
 * cross-reference says is not needed, so damaged files and all versions of an object that was updated are
 * read. What lies in a stream is not searched, if its /Length is right; or else, up to the next "endstream"
 * or "endobj".
 *
 * The time is linear in the size of the content, and the memory that of the window, at most 1 MiB.
 */

enum { PDF_SCAN_MOST_HEAD = 1 << 20 }; /* bytes of the longest object that is read, streams not counted */

struct pdf_scan {
    struct content *content;
    const struct container_watch *watch;
    uint64_t at, end; /* where to search on, and up to where */
    uint64_t last;    /* the end of the last thing that belongs to the file */
    uint64_t wasted;  /* bytes of objects that did not end */
    bool is_carved;
    bool is_cut; /* something is missing at the end */
    uint8_t *window;
    uint64_t window_at;
    size_t window_len, window_room;
};

struct pdf_scan_found {
    bool is_trailer; /* the dictionary of a trailer, with no number */
    bool is_stream;
    uint32_t number, generation;
    uint64_t at;           /* where the value begins in the content */
    struct pdf_value head; /* the value; of a stream, its dictionary; valid until the next call */
    uint64_t data, data_len;
};

/* Begins to scan. release frees the memory, also of a zeroed struct. -1 if memory runs out. */
int pdf_scan_init(struct pdf_scan *scan, const struct container_sight *sight,
                  const struct container_watch *watch, struct error *err);
void pdf_scan_release(struct pdf_scan *scan);
/* Starts from the beginning. */
void pdf_scan_rewind(struct pdf_scan *scan);
/* The next object or trailer. Returns 1, 0 at the end, -1 if memory runs out. */
int pdf_scan_next(struct pdf_scan *scan, struct pdf_scan_found *found, struct error *err);

#endif
