/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_HTML_H
#define KITH_HTML_H

#include "container/container.h"
#include "container/markup.h"
#include "container/running_text.h"

/*
 * The running text of HTML and XHTML.  Block elements, line breaks and the lines of preformatted text are
 * paragraphs; scripts, style sheets, comments and attributes are left out.  The text is in UTF-8 or in
 * Windows-1252 (of which ISO 8859-1 is a part), as a byte order mark or the document declares.  If neither
 * does, the first part of the text with other characters than ASCII decides whether it is UTF-8.
 */

/* Turns the tokens of a document (markup_begin with is_html) into running text. */
struct html_text {
    struct running_text *out;
    enum running_text_charset charset;
    unsigned preformatted; /* open elements */
};

/* A zeroed struct with `out` is ready.  Takes the next token. */
void html_text_token(struct html_text *text, const struct markup_token *token);

/* One member, "text". */
extern const struct container_format html_format;

#endif
