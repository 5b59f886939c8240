/* SPDX-License-Identifier: Apache-2.0 */
#include "container/markup.h"

#include <string.h>
#include <strings.h>

#include "base/bytes.h"

enum { LONGEST_REFERENCE = 32 };

/* What became of an attempt to read a token. */
enum outcome {
    FOUND,   /* a token */
    SKIPPED, /* something that is not one */
    SHORT,   /* not all of it is in the window */
};

void markup_begin(struct markup *markup, bool is_html)
{
    markup->is_html = is_html;
    markup->is_last = false;
    markup->state = MARKUP_IN_TEXT;
    markup->quote = 0;
    markup->raw = NULL;
    markup->at = markup->len = 0;
}

char *markup_room(struct markup *markup, size_t *len)
{
    memmove(markup->window, markup->window + markup->at, markup->len - markup->at);
    markup->len -= markup->at;
    markup->at = 0;
    *len = markup->is_last ? 0 : MARKUP_WINDOW - markup->len;
    return markup->window + markup->len;
}

void markup_filled(struct markup *markup, size_t len)
{
    markup->len += len;
    markup->is_last |= len == 0;
}

bool markup_ended(const struct markup *markup)
{
    return markup->is_last && markup->at == markup->len;
}

static const char *here(const struct markup *markup)
{
    return markup->window + markup->at;
}

static size_t left(const struct markup *markup)
{
    return markup->len - markup->at;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static bool is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' || (c & 0x80);
}

static bool is_name(char c)
{
    return c != '>' && c != '/' && !is_blank(c);
}

/* Whether the input goes on beyond the window, which has room for more of it. */
static bool can_grow(const struct markup *markup)
{
    return !markup->is_last && left(markup) < MARKUP_WINDOW;
}

static enum outcome give_text(struct markup *markup, struct markup_token *token, size_t len)
{
    *token = (struct markup_token){.kind = MARKUP_TEXT, .text = here(markup), .len = len};
    markup->at += len;
    return FOUND;
}

/* ---- what ends with a certain string ---- */

/* The place of a string in the window; `left` if it is not there. */
static size_t find(const struct markup *markup, const char *what, size_t len)
{
    const char *place = memmem(here(markup), left(markup), what, len);

    return place ? (size_t)(place - here(markup)) : left(markup);
}

/* The bytes before what may be the beginning of a string of this length. */
static size_t sure_of(const struct markup *markup, size_t len)
{
    const size_t kept = markup->is_last ? 0 : len - 1;

    return left(markup) > kept ? left(markup) - kept : 0;
}

static enum outcome skip_until(struct markup *markup, const char *end)
{
    const size_t len = strlen(end), place = find(markup, end, len);

    if (place == left(markup)) {
        markup->at += sure_of(markup, len);
        return SHORT;
    }
    markup->at += place + len;
    markup->state = MARKUP_IN_TEXT;
    return SKIPPED;
}

static enum outcome read_section(struct markup *markup, struct markup_token *token)
{
    const size_t place = find(markup, "]]>", 3);
    size_t len = place;

    if (place == left(markup)) {
        len = sure_of(markup, 3);
        return len ? give_text(markup, token, len) : SHORT;
    }
    if (len == 0) {
        markup->at += 3;
        markup->state = MARKUP_IN_TEXT;
        return SKIPPED;
    }
    return give_text(markup, token, len);
}

/* A declaration ends with ">", but not within its brackets. */
static enum outcome skip_declaration(struct markup *markup)
{
    const char *stop = here(markup) + left(markup);
    const char *place = bytes_find_either(here(markup), stop, '>', markup->is_html ? '>' : '[');

    markup->at += (size_t)(place - here(markup));
    if (place == stop)
        return SHORT;
    markup->at++;
    markup->state = *place == '>' ? MARKUP_IN_TEXT : MARKUP_IN_SUBSET;
    return SKIPPED;
}

static enum outcome skip_subset(struct markup *markup)
{
    const enum outcome outcome = skip_until(markup, "]");

    if (outcome == SKIPPED)
        markup->state = MARKUP_IN_DECLARATION;
    return outcome;
}

/* Up to the closing tag of the element. */
static enum outcome skip_raw(struct markup *markup)
{
    const size_t name_len = strlen(markup->raw);

    for (;;) {
        const char *place = memchr(here(markup), '<', left(markup));

        markup->at += place ? (size_t)(place - here(markup)) : left(markup);
        if (!place || left(markup) < 2 + name_len) {
            markup->at += markup->is_last ? left(markup) : 0;
            return SHORT;
        }
        if (place[1] == '/' && strncasecmp(place + 2, markup->raw, name_len) == 0)
            break;
        markup->at++;
    }
    markup->state = MARKUP_IN_TEXT;
    return SKIPPED;
}

/* ---- tags ---- */

/*
 * Where a tag ends, from the end of its name on: the place of its ">", or of the end of the window.  In HTML,
 * too, a quote only quotes after an equals sign.
 */
