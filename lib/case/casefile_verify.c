/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "case/casefile_inner.h"

struct verify {
    struct casefile *casefile;
    void (*fault)(void *arg, const char *text);
    void *arg;
    int faults;
    struct case_runs runs;
};

static void report_text(void *arg, const char *text)
{
    struct verify *verify = arg;

    if (database_is_page_fault(text)) /* reported before */
        return;
    verify->fault(verify->arg, text);
    verify->faults++;
}

static void report(struct verify *verify, const struct error *why)
{
    report_text(verify, why->text);
}

static void ignore_problem(void *arg, const char *text)
{
    (void)arg;
    (void)text;
}

/* Checks for dangling rows; each query counts some. */
static void check_references(struct verify *verify)
{
    static const char *const queries[][2] = {
        {"findings without an object",
         "SELECT count(*) FROM finding WHERE object NOT IN (SELECT id FROM object)"},
        {"objects with a wrong number of findings",
         "SELECT count(*) FROM object WHERE findings > 0 AND (SELECT count(*) FROM finding"
         " WHERE class IN (0, 1, 2) AND object = object.id) <> findings"},
        {"problems listed under the wrong evidence",
         "SELECT count(*) FROM problem WHERE evidence <> id >> 40"},
        {"accounts that do not add up to the size of their image",
         "SELECT count(*) FROM (SELECT sum(bytes) AS sum, id >> 40 AS number FROM account GROUP BY number)"
         " JOIN evidence ON evidence.id = number WHERE sum <> size"},
        {"origins without an object", "SELECT count(*) FROM origin WHERE id NOT IN (SELECT id FROM object)"},
        {"places of no finding",
         "SELECT count(*) FROM place WHERE NOT EXISTS (SELECT 1 FROM finding f WHERE f.class IN (0, 1, 2)"
         " AND f.object = place.object AND f.rank = place.rank)"},
        {"twins of no finding",
         "SELECT count(*) FROM twin WHERE NOT EXISTS (SELECT 1 FROM finding f WHERE f.class IN (0, 1, 2)"
         " AND f.object = of_object AND f.rank = of_rank)"},
        {"scores of no finding",
         "SELECT count(*) FROM score WHERE NOT EXISTS (SELECT 1 FROM finding f WHERE f.class IN (0, 1, 2)"
         " AND f.object = score.object AND f.rank = score.rank)"},
        {"passes of no evidence", "SELECT count(*) FROM pass WHERE id NOT IN (SELECT id FROM evidence)"},
        {"passes that repeat another one",
         "SELECT count(*) FROM pass WHERE again > 0 AND again NOT IN (SELECT id FROM pass WHERE again = 0)"},
        {"missing evidence numbers",
         "SELECT ifnull(max(id), 0) - count(*) + (ifnull(min(id), 1) < 1) FROM evidence"},
    };

    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        struct error why;
        int64_t count;
        const int is_number = statement_ask(verify->casefile->database, queries[i][1], &count, &why);

        if (is_number > 0 && count == 0)
            continue;
        if (is_number >= 0)
            casefile_broken(verify->casefile, &why, "%s: %" PRId64, queries[i][0], count);
        report(verify, &why);
    }
}

/* Returns the verdict for which the object counts, or VERDICTS if only known sets have it.  The best finding
 * comes first. */
static int best_verdict(struct statement *best, uint64_t id, enum verdict *verdict, struct error *err)
{
    uint64_t class;
    const char *name;
    int found = -1, result;

    casefile_bind_number(best, 1, id);
    result = statement_step(best, err);
    if (result > 0 && statement_up_to(best, 0, CASE_CLASSES - 1, &class) &&
        casefile_get_string(best, 1, &name))
        found = class == CASE_KNOWN ? VERDICTS : finding_verdict_find(name, strlen(name));
    statement_reset(best);
    if (result < 0)
        return -1;
    if (found < 0)
        return error_set(err, "object %" PRIu64 " has no valid finding", id);
    *verdict = (enum verdict)found;
    return 0;
}

