/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "disk/extdir.h"

/*
 * The input: a byte of options, then a block of a folder.
 *
 * Whatever it holds, names lie within the block, one after another, and deleted ones are plausible; names
 * in use are those of the chain; a caller that stops gets no more names, and the same ones until then.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADER = 8, TYPES = 1, EXTENDED = 2, WHOLE = 65536 };

struct reading {
    const uint8_t *block;
    size_t len, next, live_next, count, stop_after;
    bool types;
    uint64_t last_inode, sum;
};

static void require(bool holds)
{
    if (!holds)
        abort();
}

static size_t load(const uint8_t *p, int bytes)
{
    return bytes ? p[0] | load(p + 1, bytes - 1) << 8 : 0;
}

/* By the chain: the place of the next name in use, from the entry at a place on; `len` if there is none. */
static size_t next_live(const struct reading *reading, size_t at)
{
    while (at + HEADER <= reading->len) {
        const uint8_t *entry = reading->block + at;
        const size_t room = reading->len - at, written = load(entry + 4, 2), name_len = entry[6];
        const size_t len = written == 0xffff || (written == 0 && room >= WHOLE) ? WHOLE : written;

        if (len < HEADER + name_len || len > room || len % 4)
            break;
        if (load(entry, 4) && name_len && !(name_len <= 2 && memcmp(entry + HEADER, "..", name_len) == 0))
            return at;
        at += len;
    }
    return reading->len;
}

static size_t end_of_live(const struct reading *reading, size_t at)
{
    const size_t written = load(reading->block + at + 4, 2);

    return at + (written == 0 || written == 0xffff ? WHOLE : written);
}

static int found(void *arg, const struct extdir_name *name)
{
    struct reading *reading = arg;
    const size_t at = (size_t)((const uint8_t *)name->name - reading->block) - HEADER;

    require(!reading->stop_after || reading->count < reading->stop_after);
    require(at >= reading->next && at % 4 == 0 && at < reading->len &&
            name->len <= reading->len - at - HEADER);
    require(name->inode == load(reading->block + at, 4) && name->inode > 0 && name->len > 0);
    require(name->type == (reading->types ? reading->block[at + 7] : EXTDIR_UNKNOWN));
    if (name->allocated) {
        require(at == reading->live_next);
        reading->live_next = next_live(reading, end_of_live(reading, at));
    } else {
        require(name->inode <= reading->last_inode && name->len <= 255 && at < reading->live_next);
        require(!memchr(name->name, 0, name->len) && !memchr(name->name, '/', name->len));
    }
    reading->next = at + HEADER + name->len;
    reading->sum = reading->sum * 31 + at + name->allocated;
    return ++reading->count == reading->stop_after;
}

static struct reading read_block(const uint8_t *block, size_t len, uint8_t choice, size_t stop_after)
{
    static const uint64_t inodes[] = {0, 11, 1000, 65535, 0xffffff, 0x7fffffff, UINT32_MAX, UINT64_MAX};
    struct reading reading = {.block = block,
                              .len = len,
                              .types = choice & TYPES,
                              .last_inode = inodes[choice >> 5],
                              .stop_after = stop_after};
    const struct extdir dir = {
        .has_types = reading.types, .last_inode = reading.last_inode, .found = found, .arg = &reading};
    int result;

    reading.live_next = next_live(&reading, 0);
    result = extdir_block(&dir, block, len);
    require(result == 0 || result == -1);
    require(stop_after ? reading.count <= stop_after : reading.live_next == len);
    return reading;
}

/* Blocks of 64 KiB would bloat the corpus: such a block is the input followed by zeros. */
static uint8_t *make_block(const uint8_t *data, size_t size, size_t len)
{
    uint8_t *block = calloc(1, len ? len : 1);

    require(block != NULL);
    if (size > 0)
        memcpy(block, data, size < len ? size : len);
    return block;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct reading all, some;
    uint8_t *block;
    size_t len;

    if (size < 1)
        return 0;
    len = data[0] & EXTENDED ? WHOLE : size - 1;
    block = make_block(data + 1, size - 1, len);
    all = read_block(block, len, data[0], 0);
    some = read_block(block, len, data[0], all.count);
    require(some.count == all.count && some.sum == all.sum);
    if (all.count > 1)
        read_block(block, len, data[0], 1 + all.count / 2);
    free(block);
    return 0;
}
