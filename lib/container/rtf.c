/* SPDX-License-Identifier: Apache-2.0 */
#include "container/rtf.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "container/text_file.h"

enum {
    WINDOW = 32 << 10,
    DEEPEST = 512,     /* groups that have a state of their own; deeper ones share that of their parent */
    LONGEST_WORD = 32, /* letters of a control word */
};

/* What holds within a group. */
struct group {
    bool is_skipped, is_aside;
    uint8_t fallback; /* characters that follow one in Unicode, for readers without it */
};

struct rtf {
    struct text_file file;
    struct group groups[DEEPEST];
    uint64_t depth;
    bool only_asides, saw_asides;
    bool may_be_extra; /* after \*: what is not known is skipped */
    uint32_t high;     /* the first half of a surrogate pair; 0: none */
    unsigned to_skip;  /* characters of a fallback */
    size_t at, len;
    uint8_t window[WINDOW];
};

/* ---- what words mean ---- */

enum meaning { NOTHING, BREAK, SPACE, CHARACTER, SKIPPED, ASIDE, DELETED, FALLBACK, UNICODE, BINARY };

/* Sorted by name. */
static const struct word {
    const char *name;
    enum meaning meaning;
    uint16_t character;
} words[] = {
    {"annotation", ASIDE, 0},
    {"bin", BINARY, 0},
    {"blipuid", SKIPPED, 0},
    {"bullet", CHARACTER, 0x2022},
    {"cell", BREAK, 0},
    {"colortbl", SKIPPED, 0},
    {"column", BREAK, 0},
    {"deleted", DELETED, 0},
    {"emdash", CHARACTER, 0x2014},
    {"endash", CHARACTER, 0x2013},
    {"fldinst", SKIPPED, 0},
    {"fonttbl", SKIPPED, 0},
    {"footer", ASIDE, 0},
    {"footerf", ASIDE, 0},
    {"footerl", ASIDE, 0},
    {"footerr", ASIDE, 0},
    {"footnote", ASIDE, 0},
    {"generator", SKIPPED, 0},
    {"header", ASIDE, 0},
    {"headerf", ASIDE, 0},
    {"headerl", ASIDE, 0},
    {"headerr", ASIDE, 0},
    {"info", SKIPPED, 0},
    {"ldblquote", CHARACTER, 0x201c},
    {"line", BREAK, 0},
    {"listtext", SKIPPED, 0},
    {"lquote", CHARACTER, 0x2018},
    {"nestcell", BREAK, 0},
    {"nestrow", BREAK, 0},
    {"nonshppict", SKIPPED, 0},
    {"objdata", SKIPPED, 0},
    {"page", BREAK, 0},
    {"par", BREAK, 0},
    {"pict", SKIPPED, 0},
    {"pntext", SKIPPED, 0},
    {"rdblquote", CHARACTER, 0x201d},
    {"row", BREAK, 0},
    {"rquote", CHARACTER, 0x2019},
    {"sect", BREAK, 0},
    {"shpinst", NOTHING, 0}, /* not skipped, for the text of a box */
    {"shptxt", ASIDE, 0},
    {"stylesheet", SKIPPED, 0},
    {"tab", SPACE, 0},
    {"u", UNICODE, 0},
    {"uc", FALLBACK, 0},
    {"xe", SKIPPED, 0},
};

static int compare_words(const void *key, const void *word)
{
    return strcmp(key, ((const struct word *)word)->name);
}

static const struct word *find_word(const char *name)
{
    return bsearch(name, words, sizeof words / sizeof *words, sizeof *words, compare_words);
}

/* ---- groups and characters ---- */

static struct group *present(struct rtf *rtf)
{
    return &rtf->groups[rtf->depth < DEEPEST ? rtf->depth : DEEPEST - 1];
}

static void open_group(struct rtf *rtf)
{
    rtf->depth++;
    if (rtf->depth < DEEPEST)
        rtf->groups[rtf->depth] = rtf->groups[rtf->depth - 1];
    rtf->to_skip = 0;
}

