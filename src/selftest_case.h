/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SELFTEST_CASE_H
#define KITH_SELFTEST_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The test cases of a self-test and what they gave. */

enum selftest_group {
    SELFTEST_IDENTICAL,
    SELFTEST_VERSIONS,
    SELFTEST_EMBEDDED,
    SELFTEST_FRAGMENTS,
    SELFTEST_UNRELATED,
    SELFTEST_NOTHING,
    SELFTEST_IMAGES,
    SELFTEST_ESTIMATES,
    SELFTEST_GROUPS,
};

enum { SELFTEST_NOTE_LEN = 240 };

struct selftest_case {
    char id[48]; /* "V05-text-small"; the same in every run */
    enum selftest_group group;
    char what[120];         /* "5 blocks inserted, 10 % of the length in all" */
    const char *class_name; /* or a file system; "" */
    const char *size_name;  /* or a place in a file system, or a number of bytes; "" */
    char size_text[24];
    bool dense;
    const char *const *expected; /* the right verdicts, ending with NULL; NULL: a finding is an error */

    bool again;        /* its objects are those of an earlier case: no new trials for the group */
    size_t files;      /* distinct files that the trials are drawn from; 0: each has content of its own */
    size_t first_file; /* the first of these files, in run->content */

    uint64_t trials,
        hits;       /* found; unrelated: objects with an unfounded finding; estimates: intervals that hold */
    uint64_t right; /* of the hits: those with an expected verdict */
    uint64_t other; /* findings that name another reference */
    uint64_t unfounded;              /* of these: no string of 64 bytes in common, but padding */
    uint64_t promises, broken;       /* rows that promise equal bytes, and those that did not keep it */
    double error_sum, error_squares; /* estimates: |estimate - distance| / longer length */
    double width_sum;                /* estimates: length of the interval / longer length */
    uint64_t ranges;                 /* embedded: findings of the reference */
    double range_sum;                /* bytes by which their ends are off, on average */
    char note[SELFTEST_NOTE_LEN];    /* why it was not run; what was broken; "" */
};

struct selftest_cases {
    struct selftest_case **list; /* in the order in which they are reported */
    size_t count, room;
};

/* Adds a case with everything else zero; owned by the list, at its place until the list is released.  NULL
 * without memory. */
struct selftest_case *selftest_case_add(struct selftest_cases *cases, enum selftest_group group,
                                        struct error *err, const char *id, ...)
    __attribute__((format(printf, 4, 5)));
void selftest_case_release(struct selftest_cases *cases);

/* Sets the note unless the case has one. */
void selftest_case_note(struct selftest_case *test, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* "not run", "FAIL" (a promise was broken), "pass" (promises were kept), or "measured". */
const char *selftest_case_result(const struct selftest_case *test);

/* Whether the verdict is one of those expected. */
bool selftest_case_expects(const struct selftest_case *test, const char *verdict);

/* How many distinct files, or contents, the trials are drawn from. */
uint64_t selftest_case_files(const struct selftest_case *test);

/* The sum of all cases of the group that were run; its trials are 0 if there are none.  An object that
 * several cases scan is one trial, and a file from which several cases were made is one file; promises are
 * summed over all rows. */
struct selftest_case selftest_case_sum(const struct selftest_cases *cases, enum selftest_group group);

/* The cases of a procedure differ in class and size only: their identifiers begin alike, up to the first '-',
 * and they use the same set.  Whether the case with this index is the first one of
 * its procedure; if so, *sum is that of all. */
bool selftest_case_procedure(const struct selftest_cases *cases, size_t index, struct selftest_case *sum);

#endif
