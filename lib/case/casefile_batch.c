/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "case/casefile_inner.h"

int casefile_abandon(struct casefile *casefile)
{
    if (!casefile->writes) /* so nothing was changed */
        return -1;
    database_rollback(casefile->database);
    casefile->in_batch = false;
    casefile->failed = true;
    casefile->adding = 0;
    return -1;
}

int casefile_begin(struct casefile *casefile, struct error *err)
{
    if (casefile->failed)
        return error_set(err, "%s: an earlier write failed, so nothing more is written",
                         database_path(casefile->database));
    if (!casefile->writes)
        return error_set(err, "%s: opened for reading only", database_path(casefile->database));
    if (casefile->in_batch)
        return 0;
    if (database_begin(casefile->database, err))
        return casefile_abandon(casefile);
    casefile->in_batch = true;
    casefile->batch = 0;
    return 0;
}

/* The counts are written once per batch, not with each object. */
static int save_counts(struct casefile *casefile, struct error *err)
{
    const struct case_counts *counts = &casefile->counts;
    struct statement *row;
    int result;

    if (casefile->adding == 0)
        return 0;
    row = database_prepare(
        casefile->database,
        "UPDATE evidence SET objects = ?2, bytes = ?3, known = ?4, identical = ?5, variant = ?6,"
        " embedded = ?7, fragment = ?8, none = ?9, too_small = ?10, low_entropy = ?11,"
        " unreadable = ?12, skipped = ?13 WHERE id = ?1",
        err);
    if (!row)
        return -1;
    casefile_bind_number(row, 1, casefile->adding);
    casefile_bind_number(row, 2, counts->objects);
    casefile_bind_number(row, 3, counts->bytes);
    casefile_bind_number(row, 4, counts->known);
    for (int verdict = 0; verdict < VERDICTS; verdict++)
        casefile_bind_number(row, 5 + verdict, counts->findings[verdict]);
    result = statement_run(row, err);
    statement_free(row);
    return result;
}

int casefile_commit(struct casefile *casefile, struct error *err)
{
    if (casefile->failed)
        return casefile_begin(casefile, err);
    if (!casefile->in_batch)
        return 0;
    if (save_counts(casefile, err) || database_commit(casefile->database, err))
        return casefile_abandon(casefile);
    casefile->in_batch = false;
    casefile->adding = 0;
    return 0;
}

int casefile_run(struct casefile *casefile, struct statement *row, struct error *err)
{
    int result = row ? casefile_begin(casefile, err) : -1;

    if (result == 0 && statement_run(row, err))
        result = casefile_abandon(casefile);
    statement_free(row);
    return result;
}

/* ---- the evidence item being added to ---- */

/* Returns the counts, which are ahead of those in the row, if this evidence item is being added to; else
 * NULL. */
static const struct case_counts *counts_ahead(const struct casefile *casefile, uint64_t evidence)
{
    return casefile->adding == evidence && evidence ? &casefile->counts : NULL;
}

int casefile_count(struct casefile *casefile, uint64_t evidence, struct case_counts *counts,
                   struct error *err)
{
    const struct case_counts *ahead = counts_ahead(casefile, evidence);
    int result;

    if (ahead) {
        *counts = *ahead;
        return 0;
    }
    result = casefile_load_evidence(casefile, evidence, &casefile->latest, err);
    if (result == 0)
        return error_set(err, "%s: there is no evidence %" PRIu64, database_path(casefile->database),
                         evidence);
    *counts = casefile->latest.counts;
    return result < 0 ? -1 : 0;
}

int casefile_require_evidence(struct casefile *casefile, uint64_t evidence, struct error *err)
{
    const int result = casefile_load_evidence(casefile, evidence, &casefile->latest, err);

    if (result == 0)
        return error_set(err, "%s: there is no evidence %" PRIu64, database_path(casefile->database),
                         evidence);
    if (result > 0 && casefile->writes && casefile_is_sealed(casefile->latest.evidence.state))
        return error_set(err, "%s: evidence %" PRIu64 " is sealed", database_path(casefile->database),
                         evidence);
    return result < 0 ? -1 : 0;
}

int casefile_turn_to(struct casefile *casefile, uint64_t evidence, struct error *err)
{
    if (casefile->adding == evidence && evidence)
        return 0;
    if (casefile_require_evidence(casefile, evidence, err))
        return -1;
    if (save_counts(casefile, err))
        return casefile_abandon(casefile);
    casefile->counts = casefile->latest.counts;
    casefile->adding = evidence;
    return 0;
}
