/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SETS_COMBINE_H
#define KITH_SETS_COMBINE_H

#include "set_flags.h"
#include "terminal.h"

/* A new set made of others. */

enum sets_combination {
    SETS_MERGE,     /* the files of all sets */
    SETS_SUBTRACT,  /* those of the first one that no other has */
    SETS_INTERSECT, /* those of the first one that all others have */
};

struct sets_combine {
    const struct set_flags *flags; /* what the new set is to be */
    const char *output;            /* where it is made; nothing may be there */
    bool quiet;
    struct progress *progress;
};

/* Makes it of the sets at the paths, and shows what came out.  Nothing stays of it unless it is complete. The
 * exit status. */
int sets_combine(const struct sets_combine *combine, enum sets_combination how, int count, char **paths);

#endif
