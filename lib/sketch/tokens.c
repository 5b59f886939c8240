/* SPDX-License-Identifier: Apache-2.0 */
#include "sketch/tokens.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/search.h"
#include "sketch/tokens_markup.h"
#include "sketch/tokens_text.h"

enum { BYTE_ORDER_MARK = 0xfeff };

struct tokens {
    struct tokens_rules rules;
    tokens_sink *sink;
    void *arg;
    uint8_t pending[4]; /* the beginning of a character */
    size_t pending_len;
    bool is_first; /* the next character is */
    uint64_t strange;
    struct tokens_markup markup;
    bool space;         /* white space was read and not yet passed on */
    bool is_open;       /* the document, or the line, has content before which a space matters */
    uint8_t words[128]; /* of words, if mark-up remains: the folded character, or 0 for what separates them */
    uint8_t part[TOKENS_PART]; /* of a token that is not complete */
    size_t len;                /* 0: no token has begun */
    size_t most;               /* bytes of a part */
};

static const char *const unit_names[] = {"bytes", "letters", "words", "words8", "lines"};

const char *tokens_unit_name(enum tokens_unit unit)
{
    return unit_names[unit];
}

int tokens_unit_find(const char *name)
{
    return search_name(unit_names, TOKENS_UNITS, name, strlen(name));
}

const char *tokens_rule_name(enum tokens_rule rule)
{
    static const char *const names[] = {"case", "space", "punctuation", "markup"};

    return names[rule];
}

bool *tokens_rule_of(struct tokens_rules *rules, enum tokens_rule rule)
{
    bool *const all[] = {&rules->fold_case, &rules->fold_space, &rules->drop_punctuation,
                         &rules->drop_markup};

    return all[rule];
}

bool tokens_is_plain(const struct tokens_rules *rules)
{
    return rules->unit == TOKENS_BYTES && !rules->fold_case && !rules->fold_space &&
           !rules->drop_punctuation && !rules->drop_markup;
}

static bool separates_words(uint32_t code)
{
    return tokens_text_is_space(code) || tokens_text_is_punctuation(code) || tokens_text_is_control(code);
}

struct tokens *tokens_new(const struct tokens_rules *rules, tokens_sink *sink, void *arg, struct error *err)
{
    struct tokens *tokens = memory_new(sizeof *tokens, err);

    if (tokens) {
        tokens->rules = *rules;
        tokens->sink = sink;
        tokens->arg = arg;
        tokens->most = rules->unit == TOKENS_WORDS8 ? TOKENS_WORD8 : sizeof tokens->part;
        for (uint32_t c = 0; c < sizeof tokens->words; c++)
            if (!separates_words(c))
                tokens->words[c] = (uint8_t)(rules->fold_case ? tokens_text_lower(c) : c);
    }
    return tokens;
}

void tokens_free(struct tokens *tokens)
{
    free(tokens);
}

void tokens_begin(struct tokens *tokens)
{
    tokens->pending_len = tokens->len = 0;
    tokens->is_first = true;
    tokens->strange = 0;
    tokens_markup_begin(&tokens->markup);
    tokens->space = tokens->is_open = false;
}

/* ---- units ---- */

static int give(struct tokens *tokens, bool is_end, struct error *err)
{
    const size_t len = tokens->len;

    tokens->len = 0;
    return tokens->sink(tokens->arg, tokens->part, len, is_end, err);
}

/* Passes on what fills a part; for words8 that is a token. */
static int give_part(struct tokens *tokens, struct error *err)
{
    return give(tokens, tokens->rules.unit == TOKENS_WORDS8, err);
}

static int append(struct tokens *tokens, const struct tokens_text *c, struct error *err)
{
    if (tokens->len + c->len > tokens->most && give_part(tokens, err))
        return -1;
    memcpy(tokens->part + tokens->len, c->bytes, c->len);
    tokens->len += c->len;
    return 0;
}

/* An empty line is a token, too, unless white space is folded. */
static int end_line(struct tokens *tokens, struct error *err)
{
    tokens->is_open = tokens->space = false;
    return tokens->len > 0 || !tokens->rules.fold_space ? give(tokens, true, err) : 0;
}

static int add_to_word(struct tokens *tokens, const struct tokens_text *c, struct error *err)
{
    if (!separates_words(c->code))
        return append(tokens, c, err);
    return tokens->len > 0 ? give(tokens, true, err) : 0;
}

/* A character of the canonical form. */
static int add_to_unit(struct tokens *tokens, const struct tokens_text *c, struct error *err)
{
    int result = 0;

    tokens->is_open = true;
    switch (tokens->rules.unit) {
    case TOKENS_BYTES:
        for (unsigned i = 0; i < c->len && result == 0; i++)
            result = tokens->sink(tokens->arg, &c->bytes[i], 1, true, err);
        return result;
    case TOKENS_LETTERS:
        return tokens->sink(tokens->arg, c->bytes, c->len, true, err);
    case TOKENS_WORDS:
    case TOKENS_WORDS8:
        return add_to_word(tokens, c, err);
    default:
        return append(tokens, c, err);
    }
}

/* ---- the canonical form ---- */

