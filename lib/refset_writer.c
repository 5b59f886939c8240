/* SPDX-License-Identifier: Apache-2.0 */
#include "refset_writer.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "packing.h"
#include "refset_index.h"
#include "refset_search.h"
#include "repeats.h"

enum {
    MOST_FEATURES = 2 << 20, /* of one commit */
    MOST_DIGESTS = 2 << 20,
    MOST_SECONDS = 30,
    MOST_TWINS = 8, /* pending contents with the same beginning of a digest that are told apart */
};

/* Entries of one index that are not committed yet. */
struct pending {
    struct keyblock_entry *list;
    size_t count, room;
};

/* From keys of pending digests to their entries: open addressing, numbers from 1.  It is made when it is first needed. */
struct table {
    uint32_t *slots;
    size_t len; /* a power of two */
};

struct source {
    uint64_t id;        /* 0: not written yet */
    struct buffer text; /* kind, format, tool, note, each ended by a zero byte, and the path */
    size_t path_len;
    bool has_sha256;
    uint8_t sha256[DIGEST_SHA256_LEN];
    int64_t time;
};

enum statement_kind {
    INSERT_SOURCE,
    UPDATE_SOURCE,
    INSERT_FILE,
    UPDATE_FILE,
    INSERT_RECORD,
    INSERT_NAME,
    FIND_NAME,
    STATEMENTS,
};

static const char *const sqls[STATEMENTS] = {
    "INSERT INTO source (path, kind, format, sha256, time, tool, note) VALUES (?, ?, ?, ?, ?, ?, ?)",
    "UPDATE source SET sha256 = ? WHERE id = ?",
    /* ?1 is the id, which SQLite takes itself, and faster: the next one */
    "INSERT INTO file (sha1, md5, sha256, size, first, source, name) VALUES (?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    "UPDATE file SET sha1 = ?2, md5 = ?3, sha256 = ?4, size = ?5, first = ?6, name = ?8 WHERE id = ?1",
    "INSERT INTO record (first, file, c, coincidence, count, samples, repeats, blocks) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    "INSERT INTO name (file, name, source) VALUES (?, ?, ?)",
    "SELECT 1 FROM name WHERE file = ? AND name = ?",
};

struct refset_writer {
    struct refset *set;
    struct refset_search *search; /* what was committed */
    bool all_names;
    struct statement *statements[STATEMENTS];
    struct pending pending[REFSET_INDEXES];
    struct table tables[DIGEST_KINDS];
    bool begun, changed;         /* a transaction; something in it */
    struct refset_info settled;  /* of the set, as it was committed */
    time_t since;
    struct source *sources;
    int source_count, source_room, source; /* source: the current one */
    struct refset_file file;               /* that is being extended */
    uint32_t *seen;            /* of a record: from fingerprints to samples */
    size_t seen_len, seen_room;
    struct repeat *repeats;
    size_t repeat_count, repeat_room;
    struct buffer packed, packed_repeats;
};

struct refset_writer *refset_writer_new(struct refset *set, bool all_names, struct error *err)
{
    struct refset_writer *writer = calloc(1, sizeof *writer);

    if (!writer) {
        error_set(err, "out of memory");
        return NULL;
    }
    writer->set = set;
    writer->settled = set->info;
    writer->all_names = all_names;
    writer->search = refset_search_new(set, REFSET_SEARCH_DIGESTS, err);
    for (int i = 0; i < STATEMENTS && writer->search; i++) {
        writer->statements[i] = database_prepare(set->database, sqls[i], err);
        if (!writer->statements[i]) {
            refset_writer_free(writer);
            return NULL;
        }
    }
    if (!writer->search) {
        refset_writer_free(writer);
        return NULL;
    }
    return writer;
}

static void roll_back(struct refset_writer *writer)
{
    if (writer->begun)
        database_rollback(writer->set->database);
    writer->set->info = writer->settled;
    writer->begun = false;
}

