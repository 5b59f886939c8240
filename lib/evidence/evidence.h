/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EVIDENCE_H
#define KITH_EVIDENCE_H

#include <stdbool.h>

#include "base/error.h"
#include "evidence/evidence_sink.h"

/*
 * Evidence: a disk image, a block device, a folder or file of the host, or a disk image that is an object of
 * another one: its path is then that of the image, a slash, and the address (inside.h).  Everything in it is
 * delivered object by object: volumes and gaps by position; within a file system by inode, then metadata
 * blocks, then free blocks.  The order does not depend on the number of workers.
 *
 * Evidence is opened read-only, and only sandboxed worker processes parse it (crew.h).
 */
enum evidence_result {
    EVIDENCE_DONE,
    EVIDENCE_PARTIAL, /* something could not be read; the sink got the details */
    EVIDENCE_CHANGED, /* the evidence changed while it was being read */
    EVIDENCE_STOPPED, /* because options->stop was set */
    EVIDENCE_FAILED,  /* it could not be opened, or the environment failed; err says why */
};

/* Reads everything that the options select and passes it to the sink. */
enum evidence_result evidence_read(const char *path, const struct evidence_options *options,
                                   const struct evidence_sink *sink, struct error *err);

/* Checks that the evidence exists and its files may be read; returns 0, or -1 and fills err.  Opens none of
 * its files: the segments of an image are found by name. */
int evidence_check(const char *path, const char *image_type, struct error *err);

enum { EVIDENCE_STAMP_LEN = 255 };

/*
 * Describes the files of the evidence from the outside: their number, total size, and the latest modification
 * and status change times.  A later comparison shows whether the evidence may have changed. "" for a device,
 * which has no such times; that of an image inside another one begins with "inside".  Returns -1 and fills
 * err on error.
 */
int evidence_stamp(const char *path, const char *image_type, char stamp[EVIDENCE_STAMP_LEN + 1],
                   struct error *err);

#endif
