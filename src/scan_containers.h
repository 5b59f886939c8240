/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SCAN_CONTAINERS_H
#define KITH_SCAN_CONTAINERS_H

#include "case/casefile.h"
#include "match/scanner.h"
#include "nesting.h"
#include "scan_sets.h"

/*
 * Recognises containers of the reference sets by their members.
 *
 * When the last member of a container was added to the case, the findings of its members are compared with
 * what the containers in the sets hold.  If at least half of the members of each are found in the other, the
 * container in the evidence gets a finding of its own, and the findings of its members become parts of it, as
 * they do if the containers are identical.  So a document that was packed in another way is one row of a
 * report, not one for each part.
 */
struct scan_container;

struct scan_containers {
    struct casefile *casefile;
    const struct scan_sets *sets;
    size_t first_set; /* as in struct scan_rows */
    struct nesting nesting;
    struct scan_container *levels[OBJECT_MOST_LEVELS + 1]; /* NULL until they are needed */
    int level;                                             /* of the present object */
};

/* Begins with the next object, before it is added: containers that it does not belong to are done.  Returns
 * -1 if the case cannot be written, a set cannot be read, or out of memory. */
int scan_containers_begin(struct scan_containers *containers, const struct object *object, struct error *err);
/* Takes the findings of a part of the present object, with the row in which it is, or will be, added.
 * is_whole: the part is the whole object. */
int scan_containers_take(struct scan_containers *containers, const struct case_object *row,
                         const struct scanner_part *part, bool is_whole, struct error *err);
/* The present object was added as this number. */
void scan_containers_added(struct scan_containers *containers, uint64_t number);
/* Ends all containers, after the last object. */
int scan_containers_end(struct scan_containers *containers, struct error *err);
void scan_containers_release(struct scan_containers *containers);

#endif
