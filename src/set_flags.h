/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SET_FLAGS_H
#define KITH_SET_FLAGS_H

#include "options.h"
#include "set/refset.h"

/* The options that say what a new set is to be, which several commands share; they come first in those
 * commands' lists, or behind OPTIONS_EVIDENCE. */
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
    {0, "name", "NAME", "of a new set (default: from its file's name)", NULL}, \
    {0, "kind", "KIND", "of a new set: notable, known or neutral (default)", "notable known neutral"}, \
    {0, "category", "TEXT", "of a new set: whatever helps to find it again", NULL}, \
    {'n', "window", "N", "bytes in a window, of a new set (default: 12)", NULL}, \
    {'C', "rate", "C", "take one position in C, of a new set (default: 128, less for small files)", NULL}, \
    {0, "block", "SIZE", "bytes of a block whose SHA-1 is kept, of a new set (default: 4096)", NULL}
/* clang-format on */

/* What the options said. */
struct set_flags {
    const char *name, *category; /* NULL: nothing */
    int kind;                    /* -1: nothing */
    uint32_t n, c, block;        /* 0: nothing */
};

struct set_flags set_flags_none(void);

/* option: one of SET_*; -1 after an error was shown. */
int set_flags_take(struct set_flags *flags, const struct options *options, int option);

/* Puts what was said into the parameters. */
void set_flags_apply(const struct set_flags *flags, struct refset_params *params);

/*
 * Opens the set for writing, or makes it of these parameters and what was said if it is not there.  What was
 * said must agree with a set that is there.  NULL after an error was shown.
 */
struct refset *set_flags_open(const struct set_flags *flags, const char *path,
                              const struct refset_params *params);

/*
 * The path of a set that was named, for free: if there is no such file, that of NAME.kith in the folder
 * KITH_SETS, or where the sets that ship were installed.
 */
char *set_flags_find(const char *name);

/* The program's name and version, as sets and reports tell it. */
extern const char set_flags_tool[];
/* The time in seconds since 1970: SOURCE_DATE_EPOCH, if that is set. */
int64_t set_flags_now(void);

#endif
