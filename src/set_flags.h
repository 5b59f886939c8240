/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SET_FLAGS_H
#define KITH_SET_FLAGS_H

#include "options.h"
#include "set/refset.h"

/* The options that describe a new set, which several commands share; they come first in those commands'
 * tables, or after OPTIONS_EVIDENCE. */
enum {
    SET_NAME,
    SET_KIND,
    SET_CATEGORY,
    SET_WINDOW,
    SET_RATE,
    SET_BLOCK,
    SET_OPTIONS,
};

/* clang-format off */
#define SET_OPTIONS_SPECS \
    {0, "name", "NAME", "name of a new set (default: that of its file)", NULL}, \
    {0, "kind", "KIND", "kind of a new set (default: neutral)", &values_set_kinds}, \
    {0, "category", "TEXT", "category of a new set, any text", NULL}, \
    {'n', "window", "N", "bytes in a window of a new set (default: 12)", NULL}, \
    {'C', "rate", "C", "take one position in C for a new set (default: 128, less for small files)", NULL}, \
    {0, "block", "SIZE", "keep the SHA-1 of each block of this size in a new set (default: 4096)", NULL}
/* clang-format on */

/* What the options say about the set. */
struct set_flags {
    const char *name, *category;   /* NULL: not given */
    int kind;                      /* -1: not given */
    uint32_t n, c, block;          /* 0: not given */
    const struct sampler_key *key; /* NULL: not given */
};

struct set_flags set_flags_none(void);

/* Takes one of the options above (SET_*); -1 after an error was shown. */
int set_flags_take(struct set_flags *flags, const struct options *options, int option);

/* Changes the parameters as the options say. */
void set_flags_apply(const struct set_flags *flags, struct refset_params *params);

/*
 * Opens the set for writing, or creates it with these parameters, changed by the options.  The options must
 * agree with a set that exists.  NULL after an error was shown.
 */
struct refset *set_flags_open(const struct set_flags *flags, const char *path,
                              const struct refset_params *params);

/*
 * The path of the set that -r names, to be freed: that file; or, if there is none, NAME.kith in the folder
 * $KITH_SETS or in the folder of the installed sets.  NULL after an error was shown: there is none, or it is
 * not a set.
 */
char *set_flags_find(const char *name);

/* The program's name and version, as recorded in sets and reports. */
extern const char set_flags_tool[];
/* Seconds since 1970: SOURCE_DATE_EPOCH if it is set, otherwise the time now. */
int64_t set_flags_now(void);

#endif