void refset_writer_free(struct refset_writer *writer)
{
    if (!writer)
        return;
    for (int i = 0; i < STATEMENTS; i++)
        statement_free(writer->statements[i]);
    refset_search_free(writer->search);
    roll_back(writer);
    for (int i = 0; i < REFSET_INDEXES; i++)
        free(writer->pending[i].list);
    for (int i = 0; i < DIGEST_KINDS; i++)
        free(writer->tables[i].slots);
    free(writer->seen);
    free(writer->repeats);
    refset_file_release(&writer->file);
    for (int i = 0; i < writer->source_count; i++)
        buffer_release(&writer->sources[i].text);
    free(writer->sources);
    buffer_release(&writer->packed);
    buffer_release(&writer->packed_repeats);
    free(writer);
}

static int out_of_memory(const struct refset_writer *writer, struct error *err)
{
    return error_set(err, "%s: out of memory", refset_path(writer->set));
}

/* ---- transactions ---- */

static bool is_full(const struct refset_writer *writer)
{
    size_t digests = 0;

    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        digests += writer->pending[REFSET_SHA1 + kind].count;
    return writer->pending[REFSET_FEATURE].count >= MOST_FEATURES || digests >= MOST_DIGESTS ||
           time(NULL) - writer->since >= MOST_SECONDS;
}

static int begin(struct refset_writer *writer, struct error *err)
{
    if (writer->begun && is_full(writer) && refset_writer_commit(writer, err))
        return -1;
    if (writer->begun)
        return 0;
    if (database_begin(writer->set->database, err))
        return -1;
    writer->begun = true;
    writer->since = time(NULL);
    return 0;
}

/* ---- sources ---- */

static void keep_text(struct buffer *to, const char *text)
{
    buffer_add(to, text, strlen(text) + 1);
}

static struct source *new_source(struct refset_writer *writer)
{
    if (writer->source_count == writer->source_room) {
        const int room = writer->source_room ? 2 * writer->source_room : 8;
        struct source *sources = realloc(writer->sources, (size_t)room * sizeof *sources);

        if (!sources)
            return NULL;
        writer->sources = sources;
        writer->source_room = room;
    }
    writer->source = writer->source_count++;
    writer->sources[writer->source] = (struct source){0};
    return &writer->sources[writer->source];
}

int refset_writer_source(struct refset_writer *writer, const struct refset_source *from, struct error *err)
{
    struct source *source = new_source(writer);

    if (!source)
        return out_of_memory(writer, err);
    source->path_len = from->path_len;
    source->has_sha256 = from->has_sha256;
    memcpy(source->sha256, from->sha256, DIGEST_SHA256_LEN);
    source->time = from->time;
    keep_text(&source->text, from->kind);
    keep_text(&source->text, from->format);
    keep_text(&source->text, from->tool);
    keep_text(&source->text, from->note);
    buffer_add(&source->text, from->path, from->path_len);
    return source->text.failed ? out_of_memory(writer, err) : writer->source;
}

void refset_writer_back(struct refset_writer *writer, int handle)
{
    writer->source = handle;
}

static const char *bind_next(struct statement *statement, int parameter, const char *text)
{
    const size_t len = strlen(text);

    statement_bind_text(statement, parameter, text, len);
    return text + len + 1;
}

static void bind_digest(struct statement *statement, int parameter, bool there, const uint8_t *digest, size_t len)
{
    if (there)
        statement_bind_bytes(statement, parameter, digest, len);
    else
        statement_bind_null(statement, parameter);
}

