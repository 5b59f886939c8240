/* SPDX-License-Identifier: Apache-2.0 */
#include "sample/record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/digest_text.h"
#include "base/escape.h"
#include "base/fields.h"

/* ---- in memory ---- */

void record_release(struct record *record)
{
    free(record->samples);
    buffer_release(&record->name);
    *record = (struct record){0};
}

static int make_room(struct record *record, size_t count, struct error *err)
{
    if (count <= record->room)
        return 0;
    if (array_resize(&record->samples, count))
        return error_set(err, "out of memory for %zu samples", count);
    record->room = count;
    return 0;
}

int record_resize(struct record *record, size_t count, struct error *err)
{
    if (make_room(record, count, err))
        return -1;
    record->count = count;
    return 0;
}

int record_set_samples(struct record *record, const struct sample *samples, size_t count, struct error *err)
{
    if (record_resize(record, count, err))
        return -1;
    if (count)
        memcpy(record->samples, samples, count * sizeof *samples);
    return 0;
}

void record_set_name(struct record *record, const void *name, size_t len)
{
    buffer_reset(&record->name);
    buffer_add(&record->name, name, len);
}

void record_reduce(struct record *record, uint32_t c)
{
    record->count = sampler_thin(record->samples, record->count, c);
    record->params.c = c;
}

const struct record *record_reduced(const struct record *record, uint32_t c, struct record *copy,
                                    struct error *err)
{
    if (record->params.c == c)
        return record;
    if (record_set_samples(copy, record->samples, record->count, err))
        return NULL;
    copy->params = record->params;
    copy->len = record->len;
    copy->coincidence = record->coincidence;
    record_reduce(copy, c);
    return copy;
}

void record_signature(const struct record *record, struct buffer *out)
{
    char *to = record->count ? buffer_extend(out, record->count) : NULL;

    for (size_t i = 0; to && i < record->count; i++)
        to[i] = sampler_symbol(&record->params, record->samples[i].fp);
}

/* ---- numbers as text: six bits per character ---- */

enum {
    VARINT_BITS = 5, /* the sixth bit means that more follow */
    VARINT_MORE = 1 << VARINT_BITS,
    VARINT_MAX_CHARS = 13,
};

static char *put_varint(char *to, uint64_t value)
{
    for (; value >= VARINT_MORE; value >>= VARINT_BITS)
        *to++ = fields_digit(VARINT_MORE | (value & (VARINT_MORE - 1)));
    *to++ = fields_digit((unsigned)value);
    return to;
}

static unsigned fp_chars(const struct sampler_params *params)
{
    return (sampler_fp_bits(params) + 5) / 6;
}

/* ---- writing ---- */

static void add_positions(const struct record *record, struct buffer *out)
{
    size_t start = out->len;
    char *to = record->count ? buffer_extend(out, record->count * VARINT_MAX_CHARS) : NULL;
    uint64_t last = 0;

    for (size_t i = 0; to && i < record->count; i++) {
        to = put_varint(to, record->samples[i].pos - last);
        last = record->samples[i].pos;
    }
    if (to)
        out->len = (size_t)(to - out->data);
    else
        out->len = start;
}

static void add_fingerprints(const struct record *record, struct buffer *out)
{
    const unsigned chars = fp_chars(&record->params);
    char *to = record->count ? buffer_extend(out, record->count * chars) : NULL;

    for (size_t i = 0; to && i < record->count; i++)
        to = fields_put_digits(to, record->samples[i].fp, chars);
}

void record_format(const struct record *record, struct buffer *out)
{
    const struct sampler_params *params = &record->params;

    buffer_printf(out, RECORD_MAGIC "%s:%u:%u:%u:%" PRIu64 ":", sampler_scheme_name(params->scheme),
                  params->n, params->c, params->k, record->len);
    digest_text_add(&record->digests, out);
    buffer_printf(out, ":%u:", record->coincidence);
    record_signature(record, out);
    buffer_add_char(out, ':');
    add_positions(record, out);
    buffer_add_char(out, ':');
    add_fingerprints(record, out);
    buffer_add_char(out, ':');
    escape_text(out, record->name.data, record->name.len);
    buffer_add_char(out, '\n');
}

