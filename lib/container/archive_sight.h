/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_ARCHIVE_SIGHT_H
#define KITH_ARCHIVE_SIGHT_H

#include "container/archive_inner.h"

/* How archives and compressed files are recognised. */

enum archive_sight_packing {
    ARCHIVE_SIGHT_BARE,
    ARCHIVE_SIGHT_GZ,
    ARCHIVE_SIGHT_BZ2,
    ARCHIVE_SIGHT_XZ,
    ARCHIVE_SIGHT_ZST,
    ARCHIVE_SIGHT_LZ4,
    ARCHIVE_SIGHT_LZMA,
    ARCHIVE_SIGHT_LZIP,
    ARCHIVE_SIGHT_Z,
};

/* Whether the head begins with these bytes. */
bool archive_sight_begins(const struct container_sight *sight, const void *bytes, size_t len);

/* How it is compressed. */
enum archive_sight_packing archive_sight_packing(const struct container_sight *sight);

/* Whether these are the first bytes of such an archive. */
bool archive_sight_is_tar(const uint8_t *first, size_t len);
bool archive_sight_is_cpio(const uint8_t *first, size_t len);
bool archive_sight_is_lha(const uint8_t *first, size_t len);
bool archive_sight_is_iso(const struct container_sight *sight);

/* Where an archive begins that starts with these bytes: at the start, or after the code of a program that
 * unpacks itself; CONTAINER_UNKNOWN: nowhere. */
uint64_t archive_sight_start(const struct container_sight *sight, const void *magic, size_t len);

/* Bytes of memory that unpacking what begins with these bytes takes; 0: unknown, or little. */
uint64_t archive_sight_memory(enum archive_sight_packing packing, const uint8_t *first, size_t len);

#endif
