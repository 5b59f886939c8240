/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EVIDENCE_LIST_H
#define KITH_EVIDENCE_LIST_H

#include "evidence/evidence.h"

/* Paths of evidence: those given by the user, and disk images found in them. */
struct evidence_list {
    char **paths;
    size_t count, given; /* paths[given] and later are owned by the list */
};

/*
 * Lists the given evidence and, with options->images, the disk images in those of it that are folders.  They
 * follow in the order of the walk, which is the same for the same folders; sandboxed workers look for them.
 * Returns -1 after an error was shown.  Release the list in any case.
 */
int evidence_list_make(struct evidence_list *list, const struct evidence_options *options, size_t count,
                       char **paths);
/* Lists the evidence that a case has.  Returns as evidence_list_make. */
int evidence_list_of_case(struct evidence_list *list, const char *path);
void evidence_list_release(struct evidence_list *list);

/* Check that all of it can be scanned into one case.  They return -1 after an error was shown: a path is
 * given twice, so its rows would be duplicated; or the case (NULL: none) is itself evidence, or lies in a
 * folder that is. */
int evidence_list_check_twice(const struct evidence_list *list);
int evidence_list_check_output(const struct evidence_list *list, const char *output);

/* The bytes of all files in the list, or 0 if it has a folder, whose size is unknown. */
uint64_t evidence_list_bytes(const struct evidence_list *list);

#endif
