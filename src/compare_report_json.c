/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "compare_report.h"
#include "report/report_values.h"
#include "terminal.h"

static void add_side(struct buffer *out, const char *prefix, const struct sketch *sketch, size_t blocks,
                     const char *from)
{
    if (from) {
        buffer_printf(out, "\"%srecord\":", prefix);
        escape_json(out, from, strlen(from));
        buffer_add_char(out, ',');
    }
    buffer_printf(out, "\"%spath\":", prefix);
    escape_json(out, sketch->name.data, sketch->name.len);
    if (escape_needed(sketch->name.data, sketch->name.len)) {
        buffer_printf(out, ",\"%spath_hex\":\"", prefix);
        escape_hex(out, sketch->name.data, sketch->name.len);
        buffer_add_char(out, '"');
    }
    buffer_printf(out, ",\"%ssize\":%" PRIu64, prefix, sketch->len);
    if (blocks) {
        buffer_printf(out, ",\"%sblocks\":%zu", prefix, blocks);
        return;
    }
    buffer_printf(out, ",\"%ssha1\":\"", prefix);
    escape_hex(out, sketch->digests.bytes[DIGEST_SHA1], DIGEST_SHA1_LEN);
    buffer_add_char(out, '"');
}

static void add_estimate(struct buffer *out, const struct report *report)
{
    const struct estimate *e = &report->comparison.estimate;

    buffer_printf(out,
                  ",\"matched\":%" PRIu64 ",\"ref_matched\":%" PRIu64
                  ",\"resemblance\":%.3f,\"containment\":%.3f"
                  ",\"containment_reverse\":%.3f,\"edits\":%.0f,\"edits_low\":%.0f,\"edits_high\":%.0f,"
                  "\"proof\":\"%s\",\"order\":\"%s\"",
                  e->a_matched, e->b_matched, e->resemblance, e->b_in_a, e->a_in_b, e->edits, e->edits_low,
                  e->edits_high, report->comparison.verdict == COMPARE_IDENTICAL ? "sha1" : "estimate",
                  report->comparison.reordered ? "other" : "same");
    if (report->comparison.verdict != COMPARE_IDENTICAL)
        buffer_printf(out, ",\"edits_point\":%.0f,\"edits_point_low\":%.0f,\"edits_point_high\":%.0f",
                      e->point, e->point_low, e->point_high);
    if (compare_report_has_e(report)) {
        buffer_add_text(out, ",\"e_value\":");
        report_values_e(out, report->ln_e);
    }
    buffer_add_text(out, ",\"ranges\":[");
    for (size_t i = 0; i < e->range_count; i++) {
        const struct estimate_range *r = &e->ranges[i];

        buffer_printf(out,
                      "%s{\"obj_start\":%" PRIu64 ",\"obj_end\":%" PRIu64 ",\"ref_start\":%" PRIu64
                      ",\"ref_end\":%" PRIu64 "}",
                      i ? "," : "", r->a_start, r->a_end, r->b_start, r->b_end);
    }
    buffer_add_char(out, ']');
}

static void add_likeness(struct buffer *out, const struct sketch_likeness *l, bool identical)
{
    if (identical) {
        buffer_add_text(out, ",\"resemblance\":1.000000,\"containment\":1.000000"
                             ",\"containment_reverse\":1.000000,\"proof\":\"sha1\"");
        return;
    }
    if (l->too_small)
        return;
    if (l->too_short) {
        buffer_add_text(out, ",\"too_short\":true");
        return;
    }
    if (l->has_resemblance)
        buffer_printf(out, ",\"resemblance\":%.6f", l->resemblance);
    if (l->has_resemblance && l->basis != SKETCH_PIECES)
        buffer_printf(out, ",\"resemblance_low\":%.6f,\"resemblance_high\":%.6f,\"exact\":%s",
                      l->resemblance_low, l->resemblance_high, l->is_exact ? "true" : "false");
    buffer_printf(out, ",\"common\":%" PRIu64 ",\"compared\":%" PRIu64, l->common, l->compared);
    if (l->has_containment)
        buffer_printf(out, ",\"containment\":%.6f,\"containment_reverse\":%.6f", l->b_in_a, l->a_in_b);
    if (l->has_containment && l->basis != SKETCH_PIECES)
        buffer_printf(out,
                      ",\"containment_low\":%.6f,\"containment_high\":%.6f"
                      ",\"containment_reverse_low\":%.6f,\"containment_reverse_high\":%.6f",
                      l->b_in_a_low, l->b_in_a_high, l->a_in_b_low, l->a_in_b_high);
}

