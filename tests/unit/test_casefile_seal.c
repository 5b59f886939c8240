/* SPDX-License-Identifier: Apache-2.0 */
#include "casefile_twin.h"

/*
 * An edited case with correct page checksums: only the seals can detect it.  Every table and column of the
 * schema is tried.
 */

static uint8_t *good;
static size_t good_len;

/* The first evidence, for two more sets. */
static void read_again(void)
{
    const struct case_set more[] = {make_set(SETS), make_set(SETS + 1)};
    struct case_plan plan = make_plan();
    struct casefile *casefile;
    uint64_t number;

    plan.sets = more;
    plan.set_count = 2;
    plan.evidence_count = 1;
    plan.numbers = &number;
    casefile = casefile_open(path, &plan, &err);
    ck_assert_msg(casefile != NULL, "%s", err.text);
    add_objects(casefile, number, 1, 5);
    ck_assert_int_eq(casefile_set_state(casefile, number, CASE_DONE, NOW, "again", &err), 0);
    close_case(casefile);
}

/* Everything is sealed. */
static void make_sealed(void)
{
    const struct evidence_image image = {.format = "raw", .table = "", .size = 1 << 20};
    const struct digest_values digests = make_digests(7);
    const struct account_table account = {
        .objects = {[OBJECT_FILE] = 3, [OBJECT_SLACK] = 1},
        .bytes = {[OBJECT_FILE] = (1 << 20) - 512, [ACCOUNT_UNREADABLE] = 512}};
    struct casefile *casefile = open_case();

    for (uint64_t number = 1; number <= EVIDENCE; number++) {
        ck_assert_int_eq(casefile_set_stamp(casefile, number, "1 file", &err), 0);
        ck_assert_int_eq(casefile_set_state(casefile, number, CASE_BEGUN, NOW, "begun", &err), 0);
        ck_assert_int_eq(casefile_set_image(casefile, number, &image, &err), 0);
        ck_assert_int_eq(casefile_set_digests(casefile, number, &digests, &digests, &err), 0);
        add_objects(casefile, number, 1, 41);
        add_twins(casefile, number);
        ck_assert_int_eq(casefile_problem(casefile, number, "a problem", &err), 0);
        ck_assert_int_eq(casefile_add_bad(casefile, number, 512 * number, 512, &err), 0);
        ck_assert_int_eq(casefile_add_account(casefile, number, "-", &account, &err), 0);
        ck_assert_int_eq(
            casefile_set_state(casefile, number, CASE_DONE + (enum case_state)(number % 3), NOW, "end", &err),
            0);
    }
    ck_assert_int_eq(casefile_set_context(casefile, CASE_NOTES, "one", NOW, &err), 0);
    ck_assert_int_eq(casefile_set_context(casefile, CASE_NUMBER, "2", NOW, &err), 0);
    close_case(casefile);
    read_again();
    assert_good();
    good = file_load(path, &good_len);
}

static void release_sealed(void)
{
    free(good);
    good = NULL;
}

static void count_text(void *arg, const char *text)
{
    (void)text;
    ++*(int *)arg;
}

/* What a report checks before it writes anything. */
static bool report_warns(void)
{
    struct casefile *casefile = casefile_open_report(path, &err);
    int reported = 0, faults;

    if (!casefile)
        return true;
    faults = casefile_check(casefile, count_text, &reported, &err);
    casefile_close(casefile, NULL);
    ck_assert(faults < 0 || faults == reported);
    return faults != 0;
}

static bool can_be_resumed(void)
{
    const struct case_plan plan = make_plan();
    struct casefile *casefile = casefile_open(path, &plan, &err);

    casefile_close(casefile, NULL);
    return casefile != NULL;
}

static void assert_noticed(const char *what)
{
    ck_assert_msg(count_faults() > 0, "--check does not notice: %s", what);
    ck_assert_msg(report_warns(), "a report does not notice: %s", what);
    ck_assert_msg(!can_be_resumed(), "a scan resumes it: %s", what);
}

/* ---- each column of each table ---- */

struct column {
    char table[40], name[40], type[20];
    bool may_be_null, is_key;
};

