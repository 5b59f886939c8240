/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case/casefile_inner.h"

/* ---- the chain ---- */

struct log_entry {
    uint64_t id;
    int64_t time;
    const char *text;
    bool seals;
    uint64_t evidence; /* the evidence item that it seals; 0: what the case is about */
    uint8_t seal[CASE_CHAIN_LEN], chain[CASE_CHAIN_LEN];
};

static void put_number(struct buffer *out, uint64_t number)
{
    for (int i = 0; i < 8; i++)
        buffer_add_char(out, (char)(number >> (8 * i)));
}

/* The chain begins with the case's UUID, so that a log cannot be moved to another case. */
static void first_chain(const struct casefile *casefile, uint8_t chain[CASE_CHAIN_LEN])
{
    memset(chain, 0, CASE_CHAIN_LEN);
    memcpy(chain, casefile->info.uuid, sizeof casefile->info.uuid);
}

static int sha256(struct digest *digest, const struct buffer *bytes, uint8_t out[CASE_CHAIN_LEN],
                  struct error *err)
{
    struct digest_values values;

    if (bytes->failed)
        return error_set(err, "out of memory");
    if (digest_begin(digest, err) || digest_update(digest, bytes->data, bytes->len, err) ||
        digest_final(digest, &values, err))
        return -1;
    memcpy(out, values.bytes[DIGEST_SHA256], CASE_CHAIN_LEN);
    return 0;
}

/* Computes the chain of an entry from that of the entry before. */
static int chain_on(struct digest *digest, const uint8_t before[CASE_CHAIN_LEN],
                    const struct log_entry *entry, uint8_t chain[CASE_CHAIN_LEN], struct error *err)
{
    struct buffer bytes = {0};
    int result;

    buffer_add(&bytes, before, CASE_CHAIN_LEN);
    put_number(&bytes, entry->id);
    put_number(&bytes, (uint64_t)entry->time);
    buffer_add_char(&bytes, (char)entry->seals);
    if (entry->seals) {
        put_number(&bytes, entry->evidence);
        buffer_add(&bytes, entry->seal, CASE_CHAIN_LEN);
    }
    buffer_add_text(&bytes, entry->text);
    result = sha256(digest, &bytes, chain, err);
    buffer_release(&bytes);
    return result;
}

/* ---- seals ---- */

/* Returns false if out of memory. */
static bool put_value(struct buffer *out, struct statement *row, int column)
{
    const void *data;
    size_t len;
    int64_t number;
    double real;

    if (statement_is_null(row, column)) {
        buffer_add_char(out, '0');
    } else if (statement_number(row, column, &number)) {
        buffer_add_char(out, '1');
        put_number(out, (uint64_t)number);
    } else if (statement_real(row, column, &real)) {
        buffer_add_char(out, '2');
        buffer_add(out, &real, sizeof real);
    } else if (statement_bytes(row, column, &data, &len)) {
        buffer_add_char(out, '3');
        put_number(out, len);
        buffer_add(out, data, len);
    } else {
        return false;
    }
    return true;
}

static int put_row(struct buffer *out, struct statement *row, struct error *err)
{
    bool good = true;

    buffer_reset(out);
    for (int column = 0; column < statement_columns(row) && good; column++)
        good = put_value(out, row, column);
    buffer_add_char(out, '\n');
    return good && !out->failed ? 0 : error_set(err, "out of memory");
}

/* Hashes all rows of a query with ids from first to below end. */
static int digest_rows(struct casefile *casefile, struct digest *digest, const char *sql, int64_t first,
                       int64_t end, struct error *err)
{
    struct statement *row = database_prepare(casefile->database, sql, err);
    struct buffer bytes = {0};
    int result = -1;

    if (row) {
        statement_bind_number(row, 1, first);
        statement_bind_number(row, 2, end);
        while ((result = statement_step(row, err)) > 0) {
            result = put_row(&bytes, row, err) ? -1 : digest_update(digest, bytes.data, bytes.len, err);
            if (result)
                break;
        }
    }
    buffer_release(&bytes);
    statement_free(row);
    return result;
}

