/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PDF_FONT_H
#define KITH_PDF_FONT_H

#include "container/pdf_cmap.h"
#include "container/pdf_glyphs.h"

/*
 * A font as far as text needs it (ISO 32000-1, 9.5 to 9.10): which characters the codes of a string are, and
 * how wide they are. Codes whose characters the font does not say have none.
 */

enum { PDF_FONT_MOST_WIDTHS = 1 << 14 }; /* ranges of widths of a composite font; the rest is ignored */

struct pdf_font_width {
    uint32_t first, last;
    float width;
};

struct pdf_font {
    uint32_t number;   /* of its object; 0: none */
    bool is_composite; /* codes of several bytes */
    bool is_unicode;   /* codes of two bytes are UTF-16 */
    float simple_widths[256];
    uint32_t simple[256][PDF_GLYPHS_MOST]; /* characters by the encoding; 0: none */
    struct pdf_font_width *widths;         /* sorted by first */
    size_t width_count, width_room;
    float width; /* of other codes; all widths are in units of the size of the font */
    struct pdf_cmap cmap;
};

struct pdf_font_code {
    size_t len;    /* bytes */
    bool is_space; /* the code to which word spacing applies */
    double width;
    size_t count;
    uint32_t characters[PDF_CMAP_MOST_CHARACTERS];
};

/* Reads a font from its dictionary. -1 if memory runs out; release is needed all the same. */
int pdf_font_init(struct pdf_font *font, struct pdf_objects *objects, struct pdf_value dictionary);
void pdf_font_release(struct pdf_font *font);
/* The code that a string of at least one byte begins with. */
void pdf_font_code(const struct pdf_font *font, const uint8_t *text, size_t len, struct pdf_font_code *code);

#endif
