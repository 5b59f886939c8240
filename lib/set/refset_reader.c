/* SPDX-License-Identifier: Apache-2.0 */
#include "set/refset_reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sample/packing.h"
#include "sample/repeats.h"
#include "set/refset_index.h"

enum { WINDOW = 8 << 20 }; /* samples whose fingerprints are assembled at a time */

static const uint64_t NO_KEY = UINT64_MAX;

enum column {
    COLUMN_ID,
    COLUMN_SHA1,
    COLUMN_MD5,
    COLUMN_SHA256,
    COLUMN_SIZE,
    COLUMN_SOURCE,
    COLUMN_NAME,
    COLUMN_FIRST,
    COLUMN_C,
    COLUMN_COINCIDENCE,
    COLUMN_COUNT,
    COLUMN_SAMPLES,
    COLUMN_REPEATS,
    COLUMN_BLOCKS,
};

#define FILE_COLUMNS "id, sha1, md5, sha256, size, source, name"

struct refset_reader {
    struct refset *set;
    bool with_records;
    struct statement *with, *without, *names;
    struct refset_segments segments;
    uint64_t *keys; /* keys of the window's samples, from `low` on */
    uint64_t low, high, room;
    struct known known;
    uint64_t id, source, given;
    bool lacks_record; /* the row refers to a record, but it was not read */
    uint64_t lost_samples;
    void (*lost)(void *arg, const char *text); /* NULL: damage is an error */
    void *arg;
};

struct refset_reader *refset_reader_new(struct refset *set, bool with_records, struct error *err)
{
    struct refset_reader *reader = memory_new(sizeof *reader, err);

    if (!reader)
        return NULL;
    reader->set = set;
    reader->with_records = with_records;
    if ((reader->with = database_prepare(set->database,
                                         "SELECT " FILE_COLUMNS
                                         ", record.first, c, coincidence, count, samples, repeats, blocks"
                                         " FROM record JOIN file ON id = record.file ORDER BY record.first",
                                         err)) &&
        (reader->without = database_prepare(
             set->database, "SELECT " FILE_COLUMNS " FROM file WHERE first IS NULL ORDER BY id", err)) &&
        (reader->names = database_prepare(set->database,
                                          "SELECT name, source FROM name WHERE file = ? ORDER BY name", err)))
        return reader;
    refset_reader_free(reader);
    return NULL;
}

void refset_reader_free(struct refset_reader *reader)
{
    if (!reader)
        return;
    statement_free(reader->with);
    statement_free(reader->without);
    statement_free(reader->names);
    refset_segments_release(&reader->segments);
    free(reader->keys);
    known_release(&reader->known);
    free(reader);
}

struct known *refset_reader_known(struct refset_reader *reader)
{
    return &reader->known;
}

uint64_t refset_reader_id(const struct refset_reader *reader)
{
    return reader->id;
}

uint64_t refset_reader_source(const struct refset_reader *reader)
{
    return reader->source;
}

static int broken(const struct refset_reader *reader, struct error *err, const char *what)
{
    return refset_broken(reader->set, err, "file %" PRIu64 ": %s", reader->id, what);
}

/* ---- fingerprints ---- */

static void take_keys(struct refset_reader *reader, const struct keyblock_entry *entries, size_t count,
                      bool common)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t sample = common ? entries[i].key : entries[i].value;

        if (sample >= reader->low && sample < reader->high)
            reader->keys[sample - reader->low] = common ? entries[i].value : entries[i].key;
    }
}

/* Moves past a block that cannot be read, in small steps at first, since the next block may be sound. */
static int skip_damage(struct refset_cursor *cursor, uint64_t *step)
{
    const uint64_t last = refset_cursor_key(cursor), most = (uint64_t)1 << KEYBLOCK_KEY_BITS;

    if (*step >= most - last)
        return 0;
    refset_cursor_seek(cursor, last + *step);
    *step += 1 + *step / 4;
    return 1;
}

static int read_segment(struct refset_reader *reader, const struct refset_segment *segment, struct error *err)
{
    struct refset_cursor *cursor = refset_cursor_new(reader->set, segment, err);
    const struct keyblock_entry *entries;
    uint64_t step = 1;
    size_t count;
    int result;

    if (!cursor)
        return -1;
    do {
        result = refset_cursor_next(cursor, &entries, &count, err);
        take_keys(reader, entries, count, segment->index == REFSET_COMMON);
        if (result > 0)
            step = 1;
        else if (result < 0 && reader->lost)
            result = skip_damage(cursor, &step);
    } while (result > 0);
    refset_cursor_free(cursor);
    return result;
}

