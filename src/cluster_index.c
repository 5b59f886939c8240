/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster_index.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "cluster/fingerprints.h"
#include "cluster/hamming.h"
#include "cluster_index_report.h"
#include "command.h"
#include "evidence_list.h"
#include "interrupt.h"
#include "terminal.h"

struct hit {
    uint32_t content, distance;
};

struct work {
    const struct cluster_index *index;
    struct cluster_input *input;
    struct fingerprints *fingerprints;
    struct cluster_index_report report;
    struct cluster_index_counts counts;
    char **roots;                   /* of the paths: absolute */
    enum fingerprints_added *added; /* by document; when adding */
    uint32_t *numbers;              /* their contents in the index */
    bool is_committed;              /* the files were added */
    struct buffer path;             /* of the document in hand */
    struct hit *hits;
    size_t hit_count, hit_room;
};

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0 || !*path;
}

/* ---- paths ---- */

/* The absolute path, whether or not there is such a file; to be freed.  NULL if out of memory. */
static char *absolute(const char *path)
{
    char *real = realpath(path, NULL), *folder = NULL;
    struct buffer made = {0};

    if (real)
        return real;
    if (*path != '/' && (folder = getcwd(NULL, 0))) {
        buffer_add_text(&made, folder);
        buffer_add_char(&made, '/');
    }
    free(folder);
    buffer_add_text(&made, path);
    while (!made.failed && made.len > 1 && made.data[made.len - 1] == '/')
        made.len--;
    buffer_add_char(&made, '\0');
    if (!made.failed)
        return made.data;
    buffer_release(&made);
    return NULL;
}

static int find_roots(struct work *work, size_t count, char **paths)
{
    work->roots = calloc(count, sizeof *work->roots);
    for (size_t i = 0; work->roots && i < count; i++)
        if (!(work->roots[i] = absolute(paths[i])))
            break;
    if (work->roots && work->roots[count - 1])
        return 0;
    complain("out of memory for the paths of files");
    return -1;
}

/* The document as the index knows it; valid until the next call. */
static struct fingerprints_document name_document(struct work *work, size_t number)
{
    const struct collection *collection = &work->input->collection;
    const struct collection_document *document = &collection->documents[number];
    const char *root = work->roots[document->origin.source], *name = collection_name(collection, document);
    struct fingerprints_document named = {.size = document->size, .kind = document->origin.kind};

    memcpy(named.sha1, document->sha1, DIGEST_SHA1_LEN);
    buffer_reset(&work->path);
    buffer_add_text(&work->path, root);
    if (!document->origin.is_source) {
        if (root[1])
            buffer_add_char(&work->path, '/');
        buffer_add_text(&work->path, name);
    }
    buffer_add_char(&work->path, '\0');
    named.path = work->path.failed ? "" : work->path.data;
    return named;
}

/* ---- adding ---- */

static struct sketch *sketch_of(const struct work *work, size_t number)
{
    const struct collection *collection = &work->input->collection;

    return collection->contents[collection->documents[number].content].sketch;
}

static int add_document(struct work *work, size_t number, struct error *err)
{
    struct fingerprints_document document = name_document(work, number);

    if (work->path.failed)
        return error_set(err, "out of memory");
    if (fingerprints_add(work->fingerprints, sketch_of(work, number), &document, &work->added[number], err))
        return -1;
    work->numbers[number] = document.content;
    work->counts.added += work->added[number] != FINGERPRINTS_KNOWN;
    work->counts.known += work->added[number] == FINGERPRINTS_KNOWN;
    return 0;
}

static int add_all(struct work *work, struct error *err)
{
    const size_t count = work->input->collection.document_count;

    work->added = calloc(count + 1, sizeof *work->added);
    work->numbers = calloc(count + 1, sizeof *work->numbers);
    if (!work->added || !work->numbers)
        return error_set(err, "out of memory");
    for (size_t i = 0; i < count && !atomic_load(interrupt_flag()); i++)
        if (sketch_of(work, i)->count && add_document(work, i, err))
            return -1;
    return atomic_load(interrupt_flag()) ? 1 : fingerprints_commit(work->fingerprints, err);
}

