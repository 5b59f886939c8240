/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"
#include "database/database_inner.h"
#include "database/statement.h"
#include "faults.h"
#include "file.h"

enum {
    APPLICATION = 0x6b746573,
    NOBODY = 65534,
    PER_GROUP = 20, /* rows that are committed together */
    WITHOUT_MEANING = 1000,
};

static const char *const old_steps[] = {
    "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, data BLOB); CREATE INDEX by_name ON item (name)",
    NULL,
};
static const char *const steps[] = {
    "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, data BLOB); CREATE INDEX by_name ON item (name)",
    "CREATE TABLE pair (a INTEGER, b INTEGER, PRIMARY KEY (a, b)) WITHOUT ROWID",
    NULL,
};
static const char *const newer_steps[] = {
    "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, data BLOB); CREATE INDEX by_name ON item (name)",
    "CREATE TABLE pair (a INTEGER, b INTEGER, PRIMARY KEY (a, b)) WITHOUT ROWID",
    "ALTER TABLE item ADD COLUMN more TEXT",
    NULL,
};
static const struct database_format old_format = {
    .application_id = APPLICATION, .noun = "thing set", .steps = old_steps};
static const struct database_format format = {
    .application_id = APPLICATION, .noun = "thing set", .steps = steps};
static const struct database_format upgraded_format = {
    .application_id = APPLICATION, .noun = "thing set", .steps = steps, .upgrade = "kith thing"};
static const struct database_format newer_format = {
    .application_id = APPLICATION, .noun = "thing set", .steps = newer_steps};
static const struct database_format other_format = {
    .application_id = APPLICATION + 1, .noun = "other set", .steps = steps};

static char folder[64], path[80];
static struct error err;

/* ---- durability ---- */

static unsigned syncs;

/* SQLite calls these instead of the C library's. */
int fdatasync(int fd)
{
    syncs++;
    return (int)syscall(SYS_fdatasync, fd);
}

int fsync(int fd)
{
    syncs++;
    return (int)syscall(SYS_fsync, fd);
}

/* ---- files ---- */

static void begin_test(void)
{
    strcpy(folder, "/tmp/test_database.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a%%20?b#.db", folder); /* a name with special characters */
}

static void empty_folder(void)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;

    ck_assert_ptr_nonnull(dir);
    while ((entry = readdir(dir)))
        if (entry->d_name[0] != '.')
            ck_assert_int_eq(unlinkat(dirfd(dir), entry->d_name, 0), 0);
    closedir(dir);
}

static void end_test(void)
{
    empty_folder();
    ck_assert_int_eq(rmdir(folder), 0);
}

static unsigned files_in_folder(void)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    unsigned count = 0;

    while ((entry = readdir(dir)))
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

static const char *beside(const char *suffix)
{
    static char name[100];

    snprintf(name, sizeof name, "%s%s", path, suffix);
    return name;
}

static void seal(uint8_t *data, size_t len)
{
    for (size_t at = 0; at + DATABASE_PAGE <= len; at += DATABASE_PAGE)
        database_page_seal(data + at, (uint32_t)(at / DATABASE_PAGE) + 1);
}

/* ---- databases ---- */

static struct database *open_as(enum database_mode mode)
{
    struct database *database = database_open(path, mode, &format, &err);

    ck_assert_msg(database != NULL, "%s", err.text);
    return database;
}

static void refuses(enum database_mode mode, const struct database_format *as, const char *reason)
{
    char wanted[300];

    err.text[0] = '\0';
    ck_assert_ptr_null(database_open(path, mode, as, &err));
    snprintf(wanted, sizeof wanted, "%s: %s", path, reason);
    ck_assert_str_eq(err.text, wanted);
}

static void run_ok(struct database *database, const char *sql)
{
    ck_assert_msg(database_run(database, sql, &err) == 0, "%s", err.text);
}

static void close_ok(struct database *database)
{
    ck_assert_msg(database_close(database, &err) == 0, "%s", err.text);
}

static int64_t number_of(struct database *database, const char *sql)
{
    struct statement *statement = database_prepare(database, sql, &err);
    int64_t number = 0;

    ck_assert_msg(statement != NULL, "%s", err.text);
    ck_assert_msg(statement_step(statement, &err) == 1, "%s", err.text);
    ck_assert(statement_number(statement, 0, &number));
    statement_free(statement);
    return number;
}

static void add_rows(struct database *database, unsigned count, unsigned len)
{
    char sql[200];

    snprintf(sql, sizeof sql,
             "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<%u) "
             "INSERT INTO item (name, data) SELECT 'n' || i, zeroblob(%u) || i FROM n",
             count, len);
    ck_assert_int_eq(database_begin(database, &err), 0);
    run_ok(database, sql);
    ck_assert_msg(database_commit(database, &err) == 0, "%s", err.text);
}