static void close_group(struct rtf *rtf)
{
    const bool was_aside = present(rtf)->is_aside;

    rtf->depth -= rtf->depth > 0;
    if (rtf->only_asides && was_aside && !present(rtf)->is_aside)
        running_text_break(&rtf->file.out);
    rtf->to_skip = 0;
}

static bool is_wanted(struct rtf *rtf)
{
    const struct group *group = present(rtf);

    return !group->is_skipped && group->is_aside == rtf->only_asides;
}

/* Characters of a fallback count whether they are wanted or not. */
static bool is_fallback(struct rtf *rtf)
{
    if (rtf->to_skip == 0)
        return false;
    rtf->to_skip--;
    return true;
}

static void add_byte(struct rtf *rtf, uint8_t byte)
{
    const char c = (char)byte;

    if (!is_fallback(rtf) && is_wanted(rtf))
        running_text_windows(&rtf->file.out, &c, 1);
}

/* A unit of UTF-16, signed as often as not. */
static void add_unicode(struct rtf *rtf, int32_t number)
{
    uint32_t c = (uint32_t)number & 0xffff;
    const uint32_t high = rtf->high;

    rtf->high = c >= 0xd800 && c < 0xdc00 ? c : 0;
    if (high && c >= 0xdc00 && c < 0xe000)
        c = 0x10000 + ((high - 0xd800) << 10) + (c - 0xdc00);
    rtf->to_skip = present(rtf)->fallback;
    if (!rtf->high && is_wanted(rtf))
        running_text_char(&rtf->file.out, c);
}

/* ---- reading ---- */

/* The next byte without taking it; -1 at the end. */
static int peek(struct rtf *rtf)
{
    if (rtf->at == rtf->len) {
        rtf->at = 0;
        rtf->len = text_file_read(&rtf->file, rtf->window, sizeof rtf->window);
    }
    return rtf->len > 0 ? rtf->window[rtf->at] : -1;
}

static int take(struct rtf *rtf)
{
    const int byte = peek(rtf);

    rtf->at += byte >= 0;
    return byte;
}

static void skip_binary(struct rtf *rtf, int64_t len)
{
    while (len > 0 && peek(rtf) >= 0) {
        const size_t here = rtf->len - rtf->at, count = (uint64_t)len < here ? (size_t)len : here;

        rtf->at += count;
        len -= (int64_t)count;
    }
}

static void set_aside(struct rtf *rtf, bool is_aside)
{
    present(rtf)->is_aside = is_aside;
    rtf->saw_asides |= is_aside;
}

static void obey(struct rtf *rtf, const struct word *word, bool has_number, int32_t number)
{
    switch (word->meaning) {
    case BREAK:
        if (is_wanted(rtf))
            running_text_break(&rtf->file.out);
        break;
    case SPACE:
        if (is_wanted(rtf))
            running_text_space(&rtf->file.out);
        break;
    case CHARACTER:
        if (!is_fallback(rtf) && is_wanted(rtf))
            running_text_char(&rtf->file.out, word->character);
        break;
    case SKIPPED:
        present(rtf)->is_skipped = true;
        break;
    case ASIDE:
        set_aside(rtf, true);
        break;
    case DELETED:
        set_aside(rtf, !has_number || number != 0);
        break;
    case NOTHING:
        break;
    case FALLBACK:
        present(rtf)->fallback = (uint8_t)(number < 0 || number > 255 ? 1 : number);
        break;
    case UNICODE:
        add_unicode(rtf, number);
        break;
    case BINARY:
        skip_binary(rtf, number);
        break;
    }
}

