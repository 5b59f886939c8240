/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "file_kind.h"
#include "interrupt.h"
#include "list/list_ahead.h"
#include "set/refset_writer.h"
#include "set/source_map.h"
#include "set_flags.h"
#include "terminal.h"

enum {
    IMPORT_FORMAT = SET_OPTIONS,
    IMPORT_STRICT,
    IMPORT_NOTE,
    IMPORT_QUIET,
};

static const struct option_spec import_options[] = {
    SET_OPTIONS_SPECS,
    {0, "format", "NAME", "format of the list (default: auto-detect)", &values_list_formats},
    {0, "strict", NULL, "stop at the first malformed row", NULL},
    {0, "note", "TEXT", "a note to keep with the source", NULL},
    {'q', "quiet", NULL, "show no progress and no summary", NULL},
    {0, NULL, NULL, NULL, NULL},
};

enum { MOST_PROBLEMS = 20, ROWS_PER_LOOK = 1024, MOST_MARKS = 16 };

/* How often each mark occurs in a list.  Marks are not kept in the set. */
struct marks {
    struct {
        char text[LIST_MARK_LEN + 1];
        uint64_t count;
    } list[MOST_MARKS];
    size_t count;
    uint64_t others;
};

struct import {
    struct set_flags flags;
    const char *format, *note, *set_path;
    bool strict, quiet;
    struct refset *set;
    struct refset_writer *writer;
    struct progress progress;
    struct known known;
    /* of the list being read */
    const char *path;
    struct list *list;
    struct list_ahead *ahead;  /* reads the list in a thread of its own, from the second row on */
    struct source_map sources; /* sources named in the list; entries without one are from the list itself */
    bool list_failed;          /* a read error: the rows before it are kept */
    bool drops_blocks;         /* the size of its blocks differs from the set's */
    uint64_t rows, broken, added, extended, there, by_digest;
    struct marks marks;
};

/* ---- rows ---- */

static void show_broken(struct import *import, const char *text)
{
    if (import->broken++ < MOST_PROBLEMS)
        complain("%s", text);
}

/* The first name has the same source as the file. */
static void fill_origins(struct import *import, const struct list_entry *entry)
{
    const char *at = entry->names, *end = at + entry->names_len;
    uint64_t handle = (uint64_t)source_map_find(&import->sources, entry->source);

    if (!entry->names_from || !entry->name_len)
        return;
    buffer_add(&import->known.origins, &handle, sizeof handle);
    for (size_t i = 0; at < end; at += strlen(at) + 1, i++) {
        handle = (uint64_t)source_map_find(&import->sources, entry->names_from[i]);
        buffer_add(&import->known.origins, &handle, sizeof handle);
    }
}

static int take_source(struct import *import, const struct list_source *from, struct error *err)
{
    struct refset_source source = {.path = from->path,
                                   .path_len = from->path_len,
                                   .kind = from->kind,
                                   .format = from->format,
                                   .has_sha256 = from->has_sha256,
                                   .time = from->time,
                                   .tool = from->tool,
                                   .note = from->note};
    int handle;

    memcpy(source.sha256, from->sha256, DIGEST_SHA256_LEN);
    handle = refset_writer_copy_source(import->writer, &source, err);
    return handle < 0 ? -1 : source_map_add(&import->sources, from->number, handle, err);
}

static int fill_known(struct import *import, const struct list_entry *entry, struct error *err)
{
    struct known *known = &import->known;

    known_reset(known);
    known->digests = entry->digests;
    known->has_size = entry->has_size;
    known->size = entry->size;
    known_add_name(known, entry->name, entry->name_len);
    if (entry->names_len)
        buffer_add(&known->names, entry->names, entry->names_len);
    fill_origins(import, entry);
    if (entry->record) {
        if (record_parse(&known->record, entry->record, entry->record_len, err))
            return -1;
        known->has_record = true;
        if (!import->drops_blocks && entry->block_count)
            buffer_add(&known->blocks, entry->blocks, entry->block_count * DIGEST_SHA1_LEN);
    }
    return known->names.failed || known->blocks.failed ? error_set(err, "out of memory") : 0;
}

