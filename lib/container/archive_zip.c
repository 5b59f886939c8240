/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "container/archive.h"
#include "container/archive_zip_data.h"

enum {
    MOST_TARGET = 4096, /* bytes of a symbolic link's target */
    TYPE = 0170000,
    FOLDER = 0040000,
    LINK = 0120000,
    AES = 99, /* the method of members that WinZip encrypts */
};

struct archive_zip {
    struct container container;
    struct archive_window headers, window; /* window: for local headers and data */
    struct archive_zip_table table;
    size_t next;
    struct archive_zip_header central, local;
    bool has_local;
    uint64_t start, end; /* of the present member's data */
    struct archive_zip_data data;
    char problem[128];
    struct buffer difference; /* between the headers of the last member, if not empty */
};

/* ---- members ---- */

/* Why it cannot be read, or NULL. */
static const char *problem_of(struct archive_zip *zip, const struct archive_zip_header *header)
{
    if (header->flags & (ARCHIVE_ZIP_ENCRYPTED | ARCHIVE_ZIP_STRONG) || header->method == AES)
        return "it is encrypted";
    if (header->volume != 0)
        return "it is in another volume";
    if (!zip->has_local)
        return "its local header is missing";
    if (archive_zip_data_is_supported(header->method))
        return NULL;
    snprintf(zip->problem, sizeof zip->problem, "it is packed by a method that is not supported: %u (%s)",
             (unsigned)header->method, archive_zip_data_method(header->method));
    return zip->problem;
}

/* Folders and links have no content, unless something is hidden there. */
static bool is_file(const struct archive_zip_header *header)
{
    if ((header->mode & TYPE) == LINK)
        return header->size > MOST_TARGET;
    if ((header->mode & TYPE) == FOLDER ||
        (header->name_len > 0 && header->name[header->name_len - 1] == '/'))
        return header->size > 0;
    return true;
}

/* ---- differences ---- */

static void add_text(struct archive_zip *zip, const char *what, const char *one, size_t one_len,
                     const char *other, size_t other_len)
{
    buffer_add_text(&zip->difference,
                    zip->difference.len ? "; the central directory " : "the central directory ");
    buffer_add_text(&zip->difference, what);
    buffer_add(&zip->difference, one, one_len);
    buffer_add_text(&zip->difference, ", its local header ");
    buffer_add(&zip->difference, other, other_len);
}

static void add_number(struct archive_zip *zip, const char *what, const char *format, uint64_t one,
                       uint64_t other)
{
    char texts[2][32];

    if (one == other)
        return;
    snprintf(texts[0], sizeof texts[0], format[0] == 'x' ? "%08" PRIx64 : "%" PRIu64, one);
    snprintf(texts[1], sizeof texts[1], format[0] == 'x' ? "%08" PRIx64 : "%" PRIu64, other);
    add_text(zip, what, texts[0], strlen(texts[0]), texts[1], strlen(texts[1]));
}

/* Whether a local header has this value, and not only what follows the data. */
static bool is_stated(const struct archive_zip_header *local, uint64_t value)
{
    return !(local->flags & ARCHIVE_ZIP_SIZES_FOLLOW) || value != 0;
}

/* Notes in what the two headers differ; it is reported as a member after this one. */
static void compare(struct archive_zip *zip)
{
    const struct archive_zip_header *central = &zip->central, *local = &zip->local;
    const bool is_same = central->full_name_len == local->full_name_len &&
                         memcmp(central->name, local->name, local->name_len) == 0;

    if ((central->flags | local->flags) & ARCHIVE_ZIP_MASKED)
        return;
    if (!is_same)
        add_text(zip, "calls it ", central->name, central->name_len, local->name, local->name_len);
    add_number(zip, "states method ", "d", central->method, local->method);
    if (is_stated(local, local->size))
        add_number(zip, "states this number of bytes: ", "d", central->size, local->size);
    if (is_stated(local, local->packed))
        add_number(zip, "states this number of packed bytes: ", "d", central->packed, local->packed);
    if (is_stated(local, local->crc))
        add_number(zip, "states CRC-32 ", "x", central->crc, local->crc);
    if (zip->difference.len && is_same) {
        buffer_add_text(&zip->difference, ": ");
        buffer_add(&zip->difference, central->name, central->name_len);
    }
    buffer_add(&zip->difference, "", zip->difference.len > 0);
}

static int yield_difference(struct archive_zip *zip, struct container_member *member, struct error *err)
{
    if (zip->difference.failed)
        return error_set(err, "out of memory");
    *member =
        (struct container_member){.name = "", .size = CONTAINER_UNKNOWN, .problem = zip->difference.data};
    zip->difference.len = 0;
    return 1;
}

/* ---- moving on ---- */

/* Where the member's data lies; false if nothing is known of it. */
static bool place_data(struct archive_zip *zip, const struct archive_zip_entry *entry)
{
    const uint64_t size = zip->headers.content->size;

    zip->start = zip->end = size;
    zip->has_local =
        entry->local < size && archive_zip_read_local(&zip->window, entry->local, &zip->local) == 0;
    if (!zip->has_local)
        return false;
    zip->start = entry->local + zip->local.len;
    return true;
}

