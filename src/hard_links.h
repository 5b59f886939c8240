/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_HARD_LINKS_H
#define KITH_HARD_LINKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Files of the host that have several names.  A zeroed struct is empty. */
struct hard_links {
    struct hard_links_file {
        uint64_t device, inode; /* inode 0: an empty slot */
    } * slots;
    size_t count, room;
};

/* Whether the file was asked about before under another name, or the same.  A file with one name is not
 * remembered, and one that cannot be found is new.  -1 without memory. */
int hard_links_seen(struct hard_links *links, const char *path, struct error *err);
void hard_links_release(struct hard_links *links);

#endif
