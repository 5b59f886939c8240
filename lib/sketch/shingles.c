/* SPDX-License-Identifier: Apache-2.0 */
#include "sketch/shingles.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "sketch/permutation.h"
#include "sketch/rabin.h"
#include "sketch/tally.h"

enum {
    BLOCK = 8192, /* bytes processed at a time: they and their fingerprints fit in the L2 cache */
    WIDE = 8,     /* bytes of a token's fingerprint */
};

/* Independent draws of one seed. */
enum stream {
    STREAM_POLYNOMIAL,
    STREAM_LABEL_POLYNOMIAL,
    STREAM_TOKEN_PERMUTATION,
    STREAM_PERMUTATION,
};

struct shingles {
    struct shingles_params params;
    bool with_tokens;
    shingles_sink *sink;
    void *arg;
    struct tokens *parser; /* NULL: the tokens are the bytes */
    unsigned step;         /* bytes of a token: 1 or WIDE */
    struct rabin_window window;
    struct rabin labels;
    struct permutation of_tokens, permutation;
    struct tally tally; /* of option A */
    uint64_t token;     /* the fingerprint of its parts so far */
    size_t kept;        /* bytes of the last window that were already passed on */
    size_t len;
    uint64_t ids[BLOCK], tokens[BLOCK];
    uint8_t bytes[]; /* the last window but its first token, then up to BLOCK new ones */
};

/* ---- from bytes to numbers ---- */

/* A label changes the whole number: see the header. */
static int label(struct shingles *shingles, size_t count, struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t times = tally_add(&shingles->tally, shingles->ids[i], err);
        const uint64_t text[] = {htole64(shingles->ids[i]), htole64(times)};

        if (times == 0)
            return -1;
        shingles->ids[i] =
            rabin_append(&shingles->labels, shingles->labels.empty, (const uint8_t *)text, sizeof text);
    }
    return 0;
}

static const uint64_t *new_tokens(struct shingles *shingles, size_t count)
{
    const uint8_t *from = shingles->bytes + shingles->kept;

    if (!shingles->with_tokens)
        return NULL;
    for (size_t i = 0; i < count; i++, from += shingles->step)
        shingles->tokens[i] = shingles->step == 1 ? *from : bytes_load64(from);
    return shingles->tokens;
}

/* Passes on the tokens in `bytes`, and keeps those that the next window needs. */
static int flush(struct shingles *shingles, struct error *err)
{
    const unsigned step = shingles->step;
    const size_t width = shingles->window.width, tokens = (shingles->len - shingles->kept) / step;
    const size_t count = shingles->len < width ? 0 : (shingles->len - width) / step + 1;
    const struct permutation permutation = shingles->permutation;
    struct shingles_batch batch = {shingles->ids, count, new_tokens(shingles, tokens), tokens};

    if (count > 0)
        rabin_window_slide(&shingles->window, shingles->bytes, (count - 1) * step + 1, shingles->ids);
    for (size_t i = 1; i < count && step > 1; i++)
        shingles->ids[i] = shingles->ids[i * step];
    if (shingles->params.labelled && label(shingles, count, err))
        return -1;
    for (size_t i = 0; i < count; i++)
        shingles->ids[i] = permutation_apply(&permutation, shingles->ids[i]);
    if (tokens > 0 && shingles->sink(shingles->arg, &batch, err))
        return -1;
    memmove(shingles->bytes, shingles->bytes + count * step, shingles->len - count * step);
    shingles->len -= count * step;
    shingles->kept = shingles->len;
    return 0;
}

static int take_bytes(struct shingles *shingles, const uint8_t *p, size_t len, struct error *err)
{
    while (len > 0) {
        const size_t room = BLOCK - (shingles->len - shingles->kept), part = len < room ? len : room;

        memcpy(shingles->bytes + shingles->len, p, part);
        shingles->len += part;
        p += part;
        len -= part;
        if (part == room && flush(shingles, err))
            return -1;
    }
    return 0;
}

