/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_BOILERPLATE_H
#define KITH_BOILERPLATE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * How much a member of a container says about what a person wrote.
 *
 * Some members say nothing: every document of the program has them, or they only describe the container. They
 * are no references, since two unrelated documents share them.  Others are mark-up, in which the text is
 * found again as running text, a member of its own: as mark-up of one program they are all alike, so that
 * only identical ones count.
 *
 * Which those are depends on the type of the container, which shows in the names of its members: a file
 * "styles.xml" is boilerplate in an OpenDocument file, and not in any other archive.
 */
enum boilerplate_grade {
    BOILERPLATE_NONE,
    BOILERPLATE_MARKUP,
    BOILERPLATE_ALL,
};

/* What is known of a container.  A zeroed struct is a new one. */
struct boilerplate {
    bool has_type;  /* a first member "mimetype" */
    bool is_stream; /* it is a stream of a PDF */
};

/* Takes the next member of a container, which the opener found (the name of its format), by its name in the
 * container. */
enum boilerplate_grade boilerplate_of(struct boilerplate *container, const char *opener, size_t opener_len,
                                      const char *name, size_t name_len);

#endif
