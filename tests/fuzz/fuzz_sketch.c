/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "by_letter.h"
#include "sketch/sketch.h"

/*
 * 's' and a sketch's line without its newline: either there is a message, or the sketch is written as the
 * same line again, and its JSON is one line.
 *
 * 't', a byte of rules, and text: its tokens are those of the same text byte by byte, and no more bytes than
 * it has; without rules, letters are all of the text.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* ---- lines ---- */

static void read_line(const uint8_t *data, size_t size)
{
    static struct sketch sketch; /* filled again and again, by good lines and by bad ones */
    struct buffer line = {0}, json = {0};
    struct error err = {""};

    if (sketch_parse(&sketch, (const char *)data, size, &err)) {
        require(err.text[0] != '\0');
        return;
    }
    sketch_format(&sketch, &line);
    require(!line.failed && line.len == size + 1 && line.data[size] == '\n');
    require(memcmp(line.data, data, size) == 0 && memchr(line.data, '\n', size) == NULL);
    sketch_format_json(&sketch, &json);
    require(!json.failed && json.len > 2 && json.data[0] == '{' && json.data[json.len - 2] == '}');
    for (size_t i = 0; i < json.len; i++)
        require((uint8_t)json.data[i] >= 0x20 || (json.data[i] == '\n' && i == json.len - 1));
    buffer_release(&line);
    buffer_release(&json);
}

/* ---- tokens ---- */

struct taken {
    size_t tokens, bytes;
    uint64_t hash;
};

static int take(void *arg, const uint8_t *part, size_t len, bool is_end, struct error *err)
{
    struct taken *taken = arg;

    (void)err;
    require(len <= TOKENS_PART);
    taken->tokens += is_end;
    taken->bytes += len;
    for (size_t i = 0; i < len; i++)
        taken->hash = (taken->hash + part[i] + 1) * 0x9e3779b97f4a7c15u;
    if (is_end)
        taken->hash = (taken->hash ^ taken->hash >> 31) * 0x9e3779b97f4a7c15u;
    return 0;
}

static struct taken divide(const struct tokens_rules *rules, const uint8_t *data, size_t size, size_t step)
{
    struct taken taken = {0, 0, 0};
    struct tokens *tokens = tokens_new(rules, take, &taken, NULL);

    require(tokens != NULL);
    tokens_begin(tokens);
    for (size_t at = 0; at < size; at += step)
        require(tokens_update(tokens, data + at, step < size - at ? step : size - at, NULL) == 0);
    require(tokens_final(tokens, NULL) == 0);
    tokens_free(tokens);
    return taken;
}

static void read_tokens(const uint8_t *data, size_t size)
{
    struct tokens_rules rules = {.unit = TOKENS_BYTES};
    struct taken whole, cut;

    if (size == 0)
        return;
    rules.unit = (enum tokens_unit)(data[0] % TOKENS_UNITS);
    for (unsigned i = 0; i < TOKENS_RULES; i++)
        *tokens_rule_of(&rules, (enum tokens_rule)i) = data[0] >> (4 + i) & 1;
    whole = divide(&rules, data + 1, size - 1, size);
    cut = divide(&rules, data + 1, size - 1, 1);
    require(whole.tokens == cut.tokens && whole.bytes == cut.bytes && whole.hash == cut.hash);
    require(whole.bytes <= size - 1 && whole.tokens <= size - 1);
    if (rules.unit == TOKENS_LETTERS && data[0] >> 4 == 0)
        require(whole.bytes == size - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return run_by_letter(data, size, 's', read_line, 't', read_tokens);
}
