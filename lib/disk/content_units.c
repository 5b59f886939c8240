/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/content_units.h"

#include <string.h>

static ssize_t read_units(struct content *content, uint64_t offset, void *into, size_t len)
{
    struct content_units *units = (struct content_units *)content;
    const uint64_t first = offset - offset % CONTENT_UNIT,
                   last = (offset + len + CONTENT_UNIT - 1) / CONTENT_UNIT * CONTENT_UNIT;

    for (size_t done = 0; done < len;) {
        const size_t skip = (size_t)((offset + done) % CONTENT_UNIT), left = len - done;
        const size_t part = left < CONTENT_UNIT - skip ? left : CONTENT_UNIT - skip;

        if (content_read(units->inner, offset + done - skip, units->unit, skip + part))
            return -1;
        memcpy((uint8_t *)into + done, units->unit + skip, part);
        done += part;
    }
    return content_runs_bad(&units->stored, first, last) ? -1 : (ssize_t)len;
}

void content_units_init(struct content_units *units, struct content *inner, struct medium *medium,
                        const struct object *object)
{
    units->content = (struct content){.size = object->size, .read = read_units};
    units->inner = inner;
    content_runs_init(&units->stored, medium, object);
}
