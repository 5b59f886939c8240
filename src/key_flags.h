/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_KEY_FLAGS_H
#define KITH_KEY_FLAGS_H

#include "match/matcher.h"
#include "options.h"
#include "sample/sampler_key.h"
#include "set/refset.h"

/* The keys that a command was given.  A zeroed struct has none. */
struct key_flags {
    struct sampler_key list[MATCHER_MOST_SETS];
    size_t count;
};

/* Reads the key in the file that the option names; -1 after an error was shown. */
int key_flags_take(struct key_flags *flags, const struct options *options);

/*
 * Finds the key of a set: *key is NULL if its records are sampled without one, or if it has none.  Returns -1
 * if the key was not given.
 */
int key_flags_find(const struct key_flags *flags, const struct refset *set, const struct sampler_key **key,
                   struct error *err);

/* Overwrites the keys. */
void key_flags_wipe(struct key_flags *flags);

#endif