/* The number of the current source, which is written with the first thing that comes from it; 0 on error. */
static uint64_t need_source(struct refset_writer *writer, struct error *err)
{
    struct statement *insert = writer->statements[INSERT_SOURCE];
    struct source *source;
    const char *at;

    if (writer->source_count == 0) {
        error_set(err, "%s: no source was told", refset_path(writer->set));
        return 0;
    }
    source = &writer->sources[writer->source];
    if (source->id)
        return source->id;
    at = bind_next(insert, 2, source->text.data);
    at = bind_next(insert, 3, at);
    at = bind_next(insert, 6, at);
    at = bind_next(insert, 7, at);
    statement_bind_bytes(insert, 1, at, source->path_len);
    bind_digest(insert, 4, source->has_sha256, source->sha256, DIGEST_SHA256_LEN);
    statement_bind_number(insert, 5, source->time);
    if (statement_run(insert, err))
        return 0;
    source->id = (uint64_t)database_last_row(writer->set->database);
    return source->id;
}

int refset_writer_source_sha256(struct refset_writer *writer, const uint8_t *sha256, struct error *err)
{
    struct statement *update = writer->statements[UPDATE_SOURCE];
    const uint64_t id = writer->source_count ? writer->sources[writer->source].id : 0;

    if (!id)
        return 0;
    if (begin(writer, err))
        return -1;
    statement_bind_bytes(update, 1, sha256, DIGEST_SHA256_LEN);
    statement_bind_number(update, 2, (int64_t)id);
    writer->changed = true;
    return statement_run(update, err);
}

/* ---- pending entries ---- */

static int add_entry(struct refset_writer *writer, enum refset_index index, uint64_t key, uint64_t value,
                     struct error *err)
{
    struct pending *pending = &writer->pending[index];

    if (pending->count == pending->room) {
        const size_t room = pending->room ? 2 * pending->room : 4096;
        struct keyblock_entry *list = realloc(pending->list, room * sizeof *list);

        if (!list)
            return out_of_memory(writer, err);
        pending->list = list;
        pending->room = room;
    }
    pending->list[pending->count++] = (struct keyblock_entry){key, value};
    return 0;
}

static size_t slot_of(const struct table *table, uint64_t key)
{
    return (size_t)(key * 0x9e3779b97f4a7c15u >> 16) & (table->len - 1);
}

/* Of a key that very many contents have (a digest that stands for "none" in somebody's list) the first will do. */
static void put_slot(struct table *table, const struct pending *pending, size_t number)
{
    const uint64_t key = pending->list[number - 1].key;
    size_t slot = slot_of(table, key);
    int twins = 0;

    for (; table->slots[slot]; slot = (slot + 1) & (table->len - 1)) {
        twins += pending->list[table->slots[slot] - 1].key == key;
        if (twins == MOST_TWINS)
            return;
    }
    table->slots[slot] = (uint32_t)number;
}

static int grow_table(struct refset_writer *writer, struct table *table, const struct pending *pending,
                      struct error *err)
{
    size_t len = 4096;
    uint32_t *slots;

    while (len < 4 * pending->count)
        len *= 2;
    slots = calloc(len, sizeof *slots);
    if (!slots)
        return out_of_memory(writer, err);
    free(table->slots);
    *table = (struct table){slots, len};
    for (size_t i = 0; i < pending->count; i++)
        put_slot(table, pending, i + 1);
    return 0;
}

static int add_digest(struct refset_writer *writer, int kind, const uint8_t *digest, uint64_t file, struct error *err)
{
    const enum refset_index index = (enum refset_index)(REFSET_SHA1 + kind);
    struct pending *pending = &writer->pending[index];
    struct table *table = &writer->tables[kind];
    const uint64_t key = refset_digest_key(digest);

    if (add_entry(writer, index, key, file, err))
        return -1;
    if (table->len && 2 * pending->count > table->len)
        return grow_table(writer, table, pending, err);
    if (table->len)
        put_slot(table, pending, pending->count);
    return 0;
}

/* ---- files that are there already ---- */