static void count_mark(struct marks *marks, const char *text)
{
    size_t i = 0;

    if (!*text)
        return;
    while (i < marks->count && strcmp(marks->list[i].text, text) != 0)
        i++;
    if (i == MOST_MARKS) {
        marks->others++;
        return;
    }
    if (i == marks->count)
        snprintf(marks->list[marks->count++].text, sizeof marks->list->text, "%s", text);
    marks->list[i].count++;
}

/* Returns -1 if the set cannot be written. */
static int take_entry(struct import *import, struct error *err)
{
    const struct list_entry *entry = list_ahead_entry(import->ahead);
    struct error why, text;

    import->rows++;
    count_mark(&import->marks, entry->mark);
    if (fill_known(import, entry, &why)) {
        error_set(&text, "%s: entry %" PRIu64 ": %s", import->path, import->rows, why.text);
        show_broken(import, text.text);
        return 0;
    }
    refset_writer_back(import->writer, source_map_find(&import->sources, entry->source));
    switch (refset_writer_add(import->writer, &import->known, err)) {
    case REFSET_ADDED:
        import->added++;
        import->by_digest += !import->known.has_record;
        return 0;
    case REFSET_EXTENDED:
        import->extended++;
        return 0;
    case REFSET_THERE:
        import->there++;
        return 0;
    case REFSET_REFUSED:
        error_set(&text, "%s: entry %" PRIu64 ": %s", import->path, import->rows, err->text);
        show_broken(import, text.text);
        return 0;
    default:
        return -1;
    }
}

/* ---- lists ---- */

/* The parameters of a new set: those of the set that the list was exported from, if it has them. */
static struct refset_params params_for(const struct import *import, bool has_set)
{
    struct refset_params params = refset_defaults(import->set_path);
    const struct list_set *from = has_set ? list_set(import->list) : NULL;

    if (!from)
        return params;
    snprintf(params.name, sizeof params.name, "%s", from->name);
    snprintf(params.category, sizeof params.category, "%s", from->category);
    params.kind =
        refset_kind_find(from->kind) >= 0 ? (enum refset_kind)refset_kind_find(from->kind) : params.kind;
    params.n = from->n;
    params.c = from->c;
    params.block = from->block;
    params.common = from->common;
    memcpy(params.key, from->key, sizeof params.key);
    return params;
}

static int open_set(struct import *import, bool has_set)
{
    const struct refset_params params = params_for(import, has_set);

    if (import->set)
        return 0;
    import->set = set_flags_open(&import->flags, import->set_path, &params);
    if (!import->set)
        return -1;
    return 0;
}

/* Lists from elsewhere may have thousands of names for the same content, so only the first is kept. */
static int open_writer(struct import *import, bool has_set, struct error *err)
{
    const bool is_ours = strncmp(list_format(import->list), "kith-", 5) == 0;
    const struct refset_params *params = &refset_info(import->set)->params;
    const struct refset_source source = {.path = import->path,
                                         .path_len = strlen(import->path),
                                         .kind = "list",
                                         .format = list_format(import->list),
                                         .time = set_flags_now(),
                                         .tool = set_flags_tool,
                                         .note = import->note};

    if (has_set && list_set(import->list)->n != params->n)
        return error_set(err, "%s: its records have windows of %u bytes, but those of the set %s have %u",
                         import->path, list_set(import->list)->n, import->set_path, params->n);
    if (has_set && memcmp(list_set(import->list)->key, params->key, sizeof params->key) != 0)
        return error_set(err,
                         "%s: its records are sampled with another key than those of the set %s, or without",
                         import->path, import->set_path);
    import->drops_blocks = has_set && list_set(import->list)->block != params->block;
    if (import->drops_blocks && !import->quiet)
        complain("%s: its block digests are left out: its blocks have %u bytes, those of the set %u",
                 import->path, list_set(import->list)->block, params->block);
    import->writer = refset_writer_new(import->set, is_ours, err);
    if (!import->writer)
        return -1;
    source_map_reset(&import->sources);
    import->sources.unknown = refset_writer_source(import->writer, &source, err);
    return import->sources.unknown < 0 ? -1 : 0;
}

static void show_progress(struct import *import)
{
    if (import->rows % ROWS_PER_LOOK)
        return;
    atomic_store_explicit(&import->progress.bytes, list_ahead_bytes(import->ahead), memory_order_relaxed);
    atomic_store_explicit(&import->progress.count, import->rows, memory_order_relaxed);
}

