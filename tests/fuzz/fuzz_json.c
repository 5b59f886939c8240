/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/json.h"

/*
 * The first byte of the input is the length of the pieces that the rest is given in.
 *
 * The tokens are the same as of the text as a whole; what is open is closed; after the end and after an error
 * the same comes again; and skipping the one value ends where reading it does.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LONGEST = 20 };

struct pieces {
    const uint8_t *p;
    size_t left, most;
    char *piece; /* memory of its own, so that a sanitizer sees late reads */
};

static void require(bool holds)
{
    if (!holds)
        abort();
}

static int give_piece(void *arg, const char **data, size_t *len, struct error *err)
{
    struct pieces *pieces = arg;

    (void)err;
    free(pieces->piece);
    pieces->piece = NULL;
    if (pieces->left == 0)
        return 0;
    *len = pieces->left < pieces->most ? pieces->left : pieces->most;
    pieces->piece = malloc(*len);
    require(pieces->piece != NULL);
    memcpy(pieces->piece, pieces->p, *len);
    pieces->p += *len;
    pieces->left -= *len;
    *data = pieces->piece;
    return 1;
}

static bool is_over(enum json_token token)
{
    return token == JSON_END || token == JSON_BAD || token == JSON_FAILED;
}

static enum json_token read_all(struct json *json, struct buffer *out)
{
    struct error err = {""};
    enum json_token token;
    unsigned depth = 0;

    do {
        size_t len;
        const char *text;
        uint64_t number = 0;

        token = json_next(json, &err);
        text = json_text(json, &len);
        depth += token == JSON_OBJECT || token == JSON_ARRAY;
        depth -= token == JSON_OBJECT_END || token == JSON_ARRAY_END;
        require(json_depth(json) == depth && depth <= JSON_DEPTH && len <= LONGEST);
        buffer_printf(out, "%d %d %zu:", (int)token, json_is_long(json), len);
        buffer_add(out, text, len);
        buffer_printf(out, " %d %llu\n", json_number(json, &number), (unsigned long long)number);
    } while (!is_over(token));
    require(token != JSON_END || depth == 0);
    require((token == JSON_BAD) == (err.text[0] != '\0'));
    require(json_next(json, &err) == token);
    return token;
}

static void check_skip(struct json *json, const uint8_t *data, size_t size, enum json_token last)
{
    struct error err = {""};
    enum json_token token;

    json_begin(json, (const char *)data, size, NULL, NULL);
    token = json_skip(json, json_next(json, &err), &err);
    require(last != JSON_END || (!is_over(token) && json_next(json, &err) == JSON_END));
    require(json_offset(json) <= size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buffer whole = {0}, cut = {0};
    struct json *json = json_new(LONGEST, NULL);
    struct pieces pieces;
    enum json_token last;

    require(json != NULL);
    if (size > 0) {
        pieces = (struct pieces){data + 1, size - 1, data[0] ? data[0] : 1, NULL};
        json_begin(json, (const char *)data + 1, size - 1, NULL, NULL);
        last = read_all(json, &whole);
        json_begin(json, "", 0, give_piece, &pieces);
        require(read_all(json, &cut) == last);
        require(whole.len == cut.len && memcmp(whole.data, cut.data, whole.len) == 0);
        check_skip(json, data + 1, size - 1, last);
        free(pieces.piece);
    }
    buffer_release(&whole);
    buffer_release(&cut);
    json_free(json);
    return 0;
}
