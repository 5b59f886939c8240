/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/content_part.h"

#include <string.h>

static ssize_t read_part(struct content *content, uint64_t offset, void *into, size_t len)
{
    const struct content_part *part = (const struct content_part *)content;

    if (offset >= content->size)
        return 0;
    if (len > content->size - offset)
        len = (size_t)(content->size - offset);
    return part->whole->read(part->whole, part->start + offset, into, len);
}

void content_part_init(struct content_part *part, struct content *whole, uint64_t start, uint64_t size)
{
    *part = (struct content_part){{.size = size, .read = read_part}, whole, start};
}

static ssize_t read_memory(struct content *content, uint64_t offset, void *into, size_t len)
{
    const struct content_memory *memory = (const struct content_memory *)content;

    if (offset >= content->size)
        return 0;
    if (len > content->size - offset)
        len = (size_t)(content->size - offset);
    memcpy(into, memory->data + offset, len);
    return (ssize_t)len;
}

void content_memory_init(struct content_memory *memory, const void *data, size_t len)
{
    *memory = (struct content_memory){{len, read_memory, data, len}, data};
}
