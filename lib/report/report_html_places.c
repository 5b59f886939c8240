/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_html_places.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "report/report_account.h"
#include "report/report_html_page.h"
#include "report/report_values.h"

enum { MOST_PARTS = 500, CLASSES = VERDICT_FRAGMENT + 1 };

/* An image, or a volume of it. */
struct part {
    uint64_t evidence;
    char *name, *path;
    bool is_volume;
    uint64_t start, len;
    uint64_t counts[REPORT_HTML_PLACES][CLASSES], sums[CLASSES];
};

struct report_html_places {
    struct part *parts[MOST_PARTS];
    size_t count;
    bool cut;           /* there are more parts */
    uint64_t elsewhere; /* findings in no place of an image that is known */
};

/* ---- parts ---- */

static int add_part(struct report_html_places *places, const struct case_evidence *evidence,
                    const char *label, uint64_t start, uint64_t len, struct error *err)
{
    struct part *part;

    if (places->count == MOST_PARTS || len == 0) {
        places->cut = places->cut || len;
        return 0;
    }
    part = memory_new(sizeof *part, err);
    if (!part)
        return -1;
    places->parts[places->count++] = part;
    part->evidence = evidence->number;
    part->start = start;
    part->len = len;
    part->is_volume = label != NULL;
    part->name = strdup(label ? label : "");
    part->path = strdup(evidence->path);
    return part->name && part->path ? 0 : error_set(err, "out of memory");
}

static int take_account(void *arg, const char *volume, const struct account_table *table)
{
    return report_account_add(arg, volume, table);
}

/* A volume's label has its first byte: "2@1048576". */
static int add_volumes(struct report_html_places *places, struct casefile *casefile,
                       const struct case_evidence *evidence, struct error *err)
{
    struct report_account account = {0};
    int result = casefile_account(casefile, evidence->number, take_account, &account, err);

    for (size_t i = 0; i < account.count && result == 0; i++) {
        const char *label = account.parts[i].label, *at = strrchr(label, '@');

        if (at)
            result = add_part(places, evidence, label, strtoull(at + 1, NULL, 10),
                              account_sum(&account.parts[i].table), err);
    }
    report_account_reset(&account);
    return result;
}

static int add_images(struct report_html_places *places, struct casefile *casefile, struct error *err)
{
    struct case_evidence evidence;
    int found, result = 0;

    for (uint64_t number = 1;
         result == 0 && (found = casefile_evidence(casefile, number, &evidence, err)) != 0; number++) {
        result = found < 0 ? -1 : 0;
        if (result == 0 && evidence.has_image && !evidence.again) {
            result = add_part(places, &evidence, NULL, 0, evidence.size, err);
            if (result == 0)
                result = add_volumes(places, casefile, &evidence, err);
        }
    }
    return result;
}

struct report_html_places *report_html_places_new(struct casefile *casefile, struct error *err)
{
    struct report_html_places *places = memory_new(sizeof *places, err);

    if (places && add_images(places, casefile, err) == 0)
        return places;
    report_html_places_free(places);
    return NULL;
}

void report_html_places_free(struct report_html_places *places)
{
    if (!places)
        return;
    for (size_t i = 0; i < places->count; i++) {
        free(places->parts[i]->name);
        free(places->parts[i]->path);
        free(places->parts[i]);
    }
    free(places);
}

/* ---- counting ---- */

static unsigned place_of(const struct part *part, uint64_t image)
{
    const unsigned place = (unsigned)((double)(image - part->start) / (double)part->len * REPORT_HTML_PLACES);

    return place < REPORT_HTML_PLACES ? place : REPORT_HTML_PLACES - 1;
}