/* Makes the window begin with this sample and hold at least `count`. */
static int move_window(struct refset_reader *reader, uint64_t first, uint64_t count, struct error *err)
{
    const uint64_t len = count > WINDOW ? count : WINDOW, left = reader->set->info.counts.next_sample - first;
    unsigned bad = 0;

    if (refset_segments_read(reader->set, &reader->segments, reader->lost ? &bad : NULL, err))
        return -1;
    reader->low = first;
    reader->high = first + (len < left ? len : left);
    if (reader->high - reader->low > reader->room) {
        free(reader->keys);
        reader->room = 0;
        reader->keys = malloc((size_t)(reader->high - reader->low) * sizeof *reader->keys);
        if (!reader->keys)
            return error_set(err, "%s: out of memory", refset_path(reader->set));
        reader->room = reader->high - reader->low;
    }
    memset(reader->keys, 0xff,
           (size_t)(reader->high - reader->low) * sizeof *reader->keys); /* larger than any key */
    for (size_t i = 0; i < reader->segments.count; i++) {
        const struct refset_segment *segment = &reader->segments.list[i];

        if ((segment->index == REFSET_FEATURE || segment->index == REFSET_COMMON) &&
            read_segment(reader, segment, err))
            return -1;
    }
    return 0;
}

static int take_repeats(struct refset_reader *reader, uint64_t *keys, struct error *err)
{
    const struct record *record = &reader->known.record;
    struct repeat *repeats;
    const void *data;
    size_t len, count;
    int result = 0;

    if (!statement_bytes(reader->with, COLUMN_REPEATS, &data, &len) ||
        repeats_unpack(data, len, record->count, &repeats, &count))
        return broken(reader, err, "corrupt list of repeated samples");
    for (size_t i = 0; i < count && !result; i++) {
        if (keys[repeats[i].at] != NO_KEY && !reader->lost)
            result = broken(reader, err, "a sample listed as repeated has its own index entry");
        keys[repeats[i].at] = keys[repeats[i].first];
    }
    free(repeats);
    return result;
}

static void report_lost_samples(struct refset_reader *reader, size_t count)
{
    struct error text;

    error_set(&text, "%s: file %" PRIu64 ": samples missing from the index: %zu", refset_path(reader->set),
              reader->id, count);
    reader->lost(reader->arg, text.text);
    reader->lost_samples += count;
}

static int join_fingerprints(struct refset_reader *reader, uint64_t first, struct error *err)
{
    struct record *record = &reader->known.record;
    uint64_t *keys;
    size_t kept = 0;

    if (record->count == 0)
        return 0;
    if (first >= reader->set->info.counts.next_sample ||
        record->count > reader->set->info.counts.next_sample - first)
        return broken(reader, err, "sample numbers out of range");
    if ((first < reader->low || first + record->count > reader->high) &&
        move_window(reader, first, record->count, err))
        return -1;
    keys = reader->keys + (first - reader->low);
    if (take_repeats(reader, keys, err))
        return -1;
    for (size_t i = 0; i < record->count; i++) {
        if (keys[i] >> KNOWN_KEY_BITS && !reader->lost)
            return broken(reader, err, "a sample is missing from the index");
        if (keys[i] >> KNOWN_KEY_BITS)
            continue;
        record->samples[kept] = record->samples[i];
        record->samples[kept++].fp |= keys[i] << KNOWN_KEY_SHIFT;
    }
    if (kept < record->count)
        report_lost_samples(reader, record->count - kept);
    record->count = kept;
    return 0;
}

/* ---- rows ---- */

static int take_record(struct refset_reader *reader, struct error *err)
{
    const struct refset_params *params = &reader->set->info.params;
    struct known *known = &reader->known;
    struct record *record = &known->record;
    int64_t numbers[4];
    const void *samples, *blocks;
    size_t samples_len, blocks_len;

    for (int i = 0; i < 4; i++)
        if (!statement_number(reader->with, COLUMN_FIRST + i, &numbers[i]) || numbers[i] < 0)
            return broken(reader, err, "invalid number in its record");
    if (!statement_bytes(reader->with, COLUMN_SAMPLES, &samples, &samples_len) ||
        !statement_bytes(reader->with, COLUMN_BLOCKS, &blocks, &blocks_len) || !known->has_size ||
        numbers[1] > SAMPLER_MAX_C || numbers[2] > SAMPLER_COINCIDENCE_ONE ||
        (uint64_t)numbers[3] > 8 * samples_len)
        return broken(reader, err, "malformed record");
    if (record_resize(record, (size_t)numbers[3], err))
        return -1;
    if (packing_unpack(samples, samples_len, known->size, record->samples, record->count))
        return broken(reader, err, "corrupt samples");
    record->params = (struct sampler_params){SAMPLER_GF8, params->n, (uint32_t)numbers[1],
                                             sampler_key_number(params->key)};
    record->coincidence = (uint32_t)numbers[2];
    record->len = known->size;
    buffer_add(&known->blocks, blocks, blocks_len);
    known->has_record = true;
    if (join_fingerprints(reader, (uint64_t)numbers[0], err))
        return -1;
    return 0;
}