static void make(unsigned rows, unsigned len)
{
    struct database *database = open_as(DATABASE_CREATE);

    if (rows > 0)
        add_rows(database, rows, len);
    close_ok(database);
}

static int faults(void)
{
    int result;

    begin_faults();
    result = database_verify(path, &format, take_fault, NULL, &err);
    if (result >= 0)
        ck_assert_uint_eq(fault_count, (unsigned)result);
    return result;
}

static void is_good(void)
{
    const int count = faults();

    ck_assert_msg(count == 0, "%d: %s", count, count < 0 ? err.text : first_fault);
}

/* What a program would do with it, whatever it holds. */
static void use(enum database_mode mode)
{
    struct database *database = database_open(path, mode, &format, &err);
    struct statement *statement;
    const void *data;
    size_t len;

    if (!database)
        return;
    statement = database_prepare(database, "SELECT name, data FROM item ORDER BY name", &err);
    for (int i = 0; statement && i < WITHOUT_MEANING && statement_step(statement, &err) == 1; i++) {
        statement_bytes(statement, 0, &data, &len);
        statement_bytes(statement, 1, &data, &len);
    }
    statement_free(statement);
    if (mode == DATABASE_WRITE && database_begin(database, &err) == 0) {
        database_run(database, "INSERT INTO item (name) VALUES ('x'); DELETE FROM item WHERE id%3=0", &err);
        database_commit(database, &err);
    }
    database_close(database, NULL);
}

/* Changes made by another program, with correct checksums. */
static void tamper(const char *sql)
{
    sqlite3 *handle;
    uint8_t *data;
    size_t len;

    ck_assert_int_eq(sqlite3_open(path, &handle), SQLITE_OK);
    ck_assert_msg(sqlite3_exec(handle, sql, NULL, NULL, NULL) == SQLITE_OK, "%s", sqlite3_errmsg(handle));
    sqlite3_close(handle);
    data = file_load(path, &len);
    seal(data, len);
    file_store(path, data, len);
    free(data);
}

static void is_at_rest(void)
{
    uint8_t *data;
    size_t len;

    data = file_load(path, &len);
    ck_assert(database_detect(data, 16) && !database_detect(data, 15));
    ck_assert_uint_eq(data[18], 1); /* not WAL */
    ck_assert_uint_eq(data[20], DATABASE_SUM);
    ck_assert_uint_eq(files_in_folder(), 1);
    free(data);
}

static pid_t start(void)
{
    const pid_t pid = fork();

    ck_assert_int_ge(pid, 0);
    return pid;
}