/* ---- what is near ---- */

static int take_hit(void *arg, uint64_t content, uint32_t distance, struct error *err)
{
    struct work *work = arg;

    if (array_reserve(&work->hits, &work->hit_room, work->hit_count + 1))
        return error_set(err, "out of memory");
    work->hits[work->hit_count++] = (struct hit){(uint32_t)content, distance};
    return 0;
}

static int by_distance(const void *x, const void *y)
{
    const struct hit *a = x, *b = y;

    if (a->distance != b->distance)
        return a->distance < b->distance ? -1 : 1;
    return a->content < b->content ? -1 : a->content > b->content;
}

/* A file may say anything. */
static int check_kind(const struct work *work, const struct fingerprints_document *document,
                      struct error *err)
{
    return document->kind < OBJECT_KINDS ? 0
                                         : error_set(err, "%s: is damaged: a document of kind %" PRIu32,
                                                     work->index->path, document->kind);
}

static int report_near(struct work *work, const struct fingerprints_document *document, uint32_t content,
                       bool is_identical, uint32_t distance, struct error *err)
{
    struct fingerprints_document near;

    if (fingerprints_first(work->fingerprints, content, &near, err) || check_kind(work, &near, err))
        return -1;
    if (!is_identical || strcmp(near.path, document->path) != 0 || near.kind != document->kind)
        cluster_index_report_pair(&work->report, document, &near, is_identical, distance);
    return 0;
}

/* Reports the contents below `end` that are near, but the one it has itself. */
static int report_similar(struct work *work, const struct fingerprints_document *document, size_t number,
                          uint32_t own, uint32_t end, struct error *err)
{
    work->hit_count = 0;
    if (fingerprints_query(work->fingerprints, work->report.algorithm, sketch_of(work, number)->values,
                           take_hit, work, err))
        return -1;
    if (work->hit_count)
        qsort(work->hits, work->hit_count, sizeof *work->hits, by_distance);
    for (size_t i = 0, reported = 0; i < work->hit_count; i++) {
        if (work->hits[i].content == own || work->hits[i].content >= end)
            continue;
        if (work->index->most && reported++ == work->index->most) {
            work->counts.cut++;
            return 0;
        }
        if (report_near(work, document, work->hits[i].content, false, work->hits[i].distance, err))
            return -1;
    }
    return 0;
}

/* A document that was added is reported with those that were there before it. */
static int report_added(struct work *work, const struct fingerprints_document *document, size_t number,
                        struct error *err)
{
    const uint32_t own = work->numbers[number];

    if (work->added[number] == FINGERPRINTS_KNOWN_CONTENT)
        return report_near(work, document, own, true, 0, err);
    return work->added[number] == FINGERPRINTS_NEW ? report_similar(work, document, number, own, own, err)
                                                   : 0;
}

static int report_queried(struct work *work, const struct fingerprints_document *document, size_t number,
                          struct error *err)
{
    uint32_t own = UINT32_MAX;
    const int has = fingerprints_find(work->fingerprints, document->sha1, document->size, &own, err);

    if (has < 0 || (has && report_near(work, document, own, true, 0, err)))
        return -1;
    return report_similar(work, document, number, own, UINT32_MAX, err);
}

static int report_all(struct work *work, struct error *err)
{
    for (size_t i = 0; i < work->input->collection.document_count; i++) {
        struct fingerprints_document document;

        if (atomic_load(interrupt_flag()))
            return 1;
        if (sketch_of(work, i)->count == 0)
            continue;
        document = name_document(work, i);
        if (work->path.failed)
            return error_set(err, "out of memory");
        work->report.is_open = false;
        if (work->added ? report_added(work, &document, i, err) : report_queried(work, &document, i, err))
            return -1;
    }
    return 0;
}

/* ---- files given ---- */

