/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/path.h"
#include "base/search.h"
#include "base/siphash.h"
#include "sample/blocks.h"
#include "sample/sampler.h"
#include "set/keyblock.h"
#include "set/refset_inner.h"
#include "set/refset_key.h"

/* Each step creates the next version of the schema; released steps never change. */
static const char *const schema[] = {
    "CREATE TABLE info ("
    " id INTEGER PRIMARY KEY CHECK (id = 1), uuid BLOB NOT NULL, generation INTEGER NOT NULL,"
    " name TEXT NOT NULL, kind TEXT NOT NULL, category TEXT NOT NULL, scheme TEXT NOT NULL,"
    " n INTEGER NOT NULL, c INTEGER NOT NULL, block INTEGER NOT NULL, common INTEGER NOT NULL,"
    " created INTEGER NOT NULL, tool TEXT NOT NULL, files INTEGER NOT NULL, records INTEGER NOT NULL, "
    "sampled INTEGER NOT NULL,"
    " without_sha1 INTEGER NOT NULL, names INTEGER NOT NULL, bytes INTEGER NOT NULL,"
    " samples INTEGER NOT NULL, next_sample INTEGER NOT NULL) STRICT;"
    "CREATE TABLE source ("
    " id INTEGER PRIMARY KEY, path BLOB NOT NULL, kind TEXT NOT NULL, format TEXT NOT NULL, sha256 BLOB,"
    " time INTEGER NOT NULL, tool TEXT NOT NULL, note TEXT NOT NULL) STRICT;"
    "CREATE TABLE file ("
    " id INTEGER PRIMARY KEY, sha1 BLOB, md5 BLOB, sha256 BLOB, size INTEGER, first INTEGER,"
    " source INTEGER NOT NULL, name BLOB NOT NULL) STRICT;"
    "CREATE TABLE name ("
    " file INTEGER NOT NULL, name BLOB NOT NULL, source INTEGER NOT NULL, PRIMARY KEY (file, name)) STRICT, "
    "WITHOUT ROWID;"
    "CREATE TABLE record ("
    " first INTEGER PRIMARY KEY, file INTEGER NOT NULL, c INTEGER NOT NULL, coincidence INTEGER NOT NULL,"
    " count INTEGER NOT NULL, samples BLOB NOT NULL, repeats BLOB NOT NULL, blocks BLOB NOT NULL) STRICT;"
    "CREATE TABLE segment ("
    " id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, entries INTEGER NOT NULL, keys INTEGER NOT NULL,"
    " marks INTEGER NOT NULL, blocks INTEGER NOT NULL, generation INTEGER NOT NULL) STRICT;"
    "CREATE TABLE block (key INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;"
    "CREATE TABLE filter ("
    " segment INTEGER NOT NULL, chunk INTEGER NOT NULL, generation INTEGER NOT NULL, crc INTEGER NOT NULL,"
    " data BLOB NOT NULL, PRIMARY KEY (segment, chunk)) STRICT;",

    "CREATE TABLE member ("
    " file INTEGER NOT NULL, parent INTEGER NOT NULL, PRIMARY KEY (file, parent)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX member_of ON member (parent, file);",

    "CREATE TABLE key (number INTEGER PRIMARY KEY CHECK (number = 1), id BLOB NOT NULL) STRICT;",

    "", /* blocks may have marks that count (keyblock.h) */
    NULL,
};

enum { VERSION_MEMBERS = 2 }; /* the first with table member */

const struct database_format refset_format = {
    .application_id = 0x4b495448, /* "KITH" */
    .noun = "reference set",
    .steps = schema,
    .oldest = 1,
};

static const char *const kinds[REFSET_KINDS] = {"notable", "known", "neutral"};

const char *refset_kind_name(enum refset_kind kind)
{
    return kinds[kind];
}

int refset_kind_find(const char *name)
{
    return search_name(kinds, REFSET_KINDS, name, strlen(name));
}

