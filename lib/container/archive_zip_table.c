/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "container/archive_zip.h"

enum {
    MOST_ENTRIES = 2 << 20,
    MOST_LOOK_AHEAD =
        256 << 20,   /* bytes of stored data of unknown size that are searched for its descriptor */
    DESCRIPTOR = 24, /* bytes at the most */
    END64 = 56 + 20, /* bytes of the end of a zip64 archive and its locator */
};

struct finder {
    struct archive_zip_table *table;
    struct archive_window *window;
    bool failed; /* out of memory */
};

static void add(struct finder *finder, struct archive_zip_entry entry)
{
    struct archive_zip_table *table = finder->table;

    if (table->count >= MOST_ENTRIES)
        table->damage = "has more members than are looked at";
    else if (array_reserve(&table->entries, &table->room, table->count + 1))
        finder->failed = true;
    else
        table->entries[table->count++] = entry;
}

static bool is_full(const struct finder *finder)
{
    return finder->failed || finder->table->count >= MOST_ENTRIES;
}

/* ---- local headers ---- */

static bool fits_descriptor(struct finder *finder, uint64_t data, uint64_t at)
{
    struct archive_zip_descriptor descriptor;

    return at >= data && archive_zip_read_descriptor(finder->window, data, at, &descriptor);
}

/* Finds where data of unknown size ends: before its descriptor, or before the next header.  Stored data may
 * be an archive with headers of its own, so that the descriptor is looked for beyond them. */
static uint64_t find_data_end(struct finder *finder, uint64_t data, uint64_t to, bool is_stored)
{
    struct archive_zip_table *table = finder->table;
    uint64_t next = ARCHIVE_ZIP_NONE;

    for (uint64_t at = data; at < to; at++) {
        const uint64_t from = at;

        at = archive_window_find(finder->window, at, to, "PK");
        if (next != ARCHIVE_ZIP_NONE) {
            if (at - from > table->look_ahead)
                return next;
            table->look_ahead -= at - from;
        }
        if (at == to)
            break;
        for (unsigned len = 0; len <= DESCRIPTOR; len += 4)
            if ((len == 0 || len == 12 || len == 20) && at - data >= len &&
                fits_descriptor(finder, data, at - len))
                return at - len;
        if (next == ARCHIVE_ZIP_NONE && (archive_zip_is_local(finder->window, at, to - at) ||
                                         archive_zip_is_central(finder->window, at))) {
            next = at;
            if (!is_stored)
                break;
        }
    }
    return next != ARCHIVE_ZIP_NONE ? next : to;
}

/* Adds the member whose local header is at `at`, if there is one.  Returns where it ends, or `at`. */
static uint64_t add_local(struct finder *finder, uint64_t at, uint64_t to)
{
    struct archive_zip_header *header = &finder->table->header;
    struct archive_zip_entry entry = {ARCHIVE_ZIP_NONE, at, 0};
    uint64_t data, packed;

    if (!archive_zip_is_local(finder->window, at, to - at) ||
        archive_zip_read_local(finder->window, at, header))
        return at;
    data = at + header->len;
    packed = header->packed;
    if (packed > to - data || (packed == 0 && (header->flags & ARCHIVE_ZIP_SIZES_FOLLOW)))
        packed = find_data_end(finder, data, to, header->method == 0) - data;
    entry.end = data + packed;
    add(finder, entry);
    return entry.end;
}

/* Adds the members in a range where no entry of the directory is known to lie. */
static void search_gap(struct finder *finder, uint64_t from, uint64_t to)
{
    while (from < to && to - from > ARCHIVE_ZIP_LOCAL && !is_full(finder)) {
        const uint64_t at = archive_window_find(finder->window, from, to, "PK");

        if (at == to)
            return;
        from = add_local(finder, at, to);
        if (from == at)
            from++;
    }
}

/* Where a local header, or the directory, follows after data that ends at `at`: perhaps after a descriptor.
 */
static uint64_t skip_descriptor(struct finder *finder, uint64_t data, uint64_t at)
{
    struct archive_zip_descriptor descriptor;

    if (archive_zip_read_descriptor(finder->window, data, at, &descriptor))
        return at + descriptor.len;
    return at;
}

/* Adds the members that follow one another from `at` on.  Returns where the last one ends. */
static uint64_t walk(struct finder *finder, uint64_t at)
{
    const struct archive_zip_header *header = &finder->table->header;
    const uint64_t size = finder->window->content->size;

    while (at < size && !is_full(finder)) {
        const uint64_t end = add_local(finder, at, size);

        if (end == at)
            break;
        at = header->flags & ARCHIVE_ZIP_SIZES_FOLLOW ? skip_descriptor(finder, at + header->len, end) : end;
    }
    return at;
}

/* ---- the directory ---- */

static int by_place(const void *a, const void *b)
{
    const struct archive_zip_entry *one = a, *other = b;

    if (one->local != other->local)
        return one->local < other->local ? -1 : 1;
    return (one->central > other->central) - (one->central < other->central);
}

static void sort(struct archive_zip_table *table)
{
    if (table->count > 0)
        qsort(table->entries, table->count, sizeof *table->entries, by_place);
}

