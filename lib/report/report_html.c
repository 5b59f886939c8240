/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/json_write.h"
#include "base/memory.h"
#include "report/report.h"
#include "report/report_html_head.h"
#include "report/report_html_legend.h"
#include "report/report_html_page.h"
#include "report/report_html_places.h"
#include "report/report_html_row.h"

/*
 * A page.  What it begins with is plain HTML, and so are the first rows, for readers without scripts; all
 * rows that the page has are data, from which the script makes the table.  Only the rows of the next piece of
 * data are in memory.
 */
enum {
    MOST_ROWS = 50000, /* more would be too many for a browser; the rest is counted */
    PLAIN_ROWS = 100,
    PIECE = 1 << 18, /* bytes of data in an element */
};

struct page {
    struct casefile *casefile;
    struct report_html_places *places;
    struct buffer data;                        /* the array of the rows that are not yet written */
    uint64_t rows, counts[VERDICTS], complete; /* complete: the whole known file is proved to be there */
    bool table_ended;
};

/* ---- begin ---- */

static const char table_head[] =
    "<section id=\"findings-section\" aria-labelledby=\"findings-title\">\n"
    "<h2 id=\"findings-title\">The findings</h2>\n"
    "<noscript><p>Scripts are off: the table can be neither sorted nor filtered, has only the first rows, "
    "and "
    "no pictures.</p></noscript>\n"
    "<div id=\"findings-region\" class=\"scroll\" tabindex=\"0\" role=\"region\" "
    "aria-label=\"Table of findings\">\n<table id=\"findings\" role=\"table\">\n<thead "
    "role=\"rowgroup\"><tr><th scope=\"col\">finding</th>"
    "<th scope=\"col\">verdict</th><th scope=\"col\">object</th><th scope=\"col\">size</th>"
    "<th scope=\"col\">reference</th><th scope=\"col\">matched</th><th scope=\"col\">score</th>"
    "<th scope=\"col\">E</th><th scope=\"col\">proof</th></tr></thead>\n<tbody role=\"rowgroup\">\n";

static int begin_page(struct report_writer *writer, struct casefile *casefile, struct error *err)
{
    struct case_context context;
    struct buffer title = {0};
    int result;

    casefile_context(casefile, &context);
    buffer_add_text(&title, "kith: findings");
    if (context.number[0])
        buffer_printf(&title, ", case %s", context.number);
    buffer_add_char(&title, '\0');
    result = report_html_page_begin(&writer->out.line, title.failed ? "" : title.data, err);
    buffer_inherit(&writer->out.line, &title);
    buffer_release(&title);
    return result;
}

static int begin(struct report_writer *writer, struct casefile *casefile, struct error *err)
{
    struct page *page = memory_new(sizeof *page, err);
    int result = page ? 0 : -1;

    writer->state = page;
    if (result == 0) {
        page->casefile = casefile;
        page->places = report_html_places_new(casefile, err);
        result = page->places ? begin_page(writer, casefile, err) : -1;
    }
    if (result == 0)
        result = report_html_head(&writer->out, casefile, &writer->options, err);
    if (result)
        return result;
    buffer_add_text(&writer->out.line, table_head);
    return report_stream_put(&writer->out, err);
}

static void release(struct report_writer *writer)
{
    struct page *page = writer->state;

    if (!page)
        return;
    report_html_places_free(page->places);
    buffer_release(&page->data);
    free(page);
    writer->state = NULL;
}

/* ---- rows ---- */

static void end_table(struct buffer *out, struct page *page)
{
    if (!page->table_ended)
        buffer_add_text(out, "</tbody>\n</table>\n</div>\n");
    page->table_ended = true;
}

static void put_data(struct buffer *out, struct page *page)
{
    if (page->data.len == 0)
        return;
    buffer_add_char(&page->data, ']');
    report_html_page_data(out, "class=\"rows\"", &page->data);
    buffer_reset(&page->data);
}

static int put_row(struct report_writer *writer, const struct case_row *row, struct error *err)
{
    struct page *page = writer->state;
    struct buffer *out = &writer->out.line;

    page->counts[row->has_finding ? row->finding.verdict : row->object.verdict]++;
    page->complete += row->has_finding && finding_is_complete(&row->finding);
    report_html_places_add(page->places, row, report_html_row_place(row));
    if (page->rows++ >= MOST_ROWS)
        return 0;
    if (page->rows <= PLAIN_ROWS)
        report_html_row_plain(out, row);
    else
        end_table(out, page);
    buffer_add_text(&page->data, page->data.len ? ",\n" : "[");
    report_html_row_json(&page->data, row, writer->shared, &writer->options);
    if (page->table_ended && page->data.len > PIECE)
        put_data(out, page);
    return report_stream_put(&writer->out, err);
}

/* ---- end ---- */

static void add_folded(struct buffer *out, const struct report_fold *fold)
{
    struct buffer words = {0};

    report_fold_words(fold, &words);
    if (words.len) {
        buffer_add_char(out, ' ');
        escape_xml(out, words.data, words.len);
        buffer_add_char(out, '.');
    }
    buffer_inherit(out, &words);
    buffer_release(&words);
}

