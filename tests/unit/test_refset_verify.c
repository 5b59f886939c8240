/* SPDX-License-Identifier: Apache-2.0 */
#include "refset_twin.h"
#include "set/refset_copy.h"
#include "set/refset_index.h"

static uint8_t *good;
static size_t good_len;

/* A set with some of everything: records and hash-only entries, several segments, common features, further
 * names. */
static void begin_full_set(size_t contents, unsigned batch)
{
    struct refset *set;

    set = begin_set(contents, 8);
    fill_set(set, batch);
    close_set(set);
    assert_good();
    ck_assert_int_gt(ask("SELECT count(*) FROM segment WHERE kind = 0"), 0);
    ck_assert_int_gt(ask("SELECT count(*) FROM segment WHERE kind = 1"), 0);
    ck_assert_int_gt(ask("SELECT count(*) FROM record WHERE length(repeats) > 0"), 0);
    good = file_load(path, &good_len);
}

static void end_full_set(void)
{
    free(good);
    twin_end();
    end_test();
}

static void spoil_or_skip(const char *sql)
{
    struct database *database = database_open(path, DATABASE_WRITE, &refset_format, NULL);

    if (database)
        database_run(database, sql, NULL); /* some change nothing, or would break a rule of the schema */
    database_close(database, NULL);
}

/* ---- good sets ---- */

START_TEST(an_intact_set_has_no_faults_and_its_files_are_counted)
{
    atomic_ullong count = 0;

    begin_full_set(150, 10);
    ck_assert_int_eq(refset_verify(path, take_fault, NULL, &count, &err), 0);
    ck_assert_int_eq((int64_t)count, ask("SELECT files FROM info"));
    end_full_set();
}
END_TEST

START_TEST(a_file_that_is_not_a_set_is_an_error)
{
    begin_test();
    ck_assert_int_eq(refset_verify(path, take_fault, NULL, NULL, &err), -1);
    file_store(path, "not a set", 9);
    ck_assert_int_eq(refset_verify(path, take_fault, NULL, NULL, &err), -1);
    end_test();
}
END_TEST

/* ---- spoiled sets ---- */

#define SOME_RECORD " WHERE first = (SELECT min(first) FROM record WHERE count > 3)"
#define SOME_FILE   " WHERE id = (SELECT min(id) FROM file WHERE sha1 IS NOT NULL)"
#define ONE_OF(kind)                                                                                         \
    " WHERE key = (SELECT min(key) FROM block WHERE key >> 48 = (SELECT min(id) FROM segment WHERE kind "    \
    "= " #kind "))"

