/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_COMPARE_REPORT_H
#define KITH_COMPARE_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "compare/compare.h"
#include "compare/factors.h"
#include "compare_blocks.h"
#include "sketch/sketch.h"

/* The outcome of a comparison, and writing it to standard output as text or as JSON. */
struct report {
    const struct sketch *a, *b;
    /* The files that the records were read from; NULL if the content itself was read. */
    const char *a_record, *b_record;
    struct comparison comparison; /* of sketches: the verdict only */
    bool has_e;
    double ln_e;      /* of the ranges, in a set without other files; INFINITY: there are none */
    uint64_t seconds; /* the time limit, for the text */

    bool has_exact, exact_stopped;
    uint64_t exact;           /* the true distance */
    uint64_t exact_more_than; /* if stopped: a lower bound */

    bool has_likeness; /* they are sketches, not records */
    struct sketch_likeness likeness;

    size_t a_blocks, b_blocks; /* of a file that was split; 0: it is whole */
    bool has_block, block_stopped;
    struct compare_blocks block;

    bool has_papers, papers_stopped; /* of a split file: for that block */
    struct compare_papers papers;
    const struct factors_entry *factors; /* that they were computed with; NULL: COATES_FACTOR */
};

/* The verdict in words. */
const char *compare_report_sentence(const struct report *report);
/* Whether there are figures besides the verdict. */
bool compare_report_has_estimate(enum compare_verdict verdict);
/* Appends the estimated edit distance in words. */
void compare_report_edits(const struct report *report, struct buffer *out);

/* Whether there is an E to show. */
bool compare_report_has_e(const struct report *report);

void report_words(const struct report *report);
void report_json(const struct report *report);

#endif