/* The child's exit status. */
static int wait_for(pid_t pid)
{
    int status;

    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

/* ---- values ---- */

static struct statement *prepare(struct database *database, const char *sql)
{
    struct statement *statement = database_prepare(database, sql, &err);

    ck_assert_msg(statement != NULL, "%s", err.text);
    return statement;
}

START_TEST(values_of_all_kinds_are_read_back)
{
    struct database *database;
    struct statement *statement;
    const char *text;
    const void *data;
    int64_t number;
    size_t len;

    begin_test();
    database = open_as(DATABASE_CREATE);
    statement = prepare(database, "INSERT INTO item VALUES (?1, ?2, ?3)");
    statement_bind_number(statement, 1, INT64_MIN);
    statement_bind_text(statement, 2, "a\0b", 3);
    statement_bind_bytes(statement, 3, NULL, 0);
    ck_assert_int_eq(statement_run(statement, &err), 0);
    ck_assert_int_eq(database_last_row(database), INT64_MIN);
    statement_bind_number(statement, 1, INT64_MAX);
    statement_bind_null(statement, 2);
    statement_bind_bytes(statement, 3, "\xff\0", 2);
    ck_assert_int_eq(statement_run(statement, &err), 0);
    statement_free(statement);

    statement = prepare(database, "SELECT id, name, data FROM item ORDER BY id");
    ck_assert_int_eq(statement_columns(statement), 3);
    ck_assert_str_eq(statement_column_name(statement, 1), "name");
    ck_assert_int_eq(statement_step(statement, &err), 1);
    ck_assert(statement_number(statement, 0, &number) && number == INT64_MIN);
    ck_assert(statement_text(statement, 1, &text, &len) && len == 3 && memcmp(text, "a\0b", 3) == 0);
    ck_assert(statement_bytes(statement, 1, &data, &len) && len == 3);
    ck_assert(statement_bytes(statement, 2, &data, &len) && len == 0 && data);
    ck_assert(!statement_number(statement, 1, &number) && number == 0);
    ck_assert(!statement_text(statement, 2, &text, &len) && len == 0 && text);
    ck_assert(!statement_bytes(statement, 0, &data, &len) && len == 0 && data);
    ck_assert_int_eq(statement_step(statement, &err), 1);
    ck_assert(statement_is_null(statement, 1) && !statement_is_null(statement, 2));
    ck_assert(statement_bytes(statement, 2, &data, &len) && len == 2);
    ck_assert_int_eq(statement_step(statement, &err), 0);
    statement_free(statement);
    close_ok(database);
    end_test();
}
END_TEST

START_TEST(a_value_that_cannot_be_bound_fails_only_the_next_step)
{
    struct database *database;
    struct statement *statement;

    begin_test();
    database = open_as(DATABASE_CREATE);
    statement = prepare(database, "INSERT INTO item (name) VALUES (?1)");
    statement_bind_bytes(statement, 1, "", (size_t)1 << 40);
    statement_bind_text(statement, 1, "x", 1);
    ck_assert_int_eq(statement_run(statement, &err), -1);
    ck_assert_ptr_nonnull(strstr(err.text, "a value is too long"));
    statement_bind_text(statement, 1, "x", 1);
    ck_assert_int_eq(statement_run(statement, &err), 0);
    statement_free(statement);
    ck_assert_int_eq(number_of(database, "SELECT count(*) FROM item"), 1);
    close_ok(database);
    end_test();
}
END_TEST

/* ---- refused files ---- */

START_TEST(a_file_of_another_format_is_refused)
{
    sqlite3 *handle;

    begin_test();
    for (int mode = DATABASE_READ; mode <= DATABASE_WRITE; mode++) {
        refuses((enum database_mode)mode, &format, "No such file or directory");
        file_store(path, "", 0);
        refuses((enum database_mode)mode, &format, "is empty, not a thing set");
        file_store(path, "SQLite format 3", 16);
        refuses((enum database_mode)mode, &format, "is not a thing set");
        unlink(path);
        mkdir(path, 0755);
        refuses((enum database_mode)mode, &format, "is a directory, not a thing set");
        rmdir(path);
        mkfifo(path, 0644);
        refuses((enum database_mode)mode, &format, "is not a regular file, so not a thing set");
        unlink(path);
        make(10, 10);
        refuses((enum database_mode)mode, &other_format, "is not a other set");
        refuses(DATABASE_CREATE, &format, "File exists");
        is_good();
        unlink(path);
        sqlite3_open(path, &handle);
        sqlite3_exec(handle, "PRAGMA application_id=1802789235; CREATE TABLE a (b)", NULL, NULL, NULL);
        sqlite3_close(handle);
        refuses((enum database_mode)mode, &format, "is not a thing set");
        ck_assert_int_eq(faults(), -1);
        unlink(path);
    }
    end_test();
}
END_TEST

START_TEST(a_writer_upgrades_an_older_file)
{
    struct database *database;

    begin_test();
    database = database_open(path, DATABASE_CREATE, &old_format, &err);
    ck_assert_ptr_nonnull(database);
    add_rows(database, 100, 50);
    close_ok(database);
    refuses(DATABASE_READ, &format,
            "was written by an older version of kith: its schema version is 1, this program uses 2; "
            "any command that writes to the file upgrades it");
    refuses(DATABASE_READ, &upgraded_format,
            "was written by an older version of kith: its schema version is 1, this program uses 2; "
            "kith thing upgrades it");
    is_good();
    close_ok(open_as(DATABASE_WRITE));
    refuses(DATABASE_WRITE, &old_format,
            "was written by a newer version of kith: its schema version is 2, this program supports up to 1");
    refuses(DATABASE_READ, &old_format,
            "was written by a newer version of kith: its schema version is 2, this program supports up to 1");
    is_at_rest();
    database = database_open(path, DATABASE_WRITE, &newer_format, &err);
    ck_assert_msg(database != NULL, "%s", err.text);
    ck_assert_int_eq(number_of(database, "SELECT count(*) FROM item WHERE more IS NULL"), 100);
    close_ok(database);
    is_at_rest();
    end_test();
}
END_TEST

START_TEST(a_foreign_schema_is_refused)
{
    static const char *const changes[] = {
        "CREATE TRIGGER t AFTER INSERT ON item BEGIN DELETE FROM item; END",
        "CREATE VIEW v AS SELECT * FROM item",
        "CREATE TABLE more (a)",
        "CREATE VIRTUAL TABLE f USING fts5(a)",
        "CREATE INDEX i ON item (data)",
        "DROP INDEX by_name",
        "ALTER TABLE item ADD COLUMN more TEXT",
        "ALTER TABLE item ADD COLUMN more TEXT AS (name || name)",
        "ALTER TABLE item RENAME TO items",
        "ALTER TABLE pair RENAME TO pairs; CREATE VIEW pair AS SELECT * FROM pairs",
        "ANALYZE",
        "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET rootpage=(SELECT rootpage FROM sqlite_schema "
        "WHERE name='item') WHERE name='pair'",
        "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql=sql||' ' WHERE name='pair'",
        "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql=zeroblob(1000) WHERE name='pair'",
        "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql=NULL WHERE name='pair'",
        "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET type=7",
        "PRAGMA writable_schema=ON; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE "
        "i<5000)"
        "INSERT INTO sqlite_schema SELECT 'table', 't'||i, 't'||i, 0, 'CREATE VIEW t'||i||' AS SELECT 1' "
        "FROM n",
        "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql=sql||'/*'||hex(zeroblob(3000000))||'*/'",
    };

    begin_test();
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        make(10, 10);
        tamper(changes[i]);
        for (int mode = DATABASE_READ; mode <= DATABASE_WRITE; mode++) {
            ck_assert_msg(!database_open(path, (enum database_mode)mode, &format, &err), "%s", changes[i]);
            ck_assert_msg(strstr(err.text, "is damaged") != NULL, "%s: %s", changes[i], err.text);
        }
        ck_assert_msg(faults() != 0, "%s", changes[i]);
        empty_folder();
    }
    end_test();
}
END_TEST

