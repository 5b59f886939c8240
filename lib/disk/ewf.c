/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/ewf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/search.h"
#include "disk/deflate.h"
#include "disk/ewf_inner.h"
#include "disk/ewf_names.h"

enum {
    FILE_HEADER_LEN = 13,
    LEAST_SEARCHED = 4096, /* at first: the next valid descriptor is near, or there is none */
    MOST_SEARCHED = 1 << 20,
};

/* ---- files ---- */

static int open_files(struct ewf *ewf, char *const *paths, size_t count, struct content *content,
                      struct error *err)
{
    ewf->files = calloc(count, sizeof *ewf->files);
    if (!ewf->files)
        return error_set(err, "%s: out of memory", paths[0]);
    for (; ewf->file_count < count; ewf->file_count++)
        if (datafile_open(&ewf->files[ewf->file_count], paths[ewf->file_count], content, err))
            return -1;
    return 0;
}

/* ---- sections ---- */

/* Reads the descriptor at a position; returns whether its type is known. */
static int read_descriptor(const struct ewf_opening *opening, uint64_t at, struct ewf_section *section)
{
    const uint64_t size = opening->ewf->files[opening->file].size;
    uint8_t data[EWF_DESCRIPTOR_LEN];

    *section = (struct ewf_section){.at = at};
    if (size < EWF_DESCRIPTOR_LEN || at > size - EWF_DESCRIPTOR_LEN ||
        ewf_read_at(opening->ewf, opening->file, at, data, sizeof data))
        return 0;
    memcpy(section->type, data, EWF_TYPE_LEN);
    section->next = bytes_load64(data + 16);
    section->size = bytes_load64(data + 24);
    section->sound =
        deflate_checksum(data, EWF_DESCRIPTOR_LEN - 4) == bytes_load32(data + EWF_DESCRIPTOR_LEN - 4);
    return ewf_is_type(section->type);
}

static bool is_type_at(const char *at)
{
    char type[EWF_TYPE_LEN + 1] = {0};

    memcpy(type, at, EWF_TYPE_LEN);
    return ewf_is_type(type);
}

/* Finds the next valid descriptor at or after a position; 0 if there is none. */
static uint64_t search_descriptor(const struct ewf_opening *opening, uint64_t from)
{
    const uint64_t size = opening->ewf->files[opening->file].size;
    char *piece = malloc(MOST_SEARCHED);
    uint64_t found = 0, most = LEAST_SEARCHED;

    while (piece && !found && from + EWF_DESCRIPTOR_LEN <= size) {
        const size_t len = (size_t)(size - from < most ? size - from : most);
        struct ewf_section section;

        if (ewf_read_at(opening->ewf, opening->file, from, piece, len))
            break;
        for (size_t i = 0; i + EWF_DESCRIPTOR_LEN <= len && !found; i++)
            if (is_type_at(piece + i) && read_descriptor(opening, from + i, &section) && section.sound)
                found = from + i;
        from += len - EWF_DESCRIPTOR_LEN + 1;
        most = most < MOST_SEARCHED ? most * 2 : most;
    }
    free(piece);
    return found;
}

/* Finds the section after a damaged descriptor: where that says, if a valid one is there, or else the next
 * valid one. */
static uint64_t find_next(const struct ewf_opening *opening, const struct ewf_section *damaged)
{
    struct ewf_section next;

    if (damaged->next > damaged->at && read_descriptor(opening, damaged->next, &next) && next.sound)
        return damaged->next;
    return search_descriptor(opening, damaged->at + 1);
}

static int read_sections(struct ewf_opening *opening)
{
    const uint64_t size = opening->ewf->files[opening->file].size;
    uint64_t at = FILE_HEADER_LEN;
    struct ewf_section section;

    for (;;) {
        const int known = read_descriptor(opening, at, &section);
        int result = 0;

        if (at > size || size - at < EWF_DESCRIPTOR_LEN)
            return ewf_damage(opening, "truncated: section missing at byte %" PRIu64, at);
        if (!section.sound &&
            ewf_damage(opening, "wrong checksum of the section descriptor at byte %" PRIu64, at))
            return -1;
        at = section.sound ? section.next : find_next(opening, &section);
        section.end = at > section.at && at < size ? at : size;
        if (known && (result = ewf_take_section(opening, &section)))
            return result < 0 ? -1 : 0;
        if (section.sound && at <= section.at)
            return ewf_damage(opening, "no section follows the one at byte %" PRIu64, section.at);
        if (at == 0)
            return ewf_damage(opening, "no valid section after byte %" PRIu64, section.at);
    }
}

