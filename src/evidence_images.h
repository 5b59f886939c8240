/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EVIDENCE_IMAGES_H
#define KITH_EVIDENCE_IMAGES_H

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
int evidence_images_find(struct evidence_list *list, const struct evidence_options *options, size_t count,
                         char **paths);
void evidence_images_release(struct evidence_list *list);

#endif
