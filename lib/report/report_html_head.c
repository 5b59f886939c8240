/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_html_head.h"

#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "report/report_account.h"
#include "report/report_html_legend.h"
#include "report/report_html_page.h"
#include "report/report_summary.h"

enum { MOST_LINES = 200 }; /* problems, or unreadable ranges, of an item of evidence */

/* ---- facts ---- */

static void begin_fact(struct buffer *out, const char *term)
{
    report_html_page_element(out, "dt", term);
    buffer_add_text(out, "<dd>");
}

static void end_fact(struct buffer *out)
{
    buffer_add_text(out, "</dd>\n");
}

static void add_hex(struct buffer *out, const uint8_t *bytes, size_t len)
{
    buffer_add_text(out, "<code>");
    escape_hex(out, bytes, len);
    buffer_add_text(out, "</code>");
}

static void add_uuid(struct buffer *out, const uint8_t uuid[UUID_LEN])
{
    char text[UUID_ROOM];

    uuid_format(text, uuid);
    buffer_printf(out, "<code>%s</code>", text);
}

/* ---- the case ---- */

/* A text of several lines, which the style keeps apart. */
static void add_lines(struct buffer *out, const char *term, const char *text)
{
    begin_fact(out, term);
    for (size_t len; *text; text += len) {
        len = strcspn(text, "\n");
        escape_xml(out, text, len);
        if (text[len] == '\n') {
            buffer_add_char(out, '\n');
            len++;
        }
    }
    end_fact(out);
}

static void add_context(struct buffer *out, const struct case_context *context)
{
    static const char unknown[] = "not recorded";

    report_html_page_fact(out, "case number", context->number[0] ? context->number : unknown);
    report_html_page_fact(out, "examiner", context->examiner[0] ? context->examiner : unknown);
    report_html_page_fact(out, "organisation", context->organisation[0] ? context->organisation : unknown);
    if (context->notes[0])
        add_lines(out, "notes", context->notes);
}

static int add_case(struct buffer *out, struct casefile *casefile, const struct report_options *options,
                    struct error *err)
{
    const struct case_info *info = casefile_info(casefile);
    struct case_context context;
    uint8_t chain[CASE_CHAIN_LEN];

    if (casefile_chain(casefile, chain, err))
        return -1;
    casefile_context(casefile, &context);
    buffer_add_text(out, "<section aria-labelledby=\"case\">\n<h2 id=\"case\">The case</h2>\n<dl "
                         "class=\"facts\">\n");
    add_context(out, &context);
    begin_fact(out, "case");
    add_uuid(out, info->uuid);
    end_fact(out);
    begin_fact(out, "created");
    report_values_zone_time(out, info->created, 0, options->zone);
    end_fact(out);
    report_html_page_fact(out, "program", info->tool);
    begin_fact(out, "parameters");
    report_html_page_text(out, info->parameters);
    buffer_add_text(out, "<small><a href=\"#objects\">what they mean</a></small>");
    end_fact(out);
    if (options->selection)
        report_html_page_fact(out, "options of this report", options->selection);
    begin_fact(out, "seal");
    add_hex(out, chain, sizeof chain);
    buffer_add_text(
        out, "\nThe SHA-256 of the last entry of the case's log, which covers all entries and all "
             "results. It proves that nothing in the case was changed if it was noted elsewhere after the "
             "scan: <code>kith report --check CASE</code> recomputes it, and <code>kith case seal "
             "--verify</code> checks a signature of it. This page itself carries no signature.");
    end_fact(out);
    buffer_add_text(out, "</dl>\n</section>\n");
    return 0;
}

/* ---- the sets ---- */

