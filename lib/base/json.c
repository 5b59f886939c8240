/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/json_guess.h"
#include "base/memory.h"
#include "base/utf8.h"

/* What the grammar allows next. */
enum expected {
    EXPECT_VALUE,
    EXPECT_REST_OF_KEY,  /* after its opening quote */
    EXPECT_VALUE_OR_END, /* at the start of an array */
    EXPECT_COLON,
    EXPECT_KEY_OR_END, /* at the start of an object */
    EXPECT_COMMA_OR_END,
    EXPECT_NOTHING,
    EXPECT_NO_MORE, /* after an error */
};

enum { TAIL = 16 };

struct json {
    const char *p, *stop;
    const char *chunk;   /* its first byte */
    uint64_t before;     /* bytes before the chunk */
    const char *counted; /* lines are counted up to here in the chunk */
    uint64_t line;
    json_source *source;
    void *arg;
    bool source_failed;

    enum expected expected;
    enum json_token last;
    unsigned depth;
    uint64_t objects; /* one bit per level: set for an object, clear for an array */

    size_t longest;
    bool is_long;
    uint32_t high;    /* a high surrogate waiting for its low one, or 0 */
    const char *text; /* points into the source's bytes or into `kept` */
    size_t text_len;
    struct buffer kept;

    /* For json_resync. */
    bool in_string;  /* the error is inside a string */
    char tail[TAIL]; /* structural characters at the end of the last string, last one first */
    unsigned tail_len;
};

struct json *json_new(size_t longest, struct error *err)
{
    struct json *json = memory_new(sizeof *json, err);

    if (!json)
        return NULL;
    json->longest = longest;
    json->expected = EXPECT_NO_MORE;
    return json;
}

void json_free(struct json *json)
{
    if (!json)
        return;
    buffer_release(&json->kept);
    free(json);
}

void json_begin(struct json *json, const char *data, size_t len, json_source *source, void *arg)
{
    json->p = json->chunk = json->counted = data;
    json->stop = data + len;
    json->before = 0;
    json->line = 1;
    json->source = source;
    json->arg = arg;
    json->source_failed = false;
    json->expected = EXPECT_VALUE;
    json->last = JSON_END;
    json->depth = 0;
    json->objects = 0;
    json->is_long = false;
    json->text = "";
    json->text_len = 0;
    json->in_string = false;
    json->tail_len = 0;
}

/* ---- bytes ---- */

static void count_lines(struct json *json, const char *end)
{
    const char *p = json->counted;

    while (p < end && (p = memchr(p, '\n', (size_t)(end - p))) != NULL) {
        json->line++;
        p++;
    }
    json->counted = end;
}

static bool more(struct json *json, struct error *err)
{
    const char *data = "";
    size_t len = 0;
    int got;

    while (json->source) {
        count_lines(json, json->stop);
        got = json->source(json->arg, &data, &len, err);
        json->source_failed = got < 0;
        if (got <= 0) {
            json->source = NULL;
            return false;
        }
        json->before += (uint64_t)(json->stop - json->chunk);
        json->p = json->chunk = json->counted = data;
        json->stop = data + len;
        if (len)
            return true;
    }
    return false;
}

/* Peeks at the next byte; -1 at the end. */
static inline int peek(struct json *json, struct error *err)
{
    return json->p < json->stop || more(json, err) ? (unsigned char)*json->p : -1;
}

static enum json_token bad(struct json *json, struct error *err, const char *why)
{
    json->expected = EXPECT_NO_MORE;
    json->text = "";
    json->text_len = 0;
    if (json->last != JSON_STRING && json->last != JSON_KEY)
        json->tail_len = 0;
    if (json->source_failed)
        return JSON_FAILED;
    error_set(err, "malformed JSON at byte %" PRIu64 ": %s", json_offset(json) + 1, why);
    return JSON_BAD;
}

static int skip_space(struct json *json, struct error *err)
{
    int c;

    if (json->p < json->stop && (unsigned char)*json->p > ' ')
        return (unsigned char)*json->p;
    while ((c = peek(json, err)) == ' ' || c == '\n' || c == '\r' || c == '\t')
        json->p++;
    return c;
}

/* ---- strings ---- */

