/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/memory.h"
#include "case/casefile_inner.h"

/* Each step creates the next version of the schema; released steps never change. */
static const char *const schema[] = {
    "CREATE TABLE info ("
    " id INTEGER PRIMARY KEY CHECK (id = 1), uuid BLOB NOT NULL, created INTEGER NOT NULL, tool TEXT NOT "
    "NULL,"
    " parameters TEXT NOT NULL) STRICT;"
    "CREATE TABLE refset ("
    " id INTEGER PRIMARY KEY, uuid BLOB NOT NULL, generation INTEGER NOT NULL, kind TEXT NOT NULL,"
    " name TEXT NOT NULL, path BLOB NOT NULL, files INTEGER NOT NULL, records INTEGER NOT NULL) STRICT;"
    "CREATE TABLE evidence ("
    " id INTEGER PRIMARY KEY, path BLOB NOT NULL, state TEXT NOT NULL, format TEXT, size INTEGER,"
    " stamp TEXT NOT NULL DEFAULT '',"
    " sha1 BLOB, md5 BLOB, sha256 BLOB, stored_sha1 BLOB, stored_md5 BLOB, stored_sha256 BLOB,"
    " objects INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0, known INTEGER NOT NULL DEFAULT 0,"
    " identical INTEGER NOT NULL DEFAULT 0, variant INTEGER NOT NULL DEFAULT 0,"
    " embedded INTEGER NOT NULL DEFAULT 0, fragment INTEGER NOT NULL DEFAULT 0, none INTEGER NOT NULL "
    "DEFAULT 0,"
    " too_small INTEGER NOT NULL DEFAULT 0, low_entropy INTEGER NOT NULL DEFAULT 0,"
    " unreadable INTEGER NOT NULL DEFAULT 0, skipped INTEGER NOT NULL DEFAULT 0) STRICT;"
    "CREATE TABLE object ("
    " id INTEGER PRIMARY KEY, evidence INTEGER NOT NULL, item INTEGER NOT NULL, volume TEXT NOT NULL,"
    " address TEXT NOT NULL, chunk INTEGER NOT NULL, kind TEXT NOT NULL, size INTEGER NOT NULL,"
    " path_count INTEGER NOT NULL, paths BLOB NOT NULL, sha1 BLOB, md5 BLOB, sha256 BLOB,"
    " verdict TEXT NOT NULL, reason TEXT NOT NULL, findings INTEGER NOT NULL, partial INTEGER NOT NULL)"
    " STRICT;"
    "CREATE TABLE finding ("
    " class INTEGER NOT NULL, object INTEGER NOT NULL, rank INTEGER NOT NULL, refset INTEGER NOT NULL,"
    " file INTEGER NOT NULL, sha1 BLOB, md5 BLOB, sha256 BLOB, size INTEGER NOT NULL, name BLOB NOT NULL,"
    " verdict TEXT NOT NULL, obj_start INTEGER NOT NULL, obj_end INTEGER NOT NULL, ref_start INTEGER NOT "
    "NULL,"
    " ref_end INTEGER NOT NULL, matched INTEGER NOT NULL, ranges BLOB NOT NULL, resemblance REAL NOT NULL,"
    " containment REAL NOT NULL, edits REAL, edits_low REAL, edits_high REAL, ln_e REAL, proof TEXT NOT NULL,"
    " proved INTEGER NOT NULL, blocks INTEGER NOT NULL, also INTEGER NOT NULL,"
    " PRIMARY KEY (class, object, rank)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE problem ("
    " id INTEGER PRIMARY KEY, evidence INTEGER NOT NULL, text TEXT NOT NULL, UNIQUE (evidence, text)) STRICT;"
    "CREATE TABLE log ("
    " id INTEGER PRIMARY KEY, time INTEGER NOT NULL, text TEXT NOT NULL, evidence INTEGER, seal BLOB,"
    " chain BLOB NOT NULL) STRICT;"
    "CREATE TABLE account ("
    " id INTEGER PRIMARY KEY, volume TEXT NOT NULL, kind TEXT NOT NULL, objects INTEGER NOT NULL,"
    " bytes INTEGER NOT NULL) STRICT;"
    "CREATE TABLE bad (id INTEGER PRIMARY KEY, start INTEGER NOT NULL, len INTEGER NOT NULL) STRICT;",

    /* Only new tables, since seals cover all columns of the old ones. */
    "CREATE TABLE origin ("
    " id INTEGER PRIMARY KEY, flags INTEGER NOT NULL, mtime INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,"
    " atime INTEGER NOT NULL, atime_ns INTEGER NOT NULL, ctime INTEGER NOT NULL, ctime_ns INTEGER NOT NULL,"
    " crtime INTEGER NOT NULL, crtime_ns INTEGER NOT NULL, runs BLOB NOT NULL, cut INTEGER NOT NULL) STRICT;"
    "CREATE TABLE place ("
    " refset INTEGER NOT NULL, file INTEGER NOT NULL, start INTEGER NOT NULL, object INTEGER NOT NULL,"
    " rank INTEGER NOT NULL, PRIMARY KEY (refset, file, start, object, rank)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE twin ("
    " object INTEGER NOT NULL, rank INTEGER NOT NULL, of_object INTEGER NOT NULL, of_rank INTEGER NOT NULL,"
    " PRIMARY KEY (object, rank)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX twin_of ON twin (of_object, of_rank);"
    "CREATE TABLE context (id INTEGER PRIMARY KEY, value TEXT NOT NULL) STRICT;"
    "CREATE TABLE pass ("
    " id INTEGER PRIMARY KEY, first_set INTEGER NOT NULL, last_set INTEGER NOT NULL, again INTEGER NOT NULL,"
    " parameters TEXT NOT NULL) STRICT;",

    /* Findings from before have no row: their scores are computed from what they have. */
    "CREATE TABLE score ("
    " object INTEGER NOT NULL, rank INTEGER NOT NULL, score REAL NOT NULL, reordered INTEGER NOT NULL,"
    " holders INTEGER NOT NULL, features BLOB NOT NULL,"
    " PRIMARY KEY (object, rank)) STRICT, WITHOUT ROWID;",
    NULL,
};