static size_t tag_end(const char *text, size_t at, size_t len, char *quote)
{
    bool is_value = false;

    while (at < len) {
        if (*quote) {
            const char *end = memchr(text + at, *quote, len - at);

            if (!end)
                return len;
            at = (size_t)(end - text) + 1;
            *quote = 0;
            continue;
        }
        if (text[at] == '>')
            return at;
        if (is_value && (text[at] == '"' || text[at] == '\''))
            *quote = text[at];
        is_value = text[at] == '=' || (is_value && is_blank(text[at]));
        at++;
    }
    return len;
}

static enum outcome skip_tag(struct markup *markup)
{
    const size_t end = tag_end(here(markup), 0, left(markup), &markup->quote);

    if (end == left(markup)) {
        markup->at = markup->len;
        return SHORT;
    }
    markup->at += end + 1;
    markup->state = MARKUP_IN_TEXT;
    return SKIPPED;
}

static const char *raw_element(const struct markup *markup, const struct markup_token *token)
{
    static const char *const names[] = {"script", "style"};

    for (size_t i = 0; markup->is_html && token->kind == MARKUP_OPEN && i < 2; i++)
        if (token->name_len == strlen(names[i]) && strncasecmp(token->name, names[i], token->name_len) == 0)
            return names[i];
    return NULL;
}

/* The tag's parts; `end` is the place of its ">". */
static void divide_tag(const struct markup *markup, size_t end, struct markup_token *token)
{
    const char *text = here(markup);
    const size_t start = text[1] == '/' ? 2 : 1;
    size_t name_end = start;

    while (name_end < end && is_name(text[name_end]))
        name_end++;
    *token = (struct markup_token){.kind = start == 2 ? MARKUP_CLOSE : MARKUP_OPEN,
                                   .name = text + start,
                                   .name_len = name_end - start,
                                   .text = text + name_end,
                                   .len = end - name_end};
    if (token->kind == MARKUP_OPEN && token->len > 0 && text[end - 1] == '/') {
        token->kind = MARKUP_EMPTY;
        token->len--;
    }
}

static enum outcome read_tag(struct markup *markup, struct markup_token *token)
{
    char quote = 0;
    const size_t len = left(markup), end = tag_end(here(markup), 1, len, &quote);

    if (end == len && can_grow(markup))
        return SHORT;
    divide_tag(markup, end, token);
    if (end == len) {
        markup->at = markup->len;
        markup->state = MARKUP_IN_TAG;
        markup->quote = quote;
        return FOUND;
    }
    markup->at += end + 1;
    markup->raw = raw_element(markup, token);
    if (markup->raw)
        markup->state = MARKUP_IN_RAW;
    return FOUND;
}

static enum outcome read_instruction(struct markup *markup, struct markup_token *token)
{
    const char *end = markup->is_html ? ">" : "?>";
    const size_t place = find(markup, end, strlen(end));
    size_t name_end = 2;

    if (place == left(markup)) {
        if (can_grow(markup))
            return SHORT;
        markup->at += 2;
        markup->state = MARKUP_IN_INSTRUCTION;
        return SKIPPED;
    }
    while (name_end < place && is_name(here(markup)[name_end]))
        name_end++;
    *token = (struct markup_token){.kind = MARKUP_INSTRUCTION,
                                   .name = here(markup) + 2,
                                   .name_len = name_end - 2,
                                   .text = here(markup) + name_end,
                                   .len = place - name_end};
    markup->at += place + strlen(end);
    return FOUND;
}

/* What begins with "<!". */
static enum outcome enter_declaration(struct markup *markup)
{
    static const char comment[] = "<!--", section[] = "<![CDATA[";

    if (left(markup) < strlen(section) && can_grow(markup))
        return SHORT;
    if (left(markup) >= strlen(comment) && memcmp(here(markup), comment, strlen(comment)) == 0) {
        markup->at += strlen(comment);
        markup->state = MARKUP_IN_COMMENT;
    } else if (!markup->is_html && left(markup) >= strlen(section) &&
               memcmp(here(markup), section, strlen(section)) == 0) {
        markup->at += strlen(section);
        markup->state = MARKUP_IN_SECTION;
    } else {
        markup->at += 2;
        markup->state = MARKUP_IN_DECLARATION;
    }
    return SKIPPED;
}

static enum outcome read_angle(struct markup *markup, struct markup_token *token)
{
    const char *text = here(markup);

    if (left(markup) < 3 && can_grow(markup))
        return SHORT;
    if (left(markup) >= 2 && text[1] == '!')
        return enter_declaration(markup);
    if (left(markup) >= 2 && text[1] == '?')
        return read_instruction(markup, token);
    if (left(markup) >= 2 &&
        (is_name_start(text[1]) || (text[1] == '/' && left(markup) >= 3 && is_name_start(text[2]))))
        return read_tag(markup, token);
    return give_text(markup, token, 1);
}

