/* SPDX-License-Identifier: Apache-2.0 */
#include "compare/distance.h"
#include "lab/lab_coates_inner.h"
#include "lab/lab_text.h"

/* The index of the shortest document with at least len bytes, from `from` on; else of the longest. */
static size_t find_document(const struct lab_data *data, size_t len, size_t from)
{
    const size_t count = lab_data_count(data);

    for (size_t i = from; i < count; i++)
        if (lab_data_get(data, i)->len >= len)
            return i;
    return count - 1;
}

static struct lab_coates_text beginning(const struct lab_data *data, size_t index, size_t len)
{
    const struct lab_text_file *file = lab_data_get(data, index);

    return (struct lab_coates_text){file->data, file->len < len ? file->len : len};
}

void lab_coates_texts(const struct lab_run *run, size_t len, struct lab_coates_text *a,
                      struct lab_coates_text *b, struct buffer *room)
{
    const size_t first = find_document(run->data, len, 0), count = lab_data_count(run->data);
    struct lab_random random;

    *a = beginning(run->data, first, len);
    if (count > 1) {
        *b = beginning(run->data, first + 1 < count ? first + 1 : first - 1, len);
        return;
    }
    lab_random_seed(&random, run->seed);
    lab_text_generate(&random, a->len, room);
    *b = lab_coates_of(room);
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
            buffer_add_char(out, sampler_symbol(params->scheme, result.samples[i].fp));
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