/* ---- segments ---- */

static int check_number(struct ewf_opening *opening, unsigned *next)
{
    const char *path = opening->paths[opening->file];
    const unsigned named = ewf_names_number(path), expected = named ? named : (unsigned)opening->file + 1;
    const bool alone = opening->ewf->file_count == 1;
    static const uint8_t signature[8] = {'E', 'V', 'F', '\t', '\r', '\n', 0xff, 0};
    uint8_t head[FILE_HEADER_LEN];
    char missing[EWF_NAMES_ROOM];
    unsigned number;

    for (; *next < expected; ++*next) {
        ewf_names_extension(path, *next, missing);
        if (ewf_damage(opening, "segment %s is missing", missing))
            return -1;
    }
    *next = expected + 1;
    if (ewf_read_at(opening->ewf, opening->file, 0, head, sizeof head) || memcmp(head, signature, 8) != 0)
        return ewf_damage(opening, "not an E01 segment: wrong signature") ? -1 : 1;
    number = (unsigned)(head[9] | head[10] << 8);
    if (number != expected && !named && alone) {
        ewf_names_extension(path, 1, missing);
        return ewf_damage(opening, "this is segment %u of a set, and segment %s is missing", number, missing);
    }
    if (number != expected && !(alone && number == 1)) /* on its own it may have any name */
        return ewf_damage(opening, "this is segment %u by its header, but %u by its name", number, expected);
    if (head[8] != 1 || head[11] || head[12])
        return ewf_damage(opening, "invalid header") ? -1 : 1;
    return 1;
}

static int read_segments(struct ewf_opening *opening)
{
    struct ewf *ewf = opening->ewf;
    unsigned next = 1;

    for (; opening->file < ewf->file_count; opening->file++) {
        int usable;

        opening->is_identified = false;
        if (opening->ended)
            return ewf_damage(opening, "belongs to another image: the set ends before this segment");
        usable = check_number(opening, &next);
        if (usable < 0 || (usable && read_sections(opening)) || ewf_settle_table(opening))
            return -1;
    }
    opening->file = ewf->file_count - 1;
    if (!opening->ended) {
        char missing[EWF_NAMES_ROOM];

        ewf_names_extension(opening->paths[0], next, missing);
        return ewf_damage(opening, "segment %s is missing: the set does not end with this one%s", missing,
                          ewf->files[0].content ? " (to read all of them, extract all of them)" : "");
    }
    return 0;
}

/* ---- the set as a whole ---- */

static uint64_t sum_of(const struct ranges *ranges)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < ranges->count; i++)
        sum += ranges->list[i].len;
    return sum;
}

/* Checks the list of sectors that could not be read during acquisition; sections in any segment may add to
 * it. */
static int take_unread(struct ewf_opening *opening)
{
    struct ewf *ewf = opening->ewf;
    struct ranges *unread = &ewf->unread;
    size_t kept = 0;

    ranges_sort(unread);
    for (size_t i = 0; i < unread->count; i++) {
        struct range range = unread->list[i];

        if (range.start >= ewf->sectors || range.len > ewf->sectors - range.start) {
            if (ewf_damage(
                    opening,
                    "the list of sectors unreadable during acquisition goes beyond the end of the disk"))
                return -1;
            range.len = range.start < ewf->sectors ? ewf->sectors - range.start : 0;
        }
        if (range.len)
            unread->list[kept++] = range;
    }
    unread->count = kept;
    if (unread->count)
        buffer_printf(&ewf->damages, "sectors that could not be read during acquisition: %" PRIu64 "\n",
                      sum_of(unread));
    return 0;
}

/* Missing chunks lie between the first and the last place where some may be missing: chunks before are placed
 * from the start, chunks after from the end. */