static int digest_queries(struct casefile *casefile, struct digest *digest, const char *const *queries,
                          int64_t first, int64_t end, struct error *err)
{
    for (; *queries; queries++)
        if (digest_rows(casefile, digest, *queries, first, end, err))
            return -1;
    return 0;
}

/* Hashes what the case is about.  Of an evidence item this covers only the path: the rest is sealed when its
 * scan ends. */
static int digest_case(struct casefile *casefile, struct digest *digest, struct error *err)
{
    static const char *const queries[] = {
        "SELECT * FROM info WHERE id >= ? AND id <= ? ORDER BY id",
        "SELECT * FROM refset WHERE id >= ? AND id <= ? ORDER BY id",
        "SELECT id, path FROM evidence WHERE id >= ? AND id <= ? ORDER BY id",
        "SELECT * FROM context WHERE id >= ? AND id <= ? ORDER BY id",
        "SELECT * FROM pass WHERE id >= ? AND id <= ? ORDER BY id",
        NULL,
    };

    return digest_queries(casefile, digest, queries, INT64_MIN, INT64_MAX, err);
}

static int digest_evidence(struct casefile *casefile, struct digest *digest, uint64_t evidence,
                           struct error *err)
{
    static const char *const row[] = {"SELECT * FROM evidence WHERE id >= ? AND id < ?", NULL};
    static const char *const queries[] = {
        "SELECT * FROM object WHERE id >= ? AND id < ? ORDER BY id",
        ("SELECT * FROM finding WHERE class IN (0, 1, 2) AND object >= ? AND object < ?"
         " ORDER BY class, object, rank"),
        "SELECT * FROM problem WHERE id >= ? AND id < ? ORDER BY id",
        "SELECT * FROM account WHERE id >= ? AND id < ? ORDER BY id",
        "SELECT * FROM bad WHERE id >= ? AND id < ? ORDER BY id",
        "SELECT * FROM origin WHERE id >= ? AND id < ? ORDER BY id",
        ("SELECT * FROM place WHERE object >= ? AND object < ?"
         " ORDER BY refset, file, start, object, rank"),
        "SELECT * FROM twin WHERE object >= ? AND object < ? ORDER BY object, rank",
        "SELECT * FROM score WHERE object >= ? AND object < ? ORDER BY object, rank",
        NULL,
    };

    if (digest_queries(casefile, digest, row, (int64_t)evidence, (int64_t)evidence + 1, err))
        return -1;
    return digest_queries(casefile, digest, queries, casefile_id(evidence, 0), casefile_id(evidence + 1, 0),
                          err);
}

/* Computes the digest of everything the case has of an evidence item or, for number 0, of what the case is
 * about. */
static int make_seal(struct casefile *casefile, struct digest *digest, uint64_t evidence,
                     uint8_t seal[CASE_CHAIN_LEN], struct error *err)
{
    struct digest_values values;

    if (digest_begin(digest, err) ||
        (evidence ? digest_evidence(casefile, digest, evidence, err) : digest_case(casefile, digest, err)) ||
        digest_final(digest, &values, err))
        return -1;
    memcpy(seal, values.bytes[DIGEST_SHA256], CASE_CHAIN_LEN);
    return 0;
}

/* ---- writing ---- */

static int last_entry(struct casefile *casefile, uint64_t *id, uint8_t chain[CASE_CHAIN_LEN],
                      struct error *err)
{
    struct statement *row =
        database_prepare(casefile->database, "SELECT id, chain FROM log ORDER BY id DESC LIMIT 1", err);
    int result = row ? statement_step(row, err) : -1;

    *id = 0;
    first_chain(casefile, chain);
    if (result > 0 &&
        (!statement_up_to(row, 0, INT64_MAX - 1, id) || !statement_exactly(row, 1, chain, CASE_CHAIN_LEN)))
        result = casefile_broken(casefile, err, "the last entry of the log is malformed");
    statement_free(row);
    return result < 0 ? -1 : 0;
}

