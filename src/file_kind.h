/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_FILE_KIND_H
#define KITH_FILE_KIND_H

#include <stdbool.h>

/*
 * A file given in the wrong place gets a message that says what it is and which command takes it.  It is
 * recognised by its first bytes alone; it may still be damaged.
 */

/*
 * Check that the path can be a set, a case, or a hash list.  Return -1 after an error was shown: it is
 * something else.  A missing or unrecognised path is accepted; opening it reports the error.
 */
int file_kind_check_set(const char *path);
int file_kind_check_case(const char *path);
int file_kind_check_list(const char *path);

/* The same for evidence.  Only workers parse evidence, so this reads no more than the header of an SQLite
 * database, to recognise a set, a case or an index. */
int file_kind_check_evidence(const char *path);

/* Whether the path is a set: 1 or 0, or -1 after an error was shown, since it cannot be read. */
int file_kind_is_set(const char *path);
/* Whether the path is a folder; or a case, by the header of an SQLite database alone. */
bool file_kind_is_folder(const char *path);
bool file_kind_is_case(const char *path);

#endif
