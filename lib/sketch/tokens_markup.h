/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_TOKENS_MARKUP_H
#define KITH_TOKENS_MARKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sketch/tokens_text.h"

/* Removes mark-up from a stream of characters, as tokens.h states. */

enum {
    TOKENS_MARKUP_LONGEST = 10,    /* characters of an entity without its semicolon */
    TOKENS_MARKUP_TAG = 4096,      /* characters of a tag without its end */
    TOKENS_MARKUP_COMMENT = 65536, /* the same of a comment */
};

struct tokens_markup {
    enum {
        MARKUP_TEXT,
        MARKUP_LESS,   /* after "<", which may be a mere character */
        MARKUP_ENTITY, /* after "&", the same */
        MARKUP_TAG,
        MARKUP_BANG, /* after "<!" */
        MARKUP_DASH, /* after "<!-" */
        MARKUP_COMMENT,
    } state;
    unsigned dashes;  /* of a comment's end, so far */
    uint32_t quote;   /* that encloses a value within a tag; or 0 */
    bool has_equals;  /* just before, so that a quote may begin */
    uint64_t removed; /* bytes of tags and comments */
    size_t count;     /* of the characters in `held` that may be mark-up */
    size_t first;     /* where they begin; text is before them */
    struct tokens_text held[TOKENS_MARKUP_COMMENT + 1];
};

/* Starts a document. */
void tokens_markup_begin(struct tokens_markup *markup);

/* Takes a character; returns the number of characters at the beginning of markup->held that are text. */
size_t tokens_markup_take(struct tokens_markup *markup, struct tokens_text c);

/* Ends the stream, and returns the same: what was held because it might have been mark-up. */
size_t tokens_markup_end(struct tokens_markup *markup);

#endif
