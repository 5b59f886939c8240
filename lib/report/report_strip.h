/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_STRIP_H
#define KITH_REPORT_STRIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/*
 * A strip: one line that shows where in some content the matching ranges lie.
 *
 * Every cell stands for the same number of bytes.  A cell in which nothing matches is a dot; any other has
 * the letter of the range that covers most of it, a capital if more than nine tenths of the cell match.
 * Letters follow the numbers of the ranges and start again after Z.
 */
enum { REPORT_STRIP_CELLS = 200 }; /* at most */

struct report_strip {
    double len, cell_len; /* bytes; len may end within the last cell */
    unsigned cells;
    struct report_strip_cell {
        size_t range;         /* the number of the one that covers most of it */
        double most, matched; /* bytes: of that range, of all */
    } list[REPORT_STRIP_CELLS];
};

/* An empty strip of content of len bytes, drawn so that `whole` bytes (at least len, not 0) fill `cells`
 * cells. */
void report_strip_begin(struct report_strip *strip, uint64_t len, uint64_t whole, unsigned cells);
/* Marks a range, half open, which must not overlap others. */
void report_strip_mark(struct report_strip *strip, size_t number, uint64_t start, uint64_t end);
void report_strip_put(const struct report_strip *strip, struct buffer *out, bool colours);

#endif
