/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "list/list_inner.h"

/*
 * CSV (RFC 4180) with a header that names its columns: NSRL's NSRLFile.txt, HashKeeper's .hsh, and others.
 *
 * Rows are split in place; only cells with doubled quotes and rows with a newline in a cell are copied.  A
 * row is continued only while it may still be valid, so that a file full of stray quotes does not take much
 * longer than any other.
 */

enum {
    MAX_COLUMNS = 256,
    ROW_LONGEST = 64 << 10, /* maximum bytes of a row with newlines in its cells */
    ROW_LINES = 64,         /* maximum lines of one; a longer row lacks a closing quote */
};

enum field {
    FIELD_SHA1 = DIGEST_SHA1,
    FIELD_MD5 = DIGEST_MD5,
    FIELD_SHA256 = DIGEST_SHA256,
    FIELD_HASH, /* its length determines the kind */
    FIELD_SIZE,
    FIELD_NAME,
    FIELD_NAME_HEX,
    FIELD_MARK,
    FIELDS,
    FIELD_NONE = FIELDS,
};

/* The titles of the columns, in lower case. */
enum { MOST_TITLES = 4 };
static const char *const titles[FIELDS][MOST_TITLES] = {
    [FIELD_SHA1] = {"sha1", "sha-1"},
    [FIELD_MD5] = {"md5"},
    [FIELD_SHA256] = {"sha256", "sha-256"},
    [FIELD_SIZE] = {"size", "filesize", "file_size", "bytes"},
    [FIELD_NAME] = {"name", "filename", "file_name", "path"},
    [FIELD_NAME_HEX] = {"name_hex"},
    [FIELD_MARK] = {"specialcode", "special_code"},
};

struct cell {
    const char *p;
    size_t len;
    bool doubled; /* contains doubled quotes */
};

struct csv {
    char separator;
    size_t columns;
    uint8_t fields[MAX_COLUMNS]; /* enum field */
    unsigned wanted;             /* a bit for each field that has a column */
    struct cell cells[FIELDS];
    struct buffer unquoted[FIELDS];
    struct buffer name;
    struct buffer joined; /* the lines of a row, or of what might be one */
    size_t first_len;     /* length of the first line, with its ending */
    unsigned lines;       /* number of lines; 0 if the row is a single line and was not copied */
    bool too_long;        /* they were followed by a line too long to be kept */
};

/* ---- cells ---- */

enum row_state {
    ROW_GOOD,
    ROW_OPEN, /* the line ends within quotes */
    ROW_BAD,
};

/* Called after the opening quote; returns the closing one, or NULL. */
static const char *closing_quote(struct cell *cell, const char *stop)
{
    const char *p = cell->p;

    while (p < stop && (p = memchr(p, '"', (size_t)(stop - p))) != NULL) {
        if (p + 1 == stop || p[1] != '"')
            return p;
        cell->doubled = true;
        p += 2;
    }
    return NULL;
}

/* Takes the cell at *p, and moves *p to the separator after it, or to stop. */
static enum row_state take_cell(struct cell *cell, const char **p, const char *stop, char separator)
{
    const char *end;

    *cell = (struct cell){*p, 0, false};
    if (*p == stop || **p != '"') {
        end = *p < stop ? memchr(*p, separator, (size_t)(stop - *p)) : NULL;
        *p = end ? end : stop;
        cell->len = (size_t)(*p - cell->p);
        return ROW_GOOD;
    }
    cell->p++;
    end = closing_quote(cell, stop);
    if (!end)
        return ROW_OPEN;
    cell->len = (size_t)(end - cell->p);
    *p = end + 1;
    return *p == stop || **p == separator ? ROW_GOOD : ROW_BAD;
}

/* Sets the cells of the fields, and *columns to the number of columns. */
static enum row_state split_row(struct csv *csv, const char *p, size_t len, size_t *columns)
{
    const char *stop = p + len;
    struct cell cell;

