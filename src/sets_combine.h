/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SETS_COMBINE_H
#define KITH_SETS_COMBINE_H

#include "set/known.h"
#include "set_flags.h"
#include "terminal.h"

/* Creates a set from others. */

enum sets_combination {
    SETS_MERGE,     /* the files of all sets */
    SETS_SUBTRACT,  /* the files of the first set that no other set has */
    SETS_INTERSECT, /* the files of the first set that all other sets have */
};

struct sets_combine {
    const struct set_flags *flags;                               /* describe the new set */
    const char *output;                                          /* its path, which must not exist */
    void (*change)(void *arg, uint64_t id, struct known *known); /* as in struct refset_copy; may be NULL */
    void *change_arg;
    bool quiet;
    struct progress *progress;
};

/* Creates it from the sets at the paths, and shows a summary.  An incomplete set is removed.  Returns the
 * exit status. */
int sets_combine(const struct sets_combine *combine, enum sets_combination how, int count, char **paths);

#endif
