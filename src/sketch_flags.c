/* SPDX-License-Identifier: Apache-2.0 */
#include "sketch_flags.h"

#include <inttypes.h>
#include <string.h>

#include "sample/sampler.h"
#include "sketch/rabin.h"
#include "sketch/shingles.h"

/* Cherkasova, section 4: of other studies, about 40 to 50 bytes. */
enum { USUAL_WORDS = 5 };

static int take_rules(struct tokens_rules *rules, const struct options *options)
{
    for (const char *at = options->value;; at++) {
        const size_t len = strcspn(at, ",");
        const int rule = options_named(options, at, len);

        if (rule < 0)
            return -1;
        *tokens_rule_of(rules, (enum tokens_rule)rule) = true;
        at += len;
        if (!*at)
            return 0;
    }
}

static int take_name(struct sketch_params *params, const struct options *options, int option)
{
    const int found = options_named(options, options->value, strlen(options->value));

    if (found < 0)
        return -1;
    if (option == OPTION_SCHEME)
        params->scheme = (enum sketch_scheme)found;
    else
        params->tokens.unit = (enum tokens_unit)found;
    return 0;
}

int sketch_flags_take(struct sketch_flags *flags, const struct options *options, int option)
{
    struct sketch_params *params = &flags->params;

    flags->given |= 1u << option;
    switch (option) {
    case OPTION_SCHEME:
    case OPTION_TOKENS:
        return take_name(params, options, option);
    case OPTION_WINDOW:
        return options_number32(options, 1, SHINGLES_MAX_WINDOW, &params->window);
    case OPTION_RATE:
        return options_number32(options, 1, SKETCH_MAX_RATE, &params->rate);
    case OPTION_RESIDUE:
        return options_number32(options, 0, SAMPLER_MAX_C, &params->residue);
    case OPTION_SIZE:
        return options_number32(options, 1, SKETCH_MAX_SIZE, &params->size);
    case OPTION_CANONICAL:
        return take_rules(&params->tokens, options);
    case OPTION_LABELLED:
        params->labelled = true;
        return 0;
    case OPTION_BITS:
        return options_number32(options, RABIN_MIN_BITS, RABIN_MAX_BITS, &params->bits);
    default:
        return options_number(options, 0, UINT64_MAX, &params->seed);
    }
}

/* The first option that was given but that the scheme does not use, or -1. */
static int find_unused(unsigned given, enum sketch_scheme scheme)
{
    static const unsigned needs[OPTIONS_SKETCH] = {
        [OPTION_RATE] = SKETCH_USE_RATE,        [OPTION_RESIDUE] = SKETCH_USE_RESIDUE,
        [OPTION_SIZE] = SKETCH_USE_SIZE,        [OPTION_TOKENS] = SKETCH_USE_TOKENS,
        [OPTION_CANONICAL] = SKETCH_USE_TOKENS, [OPTION_LABELLED] = SKETCH_USE_TOKENS,
        [OPTION_BITS] = SKETCH_USE_TOKENS,      [OPTION_SEED] = SKETCH_USE_TOKENS};

    for (int option = 0; option < OPTIONS_SKETCH; option++)
        if ((given >> option & 1) && (needs[option] & ~sketch_uses(scheme)))
            return option;
    return -1;
}

int sketch_flags_params(const struct sketch_flags *flags, const struct command *command,
                        struct sketch_params *params)
{
    const struct sketch_params *given = &flags->params;
    const enum sketch_scheme scheme = flags->given >> OPTION_SCHEME & 1 ? given->scheme : SKETCH_GF8;
    const int unused = find_unused(flags->given, scheme);
    struct error err;

    if (unused >= 0) {
        options_wrong(command, "scheme %s does not use --%s", sketch_scheme_name(scheme),
                      command->options[unused].name);
        return -1;
    }
    *params = sketch_defaults(scheme);
    params->tokens = given->tokens;
    if (tokens_is_words(given->tokens.unit)) /* they contain neither, so that the sketches are the same */
        params->tokens.fold_space = params->tokens.drop_punctuation = false;
    if (tokens_is_words(given->tokens.unit) || given->tokens.unit == TOKENS_LINES)
        params->window = tokens_is_words(given->tokens.unit) ? USUAL_WORDS : 1;
    params->labelled = given->labelled;
    params->window = given->window ? given->window : params->window;
    params->rate = given->rate ? given->rate : params->rate;
    params->size = given->size ? given->size : params->size;
    params->bits = given->bits ? given->bits : params->bits;
    params->residue = given->residue;
    if (flags->given >> OPTION_SEED & 1)
        params->seed = given->seed;
    if (sketch_check(params, &err)) {
        options_wrong(command, "%s", err.text);
        return -1;
    }
    return 0;
}

bool sketch_flags_doubt(const struct sketch *sketch, const char *name, struct error *err)
{
    if (sketch_is_crowded(sketch)) {
        error_set(err, "%s: fingerprints of %u bits are too short for its %" PRIu64 " shingles (--bits)",
                  name, sketch->params.bits, sketch->shingles);
        return true;
    }
    if (sketch->strange == 0)
        return false;
    error_set(err, "%s: %" PRIu64 " of its %" PRIu64 " bytes are not UTF-8 text, so its %s may be wrong",
              name, sketch->strange, sketch->len,
              tokens_is_words(sketch->params.tokens.unit) ? "words" : "letters");
    return true;
}
