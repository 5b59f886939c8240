/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

/* The rows that one reading of them writes.  Of common content only those that stand for others. */
enum part { PART_ALL, PART_FOLDED, PART_USUAL, PART_COMMON };

static bool is_in(enum part part, const struct report_shared *shared)
{
    const bool is_common = shared && shared->is_common;

    if (part == PART_ALL)
        return true;
    if (is_common)
        return part != PART_USUAL && shared->findings;
    return part != PART_COMMON;
}

static int write_part(struct report_writer *writer, struct casefile *casefile,
                      const struct case_filter *filter, enum part part, struct error *err)
{
    struct case_reader *reader = casefile_reader_new(casefile, filter, err);
    const struct report_shared *shared;
    struct report_shared alone;
    struct case_row row;
    uint64_t finding = 0;
    int more, result = reader ? 0 : -1;

    while (result == 0 && (more = casefile_reader_next(reader, &row, err)) != 0) {
        shared = more > 0 && row.has_finding && writer->fold ? report_fold_at(writer->fold, finding++) : NULL;
        if (more > 0 && !is_in(part, shared))
            continue;
        if (shared && part == PART_ALL) {
            alone = *shared;
            alone.findings = 1; /* since all are listed */
            shared = &alone;
        }
        writer->shared = shared;
        result = more < 0 ? -1 : writer->does->finding(writer, &row, err);
        writer->rows++;
    }
    casefile_reader_free(reader);
    return result;
}

/* What many objects have comes last, unless rows are grouped. */
static int write_rows(struct report_writer *writer, struct casefile *casefile,
                      const struct case_filter *filter, struct error *err)
{
    int result;

    writer->rows = 0;
    writer->folded = writer->does->folds && !filter->objects;
    if (!writer->folded || filter->order == CASE_BY_REFERENCE)
        return write_part(writer, casefile, filter, writer->folded ? PART_FOLDED : PART_ALL, err);
    result = write_part(writer, casefile, filter, PART_USUAL, err);
    return result ? result : write_part(writer, casefile, filter, PART_COMMON, err);
}

static int write_all(struct report_writer *writer, struct casefile *casefile,
                     const struct case_filter *filter, struct error *err)
{
    int result = 0;

    if (writer->does->begin)
        result = writer->does->begin(writer, casefile, err);
    if (result == 0)
        result = write_rows(writer, casefile, filter, err);
    if (result == 0 && writer->does->end)
        result = writer->does->end(writer, err);
    if (writer->does->release)
        writer->does->release(writer);
    return result;
}

int report_write(struct report_writer *writer, struct casefile *casefile, const struct case_filter *filter,
                 struct error *err)
{
    struct case_filter order = *filter;
    int result = 0;

    if (writer->does->by_reference || writer->options.by_reference)
        order.order = CASE_BY_REFERENCE;
    if (!writer->does->counts) {
        writer->fold = report_fold_new(casefile, &order, err);
        result = writer->fold ? 0 : -1;
    }
    if (result == 0)
        result = write_all(writer, casefile, &order, err);

    report_fold_free(writer->fold);
    writer->fold = NULL;
    writer->shared = NULL;
    report_stream_release(&writer->out);
    return result < 0 ? -1 : 0;
}
