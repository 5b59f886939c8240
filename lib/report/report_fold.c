/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_fold.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/search.h"
#include "report/report_values.h"

/* A finding with a higher score can be of more than what is common in it. */
static const double own_score = 0.5;

/* What is needed of a finding. */
struct entry {
    uint64_t object; /* identifies the content of the object */
    uint64_t kind;   /* of the set */
    bool is_fragment;
    double score;
    uint64_t matched;
    struct features features; /* none: the finding is not compared with others */
};

/* An object that has a feature. */
struct holder {
    uint64_t feature; /* the kind of the set in the upper half */
    uint64_t object;
    bool is_stranger; /* it has only a fragment of the reference */
    uint64_t matched; /* bytes of its finding */
};

/* The number of objects that have a feature. */
struct tally {
    uint64_t feature;
    uint64_t objects, strangers;
    double matched; /* bytes of the strangers' findings in all */
};

/* A finding of common content, for sorting into families. */
struct member {
    uint64_t feature; /* that of its family */
    size_t entry;
};

struct report_fold {
    struct entry *entries;
    struct report_shared *rows;
    size_t count, room;
    struct holder *holders;
    size_t holder_count, holder_room;
    struct tally *tallies;
    size_t tally_count;
    uint64_t families, folded;
};

/* ---- reading ---- */

/* The same content at two places is one object. */
static uint64_t object_of(const struct case_row *row)
{
    uint64_t object = row->id.evidence << 40 ^ row->id.object;

    if (row->object.digests.kinds & DIGEST_BIT(DIGEST_SHA1))
        memcpy(&object, row->object.digests.bytes[DIGEST_SHA1], sizeof object);
    return object;
}

static bool is_compared(const struct finding *finding)
{
    return finding->verdict != VERDICT_IDENTICAL && finding->proof != PROOF_MEMBERS;
}

static uint64_t feature_at(const struct entry *entry, unsigned i)
{
    return entry->kind << 32 | entry->features.list[i];
}

static struct entry entry_of(const struct case_row *row)
{
    struct entry entry = {.object = object_of(row),
                          .kind = row->set->kind,
                          .is_fragment = row->finding.verdict == VERDICT_FRAGMENT,
                          .score = row->finding.score,
                          .matched = row->finding.matched};

    if (is_compared(&row->finding))
        entry.features = row->finding.features;
    return entry;
}

/* Notes the features of any finding of the case. */
static int take_holders(struct report_fold *fold, const struct case_row *row, struct error *err)
{
    const struct entry entry = entry_of(row);

    if (array_reserve(&fold->holders, &fold->holder_room, fold->holder_count + FEATURES_MOST))
        return error_set(err, "out of memory for %zu features", fold->holder_count);
    for (unsigned i = 0; i < entry.features.count; i++)
        fold->holders[fold->holder_count++] =
            (struct holder){feature_at(&entry, i), entry.object, entry.is_fragment, entry.matched};
    return 0;
}

/* Notes a finding that the report lists. */
static int take_row(struct report_fold *fold, const struct case_row *row, struct error *err)
{
    if (array_reserve_all(&fold->room, fold->count + 1, ARRAY_PART(&fold->entries), ARRAY_PART(&fold->rows)))
        return error_set(err, "out of memory for %zu findings", fold->count);
    fold->entries[fold->count] = entry_of(row);
    fold->rows[fold->count++] = (struct report_shared){.objects = 1, .findings = 1, .listed = row->id};
    return 0;
}

static int read_rows(struct report_fold *fold, struct casefile *casefile, const struct case_filter *filter,
                     int (*take)(struct report_fold *fold, const struct case_row *row, struct error *err),
                     struct error *err)
{
    struct case_reader *reader = casefile_reader_new(casefile, filter, err);
    struct case_row row;
    int more = -1;

    while (reader && (more = casefile_reader_next(reader, &row, err)) > 0 && row.has_finding)
        if (take(fold, &row, err)) {
            more = -1;
            break;
        }
    casefile_reader_free(reader);
    return more < 0 ? -1 : 0;
}

/* ---- counting ---- */

/* Of the same object, a finding that is no fragment comes first, and of several the longest. */
static int by_feature(const void *a, const void *b)
{
    const struct holder *x = a, *y = b;

    if (x->feature != y->feature)
        return x->feature < y->feature ? -1 : 1;
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    if (x->is_stranger != y->is_stranger)
        return x->is_stranger - y->is_stranger;
    return (x->matched < y->matched) - (x->matched > y->matched);
}

static int count_holders(struct report_fold *fold, struct error *err)
{
    const struct holder *holders = fold->holders;

    fold->tallies = memory_new((fold->holder_count + 1) * sizeof *fold->tallies, err);
    if (!fold->tallies)
        return -1;
    if (fold->holder_count)
        qsort(fold->holders, fold->holder_count, sizeof *fold->holders, by_feature);
    for (size_t i = 0; i < fold->holder_count; i++) {
        const bool is_new = i == 0 || holders[i].feature != holders[i - 1].feature;
        struct tally *tally;

        if (is_new)
            fold->tallies[fold->tally_count++].feature = holders[i].feature;
        tally = &fold->tallies[fold->tally_count - 1];
        if (is_new || holders[i].object != holders[i - 1].object) {
            tally->objects++;
            tally->strangers += holders[i].is_stranger;
            tally->matched += holders[i].is_stranger ? (double)holders[i].matched : 0;
        }
    }
    return 0;
}