/* 1 if the file has these digests, as far as it has their kinds; it is then in writer->file. */
static int is_file(struct refset_writer *writer, uint64_t id, const struct digest_values *digests, struct error *err)
{
    const int found = refset_search_file(writer->search, id, &writer->file, err);
    const unsigned both = writer->file.digests.kinds & digests->kinds;

    if (found <= 0 || !both)
        return found < 0 ? -1 : 0;
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if ((both & DIGEST_BIT(kind)) && memcmp(writer->file.digests.bytes[kind], digests->bytes[kind],
                                                digest_len((enum digest_kind)kind)) != 0)
            return 0;
    return 1;
}

static int find_pending(struct refset_writer *writer, int kind, const struct digest_values *digests, struct error *err)
{
    const struct pending *pending = &writer->pending[REFSET_SHA1 + kind];
    struct table *table = &writer->tables[kind];
    const uint64_t key = refset_digest_key(digests->bytes[kind]);

    if (pending->count == 0)
        return 0;
    if (!table->len && grow_table(writer, table, pending, err))
        return -1;
    for (size_t slot = slot_of(table, key); table->slots[slot]; slot = (slot + 1) & (table->len - 1)) {
        const struct keyblock_entry *entry = &pending->list[table->slots[slot] - 1];
        const int found = entry->key == key ? is_file(writer, entry->value, digests, err) : 0;

        if (found)
            return found;
    }
    return 0;
}

/* 1: the content is there, in writer->file.  Where all have a SHA-1 there is no need to look for the other digests. */
static int find_known(struct refset_writer *writer, const struct digest_values *all, struct error *err)
{
    const bool sha1_tells = (all->kinds & DIGEST_BIT(DIGEST_SHA1)) && writer->set->info.counts.without_sha1 == 0;
    struct digest_values some = *all;
    const struct digest_values *digests = &some;
    uint64_t id = 0;

    if (sha1_tells)
        some.kinds = DIGEST_BIT(DIGEST_SHA1);
    for (int kind = 0; kind < DIGEST_KINDS; kind++) {
        const int found = digests->kinds & DIGEST_BIT(kind) ? find_pending(writer, kind, all, err) : 0;

        if (found)
            return found;
    }
    if (refset_search_digests(writer->search, digests, &id, err))
        return -1;
    return id ? is_file(writer, id, all, err) : 0;
}

/* ---- records ---- */

static int prepare_seen(struct refset_writer *writer, size_t count, struct error *err)
{
    size_t len = 1024;

    while (len < 2 * count)
        len *= 2;
    if (len > writer->seen_room) {
        uint32_t *seen = realloc(writer->seen, len * sizeof *seen);

        if (!seen)
            return out_of_memory(writer, err);
        writer->seen = seen;
        writer->seen_room = len;
    }
    writer->seen_len = len;
    memset(writer->seen, 0, len * sizeof *writer->seen);
    return 0;
}

/* The number of the first sample with this one's key: its own, if there was none before. */
static size_t first_of(struct refset_writer *writer, const struct sample *samples, size_t at)
{
    const uint64_t key = known_key(samples[at].fp);
    const size_t mask = writer->seen_len - 1;
    size_t slot = (size_t)(key * 0x9e3779b97f4a7c15u >> 32) & mask;

    for (; writer->seen[slot]; slot = (slot + 1) & mask)
        if (known_key(samples[writer->seen[slot] - 1].fp) == key)
            return writer->seen[slot] - 1;
    writer->seen[slot] = (uint32_t)at + 1;
    return at;
}

static int add_repeat(struct refset_writer *writer, size_t at, size_t first, struct error *err)
{
    if (writer->repeat_count == writer->repeat_room) {
        const size_t room = writer->repeat_room ? 2 * writer->repeat_room : 256;
        struct repeat *repeats = realloc(writer->repeats, room * sizeof *repeats);

        if (!repeats)
            return out_of_memory(writer, err);
        writer->repeats = repeats;
        writer->repeat_room = room;
    }
    writer->repeats[writer->repeat_count++] = (struct repeat){(uint32_t)at, (uint32_t)first};
    return 0;
}

