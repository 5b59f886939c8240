/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "base/digest_text.h"
#include "base/escape.h"
#include "base/fields.h"
#include "sketch/sketch_inner.h"

enum field {
    FIELD_MAGIC,
    FIELD_SCHEME,
    FIELD_TOKENS,
    FIELD_CANONICAL,
    FIELD_OPTION,
    FIELD_WINDOW,
    FIELD_RATE,
    FIELD_SIZE,
    FIELD_BITS,
    FIELD_SEED,
    FIELD_LENGTH,
    FIELD_DIGESTS,
    FIELD_SHINGLES,
    FIELD_MODULUS,
    FIELD_VALUES,
    FIELD_NAME,
    FIELDS,
};

static const char *const field_names[FIELDS] = {
    "magic", "scheme", "tokens", "canonical", "option",   "window",  "rate",   "size",
    "bits",  "seed",   "length", "digest",    "shingles", "modulus", "values", "name",
};

static const char no_rules[] = "none";

static bool is_record(const struct sketch *sketch)
{
    return !(sketch_uses(sketch->params.scheme) & SKETCH_USE_TOKENS);
}

/* Bits of a value: the words of a Hamming fingerprint are full. */
static unsigned value_bits(const struct sketch_params *params)
{
    return params->scheme == SKETCH_HAMMING ? 64 : params->bits;
}

/* ---- writing ---- */

/* The names of the rules that are on, with a separator between them. */
static void add_rules(struct tokens_rules rules, const char *before, const char *between, struct buffer *out)
{
    const char *separator = "";

    for (int i = 0; i < TOKENS_RULES; i++)
        if (*tokens_rule_of(&rules, (enum tokens_rule)i)) {
            buffer_printf(out, "%s%s%s%s", separator, before, tokens_rule_name((enum tokens_rule)i), before);
            separator = between;
        }
}

static void add_values(const struct sketch *sketch, struct buffer *out)
{
    const unsigned chars = (value_bits(&sketch->params) + 5) / 6;
    char *to = sketch->count ? buffer_extend(out, sketch->count * chars) : NULL;

    for (size_t i = 0; to && i < sketch->count; i++)
        to = fields_put_digits(to, sketch->values[i], chars);
}

void sketch_format(const struct sketch *sketch, struct buffer *out)
{
    const struct sketch_params *params = &sketch->params;
    size_t start;

    if (is_record(sketch)) {
        record_format(&sketch->record, out);
        return;
    }
    buffer_printf(out, SKETCH_MAGIC "%s:%s:", sketch_scheme_name(params->scheme),
                  tokens_unit_name(params->tokens.unit));
    start = out->len;
    add_rules(params->tokens, "", ",", out);
    if (out->len == start)
        buffer_add_text(out, no_rules);
    buffer_printf(out, ":%c:%u:%u:%u:%u:%" PRIu64 ":%" PRIu64 ":", params->labelled ? 'A' : 'B',
                  params->window, params->rate, params->size, params->bits, params->seed, sketch->len);
    digest_text_add(&sketch->digests, out);
    buffer_printf(out, ":%" PRIu64 ":%u:", sketch->shingles, sketch->modulus);
    add_values(sketch, out);
    buffer_add_char(out, ':');
    escape_text(out, sketch->name.data, sketch->name.len);
    buffer_add_char(out, '\n');
}

void sketch_format_params(const struct sketch_params *params, struct buffer *out)
{
    const unsigned uses = sketch_uses(params->scheme);

    buffer_printf(out, ",\"scheme\":\"%s\",\"tokens\":\"%s\",\"canonical\":[",
                  sketch_scheme_name(params->scheme), tokens_unit_name(params->tokens.unit));
    add_rules(params->tokens, "\"", ",", out);
    buffer_printf(out, "],\"labelled\":%s,\"window\":%u", params->labelled ? "true" : "false",
                  params->window);
    if (uses & SKETCH_USE_RATE)
        buffer_printf(out, ",\"rate\":%u", params->rate);
    if (uses & SKETCH_USE_SIZE)
        buffer_printf(out, ",\"sketch_size\":%u", params->size);
    buffer_printf(out, ",\"bits\":%u,\"seed\":%" PRIu64, params->bits, params->seed);
}

