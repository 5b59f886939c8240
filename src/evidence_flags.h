/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EVIDENCE_FLAGS_H
#define KITH_EVIDENCE_FLAGS_H

#include "evidence.h"
#include "options.h"

/* The options that say how to read evidence, which several commands share; they come first in those commands'
 * lists. */
enum {
    OPTION_IMAGE_TYPE,
    OPTION_OFFSET,
    OPTION_SYSTEM_TYPE,
    OPTION_ONLY,
    OPTION_JOBS,
    OPTION_SECONDS,
    OPTIONS_EVIDENCE,
};

/* clang-format off */
#define OPTIONS_EVIDENCE_SPECS OPTIONS_EVIDENCE_SPECS_WITH('o')
/* For a command in which -o is something else. */
#define OPTIONS_EVIDENCE_SPECS_WITH(offset_letter) \
    {'i', "image-type", "TYPE", "the container's format (default: found out)", \
     "raw ewf aff afd afm afflib vmdk vhd"}, \
    {offset_letter, "offset", "SECTOR", "look only at the volume that begins there", NULL}, \
    {'f', "fs-type", "TYPE", "the file system (default: found out)", \
     "ntfs fat exfat ext ufs hfs iso9660 apfs yaffs2"}, \
    {0, "only", "KIND,...", "take only objects of these kinds", \
     "file deleted orphan stream slack unallocated gap metadata folder"}, \
    {'j', "jobs", "N", "worker processes (default: one for each processor)", NULL}, \
    {0, "object-seconds", "N", "processor time that one object may take without getting on (default: 20)", NULL}
/* clang-format on */

/* What is used unless the user says otherwise, for objects of these kinds. */
struct evidence_options evidence_flags_defaults(unsigned kinds);

/* Takes one of the shared options; -1 after an error was shown. */
int evidence_flags_take(struct evidence_options *evidence, const struct options *options, int option);

/* What the outcome means as an exit code; for EVIDENCE_FAILED that something could not be read. */
int evidence_flags_status(enum evidence_result result);

#endif
