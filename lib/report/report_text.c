/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "report/report.h"
#include "report/report_columns.h"
#include "report/report_edits.h"
#include "report/report_group.h"
#include "report/report_strip.h"
#include "report/report_summary.h"
#include "report/report_text_legend.h"
#include "report/report_text_summary.h"
#include "report/report_values.h"

enum {
    INDENT = 11,
    STRIP_CELLS = 72, /* at most: longer strips are no easier to read */
    MOST_TWINS = 4,   /* shown */
    LEAST_WIDTH = 60, /* narrower windows get lines of this width, since most words need it */
};

struct report_text {
    struct casefile *casefile;
    bool names_evidence; /* in each row, since the case has more than one piece */
    uint64_t findings;   /* written so far */
    struct report_group group;
};

/* A paragraph under construction: each word is assembled in `word` and appended by end_word. */
struct paragraph {
    struct report_columns_lines lines;
    struct buffer word;
};

static void end_word(struct paragraph *p)
{
    report_columns_word(&p->lines, &p->word);
}

/* Adds a name from the evidence or a set, shortened if it does not fit into a line of the window, and what
 * precedes and follows it in the same word. */
static void add_name(struct paragraph *p, const char *before, const char *name, size_t len, const char *after)
{
    const unsigned taken = p->lines.indent + (unsigned)(strlen(before) + strlen(after));
    struct buffer text = {0};

    escape_text(&text, name, len);
    buffer_add_text(&p->word, before);
    if (p->lines.width)
        report_columns_shorten(&p->word, text.len ? text.data : "", text.len, p->lines.width - taken);
    else if (text.len)
        buffer_add(&p->word, text.data, text.len);
    buffer_add_text(&p->word, after);
    buffer_inherit(&p->word, &text);
    buffer_release(&text);
    end_word(p);
}

/* ---- the object ---- */

static void add_verdict(struct paragraph *p, const struct report_writer *writer, const struct case_row *row)
{
    static const char *const colours[VERDICTS] = {[VERDICT_IDENTICAL] = "31",
                                                  [VERDICT_VARIANT] = "33",
                                                  [VERDICT_EMBEDDED] = "35",
                                                  [VERDICT_FRAGMENT] = "36"};
    const enum verdict verdict = row->has_finding ? row->finding.verdict : row->object.verdict;
    const bool loud = row->has_finding && row->set->kind == REFSET_NOTABLE;
    const bool coloured = writer->options.colours && row->has_finding && row->set->kind != REFSET_KNOWN;

    if (coloured)
        buffer_printf(p->lines.out, "\033[%s%sm", loud ? "1;" : "", colours[verdict]);
    buffer_printf(p->lines.out, "%-10s%s ", finding_verdict_name(verdict), coloured ? "\033[0m" : "");
    p->lines.column = INDENT;
}

static void add_address(struct paragraph *p, const struct case_object *object)
{
    /* The address of a chunk ends in its offset in the object. */
    const char *plus = object->chunk ? strrchr(object->address, '+') : NULL;
    const char *after = plus ? "," : "";

    if (object->path_count) {
        add_name(p, "", object->paths, strlen(object->paths), after);
    } else {
        buffer_printf(&p->word, "%s ", object_kind_name(object->kind));
        escape_text(&p->word, object->address,
                    plus ? (size_t)(plus - object->address) : strlen(object->address));
        buffer_add_text(&p->word, after);
        end_word(p);
    }
    if (plus) {
        buffer_add_text(&p->word, "chunk at byte ");
        report_values_foreign(&p->word, plus + 1);
        end_word(p);
    }
}

/* Leaves the last word unfinished, since a colon may follow. */
static void add_place(struct paragraph *p, const struct case_object *object)
{
    static const char partial[] = "PARTIAL: some bytes could not be";

    add_address(p, object);
    if (strcmp(object->volume, "-") != 0) {
        buffer_add_text(&p->word, "in volume ");
        report_values_foreign(&p->word, object->volume);
        end_word(p);
    }
    buffer_add_char(&p->word, '(');
    if (object->kind != OBJECT_FILE && object->path_count) {
        buffer_add_text(&p->word, object_kind_name(object->kind));
        /* in free space the path does not say where it is */
        if (object->kind == OBJECT_MEMBER && object->address[0] == '@') {
            buffer_add_text(&p->word, " of ");
            escape_text(&p->word, object->address, object_base_len(object->address));
        }
        buffer_add_text(&p->word, ", ");
    }
    report_values_size(&p->word, object->size);
    if (object->partial) {
        buffer_add_char(&p->word, ',');
        end_word(p);
        report_columns_text(&p->lines, partial, sizeof partial - 1);
        buffer_add_text(&p->word, "read");
    }
    buffer_add_char(&p->word, ')');
}

