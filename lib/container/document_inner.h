/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_DOCUMENT_INNER_H
#define KITH_DOCUMENT_INNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "container/html.h"
#include "container/markup.h"
#include "container/running_text.h"
#include "container/shared_strings.h"

/* How the text lies in the elements of a part. */
enum document_language {
    DOCUMENT_OFFICE, /* Office Open XML but for the following */
    DOCUMENT_STRINGS,
    DOCUMENT_SHEET,
    DOCUMENT_OPEN,   /* OpenDocument */
    DOCUMENT_MARGIN, /* its headers and footers, of texts only */
    DOCUMENT_CHAPTER,
    DOCUMENT_BOOK, /* the list of an EPUB's files */
};

/* ---- document_parts.c ---- */

struct document_part {
    uint32_t rank, number; /* parts are sorted by these */
    uint32_t index;        /* in the archive */
    bool has_asides;       /* text that follows at the end */
};

/* By a member's name: the rank of the part, its number and its language; false if it has no text. */
bool document_part_of(const char *name, size_t len, struct document_part *part);
enum document_language document_language_of(const struct document_part *part);
/* Whether the name is that of a file with a chapter of a book, and the part that the chapter of this number
 * is. */
bool document_is_chapter(const char *name, size_t len);
void document_make_chapter(struct document_part *part, uint32_t number);

/* ---- document_sheet.c: workbooks ---- */

struct document_sheet {
    bool is_string; /* the present cell has the number of a string */
    bool is_shown;  /* the present cell has text, as opposed to an error */
    bool in_value;
    uint64_t string; /* the number, as far as it has been read */
};

/* Takes the next token of a sheet. */
void document_sheet_token(struct document_sheet *sheet, struct shared_strings *strings,
                          struct running_text *out, const struct markup_token *token);

/* ---- document_text.c ---- */

/* Turns the tokens of a part into running text. */
struct document_text {
    enum document_language language;
    struct running_text *out;
    struct shared_strings *strings;
    bool only_asides; /* only text that was left out before */
    bool saw_asides;
    bool is_sheet, is_presentation;     /* an OpenDocument of this kind, whatever the part */
    unsigned carriers, asides, skipped; /* open elements whose text counts, follows later, or is left out */
    struct document_sheet sheet;
    struct html_text html;
};

/* Begins a part; out and strings have been set. */
void document_text_begin(struct document_text *text, enum document_language language, bool only_asides);
void document_text_token(struct document_text *text, const struct markup_token *token);

/* ---- document_book.c ---- */

enum { DOCUMENT_MOST_FILES = 1 << 14, DOCUMENT_MOST_FILE_BYTES = 2 << 20 };

/* A file of a book: what the list states of it. */
struct document_file {
    uint32_t id, id_len, path, path_len; /* in `bytes` */
    uint32_t number;                     /* in the order of reading; UINT32_MAX: it is not read */
};

/* A zeroed struct is ready. */
struct document_book {
    struct buffer bytes;
    struct document_file *files;
    size_t count, room;
    uint32_t next_number;
    bool is_sorted;
};

/* Frees everything. */
void document_book_release(struct document_book *book);
/* Takes the next token of the list of files, which lies at this path in the archive. */
void document_book_token(struct document_book *book, const char *folder, size_t folder_len,
                         const struct markup_token *token);
/* Ends the list, before files are looked up. */
void document_book_end(struct document_book *book);
/* The number of a file in the order of reading; UINT32_MAX if it has none. */
uint32_t document_book_number(const struct document_book *book, const char *path, size_t len);

#endif