/* ---- parameters ---- */

/* Derives the name from the file's name, without folder and suffix. */
static void name_from_path(char name[REFSET_NAME_LEN + 1], const char *path)
{
    const char *base = path_last(path), *dot = strrchr(base, '.');
    size_t len = dot && dot > base ? (size_t)(dot - base) : strlen(base);

    if (len > REFSET_NAME_LEN)
        len = REFSET_NAME_LEN;
    memcpy(name, base, len);
    name[len] = '\0';
}

struct refset_params refset_defaults(const char *path)
{
    struct refset_params params = {
        .kind = REFSET_NEUTRAL,
        .n = SAMPLER_DEFAULT_N,
        .c = SAMPLER_DEFAULT_C,
        .block = BLOCKS_DEFAULT,
        .common = REFSET_DEFAULT_COMMON,
    };

    name_from_path(params.name, path);
    return params;
}

static bool is_power_of_two(uint32_t number)
{
    return number && (number & (number - 1)) == 0;
}

int refset_check(const struct refset_params *params, struct error *err)
{
    const struct sampler_params sampling = {.scheme = SAMPLER_GF8, .n = params->n, .c = params->c};

    if (params->kind >= REFSET_KINDS)
        return error_set(err, "kind is not one of notable, known, neutral");
    if (params->c == SAMPLER_AUTO)
        return error_set(err, "C must be a number");
    if (sampler_check(&sampling, err))
        return -1;
    if (!is_power_of_two(params->block) || params->block < BLOCKS_LEAST || params->block > BLOCKS_LARGEST)
        return error_set(err, "the block size must be a power of two from %d to %d", BLOCKS_LEAST,
                         BLOCKS_LARGEST);
    if (params->common < 1 || params->common > REFSET_MAX_COMMON)
        return error_set(err, "common must be from 1 to %d", REFSET_MAX_COMMON);
    return 0;
}

/* ---- values of rows ---- */

int refset_broken(const struct refset *set, struct error *err, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    database_broken(set->database, err, "the set", " (see: kith sets verify)", fmt, args);
    va_end(args);
    return -1;
}

void refset_count_bytes(struct refset_counts *counts, uint64_t size)
{
    counts->bytes = size > INT64_MAX - counts->bytes ? INT64_MAX : counts->bytes + size;
}

static bool get_text(struct statement *statement, int column, char *out, size_t room)
{
    const char *text;
    size_t len;

    if (!statement_text(statement, column, &text, &len) || len >= room || memchr(text, '\0', len))
        return false;
    memcpy(out, text, len);
    out[len] = '\0';
    return true;
}

/* ---- the row `info` ---- */

enum {
    INFO_UUID,
    INFO_GENERATION,
    INFO_NAME,
    INFO_KIND,
    INFO_CATEGORY,
    INFO_SCHEME,
    INFO_N, /* and c, block, common */
    INFO_CREATED = INFO_N + 4,
    INFO_TOOL,
    INFO_FILES, /* and the other counts, in their order */
    COUNTS = 8,
};

#define INFO_NAMES                                                                                           \
    "uuid, generation, name, kind, category, scheme, n, c, block, common, created, tool,"                    \
    " files, records, sampled, without_sha1, names, bytes, samples, next_sample"

static bool get_params(struct statement *row, struct refset_params *params)
{
    uint32_t *const numbers[] = {&params->n, &params->c, &params->block, &params->common};
    char kind[16], scheme[16];
    int found;

    if (!get_text(row, INFO_NAME, params->name, sizeof params->name) ||
        !get_text(row, INFO_KIND, kind, sizeof kind) ||
        !get_text(row, INFO_CATEGORY, params->category, sizeof params->category) ||
        !get_text(row, INFO_SCHEME, scheme, sizeof scheme) ||
        strcmp(scheme, sampler_scheme_name(SAMPLER_GF8)) != 0)
        return false;
    found = refset_kind_find(kind);
    if (found < 0)
        return false;
    params->kind = (enum refset_kind)found;
    for (int i = 0; i < 4; i++) {
        uint64_t number;

        if (!statement_up_to(row, INFO_N + i, UINT32_MAX, &number))
            return false;
        *numbers[i] = (uint32_t)number;
    }
    return refset_check(params, NULL) == 0;
}