/* What the tokens left out, or may have misread. */
static void add_doubts(const struct sketch *sketch, struct buffer *out)
{
    const struct tokens_rules *rules = &sketch->params.tokens;

    if (rules->unit == TOKENS_LETTERS || tokens_is_words(rules->unit))
        buffer_printf(out, ",\"not_utf8\":%" PRIu64, sketch->strange);
    if (rules->drop_markup)
        buffer_printf(out, ",\"removed\":%" PRIu64, sketch->removed);
}

void sketch_format_json(const struct sketch *sketch, struct buffer *out)
{
    if (is_record(sketch)) {
        record_format_json(&sketch->record, out);
        return;
    }
    buffer_add_text(out, "{\"path\":");
    escape_json(out, sketch->name.data, sketch->name.len);
    if (escape_needed(sketch->name.data, sketch->name.len)) {
        buffer_add_text(out, ",\"path_hex\":\"");
        escape_hex(out, sketch->name.data, sketch->name.len);
        buffer_add_char(out, '"');
    }
    buffer_printf(out, ",\"size\":%" PRIu64, sketch->len);
    digest_text_add_json(&sketch->digests, out);
    sketch_format_params(&sketch->params, out);
    add_doubts(sketch, out);
    buffer_printf(out, ",\"shingles\":%" PRIu64, sketch->shingles);
    if (sketch->modulus)
        buffer_printf(out, ",\"modulus\":%u", sketch->modulus);
    buffer_add_text(out, ",\"values\":[");
    for (size_t i = 0; i < sketch->count; i++)
        buffer_printf(out, "%s\"%016" PRIx64 "\"", i ? "," : "", sketch->values[i]);
    buffer_add_text(out, "]}\n");
}

/* ---- parameters ---- */

static bool is_text(const struct fields_text *text, const char *word)
{
    return text->len == strlen(word) && memcmp(text->p, word, text->len) == 0;
}

/* The scheme, the unit, or -1. */
static int find(const struct fields_text *text, int (*find_name)(const char *name))
{
    char name[16] = "";

    if (text->len >= sizeof name || memchr(text->p, '\0', text->len))
        return -1;
    memcpy(name, text->p, text->len);
    return find_name(name);
}

/* Tries all sets of rules, so that there is one way only to write each. */
static bool find_rules(const struct fields_text *text, struct tokens_rules *rules)
{
    for (unsigned set = 0; set < 1u << TOKENS_RULES; set++) {
        struct buffer all = {0};
        bool found;

        for (unsigned i = 0; i < TOKENS_RULES; i++)
            *tokens_rule_of(rules, (enum tokens_rule)i) = set >> i & 1;
        add_rules(*rules, "", ",", &all);
        if (set == 0)
            buffer_add_text(&all, no_rules);
        found = !all.failed && text->len == all.len && memcmp(text->p, all.data, all.len) == 0;
        buffer_release(&all);
        if (found)
            return true;
    }
    return false;
}

static int parse_names(struct sketch_params *params, const struct fields *fields, struct error *err)
{
    const struct fields_text *list = fields->list;
    const int scheme = find(&list[FIELD_SCHEME], sketch_scheme_find),
              unit = find(&list[FIELD_TOKENS], tokens_unit_find);

    if (scheme < 0 || !(sketch_uses((enum sketch_scheme)scheme) & SKETCH_USE_TOKENS))
        return fields_bad(fields, FIELD_SCHEME, &list[FIELD_SCHEME], "is unknown", err);
    if (unit < 0)
        return fields_bad(fields, FIELD_TOKENS, &list[FIELD_TOKENS], "is unknown", err);
    if (!find_rules(&list[FIELD_CANONICAL], &params->tokens))
        return fields_bad(fields, FIELD_CANONICAL, &list[FIELD_CANONICAL], "is no list of rules", err);
    if (!is_text(&list[FIELD_OPTION], "A") && !is_text(&list[FIELD_OPTION], "B"))
        return fields_bad(fields, FIELD_OPTION, &list[FIELD_OPTION], "is neither A nor B", err);
    params->scheme = (enum sketch_scheme)scheme;
    params->tokens.unit = (enum tokens_unit)unit;
    params->labelled = is_text(&list[FIELD_OPTION], "A");
    return 0;
}

