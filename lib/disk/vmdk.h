/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_VMDK_H
#define KITH_VMDK_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The descriptor of a VMDK: a text that lists the extents of the disk. */
enum { VMDK_MOST_TEXT = 1 << 18 };

struct vmdk_extent {
    enum vmdk_kind { VMDK_FLAT, VMDK_SPARSE, VMDK_ZERO } kind;
    uint64_t sectors, from; /* from: where it begins, in a flat file */
    char *name;             /* a file in the descriptor's folder; NULL for zeros */
};

struct vmdk_descriptor {
    struct vmdk_extent *extents;
    size_t count; /* at least one */
};

/* path is used in messages.  -1 with a message if it cannot be parsed; call vmdk_release in any case. */
int vmdk_parse(struct vmdk_descriptor *descriptor, const char *text, const char *path, struct error *err);
void vmdk_release(struct vmdk_descriptor *descriptor);

#endif
