/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/gpt.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "disk/deflate.h"

enum {
    LEAST_HEADER = 92,
    LEAST_ENTRY = 128,
    MOST_ENTRIES_LEN = 1 << 20,
    MBR_LEN = 512,
    MBR_ENTRIES = 446,
    MBR_ENTRY_LEN = 16,
    PROTECTIVE = 0xee,
};

static const uint32_t sector_sizes[] = {512, 4096, 1024, 2048};

struct disk_view {
    uint64_t size;
    gpt_read *read;
    void *arg;
};

/* One of the two copies of the table. */
struct copy {
    enum { ABSENT, HEADER_DAMAGED, ENTRIES_DAMAGED, SOUND } state;
    uint32_t sector_size;
    uint64_t sector; /* position of its header */
    uint8_t header[4096];
    uint8_t *entries;
    size_t entries_len;
};

/* ---- the protective MBR ---- */

struct mbr {
    bool is_signed;
    bool has_protective, has_others; /* kinds of entries */
    uint64_t last_sector;            /* according to the protective entry; 0: not usable */
};

static struct mbr read_mbr(const struct disk_view *disk)
{
    uint8_t data[MBR_LEN];
    struct mbr mbr = {0};

    disk->read(disk->arg, 0, data, sizeof data);
    mbr.is_signed = data[510] == 0x55 && data[511] == 0xaa;
    for (int i = 0; i < 4 && mbr.is_signed; i++) {
        const uint8_t *entry = data + MBR_ENTRIES + (ptrdiff_t)i * MBR_ENTRY_LEN;
        const uint32_t start = bytes_load32(entry + 8), len = bytes_load32(entry + 12);

        if (entry[4] == PROTECTIVE) {
            mbr.has_protective = true;
            if (len && len != UINT32_MAX)
                mbr.last_sector = (uint64_t)start + len - 1;
        } else if (entry[4]) {
            mbr.has_others = true;
        }
    }
    return mbr;
}

/* ---- reading a copy ---- */

static uint32_t header_crc(const uint8_t *header, uint32_t len)
{
    uint8_t copy[4096];

    memcpy(copy, header, len);
    memset(copy + 16, 0, 4);
    return deflate_crc(0, copy, len);
}

static bool header_is_sound(const struct copy *copy)
{
    const uint32_t len = bytes_load32(copy->header + 12), count = bytes_load32(copy->header + 80),
                   each = bytes_load32(copy->header + 84);

    return len >= LEAST_HEADER && len <= copy->sector_size &&
           header_crc(copy->header, len) == bytes_load32(copy->header + 16) &&
           bytes_load64(copy->header + 24) == copy->sector && each >= LEAST_ENTRY && count > 0 &&
           count <= MOST_ENTRIES_LEN / each;
}

static int read_entries(const struct disk_view *disk, struct copy *copy, struct error *err)
{
    const uint64_t at = bytes_load64(copy->header + 72);

    copy->entries_len = (size_t)bytes_load32(copy->header + 80) * bytes_load32(copy->header + 84);
    copy->state = ENTRIES_DAMAGED;
    if (copy->entries_len > disk->size || at > (disk->size - copy->entries_len) / copy->sector_size)
        return 0;
    copy->entries = malloc(copy->entries_len);
    if (!copy->entries)
        return error_set(err, "out of memory");
    disk->read(disk->arg, at * copy->sector_size, copy->entries, copy->entries_len);
    if (deflate_crc(0, copy->entries, copy->entries_len) == bytes_load32(copy->header + 88))
        copy->state = SOUND;
    return 0;
}

static int read_copy(const struct disk_view *disk, struct copy *copy, uint32_t sector_size, uint64_t sector,
                     struct error *err)
{
    free(copy->entries);
    *copy = (struct copy){.sector_size = sector_size, .sector = sector};
    if (disk->size < sector_size || sector > (disk->size - sector_size) / sector_size)
        return 0;
    disk->read(disk->arg, sector * sector_size, copy->header, sector_size);
    if (memcmp(copy->header, "EFI PART", 8) != 0)
        return 0;
    copy->state = HEADER_DAMAGED;
    return header_is_sound(copy) ? read_entries(disk, copy, err) : 0;
}

/* Keeps the better of the best copy so far and the one in this sector. */
static int try_copy(const struct disk_view *disk, struct copy *best, uint32_t sector_size, uint64_t sector,
                    struct error *err)
{
    struct copy copy = {.state = ABSENT};

    if (best->state == SOUND || sector < 1)
        return 0;
    if (read_copy(disk, &copy, sector_size, sector, err)) {
        free(copy.entries);
        return -1;
    }
    if (copy.state > best->state) {
        free(best->entries);
        *best = copy;
    } else {
        free(copy.entries);
    }
    return 0;
}

/* The backup is in the last sector of the disk: the last one of the image, or the one that the header or the
 * MBR refers to. */
static int find_copies(const struct disk_view *disk, uint32_t preferred, const struct mbr *mbr,
                       struct copy *primary, struct copy *backup, struct error *err)
{
    const size_t count = sizeof sector_sizes / sizeof *sector_sizes;
    int failed = try_copy(disk, primary, preferred, 1, err);

