/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SETS_THIN_H
#define KITH_SETS_THIN_H

#include "cluster/clusters.h"
#include "set_flags.h"
#include "terminal.h"

/*
 * Thins a set: of each cluster of similar files only the representative keeps its record; the others become
 * hash-only entries, with their names.  Whether these would still be found as related files is measured.
 */
struct sets_thin {
    const struct set_flags *flags; /* describe the new set */
    const char *output;            /* its path; NULL: only report what the set would lose */
    double resemblance;            /* least, of a member and its representative */
    double covered;                /* least share of its samples in kept records, or it keeps its own */
    int format;                    /* FORMAT_* */
    bool quiet;
    struct progress *progress;
};

/* Returns the exit status, after an error was shown if it failed. */
int sets_thin(const struct sets_thin *thin, char *path);

#endif