/* Beyond a page of schema SQLite moves pages that it has not written yet. */
START_TEST(a_schema_may_need_any_number_of_pages)
{
    static char sql[20000];
    const char *const large_steps[] = {sql, NULL};
    const struct database_format large = {
        .application_id = APPLICATION, .noun = "thing set", .steps = large_steps};
    size_t len = 0;

    begin_test();
    for (int table = 0; table < 60; table++) {
        struct database *database;

        len += (size_t)snprintf(
            sql + len, sizeof sql - len,
            "CREATE TABLE table_%d (id INTEGER PRIMARY KEY, name TEXT NOT NULL, number INTEGER NOT "
            "NULL, data BLOB NOT NULL) STRICT; CREATE INDEX index_%d ON table_%d (name);",
            table, table, table);
        database = database_open(path, DATABASE_CREATE, &large, &err);
        ck_assert_msg(database != NULL, "%d: %s", table, database ? "" : err.text);
        close_ok(database);
        begin_faults();
        ck_assert_int_eq(database_verify(path, &large, take_fault, NULL, &err), 0);
        empty_folder();
    }
    end_test();
}
END_TEST

START_TEST(a_file_that_cannot_be_created_leaves_nothing)
{
    static const char *const wrong[] = {"CREATE TABLE a (b)", "nonsense", NULL};
    const struct database_format bad = {.application_id = APPLICATION, .noun = "thing set", .steps = wrong};

    begin_test();
    ck_assert_ptr_null(database_open(path, DATABASE_CREATE, &bad, &err));
    ck_assert_uint_eq(files_in_folder(), 0);
    end_test();
}
END_TEST

/* ---- damage ---- */

/* Of a few pages, some of them free. */
static void make_small(void)
{
    struct database *database = open_as(DATABASE_CREATE);

    add_rows(database, 6, 2500);
    run_ok(database, "DELETE FROM item WHERE id % 2");
    close_ok(database);
}

START_TEST(any_damaged_byte_is_detected)
{
    uint8_t *data, byte;
    size_t len;
    int fd;

    begin_test();
    make_small();
    is_good();
    data = file_load(path, &len);
    ck_assert_uint_le(len, 12 * DATABASE_PAGE);
    fd = open(path, O_RDWR);
    for (size_t i = 0; i < len; i++) {
        byte = data[i] ^ (uint8_t)(1 + random64() % 255);
        ck_assert_int_eq(pwrite(fd, &byte, 1, (off_t)i), 1);
        ck_assert_msg(faults() > 0, "byte %zu", i);
        if (i % 64 == 0)
            use(DATABASE_READ);
        ck_assert_int_eq(pwrite(fd, data + i, 1, (off_t)i), 1);
    }
    is_good();
    close(fd);
    free(data);
    end_test();
}
END_TEST

START_TEST(a_damaged_page_is_not_used)
{
    struct database *database;
    uint8_t *data;
    size_t len;
    struct statement *statement;
    int result;

    begin_test();
    make(300, 500);
    data = file_load(path, &len);
    data[20 * DATABASE_PAGE + 2000] ^= 4;
    file_store(path, data, len);
    free(data);
    database = open_as(DATABASE_READ);
    statement = prepare(database, "SELECT sum(length(data)) FROM item");
    result = statement_step(statement, &err);
    ck_assert_int_eq(result, -1);
    ck_assert_ptr_nonnull(strstr(err.text, "page 21 is damaged: checksum mismatch"));
    statement_free(statement);
    close_ok(database);
    ck_assert_int_ge(faults(), 1);
    ck_assert_ptr_nonnull(strstr(first_fault, "page 21 is damaged: checksum mismatch"));
    end_test();
}
END_TEST