static void add_json_list(const struct record *record, struct buffer *out, bool positions)
{
    for (size_t i = 0; i < record->count; i++) {
        const struct sample *sample = &record->samples[i];

        if (positions)
            buffer_printf(out, "%s%" PRIu64, i ? "," : "", sample->pos);
        else
            buffer_printf(out, "%s\"%016" PRIx64 "\"", i ? "," : "", sample->fp);
    }
}

void record_format_json(const struct record *record, struct buffer *out)
{
    const struct sampler_params *params = &record->params;
    struct buffer signature = {0};

    buffer_add_text(out, "{\"path\":");
    escape_json(out, record->name.data, record->name.len);
    if (escape_needed(record->name.data, record->name.len)) {
        buffer_add_text(out, ",\"path_hex\":\"");
        escape_hex(out, record->name.data, record->name.len);
        buffer_add_char(out, '"');
    }
    buffer_printf(out, ",\"size\":%" PRIu64, record->len);
    digest_text_add_json(&record->digests, out);
    buffer_printf(out, ",\"scheme\":\"%s\",\"n\":%u,\"c\":%u,\"k\":%u,\"coincidence\":%.4f,\"signature\":",
                  sampler_scheme_name(params->scheme), params->n, params->c, params->k,
                  record->coincidence / 10000.0);
    record_signature(record, &signature);
    escape_json(out, signature.data, signature.len);
    out->failed |= signature.failed;
    buffer_release(&signature);
    buffer_add_text(out, ",\"positions\":[");
    add_json_list(record, out, true);
    buffer_add_text(out, "],\"fingerprints\":[");
    add_json_list(record, out, false);
    buffer_add_text(out, "]}\n");
}

/* ---- reading ---- */

int record_check(const struct sampler_params *params, struct error *err)
{
    struct sampler_params plain = *params;

    if (plain.scheme == SAMPLER_GF8)
        plain.k = 0;
    return sampler_check(&plain, err);
}

enum field {
    FIELD_MAGIC,
    FIELD_SCHEME,
    FIELD_N,
    FIELD_C,
    FIELD_K,
    FIELD_LENGTH,
    FIELD_DIGESTS,
    FIELD_COINCIDENCE,
    FIELD_SIGNATURE,
    FIELD_POSITIONS,
    FIELD_FINGERPRINTS,
    FIELD_NAME,
    FIELDS,
};

static const char *const field_names[FIELDS] = {
    "magic",     "scheme",       "n",    "C", "k", "length", "digest", "coincidence", "signature",
    "positions", "fingerprints", "name",
};

static int parse_params(struct record *record, const struct fields *fields, struct error *err)
{
    const struct fields_text *scheme = &fields->list[FIELD_SCHEME];
    char name[16] = "";
    uint64_t n = 0, c = 0, k = 0, coincidence = 0;
    int found;

    if (scheme->len < sizeof name)
        memcpy(name, scheme->p, scheme->len);
    found = sampler_scheme_find(name);
    if (found < 0 || strlen(name) != scheme->len)
        return fields_bad(fields, FIELD_SCHEME, scheme, "is unknown", err);
    if (fields_number(fields, FIELD_N, UINT32_MAX, &n, err) ||
        fields_number(fields, FIELD_C, UINT32_MAX, &c, err) ||
        fields_number(fields, FIELD_K, UINT32_MAX, &k, err) ||
        fields_number(fields, FIELD_LENGTH, INT64_MAX, &record->len, err) ||
        fields_number(fields, FIELD_COINCIDENCE, SAMPLER_COINCIDENCE_ONE, &coincidence, err))
        return -1;
    record->params =
        (struct sampler_params){(enum sampler_scheme)found, (uint32_t)n, (uint32_t)c, (uint32_t)k};
    record->coincidence = (uint32_t)coincidence;
    if (c == SAMPLER_AUTO)
        return fields_bad(fields, FIELD_C, &fields->list[FIELD_C], "is no selection", err);
    return record_check(&record->params, err);
}

static int parse_digests(struct record *record, const struct fields *fields, struct error *err)
{
    const struct fields_text *text = &fields->list[FIELD_DIGESTS];
    const char *why = digest_text_parse(&record->digests, text->p, text->len);

    return why ? fields_bad(fields, FIELD_DIGESTS, text, why, err) : 0;
}