static void keep(struct json *json, const char *data, size_t len)
{
    if (json->is_long || json->kept.len + len > json->longest) {
        json->is_long = true;
        buffer_reset(&json->kept);
        return;
    }
    buffer_add(&json->kept, data, len);
}

static bool take_hex4(struct json *json, uint32_t *out, struct error *err)
{
    *out = 0;
    for (int i = 0; i < 4; i++, json->p++) {
        const int c = peek(json, err);

        if (c >= '0' && c <= '9')
            *out = *out << 4 | (uint32_t)(c - '0');
        else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))
            *out = *out << 4 | (uint32_t)((c | 0x20) - 'a' + 10);
        else
            return false;
    }
    return true;
}

static void keep_char(struct json *json, uint32_t c)
{
    char utf8[4];

    keep(json, utf8, (size_t)(utf8_put(utf8, c) - utf8));
}

static void keep_high(struct json *json)
{
    if (json->high)
        keep_char(json, json->high);
    json->high = 0;
}

static void keep_unit(struct json *json, uint32_t unit)
{
    if (json->high && unit >= 0xdc00 && unit < 0xe000) {
        keep_char(json, 0x10000 + ((json->high - 0xd800) << 10) + (unit - 0xdc00));
        json->high = 0;
        return;
    }
    keep_high(json);
    if (unit >= 0xd800 && unit < 0xdc00)
        json->high = unit;
    else
        keep_char(json, unit);
}

/* Decodes what follows a backslash. */
static bool take_escape(struct json *json, struct error *err)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const int c = peek(json, err);
    const char *found = c > 0 ? strchr(from, c) : NULL;
    uint32_t unit;

    if (c < 0 || (!found && c != 'u'))
        return false;
    json->p++;
    if (!found) {
        if (!take_hex4(json, &unit, err))
            return false;
        keep_unit(json, unit);
        return true;
    }
    keep_high(json);
    keep(json, &to[found - from], 1);
    return true;
}

/* Copies a string that cannot be returned in place: it has escapes or crosses a chunk boundary. */
static const char *take_in_parts(struct json *json, struct error *err)
{
    for (;;) {
        const int c = peek(json, err);
        const char *end;

        if (c < 0)
            return "unterminated string";
        if (c == '\\') {
            json->p++;
            if (!take_escape(json, err))
                return "invalid escape in a string";
            continue;
        }
        keep_high(json);
        if (c == '"')
            break;
        end = bytes_find_either(json->p, json->stop, '"', '\\');
        keep(json, json->p, (size_t)(end - json->p));
        json->p = end;
    }
    json->p++;
    return NULL;
}

static bool is_sign(int c)
{
    return c == ',' || c == ':' || c == '{' || c == '}' || c == '[' || c == ']';
}

/* Remembers the string's last structural characters: if its closing quote is missing, they are not part of
 * it. */
static void find_tail(struct json *json)
{
    for (size_t i = json->text_len; i > 0 && json->tail_len < TAIL; i--) {
        const char c = json->text[i - 1];

        if (is_sign(c))
            json->tail[json->tail_len++] = c;
        else if (!json_is_space(c))
            break;
    }
}

static enum json_token end_string(struct json *json, const char *text, size_t len, enum json_token token)
{
    json->text = text;
    json->text_len = len;
    if (len && (is_sign(text[len - 1]) || json_is_space(text[len - 1])))
        find_tail(json);
    return token;
}

/* Reads a string after its opening quote.  Most are digests, which are returned in place. */
static enum json_token take_string(struct json *json, enum json_token token, struct error *err)
{
    const char *begin = json->p, *end = bytes_find_either(begin, json->stop, '"', '\\'), *why;

    json->is_long = false;
    json->tail_len = 0;
    if (end < json->stop && *end == '"' && (size_t)(end - begin) <= json->longest) {
        json->p = end + 1;
        return end_string(json, begin, (size_t)(end - begin), token);
    }
    buffer_reset(&json->kept);
    json->high = 0;
    why = take_in_parts(json, err);
    if (why) {
        json->in_string = true;
        return bad(json, err, why);
    }
    if (json->kept.failed)
        return bad(json, err, "out of memory");
    return end_string(json, json->kept.len ? json->kept.data : "", json->kept.len, token);
}

/* ---- numbers and words ---- */

