/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_MARKUP_H
#define KITH_MARKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A tokeniser of XML and HTML that streams: tags, text, and references to characters.  Nothing is an error:
 * what is malformed is text, or skipped.  Comments and declarations are skipped; a document type declares
 * nothing, so that no entity expands to more than one character.  Neither time nor memory depends on the
 * nesting, since matching opening and closing tags is left to the caller.
 *
 *     while ((room = markup_room(markup, &len)) ...)   fill it, then markup_filled
 *     while (markup_next(markup, &token)) ...          until more input is needed
 */

enum { MARKUP_WINDOW = 64 << 10 }; /* attributes beyond this length of a tag are skipped */

enum markup_kind {
    MARKUP_TEXT,      /* `text`: may be any part of a text, but is never cut within a reference */
    MARKUP_CHARACTER, /* a reference: "&amp;", "&#8364;" */
    MARKUP_OPEN,
    MARKUP_CLOSE,
    MARKUP_EMPTY,       /* opened and closed at once */
    MARKUP_INSTRUCTION, /* <?name ...?> */
};

struct markup_token {
    enum markup_kind kind;
    const char *name; /* of a tag, with its prefix; as it stands there, so HTML may have capitals */
    size_t name_len;
    const char *text; /* the text, or a tag's attributes */
    size_t len;
    uint32_t character; /* may be anything, also beyond Unicode */
};

enum markup_state {
    MARKUP_IN_TEXT,
    MARKUP_IN_SECTION,     /* <![CDATA[ */
    MARKUP_IN_COMMENT,     /* <!-- */
    MARKUP_IN_INSTRUCTION, /* the rest of one that is too long */
    MARKUP_IN_DECLARATION, /* <! */
    MARKUP_IN_SUBSET,      /* the part of it in brackets */
    MARKUP_IN_TAG,         /* the rest of one that is too long */
    MARKUP_IN_RAW,         /* a script or a style sheet */
};

struct markup {
    bool is_html; /* as opposed to XML; set before the first call */
    bool is_last; /* the window holds the end of the input */
    enum markup_state state;
    char quote;      /* in MARKUP_IN_TAG: of the value that goes on, or 0 */
    const char *raw; /* in MARKUP_IN_RAW: the name of the element */
    size_t at, len;  /* in the window: what is not yet tokenised */
    char window[MARKUP_WINDOW];
};

/* Starts anew. */
void markup_begin(struct markup *markup, bool is_html);

/* Returns where to put more input, and how much; tokens are then no longer valid.  Fill all of it unless the
 * input ends.  markup_filled states how much was put there; 0: the input has ended. */
char *markup_room(struct markup *markup, size_t *len);
void markup_filled(struct markup *markup, size_t len);

/* The next token, valid until more input is added.  False if more input is needed, or none is left. */
bool markup_next(struct markup *markup, struct markup_token *token);
/* Whether everything has been tokenised. */
bool markup_ended(const struct markup *markup);

/* The value of a tag's attribute, without decoding references in it; NULL if it has none of this name, which
 * is in lower case and compared without regard to case. */
const char *markup_attribute(const struct markup_token *token, const char *name, size_t *len);

/* The name of a tag without its prefix. */
const char *markup_local_name(const struct markup_token *token, size_t *len);

/* The character that a named reference of HTML 4 stands for; 0 if there is none of this name. */
uint32_t markup_entity(const char *name, size_t len);

#endif