/* The pointer to one row's cell is moved so that the cell would overrun the page: not even the other rows of
 * the page are used. */
START_TEST(a_page_whose_cell_overruns_it_is_not_used)
{
    enum { HEADER = 8, LEAF = 13 };
    struct database *database;
    struct statement *statement;
    uint8_t *data, *page;
    size_t len;

    begin_test();
    make(2, 500);
    data = file_load(path, &len);
    for (page = data; page < data + len && (page[0] != LEAF || page[4] != 2); page += DATABASE_PAGE)
        ;
    ck_assert(page < data + len);
    page[HEADER + 2] = (DATABASE_PAGE - 100) >> 8; /* of the second row */
    page[HEADER + 3] = (DATABASE_PAGE - 100) & 0xff;
    page[DATABASE_PAGE - 100] = 0x83; /* 500 bytes of it */
    page[DATABASE_PAGE - 99] = 0x74;
    seal(data, len);
    file_store(path, data, len);
    free(data);
    database = open_as(DATABASE_READ);
    statement = prepare(database, "SELECT name FROM item WHERE id = 1");
    ck_assert_int_eq(statement_step(statement, &err), -1);
    ck_assert_ptr_nonnull(strstr(err.text, "is damaged"));
    statement_free(statement);
    close_ok(database);
    end_test();
}
END_TEST

START_TEST(swapped_or_lost_pages_are_detected)
{
    uint8_t *data, page[DATABASE_PAGE];
    size_t len;

    begin_test();
    make_small();
    data = file_load(path, &len);
    memcpy(page, data + 2 * DATABASE_PAGE, sizeof page);
    memmove(data + 2 * DATABASE_PAGE, data + 3 * DATABASE_PAGE, sizeof page);
    memcpy(data + 3 * DATABASE_PAGE, page, sizeof page);
    file_store(path, data, len);
    ck_assert_int_ge(faults(), 2);
    ck_assert_ptr_nonnull(strstr(first_fault, "page 3 is damaged: checksum mismatch"));
    memset(data + 3 * DATABASE_PAGE, 0, sizeof page);
    memcpy(data + 2 * DATABASE_PAGE, page, sizeof page);
    file_store(path, data, len);
    ck_assert_int_ge(faults(), 1);
    ck_assert_ptr_nonnull(strstr(first_fault, "page 4 is damaged: checksum mismatch"));
    free(data);
    end_test();
}
END_TEST

START_TEST(a_file_of_the_wrong_length_is_detected)
{
    uint8_t *data;
    size_t len;

    begin_test();
    make_small();
    data = file_load(path, &len);
    data = realloc(data, len + DATABASE_PAGE);
    memset(data + len, 0, DATABASE_PAGE);
    for (size_t cut = 0; cut < len; cut += 1 + random64() % 200) {
        file_store(path, data, cut);
        ck_assert_msg(faults() != 0, "%zu", cut);
        use(DATABASE_READ);
        use(DATABASE_WRITE);
        empty_folder();
    }
    file_store(path, data, len + 1);
    ck_assert_int_ge(faults(), 1);
    seal(data, len + DATABASE_PAGE);
    file_store(path, data, len + DATABASE_PAGE);
    ck_assert_int_ge(faults(), 1);
    file_store(path, data, len);
    is_good();
    free(data);
    end_test();
}
END_TEST

START_TEST(mutants_do_no_harm)
{
    const char *count = getenv("MUTANTS");
    const int rounds = count ? atoi(count) : 300;
    uint8_t *data, *mutant;
    size_t len;

    begin_test();
    make_small();
    data = file_load(path, &len);
    mutant = malloc(len);
    for (int i = 0; i < rounds; i++) {
        memcpy(mutant, data, len);
        for (uint64_t changes = 1 + random64() % 4; changes > 0; changes--) {
            const size_t page = random64() % (len / DATABASE_PAGE) * DATABASE_PAGE;
            const size_t within = random64() % 2 ? random64() % 128 : random64() % DATABASE_PAGE;

            mutant[page + within] = random64() % 4 ? (uint8_t)(random64() >> 40) : 0xff;
        }
        seal(mutant, len);
        file_store(path, mutant, len);
        faults();
        use(DATABASE_READ);
        use(DATABASE_WRITE);
        empty_folder();
    }
    free(mutant);
    free(data);
    end_test();
}
END_TEST

/* ---- readers and writers ---- */

START_TEST(at_rest_it_is_one_file)
{
    begin_test();
    make(100, 100);
    is_at_rest();
    close_ok(open_as(DATABASE_READ));
    close_ok(open_as(DATABASE_WRITE));
    is_at_rest();
    end_test();
}
END_TEST