static const char *const spoilings[] = {
    /* counts */
    "UPDATE info SET files = files + 1",
    "UPDATE info SET files = files - 1",
    "UPDATE info SET records = records + 1",
    "UPDATE info SET without_sha1 = without_sha1 + 1",
    "UPDATE info SET names = names + 1",
    "UPDATE info SET bytes = bytes + 1",
    "UPDATE info SET samples = samples - 1",
    "UPDATE info SET next_sample = 5",
    "UPDATE info SET common = 1, n = 20",
    /* missing or extra rows */
    "DELETE FROM filter WHERE rowid = (SELECT min(rowid) FROM filter)",
    "DELETE FROM filter",
    "DELETE FROM block" ONE_OF(0),
    "DELETE FROM block" ONE_OF(1),
    "DELETE FROM block" ONE_OF(2),
    "DELETE FROM segment WHERE id = (SELECT min(id) FROM segment WHERE kind = 0)",
    "DELETE FROM segment WHERE id = (SELECT min(id) FROM segment WHERE kind = 3)",
    "DELETE FROM file" SOME_FILE,
    "DELETE FROM record" SOME_RECORD,
    "DELETE FROM source",
    "DELETE FROM name WHERE file = (SELECT min(file) FROM name)",
    "INSERT INTO name VALUES (99999, x'41', 1)",
    "INSERT INTO name SELECT min(file), x'41', 77 FROM name",
    "INSERT INTO block SELECT 200 << 48, data FROM block LIMIT 1",
    "INSERT INTO filter SELECT 200, chunk, generation, crc, data FROM filter LIMIT 1",
    "INSERT INTO record SELECT first + 1000000, file, c, coincidence, count, samples, repeats, blocks FROM "
    "record LIMIT 1",
    "INSERT INTO file SELECT max(id) + 1, x'0000000000000000000000000000000000000000', NULL, NULL, NULL, "
    "NULL, source, x'' "
    "FROM file; UPDATE info SET files = files + 1",
    /* files */
    "UPDATE file SET sha1 = x'0000000000000000000000000000000000000000'" SOME_FILE,
    "UPDATE file SET sha1 = substr(sha1, 2)" SOME_FILE,
    "UPDATE file SET sha1 = (SELECT sha1 FROM file WHERE sha1 IS NOT NULL ORDER BY id DESC LIMIT "
    "1)" SOME_FILE,
    "UPDATE file SET md5 = (SELECT md5 FROM file WHERE md5 IS NOT NULL ORDER BY id DESC LIMIT 1)"
    " WHERE id = (SELECT min(id) FROM file WHERE md5 IS NOT NULL)",
    "UPDATE file SET sha1 = NULL, md5 = NULL, sha256 = NULL" SOME_FILE,
    "UPDATE file SET size = -1" SOME_FILE,
    "UPDATE file SET size = NULL WHERE first IS NOT NULL",
    "UPDATE file SET size = size + 1 WHERE size IS NOT NULL",
    "UPDATE file SET first = NULL WHERE id = (SELECT file FROM record LIMIT 1)",
    "UPDATE file SET first = first + 1 WHERE id = (SELECT file FROM record LIMIT 1)",
    "UPDATE file SET first = (SELECT max(first) FROM record) WHERE id = (SELECT file FROM record ORDER BY "
    "first LIMIT 1)",
    "UPDATE file SET source = 77" SOME_FILE,
    "UPDATE file SET id = 0" SOME_FILE,
    "UPDATE file SET id = 100000" SOME_FILE,
    "UPDATE source SET sha256 = x'00'",
    /* records */
    "UPDATE record SET c = 0" SOME_RECORD,
    "UPDATE record SET c = 3" SOME_RECORD,
    "UPDATE record SET c = 1 << 20 WHERE count > 0",
    "UPDATE record SET coincidence = 10001" SOME_RECORD,
    "UPDATE record SET count = count + 1" SOME_RECORD,
    "UPDATE record SET count = count - 1" SOME_RECORD,
    "UPDATE record SET count = 0" SOME_RECORD,
    "UPDATE record SET count = -1" SOME_RECORD,
    "UPDATE record SET file = file + 1" SOME_RECORD,
    "UPDATE record SET first = first + 1000000; UPDATE file SET first = first + 1000000",
    "UPDATE record SET samples = x''" SOME_RECORD,
    "UPDATE record SET samples = zeroblob(length(samples))" SOME_RECORD,
    "UPDATE record SET samples = CAST(samples || x'00' AS BLOB)" SOME_RECORD,
    "UPDATE record SET repeats = x'' WHERE length(repeats) > 0",
    "UPDATE record SET repeats = x'ff' WHERE length(repeats) > 0",
    "UPDATE record SET repeats = (SELECT repeats FROM record WHERE length(repeats) > 0 LIMIT 1)"
    " WHERE length(repeats) = 0 AND count > 2",
    "UPDATE record SET blocks = substr(blocks, 2) WHERE length(blocks) > 0",
    "UPDATE record SET blocks = substr(blocks, 21) WHERE length(blocks) > 20",
    /* indexes */
    "UPDATE segment SET entries = entries + 1",
    "UPDATE segment SET keys = keys - 1 WHERE keys > 1",
    "UPDATE segment SET kind = 4 WHERE kind = 3",
    "UPDATE segment SET kind = 9",
    "UPDATE segment SET generation = generation + 1 WHERE kind = 0",
    "UPDATE segment SET entries = 1 << 31, keys = 1 << 31, blocks = 1 << 27 WHERE kind = 0",
    "UPDATE block SET data = x''" ONE_OF(0),
    "UPDATE block SET data = zeroblob(length(data))" ONE_OF(0),
    "UPDATE block SET data = randomblob(length(data))" ONE_OF(2),
    "UPDATE block SET data = CAST(data || x'00' AS BLOB)" ONE_OF(3),
    "UPDATE block SET key = key + 1" ONE_OF(0),
    "UPDATE block SET key = key + 1" ONE_OF(2),
    "UPDATE filter SET crc = crc + 1",
    "UPDATE filter SET data = zeroblob(length(data))",
    "UPDATE filter SET segment = segment + 50",
};

