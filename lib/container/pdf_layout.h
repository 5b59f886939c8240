/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PDF_LAYOUT_H
#define KITH_PDF_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "container/running_text.h"

/*
 * Words, lines and paragraphs from the places of glyphs, in the order in which they are shown.
 *
 * A gap of more than a seventh of the size of the font is a space. A glyph that is not on the same line
 * begins another one, and a paragraph if the leading grows, the size of the font changes, the line is
 * indented, the line before it ends early with a full stop, or it is on another page or in another column and
 * does not continue a sentence. A word that a hyphen divides at the end of a line is joined if it goes on in
 * lower case.
 */

struct pdf_layout_glyph {
    double x, y;       /* where it begins, on the base line */
    double dx, dy;     /* to where it ends */
    double up_x, up_y; /* from the base line upwards, by the size of the font */
    const uint32_t *characters;
    size_t count;
};

struct pdf_layout_line {
    double start, end, base, size;
};

struct pdf_layout {
    struct running_text *text;
    int direction; /* 0 to 3: quarter turns */
    bool any, new_page, wants_space;
    bool has_hyphen;       /* which was not written yet */
    uint32_t hyphen, last; /* the last character written */
    struct pdf_layout_line line;
    size_t lines;                /* of the paragraph, including this one */
    double leading, left, right; /* of the paragraph; leading: 0 if it is not known */
    double usual;                /* the last leading that was known, in sizes of the font */
};

/* Adds a glyph. text is where it goes. */
void pdf_layout_add(struct pdf_layout *layout, const struct pdf_layout_glyph *glyph);
/* Another page begins. */
void pdf_layout_page(struct pdf_layout *layout);
/* The text ends. */
void pdf_layout_end(struct pdf_layout *layout);

#endif
