/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SCAN_ROWS_H
#define KITH_SCAN_ROWS_H

#include "match/scanner.h"
#include "scan_containers.h"
#include "scan_limits.h"
#include "scan_sets.h"
#include "terminal.h"

/* Turns what a worker found in an object into rows of the case. */
struct scan_rows {
    struct casefile *casefile;
    const struct scan_sets *sets;
    size_t first_set; /* the index of the first of the sets in the case */
    const struct scanner_plan *plan;
    struct scan_limits *limits;
    struct scan_containers *containers;
    struct progress *progress; /* counts the findings */
    void (*note)(void *arg, const char *text);
    void *arg;

    unsigned long long common; /* parts that match only in very common content */
    struct scanner_part part;
    struct buffer address;   /* of the part */
    struct object_run *runs; /* likewise */
    size_t run_count, run_room;
};

/* Milliseconds of a monotonic clock, for casefile_add. */
int64_t scan_rows_now(void);

/*
 * Adds the rows of an object whose content was inspected: one, or one for each chunk, except the first
 * `already`, which the case holds.  object: what all rows have in common.  Returns -1 if the case cannot be
 * written, a set cannot be read, or the worker failed; SCANNER_INVALID if its result is invalid from some
 * part on, which then has no row.
 */
int scan_rows_add(struct scan_rows *rows, const struct object *inspected, const struct case_object *object,
                  uint64_t already, struct error *err);
/* Adds the row of an object whose content was not inspected; returns as scan_rows_add. */
int scan_rows_add_bare(struct scan_rows *rows, const struct case_object *object, struct error *err);

void scan_rows_release(struct scan_rows *rows);

#endif
