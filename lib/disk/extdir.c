/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/extdir.h"

#include <string.h>

#include "base/bytes.h"

/* Layout of an entry: inode, distance to the next entry, length of the name, type, name. */
enum { HEADER = 8, LENGTH_AT = 4, NAME_LEN_AT = 6, TYPE_AT = 7, MAX_TYPE = 7 };

struct extdir_entry {
    uint64_t inode;
    size_t len; /* distance to the next entry */
    size_t name_len;
    uint8_t type;
};

static struct extdir_entry read_entry(const struct extdir *dir, const uint8_t *at, size_t room)
{
    struct extdir_entry entry = {.inode = bytes_load_le(at, 4), .len = bytes_load_le(at + LENGTH_AT, 2)};

    entry.name_len = at[NAME_LEN_AT]; /* two bytes if there are no types, but a name has at most 255 */
    entry.type = dir->has_types ? at[TYPE_AT] : EXTDIR_UNKNOWN;
    if (entry.len == 0xffff || (entry.len == 0 && room >= 0x10000)) /* 65536 does not fit into two bytes */
        entry.len = 0x10000;
    return entry;
}

/* The minimum size of an entry: names are padded to four bytes. */
static size_t least_len(const struct extdir_entry *entry)
{
    return (HEADER + entry->name_len + 3) & ~(size_t)3;
}

static bool is_dots(const char *name, size_t len)
{
    return (len == 1 && name[0] == '.') || (len == 2 && name[0] == '.' && name[1] == '.');
}

static int report(const struct extdir *dir, const struct extdir_entry *entry, const uint8_t *at,
                  bool allocated)
{
    const char *name = (const char *)at + HEADER;

    if (entry->inode == 0 || entry->name_len == 0 || is_dots(name, entry->name_len))
        return 0;
    return dir->found(dir->arg,
                      &(struct extdir_name){entry->inode, allocated, entry->type, name, entry->name_len});
}

/*
 * Returns the length of a hash index, which lies where a deleted entry could be: pairs of a hash and a block,
 * with limit and count in place of the first hash; in the root, after a header of eight bytes.
 */
static size_t index_len(const uint8_t *at, size_t room)
{
    enum { INFO_LEN = 8, MAX_HASH = 6, MAX_LEVELS = 3, PAIR = 8, MAX_TAIL = 24 };
    bool is_root = room > INFO_LEN + PAIR && bytes_load32(at) == 0 && at[4] <= MAX_HASH &&
                   at[5] == INFO_LEN && at[6] <= MAX_LEVELS;
    size_t head = is_root ? INFO_LEN : 0;
    uint64_t limit = bytes_load_le(at + head, 2), count = bytes_load_le(at + head + 2, 2);

    if (count == 0 || count > limit || limit * PAIR > room - head || limit * PAIR + MAX_TAIL < room - head)
        return 0;
    return head + (size_t)count * PAIR;
}

/* The space between two entries may contain anything, so a deleted entry must look right in every respect. */
static bool looks_deleted(const struct extdir *dir, const struct extdir_entry *entry, const uint8_t *at,
                          size_t room)
{
    return entry->inode > 0 && entry->inode <= dir->last_inode && entry->name_len > 0 &&
           entry->name_len <= 255 && least_len(entry) <= room && entry->len >= least_len(entry) &&
           entry->len % 4 == 0 && entry->len <= room &&
           (!dir->has_types || (entry->type > 0 && entry->type <= MAX_TYPE)) &&
           !memchr(at + HEADER, 0, entry->name_len) && !memchr(at + HEADER, '/', entry->name_len);
}

static int find_deleted(const struct extdir *dir, const uint8_t *at, size_t room)
{
    size_t index = room >= HEADER + 4 ? index_len(at, room) : 0;

    at += index;
    room -= index;
    while (room >= HEADER + 4) {
        uint32_t inode = bytes_load32(at);
        size_t step = 4;

        if (inode > 0 && inode <= dir->last_inode) { /* most of the space is zeros */
            struct extdir_entry entry = read_entry(dir, at, room);

            if (looks_deleted(dir, &entry, at, room)) {
                if (report(dir, &entry, at, false))
                    return 1;
                step = least_len(&entry);
            }
        }
        at += step;
        room -= step;
    }
    return 0;
}

int extdir_block(const struct extdir *dir, const uint8_t *block, size_t len)
{
    for (size_t at = 0; at + HEADER <= len;) {
        struct extdir_entry entry = read_entry(dir, block + at, len - at);
        size_t used = least_len(&entry);

        if (entry.len < HEADER || entry.len % 4 || entry.len > len - at || used > entry.len) {
            find_deleted(dir, block + at, len - at);
            return -1;
        }
        if (report(dir, &entry, block + at, true) || find_deleted(dir, block + at + used, entry.len - used))
            return 0;
        at += entry.len;
    }
    return 0;
}
