/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_DISTANCE_SIMD_H
#define KITH_DISTANCE_SIMD_H

#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"

/*
 * Private to distance.c: computes the columns of several matrices at once.  The rows are one query; the
 * columns are one text in each 64-bit lane of a vector.
 *
 * The query is cut into strips of up to 8 words of 64 rows, which fit the registers.  Within a strip the rows
 * are striped: row r is bit r / words of word r % words.  So the row above is the same bit of the previous
 * word, and only the step from the last word to the first needs a shift.  One recurrence runs down the rows
 * and needs a carry:
 *
 *     zero(r) = match(r) or minus(r) or (plus(r - 1) and zero(r - 1))
 *
 * where zero means that the diagonal step costs nothing.  The same bit of all words is a run of neighbouring
 * rows.  A first pass over the words finds the runs that generate a carry and those that propagate one, and a
 * single addition then resolves all runs, as in a carry-lookahead adder.  A block of Myers' algorithm in the
 * usual layout needs an addition and two shifts with carries for every word: 18 AVX2 instructions against 11.
 *
 * A strip is computed over a tile of columns; the differences along its last row are the edge from which the
 * next strip continues.
 */

enum {
    DISTANCE_LANES = 8, /* maximum number of lanes: 64-bit words in an AVX-512 register */
    /* Maximum words per strip: its columns stay in registers, 16 of the 32 of AVX-512. */
    DISTANCE_STRIP = 8,
    /* Maximum columns per tile: their edges stay in the L1 cache, 16 KiB with 8 lanes. */
    DISTANCE_TILE = 128,
    DISTANCE_SYMBOLS = 256, /* values of a byte */
};

/* All arrays are 64-byte aligned. */
struct distance_columns {
    uint64_t *masks; /* [strip][symbol][DISTANCE_STRIP]: the rows with the symbol */
    uint64_t *rows;  /* [word]: the rows in use */
    uint64_t *plus;  /* [word][lane]: rows where the column increases by 1 going down */
    uint64_t *minus; /* [word][lane]: rows where it decreases by 1 */
    uint64_t *edge;  /* [DISTANCE_TILE][2][lane], in a format of the kernel's own */
    size_t words;    /* in the query */
    size_t strip;    /* words per strip; the last strip may have fewer */
};

struct distance_kernel {
    size_t lanes;
    /* Advances by count columns, at most DISTANCE_TILE, whose symbols are in texts[lane]. */
    void (*advance)(struct distance_columns *columns, const uint8_t *const *texts, size_t count);
    /* Adds to sums[lane] the increase of the column from its first row to its last, modulo 2^64. */
    void (*sum)(const struct distance_columns *columns, uint64_t *sums);
};

/* The kernel for a level of cpu_level(). */
const struct distance_kernel *distance_kernel_at(enum cpu_level level);

/* Allocates all arrays for a query and fills in its masks; -1 without memory. */
int distance_columns_init(struct distance_columns *columns, const uint8_t *query, size_t len, size_t lanes);
void distance_columns_free(struct distance_columns *columns);

/* Resets one of the lanes to the column before the first. */
void distance_columns_reset(struct distance_columns *columns, size_t lane, size_t lanes);

/* Flags: how the value of a row differs from the previous column. */
enum { DISTANCE_GREW = 1, DISTANCE_SHRANK = 2 };

/* Adds len rows, at most 64 * words, to the masks and rows of a strip, which must be zero before. */
void distance_strip_fill(uint64_t *masks, uint64_t *rows, size_t words, const uint8_t *pattern, size_t len);

/* A strip in one lane, and the columns to advance it by. */
struct distance_strip {
    const uint64_t *masks; /* [symbol][DISTANCE_STRIP] */
    uint64_t *plus, *minus;
    const uint8_t *text;
    size_t count;  /* number of columns */
    uint8_t *edge; /* flags per column: in, of the row above the strip; out, of its last row */
};

/* Advances the strip.  words: in the strip, at most DISTANCE_STRIP. */
void distance_strip_advance(const struct distance_strip *strip, size_t words);

#endif