START_TEST(every_kind_of_damage_is_detected_and_does_no_harm)
{
    begin_full_set(80, 15);
    for (size_t i = 0; i < sizeof spoilings / sizeof *spoilings; i++) {
        spoil(spoilings[i]);
        ck_assert_msg(count_faults() > 0, "%s", spoilings[i]);
        use_whatever();
        write_whatever();
        file_store(path, good, good_len);
    }
    assert_good();
    end_full_set();
}
END_TEST

/* ---- an entry at a time ---- */

enum {
    NOWHERE = 4095
}; /* no sample and no file has this number, and it takes few bits: the block has room for it */

/* The block with its entries changed and packed again. */
static void change_block(int64_t key, void (*change)(struct keyblock_entry *entries, int *count, int at),
                         int at)
{
    static struct keyblock_entry entries[KEYBLOCK_ENTRIES];
    struct database *database = database_open(path, DATABASE_WRITE, &refset_format, &err);
    struct statement *row = database_prepare(database, "SELECT data FROM block WHERE key = ?", &err);
    uint8_t out[KEYBLOCK_MAX];
    const void *data;
    size_t len;
    int count;

    statement_bind_number(row, 1, key);
    ck_assert_int_eq(statement_step(row, &err), 1);
    statement_bytes(row, 0, &data, &len);
    count = keyblock_unpack(data, len, (uint64_t)key & (((uint64_t)1 << 48) - 1), entries);
    ck_assert_int_gt(count, 0);
    statement_free(row);
    change(entries, &count, at % count);
    ck_assert_int_eq((int)keyblock_pack(entries, (size_t)count, 0, out, &len), count);
    row = database_prepare(database, "UPDATE block SET data = ?2 WHERE key = ?1", &err);
    statement_bind_number(row, 1, key);
    statement_bind_bytes(row, 2, out, len);
    ck_assert_int_eq(statement_run(row, &err), 0);
    statement_free(row);
    database_close(database, NULL);
}

static void lead_nowhere(struct keyblock_entry *entries, int *count, int at)
{
    const uint64_t key = entries[at].key;

    while (at + 1 < *count && entries[at + 1].key == key)
        at++;
    entries[at].value = NOWHERE; /* the last value of its key, so they stay in order */
}

static void leave_out(struct keyblock_entry *entries, int *count, int at)
{
    if (at == 0 && *count > 1)
        at = 1;
    if (at > 0)
        memmove(entries + at, entries + at + 1, (size_t)(--*count - at) * sizeof *entries);
    else
        entries[0].value ^= 1;
}

static void change_key(struct keyblock_entry *entries, int *count, int at)
{
    at = *count - 1 + 0 * at; /* the last one, so they stay in order */
    entries[at].key++;
}

