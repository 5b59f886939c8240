/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_ARCHIVE_OPEN_H
#define KITH_ARCHIVE_OPEN_H

#include "container/archive_stream.h"

/* A container whose members libarchive finds, or the one member of a compressed file. */

/* How it is read, and where it lies. */
struct archive_plan {
    int (*const *supports)(struct archive *); /* as archive_reader_open has them; NULL: a compressed file */
    uint64_t start, end;                      /* end: as its header has it, or CONTAINER_UNKNOWN */
    enum archive_sight_packing packing;       /* of the whole */
    bool is_packed;                           /* its members are not stored as they are */
    bool is_endless;                          /* whatever is no header is its end */
    uint64_t memory;                          /* that unpacking a compressed file takes */
};

/* As `open` of a format. */
struct container *archive_open(const struct container_sight *sight, const struct container_watch *watch,
                               const struct archive_plan *plan, struct error *err);

#endif