    for (size_t i = 0;; i++, p++) {
        const enum row_state state = take_cell(&cell, &p, stop, csv->separator);

        if (state != ROW_GOOD)
            return state;
        if (i < csv->columns && csv->fields[i] != FIELD_NONE)
            csv->cells[csv->fields[i]] = cell;
        if (p == stop) {
            *columns = i + 1;
            return ROW_GOOD;
        }
    }
}

static void trim(struct cell *cell)
{
    while (cell->len && (*cell->p == ' ' || *cell->p == '\t')) {
        cell->p++;
        cell->len--;
    }
    while (cell->len && (cell->p[cell->len - 1] == ' ' || cell->p[cell->len - 1] == '\t'))
        cell->len--;
}

/* ---- the header ---- */

static enum field field_of(const struct cell *title)
{
    for (int field = 0; field < FIELDS; field++)
        for (int i = 0; i < MOST_TITLES && titles[field][i]; i++)
            if (list_is_word(title->p, title->len, titles[field][i]))
                return (enum field)field;
    return FIELD_NONE;
}

struct header {
    bool file_id, hashset_id, first_is_sha1, hash; /* these distinguish the formats */
};

static bool read_header_with(struct csv *csv, const char *p, size_t len, struct header *header)
{
    const char *stop = p + len;
    struct cell cell;

    *header = (struct header){0};
    csv->wanted = 0;
    for (csv->columns = 0; csv->columns < MAX_COLUMNS; p++) {
        enum field field;

        if (take_cell(&cell, &p, stop, csv->separator) != ROW_GOOD)
            return false;
        trim(&cell);
        field = field_of(&cell);
        if (field == FIELD_NONE && list_is_word(cell.p, cell.len, "hash")) {
            header->hash = true;
            field = FIELD_HASH;
        }
        header->file_id |= list_is_word(cell.p, cell.len, "file_id");
        header->hashset_id |= list_is_word(cell.p, cell.len, "hashset_id");
        header->first_is_sha1 |= csv->columns == 0 && list_is_word(cell.p, cell.len, "SHA-1");
        if (field != FIELD_NONE && csv->wanted >> field & 1)
            field = FIELD_NONE; /* of several columns with the same title, the first counts */
        csv->wanted |= field == FIELD_NONE ? 0 : 1u << field;
        csv->fields[csv->columns++] = (uint8_t)field;
        if (p == stop)
            return csv->wanted & (1u << FIELD_SHA1 | 1u << FIELD_MD5 | 1u << FIELD_SHA256 | 1u << FIELD_HASH);
    }
    return false;
}

static bool read_header(struct csv *csv, const char *p, size_t len, struct header *header)
{
    static const char separators[] = {',', ';', '\t'};

    for (size_t i = 0; i < sizeof separators; i++) {
        csv->separator = separators[i];
        if (read_header_with(csv, p, len, header))
            return true;
    }
    return false;
}

static bool detect_header(const struct list_head *from, struct csv *csv, struct header *header)
{
    struct list_head head = *from;
    const char *line;
    size_t len;

    return list_head_line(&head, &line, &len) && read_header(csv, line, len, header);
}

bool list_nsrl2_detect(struct list *list, const struct list_head *head)
{
    const unsigned wanted = 1u << FIELD_SHA1 | 1u << FIELD_MD5 | 1u << FIELD_NAME | 1u << FIELD_SIZE;
    struct header header;
    struct csv csv;

    (void)list;
    return detect_header(head, &csv, &header) && header.first_is_sha1 && (csv.wanted & wanted) == wanted;
}

bool list_hashkeeper_detect(struct list *list, const struct list_head *head)
{
    struct header header;
    struct csv csv;

    (void)list;
    return detect_header(head, &csv, &header) && header.file_id && header.hashset_id && header.hash;
}

bool list_csv_detect(struct list *list, const struct list_head *head)
{
    struct header header;
    struct csv csv;

    (void)list;
    /* A list of bare digests with such a title is CSV with a single column. */
    return detect_header(head, &csv, &header) &&
           (csv.wanted & (1u << FIELD_SHA1 | 1u << FIELD_MD5 | 1u << FIELD_SHA256));
}