/* ---- the finding ---- */

static void add_strip(struct paragraph *p, const struct report_writer *writer, const struct case_row *row)
{
    const struct finding *finding = &row->finding;
    const unsigned room = p->lines.width - INDENT;
    struct report_strip strip;

    if (writer->options.width == 0 || row->object.size == 0 || finding->range_count == 0)
        return;
    report_strip_begin(&strip, row->object.size, row->object.size, room < STRIP_CELLS ? room : STRIP_CELLS);
    for (size_t i = 0; i < finding->range_count; i++)
        report_strip_mark(&strip, i, finding->ranges[i].obj_start, finding->ranges[i].obj_end);
    report_columns_line(&p->lines);
    report_strip_put(&strip, p->lines.out, writer->options.colours);
}

static void add_edits(struct paragraph *p, const struct case_row *row)
{
    struct buffer text = {0};

    report_edits_of(row, &text);
    report_columns_text(&p->lines, text.len ? text.data : "", text.len);
    buffer_inherit(p->lines.out, &text);
    buffer_release(&text);
}

/* The span in the object, of which only some bytes may match. */
static void add_span(struct paragraph *p, const struct finding *finding, bool all_match, bool is_chunk)
{
    if (!all_match) {
        report_values_count(&p->word, finding->matched, "byte");
        buffer_add_text(&p->word, finding->matched == 1 ? " matches" : " match");
        end_word(p);
        buffer_add_text(&p->word, "in ");
        report_values_count(&p->word, finding->range_count, "range");
        buffer_add_char(&p->word, ',');
        end_word(p);
        buffer_add_text(&p->word, "between");
        end_word(p);
    }
    buffer_printf(&p->word, "bytes %" PRIu64 " %s %" PRIu64, finding->span.obj_start,
                  all_match ? "to" : "and", finding->span.obj_end);
    end_word(p);
    if (is_chunk) {
        buffer_add_text(&p->word, "of the chunk");
        end_word(p);
    }
    if (all_match) {
        buffer_add_text(&p->word, "match");
        end_word(p);
    }
}

static void add_measures(struct paragraph *p, const struct case_row *row)
{
    const struct finding *finding = &row->finding;
    const bool all_match = finding->matched == finding->span.obj_end - finding->span.obj_start;
    const bool has_words = finding->has_edits || finding->reordered;

    report_columns_line(&p->lines);
    add_span(p, finding, all_match, row->object.chunk);
    buffer_printf(&p->word, "%sbytes %" PRIu64 " to %" PRIu64, all_match ? "" : "(", finding->span.ref_start,
                  finding->span.ref_end);
    end_word(p);
    buffer_printf(&p->word, "of the reference%s", all_match ? "" : ",");
    end_word(p);
    buffer_add_text(&p->word, all_match ? "(" : "");
    report_values_size(&p->word, finding->ref_size);
    buffer_add_text(&p->word, ");");
    end_word(p);
    buffer_printf(&p->word, "score %.3f,", finding->score);
    end_word(p);
    buffer_printf(&p->word, "resemblance %.3f,", finding->resemblance);
    end_word(p);
    buffer_printf(&p->word, "containment %.3f%s", finding->containment, has_words ? "," : "");
    end_word(p);
    if (has_words)
        add_edits(p, row);
}

/* What two containers have in common. */
static void add_members(struct paragraph *p, const struct case_row *row)
{
    struct buffer text = {0};

    report_columns_line(&p->lines);
    report_edits_members(row, &text);
    buffer_printf(&text, "; score %.3f, resemblance %.3f, containment %.3f", row->finding.score,
                  row->finding.resemblance, row->finding.containment);
    report_columns_text(&p->lines, text.len ? text.data : "", text.len);
    buffer_inherit(p->lines.out, &text);
    buffer_release(&text);
}

