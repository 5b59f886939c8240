/* SPDX-License-Identifier: Apache-2.0 */
#include "casefile_twin.h"
#include "report/report.h"

/* Findings with few features, so that many share some, and a naive twin of the rules in report_fold.h. */
enum { OBJECTS = 150, MOST = OBJECTS * MOST_FINDINGS, CONTENTS = 4, DIFFERENT = 60 };

struct expected {
    struct case_finding_id id;
    int object; /* findings of equal objects have the same */
    enum refset_kind kind;
    struct finding finding; /* without ranges */
    bool is_common;
    uint32_t family;
    uint64_t objects, findings;
    struct case_finding_id listed;
};

static struct expected list[MOST];
static size_t count;

/* ---- the case ---- */

/* Content is known by its features: mostly all of one of a few contents. */
static void make_features(struct features *features, uint64_t unusual)
{
    const uint32_t content = (uint32_t)(below(CONTENTS) * below(CONTENTS) / CONTENTS);

    features->holders = below(unusual) ? 0 : 8 + below(4);
    features->count = 0;
    for (uint32_t i = 0; i < 3 && below(8); i++)
        features->list[features->count++] =
            (i << 20) + (below(unusual) ? content : CONTENTS + (uint32_t)below(1 << 19));
}

static void fill(struct casefile *casefile)
{
    for (uint64_t number = 1; number <= OBJECTS; number++) {
        struct sample_object sample;
        const int object = (int)below(DIFFERENT);

        make_object(&sample, 1, number);
        sample.object.digests.kinds = DIGEST_BIT(DIGEST_SHA1);
        memset(sample.object.digests.bytes[DIGEST_SHA1], object, DIGEST_SHA1_LEN);
        for (size_t i = 0; i < sample.findings.count; i++) {
            struct finding *finding = &sample.list[i];

            if (below(3))
                finding->verdict = VERDICT_FRAGMENT;
            finding->reordered = false;
            make_features(&finding->features, 30);
            if (number % 7 == 0)
                finding->features.holders = 12;
            finding->matched = number % 4 ? 100 : 1000;
            if (finding->matched > sample.object.size)
                finding->matched = sample.object.size;
            list[count++] = (struct expected){.id = {1, number, (uint32_t)i + 1},
                                              .object = object,
                                              .kind = sets[finding->set].kind,
                                              .finding = *finding};
        }
        ck_assert_msg(casefile_add(casefile, &sample.object, &sample.findings, sample.references, 0, &err) ==
                          0,
                      "%s", err.text);
    }
}

/* ---- the twin ---- */

static bool is_compared(const struct expected *a)
{
    return a->finding.verdict != VERDICT_IDENTICAL && a->finding.proof != PROOF_MEMBERS;
}

static bool has(const struct expected *a, enum refset_kind kind, uint32_t feature)
{
    for (unsigned i = 0; i < a->finding.features.count; i++)
        if (a->finding.features.list[i] == feature)
            return a->kind == kind && is_compared(a);
    return false;
}

/* Different objects with the feature; strangers: only those that have nothing but fragments with it. */
static uint64_t holders(enum refset_kind kind, uint32_t feature, bool strangers)
{
    bool seen[DIFFERENT] = {false}, related[DIFFERENT] = {false};
    uint64_t sum = 0;

    for (size_t i = 0; i < count; i++)
        if (has(&list[i], kind, feature)) {
            seen[list[i].object] = true;
            related[list[i].object] |= list[i].finding.verdict != VERDICT_FRAGMENT;
        }
    for (int i = 0; i < DIFFERENT; i++)
        sum += seen[i] && !(strangers && related[i]);
    return sum;
}

/* The largest number that more than half of the features reach. */
static uint64_t reached(const struct expected *a, bool strangers)
{
    const struct features *features = &a->finding.features;
    uint64_t best = 0;

    for (unsigned i = 0; i < features->count; i++) {
        const uint64_t number = holders(a->kind, features->list[i], strangers);
        unsigned reaching = 0;

        for (unsigned j = 0; j < features->count; j++)
            reaching += holders(a->kind, features->list[j], strangers) >= number;
        if (2 * reaching > features->count && number > best)
            best = number;
    }
    return best;
}

/* The mean number of bytes that the findings of strangers match: of each the longest. */
static double mean_matched(enum refset_kind kind, uint32_t feature)
{
    uint64_t longest[DIFFERENT] = {0};
    bool related[DIFFERENT] = {false};
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        if (has(&list[i], kind, feature)) {
            related[list[i].object] |= list[i].finding.verdict != VERDICT_FRAGMENT;
            if (list[i].finding.matched > longest[list[i].object])
                longest[list[i].object] = list[i].finding.matched;
        }
    for (int i = 0; i < DIFFERENT; i++)
        sum += related[i] ? 0 : (double)longest[i];
    return sum == 0 ? 0 : sum / (double)holders(kind, feature, true);
}

/* Whether it matches over twice as much as strangers do by half of its features. */
static bool is_more(const struct expected *a)
{
    const struct features *features = &a->finding.features;
    unsigned more = 0;

    for (unsigned i = 0; i < features->count; i++)
        more += (double)a->finding.matched / 2 >= floor(mean_matched(a->kind, features->list[i])) + 1;
    return a->finding.score > 0.5 && 2 * more >= features->count;
}

