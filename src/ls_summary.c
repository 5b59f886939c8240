/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "ls_text.h"

/* A volume and the number of objects of each kind in it.  The first one is for what lies outside of volumes.
 */
struct ls_volume {
    char *text; /* escaped */
    unsigned long long count[OBJECT_KINDS], bytes[OBJECT_KINDS], damaged;
};

static struct ls_volume *add_volume(struct ls_report *report)
{
    if (array_resize(&report->volumes, report->volume_count + 1)) {
        report->out.line.failed = true;
        return NULL;
    }
    report->volumes[report->volume_count] = (struct ls_volume){0};
    return &report->volumes[report->volume_count++];
}

/* The volume's description precedes the counts, which are complete only at the end, so it is kept. */
static void put_volume(struct ls_report *report, const struct evidence_volume *volume)
{
    struct buffer *line = &report->out.line;
    struct ls_volume *added;

    if (report->volume_count == 0)
        add_volume(report);
    added = add_volume(report);
    report_stream_put(&report->out, NULL);
    ls_text_volume(report, volume);
    if (added)
        added->text = strndup(line->data ? line->data : "", line->len);
    if (!added || !added->text)
        line->failed = true;
    buffer_reset(line);
}

static void count_object(struct ls_report *report, const struct ls_entry *entry)
{
    const struct object *object = entry->object;
    struct ls_volume *volume;

    if (report->volume_count == 0 && !add_volume(report))
        return;
    volume = &report->volumes[object->kind == OBJECT_GAP ? 0 : report->volume_count - 1];
    volume->count[object->kind]++;
    volume->bytes[object->kind] += object->size;
    volume->damaged += object->state != OBJECT_WHOLE;
}

static void add_counts(struct buffer *line, const struct ls_volume *volume)
{
    for (int kind = 0; kind < OBJECT_KINDS; kind++)
        if (volume->count[kind]) {
            buffer_printf(line, "    %-11s %9llu  ", object_kind_name((enum object_kind)kind),
                          volume->count[kind]);
            ls_text_size(line, volume->bytes[kind]);
            buffer_add_text(line, kind == OBJECT_MEMBER ? "  (packed in the objects above)\n" : "\n");
        }
    if (volume->damaged)
        buffer_printf(line, "    %-11s %9llu\n", "incomplete", volume->damaged);
}

static void end(struct ls_report *report)
{
    const struct ls_volume *rest = report->volumes;
    struct buffer *line = &report->out.line;

    for (size_t i = 1; i < report->volume_count; i++) {
        buffer_add_text(line, report->volumes[i].text ? report->volumes[i].text : "");
        add_counts(line, &report->volumes[i]);
        free(report->volumes[i].text);
    }
    if (report->volume_count) {
        if (rest->count[OBJECT_GAP])
            buffer_add_text(line, "between and after file systems:\n");
        add_counts(line, rest);
    }
    report->volume_count = 0;
}

const struct ls_operations ls_summary = {.image = ls_text_image,
                                         .volume = put_volume,
                                         .object = count_object,
                                         .whole = ls_text_whole,
                                         .account = ls_text_account,
                                         .end = end};
