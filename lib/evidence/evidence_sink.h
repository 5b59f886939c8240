/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EVIDENCE_SINK_H
#define KITH_EVIDENCE_SINK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/digest.h"
#include "disk/account.h"
#include "disk/inspector.h"
#include "disk/object.h"

/* What is asked of evidence, and who is told what is found: see evidence.h. */
struct evidence_options {
    const char *image_type; /* one of medium_types; NULL to find out */
    bool images; /* disk images in folders are opened besides, by the caller: they need not be noted */
    bool force;  /* read what is left of a damaged container */
    const char *system_type; /* of the file system; NULL to find out */
    bool has_offset;
    uint64_t sector; /* only what begins there is looked at */
    unsigned workers;
    unsigned seconds; /* of CPU time that one object may take without getting on */
    unsigned kinds;   /* a set of OBJECT_BIT */
    /* A set of DIGEST_BIT: of the whole image, besides those that the container holds, which are compared; 0:
     * none. */
    unsigned image_digests;
    const struct inspector *inspector; /* NULL: the content is not read */
    atomic_ullong *bytes;              /* counts what was read; may be NULL */
    const atomic_bool *stop;           /* becomes true when reading is to end early; may be NULL */
    bool no_sandbox;                   /* read it even where the workers' sandbox is not complete */
    bool as_file;                      /* take a file as it is, even if it is an image */
    bool files_expected;               /* then a file that is no image is nothing to be noted */
    bool ok_unexamined;                /* a volume that is not examined is noted, and no problem */

    /*
     * What is read is numbered by item (object.h): the same numbers for the same evidence, kinds and offset,
     * whatever the number of workers, unless a time-out hides names.  The content of items before first_item
     * is not read again.  wanted is asked, in this process and in the order of the items, whether the content
     * of a file with these paths (as for the sink; count may be 0) is wanted; NULL: all is.  Objects without
     * wanted content are told all the same, with OBJECT_UNWANTED and without a result.
     */
    uint64_t first_item;
    const struct ranges *bad; /* what could not be read of these items, as ranges_insert keeps it; or NULL */
    bool (*wanted)(void *arg, const char *paths, size_t count);
    void *wanted_arg;
};

struct evidence_image {
    const char *format; /* "raw", "E01" .. */
    const char *table;  /* of partitions: "dos", "gpt" .. "" */
    uint64_t size;
    uint32_t sector_size;
};

struct evidence_volume {
    const char *label; /* "2@1048576": number and first byte; "-": there are none */
    uint64_t start, len;
    const char *about;   /* what the table says of it */
    const char *system;  /* the file system in it; "": none that can be read */
    const char *content; /* what is in it instead, if that is known: "LUKS2"; or "" */
    bool encrypted;
    bool unexamined; /* it may hold files that cannot be seen: encrypted, or of an unknown system */
};

/* What is found is valid during the call.  What is not wanted may be NULL. */
struct evidence_sink {
    void (*image)(void *arg, const struct evidence_image *image);
    void (*volume)(void *arg, const struct evidence_volume *volume); /* before its objects */
    /* paths: count of them, each ended by a zero byte, relative to the volume.  object->item never gets less.
     */
    void (*object)(void *arg, const struct evidence_volume *volume, const struct object *object,
                   const char *paths, size_t count);
    /* A part of the image was read, the last volume that was told or what lies around it ("-"); in the end
     * the parts add up to the image. */
    void (*account)(void *arg, const struct evidence_volume *volume, const struct account_table *table);
    /* Bytes of the image could not be read; before the objects in which they lie. */
    void (*bad)(void *arg, uint64_t start, uint64_t len);
    void (*digests)(void *arg, const struct digest_values *whole, const struct digest_values *stored);
    void (*problem)(void *arg, const char *text); /* something could not be read */
    void (*note)(void *arg, const char *text);    /* worth knowing */
    void (*idle)(void *arg);                      /* several times a second while nothing else comes */
    void *arg;
};

#endif