enum { MOST_COLUMNS = 256 };

static struct column columns[MOST_COLUMNS];
static size_t column_count;

static void read_columns(void)
{
    struct database *database = database_open(path, DATABASE_READ, &casefile_format, &err);
    struct statement *row = database_prepare(
        database,
        "SELECT m.name, c.name, c.type, c.\"notnull\" = 0 AND c.pk = 0, c.pk > 0 FROM sqlite_master m,"
        " pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' ORDER BY 1, c.cid",
        &err);

    ck_assert_msg(row != NULL, "%s", err.text);
    for (column_count = 0; statement_step(row, &err) > 0; column_count++) {
        struct column *column = &columns[column_count];
        char *const texts[] = {column->table, column->name, column->type};
        const size_t rooms[] = {sizeof column->table, sizeof column->name, sizeof column->type};
        int64_t number;

        ck_assert_uint_lt(column_count, MOST_COLUMNS);
        for (int i = 0; i < 3; i++) {
            const char *text;
            size_t len;

            ck_assert(statement_text(row, i, &text, &len) && len < rooms[i]);
            strcpy(texts[i], text);
        }
        column->may_be_null = statement_number(row, 3, &number) && number;
        column->is_key = statement_number(row, 4, &number) && number;
    }
    statement_free(row);
    database_close(database, NULL);
}

/* A different value of the same type, and of the same length if it consists of bytes. */
static const char *other_value(const struct column *column)
{
    static char sql[600];
    const char *name = column->name;

    if (strcmp(column->type, "INTEGER") == 0)
        snprintf(sql, sizeof sql, "CASE WHEN %s IS NULL THEN 1 ELSE %s + 1 END", name, name);
    else if (strcmp(column->type, "REAL") == 0)
        snprintf(sql, sizeof sql, "CASE WHEN %s IS NULL THEN 0.25 ELSE %s / 2 + 0.125 END", name, name);
    else if (strcmp(column->type, "TEXT") == 0)
        snprintf(sql, sizeof sql, "CASE WHEN %s = 'a' THEN 'b' ELSE 'a' END", name);
    else
        snprintf(sql, sizeof sql,
                 "CASE WHEN %s IS NULL THEN zeroblob(20) WHEN length(%s) = 0 THEN x'00'"
                 " ELSE CAST(substr(%s, 1, length(%s) - 1) ||"
                 " CASE WHEN substr(%s, -1) = x'41' THEN x'42' ELSE x'41' END AS BLOB) END",
                 name, name, name, name, name);
    return sql;
}

/* False if the schema does not allow it. */
static bool try_spoil(const char *sql)
{
    struct database *database = database_open(path, DATABASE_WRITE, &casefile_format, &err);
    bool done;

    ck_assert_msg(database != NULL, "%s", err.text);
    done = database_run(database, sql, &err) == 0;
    ck_assert_int_eq(database_close(database, &err), 0);
    return done;
}

static unsigned forbidden;

static void try_change(const char *sql)
{
    if (try_spoil(sql))
        assert_noticed(sql);
    else
        forbidden++;
    file_store(path, good, good_len);
}

static const char *key_of(const char *table)
{
    return strcmp(table, "finding") == 0 ? "class << 60 | object"
           : strcmp(table, "place") == 0 || strcmp(table, "score") == 0 || strcmp(table, "twin") == 0
               ? "object"
               : "id";
}

/* Of the first row and the last one, whatever their key is. */
static void try_column(const struct column *column)
{
    static const char *const which[] = {"min", "max"};
    const char *key = key_of(column->table);
    char sql[1200];

    for (int i = 0; i < 2; i++) {
        snprintf(sql, sizeof sql, "UPDATE %s SET %s = %s WHERE (%s) = (SELECT %s(%s) FROM %s)", column->table,
                 column->name, other_value(column), key, which[i], key, column->table);
        try_change(sql);
        if (!column->may_be_null)
            continue;
        snprintf(sql, sizeof sql,
                 "UPDATE %s SET %s = CASE WHEN %s IS NULL THEN x'' ELSE NULL END WHERE (%s) = (SELECT %s(%s) "
                 "FROM %s)",
                 column->table, column->name, column->name, key, which[i], key, column->table);
        try_change(sql);
    }
}