static const uint64_t MOST_NUMBER = (uint64_t)1 << KEYBLOCK_VALUE_BITS;

static bool get_counts(struct statement *row, struct refset_counts *counts)
{
    uint64_t *const numbers[COUNTS] = {&counts->files,        &counts->records,    &counts->sampled,
                                       &counts->without_sha1, &counts->names,      &counts->bytes,
                                       &counts->samples,      &counts->next_sample};

    for (int i = 0; i < COUNTS; i++)
        if (!statement_up_to(row, INFO_FILES + i, numbers[i] == &counts->bytes ? INT64_MAX : MOST_NUMBER,
                             numbers[i]))
            return false;
    return counts->records <= counts->files && counts->sampled <= counts->records &&
           counts->without_sha1 <= counts->files && counts->samples < counts->next_sample;
}

static bool get_info(struct statement *row, struct refset_info *info)
{
    return statement_exactly(row, INFO_UUID, info->uuid, UUID_LEN) &&
           statement_up_to(row, INFO_GENERATION, MOST_NUMBER, &info->generation) &&
           get_params(row, &info->params) && statement_number(row, INFO_CREATED, &info->created) &&
           get_text(row, INFO_TOOL, info->tool, sizeof info->tool) && get_counts(row, &info->counts);
}

int refset_load_info(struct refset *set, struct error *err)
{
    struct statement *row =
        database_prepare(set->database, "SELECT " INFO_NAMES " FROM info WHERE id = 1", err);
    int result;

    if (!row)
        return -1;
    result = statement_step(row, err);
    if (result >= 0 && (result == 0 || !get_info(row, &set->info)))
        result = refset_broken(set, err, "missing or malformed row in table info");
    statement_free(row);
    if (result >= 0 && (result = refset_key_load(set->database, set->info.params.key, err)) == 0)
        result = refset_broken(set, err, "malformed row in table key");
    return result < 0 ? -1 : 0;
}

static void bind_string(struct statement *statement, int column, const char *text)
{
    statement_bind_text(statement, column + 1, text, strlen(text));
}

static void bind_info(struct statement *row, const struct refset_info *info)
{
    const struct refset_params *params = &info->params;
    const struct refset_counts *counts = &info->counts;
    const uint32_t settings[] = {params->n, params->c, params->block, params->common};
    const uint64_t numbers[COUNTS] = {counts->files, counts->records, counts->sampled, counts->without_sha1,
                                      counts->names, counts->bytes,   counts->samples, counts->next_sample};

    statement_bind_bytes(row, INFO_UUID + 1, info->uuid, UUID_LEN);
    statement_bind_number(row, INFO_GENERATION + 1, (int64_t)info->generation);
    bind_string(row, INFO_NAME, params->name);
    bind_string(row, INFO_KIND, refset_kind_name(params->kind));
    bind_string(row, INFO_CATEGORY, params->category);
    bind_string(row, INFO_SCHEME, sampler_scheme_name(SAMPLER_GF8));
    for (int i = 0; i < 4; i++)
        statement_bind_number(row, INFO_N + i + 1, settings[i]);
    statement_bind_number(row, INFO_CREATED + 1, info->created);
    bind_string(row, INFO_TOOL, info->tool);
    for (int i = 0; i < COUNTS; i++)
        statement_bind_number(row, INFO_FILES + i + 1, (int64_t)numbers[i]);
}

