/* SPDX-License-Identifier: Apache-2.0 */
#include "list/list.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "list/list_inner.h"

enum { LONGEST_OF_KITH = 64 << 20 };

/* In the order in which detection tries them: formats with an unambiguous signature first. */
static const struct list_parser parsers[] = {
    {"kith-records", LIST_OF_LINES, LONGEST_OF_KITH, list_kith_records_detect, list_kith_open, list_kith_next,
     list_kith_close},
    {"kith-json", LIST_OF_LINES, LONGEST_OF_KITH, list_kith_json_detect, list_kith_open, list_kith_next,
     list_kith_close},
    {"projectvic", LIST_OF_LINES, LINES_LONGEST, list_vic_detect, list_vic_open, list_vic_next,
     list_vic_close},
    {"encase", LIST_OF_BYTES, LINES_LONGEST, list_encase_detect, list_encase_open, list_encase_next,
     list_encase_close},
    {"hashdeep", LIST_OF_LINES, LINES_LONGEST, list_hashdeep_detect, list_hashdeep_open, list_hashdeep_next,
     list_hashdeep_close},
    {"nsrl2", LIST_OF_LINES, LINES_LONGEST, list_nsrl2_detect, list_csv_open, list_csv_next, list_csv_close},
    {"hashkeeper", LIST_OF_LINES, LINES_LONGEST, list_hashkeeper_detect, list_csv_open, list_csv_next,
     list_csv_close},
    {"csv", LIST_OF_LINES, LINES_LONGEST, list_csv_detect, list_csv_open, list_csv_next, list_csv_close},
    {"nsrl3-delta", LIST_OF_LINES, LINES_LONGEST, list_delta_detect, list_delta_open, list_delta_next,
     list_delta_close},
    {"nsrl3", LIST_OF_SQLITE, 0, list_nsrl3_detect, list_nsrl3_open, list_sqlite_next, list_sqlite_close},
    {"kdb", LIST_OF_SQLITE, 0, list_kdb_detect, list_kdb_open, list_sqlite_next, list_sqlite_close},
    {"sums", LIST_OF_LINES, LINES_LONGEST, list_sums_detect, list_sums_open, list_sums_next, list_sums_close},
};
enum { PARSERS = sizeof parsers / sizeof *parsers };

const char *const list_formats[] = {"nsrl3",     "nsrl3-delta",  "nsrl2", "hashkeeper", "hashdeep",
                                    "sums",      "csv",          "kdb",   "encase",     "projectvic",
                                    "kith-json", "kith-records", NULL};

/* ---- opening ---- */

static const struct list_parser *find_parser(const char *name)
{
    for (size_t i = 0; i < PARSERS; i++)
        if (strcmp(parsers[i].name, name) == 0)
            return &parsers[i];
    return NULL;
}

static void add_formats(struct buffer *out)
{
    for (size_t i = 0; list_formats[i]; i++)
        buffer_printf(out, "%s%s", i ? ", " : "", list_formats[i]);
}

/* Lists are often published compressed. */
static int refuse_compressed(const struct list *list, struct error *err)
{
    static const struct {
        const char *magic;
        size_t len;
        const char *name, *command;
    } kinds[] = {
        {"\x1f\x8b", 2, "gzip", "zcat LIST | kith import SET -"},
        {"PK\x03\x04", 4, "zip", "unzip -p LIST | kith import SET -"},
        {"7z\xbc\xaf\x27\x1c", 6, "7z", "7z e -so LIST | kith import SET -"},
        {"\xfd"
         "7zXZ\0",
         6, "xz", "xzcat LIST | kith import SET -"},
        {"BZh", 3, "bzip2", "bzcat LIST | kith import SET -"},
        {"\x28\xb5\x2f\xfd", 4, "zstd", "zstdcat LIST | kith import SET -"},
    };
    size_t len;
    const uint8_t *head = lines_raw_head(list->lines, &len);

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (len >= kinds[i].len && memcmp(head, kinds[i].magic, kinds[i].len) == 0)
            return error_set(err, "%s: is compressed (%s): unpack it first (%s)", list->path, kinds[i].name,
                             kinds[i].command);
    return 0;
}

static int refuse_sketch(const struct list *list, struct error *err)
{
    size_t len;
    const uint8_t *head = lines_raw_head(list->lines, &len);

    if (!list_kith_is_sketch(head, len))
        return 0;
    return error_set(err, "%s: is a sketch, not a record: kith sign -s gf8 makes what can be imported",
                     list->path);
}

/* Recognizes reference sets by the application_id that refset.c sets. */
static int refuse_set(const struct list *list, const uint8_t *head, size_t len, struct error *err)
{
    enum { ID_AT = 68, ID_LEN = 4 };

    if (len < ID_AT + ID_LEN || memcmp(head + ID_AT, "KITH", ID_LEN) != 0)
        return 0;
    return error_set(err, "%s: is a reference set, not a list: use kith sets merge", list->path);
}

/* The database module opens an SQLite file by its path. */
static int become_database(struct list *list, const char *path, struct error *err)
{
    if (!lines_is_file(list->lines))
        return error_set(err, "%s: an SQLite database cannot be read from a pipe: name the file instead",
                         list->path);
    list->file_size = lines_size(list->lines);
    lines_close(list->lines);
    list->lines = NULL;
    list->database = database_open_foreign(path, err);
    return list->database ? 0 : -1;
}

