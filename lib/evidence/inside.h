/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_INSIDE_H
#define KITH_INSIDE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/ranges.h"
#include "disk/object.h"
#include "evidence/evidence_sink.h"

/*
 * A disk image that is an object of another image, as evidence of its own.  Its path is that of the outer
 * image, a slash, and the object: "disk.dd/1234-128-1", or with the label of the volume, as in
 * "disk.E01/2@1048576/1234-128-1".  No file has such a path, since only folders contain files.  The bytes of
 * the object are read where they are stored, so only objects that are stored as they are can be read: files,
 * free space, and members of containers that do not compress them.
 *
 * The object is searched for by reading the outer image as evidence, with the options and the sink from here;
 * this finds its runs.  Then each worker opens the outer image, and the inner one by these runs.
 */

/* Returns the path of the outer image, which the caller frees, and what names the object, which points into
 * path; NULL if path is anything else, including the path of a file, or if out of memory.  errno is kept. */
char *inside_file(const char *path, const char **object);

/* What names an object, taken apart; points into it. */
struct inside_address {
    const char *label; /* of the volume */
    size_t label_len;  /* 0: any volume */
    const char *own;   /* its address in the volume */
};

/* -1 if it is not the address of an object that can be read; path: for the message. */
int inside_parse(struct inside_address *address, const char *path, const char *object, struct error *err);

/* Bytes of an inner image that count for the memory of a worker; a few bytes of evidence can claim more. */
#define INSIDE_MOST_MEMORY ((uint64_t)64 << 30)

/* Returns whether an object, other than a member, is stored as it is. */
bool inside_is_stored(const struct evidence_volume *volume, const struct object *object);

/* The search; initialize to zeros. */
struct inside {
    struct evidence_options options; /* for reading the outer image */
    struct evidence_sink sink;
    struct object object; /* the object found, with its runs on the outer image */
    const char *path;
    struct inside_address address;
    const struct evidence_sink *caller; /* its idle is called */
    const atomic_bool *stopped;         /* by the caller; or NULL */
    struct inspector inspector;         /* opens the containers that a member is packed in */
    struct ranges range;                /* the object, if its address is a range */
    struct buffer text;
    char label[128]; /* of the volume in which it was found */
    bool found, doubled, is_stored, failed;
    bool is_in_partial; /* what comes next may be a member of an incomplete object */
    atomic_bool stop;
};

/* Prepares the search for the evidence at path, of which object is the rest as from inside_file.  options,
 * sink: those for the inner image, which must outlive the search.  -1 if the object's address is invalid. */
int inside_begin(struct inside *inside, const char *path, const char *object,
                 const struct evidence_options *options, const struct evidence_sink *sink, struct error *err);
/* After the outer image was read: 0 if the object can be read, else -1. */
int inside_end(struct inside *inside, struct error *err);
void inside_release(struct inside *inside);

#endif
