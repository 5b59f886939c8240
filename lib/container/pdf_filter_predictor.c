/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "container/pdf_filter_inner.h"

int pdf_filter_rows_init(struct pdf_filter_stage *stage)
{
    struct pdf_filter_rows *rows = calloc(1, sizeof *rows);
    const struct pdf_filter_step *step = &stage->step;

    stage->rows = rows;
    if (!rows)
        return -1;
    rows->row_len = pdf_filter_row(step);
    rows->pixel_len = ((size_t)step->bits * step->colours + 7) / 8;
    rows->row = calloc(1, rows->row_len + 1);
    rows->above = calloc(1, rows->row_len + 1);
    return rows->row && rows->above && rows->row_len > 0 ? 0 : -1;
}

void pdf_filter_rows_release(struct pdf_filter_stage *stage)
{
    if (stage->rows) {
        free(stage->rows->row);
        free(stage->rows->above);
    }
    free(stage->rows);
}

static uint8_t nearest(int left, int above, int corner)
{
    const int to_left = abs(above - corner), to_above = abs(left - corner),
              to_corner = abs(left + above - 2 * corner);

    if (to_left <= to_above && to_left <= to_corner)
        return (uint8_t)left;
    return (uint8_t)(to_above <= to_corner ? above : corner);
}

/* PNG's filters (RFC 2083, 6). */
static void undo_png(struct pdf_filter_rows *rows, unsigned kind, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        const bool is_first = i < rows->pixel_len;
        const uint8_t left = is_first ? 0 : rows->row[i - rows->pixel_len], above = rows->above[i];
        const uint8_t corner = is_first ? 0 : rows->above[i - rows->pixel_len];
        unsigned add = 0;

        if (kind == 1)
            add = left;
        else if (kind == 2)
            add = above;
        else if (kind == 3)
            add = (left + above) / 2u;
        else if (kind == 4)
            add = nearest(left, above, corner);
        rows->row[i] = (uint8_t)(rows->row[i] + add);
    }
}

/* The sample of `bits` bits with this number in the row. */
static unsigned get_sample(const uint8_t *row, size_t number, unsigned bits)
{
    const size_t bit = number * bits;

    return row[bit / 8] >> (8 - bits - bit % 8) & ((1u << bits) - 1);
}

static void undo_tiff_bits(uint8_t *row, size_t samples, size_t colours, unsigned bits)
{
    for (size_t i = colours; i < samples; i++) {
        const unsigned shift = (unsigned)(8 - bits - i * bits % 8), mask = (1u << bits) - 1;
        const unsigned sum = get_sample(row, i, bits) + get_sample(row, i - colours, bits);

        row[i * bits / 8] = (uint8_t)((row[i * bits / 8] & ~(mask << shift)) | (sum & mask) << shift);
    }
}

/* Each sample is a difference to the one of the same colour on the left (TIFF 6.0, 14). */
static void undo_tiff(struct pdf_filter_rows *rows, const struct pdf_filter_step *step, size_t len)
{
    uint8_t *row = rows->row;

    if (step->bits < 8) {
        undo_tiff_bits(row, len * 8 / step->bits, step->colours, step->bits);
        return;
    }
    if (step->bits == 8)
        for (size_t i = step->colours; i < len; i++)
            row[i] = (uint8_t)(row[i] + row[i - step->colours]);
    else
        for (size_t i = rows->pixel_len; i + 1 < len; i += 2) {
            const uint8_t *left = row + i - rows->pixel_len;
            const unsigned sum = (unsigned)(row[i] << 8 | row[i + 1]) + (unsigned)(left[0] << 8 | left[1]);

            row[i] = (uint8_t)(sum >> 8);
            row[i + 1] = (uint8_t)sum;
        }
}

/* Reads a row, which may be cut off; false if there is none. */
static bool read_row(struct pdf_filter_stage *stage)
{
    struct pdf_filter_rows *rows = stage->rows;
    uint8_t *const above = rows->row;
    const int kind = stage->step.is_png ? pdf_filter_get(stage) : 0;

    rows->row = rows->above;
    rows->above = above;
    rows->at = rows->have = 0;
    if (kind < 0)
        return false;
    while (rows->have < rows->row_len && (stage->in_at < stage->in_len || pdf_filter_fill(stage))) {
        const size_t left = rows->row_len - rows->have, had = stage->in_len - stage->in_at;
        const size_t count = left < had ? left : had;

        memcpy(rows->row + rows->have, stage->in + stage->in_at, count);
        stage->in_at += count;
        rows->have += count;
    }
    if (stage->step.is_png)
        undo_png(rows, (unsigned)kind, rows->have);
    else
        undo_tiff(rows, &stage->step, rows->have);
    return rows->have > 0;
}

size_t pdf_filter_unpredict(struct pdf_filter_stage *stage, uint8_t *into, size_t len)
{
    struct pdf_filter_rows *rows = stage->rows;
    size_t done = 0;

    while (done < len) {
        const size_t left = rows->have - rows->at, count = left < len - done ? left : len - done;

        memcpy(into + done, rows->row + rows->at, count);
        rows->at += count;
        done += count;
        if (rows->at == rows->have && !read_row(stage)) {
            stage->ended = true;
            break;
        }
    }
    return done;
}
