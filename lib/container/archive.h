/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_ARCHIVE_H
#define KITH_ARCHIVE_H

#include "container/container.h"

/*
 * Archives, through libarchive.  Of zip, the headers are read here, since the central directory and the local
 * headers need not agree; libarchive unpacks its members.
 *
 * tar and cpio also match if they are compressed.  What is compressed and no such archive is one member, with
 * the name that its header has, or "data".  Folders, links and devices are no members.
 */

extern const struct container_format archive_format_zip;
extern const struct container_format archive_format_7z;
extern const struct container_format archive_format_rar;
extern const struct container_format archive_format_cab;
extern const struct container_format archive_format_tar;
extern const struct container_format archive_format_cpio;
extern const struct container_format archive_format_ar;
extern const struct container_format archive_format_rpm;
extern const struct container_format archive_format_iso;
extern const struct container_format archive_format_lha;
extern const struct container_format archive_format_xar;
extern const struct container_format archive_format_gz;
extern const struct container_format archive_format_bz2;
extern const struct container_format archive_format_xz;
extern const struct container_format archive_format_zst;
extern const struct container_format archive_format_lz4;
extern const struct container_format archive_format_lzma;
extern const struct container_format archive_format_lzip;
extern const struct container_format archive_format_z;

/* The version of libarchive that is in use: "3.6.2". */
const char *archive_library(void);

#endif
