/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_MAIL_TEXT_H
#define KITH_MAIL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "container/charset.h"
#include "container/running_text.h"

/*
 * The text of a plain text part, twice.  As running text: lines are joined to paragraphs, which end at an
 * empty line, at the line "-- " or "--", and where the depth of quotation changes; if the lines are flowed
 * (RFC 3676), at a line without a space at its end.  And as lines in UTF-8 without the ">" of quotations, as
 * the quoted text may have had them.
 *
 * Both are made while the part is read, and kept in memory.
 */
enum { MAIL_TEXT_MOST = 8 << 20 }; /* bytes; of a longer text the rest is left out */

struct mail_text {
    struct charset charset;
    bool is_flowed,
        deletes_space; /* RFC 3676: the space at the end of a flowed line is no part of the text */
    struct running_text running;
    struct buffer lines;
    bool is_quoted; /* `lines` are not simply those of the part */
    bool is_same;   /* `running` is the part */
    bool is_cut;    /* something was left out */
    struct buffer line, raw, converted;
    size_t compared;
    bool in_line; /* `line` continues one that was too long */
    unsigned depth;
};

/* Begins another text; a zeroed struct is ready for it. */
void mail_text_begin(struct mail_text *text, enum charset_kind charset, bool is_flowed, bool deletes_space);
/* Takes the next bytes of the part. */
void mail_text_add(struct mail_text *text, const uint8_t *data, size_t len);
void mail_text_end(struct mail_text *text);
void mail_text_release(struct mail_text *text);
/* Whether memory ran out. */
bool mail_text_failed(const struct mail_text *text);

#endif
