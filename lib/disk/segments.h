/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SEGMENTS_H
#define KITH_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/*
 * The files of a split image, found by their names: image.001 image.002 .., image.000 .., image.aa image.ab
 * .., and so on with two to five digits or letters.
 */
struct segments {
    char **paths; /* in order; at least one: the file itself */
    size_t count;
};

/*
 * Finds the segments behind path.  A path that is a later segment (its first one is there), and a set with a
 * hole (a later segment is there, one before it is not), is an error that names the file.  A name that only
 * looks like a segment, with no other beside it, is a set of one.
 */
int segments_find(struct segments *segments, const char *path, struct error *err);
/* Whether path is named as a later segment, and its set's first one is there. */
bool segments_is_later(const char *path);
void segments_release(struct segments *segments);

/* Whether other is one of the set's files, by name. */
bool segments_have(const struct segments *segments, const char *other);

#endif