static int place_runs(struct ewf_opening *opening)
{
    struct ewf *ewf = opening->ewf;
    const uint64_t lost = ewf->chunk_count - opening->chunks;
    size_t first = 0, last = ewf->run_count, kept;

    if (opening->chunks > ewf->chunk_count || (lost && !opening->damaged)) {
        return error_set(opening->err, "%s: the chunk tables list %" PRIu64 " chunks instead of %" PRIu64,
                         opening->paths[0], opening->chunks, ewf->chunk_count);
    }
    if (!lost)
        return 0;
    while (first < ewf->run_count && !ewf->runs[first].after_gap)
        first++;
    while (!opening->gap && last > first && !ewf->runs[last - 1].after_gap)
        last--;
    if (!opening->gap && last > first)
        last--; /* the run after the last gap can be placed from the end */
    for (size_t i = first; i < last; i++)
        free(ewf->runs[i].entries);
    for (kept = first; last < ewf->run_count; last++, kept++) {
        ewf->runs[kept] = ewf->runs[last];
        ewf->runs[kept].first += lost;
    }
    ewf->run_count = kept;
    return 0;
}

static int read_set(struct ewf_opening *opening)
{
    struct ewf *ewf = opening->ewf;

    if (read_segments(opening))
        return -1;
    opening->file = 0;
    if (!opening->has_geometry)
        return error_set(opening->err,
                         "%s: section \"volume\" is missing or damaged, so the size is unknown%s",
                         opening->paths[0], ewf->damages.len ? " (even with --force)" : "");
    if (place_runs(opening) || take_unread(opening))
        return -1;
    return ewf->damages.failed ? error_set(opening->err, "%s: out of memory", opening->paths[0]) : 0;
}

int ewf_open_set(struct ewf *ewf, char *const *paths, size_t count, struct content *content, bool force,
                 struct error *err)
{
    struct ewf_opening opening = {.ewf = ewf, .paths = paths, .force = force, .err = err};

    *ewf = (struct ewf){0};
    if (open_files(ewf, paths, count, content, err) == 0 && read_set(&opening) == 0)
        return 0;
    ewf_close_set(ewf);
    return -1;
}

void ewf_close_set(struct ewf *ewf)
{
    for (size_t i = 0; i < ewf->file_count; i++)
        datafile_close(&ewf->files[i]);
    for (size_t i = 0; i < ewf->run_count; i++)
        free(ewf->runs[i].entries);
    free(ewf->files);
    free(ewf->runs);
    ranges_release(&ewf->unread);
    buffer_release(&ewf->damages);
    *ewf = (struct ewf){0};
}

uint32_t ewf_chunk_size(const struct ewf *ewf)
{
    return ewf->chunk_sectors * ewf->sector_size;
}

uint64_t ewf_media_size(const struct ewf *ewf)
{
    return ewf->sectors * ewf->sector_size;
}

static const struct ewf_run *run_of(const struct ewf *ewf, uint64_t chunk)
{
    const size_t at = SEARCH_FIRST(i, 0, ewf->run_count, ewf->runs[i].first + ewf->runs[i].count > chunk);

    return at < ewf->run_count && ewf->runs[at].first <= chunk ? &ewf->runs[at] : NULL;
}

bool ewf_find(const struct ewf *ewf, uint64_t chunk, struct ewf_place *place)
{
    static const uint32_t compressed = 0x80000000;
    const struct ewf_run *run = run_of(ewf, chunk);
    const uint64_t most = deflate_bound(ewf_chunk_size(ewf)) + 64;
    uint32_t i, next;

    if (!run)
        return false;
    i = (uint32_t)(chunk - run->first);
    place->file = run->file;
    place->compressed = i < run->plain_from && (run->entries[i] & compressed);
    place->offset = run->base + (i < run->plain_from ? run->entries[i] & ~compressed : run->entries[i]);
    next = i + 1 < run->plain_from ? run->entries[i + 1] & ~compressed : 0;
    place->len =
        run->base + next > place->offset && i + 1 < run->count ? run->base + next - place->offset : most;
    if (place->len > most)
        place->len = most;
    return true;
}