bool refset_reader_has_record(const struct refset_reader *reader)
{
    return reader->with != NULL;
}

uint64_t refset_reader_lost_samples(const struct refset_reader *reader)
{
    return reader->lost_samples;
}

static void add_name(struct refset_reader *reader, const char *name, size_t len, uint64_t source)
{
    const size_t before = reader->known.names.len;

    known_add_name(&reader->known, name, len);
    if (reader->known.names.len > before)
        buffer_add(&reader->known.origins, &source, sizeof source);
}

static int take_names(struct refset_reader *reader, struct statement *row, struct error *err)
{
    const void *name;
    size_t len;
    int result;

    if (!statement_bytes(row, COLUMN_NAME, &name, &len) || memchr(name, '\0', len))
        return broken(reader, err, "malformed name");
    add_name(reader, name, len, reader->source);
    statement_bind_number(reader->names, 1, (int64_t)reader->id);
    while ((result = statement_step(reader->names, err)) > 0) {
        int64_t source;

        if (!statement_bytes(reader->names, 0, &name, &len) || memchr(name, '\0', len) ||
            !statement_number(reader->names, 1, &source) || source < 0) {
            result = broken(reader, err, "malformed additional name");
            break;
        }
        add_name(reader, name, len, (uint64_t)source);
    }
    statement_reset(reader->names);
    return result;
}

static int take_row(struct refset_reader *reader, struct statement *row, struct error *err)
{
    struct known *known = &reader->known;
    int64_t id, size = 0, source;

    known_reset(known);
    if (!statement_number(row, COLUMN_ID, &id) || !statement_number(row, COLUMN_SOURCE, &source) || id < 1 ||
        source < 0)
        return refset_broken(reader->set, err, "malformed row in table file");
    reader->id = (uint64_t)id;
    reader->source = (uint64_t)source;
    known->has_size = !statement_is_null(row, COLUMN_SIZE);
    if (!statement_digests(row, COLUMN_SHA1, &known->digests) || !known->digests.kinds ||
        (known->has_size && !statement_number(row, COLUMN_SIZE, &size)) || size < 0)
        return broken(reader, err, "malformed digests or size");
    known->size = (uint64_t)size;
    if (take_names(reader, row, err) == 0)
        return 0;
    if (!reader->lost)
        return -1;
    reader->lost(reader->arg, err->text);
    return 0;
}

/* ---- forgiving ---- */

void refset_reader_forgive(struct refset_reader *reader, void (*lost)(void *arg, const char *text), void *arg)
{
    reader->lost = lost;
    reader->arg = arg;
    reader->id = 0;
    statement_free(reader->with);
    statement_free(reader->without);
    reader->with = reader->without = NULL;
}

static int read_row(struct refset_reader *reader, uint64_t id, bool whole, struct error *err)
{
    static const char *const sqls[] = {
        "SELECT " FILE_COLUMNS ", first FROM file WHERE id = ?",
        "SELECT " FILE_COLUMNS ", record.first, c, coincidence, count, samples, repeats, blocks"
        " FROM file JOIN record ON record.first = file.first WHERE id = ?",
    };
    const struct refset_params *params = &reader->set->info.params;
    int result;

    reader->with = database_prepare(reader->set->database, sqls[whole], err);
    if (!reader->with)
        return -1;
    statement_bind_number(reader->with, 1, (int64_t)id);
    result = statement_step(reader->with, err);
    if (result > 0 &&
        (take_row(reader, reader->with, err) || (whole && take_record(reader, err)) ||
         known_check(&reader->known, params->n, sampler_key_number(params->key), params->block, err)))
        result = -1;
    reader->lacks_record = result > 0 && !whole && !statement_is_null(reader->with, COLUMN_FIRST);
    statement_free(reader->with);
    reader->with = NULL;
    reader->id = id;
    return result;
}

