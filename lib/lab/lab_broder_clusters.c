/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cluster/greedy.h"
#include "lab/lab_broder_inner.h"
#include "lab/lab_edits.h"

/* The clusters of the introduction: 50 % resemblance, by sketches of 100 shingles of ten words and l = 40. */

enum {
    WINDOW = 10,
    SIZE = 100,
    BITS = 40,
    MOST_LEN = 20000,    /* of generated documents */
    MOST_TRIPLES = 150,  /* documents, of which all triples are checked */
    MOST_CHECKED = 1000, /* documents that are compared with all others, exactly */
    MOST_CHECKED_MB = 64,
    COMMON = 1000, /* as in kith cluster: fingerprints of more documents lead to no candidates */
};

static const double threshold = 0.5;

/* ---- the documents ---- */

struct text {
    const uint8_t *data;
    size_t len;
};

struct collection_of_texts {
    struct text *texts;
    size_t count, room;
    struct buffer *owned; /* the content of edited ones */
    size_t owned_count, owned_room;
    size_t bytes;
};

static void release_texts(struct collection_of_texts *all)
{
    for (size_t i = 0; i < all->owned_count; i++)
        buffer_release(&all->owned[i]);
    free(all->owned);
    free(all->texts);
}

static int add_text(struct collection_of_texts *all, const uint8_t *data, size_t len, struct error *err)
{
    if (array_reserve(&all->texts, &all->room, all->count + 1))
        return error_set(err, "out of memory for documents");
    all->texts[all->count++] = (struct text){data, len};
    all->bytes += len;
    return 0;
}

/* A version that lacks some of the words. */
static int add_version(struct collection_of_texts *all, struct lab_random *random, const uint8_t *data,
                       size_t len, struct error *err)
{
    struct buffer *version;

    if (array_reserve(&all->owned, &all->owned_room, all->owned_count + 1))
        return error_set(err, "out of memory for documents");
    version = &all->owned[all->owned_count++];
    *version = (struct buffer){0};
    lab_edits_remove_words(random, data, len, 1 + (unsigned)lab_random_below(random, 1 + len / 300), version);
    if (version->failed)
        return error_set(err, "out of memory for documents");
    return add_text(all, (const uint8_t *)version->data, version->len, err);
}

/* The user's files as they are; of generated texts, two in five get copies, versions or both. */
static int gather(const struct lab_run *run, bool is_generated, struct collection_of_texts *all,
                  struct error *err)
{
    struct lab_random random;
    int result = 0;

    lab_random_seed(&random, lab_random_mix(run->seed) + 50);
    for (size_t i = 0; result == 0 && i < lab_data_count(run->data); i++) {
        const struct lab_text_file *file = lab_data_get(run->data, i);
        const size_t len = is_generated && file->len > MOST_LEN ? MOST_LEN : file->len;
        const uint64_t kind = is_generated ? lab_random_below(&random, 20) : 20;

        result = add_text(all, file->data, len, err);
        for (uint64_t left = kind < 6 ? 1 + lab_random_below(&random, 3) : 0; result == 0 && left > 0; left--)
            result = add_text(all, file->data, len, err);
        for (uint64_t left = kind >= 4 && kind < 8 ? 1 + lab_random_below(&random, 5) : 0;
             result == 0 && left > 0; left--)
            result = add_version(all, &random, file->data, len, err);
    }
    return result;
}

/* ---- sketches, and comparing them ---- */

struct sketches {
    struct sketch_params params;
    struct sketch *list;
    size_t count;
};

static void release_sketches(struct sketches *sketches)
{
    for (size_t i = 0; i < sketches->count; i++)
        sketch_release(&sketches->list[i]);
    free(sketches->list);
}

static int sketch_all(struct sketches *sketches, const struct collection_of_texts *all, struct error *err)
{
    struct sketcher *sketcher = sketch_new(&sketches->params, err);
    int result = sketcher ? 0 : -1;

    sketches->list = calloc(all->count + 1, sizeof *sketches->list);
    if (!sketches->list)
        result = error_set(err, "out of memory for sketches");
    else
        sketches->count = all->count;
    for (size_t i = 0; result == 0 && i < all->count; i++)
        result =
            sketch_bytes(sketcher, all->texts[i].data, all->texts[i].len, false, &sketches->list[i], err);
    sketch_free(sketcher);
    return result;
}

