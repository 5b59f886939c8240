/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_TOKENS_MARKUP_H
#define KITH_TOKENS_MARKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sketch/tokens_text.h"

/* Removes mark-up from a stream of characters, as tokens.h states. */

enum {
    TOKENS_MARKUP_LONGEST = 10, /* characters of an entity without its semicolon */
    TOKENS_MARKUP_TAG = 4096,   /* characters of a tag without its end */
    TOKENS_MARKUP_MOST = TOKENS_MARKUP_TAG + 2,
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
    unsigned dashes; /* of a comment's end, so far */
    uint32_t quote;  /* that encloses a value within a tag; or 0 */
    bool has_equals; /* just before, so that a quote may begin */
    size_t count;
    struct tokens_text held[TOKENS_MARKUP_MOST]; /* characters that may be an entity or a tag */
    struct tokens_text out[TOKENS_MARKUP_MOST];  /* those that are text */
};

/* Starts a document. */
void tokens_markup_begin(struct tokens_markup *markup);

/* Takes a character; returns the number of characters in markup->out. */
size_t tokens_markup_take(struct tokens_markup *markup, struct tokens_text c);

/* Ends the stream: what was held because it might have been mark-up is in markup->out. */
size_t tokens_markup_end(struct tokens_markup *markup);

#endif
