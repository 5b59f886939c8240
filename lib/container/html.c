/* SPDX-License-Identifier: Apache-2.0 */
#include "container/html.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "container/text_file.h"

struct html {
    struct text_file file;
    struct html_text text;
    struct markup markup;
};

/* ---- from tokens to text ---- */

/* Elements that are not part of the line around them; sorted. */
static const char *const blocks[] = {
    "address",    "article", "aside",   "blockquote", "body",     "br",    "caption",  "center",
    "dd",         "details", "dialog",  "dir",        "div",      "dl",    "dt",       "fieldset",
    "figcaption", "figure",  "footer",  "form",       "h1",       "h2",    "h3",       "h4",
    "h5",         "h6",      "head",    "header",     "hgroup",   "hr",    "html",     "legend",
    "li",         "main",    "menu",    "nav",        "noscript", "ol",    "optgroup", "option",
    "p",          "pre",     "section", "select",     "summary",  "table", "tbody",    "td",
    "textarea",   "tfoot",   "th",      "thead",      "title",    "tr",    "ul",
};

enum { LONGEST_BLOCK = 10 };

static int compare_names(const void *key, const void *element)
{
    return strcasecmp(key, *(const char *const *)element);
}

static bool is_block(const char *name, size_t len)
{
    char key[LONGEST_BLOCK + 1];

    if (len > LONGEST_BLOCK)
        return false;
    memcpy(key, name, len);
    key[len] = '\0';
    return bsearch(key, blocks, sizeof blocks / sizeof *blocks, sizeof *blocks, compare_names);
}

static bool is_called(const char *name, size_t len, const char *expected)
{
    return len == strlen(expected) && strncasecmp(name, expected, len) == 0;
}

/* Finds a word in text of any case; the place after it, or NULL. */
static const char *after_word(const char *text, size_t len, const char *word)
{
    const size_t word_len = strlen(word);

    for (const char *at = text, *end = text + len; (size_t)(end - at) >= word_len; at++)
        if (strncasecmp(at, word, word_len) == 0)
            return at + word_len;
    return NULL;
}

/* By a label such as "UTF-8"; others than those known leave it undecided. */
static void decide_by_label(struct html_text *text, const char *label, size_t len)
{
    static const char *const latin[] = {"iso-8859-1", "windows-1252", "cp1252", "latin1", "us-ascii"};

    while (len > 0 && (*label == ' ' || *label == '"' || *label == '\'')) {
        label++;
        len--;
    }
    if (text->charset != RUNNING_TEXT_UNDECIDED)
        return;
    if (len >= 5 && (strncasecmp(label, "utf-8", 5) == 0 || strncasecmp(label, "utf8", 4) == 0))
        text->charset = RUNNING_TEXT_UTF8;
    for (size_t i = 0; i < sizeof latin / sizeof *latin; i++) {
        const size_t name_len = strlen(latin[i]);

        if (len >= name_len && strncasecmp(label, latin[i], name_len) == 0 &&
            (len == name_len || label[name_len] < '0' || label[name_len] > '9')) /* not iso-8859-15 */
            text->charset = RUNNING_TEXT_WINDOWS;
    }
}

/* <meta charset="utf-8">, <meta http-equiv="Content-Type" content="text/html; charset=utf-8">. */
static void read_meta(struct html_text *text, const struct markup_token *token)
{
    size_t len;
    const char *value = markup_attribute(token, "charset", &len), *label;

    if (value) {
        decide_by_label(text, value, len);
        return;
    }
    value = markup_attribute(token, "content", &len);
    label = value ? after_word(value, len, "charset=") : NULL;
    if (label)
        decide_by_label(text, label, len - (size_t)(label - value));
}

/* <?xml version="1.0" encoding="utf-8"?> */
static void read_instruction(struct html_text *text, const struct markup_token *token)
{
    size_t len;
    const char *label = markup_attribute(token, "encoding", &len);

    if (label && is_called(token->name, token->name_len, "xml"))
        decide_by_label(text, label, len);
}

static void add(struct html_text *text, const char *data, size_t len)
{
    running_text_decide(&text->charset, data, len);
    running_text_add(text->out, text->charset, data, len);
}

static void add_lines(struct html_text *text, const char *data, size_t len)
{
    while (len > 0) {
        const char *end = memchr(data, '\n', len);
        const size_t count = end ? (size_t)(end - data) : len;

        add(text, data, count);
        if (end)
            running_text_break(text->out);
        data += count + (end != NULL);
        len -= count + (end != NULL);
    }
}