/* The other addresses of the same bytes, or what containers have in common. */
static void add_twins(struct paragraph *p, const struct case_row *row)
{
    const bool same = row->finding.proof != PROOF_MEMBERS && row->object.kind != OBJECT_MEMBER &&
                      row->twin_count > 0 && row->twins[0].kind != OBJECT_MEMBER;

    if (row->twin_count == 0)
        return;
    report_columns_line(&p->lines);
    for (size_t i = 0; i < row->twin_count && i < MOST_TWINS; i++) {
        buffer_printf(&p->word, "%s%s ",
                      i      ? ""
                      : same ? "the same bytes: "
                             : "related: ",
                      object_kind_name(row->twins[i].kind));
        report_values_foreign(&p->word, row->twins[i].name);
        buffer_add_text(&p->word, i + 1 < row->twin_count ? "," : "");
        end_word(p);
    }
    if (row->twin_count > MOST_TWINS) {
        buffer_printf(&p->word, "and %zu more", row->twin_count - MOST_TWINS);
        end_word(p);
    }
}

static void add_evidence_value(struct paragraph *p, const struct finding *finding)
{
    static const char others[] = "other references match the same bytes (--all-references lists them)";
    const uint64_t family = finding_family(finding);
    struct buffer text = {0};

    report_columns_line(&p->lines);
    buffer_add_text(&p->word, "E ");
    report_values_e(&p->word, finding->ln_e);
    buffer_add_char(&p->word, ',');
    end_word(p);
    buffer_add_text(&p->word, "proof: ");
    finding_proof(finding, &p->word);
    buffer_add_text(&p->word, finding->also ? ";" : "");
    end_word(p);
    /* Of a few without the number: it counts matches, of which several may be of the same reference. */
    if (family) {
        buffer_printf(&text, "one of about %" PRIu64 " references that match the same bytes", family);
        report_columns_text(&p->lines, text.data ? text.data : "", text.len);
    } else if (finding->also) {
        report_columns_text(&p->lines, others, sizeof others - 1);
    }
    buffer_inherit(&p->word, &text);
    buffer_release(&text);
}

/* Text as words of the paragraph, on a line of its own. */
static void add_line(struct paragraph *p, const struct buffer *text)
{
    if (text->len) {
        report_columns_line(&p->lines);
        report_columns_text(&p->lines, text->data, text->len);
    }
    buffer_inherit(p->lines.out, text);
}

static void add_shared(struct paragraph *p, const struct report_writer *writer)
{
    struct buffer text = {0};

    report_fold_row_words(writer->shared, &text);
    add_line(p, &text);
    buffer_release(&text);
}

static void add_reference(struct paragraph *p, const char *before, const struct case_row *row)
{
    add_name(p, before, row->reference.name, row->reference.name_len, "");
    add_name(p, "in ", row->set->name, strlen(row->set->name), "");
    buffer_printf(&p->word, "(%s)", refset_kind_name(row->set->kind));
    end_word(p);
}

/* In one word, to be copied. */
static void add_command(struct paragraph *p, const struct case_row *row)
{
    report_columns_line(&p->lines);
    buffer_add_text(&p->word, "$ kith extract CASE ");
    casefile_put_id(&p->word, &row->id);
    buffer_add_text(&p->word, " -d FOLDER");
    end_word(p);
}

static void add_finding(struct paragraph *p, const struct report_writer *writer, const struct case_row *row)
{
    end_word(p);
    report_columns_line(&p->lines);
    if (!writer->options.by_reference)
        add_reference(p, "of ", row);
    if (writer->options.kept) {
        buffer_add_text(&p->word, "finding ");
        casefile_put_id(&p->word, &row->id);
        end_word(p);
    }
    add_strip(p, writer, row);
    if (row->finding.proof == PROOF_MEMBERS) {
        add_members(p, row);
        add_evidence_value(p, &row->finding);
    } else if (row->finding.verdict != VERDICT_IDENTICAL) {
        add_measures(p, row);
        add_evidence_value(p, &row->finding);
    }
    add_shared(p, writer);
    add_twins(p, row);
    if (writer->options.kept)
        add_command(p, row);
}

static void add_reason(struct paragraph *p, const struct case_object *object)
{
    struct buffer reason = {0};

    report_values_foreign(&reason, object->reason);
    buffer_add_text(&p->word, reason.len ? ":" : "");
    end_word(p);
    report_columns_text(&p->lines, reason.len ? reason.data : "", reason.len);
    buffer_inherit(p->lines.out, &reason);
    buffer_release(&reason);
}

/* ---- rows ---- */

static unsigned usable_width(const struct report_writer *writer)
{
    return writer->options.width == 0 || writer->options.width >= LEAST_WIDTH ? writer->options.width
                                                                              : LEAST_WIDTH;
}

