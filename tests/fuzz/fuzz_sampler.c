/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sample/sampler.h"

/*
 * The input: eight bytes of choices, then content.
 *
 *     0    scheme              1    n             2, 3  c
 *     4    k, or of gf8: bit 0 whether c is AUTO  5     how often the content is repeated
 *     6    where the repetitions differ           7     how it is cut
 *
 * However the content is cut, whatever the length was said to be, and at every CPU level, the samples are the
 * same; they ascend, lie within the content, and thinned they are those of a larger c.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CHOICES = 8, MAX_CONTENT = 1 << 16 };

static uint8_t content[MAX_CONTENT];

static void require(bool holds)
{
    if (!holds)
        abort();
}

static struct sampler_params choose(const uint8_t *data)
{
    struct sampler_params params = {(enum sampler_scheme)(data[0] % SAMPLER_SCHEMES), 0, 0, 0};

    if (params.scheme == SAMPLER_GF8) {
        params.n = 8 + data[1] % 25u;
        params.c = data[4] & 1 ? SAMPLER_AUTO : 4u << data[2] % 12;
        return params;
    }
    params.n = 1 + data[1] % 64u;
    params.c = 2 + data[2] + 256u * (data[3] % 16);
    params.k = data[4] % params.c;
    if (params.scheme == SAMPLER_COATES2015 && params.c % 89 == 0)
        params.c++;
    return params;
}

/* Repeats the input's content, so that a small input reaches the ends of blocks and pieces; returns the
 * length. */
static size_t make_content(const uint8_t *data, size_t size)
{
    const size_t unit = size - CHOICES < MAX_CONTENT ? size - CHOICES : MAX_CONTENT;
    size_t len = 0;

    for (unsigned times = 1 + data[5]; times > 0 && unit > 0 && len + unit <= MAX_CONTENT; times--) {
        memcpy(content + len, data + CHOICES, unit);
        if (data[6])
            content[len + data[6] % unit] ^= (uint8_t)times;
        len += unit;
    }
    return len;
}

static struct sampler *make(const struct sampler_params *params, const char *level)
{
    struct sampler *sampler;

    if (level)
        setenv("KITH_CPU", level, 1);
    else
        unsetenv("KITH_CPU");
    sampler = sampler_new(params, NULL);
    require(sampler != NULL);
    return sampler;
}

static struct sampler_result take(struct sampler *sampler, size_t len)
{
    sampler_begin(sampler, len);
    require(sampler_update(sampler, content, len, NULL) == 0);
    return sampler_final(sampler);
}

static struct sampler_result take_cut(struct sampler *sampler, size_t len, unsigned seed)
{
    sampler_begin(sampler, seed & 1 ? len : SAMPLER_UNKNOWN);
    for (size_t at = 0, piece; at < len; at += piece) {
        seed = seed * 1103515245 + 12345;
        piece = seed >> 16 & 0x40 ? seed >> 24 : (seed >> 17) % 9000;
        piece = piece < len - at ? piece : len - at;
        require(sampler_update(sampler, content + at, piece, NULL) == 0);
    }
    return sampler_final(sampler);
}

static void require_same(const struct sampler_result *a, const struct sampler_result *b)
{
    require(a->c == b->c && a->coincidence == b->coincidence && a->count == b->count);
    require(a->count == 0 || memcmp(a->samples, b->samples, a->count * sizeof *a->samples) == 0);
}

static void require_in_bounds(const struct sampler_result *result, const struct sampler_params *params,
                              size_t len)
{
    const unsigned bits =
        sampler_fp_bits(&(struct sampler_params){params->scheme, params->n, result->c, params->k});

    require(params->c == SAMPLER_AUTO ? result->c == sampler_auto_c(len) : result->c == params->c);
    require(result->coincidence <= SAMPLER_COINCIDENCE_ONE);
    for (size_t i = 0; i < result->count; i++) {
        const struct sample *sample = &result->samples[i];

        require(i == 0 || sample->pos > sample[-1].pos);
        require(sample->pos + params->n <= len);
        require(bits == 64 || sample->fp >> bits == 0);
    }
}

/* Checks that the samples, which are thinned in place, are those of a c four times as large. */
static void require_thin(struct sampler_result dense, const struct sampler_params *params, size_t len)
{
    static struct sample thinned[MAX_CONTENT];
    struct sampler_params larger = *params;
    struct sampler_result sparse;
    struct sampler *sampler;

    larger.c = 4 * dense.c;
    sampler = make(&larger, NULL);
    sparse = take(sampler, len);
    if (dense.count)
        memcpy(thinned, dense.samples, dense.count * sizeof *thinned);
    dense.samples = thinned;
    dense.count = sampler_thin(thinned, dense.count, larger.c);
    dense.c = larger.c;
    require_same(&dense, &sparse);
    sampler_free(sampler);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sampler_params params;
    struct sampler *best, *scalar;
    struct sampler_result whole, other;
    size_t len;

    if (size < CHOICES)
        return 0;
    params = choose(data);
    len = make_content(data, size);
    best = make(&params, NULL);
    scalar = make(&params, "scalar");
    whole = take(best, len);
    require_in_bounds(&whole, &params, len);
    if (params.scheme == SAMPLER_GF8)
        require_thin(whole, &params, len);
    other = take(scalar, len);
    require_same(&whole, &other);
    other = take_cut(scalar, len, data[7]);
    require_same(&whole, &other);
    whole = take_cut(best, len, data[7] ^ 0x55u);
    require_same(&whole, &other);
    sampler_free(best);
    sampler_free(scalar);
    return 0;
}
