/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "container/pdf_font_inner.h"

/* From space to tilde. */
static const uint16_t helvetica[95] = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};
static const uint16_t times[95] = {
    250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333, 250, 278, 500, 500, 500,
    500, 500, 500, 500, 500, 500, 500, 278, 278, 564, 564, 564, 444, 921, 722, 667, 667, 722, 611,
    556, 722, 722, 333, 389, 722, 611, 889, 722, 722, 556, 722, 667, 556, 611, 722, 722, 944, 722,
    722, 611, 333, 278, 333, 469, 500, 333, 444, 500, 444, 500, 444, 333, 500, 500, 278, 278, 500,
    278, 778, 500, 500, 500, 500, 333, 389, 278, 500, 500, 722, 500, 500, 444, 480, 200, 480, 541};

/* Where the text is justified, a few percent do not matter: bold letters are about this much wider. */
static const double bold = 1.06;

void pdf_font_standard_widths(struct pdf_font *font, struct pdf_value name)
{
    const bool is_fixed = name.text && memmem(name.text, name.len, "Courier", 7);
    const bool has_serifs = name.text && memmem(name.text, name.len, "Times", 5);
    const double factor = name.text && memmem(name.text, name.len, "Bold", 4) ? bold : 1;
    const uint16_t *widths = has_serifs ? times : helvetica;

    for (size_t code = 0; code < 256; code++) {
        const uint32_t character = font->simple[code][0];
        double width = has_serifs ? 500 : 556;

        if (character >= ' ' && character <= '~')
            width = widths[character - ' '];
        else if (character == 0x2018 || character == 0x2019)
            width = widths['`' - ' '];
        else if (character == 0xfb01 || character == 0xfb02)
            width = widths['f' - ' '] + widths['i' - ' '];
        font->simple_widths[code] = (float)(is_fixed ? 0.6 : width * factor / 1000);
    }
}
