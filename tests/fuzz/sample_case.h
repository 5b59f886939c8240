/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_FUZZ_SAMPLE_CASE_H
#define KITH_FUZZ_SAMPLE_CASE_H

#include <math.h>

#include "case/casefile_inner.h"
#include "stored.h"

/* Shared by the fuzzers of cases: a small case with a bit of everything, and its columns. */

/* Object TWIN has the bytes of deleted file 1. */
enum { OBJECTS = 24, SETS = 3, EVIDENCE = 2, TWIN = 7 };

static struct casefile *open_case(void)
{
    static const char *const evidence[EVIDENCE] = {"a.E01", "b"};
    static const struct case_set sets[SETS] = {
        {.uuid = {1}, .kind = REFSET_KNOWN, .name = "k", .path = "k.kset"},
        {.uuid = {2}, .kind = REFSET_NOTABLE, .name = "n", .path = "n.kset"},
        {.uuid = {3}, .kind = REFSET_NEUTRAL, .name = "x", .path = "x.kset"},
    };
    const struct case_plan plan = {.parameters = "p",
                                   .tool = "fuzz",
                                   .now = 1000,
                                   .sets = sets,
                                   .set_count = SETS,
                                   .evidence = evidence,
                                   .evidence_count = EVIDENCE};

    return casefile_open(path, &plan, NULL);
}

/* Object number i, with i % 3 findings. */
static void add_object(struct casefile *casefile, uint64_t i)
{
    struct finding_range ranges[2] = {{10, 200, 0, 190}, {300, 400 + i, 500, 600 + i}};
    struct finding list[2] = {{.verdict = VERDICT_FRAGMENT,
                               .set = (uint32_t)i % SETS,
                               .ref_size = 5000,
                               .resemblance = .25,
                               .containment = .5,
                               .score = .125,
                               .features = {.holders = 3, .count = 2, .list = {7, 1000 + (uint32_t)i}},
                               .ln_e = -20,
                               .ranges = ranges,
                               .range_count = 2}};
    const struct object_run runs[2] = {{0, 4096, 1000}, {1000, 9000, 500}};
    const struct findings findings = {.list = list, .count = i % 3};
    const struct case_reference references[2] = {{{.kinds = 7}, "ref", 3}, {{.kinds = 1}, "", 0}};
    const struct case_object object = {.evidence = 1 + i / (OBJECTS / EVIDENCE) % EVIDENCE,
                                       .item = i,
                                       .volume = "2@1048576",
                                       .address = "77-128-1",
                                       .kind = i == TWIN ? OBJECT_UNALLOCATED
                                                         : (enum object_kind)(i % OBJECT_KINDS),
                                       .paths = "a/b\0c\0\0d\xff",
                                       .path_count = i % 5,
                                       .size = 1000 * i + 1000,
                                       .digests = {.kinds = (unsigned)i % 8},
                                       .verdict = i % 3 ? VERDICT_FRAGMENT : VERDICT_NONE,
                                       .reason = i % 4 ? "" : "why",
                                       .flags = OBJECT_ALLOCATED,
                                       .times = {{1700000000, 5}},
                                       .runs = runs,
                                       .run_count = i % 3};

    finding_measure(&list[0]);
    list[1] = list[0];
    list[1].ln_e = -INFINITY;
    list[1].has_edits = true;
    list[1].proof = PROOF_SHA1;
    casefile_add(casefile, &object, &findings, references, (int64_t)i, NULL);
}

static void fill(struct casefile *casefile, uint64_t from, uint64_t to)
{
    const struct evidence_image image = {.format = "E01", .table = "", .size = 1 << 20};
    const struct digest_values digests = {.kinds = 7};

    casefile_log(casefile, 1000, "begun", NULL);
    casefile_set_image(casefile, 1, &image, NULL);
    casefile_set_digests(casefile, 1, &digests, &digests, NULL);
    for (uint64_t i = from; i < to; i++)
        add_object(casefile, i);
    casefile_problem(casefile, 1, "a problem", NULL);
    casefile_problem(casefile, 1, "another", NULL);
    casefile_set_state(casefile, 1, CASE_DONE, 1001, "done", NULL);
    casefile_set_context(casefile, CASE_EXAMINER, "somebody", 1002, NULL);
}

/* Evidence 1, which is done, for another set. */
static void read_again(void)
{
    static const char *const evidence[] = {"a.E01"};
    static const struct case_set set = {.uuid = {4}, .kind = REFSET_NOTABLE, .name = "m", .path = "m.kset"};
    const struct case_plan plan = {.parameters = "p",
                                   .tool = "fuzz",
                                   .now = 1003,
                                   .sets = &set,
                                   .set_count = 1,
                                   .evidence = evidence,
                                   .evidence_count = 1};
    struct casefile *casefile = casefile_open(path, &plan, NULL);

    require(casefile && casefile_close(casefile, NULL) == 0);
}

static void set_up(void)
{
    struct casefile *casefile;

    choose_path("fuzz_case");
    casefile = open_case();
    require(casefile);
    fill(casefile, 0, OBJECTS);
    require(casefile_close(casefile, NULL) == 0);
    read_again();
    keep_good();
}

/* ---- changes ---- */

static const struct columns columns[] = {
    {"finding", BLOB, {"ranges"}},
    {"object", BLOB, {"paths"}},
    {"finding", BLOB, {"name", "sha1", "md5"}},
    {"object", BLOB, {"sha1", "sha256"}},
    {"evidence", BLOB, {"path", "sha1", "stored_md5"}},
    {"refset", BLOB, {"uuid", "path"}},
    {"info", BLOB, {"uuid"}},
    {"log", BLOB, {"chain"}},
    {"object", TEXT, {"volume", "address", "kind", "verdict", "reason"}},
    {"finding", TEXT, {"verdict", "proof"}},
    {"evidence", TEXT, {"state", "format"}},
    {"refset", TEXT, {"kind", "name"}},
    {"info", TEXT, {"tool", "parameters"}},
    {"log", TEXT, {"text"}},
    {"problem", TEXT, {"text"}},
    {"object", NUMBER, {"id", "evidence", "item", "chunk", "size", "partial", "path_count", "findings"}},
    {"finding",
     NUMBER,
     {"class", "object", "rank", "refset", "file", "size", "obj_start", "obj_end", "ref_start", "ref_end",
      "matched", "proved", "blocks", "also"}},
    {"evidence", NUMBER, {"id", "size", "objects", "bytes", "known", "fragment"}},
    {"refset", NUMBER, {"id", "generation", "files"}},
    {"problem", NUMBER, {"id", "evidence"}},
    {"log", NUMBER, {"id", "time"}},
    {"finding", REAL, {"resemblance", "containment", "edits", "edits_low", "edits_high", "ln_e"}},
    {"origin", BLOB, {"runs"}},
    {"origin", NUMBER, {"id", "flags", "mtime", "mtime_ns", "cut"}},
    {"place", NUMBER, {"refset", "file", "start", "object", "rank"}},
    {"twin", NUMBER, {"object", "rank", "of_object", "of_rank"}},
    {"context", TEXT, {"value"}},
    {"pass", NUMBER, {"id", "first_set", "last_set", "again"}},
    {"pass", TEXT, {"parameters"}},
    {"score", REAL, {"score"}},
    {"score", NUMBER, {"object", "rank", "reordered", "holders"}},
    {"score", BLOB, {"features"}},
    {NULL, BLOB, {NULL}},
};

#endif