static int parse_numbers(struct sketch *sketch, const struct fields *fields, struct error *err)
{
    struct sketch_params *params = &sketch->params;
    uint64_t modulus = 0;
    const struct {
        enum field field;
        uint32_t *to;
    } small[] = {{FIELD_WINDOW, &params->window},
                 {FIELD_RATE, &params->rate},
                 {FIELD_SIZE, &params->size},
                 {FIELD_BITS, &params->bits},
                 {FIELD_MODULUS, &sketch->modulus}};

    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        if (fields_number(fields, small[i].field, UINT32_MAX, &modulus, err))
            return -1;
        *small[i].to = (uint32_t)modulus;
    }
    if (fields_number(fields, FIELD_SEED, UINT64_MAX, &params->seed, err) ||
        fields_number(fields, FIELD_LENGTH, INT64_MAX, &sketch->len, err) ||
        fields_number(fields, FIELD_SHINGLES, INT64_MAX, &sketch->shingles, err))
        return -1;
    return sketch_check(params, err);
}

/* ---- values ---- */

/* The modulus of a nested sketch is doubled while more values remain than the size, from 1 on. */
static bool is_modulus(const struct sketch *sketch)
{
    const struct sketch_params *params = &sketch->params;
    const uint32_t modulus = sketch->modulus;

    switch (params->scheme) {
    case SKETCH_NESTED:
        return modulus > 0 && modulus <= SKETCH_MAX_RATE && (modulus & (modulus - 1)) == 0 &&
               (modulus == 1 || sketch->shingles > params->size);
    case SKETCH_MOD:
    case SKETCH_MINMOD:
        return modulus == params->rate;
    default:
        return modulus == 0;
    }
}

/* A document has at most one token per byte. */
static int check_shingles(const struct sketch *sketch, const struct fields *fields, struct error *err)
{
    const struct sketch_params *params = &sketch->params;

    if (sketch->shingles > 0 &&
        (sketch->len < params->window || sketch->shingles > sketch->len - params->window + 1))
        return fields_bad(fields, FIELD_SHINGLES, &fields->list[FIELD_SHINGLES], "does not fit the length",
                          err);
    if (!is_modulus(sketch))
        return fields_bad(fields, FIELD_MODULUS, &fields->list[FIELD_MODULUS], "is not that of the scheme",
                          err);
    return 0;
}

/* Whether a sketch of that many shingles can have this many values. */
static bool is_count(const struct sketch *sketch, size_t count)
{
    const struct sketch_params *params = &sketch->params;

    if (sketch->shingles == 0)
        return count == 0;
    if (count > SKETCH_MAX_VALUES)
        return false;
    switch (params->scheme) {
    case SKETCH_MINWISE:
        return count == params->size;
    case SKETCH_HAMMING:
        return count == (params->size + 63) / 64;
    case SKETCH_NESTED:
        return (count <= params->size || sketch->modulus == SKETCH_MAX_RATE) && count <= sketch->shingles;
    case SKETCH_MIN:
    case SKETCH_MINMOD:
        return count <= params->size && count <= sketch->shingles;
    default:
        return count <= sketch->shingles;
    }
}

/* Whether each value is one that the scheme gives at its place. */
static bool are_values(const struct sketch *sketch)
{
    const enum sketch_scheme scheme = sketch->params.scheme;
    const struct sketch_divisor divisor = sketch_divisor_of(sketch->modulus ? sketch->modulus : 1);
    const unsigned rest = sketch->params.size % 64;

    if (scheme == SKETCH_HAMMING)
        return sketch->count == 0 || rest == 0 || sketch->values[sketch->count - 1] >> rest == 0;
    for (size_t i = 0; i < sketch->count; i++)
        if ((scheme != SKETCH_MINWISE && i > 0 && sketch->values[i] <= sketch->values[i - 1]) ||
            !sketch_divides(&divisor, sketch->values[i]))
            return false;
    return true;
}