/* Returns the exit status. */
static int take_rows(struct import *import, struct error *err)
{
    enum list_result result;
    struct error got;

    while ((result = list_ahead_next(import->ahead, &got)) != LIST_END) {
        if (atomic_load(interrupt_flag()))
            return EXIT_INTERRUPTED;
        show_progress(import);
        if (result == LIST_FAILED) {
            *err = got;
            import->list_failed = true;
            return EXIT_USAGE;
        }
        if (result == LIST_BAD)
            show_broken(import, got.text);
        if ((result == LIST_SOURCE && take_source(import, list_ahead_source(import->ahead), err)) ||
            (result == LIST_ENTRY && take_entry(import, err)))
            return EXIT_USAGE;
        if (import->strict && import->broken) {
            error_set(
                err,
                "%s: stopped at the first malformed row (--strict); rows after the last commit are not kept",
                import->path);
            return EXIT_USAGE;
        }
    }
    return import->broken ? EXIT_PARTIAL : EXIT_DONE;
}

static int finish_list(struct import *import, int status, struct error *err)
{
    uint8_t sha256[DIGEST_SHA256_LEN];

    if (import->list_failed && refset_writer_commit(import->writer, NULL) == 0)
        return status;
    if (status == EXIT_USAGE)
        return status;
    if (status != EXIT_INTERRUPTED) {
        refset_writer_back(import->writer, import->sources.unknown);
        if (list_ahead_sha256(import->ahead, sha256, err) ||
            refset_writer_source_sha256(import->writer, sha256, err))
            return EXIT_USAGE;
    }
    return refset_writer_commit(import->writer, err) ? EXIT_USAGE : status;
}

static void add_marks(struct buffer *out, const struct marks *marks)
{
    for (size_t i = 0; i < marks->count; i++)
        buffer_printf(out, "%s%s %" PRIu64, i ? ", " : "; marks, which are not kept: ", marks->list[i].text,
                      marks->list[i].count);
    if (marks->others)
        buffer_printf(out, ", others %" PRIu64, marks->others);
}

static void show_summary(const struct import *import)
{
    struct buffer more = {0};

    if (import->by_digest)
        buffer_printf(&more,
                      "; %" PRIu64 " of those added are hash-only entries, which match identical files only",
                      import->by_digest);
    add_marks(&more, &import->marks);
    say("%s (%s): %" PRIu64 " row%s: %" PRIu64 " added, %" PRIu64 " extended, %" PRIu64
        " already there, %" PRIu64 " malformed%.*s",
        import->path, list_format(import->list), import->rows, plural(import->rows), import->added,
        import->extended, import->there, import->broken, (int)more.len, more.data ? more.data : "");
    note_output(&more);
    buffer_release(&more);
}

/* The first row may describe the set that the list was exported from, which is needed first; that row comes
 * again. */
static int read_list(struct import *import, struct error *err)
{
    const enum list_result first = list_peek(import->list);
    const bool has_set = first == LIST_SET;
    int status;

    if (first == LIST_FAILED) { /* so no set is created */
        list_next(import->list, err);
        return EXIT_USAGE;
    }
    if (open_set(import, has_set))
        return -1; /* the error was shown */
    if (open_writer(import, has_set, err))
        return EXIT_USAGE;
    import->ahead = list_ahead_new(import->list, err);
    if (!import->ahead)
        return EXIT_USAGE;
    status = finish_list(import, take_rows(import, err), err);
    list_ahead_free(import->ahead);
    if (import->broken > MOST_PROBLEMS)
        complain("%s: %" PRIu64 " more malformed row%s", import->path, import->broken - MOST_PROBLEMS,
                 plural(import->broken - MOST_PROBLEMS));
    if (!import->quiet && status != EXIT_USAGE)
        show_summary(import);
    return status;
}

static int import_one(struct import *import, const char *path)
{
    struct error err = {0};
    int status = EXIT_USAGE;

    import->path = path;
    import->list_failed = false;
    import->rows = import->broken = import->added = import->extended = import->there = import->by_digest = 0;
    import->marks = (struct marks){0};
    import->list = list_open(path, import->format, &err);
    if (import->list)
        status = read_list(import, &err);
    if (status == EXIT_USAGE)
        complain_error(&err);
    refset_writer_free(import->writer);
    import->writer = NULL;
    list_close(import->list);
    return status < 0 ? EXIT_USAGE : status;
}

