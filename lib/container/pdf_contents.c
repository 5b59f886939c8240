/* SPDX-License-Identifier: Apache-2.0 */
#include "container/pdf_contents.h"

#include <stdlib.h>
#include <string.h>

enum {
    STEP = 1000,     /* tokens */
    LOW = 4 << 10,   /* bytes in the window, below which more are read */
    MOST_NAME = 128, /* bytes of the name of a resource */
};

static struct pdf_contents_level *top(struct pdf_contents *contents)
{
    return &contents->levels[contents->level_count - 1];
}

/* ---- streams ---- */

/* Opens the next stream of a page. */
static bool next_stream(struct pdf_contents *contents, struct pdf_contents_level *level)
{
    struct pdf_value value;

    pdf_filter_free(level->filter);
    level->filter = NULL;
    while (!level->filter && pdf_lex_value(&level->rest, &value)) {
        const struct pdf_objects_entry *entry;
        uint32_t number;

        if (pdf_lex_reference(value, &number) &&
            (entry = pdf_objects_find(contents->objects, number)) != NULL)
            level->filter = pdf_objects_open(contents->objects, entry, NULL);
        contents->is_damaged |= !level->filter;
    }
    return level->filter != NULL;
}

/* Reads more into the window; false if there is no more, or no room. */
static bool refill(struct pdf_contents *contents, struct pdf_contents_level *level)
{
    ssize_t got;

    if (level->ended)
        return false;
    memmove(level->window, level->window + level->at, level->len - level->at);
    level->len -= level->at;
    level->at = 0;
    if (level->len >= PDF_CONTENTS_WINDOW)
        return false;
    got = level->filter ? pdf_filter_read(level->filter, level->window + level->len,
                                          PDF_CONTENTS_WINDOW - level->len, NULL)
                        : 0;
    contents->is_damaged |= got < 0;
    if (got > 0) {
        level->len += (size_t)got;
        level->ended = !pdf_objects_work(contents->objects, (uint64_t)got);
        return true;
    }
    /* Words do not extend from one stream into the next. */
    level->ended = !next_stream(contents, level);
    level->window[level->len++] = ' ';
    return true;
}

/* The next token, whole unless it is longer than the window. */
static enum pdf_lex_kind next_token(struct pdf_contents *contents, struct pdf_contents_level *level,
                                    struct pdf_lex_token *token)
{
    struct pdf_lex lex;

    while (level->len - level->at < LOW && refill(contents, level))
        ;
    do {
        lex = (struct pdf_lex){level->window + level->at, level->window + level->len};
        pdf_lex_next(&lex, token);
    } while (lex.at == lex.end && refill(contents, level));
    level->at = (size_t)(lex.at - level->window);
    return token->kind;
}

/* After "ID": the data of an image ends with "EI" as a word. */
static void skip_image(struct pdf_contents *contents, struct pdf_contents_level *level)
{
    for (;;) {
        const uint8_t *from = level->window + level->at, *end = level->window + level->len, *p = from;

        while (end - p > 3 && (p = memmem(p, (size_t)(end - p), "EI", 2)) != NULL) {
            if (p > from && pdf_lex_is_space(p[-1]) && end - p > 2 && pdf_lex_is_space(p[2])) {
                level->at = (size_t)(p - level->window) + 2;
                return;
            }
            p++;
        }
        if (level->len - level->at > 3)
            level->at = level->len - 3;
        if (!refill(contents, level))
            break;
    }
    level->at = level->len;
}

/* ---- levels ---- */

static void end_level(struct pdf_contents *contents)
{
    struct pdf_contents_level *level = top(contents);

    pdf_filter_free(level->filter);
    level->filter = NULL;
    while (contents->show->depth > level->depth)
        pdf_show_restore(contents->show);
    contents->level_count--;
}

/* Another level, with its buffers emptied; NULL if there are too many, or if memory runs out. */
static struct pdf_contents_level *begin_level(struct pdf_contents *contents)
{
    struct pdf_contents_level *level = &contents->levels[contents->level_count];
    const struct pdf_contents_level was = *level;

    if (contents->level_count == PDF_CONTENTS_LEVELS)
        return NULL;
    *level = (struct pdf_contents_level){.window = was.window,
                                         .dictionary = was.dictionary,
                                         .for_rest = was.for_rest,
                                         .for_resources = was.for_resources,
                                         .for_fonts = was.for_fonts,
                                         .for_forms = was.for_forms};
    if (!level->window)
        level->window = malloc(PDF_CONTENTS_WINDOW + 1);
    if (!level->window)
        return NULL;
    contents->level_count++;
    level->depth = contents->show->depth;
    return level;
}

static void take_resources(struct pdf_contents *contents, struct pdf_contents_level *level,
                           struct pdf_value owner)
{
    level->resources = pdf_objects_get(contents->objects, owner, "Resources", &level->for_resources);
    level->fonts = pdf_objects_get(contents->objects, level->resources, "Font", &level->for_fonts);
    level->forms = pdf_objects_get(contents->objects, level->resources, "XObject", &level->for_forms);
}