static void add_set(struct buffer *out, const struct case_set *set)
{
    static const char *const meaning[REFSET_KINDS] = {
        [REFSET_NOTABLE] = "notable", [REFSET_KNOWN] = "known (to be ignored)", [REFSET_NEUTRAL] = "neutral"};

    buffer_add_text(out, "<tr><th scope=\"row\">");
    report_html_page_text(out, set->name);
    buffer_printf(out, "</th><td>%s</td><td class=\"number\">", meaning[set->kind]);
    report_values_number(out, set->files);
    buffer_printf(out, "</td><td class=\"number\">%" PRIu64 "</td><td>", set->generation);
    add_uuid(out, set->uuid);
    buffer_add_text(out, "</td><td>");
    report_html_page_text(out, set->path);
    buffer_add_text(out, "</td></tr>\n");
}

static void add_sets(struct buffer *out, struct casefile *casefile)
{
    const struct case_set *sets;
    const size_t count = casefile_sets(casefile, &sets);

    buffer_add_text(out, "<section aria-labelledby=\"sets\">\n<h2 id=\"sets\">What was searched for</h2>\n"
                         "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Reference sets\">"
                         "<table>\n<caption>The reference sets: lists of known files, as they were when the "
                         "case was created</caption>\n<thead><tr><th scope=\"col\">set</th>"
                         "<th scope=\"col\">kind</th><th scope=\"col\" class=\"number\">files</th>"
                         "<th scope=\"col\" class=\"number\">generation</th><th scope=\"col\">id</th>"
                         "<th scope=\"col\">path</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < count; i++)
        add_set(out, &sets[i]);
    buffer_add_text(out, "</tbody>\n</table></div>\n</section>\n");
}

/* ---- the evidence ---- */

static void add_digests(struct buffer *out, const char *what, const struct digest_values *digests)
{
    static const char *const names[DIGEST_KINDS] = {"SHA-1", "MD5", "SHA-256"};

    for (int kind = 0; kind < DIGEST_KINDS; kind++) {
        if (!(digests->kinds & DIGEST_BIT(kind)))
            continue;
        buffer_printf(out, "<dt>%s%s</dt>\n<dd>", names[kind], what);
        add_hex(out, digests->bytes[kind], digest_len((enum digest_kind)kind));
        end_fact(out);
    }
}

static void add_image(struct buffer *out, const struct case_evidence *evidence)
{
    const enum report_acquisition acquisition = report_summary_acquisition(evidence);

    begin_fact(out, "image");
    report_html_page_text(out, evidence->format);
    buffer_add_text(out, ", ");
    report_values_count(out, evidence->size, "byte");
    end_fact(out);
    add_digests(out, " of the disk content", &evidence->digests);
    add_digests(out, ", stored at acquisition", &evidence->stored);
    begin_fact(out, "acquisition");
    buffer_printf(out, "<span class=\"%s\">",
                  acquisition == REPORT_ACQUISITION_DIFFERS   ? "bad"
                  : acquisition == REPORT_ACQUISITION_MATCHES ? "good"
                                                              : "");
    report_html_page_text(out, report_summary_acquisition_words(acquisition));
    buffer_add_text(out, "</span>");
    if (acquisition == REPORT_ACQUISITION_MATCHES)
        buffer_add_text(out, ". So it did not change by accident since then. But the hash lies in the same "
                             "file: compare it with the one noted at acquisition, too.");
    else if (acquisition == REPORT_ACQUISITION_NONE)
        buffer_add_text(out, ": compare the SHA-1 above with the one noted at acquisition.");
    end_fact(out);
}

/* The size and times of the files of the evidence; the title has them as they are in the case. */
static void add_stamp(struct buffer *out, const char *stamp)
{
    buffer_add_text(out, "<dt>files</dt>\n<dd title=\"");
    report_html_page_text(out, stamp);
    buffer_add_text(out, "\">");
    report_html_page_readable(out, stamp);
    end_fact(out);
}

static int add_part(void *arg, const char *volume, const struct account_table *table)
{
    return report_account_add(arg, volume, table);
}

/* Each byte of an image belongs to an object, or is known not to have been examined. */
static int add_coverage(struct buffer *out, struct casefile *casefile, const struct case_evidence *evidence,
                        struct error *err)
{
    static const struct {
        enum account_row row;
        const char *words;
    } rows[] = {{ACCOUNT_UNREADABLE, "could not be read"},
                {ACCOUNT_NOT_EXAMINED, "belong to volumes that were not examined"},
                {ACCOUNT_NOT_SELECTED, "were not selected"}};
    struct report_account account = {0};
    const int result = casefile_account(casefile, evidence->number, add_part, &account, err);

    if (result == 0 && account.count) {
        begin_fact(out, "coverage");
        report_values_number(out, report_account_total(&account));
        buffer_add_text(out, " of ");
        report_values_count(out, evidence->size, "byte");
        buffer_add_text(out, " of the image are accounted for");
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            uint64_t bytes = 0;

            for (size_t j = 0; j < account.count; j++)
                bytes += account.parts[j].table.bytes[rows[i].row];
            buffer_add_text(out, i ? ", " : ": ");
            report_values_number(out, bytes);
            buffer_printf(out, " %s", rows[i].words);
        }
        buffer_add_text(out, "; each of the others belongs to an object.");
        end_fact(out);
    }
    report_account_reset(&account);
    return result;
}

