/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_FINDING_FLAGS_H
#define KITH_FINDING_FLAGS_H

#include "case/casefile.h"
#include "options.h"

/* The options that select findings of a case, which several commands share; they come first in those
 * commands' tables. */
enum {
    FINDING_VERDICT,
    FINDING_SET,
    FINDING_REFERENCE,
    FINDING_ONLY,
    FINDING_PATH,
    FINDING_MAX_E,
    FINDING_MIN_SCORE,
    FINDING_MIN_MATCHED,
    FINDING_PROOF,
    OPTIONS_FINDING,
};

/* clang-format off */
#define OPTIONS_FINDING_SPECS \
    {0, "verdict", "VERDICT,...", "only findings with these verdicts", &values_verdict_list}, \
    {0, "set", "NAME", "only findings in the set of this name", NULL}, \
    {0, "reference", "NAME", "only findings of references with this number, SHA-1 or name (a pattern)", NULL}, \
    {0, "only", "KIND,...", "only findings in objects of these kinds", &values_object_kinds}, \
    {0, "path", "PATTERN", "only findings in objects whose path matches", NULL}, \
    {'t', "max-e", "E", "only findings with an E-value of at most E", NULL}, \
    {0, "min-score", "SCORE", "only findings whose score is at least this: 0 to 1, or a percentage", NULL}, \
    {0, "min-matched", "SIZE", "only findings with at least this many matching bytes", NULL}, \
    {0, "proof", "PROOF,...", "only findings proved like this", &values_proofs}
/* clang-format on */

/* What the options chose; zeros choose everything. */
struct finding_flags {
    unsigned verdicts, kinds, proofs; /* bits */
    const char *set, *reference, *path;
    double most_ln_e, least_score;
    uint64_t least_matched;
    bool has_most_e;
};

/* Takes one of the shared options; -1 after an error was shown. */
int finding_flags_take(struct finding_flags *flags, const struct options *options, int option);

/* Whether any was given. */
bool finding_flags_any(const struct finding_flags *flags);

/* A callback for struct case_filter, with a struct finding_flags.  Of the objects without a finding, those
 * with a wanted verdict, kind and path are wanted, unless something only findings have is asked for. */
bool finding_flags_want(void *flags, const struct case_row *row);

/* Takes an E-value above 0 and up to a million, as its natural logarithm; -1 after an error was shown. */
int finding_flags_e(const struct options *options, double *ln_e);

#endif
