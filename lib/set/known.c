/* SPDX-License-Identifier: Apache-2.0 */
#include "set/known.h"

#include <string.h>

void known_reset(struct known *known)
{
    memset(&known->digests, 0, sizeof known->digests);
    known->has_size = known->has_record = false;
    known->size = 0;
    known->record.count = 0;
    buffer_reset(&known->names);
    buffer_reset(&known->origins);
    buffer_reset(&known->blocks);
}

void known_release(struct known *known)
{
    record_release(&known->record);
    buffer_release(&known->names);
    buffer_release(&known->origins);
    buffer_release(&known->blocks);
    *known = (struct known){0};
}

void known_add_name(struct known *known, const char *name, size_t len)
{
    len = strnlen(name, len);
    if (len == 0)
        return;
    buffer_add(&known->names, name, len);
    buffer_add_char(&known->names, '\0');
}

enum {
    GROWS_ABOVE = 1 << 20, /* file size in bytes above which C doubles */
    SPARSE_SAMPLES = 24,   /* of a small file in a sparse set */
};

/* For files that are sampled more densely than at the default C. */
static uint32_t small_c(uint64_t len, uint32_t c, uint32_t densest)
{
    uint32_t wanted;

    if (c <= SAMPLER_DEFAULT_C)
        return densest < c ? densest : c;
    wanted = c / SAMPLER_DEFAULT_C * densest;
    while (wanted > densest && len / wanted < SPARSE_SAMPLES)
        wanted /= 2;
    return wanted;
}

uint32_t known_c(uint64_t len, uint32_t c)
{
    const uint32_t densest = sampler_auto_c(len);

    if (densest < SAMPLER_DEFAULT_C)
        return small_c(len, c, densest);
    for (uint64_t limit = GROWS_ABOVE; len > limit && c < SAMPLER_MAX_C && limit < UINT64_MAX / 4; limit *= 4)
        c *= 2;
    return c;
}

void known_reduce(struct known *known, uint32_t c)
{
    const uint32_t wanted = known_c(known->size, c);

    if (known->has_record && wanted > known->record.params.c)
        record_reduce(&known->record, wanted);
}

static int check_samples(const struct record *record, uint64_t size, struct error *err)
{
    const uint64_t limit = UINT64_MAX / record->params.c;

    for (size_t i = 0; i < record->count; i++) {
        const struct sample *sample = &record->samples[i];

        if (sample->fp > limit || sample->pos > size || size - sample->pos < record->params.n ||
            (i > 0 && sample->pos <= sample[-1].pos))
            return error_set(err, "sample %zu of its record is invalid", i + 1);
    }
    return 0;
}

int known_check(const struct known *known, uint32_t n, uint32_t k, uint32_t block, struct error *err)
{
    const struct record *record = &known->record;

    if (!known->digests.kinds)
        return error_set(err, "no digest");
    if (known->has_size && known->size > INT64_MAX)
        return error_set(err, "invalid size");
    if (!known->has_record)
        return 0;
    if (!known->has_size || !(known->digests.kinds & DIGEST_BIT(DIGEST_SHA1)))
        return error_set(err, "its record comes without a SHA-1 or size");
    if (record->params.scheme != SAMPLER_GF8)
        return error_set(err, "its record has scheme %s, the set has gf8",
                         sampler_scheme_name(record->params.scheme));
    if (record->params.n != n)
        return error_set(err, "its record has windows of %u bytes, the set has %u", record->params.n, n);
    if (record->params.k != k)
        return error_set(err, "its record is sampled %s, the set %s",
                         record->params.k ? "with a key" : "without a key",
                         !k                 ? "without"
                         : record->params.k ? "with another"
                                            : "with one");
    if (record->params.c == SAMPLER_AUTO)
        return error_set(err, "its record does not state its C");
    if (record_check(&record->params, err) || check_samples(record, known->size, err))
        return -1;
    if (record->coincidence > SAMPLER_COINCIDENCE_ONE)
        return error_set(err, "invalid coincidence");
    if (known->blocks.len && known->blocks.len != blocks_count(known->size, block) * DIGEST_SHA1_LEN)
        return error_set(err, "the number of block digests does not match the set's block size");
    return 0;
}

/* ---- messages ---- */

void known_encode(struct buffer *out, const struct known *known)
{
    const struct record *record = &known->record;

    wire_put_bytes(out, &known->digests, sizeof known->digests);
    wire_put(out, known->size);
    wire_put(out, record->params.n);
    wire_put(out, record->params.c);
    wire_put(out, record->params.k);
    wire_put(out, record->coincidence);
    wire_put_bytes(out, record->samples, record->count * sizeof *record->samples);
    wire_put_bytes(out, known->blocks.data, known->blocks.len);
}

static void get_digests(struct wire *wire, struct digest_values *digests)
{
    size_t len;
    const char *data = wire_get_bytes(wire, &len);

    if (len == sizeof *digests)
        memcpy(digests, data, len);
    if (len != sizeof *digests || digests->kinds >= DIGEST_BIT(DIGEST_KINDS))
        wire->broken = true;
}

static void get_samples(struct wire *wire, struct record *record)
{
    size_t len;
    const char *data = wire_get_bytes(wire, &len);

    /* copies, since the bytes may be unaligned */
    if (len % sizeof(struct sample) ||
        record_set_samples(record, (const void *)data, len / sizeof(struct sample), NULL))
        wire->broken = true;
}

bool known_decode(struct wire *wire, struct known *known)
{
    struct record *record = &known->record;
    uint64_t n, c, k, coincidence;
    const char *data;
    size_t len;

    known_reset(known);
    get_digests(wire, &known->digests);
    known->size = wire_get(wire);
    n = wire_get(wire);
    c = wire_get(wire);
    k = wire_get(wire);
    coincidence = wire_get(wire);
    if (n > UINT32_MAX || c > UINT32_MAX || k > UINT32_MAX || coincidence > UINT32_MAX)
        wire->broken = true;
    record->params = (struct sampler_params){SAMPLER_GF8, (uint32_t)n, (uint32_t)c, (uint32_t)k};
    record->coincidence = (uint32_t)coincidence;
    record->len = known->size;
    get_samples(wire, record);
    data = wire_get_bytes(wire, &len);
    buffer_add(&known->blocks, data, len);
    known->has_size = known->has_record = true;
    return !wire->broken && !known->blocks.failed;
}