/* Of a member that only has a local header: completes that from the descriptor. */
static void use_local(struct archive_zip *zip, const struct archive_zip_entry *entry)
{
    struct archive_zip_descriptor descriptor;
    struct archive_zip_header *header = &zip->central;

    *header = zip->local;
    zip->end = entry->end;
    if (!(header->flags & ARCHIVE_ZIP_SIZES_FOLLOW) || header->packed)
        return;
    if (archive_zip_read_descriptor(&zip->window, zip->start, entry->end, &descriptor)) {
        header->packed = descriptor.packed;
        header->size = descriptor.size;
        header->crc = descriptor.crc;
        header->flags &= (uint16_t)~ARCHIVE_ZIP_SIZES_FOLLOW;
    } else
        header->size = CONTAINER_UNKNOWN;
}

/* The member of an entry; false if it is to be passed over. */
static bool take_entry(struct archive_zip *zip, const struct archive_zip_entry *entry)
{
    const uint64_t size = zip->headers.content->size;
    const bool has_local = place_data(zip, entry);

    if (entry->central == ARCHIVE_ZIP_NONE) {
        if (!has_local)
            return false;
        use_local(zip, entry);
        return is_file(&zip->central);
    }
    if (archive_zip_read_central(&zip->headers, entry->central, ARCHIVE_LOOK, &zip->central))
        return false;
    if (has_local) {
        zip->end = zip->central.packed < size - zip->start ? zip->start + zip->central.packed : size;
        compare(zip);
    }
    zip->central.flags &= (uint16_t)~ARCHIVE_ZIP_SIZES_FOLLOW;
    return is_file(&zip->central) || zip->difference.len > 0;
}

static int next_member(struct container *container, struct container_member *member, struct error *err)
{
    struct archive_zip *zip = (struct archive_zip *)container;
    const struct archive_zip_header *header = &zip->central;

    if (zip->difference.len > 0 || zip->difference.failed)
        return yield_difference(zip, member, err);
    while (zip->next < zip->table.count)
        if (take_entry(zip, &zip->table.entries[zip->next++])) {
            *member = (struct container_member){header->name, header->name_len, header->size,
                                                .problem = problem_of(zip, header), .mode = header->mode};
            memcpy(member->times, header->times, sizeof member->times);
            archive_zip_data_begin(&zip->data, header, zip->start, zip->end);
            return 1;
        }
    return zip->table.damage ? error_set(err, "%s", zip->table.damage) : 0;
}

/* ---- data ---- */

static ssize_t read_member(struct container *container, void *into, size_t len, struct error *err)
{
    return archive_zip_data_read(&((struct archive_zip *)container)->data, into, len, err);
}

static uint64_t place_of_member(struct container *container)
{
    const struct archive_zip *zip = (const struct archive_zip *)container;

    return zip->has_local && zip->central.method == 0 ? zip->start : CONTAINER_UNKNOWN;
}

static uint64_t end_of_zip(struct container *container)
{
    return ((struct archive_zip *)container)->table.end;
}

/* ---- the format ---- */

static void close_zip(struct container *container)
{
    struct archive_zip *zip = (struct archive_zip *)container;

    archive_zip_data_release(&zip->data);
    archive_window_release(&zip->headers);
    archive_window_release(&zip->window);
    buffer_release(&zip->difference);
    free(zip->table.entries);
    free(zip);
}

static struct container *open_zip(const struct container_sight *sight, const struct container_watch *watch,
                                  struct error *err)
{
    struct archive_zip *zip = memory_new(sizeof *zip, err);

    if (!zip)
        return NULL;
    zip->data.window = &zip->window;
    zip->container = (struct container){next_member, read_member, place_of_member, end_of_zip, close_zip};
    if (archive_window_init(&zip->headers, sight->content, watch, err) ||
        archive_window_init(&zip->window, sight->content, watch, err) ||
        archive_zip_find_members(&zip->table, &zip->headers, sight->is_carved, err)) {
        close_zip(&zip->container);
        return NULL;
    }
    return &zip->container;
}

static bool begins(const struct container_sight *sight, const char *bytes, size_t len)
{
    return sight->head_len >= len && memcmp(sight->head, bytes, len) == 0;
}

/* Programs that unpack themselves, and scripts of Python, are followed by an archive. */
static bool is_program(const struct container_sight *sight)
{
    uint8_t end[ARCHIVE_ZIP_END];

    return (begins(sight, "MZ", 2) || begins(sight, "\177ELF", 4) || begins(sight, "#!", 2)) &&
           sight->size > sizeof end &&
           content_read(sight->content, sight->size - sizeof end, end, sizeof end) == 0 &&
           memcmp(end, "PK\5\6", 4) == 0 && end[20] == 0 && end[21] == 0;
}

static bool matches_zip(const struct container_sight *sight)
{
    return begins(sight, "PK\3\4", 4) || begins(sight, "PK\5\6", 4) || begins(sight, "PK\7\10PK\3\4", 8) ||
           begins(sight, "PK00PK\3\4", 8) || (!sight->is_carved && is_program(sight));
}

static const struct container_magic magic_zip[] = {{0, 4, "PK\3\4"}, {0, 0, NULL}};

const struct container_format archive_format_zip = {
    .name = "zip", .first = "PM\x7f#", .magic = magic_zip, .matches = matches_zip, .open = open_zip};