/* A plain statement of what the page lacks. */
static void add_left_out(struct buffer *out, const struct page *page, const struct report_writer *writer)
{
    buffer_add_text(out, "<p id=\"left-out\">");
    if (page->rows > MOST_ROWS) {
        buffer_add_text(out, "<strong>This page lists the first ");
        report_values_number(out, MOST_ROWS);
        buffer_add_text(out, " of ");
        report_values_count(out, page->rows, "row");
        buffer_add_text(out, "; the others are only counted.</strong> <code>kith report --format csv</code> "
                             "and <code>--format jsonl</code> have all of them, and filters make the report "
                             "smaller.");
    } else if (page->rows == 0) {
        buffer_add_text(out, "Nothing was found.");
    } else {
        buffer_add_text(out, "All rows of this report are listed: ");
        report_values_number(out, page->rows);
        buffer_add_char(out, '.');
    }
    if (writer->folded)
        add_folded(out, writer->fold);
    buffer_add_text(out, "</p>\n</section>\n");
}

static void add_tiles(struct buffer *out, const struct page *page)
{
    buffer_add_text(out, "<ul class=\"tiles\">\n");
    for (int verdict = 0; verdict < VERDICTS; verdict++) {
        if (verdict > VERDICT_FRAGMENT && page->counts[verdict] == 0)
            continue;
        buffer_printf(out, "<li class=\"%s\"><b>", finding_verdict_name((enum verdict)verdict));
        report_values_number(out, page->counts[verdict]);
        buffer_printf(out, "</b>%s</li>\n", finding_verdict_name((enum verdict)verdict));
    }
    buffer_add_text(out, "</ul>\n");
}

static void add_sentence(struct buffer *out, const struct page *page)
{
    uint64_t all = 0;

    for (int verdict = VERDICT_IDENTICAL; verdict <= VERDICT_FRAGMENT; verdict++)
        all += page->counts[verdict];
    if (all == 0)
        return;
    buffer_add_text(out, "<p>In ");
    report_values_number(out, page->complete);
    buffer_add_text(out, " of ");
    report_values_count(out, all, "finding");
    buffer_add_text(out,
                    " equal hashes prove that the whole known file is present, as an object or "
                    "within one. In the others it is changed, present only in part, or not proved.</p>\n");
}

static int put_evidence(struct json_write *json, struct casefile *casefile, struct error *err)
{
    struct case_evidence evidence;
    int found;

    json_write_open(json, "evidence", '[');
    for (uint64_t number = 1; (found = casefile_evidence(casefile, number, &evidence, err)) > 0; number++)
        json_write_text(json, NULL, evidence.path);
    json_write_close(json, ']');
    return found;
}

static void put_sets(struct json_write *json, struct casefile *casefile)
{
    const struct case_set *sets;
    const size_t count = casefile_sets(casefile, &sets);

    json_write_open(json, "sets", '[');
    for (size_t i = 0; i < count; i++) {
        json_write_open(json, NULL, '{');
        json_write_text(json, "name", sets[i].name);
        json_write_text(json, "kind", refset_kind_name(sets[i].kind));
        json_write_close(json, '}');
    }
    json_write_close(json, ']');
}

/* What all rows refer to, and where they lie. */
static int add_about(struct buffer *out, const struct page *page, struct error *err)
{
    struct buffer data = {0};
    struct json_write json = {.to = &data};
    int result;

    json_write_open(&json, NULL, '{');
    result = put_evidence(&json, page->casefile, err);
    put_sets(&json, page->casefile);
    buffer_add_char(&data, ',');
    report_html_places_json(page->places, &data);
    json_write_close(&json, '}');
    report_html_page_data(out, "id=\"about-data\"", &data);
    buffer_release(&data);
    return result;
}

static int end(struct report_writer *writer, struct error *err)
{
    struct page *page = writer->state;
    struct buffer *out = &writer->out.line;
    int result;

    end_table(out, page);
    add_left_out(out, page, writer);
    put_data(out, page);
    buffer_add_text(out, "<section id=\"overview\" aria-labelledby=\"overview-title\">\n"
                         "<h2 id=\"overview-title\">Overview</h2>\n");
    add_tiles(out, page);
    add_sentence(out, page);
    report_html_places_table(page->places, out);
    buffer_add_text(out, "</section>\n");
    report_html_legend(out);
    result = report_stream_put(&writer->out, err);
    if (result == 0)
        result = report_html_head_log(&writer->out, page->casefile, writer->options.zone, err);
    if (result)
        return result;
    buffer_add_text(out, "</main>\n");
    if (add_about(out, page, err))
        return -1;
    report_html_page_end(out);
    return report_stream_put(&writer->out, err);
}

const struct report_operations report_html = {
    .folds = true, .begin = begin, .finding = put_row, .end = end, .release = release};
