/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/extmap.h"

#include <stdlib.h>

#include "base/bytes.h"

enum {
    HEADER_LEN = 12,
    ENTRY_LEN = 12,
    MAGIC = 0xf30a,
    MAX_DEPTH = 5,
    UNWRITTEN = 32768, /* longer extents are unwritten; this is subtracted from their length */
    DIRECT = 12,
};

struct extmap_walk {
    const struct extmap *map;
    uint64_t end;    /* in blocks of the file; the rest is not needed */
    uint64_t next;   /* block of the file: everything below has been added */
    uint64_t budget; /* number of blocks that may still be read or mapped */
    bool damaged;
};

/* Adds what lies below the end.  A run that is out of order or outside the file system is damage. */
static void add(struct extmap_walk *walk, uint64_t file_block, uint64_t block, uint64_t count, bool unwritten)
{
    const struct extmap *map = walk->map;

    if (file_block >= walk->end)
        return;
    if (count > walk->end - file_block)
        count = walk->end - file_block;
    if (count == 0 || file_block < walk->next || block == 0 || block >= map->block_count ||
        count > map->block_count - block || count > walk->budget) {
        walk->damaged = true;
        return;
    }
    walk->budget -= count;
    walk->next = file_block + count;
    if (map->add(map->arg, file_block, block, count, unwritten))
        walk->damaged = true;
}

/* Loads a block of the map itself; NULL if that is impossible. */
static uint8_t *load_block(struct extmap_walk *walk, uint64_t block)
{
    const struct extmap *map = walk->map;
    uint8_t *data = NULL;

    if (block > 0 && block < map->block_count && walk->budget > 0) {
        walk->budget--;
        data = malloc(map->block_size);
        if (data && map->read(map->arg, block, data)) {
            free(data);
            data = NULL;
        }
    }
    if (!data)
        walk->damaged = true;
    return data;
}

/* ---- extents ---- */

static void walk_node(struct extmap_walk *walk, const uint8_t *node, size_t room, int depth);

static void walk_child(struct extmap_walk *walk, uint64_t block, int depth)
{
    uint8_t *node = load_block(walk, block);

    if (node)
        walk_node(walk, node, walk->map->block_size, depth);
    free(node);
}

static void walk_node(struct extmap_walk *walk, const uint8_t *node, size_t room, int depth)
{
    unsigned entries = (unsigned)bytes_load_le(node + 2, 2);

    if (bytes_load_le(node, 2) != MAGIC || bytes_load_le(node + 6, 2) != (unsigned)depth ||
        HEADER_LEN + (size_t)entries * ENTRY_LEN > room) {
        walk->damaged = true;
        return;
    }
    for (unsigned i = 0; i < entries; i++) {
        const uint8_t *entry = node + HEADER_LEN + (size_t)i * ENTRY_LEN;

        if (depth > 0) {
            walk_child(walk, bytes_load_le(entry + 4, 6), depth - 1); /* 32 bits, and 16 high ones */
        } else {
            unsigned count = (unsigned)bytes_load_le(entry + 4, 2);
            bool unwritten = count > UNWRITTEN;

            add(walk, bytes_load_le(entry, 4),
                bytes_load_le(entry + 8, 4) | bytes_load_le(entry + 6, 2) << 32,
                unwritten ? count - UNWRITTEN : count, unwritten);
        }
    }
}

int extmap_extents(const struct extmap *map, const uint8_t root[EXTMAP_ROOT_LEN], uint64_t end)
{
    struct extmap_walk walk = {.map = map, .end = end, .budget = map->block_count};
    unsigned depth = (unsigned)bytes_load_le(root + 6, 2);

    if (depth > MAX_DEPTH)
        return -1;
    walk_node(&walk, root, EXTMAP_ROOT_LEN, (int)depth);
    return walk.damaged ? -1 : 0;
}

/* ---- block pointers ---- */

/* level 0: block holds content; 1..3: pointers.  span: number of the file's blocks that each of its pointers
 * covers. */
static void walk_pointer(struct extmap_walk *walk, uint64_t block, int level, uint64_t first, uint64_t span)
{
    uint8_t *data;
    uint64_t per = walk->map->block_size / 4;

    if (block == 0 || first >= walk->end)
        return;
    if (level == 0) {
        add(walk, first, block, 1, false);
        return;
    }
    data = load_block(walk, block);
    for (uint64_t i = 0; data && i < per && first + i * span < walk->end; i++)
        walk_pointer(walk, bytes_load_le(data + 4 * i, 4), level - 1, first + i * span, span / per);
    free(data);
}

int extmap_pointers(const struct extmap *map, const uint64_t pointers[EXTMAP_POINTERS], uint64_t end)
{
    struct extmap_walk walk = {.map = map, .end = end, .budget = map->block_count};
    uint64_t per = map->block_size / 4, first = DIRECT, span = 1;

    for (unsigned i = 0; i < DIRECT; i++)
        walk_pointer(&walk, pointers[i], 0, i, 1);
    for (int level = 1; level <= 3; level++) {
        walk_pointer(&walk, pointers[DIRECT + level - 1], level, first, span);
        first += span * per;
        span *= per;
    }
    return walk.damaged ? -1 : 0;
}
