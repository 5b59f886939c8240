/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "container/squashfs_inner.h"

enum {
    SUPERBLOCK = 96,
    PART_HEADER = 12, /* of a part of a listing */
    ENTRY_HEADER = 8,
    MOST_ENTRIES = 256, /* of a part */
    LONGEST_NAME = 256,
    LISTING_EXTRA = 3, /* sizes of listings are larger by this: for . and .. */
    MOST_INODES = 1 << 26,
    SPARE_ENTRIES = 1 << 20,
};

/* ---- the walk through the folders ---- */

/* Whether this inode was met before.  One that cannot be is met for the first time every time, unless it is a
 * folder: folders must not contain themselves. */
static bool was_seen(struct squashfs *squashfs, const struct squashfs_inode *inode)
{
    const uint32_t byte = inode->number / 8;
    const uint8_t bit = (uint8_t)(1u << inode->number % 8);
    bool seen;

    if (inode->number > squashfs->inodes)
        return inode->type == SQUASHFS_FOLDER;
    seen = squashfs->seen[byte] & bit;
    squashfs->seen[byte] |= bit;
    return seen;
}

static void enter(struct squashfs *squashfs, const struct squashfs_inode *inode, size_t path_len)
{
    if (was_seen(squashfs, inode) || squashfs->depth == SQUASHFS_DEEPEST || path_len >= SQUASHFS_LONGEST) {
        squashfs->is_damaged = true;
        return;
    }
    squashfs->levels[squashfs->depth++] = (struct squashfs_level){
        .at = {squashfs->folder_table + inode->start, inode->offset},
        .left = inode->size > LISTING_EXTRA ? (uint32_t)(inode->size - LISTING_EXTRA) : 0,
        .path_len = path_len,
    };
    squashfs_progress(squashfs);
}

/* Takes bytes of the listing.  -1 if it is damaged. */
static int take(struct squashfs *squashfs, struct squashfs_level *level, void *into, size_t len)
{
    if (len > level->left || squashfs_meta_take(squashfs, &level->at, into, len) != 0)
        return -1;
    level->left -= (uint32_t)len;
    return 0;
}

static int begin_part(struct squashfs *squashfs, struct squashfs_level *level)
{
    uint8_t header[PART_HEADER];

    if (take(squashfs, level, header, sizeof header) != 0 || bytes_load32(header) >= MOST_ENTRIES)
        return -1;
    level->entries = bytes_load32(header) + 1;
    level->block = bytes_load32(header + 4);
    level->inode = bytes_load32(header + 8);
    return 0;
}

struct entry {
    unsigned type;
    uint64_t reference;
    size_t path_len; /* of the path, which ends with its name */
};

/* The next entry of the deepest folder.  Returns 1, 0 after the last one, -1 if the listing is damaged. */
static int next_entry(struct squashfs *squashfs, struct squashfs_level *level, struct entry *entry)
{
    uint8_t header[ENTRY_HEADER];
    char name[LONGEST_NAME];
    size_t len;

    if (level->entries == 0 && level->left == 0)
        return 0;
    if ((level->entries == 0 && begin_part(squashfs, level) != 0) ||
        take(squashfs, level, header, sizeof header) != 0)
        return -1;
    level->entries--;
    len = (size_t)bytes_load_le(header + 6, 2) + 1;
    if (len > sizeof name || take(squashfs, level, name, len) != 0)
        return -1;
    entry->type = (unsigned)bytes_load_le(header + 4, 2);
    entry->reference = (uint64_t)level->block << 16 | bytes_load_le(header, 2);
    entry->path_len = level->path_len + len;
    if (entry->path_len > SQUASHFS_LONGEST)
        return -1;
    memcpy(squashfs->path + level->path_len, name, len);
    return 1;
}

static uint32_t id_of(struct squashfs *squashfs, uint16_t index)
{
    uint8_t bytes[4];

    if (index >= squashfs->ids || squashfs_meta_item(squashfs, squashfs->id_table, index, bytes, 4) != 0)
        return 0;
    return bytes_load32(bytes);
}

static void describe(struct squashfs *squashfs, struct container_member *member, size_t path_len)
{
    const struct squashfs_inode *file = &squashfs->file;

    *member = (struct container_member){.name = squashfs->path,
                                        .name_len = path_len,
                                        .size = file->size,
                                        .mode = S_IFREG | (file->mode & 07777u),
                                        .uid = id_of(squashfs, file->uid),
                                        .gid = id_of(squashfs, file->gid)};
    member->times[OBJECT_MTIME].seconds = file->mtime;
    squashfs_file_begin(squashfs);
}

/* Follows an entry: into a folder, or to a file, which becomes the present member.  Returns whether it did
 * the latter. */
static bool follow(struct squashfs *squashfs, const struct entry *entry, struct container_member *member)
{
    const int found = squashfs_meta_inode(squashfs, entry->reference, &squashfs->file);

    if (found < 0 && entry->type == SQUASHFS_FILE) {
        squashfs->left = 0;
        *member = (struct container_member){.name = squashfs->path,
                                            .name_len = entry->path_len,
                                            .size = CONTAINER_UNKNOWN,
                                            .problem = "its inode is damaged"};
        return true;
    }
    squashfs->is_damaged |= found < 0;
    if (found <= 0)
        return false;
    if (squashfs->file.type == SQUASHFS_FOLDER) {
        if (entry->path_len < SQUASHFS_LONGEST)
            squashfs->path[entry->path_len] = '/';
        enter(squashfs, &squashfs->file, entry->path_len + 1);
        return false;
    }
    if (was_seen(squashfs, &squashfs->file))
        return false;
    describe(squashfs, member, entry->path_len);
    return true;
}

