/* SPDX-License-Identifier: Apache-2.0 */
#include "container/pdf_show.h"

const struct pdf_show_matrix pdf_show_identity = {1, 0, 0, 1, 0, 0};

/* First one, and then the other. */
static struct pdf_show_matrix multiply(const struct pdf_show_matrix *m, const struct pdf_show_matrix *n)
{
    return (struct pdf_show_matrix){m->a * n->a + m->b * n->c,        m->a * n->b + m->b * n->d,
                                    m->c * n->a + m->d * n->c,        m->c * n->b + m->d * n->d,
                                    m->e * n->a + m->f * n->c + n->e, m->e * n->b + m->f * n->d + n->f};
}

void pdf_show_page(struct pdf_show *show)
{
    show->state = (struct pdf_show_state){.matrix = pdf_show_identity, .scale = 1};
    show->text = show->line = pdf_show_identity;
    show->depth = 0;
    pdf_layout_page(&show->layout);
}

void pdf_show_release(struct pdf_show *show)
{
    for (size_t i = 0; i < PDF_SHOW_MOST_FONTS; i++)
        pdf_font_release(&show->fonts[i]);
}

void pdf_show_save(struct pdf_show *show)
{
    if (show->depth < PDF_SHOW_MOST_STATES)
        show->saved[show->depth] = show->state;
    show->depth++;
}

void pdf_show_restore(struct pdf_show *show)
{
    if (show->depth > 0 && --show->depth < PDF_SHOW_MOST_STATES)
        show->state = show->saved[show->depth];
}

void pdf_show_transform(struct pdf_show *show, const struct pdf_show_matrix *matrix)
{
    show->state.matrix = multiply(matrix, &show->state.matrix);
}

/* Forgets the font that was not used for longest, also where a saved state has it. */
static struct pdf_font *make_room(struct pdf_show *show)
{
    size_t oldest = 0;

    for (size_t i = 1; i < PDF_SHOW_MOST_FONTS; i++)
        if (show->used[i] < show->used[oldest])
            oldest = i;
    for (size_t i = 0; i < PDF_SHOW_MOST_STATES; i++)
        if (show->saved[i].font == &show->fonts[oldest])
            show->saved[i].font = NULL;
    pdf_font_release(&show->fonts[oldest]);
    show->used[oldest] = ++show->clock;
    return &show->fonts[oldest];
}

int pdf_show_font(struct pdf_show *show, struct pdf_value value, double size)
{
    struct buffer buffer = {0};
    const struct pdf_objects_entry *entry = NULL;
    struct pdf_font *font;
    uint32_t number = 0;
    int result;

    show->state.size = size;
    if (pdf_lex_reference(value, &number))
        for (size_t i = 0; i < PDF_SHOW_MOST_FONTS; i++)
            if (number > 0 && show->fonts[i].number == number) {
                show->used[i] = ++show->clock;
                show->state.font = &show->fonts[i];
                return 0;
            }
    value = pdf_objects_resolve(show->objects, value, &buffer, &entry);
    show->state.font = NULL;
    if (!pdf_lex_is_kind(value, PDF_LEX_DICT)) {
        buffer_release(&buffer);
        return 0;
    }
    font = make_room(show);
    result = pdf_font_init(font, show->objects, value);
    font->number = number;
    show->state.font = font;
    buffer_release(&buffer);
    return result;
}

void pdf_show_place(struct pdf_show *show, const struct pdf_show_matrix *matrix)
{
    show->text = show->line = *matrix;
}

void pdf_show_move(struct pdf_show *show, double x, double y)
{
    const struct pdf_show_matrix move = {1, 0, 0, 1, x, y};

    show->text = show->line = multiply(&move, &show->line);
}

/* Along the line, in the units of the text. */
static void advance(struct pdf_show *show, double by)
{
    show->text.e += by * show->text.a;
    show->text.f += by * show->text.b;
}

void pdf_show_adjust(struct pdf_show *show, double by)
{
    advance(show, -by / 1000 * show->state.size * show->state.scale);
}

static void show_code(struct pdf_show *show, const struct pdf_font_code *code)
{
    const struct pdf_show_state *state = &show->state;
    const struct pdf_show_matrix raise = {1, 0, 0, 1, 0, state->rise};
    const struct pdf_show_matrix text = multiply(&raise, &show->text), all = multiply(&text, &state->matrix);
    const double width = code->width * state->size * state->scale;
    const struct pdf_layout_glyph glyph = {.x = all.e,
                                           .y = all.f,
                                           .dx = width * all.a,
                                           .dy = width * all.b,
                                           .up_x = state->size * all.c,
                                           .up_y = state->size * all.d,
                                           .characters = code->characters,
                                           .count = code->count};

    pdf_layout_add(&show->layout, &glyph);
    advance(show, width + (state->char_space + (code->is_space ? state->word_space : 0)) * state->scale);
}

void pdf_show_string(struct pdf_show *show, const uint8_t *text, size_t len)
{
    struct pdf_font_code code;

    for (size_t at = 0; show->state.font && at < len; at += code.len) {
        code = (struct pdf_font_code){0};
        pdf_font_code(show->state.font, text + at, len - at, &code);
        show_code(show, &code);
    }
}
