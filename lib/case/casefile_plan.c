/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case/casefile_inner.h"

/*
 * What a case is about: written into a new one, and compared with one that is there, to which new sets and
 * evidence are added.
 *
 * A row of table evidence is one reading of some evidence for some sets, which follow one another in table
 * refset.  A case that was never extended has no rows in table pass: all its evidence was read for all its
 * sets.
 */

int casefile_check_plan(const struct case_plan *plan, struct error *err)
{
    if (plan->set_count > CASE_MOST_SETS)
        return error_set(err, "a case can have at most %d sets, not %zu", CASE_MOST_SETS, plan->set_count);
    if (plan->evidence_count > CASE_MOST_EVIDENCE)
        return error_set(err, "a case can have at most %d evidence items, not %zu", CASE_MOST_EVIDENCE,
                         plan->evidence_count);
    return 0;
}

/* ---- rows ---- */

static int put_info(struct casefile *casefile, const struct case_plan *plan, struct error *err)
{
    struct statement *row = database_prepare(
        casefile->database, "INSERT INTO info (id, uuid, created, tool, parameters) VALUES (1, ?, ?, ?, ?)",
        err);
    uint8_t uuid[UUID_LEN];
    int result = row ? uuid_make(uuid, err) : -1;

    if (result == 0) {
        statement_bind_bytes(row, 1, uuid, sizeof uuid);
        statement_bind_number(row, 2, plan->now);
        casefile_bind_string(row, 3, plan->tool);
        casefile_bind_string(row, 4, plan->parameters);
        result = statement_run(row, err);
    }
    statement_free(row);
    return result;
}

static int put_set(struct statement *row, size_t number, const struct case_set *set, struct error *err)
{
    casefile_bind_number(row, 1, number);
    statement_bind_bytes(row, 2, set->uuid, sizeof set->uuid);
    casefile_bind_number(row, 3, set->generation);
    casefile_bind_string(row, 4, refset_kind_name(set->kind));
    casefile_bind_string(row, 5, set->name);
    statement_bind_bytes(row, 6, set->path, strlen(set->path));
    casefile_bind_number(row, 7, set->files);
    casefile_bind_number(row, 8, set->records);
    return statement_run(row, err);
}

