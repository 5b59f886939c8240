/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SELFTEST_RUN_H
#define KITH_SELFTEST_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "selftest_case.h"
#include "selftest_content.h"
#include "selftest_scratch.h"

/* Clusters of chance matches in objects of a class, by the limit of their E: see selftest_chance.h. */
enum { SELFTEST_DECADES = 10 };
struct selftest_chance {
    uint64_t objects;
    double matches;                    /* sums of what objects weigh: for each of their matches, */
    double observed[SELFTEST_DECADES]; /* and each line with an E of at most each limit, */
    double squares[SELFTEST_DECADES];  /* with its squares by object */
};

/* What all parts of a self-test share. */
struct selftest_run {
    uint64_t seed;
    bool quick;
    const char *data; /* the user's folder; NULL: generated content */
    struct selftest_scratch scratch;
    struct selftest_content content;
    struct selftest_cases cases;
    struct selftest_chance chance[SELFTEST_CLASSES];
    struct buffer out, errors; /* of the last program that was run */
    uint64_t scanned;          /* bytes planted in objects and images */
};

/* A generator for one case, so that no case depends on which others are run. */
struct lab_random selftest_run_random(const struct selftest_run *run, const char *id);

/* Runs this program with these arguments, and reads what it prints into run->out.  -1 if its exit status is
 * not 0, with its message. */
int selftest_run_kith(struct selftest_run *run, const char *const *argv, struct error *err);
/* The same for a tool with this path; `in` is its standard input, a file in the scratch folder, or NULL. What
 * it prints on standard error is in run->errors. */
int selftest_run_tool(struct selftest_run *run, const char *path, const char *in, const char *const *argv,
                      struct error *err);

/* -1, with a message, if the user has interrupted the run. */
int selftest_run_continue(struct error *err);

#endif
