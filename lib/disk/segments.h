/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SEGMENTS_H
#define KITH_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/*
 * The files of a split image, found by their names: image.001 image.002 ..., image.000 ..., image.aa image.ab
 * ..., and so on with two to five digits or letters.
 */
struct segments {
    char **paths; /* in order; at least one, the file itself */
    size_t count;
};

/*
 * Finds the segments that follow path.  It is an error, which names the file, if path is a later segment of a
 * set whose first one exists, or if a segment is missing in between.  A name that merely looks like a
 * segment's, without any other next to it, is a set of one.
 */
int segments_find(struct segments *segments, const char *path, struct error *err);
/* Returns whether path is named like a later segment of a set whose first one exists. */
bool segments_is_later(const char *path);
void segments_release(struct segments *segments);

#endif
