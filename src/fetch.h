/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_FETCH_H
#define KITH_FETCH_H

#include <stddef.h>
#include <stdint.h>

#include "base/ranges.h"
#include "evidence/evidence.h"

/*
 * Reads the content of given objects from evidence.  Only the sandboxed workers parse it; they stream the
 * bytes to this process, which keeps none of them: objects may be of any size.  What a worker streams is
 * checked against what was asked for, but its bytes prove nothing by themselves: compare digests.
 */

/* Whether an address is that of a file of the host or of a member of one, which others may have, too: then
 * the path must be given. */
bool fetch_needs_path(const char *address);

/* What to read of an object.  Everything is borrowed. */
struct fetch_want {
    const char *volume;  /* label of the volume; NULL: any that has such an object */
    const char *address; /* as object_address writes it */
    bool on_image;       /* the address is a range, which is read directly from the image, in any volume */
    const char *path;    /* of a file of the host, or of a member of it, in the evidence; NULL for others */
    /* The bytes of the object, sorted and disjoint; what lies after its end is left out.  0: all. */
    const struct range *ranges;
    size_t range_count;
};

/*
 * Receives what was read.  Callbacks get the index of the want, and return nonzero to end everything early.
 * The bytes of each want come in order, as data or, if they cannot be read, as bad; those of several may
 * come in turns.
 */
struct fetch_sink {
    /* The evidence is an image, which has been opened; before anything else.  May be NULL. */
    int (*image)(void *arg, const struct evidence_image *image);
    /* The object was found.  If it comes again before end, the worker has died, and what has arrived is
     * void. */
    int (*begin)(void *arg, size_t want, const char *volume, uint64_t size);
    int (*data)(void *arg, size_t want, uint64_t offset, const void *data, size_t len);
    int (*bad)(void *arg, size_t want, uint64_t offset, uint64_t len);
    /* The object is complete; or, without begin, it was found but cannot be read.  paths: as in
     * evidence_sink.h. */
    int (*end)(void *arg, size_t want, const char *volume, const struct object *object, const char *paths,
               size_t count);
    void (*problem)(void *arg, const char *text);
    void *arg;
};

/*
 * Reads ranges of the image first, directly; then all other wants in one pass, which ends as soon as all of
 * them that name a volume are complete and there are no others.  A want without a volume may be found in
 * several.  Only containers on the way to wanted members are opened.  Of the options, kinds must include those
 * of all other objects, the inspector is not used, and stop is used as in evidence_read.  EVIDENCE_DONE says
 * that the pass is over; a want for which `end` was not called was not found.
 */
enum evidence_result fetch(const char *path, const struct evidence_options *options,
                           const struct fetch_want *wants, size_t count, const struct fetch_sink *sink,
                           struct error *err);

#endif