static void add_heading(struct report_writer *writer, const struct case_row *row)
{
    const struct report_text *state = writer->state;

    if (writer->rows || state->names_evidence)
        return;
    buffer_add_text(&writer->out.line, "evidence: ");
    report_values_foreign(&writer->out.line, row->evidence->path);
    buffer_add_text(&writer->out.line, "\n\n");
}

/* A heading before the findings of each reference; objects without findings are the last group. */
static void add_group(struct report_writer *writer, const struct case_row *row)
{
    struct report_text *state = writer->state;
    struct paragraph p = {.lines = {.out = &writer->out.line, .width = usable_width(writer), .indent = 2}};

    if (!writer->options.by_reference || !report_group_begins(&state->group, row))
        return;
    if (writer->rows)
        buffer_add_char(p.lines.out, '\n');
    if (row->has_finding) {
        add_reference(&p, "reference ", row);
        report_values_size(&p.word, row->finding.ref_size);
        end_word(&p);
    } else {
        buffer_add_text(p.lines.out, "objects without a finding");
    }
    buffer_add_char(p.lines.out, '\n');
    buffer_inherit(p.lines.out, &p.word);
    buffer_release(&p.word);
}

static int put_row(struct report_writer *writer, const struct case_row *row, struct error *err)
{
    struct report_text *state = writer->state;
    struct paragraph p = {
        .lines = {.out = &writer->out.line, .width = usable_width(writer), .indent = INDENT}};

    add_heading(writer, row);
    add_group(writer, row);
    add_verdict(&p, writer, row);
    add_place(&p, &row->object);
    if (row->has_finding)
        add_finding(&p, writer, row);
    else
        add_reason(&p, &row->object);
    if (state->names_evidence) {
        report_columns_line(&p.lines);
        add_name(&p, "evidence: ", row->evidence->path, strlen(row->evidence->path), "");
    }
    buffer_add_char(&writer->out.line, '\n');
    buffer_inherit(&writer->out.line, &p.word);
    buffer_release(&p.word);
    state->findings += row->has_finding;
    return report_stream_put(&writer->out, err);
}

/* ---- the case ---- */

static void add_context(void *arg, const char *label, const char *line, size_t len)
{
    struct report_writer *writer = arg;
    struct report_columns_lines lines = {
        .out = &writer->out.line, .width = usable_width(writer), .indent = 14, .column = 14};
    struct buffer text = {0};

    escape_text(&text, line, len);
    buffer_printf(lines.out, "%-13s ", label);
    report_columns_text(&lines, text.len ? text.data : "", text.len);
    buffer_add_char(lines.out, '\n');
    buffer_inherit(lines.out, &text);
    buffer_release(&text);
}

static int begin(struct report_writer *writer, struct casefile *casefile, struct error *err)
{
    struct report_text *state = memory_new(sizeof *state, err);
    struct case_evidence evidence;
    int found;

    writer->state = state;
    if (!state)
        return -1;
    found = casefile_evidence(casefile, 2, &evidence, err);
    state->casefile = casefile;
    state->names_evidence = found > 0;
    report_summary_context(casefile, add_context, writer);
    if (writer->out.line.len)
        buffer_add_char(&writer->out.line, '\n');
    return found < 0 ? -1 : 0;
}

static void release(struct report_writer *writer)
{
    free(writer->state);
}

/* What is not listed because other rows stand for it. */
static void add_folded(struct report_writer *writer)
{
    struct report_columns_lines lines = {.out = &writer->out.line, .width = usable_width(writer)};
    struct buffer text = {0};

    report_fold_words(writer->fold, &text);
    if (text.len) {
        report_columns_text(&lines, text.data, text.len);
        buffer_add_text(lines.out, "\n\n");
    }
    buffer_inherit(lines.out, &text);
    buffer_release(&text);
}

static int end(struct report_writer *writer, struct error *err)
{
    const struct report_text *state = writer->state;

    if (writer->rows)
        buffer_add_char(&writer->out.line, '\n');
    if (writer->folded)
        add_folded(writer);
    report_text_legend(&writer->out.line, usable_width(writer), state->findings > 0,
                       writer->options.width > 0);
    buffer_add_char(&writer->out.line, '\n');
    return report_text_summary(&writer->out, usable_width(writer), state->casefile, err);
}

const struct report_operations report_text = {
    .folds = true, .begin = begin, .finding = put_row, .end = end, .release = release};
