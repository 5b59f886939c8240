/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LAB_JUDGE_H
#define KITH_LAB_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Judges the rows of `kith scan --csv` by the bytes of the object and of the reference, without any other
 * part of kith: what a row promises is compared byte by byte.
 */

/* A row; strings are terminated and valid during the call only. */
struct lab_judge_row {
    const char *address, *kind, *path, *sha1;
    const char *verdict, *ref_name, *ref_sha1, *proof, *status;
    uint64_t size;
    bool has_span; /* there is a finding, and these are given: */
    uint64_t obj_start, obj_end, ref_start, ref_end, matched;
    double resemblance, containment, e_value;
};

/* Calls `row` for each row; stops when that fails.  -1 if it did, if memory runs out, or if the text is not
 * what `kith scan --csv` writes. */
int lab_judge_rows(const char *text, size_t len,
                   int (*row)(void *arg, const struct lab_judge_row *row, struct error *err), void *arg,
                   struct error *err);

/* Bytes in memory. */
struct lab_judge_bytes {
    const uint8_t *data;
    size_t len;
};

enum lab_judge_promise {
    LAB_JUDGE_NONE, /* the row promises nothing about bytes: an estimate */
    LAB_JUDGE_KEPT,
    LAB_JUDGE_FALSE_IDENTICAL, /* identical, and the contents differ */
    LAB_JUDGE_FALSE_SHA1,      /* proof sha1, and the bytes are not those of the reference */
    LAB_JUDGE_FALSE_BLOCKS,    /* proof blocks k/n, and fewer than k blocks of the reference are there */
};

/* Whether the row keeps its promise about these contents.  block: the block size of the set, a power of two.
 */
enum lab_judge_promise lab_judge_promise(const struct lab_judge_row *row,
                                         const struct lab_judge_bytes *object,
                                         const struct lab_judge_bytes *reference, size_t block);
/* What is wrong, in words; "" for LAB_JUDGE_NONE and LAB_JUDGE_KEPT. */
const char *lab_judge_promise_text(enum lab_judge_promise promise);

/* Whether two contents share a string of `len` bytes that has at least ten different ones, unlike padding: 1,
 * 0, or -1 without memory. */
int lab_judge_share(const struct lab_judge_bytes *a, const struct lab_judge_bytes *b, size_t len,
                    struct error *err);

#endif