const struct database_format casefile_format = {
    .application_id = 0x4b495443, /* "KITC" */
    .noun = "case",
    .upgrade = "kith case upgrade",
    .steps = schema,
};

/* ---- what the case is ---- */

static bool get_info(struct statement *row, struct casefile *casefile)
{
    struct case_info *info = &casefile->info;
    const char *tool, *parameters;

    if (!statement_exactly(row, 0, info->uuid, sizeof info->uuid) ||
        !statement_number(row, 1, &info->created) || !casefile_get_string(row, 2, &tool) ||
        !casefile_get_string(row, 3, &parameters))
        return false;
    if (asprintf(&casefile->info_text, "%s%c%s", tool, '\0', parameters) < 0) {
        casefile->info_text = NULL;
        return false;
    }
    info->tool = casefile->info_text;
    info->parameters = info->tool + strlen(tool) + 1;
    return true;
}

static int load_info(struct casefile *casefile, struct error *err)
{
    struct statement *row = database_prepare(
        casefile->database, "SELECT uuid, created, tool, parameters FROM info WHERE id = 1", err);
    int result;

    if (!row)
        return -1;
    result = statement_step(row, err);
    if (result >= 0 && (result == 0 || !get_info(row, casefile)))
        result = casefile_broken(casefile, err, "missing or malformed row in table info");
    statement_free(row);
    return result < 0 ? -1 : 0;
}

/* A path may contain any byte except zero. */
static char *get_path(struct statement *row, int column)
{
    const void *data;
    size_t len;

    return statement_bytes(row, column, &data, &len) && !memchr(data, '\0', len) ? strndup(data, len) : NULL;
}