static int put_entry(struct casefile *casefile, const struct log_entry *entry, struct error *err)
{
    struct statement *row = database_prepare(
        casefile->database,
        "INSERT INTO log (id, time, text, evidence, seal, chain) VALUES (?, ?, ?, ?, ?, ?)", err);

    if (!row)
        return -1;
    casefile_bind_number(row, 1, entry->id);
    statement_bind_number(row, 2, entry->time);
    casefile_bind_string(row, 3, entry->text);
    if (entry->seals) {
        casefile_bind_number(row, 4, entry->evidence);
        statement_bind_bytes(row, 5, entry->seal, CASE_CHAIN_LEN);
    } else {
        statement_bind_null(row, 4);
        statement_bind_null(row, 5);
    }
    statement_bind_bytes(row, 6, entry->chain, CASE_CHAIN_LEN);
    return casefile_run(casefile, row, err);
}

/* If the entry cannot be written, neither is the change it belongs to. */
static int write_entry(struct casefile *casefile, struct log_entry *entry, struct error *err)
{
    struct digest *digest = digest_new(DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_SHA256), err);
    uint8_t before[CASE_CHAIN_LEN];
    int result = -1;

    if (digest && last_entry(casefile, &entry->id, before, err) == 0) {
        entry->id++;
        result = entry->seals ? make_seal(casefile, digest, entry->evidence, entry->seal, err) : 0;
        if (result == 0)
            result = chain_on(digest, before, entry, entry->chain, err) || put_entry(casefile, entry, err) ||
                             casefile_commit(casefile, err)
                         ? -1
                         : 0;
    }
    digest_free(digest);
    return result ? casefile_abandon(casefile) : 0;
}

int casefile_chain(struct casefile *casefile, uint8_t chain[CASE_CHAIN_LEN], struct error *err)
{
    uint64_t id;

    return last_entry(casefile, &id, chain, err);
}

int casefile_log(struct casefile *casefile, int64_t now, const char *text, struct error *err)
{
    struct log_entry entry = {.time = now, .text = text};

    return write_entry(casefile, &entry, err);
}

int casefile_seal(struct casefile *casefile, uint64_t evidence, int64_t now, const char *text,
                  struct error *err)
{
    struct log_entry entry = {.time = now, .text = text, .seals = !casefile->temporary, .evidence = evidence};

    return write_entry(casefile, &entry, err);
}

/* ---- reading ---- */

static bool get_seal(struct statement *row, struct log_entry *entry)
{
    if (statement_is_null(row, 3) && statement_is_null(row, 4))
        return true;
    entry->seals = true;
    return statement_up_to(row, 3, CASE_MOST_EVIDENCE, &entry->evidence) &&
           statement_exactly(row, 4, entry->seal, sizeof entry->seal);
}

static bool get_entry(struct statement *row, uint64_t id, struct log_entry *entry)
{
    *entry = (struct log_entry){0};
    return statement_up_to(row, 0, INT64_MAX, &entry->id) && entry->id == id &&
           statement_number(row, 1, &entry->time) && casefile_get_string(row, 2, &entry->text) &&
           get_seal(row, entry) && statement_exactly(row, 5, entry->chain, sizeof entry->chain);
}

enum { LOG_BROKEN = -2 };

/* Passes on each entry.  Returns 0, LOG_BROKEN where the chain breaks, or -1 if the log cannot be read. */
static int read_entries(struct casefile *casefile, struct statement *row, struct digest *digest,
                        void (*each)(void *arg, const struct log_entry *entry), void *arg, struct error *err)
{
    uint8_t chain[CASE_CHAIN_LEN];
    struct log_entry entry;
    uint64_t id = 0;
    int result;

    first_chain(casefile, chain);
    while ((result = statement_step(row, err)) > 0) {
        if (!get_entry(row, ++id, &entry)) {
            casefile_broken(casefile, err, "entry %" PRIu64 " of the log is malformed", id);
            return LOG_BROKEN;
        }
        if (chain_on(digest, chain, &entry, chain, err))
            return -1;
        if (memcmp(chain, entry.chain, sizeof chain) != 0) {
            casefile_broken(casefile, err, "the log was changed: its chain breaks at entry %" PRIu64, id);
            return LOG_BROKEN;
        }
        each(arg, &entry);
    }
    return result;
}

