/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "disk/medium.h"
#include "evidence/reading.h"

/* An image: its volumes in disk order, their content, and the space between them. */

/* ---- volumes ---- */

/* On a hybrid disc the partitions are parts of one large file system. */
static bool lies_in_system(const struct reading *reading, const struct volume *volume)
{
    const uint64_t end = volume->start + volume->len;

    for (size_t i = 0; i < reading->volume_count; i++) {
        const struct volume *outer = &reading->volumes[i];

        if (outer->system_count && outer->start <= volume->start && end <= outer->start + outer->len)
            return true;
    }
    return false;
}

/* Its bytes are read, but any files in it are not listed. */
static bool is_unexamined(const struct reading *reading, const struct volume *volume)
{
    return volume->encrypted ||
           (volume->system_count == 0 && !volume->no_files && !lies_in_system(reading, volume));
}

static void report_unexamined(struct reading *reading, const struct volume *volume)
{
    const bool is_image = strcmp(volume->label, "-") == 0;

    if (!is_unexamined(reading, volume))
        return;
    (reading->options->ok_unexamined ? reading_note : reading_problem)(
        reading, "%s%s holds %s%s: its files were not examined, only its raw bytes",
        is_image ? "the image" : "volume ", is_image ? "" : volume->label,
        volume->content[0] ? volume->content : "no known file system",
        volume->encrypted ? " (encrypted)" : "");
}

/* If there are several file systems in a volume, each has its own addresses; the label distinguishes them. */
static void show_volume(struct reading *reading, const struct volume *volume, const struct system *system)
{
    if (system && volume->system_count > 1)
        snprintf(reading->label, sizeof reading->label, "%s/%s%zu", volume->label,
                 system->system.in_pool ? "apfs" : system->name, (size_t)(system - volume->systems));
    else
        snprintf(reading->label, sizeof reading->label, "%s", volume->label);
    reading->shown = (struct evidence_volume){.label = reading->label,
                                              .start = volume->start,
                                              .len = volume->len,
                                              .about = volume->about,
                                              .system = system ? system->name : "",
                                              .content = volume->content,
                                              .encrypted = volume->encrypted,
                                              .unexamined = is_unexamined(reading, volume)};
    reading->sink->volume(reading->sink->arg, &reading->shown);
}

/* Where the last of its file systems ends; the volume may be larger. */
static uint64_t end_of_systems(const struct volume *volume)
{
    const uint64_t volume_end = volume->start + volume->len;
    uint64_t end = volume->start;

    if (volume->systems[0].system.in_pool) /* a pool fills its volume */
        return volume_end;
    for (size_t i = 0; i < volume->system_count; i++) {
        const struct filesystem_facts *facts = &volume->systems[i].facts;

        if (facts->start >= volume->start && facts->len <= INT64_MAX - facts->start &&
            facts->start + facts->len > end)
            end = facts->start + facts->len;
    }
    return end < volume_end ? end : volume_end;
}

static void read_systems(struct reading *reading, const struct volume *volume)
{
    const uint64_t end = end_of_systems(volume), volume_end = volume->start + volume->len;

    report_unexamined(reading, volume);
    for (size_t i = 0; i < volume->system_count && !reading->failed; i++) {
        show_volume(reading, volume, &volume->systems[i]);
        reading_system(reading, &volume->systems[i]);
    }
    reading_unclaimed(reading, volume->start, end);
    if (end < volume_end)
        reading_ranges(reading, OBJECT_GAP, &(struct range){end, volume_end - end}, 1);
}

/* Where volumes overlap, the bytes count for the first one. */
static void read_volume(struct reading *reading, const struct volume *volume, uint64_t accounted)
{
    const uint64_t end = volume->start + volume->len, start = volume->start > accounted ? volume->start
                                                              : accounted < end         ? accounted
                                                                                        : end;
    /* its absence has been reported */
    const bool skipped = volume->system_count == 0 && reading->options->system_type;

    reading_account_open(reading, start, end - start, volume->system_count ? reading_unit(volume, start) : 0);
    if (volume->system_count) {
        read_systems(reading, volume);
    } else {
        show_volume(reading, volume, NULL);
        if (!skipped) {
            report_unexamined(reading, volume);
            reading_ranges(reading, OBJECT_UNALLOCATED, &(struct range){volume->start, volume->len}, 1);
        }
    }
    reading_account_close(reading, !skipped);
}

