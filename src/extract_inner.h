/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EXTRACT_INNER_H
#define KITH_EXTRACT_INNER_H

/* Shared by the files of this module: extract.c decides what is written, extract_file.c writes it, and
 * extract_manifest.c lists it. */

#include "extract.h"

enum { EXTRACT_MOST_BAD = 1000 }; /* ranges that cannot be read, of a file; more are joined */

/* A file as it is written. */
struct extract_file {
    struct extract *extract;
    char *name;
    uint64_t start, len; /* of the item */
    int fd;              /* -1: not open */
    uint64_t done;
    struct digest *digest;
    struct digest_values values; /* once it is complete */
    struct ranges bad;           /* in the file */
};

/* Begins a new file; name: taken over.  Returns -1 after an error was shown. */
int extract_file_open(struct extract_file *file, struct extract *extract, char *name);
/* Adds bytes, or with data NULL bytes that cannot be read; the file is finished with the last of its len
 * bytes.  Returns -1 after an error was shown. */
int extract_file_add(struct extract_file *file, const void *data, uint64_t len);
/* Returns -1 after an error was shown. */
int extract_file_finish(struct extract_file *file);
/* Removes the file if it was made, and what is known of it. */
void extract_file_remove(struct extract_file *file);
/* Frees the memory, and keeps the file. */
void extract_file_release(struct extract_file *file);

enum extract_status {
    EXTRACT_OK,
    EXTRACT_VERIFIED, /* the item has the digests that it should have */
    EXTRACT_PARTIAL,
    EXTRACT_MISSING,
    EXTRACT_UNREADABLE,
    EXTRACT_TOO_LARGE,
    EXTRACT_CHANGED,
};

/* Begin the manifest; add a row for a file, or with file NULL for an item without one.  Returns -1 after an
 * error was shown. */
int extract_manifest_begin(struct extract *extract);
int extract_manifest_add(struct extract *extract, const char *evidence, const struct extract_item *item,
                         const struct extract_file *file, enum extract_status status, const char *reason);

/* Shows the error, and lets nothing more be written.  Returns -1. */
int extract_file_fail(struct extract *extract, const struct error *err);

#endif
