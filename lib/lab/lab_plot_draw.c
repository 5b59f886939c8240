/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "lab/lab_inner.h"

/* Plots as SVG.  Series differ in colour, dashes and markers, so that they can be distinguished in print,
 * too.
 */

enum {
    WIDTH = 776,
    LEFT = 98,          /* of the area that the axes enclose */
    RIGHT = WIDTH - 40, /* leaves room for half of the last label: up to seven digits with commas */
    TOP = 16,
    BOTTOM = 376,
    STYLES = 8,
    TICKS = 8, /* at most, on a linear axis */
    LINE_HEIGHT = 19,
    CAPTION_CHARS = 104,
    MOST_MARKERS = 40, /* on a line; more would hide it */
    MOST_DIGITS = 7,   /* of a label, before and after the point */
    MOST_DECIMALS = 4,
};

static const struct style {
    const char *colour, *dash;
} styles[STYLES] = {
    {"#000000", ""},     {"#0072b2", "9 4"}, {"#d55e00", "3 3"}, {"#007a5a", "12 3 3 3"},
    {"#a1437a", "16 5"}, {"#7a5c00", "6 2"}, {"#3a6ea5", "2 5"}, {"#8b1a1a", "12 3 3 3 3 3"},
};

/* ---- axes ---- */

struct axis {
    bool is_log;
    double low, high; /* of the values, or of their decimal logarithms */
    double from, to;  /* pixels */
    bool has_powers;  /* labels are powers of ten: numbers are too long for some */
};

static double scaled(const struct axis *axis, double value)
{
    return axis->is_log ? log10(value) : value;
}

static double pixel(const struct axis *axis, double value)
{
    return axis->from +
           (scaled(axis, value) - axis->low) / (axis->high - axis->low) * (axis->to - axis->from);
}

/* 1, 2 or 5 times a power of ten, with at most TICKS steps in the range. */
static double step_of(double range)
{
    double step = pow(10, floor(log10(range / TICKS)));

    for (int i = 0; range / step > TICKS; i++)
        step *= i % 3 == 1 ? 2.5 : 2;
    return step;
}

/* Widens the range to whole steps, or to whole decades; an empty range gets some width. */
static void round_range(struct axis *axis)
{
    double step;

    if (axis->low > axis->high)
        axis->low = axis->high = 0;
    if (axis->is_log) {
        axis->low = floor(axis->low + 1e-9);
        axis->high = ceil(axis->high - 1e-9);
        axis->high += axis->high <= axis->low;
        return;
    }
    /* begin at 0 unless that would waste most of the axis */
    if (axis->low > 0 && axis->low < 0.6 * axis->high)
        axis->low = 0;
    if (axis->high - axis->low <= 1e-9 * fmax(fabs(axis->low), fabs(axis->high)))
        axis->high = axis->low + (axis->low != 0 ? fabs(axis->low) : 1);
    step = step_of(axis->high - axis->low);
    axis->low = floor(axis->low / step + 1e-9) * step;
    axis->high = ceil(axis->high / step - 1e-9) * step;
}

static struct axis make_axis(const struct lab_plot *plot, bool is_y)
{
    struct axis axis = {is_y ? plot->axes.log_y : plot->axes.log_x,
                        INFINITY,
                        -INFINITY,
                        is_y ? BOTTOM : LEFT,
                        is_y ? TOP : RIGHT,
                        false};

    for (size_t i = 0; i < plot->count; i++)
        for (size_t k = 0; k < plot->lines[i].count; k++) {
            const struct lab_place *place = &plot->lines[i].places[k];
            const double value = scaled(&axis, is_y ? place->y : place->x);

            axis.low = fmin(axis.low, value);
            axis.high = fmax(axis.high, value);
        }
    round_range(&axis);
    if (axis.is_log)
        axis.has_powers = axis.high >= MOST_DIGITS || axis.low < -MOST_DECIMALS;
    else
        axis.has_powers = fmax(fabs(axis.low), fabs(axis.high)) >= pow(10, MOST_DIGITS) ||
                          step_of(axis.high - axis.low) < pow(10, -MOST_DECIMALS);
    return axis;
}

/* Digits are grouped by commas, as in the captions. */
static void add_number(struct buffer *out, const struct axis *axis, double value)
{
    char text[48];
    size_t digits;

    if (value != 0 && axis->has_powers) {
        const int exponent = (int)floor(log10(fabs(value)) + 1e-9);
        const double factor = value / pow(10, exponent);

        if (fabs(factor - 1) > 1e-6)
            buffer_printf(out, "%g&#183;", factor);
        buffer_printf(out, "10<tspan dy=\"-5\" font-size=\"9\">%d</tspan>", exponent);
        return;
    }
    snprintf(text, sizeof text, "%.7g", fabs(value) < 1e-12 ? 0 : value);
    digits = strcspn(text, ".");
    for (size_t i = 0; text[i]; i++) {
        if (i > 0 && i < digits && (digits - i) % 3 == 0 && text[i - 1] != '-' && digits > 4)
            buffer_add_char(out, ',');
        buffer_add_char(out, text[i]);
    }
}