int pdf_contents_begin(struct pdf_contents *contents, struct pdf_value page, uint32_t owner)
{
    struct pdf_contents_level *level;
    const struct pdf_objects_entry *entry = pdf_objects_find(contents->objects, owner);
    struct pdf_value list = pdf_lex_get(page, "Contents");

    pdf_show_page(contents->show);
    contents->operand_count = 0;
    buffer_reset(&contents->bytes);
    level = begin_level(contents);
    if (!level)
        return -1;
    if (entry)
        take_resources(contents, level, pdf_objects_load(contents->objects, entry, &level->dictionary));
    else
        take_resources(contents, level, page);
    level->rest = pdf_lex_items(list);
    list = pdf_objects_resolve(contents->objects, list, &level->for_rest, &entry);
    if (pdf_lex_is_kind(list, PDF_LEX_ARRAY))
        level->rest = pdf_lex_items(list);
    return 0;
}

void pdf_contents_release(struct pdf_contents *contents)
{
    for (size_t i = 0; i < PDF_CONTENTS_LEVELS; i++) {
        struct pdf_contents_level *level = &contents->levels[i];

        pdf_filter_free(level->filter);
        free(level->window);
        buffer_release(&level->dictionary);
        buffer_release(&level->for_rest);
        buffer_release(&level->for_resources);
        buffer_release(&level->for_fonts);
        buffer_release(&level->for_forms);
    }
    buffer_release(&contents->bytes);
}

/* ---- operands ---- */

static double number(const struct pdf_contents *contents, size_t which)
{
    return which < contents->operand_count ? contents->operands[which].number : 0;
}

/* The first six operands. */
static struct pdf_show_matrix matrix(const struct pdf_contents *contents)
{
    return (struct pdf_show_matrix){number(contents, 0), number(contents, 1), number(contents, 2),
                                    number(contents, 3), number(contents, 4), number(contents, 5)};
}

static void add_operand(struct pdf_contents *contents, const struct pdf_lex_token *token)
{
    struct pdf_contents_operand operand = {
        .kind = token->kind, .number = token->number, .at = contents->bytes.len};

    if (contents->operand_count == PDF_CONTENTS_OPERANDS)
        return;
    if (token->kind != PDF_LEX_NUMBER)
        pdf_lex_decode(token, &contents->bytes);
    operand.len = contents->bytes.len - operand.at;
    contents->operands[contents->operand_count++] = operand;
}

/* A resource by the name that is the first operand. */
static struct pdf_value resource(struct pdf_contents *contents, struct pdf_value dictionary)
{
    const struct pdf_contents_operand *operand = contents->operands;
    char name[MOST_NAME + 1];

    if (contents->operand_count == 0 || operand->kind != PDF_LEX_NAME || operand->len > MOST_NAME ||
        !pdf_objects_work(contents->objects, dictionary.len))
        return (struct pdf_value){NULL, 0};
    if (operand->len > 0)
        memcpy(name, contents->bytes.data + operand->at, operand->len);
    name[operand->len] = 0;
    return pdf_lex_get(dictionary, name);
}

static void show_operand(struct pdf_contents *contents, const struct pdf_contents_operand *operand)
{
    if (operand->kind == PDF_LEX_NUMBER)
        pdf_show_adjust(contents->show, operand->number);
    else if (operand->kind != PDF_LEX_NAME && operand->len > 0)
        pdf_show_string(contents->show, (const uint8_t *)contents->bytes.data + operand->at, operand->len);
}

/* ---- operators ---- */

static void take_form_matrix(struct pdf_contents *contents, struct pdf_value form)
{
    struct pdf_lex items = pdf_lex_items(pdf_lex_get(form, "Matrix"));
    double numbers[6] = {1, 0, 0, 1, 0, 0};
    struct pdf_value value;

    for (size_t i = 0; i < 6 && pdf_lex_value(&items, &value); i++)
        numbers[i] = pdf_lex_number(value, numbers[i]);
    pdf_show_transform(contents->show, &(struct pdf_show_matrix){numbers[0], numbers[1], numbers[2],
                                                                 numbers[3], numbers[4], numbers[5]});
}

