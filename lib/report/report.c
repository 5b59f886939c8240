/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

static int write_rows(struct report_writer *writer, struct case_reader *reader, struct error *err)
{
    struct case_row row;
    int more, result = 0;

    for (writer->rows = 0; result == 0 && (more = casefile_reader_next(reader, &row, err)) != 0;
         writer->rows++)
        result = more < 0 ? -1 : writer->does->finding(writer, &row, err);
    return result;
}

static int write_all(struct report_writer *writer, struct casefile *casefile, struct case_reader *reader,
                     struct error *err)
{
    int result = 0;

    if (writer->does->begin)
        result = writer->does->begin(writer, casefile, err);
    if (result == 0)
        result = write_rows(writer, reader, err);
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
    struct case_reader *reader;
    int result;

    if (writer->does->by_reference || writer->options.by_reference)
        order.order = CASE_BY_REFERENCE;
    reader = casefile_reader_new(casefile, &order, err);
    result = reader ? write_all(writer, casefile, reader, err) : -1;

    casefile_reader_free(reader);
    report_stream_release(&writer->out);
    return result < 0 ? -1 : 0;
}
