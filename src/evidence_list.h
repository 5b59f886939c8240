/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EVIDENCE_LIST_H
#define KITH_EVIDENCE_LIST_H

#include "evidence/evidence.h"

/* Names of evidence: all of them, and what was made for it. */
struct evidence_list {
    char **paths;
    size_t count, given; /* those from given on are the list's own */
};

/*
 * The evidence that was named, followed by the disk images in those of it that are folders, in the order of
 * the walk: the same for the same folders.  Each file is looked at by sandboxed workers.  -1 after an error
 * was shown; to be released in any case.
 */
int evidence_list_make(struct evidence_list *list, const struct evidence_options *options, size_t count,
                       char **paths);
void evidence_list_release(struct evidence_list *list);

/* Whether all of it can be scanned into one case.  -1 after an error was shown: something is named twice, so
 * its rows would be there twice; or the case (NULL: none) is evidence itself, or lies in a folder that is. */
int evidence_list_check_twice(const struct evidence_list *list);
int evidence_list_check_output(const struct evidence_list *list, const char *output);

/* The bytes of all files in it; 0 if nobody knows, because it has a folder. */
uint64_t evidence_list_bytes(const struct evidence_list *list);

#endif
