/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "set_flags.h"
#include "set_limits.h"

enum { USUAL_FILE = 1 << 20 }; /* bytes of the largest file that is sampled at the set's C */

static uint64_t longer(uint64_t x, uint64_t y)
{
    return x > y ? x : y;
}

/* ---- objects ---- */

/* The set with the largest C; NULL if none has samples. */
static const struct refset_info *sparsest_of(const struct scan_sets *sets)
{
    const struct refset_info *sparsest = NULL;

    for (size_t i = 0; i < sets->count; i++) {
        const struct refset_info *info = refset_info(sets->sets[i]);

        if (info->params.kind != REFSET_KNOWN && info->counts.sampled &&
            (!sparsest || info->params.c > sparsest->params.c))
            sparsest = info;
    }
    return sparsest;
}

int scan_limits_open(struct scan_limits *limits, const struct scan_sets *sets,
                     const struct scanner_plan *plan, struct error *err)
{
    const struct refset_info *info = sparsest_of(sets);
    struct limit_search search;

    if (!info)
        return 0;
    search = limit_search_of(info, USUAL_FILE, plan->c, plan->matching.most_ln_e);
    limits->limit = limit_new(&search, err);
    if (!limits->limit)
        return -1;
    limits->least = plan->matching.least_matched;
    limits->usual_len = longer(limit_len(limits->limit, SET_LIMITS_PERCENT / 100.0), limits->least);
    return 0;
}

void scan_limits_release(struct scan_limits *limits)
{
    limit_free(limits->limit);
    limits->limit = NULL;
}

const char *scan_limits_reason(struct scan_limits *limits, uint64_t len)
{
    if (!limits->limit || len >= limits->usual_len)
        return "";
    snprintf(limits->reason, sizeof limits->reason,
             "of %" PRIu64 " bytes, a copied fragment is found in %d %% of cases", len,
             len < limits->least ? 0 : (int)(100 * limit_share(limits->limit, len)));
    return limits->reason;
}

/* ---- the log ---- */

struct search {
    const char *text;
    bool found;
};

static void compare_entry(void *arg, const struct case_entry *entry)
{
    struct search *search = arg;

    search->found = search->found || strcmp(entry->text, search->text) == 0;
}

static int log_once(struct casefile *casefile, const char *text, struct error *err)
{
    struct search search = {.text = text};

    if (casefile_read_log(casefile, compare_entry, &search, err))
        return -1;
    return search.found ? 0 : casefile_log(casefile, set_flags_now(), text, err);
}

int scan_limits_log(const struct buffer *texts, struct casefile *casefile, struct error *err)
{
    for (size_t at = 0; at < texts->len; at += strlen(texts->data + at) + 1)
        if (log_once(casefile, texts->data + at, err))
            return -1;
    return 0;
}

static int describe_set(struct refset *set, const struct scanner_plan *plan, struct buffer *texts,
                        struct error *err)
{
    struct set_limits limits;

    if (set_limits_of(set, plan->c, plan->matching.most_ln_e, &limits, err))
        return -1;
    if (limits.count == 0)
        return 0;
    for (size_t i = 0; i < limits.count; i++)
        limits.classes[i].len = longer(limits.classes[i].len, plan->matching.least_matched);
    set_limits_describe(&limits, refset_info(set)->params.name, texts);
    buffer_add_char(texts, '\0');
    return texts->failed ? error_set(err, "out of memory") : 0;
}

int scan_limits_describe(const struct scan_sets *sets, const struct scanner_plan *plan, struct buffer *texts,
                         struct error *err)
{
    for (size_t i = 0; i < sets->count; i++)
        if (describe_set(sets->sets[i], plan, texts, err))
            return -1;
    return 0;
}

/* ---- what is required ---- */

int scan_limits_check(const struct scan_sets *sets, const struct scanner_plan *plan, uint64_t len, bool deep,
                      struct error *err)
{
    const struct set_limits_wanted wanted = {
        .len = len, .object_c = plan->c, .most_ln_e = plan->matching.most_ln_e, .is_deep = deep};
    int all = 1;

    for (size_t i = 0; i < sets->count && all >= 0; i++)
        if (refset_info(sets->sets[i])->params.kind != REFSET_KNOWN) {
            const int found = set_limits_check(sets->sets[i], &wanted, err);

            all = found < all ? found : all;
        }
    return all;
}
