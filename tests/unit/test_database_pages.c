/* SPDX-License-Identifier: Apache-2.0 */
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check_main.h"
#include "database/database_inner.h"
#include "database/statement.h"

/* Pages are read through SQLite, and by calling the file's own method with ranges that SQLite never
 * requests. */

enum { VALUES = 40, VALUE_STEP = 1021, LONGEST = VALUES * VALUE_STEP };

static const char *const steps[] = {"CREATE TABLE item (id INTEGER PRIMARY KEY, first BLOB, data BLOB)",
                                    NULL};
static const struct database_format format = {
    .application_id = 0x6b746573, .noun = "thing set", .steps = steps};

static char path[64];
static struct error err;
static uint8_t *truth; /* the content of the file */
static int64_t size;

/* ---- the file ---- */

static void change(int64_t at, const uint8_t *data, size_t len)
{
    FILE *file = fopen(path, "r+b");

    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fseek(file, (long)at, SEEK_SET), 0);
    ck_assert_uint_eq(fwrite(data, 1, len, file), len);
    ck_assert_int_eq(fclose(file), 0);
}

static void damage(int64_t at)
{
    const uint8_t byte = truth[at] ^ 64;

    change(at, &byte, 1);
}

static void restore(int64_t at)
{
    change(at, truth + at, 1);
}

static void load(void)
{
    FILE *file = fopen(path, "rb");
    struct stat status;

    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fstat(fileno(file), &status), 0);
    size = status.st_size;
    truth = malloc((size_t)size);
    ck_assert_uint_eq(fread(truth, 1, (size_t)size, file), (size_t)size);
    fclose(file);
}

static struct database *open_as(enum database_mode mode)
{
    struct database *database = database_open(path, mode, &format, &err);

    ck_assert_msg(database != NULL, "%s", err.text);
    return database;
}

static void close_ok(struct database *database)
{
    ck_assert_msg(database_close(database, &err) == 0, "%s", err.text);
}

static void value(uint8_t *into, unsigned id, size_t len)
{
    for (size_t i = 0; i < len; i++)
        into[i] = (uint8_t)(i * 7 + i / 251 + id);
}

/* Values of all lengths, up to ten pages each. */
static void begin_test(void)
{
    struct database *database;
    struct statement *statement;
    uint8_t data[LONGEST];
    int fd;

    strcpy(path, "/tmp/test_database_pages.XXXXXX");
    fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    unlink(path);
    database = open_as(DATABASE_CREATE);
    statement = database_prepare(database, "INSERT INTO item VALUES (?, ?, ?)", &err);
    ck_assert_ptr_nonnull(statement);
    for (unsigned id = 1; id <= VALUES; id++) {
        value(data, id, id * VALUE_STEP);
        statement_bind_number(statement, 1, id);
        statement_bind_bytes(statement, 2, data, id % 5 * 1000);
        statement_bind_bytes(statement, 3, data, id * VALUE_STEP);
        ck_assert_int_eq(statement_run(statement, &err), 0);
    }
    statement_free(statement);
    close_ok(database);
    load();
}

static void end_test(void)
{
    free(truth);
    ck_assert_int_eq(unlink(path), 0);
}

static struct database *begin_reading(void)
{
    begin_test();
    return open_as(DATABASE_READ);
}

static void end_reading(struct database *database)
{
    close_ok(database);
    end_test();
}

/* ---- through SQLite ---- */

/* False if reading failed. */
static bool values_come_back(struct database *database, const char *sql, unsigned from)
{
    struct statement *statement = database_prepare(database, sql, &err);
    uint8_t wanted[LONGEST];
    const void *data;
    unsigned count = 0;
    int64_t id;
    size_t len;
    int result;

    ck_assert_msg(statement != NULL, "%s", err.text);
    while ((result = statement_step(statement, &err)) == 1) {
        ck_assert(statement_number(statement, 0, &id) && statement_bytes(statement, 1, &data, &len));
        value(wanted, (unsigned)id, LONGEST);
        ck_assert_uint_eq(len, (size_t)id * VALUE_STEP - from);
        ck_assert_mem_eq(data, wanted + from, len);
        count++;
    }
    statement_free(statement);
    if (result == 0)
        ck_assert_uint_eq(count, VALUES);
    return result == 0;
}

START_TEST(long_values_are_read_back)
{
    static const char *const queries[] = {
        "SELECT id, data FROM item",
        "SELECT id, data, first FROM item ORDER BY id DESC",
        "SELECT id, substr(data, 1001) FROM item",
    };
    static const enum database_mode modes[] = {DATABASE_READ, DATABASE_FIXED, DATABASE_WRITE};

    begin_test();
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        for (size_t j = 0; j < sizeof queries / sizeof *queries; j++) {
            struct database *database = open_as(modes[i]);

            for (int again = 0; again < 2; again++)
                ck_assert_msg(values_come_back(database, queries[j], j == 2 ? 1000 : 0), "%zu: %s", j,
                              err.text);
            close_ok(database);
        }
    end_test();
}
END_TEST

