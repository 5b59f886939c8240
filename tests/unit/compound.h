/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_TEST_COMPOUND_H
#define KITH_TEST_COMPOUND_H

#include <stdint.h>
#include <string.h>

#include "base/buffer.h"

/* Writes small compound files: streams in the root, none of them in the mini stream, all in sequence. */

enum {
    COMPOUND_SECTOR = 512,
    COMPOUND_FAT = 512,        /* place of the FAT: the first sector */
    COMPOUND_DIRECTORY = 1024, /* place of the directory: four sectors for 16 entries */
    COMPOUND_STREAMS = 3072,
    COMPOUND_ENTRY = 128,
};

static inline void compound_number(struct buffer *file, size_t at, uint64_t number, int bytes)
{
    for (int i = 0; i < bytes; i++)
        file->data[at + (size_t)i] = (char)(number >> 8 * i);
}

static inline void compound_entry(struct buffer *file, size_t index, const char *name, int type,
                                  uint32_t child, uint32_t start, size_t size)
{
    const size_t at = COMPOUND_DIRECTORY + index * COMPOUND_ENTRY;

    for (size_t i = 0; i < strlen(name); i++)
        compound_number(file, at + 2 * i, (uint8_t)name[i], 2);
    compound_number(file, at + 64, 2 * strlen(name) + 2, 2);
    compound_number(file, at + 66, (uint64_t)type, 1);
    compound_number(file, at + 68, UINT32_MAX, 4);
    compound_number(file, at + 72, UINT32_MAX, 4);
    compound_number(file, at + 76, child, 4);
    compound_number(file, at + 116, start, 4);
    compound_number(file, at + 120, size, 4);
}

/* An empty file, to which compound_add adds up to 15 streams, in all 60 KB. */
static inline void compound_begin(struct buffer *file)
{
    memset(buffer_extend(file, COMPOUND_STREAMS), 0, COMPOUND_STREAMS);
    memcpy(file->data, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8);
    compound_number(file, 24, 0x3003e, 4);
    compound_number(file, 28, 0x9fffe, 4);
    compound_number(file, 32, 6, 2);
    compound_number(file, 44, 1, 4);          /* sectors of the FAT */
    compound_number(file, 48, 1, 4);          /* the directory */
    compound_number(file, 60, 0xfffffffe, 4); /* the mini FAT */
    compound_number(file, 68, 0xfffffffe, 4); /* the DIFAT */
    memset(file->data + 76, 0xff, COMPOUND_SECTOR - 76);
    compound_number(file, 76, 0, 4);
    memset(file->data + COMPOUND_FAT, 0xff, COMPOUND_SECTOR);
    compound_number(file, COMPOUND_FAT, 0xfffffffd, 4);
    for (uint32_t i = 1; i < 4; i++)
        compound_number(file, COMPOUND_FAT + 4 * i, i + 1, 4);
    compound_number(file, COMPOUND_FAT + 16, 0xfffffffe, 4);
    compound_entry(file, 0, "Root Entry", 5, UINT32_MAX, 0xfffffffe, 0);
}

/* Adds a stream as the next entry; each is the right neighbour of the one before it. */
static inline void compound_add(struct buffer *file, const char *name, const void *data, size_t len)
{
    const uint32_t first = (uint32_t)(file->len / COMPOUND_SECTOR - 1);
    size_t index = 1, sectors = (len + COMPOUND_SECTOR - 1) / COMPOUND_SECTOR;

    while (file->data[COMPOUND_DIRECTORY + index * COMPOUND_ENTRY + 66])
        index++;
    compound_entry(file, index, name, 2, UINT32_MAX, len ? first : 0xfffffffe, len);
    compound_number(file, COMPOUND_DIRECTORY + (index - 1) * COMPOUND_ENTRY + (index == 1 ? 76 : 72), index,
                    4);
    for (uint32_t i = 0; i < sectors; i++)
        compound_number(file, COMPOUND_FAT + 4 * (first + i), i + 1 < sectors ? first + i + 1 : 0xfffffffe,
                        4);
    buffer_add(file, data, len);
    while (file->len % COMPOUND_SECTOR)
        buffer_add_char(file, '\0');
}

#endif
