/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "case/casefile_inner.h"

static const char *const states[CASE_STATES] = {"begun", "done", "partial", "changed", "failed"};

const char *casefile_state_name(enum case_state state)
{
    return states[state];
}

enum {
    EVIDENCE_STAMP = 4,
    EVIDENCE_DIGESTS,
    EVIDENCE_STORED = EVIDENCE_DIGESTS + DIGEST_KINDS,
    EVIDENCE_OBJECTS = EVIDENCE_STORED + DIGEST_KINDS,
    EVIDENCE_BYTES,
    EVIDENCE_KNOWN,
    EVIDENCE_FINDINGS,
    EVIDENCE_PASS = EVIDENCE_FINDINGS + VERDICTS,
};

static bool get_counts(struct statement *row, struct case_counts *counts)
{
    bool good =
        statement_up_to(row, EVIDENCE_OBJECTS, ((uint64_t)1 << CASE_NUMBER_BITS) - 1, &counts->objects) &&
        statement_up_to(row, EVIDENCE_BYTES, INT64_MAX, &counts->bytes) &&
        statement_up_to(row, EVIDENCE_KNOWN, counts->objects, &counts->known);

    for (int verdict = 0; verdict < VERDICTS && good; verdict++)
        good = statement_up_to(row, EVIDENCE_FINDINGS + verdict, counts->objects, &counts->findings[verdict]);
    return good;
}

static bool get_state(struct statement *row, int column, enum case_state *state)
{
    const char *name;

    if (!casefile_get_string(row, column, &name))
        return false;
    for (int i = 0; i < CASE_STATES; i++)
        if (strcmp(states[i], name) == 0) {
            *state = (enum case_state)i;
            return true;
        }
    return false;
}

static bool get_image(struct statement *row, struct case_evidence *evidence)
{
    if (statement_is_null(row, 2) && statement_is_null(row, 3)) {
        evidence->format = "";
        return true;
    }
    evidence->has_image = true;
    return casefile_get_string(row, 2, &evidence->format) &&
           statement_up_to(row, 3, INT64_MAX, &evidence->size);
}

/* What the case has no row of is read for all sets. */
static bool get_pass(const struct casefile *casefile, struct statement *row, struct case_evidence *evidence)
{
    uint64_t first, last;

    evidence->set_count = casefile->set_count;
    evidence->parameters = casefile->info.parameters;
    if (statement_is_null(row, EVIDENCE_PASS))
        return true;
    if (!statement_up_to(row, EVIDENCE_PASS, casefile->set_count, &first) || first == 0 ||
        !statement_up_to(row, EVIDENCE_PASS + 1, casefile->set_count, &last) || last < first ||
        !statement_up_to(row, EVIDENCE_PASS + 2, evidence->number - 1, &evidence->again) ||
        !casefile_get_string(row, EVIDENCE_PASS + 3, &evidence->parameters))
        return false;
    evidence->first_set = (size_t)first - 1;
    evidence->set_count = (size_t)(last - first) + 1;
    return true;
}

/* The strings are copied, as they outlive the statement. */
static bool get_evidence(const struct casefile *casefile, struct statement *row, uint64_t number,
                         struct case_evidence_row *out)
{
    struct case_evidence *evidence = &out->evidence;
    const void *path;
    size_t len;

    *evidence = (struct case_evidence){.number = number};
    if (!statement_bytes(row, 0, &path, &len) || memchr(path, '\0', len) ||
        !get_state(row, 1, &evidence->state) || !get_image(row, evidence) ||
        !casefile_get_string(row, EVIDENCE_STAMP, &evidence->stamp) ||
        !statement_digests(row, EVIDENCE_DIGESTS, &evidence->digests) ||
        !statement_digests(row, EVIDENCE_STORED, &evidence->stored) || !get_counts(row, &out->counts) ||
        !get_pass(casefile, row, evidence))
        return false;
    buffer_reset(&out->texts);
    buffer_add(&out->texts, path, len);
    buffer_add_char(&out->texts, '\0');
    buffer_add(&out->texts, evidence->format, strlen(evidence->format) + 1);
    buffer_add(&out->texts, evidence->stamp, strlen(evidence->stamp) + 1);
    buffer_add(&out->texts, evidence->parameters, strlen(evidence->parameters) + 1);
    if (out->texts.failed)
        return false;
    evidence->path = out->texts.data;
    evidence->format = evidence->path + len + 1;
    evidence->stamp = evidence->format + strlen(evidence->format) + 1;
    evidence->parameters = evidence->stamp + strlen(evidence->stamp) + 1;
    return true;
}

int casefile_load_evidence(struct casefile *casefile, uint64_t number, struct case_evidence_row *out,
                           struct error *err)
{
    struct statement *row = database_prepare(
        casefile->database,
        "SELECT path, state, format, size, stamp, sha1, md5, sha256, stored_sha1, stored_md5, stored_sha256, "
        "objects, bytes,"
        " known, identical, variant, embedded, fragment, none, too_small, low_entropy, unreadable, skipped,"
        " first_set, last_set, again, parameters"
        " FROM evidence e LEFT JOIN pass p ON p.id = e.id WHERE e.id = ?",
        err);
    int result;

    if (!row)
        return -1;
    casefile_bind_number(row, 1, number);
    result = number > CASE_MOST_EVIDENCE ? 0 : statement_step(row, err);
    if (result > 0 && !get_evidence(casefile, row, number, out))
        result = casefile_broken(casefile, err, "row %" PRIu64 " of table evidence is malformed", number);
    statement_free(row);
    return result;
}

int casefile_evidence(struct casefile *casefile, uint64_t number, struct case_evidence *evidence,
                      struct error *err)
{
    const int result = casefile_load_evidence(casefile, number, &casefile->latest, err);

    if (result > 0)
        *evidence = casefile->latest.evidence;
    return result;
}
