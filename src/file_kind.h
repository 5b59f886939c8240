/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_FILE_KIND_H
#define KITH_FILE_KIND_H

/*
 * What a file is, by its first bytes, so that one given in the wrong place gets a message that says what it
 * is and which command takes it.  Only that is decided here: a file that is recognised may still be damaged.
 */
enum file_kind {
    FILE_KIND_OTHER, /* none of these, or it cannot be read */
    FILE_KIND_MISSING,
    FILE_KIND_FOLDER,
    FILE_KIND_SET,
    FILE_KIND_CASE,
    FILE_KIND_IMAGE, /* with a container's signature, a partition table or a file system */
    FILE_KIND_TEXT,
};

enum file_kind file_kind_of(const char *path);

/*
 * Whether the path may be a set, a case, or evidence.  -1 after an error was shown: there is something else.
 * A path that is missing, or of which nothing is known, may be anything: opening it says more.
 */
int file_kind_check_set(const char *path);
int file_kind_check_case(const char *path);
int file_kind_check_evidence(const char *path);

#endif
