/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_strip.h"

enum { COLOURS = 6 };

void report_strip_begin(struct report_strip *strip, uint64_t len, uint64_t whole, unsigned cells)
{
    const unsigned room = cells < REPORT_STRIP_CELLS ? cells : REPORT_STRIP_CELLS;

    *strip = (struct report_strip){.len = (double)len, .cell_len = (double)whole / room};
    /* a part of a cell is drawn as a cell unless it is less than a thousandth of one: that is rounding */
    strip->cells = (unsigned)((double)room * (double)len / (double)whole + 0.999);
    if (strip->cells > room)
        strip->cells = room;
}

void report_strip_mark(struct report_strip *strip, size_t number, uint64_t start, uint64_t end)
{
    if ((double)start >= strip->len) /* a case may be forged */
        return;
    for (unsigned i = (unsigned)((double)start / strip->cell_len); i < strip->cells; i++) {
        const double from = i * strip->cell_len, to = from + strip->cell_len;
        const double first = (double)start > from ? (double)start : from;
        const double matched = ((double)end < to ? (double)end : to) - first;
        struct report_strip_cell *cell = &strip->list[i];

        if (from >= (double)end)
            break;
        if (matched <= 0)
            continue;
        cell->matched += matched;
        if (matched > cell->most) {
            cell->most = matched;
            cell->range = number;
        }
    }
}

/* Nothing if it is the colour already; 0: none. */
static void change_colour(struct buffer *out, unsigned *colour, unsigned wanted)
{
    if (*colour != wanted && *colour)
        buffer_add_text(out, "\033[0m");
    if (*colour != wanted && wanted)
        buffer_printf(out, "\033[3%um", wanted);
    *colour = wanted;
}

void report_strip_put(const struct report_strip *strip, struct buffer *out, bool colours)
{
    unsigned colour = 0;

    for (unsigned i = 0; i < strip->cells; i++) {
        const struct report_strip_cell *cell = &strip->list[i];
        const double left = strip->len - i * strip->cell_len;
        const double len = left < strip->cell_len ? left : strip->cell_len;
        const bool matches = cell->most > 0;
        const char letter = (char)((cell->matched > 0.9 * len ? 'A' : 'a') + cell->range % 26);

        if (colours)
            change_colour(out, &colour, matches ? 1 + (unsigned)(cell->range % COLOURS) : 0);
        buffer_add_char(out, matches ? letter : '.');
    }
    change_colour(out, &colour, 0);
}
