/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"
#include "cluster/fingerprints.h"
#include "cluster/hamming.h"
#include "file.h"

/* A file of fingerprints beside an array of the documents that it should have. */

enum { MOST = 600, MOST_BITS = 400 };

struct document {
    uint64_t bits[(MOST_BITS + 63) / 64], size;
    uint8_t sha1[DIGEST_SHA1_LEN];
    char path[40];
    bool is_there, is_first; /* the first that has its content */
};

static struct document documents[MOST];
static uint32_t count, width;
static char path[64];
static struct fingerprints *fingerprints;
static struct error err;

static struct sketch_params params(void)
{
    struct sketch_params params = sketch_defaults(SKETCH_HAMMING);

    params.size = width;
    return params;
}

static void create(uint32_t k, uint32_t m)
{
    struct sketch_params of_sketches;

    width = k;
    count = 0;
    memset(documents, 0, sizeof documents);
    of_sketches = params();
    snprintf(path, sizeof path, "test_fingerprints.%d", (int)getpid());
    unlink(path);
    fingerprints = fingerprints_create(path, &of_sketches, m, &err);
    ck_assert_msg(fingerprints != NULL, "%s", err.text);
}

static void reopen(bool to_write)
{
    fingerprints_close(fingerprints);
    fingerprints = fingerprints_open(path, to_write, &err);
    ck_assert_msg(fingerprints != NULL, "%s", err.text);
}

static void end(void)
{
    fingerprints_close(fingerprints);
    fingerprints = NULL;
    unlink(path);
}

/* ---- documents ---- */

static void flip(struct document *document, uint64_t bit)
{
    document->bits[bit / 64] ^= UINT64_C(1) << bit % 64;
}

/* Every third one is a copy of an earlier one, another third is near one. */
static struct document *make_document(uint64_t most)
{
    struct document *document = &documents[count];
    const struct document *other = count ? &documents[random64() % count] : document;

    for (uint32_t i = 0; i < width; i++)
        if (random64() >> 63)
            flip(document, i);
    if (count % 3)
        memcpy(document->bits, other->bits, sizeof document->bits);
    document->size = count % 3 == 2 ? other->size : count;
    memset(document->sha1, (int)(document->size % 251), DIGEST_SHA1_LEN);
    for (uint64_t flips = count % 3 == 1 ? 1 + random64() % most : 0; flips > 0; flips--)
        flip(document, random64() % width);
    snprintf(document->path, sizeof document->path, "/folder%u/%u", (unsigned)(count % 7), (unsigned)count);
    count++;
    return document;
}

static bool same_content(const struct document *a, const struct document *b)
{
    return a->size == b->size && memcmp(a->sha1, b->sha1, DIGEST_SHA1_LEN) == 0;
}

/* Finds out which are the first ones of their contents. */
static void mark_first(void)
{
    for (uint32_t i = 0; i < count; i++) {
        documents[i].is_first = documents[i].is_there;
        for (uint32_t j = 0; j < i; j++)
            if (documents[j].is_there && same_content(&documents[i], &documents[j]))
                documents[i].is_first = false;
    }
}

static enum fingerprints_added add(struct document *document)
{
    struct fingerprints_document named = {.path = document->path};
    struct sketch sketch = {
        .params = params(), .len = document->size, .shingles = 1, .values = document->bits};
    enum fingerprints_added added;

    sketch.count = hamming_words(width);
    sketch.digests.kinds = DIGEST_BIT(DIGEST_SHA1);
    memcpy(sketch.digests.bytes[DIGEST_SHA1], document->sha1, DIGEST_SHA1_LEN);
    ck_assert_msg(fingerprints_add(fingerprints, &sketch, &named, &added, &err) == 0, "%s", err.text);
    document->is_there = true;
    return added;
}

static void add_some(uint32_t some, uint64_t most)
{
    while (some-- > 0)
        add(make_document(most));
    ck_assert_msg(fingerprints_commit(fingerprints, &err) == 0, "%s", err.text);
}

