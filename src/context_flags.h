/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CONTEXT_FLAGS_H
#define KITH_CONTEXT_FLAGS_H

#include "case/casefile.h"
#include "options.h"

/* The options that state what a case belongs to, which kith scan and kith case share; their order is that of
 * enum case_context_key. */

/* clang-format off */
#define CONTEXT_FLAGS_SPECS(prefix) \
    {0, "case-number", "NUMBER", prefix "the number of the case, which reports show", NULL}, \
    {0, "examiner", "NAME", prefix "who examines the evidence", NULL}, \
    {0, "organisation", "NAME", prefix "for whom", NULL}, \
    {0, "notes", "TEXT", prefix "notes, of one or more lines", NULL}
/* clang-format on */

struct context_flags {
    const char *values[CASE_CONTEXT_KEYS]; /* NULL: not given */
};

/* Takes one of the options above, by its place among them; -1 after an error was shown. */
int context_flags_take(struct context_flags *flags, const struct options *options, int option);
/* Whether any was given. */
bool context_flags_any(const struct context_flags *flags);
/* Sets what was given and differs from what the case has.  Returns -1 if it cannot be written. */
int context_flags_set(const struct context_flags *flags, struct casefile *casefile, struct error *err);

#endif
