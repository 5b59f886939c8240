/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EWF_INNER_H
#define KITH_EWF_INNER_H

#include "disk/ewf.h"

/* A set while it is being opened: shared by ewf_sections.c, which processes a section, and ewf.c, which finds
 * the sections. */

enum { EWF_DESCRIPTOR_LEN = 76, EWF_TYPE_LEN = 16 };

struct ewf_opening {
    struct ewf *ewf;
    char *const *paths;
    bool force;
    struct error *err;

    size_t file; /* being read */
    bool has_geometry;
    bool is_identified; /* the segment's set identifier was seen and matches the first one */
    bool gap;           /* something was lost since the last run */
    bool damaged;
    bool ended;      /* the set's last section has been seen */
    uint64_t chunks; /* listed by the tables so far */
    bool table_lost; /* a table is damaged, and its copy has not been seen yet */
    uint64_t table_at;
};

struct ewf_section {
    char type[EWF_TYPE_LEN + 1];
    uint64_t at, next; /* next: start of the next section, according to the descriptor */
    uint64_t size;     /* including its descriptor; 0: unknown */
    uint64_t end;      /* actual end: where the next section begins, or the file ends */
    bool sound;        /* its descriptor's checksum matches */
};

/* Records damage to the set; returns 0 if that is tolerated.  The message follows the file's name. */
int ewf_damage(struct ewf_opening *opening, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Processes a section; returns 1 if it is the segment's last one. */
int ewf_take_section(struct ewf_opening *opening, const struct ewf_section *section);
/* Call at the end of a segment, and before another table: a damaged table whose copy did not follow is
 * lost. */
int ewf_settle_table(struct ewf_opening *opening);
/* Returns whether this is the name of a known type of section. */
bool ewf_is_type(const char *type);

#endif