static void drop(const char *which, uint64_t expected)
{
    uint64_t dropped;

    ck_assert_msg(fingerprints_drop(fingerprints, which, &dropped, &err) == 0, "%s", err.text);
    ck_assert_uint_eq(dropped, expected);
}

/* ---- what should be found ---- */

struct results {
    const uint64_t *query;
    uint32_t rh, found;
};

static int take(void *arg, uint64_t content, uint32_t distance, struct error *error)
{
    struct results *results = arg;
    struct fingerprints_document first;
    uint32_t i = 0;

    ck_assert_int_eq(fingerprints_first(fingerprints, (uint32_t)content, &first, error), 0);
    while (i < count && strcmp(documents[i].path, first.path) != 0)
        i++;
    ck_assert_uint_lt(i, count);
    ck_assert(documents[i].is_first);
    ck_assert_uint_eq(first.size, documents[i].size);
    ck_assert_mem_eq(first.sha1, documents[i].sha1, DIGEST_SHA1_LEN);
    ck_assert_uint_eq(distance, hamming_distance(results->query, documents[i].bits, hamming_words(width)));
    ck_assert_uint_le(distance, results->rh);
    results->found++;
    return 0;
}

static uint32_t found_naively(const uint64_t *query, uint32_t rh)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < count; i++)
        found +=
            documents[i].is_first && hamming_distance(query, documents[i].bits, hamming_words(width)) <= rh;
    return found;
}

static void assert_finds_by(enum groups_algorithm algorithm, double resemblance)
{
    const uint32_t rh = hamming_threshold(width, resemblance);
    uint32_t found = 0;

    mark_first();
    ck_assert_msg(fingerprints_aim(fingerprints, resemblance, &err) == 0, "%s", err.text);
    ck_assert_uint_eq(fingerprints_groups(fingerprints).rh, rh);
    for (uint32_t i = 0; i < count; i += 3) {
        struct results results = {documents[i].bits, rh, 0};

        ck_assert_msg(fingerprints_query(fingerprints, algorithm, results.query, take, &results, &err) == 0,
                      "%s", err.text);
        ck_assert_uint_eq(results.found, found_naively(results.query, rh));
        found += results.found;
    }
    ck_assert_uint_gt(found, count / 6);
}

static void assert_finds(double resemblance)
{
    assert_finds_by(GROUPS_H, resemblance);
    assert_finds_by(GROUPS_SCAN, resemblance);
}

static int next_path(void *arg, const struct fingerprints_document *document, struct error *error)
{
    uint32_t *at = arg;

    (void)error;
    while (*at < count && !documents[*at].is_there)
        ++*at;
    ck_assert_uint_lt(*at, count);
    ck_assert_str_eq(document->path, documents[*at].path);
    ck_assert_mem_eq(fingerprints_bits(fingerprints, document->content), documents[*at].bits,
                     hamming_words(width) * sizeof(uint64_t));
    ++*at;
    return 0;
}

static void assert_counts(void)
{
    uint64_t of_documents, of_contents, there = 0, first = 0;
    uint32_t at = 0;

    mark_first();
    for (uint32_t i = 0; i < count; i++) {
        there += documents[i].is_there;
        first += documents[i].is_first;
    }
    ck_assert_int_eq(fingerprints_count(fingerprints, &of_documents, &of_contents, &err), 0);
    ck_assert_uint_eq(of_documents, there);
    ck_assert_uint_eq(of_contents, first);
    ck_assert_msg(fingerprints_each(fingerprints, next_path, &at, &err) == 0, "%s", err.text);
    for (; at < count; at++)
        ck_assert(!documents[at].is_there);
}

/* ---- the tests ---- */