struct judge {
    const struct sketches *sketches;
    struct sketcher *sketcher;
};

static void *open_judge(const void *arg, struct error *err)
{
    const struct sketches *sketches = arg;
    struct judge *judge = malloc(sizeof *judge);

    if (!judge) {
        error_set(err, "out of memory");
        return NULL;
    }
    *judge = (struct judge){sketches, sketch_new(&sketches->params, err)};
    if (judge->sketcher)
        return judge;
    free(judge);
    return NULL;
}

static void close_judge(void *state)
{
    struct judge *judge = state;

    if (judge)
        sketch_free(judge->sketcher);
    free(judge);
}

static bool may_meet(const void *state, uint32_t a, uint32_t b, uint32_t shared)
{
    (void)state;
    (void)a;
    (void)b;
    return shared > 0;
}

static int compare(void *state, uint32_t a, uint32_t b, struct likeness *out, struct error *err)
{
    const struct judge *judge = state;
    struct sketch_likeness likeness;

    if (sketch_compare(judge->sketcher, &judge->sketches->list[a], &judge->sketches->list[b], &likeness, err))
        return -1;
    *out = (struct likeness){.resemblance = likeness.too_small ? 0 : likeness.resemblance};
    return out->resemblance >= threshold;
}

static struct postings_list values_of(const void *arg, uint32_t document)
{
    const struct sketches *sketches = arg;
    const struct sketch *sketch = &sketches->list[document];

    return (struct postings_list){sketch->values, sketch->count, sizeof *sketch->values};
}

/* Greedy clusters; leaders has room for all documents. */
static int cluster(const struct sketches *sketches, uint32_t *leaders, struct error *err)
{
    const struct postings_source source = {.documents = sketches->count, .list = values_of, .arg = sketches};
    const struct pairs_plan plan = {
        .documents = sketches->count,
        .judge = {open_judge, close_judge, may_meet, compare, sketches},
        .threads = 1,
    };
    struct likeness *likenesses = calloc(sketches->count + 1, sizeof *likenesses);
    struct postings postings = {0};
    int result = likenesses ? 0 : error_set(err, "out of memory for clusters");

    if (result == 0)
        result = postings_build(&postings, &source, COMMON, err);
    if (result == 0)
        result = greedy_run(&plan, &postings, leaders, likenesses, NULL, err);
    postings_release(&postings);
    free(likenesses);
    return result;
}

/* ---- the tables ---- */

struct counts {
    size_t clusters, members, identical_clusters, identical_members;
};

