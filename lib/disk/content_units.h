/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CONTENT_UNITS_H
#define KITH_CONTENT_UNITS_H

#include "disk/content_runs.h"

/*
 * The content of an object that the file system decompresses, as far as it can be trusted.  Reads start at a
 * compression unit (QUIRK_NTFS_COMPRESSION_UNIT), and a unit stored in bad sectors is bad as a whole.
 */
enum { CONTENT_UNIT = 64 << 10 }; /* bytes; the largest unit that NTFS compresses */

struct content_units {
    struct content content; /* reads all or nothing */
    struct content *inner;
    struct content_runs stored;
    uint8_t unit[CONTENT_UNIT];
};

/* Borrows everything.  inner: the decompressed bytes; object: the runs in which they are stored. */
void content_units_init(struct content_units *units, struct content *inner, struct medium *medium,
                        const struct object *object);

#endif
