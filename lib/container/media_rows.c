/* SPDX-License-Identifier: Apache-2.0 */
#include "container/media_rows.h"

#include <stdlib.h>
#include <string.h>

#include "container/media_inner.h"

/* Of interlaced pictures: the first pixel of each pass, and the distances between its pixels. */
static const struct {
    uint8_t x, y, dx, dy;
} passes[] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
              {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};

enum { PASSES = sizeof passes / sizeof *passes };

/* Samples of a pixel by colour type; 0: there is no such type. */
static const uint8_t samples[] = {1, 0, 3, 1, 2, 0, 4};

static bool is_valid(const uint8_t *header)
{
    const unsigned depth = header[8], colour = header[9];

    if (media_be32(header) == 0 || media_be32(header + 4) == 0 || colour >= sizeof samples ||
        samples[colour] == 0)
        return false;
    return depth == 8 || (depth == 16 && colour != 3) ||
           ((depth == 1 || depth == 2 || depth == 4) && (colour == 0 || colour == 3));
}

/* A row with its filter. */
static uint64_t bytes_of(const struct media_rows *rows, uint64_t pixels)
{
    return 1 + (pixels * rows->bits + 7) / 8;
}

int media_rows_begin(struct media_rows *rows, const uint8_t *header, struct error *err)
{
    uint64_t len;

    media_rows_release(rows);
    if (!is_valid(header))
        return error_set(err, "has an invalid header");
    rows->width = media_be32(header);
    rows->height = media_be32(header + 4);
    rows->bits = (unsigned)header[8] * samples[header[9]];
    rows->step = (rows->bits + 7) / 8;
    rows->is_interlaced = header[12] == 1;
    len = bytes_of(rows, rows->width);
    if (len > MEDIA_ROWS_LONGEST)
        return error_set(err, "has rows of more than %d bytes", MEDIA_ROWS_LONGEST);
    rows->row = calloc(1, (size_t)len);
    rows->above = calloc(1, (size_t)len);
    return rows->row && rows->above ? 0 : error_set(err, "out of memory");
}

void media_rows_release(struct media_rows *rows)
{
    free(rows->row);
    free(rows->above);
    *rows = (struct media_rows){0};
}

/* How many pixels of `size` a pass has, from `first` on. */
static uint32_t share(uint32_t size, uint32_t first, uint32_t distance)
{
    return size > first ? (size - first - 1) / distance + 1 : 0;
}

/* Begins the next pass that has pixels. */
static bool next_pass(struct media_rows *rows)
{
    const unsigned count = rows->is_interlaced ? PASSES : 1;

    while (rows->left == 0 && rows->pass < count) {
        const unsigned pass = rows->pass++;
        uint32_t width = rows->width;

        rows->left = rows->height;
        if (rows->is_interlaced) {
            width = share(rows->width, passes[pass].x, passes[pass].dx);
            rows->left = width ? share(rows->height, passes[pass].y, passes[pass].dy) : 0;
        }
        rows->row_len = (size_t)bytes_of(rows, width);
        memset(rows->row, 0, rows->row_len); /* it becomes the row above */
    }
    return rows->left > 0;
}

bool media_rows_next(struct media_rows *rows)
{
    uint8_t *row = rows->row;

    if (rows->left == 0 && !next_pass(rows))
        return false;
    rows->left--;
    rows->row = rows->above;
    rows->above = row;
    return true;
}

static void undo_sub(uint8_t *row, size_t len, size_t step)
{
    for (size_t i = step; i < len; i++)
        row[i] = (uint8_t)(row[i] + row[i - step]);
}

static void undo_up(uint8_t *restrict row, const uint8_t *restrict above, size_t len)
{
    for (size_t i = 0; i < len; i++)
        row[i] = (uint8_t)(row[i] + above[i]);
}

static void undo_average(uint8_t *restrict row, const uint8_t *restrict above, size_t len, size_t step)
{
    for (size_t i = 0; i < step && i < len; i++)
        row[i] = (uint8_t)(row[i] + above[i] / 2);
    for (size_t i = step; i < len; i++)
        row[i] = (uint8_t)(row[i] + (row[i - step] + above[i]) / 2);
}

/* Whichever of left, above and above left is nearest to left + above - above left. */
static uint8_t nearest(int left, int above, int corner)
{
    const int to_left = abs(above - corner), to_above = abs(left - corner),
              to_corner = abs(left + above - 2 * corner);
    const int side = to_above < to_left ? above : left, to_side = to_above < to_left ? to_above : to_left;

    return (uint8_t)(to_corner < to_side ? corner : side);
}

static void undo_paeth(uint8_t *restrict row, const uint8_t *restrict above, size_t len, size_t step)
{
    for (size_t i = 0; i < step && i < len; i++)
        row[i] = (uint8_t)(row[i] + above[i]);
    for (size_t i = step; i < len; i++)
        row[i] = (uint8_t)(row[i] + nearest(row[i - step], above[i], above[i - step]));
}

int media_rows_unfilter(struct media_rows *rows, size_t len)
{
    uint8_t *row = rows->row + 1;
    const uint8_t *above = rows->above + 1;

    if (len < 2)
        return 0;
    switch (rows->row[0]) {
    case 0:
        return 0;
    case 1:
        undo_sub(row, len - 1, rows->step);
        return 0;
    case 2:
        undo_up(row, above, len - 1);
        return 0;
    case 3:
        undo_average(row, above, len - 1, rows->step);
        return 0;
    case 4:
        undo_paeth(row, above, len - 1, rows->step);
        return 0;
    default:
        return -1;
    }
}