static const struct tally *tally_of(const struct report_fold *fold, uint64_t feature)
{
    const struct tally *tallies = fold->tallies;

    return &tallies[SEARCH_FIRST(i, 0, fold->tally_count, tallies[i].feature >= feature)];
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* More than half of the features are in that many. */
static uint64_t middle(uint64_t *numbers, unsigned count)
{
    qsort(numbers, count, sizeof *numbers, by_number);
    return numbers[(count - 1) / 2];
}

/* Whether a finding is of much more than what strangers have, on average: a few short pieces of a file, put
 * into other objects, do not make its copies common. */
static bool is_more(const struct report_fold *fold, const struct entry *entry)
{
    uint64_t means[FEATURES_MOST] = {0};

    for (unsigned i = 0; i < entry->features.count; i++) {
        const struct tally *tally = tally_of(fold, feature_at(entry, i));

        means[i] = tally->strangers ? (uint64_t)(tally->matched / (double)tally->strangers) : 0;
    }
    return entry->score > own_score &&
           entry->matched / REPORT_FOLD_TIMES > middle(means, entry->features.count);
}

/* Whether the content is common.  *objects: the number of objects that have it. */
static bool is_common(const struct report_fold *fold, const struct entry *entry, uint64_t *objects)
{
    const unsigned count = entry->features.count;
    uint64_t all[FEATURES_MOST], strangers[FEATURES_MOST];

    if (count == 0)
        return false;
    for (unsigned i = 0; i < count; i++) {
        const struct tally *tally = tally_of(fold, feature_at(entry, i));

        all[i] = tally->objects;
        strangers[i] = tally->strangers;
    }
    *objects = middle(all, count);
    return (middle(strangers, count) >= REPORT_FOLD_OBJECTS && !is_more(fold, entry)) ||
           (entry->is_fragment && entry->kind != REFSET_NOTABLE &&
            entry->features.holders >= REPORT_FOLD_OBJECTS);
}

/* ---- families ---- */

/* The feature that most objects have; of several the lowest. */
static uint64_t family_of(const struct report_fold *fold, const struct entry *entry)
{
    const struct tally *best = tally_of(fold, feature_at(entry, 0));

    for (unsigned i = 1; i < entry->features.count; i++) {
        const struct tally *tally = tally_of(fold, feature_at(entry, i));

        if (tally->objects > best->objects)
            best = tally;
    }
    return best->feature;
}

static int by_family(const void *a, const void *b)
{
    const struct member *x = a, *y = b;

    if (x->feature != y->feature)
        return x->feature < y->feature ? -1 : 1;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

/* The first member in the order of the report stands for all. */
static void fold_family(struct report_fold *fold, const struct member *members, size_t count)
{
    const size_t first = members[0].entry;

    for (size_t i = 0; i < count; i++)
        fold->rows[members[i].entry] =
            (struct report_shared){.objects = tally_of(fold, members[0].feature)->objects,
                                   .is_common = true,
                                   .listed = fold->rows[first].listed};
    fold->rows[first].findings = count;
    fold->families += count > 1;
    fold->folded += count > 1 ? count : 0;
}

static int make_families(struct report_fold *fold, struct error *err)
{
    struct member *members = memory_new((fold->count + 1) * sizeof *members, err);
    size_t count = 0;

    if (!members)
        return -1;
    for (size_t i = 0; i < fold->count; i++)
        if (is_common(fold, &fold->entries[i], &fold->rows[i].objects))
            members[count++] = (struct member){family_of(fold, &fold->entries[i]), i};
    if (count)
        qsort(members, count, sizeof *members, by_family);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && members[next].feature == members[i].feature;)
            next++;
        fold_family(fold, members + i, next - i);
    }
    free(members);
    return 0;
}

/* Only the rows are needed afterwards. */
static void release_work(struct report_fold *fold)
{
    free(fold->entries);
    free(fold->holders);
    free(fold->tallies);
    fold->entries = NULL;
    fold->holders = NULL;
    fold->tallies = NULL;
}

struct report_fold *report_fold_new(struct casefile *casefile, const struct case_filter *filter,
                                    struct error *err)
{
    const struct case_filter all = {.known = true, .twins = true};
    struct report_fold *fold = memory_new(sizeof *fold, err);
    struct case_filter findings = *filter;

    if (!fold)
        return NULL;
    findings.objects = false;
    if (read_rows(fold, casefile, &all, take_holders, err) ||
        read_rows(fold, casefile, &findings, take_row, err) || count_holders(fold, err) ||
        make_families(fold, err)) {
        report_fold_free(fold);
        return NULL;
    }
    release_work(fold);
    return fold;
}

void report_fold_free(struct report_fold *fold)
{
    if (!fold)
        return;
    release_work(fold);
    free(fold->rows);
    free(fold);
}

const struct report_shared *report_fold_at(const struct report_fold *fold, uint64_t i)
{
    return i < fold->count ? &fold->rows[i] : NULL;
}

void report_fold_row_words(const struct report_shared *shared, struct buffer *out)
{
    if (!shared || !shared->is_common)
        return;
    buffer_add_text(out, "common content: in ");
    report_values_count(out, shared->objects, "object");
    if (shared->findings > 1) {
        buffer_add_text(out, "; this row stands for ");
        report_values_count(out, shared->findings, "finding");
    }
}

void report_fold_words(const struct report_fold *fold, struct buffer *out)
{
    if (fold->families == 0)
        return;
    report_values_count(out, fold->families, "row");
    buffer_printf(out, " of common content stand%s for ", fold->families == 1 ? "s" : "");
    report_values_count(out, fold->folded, "finding");
    buffer_add_text(out, ", which --all lists");
}