static int count_object(struct verify *verify, struct statement *row, struct statement *best,
                        struct case_counts *counts, struct error *err)
{
    struct case_object object;
    uint64_t id, findings;

    if (!casefile_get_object(row, &verify->runs, &object, &id, &findings))
        return casefile_broken(verify->casefile, err, "malformed row in table object");
    if (id != (uint64_t)casefile_id(object.evidence, ++counts->objects))
        return casefile_broken(verify->casefile, err, "object %" PRIu64 " of evidence %" PRIu64 " is missing",
                               counts->objects, object.evidence);
    casefile_count_bytes(counts, &object);
    if (findings && best_verdict(best, id, &object.verdict, err))
        return -1;
    if (object.verdict == VERDICTS)
        counts->known++;
    else
        counts->findings[object.verdict]++;
    return 0;
}

static int count_objects(struct verify *verify, uint64_t evidence, struct case_counts *counts,
                         struct error *err)
{
    struct database *database = verify->casefile->database;
    struct statement *best = database_prepare(database,
                                              "SELECT class, verdict FROM finding WHERE class IN (0, 1, 2)"
                                              " AND object = ? ORDER BY class, rank LIMIT 1",
                                              err),
                     *row = NULL;
    int result = -1;

    if (best)
        row = database_prepare(database,
                               "SELECT " CASEFILE_OBJECT " FROM object o" CASEFILE_ORIGIN
                               " WHERE o.id >= ?1 AND o.id < ?2 ORDER BY o.id",
                               err);
    if (row) {
        statement_bind_number(row, 1, casefile_id(evidence, 0));
        statement_bind_number(row, 2, casefile_id(evidence + 1, 0));
        while ((result = statement_step(row, err)) > 0)
            if (count_object(verify, row, best, counts, err)) {
                result = -1;
                break;
            }
    }
    statement_free(row);
    statement_free(best);
    return result;
}

static void check_evidence(struct verify *verify)
{
    struct case_evidence_row row = {0};
    struct error why;
    int result;

    for (uint64_t number = 1; (result = casefile_load_evidence(verify->casefile, number, &row, &why)) > 0;
         number++) {
        struct case_counts counts = {0};

        result = count_objects(verify, number, &counts, &why);
        if (result == 0 && memcmp(&counts, &row.counts, sizeof counts) != 0)
            result =
                casefile_broken(verify->casefile, &why,
                                "the object counts of evidence %" PRIu64 " do not match its objects", number);
        if (result == 0)
            result = casefile_problems(verify->casefile, number, ignore_problem, NULL, &why);
        if (result < 0)
            report(verify, &why);
    }
    if (result < 0)
        report(verify, &why);
    buffer_release(&row.texts);
}

static void check_findings(struct verify *verify)
{
    const struct case_filter filter = {.known = true, .twins = true};
    struct error why;
    struct case_reader *reader = casefile_reader_new(verify->casefile, &filter, &why);
    struct case_row row;
    int result = reader ? 1 : -1;

    while (result > 0)
        result = casefile_reader_next(reader, &row, &why);
    if (result < 0)
        report(verify, &why);
    casefile_reader_free(reader);
}

int casefile_verify(const char *path, void (*fault)(void *arg, const char *text), void *arg,
                    struct error *err)
{
    struct verify verify = {.fault = fault, .arg = arg};
    struct error why;

    verify.faults = database_verify(path, &casefile_format, fault, arg, err);
    if (verify.faults < 0)
        return -1;
    verify.casefile = casefile_open_report(path, &why);
    if (!verify.casefile) {
        report(&verify, &why);
        return verify.faults;
    }
    check_evidence(&verify);
    check_findings(&verify);
    check_references(&verify);
    if (casefile_check(verify.casefile, report_text, &verify, &why) < 0)
        report(&verify, &why);
    casefile_close(verify.casefile, NULL);
    free(verify.runs.list);
    return verify.faults;
}
