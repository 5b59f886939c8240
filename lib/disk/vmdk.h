/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_VMDK_H
#define KITH_VMDK_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The descriptor of a VMDK: a text that lists the extents that the disk is made of. */
enum { VMDK_MOST_TEXT = 1 << 18 };

struct vmdk_extent {
    enum vmdk_kind { VMDK_FLAT, VMDK_SPARSE, VMDK_ZERO } kind;
    uint64_t sectors, from; /* from: where it begins in a flat file */
    char *name;             /* of a file in the descriptor's folder; NULL for zeros */
};

struct vmdk_descriptor {
    struct vmdk_extent *extents;
    size_t count; /* at least one */
};

/* path is for messages.  What cannot be read as this is an error that says so; to be released in any case. */
int vmdk_parse(struct vmdk_descriptor *descriptor, const char *text, const char *path, struct error *err);
void vmdk_release(struct vmdk_descriptor *descriptor);

#endif
