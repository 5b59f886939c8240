/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/array.h"
#include "compare/distance.h"
#include "lab/lab_coates_inner.h"
#include "lab/lab_text.h"

void lab_coates_texts(const struct lab_run *run, size_t a_len, size_t b_len, struct lab_coates_text *a,
                      struct lab_coates_text *b, struct buffer *room)
{
    const size_t count = lab_data_count(run->data);
    const struct lab_text_file *file;
    struct lab_random random;
    size_t i = 0, k;

    while (i + 1 < count && lab_data_get(run->data, i)->len < a_len)
        i++;
    file = lab_data_get(run->data, i);
    *a = (struct lab_coates_text){file->data, file->len < a_len ? file->len : a_len};
    for (k = 0; k < count; k++)
        if (k != i && lab_data_get(run->data, k)->len >= b_len) {
            *b = (struct lab_coates_text){lab_data_get(run->data, k)->data, b_len};
            return;
        }
    lab_random_seed(&random, run->seed);
    lab_text_generate(&random, b_len, room);
    *b = lab_coates_of(room);
}

size_t lab_coates_2011_bits(uint32_t c)
{
    return c == 50 ? 316 : c == 100 ? 72 : 22;
}

struct sampler_params lab_coates_2011_params(struct lab_coates_text text, uint32_t c, size_t bits)
{
    enum { N = 4, SUMS = N * 255 + 1 };
    struct sampler_params params = {SAMPLER_COATES2011, N, c, 0};
    size_t windows[SUMS] = {0}, nearest = SIZE_MAX;

    for (size_t i = 1; i + N <= text.len; i++) /* the first window is not tested: coates.h */
        windows[text.data[i] + text.data[i + 1] + text.data[i + 2] + text.data[i + 3]]++;
    for (uint32_t k = 0; k < c; k++) {
        size_t count = 0, off;

        for (size_t sum = k; sum < SUMS; sum += c)
            count += windows[sum];
        off = count > bits ? count - bits : bits - count;
        if (off < nearest) {
            nearest = off;
            params.k = k;
        }
    }
    return params;
}

struct lab_coates_text lab_coates_of(const struct buffer *buffer)
{
    return (struct lab_coates_text){(const uint8_t *)buffer->data, buffer->len};
}

int lab_coates_sign(const struct sampler_params *params, struct lab_coates_text text, struct buffer *out,
                    struct error *err)
{
    struct sampler *sampler = sampler_new(params, err);
    struct sampler_result result;
    int status = -1;

    if (!sampler)
        return -1;
    buffer_reset(out);
    sampler_begin(sampler, text.len);
    if (sampler_update(sampler, text.data, text.len, err) == 0) {
        result = sampler_final(sampler);
        for (size_t i = 0; i < result.count; i++)
            buffer_add_char(out, sampler_symbol(params, result.samples[i].fp));
        status = out->failed ? error_set(err, "out of memory for a signature") : 0;
    }
    sampler_free(sampler);
    return status;
}

int lab_coates_distance(const struct buffer *a, const struct buffer *b, uint64_t *out, struct error *err)
{
    if (a->failed || b->failed)
        return error_set(err, "out of memory for a text");
    return distance_exact((const uint8_t *)a->data, a->len, (const uint8_t *)b->data, b->len, out, err);
}

int lab_coates_plain_distance(struct lab_coates_text a, struct lab_coates_text b, uint64_t *out,
                              struct error *err)
{
    uint64_t *row = NULL;

    if (array_resize(&row, b.len + 1))
        return error_set(err, "out of memory for a distance");
    for (size_t k = 0; k <= b.len; k++)
        row[k] = k;
    for (size_t i = 0; i < a.len; i++) {
        uint64_t diagonal = row[0];

        row[0] = i + 1;
        for (size_t k = 0; k < b.len; k++) {
            const uint64_t replaced = diagonal + (a.data[i] != b.data[k]);
            const uint64_t other = (row[k] < row[k + 1] ? row[k] : row[k + 1]) + 1;

            diagonal = row[k + 1];
            row[k + 1] = replaced < other ? replaced : other;
        }
    }
    *out = row[b.len];
    free(row);
    return 0;
}