/* Do: a form is interpreted where it stands, unless it is used in itself. */
static int begin_form(struct pdf_contents *contents)
{
    const struct pdf_objects_entry *entry;
    struct pdf_contents_level *parent = top(contents), *level;
    struct pdf_value form;
    uint32_t form_number;

    if (!pdf_lex_reference(resource(contents, parent->forms), &form_number) ||
        contents->level_count == PDF_CONTENTS_LEVELS)
        return 0;
    for (size_t i = 0; i < contents->level_count; i++)
        if (contents->levels[i].number == form_number)
            return 0;
    entry = pdf_objects_find(contents->objects, form_number);
    if (!entry || !(entry->flags & PDF_OBJECTS_STREAM))
        return 0;
    level = begin_level(contents);
    if (!level)
        return -1;
    form = pdf_objects_load(contents->objects, entry, &level->dictionary);
    level->number = form_number;
    pdf_show_save(contents->show);
    if (pdf_lex_is_name(pdf_lex_get(form, "Subtype"), "Form")) {
        level->filter = pdf_objects_open(contents->objects, entry, NULL);
        contents->is_damaged |= !level->filter;
        take_form_matrix(contents, form);
    }
    if (pdf_lex_get(form, "Resources").text) {
        take_resources(contents, level, form);
    } else {
        level->fonts = parent->fonts;
        level->forms = parent->forms;
    }
    return 0;
}

#define OPERATOR(first, second) ((unsigned)(first) | (unsigned)(second) << 8)

/* The operators that set something for the text that follows. */
static int set_text(struct pdf_contents *contents, unsigned operator)
{
    struct pdf_show *show = contents->show;
    struct pdf_show_state *state = &show->state;
    const struct pdf_show_matrix given = matrix(contents);

    switch (operator) {
    case OPERATOR('T', 'c'):
        state->char_space = given.a;
        break;
    case OPERATOR('T', 'w'):
        state->word_space = given.a;
        break;
    case OPERATOR('T', 'z'):
        state->scale = given.a / 100;
        break;
    case OPERATOR('T', 'L'):
        state->leading = given.a;
        break;
    case OPERATOR('T', 's'):
        state->rise = given.a;
        break;
    case OPERATOR('T', 'f'):
        return pdf_show_font(show, resource(contents, top(contents)->fonts), given.b);
    case OPERATOR('T', 'm'):
        pdf_show_place(show, &given);
        break;
    case OPERATOR('T', 'D'):
        state->leading = -given.b;
        pdf_show_move(show, given.a, given.b);
        break;
    case OPERATOR('T', 'd'):
        pdf_show_move(show, given.a, given.b);
        break;
    case OPERATOR('T', '*'):
        pdf_show_move(show, 0, -state->leading);
        break;
    default:
        break;
    }
    return 0;
}

/* Tj, TJ, ' and ". */
static void show_text(struct pdf_contents *contents, unsigned operator)
{
    struct pdf_show *show = contents->show;
    size_t first = 0;

    if (operator== OPERATOR('"', 0)) {
        show->state.word_space = number(contents, 0);
        show->state.char_space = number(contents, 1);
        first = 2;
    }
    if (operator== OPERATOR('"', 0) || operator== OPERATOR('\'', 0))
        pdf_show_move(show, 0, -show->state.leading);
    for (size_t i = first; i < contents->operand_count; i++)
        show_operand(contents, &contents->operands[i]);
}

static int do_operator(struct pdf_contents *contents, const struct pdf_lex_token *token)
{
    const unsigned operator= OPERATOR(token->text[0], token->len > 1 ? token->text[1] : 0);
    struct pdf_show_matrix given;

    if (token->len > 2)
        return 0;
    switch (operator) {
    case OPERATOR('q', 0):
        pdf_show_save(contents->show);
        return 0;
    case OPERATOR('Q', 0):
        /* A form cannot restore what was saved outside of it. */
        if (contents->show->depth > top(contents)->depth + (contents->level_count > 1))
            pdf_show_restore(contents->show);
        return 0;
    case OPERATOR('c', 'm'):
        given = matrix(contents);
        pdf_show_transform(contents->show, &given);
        return 0;
    case OPERATOR('B', 'T'):
        pdf_show_place(contents->show, &pdf_show_identity);
        return 0;
    case OPERATOR('I', 'D'):
        skip_image(contents, top(contents));
        return 0;
    case OPERATOR('D', 'o'):
        return begin_form(contents);
    case OPERATOR('T', 'j'):
    case OPERATOR('T', 'J'):
    case OPERATOR('\'', 0):
    case OPERATOR('"', 0):
        show_text(contents, operator);
        return 0;
    default:
        return token->text[0] == 'T' ? set_text(contents, operator) : 0;
    }
}

int pdf_contents_step(struct pdf_contents *contents)
{
    for (size_t i = 0; i < STEP && contents->level_count > 0; i++) {
        struct pdf_lex_token token;

        switch (next_token(contents, top(contents), &token)) {
        case PDF_LEX_END:
            end_level(contents);
            break;
        case PDF_LEX_NUMBER:
        case PDF_LEX_NAME:
        case PDF_LEX_STRING:
        case PDF_LEX_HEX:
            add_operand(contents, &token);
            break;
        case PDF_LEX_WORD:
            if (do_operator(contents, &token) < 0)
                return -1;
            contents->operand_count = 0;
            buffer_reset(&contents->bytes);
            break;
        default: /* brackets: the operands of TJ stand in one */
            break;
        }
    }
    if (contents->bytes.failed)
        return -1;
    return contents->level_count > 0;
}
