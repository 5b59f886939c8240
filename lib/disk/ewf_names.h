/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EWF_NAMES_H
#define KITH_EWF_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/*
 * The names of an EWF set's segments: x.E01 to x.E99, then x.EAA to x.EZZ, x.FAA and so on to x.ZZZ; the same
 * with s or S for SMART; x.Ex01 to x.Ex99 and x.ExAA to x.EzZZ for version 2.  Only names are examined; no
 * file is opened.
 */

/*
 * Returns 1 if path is named like a segment, and stores the files of the set; missing segments are detected
 * later, from the headers.  Returns 0 if it is not named like a segment; -1 if it is a later segment and the
 * first one exists, or if out of memory.  The list ends with NULL; the caller owns it and its strings.
 */
int ewf_names_find(const char *path, char ***files, size_t *count, struct error *err);

/* Returns whether path is named like a later segment of a set whose first segment exists. */
bool ewf_names_is_later(const char *path);

/* Returns the segment number in the name; 0 if it is not named like a segment. */
unsigned ewf_names_number(const char *path);

/* Writes the extension of another segment of the set, such as "E03". */
enum { EWF_NAMES_ROOM = 5 };
void ewf_names_extension(const char *path, unsigned number, char text[EWF_NAMES_ROOM]);

#endif