int refset_save_info(struct refset *set, struct error *err)
{
    static const char sql[] = "INSERT OR REPLACE INTO info (id, " INFO_NAMES ")"
                              " VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    struct statement *row = database_prepare(set->database, sql, err);
    int result;

    if (!row)
        return -1;
    bind_info(row, &set->info);
    result = statement_run(row, err);
    statement_free(row);
    return result;
}

/* ---- opening ---- */

static struct refset *new_set(const char *path, enum database_mode mode, struct error *err)
{
    struct refset *set = memory_new(sizeof *set, err);

    if (!set)
        return NULL;
    set->database = database_open(path, mode, &refset_format, err);
    if (!set->database) {
        free(set);
        return NULL;
    }
    return set;
}

void refset_remove(const char *path)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};

    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char *name;

        if (asprintf(&name, "%s%s", path, suffixes[i]) < 0)
            return;
        unlink(name);
        free(name);
    }
}

static int write_new(const char *path, const struct refset_info *info, struct error *err)
{
    struct refset *set = new_set(path, DATABASE_CREATE, err);
    int result;

    if (!set)
        return -1;
    set->info = *info;
    result = database_begin(set->database, err) || refset_save_info(set, err) ||
             refset_key_save(set->database, info->params.key, err) || database_commit(set->database, err);
    if (refset_close(set, result ? NULL : err))
        result = -1;
    return result ? -1 : 0;
}

/* The set is created under another name and then renamed, so it appears complete or not at all. */
struct refset *refset_create(const char *path, const struct refset_params *params, const char *tool,
                             int64_t now, struct error *err)
{
    struct refset_info info = {.params = *params, .created = now, .counts = {.next_sample = 1}};
    char *name;
    int result;

    snprintf(info.tool, sizeof info.tool, "%s", tool);
    if (refset_check(params, err) || uuid_make(info.uuid, err))
        return NULL;
    if (access(path, F_OK) == 0) {
        errno = EEXIST;
        error_errno(err, "%s", path);
        return NULL;
    }
    if (asprintf(&name, "%s.new-%ld", path, (long)getpid()) < 0) {
        error_set(err, "out of memory");
        return NULL;
    }
    result = write_new(name, &info, err);
    if (!result && link(name, path) &&
        (errno == EEXIST || rename(name, path))) /* not all file systems support links */
        result = error_errno(err, "%s", path);
    refset_remove(name);
    free(name);
    return result ? NULL : refset_open(path, REFSET_WRITE, err);
}

int refset_is_busy(const char *path, struct error *err)
{
    return database_is_busy(path, err);
}

void refset_succeed(struct refset *set, const struct refset_info *other)
{
    memcpy(set->info.uuid, other->uuid, UUID_LEN);
    memcpy(set->info.tool, other->tool, sizeof set->info.tool);
    set->info.created = other->created;
    set->info.generation = other->generation;
}

struct refset *refset_open(const char *path, enum refset_mode mode, struct error *err)
{
    static const enum database_mode modes[] = {DATABASE_READ, DATABASE_FIXED, DATABASE_WRITE};
    struct refset *set = new_set(path, modes[mode], err);

    if (set && refset_load_info(set, err)) {
        refset_close(set, NULL);
        return NULL;
    }
    return set;
}

bool refset_at_rest(struct refset *set)
{
    return database_at_rest(set->database);
}

int refset_close(struct refset *set, struct error *err)
{
    int result;

    if (!set)
        return 0;
    result = database_close(set->database, err);
    free(set);
    return result;
}

const struct refset_info *refset_info(const struct refset *set)
{
    return &set->info;
}

const char *refset_path(const struct refset *set)
{
    return database_path(set->database);
}