static struct list_head head_of(const struct list *list)
{
    struct list_head head = {"", 0, false};
    size_t raw_len;

    if (!list->lines)
        return head;
    lines_raw_head(list->lines, &raw_len);
    head.text = lines_head(list->lines, &head.len);
    head.is_whole = raw_len < LINES_HEAD;
    return head;
}

static bool fits(const struct list *list, const struct list_parser *parser)
{
    return (parser->kind == LIST_OF_SQLITE) == (list->database != NULL);
}

static int find_format(struct list *list, struct error *err)
{
    const struct list_head head = head_of(list);
    struct buffer formats = {0};

    for (size_t i = 0; i < PARSERS && !list->parser; i++)
        if (fits(list, &parsers[i]) && parsers[i].detect(list, &head))
            list->parser = &parsers[i];
    if (list->parser)
        return 0;
    add_formats(&formats);
    error_set(err, "%s: unrecognized list format; supported formats: %.*s (--format)", list->path,
              (int)formats.len, formats.len ? formats.data : "");
    buffer_release(&formats);
    return -1;
}

static int take_format(struct list *list, const char *format, struct error *err)
{
    struct buffer formats = {0};

    list->parser = find_parser(format);
    if (!list->parser) {
        add_formats(&formats);
        error_set(err, "'%s' is not a list format; supported formats: %.*s", format, (int)formats.len,
                  formats.len ? formats.data : "");
        buffer_release(&formats);
        return -1;
    }
    if (fits(list, list->parser))
        return 0;
    return error_set(err, "%s: is %s SQLite database, so its format cannot be %s", list->path,
                     list->database ? "an" : "not an", format);
}

static int open_parts(struct list *list, const char *path, const char *format, struct error *err)
{
    size_t len;
    const uint8_t *head;

    if (!list->lines || refuse_compressed(list, err) || refuse_sketch(list, err))
        return -1;
    head = lines_raw_head(list->lines, &len);
    if (database_detect(head, len) && (refuse_set(list, head, len, err) || become_database(list, path, err)))
        return -1;
    if (format ? take_format(list, format, err) : find_format(list, err))
        return -1;
    if (list->lines) {
        lines_limit(list->lines, list->parser->longest_line);
        if (list->parser->kind == LIST_OF_BYTES)
            lines_binary(list->lines);
    }
    list_clear(list);
    list->set.name = list->set.kind = list->set.category = "";
    list->source.path = list->source.kind = list->source.format = list->source.tool = list->source.note = "";
    return list->parser->open(list, err);
}

static struct list *open_list(const char *path, const char *shown, struct lines *lines, const char *format,
                              struct error *err)
{
    struct list *list = calloc(1, sizeof *list);

    if (!list || !(list->path = strdup(shown))) {
        error_set(err, "out of memory");
        lines_close(lines);
        free(list);
        return NULL;
    }
    list->lines = lines;
    if (open_parts(list, path, format, err) == 0)
        return list;
    list_close(list);
    return NULL;
}

struct list *list_open(const char *path, const char *format, struct error *err)
{
    return open_list(path, strcmp(path, "-") == 0 ? "standard input" : path, lines_open(path, err), format,
                     err);
}

struct list *list_open_memory(const void *data, size_t len, const char *format, struct error *err)
{
    return open_list("", "memory", lines_open_memory(data, len, err), format, err);
}

void list_close(struct list *list)
{
    if (!list)
        return;
    if (list->parser && list->state)
        list->parser->close(list);
    if (list->database)
        database_close(list->database, NULL);
    lines_close(list->lines);
    free(list->path);
    free(list);
}

const char *list_format(const struct list *list)
{
    return list->parser->name;
}

/* ---- reading ---- */

enum list_result list_peek(struct list *list)
{
    list->held_result = list->parser->next(list, &list->held_err);
    list->held = true;
    return list->held_result;
}

enum list_result list_next(struct list *list, struct error *err)
{
    if (!list->held)
        return list->parser->next(list, err);
    list->held = false;
    if (list->held_result == LIST_BAD || list->held_result == LIST_FAILED)
        error_set(err, "%s", list->held_err.text);
    return list->held_result;
}

const struct list_entry *list_entry(const struct list *list)
{
    return &list->entry;
}

const struct list_source *list_source(const struct list *list)
{
    return &list->source;
}

const struct list_set *list_set(const struct list *list)
{
    return &list->set;
}

uint64_t list_size(const struct list *list)
{
    return list->lines ? lines_size(list->lines) : list->all_rows ? list->file_size : 0;
}

uint64_t list_bytes(const struct list *list)
{
    if (list->lines)
        return lines_position(list->lines);
    return list->all_rows ? (uint64_t)((double)list->file_size * (double)list->rows / (double)list->all_rows)
                          : 0;
}

bool list_hashes_apart(const struct list *list)
{
    return !list->lines;
}

int list_sha256(struct list *list, uint8_t out[DIGEST_SHA256_LEN], struct error *err)
{
    struct lines *again;
    int result;

    if (list->lines)
        return lines_sha256(list->lines, out, err);
    again = lines_open(list->path, err);
    if (!again)
        return -1;
    result = lines_sha256(again, out, err);
    lines_close(again);
    return result;
}