/* The space between volumes; or, with an offset, the unselected rest of the image. */
static void read_gap(struct reading *reading, uint64_t start, uint64_t len, bool is_wanted)
{
    reading->shown = (struct evidence_volume){
        .label = "-", .start = start, .len = len, .about = "", .system = "", .content = ""};
    reading_account_open(reading, start, len, 0);
    if (is_wanted)
        reading_ranges(reading, OBJECT_GAP, &(struct range){start, len}, 1);
    reading_account_close(reading, is_wanted);
}

static void read_volumes(struct reading *reading)
{
    const bool has_offset = reading->options->has_offset;
    uint64_t end = 0; /* of the parts read so far */

    for (size_t i = 0; i < reading->volume_count && !reading->failed; i++) {
        const struct volume *volume = &reading->volumes[i];

        if (volume->start > end && !has_offset)
            read_gap(reading, end, volume->start - end, true);
        read_volume(reading, volume, end);
        if (volume->start + volume->len > end)
            end = volume->start + volume->len;
    }
    if (end < reading->size && !has_offset && !reading->failed)
        read_gap(reading, end, reading->size - end, true);
    if (has_offset && !reading->failed && reading->accounted < reading->size)
        read_gap(reading, 0, reading->size - reading->accounted, false);
    if (!reading->failed && reading->accounted != reading->size)
        reading_problem(reading,
                        "internal error: %" PRIu64 " of the %" PRIu64 " bytes of the image are accounted for",
                        reading->accounted, reading->size);
}

/* ---- finding volumes ---- */

