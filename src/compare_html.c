/* SPDX-License-Identifier: Apache-2.0 */
#include "compare_html.h"

#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "report/report_html_page.h"
#include "report/report_values.h"
#include "terminal.h"

static void add_fact(struct buffer *out, const char *term, struct buffer *value)
{
    buffer_add_char(value, '\0');
    report_html_page_fact(out, term, value->failed ? "" : value->data);
    buffer_inherit(out, value);
    buffer_reset(value);
}

static void add_side(struct buffer *out, const char *label, const struct sketch *sketch, const char *from)
{
    struct buffer value = {0};

    report_html_page_element(out, "h2", label);
    buffer_add_text(out, "<dl class=\"facts\">\n<dt>file</dt>\n<dd>");
    escape_xml(out, sketch->name.data, sketch->name.len);
    buffer_add_text(out, "</dd>\n");
    if (from)
        report_html_page_fact(out, "recorded in", from);
    report_values_number(&value, sketch->len);
    buffer_add_text(&value, sketch->len == 1 ? " byte" : " bytes");
    add_fact(out, "size", &value);
    escape_hex(&value, sketch->digests.bytes[DIGEST_SHA1], DIGEST_SHA1_LEN);
    add_fact(out, "SHA-1", &value);
    buffer_add_text(out, "</dl>\n");
    buffer_release(&value);
}

static void add_proof(struct buffer *out, const struct report *report)
{
    const struct comparison *c = &report->comparison;
    struct buffer value = {0};

    if (c->verdict == COMPARE_IDENTICAL)
        buffer_add_text(&value, "SHA-1 and size are equal");
    else
        buffer_printf(&value,
                      "none: estimated from %zu and %zu samples (%s, n = %u, C = %u); no byte was compared",
                      c->a_samples, c->b_samples, sampler_scheme_name(report->a->record.params.scheme),
                      report->a->record.params.n, c->c);
    add_fact(out, "proof", &value);
    buffer_release(&value);
}

static void add_exact(struct buffer *out, const struct report *report)
{
    struct buffer value = {0};

    if (report->has_exact)
        buffer_printf(&value, "%" PRIu64 " edits (the true Levenshtein distance)", report->exact);
    else if (report->exact_stopped)
        buffer_printf(&value, "more than %" PRIu64 " edits; stopped after %" PRIu64 " s",
                      report->exact_more_than, report->seconds);
    if (value.len)
        add_fact(out, "exact", &value);
    buffer_release(&value);
}

static void add_figures(struct buffer *out, const struct report *report)
{
    const struct estimate *e = &report->comparison.estimate;
    struct buffer value = {0};

    buffer_add_text(out, "<dl class=\"facts\">\n");
    if (compare_report_has_estimate(report->comparison.verdict)) {
        compare_report_edits(report, &value);
        add_fact(out, "edits", &value);
        buffer_printf(&value, "%.3f (samples in both, of those in either)", e->resemblance);
        add_fact(out, "resemblance", &value);
        buffer_printf(&value, "%.3f of B in A, %.3f of A in B", e->b_in_a, e->a_in_b);
        add_fact(out, "containment", &value);
        buffer_printf(&value, "%" PRIu64 " bytes of A, %" PRIu64 " of B, in %zu range%s", e->a_matched,
                      e->b_matched, e->range_count, e->range_count == 1 ? "" : "s");
        add_fact(out, "matched", &value);
        if (compare_report_has_e(report)) {
            report_values_e(&value, report->ln_e);
            buffer_add_text(&value, " matches as good are expected by chance, if B were the only reference");
            add_fact(out, "E", &value);
        }
        add_proof(out, report);
    }
    add_exact(out, report);
    buffer_add_text(out, "</dl>\n");
    buffer_release(&value);
}

/* What the script draws. */
static void add_pair(struct buffer *out, const struct report *report)
{
    const struct estimate *e = &report->comparison.estimate;
    const bool proved = report->comparison.verdict == COMPARE_IDENTICAL;
    struct buffer json = {0};

    buffer_printf(&json, "{\"verdict\":\"%s\",\"proof\":\"%s\",\"size\":[%" PRIu64 ",%" PRIu64 "],",
                  compare_verdict_name(report->comparison.verdict), proved ? "proved" : "estimated",
                  report->a->len, report->b->len);
    buffer_add_text(&json, "\"names\":[\"A\",\"B\"],\"ranges\":[");
    for (size_t i = 0; i < e->range_count; i++) {
        const struct estimate_range *r = &e->ranges[i];

        buffer_printf(&json,
                      "%s{\"start\":[%" PRIu64 ",%" PRIu64 "],\"length\":[%" PRIu64 ",%" PRIu64
                      "],\"image\":-1}",
                      i ? ",\n" : "", r->a_start, r->b_start, r->a_end - r->a_start, r->b_end - r->b_start);
    }
    buffer_add_text(&json, "]}");
    report_html_page_data(out, "id=\"pair-data\"", &json);
    buffer_release(&json);
}

int compare_html(const struct report *report, struct error *err)
{
    struct buffer out = {0};
    const int result = report_html_page_begin(&out, "kith: comparison of two files", err);

    buffer_add_text(&out, "<main>\n");
    report_html_page_element(&out, "h1", "Comparison of two files");
    report_html_page_element(&out, "p class=\"sentence\"", compare_report_sentence(report));
    add_figures(&out, report);
    buffer_add_text(&out, "<div id=\"pair\"><noscript><p>The picture of the matching ranges needs scripts; "
                          "<code>kith compare --json</code> lists them.</p></noscript></div>\n");
    add_side(&out, "A", report->a, report->a_record);
    add_side(&out, "B", report->b, report->b_record);
    buffer_add_text(&out, "</main>\n");
    add_pair(&out, report);
    report_html_page_end(&out);
    if (result == 0)
        put_output(&out);
    buffer_release(&out);
    return result;
}