/* Takes the next number; false if there is none or its encoding is not the shortest. */
static bool take_varint(struct fields_text *text, uint64_t *out)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < VARINT_MAX_CHARS && i < text->len; i++) {
        const int digit = fields_digit_value(text->p[i]);
        const uint64_t bits = (uint64_t)digit & (VARINT_MORE - 1);

        if (digit < 0 || (i == VARINT_MAX_CHARS - 1 && bits > 15))
            return false;
        value |= bits << (i * VARINT_BITS);
        if (digit & VARINT_MORE)
            continue;
        *out = value;
        text->p += i + 1;
        text->len -= i + 1;
        return i == 0 || bits != 0;
    }
    return false;
}

static int parse_positions(struct record *record, const struct fields *fields, struct error *err)
{
    const struct fields_text *field = &fields->list[FIELD_POSITIONS];
    struct fields_text rest = *field;
    uint64_t last = 0, step = 0;

    for (size_t i = 0; i < record->count; i++) {
        if (!take_varint(&rest, &step))
            return fields_bad(fields, FIELD_POSITIONS, &rest,
                              rest.len ? "has a bad number" : "has too few numbers", err);
        if (step > INT64_MAX || (step == 0 && i > 0))
            return fields_bad(fields, FIELD_POSITIONS, field, "does not ascend", err);
        last += step;
        if (last > INT64_MAX || last + record->params.n > record->len)
            return fields_bad(fields, FIELD_POSITIONS, field, "goes beyond the length", err);
        record->samples[i].pos = last;
    }
    if (rest.len)
        return fields_bad(fields, FIELD_POSITIONS, &rest,
                          "has more numbers than the signature has characters", err);
    return 0;
}

static int parse_fingerprints(struct record *record, const struct fields *fields, struct error *err)
{
    const struct fields_text *field = &fields->list[FIELD_FINGERPRINTS];
    const unsigned bits = sampler_fp_bits(&record->params), chars = fp_chars(&record->params);

    if (field->len / chars != record->count || field->len % chars)
        return fields_bad(fields, FIELD_FINGERPRINTS, field, "does not fit the signature's length", err);
    for (size_t i = 0; i < record->count; i++) {
        const char *p = field->p + i * chars;

        if (!fields_get_digits(p, bits, &record->samples[i].fp))
            return fields_bad(fields, FIELD_FINGERPRINTS, &(struct fields_text){p, chars}, "has a bad number",
                              err);
    }
    return 0;
}

static int check_signature(const struct record *record, const struct fields_text *field, struct error *err)
{
    for (size_t i = 0; i < record->count; i++)
        if (field->p[i] != sampler_symbol(&record->params, record->samples[i].fp))
            return error_set(err, "field %d (%s): character %zu does not match its fingerprint%s",
                             FIELD_SIGNATURE + 1, field_names[FIELD_SIGNATURE], i + 1,
                             record->params.scheme == SAMPLER_COATES2011
                                 ? ", or was made by an earlier version of kith, which chose other bits"
                                 : "");
    return 0;
}

int record_parse(struct record *record, const char *line, size_t len, struct error *err)
{
    struct fields all = {.names = field_names, .count = FIELDS};
    const struct fields *fields = &all;
    const struct fields_text *list = all.list;

    if (fields_split(&all, line, len, err))
        return -1;
    if (list[FIELD_MAGIC].len != RECORD_MAGIC_LEN - 1 || memcmp(line, RECORD_MAGIC, RECORD_MAGIC_LEN) != 0)
        return fields_bad(fields, FIELD_MAGIC, &list[FIELD_MAGIC], "is not '" RECORD_MAGIC "'", err);
    if (parse_params(record, fields, err) || parse_digests(record, fields, err) ||
        make_room(record, list[FIELD_SIGNATURE].len, err))
        return -1;
    record->count = list[FIELD_SIGNATURE].len;
    if (parse_fingerprints(record, fields, err) || check_signature(record, &list[FIELD_SIGNATURE], err) ||
        parse_positions(record, fields, err))
        return -1;
    buffer_reset(&record->name);
    if (!escape_undo(&record->name, list[FIELD_NAME].p, list[FIELD_NAME].len))
        return fields_bad(fields, FIELD_NAME, &list[FIELD_NAME], "has an invalid escape", err);
    return record->name.failed ? error_set(err, "out of memory") : 0;
}
