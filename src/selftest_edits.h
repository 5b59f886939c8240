/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SELFTEST_EDITS_H
#define KITH_SELFTEST_EDITS_H

#include "selftest_content.h"

/* The edits by which versions of a file are made. */
struct selftest_edit {
    const char *what;            /* NULL ends the table */
    const char *const *expected; /* verdicts, ending with NULL */
    void (*make)(const struct selftest_edit *edit, const struct selftest_content *content,
                 const struct selftest_file *file, struct lab_random *random, struct buffer *out);
    unsigned percent; /* of the bytes */
};

extern const struct selftest_edit selftest_edits[];

#endif
