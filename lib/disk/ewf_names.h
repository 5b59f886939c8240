/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EWF_NAMES_H
#define KITH_EWF_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/*
 * The names of an EWF set's segments: x.E01 to x.E99, then x.EAA to x.EZZ, x.FAA and so on to x.ZZZ; the same
 * with s or S for SMART; x.Ex01 to x.Ex99 and x.ExAA to x.EzZZ for version 2.  Only names are looked at, no
 * file is opened.
 */

/*
 * 1: path is named as a segment, and files are the set's, in order; holes are left to whoever reads their
 * headers.  0: it is not named so.  -1: it is a later segment and the first one is there, or there is no
 * memory.  The list ends with NULL; it and its strings are the caller's.
 */
int ewf_names_find(const char *path, char ***files, size_t *count, struct error *err);

/* Whether it is named as a later segment, and its set's first one is there. */
bool ewf_names_is_later(const char *path);

/* The number of the segment that is named so; 0: not named like one. */
unsigned ewf_names_number(const char *path);

/* The last part of the name of another segment of the set, "E03". */
enum { EWF_NAMES_ROOM = 5 };
void ewf_names_extension(const char *path, unsigned number, char text[EWF_NAMES_ROOM]);

#endif