static bool same_params(const struct sketch_params *a, const struct sketch_params *b)
{
    struct buffer x = {0}, y = {0};
    bool same;

    sketch_format_params(a, &x);
    sketch_format_params(b, &y);
    same = !x.failed && !y.failed && x.len == y.len && memcmp(x.data, y.data, x.len) == 0;
    buffer_release(&x);
    buffer_release(&y);
    return same;
}

/* Opens it if it is there. */
static int open_index(struct work *work, bool to_write, struct error *err)
{
    const struct cluster_index *index = work->index;
    const struct sketch_params *params;

    if (!is_there(index->path))
        return to_write && !index->drop ? 0 : error_set(err, "%s: no such file of fingerprints", index->path);
    work->fingerprints = fingerprints_open(index->path, to_write, err);
    if (!work->fingerprints)
        return -1;
    params = fingerprints_params(work->fingerprints);
    if (index->has_params && !same_params(params, &work->input->sketch))
        return error_set(err, "%s: has fingerprints with other parameters (without any, its own are used)",
                         index->path);
    work->input->sketch = *params;
    return 0;
}

/* The new file suits the number of contents and the resemblance that are given now. */
static int create_index(struct work *work, struct error *err)
{
    const struct sketch_params *params = &work->input->sketch;
    const uint32_t rh = hamming_threshold(params->size, work->index->resemblance);
    const uint32_t m = work->index->groups ? work->index->groups
                                           : groups_best(GROUPS_H, params->size, rh,
                                                         (double)work->input->collection.content_count);

    work->fingerprints = fingerprints_create(work->index->path, params, m, err);
    return work->fingerprints ? 0 : -1;
}

static int regroup(struct work *work, struct error *err)
{
    const uint32_t m = work->index->groups;

    if (m == 0 || m == fingerprints_groups(work->fingerprints).m)
        return 0;
    return fingerprints_regroup(work->fingerprints, m, err) || fingerprints_commit(work->fingerprints, err)
               ? -1
               : 0;
}

/* Reports the files that were read, and adds them first unless this is only a query. */
static int process(struct work *work, struct error *err)
{
    const bool is_query = work->index->query;
    int result;

    if (!work->fingerprints && create_index(work, err))
        return -1;
    if (!is_query && regroup(work, err))
        return -1;
    if (fingerprints_aim(work->fingerprints, work->index->resemblance, err))
        return -1;
    result = is_query ? 0 : add_all(work, err);
    if (result)
        return result;
    work->is_committed = !is_query;
    work->report.algorithm = work->index->candidates == CLUSTERS_ALG_H ? GROUPS_H
                             : work->index->candidates == CLUSTERS_SCAN
                                 ? GROUPS_SCAN
                                 : fingerprints_fastest(work->fingerprints);
    work->report.bits = fingerprints_params(work->fingerprints)->size;
    work->report.groups = fingerprints_groups(work->fingerprints);
    cluster_index_report_begin(&work->report);
    result = report_all(work, err);
    if (result)
        return result;
    return fingerprints_count(work->fingerprints, &work->counts.index_files, &work->counts.index_contents,
                              err);
}

static void count_files(struct work *work)
{
    const struct cluster_input *input = work->input;

    work->counts.files = input->collection.document_count;
    work->counts.empty = input->losses.empty;
    work->counts.links = input->losses.links;
    work->counts.left_out = input->losses.unread + input->losses.too_large;
    for (size_t i = 0; i < input->collection.document_count; i++)
        work->counts.small += sketch_of(work, i)->count == 0;
}

/* Returns the exit status. */
static int read_and_process(struct work *work, size_t count, char **paths)
{
    const struct evidence_list list = {paths, count, count};
    struct error err;
    int status, result;

    if (evidence_list_check_output(&list, work->index->path) || find_roots(work, count, paths) ||
        cluster_input_check(work->input, count, paths))
        return EXIT_USAGE;
    status = cluster_input_read(work->input, count, paths);
    if (status == EXIT_USAGE)
        return status;
    if (status == EXIT_INTERRUPTED) {
        complain("interrupted; nothing was added");
        return status;
    }
    count_files(work);
    if (!work->fingerprints && work->counts.files == work->counts.small) {
        complain("%s: was not created, since nothing could be added", work->index->path);
        return EXIT_PARTIAL;
    }
    result = process(work, &err);
    if (result < 0)
        complain_error(&err);
    if (result > 0)
        complain(work->is_committed
                     ? "interrupted; the files were added, but not all that is near them is reported"
                     : "interrupted; nothing was added");
    if (result == 0)
        cluster_index_report_end(&work->report, &work->counts, work->index->quiet);
    return result < 0 ? EXIT_USAGE : result > 0 ? EXIT_INTERRUPTED : status;
}

