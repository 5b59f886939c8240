/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SCAN_H
#define KITH_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "case/casefile.h"
#include "evidence/evidence.h"
#include "match/scanner.h"
#include "report/report_account.h"
#include "terminal.h"

/* Evidence against reference sets, into a case. */

struct patterns {
    const char **list;
    size_t count;
};

struct scan {
    /* what was asked for: */
    struct evidence_options evidence;
    struct matcher_options matching;
    struct patterns include, exclude;
    const char **set_paths;
    size_t set_count;
    uint64_t most, chunk;
    bool deep, quiet, hash_image;
    bool keeps; /* the case */

    /* the sets, notable ones first: */
    struct refset *sets[MATCHER_MOST_SETS];
    struct refset_search *searches[MATCHER_MOST_SETS];
    struct case_set known[MATCHER_MOST_SETS];
    struct scanner_plan plan;
    struct inspector inspector;

    /* the evidence that is being read: */
    struct casefile *casefile;
    uint64_t number; /* of the evidence */
    const char *path;
    char stamp[EVIDENCE_STAMP_LEN + 1];
    uint64_t objects; /* so far */
    uint64_t rows,
        there;         /* those of the case that were passed, of so many that it had before: a chunk each */
    struct ranges bad; /* what could not be read before the scan was resumed */
    struct report_account account; /* of the image */
    struct progress progress;
    unsigned long long problems;
    unsigned long long common; /* objects in which only very common content was found */
    bool partial, changed;     /* some object was not read in full, or changed: also before it was gone on */
    bool failed;               /* the case cannot be written, or a set not be read: err tells */
    bool different;            /* it is not what the case began with */
    struct error err;
};

/* Opens the sets and makes the plan; -1 after an error was shown. */
int scan_open_sets(struct scan *scan);
void scan_close_sets(struct scan *scan);

/* Whether a file with these paths is to be looked at. */
bool scan_wants(const struct scan *scan, const char *paths, size_t count);

/* Reads an evidence, the number-th, into scan->casefile; an exit code. */
int scan_one(struct scan *scan, uint64_t number, const char *path);

#endif
