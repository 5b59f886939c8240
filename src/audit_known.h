/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_AUDIT_KNOWN_H
#define KITH_AUDIT_KNOWN_H

#include <stdbool.h>

#include "set/refset_reader.h"
#include "set/refset_search.h"

/* The names of all files of a set, in memory, and which of them an audit has come across. */
struct audit_known;

/* bare: names and paths are compared without their folders.  The set is borrowed.  NULL on error. */
struct audit_known *audit_known_new(struct refset *set, bool bare, struct error *err);
void audit_known_free(struct audit_known *known);

/*
 * Whether this path, or the same after a volume's label and a slash, is a name of the file of the set; it is
 * then not missing.  A file without names has any path.  If the path is another one, the file's first name
 * counts as moved there, and is not missing either.
 */
bool audit_known_use(struct audit_known *known, uint64_t file, const char *label, const char *path);

/*
 * Takes the names that files of the set have as members of containers ("a.txt of b.zip") as found: for an
 * audit that opens none.  search: of the same set.  Sets the number of these names.  -1 on error.
 */
int audit_known_skip_members(struct audit_known *known, struct refset_search *search, uint64_t *count,
                             struct error *err);

/* Passes on what is missing, in the order of the set: each name, "" if the file has none.  Nonzero results of
 * the callback end it, and are returned; -1 if the set cannot be read. */
int audit_known_missing(struct audit_known *known,
                        int (*each)(void *arg, const struct known *file, const char *name), void *arg,
                        struct error *err);

#endif
