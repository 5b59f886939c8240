/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "case/casefile_inner.h"

/* ---- counts ---- */

static int add_count(struct casefile *casefile, struct statement *row, uint64_t findings[VERDICTS],
                     struct error *err)
{
    enum verdict verdict;
    uint64_t count;

    if (!casefile_get_verdict(row, 0, &verdict) || !statement_up_to(row, 1, INT64_MAX, &count))
        return casefile_broken(casefile, err, "malformed row in table finding: invalid verdict");
    findings[verdict] += count;
    return 0;
}

int casefile_count_findings(struct casefile *casefile, uint64_t evidence, uint64_t findings[VERDICTS],
                            struct error *err)
{
    struct statement *row;
    int result;

    if (evidence > CASE_MOST_EVIDENCE)
        return 0;
    /* Without GROUP BY, for which SQLite would sort all rows in memory. */
    row = database_prepare(casefile->database,
                           "SELECT verdict, 1 FROM finding WHERE class IN (?1, ?2)"
                           " AND object > ?3 AND object < ?4 AND NOT EXISTS (SELECT 1 FROM twin t"
                           " WHERE t.object = finding.object AND t.rank = finding.rank)",
                           err);
    if (!row)
        return -1;
    casefile_bind_number(row, 1, CASE_NOTABLE);
    casefile_bind_number(row, 2, CASE_NEUTRAL);
    statement_bind_number(row, 3, casefile_id(evidence, 0));
    statement_bind_number(row, 4, casefile_id(evidence + 1, 0));
    while ((result = statement_step(row, err)) > 0)
        if (add_count(casefile, row, findings, err)) {
            result = -1;
            break;
        }
    statement_free(row);
    return result;
}

int casefile_count_repeated(struct casefile *casefile, uint64_t evidence, uint64_t *objects,
                            struct error *err)
{
    struct statement *row;
    int result;

    *objects = 0;
    if (evidence > CASE_MOST_EVIDENCE)
        return 0;
    row = database_prepare(
        casefile->database,
        "SELECT count(*) FROM (SELECT DISTINCT object FROM twin WHERE object > ?1 AND object < ?2) k"
        " WHERE EXISTS (SELECT 1 FROM finding f WHERE f.class IN (0, 1) AND f.object = k.object)"
        " AND NOT EXISTS (SELECT 1 FROM finding f WHERE f.class IN (0, 1) AND f.object = k.object"
        " AND NOT EXISTS (SELECT 1 FROM twin t WHERE t.object = f.object AND t.rank = f.rank))",
        err);
    if (!row)
        return -1;
    casefile_bind_ids(row, 1, evidence);
    result = statement_step(row, err);
    if (result > 0 && !statement_up_to(row, 0, INT64_MAX, objects))
        result = casefile_broken(casefile, err, "malformed row in table twin");
    statement_free(row);
    return result < 0 ? -1 : 0;
}

/* ---- problems ---- */

int casefile_problems(struct casefile *casefile, uint64_t evidence, void (*each)(void *arg, const char *text),
                      void *arg, struct error *err)
{
    struct statement *row;
    const char *text;
    int result;

    if (evidence > CASE_MOST_EVIDENCE)
        return 0;
    row = database_prepare(casefile->database,
                           "SELECT text FROM problem WHERE id > ?1 AND id < ?2 ORDER BY id", err);
    if (!row)
        return -1;
    statement_bind_number(row, 1, casefile_id(evidence, 0));
    statement_bind_number(row, 2, casefile_id(evidence + 1, 0));
    while ((result = statement_step(row, err)) > 0) {
        if (!casefile_get_string(row, 0, &text)) {
            result = casefile_broken(casefile, err, "malformed row in table problem");
            break;
        }
        each(arg, text);
    }
    statement_free(row);
    return result;
}

/* ---- members ---- */

/* The path and the reason of a member; of one without a path, its address. */
static int take_unopened(struct casefile *casefile, struct statement *row,
                         void (*each)(void *arg, const char *path, const char *reason), void *arg,
                         struct error *err)
{
    const char *address, *reason;
    const void *paths;
    size_t len;

    if (!casefile_get_string(row, 0, &address) || !casefile_get_string(row, 1, &reason) ||
        !statement_bytes(row, 2, &paths, &len))
        return casefile_broken(casefile, err, "malformed row in table object: invalid text");
    each(arg, len && memchr(paths, '\0', len) ? paths : address, reason);
    return 0;
}

/* Of a member in chunks, the first one counts as the member. */
int casefile_members(struct casefile *casefile, uint64_t evidence, uint64_t item, uint64_t *count,
                     uint64_t *bytes, struct error *err)
{
    struct statement *row;
    int result;

    *count = *bytes = 0;
    if (evidence > CASE_MOST_EVIDENCE || item > INT64_MAX)
        return 0;
    row = database_prepare(casefile->database,
                           "SELECT coalesce(sum(chunk = 0 OR address GLOB '*+0'), 0),"
                           " coalesce(sum(CASE verdict WHEN 'unreadable' THEN 0 ELSE size END), 0)"
                           " FROM object WHERE id > ?1 AND id < ?2 AND kind = 'member' AND item < ?3",
                           err);
    if (!row)
        return -1;
    casefile_bind_ids(row, 1, evidence);
    casefile_bind_number(row, 3, item);
    result = statement_step(row, err);
    if (result > 0 &&
        (!statement_up_to(row, 0, INT64_MAX, count) || !statement_up_to(row, 1, INT64_MAX, bytes)))
        result = casefile_broken(casefile, err, "malformed row in table object");
    statement_free(row);
    return result < 0 ? -1 : 0;
}

int casefile_unopened(struct casefile *casefile, uint64_t evidence,
                      void (*each)(void *arg, const char *path, const char *reason), void *arg,
                      struct error *err)
{
    struct statement *row;
    int result;

    if (evidence > CASE_MOST_EVIDENCE)
        return 0;
    row = database_prepare(casefile->database,
                           "SELECT address, reason, paths FROM object WHERE id > ?1 AND id < ?2"
                           " AND kind = 'member' AND partial AND reason != '' ORDER BY id",
                           err);
    if (!row)
        return -1;
    casefile_bind_ids(row, 1, evidence);
    while ((result = statement_step(row, err)) > 0)
        if (take_unopened(casefile, row, each, arg, err)) {
            result = -1;
            break;
        }
    statement_free(row);
    return result;
}