/* Keys that are numbers, and bytes. */
START_TEST(what_is_added_and_removed_in_several_runs_is_found_as_by_brute_force)
{
    static const struct {
        uint32_t k, m;
    } all[] = {{64, 8}, {400, 9}, {130, 40}};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        create(all[i].k, all[i].m);
        for (int step = 0; step < 3; step++) {
            const double r = 1 - 2.0 * ((double)all[i].m - 2) / all[i].k;

            add_some(120, all[i].m);
            reopen(step == 1);
            assert_finds(r);
            assert_finds(1);
            assert_counts();
            reopen(true);
            for (uint32_t d = 0; d < count; d++)
                if (d % 7 == (uint32_t)step && documents[d].is_there)
                    documents[d].is_there = false;
            drop(step == 0   ? "/folder0"
                 : step == 1 ? "/folder1"
                             : "/folder2",
                 (count + 6 - (uint32_t)step) / 7);
            assert_finds(r);
            ck_assert_int_eq(fingerprints_commit(fingerprints, &err), 0);
            assert_counts();
        }
        end();
    }
}
END_TEST

START_TEST(groups_are_divided_anew_without_the_documents)
{
    static const uint32_t ms[] = {64, 3, 17};

    create(64, 9);
    add_some(200, 9);
    for (uint32_t i = 0; i < count; i += 7)
        documents[i].is_there = false;
    drop("/folder0", 29);
    for (size_t i = 0; i < 3; i++) {
        ck_assert_msg(fingerprints_regroup(fingerprints, ms[i], &err) == 0, "%s", err.text);
        assert_finds(1 - 2.0 * (ms[i] > 10 ? 10 : ms[i] - 1) / 64);
        ck_assert_int_eq(fingerprints_commit(fingerprints, &err), 0);
        reopen(true);
        ck_assert_uint_eq(fingerprints_groups(fingerprints).m, ms[i]);
        assert_counts();
    }
    end();
}
END_TEST

START_TEST(what_was_not_committed_is_gone)
{
    create(64, 8);
    add_some(50, 8);
    add(make_document(8));
    documents[count - 1].is_there = false;
    reopen(true);
    assert_counts();
    assert_finds(.9);
    drop("/folder0", 8);
    reopen(false);
    assert_counts();
    assert_finds(.9);
    end();
}
END_TEST

START_TEST(known_documents_and_contents_are_recognised)
{
    uint32_t content;

    create(64, 8);
    ck_assert_int_eq(add(make_document(8)), FINGERPRINTS_NEW);
    ck_assert_int_eq(add(&documents[0]), FINGERPRINTS_KNOWN);
    documents[1] = documents[0];
    strcpy(documents[1].path, "/folder0/0/below");
    count = 2;
    ck_assert_int_eq(add(&documents[1]), FINGERPRINTS_KNOWN_CONTENT);
    ck_assert_int_eq(fingerprints_find(fingerprints, documents[0].sha1, documents[0].size, &content, &err),
                     1);
    ck_assert_uint_eq(content, 0);
    ck_assert_int_eq(fingerprints_find(fingerprints, documents[0].sha1, 77, &content, &err), 0);
    drop("/folder0/", 0);
    drop("/folder", 0);
    drop("/folder0/0/belo", 0);
    drop("/folder0/0", 2);
    documents[0].is_there = documents[1].is_there = false;
    assert_counts();
    end();
}
END_TEST

/* Places of what was removed do not add up. */
START_TEST(an_index_that_changes_all_the_time_does_not_grow)
{
    create(64, 8);
    for (uint32_t i = 0; i < 12000; i++) {
        count = 0;
        memset(documents, 0, sizeof *documents);
        make_document(8)->size = i;
        add(&documents[0]);
        drop(documents[0].path, 1);
    }
    ck_assert_int_eq(fingerprints_commit(fingerprints, &err), 0);
    reopen(true);
    ck_assert_uint_le(fingerprints_places(fingerprints), 4100);
    count = 0;
    memset(documents, 0, sizeof documents);
    add_some(20, 8);
    reopen(false);
    assert_counts();
    assert_finds(.9);
    end();
}
END_TEST

