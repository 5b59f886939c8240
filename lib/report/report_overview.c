/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "report/report.h"
#include "report/report_columns.h"
#include "report/report_group.h"
#include "report/report_text_summary.h"
#include "report/report_values.h"

enum { MOST_REFERENCES = 10, COUNTED = VERDICT_FRAGMENT + 1 };

/* A reference, and how many findings it has. */
struct tally {
    struct buffer name; /* escaped */
    uint32_t set;
    uint64_t file, findings;
    enum verdict best;
};

/* Findings come by reference, so only the present one and the most frequent ones are kept. */
struct overview {
    struct casefile *casefile;
    const struct case_set *sets;
    size_t set_count;
    uint64_t (*by_set)[COUNTED];
    uint64_t without[VERDICTS]; /* objects without a finding, by the reason */
    uint64_t references;
    struct report_group group;
    struct tally present, most[MOST_REFERENCES];
    size_t most_count;
};

static void release(struct report_writer *writer)
{
    struct overview *overview = writer->state;

    if (!overview)
        return;
    for (size_t i = 0; i < MOST_REFERENCES; i++)
        buffer_release(&overview->most[i].name);
    buffer_release(&overview->present.name);
    free(overview->by_set);
    free(overview);
}

static int begin(struct report_writer *writer, struct casefile *casefile, struct error *err)
{
    struct overview *overview = memory_new(sizeof *overview, err);

    writer->state = overview;
    if (!overview)
        return -1;
    overview->casefile = casefile;
    overview->set_count = casefile_sets(casefile, &overview->sets);
    overview->by_set = memory_new((overview->set_count + 1) * sizeof *overview->by_set, err);
    return overview->by_set ? 0 : -1;
}

/* ---- counting ---- */

/* Puts the present reference among the most frequent ones if it belongs there; of equals the first stays. */
static void end_reference(struct overview *overview)
{
    struct tally last;
    size_t at = overview->most_count;

    while (at > 0 && overview->most[at - 1].findings < overview->present.findings)
        at--;
    if (overview->present.findings == 0 || at == MOST_REFERENCES)
        return;
    if (overview->most_count < MOST_REFERENCES)
        overview->most_count++;
    last = overview->most[overview->most_count - 1];
    memmove(&overview->most[at + 1], &overview->most[at],
            (overview->most_count - 1 - at) * sizeof *overview->most);
    overview->most[at] = overview->present;
    buffer_reset(&last.name); /* its memory serves the next one */
    overview->present = (struct tally){.name = last.name};
}

static void begin_reference(struct overview *overview, const struct case_row *row)
{
    struct tally *present = &overview->present;

    end_reference(overview);
    overview->references++;
    present->set = row->finding.set;
    present->file = row->finding.file;
    present->findings = 0;
    present->best = row->finding.verdict;
    buffer_reset(&present->name);
    escape_text(&present->name, row->reference.name, row->reference.name_len);
}

static int count_row(struct report_writer *writer, const struct case_row *row, struct error *err)
{
    struct overview *overview = writer->state;
    struct tally *present = &overview->present;

    if (!row->has_finding) {
        overview->without[row->object.verdict]++;
        return 0;
    }
    overview->by_set[row->finding.set][row->finding.verdict]++;
    if (report_group_begins(&overview->group, row))
        begin_reference(overview, row);
    present->findings++;
    if (row->finding.verdict < present->best)
        present->best = row->finding.verdict;
    return present->name.failed ? error_set(err, "out of memory") : 0;
}

/* ---- the tables ---- */

static unsigned usable_width(const struct report_writer *writer)
{
    enum { LEAST = 66 }; /* the counts, and the shortest name */

    return writer->options.width == 0 || writer->options.width >= LEAST ? writer->options.width : LEAST;
}

/* The end of a line, of which `taken` columns are written: a name, shortened if it does not fit. */
static void add_name(struct report_writer *writer, unsigned taken, const struct buffer *name)
{
    const unsigned width = usable_width(writer);

    if (width)
        report_columns_shorten(&writer->out.line, name->len ? name->data : "", name->len, width - taken);
    else if (name->len)
        buffer_add(&writer->out.line, name->data, name->len);
    buffer_inherit(&writer->out.line, name);
    buffer_add_char(&writer->out.line, '\n');
}

