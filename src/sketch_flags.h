/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SKETCH_FLAGS_H
#define KITH_SKETCH_FLAGS_H

#include <stdbool.h>

#include "options.h"
#include "sketch/sketch.h"

/* The options for sampling and sketching, which several commands share; they come first in those commands'
 * tables. */
enum {
    OPTION_SCHEME,
    OPTION_WINDOW,
    OPTION_RATE,
    OPTION_RESIDUE,
    OPTION_SIZE,
    OPTION_TOKENS,
    OPTION_CANONICAL,
    OPTION_LABELLED,
    OPTION_BITS,
    OPTION_SEED,
    OPTIONS_SKETCH,
};

/* clang-format off */
#define OPTIONS_SKETCH_SPECS \
    {'s', "scheme", "NAME", "how to sample or sketch (default: gf8)", &values_schemes}, \
    {'n', "window", "N", "bytes or tokens in a window (default: 12; coates2011: 10, coates2015: 9; sketches: 20, words, words8: 5, lines: 1)", NULL}, \
    {'C', "rate", "C", "take one position in C (default: 128, less for small files; coates2011, mod, bsw: 100; coates2015: 101; minmod: 25; chunks: 400)", NULL}, \
    {'k', "residue", "K", "coates2011, coates2015: take windows with hash mod C = K (default: 0)", NULL}, \
    {0, "size", "S", "sketches: the number of values to keep (default: 100; hamming: 400)", NULL}, \
    {0, "tokens", "UNIT", "sketches: what windows are made of (default: bytes)", &values_tokens}, \
    {0, "canonical", "RULE,...", "sketches: differences to ignore (default: none)", &values_rules}, \
    {0, "labelled", NULL, "sketches: count each occurrence of a shingle (default: each shingle once)", NULL}, \
    {0, "bits", "L", "sketches: bits of a fingerprint, 16 to 64 (default: 64)", NULL}, \
    {0, "seed", "N", "sketches: choose fingerprints and permutations by this number (default: 1)", NULL}
/* clang-format on */

/* What the options so far say.  A struct of zeros is that no option was given. */
struct sketch_flags {
    unsigned given; /* bits, by option */
    struct sketch_params params;
};

/* Takes one of the shared options; -1 after an error was shown. */
int sketch_flags_take(struct sketch_flags *flags, const struct options *options, int option);

/* The parameters, checked; -1 after an error was shown, also if the scheme does not use an option. */
int sketch_flags_params(const struct sketch_flags *flags, const struct command *command,
                        struct sketch_params *params);

/* Whether a sketch is doubtful, with a message: its fingerprints are too short, or its letters or words
 * uncertain, since the content is not UTF-8. */
bool sketch_flags_doubt(const struct sketch *sketch, const char *name, struct error *err);

#endif