/* before: the number of sets that are there. */
static int put_sets(struct casefile *casefile, const struct case_plan *plan, size_t before, struct error *err)
{
    struct statement *row = database_prepare(casefile->database,
                                             "INSERT INTO refset (id, uuid, generation, kind, name, path, "
                                             "files, records) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                                             err);
    int result = row ? 0 : -1;

    for (size_t i = 0; i < plan->set_count && result == 0; i++)
        result = put_set(row, before + i + 1, &plan->sets[i], err);
    statement_free(row);
    return result;
}

static int put_evidence(struct casefile *casefile, uint64_t number, const char *path, struct error *err)
{
    struct statement *row =
        database_prepare(casefile->database, "INSERT INTO evidence (id, path, state) VALUES (?, ?, ?)", err);
    int result = -1;

    if (row) {
        casefile_bind_number(row, 1, number);
        statement_bind_bytes(row, 2, path, strlen(path));
        casefile_bind_string(row, 3, casefile_state_name(CASE_BEGUN));
        result = statement_run(row, err);
    }
    statement_free(row);
    return result;
}

static int put_all(struct casefile *casefile, const struct case_plan *plan, struct error *err)
{
    int result = put_info(casefile, plan, err) || put_sets(casefile, plan, 0, err) ? -1 : 0;

    for (size_t i = 0; i < plan->evidence_count && result == 0; i++)
        result = put_evidence(casefile, i + 1, plan->evidence[i], err);
    return result;
}

int casefile_put_plan(struct casefile *casefile, const struct case_plan *plan, struct error *err)
{
    if (database_begin(casefile->database, err))
        return -1;
    if (put_all(casefile, plan, err)) {
        database_rollback(casefile->database);
        return -1;
    }
    return database_commit(casefile->database, err);
}

/* ---- the same case? ---- */

/* The sets of a plan among those of the case. */
struct plan_sets {
    size_t first, count;
    bool are_new;
};

static int differs(const struct casefile *casefile, struct error *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static int differs(const struct casefile *casefile, struct error *err, const char *fmt, ...)
{
    struct error what;
    va_list args;

    va_start(args, fmt);
    vsnprintf(what.text, sizeof what.text, fmt, args);
    va_end(args);
    return error_set(err, "%s: cannot resume this case: %s", database_path(casefile->database), what.text);
}

/* The index of the set in the case, or the number of its sets if it is not among them. */
static size_t find_set(const struct casefile *casefile, const struct case_set *set)
{
    size_t i = 0;

    while (i < casefile->set_count && memcmp(casefile->sets[i].uuid, set->uuid, sizeof set->uuid) != 0)
        i++;
    return i;
}

static int compare_set(const struct casefile *casefile, const struct case_set *was, const struct case_set *is,
                       struct error *err)
{
    if (memcmp(was->uuid, is->uuid, sizeof was->uuid) != 0)
        return differs(casefile, err, "set %zu was %s (%s) and is now %s (%s)",
                       (size_t)(was - casefile->sets) + 1, was->name, was->path, is->name, is->path);
    if (was->generation != is->generation || was->kind != is->kind)
        return differs(casefile, err,
                       "the set %s has changed since (generation %" PRIu64 ", now %" PRIu64 ")", is->name,
                       was->generation, is->generation);
    return 0;
}

static int compare_sets(const struct casefile *casefile, const struct case_plan *plan,
                        const struct plan_sets *sets, struct error *err)
{
    for (size_t i = 0; i < sets->count; i++)
        if (sets->first + i == casefile->set_count)
            return differs(casefile, err, "the set %s was not after %s in it", plan->sets[i].name,
                           casefile->sets[casefile->set_count - 1].name);
        else if (compare_set(casefile, &casefile->sets[sets->first + i], &plan->sets[i], err))
            return -1;
    return 0;
}

static int match_sets(const struct casefile *casefile, const struct case_plan *plan, struct plan_sets *sets,
                      struct error *err)
{
    size_t missing = 0;
    const struct case_set *one = NULL;

    *sets = (struct plan_sets){.first = casefile->set_count, .count = plan->set_count};
    for (size_t i = 0; i < plan->set_count; i++)
        if (find_set(casefile, &plan->sets[i]) == casefile->set_count) {
            missing++;
            one = &plan->sets[i];
        }
    sets->are_new = plan->set_count > 0 && missing == plan->set_count;
    if (missing && !sets->are_new)
        return differs(casefile, err, "the set %s (%s) is new: add it in a scan without the others",
                       one->name, one->path);
    if (sets->are_new)
        return casefile->set_count + plan->set_count <= CASE_MOST_SETS
                   ? 0
                   : differs(casefile, err, "a case can have at most %d sets", CASE_MOST_SETS);
    sets->first = plan->set_count ? find_set(casefile, &plan->sets[0]) : 0;
    return compare_sets(casefile, plan, sets, err);
}

/* ---- the same reading of evidence? ---- */

/* Parameters begin with the density of samples, which the sets determine. */
static const char *after_density(const char *parameters)
{
    const char *blank = strncmp(parameters, "C=", 2) == 0 ? strchr(parameters, ' ') : NULL;

    return blank ? blank : parameters;
}

static int compare_parameters(const struct casefile *casefile, const char *was, const char *is, bool all,
                              struct error *err)
{
    if (strcmp(all ? was : after_density(was), all ? is : after_density(is)) == 0)
        return 0;
    return differs(casefile, err, "it was created with different parameters: %s; now: %s", was, is);
}

static bool reads_for(const struct case_evidence *evidence, const struct plan_sets *sets)
{
    return evidence->first_set == sets->first && evidence->set_count == sets->count;
}

static bool overlaps(const struct case_evidence *evidence, const struct plan_sets *sets)
{
    return evidence->first_set < sets->first + sets->count &&
           sets->first < evidence->first_set + evidence->set_count;
}

/* What the case has of one piece of the plan's evidence. */
struct plan_match {
    uint64_t number; /* of the reading for the same sets; 0: none */
    uint64_t again;  /* of the first reading; 0: none */
};

static int match_reading(struct casefile *casefile, uint64_t number, const struct case_plan *plan,
                         const struct plan_sets *sets, struct plan_match *match, struct error *err)
{
    struct case_evidence was;
    const int found = casefile_evidence(casefile, number, &was, err);

    if (found <= 0)
        return found < 0 ? -1 : casefile_broken(casefile, err, "evidence %" PRIu64 " is missing", number);
    if (reads_for(&was, sets)) {
        match->number = number;
        return compare_parameters(casefile, was.parameters, plan->parameters, true, err);
    }
    if (overlaps(&was, sets))
        return differs(
            casefile, err,
            "%s was scanned for another choice of these sets; name the same ones, or only new ones",
            was.path);
    if (was.again)
        return 0;
    match->again = number;
    return casefile_is_sealed(was.state)
               ? 0
               : differs(casefile, err, "the scan of %s for other sets is incomplete; resume it first",
                         was.path);
}

static int match_path(struct casefile *casefile, const char *path, const struct case_plan *plan,
                      const struct plan_sets *sets, struct plan_match *match, struct error *err)
{
    struct statement *row =
        database_prepare(casefile->database, "SELECT id FROM evidence WHERE path = ? ORDER BY id", err);
    uint64_t number;
    int result = -1;

    *match = (struct plan_match){0};
    if (row) {
        statement_bind_bytes(row, 1, path, strlen(path));
        while (!match->number && (result = statement_step(row, err)) > 0)
            if (!statement_up_to(row, 0, CASE_MOST_EVIDENCE, &number)) {
                result = casefile_broken(casefile, err, "malformed row in table evidence");
                break;
            } else if (match_reading(casefile, number, plan, sets, match, err)) {
                result = -1;
                break;
            }
    }
    statement_free(row);
    return result < 0 ? -1 : 0;
}

/* A new reading must have the parameters of others for the same sets. */
static int compare_new(struct casefile *casefile, const struct case_plan *plan, const struct plan_sets *sets,
                       struct error *err)
{
    struct case_evidence evidence;
    int found = 0;

    for (uint64_t number = 1;
         !sets->are_new && (found = casefile_evidence(casefile, number, &evidence, err)) > 0; number++)
        if (reads_for(&evidence, sets))
            return compare_parameters(casefile, evidence.parameters, plan->parameters, true, err);
    return found < 0 ? -1
                     : compare_parameters(casefile, casefile->info.parameters, plan->parameters, false, err);
}

/* Cases are mostly resumed with the same evidence in the same order. */
static int match_evidence(struct casefile *casefile, size_t index, const struct case_plan *plan,
                          const struct plan_sets *sets, struct plan_match *match, struct error *err)
{
    struct case_evidence was;
    const int found = casefile_evidence(casefile, index + 1, &was, err);

    if (found < 0)
        return -1;
    if (!found || strcmp(was.path, plan->evidence[index]) != 0 || !reads_for(&was, sets))
        return match_path(casefile, plan->evidence[index], plan, sets, match, err);
    *match = (struct plan_match){.number = index + 1};
    return compare_parameters(casefile, was.parameters, plan->parameters, true, err);
}

static int check_missing(struct casefile *casefile, size_t index, const struct case_plan *plan,
                         uint64_t again, struct error *err)
{
    struct case_evidence first;

    if (again && casefile_evidence(casefile, again, &first, err) <= 0)
        return -1;
    return plan->check(plan->evidence[index], again ? &first : NULL, plan->check_arg, err);
}

static int match_all(struct casefile *casefile, const struct case_plan *plan, const struct plan_sets *sets,
                     struct plan_match *matches, size_t *missing, struct error *err)
{
    *missing = 0;
    for (size_t i = 0; i < plan->evidence_count; i++) {
        if (match_evidence(casefile, i, plan, sets, &matches[i], err))
            return -1;
        if (matches[i].number)
            continue;
        ++*missing;
        if (plan->check && check_missing(casefile, i, plan, matches[i].again, err))
            return -1;
    }
    return *missing ? compare_new(casefile, plan, sets, err) : 0;
}

/* ---- extending it ---- */

static int put_pass(struct casefile *casefile, uint64_t evidence, const struct case_plan *plan,
                    const struct plan_sets *sets, uint64_t again, struct error *err)
{
    struct statement *row = database_prepare(
        casefile->database,
        "INSERT INTO pass (id, first_set, last_set, again, parameters) VALUES (?, ?, ?, ?, ?)", err);

    casefile_bind_number(row, 1, evidence);
    casefile_bind_number(row, 2, sets->first + 1);
    casefile_bind_number(row, 3, sets->first + sets->count);
    casefile_bind_number(row, 4, again);
    casefile_bind_string(row, 5, plan->parameters);
    return casefile_run(casefile, row, err);
}

/* Until now, all evidence was read for all sets. */
static int put_first_passes(struct casefile *casefile, struct error *err)
{
    struct statement *row =
        database_prepare(casefile->database,
                         "INSERT INTO pass (id, first_set, last_set, again, parameters)"
                         " SELECT id, 1, ?1, 0, ?2 FROM evidence WHERE NOT EXISTS (SELECT 1 FROM pass)",
                         err);

    casefile_bind_number(row, 1, casefile->set_count);
    casefile_bind_string(row, 2, casefile->info.parameters);
    return casefile_run(casefile, row, err);
}

static int count_evidence(struct casefile *casefile, uint64_t *count, struct error *err)
{
    int64_t number = 0;

    if (statement_ask(casefile->database, "SELECT count(*) FROM evidence", &number, err) <= 0)
        return casefile_broken(casefile, err, "its evidence cannot be counted");
    *count = (uint64_t)number;
    return 0;
}

static int put_readings(struct casefile *casefile, const struct case_plan *plan, const struct plan_sets *sets,
                        struct plan_match *matches, size_t missing, struct error *err)
{
    uint64_t count = 0;

    if (count_evidence(casefile, &count, err))
        return -1;
    if (missing > CASE_MOST_EVIDENCE - count)
        return differs(casefile, err, "a case can have at most %d evidence items", CASE_MOST_EVIDENCE);
    for (size_t i = 0; i < plan->evidence_count; i++) {
        if (matches[i].number)
            continue;
        matches[i].number = ++count;
        if (put_evidence(casefile, count, plan->evidence[i], err) ||
            put_pass(casefile, count, plan, sets, matches[i].again, err))
            return -1;
    }
    return 0;
}

static int extend(struct casefile *casefile, const struct case_plan *plan, const struct plan_sets *sets,
                  struct plan_match *matches, size_t missing, struct error *err)
{
    const size_t more = sets->are_new ? sets->count : 0;
    struct error text;

    error_set(&text, "extended by %s: sets added: %zu, evidence to read: %zu", plan->tool, more, missing);
    if (casefile_begin(casefile, err) || put_first_passes(casefile, err) ||
        (more && put_sets(casefile, plan, casefile->set_count, err)) ||
        put_readings(casefile, plan, sets, matches, missing, err))
        return casefile_abandon(casefile);
    return casefile_seal(casefile, 0, plan->now, text.text, err);
}

int casefile_follow(struct casefile *casefile, const struct case_plan *plan, struct error *err)
{
    struct plan_match *matches = calloc(plan->evidence_count + 1, sizeof *matches);
    struct plan_sets sets;
    size_t missing = 0;
    int result;

    if (!matches)
        return error_set(err, "out of memory for %zu evidence items", plan->evidence_count);
    result =
        match_sets(casefile, plan, &sets, err) || match_all(casefile, plan, &sets, matches, &missing, err)
            ? -1
            : 0;
    if (result == 0 && missing)
        result = extend(casefile, plan, &sets, matches, missing, err);
    for (size_t i = 0; i < plan->evidence_count && plan->numbers; i++)
        plan->numbers[i] = matches[i].number;
    free(matches);
    return result == 0 && missing && sets.are_new ? 1 : result;
}
