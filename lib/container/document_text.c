/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/utf8.h"
#include "container/document_inner.h"

/* What an element is to the text. */
enum role {
    ROLE_NONE,
    ROLE_CARRIER,   /* the text in it counts */
    ROLE_PARAGRAPH, /* a line of its own */
    ROLE_WRITTEN,   /* both */
    ROLE_LINE,      /* ends a line */
    ROLE_SPACE,
    ROLE_HYPHEN,
    ROLE_ASIDE,   /* the text in it interrupts the text around it */
    ROLE_BOX,     /* so, unless it stands for itself */
    ROLE_SKIPPED, /* the text in it is left out */
    ROLE_SHEET,   /* the document is a spreadsheet, or a presentation */
    ROLE_PRESENTATION,
};

/* A name with a colon is the whole name, others are that without the prefix. */
struct element {
    const char *name;
    size_t len;
    enum role role;
};

#define ELEMENT(name, role)                                                                                  \
    {                                                                                                        \
        (name), sizeof(name) - 1, (role)                                                                     \
    }

static const struct element office[] = {
    ELEMENT("t", ROLE_CARRIER),
    ELEMENT("p", ROLE_PARAGRAPH),
    ELEMENT("tab", ROLE_SPACE),
    ELEMENT("ptab", ROLE_SPACE),
    ELEMENT("br", ROLE_LINE),
    ELEMENT("cr", ROLE_LINE),
    ELEMENT("del", ROLE_ASIDE),
    ELEMENT("delText", ROLE_CARRIER),
    ELEMENT("moveFrom", ROLE_ASIDE),
    ELEMENT("txbxContent", ROLE_ASIDE),
    ELEMENT("noBreakHyphen", ROLE_HYPHEN),
    ELEMENT("Fallback", ROLE_SKIPPED), /* the same again for older programs */
    ELEMENT("comment", ROLE_PARAGRAPH),
    ELEMENT("threadedComment", ROLE_PARAGRAPH),
    ELEMENT("cm", ROLE_PARAGRAPH),
    ELEMENT("text", ROLE_CARRIER),
    ELEMENT("rPh", ROLE_SKIPPED), /* how to pronounce it */
    {NULL, 0, ROLE_NONE},
};

static const struct element strings[] = {
    ELEMENT("t", ROLE_CARRIER),
    ELEMENT("si", ROLE_PARAGRAPH),
    ELEMENT("rPh", ROLE_SKIPPED),
    {NULL, 0, ROLE_NONE},
};

static const struct element open_document[] = {
    ELEMENT("p", ROLE_WRITTEN),
    ELEMENT("h", ROLE_WRITTEN),
    ELEMENT("s", ROLE_SPACE),
    ELEMENT("tab", ROLE_SPACE),
    ELEMENT("line-break", ROLE_LINE),
    ELEMENT("table-row", ROLE_PARAGRAPH),
    ELEMENT("note", ROLE_ASIDE),
    ELEMENT("note-citation", ROLE_SKIPPED),
    ELEMENT("annotation", ROLE_ASIDE),
    ELEMENT("deletion", ROLE_ASIDE),
    ELEMENT("text-box", ROLE_BOX),
    ELEMENT("dc:creator", ROLE_SKIPPED),
    ELEMENT("dc:date", ROLE_SKIPPED),
    ELEMENT("svg:title", ROLE_SKIPPED),
    ELEMENT("svg:desc", ROLE_SKIPPED),
    ELEMENT("sender-initials", ROLE_SKIPPED),
    ELEMENT("office:spreadsheet", ROLE_SHEET),
    ELEMENT("office:presentation", ROLE_PRESENTATION),
    {NULL, 0, ROLE_NONE},
};

/* Names mostly differ in their first characters. */
static bool is_called(const struct element *element, const char *name, size_t len)
{
    return element->len == len && *element->name == *name && memcmp(element->name, name, len) == 0;
}

static enum role role_of(const struct element *elements, const struct markup_token *token)
{
    size_t len;
    const char *local = markup_local_name(token, &len);

    for (; elements->name; elements++)
        if (is_called(elements, local, len) || is_called(elements, token->name, token->name_len))
            return elements->role;
    return ROLE_NONE;
}

