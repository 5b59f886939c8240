/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "lab/lab_inner.h"

char *lab_table_format(const char *fmt, va_list args)
{
    char *text;

    return vasprintf(&text, fmt, args) < 0 ? NULL : text;
}

void lab_table_free(struct lab_table *table)
{
    if (!table)
        return;
    for (size_t i = 0; i < table->count; i++)
        free(table->cells[i].text);
    free(table->cells);
    free(table->name);
    free(table->caption);
    free(table);
}

void lab_row(struct lab_table *table)
{
    if (!table || table->failed)
        return;
    if (array_reserve(&table->cells, &table->room, table->count + table->width)) {
        table->failed = true;
        return;
    }
    for (size_t i = 0; i < table->width; i++)
        table->cells[table->count++] = (struct lab_cell){.kind = LAB_EMPTY};
}

/* A cell of the last row, or NULL if memory ran out before. */
static struct lab_cell *find_cell(struct lab_table *table, size_t column)
{
    if (!table || table->failed || table->count == 0 || column >= table->width)
        return NULL;
    return &table->cells[table->count - table->width + column];
}

void lab_number(struct lab_table *table, size_t column, double value)
{
    struct lab_cell *cell = find_cell(table, column);

    if (cell && isfinite(value)) {
        cell->kind = LAB_NUMBER;
        cell->number = value;
    }
}

void lab_row_numbers(struct lab_table *table, const double *values, size_t count)
{
    lab_row(table);
    for (size_t i = 0; i < count; i++)
        lab_number(table, i, values[i]);
}

void lab_text(struct lab_table *table, size_t column, const char *fmt, ...)
{
    struct lab_cell *cell = find_cell(table, column);
    va_list args;

    if (!cell)
        return;
    free(cell->text);
    va_start(args, fmt);
    cell->text = lab_table_format(fmt, args);
    va_end(args);
    cell->kind = cell->text ? LAB_TEXT : LAB_EMPTY;
    table->failed |= !cell->text;
}

/* A number that these digits after the point show as zero has no sign. */
static double without_sign_of_zero(double value, int digits)
{
    char text[32];

    if (!signbit(value) || value <= -1)
        return value;
    snprintf(text, sizeof text, "%.*f", digits, value);
    return text[strspn(text, "-0.")] ? value : 0;
}

/* Three significant digits, without an exponent for usual sizes. */
static void add_significant(struct buffer *out, double value)
{
    const double size = fabs(value);
    const int magnitude = size > 0 ? (int)floor(log10(size)) : 0;

    if (size >= 1e15 || (size > 0 && size < 1e-4))
        buffer_printf(out, "%.2e", value);
    else if (magnitude > 2)
        buffer_printf(out, "%.0f", round(value / pow(10, magnitude - 2)) * pow(10, magnitude - 2));
    else
        buffer_printf(out, "%.*f", size > 0 ? 2 - magnitude : 0, size > 0 ? value : 0);
}

void lab_table_cell(const struct lab_table *table, size_t row, size_t column, struct buffer *out)
{
    const struct lab_cell *cell = &table->cells[row * table->width + column];
    const int digits = table->columns[column].digits;

    if (cell->kind == LAB_TEXT)
        buffer_add_text(out, cell->text);
    else if (cell->kind == LAB_NUMBER && digits == LAB_PRINTED)
        buffer_printf(out, "%.12g", cell->number);
    else if (cell->kind == LAB_NUMBER && digits < 0)
        add_significant(out, cell->number);
    else if (cell->kind == LAB_NUMBER)
        buffer_printf(out, "%.*f", digits, without_sign_of_zero(cell->number, digits));
}
