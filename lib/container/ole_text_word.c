/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bytes.h"
#include "container/ole_text_inner.h"

/* Layout of the information block at the start (MS-DOC 2.5), and marks in the text. */
enum {
    FIB_LEN = 0x1aa,
    VERSION_AT = 2,
    FLAGS_AT = 10,
    IS_ENCRYPTED = 0x100,
    IS_TABLE_1 = 0x200,
    IS_EXTENDED = 0x1000,
    OLD_START_AT = 0x18,
    OLD_END_AT = 0x1c,
    OLD_CLX_AT = 0x160,
    OLD_CLX_LEN_AT = 0x164,
    CLX_AT = 0x1a2,
    CLX_LEN_AT = 0x1a6,
    VERSION_97 = 0xc1,

    FIELD_BEGIN = 0x13,
    FIELD_RESULT = 0x14,
    FIELD_END = 0x15,
    LONGEST_CODE = 8192, /* characters; a field that goes on longer has lost its end */
};

/* A list of what was changed about the formatting, then a list of pieces: finds the latter. */
static bool find_pieces(struct ole_text_word *word, uint64_t at, uint64_t len)
{
    enum { CHANGES = 1, PIECES = 2 };
    const uint64_t end = at + len;

    while (at + 5 <= end) {
        const uint8_t *head = ole_text_at(&word->table, at, 5);
        const uint64_t pieces_len = head ? bytes_load32(head + 1) : 0;

        if (head && head[0] == CHANGES) {
            at += 3 + bytes_load_le(head + 1, 2);
            continue;
        }
        if (!head || head[0] != PIECES || pieces_len < 4)
            return false;
        word->pieces = at + 5;
        word->piece_count = (uint32_t)((pieces_len - 4) / 12);
        return true;
    }
    return false;
}

/* Opens the stream with the list of pieces. */
static int open_table(struct ole_text *text, const char *name, struct error *err)
{
    struct ole_entry entry;

    if (!ole_file_find(&text->file, text->folder, name, &entry))
        entry = (struct ole_entry){0};
    text->word.table.file = &text->file;
    return ole_stream_open(&text->word.table.stream, &text->file, &entry, err);
}

/* Before Word 97 the list was in the document's own stream; without one, all of the text is in one piece. */
static int begin_old(struct ole_text *text, const uint8_t *fib, struct error *err)
{
    struct ole_text_word *word = &text->word;

    word->is_old = true;
    word->is_wide = bytes_load_le(fib + FLAGS_AT, 2) & IS_EXTENDED;
    if (open_table(text, "WordDocument", err))
        return -1;
    if (!find_pieces(word, bytes_load32(fib + OLD_CLX_AT), bytes_load32(fib + OLD_CLX_LEN_AT))) {
        word->at = bytes_load32(fib + OLD_START_AT);
        word->end = bytes_load32(fib + OLD_END_AT);
    }
    return 0;
}

static int begin(struct ole_text *text, const char **problem, struct error *err)
{
    const uint8_t *fib = ole_text_at(&text->main, 0, FIB_LEN);
    const unsigned flags = fib ? (unsigned)bytes_load_le(fib + FLAGS_AT, 2) : 0;

    text->word.budget = 2 * text->main.stream.size;
    if (!fib)
        *problem = "it is cut off in its header";
    else if (flags & IS_ENCRYPTED)
        *problem = "it is encrypted";
    if (*problem)
        return 0;
    if (bytes_load_le(fib + VERSION_AT, 2) < VERSION_97)
        return begin_old(text, fib, err);
    if (open_table(text, flags & IS_TABLE_1 ? "1Table" : "0Table", err))
        return -1;
    if (!find_pieces(&text->word, bytes_load32(fib + CLX_AT), bytes_load32(fib + CLX_LEN_AT)))
        *problem = "it has no list of its pieces of text";
    return 0;
}