/* White space is passed on when something follows it. */
static int add_space(struct tokens *tokens, struct error *err)
{
    const struct tokens_text space = {' ', 1, {' '}};
    const bool matters = tokens->space && tokens->is_open;

    tokens->space = false;
    return matters ? add_to_unit(tokens, &space, err) : 0;
}

static int canonical(struct tokens *tokens, struct tokens_text c, struct error *err)
{
    const struct tokens_rules *rules = &tokens->rules;
    const uint32_t lower = rules->fold_case ? tokens_text_lower(c.code) : c.code;

    if (lower != c.code)
        c = tokens_text_of(lower);
    if (rules->unit == TOKENS_LINES && c.code == '\n')
        return end_line(tokens, err);
    if (!tokens_is_words(rules->unit)) { /* they contain neither */
        if (rules->drop_punctuation && tokens_text_is_punctuation(c.code))
            return 0;
        if (rules->fold_space && tokens_text_is_space(c.code)) {
            tokens->space = true;
            return 0;
        }
        if (add_space(tokens, err))
            return -1;
    }
    return add_to_unit(tokens, &c, err);
}

static int take_all(struct tokens *tokens, const struct tokens_text *list, size_t count, struct error *err)
{
    for (size_t i = 0; i < count; i++)
        if (canonical(tokens, list[i], err))
            return -1;
    return 0;
}

static int take(struct tokens *tokens, struct tokens_text c, struct error *err)
{
    if (!tokens->rules.drop_markup)
        return canonical(tokens, c, err);
    return take_all(tokens, tokens->markup.held, tokens_markup_take(&tokens->markup, c), err);
}

/* ---- characters ---- */

/* The first pending byte is not part of a character. */
static int take_invalid(struct tokens *tokens, struct error *err)
{
    const uint8_t byte = tokens->pending[0];

    tokens->is_first = false;
    tokens->strange++;
    memmove(tokens->pending, tokens->pending + 1, --tokens->pending_len);
    return take(tokens, (struct tokens_text){TOKENS_TEXT_INVALID + byte, 1, {byte}}, err);
}

/* Takes what the pending bytes are for certain. */
static int take_pending(struct tokens *tokens, struct error *err)
{
    struct tokens_text c = {0};

    for (size_t len = 1; len <= tokens->pending_len;) {
        switch (tokens_text_decode(tokens->pending, len, &c.code)) {
        case TOKENS_TEXT_PART:
            len++;
            break;
        case TOKENS_TEXT_BAD:
            if (take_invalid(tokens, err))
                return -1;
            len = 1;
            break;
        default:
            c.len = (uint8_t)len;
            memcpy(c.bytes, tokens->pending, len);
            memmove(tokens->pending, tokens->pending + len, tokens->pending_len -= len);
            if (!(tokens->is_first && c.code == BYTE_ORDER_MARK) && take(tokens, c, err))
                return -1;
            tokens->is_first = false;
            len = 1;
        }
    }
    return 0;
}

/* Words of ASCII, the usual case: takes what comes before the next other character.  Returns its length, or
 * SIZE_MAX if the sink stops. */
static size_t take_words(struct tokens *tokens, const uint8_t *p, size_t len, struct error *err)
{
    size_t i = 0;

    for (; i < len && p[i] < 0x80; i++) {
        const uint8_t c = tokens->words[p[i]];

        if (!c ? tokens->len > 0 && give(tokens, true, err)
               : tokens->len == tokens->most && give_part(tokens, err))
            return SIZE_MAX;
        if (c)
            tokens->part[tokens->len++] = c;
    }
    return i;
}

static size_t take_ascii(struct tokens *tokens, const uint8_t *p, size_t len, struct error *err)
{
    if (tokens_is_words(tokens->rules.unit) && !tokens->rules.drop_markup)
        return take_words(tokens, p, len, err);
    return take(tokens, (struct tokens_text){p[0], 1, {p[0]}}, err) ? SIZE_MAX : 1;
}

int tokens_update(struct tokens *tokens, const void *data, size_t len, struct error *err)
{
    const uint8_t *p = data;

    for (size_t i = 0; i < len; i++)
        tokens->strange += p[i] == 0;
    for (size_t i = 0, taken; i < len; i += taken) {
        if (tokens->pending_len == 0 && p[i] < 0x80) {
            tokens->is_first = false;
            taken = take_ascii(tokens, p + i, len - i, err);
            if (taken == SIZE_MAX)
                return -1;
            continue;
        }
        tokens->pending[tokens->pending_len++] = p[i];
        taken = 1;
        if (take_pending(tokens, err))
            return -1;
    }
    return 0;
}

int tokens_final(struct tokens *tokens, struct error *err)
{
    while (tokens->pending_len > 0)
        if (take_invalid(tokens, err) || take_pending(tokens, err))
            return -1;
    if (take_all(tokens, tokens->markup.held, tokens_markup_end(&tokens->markup), err))
        return -1;
    return tokens->len > 0 ? give(tokens, true, err) : 0;
}

uint64_t tokens_strange(const struct tokens *tokens)
{
    return tokens->strange;
}

uint64_t tokens_removed(const struct tokens *tokens)
{
    return tokens->markup.removed;
}