static void add_counts(struct buffer *out, const uint64_t counts[COUNTED])
{
    uint64_t sum = 0;

    for (int verdict = 0; verdict < COUNTED; verdict++) {
        buffer_printf(out, "%10" PRIu64, counts[verdict]);
        sum += counts[verdict];
    }
    buffer_printf(out, "%10" PRIu64 "   ", sum);
}

static void add_sets(struct report_writer *writer)
{
    enum { TAKEN = 10 * (COUNTED + 1) + 3 };
    const struct overview *overview = writer->state;
    struct buffer *out = &writer->out.line, name = {0};
    uint64_t all[COUNTED] = {0};

    for (int verdict = 0; verdict < COUNTED; verdict++)
        buffer_printf(out, "%10s", finding_verdict_name((enum verdict)verdict));
    buffer_printf(out, "%10s   set\n", "findings");
    for (size_t i = 0; i < overview->set_count; i++) {
        add_counts(out, overview->by_set[i]);
        for (int verdict = 0; verdict < COUNTED; verdict++)
            all[verdict] += overview->by_set[i][verdict];
        report_values_foreign(&name, overview->sets[i].name);
        buffer_printf(&name, " (%s)", refset_kind_name(overview->sets[i].kind));
        add_name(writer, TAKEN, &name);
        buffer_reset(&name);
    }
    if (overview->set_count > 1) {
        add_counts(out, all);
        buffer_add_text(out, "all sets\n");
    }
    buffer_add_char(out, '\n');
    buffer_release(&name);
}

static void add_references(struct report_writer *writer)
{
    enum { TAKEN = 10 + 2 + 12 };
    const struct overview *overview = writer->state;
    struct buffer *out = &writer->out.line, name = {0};

    if (overview->references == 0)
        return;
    buffer_printf(out, "%10s  %-12s", "findings", "best");
    buffer_add_text(out, "reference");
    if (overview->references > overview->most_count) {
        buffer_printf(out, " (the %zu with most findings of ", overview->most_count);
        report_values_number(out, overview->references);
        buffer_add_char(out, ')');
    }
    buffer_add_char(out, '\n');
    for (size_t i = 0; i < overview->most_count; i++) {
        const struct tally *tally = &overview->most[i];

        buffer_printf(out, "%10" PRIu64 "  %-12s", tally->findings, finding_verdict_name(tally->best));
        buffer_add(&name, tally->name.data, tally->name.len);
        buffer_add_text(&name, " in ");
        report_values_foreign(&name, overview->sets[tally->set].name);
        add_name(writer, TAKEN, &name);
        buffer_reset(&name);
    }
    buffer_add_char(out, '\n');
    buffer_release(&name);
}

static void add_without(struct report_writer *writer)
{
    const struct overview *overview = writer->state;
    uint64_t sum = 0;

    for (int verdict = VERDICT_NONE; verdict < VERDICTS; verdict++)
        sum += overview->without[verdict];
    if (sum == 0)
        return;
    buffer_printf(&writer->out.line, "%10s  objects without a finding\n", "");
    for (int verdict = VERDICT_NONE; verdict < VERDICTS; verdict++)
        if (overview->without[verdict])
            buffer_printf(&writer->out.line, "%10" PRIu64 "  %s\n", overview->without[verdict],
                          finding_verdict_name((enum verdict)verdict));
    buffer_add_char(&writer->out.line, '\n');
}

static int end(struct report_writer *writer, struct error *err)
{
    struct overview *overview = writer->state;

    end_reference(overview);
    add_sets(writer);
    add_references(writer);
    add_without(writer);
    return report_text_summary(&writer->out, usable_width(writer), overview->casefile, err);
}

const struct report_operations report_overview = {.counts = true,
                                                  .by_reference = true,
                                                  .begin = begin,
                                                  .finding = count_row,
                                                  .end = end,
                                                  .release = release};
