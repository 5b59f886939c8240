/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PDF_GLYPHS_H
#define KITH_PDF_GLYPHS_H

#include <stddef.h>
#include <stdint.h>

/* What glyphs mean: the encodings of simple fonts (ISO 32000-1, annex D) and the names of glyphs. */

enum pdf_glyphs_encoding { PDF_GLYPHS_NONE, PDF_GLYPHS_STANDARD, PDF_GLYPHS_WINDOWS, PDF_GLYPHS_MAC };

enum { PDF_GLYPHS_MOST = 4 }; /* characters of a glyph */

/* The character for a code; 0: there is none. */
uint32_t pdf_glyphs_code(enum pdf_glyphs_encoding encoding, uint8_t code);

/* The characters of a glyph by its name, such as "eacute", "uni00E9", "f_f_i" or "a.alt"; returns how many, 0
 * if the name means nothing. */
size_t pdf_glyphs_named(const char *name, size_t len, uint32_t into[PDF_GLYPHS_MOST]);

#endif