static size_t take_digits(struct json *json, struct error *err)
{
    size_t count = 0;
    int c;

    for (; (c = peek(json, err)) >= '0' && c <= '9'; count++, json->p++)
        keep(json, json->p, 1);
    return count;
}

static bool take_one_of(struct json *json, const char *set, struct error *err)
{
    const int c = peek(json, err);

    if (c <= 0 || !strchr(set, c))
        return false;
    keep(json, json->p++, 1);
    return true;
}

static enum json_token take_number(struct json *json, struct error *err)
{
    bool zero;

    json->is_long = false;
    buffer_reset(&json->kept);
    take_one_of(json, "-", err);
    zero = peek(json, err) == '0';
    if (zero ? !take_one_of(json, "0", err) : !take_digits(json, err))
        return bad(json, err, "expected a value");
    if (take_one_of(json, ".", err) && !take_digits(json, err))
        return bad(json, err, "number without digits after the decimal point");
    if (take_one_of(json, "eE", err)) {
        take_one_of(json, "+-", err);
        if (!take_digits(json, err))
            return bad(json, err, "number without digits in its exponent");
    }
    if (json->source_failed || json->kept.failed)
        return bad(json, err, "out of memory");
    json->text = json->kept.len ? json->kept.data : "";
    json->text_len = json->kept.len;
    return JSON_NUMBER;
}

static enum json_token take_word(struct json *json, const char *word, enum json_token token,
                                 struct error *err)
{
    for (; *word; word++, json->p++)
        if (peek(json, err) != *word)
            return bad(json, err, "expected a value");
    return token;
}

/* ---- grammar ---- */

static bool in_object(const struct json *json)
{
    return json->objects >> (json->depth - 1) & 1;
}

static void value_ended(struct json *json)
{
    json->expected = json->depth ? EXPECT_COMMA_OR_END : EXPECT_NOTHING;
}

static enum json_token open_level(struct json *json, bool object, struct error *err)
{
    if (json->depth == JSON_DEPTH)
        return bad(json, err, "too deep");
    json->p++;
    json->objects = (json->objects & ~((uint64_t)1 << json->depth)) | (uint64_t)object << json->depth;
    json->depth++;
    json->expected = object ? EXPECT_KEY_OR_END : EXPECT_VALUE_OR_END;
    return object ? JSON_OBJECT : JSON_ARRAY;
}

static enum json_token close_level(struct json *json)
{
    const enum json_token token = in_object(json) ? JSON_OBJECT_END : JSON_ARRAY_END;

    json->p++;
    json->depth--;
    value_ended(json);
    return token;
}

static enum json_token take_value(struct json *json, int c, struct error *err)
{
    if (c == '{' || c == '[')
        return open_level(json, c == '{', err);
    value_ended(json);
    switch (c) {
    case '"':
        json->p++;
        return take_string(json, JSON_STRING, err);
    case 't':
        return take_word(json, "true", JSON_TRUE, err);
    case 'f':
        return take_word(json, "false", JSON_FALSE, err);
    case 'n':
        return take_word(json, "null", JSON_NULL, err);
    default:
        return take_number(json, err);
    }
}

static enum json_token take_key(struct json *json, int c, struct error *err)
{
    if (c != '"')
        return bad(json, err, "expected a key");
    json->p++;
    json->expected = EXPECT_COLON;
    return take_string(json, JSON_KEY, err);
}

static enum json_token take_token(struct json *json, struct error *err)
{
    int c = json->expected == EXPECT_REST_OF_KEY ? 0 : skip_space(json, err);
    const bool ends = json->depth && c == (in_object(json) ? '}' : ']');

    switch (json->expected) {
    case EXPECT_COMMA_OR_END:
        if (ends)
            return close_level(json);
        if (c != ',')
            return bad(json, err, in_object(json) ? "expected a comma or }" : "expected a comma or ]");
        json->p++;
        c = skip_space(json, err);
        return in_object(json) ? take_key(json, c, err) : take_value(json, c, err);
    case EXPECT_COLON:
        if (c != ':')
            return bad(json, err, "expected a colon");
        json->p++;
        return take_value(json, skip_space(json, err), err);
    case EXPECT_REST_OF_KEY:
        json->expected = EXPECT_COLON;
        return take_string(json, JSON_KEY, err);
    case EXPECT_KEY_OR_END:
        return ends ? close_level(json) : take_key(json, c, err);
    case EXPECT_VALUE_OR_END:
        return ends ? close_level(json) : take_value(json, c, err);
    case EXPECT_VALUE:
        return take_value(json, c, err);
    case EXPECT_NOTHING:
        return c < 0 && !json->source_failed ? JSON_END : bad(json, err, "text after the top-level value");
    case EXPECT_NO_MORE:
    default:
        return bad(json, err, "parsing has already failed");
    }
}

