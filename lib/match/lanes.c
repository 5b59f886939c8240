/* SPDX-License-Identifier: Apache-2.0 */
#include "match/lanes.h"

#include <string.h>

/* ---- making them ---- */

static bool is_same(const struct sampler_key *a, const struct sampler_key *b)
{
    return a == b || (a && b && memcmp(a->id, b->id, sizeof a->id) == 0);
}

/* The lane of a key, new if there is none; NULL if there are too many. */
static struct lane *lane_of(struct lanes *lanes, const struct sampler_key *key)
{
    for (size_t i = 0; i < lanes->count; i++)
        if (is_same(lanes->list[i].key, key))
            return &lanes->list[i];
    if (lanes->count == LANES_MOST)
        return NULL;
    lanes->list[lanes->count] = (struct lane){.key = key};
    return &lanes->list[lanes->count++];
}

/* Sets without samples join any lane, so they do not cost one of their own. */
int lanes_divide(struct lanes *lanes, struct refset_search *const *searches,
                 const struct sampler_key *const *keys, size_t count, struct error *err)
{
    const struct sampler_key *any = NULL;

    for (size_t i = count; i-- > 0;)
        if (keys && refset_search_info(searches[i])->counts.records)
            any = keys[i];
    lanes->count = 0;
    lanes->set_count = count;
    lane_of(lanes, any);
    for (size_t i = 0; i < count; i++) {
        const bool has_samples = refset_search_info(searches[i])->counts.records > 0;
        struct lane *lane = lane_of(lanes, keys && has_samples ? keys[i] : any);

        if (!lane)
            return error_set(err,
                             "the sets have more than %d different keys: scan with some of them at a time",
                             LANES_MOST);
        lane->sets[lane->set_count++] = (uint32_t)i;
    }
    return 0;
}

int lanes_open(struct lanes *lanes, struct set *const *sets, const struct matcher_options *matching,
               struct error *err)
{
    lanes->all_references = matching->all_references;
    for (size_t i = 0; i < lanes->count; i++) {
        struct lane *lane = &lanes->list[i];
        struct matcher_options options = *matching;
        struct set *own[MATCHER_MOST_SETS];

        for (size_t k = 0; k < lane->set_count; k++)
            own[k] = sets[lane->sets[k]];
        options.key = lane->key;
        lane->matcher = matcher_new(own, lane->set_count, &options, err);
        if (!lane->matcher)
            return -1;
    }
    return 0;
}

int lanes_hashers(const struct lanes *lanes, struct hasher_pair *pair, uint32_t n, uint32_t c,
                  unsigned digests, struct error *err)
{
    const struct sampler_key *keys[LANES_MOST];

    for (size_t i = 0; i < lanes->count; i++)
        keys[i] = lanes->list[i].key;
    return hasher_pair_open(pair, n, c, keys, lanes->count, digests, err);
}

/* ---- an object ---- */

void lanes_begin(struct lanes *lanes, uint64_t size, uint32_t c, bool is_range, struct content *content)
{
    for (size_t i = 0; i < lanes->count; i++) {
        matcher_begin(lanes->list[i].matcher, size, c, content);
        if (is_range)
            matcher_is_range(lanes->list[i].matcher);
    }
}

int lanes_take(struct lanes *lanes, struct hasher *hasher, struct error *err)
{
    for (size_t i = 0; i < lanes->count; i++) {
        const struct sample *samples;
        const size_t count = hasher_take(hasher, i, &samples);

        if (matcher_take(lanes->list[i].matcher, samples, count, err))
            return -1;
    }
    return 0;
}

/* If a known set of one lane has the object, the others do not search for anything like it. */
static int share_known(struct lanes *lanes, const struct digest_values *digests, struct error *err)
{
    int known = 0;

    for (size_t i = 0; i < lanes->count && known == 0; i++)
        known = matcher_is_known(lanes->list[i].matcher, digests, err);
    for (size_t i = 0; i < lanes->count && known > 0; i++)
        matcher_search_no_more(lanes->list[i].matcher);
    return known < 0 ? -1 : 0;
}

/* Appends a lane's findings in a set, and empties their places. */
static int move_findings(struct lane *lane, size_t *at, uint32_t own, uint32_t set, struct findings *to,
                         struct error *err)
{
    struct findings *from = &lane->found;

    for (; *at < from->count && from->list[*at].set == own; ++*at) {
        struct finding *finding = finding_list_add(to, err);

        if (!finding)
            return -1;
        *finding = from->list[*at];
        finding->set = set;
        from->list[*at].ranges = NULL;
    }
    return 0;
}

/* Joins the findings of all lanes in the order of sets. */
static int join(struct lanes *lanes, struct findings *findings, struct error *err)
{
    size_t at[LANES_MOST] = {0}, next[LANES_MOST] = {0};

    for (uint32_t set = 0; set < lanes->set_count; set++)
        for (size_t i = 0; i < lanes->count; i++) {
            struct lane *lane = &lanes->list[i];

            if (next[i] == lane->set_count || lane->sets[next[i]] != set)
                continue;
            if (move_findings(lane, &at[i], (uint32_t)next[i]++, set, findings, err))
                return -1;
        }
    return 0;
}

static int end_all(struct lanes *lanes, const struct digest_values *digests, uint32_t coincidence,
                   struct findings *findings, enum verdict *verdict, struct error *err)
{
    enum verdict without = VERDICTS;
    unsigned lacks = 0;

    for (size_t i = 0; i < lanes->count; i++) {
        struct lane *lane = &lanes->list[i];
        enum verdict of_lane;

        if (matcher_end(lane->matcher, digests, coincidence, &lane->found, &of_lane, err))
            return -1;
        lacks |= lane->found.lacks;
        without = of_lane < without ? of_lane : without;
    }
    finding_list_reset(findings);
    if (join(lanes, findings, err))
        return -1;
    *verdict = findings->count ? findings->list[0].verdict : without;
    findings->lacks = *verdict == VERDICT_NONE ? lacks : lacks & ~(unsigned)FINDINGS_COMMON;
    return 0;
}

int lanes_end(struct lanes *lanes, const struct digest_values *digests, uint32_t coincidence,
              struct findings *findings, enum verdict *verdict, struct error *err)
{
    if (lanes->count == 1)
        return matcher_end(lanes->list[0].matcher, digests, coincidence, findings, verdict, err);
    if (!lanes->all_references && share_known(lanes, digests, err))
        return -1;
    return end_all(lanes, digests, coincidence, findings, verdict, err);
}