static bool get_set(struct statement *row, uint64_t number, struct case_set *set)
{
    const char *kind, *name;
    uint64_t id;
    int found;

    if (!statement_up_to(row, 0, CASE_MOST_SETS, &id) || id != number ||
        !statement_exactly(row, 1, set->uuid, sizeof set->uuid) ||
        !statement_up_to(row, 2, INT64_MAX, &set->generation) || !casefile_get_string(row, 3, &kind) ||
        !casefile_get_string(row, 4, &name) || strlen(name) > REFSET_NAME_LEN ||
        !statement_up_to(row, 6, INT64_MAX, &set->files) ||
        !statement_up_to(row, 7, INT64_MAX, &set->records))
        return false;
    found = refset_kind_find(kind);
    if (found < 0)
        return false;
    set->kind = (enum refset_kind)found;
    memcpy(set->name, name, strlen(name) + 1);
    set->path = get_path(row, 5);
    return set->path != NULL;
}

static int add_set(struct casefile *casefile, struct statement *row, struct error *err)
{
    struct case_set *set;

    if (array_resize(&casefile->sets, casefile->set_count + 1))
        return error_set(err, "out of memory");
    set = &casefile->sets[casefile->set_count];
    *set = (struct case_set){0};
    if (!get_set(row, casefile->set_count + 1, set))
        return casefile_broken(casefile, err, "malformed row in table refset");
    casefile->set_count++;
    return 0;
}

static int load_sets(struct casefile *casefile, struct error *err)
{
    struct statement *row = database_prepare(
        casefile->database,
        "SELECT id, uuid, generation, kind, name, path, files, records FROM refset ORDER BY id", err);
    int result;

    if (!row)
        return -1;
    while ((result = statement_step(row, err)) > 0)
        if (add_set(casefile, row, err)) {
            result = -1;
            break;
        }
    statement_free(row);
    return result;
}

/* ---- is it sound? ---- */

/* Keeps the first fault, which is enough. */
static void keep_first(void *arg, const char *text)
{
    struct error *first = arg;

    if (!first->text[0])
        error_set(first, "%s", text);
}

/* If somebody has altered the case, it must not be sealed again as though the scan had found this.  resumed:
 * what is refused. */
static int check_sound(struct casefile *casefile, const char *resumed, struct error *err)
{
    struct error first = {""};
    const int faults = casefile_check(casefile, keep_first, &first, err);

    return faults > 0 ? error_set(err, "%s; it cannot be %s", first.text, resumed) : faults;
}

/* ---- opening and closing ---- */

static struct casefile *new_case(struct database *database, bool writes, struct error *err)
{
    struct casefile *casefile = database ? memory_new(sizeof *casefile, err) : NULL;

    if (!casefile) {
        database_close(database, NULL);
        return NULL;
    }
    casefile->database = database;
    casefile->writes = writes;
    casefile->all_objects = true;
    return casefile;
}

static int seal_plan(struct casefile *casefile, const struct case_plan *plan, struct error *err)
{
    struct error text;

    error_set(&text, "created by %s", plan->tool);
    return casefile_seal(casefile, 0, plan->now, text.text, err);
}

static int write_new(const char *path, const struct case_plan *plan, struct error *err)
{
    struct casefile *casefile =
        new_case(database_open(path, DATABASE_CREATE, &casefile_format, err), true, err);
    int result;

    if (!casefile)
        return -1;
    result = casefile_put_plan(casefile, plan, err) || load_info(casefile, err)
                 ? -1
                 : seal_plan(casefile, plan, err);
    return casefile_close(casefile, result ? NULL : err) ? -1 : result;
}

/* The case is created under another name and then renamed, so it appears complete or not at all.  Another
 * process may have created one meanwhile. */
static int create(const char *path, const struct case_plan *plan, struct error *err)
{
    char *name;
    int result;

    if (asprintf(&name, "%s.new-%ld", path, (long)getpid()) < 0)
        return error_set(err, "out of memory");
    result = write_new(name, plan, err);
    if (!result && link(name, path) && errno != EEXIST &&
        rename(name, path)) /* not all file systems support links */
        result = error_errno(err, "%s", path);
    refset_remove(name);
    free(name);
    return result;
}

