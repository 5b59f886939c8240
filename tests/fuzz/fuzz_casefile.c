/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "case/casefile_inner.h"
#include "stored.h"

/*
 * The input is a byte that selects what is done, and a list of changes to a small case: a byte for the
 * column, a byte for the row, one for how many bytes follow, and these, which are a blob, a text or the eight
 * bytes of a number.  The pages get correct checksums, as an attacker's would.
 *
 * The case is then read, verified or added to; what is read must be such that a case could hold it.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Object TWIN has the bytes of deleted file 1. */
enum { OBJECTS = 24, SETS = 3, EVIDENCE = 2, TWIN = 7 };

/* The possible actions; each opens the case, which takes most of the time.  0 is all of them. */
enum { READ = 1, VERIFY = 2, WRITE = 4, ALL = 7 };

/* ---- the case ---- */

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

static void set_up(void)
{
    struct casefile *casefile;

    choose_path("fuzz_casefile");
    casefile = open_case();
    require(casefile);
    fill(casefile, 0, OBJECTS);
    require(casefile_close(casefile, NULL) == 0);
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
    {NULL, BLOB, {NULL}},
};

/* ---- using it ---- */

static void ignore(void *arg, const char *text)
{
    (void)arg;
    require(strlen(text) < 100000);
}

static void ignore_entry(void *arg, const struct case_entry *entry)
{
    ignore(arg, entry->text);
}

static size_t paths_len(const char *paths, size_t count)
{
    size_t len = 0;

    while (count--)
        len += strlen(paths + len) + 1;
    return len;
}

static void check_finding(const struct case_row *row)
{
    const struct finding *finding = &row->finding;
    uint64_t sum = 0;

    require(row->set && finding->verdict <= VERDICT_FRAGMENT && finding->proof < PROOFS);
    require(finding->resemblance >= 0 && finding->resemblance <= 1 && !isnan(finding->ln_e));
    require(finding->span.obj_end <= row->object.size && finding->span.ref_end <= finding->ref_size);
    for (size_t i = 0; i < finding->range_count; i++) {
        require(finding->ranges[i].obj_start <= finding->ranges[i].obj_end);
        require(finding->ranges[i].obj_end <= row->object.size &&
                finding->ranges[i].ref_end <= finding->ref_size);
        sum += finding->ranges[i].obj_end;
    }
    for (size_t i = 0; i < row->reference.name_len; i++)
        sum += (uint8_t)row->reference.name[i];
    require(sum + 1 != 0); /* all was touched */
}

static void check_runs(const struct case_object *object)
{
    uint64_t at = 0;

    for (size_t i = 0; i < object->run_count; i++) {
        const struct object_run *run = &object->runs[i];

        require(run->offset >= at && run->len && run->offset + run->len <= object->size);
        require(run->image + run->len <= INT64_MAX);
        at = run->offset + run->len;
    }
}

static void check_twins(const struct case_row *row)
{
    for (size_t i = 0; i < row->twin_count; i++)
        require(row->twins[i].id.rank && strlen(row->twins[i].address) < 1000);
}

static void read_rows(struct casefile *casefile, bool twins)
{
    const struct case_filter filter = {.known = true, .objects = true, .twins = twins};
    struct case_reader *reader = casefile_reader_new(casefile, &filter, NULL);
    struct case_row row;

    for (int rows = 0; reader && casefile_reader_next(reader, &row, NULL) > 0; rows++) {
        require(rows <= 8 * OBJECTS && row.evidence->path && row.evidence->format);
        require(row.object.kind < OBJECT_KINDS && row.object.verdict < VERDICTS);
        require(strlen(row.object.volume) + strlen(row.object.address) + strlen(row.object.reason) < 1000);
        require(paths_len(row.object.paths, row.object.path_count) < 1000);
        check_runs(&row.object);
        check_twins(&row);
        if (row.has_finding)
            check_finding(&row);
    }
    casefile_reader_free(reader);
}

static void read_case(struct casefile *casefile)
{
    const struct case_set *sets;
    const size_t count = casefile_sets(casefile, &sets);
    struct case_evidence evidence;
    struct case_context context;
    struct case_counts counts;
    uint64_t objects, item;

    for (size_t i = 0; i < count; i++)
        require(sets[i].kind < REFSET_KINDS && strlen(sets[i].path) < 1000 &&
                strlen(sets[i].name) <= REFSET_NAME_LEN);
    for (uint64_t number = 0; number <= EVIDENCE + 1; number++) {
        if (casefile_evidence(casefile, number, &evidence, NULL) > 0)
            require(evidence.state < CASE_STATES && strlen(evidence.path) + strlen(evidence.format) < 1000);
        casefile_progress(casefile, number, &objects, &item, NULL);
        objects /= 2;
        if (casefile_count(casefile, number, &counts, NULL) == 0)
            require(counts.known <= counts.objects);
        casefile_skip(casefile, number, &objects,
                      &(struct case_object){.address = "77-128-1", .size = 2000, .paths = ""}, NULL);
        casefile_problems(casefile, number, ignore, NULL, NULL);
    }
    read_rows(casefile, false);
    read_rows(casefile, true);
    casefile_context(casefile, &context);
    require(strlen(context.examiner) <= CASE_CONTEXT_LEN);
    casefile_read_log(casefile, ignore_entry, NULL, NULL);
}

static void use(unsigned what)
{
    struct casefile *casefile = what & READ ? casefile_open_report(path, NULL) : NULL;

    if (casefile)
        read_case(casefile);
    casefile_close(casefile, NULL);
    if (what & VERIFY)
        casefile_verify(path, ignore, NULL, NULL);
    casefile = what & WRITE ? open_case() : NULL;
    if (casefile) {
        fill(casefile, OBJECTS, OBJECTS + 6);
        read_case(casefile);
    }
    casefile_close(casefile, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct stored stored = {&casefile_format, columns, OBJECTS, set_up, use, ALL};

    return run_changed(&stored, data, size);
}