static int parse_values(struct sketch *sketch, const struct fields *fields, struct error *err)
{
    const struct fields_text *text = &fields->list[FIELD_VALUES];
    const unsigned bits = value_bits(&sketch->params), chars = (bits + 5) / 6;
    const size_t count = text->len / chars;

    if (text->len % chars || !is_count(sketch, count))
        return fields_bad(fields, FIELD_VALUES, text, "has a length that the other fields do not allow", err);
    if (sketch_values_room(sketch, count, err))
        return -1;
    for (size_t i = 0; i < count; i++)
        if (!fields_get_digits(text->p + i * chars, bits, &sketch->values[i]))
            return fields_bad(fields, FIELD_VALUES, &(struct fields_text){text->p + i * chars, chars},
                              "has a bad number", err);
    if (!are_values(sketch))
        return fields_bad(fields, FIELD_VALUES, text, "is not in order, or has values that were not selected",
                          err);
    return 0;
}

/* ---- the line ---- */

/* A record as a sketch. */
static int parse_record(struct sketch *sketch, const char *line, size_t len, struct error *err)
{
    const struct record *record = &sketch->record;

    if (record_parse(&sketch->record, line, len, err))
        return -1;
    if (record->params.scheme == SAMPLER_GF8 && record->params.k)
        return error_set(err, "the record is sampled with a secret key, so it can be used in a set only");
    sketch->params = (struct sketch_params){
        .scheme = (enum sketch_scheme)sketch_scheme_find(sampler_scheme_name(record->params.scheme)),
        .window = record->params.n,
        .rate = record->params.c,
        .residue = record->params.k};
    sketch->len = record->len;
    sketch->shingles = record->count;
    sketch->modulus = 0;
    sketch->strange = sketch->removed = 0;
    sketch->count = 0;
    sketch->digests = record->digests;
    buffer_reset(&sketch->name);
    buffer_add(&sketch->name, record->name.data, record->name.len);
    return sketch->name.failed ? error_set(err, "out of memory") : 0;
}

int sketch_parse(struct sketch *sketch, const char *line, size_t len, struct error *err)
{
    struct fields fields = {.names = field_names, .count = FIELDS};
    const struct fields_text *digests = &fields.list[FIELD_DIGESTS], *name = &fields.list[FIELD_NAME];
    const char *why;

    if (len >= RECORD_MAGIC_LEN && memcmp(line, RECORD_MAGIC, RECORD_MAGIC_LEN) == 0)
        return parse_record(sketch, line, len, err);
    if (fields_split(&fields, line, len, err))
        return -1;
    if (fields.list[FIELD_MAGIC].len != SKETCH_MAGIC_LEN - 1 ||
        memcmp(line, SKETCH_MAGIC, SKETCH_MAGIC_LEN) != 0)
        return fields_bad(&fields, FIELD_MAGIC, &fields.list[FIELD_MAGIC], "is not '" SKETCH_MAGIC "'", err);
    sketch->params = (struct sketch_params){0};
    sketch->strange = sketch->removed = 0;
    why = digest_text_parse(&sketch->digests, digests->p, digests->len);
    if (why)
        return fields_bad(&fields, FIELD_DIGESTS, digests, why, err);
    if (parse_names(&sketch->params, &fields, err) || parse_numbers(sketch, &fields, err) ||
        check_shingles(sketch, &fields, err) || parse_values(sketch, &fields, err))
        return -1;
    buffer_reset(&sketch->name);
    if (!escape_undo(&sketch->name, name->p, name->len))
        return fields_bad(&fields, FIELD_NAME, name, "has an invalid escape", err);
    return sketch->name.failed ? error_set(err, "out of memory") : 0;
}
