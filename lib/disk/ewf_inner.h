/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EWF_INNER_H
#define KITH_EWF_INNER_H

#include "disk/ewf.h"

/* A set while it is being opened: what ewf_sections.c, which takes one section, has for ewf.c, which finds
 * them. */

enum { EWF_DESCRIPTOR_LEN = 76, EWF_TYPE_LEN = 16 };

struct ewf_opening {
    struct ewf *ewf;
    char *const *paths;
    bool force;
    struct error *err;

    size_t file; /* that is being read */
    bool has_geometry;
    bool is_identified; /* the segment's own identifier of its set was seen, and is the first one's */
    bool gap;           /* something was lost since the last run */
    bool damaged;
    bool ended;      /* the set's last section was seen */
    uint64_t chunks; /* that the tables listed so far */
    bool table_lost; /* a table is damaged, and its copy was not seen yet */
    uint64_t table_at;
};

struct ewf_section {
    char type[EWF_TYPE_LEN + 1];
    uint64_t at, next; /* next: where the one after it begins, as it says */
    uint64_t size;     /* with its descriptor; 0: not known */
    uint64_t end;      /* where the one after it begins, or the file ends: nothing of it lies beyond that */
    bool sound;        /* its descriptor's checksum is right */
};

/* Records what is wrong with the set; 0 if that is put up with.  The text follows the file's name. */
int ewf_damage(struct ewf_opening *opening, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Takes what a section holds; 1: the segment ends with it. */
int ewf_take_section(struct ewf_opening *opening, const struct ewf_section *section);
/* At the end of a segment, and before another table: a damaged table whose copy did not come is lost. */
int ewf_settle_table(struct ewf_opening *opening);
/* Whether sections of that name are known. */
bool ewf_is_type(const char *type);

#endif
