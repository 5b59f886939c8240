/* SPDX-License-Identifier: Apache-2.0 */
#include "compare_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "report/report_columns.h"
#include "report/report_edits.h"
#include "report/report_strip.h"
#include "report/report_values.h"
#include "terminal.h"

enum { FIGURES = 15 }; /* the column of the figures */

/* ---- words ---- */

const char *compare_report_sentence(const struct report *report)
{
    const struct comparison *c = &report->comparison;

    switch (c->verdict) {
    case COMPARE_IDENTICAL:
        return "identical: A and B are the same, by SHA-1";
    case COMPARE_VARIANT:
        return c->reordered ? "variant: A and B have the same content in another order"
                            : "variant: A and B are versions of each other";
    case COMPARE_EMBEDDED:
        return c->b_in_a ? "embedded: A contains B, or nearly all of it"
                         : "embedded: B contains A, or nearly all of it";
    case COMPARE_FRAGMENT:
        return "fragment: A and B share a part";
    case COMPARE_NONE:
        return "none: the samples show no relation between A and B";
    case COMPARE_TOO_SMALL:
        if (report->has_likeness)
            return "too-small: A or B has fewer tokens than a window";
        return "too-small: A or B has too few bytes for a verdict on similarity";
    case COMPARE_LOW_ENTROPY:
        return "low-entropy: A or B varies too little for a verdict on similarity (constant or repeating "
               "bytes)";
    default:
        if (report->has_likeness)
            return "undecided: a sketch gives an estimate but no verdict";
        return "undecided: the schemes of the papers give a distance (--papers) but no verdict";
    }
}

/* Writes a line, and breaks it at blanks if it does not fit into the window. */
static void put_line(const struct buffer *line, unsigned indent)
{
    struct buffer out = {0};
    struct report_columns_lines lines = {
        .out = &out, .width = terminal_width(STDOUT_FILENO), .indent = indent};
    const size_t len = line->len;
    const size_t begin = len < indent ? len : indent;

    if (begin)
        buffer_add(&out, line->data, begin);
    lines.column = (unsigned)begin;
    report_columns_text(&lines, len > begin ? line->data + begin : "", len - begin);
    buffer_add_char(&out, '\n');
    buffer_inherit(&out, line);
    put_output(&out);
    buffer_release(&out);
}

