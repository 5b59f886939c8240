/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_COMPARE_REPORT_H
#define KITH_COMPARE_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "compare/compare.h"
#include "sample/record.h"

/* What is known of two contents, written to standard output for a person or a program. */
struct report {
    const struct record *a, *b;
    const char *a_record,
        *b_record; /* the file that the record was read from; NULL: the content itself was read */
    struct comparison comparison;
    uint64_t seconds; /* the limit on time, for the words */

    bool has_exact, exact_stopped;
    uint64_t exact;           /* the true distance */
    uint64_t exact_more_than; /* if stopped: a bound that is known */

    bool has_papers, papers_stopped;
    struct compare_papers papers;
};

void report_words(const struct report *report);
void report_json(const struct report *report);

#endif
