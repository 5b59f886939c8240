/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EVIDENCE_SINK_H
#define KITH_EVIDENCE_SINK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/digest.h"
#include "container/opening.h"
#include "disk/account.h"
#include "disk/inspector.h"
#include "disk/object.h"

/* The options for reading evidence, and the callbacks that receive what is found: see evidence.h. */
struct evidence_options {
    const char *image_type;  /* one of medium_types; NULL: detect it */
    bool images;             /* the caller opens disk images found in folders, so they need no note */
    bool force;              /* read what remains of a damaged container */
    const char *system_type; /* type of the file system; NULL: detect it */
    bool has_offset;
    uint64_t sector; /* first sector: only the volume that begins there is examined */
    unsigned workers;
    unsigned seconds; /* of CPU time that an object may take without progress */
    unsigned kinds;   /* a set of OBJECT_BIT */
    /* A set of DIGEST_BIT: digests of the whole image to compute, besides those stored in the container,
     * which are verified.  0: none. */
    unsigned image_digests;
    const struct inspector *inspector; /* NULL: content is not read */
    atomic_ullong *bytes;              /* set to the number of bytes read so far; may be NULL */
    const atomic_bool *stop;           /* set by the caller to stop reading early; may be NULL */
    bool no_sandbox;                   /* continue even if the workers' sandbox is incomplete */
    bool as_file;                      /* read a file as it is, even if it is an image */
    bool files_expected;               /* a file that is not an image needs no note */
    /* Of an image, read only these ranges, each as an object of kind image in volume "-", whatever they hold;
     * those that do not lie in it are left out.  NULL: everything. */
    const struct ranges *ranges;
    enum opening_mode opening; /* which containers are opened, in objects whose content is read */
    unsigned depth;            /* of nesting */
    bool depth_is_chosen;      /* what is nested deeper is not reported */
    /* What the members of containers may cost, and those of items before first_item did cost (allowance.h).
     * 0: what the size of the evidence allows. */
    uint64_t unpacked_most, unpacked_before;
    bool ok_unexamined; /* a volume that cannot be examined is a note, not a problem */

    /*
     * Everything that is read is numbered by item (object.h).  The numbers are the same for the same
     * evidence, kinds and offset, whatever the number of workers, unless a time-out hides names.  The content
     * of items before first_item is not read again.  wanted is called in this process, in item order, and
     * returns whether to read the content of a file with these paths (as passed to the sink; count may be 0);
     * NULL: read everything.  Objects whose content is not wanted are still reported, with OBJECT_UNWANTED
     * and without a result.
     */
    uint64_t first_item;
    const struct ranges *bad; /* unreadable ranges found in those items, sorted (ranges_insert); or NULL */
    bool (*wanted)(void *arg, const char *paths, size_t count);
    void *wanted_arg;
};

struct evidence_image {
    const char *format; /* "raw", "E01", ... */
    const char *table;  /* partition table: "dos", "gpt", ... or "" */
    uint64_t size;
    uint32_t sector_size;
};

struct evidence_volume {
    const char *label; /* "2@1048576": number and first byte; "-": no partition table */
    uint64_t start, len;
    const char *about;   /* its description in the partition table */
    const char *system;  /* the file system in it; "": none that can be read */
    const char *content; /* other content, if recognized: "LUKS2"; or "" */
    bool encrypted;
    bool unexamined; /* it may hold files that cannot be listed: encrypted, or an unknown file system */
};

/* Arguments are valid during the call.  Unwanted callbacks may be NULL. */
struct evidence_sink {
    void (*image)(void *arg, const struct evidence_image *image);
    void (*volume)(void *arg, const struct evidence_volume *volume); /* before its objects */
    /* paths: count of them, each NUL-terminated, relative to the volume.  object->item never decreases. */
    void (*object)(void *arg, const struct evidence_volume *volume, const struct object *object,
                   const char *paths, size_t count);
    /*
     * Takes what the inspector streams (inspector.h) while it reads objects of the volume, before these
     * objects themselves.  It comes from a worker and may be anything; if a worker dies, what it was reading
     * comes again.  Returns false if it is not acceptable, and the worker is killed.
     */
    bool (*stream)(void *arg, const struct evidence_volume *volume, const void *data, size_t len);
    /* A part of the image has been read: the volume last reported, or the space around volumes ("-").  In the
     * end the parts add up to the size of the image. */
    void (*account)(void *arg, const struct evidence_volume *volume, const struct account_table *table);
    /* Bytes of the image could not be read; called before the objects that contain them. */
    void (*bad)(void *arg, uint64_t start, uint64_t len);
    void (*digests)(void *arg, const struct digest_values *whole, const struct digest_values *stored);
    void (*problem)(void *arg, const char *text); /* something could not be read */
    void (*note)(void *arg, const char *text);    /* for information, not a problem */
    void (*idle)(void *arg);                      /* called several times a second while waiting */
    void *arg;
};

#endif