static void check_entries(int kind, void (*change)(struct keyblock_entry *, int *, int), int until)
{
    char sql[200];
    int64_t key;

    snprintf(sql, sizeof sql,
             "SELECT max(key) FROM block WHERE key >> 48 = (SELECT min(id) FROM segment WHERE kind = %d)",
             kind);
    key = ask(sql);
    for (int at = 0; at < until; at++) {
        change_block(key, change, at);
        ck_assert_msg(count_faults() > 0, "index %d, entry %d", kind, at);
        use_whatever();
        file_store(path, good, good_len);
    }
}

START_TEST(a_dangling_entry_is_detected_anywhere)
{
    begin_full_set(60, UINT32_MAX);
    ck_assert_int_lt(ask("SELECT next_sample FROM info"), NOWHERE);
    for (int kind = REFSET_FEATURE; kind < REFSET_INDEXES; kind++)
        if (kind != REFSET_COMMON)
            check_entries(kind, lead_nowhere, 60);
    end_full_set();
}
END_TEST

START_TEST(a_missing_entry_or_a_changed_key_is_detected)
{
    begin_full_set(60, UINT32_MAX);
    for (int kind = REFSET_FEATURE; kind < REFSET_INDEXES; kind++) {
        check_entries(kind, leave_out, 20);
        if (kind != REFSET_COMMON)
            check_entries(kind, change_key, 1);
    }
    end_full_set();
}
END_TEST

/* ---- damaged bytes ---- */

START_TEST(a_changed_byte_is_detected_anywhere_and_does_no_harm)
{
    uint8_t *bad;

    begin_full_set(40, 10);
    bad = malloc(good_len);
    for (size_t at = 0; at < good_len; at += 1 + random_below(2000)) {
        memcpy(bad, good, good_len);
        bad[at] ^= (uint8_t)(1 << random_below(8));
        file_store(path, bad, good_len);
        ck_assert_int_ne(count_faults(), 0);
        use_whatever();
    }
    free(bad);
    end_full_set();
}
END_TEST

/* ---- recovering undamaged content ---- */

struct saved {
    unsigned lost;
    size_t files, records;
};

static void note_lost(void *arg, const char *text)
{
    (void)text;
    ((struct saved *)arg)->lost++;
}

/* Copies what can be read; each file is as it was, or a hash-only entry. */
static struct saved save(void)
{
    struct saved saved = {0};
    struct refset_copy copy = {.tell = note_lost, .forgive = true, .arg = &saved};
    struct refset *from = open_as(REFSET_READ), *to = create_at(beside("b.kset"), 8);
    struct refset_writer *writer = refset_writer_new(to, true, &err);
    struct refset_reader *reader;

    ck_assert_msg(refset_copy(&copy, from, writer, &err) == 0, "%s", err.text);
    commit(writer);
    refset_writer_free(writer);
    close_set(from);
    reader = refset_reader_new(to, true, &err);
    while (refset_reader_next(reader, &err) > 0) {
        const struct known *known = refset_reader_known(reader);
        const struct content *content = content_of(&known->digests);

        ck_assert_ptr_nonnull(content);
        assert_names(content, &known->names);
        if (known->has_record)
            assert_rest_of_record(content, &known->record);
        saved.files++;
        saved.records += known->has_record;
    }
    refset_reader_free(reader);
    close_set(to);
    unlink(beside("b.kset"));
    return saved;
}

struct rescue {
    const char *sql;
    int lost_files, lost_records; /* at most */
    bool reports;
};