/* The member of a local header among the first `count`, which are sorted; NULL if none has it. */
static struct archive_zip_entry *find_local(const struct archive_zip_table *table, size_t count,
                                            uint64_t local)
{
    const size_t at = SEARCH_FIRST(i, 0, count, table->entries[i].local >= local);

    return at < count && table->entries[at].local == local ? &table->entries[at] : NULL;
}

/* Adds the entries of the directory, of which some local headers may be known.  Returns where it ends. */
static uint64_t read_directory(struct finder *finder, uint64_t at, uint64_t base)
{
    struct archive_zip_table *table = finder->table;
    struct archive_zip_header *header = &table->header;
    const size_t known = table->count;

    while (!is_full(finder) && archive_zip_read_central(finder->window, at, ARCHIVE_BLOCK, header) == 0) {
        struct archive_zip_entry entry = {at, header->local + base, 0}, *found;

        if (header->volume != 0 || entry.local >= finder->window->content->size)
            entry.local = ARCHIVE_ZIP_NONE;
        else
            entry.end = entry.local + ARCHIVE_ZIP_LOCAL + header->full_name_len + header->packed;
        if (entry.local != ARCHIVE_ZIP_NONE && entry.end < entry.local)
            entry.end = ARCHIVE_ZIP_NONE;
        found = entry.local == ARCHIVE_ZIP_NONE ? NULL : find_local(table, known, entry.local);
        if (found && found->central == ARCHIVE_ZIP_NONE)
            found->central = at;
        else
            add(finder, entry);
        at += header->len;
    }
    return at;
}

/* The entry of the directory does not say how long the local header is. */
static void correct_end(struct finder *finder, struct archive_zip_entry *entry)
{
    const uint64_t packed = entry->end - entry->local;

    if (entry->central != ARCHIVE_ZIP_NONE && entry->end != ARCHIVE_ZIP_NONE &&
        archive_zip_read_local(finder->window, entry->local, &finder->table->header) == 0 &&
        packed >= ARCHIVE_ZIP_LOCAL + finder->table->header.full_name_len)
        entry->end = entry->local + finder->table->header.len +
                     (packed - ARCHIVE_ZIP_LOCAL - finder->table->header.full_name_len);
}

/* Adds the members between those that are known, which are sorted, and after them. */
static void search_gaps(struct finder *finder)
{
    struct archive_zip_table *table = finder->table;
    const size_t known = table->count;
    const uint64_t size = finder->window->content->size;
    size_t last = 0;
    uint64_t done = 0;

    for (size_t i = 0; i <= known && !is_full(finder); i++) {
        const uint64_t next = i < known && table->entries[i].local < size ? table->entries[i].local : size;

        if (next > done && next - done > ARCHIVE_ZIP_LOCAL) {
            if (last < i) {
                correct_end(finder, &table->entries[last]);
                done = table->entries[last].end > done ? table->entries[last].end : done;
            }
            search_gap(finder, done, next);
        }
        if (i < known && table->entries[i].local < size && table->entries[i].end >= done) {
            done = table->entries[i].end;
            last = i;
        }
    }
}

/* What may follow the directory: its end, that of zip64, a signature. */
static bool is_end(struct archive_window *window, uint64_t at)
{
    size_t len;
    const uint8_t *bytes = archive_window_at(window, at, 4, ARCHIVE_LOOK, &len);

    return bytes && (memcmp(bytes, "PK\5\6", 4) == 0 || memcmp(bytes, "PK\6\6", 4) == 0 ||
                     memcmp(bytes, "PK\5\5", 4) == 0);
}

/* ---- all ---- */

/* Reads the end of the directory at `stop`; that of zip64 and its locator may come first. */
static bool read_end_after(struct archive_window *window, uint64_t directory, uint64_t stop,
                           struct archive_zip_end *end)
{
    return archive_zip_read_end(window, stop, directory, end) == 0 ||
           archive_zip_read_end(window, stop + END64, directory, end) == 0;
}

/* Reads the directory after the members that were found one after another. */
static void read_directory_after(struct finder *finder, uint64_t at)
{
    struct archive_zip_table *table = finder->table;
    struct archive_zip_end end = {0};
    uint64_t stop = at;

    while (archive_zip_read_central(finder->window, stop, ARCHIVE_BLOCK, &table->header) == 0)
        stop += table->header.len;
    if (read_end_after(finder->window, at, stop, &end))
        stop = end.at + end.len;
    else
        table->damage = "is cut off";
    table->base = end.base;
    table->end = stop;
    sort(table);
    read_directory(finder, at, end.base);
}

int archive_zip_find_members(struct archive_zip_table *table, struct archive_window *window, bool is_carved,
                             struct error *err)
{
    struct finder finder = {table, window, false};
    struct archive_zip_end end = {0};

    table->look_ahead = MOST_LOOK_AHEAD;
    if (!is_carved && archive_zip_find_end(window, &end) == 0) {
        table->base = end.base;
        table->end = end.at + end.len;
        if (end.has_directory && !is_end(window, read_directory(&finder, end.directory, end.base)))
            table->damage = "has a damaged directory";
    } else
        read_directory_after(&finder, walk(&finder, 0));
    sort(table);
    if (!is_carved)
        search_gaps(&finder);
    return finder.failed ? error_set(err, "out of memory") : 0;
}