/* ---- references ---- */

static unsigned digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10) : 16;
}

/* The length of "&#123" or "&#x7b" and its value; 0 if it is none. */
static size_t number_len(const char *text, size_t len, uint32_t *character)
{
    const unsigned base = len > 2 && (text[2] | 0x20) == 'x' ? 16 : 10;
    const size_t start = base == 16 ? 3 : 2;
    uint64_t value = 0;
    size_t at = start;

    for (; at < len && digit_value(text[at]) < base; at++)
        if (value <= 0x10ffff)
            value = value * base + digit_value(text[at]);
    *character = (uint32_t)value;
    return at > start ? at : 0;
}

static bool is_letter_or_digit(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* As number_len, for a name. */
static size_t name_len(const char *text, size_t len, uint32_t *character)
{
    size_t at = 1;

    while (at < len && is_letter_or_digit(text[at]))
        at++;
    *character = markup_entity(text + 1, at - 1);
    return *character ? at : 0;
}

static enum outcome read_reference(struct markup *markup, struct markup_token *token)
{
    const char *text = here(markup);
    size_t len = left(markup), used;
    uint32_t character;

    if (len < LONGEST_REFERENCE && can_grow(markup))
        return SHORT;
    len = len < LONGEST_REFERENCE ? len : LONGEST_REFERENCE;
    used = len > 1 && text[1] == '#' ? number_len(text, len, &character) : name_len(text, len, &character);
    if (used == 0)
        return give_text(markup, token, 1);
    *token = (struct markup_token){.kind = MARKUP_CHARACTER, .character = character};
    markup->at += used + (used < len && text[used] == ';');
    return FOUND;
}

/* ---- tokens ---- */

static enum outcome read_text(struct markup *markup, struct markup_token *token)
{
    const char *text = here(markup), *stop = text + left(markup);

    if (text == stop)
        return SHORT;
    if (*text == '<')
        return read_angle(markup, token);
    if (*text == '&')
        return read_reference(markup, token);
    return give_text(markup, token, (size_t)(bytes_find_either(text, stop, '<', '&') - text));
}

static enum outcome read_token(struct markup *markup, struct markup_token *token)
{
    switch (markup->state) {
    case MARKUP_IN_SECTION:
        return read_section(markup, token);
    case MARKUP_IN_COMMENT:
        return skip_until(markup, "-->");
    case MARKUP_IN_INSTRUCTION:
        return skip_until(markup, markup->is_html ? ">" : "?>");
    case MARKUP_IN_DECLARATION:
        return skip_declaration(markup);
    case MARKUP_IN_SUBSET:
        return skip_subset(markup);
    case MARKUP_IN_TAG:
        return skip_tag(markup);
    case MARKUP_IN_RAW:
        return skip_raw(markup);
    case MARKUP_IN_TEXT:
        break;
    }
    return read_text(markup, token);
}

bool markup_next(struct markup *markup, struct markup_token *token)
{
    enum outcome outcome;

    do
        outcome = read_token(markup, token);
    while (outcome == SKIPPED);
    return outcome == FOUND;
}

/* ---- attributes ---- */

static size_t skip_blanks(const char *text, size_t at, size_t len)
{
    while (at < len && (is_blank(text[at]) || text[at] == '/'))
        at++;
    return at;
}

/* The value that begins at a place after the equals sign; *at is moved to its end. */
static const char *take_value(const char *text, size_t *at, size_t len, size_t *value_len)
{
    const char quote = *at < len && (text[*at] == '"' || text[*at] == '\'') ? text[*at] : 0;
    const size_t start = *at += quote != 0;

    while (*at < len && (quote ? text[*at] != quote : !is_blank(text[*at])))
        ++*at;
    *value_len = *at - start;
    *at += quote && *at < len;
    return text + start;
}

const char *markup_attribute(const struct markup_token *token, const char *name, size_t *len)
{
    const char *text = token->text;
    size_t at = skip_blanks(text, 0, token->len);

    while (at < token->len) {
        const char *found = text + at, *value = "";
        const size_t start = at;
        size_t found_len;

        do
            at++; /* even if it is an equals sign, so that there is progress */
        while (at < token->len && text[at] != '=' && is_name(text[at]));
        found_len = at - start;
        at = skip_blanks(text, at, token->len);
        *len = 0;
        if (at < token->len && text[at] == '=') {
            at = skip_blanks(text, at + 1, token->len);
            value = take_value(text, &at, token->len, len);
        }
        if (found_len == strlen(name) && strncasecmp(found, name, found_len) == 0)
            return value;
        at = skip_blanks(text, at, token->len);
    }
    return NULL;
}

const char *markup_local_name(const struct markup_token *token, size_t *len)
{
    const char *colon = memchr(token->name, ':', token->name_len);
    const char *local = colon ? colon + 1 : token->name;

    *len = token->name_len - (size_t)(local - token->name);
    return local;
}
