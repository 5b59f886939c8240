/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "case/casefile_inner.h"

int casefile_broken(const struct casefile *casefile, struct error *err, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    database_broken(casefile->database, err, "the case", "", fmt, args);
    va_end(args);
    return -1;
}

enum case_class casefile_class(const struct casefile *casefile, uint32_t set)
{
    static const enum case_class classes[REFSET_KINDS] = {
        [REFSET_NOTABLE] = CASE_NOTABLE, [REFSET_NEUTRAL] = CASE_NEUTRAL, [REFSET_KNOWN] = CASE_KNOWN};

    return classes[casefile->sets[set].kind];
}

/* ---- reading ---- */

void casefile_count_bytes(struct case_counts *counts, const struct case_object *object)
{
    if (object->verdict == VERDICT_UNREADABLE || object->verdict == VERDICT_SKIPPED)
        return;
    counts->bytes = object->size > INT64_MAX - counts->bytes ? INT64_MAX : counts->bytes + object->size;
}

bool casefile_get_string(struct statement *row, int column, const char **out)
{
    size_t len;

    return statement_text(row, column, out, &len) && !memchr(*out, '\0', len);
}

bool casefile_get_verdict(struct statement *row, int column, enum verdict *verdict)
{
    const char *name;
    const int found = casefile_get_string(row, column, &name) ? finding_verdict_find(name, strlen(name)) : -1;

    *verdict = found < 0 ? VERDICT_NONE : (enum verdict)found;
    return found >= 0;
}

/* ---- writing ---- */

void casefile_bind_number(struct statement *row, int parameter, uint64_t number)
{
    if (row)
        statement_bind_number(row, parameter, number > INT64_MAX ? INT64_MAX : (int64_t)number);
}

void casefile_bind_ids(struct statement *row, int parameter, uint64_t evidence)
{
    casefile_bind_number(row, parameter, (uint64_t)casefile_id(evidence, 0));
    casefile_bind_number(row, parameter + 1, (uint64_t)casefile_id(evidence + 1, 0));
}

void casefile_bind_string(struct statement *row, int parameter, const char *text)
{
    if (row)
        statement_bind_text(row, parameter, text, text ? strlen(text) : 0);
}

void casefile_bind_digests(struct statement *row, int parameter, const struct digest_values *digests)
{
    for (int kind = 0; row && kind < DIGEST_KINDS; kind++)
        if (digests->kinds & DIGEST_BIT(kind))
            statement_bind_bytes(row, parameter + kind, digests->bytes[kind],
                                 digest_len((enum digest_kind)kind));
        else
            statement_bind_null(row, parameter + kind);
}

/* ---- findings ---- */

int casefile_proof_find(const char *name)
{
    for (int proof = 0; proof < PROOFS; proof++)
        if (strcmp(name, finding_proof_name((enum proof)proof)) == 0)
            return proof;
    return -1;
}

static bool is_share(double x)
{
    return x >= 0 && x <= 1;
}

static bool is_count(double x)
{
    return x >= 0 && x < 1e19;
}

static bool lies_in(const struct finding_range *range, uint64_t size, uint64_t ref_size)
{
    return range->obj_start <= range->obj_end && range->obj_end <= size &&
           range->ref_start <= range->ref_end && range->ref_end <= ref_size;
}

static bool ranges_are_sound(const struct finding *finding, uint64_t size)
{
    for (size_t i = 0; i < finding->range_count; i++)
        if (!lies_in(&finding->ranges[i], size, finding->ref_size) ||
            (i && finding->ranges[i].obj_start < finding->ranges[i - 1].obj_start))
            return false;
    return lies_in(&finding->span, size, finding->ref_size) && finding->matched <= size;
}

static bool edits_are_sound(const struct finding *finding)
{
    return !finding->has_edits ||
           (is_count(finding->edits) && is_count(finding->edits_low) && is_count(finding->edits_high));
}

bool casefile_is_sound(const struct casefile *casefile, const struct finding *finding, uint64_t size)
{
    return finding->verdict <= VERDICT_FRAGMENT && finding->set < casefile->set_count &&
           finding->proof < PROOFS && is_share(finding->resemblance) && is_share(finding->containment) &&
           is_share(finding->score) && (!finding->reordered || finding->verdict == VERDICT_VARIANT) &&
           edits_are_sound(finding) && features_are_sound(&finding->features) && finding->ln_e < INFINITY &&
           finding->proved <= finding->blocks && finding->ref_size <= INT64_MAX && size <= INT64_MAX &&
           ranges_are_sound(finding, size);
}

/* ---- numbers of findings ---- */

void casefile_put_id(struct buffer *out, const struct case_finding_id *id)
{
    buffer_printf(out, "%" PRIu64 ".%" PRIu64 ".%" PRIu32, id->evidence, id->object, id->rank);
}

/* Without leading zeros, so that a finding has one number only. */
static bool parse_number(const char **text, char end, uint64_t most, uint64_t *out)
{
    uint64_t number = 0;

    if (**text < '1' || **text > '9')
        return false;
    for (; **text >= '0' && **text <= '9'; ++*text) {
        number = number * 10 + (uint64_t)(**text - '0');
        if (number > most)
            return false;
    }
    *out = number;
    return *(*text)++ == end;
}

bool casefile_parse_id(const char *text, struct case_finding_id *id)
{
    uint64_t rank = 0;

    if (!parse_number(&text, '.', CASE_MOST_EVIDENCE, &id->evidence) ||
        !parse_number(&text, '.', ((uint64_t)1 << CASE_NUMBER_BITS) - 1, &id->object) ||
        !parse_number(&text, '\0', INT32_MAX, &rank))
        return false;
    id->rank = (uint32_t)rank;
    return true;
}