int list_csv_open(struct list *list, struct error *err)
{
    struct csv *csv = list_new_state(list, sizeof *csv, err);
    enum list_result result;
    struct header header;
    const char *line;
    size_t len;

    if (!csv)
        return -1;
    result = list_line(list, &line, &len, err);
    if (result == LIST_END)
        return 0;
    if (result != LIST_ENTRY)
        return -1;
    if (!read_header(csv, line, len, &header))
        return error_set(err, "%s: the first line does not name a column sha1, md5 or sha256", list->path);
    return 0;
}

void list_csv_close(struct list *list)
{
    struct csv *csv = list->state;

    for (int i = 0; i < FIELDS; i++)
        buffer_release(&csv->unquoted[i]);
    buffer_release(&csv->name);
    buffer_release(&csv->joined);
    free(csv);
}

/* ---- rows ---- */

static enum row_state add_line(struct list *list, const char *line, size_t len, size_t *columns)
{
    struct csv *csv = list->state;
    const size_t begin = csv->joined.len;

    buffer_add(&csv->joined, line, len);
    buffer_add_text(&csv->joined, lines_ending(list->lines));
    if (!csv->lines++) {
        csv->first_len = csv->joined.len;
        return ROW_OPEN;
    }
    if (csv->joined.failed || csv->joined.len > ROW_LONGEST || !len || !memchr(line, '"', len))
        return ROW_OPEN;
    return split_row(csv, csv->joined.data, begin + len, columns);
}

/* Continues a row that its first line left open, within limits.  An error here is ignored: reading the next
 * row reports it. */
static enum row_state join_row(struct list *list, const char *line, size_t len, size_t *columns)
{
    struct csv *csv = list->state;
    enum row_state state;
    struct error ignored;

    buffer_reset(&csv->joined);
    csv->too_long = false;
    state = add_line(list, line, len, columns);
    while (state == ROW_OPEN && csv->lines < ROW_LINES && csv->joined.len <= ROW_LONGEST) {
        const enum lines_result result = lines_next(list->lines, &line, &len, &ignored);

        csv->too_long = result == LINES_LONG;
        if (result != LINES_LINE)
            return ROW_OPEN;
        state = add_line(list, line, len, columns);
    }
    return state;
}

/*
 * A row that seemed to span several lines is malformed, most likely because of a stray quote.  Only its first
 * line is lost; the others are parsed again.
 */
static int give_back(struct list *list, struct error *err)
{
    struct csv *csv = list->state;

    if (csv->joined.failed)
        return error_set(err, "%s: out of memory", list->path);
    return lines_return(list->lines, csv->joined.data + csv->first_len, csv->joined.len - csv->first_len,
                        csv->lines - 1, csv->too_long, err);
}

static void undouble(struct buffer *out, struct cell *cell)
{
    buffer_reset(out);
    for (size_t i = 0; i < cell->len; i++) {
        buffer_add_char(out, cell->p[i]);
        i += cell->p[i] == '"';
    }
    if (!out->failed && out->len) {
        cell->p = out->data;
        cell->len = out->len;
    }
    cell->doubled = false;
}

static enum list_result take_digest(struct list *list, uint64_t row, enum field field, struct error *err)
{
    struct csv *csv = list->state;
    struct cell *cell = &csv->cells[field];
    int kind = (int)field;

    trim(cell);
    if (!cell->len)
        return LIST_ENTRY;
    if (field == FIELD_HASH)
        kind = list_digest_kind(cell->len);
    if (kind < 0)
        return list_bad(list, row, err, "malformed hash: expected 32, 40 or 64 hexadecimal digits");
    if (!list_add_digest(&list->entry, (enum digest_kind)kind, cell->p, cell->len))
        return list_bad(list, row, err, "malformed %s: expected %zu hexadecimal digits",
                        digest_name((enum digest_kind)kind), 2 * digest_len((enum digest_kind)kind));
    return LIST_ENTRY;
}