enum json_token json_next(struct json *json, struct error *err)
{
    json->text = "";
    json->text_len = 0;
    json->last = take_token(json, err);
    return json->last;
}

enum json_token json_skip(struct json *json, enum json_token token, struct error *err)
{
    unsigned depth;

    if (token == JSON_KEY)
        token = json_next(json, err);
    if (token != JSON_OBJECT && token != JSON_ARRAY)
        return token;
    depth = json->depth;
    while (json->depth >= depth && token != JSON_BAD && token != JSON_FAILED)
        token = json_next(json, err);
    return token;
}

/* ---- resynchronising ---- */

/* Replays the alternative that the last string's closing quote opened one, so its tail is structure. */
static bool guess_tail(struct json *json, struct json_guess *guess, unsigned base)
{
    while (json->tail_len)
        json_guess_step(guess, json->tail[--json->tail_len], base);
    return json_guess_step(guess, '"', base);
}

static enum json_token resume(struct json *json, const struct json_guess *guess, enum expected expected)
{
    json->in_string = false;
    json->depth = guess->depth + 1;
    json->objects = guess->objects | (uint64_t)1 << guess->depth;
    json->expected = expected;
    return JSON_OBJECT;
}

static enum json_token resume_at_end(struct json *json, const struct json_guess guesses[2])
{
    if (json->source_failed)
        return JSON_FAILED;
    for (int i = 0; i < 2; i++)
        if (!guesses[i].over && guesses[i].depth == 0 && guesses[i].last == '}') {
            json->depth = 0;
            json->expected = EXPECT_NOTHING;
            return JSON_END;
        }
    return JSON_BAD;
}

enum json_token json_resync(struct json *json, unsigned depth, struct error *err)
{
    const struct json_guess guess = {
        .depth = json->depth < depth ? depth : json->depth,
        .objects = json->objects & ~((uint64_t)1 << (depth - 1)),
    };
    struct json_guess guesses[2] = {guess, guess};
    bool escaped = false;
    int c;

    if (json->expected != EXPECT_NO_MORE || json->kept.failed)
        return JSON_BAD;
    guesses[0].in_string = json->in_string;
    if (!json->in_string && guess_tail(json, &guesses[1], depth))
        return resume(json, &guesses[1], EXPECT_REST_OF_KEY);
    for (; (c = peek(json, err)) >= 0; json->p++) {
        if (escaped || c == '\\') {
            escaped = !escaped;
            continue;
        }
        for (int i = 0; i < 2; i++)
            if (json_guess_step(&guesses[i], (char)c, depth))
                return resume(json, &guesses[i], EXPECT_KEY_OR_END);
    }
    return resume_at_end(json, guesses);
}

/* ---- accessors ---- */

const char *json_text(const struct json *json, size_t *len)
{
    *len = json->text_len;
    return json->text;
}

bool json_is_long(const struct json *json)
{
    return json->is_long;
}

bool json_number(const struct json *json, uint64_t *out)
{
    uint64_t value = 0;

    if (json->last != JSON_NUMBER || json->is_long)
        return false;
    for (size_t i = 0; i < json->text_len; i++) {
        const unsigned digit = (unsigned char)json->text[i] - (unsigned)'0';

        if (digit > 9 || __builtin_mul_overflow(value, (uint64_t)10, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit, &value))
            return false;
    }
    *out = value;
    return true;
}

unsigned json_depth(const struct json *json)
{
    return json->depth;
}

uint64_t json_offset(const struct json *json)
{
    return json->before + (uint64_t)(json->p - json->chunk);
}

uint64_t json_line(struct json *json)
{
    count_lines(json, json->p);
    return json->line;
}
