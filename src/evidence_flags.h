/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EVIDENCE_FLAGS_H
#define KITH_EVIDENCE_FLAGS_H

#include "evidence/evidence.h"
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
    OPTION_OK_UNEXAMINED,
    OPTION_FORCE,
    OPTION_NO_SANDBOX,
    OPTIONS_EVIDENCE,
};

/* clang-format off */
#define OPTIONS_EVIDENCE_SPECS \
    {'i', "image-type", "TYPE", "the container's format (default: found out)", \
     "raw ewf aff afd afm afflib vmdk vhd qcow2 vdi"}, \
    {'o', "offset", "SECTOR", "look only at the volume that begins there", NULL}, \
    {'f', "fs-type", "TYPE", "the file system (default: found out)", \
     "ntfs fat exfat ext ufs hfs iso9660 apfs yaffs2"}, \
    {0, "only", "KIND,...", "take only objects of these kinds", \
     "file deleted orphan stream slack unallocated gap metadata folder"}, \
    {'j', "jobs", "N", "worker processes (default: one for each processor)", NULL}, \
    {0, "object-seconds", "N", "processor time that one object may take without getting on (default: 20)", NULL}, \
    {0, "ok-unexamined", NULL, "accept encrypted volumes and unknown file systems: they do not make the exit status 3", NULL}, \
    {0, "force", NULL, "read what is left of an image whose container is damaged or incomplete", NULL}, \
    {0, "no-sandbox", NULL, "read evidence even on a system that cannot confine the processes that do so", NULL}
/* clang-format on */

/* What is used unless the user says otherwise, for objects of these kinds. */
struct evidence_options evidence_flags_defaults(unsigned kinds);

/* Takes one of the shared options; -1 after an error was shown. */
int evidence_flags_take(struct evidence_options *evidence, const struct options *options, int option);

/* Whether evidence may be read: that this system can confine workers, or nobody asked for it; -1 after an
 * error was shown.  To be asked before anything is made of the evidence. */
int evidence_flags_sandbox(const struct evidence_options *evidence);

/* What the outcome means as an exit code; for EVIDENCE_FAILED that something could not be read. */
int evidence_flags_status(enum evidence_result result);

#endif
