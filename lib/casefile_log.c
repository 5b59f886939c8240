/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "casefile_inner.h"

/* ---- the chain ---- */

struct entry {
    uint64_t id;
    int64_t time;
    const char *text;
    bool seals;
    uint64_t evidence; /* that is sealed; 0: what the case is about */
    uint8_t seal[CASE_CHAIN_LEN], chain[CASE_CHAIN_LEN];
};

static void put_number(struct buffer *out, uint64_t number)
{
    for (int i = 0; i < 8; i++)
        buffer_add_char(out, (char)(number >> (8 * i)));
}

/* Bound to the case, so that no log can be put into another one. */
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

/* The chain of an entry behind one with that chain. */
static int chain_on(struct digest *digest, const uint8_t before[CASE_CHAIN_LEN], const struct entry *entry,
                    uint8_t chain[CASE_CHAIN_LEN], struct error *err)
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

static void put_value(struct buffer *out, struct statement *row, int column)
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
    }
}

static void put_row(struct buffer *out, struct statement *row)
{
    buffer_reset(out);
    for (int column = 0; column < statement_columns(row); column++)
        put_value(out, row, column);
    buffer_add_char(out, '\n');
}

/* All rows of a query with ids from first to before end. */
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
            put_row(&bytes, row);
            result = bytes.failed ? error_set(err, "out of memory")
                                  : digest_update(digest, bytes.data, bytes.len, err);
            if (result)
                break;
        }
    }
    buffer_release(&bytes);
    statement_free(row);
    return result;
}

/* What the case is about. */
static int digest_case(struct casefile *casefile, struct digest *digest, struct error *err)
{
    return digest_rows(casefile, digest, "SELECT * FROM info WHERE id >= ? AND id < ?", 0, INT64_MAX, err) ||
                   digest_rows(casefile, digest, "SELECT * FROM refset WHERE id >= ? AND id < ? ORDER BY id",
                               0, INT64_MAX, err)
               ? -1
               : 0;
}

static int digest_evidence(struct casefile *casefile, struct digest *digest, uint64_t evidence,
                           struct error *err)
{
    static const char *const queries[] = {
        "SELECT * FROM object WHERE id >= ? AND id < ? ORDER BY id",
        ("SELECT * FROM finding WHERE class IN (0, 1, 2) AND object >= ? AND object < ?"
         " ORDER BY class, object, rank"),
        "SELECT * FROM problem WHERE id >= ? AND id < ? ORDER BY id",
    };
    const int64_t first = casefile_id(evidence, 0), end = casefile_id(evidence + 1, 0);

    if (digest_rows(casefile, digest, "SELECT * FROM evidence WHERE id >= ? AND id < ?", (int64_t)evidence,
                    (int64_t)evidence + 1, err))
        return -1;
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        if (digest_rows(casefile, digest, queries[i], first, end, err))
            return -1;
    return 0;
}

/* The digest of all that the case has of an evidence, or, of number 0, of what it is about. */
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
    if (result > 0 && (!casefile_get_number(row, 0, INT64_MAX - 1, id) ||
                       !casefile_get_exactly(row, 1, chain, CASE_CHAIN_LEN)))
        result = casefile_broken(casefile, err, "the last entry of the log is not as it should be");
    statement_free(row);
    return result < 0 ? -1 : 0;
}

static int put_entry(struct casefile *casefile, const struct entry *entry, struct error *err)
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

static int write_entry(struct casefile *casefile, struct entry *entry, struct error *err)
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
    return result;
}

int casefile_log(struct casefile *casefile, int64_t now, const char *text, struct error *err)
{
    struct entry entry = {.time = now, .text = text};

    return write_entry(casefile, &entry, err);
}

int casefile_seal(struct casefile *casefile, uint64_t evidence, int64_t now, const char *text,
                  struct error *err)
{
    struct entry entry = {.time = now, .text = text, .seals = !casefile->temporary, .evidence = evidence};

    return write_entry(casefile, &entry, err);
}

/* ---- reading ---- */

static bool get_seal(struct statement *row, struct entry *entry)
{
    if (statement_is_null(row, 3) && statement_is_null(row, 4))
        return true;
    entry->seals = true;
    return casefile_get_number(row, 3, CASE_MOST_EVIDENCE, &entry->evidence) &&
           casefile_get_exactly(row, 4, entry->seal, sizeof entry->seal);
}

static bool get_entry(struct statement *row, uint64_t id, struct entry *entry)
{
    *entry = (struct entry){0};
    return casefile_get_number(row, 0, INT64_MAX, &entry->id) && entry->id == id &&
           statement_number(row, 1, &entry->time) && casefile_get_string(row, 2, &entry->text) &&
           get_seal(row, entry) && casefile_get_exactly(row, 5, entry->chain, sizeof entry->chain);
}