/* Reads a file with its record, or else without.  Returns 1 if at least the file's row can be read. */
static int read_file(struct refset_reader *reader, uint64_t id, struct error *err)
{
    struct error why;
    int result = read_row(reader, id, true, &why);

    if (result > 0)
        return 1;
    if (result == 0)
        error_set(&why, "%s: file %" PRIu64 ": record missing", refset_path(reader->set), id);
    result = read_row(reader, id, false, err);
    if (result > 0 && reader->lacks_record)
        reader->lost(reader->arg, why.text);
    return result;
}

enum { SMALL_STEPS = 4096 };

/* Finds the next id of a file.  Returns 1, or 0 at the end.  Skips rows on unreadable pages, at first one by
 * one. */
static int next_id(struct refset_reader *reader, uint64_t *id)
{
    struct statement *row;
    struct error why;
    uint64_t step = 1;
    int64_t found = 0;

    for (unsigned tries = 0; tries < SMALL_STEPS + 64; tries++) {
        int result;

        row = database_prepare(reader->set->database, "SELECT min(id) FROM file WHERE id > ?", &why);
        if (!row)
            break;
        statement_bind_number(row, 1, (int64_t)*id);
        result = statement_step(row, &why);
        if (result > 0 && !statement_number(row, 0, &found))
            result = 0;
        statement_free(row);
        if (result == 0)
            return 0;
        if (result > 0 && (uint64_t)found > *id) { /* rows of a damaged set may be out of order */
            *id = (uint64_t)found;
            return 1;
        }
        if (tries == 0 && result < 0)
            reader->lost(reader->arg, why.text);
        step *= tries < SMALL_STEPS ? 1 : 2;
        if (step > INT64_MAX - *id)
            return 0;
        *id += step;
    }
    return 0;
}

static int next_forgiven(struct refset_reader *reader)
{
    uint64_t id = reader->id;

    while (next_id(reader, &id)) {
        struct error why;
        int result = read_file(reader, id, &why);

        if (result > 0)
            return 1;
        if (result < 0)
            reader->lost(reader->arg, why.text);
    }
    return 0;
}

int refset_reader_next(struct refset_reader *reader, struct error *err)
{
    const struct refset_params *params = &reader->set->info.params;
    struct error why;
    int result;

    if (reader->lost)
        return next_forgiven(reader);
    result = reader->with ? statement_step(reader->with, err) : 0;

    if (result > 0) {
        if (take_row(reader, reader->with, err) || (reader->with_records && take_record(reader, err)))
            return -1;
        if (known_check(&reader->known, params->n, sampler_key_number(params->key), params->block, &why))
            return broken(reader, err, why.text);
        reader->given++;
        return 1;
    }
    if (result < 0)
        return -1;
    statement_free(reader->with);
    reader->with = NULL;
    result = statement_step(reader->without, err);
    if (result > 0 && take_row(reader, reader->without, err))
        return -1;
    reader->given += result > 0;
    if (result == 0 && reader->given != reader->set->info.counts.files)
        return refset_broken(reader->set, err, "%" PRIu64 " files expected, %" PRIu64 " found",
                             reader->set->info.counts.files, reader->given);
    return result;
}

/* ---- members ---- */

static int take_members(struct refset_reader *reader, struct statement *row,
                        int (*each)(void *arg, const struct digest_values *parent,
                                    const struct digest_values *member, struct error *err),
                        void *arg, bool *is_refused, struct error *err)
{
    struct digest_values parent, member;
    int result;

    while ((result = statement_step(row, err)) > 0) {
        if (!statement_digests(row, 0, &parent) || !statement_digests(row, DIGEST_KINDS, &member))
            return refset_broken(reader->set, err, "malformed digests in table file");
        if (each(arg, &parent, &member, err)) {
            *is_refused = true;
            return -1;
        }
    }
    return result;
}

int refset_reader_members(struct refset_reader *reader,
                          int (*each)(void *arg, const struct digest_values *parent,
                                      const struct digest_values *member, struct error *err),
                          void *arg, struct error *err)
{
    static const char sql[] = "SELECT p.sha1, p.md5, p.sha256, f.sha1, f.md5, f.sha256"
                              " FROM member m INDEXED BY member_of JOIN file p ON p.id = m.parent"
                              " JOIN file f ON f.id = m.file ORDER BY m.parent, m.file";
    struct statement *row;
    bool is_refused = false;
    int result;

    if (!refset_has_members(reader->set))
        return 0;
    row = database_prepare(reader->set->database, sql, err);
    result = row ? take_members(reader, row, each, arg, &is_refused, err) : -1;
    statement_free(row);
    if (!result || is_refused || !reader->lost)
        return result;
    reader->lost(reader->arg, err->text);
    return 0;
}
