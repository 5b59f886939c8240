/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/lines.h"
#include "base/memory.h"
#include "case/casefile.h"
#include "check_main.h"
#include "cluster/groups.h"
#include "compare/compare.h"
#include "file.h"
#include "list/list.h"
#include "match/examine.h"
#include "match/matcher.h"
#include "sample/blocks.h"
#include "sample/hasher.h"
#include "set/refset_reader.h"
#include "set/refset_search.h"
#include "set/refset_writer.h"
#include "sketch/sketch.h"

/* Whatever needs memory reports an error without it, and leaks nothing. */

/* ---- memory that runs out ---- */

static unsigned blocks_left = UINT_MAX;

/* The library's own, in memory.c, is not linked then. */
void *memory_new(size_t size, struct error *err)
{
    void *block = blocks_left > 0 ? calloc(1, size) : NULL;

    if (block)
        blocks_left--;
    else
        error_set(err, "out of memory");
    return block;
}

/* With one more block each time, until there are enough. */
static void runs_out(const char *name, void *(*make)(struct error *err), void (*drop)(void *made))
{
    struct error err;
    void *made = NULL;
    unsigned blocks = 0;

    for (; !made; blocks++) {
        err.text[0] = '\0';
        blocks_left = blocks;
        made = make(&err);
        blocks_left = UINT_MAX;
        if (!made)
            ck_assert_msg(strcmp(err.text, "out of memory") == 0, "%s: %s", name, err.text);
    }
    ck_assert_msg(blocks > 1, "%s needs none", name);
    drop(made);
}

#define MAKER(name, make, drop_type, drop)                                                                   \
    static void *make_##name(struct error *err)                                                              \
    {                                                                                                        \
        return make;                                                                                         \
    }                                                                                                        \
    static void drop_##name(void *made)                                                                      \
    {                                                                                                        \
        drop((drop_type *)made);                                                                             \
    }
#define RUNS_OUT(name) runs_out(#name, make_##name, drop_##name)

/* ---- modules that work in memory ---- */

static const struct sampler_params params = {SAMPLER_GF8, SAMPLER_DEFAULT_N, SAMPLER_DEFAULT_C, 0};
static const struct groups_params fingerprints = {64, 6, 3};
static const struct matcher_options matching = {.most_ln_e = -7};

/* Words with labels need every part of it. */
static struct sketcher *sketcher_of_words(struct error *err)
{
    struct sketch_params wanted = sketch_defaults(SKETCH_MINWISE);

    wanted.tokens.unit = TOKENS_WORDS;
    wanted.labelled = true;
    return sketch_new(&wanted, err);
}

MAKER(json, json_new(100, err), struct json, json_free)
MAKER(digest, digest_new(DIGEST_BIT(DIGEST_SHA1), err), struct digest, digest_free)
MAKER(blocks, blocks_new(err), struct blocks, blocks_free)
MAKER(sampler, sampler_new(&params, err), struct sampler, sampler_free)
MAKER(hasher, hasher_new(&params, DIGEST_BIT(DIGEST_SHA1), err), struct hasher, hasher_free)
MAKER(comparer, compare_new(err), struct comparer, compare_free)
MAKER(examiner, examine_new(matching.most_ln_e, err), struct examiner, examine_free)
MAKER(matcher, matcher_new(NULL, 0, &matching, err), struct matcher, matcher_free)
MAKER(sketcher, sketcher_of_words(err), struct sketcher, sketch_free)
MAKER(groups, groups_new(&fingerprints, err), struct groups, groups_free)
MAKER(lines, lines_open_memory("a", 1, err), struct lines, lines_close)

START_TEST(modules_that_work_in_memory_report_when_it_runs_out)
{
    RUNS_OUT(json);
    RUNS_OUT(digest);
    RUNS_OUT(blocks);
    RUNS_OUT(sampler);
    RUNS_OUT(hasher);
    RUNS_OUT(comparer);
    RUNS_OUT(examiner);
    RUNS_OUT(matcher);
    RUNS_OUT(sketcher);
    RUNS_OUT(groups);
    RUNS_OUT(lines);
}
END_TEST

/* ---- sets and cases ---- */

static char folder[64], path[80];
static struct refset *set;

static void close_refset(struct refset *made)
{
    refset_close(made, NULL);
}

static void close_case(struct casefile *made)
{
    casefile_close(made, NULL);
}

static struct casefile *open_case(struct error *err)
{
    static const char *const evidence[] = {"image"};
    static const struct case_set of_case = {.path = "set", .name = "set"};
    const struct case_plan plan = {.parameters = "",
                                   .tool = "test 1",
                                   .now = 1700000000,
                                   .sets = &of_case,
                                   .set_count = 1,
                                   .evidence = evidence,
                                   .evidence_count = 1};

    return casefile_open_temporary(&plan, true, err);
}

MAKER(refset, refset_open(path, REFSET_READ, err), struct refset, close_refset)
MAKER(writer, refset_writer_new(set, true, err), struct refset_writer, refset_writer_free)
MAKER(reader, refset_reader_new(set, true, err), struct refset_reader, refset_reader_free)
MAKER(search, refset_search_new(set, REFSET_SEARCH_FEATURES | REFSET_SEARCH_DIGESTS, err),
      struct refset_search, refset_search_free)
MAKER(casefile, open_case(err), struct casefile, close_case)

static void begin_folder(void)
{
    strcpy(folder, "/tmp/test_no_memory.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a", folder);
}

static void end_folder(void)
{
    unlink(path);
    ck_assert_int_eq(rmdir(folder), 0);
}

START_TEST(sets_and_cases_report_when_memory_runs_out)
{
    struct refset_params wanted;
    struct error err;

    begin_folder();
    wanted = refset_defaults(path);
    set = refset_create(path, &wanted, "test 1", 1700000000, &err);
    ck_assert_msg(set != NULL, "%s", err.text);
    RUNS_OUT(writer);
    ck_assert_int_eq(refset_close(set, &err), 0);
    RUNS_OUT(refset);
    set = refset_open(path, REFSET_READ, &err);
    RUNS_OUT(reader);
    RUNS_OUT(search);
    close_refset(set);
    RUNS_OUT(casefile);
    end_folder();
}
END_TEST

/* ---- lists ---- */

static const char *format;

MAKER(list, list_open(path, format, err), struct list, list_close)

START_TEST(lists_report_when_memory_runs_out)
{
    static const char *const formats[] = {"hashdeep",  "sums",         "csv",        "projectvic",
                                          "kith-json", "kith-records", "nsrl3-delta"};

    begin_folder();
    file_store(path, "sha1,size,name\n", 15);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct error err;
        struct list *list;

        format = formats[i];
        list = list_open(path, format, &err);
        ck_assert_msg(list != NULL, "%s: %s", format, err.text);
        list_close(list);
        RUNS_OUT(list);
    }
    end_folder();
}
END_TEST

RUN_TESTS("no_memory", modules_that_work_in_memory_report_when_it_runs_out,
          sets_and_cases_report_when_memory_runs_out, lists_report_when_memory_runs_out)