/* The list has the place of each piece in the text, and of the end, and then where each one lies. */
static bool next_piece(struct ole_text_word *word)
{
    enum { PLACE = 4, PIECE = 8, NARROW = 0x40000000 };
    const uint64_t count = word->piece_count, i = word->piece++;
    const uint8_t *places = ole_text_at(&word->table, word->pieces + PLACE * i, 2 * PLACE), *piece;
    uint32_t start, stop, offset;

    if (!places)
        return false;
    start = bytes_load32(places);
    stop = bytes_load32(places + PLACE);
    piece = ole_text_at(&word->table, word->pieces + PLACE * (count + 1) + PIECE * i, PIECE);
    if (!piece)
        return false;
    offset = bytes_load32(piece + 2);
    if (!word->is_old)
        word->is_wide = !(offset & NARROW);
    word->at = word->is_wide || word->is_old ? offset : (offset & ~(uint32_t)NARROW) / 2;
    word->end = word->at + (stop > start ? (uint64_t)(stop - start) << word->is_wide : 0);
    return true;
}

static bool in_code(struct ole_text_word *word, uint32_t c)
{
    if (c == FIELD_BEGIN)
        word->fields = word->fields << 1 | 1;
    else if (c == FIELD_RESULT)
        word->fields &= ~(uint64_t)1;
    else if (c == FIELD_END)
        word->fields >>= 1;
    word->code_len = word->fields ? word->code_len + 1 : 0;
    if (word->code_len > LONGEST_CODE)
        word->fields = 0;
    return word->fields != 0;
}

static void take_char(struct ole_text *text, uint32_t c)
{
    if (in_code(&text->word, c))
        return;
    switch (c) {
    case 7:  /* the end of a cell or a row */
    case 11: /* of a line */
    case 12: /* of a page or section */
    case 13: /* of a paragraph */
    case 14: /* of a column */
        running_text_break(&text->out);
        break;
    case 30:
        running_text_char(&text->out, '-');
        break;
    case 9:
        running_text_space(&text->out);
        break;
    default:
        if (c >= ' ') /* others stand for pictures, footnotes and the like */
            running_text_char(&text->out, c);
    }
}

static void take_byte(struct ole_text *text, uint8_t byte)
{
    const char c = (char)byte;

    if (byte < 0x80)
        take_char(text, byte);
    else if (!text->word.fields)
        running_text_windows(&text->out, &c, 1);
}

/* Part of a piece. */
static void take_piece(struct ole_text *text)
{
    enum { PART = 4096 };
    struct ole_text_word *word = &text->word;
    const uint64_t left = word->end - word->at;
    size_t len = left < PART ? (size_t)left : PART;
    const uint8_t *bytes = ole_text_at(&text->main, word->at, len);

    if (!bytes) { /* as far as it goes */
        len = word->at < text->main.stream.size && text->main.stream.size - word->at < len
                  ? (size_t)(text->main.stream.size - word->at)
                  : 0;
        bytes = len ? ole_text_at(&text->main, word->at, len) : NULL;
        text->damage = "is cut off";
        word->end = word->at + len;
    }
    for (size_t i = 0; bytes && i + word->is_wide < len; i += 1 + (size_t)word->is_wide) {
        if (!word->is_wide) {
            take_byte(text, bytes[i]);
        } else {
            const uint32_t c = ole_text_unit(&word->utf16, (uint32_t)bytes_load_le(bytes + i, 2));

            if (c)
                take_char(text, c);
        }
    }
    word->at += len;
    word->budget -= len < word->budget ? len : word->budget;
}

static int step(struct ole_text *text, struct error *err)
{
    struct ole_text_word *word = &text->word;

    if (word->budget == 0)
        return error_set(err, "has pieces of text that overlap");
    if (word->at < word->end) {
        take_piece(text);
    } else if (word->piece == word->piece_count) {
        text->is_ended = true;
    } else if (!next_piece(word)) {
        text->damage = "is cut off";
        text->is_ended = true;
    }
    return 0;
}

const struct ole_text_kind ole_text_word_kind = {"WordDocument", false, begin, step};
