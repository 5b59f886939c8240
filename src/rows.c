/* SPDX-License-Identifier: Apache-2.0 */
#include "rows.h"

#include <unistd.h>

#include "terminal.h"

const struct report_operations *rows_usual_form(void)
{
    return isatty(STDOUT_FILENO) ? &report_text : &report_csv;
}

int rows_write(const struct report_operations *form, struct casefile *casefile,
               const struct case_filter *filter, const struct report_options *options, bool sorted,
               struct error *err)
{
    struct report_writer writer = {.does = form, .out = {.to = stdout}, .options = *options};
    struct case_filter order = *filter;

    writer.options.colours = terminal_colours(STDOUT_FILENO);
    writer.options.width = terminal_width(STDOUT_FILENO);
    order.twins |= order.objects;
    if (!sorted && (form == &report_html || (form == &report_text && writer.options.width)))
        order.order = CASE_BY_SIGNIFICANCE;
    return report_write(&writer, casefile, &order, err);
}
