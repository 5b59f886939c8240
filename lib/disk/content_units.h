/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CONTENT_UNITS_H
#define KITH_CONTENT_UNITS_H

#include "disk/content_runs.h"

/*
 * The content of an object that a file system unpacks, as far as it can be trusted: it is read from where a
 * compression unit begins (QUIRK_NTFS_COMPRESSION_UNIT), and a unit that is stored in bad sectors is bad as a
 * whole.
 */
enum { CONTENT_UNIT = 64 << 10 }; /* bytes; NTFS compresses no more than that together */

struct content_units {
    struct content content; /* reads all or nothing */
    struct content *inner;
    struct content_runs stored;
    uint8_t unit[CONTENT_UNIT];
};

/* All are borrowed.  inner: the unpacked bytes; object: the runs in which they are stored. */
void content_units_init(struct content_units *units, struct content *inner, struct medium *medium,
                        const struct object *object);

#endif
