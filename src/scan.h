/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SCAN_H
#define KITH_SCAN_H

#include "evidence_run.h"
#include "match/scanner.h"
#include "patterns.h"
#include "scan_sets.h"

/* Evidence against reference sets, into a case. */
struct scan {
    struct evidence_run run;
    struct patterns patterns;
    struct scan_sets sets;
    struct matcher_options matching;
    uint64_t most, chunk; /* bytes: of objects that are looked into; of chunks, 0 for none */
    bool deep, hash_image;

    struct casefile *casefile;
    bool resumable; /* the case is kept, and may have something of the evidence already */

    /* made by scan_open: */
    struct scanner_plan plan;
    struct inspector inspector;

    bool failed; /* the case cannot be written, or a set not be read: err says why */
    struct error err;
};

/* Opens the sets and makes the plan.  -1 after an error was shown.  To be closed in any case. */
int scan_open(struct scan *scan);
void scan_close(struct scan *scan);

/* Reads an evidence into the case, for evidence_run_all: scan is a struct scan, and number that of the
 * evidence in the case, less one.  The exit status. */
int scan_evidence(void *scan, size_t number, const char *path);

#endif