static const struct rescue rescues[] = {
    {"SELECT 1", 0, 0, false},
    {"DELETE FROM filter", 0, 0, false},
    {"UPDATE record SET c = 0" SOME_RECORD, 0, 1, true},
    {"UPDATE record SET c = 3" SOME_RECORD, 0, 1, true},
    {"UPDATE record SET samples = x''" SOME_RECORD, 0, 1, true},
    {"UPDATE record SET coincidence = -1" SOME_RECORD, 0, 1, true},
    {"UPDATE record SET blocks = x'00' WHERE length(blocks) > 0 AND first = (SELECT max(first) FROM record "
     "WHERE "
     "length(blocks) > 0)",
     0, 1, true},
    {"DELETE FROM record" SOME_RECORD, 0, 1, true},
    {"UPDATE file SET first = first + 100000 WHERE id = (SELECT file FROM record" SOME_RECORD ")", 0, 1,
     true},
    {"UPDATE file SET sha1 = x'00'" SOME_FILE, 1, 1, true},
    {"UPDATE source SET sha256 = x'00'", 0, 0, false},
    {"DELETE FROM source", 0, 0, false},
    {"UPDATE info SET files = 1 << 44", 0, 0, false},
    {"UPDATE segment SET keys = 0 WHERE kind = 2", 0, 0, false},
    {"UPDATE segment SET keys = 0 WHERE kind = 0", 0, 1000, true},
    {"UPDATE block SET data = x''" ONE_OF(0), 0, 1000, true},
    {"UPDATE block SET data = x''" ONE_OF(2), 0, 0, false},
};

START_TEST(undamaged_content_is_recovered)
{
    begin_full_set(80, 15);
    const int64_t files = ask("SELECT files FROM info"), records = ask("SELECT records FROM info");
    for (size_t i = 0; i < sizeof rescues / sizeof *rescues; i++) {
        const struct rescue *rescue = &rescues[i];
        struct saved saved;

        spoil(rescue->sql);
        alarm(60); /* against hanging */
        saved = save();
        alarm(0);
        ck_assert_msg((int)files - (int)saved.files <= rescue->lost_files, "%zu files: %s", saved.files,
                      rescue->sql);
        ck_assert_msg((int)records - (int)saved.records <= rescue->lost_records, "%zu records: %s",
                      saved.records, rescue->sql);
        ck_assert_msg(!rescue->reports || saved.lost > 0, "%s", rescue->sql);
        file_store(path, good, good_len);
    }
    end_full_set();
}
END_TEST

/* All blocks but the first few, of a thousand samples in as many files. */
START_TEST(blocks_after_damaged_ones_are_read)
{
    struct refset_writer *writer;
    struct known known = {0};
    struct refset *set;
    struct saved saved = {0};
    struct refset_reader *reader;
    size_t records = 0;

    set = begin_set(1, 256);
    writer = write_to(set, true);
    for (uint64_t i = 0; i < 4000; i++) {
        const struct sample sample = {5, random64() >> 8};

        known_reset(&known);
        known.digests.kinds = 1;
        fill_random(known.digests.bytes[0], DIGEST_SHA1_LEN);
        known.has_size = known.has_record = true;
        known.size = 100;
        known.record.params = (struct sampler_params){SAMPLER_GF8, N, known_c(100, 128), 0};
        ck_assert_int_eq(record_set_samples(&known.record, &sample, 1, &err), 0);
        ck_assert_int_eq(refset_writer_add(writer, &known, &err), REFSET_ADDED);
    }
    commit(writer);
    refset_writer_free(writer);
    close_set(set);
    spoil("UPDATE block SET data = x'00' WHERE key IN (SELECT key FROM block WHERE key >> 48 ="
          " (SELECT min(id) FROM segment WHERE kind = 0) ORDER BY key LIMIT 3)");
    const int64_t blocks =
        ask("SELECT count(*) FROM block WHERE key >> 48 = (SELECT min(id) FROM segment WHERE kind = 0)");
    set = open_as(REFSET_READ);
    reader = refset_reader_new(set, true, &err);
    refset_reader_forgive(reader, note_lost, &saved);
    while (refset_reader_next(reader, &err) > 0)
        records += refset_reader_known(reader)->has_record;
    refset_reader_free(reader);
    close_set(set);
    ck_assert_int_gt(blocks, 8);
    ck_assert_uint_ge(records, 4000 - 4 * 4000 / (size_t)(blocks - 1));
    known_release(&known);
    twin_end();
    end_test();
}
END_TEST

/* ---- randomly changed rows ---- */

struct column {
    const char *table, *name;
};