/* Each entry; the chain is checked. */
static int read_entries(struct casefile *casefile, struct statement *row, struct digest *digest,
                        void (*tell)(void *arg, const struct entry *entry), void *arg, struct error *err)
{
    uint8_t chain[CASE_CHAIN_LEN];
    struct entry entry;
    uint64_t id = 0;
    int result;

    first_chain(casefile, chain);
    while ((result = statement_step(row, err)) > 0) {
        if (!get_entry(row, ++id, &entry))
            return casefile_broken(casefile, err, "entry %" PRIu64 " of the log is not as it should be", id);
        if (chain_on(digest, chain, &entry, chain, err))
            return -1;
        if (memcmp(chain, entry.chain, sizeof chain) != 0)
            return casefile_broken(casefile, err, "the log was changed: its chain breaks at entry %" PRIu64,
                                   id);
        tell(arg, &entry);
    }
    return result;
}

static int read_all(struct casefile *casefile, struct digest *digest,
                    void (*tell)(void *arg, const struct entry *entry), void *arg, struct error *err)
{
    struct statement *row = database_prepare(
        casefile->database, "SELECT id, time, text, evidence, seal, chain FROM log ORDER BY id", err);
    const int result = row ? read_entries(casefile, row, digest, tell, arg, err) : -1;

    statement_free(row);
    return result;
}

struct log_reader {
    void (*tell)(void *arg, const struct case_entry *entry);
    void *arg;
};

static void tell_entry(void *arg, const struct entry *entry)
{
    const struct log_reader *reader = arg;
    const struct case_entry told = {.time = entry->time, .text = entry->text, .chain = entry->chain};

    reader->tell(reader->arg, &told);
}

int casefile_read_log(struct casefile *casefile, void (*tell)(void *arg, const struct case_entry *entry),
                      void *arg, struct error *err)
{
    struct digest *digest = digest_new(DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_SHA256), err);
    struct log_reader reader = {tell, arg};
    const int result = digest ? read_all(casefile, digest, tell_entry, &reader, err) : -1;

    digest_free(digest);
    return result;
}

/* ---- checking ---- */

/* The last seal of each evidence. */
struct seals {
    struct seal {
        bool found;
        uint8_t bytes[CASE_CHAIN_LEN];
    } * list; /* the first: of what the case is about */
    uint64_t count;
};

static void take_seal(void *arg, const struct entry *entry)
{
    struct seals *seals = arg;

    if (!entry->seals || entry->evidence >= seals->count)
        return;
    seals->list[entry->evidence].found = true;
    memcpy(seals->list[entry->evidence].bytes, entry->seal, CASE_CHAIN_LEN);
}

static int count_evidence(struct casefile *casefile, uint64_t *count, struct error *err)
{
    struct statement *row = database_prepare(casefile->database, "SELECT count(*) FROM evidence", err);
    int result = row ? statement_step(row, err) : -1;

    if (result > 0 && !casefile_get_number(row, 0, CASE_MOST_EVIDENCE, count))
        result = casefile_broken(casefile, err, "it has too many pieces of evidence");
    statement_free(row);
    return result > 0 ? 0 : -1;
}

static int check_seal(struct casefile *casefile, struct digest *digest, uint64_t evidence,
                      const struct seal *was, struct error *err)
{
    struct case_evidence about;
    uint8_t is[CASE_CHAIN_LEN];

    if (evidence && casefile_evidence(casefile, evidence, &about, err) <= 0)
        return -1;
    if (evidence && about.state == CASE_BEGUN) /* it is sealed at its end */
        return 0;
    if (make_seal(casefile, digest, evidence, is, err))
        return -1;
    if (was->found && memcmp(was->bytes, is, sizeof is) == 0)
        return 0;
    if (evidence == 0)
        return casefile_broken(casefile, err, "its parameters or sets are not those that the log sealed");
    return casefile_broken(casefile, err, "what it has of evidence %" PRIu64 " is not what the log sealed",
                           evidence);
}

static int check_all(struct casefile *casefile, struct digest *digest, struct seals *seals,
                     void (*fault)(void *arg, const struct error *why), void *arg, struct error *err)
{
    if (count_evidence(casefile, &seals->count, err))
        return -1;
    seals->count++;
    seals->list = calloc(seals->count, sizeof *seals->list);
    if (!seals->list)
        return error_set(err, "out of memory for %" PRIu64 " seals", seals->count);
    if (read_all(casefile, digest, take_seal, seals, err))
        return -1;
    for (uint64_t i = 0; i < seals->count; i++) {
        struct error why;

        if (check_seal(casefile, digest, i, &seals->list[i], &why))
            fault(arg, &why);
    }
    return 0;
}

int casefile_check_seals(struct casefile *casefile, void (*fault)(void *arg, const struct error *why),
                         void *arg, struct error *err)
{
    struct digest *digest = digest_new(DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_SHA256), err);
    struct seals seals = {0};
    const int result = digest ? check_all(casefile, digest, &seals, fault, arg, err) : -1;

    free(seals.list);
    digest_free(digest);
    return result;
}