unsigned refset_common_digests(struct refset *set, struct error *err)
{
    struct statement *row = database_prepare(
        set->database, "SELECT count(*), count(sha1), count(md5), count(sha256) FROM file", err);
    int64_t all = 0, counts[DIGEST_KINDS] = {0};
    unsigned found = 0;
    int most = 0, result = row ? statement_step(row, err) : -1;

    if (result > 0)
        statement_number(row, 0, &all);
    for (int kind = 0; kind < DIGEST_KINDS && result > 0; kind++) {
        statement_number(row, 1 + kind, &counts[kind]);
        if (counts[kind] == all)
            found |= DIGEST_BIT(kind);
        if (counts[kind] > counts[most])
            most = kind;
    }
    statement_free(row);
    return result <= 0 ? 0 : found ? found : DIGEST_BIT(most);
}

/* ---- members ---- */

bool refset_has_members(const struct refset *set)
{
    return database_version(set->database) >= VERSION_MEMBERS;
}

/* Takes a row of a file's size and C. */
static int take_c(struct refset *set, struct statement *statement, const uint64_t *ends, size_t count,
                  uint32_t *sparsest, struct error *err)
{
    uint64_t size, c;
    size_t i = 0;

    if (!statement_up_to(statement, 0, INT64_MAX, &size) || !statement_up_to(statement, 1, SAMPLER_MAX_C, &c))
        return refset_broken(set, err, "malformed row in table record: invalid size or C");
    while (i < count && size > ends[i])
        i++;
    if (i < count && c > sparsest[i])
        sparsest[i] = (uint32_t)c;
    return 0;
}

int refset_sparsest(struct refset *set, const uint64_t *ends, size_t count, uint32_t *c, struct error *err)
{
    static const char sql[] = "SELECT size, c FROM record JOIN file ON file.id = record.file";
    struct statement *statement = database_prepare(set->database, sql, err);
    int step = statement ? 0 : -1;

    for (size_t i = 0; i < count; i++)
        c[i] = 0;
    while (statement && (step = statement_step(statement, err)) > 0)
        if (take_c(set, statement, ends, count, c, err)) {
            step = -1;
            break;
        }
    statement_free(statement);
    return step;
}

int refset_count_members(struct refset *set, uint64_t *count, struct error *err)
{
    int64_t found = 0;

    *count = 0;
    if (refset_has_members(set) &&
        statement_ask(set->database, "SELECT count(*) FROM member", &found, err) < 0)
        return -1;
    *count = (uint64_t)found;
    return 0;
}

/* ---- sources ---- */

/* The strings belong to the statement and are zero-terminated. */
static bool get_source(struct statement *row, struct refset_source *source)
{
    const void *path;
    int64_t id;
    size_t len;

    source->has_sha256 = !statement_is_null(row, 4);
    if (!statement_number(row, 0, &id) || id < 1 || !statement_bytes(row, 1, &path, &source->path_len) ||
        !statement_text(row, 2, &source->kind, &len) || !statement_text(row, 3, &source->format, &len) ||
        (source->has_sha256 && !statement_exactly(row, 4, source->sha256, DIGEST_SHA256_LEN)) ||
        !statement_number(row, 5, &source->time) || !statement_text(row, 6, &source->tool, &len) ||
        !statement_text(row, 7, &source->note, &len))
        return false;
    source->id = (uint64_t)id;
    source->path = path;
    return true;
}

int refset_sources(struct refset *set, void (*each)(void *arg, const struct refset_source *source), void *arg,
                   struct error *err)
{
    struct statement *row = database_prepare(
        set->database, "SELECT id, path, kind, format, sha256, time, tool, note FROM source ORDER BY id",
        err);
    int result;

    if (!row)
        return -1;
    while ((result = statement_step(row, err)) > 0) {
        struct refset_source source = {0};

        if (!get_source(row, &source)) {
            result = refset_broken(set, err, "malformed row in table source");
            break;
        }
        each(arg, &source);
    }
    statement_free(row);
    return result;
}

uint64_t refset_digest_key(const struct refset *set, enum digest_kind kind, const uint8_t *digest)
{
    return siphash(set->info.uuid, digest, digest_len(kind)) & (((uint64_t)1 << KEYBLOCK_KEY_BITS) - 1);
}
