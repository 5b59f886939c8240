/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_NESTING_H
#define KITH_NESTING_H

#include <stdbool.h>

#include "base/buffer.h"
#include "container/boilerplate.h"
#include "disk/object.h"

/*
 * Which of the objects that evidence yields is packed in which other one.  Each member comes after the object
 * that it is packed in and before the next object on the disk, so the open containers are a stack.
 */
struct nesting_level {
    struct buffer address, inner; /* of the object */
    struct buffer name;           /* of a member, in its container; "member 3" if it has none */
    enum boilerplate_grade grade; /* of a member */
    struct boilerplate content;   /* what is known of it as a container */
};

struct nesting {
    struct nesting_level levels[OBJECT_MOST_LEVELS + 1]; /* 0: the object on the disk */
    size_t depth;                                        /* levels in use */
};

/*
 * Takes the next object.  Returns its level, 0 if it is no member or the object that it is packed in was not
 * taken; all levels above are forgotten.  -1 if out of memory.
 */
int nesting_take(struct nesting *nesting, const struct object *object);
/* Returns the level that the object would get. */
int nesting_level(const struct nesting *nesting, const struct object *object);
void nesting_release(struct nesting *nesting);

/* Returns the length of the path of the object on the disk, which the path of a member begins with. */
size_t nesting_outer_len(const struct object *object, const char *path);

/* Appends the names from the level down to the first: "a.txt of inner.zip of ". */
void nesting_name(const struct nesting *nesting, int level, struct buffer *out);

#endif