static void assert_refused(const char *why)
{
    ck_assert_ptr_null(fingerprints_open(path, false, &err));
    ck_assert_msg(strstr(err.text, why) && strstr(err.text, path), "%s", err.text);
}

static int ignore(void *arg, uint64_t content, uint32_t distance, struct error *error)
{
    (void)arg, (void)content, (void)distance, (void)error;
    return 0;
}

static int ignore_document(void *arg, const struct fingerprints_document *document, struct error *error)
{
    (void)arg, (void)document, (void)error;
    return 0;
}

/* Reads everything; -1 if something is damaged. */
static int read_all(void)
{
    int result;

    fingerprints = fingerprints_open(path, false, &err);
    if (!fingerprints)
        return -1;
    result = fingerprints_each(fingerprints, ignore_document, NULL, &err) |
             fingerprints_aim(fingerprints, .9, &err);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t content = 0;
        struct fingerprints_document first;

        result |=
            fingerprints_query(fingerprints, GROUPS_H, documents[i].bits, ignore, NULL, &err) |
            (fingerprints_find(fingerprints, documents[i].sha1, documents[i].size, &content, &err) < 0) |
            fingerprints_first(fingerprints, content, &first, &err);
    }
    fingerprints_close(fingerprints);
    fingerprints = NULL;
    return result;
}

/* A byte in each page; the index of paths is not read. */
START_TEST(a_damaged_or_foreign_file_is_refused)
{
    uint8_t *data;
    size_t len, unread = 0;

    create(64, 8);
    add_some(100, 8);
    fingerprints_close(fingerprints);
    ck_assert_int_eq(read_all(), 0);
    data = file_load(path, &len);
    for (size_t at = 4000; at < len; at += 4096) {
        data[at] ^= 1;
        file_store(path, data, len);
        data[at] ^= 1;
        unread += read_all() == 0;
    }
    ck_assert_uint_gt(len / 4096, 8);
    ck_assert_uint_le(unread, 2);
    file_store(path, "text", 4);
    assert_refused("is not a file of fingerprints");
    file_store(path, "", 0);
    assert_refused("is empty, not a file of fingerprints");
    unlink(path);
    assert_refused("No such file");
    free(data);
}
END_TEST

START_TEST(parameters_outside_the_domain_are_refused)
{
    struct sketch_params others = sketch_defaults(SKETCH_MINWISE),
                         short_ones = sketch_defaults(SKETCH_HAMMING);

    ck_assert_ptr_null(fingerprints_create("never", &others, 5, &err));
    ck_assert_str_eq(err.text, "only sketches of scheme hamming are fingerprints");
    short_ones.size = 64;
    ck_assert_ptr_null(fingerprints_create("never", &short_ones, 65, &err));
    ck_assert_int_ne(access("never", F_OK), 0);
    create(64, 8);
    ck_assert_int_eq(fingerprints_aim(fingerprints, .7, &err), 0);
    ck_assert_int_eq(fingerprints_fastest(fingerprints), GROUPS_SCAN);
    ck_assert_int_eq(fingerprints_query(fingerprints, GROUPS_H, documents[0].bits, ignore, NULL, &err), -1);
    ck_assert_str_eq(err.text,
                     "fingerprints that differ in 9 bits may differ in all of 8 groups: more than 9 "
                     "groups are needed");
    ck_assert_int_eq(fingerprints_regroup(fingerprints, 0, &err), -1);
    end();
}
END_TEST

RUN_TESTS("fingerprints", what_is_added_and_removed_in_several_runs_is_found_as_by_brute_force,
          groups_are_divided_anew_without_the_documents, what_was_not_committed_is_gone,
          known_documents_and_contents_are_recognised, an_index_that_changes_all_the_time_does_not_grow,
          a_damaged_or_foreign_file_is_refused, parameters_outside_the_domain_are_refused)