static bool is_same(const struct text *a, const struct text *b)
{
    return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

static int count_clusters(const struct collection_of_texts *all, const uint32_t *leaders, struct counts *out,
                          struct error *err)
{
    size_t *sizes = calloc(all->count + 1, sizeof *sizes);
    bool *mixed = calloc(all->count + 1, sizeof *mixed);

    if (!sizes || !mixed) {
        free(sizes);
        free(mixed);
        return error_set(err, "out of memory for clusters");
    }
    for (size_t i = 0; i < all->count; i++) {
        sizes[leaders[i]]++;
        mixed[leaders[i]] |= !is_same(&all->texts[i], &all->texts[leaders[i]]);
    }
    *out = (struct counts){0};
    for (size_t i = 0; i < all->count; i++) {
        if (sizes[i] < 2)
            continue;
        out->clusters++;
        out->members += sizes[i];
        out->identical_clusters += !mixed[i];
        out->identical_members += mixed[i] ? 0 : sizes[i];
    }
    free(sizes);
    free(mixed);
    return 0;
}

static void add_counts(struct lab_document *out, size_t documents, const struct counts *counts)
{
    static const struct lab_column columns[] = {
        {"what", "", LAB_WORDS, false},  {"number", "", 0, false},       {"number", "", 0, true},
        {"share of all", "%", 1, false}, {"share of all", "%", 1, true},
    };
    static const char *const names[] = {"documents",
                                        "in clusters of at least 2",
                                        "  in clusters of identical documents only",
                                        "  in the other clusters",
                                        "clusters of at least 2",
                                        "  of identical documents only",
                                        "  others"};
    static const double paper[] = {30e6, 12.3e6, 5.3e6, 7e6, 3.6e6, 2.1e6, 1.5e6};
    const double ours[] = {(double)documents,
                           (double)counts->members,
                           (double)counts->identical_members,
                           (double)(counts->members - counts->identical_members),
                           (double)counts->clusters,
                           (double)counts->identical_clusters,
                           (double)(counts->clusters - counts->identical_clusters)};
    struct lab_table *table = lab_table(out, "broder-1", "Clusters of 50 % resemblance", columns, 5);

    for (int i = 0; i < 7; i++) {
        const int all = i < 4 ? 0 : 4;

        lab_row_numbers(
            table,
            (const double[]){NAN, ours[i], paper[i], ours[i] / ours[all] * 100, paper[i] / paper[all] * 100},
            5);
        lab_text(table, 0, "%s", names[i]);
    }
}

/* ---- all pairs, exactly ---- */

struct check {
    size_t pairs, alike, alike_together, together, together_alike, near, near_wrong, triples, violations;
    double *resemblances; /* of documents a > b, below MOST_TRIPLES: at a * MOST_TRIPLES + b */
};

/* The triangle inequality of d = 1 - r for every three documents, in each of the three ways. */
static void check_triples(struct check *check, size_t count)
{
    const double slack = 1e-12;

    count = count < MOST_TRIPLES ? count : MOST_TRIPLES;
    for (size_t a = 2; a < count; a++)
        for (size_t b = 1; b < a; b++)
            for (size_t c = 0; c < b; c++) {
                const double ab = 1 - check->resemblances[a * MOST_TRIPLES + b];
                const double ac = 1 - check->resemblances[a * MOST_TRIPLES + c];
                const double bc = 1 - check->resemblances[b * MOST_TRIPLES + c];

                check->triples++;
                check->violations += ab > ac + bc + slack || ac > ab + bc + slack || bc > ab + ac + slack;
            }
}

static int check_pairs(const struct sketches *exact, const uint32_t *leaders, struct check *check,
                       struct error *err)
{
    struct sketcher *sketcher = sketch_new(&exact->params, err);
    int result = sketcher ? 0 : -1;

    for (size_t a = 1; a < exact->count; a++)
        for (size_t b = 0; result == 0 && b < a; b++) {
            struct sketch_likeness likeness;
            const bool together = leaders[a] == leaders[b], with_leader = together && leaders[a] == b;
            double r;

            result = sketch_compare(sketcher, &exact->list[a], &exact->list[b], &likeness, err);
            r = result || likeness.too_small ? 0 : likeness.resemblance;
            check->pairs++;
            if (a < MOST_TRIPLES)
                check->resemblances[a * MOST_TRIPLES + b] = r;
            check->alike += r >= threshold;
            check->alike_together += r >= threshold && together;
            check->together += with_leader;
            check->together_alike += with_leader && r >= threshold;
            check->near += r >= threshold + 0.1;
            check->near_wrong += r >= threshold + 0.1 && !together;
        }
    sketch_free(sketcher);
    return result;
}

static void add_numbers(const struct check *check, struct lab_document *out)
{
    static const struct lab_column columns[] = {{"pairs of documents", "", LAB_WORDS, false},
                                                {"number", "", 0, false}};
    const struct {
        const char *name;
        size_t number;
    } rows[] = {{"all", check->pairs},
                {"resemblance of 50 % or more, exactly", check->alike},
                {"  in the same cluster", check->alike_together},
                {"resemblance of 60 % or more, exactly", check->near},
                {"  in different clusters", check->near_wrong},
                {"a document and the first of its cluster", check->together},
                {"  resemblance of 50 % or more, exactly", check->together_alike},
                {"three documents", check->triples},
                {"  that violate the triangle inequality of 1 - r", check->violations}};
    struct lab_table *table = lab_table(
        out, "broder-1-exact", "The same clusters beside the exact resemblance of all pairs", columns, 2);

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lab_row(table);
        lab_text(table, 0, "%s", rows[i].name);
        lab_number(table, 1, (double)rows[i].number);
    }
    lab_remark(
        out,
        "A document is compared with the first of each cluster only, so two documents that resemble each "
        "other may "
        "be in different clusters if each resembles its first more, or if neither of the two resembles the "
        "other's "
        "first: resemblance is not transitive (section 2). Near 50 %% the estimate of 100 samples decides by "
        "chance; see broder-sample. That 1 - r is a metric, which the paper states without its proof, is "
        "checked "
        "for every three of the first %d documents.",
        MOST_TRIPLES);
}