START_TEST(a_reader_keeps_its_view)
{
    struct database *writer, *reader, *later;

    begin_test();
    writer = open_as(DATABASE_CREATE);
    add_rows(writer, 100, 100);
    reader = open_as(DATABASE_READ);
    for (int i = 0; i < 10; i++)
        add_rows(writer, 100, 1000);
    later = open_as(DATABASE_READ);
    ck_assert_int_eq(number_of(reader, "SELECT count(*) FROM item"), 100);
    ck_assert_int_eq(number_of(later, "SELECT count(*) FROM item"), 1100);
    run_ok(writer, "DELETE FROM item");
    close_ok(writer); /* with readers it stays as it is */
    ck_assert_int_eq(number_of(reader, "SELECT count(*) FROM item"), 100);
    ck_assert_int_eq(number_of(later, "SELECT count(*) FROM item"), 1100);
    ck_assert_int_eq(database_run(reader, "DELETE FROM item", &err), -1);
    is_good();
    close_ok(reader);
    close_ok(later);
    reader = open_as(DATABASE_READ);
    ck_assert_int_eq(number_of(reader, "SELECT count(*) FROM item"), 0);
    close_ok(reader);
    close_ok(open_as(DATABASE_WRITE));
    is_at_rest();
    is_good();
    end_test();
}
END_TEST

static int is_refused_elsewhere(void)
{
    const pid_t pid = start();

    if (pid == 0)
        _exit(database_open(path, DATABASE_WRITE, &format, &err)          ? 1
              : strstr(err.text, ": is being written by another program") ? 0
                                                                          : 2);
    return wait_for(pid);
}

START_TEST(only_one_writer_is_allowed)
{
    struct database *writer;

    begin_test();
    writer = open_as(DATABASE_CREATE);
    for (int i = 0; i < 2; i++) {
        refuses(DATABASE_WRITE, &format, "is being written by another program");
        ck_assert_int_eq(is_refused_elsewhere(), 0);
        add_rows(writer, 10, 10);
        ck_assert_int_eq(is_refused_elsewhere(), 0);
    }
    close_ok(writer);
    writer = open_as(DATABASE_WRITE);
    ck_assert_int_eq(is_refused_elsewhere(), 0);
    close_ok(open_as(DATABASE_READ));
    ck_assert_int_eq(is_refused_elsewhere(), 0);
    ck_assert_int_eq(number_of(writer, "SELECT count(*) FROM item"), 20);
    close_ok(writer);
    end_test();
}
END_TEST

START_TEST(a_writer_waits_for_no_reader)
{
    struct database *reader;

    begin_test();
    make(10, 10);
    reader = open_as(DATABASE_READ);
    refuses(DATABASE_WRITE, &format, "is being read by another program");
    ck_assert_int_eq(number_of(reader, "SELECT count(*) FROM item"), 10);
    close_ok(reader);
    close_ok(open_as(DATABASE_WRITE));
    end_test();
}
END_TEST

/* Commits groups of rows, and reports each. */
static void write_groups(int reported, bool closes)
{
    struct database *database = NULL;

    for (;;) {
        if (!database)
            database = database_open(path, DATABASE_WRITE, &format, &err);
        if (!database)
            _exit(1);
        if (database_begin(database, &err) ||
            database_run(database,
                         "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<20)"
                         "INSERT INTO item (name, data) SELECT coalesce((SELECT max(b) FROM pair), 0) + 1,"
                         "randomblob(abs(random()) % 9000) FROM n;"
                         "INSERT INTO pair SELECT 1, coalesce(max(b), 0) + 1 FROM pair",
                         &err) ||
            database_commit(database, &err))
            _exit(2);
        if (write(reported, "", 1) != 1)
            _exit(3);
        if (closes && database_close(database, &err))
            _exit(4);
        if (closes)
            database = NULL;
    }
}

static int64_t count_groups(struct database *database)
{
    const int64_t groups = number_of(database, "SELECT coalesce(max(b), 0) FROM pair");

    ck_assert_int_eq(number_of(database, "SELECT count(*) FROM pair"), groups);
    ck_assert_int_eq(number_of(database, "SELECT count(*) FROM item"), groups * PER_GROUP);
    ck_assert_int_eq(number_of(database, "SELECT count(DISTINCT name) FROM item"), groups);
    return groups;
}

static void check_groups(int64_t before, int64_t reported)
{
    struct database *database = open_as(DATABASE_READ);
    const int64_t groups = count_groups(database);

    ck_assert_int_ge(groups, before + reported);
    ck_assert_int_le(groups, before + reported + 1);
    close_ok(database);
}

