/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PDF_SHOW_H
#define KITH_PDF_SHOW_H

#include "container/pdf_font.h"
#include "container/pdf_layout.h"

/*
 * What the operators of a page's contents do to the text that it shows (ISO 32000-1, 8.4 and 9): the state of
 * graphics and text, and the places of glyphs.
 */

enum {
    PDF_SHOW_MOST_STATES = 64, /* states that are saved at a time; more of them are counted */
    PDF_SHOW_MOST_FONTS = 24,
};

/* Maps x, y to a x + c y + e, b x + d y + f. */
struct pdf_show_matrix {
    double a, b, c, d, e, f;
};

struct pdf_show_state {
    struct pdf_show_matrix matrix;
    const struct pdf_font *font; /* or NULL */
    double size, char_space, word_space, scale, leading, rise;
};

struct pdf_show {
    struct pdf_objects *objects;
    struct pdf_layout layout;
    struct pdf_show_state state, saved[PDF_SHOW_MOST_STATES];
    size_t depth;
    struct pdf_show_matrix text, line;
    struct pdf_font fonts[PDF_SHOW_MOST_FONTS]; /* in no order; those in use are not replaced */
    uint64_t used[PDF_SHOW_MOST_FONTS];         /* when, by the clock */
    uint64_t clock;
};

extern const struct pdf_show_matrix pdf_show_identity;

/* Begins a page. */
void pdf_show_page(struct pdf_show *show);
/* Frees the fonts. */
void pdf_show_release(struct pdf_show *show);

/* Save and restore the state. */
void pdf_show_save(struct pdf_show *show);
void pdf_show_restore(struct pdf_show *show);
/* Applies a matrix before that of the state. */
void pdf_show_transform(struct pdf_show *show, const struct pdf_show_matrix *matrix);
/* Selects a font by a value that is a reference to it, or its dictionary. -1 if memory runs out. */
int pdf_show_font(struct pdf_show *show, struct pdf_value font, double size);

/* Sets the text matrix; moves to another line. */
void pdf_show_place(struct pdf_show *show, const struct pdf_show_matrix *matrix);
void pdf_show_move(struct pdf_show *show, double x, double y);
/* Shows a string; adjusts the place by thousandths of the size of the font, as TJ does. */
void pdf_show_string(struct pdf_show *show, const uint8_t *text, size_t len);
void pdf_show_adjust(struct pdf_show *show, double by);

#endif
