/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SELFTEST_BATCH_H
#define KITH_SELFTEST_BATCH_H

#include "selftest_run.h"

/*
 * A batch: files with known content are written to a folder, `kith scan --csv` scans it once, and every row
 * is judged by the bytes of the file and of the reference.
 */

enum { SELFTEST_BATCH_BLOCK = 4096 /* the default block size of a set */ };

#define SELFTEST_BATCH_NO_FILE SIZE_MAX /* the object has nothing in common with any reference */

struct selftest_batch_object {
    struct selftest_case *test;
    size_t file;       /* of run->content, that it is made from */
    size_t start, end; /* where it lies in the object, if embedded; else 0, 0 */
    bool found, right, reported, identical, unfounded;
};

struct selftest_batch {
    struct selftest_run *run;
    struct selftest_batch_object *objects;
    size_t count, room;
    uint64_t bytes;
    struct buffer object; /* the content of the object with the number loaded - 1 */
    size_t loaded;
};

/* Makes the sets "default.kith" and "dense.kith" from the content. */
int selftest_batch_make_sets(struct selftest_run *run, struct error *err);

/* Begins an empty batch; selftest_batch_end must be called in any case. */
int selftest_batch_begin(struct selftest_batch *batch, struct selftest_run *run, struct error *err);
void selftest_batch_end(struct selftest_batch *batch);

/* Writes an object of a case: one trial. */
int selftest_batch_plant(struct selftest_batch *batch, const struct selftest_batch_object *object,
                         const struct buffer *content, struct error *err);

/* Scans with one of the sets and adds the results to the cases.  max_e: the value of --max-e, or NULL. */
int selftest_batch_scan(struct selftest_batch *batch, bool dense, const char *max_e, struct error *err);

#endif