static void put_text(unsigned indent, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void put_text(unsigned indent, const char *fmt, ...)
{
    char text[500];
    struct buffer line = {0};
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    buffer_add_text(&line, text);
    put_line(&line, indent);
    buffer_release(&line);
}

static void put_side(const char *label, const struct sketch *sketch, size_t blocks, const char *from)
{
    struct buffer out = {0};

    escape_text(&out, sketch->name.data, sketch->name.len);
    if (from) {
        buffer_add_text(&out, " (recorded in ");
        escape_text(&out, from, strlen(from));
        buffer_add_char(&out, ')');
    }
    printf("%s  %.*s\n", label, (int)out.len, out.data ? out.data : "");
    note_output(&out);
    buffer_reset(&out);
    buffer_printf(&out, "   %" PRIu64 " bytes", sketch->len);
    if (blocks)
        buffer_printf(&out, " in %zu blocks", blocks);
    else {
        buffer_add_text(&out, ", SHA-1 ");
        escape_hex(&out, sketch->digests.bytes[DIGEST_SHA1], DIGEST_SHA1_LEN);
    }
    put_line(&out, 3);
    buffer_release(&out);
}

bool compare_report_has_estimate(enum compare_verdict verdict)
{
    return verdict != COMPARE_UNDECIDED && verdict != COMPARE_TOO_SMALL && verdict != COMPARE_LOW_ENTROPY;
}

void compare_report_edits(const struct report *report, struct buffer *out)
{
    const struct estimate *e = &report->comparison.estimate;
    const uint64_t a_len = report->a->len, b_len = report->b->len, longer = a_len > b_len ? a_len : b_len;
    const bool identical = report->comparison.verdict == COMPARE_IDENTICAL;

    report_edits(&(struct report_edits){e->edits, e->edits_low, e->edits_high, .identical = identical,
                                        .not_identical = !identical,
                                        .reordered = report->comparison.reordered},
                 out);
    if (!identical)
        buffer_printf(out, "; estimate: %.2f %% of the longer one, interval: 95 %%",
                      longer ? 100 * e->edits / (double)longer : 0.0);
}

static void put_edits(const struct report *report)
{
    struct buffer out = {0};

    buffer_add_text(&out, "  edits        ");
    compare_report_edits(report, &out);
    put_line(&out, FIGURES);
    buffer_release(&out);
}

bool compare_report_has_e(const struct report *report)
{
    return report->has_e && report->comparison.verdict != COMPARE_IDENTICAL && report->ln_e < INFINITY;
}

static void put_e(const struct report *report)
{
    struct buffer value = {0};

    if (!compare_report_has_e(report))
        return;
    report_values_e(&value, report->ln_e);
    put_text(
        FIGURES,
        "  E            %.*s (matches as good that chance is expected to give, if B were the only reference)",
        (int)value.len, value.data ? value.data : "");
    buffer_release(&value);
}

static void put_estimate(const struct report *report)
{
    const struct estimate *e = &report->comparison.estimate;
    const bool proved = report->comparison.verdict == COMPARE_IDENTICAL;

    put_edits(report);
    if (!proved)
        put_text(FIGURES, "  of bytes     %.0f (%.0f to %.0f), if each edit changed a single byte", e->point,
                 e->point_low, e->point_high);
    put_text(FIGURES, "  resemblance  %.3f (samples in both, of those in either)", e->resemblance);
    put_text(FIGURES, "  containment  %.3f of B in A, %.3f of A in B", e->b_in_a, e->a_in_b);
    put_e(report);
    put_text(FIGURES, "  matched      %" PRIu64 " bytes of A, %" PRIu64 " of B, in %zu range%s", e->a_matched,
             e->b_matched, e->range_count, e->range_count == 1 ? "" : "s");
    if (proved)
        puts("  proof        sha1");
    else
        put_text(FIGURES, "  proof        estimate, from %zu and %zu samples (%s, n = %u, C = %u)",
                 report->comparison.a_samples, report->comparison.b_samples,
                 sampler_scheme_name(report->a->record.params.scheme), report->a->record.params.n,
                 report->comparison.c);
}

static void put_exact(const struct report *report)
{
    if (report->has_exact)
        put_text(FIGURES, "  exact        %" PRIu64 " edits (the true Levenshtein distance)", report->exact);
    else if (report->exact_stopped)
        put_text(FIGURES, "  exact        more than %" PRIu64 " edits; stopped after %" PRIu64 " s (--time)",
                 report->exact_more_than, report->seconds);
}

/* The default factor is that of signatures of 2015: two bits agree more often by chance than two of their
 * characters. */
static void put_significance(const struct report *report)
{
    const struct compare_papers *p = &report->papers;

    if (!report->factors && report->a->params.scheme == SKETCH_COATES2011)
        put_text(FIGURES, "               no significance: E of unrelated bits must be measured (--factors)");
    else if (p->unrelated)
        put_text(FIGURES,
                 "               no relation of the wholes: unrelated signatures of these lengths are %.1f "
                 "edits apart (E)",
                 p->expected);
    else
        put_text(FIGURES, "               significance %.3f (E is %.1f edits)", p->significance, p->expected);
}

static void put_block(const struct report *report)
{
    const struct compare_blocks *block = &report->block;
    const bool is_of_a = report->a_blocks > 0;

    if (report->block_stopped)
        put_text(FIGURES, "  best block   stopped after %" PRIu64 " s (--time)", report->seconds);
    if (!report->has_block)
        return;
    if (!block->is_found) {
        put_text(FIGURES, "  best block   none: no character of any block's signature agrees");
        return;
    }
    put_text(FIGURES, "  best block   bytes %" PRIu64 " to %" PRIu64 " of %s%s", block->start,
             block->start + block->len, is_of_a ? "A" : "B",
             block->is_identical ? is_of_a ? ", identical to B by SHA-1" : ", identical to A by SHA-1" : "");
    put_text(FIGURES,
             "               %" PRIu64 " characters of the signatures (%" PRIu64 " and %" PRIu64 ") agree",
             block->agreeing, block->papers.a_len, block->papers.b_len);
    if (block->has_elsewhere)
        put_text(FIGURES, "               in blocks that are no neighbours, %" PRIu64 " at most",
                 block->elsewhere);
}

static void put_papers(const struct report *report)
{
    const struct compare_papers *p = &report->papers;

    if (report->papers_stopped)
        printf("  papers       stopped after %" PRIu64 " s (--time)\n", report->seconds);
    if (!report->has_papers)
        return;
    put_text(FIGURES,
             "  papers       signatures of %" PRIu64 " and %" PRIu64 " characters, %" PRIu64 " edit%s apart",
             p->a_len, p->b_len, p->distance, plural(p->distance));
    if (p->too_short) {
        put_text(FIGURES,
                 "               no estimates: signatures so short are alike by chance (E is %.1f edits, "
                 "under %d)",
                 p->expected, COMPARE_PAPERS_LEAST);
        return;
    }
    put_text(FIGURES,
             "               2011: %.0f bytes; 2015: %.0f bytes; by their lengths at least %" PRIu64 " bytes",
             p->edits_2011, p->edits_2015, p->edits_least);
    put_significance(report);
    if (report->factors)
        put_text(FIGURES,
                 "               for %s: %.4f of the contents, %.4f of the signatures, from %u pair%s that "
                 "were measured",
                 report->factors->type, report->factors->contents, report->factors->signatures,
                 report->factors->pairs, plural(report->factors->pairs));
}

/* ---- sketches ---- */

/* "shingles of 4 words", with what was changed before and how often they count. */
static void add_shingles(const struct sketch_params *params, struct buffer *out)
{
    const char *unit = tokens_unit_name(params->tokens.unit);
    struct tokens_rules rules = params->tokens;
    unsigned count = 0;

    buffer_printf(out, "%sshingles of %u %.*s", params->labelled ? "labelled " : "", params->window,
                  (int)strcspn(unit, "8") - (params->window == 1), unit);
    if (params->tokens.unit == TOKENS_WORDS8)
        buffer_add_text(out, " of at most 8 bytes");
    for (int i = 0; i < TOKENS_RULES; i++)
        if (*tokens_rule_of(&rules, (enum tokens_rule)i)) {
            buffer_printf(out, "%s%s", count ? ", " : " (ignoring ", tokens_rule_name((enum tokens_rule)i));
            count++;
        }
    if (count)
        buffer_add_char(out, ')');
}

static void put_scheme(const struct sketch_params *params)
{
    struct buffer out = {0};

    buffer_printf(&out, "  sketch       %s: ", sketch_scheme_name(params->scheme));
    add_shingles(params, &out);
    if (params->size)
        buffer_printf(&out, ", size %u", params->size);
    if (params->rate)
        buffer_printf(&out, ", C = %u", params->rate);
    buffer_printf(&out, ", %u bits, seed %" PRIu64, params->bits, params->seed);
    put_line(&out, FIGURES);
    buffer_release(&out);
}

/* With the interval, if there is one, and what it rests on. */
static void put_containment(bool is_first, const struct sketch_likeness *l, const double share[3],
                            uint64_t of)
{
    const char *label = is_first ? "containment" : "", *which = is_first ? "B in A" : "A in B";

    if (l->is_exact || l->basis == SKETCH_PIECES)
        put_text(FIGURES, "  %-11s  %.3f of %s (%" PRIu64 " of %" PRIu64 ")", label, share[0], which,
                 l->common, of);
    else
        put_text(FIGURES, "  %-11s  %.3f of %s (%.3f to %.3f; %" PRIu64 " of %" PRIu64 ")", label, share[0],
                 which, share[1], share[2], l->common, of);
}

static void put_resemblance(const struct report *report)
{
    const struct sketch_likeness *l = &report->likeness;
    const char *noun = report->a->params.scheme == SKETCH_HAMMING ? "bit" : "value";

    if (l->basis == SKETCH_PIECES)
        put_text(FIGURES, "  resemblance  %.3f of the chunks (%" PRIu64 " of %" PRIu64 " are common)",
                 l->resemblance, l->common, l->compared);
    else if (l->is_exact)
        put_text(FIGURES, "  resemblance  %.3f (exact: %" PRIu64 " of %" PRIu64 " %ss are common)",
                 l->resemblance, l->common, l->compared, noun);
    else
        put_text(FIGURES,
                 "  resemblance  %.3f (%.3f to %.3f; %" PRIu64 " of %" PRIu64
                 " %ss are common, interval: 95 %%)",
                 l->resemblance, l->resemblance_low, l->resemblance_high, l->common, l->compared, noun);
    if (!l->has_containment)
        return;
    put_containment(true, l, (const double[]){l->b_in_a, l->b_in_a_low, l->b_in_a_high}, l->of_b);
    put_containment(false, l, (const double[]){l->a_in_b, l->a_in_b_low, l->a_in_b_high}, l->of_a);
}

/* The figures, or why there are none. */
static void put_likeness(const struct report *report)
{
    const struct sketch *a = report->a, *b = report->b;
    const struct sketch_likeness *l = &report->likeness;

    if (report->comparison.verdict == COMPARE_IDENTICAL)
        put_text(FIGURES, "  resemblance  1.000, as all containment (proof: sha1)");
    else if (l->too_short)
        put_text(FIGURES,
                 "  no figures   fingerprints of %u bits are too short for %" PRIu64 " and %" PRIu64
                 " shingles",
                 a->params.bits, a->shingles, b->shingles);
    else if (l->has_resemblance)
        put_resemblance(report);
    else if (!l->too_small)
        put_text(FIGURES,
                 "  no figures   nothing was selected of %" PRIu64 " and %" PRIu64
                 " shingles; use a smaller C (--rate)",
                 a->shingles, b->shingles);
    put_scheme(&report->a->params);
}

/* ---- the map ---- */

enum { MAX_CELLS = 72 };

static void put_strip(const struct estimate *e, const char *label, uint64_t len, uint64_t longest, bool of_a,
                      unsigned cells)
{
    struct report_strip strip;
    struct buffer out = {0};

    report_strip_begin(&strip, len, longest, cells);
    for (size_t i = 0; i < e->range_count; i++) {
        const struct estimate_range *r = &e->ranges[i];

        report_strip_mark(&strip, i, of_a ? r->a_start : r->b_start, of_a ? r->a_end : r->b_end);
    }
    buffer_printf(&out, "  %s ", label);
    report_strip_put(&strip, &out, terminal_colours(STDOUT_FILENO));
    buffer_add_char(&out, '\n');
    put_output(&out);
    buffer_release(&out);
}

static void put_map(const struct report *report)
{
    const uint64_t longest = report->a->len > report->b->len ? report->a->len : report->b->len;
    const unsigned width = terminal_width(STDOUT_FILENO),
                   cells = width < MAX_CELLS + 6 ? width - 6 : MAX_CELLS;
    const struct estimate *e = &report->comparison.estimate;

    if (width < 12 || longest == 0 || e->range_count == 0)
        return;
    putchar('\n');
    put_text(
        2,
        "  What matches: a cell is %.0f bytes, a letter is a range (a dot: no match; lower case: only part "
        "of the cell matches)",
        (double)longest / cells);
    put_strip(e, "A", report->a->len, longest, true, cells);
    put_strip(e, "B", report->b->len, longest, false, cells);
}

void report_words(const struct report *report)
{
    put_side("A", report->a, report->a_blocks, report->a_record);
    put_side("B", report->b, report->b_blocks, report->b_record);
    putchar('\n');
    put_text(0, "%s", compare_report_sentence(report));
    if (report->has_likeness)
        put_likeness(report);
    else if (compare_report_has_estimate(report->comparison.verdict))
        put_estimate(report);
    put_block(report);
    put_exact(report);
    put_papers(report);
    put_map(report);
}