static const char *state_words(enum case_state state)
{
    switch (state) {
    case CASE_DONE:
        return "done: everything that was selected was read";
    case CASE_PARTIAL:
        return "partial: some of it was not examined; see below";
    case CASE_CHANGED:
        return "CHANGED: the evidence changed while it was read";
    case CASE_FAILED:
        return "FAILED: it could not be read";
    default:
        return "INCOMPLETE: the scan was begun but is not finished";
    }
}

static int add_item(struct report_stream *stream, struct casefile *casefile,
                    const struct case_evidence *evidence, struct error *err)
{
    struct buffer *out = &stream->line, text = {0};
    const int result = report_summary(casefile, evidence->number, &text, err);

    report_html_page_element(out, "h3", evidence->path);
    buffer_add_text(out, "<dl class=\"facts\">\n");
    if (evidence->has_image && !evidence->again)
        add_image(out, evidence);
    if (evidence->stamp[0])
        add_stamp(out, evidence->stamp);
    report_html_page_fact(out, "scan", state_words(evidence->state));
    begin_fact(out, "result");
    if (text.len)
        buffer_add(out, text.data, text.len);
    else
        buffer_add_text(out, "nothing was read");
    end_fact(out);
    buffer_inherit(out, &text);
    buffer_release(&text);
    if (result || (evidence->has_image && !evidence->again && add_coverage(out, casefile, evidence, err)))
        return -1;
    buffer_add_text(out, "</dl>\n");
    return report_stream_put(stream, err);
}

static int each_evidence(struct report_stream *stream, struct casefile *casefile,
                         int (*each)(struct report_stream *stream, struct casefile *casefile,
                                     const struct case_evidence *evidence, struct error *err),
                         struct error *err)
{
    struct case_evidence evidence;
    int found, result = 0;

    for (uint64_t number = 1;
         result == 0 && (found = casefile_evidence(casefile, number, &evidence, err)) != 0; number++)
        result = found < 0 ? -1 : each(stream, casefile, &evidence, err);
    return result;
}

/* ---- what was not examined ---- */

/* A list of what is wrong with an item of evidence; its heading is written with the first line. */
struct gaps {
    struct buffer *out;
    const char *path;
    uint64_t lines;
};

static void begin_line(struct gaps *gaps)
{
    if (gaps->lines++ == 0) {
        report_html_page_element(gaps->out, "h3", gaps->path);
        buffer_add_text(gaps->out, "<ul>\n");
    }
    buffer_add_text(gaps->out, "<li>");
}

