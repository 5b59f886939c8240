/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SELFTEST_H
#define KITH_SELFTEST_H

#include <stdbool.h>
#include <stdint.h>

/* Measures kith's own error rates on this machine, and writes a report. */
struct selftest_options {
    const char *data;   /* a folder with the user's files; NULL: generated content */
    const char *output; /* the folder of the report, which must not exist; NULL: named after the date */
    uint64_t seed;
    bool quick; /* a tenth of the trials */
    bool quiet; /* no progress */
};

/* Returns the exit status of the command: 1 if kith broke a promise; errors have been shown. */
int selftest_run(const struct selftest_options *options);

#endif