/* A new set into which nothing was imported would look like success. */
static void remove_empty(struct import *import, int status)
{
    refset_close(import->set, NULL);
    refset_remove(import->set_path);
    complain(status == EXIT_INTERRUPTED ? "interrupted; %s was not created"
                                        : "%s: was not created, since nothing could be imported",
             import->set_path);
}

static int import_all(struct import *import, int count, char **paths)
{
    const bool is_new = access(import->set_path, F_OK) != 0;
    int worst = EXIT_DONE;
    struct error err;

    import->progress.noun = "row";
    progress_start(&import->progress, import->quiet);
    for (int i = 0; i < count && worst != EXIT_INTERRUPTED; i++) {
        const int status = import_one(import, paths[i]);

        if (status == EXIT_USAGE) {
            worst = EXIT_USAGE;
            break;
        }
        worst = status > worst ? status : worst;
    }
    progress_stop();
    source_map_release(&import->sources);
    known_release(&import->known);
    if (is_new && import->set && refset_info(import->set)->counts.files == 0) {
        remove_empty(import, worst);
        return worst == EXIT_DONE ? EXIT_PARTIAL : worst;
    }
    if (worst == EXIT_INTERRUPTED && !import->quiet)
        complain("interrupted; what was imported is kept; rerun the same command to resume");
    if (refset_close(import->set, &err)) {
        complain_error(&err);
        return EXIT_USAGE;
    }
    return worst;
}

/* Whether the list is readable and its format known.  Only a regular file can be read twice. */
static int check_list(const struct import *import, const char *path, struct error *err)
{
    struct list *list;
    struct stat st;
    int result = 0;

    if (strcmp(path, "-") == 0)
        return 0;
    if (access(path, R_OK) || stat(path, &st))
        return error_errno(err, "%s", path);
    if (!S_ISREG(st.st_mode))
        return 0;
    list = list_open(path, import->format, err);
    if (!list)
        return -1;
    if (list_peek(list) == LIST_FAILED) {
        list_next(list, err);
        result = -1;
    }
    list_close(list);
    return result;
}

/* Checks all lists before the set is created or changed. */
static int check_lists(const struct import *import, int count, char **paths)
{
    struct error err;
    int result = 0;

    for (int i = 0; i < count; i++)
        if (!import->format && file_kind_check_list(paths[i])) {
            result = -1;
        } else if (check_list(import, paths[i], &err)) {
            complain_error(&err);
            result = -1;
        }
    return result;
}

/* ---- options ---- */

static int take_format(struct import *import, const struct options *options)
{
    import->format = options->value;
    return options_named(options, options->value, strlen(options->value)) < 0 ? -1 : 0;
}

static int take_option(void *arg, const struct options *options, int option)
{
    static const struct options_flag flags[] = {
        {IMPORT_STRICT, offsetof(struct import, strict)},
        {IMPORT_QUIET, offsetof(struct import, quiet)},
    };
    struct import *import = arg;

    if (options_flag(flags, option, import))
        return 0;
    switch (option) {
    case IMPORT_FORMAT:
        return take_format(import, options);
    case IMPORT_NOTE:
        import->note = options->value;
        return 0;
    default:
        return set_flags_take(&import->flags, options, option);
    }
}

static int run(const struct command *command, int argc, char **argv)
{
    struct import import = {.flags = set_flags_none(), .note = ""};
    int operand = 0;
    const int status = options_read(command, argc, argv, take_option, &import, &operand);

    if (status != OPTIONS_GO)
        return status;
    if (argc - operand < 2)
        return options_wrong(command, operand == argc ? "no set given" : "no list given");
    import.set_path = argv[operand];
    if (options_check_new(command, import.set_path) ||
        check_lists(&import, argc - operand - 1, argv + operand + 1))
        return EXIT_USAGE;
    interrupt_catch();
    return import_all(&import, argc - operand - 1, argv + operand + 1);
}

const struct command command_import = {"import",
                                       "[options] SET LIST|-...",
                                       "add hash lists to a reference set: NSRL, hashdeep, kdb and others",
                                       import_options,
                                       run,
                                       NULL,
                                       NULL};