    for (size_t i = 0; i < count && !failed; i++)
        failed = try_copy(disk, primary, sector_sizes[i], 1, err);
    if (primary->state == SOUND)
        return failed;
    for (size_t i = 0; i <= count && !failed; i++) {
        const uint32_t size = i ? sector_sizes[i - 1] : preferred;

        failed = try_copy(disk, backup, size, disk->size / size - 1, err) ||
                 (mbr->last_sector && try_copy(disk, backup, size, mbr->last_sector, err)) ||
                 (primary->state == HEADER_DAMAGED && primary->sector_size == size &&
                  try_copy(disk, backup, size, bytes_load64(primary->header + 32), err));
    }
    return failed;
}

/* ---- repairing ---- */

static void store(uint8_t *at, uint64_t number, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (uint8_t)(number >> 8 * i);
}

/* Turns the backup's header into a primary one: the same table, in a different place. */
static void turn_header(uint8_t *header, const struct copy *backup)
{
    const uint32_t len = bytes_load32(header + 12);

    store(header + 24, 1, 8);
    store(header + 32, backup->sector, 8);
    store(header + 72, 2, 8);
    store(header + 16, header_crc(header, len), 4);
}

static void write_protective(uint8_t *mbr)
{
    uint8_t *entry = mbr + MBR_ENTRIES;

    memset(entry, 0, 4 * MBR_ENTRY_LEN);
    entry[4] = PROTECTIVE;
    store(entry + 8, 1, 4);
    store(entry + 12, UINT32_MAX, 4);
    store(mbr + 510, 0xaa55, 2);
}

/* Builds the first sectors, with a protective MBR and this copy as the primary one. */
static int make_start(struct gpt *gpt, const struct disk_view *disk, const struct copy *copy, bool has_mbr,
                      struct error *err)
{
    const bool is_primary = copy->sector == 1;
    const size_t len = (size_t)copy->sector_size * 2 + (is_primary ? 0 : copy->entries_len);

    if (len > disk->size)
        return error_set(err, "the disk is too small for its partition table");
    gpt->start = malloc(len);
    if (!gpt->start)
        return error_set(err, "out of memory");
    gpt->start_len = len;
    disk->read(disk->arg, 0, gpt->start, len);
    if (!has_mbr)
        write_protective(gpt->start);
    if (!is_primary) {
        memcpy(gpt->start + copy->sector_size, copy->header, copy->sector_size);
        turn_header(gpt->start + copy->sector_size, copy);
        memcpy(gpt->start + (size_t)copy->sector_size * 2, copy->entries, copy->entries_len);
    }
    gpt->verdict = GPT_REPAIRED;
    return 0;
}

/* ---- the verdict ---- */

static const char *what_is_wrong(const struct copy *copy)
{
    return copy->state == ABSENT           ? "is missing"
           : copy->state == HEADER_DAMAGED ? "has a damaged header"
                                           : "has damaged entries";
}

static int decide(struct gpt *gpt, const struct disk_view *disk, const struct mbr *mbr, bool is_empty,
                  const struct copy *primary, const struct copy *backup, struct error *err)
{
    const bool hidden = !mbr->has_protective && mbr->has_others; /* the disk has been repartitioned */

    if (primary->state == SOUND && mbr->has_protective) {
        gpt->verdict = GPT_SOUND;
        return 0;
    }
    if (hidden)
        return 0;
    if (primary->state == SOUND) {
        error_set(&gpt->fault, "the protective MBR is missing; the GPT was used anyway");
        return make_start(gpt, disk, primary, false, err);
    }
    if (backup->state == SOUND && (mbr->has_protective || is_empty)) {
        error_set(&gpt->fault, "the primary GPT %s; the backup in sector %" PRIu64 " was used%s",
                  what_is_wrong(primary), backup->sector,
                  mbr->has_protective ? "" : ", although the protective MBR is missing, too");
        return make_start(gpt, disk, backup, mbr->has_protective, err);
    }
    if (mbr->has_protective || (is_empty && (primary->state != ABSENT || backup->state != ABSENT))) {
        gpt->verdict = GPT_DAMAGED;
        error_set(&gpt->fault,
                  "%s, but the primary GPT %s and the backup %s: partitions may be missing or wrong",
                  mbr->has_protective ? "there is a protective MBR" : "there was a GPT",
                  what_is_wrong(primary), what_is_wrong(backup));
    }
    return 0;
}

int gpt_examine(struct gpt *gpt, uint64_t size, uint32_t sector_size, bool is_empty, gpt_read *read,
                void *arg, struct error *err)
{
    const struct disk_view disk = {size, read, arg};
    struct copy *copies = calloc(2, sizeof *copies);
    struct mbr mbr;
    int result;

    *gpt = (struct gpt){.verdict = GPT_NONE};
    if (!copies)
        return error_set(err, "out of memory");
    if (sector_size < 512 || sector_size > 4096)
        sector_size = 512;
    result = size < 3 * (uint64_t)MBR_LEN ? 1 : 0;
    if (!result) {
        mbr = read_mbr(&disk);
        result = find_copies(&disk, sector_size, &mbr, &copies[0], &copies[1], err);
    }
    if (!result)
        result = decide(gpt, &disk, &mbr, is_empty, &copies[0], &copies[1], err);
    free(copies[0].entries);
    free(copies[1].entries);
    free(copies);
    return result > 0 ? 0 : result;
}

void gpt_release(struct gpt *gpt)
{
    free(gpt->start);
    gpt->start = NULL;
    gpt->start_len = 0;
}
