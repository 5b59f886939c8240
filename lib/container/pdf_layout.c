/* SPDX-License-Identifier: Apache-2.0 */
#include "container/pdf_layout.h"

#include <math.h>

/* In sizes of the font. */
static const double word_gap = 0.15, overlap = 0.5, same_line = 0.5, indentation = 0.8, usual_leading = 1.7,
                    other_leading = 1.5, most_leading = 3, most_indentation = 5;
/* As a factor. */
static const double more_leading = 1.25, other_size = 1.15, early = 0.8;

enum { HYPHEN_MINUS = '-', SOFT_HYPHEN = 0xad, HYPHEN = 0x2010 };

static bool is_lower(uint32_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 0xdf && c <= 0xff && c != 0xf7) || (c >= 0x3ac && c <= 0x3ce) ||
           (c >= 0x430 && c <= 0x45f);
}

static bool is_letter(uint32_t c)
{
    return is_lower(c) || (c >= 'A' && c <= 'Z') || c >= 0xc0;
}

static bool ends_sentence(uint32_t c)
{
    return c == '.' || c == '!' || c == '?' || c == ':' || c == 0;
}

/* A glyph in the direction of its line: `along` it, and `base` upwards. */
struct place {
    int direction;
    double along, end, base, size;
};

static struct place find_place(const struct pdf_layout_glyph *glyph)
{
    const double size = glyph->up_x == 0 ? fabs(glyph->up_y) : hypot(glyph->up_x, glyph->up_y);
    struct place place = {.size = size};
    double x = glyph->x, y = glyph->y, dx = glyph->dx, dy = glyph->dy;

    if (fabs(glyph->up_x) > fabs(glyph->up_y))
        place.direction = glyph->up_x < 0 ? 1 : 3;
    else
        place.direction = glyph->up_y < 0 ? 2 : 0;
    for (int i = 0; i < place.direction; i++) {
        const double was_x = x, was_dx = dx;

        x = y;
        y = -was_x;
        dx = dy;
        dy = -was_dx;
    }
    place.along = x;
    place.end = x + dx;
    place.base = y;
    return place;
}

/* Whether the line continues a sentence of the one before. */
static bool goes_on(const struct pdf_layout *layout, uint32_t first)
{
    return is_lower(first) && !ends_sentence(layout->last);
}

/* Whether the line is in another column, or on another page. */
static bool is_elsewhere(const struct pdf_layout *layout, const struct place *place)
{
    const double leading = layout->line.base - place->base;

    return layout->new_page || place->direction != layout->direction || leading <= 0 ||
           leading > most_leading * fmin(place->size, layout->line.size);
}

/* What items of lists begin with. */
static bool is_bullet(uint32_t c)
{
    static const uint32_t bullets[] = {0x2022, 0x2023, 0x2043, 0x25a0, 0x25aa,
                                       0x25ab, 0x25cb, 0x25cf, 0x25e6, 0xf0b7};

    for (size_t i = 0; i < sizeof bullets / sizeof *bullets; i++)
        if (c == bullets[i])
            return true;
    return false;
}

/* Whether a line that begins here is indented, or no longer indented, in a way that begins a paragraph. */
static bool is_indented(const struct pdf_layout *layout, const struct place *place, double size)
{
    const struct pdf_layout_line *line = &layout->line;

    if (layout->lines > 1)
        return fabs(place->along - layout->left) > indentation * size;
    return fabs(place->along - line->start) > most_indentation * size ||
           (place->along > line->start + indentation * size && ends_sentence(layout->last));
}

/* The leading above which a paragraph ends.  After a single line, which may be one, that of others is a hint.
 */
static double most_leading_of(const struct pdf_layout *layout, double size)
{
    if (layout->leading > 0)
        return layout->leading * more_leading;
    if (ends_sentence(layout->last) && layout->usual > 0)
        return layout->usual * size * more_leading;
    return (ends_sentence(layout->last) ? other_leading : usual_leading) * size;
}