static void take_line(void *arg, const char *text)
{
    struct gaps *gaps = arg;

    if (gaps->lines >= MOST_LINES) {
        gaps->lines++;
        return;
    }
    begin_line(gaps);
    report_html_page_text(gaps->out, text);
    buffer_add_text(gaps->out, "</li>\n");
}

static void take_count(struct gaps *gaps, uint64_t count, const char *words)
{
    if (count == 0)
        return;
    begin_line(gaps);
    report_values_count(gaps->out, count, "object");
    buffer_add_text(gaps->out, words);
    buffer_add_text(gaps->out, "</li>\n");
}

static int take_bad(struct gaps *gaps, struct casefile *casefile, uint64_t evidence, struct error *err)
{
    struct ranges bad = {0};
    const int result = casefile_bad(casefile, evidence, &bad, err);

    for (size_t i = 0; i < bad.count && gaps->lines < MOST_LINES; i++) {
        begin_line(gaps);
        report_values_count(gaps->out, bad.list[i].len, "byte");
        buffer_add_text(gaps->out, " of the image could not be read, from byte ");
        report_values_number(gaps->out, bad.list[i].start);
        buffer_add_text(gaps->out, " (sector ");
        report_values_number(gaps->out, bad.list[i].start / 512);
        buffer_add_text(gaps->out, ")</li>\n");
    }
    ranges_release(&bad);
    return result;
}

static int add_gaps(struct report_stream *stream, struct casefile *casefile,
                    const struct case_evidence *evidence, struct error *err)
{
    struct gaps gaps = {.out = &stream->line, .path = evidence->path};
    struct case_counts counts;

    if (evidence->state != CASE_DONE && evidence->state != CASE_PARTIAL)
        take_line(&gaps, state_words(evidence->state));
    if (report_summary_unexamined(casefile, evidence->number, take_line, &gaps, err) ||
        casefile_count(casefile, evidence->number, &counts, err))
        return -1;
    if (evidence->again) /* its objects were counted when it was read first */
        counts = (struct case_counts){0};
    take_count(&gaps, counts.findings[VERDICT_UNREADABLE], " could not be read");
    take_count(&gaps, counts.findings[VERDICT_SKIPPED],
               " excluded by options: reading their content was not requested");
    if (take_bad(&gaps, casefile, evidence->number, err) ||
        casefile_problems(casefile, evidence->number, take_line, &gaps, err))
        return -1;
    if (gaps.lines)
        buffer_add_text(gaps.out, "</ul>\n");
    if (gaps.lines > MOST_LINES) {
        buffer_add_text(gaps.out, "<p>");
        report_values_count(gaps.out, gaps.lines - MOST_LINES, "further line");
        buffer_add_text(gaps.out, " in <code>kith report --about</code>.</p>\n");
    }
    return report_stream_put(stream, err);
}

/* Objects that were examined, but are too small or too uniform to say whether they are related. */
static int add_undecided(struct report_stream *stream, struct casefile *casefile,
                         const struct case_evidence *evidence, struct error *err)
{
    struct gaps gaps = {.out = &stream->line, .path = evidence->path};
    struct case_counts counts;

    if (evidence->again)
        return 0;
    if (casefile_count(casefile, evidence->number, &counts, err))
        return -1;
    take_count(&gaps, counts.findings[VERDICT_TOO_SMALL], " too small");
    take_count(&gaps, counts.findings[VERDICT_LOW_ENTROPY],
               " without enough information: zeros, runs, tables");
    if (gaps.lines)
        buffer_add_text(gaps.out, "</ul>\n");
    return report_stream_put(stream, err);
}

