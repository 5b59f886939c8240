/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_STRIP_H
#define KITH_REPORT_STRIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/*
 * A strip: one line that shows where the matching ranges lie in some content.
 *
 * Every cell stands for the same number of bytes.  A cell without a match is a dot; any other cell has the
 * letter of the range that covers most of it, upper case if more than nine tenths of the cell match.  Range 0
 * has the letter A, and so has range 26.
 */
enum { REPORT_STRIP_CELLS = 200 }; /* at most */

struct report_strip {
    double len, cell_len; /* bytes; the content may end within the last cell */
    unsigned cells;
    struct report_strip_cell {
        size_t range;         /* the number of the range that covers most of the cell */
        double most, matched; /* bytes of that range, and of all ranges, in the cell */
    } list[REPORT_STRIP_CELLS];
};

/* Begins a strip for content of len bytes, without matches, at the scale at which `whole` bytes (not 0, and
 * at least len) fill `cells` cells. */
void report_strip_begin(struct report_strip *strip, uint64_t len, uint64_t whole, unsigned cells);
/* Marks the range [start, end), which has this number. */
void report_strip_mark(struct report_strip *strip, size_t number, uint64_t start, uint64_t end);
/* Appends the strip, in the colours of its ranges if wanted. */
void report_strip_put(const struct report_strip *strip, struct buffer *out, bool colours);

#endif