START_TEST(every_column_of_every_table_is_sealed)
{
    unsigned allowed = 0;

    begin_test();
    make_sealed();
    read_columns();
    ck_assert_uint_gt(column_count, 80);
    for (size_t i = 0; i < column_count; i++) {
        const unsigned before = forbidden;

        try_column(&columns[i]);
        allowed += forbidden == before;
    }
    ck_assert_uint_gt(allowed, column_count / 2);
    assert_good();
    release_sealed();
    end_test();
}
END_TEST

/* A copy of a table's last row, with the last part of its key one more than any. */
static const char *copy_row(const struct column *first, size_t count)
{
    static char sql[4000];
    size_t key = 0;

    for (size_t i = 0; i < count; i++)
        if (first[i].is_key)
            key = i;
    snprintf(sql, sizeof sql, "INSERT INTO %s SELECT ", first->table);
    for (size_t i = 0; i < count; i++)
        snprintf(sql + strlen(sql), sizeof sql - strlen(sql),
                 i == key ? "%s(SELECT max(%s) + 1 FROM %s)" : "%s%s", i ? ", " : "", first[i].name,
                 first->table);
    snprintf(sql + strlen(sql), sizeof sql - strlen(sql), " FROM %s ORDER BY %s DESC LIMIT 1", first->table,
             first[key].name);
    return sql;
}

START_TEST(no_row_can_be_added_or_removed_unnoticed)
{
    unsigned tables = 0;

    begin_test();
    make_sealed();
    read_columns();
    forbidden = 0;
    for (size_t i = 0, next; i < column_count; i = next) {
        const struct column *first = &columns[i];
        const char *key = key_of(first->table);
        char sql[400];

        for (next = i; next < column_count && strcmp(columns[next].table, first->table) == 0; next++)
            ;
        try_change(copy_row(first, next - i));
        snprintf(sql, sizeof sql, "DELETE FROM %s WHERE (%s) = (SELECT max(%s) FROM %s)", first->table, key,
                 key, first->table);
        try_change(sql);
        snprintf(sql, sizeof sql, "DELETE FROM %s WHERE (%s) = (SELECT min(%s) FROM %s)", first->table, key,
                 key, first->table);
        try_change(sql);
        snprintf(sql, sizeof sql, "DELETE FROM %s", first->table);
        try_change(sql);
        tables++;
    }
    ck_assert_uint_ge(tables, 7);
    ck_assert_uint_le(forbidden, 1 + 1); /* a second row of 'info', and a problem that is there already */
    assert_good();
    release_sealed();
    end_test();
}
END_TEST

/* ---- more than one change ---- */

#define A_FINDING "(SELECT min(object) FROM finding WHERE class = 0)"
#define LAST_LOG  " WHERE id > (SELECT max(id) - 2 FROM log)"

START_TEST(sealed_evidence_cannot_be_restarted)
{
    static const char *const changes[] = {
        "UPDATE evidence SET state = 'begun' WHERE id = 1",
        "UPDATE evidence SET state = 'failed' WHERE id = 1",
        "UPDATE evidence SET state = 'begun'",
        /* one finding fewer, and the counts to match */
        "UPDATE evidence SET state = 'begun', none = none + 1 WHERE id = 1;"
        "UPDATE object SET findings = 0, verdict = 'none' WHERE id = " A_FINDING ";"
        "DELETE FROM finding WHERE object = " A_FINDING,
        /* without the last seal it is done and not sealed */
        "DELETE FROM log" LAST_LOG,
        /* evidence that was never there */
        "DELETE FROM log" LAST_LOG
        "; DELETE FROM evidence WHERE id = 3; DELETE FROM object WHERE evidence = 3;"
        "DELETE FROM problem WHERE evidence = 3; DELETE FROM finding WHERE object >> 40 = 3",
        "INSERT INTO evidence (id, path, state) VALUES (5, x'41', 'begun')",
        "UPDATE finding SET class = 7 WHERE class = 2",
        "UPDATE finding SET class = -1 WHERE class = 2",
        "UPDATE finding SET matched = matched / 2 WHERE class = 2",
    };

    begin_test();
    make_sealed();
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        spoil(changes[i]);
        assert_noticed(changes[i]);
        file_store(path, good, good_len);
    }
    release_sealed();
    end_test();
}
END_TEST