/* Gives the samples to the index, and what it need not hold to the list of repeats. */
static int add_features(struct refset_writer *writer, const struct record *record, uint64_t first, struct error *err)
{
    writer->repeat_count = 0;
    if (prepare_seen(writer, record->count, err))
        return -1;
    for (size_t i = 0; i < record->count; i++) {
        const size_t twin = first_of(writer, record->samples, i);

        if (twin < i ? add_repeat(writer, i, twin, err)
                     : add_entry(writer, REFSET_FEATURE, known_key(record->samples[i].fp), first + i, err))
            return -1;
    }
    return 0;
}

static int insert_record(struct refset_writer *writer, const struct known *known, uint64_t file, uint64_t *first,
                         struct error *err)
{
    struct statement *insert = writer->statements[INSERT_RECORD];
    struct refset_counts *counts = &writer->set->info.counts;
    const struct record *record = &known->record;
    const int64_t numbers[] = {(int64_t)counts->next_sample, (int64_t)file, record->params.c, record->coincidence,
                               (int64_t)record->count};

    *first = counts->next_sample;
    if (record->count > UINT32_MAX || *first >= (uint64_t)1 << (KEYBLOCK_VALUE_BITS - 1))
        return error_set(err, "%s: the set is full", refset_path(writer->set));
    if (add_features(writer, record, *first, err))
        return -1;
    buffer_reset(&writer->packed);
    buffer_reset(&writer->packed_repeats);
    packing_pack(&writer->packed, record->samples, record->count);
    repeats_pack(&writer->packed_repeats, writer->repeats, writer->repeat_count, record->count);
    if (writer->packed.failed || writer->packed_repeats.failed)
        return out_of_memory(writer, err);
    for (int i = 0; i < 5; i++)
        statement_bind_number(insert, i + 1, numbers[i]);
    statement_bind_bytes(insert, 6, writer->packed.data, writer->packed.len);
    statement_bind_bytes(insert, 7, writer->packed_repeats.data, writer->packed_repeats.len);
    statement_bind_bytes(insert, 8, known->blocks.data, known->blocks.len);
    counts->records++;
    counts->samples += record->count;
    counts->next_sample += record->count ? record->count : 1; /* so each record has a number of its own */
    return statement_run(insert, err);
}

/* ---- names ---- */

/* 1 if the name is new. */
static int add_name(struct refset_writer *writer, uint64_t file, const char *name, size_t len, struct error *err)
{
    struct statement *find = writer->statements[FIND_NAME], *insert = writer->statements[INSERT_NAME];
    uint64_t source;
    int found;

    statement_bind_number(find, 1, (int64_t)file);
    statement_bind_bytes(find, 2, name, len);
    found = statement_step(find, err);
    statement_reset(find);
    if (found)
        return found < 0 ? -1 : 0;
    source = need_source(writer, err);
    if (!source)
        return -1;
    statement_bind_number(insert, 1, (int64_t)file);
    statement_bind_bytes(insert, 2, name, len);
    statement_bind_number(insert, 3, (int64_t)source);
    if (statement_run(insert, err))
        return -1;
    writer->set->info.counts.names++;
    return 1;
}

/* All names from `at` on that are not the file's first one; 1 if any is new. */
static int add_names(struct refset_writer *writer, uint64_t file, const char *at, const char *end, const char *first,
                     size_t first_len, struct error *err)
{
    int changed = 0;

    for (size_t len; at < end; at += len + 1) {
        len = strnlen(at, (size_t)(end - at));
        if (len == first_len && memcmp(at, first, len) == 0)
            continue;
        const int added = add_name(writer, file, at, len, err);

        if (added < 0)
            return -1;
        changed |= added;
    }
    return changed;
}

/* ---- adding ---- */

