/* SPDX-License-Identifier: Apache-2.0 */
#include "rows.h"

#include <unistd.h>

#include "terminal.h"

const struct report_operations *rows_usual_form(void)
{
    return isatty(STDOUT_FILENO) ? &report_text : &report_csv;
}

struct case_filter rows_filter(const struct report_operations *form, const struct case_filter *filter,
                               bool sorted)
{
    struct case_filter order = *filter;

    order.twins |= order.objects;
    if (!sorted && (form == &report_html || (form == &report_text && terminal_width(STDOUT_FILENO))))
        order.order = CASE_BY_SIGNIFICANCE;
    return order;
}

int rows_write(const struct report_operations *form, struct casefile *casefile,
               const struct case_filter *filter, const struct report_options *options, struct error *err)
{
    struct report_writer writer = {.does = form, .out = {.to = stdout}, .options = *options};

    writer.options.colours = terminal_colours(STDOUT_FILENO);
    writer.options.width = terminal_width(STDOUT_FILENO);
    return report_write(&writer, casefile, filter, err);
}