/* Takes the bytes of a wide token, zeros after them. */
static int take_wide(struct shingles *shingles, const uint8_t *bytes, size_t len, struct error *err)
{
    uint8_t wide[WIDE] = {0};

    memcpy(wide, bytes, len);
    return take_bytes(shingles, wide, WIDE, err);
}

static int take_part(void *arg, const uint8_t *part, size_t len, bool is_end, struct error *err)
{
    struct shingles *shingles = arg;
    const struct rabin *rabin = &shingles->window.rabin;
    uint64_t wide;

    if (shingles->params.tokens.unit == TOKENS_WORDS8)
        return take_wide(shingles, part, len, err);
    if (shingles->step > 1)
        shingles->token = rabin_append(rabin, shingles->token, part, len);
    if (!is_end)
        return 0;
    if (shingles->step == 1)
        return take_bytes(shingles, part, 1, err);
    wide = htole64(permutation_apply(&shingles->of_tokens, shingles->token));
    shingles->token = rabin->empty;
    return take_bytes(shingles, (const uint8_t *)&wide, WIDE, err);
}

/* ---- the stream ---- */

static void draw(struct shingles *shingles)
{
    const struct shingles_params *params = &shingles->params;
    struct rabin rabin;

    rabin_init(&rabin, params->bits, rabin_draw(params->bits, params->seed, STREAM_POLYNOMIAL));
    rabin_window_init(&shingles->window, &rabin, (size_t)params->window * shingles->step);
    permutation_init(&shingles->of_tokens, params->bits, params->seed, STREAM_TOKEN_PERMUTATION, 0);
    permutation_init(&shingles->permutation, params->bits, params->seed, STREAM_PERMUTATION, 0);
    if (params->labelled)
        rabin_init(&shingles->labels, params->bits,
                   rabin_draw(params->bits, params->seed, STREAM_LABEL_POLYNOMIAL));
}

struct shingles *shingles_new(const struct shingles_params *params, bool with_tokens, shingles_sink *sink,
                              void *arg, struct error *err)
{
    const unsigned step = params->tokens.unit == TOKENS_BYTES ? 1 : WIDE;
    struct shingles *shingles = memory_new(sizeof *shingles + (size_t)params->window * step + BLOCK, err);

    if (!shingles)
        return NULL;
    shingles->params = *params;
    shingles->with_tokens = with_tokens;
    shingles->sink = sink;
    shingles->arg = arg;
    shingles->step = step;
    if (!tokens_is_plain(&params->tokens)) {
        shingles->parser = tokens_new(&params->tokens, take_part, shingles, err);
        if (!shingles->parser) {
            free(shingles);
            return NULL;
        }
    }
    draw(shingles);
    return shingles;
}

void shingles_free(struct shingles *shingles)
{
    if (!shingles)
        return;
    tokens_free(shingles->parser);
    tally_release(&shingles->tally);
    free(shingles);
}

void shingles_begin(struct shingles *shingles)
{
    shingles->len = shingles->kept = 0;
    shingles->token = shingles->window.rabin.empty;
    tally_reset(&shingles->tally);
    if (shingles->parser)
        tokens_begin(shingles->parser);
}

int shingles_update(struct shingles *shingles, const void *data, size_t len, struct error *err)
{
    return shingles->parser ? tokens_update(shingles->parser, data, len, err)
                            : take_bytes(shingles, data, len, err);
}

int shingles_final(struct shingles *shingles, struct error *err)
{
    if (shingles->parser && tokens_final(shingles->parser, err))
        return -1;
    return flush(shingles, err);
}

uint64_t shingles_strange(const struct shingles *shingles)
{
    return shingles->parser ? tokens_strange(shingles->parser) : 0;
}

uint64_t shingles_removed(const struct shingles *shingles)
{
    return shingles->parser ? tokens_removed(shingles->parser) : 0;
}
