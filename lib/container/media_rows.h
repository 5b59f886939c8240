/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_MEDIA_ROWS_H
#define KITH_MEDIA_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * The rows of a PNG's pixels (ISO 15948, 8 and 9).  Each is preceded by the number of a filter, by which it
 * is made from its neighbours; programs choose the filters freely.  Interlaced pictures have seven passes,
 * each with rows of its own.
 */

enum { MEDIA_ROWS_LONGEST = 8 << 20 }; /* bytes of a row */

struct media_rows {
    uint32_t width, height;
    unsigned bits; /* of a pixel */
    size_t step;   /* bytes from a byte to that of the pixel to the left */
    bool is_interlaced;
    unsigned pass;
    uint32_t left;  /* rows of this pass */
    size_t row_len; /* with its filter */
    uint8_t *row, *above;
};

/* The size of a picture, and how its pixels are stored: 13 bytes, as in the IHDR chunk.  Returns 0, or -1 if
 * they are invalid, if the rows would be too long, or if out of memory. */
int media_rows_begin(struct media_rows *rows, const uint8_t *header, struct error *err);
void media_rows_release(struct media_rows *rows);

/* Where the next row goes: row_len bytes at `row`.  False after the last one. */
bool media_rows_next(struct media_rows *rows);

/* Undoes the filter of the row, of which `len` bytes are there; its pixels are at row + 1.  -1 if there is no
 * such filter. */
int media_rows_unfilter(struct media_rows *rows, size_t len);

#endif
