/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SELFTEST_SCRATCH_H
#define KITH_SELFTEST_SCRATCH_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"

/* A folder for temporary files, in TMPDIR or /tmp.  Names of files in it are relative to it. */
struct selftest_scratch {
    char *path;
    int folder; /* its descriptor */
};

/* Creates the folder, and removes those that runs of this user which crashed have left there.  After success
 * selftest_scratch_remove must be called. */
int selftest_scratch_make(struct selftest_scratch *scratch, struct error *err);
/* Removes it with all that it holds. */
void selftest_scratch_remove(struct selftest_scratch *scratch);

/* Makes a folder in it; removes one, or a file, if there is such a thing. */
int selftest_scratch_folder(const struct selftest_scratch *scratch, const char *name, struct error *err);
void selftest_scratch_drop(const struct selftest_scratch *scratch, const char *name);

/* Write a new file; read a whole one into the buffer, which is emptied first. */
int selftest_scratch_write(const struct selftest_scratch *scratch, const char *name, const void *data,
                           size_t len, struct error *err);
int selftest_scratch_read(const struct selftest_scratch *scratch, const char *name, struct buffer *out,
                          struct error *err);

#endif