static int read_all(struct casefile *casefile, struct digest *digest,
                    void (*each)(void *arg, const struct log_entry *entry), void *arg, struct error *err)
{
    struct statement *row = database_prepare(
        casefile->database, "SELECT id, time, text, evidence, seal, chain FROM log ORDER BY id", err);
    const int result = row ? read_entries(casefile, row, digest, each, arg, err) : -1;

    statement_free(row);
    return result;
}

struct log_reader {
    void (*each)(void *arg, const struct case_entry *entry);
    void *arg;
};

static void pass_entry(void *arg, const struct log_entry *entry)
{
    const struct log_reader *reader = arg;
    const struct case_entry public = {.time = entry->time, .text = entry->text, .chain = entry->chain};

    reader->each(reader->arg, &public);
}

int casefile_read_log(struct casefile *casefile, void (*each)(void *arg, const struct case_entry *entry),
                      void *arg, struct error *err)
{
    struct digest *digest = digest_new(DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_SHA256), err);
    struct log_reader reader = {each, arg};
    const int result = digest ? read_all(casefile, digest, pass_entry, &reader, err) : -1;

    digest_free(digest);
    return result ? -1 : 0;
}

/* ---- checking ---- */

struct log_check {
    struct casefile *casefile;
    struct digest *digest;
    struct seal {
        bool found;
        uint8_t bytes[CASE_CHAIN_LEN];
    } * seals; /* by number of the evidence item; the first one seals what the case is about */
    uint64_t count;
    void (*fault)(void *arg, const char *text);
    void *arg;
    int faults;
};

