/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EXTRACT_LOOK_H
#define KITH_EXTRACT_LOOK_H

#include "extract.h"

/*
 * Finds the objects with these addresses, which may begin with the label of a volume and a slash; a file of
 * the host is found by its path, and a member of it by its own path, or by that of the file and the levels of
 * its address ("offer.docx/zip/word/document.xml").  Only containers on the way to these are opened.  Appends an item for each, numbered from 1.  Returns an exit status, after
 * an error was shown if it is not EXIT_DONE: an address that no object has, or objects of several volumes.
 */
int extract_look(struct evidence_run *run, const char *evidence, char **addresses, size_t count,
                 struct extract_list *list);

#endif
