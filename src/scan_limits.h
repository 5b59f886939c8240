/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SCAN_LIMITS_H
#define KITH_SCAN_LIMITS_H

#include "base/buffer.h"
#include "case/casefile.h"
#include "match/limit.h"
#include "match/scanner.h"
#include "scan_sets.h"

/*
 * What a scan says about its detection limits (match/limit.h).
 *
 * An object is judged by the sparsest of the sets that are not of kind known, and for files of up to 1 MiB:
 * it is small itself, and sampled at least as densely.
 */
struct scan_limits {
    struct limit *limit; /* NULL: no set is sampled */
    uint64_t usual_len;  /* bytes from which on fragments are found as a rule, */
    uint64_t least;      /* and below which no finding is reported */
    char reason[80];
};

/* Computes the limits of a planned scan.  Returns -1 if out of memory. */
int scan_limits_open(struct scan_limits *limits, const struct scan_sets *sets,
                     const struct scanner_plan *plan, struct error *err);
/* A zeroed struct may be released, too. */
void scan_limits_release(struct scan_limits *limits);

/* Returns why an object of this many bytes without a finding may be a fragment nevertheless, valid until the
 * next call; "" if fragments of its size are found as a rule. */
const char *scan_limits_reason(struct scan_limits *limits, uint64_t len);

/* Adds a sentence on the limits of each set, which a zero byte ends. */
int scan_limits_describe(const struct scan_sets *sets, const struct scanner_plan *plan, struct buffer *texts,
                         struct error *err);
/* Adds these to the log of the case, except those that it has. */
int scan_limits_log(const struct buffer *texts, struct casefile *casefile, struct error *err);

/* Whether fragments of this many bytes are found in all sets that are not of kind known: 1, or 0 after
 * messages that say in which they are not, or -1 on error. */
int scan_limits_check(const struct scan_sets *sets, const struct scanner_plan *plan, uint64_t len, bool deep,
                      struct error *err);

#endif
