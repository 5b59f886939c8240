/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_previews.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* ---- the list ---- */

static int compare_ids(const struct case_finding_id *a, const struct case_finding_id *b)
{
    if (a->evidence != b->evidence)
        return a->evidence < b->evidence ? -1 : 1;
    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static int compare(const void *a, const void *b)
{
    const struct report_preview *x = a, *y = b;

    return compare_ids(&x->id, &y->id);
}

struct report_preview *report_previews_add(struct report_previews *previews, const struct case_finding_id *id)
{
    if (array_reserve(&previews->list, &previews->room, previews->count + 1))
        return NULL;
    previews->list[previews->count] = (struct report_preview){.id = *id};
    return &previews->list[previews->count++];
}

void report_previews_sort(struct report_previews *previews)
{
    if (previews->count)
        qsort(previews->list, previews->count, sizeof *previews->list, compare);
}

const struct report_preview *report_previews_find(const struct report_previews *previews,
                                                  const struct case_finding_id *id)
{
    const struct report_preview key = {.id = *id};

    if (!previews || previews->count == 0)
        return NULL;
    return bsearch(&key, previews->list, previews->count, sizeof *previews->list, compare);
}

void report_previews_release(struct report_previews *previews)
{
    for (size_t i = 0; i < previews->count; i++)
        buffer_release(&previews->list[i].json);
    free(previews->list);
    *previews = (struct report_previews){.count = 0};
}

/* ---- pictures ---- */

enum { MOST_PIXELS = 4096 };

static uint32_t big_endian(const uint8_t *p, size_t len)
{
    uint32_t value = 0;

    for (size_t i = 0; i < len; i++)
        value = value << 8 | p[i];
    return value;
}

static bool is_bearable(uint32_t width, uint32_t height)
{
    return width > 0 && height > 0 && width <= MOST_PIXELS && height <= MOST_PIXELS;
}

/* The size is in the segment that begins a frame: its length, precision, height and width. */
static bool is_jpeg(const uint8_t *p, size_t len)
{
    size_t at = 2;

    if (len < 4 || memcmp(p, "\xff\xd8\xff", 3) != 0)
        return false;
    while (len - at >= 9 && p[at] == 0xff) {
        const uint8_t marker = p[at + 1];
        const size_t segment = big_endian(p + at + 2, 2);

        if (marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc)
            return is_bearable(big_endian(p + at + 7, 2), big_endian(p + at + 5, 2));
        if (segment < 2 || segment > len - at - 2)
            return false;
        at += 2 + segment;
    }
    return false;
}

static bool is_png(const uint8_t *p, size_t len)
{
    return len >= 33 && memcmp(p, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16) == 0 &&
           is_bearable(big_endian(p + 16, 4), big_endian(p + 20, 4));
}

static bool is_gif(const uint8_t *p, size_t len)
{
    return len >= 13 && (memcmp(p, "GIF87a", 6) == 0 || memcmp(p, "GIF89a", 6) == 0) &&
           is_bearable(p[6] | (uint32_t)p[7] << 8, p[8] | (uint32_t)p[9] << 8);
}

const char *report_previews_picture(const uint8_t *data, size_t len)
{
    return is_jpeg(data, len)  ? "image/jpeg"
           : is_png(data, len) ? "image/png"
           : is_gif(data, len) ? "image/gif"
                               : NULL;
}