static int add_unexamined(struct report_stream *stream, struct casefile *casefile, struct error *err)
{
    buffer_add_text(
        &stream->line,
        "<section class=\"unexamined\" aria-labelledby=\"unexamined\">\n<h2 id=\"unexamined\">What "
        "was not examined</h2>\n"
        "<p>Archives, documents and other containers inside the evidence were not opened. Whatever else was "
        "not examined is listed below, if anything.</p>\n");
    if (each_evidence(stream, casefile, add_gaps, err) < 0)
        return -1;
    buffer_add_text(&stream->line,
                    "</section>\n<section aria-labelledby=\"undecided\">\n<h2 id=\"undecided\">What was "
                    "examined without a verdict on similarity</h2>\n<p><a href=\"#objects\">Objects</a> that "
                    "are too small or too "
                    "uniform for one; copies of whole known files were found among "
                    "them all the same.</p>\n");
    if (each_evidence(stream, casefile, add_undecided, err) < 0)
        return -1;
    buffer_add_text(&stream->line, "</section>\n");
    report_html_legend_limits(&stream->line);
    return report_stream_put(stream, err);
}

/* ---- all of it ---- */

static const char introduction[] =
    "<p class=\"lead\">This page reports which files of the reference sets, and which content related to "
    "them, were found in the evidence. Read first <a href=\"#limits\">what may have been missed</a>; <a "
    "href=\"#legend\">what the terms mean, and what they do not</a>, is explained at the end. The page is "
    "one file and loads nothing.</p>\n";

static const char warning[] = "<p class=\"warning\" role=\"alert\"><strong>WARNING: the case does not "
                              "verify.</strong> Its contents may "
                              "have been changed since the scan, so nothing on this page can be relied on. "
                              "<code>kith report --check</code> lists what is wrong.</p>\n";

int report_html_head(struct report_stream *stream, struct casefile *casefile,
                     const struct report_options *options, struct error *err)
{
    struct buffer *out = &stream->line;

    buffer_add_text(out, "<a class=\"skip\" href=\"#findings-section\">Skip to the findings</a>\n<header>\n");
    report_html_page_element(out, "h1", "Findings of a scan for known files");
    buffer_add_text(out, options->faulty ? warning : "");
    buffer_add_text(out, introduction);
    buffer_add_text(out, "</header>\n<main>\n");
    if (add_case(out, casefile, options, err))
        return -1;
    buffer_add_text(out, "<section aria-labelledby=\"evidence\">\n<h2 id=\"evidence\">The evidence</h2>\n");
    if (each_evidence(stream, casefile, add_item, err) < 0)
        return -1;
    buffer_add_text(out, "</section>\n");
    add_sets(out, casefile);
    return add_unexamined(stream, casefile, err);
}

/* ---- the log ---- */

struct log_rows {
    struct report_stream *stream;
    enum report_zone zone;
    int result;
};

static void add_entry(void *arg, const struct case_entry *entry)
{
    struct log_rows *rows = arg;
    struct buffer *out = &rows->stream->line;

    buffer_add_text(out, "<tr><td class=\"time\">");
    report_values_zone_time(out, entry->time, 0, rows->zone);
    buffer_add_text(out, "</td><td>");
    report_html_page_text(out, entry->text);
    buffer_add_text(out, "</td></tr>\n");
    rows->result = report_stream_put(rows->stream, NULL);
}

int report_html_head_log(struct report_stream *stream, struct casefile *casefile, enum report_zone zone,
                         struct error *err)
{
    struct log_rows rows = {.stream = stream, .zone = zone};

    buffer_add_text(&stream->line,
                    "<section aria-labelledby=\"log\">\n<h2 id=\"log\">What was done</h2>\n"
                    "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Log\">"
                    "<table class=\"log\">\n"
                    "<caption>The log of the case; each entry is sealed by the next</caption>\n<thead><tr>"
                    "<th scope=\"col\">time</th><th scope=\"col\">entry</th></tr></thead>\n<tbody>\n");
    if (casefile_read_log(casefile, add_entry, &rows, err))
        return -1;
    buffer_add_text(&stream->line, "</tbody>\n</table></div>\n</section>\n");
    return report_stream_put(stream, err);
}