static enum list_result take_size(struct list *list, uint64_t row, struct error *err)
{
    struct csv *csv = list->state;
    struct cell *cell = &csv->cells[FIELD_SIZE];

    trim(cell);
    list->entry.has_size = cell->len != 0;
    if (cell->len && !list_number(cell->p, cell->len, &list->entry.size))
        return list_bad(list, row, err, "the size is not a number of bytes");
    return LIST_ENTRY;
}

static enum list_result take_name(struct list *list, uint64_t row, struct error *err)
{
    struct csv *csv = list->state;
    struct cell *name = &csv->cells[FIELD_NAME], *hex = &csv->cells[FIELD_NAME_HEX];
    char *to;

    if (csv->wanted >> FIELD_NAME & 1 && name->len) {
        list->entry.name = name->p;
        list->entry.name_len = name->len;
    }
    if (!(csv->wanted >> FIELD_NAME_HEX & 1) || !hex->len)
        return LIST_ENTRY;
    buffer_reset(&csv->name);
    to = buffer_extend(&csv->name, hex->len / 2 + 1);
    if (!to)
        return list_failed(list, err, "out of memory");
    if (!list_hex(hex->p, hex->len, (uint8_t *)to))
        return list_bad(list, row, err, "malformed name_hex: expected hexadecimal digits");
    list->entry.name = to;
    list->entry.name_len = hex->len / 2;
    return LIST_ENTRY;
}

static enum list_result take_row(struct list *list, uint64_t row, struct error *err)
{
    struct csv *csv = list->state;
    enum list_result result = LIST_ENTRY;

    list_clear(list);
    for (int field = 0; field < FIELDS; field++) {
        if (!(csv->wanted >> field & 1))
            continue;
        if (csv->cells[field].doubled)
            undouble(&csv->unquoted[field], &csv->cells[field]);
        if (csv->unquoted[field].failed)
            return list_failed(list, err, "out of memory");
    }
    for (int field = FIELD_SHA1; field <= FIELD_HASH && result == LIST_ENTRY; field++)
        if (csv->wanted >> field & 1)
            result = take_digest(list, row, (enum field)field, err);
    if (result == LIST_ENTRY && csv->wanted >> FIELD_SIZE & 1)
        result = take_size(list, row, err);
    if (result == LIST_ENTRY)
        result = take_name(list, row, err);
    if (result == LIST_ENTRY && csv->wanted >> FIELD_MARK & 1)
        list_mark(list, "", csv->cells[FIELD_MARK].p, csv->cells[FIELD_MARK].len);
    if (result == LIST_ENTRY && !list->entry.digests.kinds)
        return list_bad(list, row, err, "there is no digest");
    return result;
}

static enum list_result check_row(struct list *list, uint64_t row, enum row_state state, size_t columns,
                                  struct error *err)
{
    struct csv *csv = list->state;

    if (state == ROW_OPEN)
        return list_bad(list, row, err, "unterminated quote: not closed within %d lines and %d bytes",
                        ROW_LINES, ROW_LONGEST);
    if (state != ROW_GOOD)
        return list_bad(list, row, err, "malformed quoting");
    if (columns != csv->columns)
        return list_bad(list, row, err, "wrong number of columns: %zu instead of %zu", columns, csv->columns);
    return take_row(list, row, err);
}

enum list_result list_csv_next(struct list *list, struct error *err)
{
    struct csv *csv = list->state;
    enum row_state state;
    enum list_result result;
    const char *line;
    size_t len, columns = 0;
    uint64_t row;

    do
        result = list_line(list, &line, &len, err);
    while (result == LIST_ENTRY && !len);
    if (result != LIST_ENTRY)
        return result;
    row = lines_number(list->lines);
    csv->lines = 0;
    state = split_row(csv, line, len, &columns);
    if (state == ROW_OPEN)
        state = join_row(list, line, len, &columns);
    result = check_row(list, row, state, columns, err);
    return result == LIST_BAD && csv->lines && give_back(list, err) ? LIST_FAILED : result;
}