static int add_check(const struct lab_run *run, const struct collection_of_texts *all,
                     const uint32_t *leaders, struct lab_document *out, struct error *err)
{
    struct sketches exact = {.params = lab_broder_params(SKETCH_SHINGLES, TOKENS_WORDS, WINDOW, run->seed)};
    struct check check = {.resemblances = calloc((size_t)MOST_TRIPLES * MOST_TRIPLES, sizeof(double))};
    int result = check.resemblances ? 0 : error_set(err, "out of memory for resemblances");

    exact.params.tokens.fold_case = true;
    if (result == 0)
        result = sketch_all(&exact, all, err);
    if (result == 0)
        result = check_pairs(&exact, leaders, &check, err);
    release_sketches(&exact);
    if (result == 0) {
        check_triples(&check, all->count);
        add_numbers(&check, out);
    }
    free(check.resemblances);
    return result;
}

static int cluster_texts(const struct lab_run *run, const struct collection_of_texts *all, uint32_t *leaders,
                         struct lab_document *out, struct error *err)
{
    struct sketches sketches = {.params = lab_broder_params(SKETCH_MIN, TOKENS_WORDS, WINDOW, run->seed)};
    struct counts counts = {0};
    int result;

    sketches.params.size = SIZE;
    sketches.params.bits = BITS;
    sketches.params.tokens.fold_case = true;
    result = sketch_all(&sketches, all, err);
    if (result == 0)
        result = cluster(&sketches, leaders, err);
    release_sketches(&sketches);
    if (result == 0)
        result = count_clusters(all, leaders, &counts, err);
    if (result == 0)
        add_counts(out, all->count, &counts);
    return result;
}

static int run_clusters(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    struct collection_of_texts all = {.texts = NULL};
    const bool is_generated = lab_data_is_generated(run->data);
    uint32_t *leaders = NULL;
    int result = gather(run, is_generated, &all, err);

    if (result == 0 && array_resize(&leaders, all.count))
        result = error_set(err, "out of memory for clusters");
    if (result == 0)
        result = cluster_texts(run, &all, leaders, out, err);
    lab_remark(out,
               "Ours: %s%s. Words without regard to case, w = 10, MIN_100, l = 40; greedy clusters. The "
               "paper: 30 million "
               "pages of the Web (150 GB), with figures of two digits; it does not state w and s. Shares "
               "depend on the "
               "collection.",
               lab_data_source(run->data),
               is_generated
                   ? ", the first 20,000 bytes of each, some with copies and with versions that lack words"
                   : "");
    if (result == 0 && all.count <= MOST_CHECKED && all.bytes <= (size_t)MOST_CHECKED_MB << 20)
        result = add_check(run, &all, leaders, out, err);
    else if (result == 0)
        lab_remark(out,
                   "The exact resemblance of all pairs is computed for up to %d documents of %d MiB only.",
                   MOST_CHECKED, MOST_CHECKED_MB);
    free(leaders);
    release_texts(&all);
    return result;
}

const struct lab_experiment lab_broder_clusters = {
    "broder-clusters",
    "broder1997",
    "Broder 1997, sections 1 and 4.4",
    "clusters of 50 % resemblance, and how many are identical copies",
    LAB_USE_DATA | LAB_USE_SEED,
    run_clusters};
