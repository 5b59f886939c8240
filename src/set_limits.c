/* SPDX-License-Identifier: Apache-2.0 */
#include "set_limits.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "match/limit.h"
#include "match/matcher.h"
#include "match/scanner.h"
#include "sample/sampler.h"
#include "set/known.h"
#include "terminal.h"

/* The largest files of the first classes, in bytes; each further class goes up to four times as much. */
static const uint64_t first_classes[] = {(24 << 10) - 1, (128 << 10) - 1, 1 << 20};
enum {
    FIRST_CLASSES = sizeof first_classes / sizeof *first_classes,
    USUAL_CLASS = FIRST_CLASSES - 1,
    CLASSES = FIRST_CLASSES + 20
};

/* A set that is not made yet is assumed to be as small as this, in bytes; larger ones find no less. */
static const double assumed_bytes = 1 << 20;

/* ---- lengths ---- */

/* Rounds up to two digits. */
static uint64_t round_up(uint64_t len)
{
    uint64_t unit = 1;

    if (len == UINT64_MAX)
        return len;
    while (len / unit >= 100)
        unit *= 10;
    return (len + unit - 1) / unit * unit;
}

static int find_len(const struct limit_search *search, uint64_t *len, struct error *err)
{
    struct limit *limit = limit_new(search, err);

    if (!limit)
        return -1;
    *len = round_up(limit_len(limit, SET_LIMITS_PERCENT / 100.0));
    limit_free(limit);
    return 0;
}

/* ---- the limits of a set ---- */

static uint64_t class_end(size_t i)
{
    return i < FIRST_CLASSES ? first_classes[i] : first_classes[USUAL_CLASS] << 2 * (i - USUAL_CLASS);
}

/* Finds at which C the files of each class are sampled; of those that the set has, the sparsest one is.
 * *count: the number of classes up to that of the largest file that is sampled. */
static int find_classes(struct refset *set, uint32_t c[CLASSES], size_t *count, struct error *err)
{
    uint64_t ends[CLASSES];

    *count = 0;
    for (size_t i = 0; i < CLASSES; i++)
        ends[i] = class_end(i);
    if (refset_sparsest(set, ends, CLASSES, c, err))
        return -1;
    for (size_t i = 0; i < CLASSES; i++)
        if (c[i])
            *count = i + 1;
        else
            c[i] = known_c(ends[i], refset_info(set)->params.c);
    return 0;
}

int set_limits_of(struct refset *set, uint32_t object_c, double most_ln_e, struct set_limits *limits,
                  struct error *err)
{
    uint32_t c[CLASSES];
    size_t count;

    limits->count = 0;
    if (find_classes(set, c, &count, err))
        return -1;
    for (size_t i = 0; i < CLASSES && count > 0; i++) {
        struct set_limits_class *class = &limits->classes[limits->count];
        struct limit_search search = limit_search_of(refset_info(set), class_end(i), object_c, most_ln_e);

        if (i < USUAL_CLASS && c[i + 1] == c[i])
            continue;
        search.reference_c = class->c = c[i];
        class->file_len = class_end(i);
        if (find_len(&search, &class->len, err))
            return -1;
        limits->count++;
        if (i + 1 >= count)
            break;
    }
    return 0;
}

void set_limits_files(const struct set_limits_class *class, char words[SET_LIMITS_WORDS])
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
    const bool is_open = class->file_len % 1024; /* up to the byte before */
    uint64_t size = (class->file_len + is_open) / 1024;
    size_t unit = 0;

    for (; size % 1024 == 0 && unit + 1 < sizeof units / sizeof *units; unit++)
        size /= 1024;
    snprintf(words, SET_LIMITS_WORDS, "%s %" PRIu64 " %s", is_open ? "below" : "up to", size, units[unit]);
}

void set_limits_begin(const char *name, struct buffer *out)
{
    buffer_printf(out, "detection limits of %s: %d %% of copied fragments are found", name,
                  SET_LIMITS_PERCENT);
}

void set_limits_describe(const struct set_limits *limits, const char *name, struct buffer *out)
{
    char words[SET_LIMITS_WORDS];

    set_limits_begin(name, out);
    for (size_t i = 0; i < limits->count; i++) {
        const struct set_limits_class *class = &limits->classes[i];

        set_limits_files(class, words);
        if (class->len == UINT64_MAX)
            buffer_printf(out, "%s of no length, of files %s", i ? ";" : "", words);
        else
            buffer_printf(out, "%s from %" PRIu64 " bytes on, of files %s", i ? ";" : "", class->len, words);
    }
}

/* ---- what is required ---- */

