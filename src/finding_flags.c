/* SPDX-License-Identifier: Apache-2.0 */
#include "finding_flags.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/escape.h"
#include "patterns.h"

/* ---- taking them ---- */

int finding_flags_e(const struct options *options, double *ln_e)
{
    char *end;
    const double e = strtod(options->value, &end);

    if (*end || end == options->value || !(e > 0 && e <= 1e6)) {
        options_wrong(options->command, "--max-e takes a number above 0 and up to 1000000, not '%s'",
                      options->value);
        return -1;
    }
    *ln_e = log(e);
    return 0;
}

/* A name that is empty selects nothing. */
static int take_text(const struct options *options, const char **out)
{
    *out = options->value;
    if (options->value[0])
        return 0;
    options_wrong(options->command, "--%s is empty", options->spec->name);
    return -1;
}

int finding_flags_take(struct finding_flags *flags, const struct options *options, int option)
{
    switch (option) {
    case FINDING_VERDICT:
        return options_list(options, &flags->verdicts);
    case FINDING_SET:
        return take_text(options, &flags->set);
    case FINDING_REFERENCE:
        return take_text(options, &flags->reference);
    case FINDING_ONLY:
        return options_list(options, &flags->kinds);
    case FINDING_PATH:
        return take_text(options, &flags->path);
    case FINDING_MAX_E:
        flags->has_most_e = true;
        return finding_flags_e(options, &flags->most_ln_e);
    case FINDING_MIN_SCORE:
        return options_share(options, &flags->least_score);
    case FINDING_MIN_MATCHED:
        return options_size(options, 0, INT64_MAX, &flags->least_matched);
    default:
        return options_list(options, &flags->proofs);
    }
}

bool finding_flags_any(const struct finding_flags *flags)
{
    return flags->verdicts || flags->kinds || flags->proofs || flags->set || flags->reference ||
           flags->path || flags->has_most_e || flags->least_score > 0 || flags->least_matched;
}

/* ---- what they want ---- */

static bool has(unsigned bits, unsigned bit)
{
    return !bits || bits >> bit & 1;
}

static bool wants_path(const char *pattern, const struct case_object *object)
{
    struct patterns patterns = {.include = {&pattern, 1}};

    return !pattern || (object->path_count && patterns_want(&patterns, object->paths, object->path_count));
}

static bool is_sha1(const char *text, const struct digest_values *digests)
{
    struct buffer hex = {0};
    bool same;

    if (!(digests->kinds & DIGEST_BIT(DIGEST_SHA1)) || strlen(text) != 2 * DIGEST_SHA1_LEN)
        return false;
    escape_hex(&hex, digests->bytes[DIGEST_SHA1], DIGEST_SHA1_LEN);
    same = !hex.failed && strncasecmp(text, hex.data, hex.len) == 0;
    buffer_release(&hex);
    return same;
}

static bool is_number(const char *text, uint64_t number)
{
    char digits[24];

    snprintf(digits, sizeof digits, "%" PRIu64, number);
    return strcmp(text, digits) == 0;
}

/* A name with zero bytes matches as far as the first one. */
static bool wants_reference(const char *wanted, const struct case_row *row)
{
    struct patterns patterns = {.include = {&wanted, 1}};
    char *name;
    bool is_wanted;

    if (!wanted || is_number(wanted, row->finding.file) || is_sha1(wanted, &row->reference.digests))
        return true;
    name = strndup(row->reference.name, row->reference.name_len);
    is_wanted = name && patterns_want(&patterns, name, 1);
    free(name);
    return is_wanted;
}

static bool wants_finding(const struct finding_flags *flags, const struct case_row *row)
{
    const struct finding *finding = &row->finding;

    return has(flags->proofs, finding->proof) && (!flags->has_most_e || finding->ln_e <= flags->most_ln_e) &&
           finding->score >= flags->least_score && finding->matched >= flags->least_matched &&
           (!flags->set || strcmp(flags->set, row->set->name) == 0) && wants_reference(flags->reference, row);
}

bool finding_flags_want(void *arg, const struct case_row *row)
{
    const struct finding_flags *flags = arg;
    const bool needs_finding = flags->proofs || flags->has_most_e || flags->least_score > 0 ||
                               flags->least_matched || flags->set || flags->reference;

    if (!has(flags->verdicts, row->has_finding ? row->finding.verdict : row->object.verdict) ||
        !has(flags->kinds, row->object.kind) || !wants_path(flags->path, &row->object))
        return false;
    return row->has_finding ? wants_finding(flags, row) : !needs_finding;
}