static void add_tick(struct buffer *out, const struct axis *axis, bool is_y, double value, bool is_major)
{
    const double at = pixel(axis, value);
    const char *colour = is_major ? "#d8d8d8" : "#eeeeee";

    if (is_y)
        buffer_printf(out, "<path d=\"M%d %.1fH%d\" stroke=\"%s\"/>\n", LEFT, at, RIGHT, colour);
    else
        buffer_printf(out, "<path d=\"M%.1f %dV%d\" stroke=\"%s\"/>\n", at, TOP, BOTTOM, colour);
    if (!is_major)
        return;
    if (is_y)
        buffer_printf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 8, at + 4);
    else
        buffer_printf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", at, BOTTOM + 19);
    add_number(out, axis, value);
    buffer_add_text(out, "</text>\n");
}

/* Labels at every decade, at 2 and 5 as well where there are few, or at some decades where there are many. */
static void add_log_ticks(struct buffer *out, const struct axis *axis, bool is_y)
{
    const int first = (int)lround(axis->low), last = (int)lround(axis->high), decades = last - first;
    const int every = 1 + (decades - 1) / 8;

    for (int decade = first; decade <= last; decade++) {
        add_tick(out, axis, is_y, pow(10, decade), (decade - first) % every == 0);
        for (int i = 2; i < 10 && decade < last && decades <= 6; i++)
            add_tick(out, axis, is_y, i * pow(10, decade), decades <= 2 && (i == 2 || i == 5));
    }
}

static void add_ticks(struct buffer *out, const struct axis *axis, bool is_y)
{
    const double step = axis->is_log ? 0 : step_of(axis->high - axis->low);

    if (axis->is_log) {
        add_log_ticks(out, axis, is_y);
        return;
    }
    for (double i = round(axis->low / step); i * step <= axis->high + step / 2; i++)
        add_tick(out, axis, is_y, i * step, true);
}

static void add_label(struct buffer *out, const char *name, const char *unit)
{
    escape_xml(out, name, strlen(name));
    if (*unit) {
        buffer_add_text(out, " (");
        escape_xml(out, unit, strlen(unit));
        buffer_add_char(out, ')');
    }
    buffer_add_text(out, "</text>\n");
}

static void add_axes(struct buffer *out, const struct lab_axes *axes, const struct axis *x,
                     const struct axis *y)
{
    add_ticks(out, x, false);
    add_ticks(out, y, true);
    buffer_printf(out, "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#111\" stroke-width=\"1.4\"/>\n",
                  LEFT, TOP, BOTTOM, RIGHT);
    buffer_printf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", (LEFT + RIGHT) / 2, BOTTOM + 42);
    add_label(out, axes->x_name, axes->x_unit);
    buffer_printf(out, "<text transform=\"translate(16 %d) rotate(-90)\" text-anchor=\"middle\">",
                  (TOP + BOTTOM) / 2);
    add_label(out, axes->y_name, axes->y_unit);
}

/* ---- series ---- */

static const struct style *style_of(size_t series)
{
    return &styles[series % STYLES];
}

static void add_marker(struct buffer *out, size_t series, double x, double y)
{
    const char *colour = style_of(series)->colour;

    switch (series % STYLES) {
    case 0:
        buffer_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.2\" fill=\"%s\"/>\n", x, y, colour);
        return;
    case 1:
        buffer_printf(out, "<path d=\"M%.1f %.1fh6.4v6.4h-6.4z\" fill=\"%s\"/>\n", x - 3.2, y - 3.2, colour);
        return;
    case 2:
        buffer_printf(out, "<path d=\"M%.1f %.1fl4 7h-8z\" fill=\"%s\"/>\n", x, y - 4.4, colour);
        return;
    case 3:
        buffer_printf(out, "<path d=\"M%.1f %.1fl4 4l-4 4l-4 -4z\" fill=\"%s\"/>\n", x, y - 4, colour);
        return;
    case 4:
        buffer_printf(
            out,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.4\" fill=\"#fff\" stroke=\"%s\" stroke-width=\"1.6\"/>\n",
            x, y, colour);
        return;
    case 5:
        buffer_printf(out,
                      "<path d=\"M%.1f %.1fh6v6h-6z\" fill=\"#fff\" stroke=\"%s\" stroke-width=\"1.6\"/>\n",
                      x - 3, y - 3, colour);
        return;
    case 6:
        buffer_printf(
            out, "<path d=\"M%.1f %.1fl7 7m0 -7l-7 7\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\"/>\n",
            x - 3.5, y - 3.5, colour);
        return;
    default:
        buffer_printf(out,
                      "<path d=\"M%.1f %.1fv8m-4 -4h8\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\"/>\n",
                      x, y - 4, colour);
    }
}

