/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PDF_FONT_INNER_H
#define KITH_PDF_FONT_INNER_H

#include "container/pdf_font.h"

/* Sets the widths of the fonts that every reader has (ISO 32000-1, 9.6.2.2), by their characters; others are
 * treated like Helvetica. */
void pdf_font_standard_widths(struct pdf_font *font, struct pdf_value name);

#endif
