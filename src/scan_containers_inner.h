/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SCAN_CONTAINERS_INNER_H
#define KITH_SCAN_CONTAINERS_INNER_H

#include "scan_containers.h"

/* Shared by the files of this module: scan_containers.c follows the objects, scan_containers_judge.c compares
 * a container with those of the sets. */

/* A finding of the container itself or of one of its members. */
struct found {
    uint32_t set; /* of this scan */
    uint64_t file;
    enum verdict verdict;
    double ln_e;
    uint64_t object; /* its number */
    uint32_t rank;   /* from 0 */
    uint64_t carved; /* where the outermost container begins in the object on the disk */
    bool is_folded;
    bool is_void; /* it rests on content that does not count */
    bool is_kept; /* findings of members are part of it */
};

struct found_list {
    struct found *list;
    size_t count, room;
};

/* An object of the evidence with what was found in its members. */
struct scan_container {
    struct case_object object; /* its strings are in `texts` */
    struct buffer texts;
    struct object_run *runs;
    size_t run_room;
    uint64_t number;         /* of its row */
    bool is_whole;           /* it is in a single row */
    uint64_t carved;         /* of a member of the object on the disk: where its container begins there */
    uint64_t members;        /* those with content that are no boilerplate */
    struct found_list own;   /* findings of the container itself, by rank */
    struct found_list found; /* of its members; when it is judged, by reference */
    bool is_full;            /* there were more than MOST_FOUND */
    bool has_boilerplate;    /* among its members */
    bool is_cut;             /* not all of its members could be read */
    struct {
        bool has_boilerplate, is_cut;
    } inner;                /* of the containers in it, at any depth */
    bool packs_boilerplate; /* there is some in it, and all that it is packed with was compared */
};

/* Judges a container all of whose members were added: extends the case by what they show.  -1 on error. */
int scan_containers_judge(struct scan_containers *containers, struct scan_container *container,
                          struct error *err);
/* Appends a finding.  -1 if out of memory. */
int scan_containers_add_found(struct found_list *list, const struct found *found, struct error *err);

#endif
