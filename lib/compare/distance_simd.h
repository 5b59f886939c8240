/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_DISTANCE_SIMD_H
#define KITH_DISTANCE_SIMD_H

#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"

/*
 * Private to distance.c: the columns of several matrices at once.  The rows are one query, the columns one
 * text in each 64-bit lane of a vector.
 *
 * The query is cut into strips of up to 8 words of 64 rows, which fit the registers.  Within a strip the rows
 * are striped: row r is bit r / words of word r % words.  So the row above is the same bit of the word
 * before, and only between the last word and the first is there anything to shift.  One thing runs down the
 * rows and needs a carry:
 *
 *     zero(r) = match(r) or minus(r) or (plus(r - 1) and zero(r - 1))
 *
 * where zero says that the diagonal step costs nothing.  A bit of the words is a run of neighbouring rows; a
 * first pass over the words finds which runs send a carry down by themselves and which ones would hand on a
 * carry from above, and a single addition then settles all runs, as in an adder with carry lookahead.  A
 * block of Myers in the usual layout has an addition and two shifts with carries in every word: with AVX2, 18
 * instructions against 11.
 *
 * A strip runs over a tile of columns; the differences along its last row are the edge the next strip goes on
 * from.
 */

enum {
    DISTANCE_LANES = 8, /* at most: words of 64 bits in a register of AVX-512 */
    /* Words of a strip, at most: their columns stay in registers, 16 of the 32 that AVX-512 has. */
    DISTANCE_STRIP = 8,
    /* Columns, at most: their edges stay in the first-level cache, 16 KiB with 8 lanes. */
    DISTANCE_TILE = 128,
    DISTANCE_SYMBOLS = 256, /* the values of a byte */
};

/* All arrays are 64-byte aligned. */
struct distance_columns {
    uint64_t *masks; /* [strip][symbol][DISTANCE_STRIP]: the rows that have the symbol */
    uint64_t *rows;  /* [word]: the rows there are */
    uint64_t *plus;  /* [word][lane]: rows where the column grows by 1 downwards */
    uint64_t *minus; /* [word][lane]: rows where it shrinks by 1 */
    uint64_t *edge;  /* [DISTANCE_TILE][2][lane], as each kernel likes it */
    size_t words;    /* of the query */
    size_t strip;    /* words of a strip; the last may have fewer */
};

struct distance_kernel {
    size_t lanes;
    /* Goes on by count (at most DISTANCE_TILE) columns; texts[lane] has their symbols. */
    void (*advance)(struct distance_columns *columns, const uint8_t *const *texts, size_t count);
    /* sums[lane] += what the column grows from its first row to its last; modulo 2^64. */
    void (*sum)(const struct distance_columns *columns, uint64_t *sums);
};

/* The kernel for a level that cpu_level() gives. */
const struct distance_kernel *distance_kernel_at(enum cpu_level level);

/* Makes all arrays for a query, with its masks; -1 without memory. */
int distance_columns_init(struct distance_columns *columns, const uint8_t *query, size_t len, size_t lanes);
void distance_columns_free(struct distance_columns *columns);

/* Back to the column before the first one, in one of so many lanes. */
void distance_columns_reset(struct distance_columns *columns, size_t lane, size_t lanes);

/* How a row differs from its last column. */
enum { DISTANCE_GREW = 1, DISTANCE_SHRANK = 2 };

/* Adds len (at most 64 * words) rows to the masks and rows of a strip, which are zero before. */
void distance_strip_fill(uint64_t *masks, uint64_t *rows, size_t words, const uint8_t *pattern, size_t len);

/* A strip in one lane, and its columns that follow. */
struct distance_strip {
    const uint64_t *masks; /* [symbol][DISTANCE_STRIP] */
    uint64_t *plus, *minus;
    const uint8_t *text;
    size_t count;  /* of the columns */
    uint8_t *edge; /* for each column: of the row above the strip, and afterwards of its last row */
};

/* words: of the strip, at most DISTANCE_STRIP. */
void distance_strip_advance(const struct distance_strip *strip, size_t words);

#endif
