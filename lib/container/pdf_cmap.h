/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PDF_CMAP_H
#define KITH_PDF_CMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "container/pdf_objects.h"

/* A mapping from the codes of a font to characters: its /ToUnicode (ISO 32000-1, 9.10.3). */

enum {
    PDF_CMAP_MOST = 1 << 15,        /* ranges; the rest is ignored */
    PDF_CMAP_MOST_SPACES = 16,      /* code space ranges */
    PDF_CMAP_MOST_STREAM = 2 << 20, /* bytes that are read */
    PDF_CMAP_MOST_CHARACTERS = 8,   /* of a code */
};

struct pdf_cmap_range {
    uint32_t low, high;
    uint32_t at, count; /* characters of `low` in the list; the last one grows with the code */
};

struct pdf_cmap {
    struct pdf_cmap_range *ranges; /* sorted by low */
    size_t range_count, range_room;
    uint32_t *characters;
    size_t character_count, character_room;
    struct {
        uint32_t low, high;
        unsigned len; /* bytes of a code */
    } spaces[PDF_CMAP_MOST_SPACES];
    size_t space_count;
};

/* Reads a stream, as far as that is possible.  -1 if memory runs out.  A zeroed struct is an empty mapping.
 */
int pdf_cmap_init(struct pdf_cmap *cmap, struct pdf_objects *objects, const struct pdf_objects_entry *stream);
void pdf_cmap_release(struct pdf_cmap *cmap);
/* The characters of a code, as many as there is room for; 0 if it has none. */
size_t pdf_cmap_find(const struct pdf_cmap *cmap, uint32_t code, uint32_t into[PDF_CMAP_MOST_CHARACTERS]);
/* The length of the code that the text begins with, by the code spaces; 0 if they do not say. */
size_t pdf_cmap_code_len(const struct pdf_cmap *cmap, const uint8_t *text, size_t len);

#endif