START_TEST(commits_of_a_killed_writer_survive)
{
    int64_t before = 0;
    char bytes[4096];

    begin_test();
    make(0, 1);
    for (int i = 0; i < 30; i++) {
        struct database *database;
        int reported[2];
        ssize_t got, sum = 0;
        pid_t pid;

        ck_assert_int_eq(pipe(reported), 0);
        pid = start();
        if (pid == 0)
            write_groups(reported[1], i % 2);
        close(reported[1]);
        usleep((unsigned)(random64() % 60000));
        kill(pid, SIGKILL);
        ck_assert_int_eq(wait_for(pid), 256 + SIGKILL);
        while ((got = read(reported[0], bytes, sizeof bytes)) > 0)
            sum += got;
        close(reported[0]);
        check_groups(before, sum);
        is_good();
        database = open_as(i % 3 ? DATABASE_WRITE : DATABASE_READ);
        before = count_groups(database);
        close_ok(database);
    }
    close_ok(open_as(DATABASE_WRITE));
    is_at_rest();
    ck_assert_int_gt(before, 0);
    is_good();
    end_test();
}
END_TEST

START_TEST(a_file_can_be_read_and_verified_while_it_is_written)
{
    int reported[2];
    pid_t pid;

    begin_test();
    make(0, 1);
    ck_assert_int_eq(pipe(reported), 0);
    pid = start();
    if (pid == 0)
        write_groups(reported[1], false);
    for (int i = 0; i < 30; i++) {
        struct database *database = open_as(DATABASE_READ);
        const int64_t groups = count_groups(database);

        is_good();
        ck_assert_int_eq(count_groups(database), groups);
        close_ok(database);
    }
    kill(pid, SIGKILL);
    wait_for(pid);
    close(reported[0]);
    close(reported[1]);
    end_test();
}
END_TEST

START_TEST(pages_still_in_the_wal_are_not_missing)
{
    struct database *writer, *reader;

    begin_test();
    writer = open_as(DATABASE_CREATE);
    add_rows(writer, 100, 1000);
    reader = open_as(DATABASE_READ);
    run_ok(writer, "UPDATE item SET data = zeroblob(1001) WHERE id = 50");
    run_ok(writer, "PRAGMA wal_checkpoint(PASSIVE)"); /* all but the page that the reader must not see */
    is_good();
    ck_assert_int_eq(number_of(reader, "SELECT sum(length(CAST(data AS BLOB))) FROM item"), 100192);
    close_ok(writer);
    close_ok(reader);
    end_test();
}
END_TEST

/* ---- space ---- */

START_TEST(large_transactions_leave_no_large_files)
{
    struct database *database;
    struct stat status;

    begin_test();
    database = open_as(DATABASE_CREATE);
    run_ok(database, "PRAGMA cache_size=-1000");
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(database_begin(database, &err), 0);
        run_ok(database, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<30000)"
                         "INSERT INTO item (name, data) SELECT i, randomblob(1000) FROM n");
        run_ok(database, "DELETE FROM item WHERE id % 3 = 1");
        if (i == 1)
            database_rollback(database);
        else
            ck_assert_int_eq(database_commit(database, &err), 0);
    }
    add_rows(database, 1, 1);
    ck_assert_int_eq(stat(beside("-wal"), &status), 0);
    ck_assert_int_le(status.st_size, 17 << 20);
    run_ok(database, "VACUUM");
    ck_assert_int_eq(number_of(database, "SELECT count(*) FROM item"), 40001);
    close_ok(database);
    is_at_rest();
    is_good();
    end_test();
}
END_TEST

static int fill_disk(void)
{
    const struct rlimit limit = {4 << 20, 4 << 20};
    struct database *database = database_open(path, DATABASE_WRITE, &format, &err);
    int result = 0;

    signal(SIGXFSZ, SIG_IGN);
    if (!database || setrlimit(RLIMIT_FSIZE, &limit))
        return 1;
    for (int i = 0; i < 100 && result == 0; i++)
        result = database_run(database, "INSERT INTO item (data) VALUES (randomblob(200000))", &err);
    if (result == 0 || !strstr(err.text, path) || !strstr(err.text, strerror(EFBIG)))
        return 2;
    if (database_run(database, "DELETE FROM item WHERE id = 1", &err))
        return 3;
    database_close(database, &err);
    return 0;
}

START_TEST(a_full_disk_is_an_error_without_damage)
{
    struct database *database;
    pid_t pid;

    begin_test();
    make(10, 10);
    pid = start();
    if (pid == 0) {
        int result = fill_disk();

        if (result)
            fprintf(stderr, "%s\n", err.text);
        _exit(result);
    }
    ck_assert_int_eq(wait_for(pid), 0);
    is_good();
    database = open_as(DATABASE_WRITE);
    ck_assert_int_gt(number_of(database, "SELECT count(*) FROM item"), 10);
    close_ok(database);
    is_good();
    end_test();
}
END_TEST