static void judge(struct expected *a)
{
    const struct features *features = &a->finding.features;
    uint64_t most = 0;

    a->objects = 1;
    if (!is_compared(a) || features->count == 0)
        return;
    a->objects = reached(a, false);
    a->is_common = (reached(a, true) >= REPORT_FOLD_OBJECTS && !is_more(a)) ||
                   (a->finding.verdict == VERDICT_FRAGMENT && a->kind != REFSET_NOTABLE &&
                    features->holders >= REPORT_FOLD_OBJECTS);
    for (unsigned i = 0; i < features->count; i++)
        if (holders(a->kind, features->list[i], false) > most) {
            most = holders(a->kind, features->list[i], false);
            a->family = features->list[i];
        }
}

static void unite(struct expected *a)
{
    const struct expected *first = NULL;

    a->findings = 1;
    a->listed = a->id;
    if (!a->is_common)
        return;
    a->objects = holders(a->kind, a->family, false);
    a->findings = 0;
    for (size_t i = 0; i < count; i++) {
        if (!list[i].is_common || list[i].kind != a->kind || list[i].family != a->family)
            continue;
        first = first ? first : &list[i];
        a->findings++;
    }
    a->listed = first->id;
    if (first != a)
        a->findings = 0;
}

static const struct expected *expected_of(const struct case_finding_id *id)
{
    for (size_t i = 0; i < count; i++)
        if (memcmp(&list[i].id, id, sizeof *id) == 0)
            return &list[i];
    ck_abort_msg("no such finding");
}

/* ---- comparison ---- */

static struct casefile *make_case(void)
{
    struct casefile *casefile;

    begin_test();
    count = 0;
    casefile = open_case();
    fill(casefile);
    for (size_t i = 0; i < count; i++)
        judge(&list[i]);
    for (size_t i = 0; i < count; i++)
        unite(&list[i]);
    close_case(casefile);
    return open_report();
}

START_TEST(common_content_is_that_of_a_naive_count)
{
    struct casefile *casefile = make_case();
    const struct case_filter filter = {.known = true, .twins = true};
    struct report_fold *fold = report_fold_new(casefile, &filter, &err);
    struct case_reader *reader = casefile_reader_new(casefile, &filter, &err);
    struct case_row row;
    size_t number = 0, common = 0, folded = 0;

    ck_assert(fold && reader);
    while (casefile_reader_next(reader, &row, &err) > 0) {
        const struct expected *expected = expected_of(&row.id);
        const struct report_shared *shared = report_fold_at(fold, number++);

        ck_assert_uint_eq(shared->objects, expected->objects);
        ck_assert_uint_eq(shared->findings, expected->findings);
        ck_assert_int_eq(shared->is_common, expected->is_common);
        ck_assert_mem_eq(&shared->listed, &expected->listed, sizeof shared->listed);
        common += shared->is_common;
        folded += shared->findings == 0;
    }
    ck_assert_uint_eq(number, count);
    ck_assert_ptr_null(report_fold_at(fold, number));
    ck_assert_uint_gt(common, 20);
    ck_assert_uint_gt(folded, 10);
    ck_assert_uint_gt(number - common, 20);
    casefile_reader_free(reader);
    report_fold_free(fold);
    close_case(casefile);
    end_test();
}
END_TEST

static char *text_of(struct casefile *casefile, bool all)
{
    const struct case_filter filter = {.known = true, .twins = true, .objects = all};
    char *text = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&text, &len);
    struct report_writer writer = {.does = &report_text, .out.to = to, .options.kept = true};

    ck_assert_msg(report_write(&writer, casefile, &filter, &err) == 0, "%s", err.text);
    ck_assert_int_eq(fclose(to), 0);
    return text;
}

static const char *place_of(const char *text, const struct case_finding_id *id)
{
    char line[80];

    snprintf(line, sizeof line, "finding %llu.%llu.%u\n", (unsigned long long)id->evidence,
             (unsigned long long)id->object, (unsigned)id->rank);
    return strstr(text, line);
}

START_TEST(text_lists_each_common_content_once_after_all_else)
{
    struct casefile *casefile = make_case();
    char *folded = text_of(casefile, false), *all = text_of(casefile, true);
    const char *first_common = folded + strlen(folded), *last_usual = folded;

    for (size_t i = 0; i < count; i++) {
        const char *place = place_of(folded, &list[i].id);

        ck_assert_int_eq(place != NULL, list[i].findings > 0);
        ck_assert_ptr_nonnull(place_of(all, &list[i].id));
        if (place && list[i].is_common && place < first_common)
            first_common = place;
        if (place && !list[i].is_common && place > last_usual)
            last_usual = place;
    }
    ck_assert(last_usual < first_common);
    ck_assert_ptr_nonnull(strstr(folded, "common content: in "));
    ck_assert_ptr_nonnull(strstr(folded, " rows of common content stand for "));
    ck_assert_ptr_nonnull(strstr(folded, ", which --all lists"));
    ck_assert_ptr_null(strstr(all, "--all lists"));
    ck_assert_ptr_nonnull(strstr(all, "common content: in "));
    ck_assert_ptr_null(strstr(all, "this row stands for"));
    free(folded);
    free(all);
    close_case(casefile);
    end_test();
}
END_TEST

RUN_TESTS("report_fold", common_content_is_that_of_a_naive_count,
          text_lists_each_common_content_once_after_all_else)