/* Whether a line that begins at this place, and with this character, is another paragraph. */
static bool is_paragraph(const struct pdf_layout *layout, const struct place *place, uint32_t first)
{
    const struct pdf_layout_line *line = &layout->line;
    const double leading = line->base - place->base, size = fmin(place->size, line->size);
    const bool is_other = place->size > line->size * other_size || line->size > place->size * other_size;

    if (is_bullet(first))
        return true;
    if (is_elsewhere(layout, place) || (is_other && leading < other_leading * fmax(place->size, line->size)))
        return !goes_on(layout, first);
    if (is_other)
        return true;
    if (leading > most_leading_of(layout, size))
        return true;
    if (is_indented(layout, place, size))
        return !layout->has_hyphen || !is_lower(first);
    return ends_sentence(layout->last) && layout->lines > 1 &&
           line->end < layout->left + early * (layout->right - layout->left);
}

static void write_hyphen(struct pdf_layout *layout)
{
    if (layout->has_hyphen)
        running_text_char(layout->text, layout->hyphen);
    layout->has_hyphen = false;
}

/* What the paragraph looks like with a line that begins here. */
static void measure_line(struct pdf_layout *layout, const struct place *place, bool breaks)
{
    const bool elsewhere = !layout->any || is_elsewhere(layout, place);

    if (breaks || !layout->any) {
        layout->lines = 0;
        layout->leading = 0;
        layout->right = place->end;
    } else if (!elsewhere && layout->leading <= 0) {
        layout->leading = layout->line.base - place->base;
        layout->usual = layout->leading / fmax(place->size, layout->line.size);
    }
    layout->lines++;
    if (layout->lines <= 2 || elsewhere)
        layout->left = place->along;
    layout->line = (struct pdf_layout_line){place->along, place->end, place->base, place->size};
    layout->direction = place->direction;
    layout->any = true;
    layout->new_page = layout->wants_space = false;
}

static void begin_line(struct pdf_layout *layout, const struct place *place, uint32_t first)
{
    const bool breaks = layout->any && is_paragraph(layout, place, first);
    const bool joins = layout->has_hyphen && !breaks && is_lower(first);

    if (joins)
        layout->has_hyphen = false;
    write_hyphen(layout);
    if (breaks)
        running_text_break(layout->text);
    else if (!joins)
        running_text_space(layout->text);
    measure_line(layout, place, breaks);
}

static bool is_on_line(const struct pdf_layout *layout, const struct place *place)
{
    const struct pdf_layout_line *line = &layout->line;
    const double size = place->size > line->size ? place->size : line->size;

    return layout->any && !layout->new_page && place->direction == layout->direction &&
           fabs(place->base - line->base) < same_line * size && place->along > line->end - overlap * size;
}

static bool is_hyphen(uint32_t c)
{
    return c == HYPHEN_MINUS || c == SOFT_HYPHEN || c == HYPHEN;
}

static bool is_space(uint32_t c)
{
    return c <= ' ' || c == 0xa0;
}

static void write_char(struct pdf_layout *layout, uint32_t c)
{
    if (is_hyphen(c) && is_letter(layout->last)) {
        layout->has_hyphen = true;
        layout->hyphen = c;
    } else {
        running_text_char(layout->text, c);
    }
    layout->last = c;
}

static void end_word(struct pdf_layout *layout)
{
    running_text_space(layout->text);
    layout->last = ' ';
}

void pdf_layout_add(struct pdf_layout *layout, const struct pdf_layout_glyph *glyph)
{
    const struct place place = find_place(glyph);

    if (glyph->count == 0 || !isfinite(place.along) || !isfinite(place.end) || !isfinite(place.base) ||
        place.size <= 0)
        return;
    if (is_space(glyph->characters[0])) {
        /* Some programs draw lines by underlined spaces, anywhere. */
        layout->wants_space |=
            is_on_line(layout, &place) && place.along > layout->line.end - word_gap * place.size;
        return;
    }
    if (!is_on_line(layout, &place)) {
        begin_line(layout, &place, glyph->characters[0]);
    } else {
        write_hyphen(layout);
        if (layout->wants_space || place.along > layout->line.end + word_gap * layout->line.size)
            end_word(layout);
        layout->wants_space = false;
    }
    for (size_t i = 0; i < glyph->count; i++) {
        write_hyphen(layout);
        write_char(layout, glyph->characters[i]);
    }
    layout->line.end = place.end;
    layout->line.size = fmax(layout->line.size, place.size);
    if (place.end > layout->right)
        layout->right = place.end;
}

void pdf_layout_page(struct pdf_layout *layout)
{
    layout->new_page = true;
}

void pdf_layout_end(struct pdf_layout *layout)
{
    write_hyphen(layout);
    running_text_end(layout->text);
}