static void add_stroke(struct buffer *out, size_t series)
{
    const struct style *style = style_of(series);

    buffer_printf(out, "fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"", style->colour);
    if (*style->dash)
        buffer_printf(out, " stroke-dasharray=\"%s\"", style->dash);
    buffer_add_text(out, "/>\n");
}

static void add_series(struct buffer *out, const struct lab_plot *plot, size_t series, const struct axis *x,
                       const struct axis *y)
{
    const struct lab_line *line = &plot->lines[series];
    const size_t every = line->is_scatter ? 1 : 1 + line->count / MOST_MARKERS;

    if (!line->is_scatter && line->count > 1) {
        buffer_add_text(out, "<path d=\"");
        for (size_t i = 0; i < line->count; i++)
            buffer_printf(out, "%c%.1f %.1f", i ? 'L' : 'M', pixel(x, line->places[i].x),
                          pixel(y, line->places[i].y));
        buffer_add_text(out, "\" ");
        add_stroke(out, series);
    }
    for (size_t i = 0; i < line->count; i += every)
        add_marker(out, series, pixel(x, line->places[i].x), pixel(y, line->places[i].y));
}

/* ---- below the axes ---- */

/* An estimate: fonts differ. */
static double text_width(const char *text)
{
    return 7.0 * (double)strlen(text);
}

/* The legend, in as many rows as it needs; returns the y below it. */
static double add_legend(struct buffer *out, const struct lab_plot *plot, double y)
{
    enum { SAMPLE = 36, GAP = 22 };
    double x = LEFT;

    for (size_t i = 0; i < plot->count; i++) {
        const struct lab_line *line = &plot->lines[i];
        const double width = SAMPLE + 6 + text_width(line->label);

        if (x > LEFT && x + width > RIGHT) {
            x = LEFT;
            y += LINE_HEIGHT;
        }
        if (!line->is_scatter) {
            buffer_printf(out, "<path d=\"M%.1f %.1fh%d\" ", x, y - 4, SAMPLE);
            add_stroke(out, i);
        }
        add_marker(out, i, x + SAMPLE / 2.0, y - 4);
        buffer_printf(out, "<text x=\"%.1f\" y=\"%.1f\">", x + SAMPLE + 6, y);
        escape_xml(out, line->label, strlen(line->label));
        buffer_add_text(out, "</text>\n");
        x += width + GAP;
    }
    return y + LINE_HEIGHT;
}

/* The length of the beginning of the text that fits into a line. */
static size_t fitting(const char *text)
{
    size_t len = strlen(text);

    if (len <= CAPTION_CHARS)
        return len;
    for (len = CAPTION_CHARS; len > 0 && text[len] != ' '; len--)
        ;
    return len ? len : CAPTION_CHARS;
}

static double add_caption(struct buffer *out, const char *caption, double y)
{
    for (y += 6; *caption; y += LINE_HEIGHT) {
        const size_t len = fitting(caption);

        buffer_printf(out, "<text x=\"%d\" y=\"%.1f\" fill=\"#333\">", LEFT - 74, y);
        escape_xml(out, caption, len);
        buffer_add_text(out, "</text>\n");
        caption += len + strspn(caption + len, " ");
    }
    return y;
}

void lab_plot_draw(const struct lab_plot *plot, struct buffer *out)
{
    const struct axis x = make_axis(plot, false), y = make_axis(plot, true);
    struct buffer body = {0};
    double bottom;

    add_axes(&body, &plot->axes, &x, &y);
    for (size_t i = 0; i < plot->count; i++)
        add_series(&body, plot, i, &x, &y);
    bottom = add_legend(&body, plot, BOTTOM + 70);
    bottom = add_caption(&body, plot->caption, bottom);
    buffer_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%d\" height=\"%.0f\" "
        "font-family=\"sans-serif\" font-size=\"13\" role=\"img\">\n<title>",
        WIDTH, bottom, WIDTH, bottom);
    escape_xml(out, plot->caption, strlen(plot->caption));
    buffer_printf(out, "</title>\n<rect width=\"%d\" height=\"%.0f\" fill=\"#fff\"/>\n", WIDTH, bottom);
    if (body.len)
        buffer_add(out, body.data, body.len);
    buffer_add_text(out, "</svg>\n");
    buffer_inherit(out, &body);
    buffer_release(&body);
}