static int next_member(struct container *container, struct container_member *member, struct error *err)
{
    struct squashfs *squashfs = (struct squashfs *)container;

    while (squashfs->depth > 0) {
        struct entry entry;
        const int found = next_entry(squashfs, &squashfs->levels[squashfs->depth - 1], &entry);

        if (found == 1 && squashfs->entries_left-- == 0)
            return error_set(err, "has more entries than there can be");
        squashfs->is_damaged |= found < 0;
        if (found <= 0)
            squashfs->depth--;
        else if (follow(squashfs, &entry, member))
            return 1;
    }
    squashfs->left = 0;
    if (squashfs->size < squashfs->bytes_used)
        return error_set(err, "is cut off");
    return squashfs->is_damaged ? error_set(err, "is damaged") : 0;
}

/* ---- the container ---- */

static uint64_t end_of_file_system(struct container *container)
{
    const struct squashfs *squashfs = (const struct squashfs *)container;

    return squashfs->size;
}

static void close_squashfs(struct container *container)
{
    struct squashfs *squashfs = (struct squashfs *)container;

    squashfs_unpack_free(squashfs->unpack);
    free(squashfs->packed);
    free(squashfs->block.bytes);
    free(squashfs->fragment.bytes);
    free(squashfs->seen);
    free(squashfs);
}

/* Of the superblock, whose head must have been recognised. */
static void take_superblock(struct squashfs *squashfs, const uint8_t *head)
{
    squashfs->inodes = bytes_load32(head + 4);
    squashfs->block_size = bytes_load32(head + 12);
    squashfs->fragments = bytes_load32(head + 16);
    squashfs->ids = (uint16_t)bytes_load_le(head + 26, 2);
    squashfs->root = bytes_load64(head + 32);
    squashfs->bytes_used = bytes_load64(head + 40);
    squashfs->id_table = bytes_load64(head + 48);
    squashfs->inode_table = bytes_load64(head + 64);
    squashfs->folder_table = bytes_load64(head + 72);
    squashfs->fragment_table = bytes_load64(head + 80);
}

static bool is_superblock(const struct container_sight *sight)
{
    const uint8_t *head = sight->head;
    unsigned log;

    if (sight->head_len < SUPERBLOCK || memcmp(head, "hsqs", 4) != 0)
        return false;
    log = (unsigned)bytes_load_le(head + 22, 2);
    return bytes_load32(head + 28) == 4 && log >= 12 && log <= 20 && bytes_load32(head + 12) == 1u << log &&
           bytes_load_le(head + 20, 2) >= 1 && bytes_load_le(head + 20, 2) <= 6 &&
           bytes_load64(head + 40) >= SUPERBLOCK && bytes_load64(head + 64) < bytes_load64(head + 40) &&
           bytes_load64(head + 72) < bytes_load64(head + 40);
}

static int begin(struct squashfs *squashfs, struct error *err)
{
    struct squashfs_inode root;

    if (squashfs->inodes > MOST_INODES)
        return error_set(err, "has too many inodes: %u", (unsigned)squashfs->inodes);
    squashfs->seen = memory_new((size_t)squashfs->inodes / 8 + 1, err);
    if (!squashfs->seen)
        return -1;
    if (squashfs_meta_inode(squashfs, squashfs->root, &root) != 1 || root.type != SQUASHFS_FOLDER)
        squashfs->is_damaged = true;
    else
        enter(squashfs, &root, 0);
    return 0;
}

static struct container *open_squashfs(const struct container_sight *sight,
                                       const struct container_watch *watch, struct error *err)
{
    struct squashfs *squashfs;

    if (!is_superblock(sight)) {
        error_set(err, "has no superblock");
        return NULL;
    }
    squashfs = memory_new(sizeof *squashfs, err);
    if (!squashfs)
        return NULL;
    squashfs->container = (struct container){next_member, squashfs_file_read, squashfs_file_place,
                                             end_of_file_system, close_squashfs};
    squashfs->content = sight->content;
    squashfs->watch = watch;
    take_superblock(squashfs, sight->head);
    squashfs->size = sight->size < squashfs->bytes_used ? sight->size : squashfs->bytes_used;
    squashfs->entries_left = squashfs->size + SPARE_ENTRIES;
    squashfs->unpack = squashfs_unpack_new((unsigned)bytes_load_le(sight->head + 20, 2), err);
    if (!squashfs->unpack || begin(squashfs, err) != 0) {
        close_squashfs(&squashfs->container);
        return NULL;
    }
    return &squashfs->container;
}

static const struct container_magic magic[] = {{0, 4, "hsqs"}, {0}};

const struct container_format squashfs_format = {
    .name = "squashfs", .first = "h", .magic = magic, .matches = is_superblock, .open = open_squashfs};
