/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PDF_CONTENTS_H
#define KITH_PDF_CONTENTS_H

#include "container/pdf_show.h"

/*
 * Interprets the contents of a page, and of the forms that it uses, piece by piece (ISO 32000-1, 7.8).
 *
 * Memory: a window for each of PDF_CONTENTS_LEVELS levels of forms; deeper ones are ignored, and so is a form
 * in itself. A string longer than the window is truncated, and operands beyond PDF_CONTENTS_OPERANDS are
 * ignored.
 */

enum {
    PDF_CONTENTS_LEVELS = 12,
    PDF_CONTENTS_OPERANDS = 2048,
    PDF_CONTENTS_WINDOW = 64 << 10, /* bytes */
};

struct pdf_contents_operand {
    enum pdf_lex_kind kind; /* number, name or string */
    double number;
    size_t at, len; /* of the others, in the list of bytes */
};

/* A page, or a form. */
struct pdf_contents_level {
    uint32_t number;     /* of the form */
    size_t depth;        /* of saved states when it began */
    struct pdf_lex rest; /* references to streams that follow */
    struct pdf_filter *filter;
    uint8_t *window;
    size_t len;
    bool ended;
    size_t
        at; /* in the window; not beside len, or both are loaded at once, which waits for what was stored */
    struct pdf_value resources, fonts, forms;
    struct buffer dictionary, for_rest, for_resources, for_fonts, for_forms;
};

struct pdf_contents {
    struct pdf_objects *objects;
    struct pdf_show *show;
    struct pdf_contents_level levels[PDF_CONTENTS_LEVELS];
    size_t level_count;
    struct pdf_contents_operand operands[PDF_CONTENTS_OPERANDS];
    size_t operand_count;
    struct buffer bytes;
    bool is_damaged; /* something could not be decoded */
};

/* Begins a page by its dictionary, which is borrowed until the next one; owner has its resources
 * (pdf_pages_next). -1 if memory runs out. release is needed all the same, also of a zeroed struct. */
int pdf_contents_begin(struct pdf_contents *contents, struct pdf_value page, uint32_t owner);
void pdf_contents_release(struct pdf_contents *contents);
/* Interprets on, for some hundred operands. Returns 1, 0 after the end of the page, -1 if memory runs out. */
int pdf_contents_step(struct pdf_contents *contents);

#endif
