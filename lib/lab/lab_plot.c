/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "lab/lab_inner.h"

void lab_plot_free(struct lab_plot *plot)
{
    if (!plot)
        return;
    for (size_t i = 0; i < plot->count; i++) {
        free(plot->lines[i].label);
        free(plot->lines[i].places);
    }
    free(plot->lines);
    free(plot->name);
    free(plot->caption);
    free(plot);
}

const char *lab_plot_name(const struct lab_plot *plot)
{
    return plot->name;
}

/* Takes the label. */
static size_t add_line(struct lab_plot *plot, char *label, bool is_scatter)
{
    if (!label || !plot || array_reserve(&plot->lines, &plot->room, plot->count + 1)) {
        if (plot)
            plot->failed = true;
        free(label);
        return SIZE_MAX;
    }
    plot->lines[plot->count] = (struct lab_line){.label = label, .is_scatter = is_scatter};
    return plot->count++;
}

size_t lab_series(struct lab_plot *plot, const char *fmt, ...)
{
    va_list args;
    char *label;

    va_start(args, fmt);
    label = lab_table_format(fmt, args);
    va_end(args);
    return add_line(plot, label, false);
}

size_t lab_scatter(struct lab_plot *plot, const char *fmt, ...)
{
    va_list args;
    char *label;

    va_start(args, fmt);
    label = lab_table_format(fmt, args);
    va_end(args);
    return add_line(plot, label, true);
}

/* Larger numbers would overflow in the arithmetic of the axes. */
static bool is_usable(double value)
{
    return isfinite(value) && fabs(value) < 1e100;
}

void lab_point(struct lab_plot *plot, size_t series, double x, double y)
{
    struct lab_line *line;

    if (!plot || plot->failed || series >= plot->count || !is_usable(x) || !is_usable(y))
        return;
    if ((plot->axes.log_x && x <= 0) || (plot->axes.log_y && y <= 0))
        return;
    line = &plot->lines[series];
    if (array_reserve(&line->places, &line->room, line->count + 1))
        plot->failed = true;
    else
        line->places[line->count++] = (struct lab_place){x, y};
}