static struct casefile *loaded(struct casefile *casefile, struct error *err)
{
    if (!casefile || (load_info(casefile, err) == 0 && load_sets(casefile, err) == 0 &&
                      casefile_load_context(casefile, err) == 0))
        return casefile;
    casefile_close(casefile, NULL);
    return NULL;
}

static void release_sets(struct casefile *casefile)
{
    for (size_t i = 0; i < casefile->set_count; i++)
        free((char *)casefile->sets[i].path);
    free(casefile->sets);
    casefile->sets = NULL;
    casefile->set_count = 0;
}

static int follow(struct casefile *casefile, const struct case_plan *plan, struct error *err)
{
    const int extended = casefile_follow(casefile, plan, err);

    if (extended <= 0)
        return extended;
    release_sets(casefile);
    return load_sets(casefile, err);
}

struct casefile *casefile_open(const char *path, const struct case_plan *plan, struct error *err)
{
    struct casefile *casefile;

    if (casefile_check_plan(plan, err) || (access(path, F_OK) && errno == ENOENT && create(path, plan, err)))
        return NULL;
    casefile = loaded(new_case(database_open(path, DATABASE_WRITE, &casefile_format, err), true, err), err);
    if (casefile && (check_sound(casefile, "resumed", err) || follow(casefile, plan, err))) {
        casefile_close(casefile, NULL);
        return NULL;
    }
    return casefile;
}

struct casefile *casefile_open_temporary(const struct case_plan *plan, bool all_objects, struct error *err)
{
    struct casefile *casefile;

    if (casefile_check_plan(plan, err))
        return NULL;
    casefile = new_case(database_open_temporary(&casefile_format, err), true, err);
    if (casefile)
        casefile->temporary = true;
    if (casefile && casefile_put_plan(casefile, plan, err)) {
        casefile_close(casefile, NULL);
        return NULL;
    }
    casefile = loaded(casefile, err);
    if (casefile)
        casefile->all_objects = all_objects;
    for (size_t i = 0; i < plan->evidence_count && plan->numbers; i++)
        plan->numbers[i] = i + 1;
    return casefile;
}

struct casefile *casefile_open_change(const char *path, struct error *err)
{
    struct casefile *casefile =
        loaded(new_case(database_open(path, DATABASE_WRITE, &casefile_format, err), true, err), err);

    if (!casefile || check_sound(casefile, "changed", err) == 0)
        return casefile;
    casefile_close(casefile, NULL);
    return NULL;
}

struct casefile *casefile_open_report(const char *path, struct error *err)
{
    return loaded(new_case(database_open(path, DATABASE_READ, &casefile_format, err), false, err), err);
}

static void release(struct casefile *casefile)
{
    release_sets(casefile);
    free(casefile->info_text);
    for (int key = 0; key < CASE_CONTEXT_KEYS; key++)
        free(casefile->context[key]);
    buffer_release(&casefile->latest.texts);
    buffer_release(&casefile->ranges);
    free(casefile);
}

int casefile_close(struct casefile *casefile, struct error *err)
{
    int result;

    if (!casefile)
        return 0;
    result = casefile->writes ? casefile_commit(casefile, err) : 0;
    statement_free(casefile->add_object);
    statement_free(casefile->add_finding);
    statement_free(casefile->add_score);
    statement_free(casefile->same);
    casefile_release_place(casefile);
    if (database_close(casefile->database, result ? NULL : err))
        result = -1;
    release(casefile);
    return result;
}

bool casefile_is_kept(const struct casefile *casefile)
{
    return !casefile->temporary;
}

const struct case_info *casefile_info(const struct casefile *casefile)
{
    return &casefile->info;
}

size_t casefile_sets(const struct casefile *casefile, const struct case_set **sets)
{
    *sets = casefile->sets;
    return casefile->set_count;
}