static void bind_file(struct statement *statement, uint64_t id, const struct digest_values *digests, bool has_size,
                      uint64_t size, uint64_t first)
{
    statement_bind_number(statement, 1, (int64_t)id);
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        bind_digest(statement, 2 + kind, digests->kinds & DIGEST_BIT(kind), digests->bytes[kind],
                    digest_len((enum digest_kind)kind));
    if (has_size)
        statement_bind_number(statement, 5, (int64_t)size);
    else
        statement_bind_null(statement, 5);
    if (first)
        statement_bind_number(statement, 6, (int64_t)first);
    else
        statement_bind_null(statement, 6);
}

static int add_digests(struct refset_writer *writer, const struct digest_values *digests, unsigned kinds, uint64_t file,
                       struct error *err)
{
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if ((kinds & DIGEST_BIT(kind)) && add_digest(writer, kind, digests->bytes[kind], file, err))
            return -1;
    return 0;
}

static enum refset_added add_new(struct refset_writer *writer, const struct known *known, struct error *err)
{
    struct statement *insert = writer->statements[INSERT_FILE];
    struct refset_counts *counts = &writer->set->info.counts;
    const uint64_t id = counts->files + 1;
    const char *name = known->names.len ? known->names.data : "";
    const size_t len = strlen(name);
    const uint64_t source = need_source(writer, err);
    uint64_t first = 0;

    if (!source || (known->has_record && insert_record(writer, known, id, &first, err)))
        return REFSET_FAILED;
    bind_file(insert, id, &known->digests, known->has_size, known->size, first);
    statement_bind_number(insert, 7, (int64_t)source);
    statement_bind_bytes(insert, 8, name, len);
    if (statement_run(insert, err))
        return REFSET_FAILED;
    if (database_last_row(writer->set->database) != (int64_t)id) {
        refset_broken(writer->set, err, "its files are not as many as it says");
        return REFSET_FAILED;
    }
    if (add_digests(writer, &known->digests, known->digests.kinds, id, err))
        return REFSET_FAILED;
    if (writer->all_names && known->names.len &&
        add_names(writer, id, name + len + 1, name + known->names.len, name, len, err) < 0)
        return REFSET_FAILED;
    counts->files++;
    if (known->has_size)
        refset_count_bytes(counts, known->size);
    counts->without_sha1 += !(known->digests.kinds & DIGEST_BIT(DIGEST_SHA1));
    return REFSET_ADDED;
}

/* Puts into writer->file what is known now and was not. */
static int complete_file(struct refset_writer *writer, const struct known *known, struct error *err)
{
    struct refset_file *file = &writer->file;
    struct refset_counts *counts = &writer->set->info.counts;
    const unsigned more = known->digests.kinds & ~file->digests.kinds;

    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if (more & DIGEST_BIT(kind))
            memcpy(file->digests.bytes[kind], known->digests.bytes[kind], DIGEST_MAX_LEN);
    file->digests.kinds |= more;
    counts->without_sha1 -= (more & DIGEST_BIT(DIGEST_SHA1)) != 0;
    if (add_digests(writer, &known->digests, more, file->id, err))
        return -1;
    if (known->has_size && !file->has_size) {
        file->has_size = true;
        file->size = known->size;
        refset_count_bytes(counts, known->size);
    }
    if (known->has_record && !file->has_record) {
        if (insert_record(writer, known, file->id, &file->first, err))
            return -1;
        file->has_record = true;
    }
    if (!file->name.len && known->names.len)
        buffer_add(&file->name, known->names.data, strlen(known->names.data));
    return file->name.failed ? out_of_memory(writer, err) : 0;
}

static bool completes(const struct refset_file *file, const struct known *known)
{
    return (known->digests.kinds & ~file->digests.kinds) || (known->has_size && !file->has_size) ||
           (known->has_record && !file->has_record) || (known->names.len && !file->name.len);
}

