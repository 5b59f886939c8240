/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EVIDENCE_FLAGS_H
#define KITH_EVIDENCE_FLAGS_H

#include "evidence/evidence.h"
#include "options.h"

/* The options for reading evidence, which several commands share; they come first in those commands'
 * tables. */
enum {
    OPTION_IMAGE_TYPE,
    OPTION_OFFSET,
    OPTION_SYSTEM_TYPE,
    OPTION_ONLY,
    OPTION_CONTAINERS,
    OPTION_DEPTH,
    OPTION_JOBS,
    OPTION_SECONDS,
    OPTION_OK_UNEXAMINED,
    OPTION_FORCE,
    OPTION_NO_SANDBOX,
    OPTIONS_EVIDENCE,
};

/* clang-format off */
#define OPTIONS_EVIDENCE_SPECS(default_kinds, default_containers) \
    {'i', "image-type", "TYPE", "container format (default: auto-detect)", &values_image_types}, \
    {'o', "offset", "SECTOR", "read only the volume that starts at this sector (default: all)", NULL}, \
    {'f', "fs-type", "TYPE", "file system (default: auto-detect)", &values_file_systems}, \
    {0, "only", "KIND,...", "take only objects of these kinds (default: " default_kinds ")", &values_object_kinds}, \
    {0, "containers", "WHICH", "open no containers, known ones, or all, also in free space (default: " default_containers ")", &values_openings}, \
    {0, "depth", "N", "open containers in containers to this depth (default: 5)", NULL}, \
    {'j', "jobs", "N", "worker processes (default: one per processor)", NULL}, \
    {0, "object-seconds", "N", "give up on an object after N seconds of processor time without progress (default: 20)", NULL}, \
    {0, "ok-unexamined", NULL, "do not exit with status 3 because of encrypted volumes and unknown file systems", NULL}, \
    {0, "force", NULL, "read what is left of an image whose container is damaged or incomplete", NULL}, \
    {0, "no-sandbox", NULL, "read evidence even if this system cannot confine the worker processes", NULL}
/* clang-format on */

/* The defaults, for objects of these kinds; with members among these, all containers are opened. */
struct evidence_options evidence_flags_defaults(unsigned kinds);

/* Takes one of the shared options; -1 after an error was shown. */
int evidence_flags_take(struct evidence_options *evidence, const struct options *options, int option);

/* Checks that this system can confine workers, unless --no-sandbox was given; returns -1 after an error was
 * shown.  Call it before anything is created. */
int evidence_flags_sandbox(const struct evidence_options *evidence);

/* Checks that each path can be evidence at all; with --image-type or as_file any file can.  Returns -1 after
 * an error was shown.  Call it before anything is created. */
int evidence_flags_check(const struct evidence_options *evidence, size_t count, char **paths);

/* The exit status for the outcome; EVIDENCE_FAILED counts as evidence that could not be read. */
int evidence_flags_status(enum evidence_result result);

#endif
