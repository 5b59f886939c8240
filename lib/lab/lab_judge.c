/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/lab_judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/search.h"

/* ---- rows ---- */

enum column {
    ADDRESS,
    KIND,
    PATH,
    SIZE,
    SHA1,
    VERDICT,
    REF_NAME,
    REF_SHA1,
    OBJ_START,
    OBJ_END,
    REF_START,
    REF_END,
    MATCHED,
    RESEMBLANCE,
    CONTAINMENT,
    E_VALUE,
    PROOF,
    STATUS,
    COLUMNS,
};

static const char *const column_names[COLUMNS] = {
    "address",  "kind",        "path",        "size",    "sha1",      "verdict",
    "ref_name", "ref_sha1",    "obj_start",   "obj_end", "ref_start", "ref_end",
    "matched",  "resemblance", "containment", "e_value", "proof",     "status"};

enum { MOST_CELLS = 64 };

/* A line of CSV, its cells one after another in `text`, each terminated. */
struct line {
    struct buffer text;
    size_t starts[MOST_CELLS], count;
    size_t places[COLUMNS]; /* of the columns among the cells */
    size_t cells;           /* number of cells of the header */
};

struct reader {
    const char *at, *end;
};

/* A cell as in RFC 4180, of which CR LF ends a line; returns the character that ended it, or -1. */
static int read_cell(struct reader *reader, struct buffer *out)
{
    const bool quoted = reader->at < reader->end && *reader->at == '"';

    for (reader->at += quoted; reader->at < reader->end; reader->at++) {
        if (quoted && *reader->at == '"') {
            reader->at++;
            if (reader->at == reader->end || *reader->at != '"')
                break;
        } else if (!quoted && (*reader->at == ',' || *reader->at == '\r')) {
            break;
        }
        buffer_add_char(out, *reader->at);
    }
    buffer_add_char(out, '\0');
    if (reader->at < reader->end && *reader->at == ',')
        return *reader->at++;
    if (reader->end - reader->at < 2 || reader->at[0] != '\r' || reader->at[1] != '\n')
        return -1;
    reader->at += 2;
    return '\n';
}

static int read_line(struct reader *reader, struct line *line, struct error *err)
{
    int ended = ',';

    buffer_reset(&line->text);
    for (line->count = 0; ended == ',';) {
        if (line->count == MOST_CELLS)
            return error_set(err, "malformed CSV: too many cells in a line");
        line->starts[line->count++] = line->text.len;
        ended = read_cell(reader, &line->text);
    }
    if (line->text.failed)
        return error_set(err, "out of memory");
    return ended == '\n' ? 0 : error_set(err, "malformed CSV: a line does not end with CR LF");
}

static const char *cell(const struct line *line, enum column column)
{
    return line->text.data + line->starts[line->places[column]];
}

static int read_header(struct reader *reader, struct line *line, struct error *err)
{
    if (read_line(reader, line, err))
        return -1;
    line->cells = line->count;
    for (size_t column = 0; column < COLUMNS; column++) {
        size_t i = 0;

        while (i < line->count && strcmp(line->text.data + line->starts[i], column_names[column]) != 0)
            i++;
        if (i == line->count)
            return error_set(err, "malformed CSV: no column %s", column_names[column]);
        line->places[column] = i;
    }
    return 0;
}

static bool whole_number(const struct line *line, enum column column, uint64_t *out)
{
    const char *text = cell(line, column);
    char *end;

    *out = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0';
}

static bool number(const struct line *line, enum column column, double *out)
{
    const char *text = cell(line, column);
    char *end;

    *out = strtod(text, &end);
    return *text != '\0' && *end == '\0';
}

static int parse_row(const struct line *line, struct lab_judge_row *row, struct error *err)
{
    *row = (struct lab_judge_row){
        .address = cell(line, ADDRESS),
        .kind = cell(line, KIND),
        .path = cell(line, PATH),
        .sha1 = cell(line, SHA1),
        .verdict = cell(line, VERDICT),
        .ref_name = cell(line, REF_NAME),
        .ref_sha1 = cell(line, REF_SHA1),
        .proof = cell(line, PROOF),
        .status = cell(line, STATUS),
        .has_span = cell(line, OBJ_START)[0] != '\0',
    };
    if (!whole_number(line, SIZE, &row->size) ||
        (row->has_span &&
         (!whole_number(line, OBJ_START, &row->obj_start) || !whole_number(line, OBJ_END, &row->obj_end) ||
          !whole_number(line, REF_START, &row->ref_start) || !whole_number(line, REF_END, &row->ref_end) ||
          !whole_number(line, MATCHED, &row->matched) || !number(line, RESEMBLANCE, &row->resemblance) ||
          !number(line, CONTAINMENT, &row->containment) || !number(line, E_VALUE, &row->e_value))))
        return error_set(err, "malformed CSV: a number of %s is none", row->path);
    return 0;
}

