/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CONTENT_RUNS_H
#define KITH_CONTENT_RUNS_H

#include <stdbool.h>

#include "disk/content.h"
#include "disk/medium.h"
#include "disk/object.h"

/* The content of an object that is stored as it is: the bytes of its runs, and zeros in between. */
struct content_runs {
    struct content content; /* reads all or nothing: -1 if any byte cannot be read */
    struct medium *medium;
    const struct object *object;
};

/* Borrows both; the object's runs must not change. */
void content_runs_init(struct content_runs *runs, struct medium *medium, const struct object *object);

/* Returns whether any bytes from start to end of the object lie in a bad range of the medium. */
bool content_runs_bad(const struct content_runs *runs, uint64_t start, uint64_t end);

#endif
