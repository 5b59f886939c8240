/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_TOKENS_MARKUP_H
#define KITH_TOKENS_MARKUP_H

#include <stddef.h>

#include "sketch/tokens_text.h"

/* Removes mark-up from a stream of characters, as tokens.h states.  A zeroed struct is at the beginning. */

enum {
    TOKENS_MARKUP_LONGEST = 10, /* characters of an entity without its semicolon */
    TOKENS_MARKUP_MOST = TOKENS_MARKUP_LONGEST + 2,
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
    unsigned dashes;                             /* of a comment's end, so far */
    struct tokens_text held[TOKENS_MARKUP_MOST]; /* characters that may be an entity */
    size_t count;
};

/* Takes a character; returns the number of characters written to out, at most TOKENS_MARKUP_MOST. */
size_t tokens_markup_take(struct tokens_markup *markup, struct tokens_text c, struct tokens_text *out);

/* Ends the stream: what was held because it might have been mark-up is written to out. */
size_t tokens_markup_end(struct tokens_markup *markup, struct tokens_text *out);

#endif
