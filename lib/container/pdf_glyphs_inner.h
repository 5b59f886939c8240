/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PDF_GLYPHS_INNER_H
#define KITH_PDF_GLYPHS_INNER_H

#include "container/pdf_glyphs.h"

/* The character of a glyph whose name is a plain one; 0: unknown. */
uint32_t pdf_glyphs_name(const char *name, size_t len);

#endif