/* Many write the numbers of Windows-1252 where Unicode has control characters. */
static void add_character(struct html_text *text, uint32_t character)
{
    const char byte = (char)character;

    if (character >= 0x80 && character < 0xa0)
        running_text_windows(text->out, &byte, 1);
    else
        running_text_char(text->out, character);
}

static void take_tag(struct html_text *text, const struct markup_token *token)
{
    size_t len;
    const char *name = markup_local_name(token, &len);

    if (is_block(name, len))
        running_text_break(text->out);
    if (is_called(name, len, "pre")) {
        if (token->kind == MARKUP_OPEN)
            text->preformatted++;
        else if (token->kind == MARKUP_CLOSE && text->preformatted > 0)
            text->preformatted--;
    }
    if (token->kind != MARKUP_CLOSE && is_called(name, len, "meta"))
        read_meta(text, token);
}

void html_text_token(struct html_text *text, const struct markup_token *token)
{
    if (token->kind == MARKUP_TEXT && text->preformatted > 0)
        add_lines(text, token->text, token->len);
    else if (token->kind == MARKUP_TEXT)
        add(text, token->text, token->len);
    else if (token->kind == MARKUP_CHARACTER)
        add_character(text, token->character);
    else if (token->kind == MARKUP_INSTRUCTION)
        read_instruction(text, token);
    else
        take_tag(text, token);
}

/* ---- the container ---- */

/* Reads on, until the window is full or nothing is left. */
static void fill(struct html *html)
{
    size_t count = 1, len;
    char *room;

    while (count > 0 && (room = markup_room(&html->markup, &len)) && len > 0) {
        count = text_file_read(&html->file, room, len);
        markup_filled(&html->markup, count);
    }
}

static void produce(struct text_file *file)
{
    struct html *html = (struct html *)file;
    struct markup_token token;

    while (file->out.out.len < TEXT_FILE_AHEAD && markup_next(&html->markup, &token))
        html_text_token(&html->text, &token);
    if (file->out.out.len >= TEXT_FILE_AHEAD)
        return;
    if (html->markup.is_last) {
        running_text_end(&file->out);
        file->is_ended = true;
    } else {
        fill(html);
    }
}

static struct container *open_html(const struct container_sight *sight, const struct container_watch *watch,
                                   struct error *err)
{
    struct html *html = memory_new(sizeof *html, err);

    if (!html)
        return NULL;
    text_file_init(&html->file, sight, watch, produce);
    html->text.out = &html->file.out;
    if (sight->head_len >= 3 && memcmp(sight->head, "\xef\xbb\xbf", 3) == 0)
        html->text.charset = RUNNING_TEXT_UTF8;
    markup_begin(&html->markup, true);
    return &html->file.container;
}

/* ---- recognising it ---- */

/* Whether the text begins with this word, and the word ends there. */
static bool begins(const char *text, size_t len, const char *word)
{
    const size_t word_len = strlen(word);

    return len > word_len && strncasecmp(text, word, word_len) == 0 &&
           strchr(" \t\r\n/>", text[word_len]) != NULL;
}

/* Elements with which whole documents, and parts of mails, begin. */
static bool begins_with_element(const char *text, size_t len)
{
    static const char *const first[] = {
        "<!doctype html", "<html", "<head", "<body", "<meta", "<title", "<style",  "<div", "<p",
        "<table",         "<h1",   "<h2",   "<span", "<font", "<br",    "<center", "<pre", "<b",
        "<strong",        "<ul",   "<a",    "<link",
    };

    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (begins(text, len, first[i]))
            return true;
    return false;
}

static bool has_element(const char *text, size_t len)
{
    static const char *const elements[] = {"<html", "<head>", "<body"};
    const char *const end = text + len;

    for (; text < end && (text = memchr(text, '<', (size_t)(end - text))); text++)
        for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
            if (end - text > 1 && (text[1] | 0x20) == elements[i][1] &&
                (size_t)(end - text) >= strlen(elements[i]) &&
                strncasecmp(text, elements[i], strlen(elements[i])) == 0)
                return true;
    return false;
}

static bool matches(const struct container_sight *sight)
{
    const char *text = (const char *)sight->head;
    size_t len = sight->head_len;

    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        len -= 3;
    }
    while (len > 0 && strchr(" \t\r\n", *text) && *text) {
        text++;
        len--;
    }
    if (len < 4 || *text != '<')
        return false;
    if (strncmp(text, "<!--", 4) == 0 || begins(text, len, "<?xml"))
        return has_element(text, len);
    return begins_with_element(text, len);
}

const struct container_format html_format = {
    .name = "text", .first = " \t\r\n<\xef", .matches = matches, .open = open_html};
