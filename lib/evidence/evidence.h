/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EVIDENCE_H
#define KITH_EVIDENCE_H

#include <stdbool.h>

#include "base/error.h"
#include "evidence/evidence_sink.h"

/*
 * Evidence: a disk image, or a folder or file of the host.  All that it holds is handed over object by
 * object, in the order of the disk: volumes and gaps by their place; in a file system by inode, then the free
 * blocks.  The outcome is the same for any number of workers.
 *
 * Evidence is only ever read, and only by worker processes in a sandbox (crew.h).
 */
enum evidence_result {
    EVIDENCE_DONE,
    EVIDENCE_PARTIAL, /* something could not be read, and the sink was told */
    EVIDENCE_CHANGED, /* while it was read */
    EVIDENCE_STOPPED, /* as options->stop asked for */
    EVIDENCE_FAILED,  /* it could not be opened, or the environment failed: err tells */
};

/* Reads all that the options ask for, and tells the sink. */
enum evidence_result evidence_read(const char *path, const struct evidence_options *options,
                                   const struct evidence_sink *sink, struct error *err);

/* Whether evidence of that name is there, and its files may be read; nothing is read but what names the
 * segments of an image. */
int evidence_check(const char *path, const char *image_type, struct error *err);

enum { EVIDENCE_STAMP_LEN = 255 };

/*
 * What the files of evidence look like from outside, as text: how many, their bytes, and when the last of
 * them was written to, or had its status changed.  "" for a device, of which nobody can tell.  To know later
 * whether it may be another one.
 */
int evidence_stamp(const char *path, const char *image_type, char stamp[EVIDENCE_STAMP_LEN + 1],
                   struct error *err);

#endif
