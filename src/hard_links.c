/* SPDX-License-Identifier: Apache-2.0 */
#include "hard_links.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/memory.h"

void hard_links_release(struct hard_links *links)
{
    free(links->slots);
    *links = (struct hard_links){0};
}

/* The slot of the file, or the empty one where it belongs. */
static struct hard_links_file *find_slot(const struct hard_links *links, uint64_t device, uint64_t inode)
{
    size_t at = (inode ^ device << 32) * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (links->room - 1);

    while (links->slots[at].inode && (links->slots[at].inode != inode || links->slots[at].device != device))
        at = (at + 1) & (links->room - 1);
    return &links->slots[at];
}

/* Keeps at least half of the slots empty. */
static int grow(struct hard_links *links, struct error *err)
{
    struct hard_links larger = {.count = links->count, .room = links->room ? 2 * links->room : 256};

    if (2 * links->count < links->room)
        return 0;
    larger.slots = memory_new(larger.room * sizeof *larger.slots, err);
    if (!larger.slots)
        return -1;
    for (size_t i = 0; i < links->room; i++)
        if (links->slots[i].inode)
            *find_slot(&larger, links->slots[i].device, links->slots[i].inode) = links->slots[i];
    free(links->slots);
    *links = larger;
    return 0;
}

int hard_links_seen(struct hard_links *links, const char *path, struct error *err)
{
    struct hard_links_file *slot;
    struct stat st;

    if (lstat(path, &st) || !S_ISREG(st.st_mode) || st.st_nlink < 2 || st.st_ino == 0)
        return 0;
    if (grow(links, err))
        return -1;
    slot = find_slot(links, st.st_dev, st.st_ino);
    if (slot->inode)
        return 1;
    *slot = (struct hard_links_file){st.st_dev, st.st_ino};
    links->count++;
    return 0;
}