/* Also in the last bytes of a page, which only the checksum occupies.  Page 2 says which page belongs to
 * which: it is not needed for reading. */
START_TEST(damage_in_a_long_value_is_detected)
{
    char wanted[200];

    begin_test();
    for (int64_t page = 3; page <= size / DATABASE_PAGE; page++)
        for (int i = 0; i < 3; i++) {
            const int64_t at = (page - 1) * DATABASE_PAGE + (i == 0   ? 0
                                                             : i == 1 ? (int64_t)(random64() % DATABASE_PAGE)
                                                                      : DATABASE_PAGE - 1);
            struct database *database;

            damage(at);
            database = open_as(DATABASE_READ);
            ck_assert_msg(!values_come_back(database, "SELECT id, data FROM item", 0), "byte %d", (int)at);
            snprintf(wanted, sizeof wanted, "%s: page %d is damaged: checksum mismatch", path, (int)page);
            ck_assert_str_eq(err.text, wanted);
            close_ok(database);
            restore(at);
        }
    end_test();
}
END_TEST

/* ---- any range ---- */

static sqlite3_file *file_of(struct database *database)
{
    sqlite3_file *file = NULL;

    ck_assert_int_eq(sqlite3_file_control(database->handle, "main", SQLITE_FCNTL_FILE_POINTER, &file),
                     SQLITE_OK);
    ck_assert_ptr_nonnull(file);
    return file;
}

/* Up to five pages; about a third of the ends are the end of a page. */
static int64_t some_place(int64_t from)
{
    const int64_t left = size - from;
    const int64_t most = left < 5 * DATABASE_PAGE ? left : 5 * DATABASE_PAGE;
    const int64_t place = from + (int64_t)(random64() % (uint64_t)(most + 1));
    const int64_t border = place / DATABASE_PAGE * DATABASE_PAGE;

    return random64() % 3 == 0 && border >= from ? border : place;
}

static int read_range(struct database *database, int64_t from, int64_t to, uint8_t *into)
{
    sqlite3_file *file = file_of(database);

    return file->pMethods->xRead(file, into, (int)(to - from), from);
}

START_TEST(any_part_of_the_file_can_be_read)
{
    struct database *database;
    uint8_t got[5 * DATABASE_PAGE + 1];

    database = begin_reading();
    for (int i = 0; i < 20000; i++) {
        const int64_t from = (int64_t)(random64() % (uint64_t)size), to = some_place(from);

        got[to - from] = 0xa5;
        ck_assert_int_eq(read_range(database, from, to, got), SQLITE_OK);
        ck_assert_mem_eq(got, truth + from, (size_t)(to - from));
        ck_assert_uint_eq(got[to - from], 0xa5);
    }
    end_reading(database);
}
END_TEST

static void assert_damaged(struct database *database, int code, int64_t page)
{
    ck_assert_int_eq(code, SQLITE_IOERR_DATA);
    ck_assert_int_eq((int64_t)database_pages_damaged(database->handle), page + 1);
}

/* Whether or not the damaged byte is in the range, its page counts.  Only the header can be read without page
 * 1. */
START_TEST(no_part_of_a_damaged_page_can_be_read)
{
    struct database *database;
    uint8_t got[5 * DATABASE_PAGE];

    database = begin_reading();
    for (int i = 0; i < 20000; i++) {
        const int64_t from = (int64_t)(random64() % (uint64_t)(size - 1)), to = some_place(from + 1);
        const int64_t at = (int64_t)(random64() % (uint64_t)size), page = at / DATABASE_PAGE;
        const bool touches = from < (page + 1) * DATABASE_PAGE && to > page * DATABASE_PAGE;
        int code;

        if (!touches && i % 8 > 0)
            continue;
        damage(at);
        code = read_range(database, from, to, got);
        if (touches && to > DATABASE_HEADER) {
            assert_damaged(database, code, page);
        } else {
            ck_assert_int_eq(code, SQLITE_OK);
        }
        restore(at);
    }
    end_reading(database);
}
END_TEST

START_TEST(nothing_can_be_read_past_the_end)
{
    struct database *database;
    uint8_t got[2 * DATABASE_PAGE];

    database = begin_reading();
    for (int i = 0; i < 1000; i++) {
        const int64_t from = size - (int64_t)(random64() % DATABASE_PAGE);
        const int64_t to = size + 1 + (int64_t)(random64() % (DATABASE_PAGE - 1));

        assert_damaged(database, read_range(database, from, to, got), size / DATABASE_PAGE);
    }
    ck_assert_int_ne(read_range(database, (int64_t)UINT32_MAX * DATABASE_PAGE,
                                (int64_t)UINT32_MAX * DATABASE_PAGE + 1, got),
                     SQLITE_OK);
    end_reading(database);
}
END_TEST

RUN_TESTS("database_pages", long_values_are_read_back, damage_in_a_long_value_is_detected,
          any_part_of_the_file_can_be_read, no_part_of_a_damaged_page_can_be_read,
          nothing_can_be_read_past_the_end)