int lab_judge_rows(const char *text, size_t len,
                   int (*row)(void *arg, const struct lab_judge_row *row, struct error *err), void *arg,
                   struct error *err)
{
    struct reader reader = {text, len ? text + len : text};
    struct line line = {0};
    int result = read_header(&reader, &line, err);

    while (result == 0 && reader.at < reader.end) {
        struct lab_judge_row parsed;

        result = read_line(&reader, &line, err);
        if (result == 0 && line.count != line.cells)
            result = error_set(err, "malformed CSV: %zu cells instead of %zu", line.count, line.cells);
        if (result == 0 && parse_row(&line, &parsed, err) == 0)
            result = row(arg, &parsed, err);
        else
            result = -1;
    }
    buffer_release(&line.text);
    return result;
}

/* ---- promises ---- */

static bool same_bytes(const struct lab_judge_bytes *a, const struct lab_judge_bytes *b)
{
    return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

static enum lab_judge_promise judge_sha1(const struct lab_judge_row *row,
                                         const struct lab_judge_bytes *object,
                                         const struct lab_judge_bytes *reference)
{
    struct lab_judge_bytes span;

    if (row->obj_start > row->obj_end || row->obj_end > object->len)
        return LAB_JUDGE_FALSE_SHA1;
    span = (struct lab_judge_bytes){object->data + row->obj_start, (size_t)(row->obj_end - row->obj_start)};
    return same_bytes(&span, reference) ? LAB_JUDGE_KEPT : LAB_JUDGE_FALSE_SHA1;
}

static bool holds_at(const struct lab_judge_bytes *object, int64_t at, const uint8_t *block, size_t len)
{
    return at >= 0 && (uint64_t)at <= object->len && len <= object->len - (size_t)at &&
           memcmp(object->data + at, block, len) == 0;
}

/*
 * The row does not say which blocks were proved, so at least k of them must be in the object, wherever.  Most
 * lie where the span puts them; the search of the whole object is for the others, until there are enough.
 */
static uint64_t blocks_present(const struct lab_judge_row *row, const struct lab_judge_bytes *object,
                               const struct lab_judge_bytes *reference, size_t block, uint64_t wanted)
{
    const int64_t shift = (int64_t)row->obj_start - (int64_t)row->ref_start;
    uint64_t present = 0;

    for (int pass = 0; pass < 2 && present < wanted; pass++)
        for (size_t at = 0; at < reference->len && present < wanted; at += block) {
            const size_t len = reference->len - at < block ? reference->len - at : block;
            const bool in_place = holds_at(object, (int64_t)at + shift, reference->data + at, len);

            present += pass == 0 ? in_place
                                 : !in_place && memmem(object->data, object->len, reference->data + at, len);
        }
    return present;
}

static enum lab_judge_promise judge_blocks(const struct lab_judge_row *row,
                                           const struct lab_judge_bytes *object,
                                           const struct lab_judge_bytes *reference, size_t block)
{
    uint64_t proved, all;
    int end = 0;

    if (sscanf(row->proof, "blocks %" SCNu64 "/%" SCNu64 "%n", &proved, &all, &end) != 2 || row->proof[end] ||
        proved > all || all != (reference->len + block - 1) / block)
        return LAB_JUDGE_FALSE_BLOCKS;
    return blocks_present(row, object, reference, block, proved) >= proved ? LAB_JUDGE_KEPT
                                                                           : LAB_JUDGE_FALSE_BLOCKS;
}

enum lab_judge_promise lab_judge_promise(const struct lab_judge_row *row,
                                         const struct lab_judge_bytes *object,
                                         const struct lab_judge_bytes *reference, size_t block)
{
    if (strcmp(row->verdict, "identical") == 0)
        return same_bytes(object, reference) ? LAB_JUDGE_KEPT : LAB_JUDGE_FALSE_IDENTICAL;
    if (strcmp(row->proof, "sha1") == 0)
        return judge_sha1(row, object, reference);
    if (strncmp(row->proof, "blocks ", 7) == 0)
        return judge_blocks(row, object, reference, block);
    return LAB_JUDGE_NONE;
}

const char *lab_judge_promise_text(enum lab_judge_promise promise)
{
    switch (promise) {
    case LAB_JUDGE_FALSE_IDENTICAL:
        return "reported as identical, but the contents differ";
    case LAB_JUDGE_FALSE_SHA1:
        return "proof sha1, but the bytes are not those of the reference";
    case LAB_JUDGE_FALSE_BLOCKS:
        return "proof blocks, but the object has fewer blocks of the reference";
    default:
        return "";
    }
}

/* ---- common strings ---- */

/* A string of fewer different bytes, such as padding, blanks or a ruler, is in contents that have nothing to
 * do with each other. */
enum { LEAST_VALUES = 10, MOST_TRIES = 64 };

/* Whether any `window` adjacent ones of these bytes have enough different values; window <= len. */
static bool has_varied(const uint8_t *data, size_t len, size_t window)
{
    uint32_t counts[256] = {0};
    size_t values = 0;

    for (size_t i = 0; i < len; i++) {
        if (i >= window)
            values -= --counts[data[i - window]] == 0;
        values += counts[data[i]]++ == 0;
        if (values >= LEAST_VALUES)
            return true;
    }
    return false;
}

/* Every half-th string of one content, each of half the length sought; a common string of 2 * half - 1 bytes
 * holds one of them whole. */
struct pieces {
    const struct lab_judge_bytes *from;
    size_t len, half; /* bytes of the string sought, and of a piece */
    const uint8_t **list;
    size_t count;
};

static int by_bytes(const void *a, const void *b, void *len)
{
    const uint8_t *const *x = a, *const *y = b;

    return memcmp(*x, *y, *(const size_t *)len);
}

/* Whether all strings of the length sought that hold the piece at `at` have too few values. */
static bool is_padding(const struct pieces *pieces, const struct lab_judge_bytes *content, size_t at)
{
    const size_t before = pieces->len - pieces->half, start = at > before ? at - before : 0;
    const size_t end = content->len - at > pieces->len ? at + pieces->len : content->len;

    return !has_varied(content->data + start, end - start, pieces->len);
}

/* Whether a common string lies around the equal pieces at i and k.  It is looked for no farther than a string
 * of the length sought reaches that holds the piece. */
static bool shared_around(const struct pieces *pieces, size_t i, const struct lab_judge_bytes *b, size_t k)
{
    const struct lab_judge_bytes *a = pieces->from;
    size_t before = 0, after = 0;

    while (before < pieces->len - pieces->half && before < i && before < k &&
           a->data[i - before - 1] == b->data[k - before - 1])
        before++;
    while (after < pieces->len && i + after < a->len && k + after < b->len &&
           a->data[i + after] == b->data[k + after])
        after++;
    return before + after >= pieces->len && has_varied(a->data + i - before, before + after, pieces->len);
}

static bool shared_with(const struct pieces *pieces, const struct lab_judge_bytes *b)
{
    const size_t half = pieces->half;

    for (size_t k = 0; k + half <= b->len; k++) {
        const uint8_t *key = b->data + k;
        size_t low = SEARCH_FIRST(middle, 0, pieces->count, memcmp(pieces->list[middle], key, half) >= 0);

        if (low == pieces->count || memcmp(pieces->list[low], key, half) != 0 || is_padding(pieces, b, k))
            continue;
        for (size_t tries = 0;
             low < pieces->count && tries < MOST_TRIES && memcmp(pieces->list[low], key, half) == 0;
             low++, tries++)
            if (shared_around(pieces, (size_t)(pieces->list[low] - pieces->from->data), b, k))
                return true;
    }
    return false;
}

int lab_judge_share(const struct lab_judge_bytes *a, const struct lab_judge_bytes *b, size_t len,
                    struct error *err)
{
    struct pieces pieces = {.from = a, .len = len, .half = (len + 1) / 2};
    bool shared;

    if (a->len < len || b->len < len || len == 0)
        return 0;
    pieces.list = calloc(a->len / pieces.half, sizeof *pieces.list);
    if (!pieces.list)
        return error_set(err, "out of memory");
    for (size_t at = 0; at + pieces.half <= a->len; at += pieces.half)
        if (!is_padding(&pieces, a, at))
            pieces.list[pieces.count++] = a->data + at;
    if (pieces.count)
        qsort_r(pieces.list, pieces.count, sizeof *pieces.list, by_bytes, &pieces.half);
    shared = shared_with(&pieces, b);
    free(pieces.list);
    return shared;
}
