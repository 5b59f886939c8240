/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_RUNNING_TEXT_H
#define KITH_RUNNING_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/*
 * The running text of a document in the one form in which all formats give it, so that the same sentences are
 * the same bytes whichever document they come from: UTF-8, one space between words, one line for each
 * paragraph, no empty lines. Ligatures are written as letters, soft hyphens and characters without width are
 * left out, and control characters and characters that Unicode does not have become spaces.
 *
 * It is produced piece by piece: what is in `out` may be taken away at any time.
 */
struct running_text {
    struct buffer out;
    size_t taken;       /* bytes of `out` that running_text_take has handed over */
    bool in_word;       /* the last character was no space */
    bool wants_space;   /* a space before the next word */
    bool wants_break;   /* a line feed before the next word */
    bool any;           /* something has been written */
    uint32_t character; /* of UTF-8 that is incomplete so far */
    unsigned missing;   /* continuation bytes of it that are still to come */
    uint32_t least;     /* smallest character of this length */
};

/* Of text that may be in UTF-8 or in Windows-1252. */
enum running_text_charset { RUNNING_TEXT_UNDECIDED, RUNNING_TEXT_UTF8, RUNNING_TEXT_WINDOWS };

/* A zeroed struct is ready; release frees the buffer. */
void running_text_release(struct running_text *text);

/* Adds a character; halves of a surrogate pair are spaces. */
void running_text_char(struct running_text *text, uint32_t character);
/* Adds UTF-8, which may be divided anywhere; what is not UTF-8 becomes spaces. */
void running_text_utf8(struct running_text *text, const char *data, size_t len);
/* Adds text in Windows-1252, of which ISO 8859-1 is a part. */
void running_text_windows(struct running_text *text, const char *data, size_t len);
/* Unless that is decided: the first piece of a text with other characters than ASCII shows whether it is in
 * UTF-8. */
void running_text_decide(enum running_text_charset *charset, const char *data, size_t len);
/* Adds text in that charset. */
void running_text_add(struct running_text *text, enum running_text_charset charset, const char *data,
                      size_t len);
/* Ends the word, or the paragraph. */
void running_text_space(struct running_text *text);
void running_text_break(struct running_text *text);
/* Ends the text: with a line feed if there is any. */
void running_text_end(struct running_text *text);

/* Moves up to len bytes of what was written to `into`, in order; returns how many, 0 if there are none. */
size_t running_text_take(struct running_text *text, void *into, size_t len);

#endif
