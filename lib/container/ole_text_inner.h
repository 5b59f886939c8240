/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_OLE_TEXT_INNER_H
#define KITH_OLE_TEXT_INNER_H

#include "container/html.h"
#include "container/ole_inner.h"
#include "container/running_text.h"
#include "container/shared_strings.h"

/* The text of a compound file, whichever program wrote it. */

enum { OLE_TEXT_WINDOW = 8 << 10 };

/* A stream, read through a window. */
struct ole_text_stream {
    struct ole_file *file;
    struct ole_stream stream;
    uint64_t start; /* of the window */
    size_t len;
    uint8_t window[OLE_TEXT_WINDOW];
};

/* `need` bytes of the stream, at most the window's size; NULL if they do not exist, or cannot be read. */
const uint8_t *ole_text_at(struct ole_text_stream *stream, uint64_t offset, size_t need);

/* Little-endian UTF-16 in pieces. */
struct ole_text_utf16 {
    uint32_t high; /* the first half of a pair; 0: none */
};

/* The character that a unit completes; 0 if it is the first half of one. */
uint32_t ole_text_unit(struct ole_text_utf16 *utf16, uint32_t unit);

/* The text of a Word document: its pieces, in the order of the text. */
struct ole_text_word {
    struct ole_text_stream table; /* where the list of pieces lies */
    uint64_t pieces;              /* place of the list */
    uint32_t piece, piece_count;
    uint64_t at, end; /* of the piece, in the stream */
    bool is_wide;
    bool is_old;     /* before Word 97: all pieces have characters of the same width */
    uint64_t fields; /* a bit for each open field, the innermost lowest: whether its code is being read */
    size_t code_len; /* characters of codes that were left out in sequence */
    uint64_t budget; /* bytes that may still be read: pieces that overlap could be endless */
    struct ole_text_utf16 utf16;
};

/* The records of a workbook. */
struct ole_text_sheets {
    uint64_t at;  /* the next record */
    bool is_old;  /* before Excel 97: text has one byte for each character */
    bool has_box; /* the next CONTINUE record has the text of a box */
    uint32_t row;
    uint32_t string_count;   /* strings still to be read */
    uint64_t part, part_end; /* of the record that they are in */
    struct shared_strings strings;
};

/* The records of a presentation. */
struct ole_text_slides {
    uint64_t at;             /* the next record */
    uint64_t text, text_end; /* what is left of the text of the present one */
    size_t unit;             /* bytes of a character */
    struct ole_text_utf16 utf16;
};

/* The properties of a mail. */
struct ole_text_mail {
    unsigned step;  /* the property that is looked for */
    uint32_t index; /* the directory entry to look at next */
    bool in_property, is_wide;
    uint64_t at; /* in the property */
    struct ole_text_utf16 utf16;
    struct html_text html;
};

struct ole_text {
    struct container container;
    struct ole_file file;
    uint32_t next_index;              /* the directory entry to look at next */
    unsigned document_count;          /* so far */
    bool is_embedded_pass;            /* documents in folders come after that in the root */
    const struct ole_text_kind *kind; /* of the present document */
    int32_t folder;                   /* that it lies in */
    bool is_ended;
    const char *damage; /* why text is missing; NULL: it is not */
    struct running_text out;
    struct ole_text_stream main;
    struct ole_text_word word;
    struct ole_text_sheets sheets;
    struct ole_text_slides slides;
    struct ole_text_mail mail;
};

/* What a program's documents are recognised by, and how they are read. */
struct ole_text_kind {
    const char *stream;
    bool is_root_only; /* such a stream elsewhere is part of the same document */
    /* Begins to read the stream, which has been opened.  *problem: why it has no text.  -1 if out of memory.
     */
    int (*begin)(struct ole_text *text, const char **problem, struct error *err);
    /* Reads on a little; sets is_ended.  -1 if nothing more can be read. */
    int (*step)(struct ole_text *text, struct error *err);
};

/* Word; Excel of 97 and of 95; PowerPoint. */
extern const struct ole_text_kind ole_text_word_kind;
extern const struct ole_text_kind ole_text_sheets_kind;
extern const struct ole_text_kind ole_text_sheets_old_kind;
extern const struct ole_text_kind ole_text_slides_kind;

#endif
