/* SPDX-License-Identifier: Apache-2.0 */
#include "container/text_file.h"

#include <stdlib.h>

static int next_member(struct container *container, struct container_member *member, struct error *err)
{
    struct text_file *file = (struct text_file *)container;

    (void)err;
    if (file->is_yielded)
        return 0;
    file->is_yielded = true;
    *member = (struct container_member){.name = "text", .name_len = 4, .size = CONTAINER_UNKNOWN};
    return 1;
}

static ssize_t read_member(struct container *container, void *into, size_t len, struct error *err)
{
    struct text_file *file = (struct text_file *)container;
    size_t count = 0;

    while (len > 0 && (count = running_text_take(&file->out, into, len)) == 0 && !file->is_ended) {
        file->produce(file);
        file->watch->progress(file->watch->arg);
    }
    if (file->out.out.failed)
        return error_set(err, "out of memory");
    if (count == 0 && len > 0 && file->is_unreadable)
        return error_set(err, "cannot be read from byte %llu on", (unsigned long long)file->offset);
    return (ssize_t)count;
}

static uint64_t place_of_member(struct container *container)
{
    (void)container;
    return CONTAINER_UNKNOWN;
}

static void close_file(struct container *container)
{
    struct text_file *file = (struct text_file *)container;

    if (file)
        running_text_release(&file->out);
    free(file);
}

void text_file_init(struct text_file *file, const struct container_sight *sight,
                    const struct container_watch *watch, void (*produce)(struct text_file *file))
{
    file->container = (struct container){
        .next = next_member, .read = read_member, .place = place_of_member, .close = close_file};
    file->content = sight->content;
    file->watch = watch;
    file->produce = produce;
}

size_t text_file_read(struct text_file *file, void *into, size_t len)
{
    ssize_t count;

    if (file->offset >= file->content->size || file->is_unreadable)
        return 0;
    count = file->content->read(file->content, file->offset, into, len);
    file->is_unreadable = count <= 0;
    file->offset += count > 0 ? (uint64_t)count : 0;
    return count > 0 ? (size_t)count : 0;
}
