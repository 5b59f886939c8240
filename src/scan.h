/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SCAN_H
#define KITH_SCAN_H

#include "evidence_run.h"
#include "match/scanner.h"
#include "patterns.h"
#include "scan_limits.h"
#include "scan_sets.h"

/* Scans evidence for the files of reference sets, into a case. */
struct scan {
    struct evidence_run run;
    struct patterns patterns;
    struct scan_sets sets;
    struct matcher_options matching;
    uint64_t most, chunk; /* bytes: the largest object to scan; the size of chunks, 0 for none */
    uint64_t require;     /* bytes of fragments that are to be found; 0: not given */
    bool deep, hash_image;
    bool md5, sha256; /* compute these for every object, besides the digests that the search needs */

    struct casefile *casefile;
    uint64_t *numbers; /* of each piece of evidence in the case */
    bool resumable;    /* the case is kept, and may hold part of the evidence already */

    /* made by scan_open: */
    struct scanner_plan plan;
    struct scan_limits limits;
    struct inspector inspector;

    bool failed; /* the case could not be written, or a set could not be read: see err */
    struct error err;
};

/* Opens the sets and plans the scan.  Returns -1 after an error was shown.  Close it in any case. */
int scan_open(struct scan *scan);
void scan_close(struct scan *scan);

/* Scans one piece of evidence into the case; a callback for evidence_run_all, with a struct scan.  index is
 * that of its number.  Returns the exit status. */
int scan_evidence(void *scan, size_t index, const char *path);

#endif
