/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_BOILERPLATE_H
#define KITH_BOILERPLATE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Members of containers that say nothing about what a person wrote: every document of the program has them,
 * or they only describe the container.  They are no references, since two unrelated documents share them.
 *
 * Which those are depends on the type of the container, which shows in the names of its members: a file
 * "styles.xml" is boilerplate in an OpenDocument file, and not in any other archive.
 */

/* What the members so far have shown of a container.  A zeroed struct is a new container. */
struct boilerplate {
    bool has_type; /* a first member "mimetype" */
};

/* Takes the next member of a container, which the opener found (the name of its format), by its name in the
 * container.  Returns why it is boilerplate, or NULL if it is not. */
const char *boilerplate_reason(struct boilerplate *container, const char *opener, size_t opener_len,
                               const char *name, size_t name_len);

#endif