static enum refset_added extend(struct refset_writer *writer, const struct known *known, struct error *err)
{
    struct statement *update = writer->statements[UPDATE_FILE];
    struct refset_file *file = &writer->file;
    const char *names = known->names.data;
    bool changed = completes(file, known);

    if (known->has_size && file->has_size && known->size != file->size) {
        error_set(err, "it has another size than the file in the set with its digest");
        return REFSET_REFUSED;
    }
    if (changed) {
        if (complete_file(writer, known, err))
            return REFSET_FAILED;
        bind_file(update, file->id, &file->digests, file->has_size, file->size, file->first);
        statement_bind_bytes(update, 8, file->name.data, file->name.len);
        if (statement_run(update, err))
            return REFSET_FAILED;
    }
    if (writer->all_names && known->names.len) {
        const int added =
            add_names(writer, file->id, names, names + known->names.len, file->name.data, file->name.len, err);

        if (added < 0)
            return REFSET_FAILED;
        changed |= added > 0;
    }
    return changed ? REFSET_EXTENDED : REFSET_THERE;
}

enum refset_added refset_writer_add(struct refset_writer *writer, struct known *known, struct error *err)
{
    const struct refset_params *params = &writer->set->info.params;
    enum refset_added added;
    int found;

    if (known_check(known, params->n, params->block, err))
        return REFSET_REFUSED;
    known_reduce(known, params->c);
    if (begin(writer, err))
        return REFSET_FAILED;
    found = find_known(writer, &known->digests, err);
    if (found < 0)
        return REFSET_FAILED;
    added = found ? extend(writer, known, err) : add_new(writer, known, err);
    if (added == REFSET_ADDED || added == REFSET_EXTENDED)
        writer->changed = true;
    return added;
}

/* ---- committing ---- */

static int write_index(struct refset_writer *writer, enum refset_index index, struct error *err)
{
    struct pending *pending = &writer->pending[index];
    struct keyblock_entry *scratch;
    int result;

    if (!pending->count)
        return 0;
    scratch = malloc(pending->count * sizeof *scratch);
    if (!scratch)
        return out_of_memory(writer, err);
    result = refset_index_write(writer->set, index, pending->list, scratch, pending->count, err);
    free(scratch);
    pending->count = 0;
    return result;
}

static int write_indexes(struct refset_writer *writer, struct error *err)
{
    for (int index = 0; index < REFSET_INDEXES; index++)
        if (write_index(writer, (enum refset_index)index, err))
            return -1;
    for (int kind = 0; kind < DIGEST_KINDS; kind++) {
        free(writer->tables[kind].slots);
        writer->tables[kind] = (struct table){0};
    }
    return 0;
}

static int merge_indexes(struct refset_writer *writer, bool all, struct error *err)
{
    for (int index = 0; index < REFSET_INDEXES; index++)
        if (refset_index_merge(writer->set, (enum refset_index)index, all, err))
            return -1;
    return 0;
}

static int end_transaction(struct refset_writer *writer, bool compact, struct error *err)
{
    struct refset *set = writer->set;

    set->info.generation++;
    if (write_indexes(writer, err) || merge_indexes(writer, compact, err) || refset_save_info(set, err) ||
        database_commit(set->database, err))
        return -1;
    writer->begun = writer->changed = false;
    writer->settled = set->info;
    return refset_search_refresh(writer->search, err);
}

int refset_writer_commit(struct refset_writer *writer, struct error *err)
{
    if (writer->changed)
        return end_transaction(writer, false, err);
    roll_back(writer);
    return 0;
}

int refset_writer_compact(struct refset_writer *writer, uint32_t common, struct error *err)
{
    struct refset_params params = writer->set->info.params;

    if (common)
        params.common = common;
    if (refset_check(&params, err))
        return -1;
    writer->set->info.params = params;
    if (!writer->begun && database_begin(writer->set->database, err))
        return -1;
    writer->begun = true;
    return end_transaction(writer, true, err);
}