static void add_block(struct buffer *out, const struct report *report)
{
    const struct compare_blocks *block = &report->block;

    if (report->block_stopped)
        buffer_add_text(out, ",\"block\":null");
    if (!report->has_block)
        return;
    if (!block->is_found) {
        buffer_add_text(out, ",\"block\":{\"agreeing\":0}");
        return;
    }
    buffer_printf(out,
                  ",\"block\":{\"start\":%" PRIu64 ",\"end\":%" PRIu64
                  ",\"identical\":%s,\"signature\":%" PRIu64 ",\"ref_signature\":%" PRIu64
                  ",\"agreeing\":%" PRIu64,
                  block->start, block->start + block->len, block->is_identical ? "true" : "false",
                  block->papers.a_len, block->papers.b_len, block->agreeing);
    if (block->has_elsewhere)
        buffer_printf(out, ",\"agreeing_elsewhere\":%" PRIu64, block->elsewhere);
    buffer_add_char(out, '}');
}

static void add_more(struct buffer *out, const struct report *report)
{
    const struct compare_papers *p = &report->papers;

    if (report->has_exact)
        buffer_printf(out, ",\"edits_exact\":%" PRIu64, report->exact);
    if (report->exact_stopped)
        buffer_printf(out, ",\"edits_exact\":null,\"edits_exact_more_than\":%" PRIu64,
                      report->exact_more_than);
    if (report->papers_stopped)
        buffer_add_text(out, ",\"papers\":null");
    if (report->has_papers)
        buffer_printf(out,
                      ",\"papers\":{\"signature\":%" PRIu64 ",\"ref_signature\":%" PRIu64
                      ",\"distance\":%" PRIu64 ",\"expected\":%.2f",
                      p->a_len, p->b_len, p->distance, p->expected);
    if (report->has_papers && p->too_short)
        buffer_add_text(out, ",\"too_short\":true");
    else if (report->has_papers)
        buffer_printf(out,
                      ",\"edits_2011\":%.0f,\"edits_2015\":%.0f,\"edits_least\":%" PRIu64
                      ",\"significance\":%.4f,\"unrelated\":%s",
                      p->edits_2011, p->edits_2015, p->edits_least, p->significance,
                      p->unrelated ? "true" : "false");
    if (report->has_papers && report->factors)
        buffer_printf(out,
                      ",\"factors\":{\"type\":\"%s\",\"contents\":%.4f,\"signatures\":%.4f,\"pairs\":%u}",
                      report->factors->type, report->factors->contents, report->factors->signatures,
                      report->factors->pairs);
    if (report->has_papers)
        buffer_add_char(out, '}');
}

void report_json(const struct report *report)
{
    const struct sampler_params *params = &report->a->record.params;
    const struct comparison *c = &report->comparison;
    struct buffer out = {0};

    buffer_add_char(&out, '{');
    add_side(&out, "", report->a, report->a_blocks, report->a_record);
    buffer_add_char(&out, ',');
    add_side(&out, "ref_", report->b, report->b_blocks, report->b_record);
    if (report->has_likeness)
        sketch_format_params(&report->a->params, &out);
    else
        buffer_printf(&out, ",\"scheme\":\"%s\",\"n\":%u,\"c\":%u,\"k\":%u",
                      sampler_scheme_name(params->scheme), params->n, c->c, params->k);
    buffer_printf(&out, ",\"verdict\":\"%s\"", compare_verdict_name(c->verdict));
    if (c->verdict == COMPARE_EMBEDDED)
        buffer_printf(&out, ",\"embedded\":\"%s\"",
                      c->b_in_a ? "ref" : "obj"); /* which one lies in the other */
    if (report->has_likeness)
        add_likeness(&out, &report->likeness, c->verdict == COMPARE_IDENTICAL);
    else if (compare_report_has_estimate(c->verdict))
        add_estimate(&out, report);
    add_block(&out, report);
    add_more(&out, report);
    buffer_add_text(&out, "}\n");
    put_output(&out);
    buffer_release(&out);
}