void report_html_places_add(struct report_html_places *places, const struct case_row *row, uint64_t image)
{
    bool found = false;

    if (!row->has_finding)
        return;
    for (size_t i = 0; i < places->count && image != UINT64_MAX; i++) {
        struct part *part = places->parts[i];

        if (part->evidence != casefile_first_reading(row->evidence) || image < part->start ||
            image - part->start >= part->len)
            continue;
        part->counts[place_of(part, image)][row->finding.verdict]++;
        part->sums[row->finding.verdict]++;
        found = true;
    }
    places->elsewhere += !found;
}

/* ---- the table ---- */

static void add_number(struct buffer *out, const char *prefix, uint64_t number)
{
    buffer_add_text(out, prefix);
    report_values_number(out, number);
}

static void add_row(struct buffer *out, const struct part *part, size_t number)
{
    buffer_add_text(out, "<tr><th scope=\"row\">");
    if (part->is_volume)
        buffer_add_text(out, "volume ");
    report_html_page_text(out, part->is_volume ? part->name : part->path);
    add_number(out, "<small>bytes ", part->start);
    add_number(out, " to ", part->start + part->len);
    add_number(out, "</small><small>sectors ", part->start / 512);
    add_number(out, " to ", (part->start + part->len) / 512);
    buffer_add_text(out, "</small></th>");
    for (int verdict = 0; verdict < CLASSES; verdict++) {
        add_number(out, "<td class=\"number\">", part->sums[verdict]);
        buffer_add_text(out, "</td>");
    }
    buffer_printf(out, "<td id=\"part-%zu\" class=\"picture\"></td></tr>\n", number);
}

void report_html_places_table(const struct report_html_places *places, struct buffer *out)
{
    if (places->count == 0)
        return;
    buffer_add_text(out, "<h3>Where they lie on the disk</h3>\n<div class=\"scroll\" tabindex=\"0\" "
                         "role=\"region\" aria-label=\"Findings by volume\">\n<table class=\"parts\">\n"
                         "<caption>Findings by the place on the image at which each begins; of bytes and "
                         "sectors, the first and the one after the last</caption>\n"
                         "<thead><tr><th scope=\"col\">part of the evidence</th>");
    for (int verdict = 0; verdict < CLASSES; verdict++)
        buffer_printf(out, "<th scope=\"col\" class=\"number\">%s</th>",
                      finding_verdict_name((enum verdict)verdict));
    buffer_add_text(out, "<th scope=\"col\">from its first byte to its last</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < places->count; i++)
        add_row(out, places->parts[i], i);
    buffer_add_text(out, "</tbody>\n</table>\n</div>\n");
    if (places->elsewhere) {
        buffer_add_text(out, "<p>");
        report_values_count(out, places->elsewhere, "finding");
        buffer_add_text(out, " without a known place on an image: in files of a host or in bytes that "
                             "the image does not store as they are.</p>\n");
    }
    if (places->cut)
        buffer_printf(out, "<p>Only the first %d images and volumes are listed.</p>\n", MOST_PARTS);
}

/* ---- what the pictures need ---- */

static void add_places(struct buffer *json, const struct part *part)
{
    const char *separator = "";

    for (int place = 0; place < REPORT_HTML_PLACES; place++) {
        const uint64_t *counts = part->counts[place];

        if (counts[0] + counts[1] + counts[2] + counts[3] == 0)
            continue;
        buffer_printf(json, "%s[%d,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", separator, place,
                      counts[0], counts[1], counts[2], counts[3]);
        separator = ",";
    }
}

void report_html_places_json(const struct report_html_places *places, struct buffer *json)
{
    buffer_add_text(json, "\"parts\":[");
    for (size_t i = 0; i < places->count; i++) {
        const struct part *part = places->parts[i];
        const char *name = part->is_volume ? part->name : part->path;

        buffer_printf(json, "%s\n{\"name\":", i ? "," : "");
        escape_json(json, name, strlen(name));
        buffer_printf(json, ",\"count\":%d,\"places\":[", REPORT_HTML_PLACES);
        add_places(json, part);
        buffer_add_text(json, "]}");
    }
    buffer_add_char(json, ']');
}
