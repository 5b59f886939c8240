/* SPDX-License-Identifier: Apache-2.0 */
#include "ls_report.h"

#include <stdlib.h>

/* Bytes to collect before they are written. */
enum { ENOUGH = 1 << 16 };

void ls_report_begin(struct ls_report *report)
{
    if (report->form->begin)
        report->form->begin(report);
}

void ls_report_evidence(struct ls_report *report, const char *path)
{
    report->evidence = path;
}

void ls_report_image(struct ls_report *report, const struct evidence_image *image)
{
    if (!report->form->image)
        return;
    report->form->image(report, image);
    report_stream_put(&report->out, NULL);
}

void ls_report_volume(struct ls_report *report, const struct evidence_volume *volume)
{
    if (!report->form->volume)
        return;
    report->form->volume(report, volume);
    report_stream_put(&report->out, NULL);
}

void ls_report_object(struct ls_report *report, const struct ls_entry *entry)
{
    if (report->form->object)
        report->form->object(report, entry);
    if (report->out.line.len >= ENOUGH)
        report_stream_put(&report->out, NULL);
}

void ls_report_whole(struct ls_report *report, uint64_t size, const struct digest_values *values,
                     const struct digest_values *stored)
{
    if (report->form->whole)
        report->form->whole(report, size, values, stored);
}

void ls_report_whole_object(struct ls_report *report, uint64_t size, const struct digest_values *values,
                            const struct digest_values *stored)
{
    const struct evidence_volume none = {.label = "-", .about = "", .system = "", .content = ""};
    const struct object whole = {.kind = OBJECT_IMAGE, .flags = OBJECT_RANGE, .size = size};
    const struct ls_entry entry = {.volume = &none, .object = &whole, .digests = values, .paths = ""};

    (void)stored;
    report->form->object(report, &entry);
}

void ls_report_account(struct ls_report *report, const struct report_account *account)
{
    if (account->count && report->form->account)
        report->form->account(report, account);
}

void ls_report_end(struct ls_report *report)
{
    if (report->form->end)
        report->form->end(report);
    report_stream_put(&report->out, NULL);
}

void ls_report_release(struct ls_report *report)
{
    report_stream_release(&report->out);
    free(report->volumes);
    report->volumes = NULL;
    report->volume_count = 0;
}