void document_text_begin(struct document_text *text, enum document_language language, bool only_asides)
{
    text->language = language;
    text->only_asides = only_asides;
    text->saw_asides = false;
    text->carriers = text->asides = text->skipped = 0;
    text->sheet = (struct document_sheet){0};
    text->html = (struct html_text){.out = text->out};
    running_text_break(text->out);
}

/* Whether what comes now is wanted in this pass. */
static bool is_wanted(const struct document_text *text)
{
    return !text->skipped && (text->asides > 0) == text->only_asides;
}

static void count(unsigned *open, const struct markup_token *token)
{
    if (token->kind == MARKUP_OPEN)
        ++*open;
    else if (token->kind == MARKUP_CLOSE && *open > 0)
        --*open;
}

/* Asides of different paragraphs are different paragraphs. */
static void end_line(struct document_text *text)
{
    if (text->language != DOCUMENT_STRINGS && !text->skipped && (text->only_asides || !text->asides))
        running_text_break(text->out);
}

/* In a spreadsheet the rows are the lines. */
static void take_written(struct document_text *text, const struct markup_token *token)
{
    if (!text->is_sheet)
        end_line(text);
    else if (is_wanted(text))
        running_text_space(text->out);
    count(&text->carriers, token);
}

static void take_paragraph(struct document_text *text, const struct markup_token *token)
{
    end_line(text);
    if (text->language == DOCUMENT_STRINGS && token->kind != MARKUP_OPEN)
        shared_strings_end(text->strings, text->out);
}

static void take_aside(struct document_text *text, const struct markup_token *token)
{
    text->saw_asides |= token->kind == MARKUP_OPEN;
    count(&text->asides, token);
}

static void take_tag(struct document_text *text, enum role role, const struct markup_token *token)
{
    switch (role) {
    case ROLE_CARRIER:
        count(&text->carriers, token);
        break;
    case ROLE_PARAGRAPH:
        take_paragraph(text, token);
        break;
    case ROLE_WRITTEN:
        take_written(text, token);
        break;
    case ROLE_LINE:
        end_line(text);
        break;
    case ROLE_SPACE:
        if (is_wanted(text))
            running_text_space(text->out);
        break;
    case ROLE_HYPHEN:
        if (is_wanted(text) && token->kind != MARKUP_CLOSE)
            running_text_char(text->out, '-');
        break;
    case ROLE_BOX:
        if (!text->is_presentation)
            take_aside(text, token);
        break;
    case ROLE_ASIDE:
        take_aside(text, token);
        break;
    case ROLE_SKIPPED:
        count(&text->skipped, token);
        break;
    case ROLE_SHEET:
        text->is_sheet = true;
        break;
    case ROLE_PRESENTATION:
        text->is_presentation = true;
        break;
    case ROLE_NONE:
        break;
    }
}

static void add(struct document_text *text, const char *data, size_t len)
{
    if (text->language == DOCUMENT_STRINGS)
        shared_strings_add(text->strings, text->out, data, len);
    else
        running_text_utf8(text->out, data, len);
}

static void take_text(struct document_text *text, const struct markup_token *token)
{
    char utf8[4];

    if (text->only_asides && !text->asides && token->len > 0) {
        running_text_break(text->out); /* asides on both sides of other text are not adjacent */
        return;
    }
    if (!is_wanted(text))
        return;
    if (token->kind == MARKUP_TEXT)
        add(text, token->text, token->len);
    else if (token->character <= 0x10ffff)
        add(text, utf8, (size_t)(utf8_put(utf8, token->character) - utf8));
}

void document_text_token(struct document_text *text, const struct markup_token *token)
{
    static const struct element *const elements[] = {[DOCUMENT_OFFICE] = office,
                                                     [DOCUMENT_STRINGS] = strings,
                                                     [DOCUMENT_OPEN] = open_document,
                                                     [DOCUMENT_MARGIN] = open_document};
    const bool is_margin = text->language == DOCUMENT_MARGIN;

    if (text->language == DOCUMENT_CHAPTER)
        html_text_token(&text->html, token);
    else if (text->language == DOCUMENT_SHEET)
        document_sheet_token(&text->sheet, text->strings, text->out, token);
    else if (is_margin && (text->is_sheet || text->is_presentation))
        return;
    else if (token->kind == MARKUP_TEXT || token->kind == MARKUP_CHARACTER) {
        if (text->carriers > 0)
            take_text(text, token);
    } else if (token->kind != MARKUP_INSTRUCTION)
        take_tag(text, role_of(elements[text->language], token), token);
}