static void take_fault(struct log_check *check, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void take_fault(struct log_check *check, const char *fmt, ...)
{
    struct error what, why;
    va_list args;

    va_start(args, fmt);
    vsnprintf(what.text, sizeof what.text, fmt, args);
    va_end(args);
    casefile_broken(check->casefile, &why, "%s", what.text);
    check->fault(check->arg, why.text);
    check->faults++;
}

/* An evidence item is sealed once, when it is complete; what the case is about, whenever it changes. */
static void take_seal(void *arg, const struct log_entry *entry)
{
    struct log_check *check = arg;
    struct seal *seal;

    if (!entry->seals)
        return;
    if (entry->evidence >= check->count) {
        take_fault(check, "entry %" PRIu64 " of the log seals evidence %" PRIu64 ", which is missing",
                   entry->id, entry->evidence);
        return;
    }
    seal = &check->seals[entry->evidence];
    if (seal->found && entry->evidence && memcmp(seal->bytes, entry->seal, sizeof seal->bytes) != 0)
        take_fault(check, "evidence %" PRIu64 " was sealed twice, with different content", entry->evidence);
    seal->found = true;
    memcpy(seal->bytes, entry->seal, sizeof seal->bytes);
}

/* Reads the first column of the first row. */
static int count_rows(struct casefile *casefile, const char *sql, uint64_t *count, struct error *err)
{
    int64_t number;
    const int is_number = statement_ask(casefile->database, sql, &number, err);

    *count = (uint64_t)number;
    return is_number ? is_number - 1 : error_set(err, "out of memory");
}

static int compare_seal(struct log_check *check, uint64_t evidence, struct error *err)
{
    const struct seal *was = &check->seals[evidence];
    uint8_t is[CASE_CHAIN_LEN];

    if (make_seal(check->casefile, check->digest, evidence, is, err))
        return -1;
    if (memcmp(was->bytes, is, sizeof is) == 0)
        return 0;
    if (evidence == 0)
        take_fault(check, "its parameters, sets or evidence do not match what the log sealed");
    else
        take_fault(check, "the content of evidence %" PRIu64 " does not match what the log sealed", evidence);
    return 0;
}

static int check_seal(struct log_check *check, uint64_t evidence, struct error *err)
{
    struct case_evidence about = {.state = CASE_DONE};
    const bool found = check->seals[evidence].found;

    if (evidence && casefile_evidence(check->casefile, evidence, &about, err) <= 0) {
        take_fault(check, "evidence %" PRIu64 " is missing or malformed", evidence);
    } else if (casefile_is_sealed(about.state) && !found) {
        if (evidence)
            take_fault(check, "no seal in the log for evidence %" PRIu64, evidence);
        else
            take_fault(check, "no seal in the log for the case itself");
    } else if (!casefile_is_sealed(about.state) && found) {
        take_fault(check, "evidence %" PRIu64 " was sealed, but its state is %s", evidence,
                   casefile_state_name(about.state));
    } else if (found) {
        return compare_seal(check, evidence, err);
    }
    return 0;
}

/* Checks for findings that no report and no seal would cover. */
static int check_classes(struct log_check *check, struct error *err)
{
    uint64_t below, above;

    if (count_rows(check->casefile, "SELECT count(*) FROM finding WHERE class < 0", &below, err) ||
        count_rows(check->casefile, "SELECT count(*) FROM finding WHERE class > 2", &above, err))
        return -1;
    if (below + above)
        take_fault(check, "findings without a class: %" PRIu64, below + above);
    return 0;
}

/*
 * Checks for rows outside every evidence item, which no seal covers.  They lie at the ends of a key, so no
 * other rows are read.
 */
static int check_strays(struct log_check *check, struct error *err)
{
    static const struct {
        const char *what, *key;
    } tables[] = {
        {"objects", "object WHERE id"},
        {"findings", "finding WHERE class = 0 AND object"},
        {"findings", "finding WHERE class = 1 AND object"},
        {"findings", "finding WHERE class = 2 AND object"},
        {"problems", "problem WHERE id"},
        {"accounts", "account WHERE id"},
        {"unreadable ranges", "bad WHERE id"},
        {"origins", "origin WHERE id"},
        {"places", "place WHERE object"},
        {"twins", "twin WHERE object"},
    };

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        uint64_t below, above;
        char sql[128];

        snprintf(sql, sizeof sql, "SELECT count(*) FROM %s < %" PRId64, tables[i].key, casefile_id(1, 0));
        if (count_rows(check->casefile, sql, &below, err))
            return -1;
        snprintf(sql, sizeof sql, "SELECT count(*) FROM %s >= %" PRId64, tables[i].key,
                 casefile_id(check->count, 0));
        if (count_rows(check->casefile, sql, &above, err))
            return -1;
        if (below + above)
            take_fault(check, "%s that belong to no evidence: %" PRIu64, tables[i].what, below + above);
    }
    return 0;
}

static int check_all(struct log_check *check, struct error *err)
{
    struct error why;
    int result;

    if (count_rows(check->casefile, "SELECT count(*) FROM evidence", &check->count, err))
        return -1;
    if (check->count++ > CASE_MOST_EVIDENCE)
        return casefile_broken(check->casefile, err, "too many evidence items");
    check->seals = calloc(check->count, sizeof *check->seals);
    if (!check->seals)
        return error_set(err, "out of memory for %" PRIu64 " seals", check->count);
    if (check_strays(check, err) || check_classes(check, err))
        return -1;
    result = read_all(check->casefile, check->digest, take_seal, check, &why);
    if (result == LOG_BROKEN) { /* what it sealed is unknown */
        check->fault(check->arg, why.text);
        check->faults++;
        return 0;
    }
    if (result)
        return error_set(err, "%s", why.text);
    for (uint64_t i = 0; i < check->count && result == 0; i++)
        result = check_seal(check, i, err);
    return result ? -1 : 0;
}

int casefile_check(struct casefile *casefile, void (*fault)(void *arg, const char *text), void *arg,
                   struct error *err)
{
    struct log_check check = {.casefile = casefile,
                              .digest = digest_new(DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_SHA256), err),
                              .fault = fault,
                              .arg = arg};
    const int result = check.digest ? check_all(&check, err) : -1;

    free(check.seals);
    digest_free(check.digest);
    return result ? -1 : check.faults;
}