static const struct column numbers[] = {
    {"record", "c"},     {"record", "count"},       {"record", "first"},
    {"record", "file"},  {"record", "coincidence"}, {"file", "size"},
    {"file", "first"},   {"file", "source"},        {"file", "id"},
    {"block", "key"},    {"filter", "crc"},         {"filter", "chunk"},
    {"segment", "id"},   {"segment", "kind"},       {"segment", "entries"},
    {"segment", "keys"}, {"segment", "blocks"},     {"info", "next_sample"},
    {"info", "files"},   {"info", "samples"},       {"segment", "generation"},
    {"info", "common"},  {"info", "block"},         {"info", "c"},
    {"source", "id"},
};
static const struct column blobs[] = {
    {"record", "samples"}, {"record", "repeats"}, {"record", "blocks"}, {"file", "sha1"},  {"file", "md5"},
    {"file", "name"},      {"block", "data"},     {"block", "data"},    {"block", "data"}, {"filter", "data"},
    {"source", "path"},    {"source", "sha256"},  {"name", "name"},
};

/* Values for a column, the first ones for numbers: $ is its name, @ its table, # a small number. */
enum { NUMBER_VALUES = 6, BLOB_VALUES = 5 };

static const char *const values[] = {
    "$ + #",
    "$ - #",
    "#",
    "1 << #",
    "-$",
    "(SELECT max($) FROM @)",
    "randomblob(length($))",
    "zeroblob(length($))",
    "CAST(substr($, 1, #) AS BLOB)",
    "CAST($ || randomblob(#) AS BLOB)",
    "CAST(substr($, 1, #) || randomblob(1) || substr($, # + 2) AS BLOB)",
};

static void print_value(struct buffer *out, const struct column *column, bool is_blob)
{
    const uint64_t which = is_blob ? NUMBER_VALUES + random_below(BLOB_VALUES) : random_below(NUMBER_VALUES);
    const int number = (int)random_below(random_below(2) ? 4 : 64);

    for (const char *at = values[which]; *at; at++)
        if (*at == '$')
            buffer_add_text(out, column->name);
        else if (*at == '@')
            buffer_add_text(out, column->table);
        else if (*at == '#')
            buffer_printf(out, "%d", number);
        else
            buffer_add_char(out, *at);
}

static void change_rows(void)
{
    const bool is_blob = random_below(2);
    const struct column *column = is_blob ? &blobs[random_below(sizeof blobs / sizeof *blobs)]
                                          : &numbers[random_below(sizeof numbers / sizeof *numbers)];
    struct buffer sql = {0};

    buffer_printf(&sql, "UPDATE OR IGNORE %s SET %s = ", column->table, column->name);
    print_value(&sql, column, is_blob);
    buffer_printf(&sql, " WHERE %s IS NOT NULL AND abs(random()) %% %d = 0", column->name,
                  1 + (int)random_below(12));
    buffer_add_char(&sql, '\0');
    spoil_or_skip(sql.data);
    buffer_release(&sql);
}

START_TEST(randomly_changed_rows_do_no_harm)
{
    begin_full_set(40, 8);
    for (int i = 0; i < 250; i++) {
        for (uint64_t changes = 1 + random_below(2); changes > 0; changes--)
            change_rows();
        alarm(60);
        use_whatever();
        if (i % 3 == 0)
            write_whatever();
        alarm(0);
        file_store(path, good, good_len);
    }
    end_full_set();
}
END_TEST

RUN_TESTS("refset_verify", an_intact_set_has_no_faults_and_its_files_are_counted,
          a_file_that_is_not_a_set_is_an_error, every_kind_of_damage_is_detected_and_does_no_harm,
          a_dangling_entry_is_detected_anywhere, a_missing_entry_or_a_changed_key_is_detected,
          a_changed_byte_is_detected_anywhere_and_does_no_harm, undamaged_content_is_recovered,
          blocks_after_damaged_ones_are_read, randomly_changed_rows_do_no_harm)