/* ---- removing ---- */

static int drop_all(struct work *work, size_t count, char **paths, struct error *err)
{
    int status = EXIT_DONE;

    for (size_t i = 0; i < count; i++) {
        uint64_t dropped;

        if (fingerprints_drop(work->fingerprints, work->roots[i], &dropped, err))
            return -1;
        if (dropped == 0) {
            complain("%s: no file of the index has this path or lies below it", paths[i]);
            status = EXIT_PARTIAL;
        } else if (!work->index->quiet) {
            say("%s: %" PRIu64 " file%s removed", paths[i], dropped, plural(dropped));
        }
    }
    return fingerprints_commit(work->fingerprints, err) ? -1 : status;
}

static int drop(struct work *work, size_t count, char **paths)
{
    struct error err;
    int status;

    if (find_roots(work, count, paths))
        return EXIT_USAGE;
    status = drop_all(work, count, paths, &err);
    if (status < 0)
        complain_error(&err);
    return status < 0 ? EXIT_USAGE : status;
}

/* ---- the interface ---- */

int cluster_index_run(const struct cluster_index *index, struct cluster_input *input, size_t count,
                      char **paths)
{
    struct work work = {.index = index, .input = input, .report = {.format = index->format}};
    struct error err;
    int status = EXIT_USAGE;

    if (open_index(&work, !index->query, &err))
        complain_error(&err);
    else
        status = index->drop ? drop(&work, count, paths) : read_and_process(&work, count, paths);
    fingerprints_close(work.fingerprints);
    for (size_t i = 0; work.roots && i < count; i++)
        free(work.roots[i]);
    free(work.roots);
    free(work.added);
    free(work.numbers);
    free(work.hits);
    buffer_release(&work.path);
    cluster_input_release(input);
    return status;
}

static int collect(void *arg, const struct fingerprints_document *document, struct error *err)
{
    struct work *work = arg;
    const uint64_t *bits = fingerprints_bits(work->fingerprints, document->content);
    const size_t words = hamming_words(work->input->sketch.size);
    struct sketch sketch = {.params = work->input->sketch, .len = document->size, .shingles = 1};
    int result;

    memcpy(sketch.digests.bytes[DIGEST_SHA1], document->sha1, DIGEST_SHA1_LEN);
    sketch.digests.kinds = DIGEST_BIT(DIGEST_SHA1);
    if (check_kind(work, document, err))
        return -1;
    if (words == 0 || array_reserve(&sketch.values, &sketch.room, words))
        return error_set(err, "out of memory");
    memcpy(sketch.values, bits, words * sizeof *bits);
    sketch.count = words;
    result = collection_add_sketch(&work->input->collection, &sketch, document->path,
                                   (struct collection_origin){.kind = document->kind}, err);
    sketch_release(&sketch);
    return result;
}

int cluster_index_load(struct cluster_index *index, struct cluster_input *input)
{
    struct work work = {.index = index, .input = input};
    struct error err;
    int result = open_index(&work, index->groups != 0, &err);

    if (!result && !work.fingerprints)
        result = error_set(&err, "%s: no such file of fingerprints", index->path);
    if (!result && index->groups)
        result = regroup(&work, &err);
    if (!result)
        result = fingerprints_each(work.fingerprints, collect, &work, &err);
    if (!result)
        index->groups = fingerprints_groups(work.fingerprints).m;
    else
        complain_error(&err);
    fingerprints_close(work.fingerprints);
    return result;
}
