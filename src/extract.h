/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EXTRACT_H
#define KITH_EXTRACT_H

#include <stdio.h>

#include "base/digest.h"
#include "base/ranges.h"
#include "disk/object.h"
#include "evidence_run.h"

/*
 * Writes the content of objects to files in a new folder, with a manifest (CSV) of what each of them is.
 *
 * A file is listed in the manifest when it is complete; without a row it was interrupted.  Bytes that cannot
 * be read are zeros in the file, and listed.
 */

/* What to write: a whole object or chunk, or parts of it, each to a file of its own. */
struct extract_item {
    char *number;  /* with which the names of its files begin (extract_name.h); unique */
    char *finding; /* the findings for which it is written, separated by blanks; "" */
    char *volume, *address;
    char *base;    /* the address of the object, which for a chunk is shorter */
    bool on_image; /* the object is one range of the image, which its address states */
    enum object_kind kind;
    char *path;                   /* its first path; "": none */
    uint64_t start, size;         /* the part of the object that the item is */
    struct digest_values digests; /* of the item, to compare with; none if unknown */
    struct ranges parts;          /* of the item, as ranges_insert keeps them; none: all of it */
};

struct extract_list {
    struct extract_item *items;
    size_t count, room;
};

/* Adds a zeroed item; NULL without memory.  What it points to is freed with the list. */
struct extract_item *extract_add(struct extract_list *list);
void extract_release(struct extract_list *list);
/* Frees what an item points to. */
void extract_release_item(struct extract_item *item);

struct extract {
    struct evidence_run run;
    const char *folder;
    uint64_t most, most_in_all; /* bytes: of a file; of all files */

    /* the rest belongs to the module */
    int fd;
    FILE *manifest;
    uint64_t files, bytes; /* written */
    bool failed;           /* an error was shown, and nothing more is written */
};

/* Checks that the files of all lists together respect the limits, and makes the folder and the manifest.
 * Items with files that are too large get a row only.  Returns -1 after an error was shown; close it only if
 * this succeeded. */
int extract_open(struct extract *extract, const struct extract_list *lists, size_t count);
/* Returns -1 after an error was shown. */
int extract_close(struct extract *extract);

/* A piece of evidence that items lie in. */
struct extract_source {
    const char *path;
    bool is_doubtful;    /* it may have changed, so items without digests are not written */
    uint64_t image_size; /* that the image must have; 0: any */
};

/*
 * Writes the items of a list, which lie in this evidence, and a row for each of their files, or for an item
 * of which nothing can be written.  Items that have digests are compared with them; if they differ, nothing
 * is kept.  Returns an exit status.
 */
int extract_items(struct extract *extract, const struct extract_source *source,
                  const struct extract_list *list);

#endif
