/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PDF_LEX_H
#define KITH_PDF_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/*
 * The tokens and values of PDF (ISO 32000-1, 7.2 and 7.3) in memory. Everything is borrowed from the text
 * that is read, and nothing in it is an error: what is malformed is read as something.
 *
 * A value is the text of one: a number, a name, a reference, an array or a dictionary with all that it holds.
 */

struct pdf_lex {
    const uint8_t *at, *end;
};

enum pdf_lex_kind {
    PDF_LEX_END,
    PDF_LEX_NUMBER,
    PDF_LEX_NAME,
    PDF_LEX_STRING,
    PDF_LEX_HEX,  /* a string in hexadecimal */
    PDF_LEX_WORD, /* an operator or keyword, or a stray delimiter */
    PDF_LEX_DICT,
    PDF_LEX_DICT_END,
    PDF_LEX_ARRAY,
    PDF_LEX_ARRAY_END,
};

struct pdf_lex_token {
    enum pdf_lex_kind kind;
    const uint8_t *start; /* where the token begins, with its delimiter */
    const uint8_t *text;  /* of a name without its slash, of a string without its brackets */
    size_t len;
    double number;
};

struct pdf_value {
    const uint8_t *text; /* NULL: there is none */
    size_t len;
};

/* White space, and what ends a word. */
bool pdf_lex_is_space(uint8_t c);
bool pdf_lex_is_delimiter(uint8_t c);

/* Reads the next token, and returns its kind.  A token that the end cuts off ends there. */
enum pdf_lex_kind pdf_lex_next(struct pdf_lex *lex, struct pdf_lex_token *token);
/* Whether a token is this word, or this name. */
bool pdf_lex_is(const struct pdf_lex_token *token, enum pdf_lex_kind kind, const char *text);
/* Appends the bytes that a string, or a name with #XX in it, stands for. */
void pdf_lex_decode(const struct pdf_lex_token *token, struct buffer *out);

/* Reads the next value, with all that it holds; false at the end, or before what closes an array or a
 * dictionary. */
bool pdf_lex_value(struct pdf_lex *lex, struct pdf_value *value);

/* A value of a dictionary by its key; without text if there is none. */
struct pdf_value pdf_lex_get(struct pdf_value dictionary, const char *key);
/* Begins a list of the items of an array; what is no array is a list of itself. pdf_lex_value yields them. */
struct pdf_lex pdf_lex_items(struct pdf_value array);
/* Whether the value is a reference, and to which object. */
bool pdf_lex_reference(struct pdf_value value, uint32_t *number);
/* The number, or `otherwise` if the value is none. */
double pdf_lex_number(struct pdf_value value, double otherwise);
/* As a whole number from 0 to `most`; -1 if it is none. */
int64_t pdf_lex_whole(struct pdf_value value, int64_t most);
/* Whether the value is this name. */
bool pdf_lex_is_name(struct pdf_value value, const char *name);
/* Whether the value is of this kind. */
bool pdf_lex_is_kind(struct pdf_value value, enum pdf_lex_kind kind);

#endif