/* Anyone with this program's source can write entries with a correct chain. */
START_TEST(a_second_seal_with_other_content_is_detected)
{
    struct casefile *casefile;

    begin_test();
    make_sealed();
    casefile = open_case();
    ck_assert_int_eq(casefile_set_state(casefile, 1, CASE_BEGUN, NOW, "begun", &err), -1);
    ck_assert_ptr_nonnull(strstr(err.text, "sealed"));
    ck_assert_int_eq(database_run(casefile->database,
                                  "UPDATE evidence SET state = 'begun' WHERE id = 1;"
                                  "UPDATE finding SET matched = matched / 2",
                                  &err),
                     0);
    ck_assert_int_eq(casefile_set_state(casefile, 1, CASE_PARTIAL, NOW, "end", &err), 0);
    close_case(casefile);
    assert_noticed("a second seal");
    release_sealed();
    end_test();
}
END_TEST

START_TEST(a_seal_of_missing_evidence_is_detected)
{
    static const uint64_t numbers[] = {EVIDENCE + 2, EVIDENCE + 3, CASE_MOST_EVIDENCE};

    begin_test();
    make_sealed();
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct casefile *casefile = open_case();

        ck_assert_int_eq(casefile_seal(casefile, numbers[i], NOW, "end", &err), 0);
        close_case(casefile);
        assert_noticed("a seal of nothing");
        file_store(path, good, good_len);
    }
    release_sealed();
    end_test();
}
END_TEST

START_TEST(a_failed_seal_leaves_the_evidence_unfinished)
{
    struct case_evidence evidence;
    struct casefile *casefile;

    begin_test();
    casefile = open_case();
    ck_assert_int_eq(casefile_set_state(casefile, 2, CASE_BEGUN, NOW, "begun", &err), 0);
    add_objects(casefile, 2, 1, 41);
    ck_assert_int_eq(casefile_commit(casefile, &err), 0);
    /* what no entry can follow */
    ck_assert_int_eq(database_run(casefile->database, "UPDATE log SET chain = x'00' WHERE id = 2", &err), 0);
    ck_assert_int_eq(casefile_set_state(casefile, 2, CASE_DONE, NOW, "end", &err), -1);
    ck_assert_int_eq(casefile_close(casefile, &err), -1);
    casefile = open_report();
    ck_assert_int_eq(casefile_evidence(casefile, 2, &evidence, &err), 1);
    ck_assert_int_eq(evidence.state, CASE_BEGUN);
    close_case(casefile);
    ck_assert_int_eq(ask("SELECT count(*) FROM log"), 2);
    end_test();
}
END_TEST

START_TEST(sealed_evidence_accepts_nothing_more)
{
    const struct evidence_image image = {.format = "raw", .table = "", .size = 7};
    struct casefile *casefile;

    begin_test();
    make_sealed();
    casefile = open_case();
    ck_assert_int_eq(try_add(casefile, 1, 99, 0), -1);
    ck_assert_int_eq(casefile_problem(casefile, 1, "more", &err), -1);
    ck_assert_int_eq(casefile_set_image(casefile, 1, &image, &err), -1);
    ck_assert_int_eq(casefile_set_stamp(casefile, 1, "more", &err), -1);
    close_case(casefile);
    assert_good();
    release_sealed();
    end_test();
}
END_TEST

RUN_TESTS("casefile_seal", every_column_of_every_table_is_sealed, no_row_can_be_added_or_removed_unnoticed,
          sealed_evidence_cannot_be_restarted, a_second_seal_with_other_content_is_detected,
          a_seal_of_missing_evidence_is_detected, a_failed_seal_leaves_the_evidence_unfinished,
          sealed_evidence_accepts_nothing_more)