static bool is_letter(int c)
{
    return c >= 0 && (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* A word: letters, perhaps a number, and perhaps a space that belongs to it. */
static void read_word(struct rtf *rtf)
{
    const bool may_be_extra = rtf->may_be_extra;
    char name[LONGEST_WORD + 1];
    const struct word *word;
    bool is_negative = false, has_number = false;
    int64_t number = 0;
    size_t len = 0;
    int c;

    for (c = peek(rtf); is_letter(c); c = peek(rtf)) {
        if (len < LONGEST_WORD)
            name[len++] = (char)c;
        rtf->at++;
    }
    name[len] = '\0';
    if (c == '-') {
        is_negative = true;
        rtf->at++;
    }
    for (c = peek(rtf); c >= '0' && c <= '9'; c = peek(rtf)) {
        has_number = true;
        number = number < INT32_MAX / 10 ? number * 10 + (c - '0') : number;
        rtf->at++;
    }
    if (c == ' ')
        rtf->at++;
    rtf->may_be_extra = false;
    word = find_word(name);
    if (word)
        obey(rtf, word, has_number, (int32_t)(is_negative ? -number : number));
    else if (may_be_extra)
        present(rtf)->is_skipped = true;
}

static int hex_value(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 0;
}

/* After a backslash. */
static void read_control(struct rtf *rtf)
{
    int c, high;

    if (is_letter(peek(rtf))) {
        read_word(rtf);
        return;
    }
    c = take(rtf);
    switch (c) {
    case '\'':
        high = hex_value(take(rtf));
        add_byte(rtf, (uint8_t)(high << 4 | hex_value(take(rtf))));
        break;
    case '*':
        rtf->may_be_extra = true;
        break;
    case '~':
        add_byte(rtf, ' ');
        break;
    case '_':
        add_byte(rtf, '-');
        break;
    case '\r':
    case '\n':
        if (is_wanted(rtf))
            running_text_break(&rtf->file.out);
        break;
    case '\\':
    case '{':
    case '}':
        add_byte(rtf, (uint8_t)c);
        break;
    default: /* an optional hyphen, or for indexes */
        break;
    }
}

static bool is_special(uint8_t c)
{
    return c == '\\' || c == '{' || c == '}' || c == '\r' || c == '\n';
}

/* Plain characters up to the next that is none. */
static void read_plain(struct rtf *rtf)
{
    size_t end = rtf->at;

    while (end < rtf->len && !is_special(rtf->window[end]))
        end++;
    for (; rtf->at < end && rtf->to_skip > 0; rtf->to_skip--)
        rtf->at++;
    if (is_wanted(rtf))
        running_text_windows(&rtf->file.out, (const char *)rtf->window + rtf->at, end - rtf->at);
    rtf->at = end;
}

/* The text, and then, from the start again, what was left out of it. */
static void end_pass(struct rtf *rtf)
{
    running_text_break(&rtf->file.out);
    if (rtf->only_asides || !rtf->saw_asides || rtf->file.is_unreadable) {
        running_text_end(&rtf->file.out);
        rtf->file.is_ended = true;
        return;
    }
    rtf->only_asides = true;
    rtf->file.offset = 0;
    rtf->depth = 0;
    rtf->groups[0] = (struct group){.fallback = 1};
    rtf->high = 0;
    rtf->to_skip = 0;
}

static void produce(struct text_file *file)
{
    struct rtf *rtf = (struct rtf *)file;

    for (size_t i = 0; i < WINDOW && file->out.out.len < TEXT_FILE_AHEAD; i++) {
        const int c = peek(rtf);

        if (c < 0) {
            end_pass(rtf);
            return;
        }
        if (is_special((uint8_t)c))
            rtf->at++;
        if (c == '\\')
            read_control(rtf);
        else if (c == '{')
            open_group(rtf);
        else if (c == '}')
            close_group(rtf);
        else if (c != '\r' && c != '\n')
            read_plain(rtf);
    }
}

static bool matches(const struct container_sight *sight)
{
    static const char start[] = "{\\rtf";

    return sight->head_len > strlen(start) && memcmp(sight->head, start, strlen(start)) == 0;
}

static struct container *open_rtf(const struct container_sight *sight, const struct container_watch *watch,
                                  struct error *err)
{
    struct rtf *rtf = memory_new(sizeof *rtf, err);

    if (!rtf)
        return NULL;
    text_file_init(&rtf->file, sight, watch, produce);
    rtf->groups[0] = (struct group){.fallback = 1};
    return &rtf->file.container;
}

const struct container_format rtf_format = {
    .name = "text", .first = "{", .matches = matches, .open = open_rtf};