START_TEST(committed_data_is_safe_on_disk)
{
    struct database *database;

    begin_test();
    make(10, 10);
    for (int i = 0; i < 2; i++) {
        database = open_as(DATABASE_WRITE);
        for (int commits = 0; commits < 10; commits++) {
            const unsigned before = syncs;

            add_rows(database, 10, 100);
            ck_assert_uint_gt(syncs, before);
        }
        close_ok(database);
    }
    end_test();
}
END_TEST

/* ---- read-only folders ---- */

/* In a process that may not write there. */
static int count_unwritable(bool foreign)
{
    const pid_t pid = start();

    if (pid == 0) {
        struct database *database;
        int64_t rows;

        if (getuid() == 0 && setresuid(NOBODY, NOBODY, NOBODY))
            _exit(200);
        if (access(folder, W_OK) == 0)
            _exit(201);
        database =
            foreign ? database_open_foreign(path, &err) : database_open(path, DATABASE_READ, &format, &err);
        if (!database) {
            fprintf(stderr, "%s\n", err.text);
            _exit(202);
        }
        rows = number_of(database, "SELECT count(*) FROM item");
        if (database_close(database, &err) || (!foreign && faults() != 0))
            _exit(203);
        _exit((int)rows);
    }
    return wait_for(pid);
}

static void counts_unwritable(int rows, bool foreign)
{
    ck_assert_int_eq(chmod(folder, 0555), 0);
    ck_assert_int_eq(count_unwritable(foreign), rows);
    ck_assert_int_eq(chmod(folder, 0755), 0);
}

START_TEST(a_read_only_folder_can_be_read)
{
    struct database *writer;
    uint8_t *data, *wal;
    size_t len, wal_len;

    begin_test();
    writer = open_as(DATABASE_CREATE);
    add_rows(writer, 30, 100);
    run_ok(writer, "PRAGMA wal_checkpoint(TRUNCATE)");
    data = file_load(path, &len);
    add_rows(writer, 10, 100);
    wal = file_load(beside("-wal"), &wal_len);
    close_ok(writer);

    for (int foreign = 0; foreign < 2; foreign++) {
        counts_unwritable(40, foreign); /* at rest */
        file_store(path, data, len);
        counts_unwritable(30, foreign); /* in WAL mode, without one */
        file_store(beside("-wal"), "", 0);
        counts_unwritable(30, foreign);
        file_store(beside("-wal"), wal, wal_len);
        counts_unwritable(40, foreign);
        close_ok(open_as(DATABASE_WRITE));
        is_at_rest();
    }
    free(data);
    free(wal);
    end_test();
}
END_TEST

/* ---- foreign databases ---- */

START_TEST(foreign_databases_are_read_without_running_their_code)
{
    struct database *database;
    sqlite3 *handle;

    begin_test();
    ck_assert_int_eq(sqlite3_open(path, &handle), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(handle,
                                  "PRAGMA journal_mode=WAL; CREATE TABLE a (b); INSERT INTO a VALUES (7);"
                                  "CREATE VIEW v AS SELECT b FROM a",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    database = database_open_foreign(path, &err);
    ck_assert_msg(database != NULL, "%s", err.text);
    sqlite3_exec(handle, "INSERT INTO a VALUES (8)", NULL, NULL, NULL);
    ck_assert_int_eq(number_of(database, "SELECT sum(b) FROM a"), 7);
    ck_assert_int_eq(database_run(database, "SELECT * FROM v", &err), -1);
    ck_assert_int_eq(database_run(database, "DELETE FROM a", &err), -1);
    ck_assert_str_eq(database_path(database), path);
    close_ok(database);
    sqlite3_close(handle);
    file_store(path,
               "not a database, but long enough to be one ..............................."
               "......................................................................",
               140);
    ck_assert_ptr_null(database_open_foreign(path, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "is not an SQLite database"));
    end_test();
}
END_TEST

RUN_TESTS("database", values_of_all_kinds_are_read_back,
          a_value_that_cannot_be_bound_fails_only_the_next_step, a_file_of_another_format_is_refused,
          a_writer_upgrades_an_older_file, a_foreign_schema_is_refused, a_schema_may_need_any_number_of_pages,
          a_file_that_cannot_be_created_leaves_nothing, any_damaged_byte_is_detected,
          a_damaged_page_is_not_used, a_page_whose_cell_overruns_it_is_not_used,
          swapped_or_lost_pages_are_detected, a_file_of_the_wrong_length_is_detected, mutants_do_no_harm,
          at_rest_it_is_one_file, a_reader_keeps_its_view, only_one_writer_is_allowed,
          a_writer_waits_for_no_reader, commits_of_a_killed_writer_survive,
          a_file_can_be_read_and_verified_while_it_is_written, pages_still_in_the_wal_are_not_missing,
          large_transactions_leave_no_large_files, a_full_disk_is_an_error_without_damage,
          committed_data_is_safe_on_disk, a_read_only_folder_can_be_read,
          foreign_databases_are_read_without_running_their_code)