static int compare_volumes(const void *a, const void *b)
{
    const struct volume *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void add_volume(struct reading *reading, const char *label, uint64_t start)
{
    struct volume *volume;

    if (array_resize(&reading->volumes, reading->volume_count + 1)) {
        reading_out_of_memory(reading);
        return;
    }
    volume = &reading->volumes[reading->volume_count++];
    *volume = (struct volume){.start = start, .len = reading->size - start};
    snprintf(volume->label, sizeof volume->label, "%s", label);
}

/* Appends the volumes found to those already known. */
static void take_answer(struct reading *reading)
{
    const size_t count = reading->volume_count + reading->answer_count;

    if (reading->answer_count && array_resize(&reading->volumes, count)) {
        reading_out_of_memory(reading);
    } else if (reading->answer_count) {
        memcpy(reading->volumes + reading->volume_count, reading->answer,
               reading->answer_count * sizeof *reading->volumes);
        reading->volume_count = count;
    }
    free(reading->answer);
    reading->answer = NULL;
    reading->answer_count = 0;
}

static void ask_table(struct reading *reading, uint64_t offset, bool is_cut)
{
    reading_begin(reading, TASK_TABLE);
    wire_put(&reading->task, offset);
    wire_put(&reading->task, is_cut);
    reading_give(reading, NULL, 0);
    reading_drain(reading);
    take_answer(reading);
}

/* Looks for file systems in the volumes from first on. */
static void ask_systems(struct reading *reading, size_t first, const char *type)
{
    reading_begin(reading, TASK_SYSTEMS);
    wire_put_bytes(&reading->task, type ? type : "", type ? strlen(type) : 0);
    wire_put(&reading->task, reading->volume_count - first);
    for (size_t i = first; i < reading->volume_count; i++) {
        wire_put(&reading->task, reading->volumes[i].start);
        wire_put(&reading->task, reading->volumes[i].len);
    }
    reading->asked = reading->volumes + first;
    reading->asked_count = reading->volume_count - first;
    reading_give(reading, NULL, 0);
    reading_drain(reading);
    reading->asked = NULL;
    reading->asked_count = 0;
}

static bool is_unknown(const struct volume *volume)
{
    return volume->system_count == 0 && !volume->content[0];
}

static void label_volumes(struct reading *reading, size_t first, const struct volume *within)
{
    for (size_t i = first; i < reading->volume_count; i++) {
        struct volume *volume = &reading->volumes[i];

        if (within)
            snprintf(volume->label, sizeof volume->label, "%" PRIu64 ".%" PRIu64 "@%" PRIu64, within->number,
                     volume->number, volume->start);
        else
            snprintf(volume->label, sizeof volume->label, "%" PRIu64 "@%" PRIu64, volume->number,
                     volume->start);
    }
}

static void forget_volume(struct reading *reading, size_t i)
{
    free(reading->volumes[i].systems);
    memmove(&reading->volumes[i], &reading->volumes[i + 1],
            (--reading->volume_count - i) * sizeof *reading->volumes);
}

static bool is_label(const char *table)
{
    return strcmp(table, "bsd") == 0 || strcmp(table, "sun") == 0;
}

/* A partition may be subdivided by a BSD or Sun label.  Label entries that cover the whole partition are not
 * volumes. */
static void look_into(struct reading *reading, size_t i)
{
    const struct volume outer = reading->volumes[i];
    size_t first = reading->volume_count;
    char table[sizeof reading->table];

    memcpy(table, reading->table, sizeof table);
    reading->table[0] = '\0';
    reading->forgiving = true;
    ask_table(reading, outer.start, false);
    reading->forgiving = false;
    for (size_t k = first; k < reading->volume_count;) {
        const struct volume *inner = &reading->volumes[k];
        bool inside = inner->start >= outer.start && inner->start + inner->len <= outer.start + outer.len &&
                      inner->len < outer.len;

        if (inside && is_label(reading->table))
            k++;
        else
            forget_volume(reading, k);
    }
    memcpy(reading->table, table, sizeof table);
    if (reading->volume_count == first)
        return;
    label_volumes(reading, first, &outer);
    ask_systems(reading, first, reading->options->system_type);
    forget_volume(reading, i);
}

/* A volume with unknown content that contains other volumes is merely a container, such as an extended
 * partition. */
static void drop_containers(struct reading *reading)
{
    for (size_t i = 0; i < reading->volume_count;) {
        const struct volume *outer = &reading->volumes[i];
        bool holds = false;

        for (size_t k = 0; k < reading->volume_count && is_unknown(outer); k++) {
            const struct volume *inner = &reading->volumes[k];

            holds = holds || (k != i && inner->start >= outer->start && inner->len < outer->len &&
                              inner->start + inner->len <= outer->start + outer->len);
        }
        if (holds)
            forget_volume(reading, i);
        else
            i++;
    }
}

static bool begins_with_volume(const struct reading *reading)
{
    for (size_t i = 0; i < reading->volume_count; i++)
        if (reading->volumes[i].start == 0)
            return true;
    return false;
}

/* The image of an optical disc may also have a partition table, for booting. */
static void look_for_disc(struct reading *reading)
{
    size_t at = reading->volume_count;

    if (begins_with_volume(reading))
        return;
    add_volume(reading, "-", 0);
    reading->forgiving = true;
    ask_systems(reading, at, "iso9660");
    reading->forgiving = false;
    if (at < reading->volume_count && reading->volumes[at].system_count == 0)
        forget_volume(reading, at);
}

/*
 * A partition table may have been written over the start of a file system, which is found only by looking for
 * it.  Its files are not listed, because what is left of a file system from before the disk was partitioned
 * looks the same.
 */
static void look_for_hidden(struct reading *reading)
{
    const size_t at = reading->volume_count;

    if (begins_with_volume(reading) || reading->failed)
        return;
    add_volume(reading, "-", 0);
    reading->forgiving = true;
    ask_systems(reading, at, NULL);
    reading->forgiving = false;
    if (at >= reading->volume_count)
        return;
    if (reading->volumes[at].system_count)
        reading_problem(reading,
                        "there is also a file system (%s) that begins at sector 0, beneath the partition "
                        "table; its files are not listed (use -o 0 to read it)",
                        reading->volumes[at].systems[0].name);
    forget_volume(reading, at);
}

/* Finds what is in the volumes of a partition table. */
static void open_volumes(struct reading *reading)
{
    size_t count;

    label_volumes(reading, 0, NULL);
    ask_systems(reading, 0, reading->options->system_type);
    count = reading->volume_count;
    for (size_t i = 0; i < count && !reading->failed;) {
        size_t before = reading->volume_count;

        if (is_unknown(&reading->volumes[i]) && !is_label(reading->table))
            look_into(reading, i);
        if (reading->volume_count == before)
            i++;
        else
            count--;
    }
    drop_containers(reading);
    if (reading->options->system_type)
        return;
    look_for_disc(reading);
    look_for_hidden(reading);
}

/* A disk without a partition table is a single volume - unless there is a table that describes more than the
 * image holds. */
static void open_whole(struct reading *reading)
{
    add_volume(reading, "-", 0);
    ask_systems(reading, 0, reading->options->system_type);
    if (reading->volume_count == 0 || !is_unknown(&reading->volumes[0]))
        return;
    ask_table(reading, 0, true);
    if (reading->volume_count == 1)
        return;
    reading_problem(reading,
                    "the partition table describes more than the image holds: the image is truncated");
    forget_volume(reading, 0);
    open_volumes(reading);
}

static void find_volumes(struct reading *reading)
{
    const struct evidence_options *options = reading->options;
    const uint64_t start = options->sector * reading->sector_size;
    char label[64];

    if (options->has_offset) {
        snprintf(label, sizeof label, "-@%" PRIu64, start);
        add_volume(reading, label, start);
        ask_systems(reading, 0, options->system_type);
        if (reading->volume_count && is_unknown(&reading->volumes[0]) && reading->volumes[0].no_files &&
            !options->system_type)
            reading_problem(reading, "no file system begins at sector %" PRIu64, options->sector);
    } else {
        ask_table(reading, 0, false);
        if (reading->volume_count)
            open_volumes(reading);
        else
            open_whole(reading);
    }
    if (reading->volume_count)
        qsort(reading->volumes, reading->volume_count, sizeof *reading->volumes, compare_volumes);
}

/* Not if its only volume is known to hold no files, such as zeros. */
static bool is_image_by_name(const struct reading *reading)
{
    return medium_is_named_image(reading->path) &&
           !(reading->volume_count == 1 && reading->volumes[0].no_files) && reading->size > 0;
}

/* A file that shows no sign of being a disk image is read as a plain file, unless its name says otherwise. */
static bool is_plain(const struct reading *reading)
{
    const struct evidence_options *options = reading->options;
    struct stat st;

    return !options->image_type && !options->system_type && !options->has_offset &&
           strcmp(reading->format, "raw") == 0 && reading->volume_count <= 1 &&
           (reading->volume_count == 0 || (is_unknown(&reading->volumes[0]) && !reading->table[0])) &&
           !is_image_by_name(reading) && stat(reading->path, &st) == 0 && S_ISREG(st.st_mode) &&
           (uint64_t)st.st_size == reading->size;
}

static void show_image(struct reading *reading)
{
    reading->sink->image(reading->sink->arg, &(struct evidence_image){.format = reading->format,
                                                                      .table = reading->table,
                                                                      .size = reading->size,
                                                                      .sector_size = reading->sector_size});
}

static void read_asked(struct reading *reading)
{
    show_image(reading);
    reading->shown = (struct evidence_volume){
        .label = "-", .len = reading->size, .about = "", .system = "", .content = ""};
    reading_asked(reading, reading->options->ranges);
}

void reading_image(struct reading *reading)
{
    const struct evidence_options *options = reading->options;

    reading_begin(reading, TASK_IMAGE);
    reading_give(reading, NULL, 0);
    reading_drain(reading);
    reading_give_digest(reading);
    if (!reading->failed && options->has_offset && options->sector >= reading->size / reading->sector_size) {
        error_set(reading->err, "%s: no sector %" PRIu64 ": the image has %" PRIu64 " sectors", reading->path,
                  options->sector, reading->size / reading->sector_size);
        reading->failed = true;
    }
    if (!reading->failed && options->ranges) {
        read_asked(reading);
        return;
    }
    if (!reading->failed && reading->size > 0)
        find_volumes(reading);
    if (reading->failed)
        return;
    if (is_plain(reading)) {
        reading->shown = (struct evidence_volume){.label = "-", .about = "", .system = "", .content = ""};
        reading_account_open(reading, 0, reading->size, 0);
        reading_file(reading);
        reading_account_close(reading, true);
        return;
    }
    show_image(reading);
    read_volumes(reading);
}
