/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_TEXT_FILE_H
#define KITH_TEXT_FILE_H

#include "container/container.h"
#include "container/running_text.h"

/*
 * What formats have in common whose content is read from its start to its end and yields one member, "text".
 * A format embeds this struct as its first member, in one allocation, and only has to turn bytes into text.
 */
struct text_file {
    struct container container;
    struct content *content;
    const struct container_watch *watch;
    uint64_t offset; /* in the content */
    bool is_yielded, is_ended, is_unreadable;
    struct running_text out;
    void (*produce)(struct text_file *file); /* reads on a little; sets is_ended after the end */
};

enum { TEXT_FILE_AHEAD = 32 << 10 }; /* text that is enough to be handed over */

/* Prepares a zeroed struct on the heap, which `close` frees. */
void text_file_init(struct text_file *file, const struct container_sight *sight,
                    const struct container_watch *watch, void (*produce)(struct text_file *file));
/* Reads on in the content; returns the number of bytes, 0 at the end or where it cannot be read. */
size_t text_file_read(struct text_file *file, void *into, size_t len);

#endif