/*
 * Finds the largest C, at most the default, of a set of which the fragments wanted are found with default
 * options: of files of up to 1 MiB, or of those that are sampled `times` as sparsely.  *c is 0 if there is
 * none; *least: the length that is found with it, or if there is none, with the smallest C.
 */
static int choose(const struct set_limits_wanted *wanted, uint32_t n, uint32_t times, uint32_t *c,
                  uint64_t *least, struct error *err)
{
    for (*c = SAMPLER_DEFAULT_C; *c >= SAMPLER_MIN_C; *c /= 2) {
        const struct limit_search search = {.n = n,
                                            .reference_c = *c * times,
                                            .object_c = scanner_rate(*c, false),
                                            .bytes = assumed_bytes,
                                            .most_ln_e = wanted->most_ln_e};

        if (find_len(&search, least, err))
            return -1;
        if (*least <= wanted->len)
            return 0;
    }
    *c = 0;
    return 0;
}

/* The class of which least is found, of several the largest files; NULL: there is none. */
static const struct set_limits_class *worst_of(const struct set_limits *limits)
{
    const struct set_limits_class *worst = NULL;

    for (size_t i = 0; i < limits->count; i++)
        if (!worst || limits->classes[i].len >= worst->len)
            worst = &limits->classes[i];
    return worst;
}

/* Says what would find fragments of the length wanted, if anything would. */
static int show_help(struct refset *set, const struct set_limits_wanted *wanted, uint32_t times,
                     struct error *err)
{
    const struct refset_params *params = &refset_info(set)->params;
    struct set_limits deep = {.count = 0};
    uint64_t with_deep;
    uint32_t c;
    uint64_t least;

    if (set_limits_of(set, scanner_rate(params->c, true), wanted->most_ln_e, &deep, err) ||
        choose(wanted, params->n, times, &c, &least, err))
        return -1;
    with_deep = deep.count ? worst_of(&deep)->len : UINT64_MAX;
    if (!wanted->is_deep && with_deep <= wanted->len)
        complain("%s: a scan with --deep finds fragments of %" PRIu64 " bytes", refset_path(set), with_deep);
    else if (c && c < params->c)
        complain("%s: a set made with kith add -C %u finds fragments of %" PRIu64 " bytes", refset_path(set),
                 c, least);
    else
        complain("%s: no set finds fragments of %" PRIu64 " bytes of files as large as these",
                 refset_path(set), wanted->len);
    return 0;
}

int set_limits_check(struct refset *set, const struct set_limits_wanted *wanted, struct error *err)
{
    const uint32_t usual = refset_info(set)->params.c;
    const struct set_limits_class *worst;
    struct set_limits limits;
    char words[SET_LIMITS_WORDS];

    if (set_limits_of(set, wanted->object_c, wanted->most_ln_e, &limits, err))
        return -1;
    worst = worst_of(&limits);
    if (!worst || worst->len <= wanted->len)
        return 1;
    set_limits_files(worst, words);
    if (worst->len == UINT64_MAX)
        complain("%s: too sparse for fragments of %" PRIu64 " bytes: with so small an E, none are found",
                 refset_path(set), wanted->len);
    else
        complain("%s: too sparse for fragments of %" PRIu64
                 " bytes: of files %s, %d %% are found from %" PRIu64 " bytes on",
                 refset_path(set), wanted->len, words, SET_LIMITS_PERCENT, worst->len);
    return show_help(set, wanted, worst->c > usual ? worst->c / usual : 1, err);
}

/* ---- kith add ---- */

static struct set_limits_wanted usual_wanted(uint64_t len, uint32_t c)
{
    return (struct set_limits_wanted){
        .len = len, .object_c = scanner_rate(c, false), .most_ln_e = log(MATCHER_USUAL_E)};
}

int set_limits_choose(uint64_t len, uint32_t n, const char *path, uint32_t *c)
{
    const struct set_limits_wanted wanted = usual_wanted(len, SAMPLER_DEFAULT_C);
    uint64_t least;
    struct error err;

    if (choose(&wanted, n ? n : SAMPLER_DEFAULT_N, 1, c, &least, &err)) {
        complain_error(&err);
        return -1;
    }
    if (*c)
        return 0;
    complain("%s: was not created: even with -C %d, %d %% of fragments are found only from %" PRIu64
             " bytes on",
             path, SAMPLER_MIN_C, SET_LIMITS_PERCENT, least);
    return -1;
}

int set_limits_exit(struct refset *set, uint64_t len)
{
    const struct set_limits_wanted wanted = usual_wanted(len, refset_info(set)->params.c);
    struct error err;
    const int found = set_limits_check(set, &wanted, &err);

    if (found < 0)
        complain_error(&err);
    return found < 0 ? EXIT_USAGE : found ? EXIT_DONE : EXIT_PARTIAL;
}
