/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CONTENT_RUNS_H
#define KITH_CONTENT_RUNS_H

#include <stdbool.h>

#include "disk/content.h"
#include "disk/medium.h"
#include "disk/object.h"

/* The content of an object that is stored as it is: what its runs hold, and zeros where there are none. */
struct content_runs {
    struct content content; /* reads all or nothing: -1 if any of the bytes cannot be read */
    struct medium *medium;
    const struct object *object;
};

/* Both are borrowed, and the object's runs must not change. */
void content_runs_init(struct content_runs *runs, struct medium *medium, const struct object *object);

/* Whether bytes from start to end of the object come from where the medium is known to be bad. */
bool content_runs_bad(const struct content_runs *runs, uint64_t start, uint64_t end);

#endif
