/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CASEFILE_TWIN_H
#define KITH_CASEFILE_TWIN_H

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "case/casefile_inner.h"
#include "check_main.h"
#include "file.h"
#include "same.h"
#include "stored_twin.h"

/*
 * Shared by the tests of cases: a case in a folder of its own, and what it must contain.  Object i of an
 * evidence is always the same, with the same findings, so the number of objects added determines what a case
 * must contain.
 */

enum { NOW = 1700000000, SETS = 4, EVIDENCE = 3, MOST_FINDINGS = 4, MOST_RANGES = 5, MOST_RUNS = 4 };

#define UNUSED __attribute__((unused))

/* ---- files ---- */

/* In memory if possible, because every commit is waited for. */
static UNUSED void begin_test(void)
{
    strcpy(folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/test_case.XXXXXX" : "/tmp/test_case.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.kcase", folder);
    err.text[0] = '\0';
}

static UNUSED unsigned files_in_folder(bool remove)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    unsigned count = 0;

    ck_assert_ptr_nonnull(dir);
    while ((entry = readdir(dir)))
        if (entry->d_name[0] != '.') {
            count++;
            if (remove)
                ck_assert_int_eq(unlinkat(dirfd(dir), entry->d_name, 0), 0);
        }
    closedir(dir);
    return count;
}

static UNUSED void end_test(void)
{
    files_in_folder(true);
    ck_assert_int_eq(rmdir(folder), 0);
}

/* ---- damaging it, with correct page checksums ---- */

static const struct database_format *const stored_format = &casefile_format;

static int verify_stored(void)
{
    return casefile_verify(path, take_fault, NULL, &err);
}

/* ---- a plan ---- */

static const char *const evidence_paths[EVIDENCE] = {"/images/a \xff\n.E01", "b", "/c/d.dd"};
static struct case_set sets[SETS];

/* Set number i from 0, of which the first SETS are those of the case. */
static UNUSED struct case_set make_set(int i)
{
    static const enum refset_kind kinds[] = {REFSET_KNOWN, REFSET_NEUTRAL, REFSET_NOTABLE, REFSET_NOTABLE};
    static const char *const paths[] = {"/sets/0.kset", "one \xfe.kset", "", "x"};
    struct case_set set = {.generation = 7 + (uint64_t)i,
                           .kind = kinds[i % SETS],
                           .path = paths[i % SETS],
                           .files = 1000 * (uint64_t)i,
                           .records = (uint64_t)i};

    memset(set.uuid, 0x50 + i, sizeof set.uuid);
    snprintf(set.name, sizeof set.name, "set %d \"\xc3\xa4\"", i);
    return set;
}

static UNUSED struct case_plan make_plan(void)
{
    for (int i = 0; i < SETS; i++)
        sets[i] = make_set(i);
    return (struct case_plan){.parameters = "c=128 kinds=all",
                              .tool = "kith 1.0",
                              .now = NOW,
                              .sets = sets,
                              .set_count = SETS,
                              .evidence = evidence_paths,
                              .evidence_count = EVIDENCE};
}

static UNUSED struct casefile *open_case(void)
{
    const struct case_plan plan = make_plan();
    struct casefile *casefile = casefile_open(path, &plan, &err);

    ck_assert_msg(casefile != NULL, "%s", err.text);
    return casefile;
}

static UNUSED struct casefile *open_report(void)
{
    struct casefile *casefile = casefile_open_report(path, &err);

    ck_assert_msg(casefile != NULL, "%s", err.text);
    return casefile;
}

static UNUSED void close_case(struct casefile *casefile)
{
    ck_assert_msg(casefile_close(casefile, &err) == 0, "%s", err.text);
}

/* ---- objects ---- */

struct sample_object {
    struct case_object object;
    struct findings findings;
    struct case_reference references[MOST_FINDINGS];
    struct finding list[MOST_FINDINGS];
    struct finding_range ranges[MOST_FINDINGS][MOST_RANGES];
    char address[40], paths[200], reason[40], names[MOST_FINDINGS][20];
    struct object_run runs[MOST_RUNS];
};

static UNUSED uint64_t below(uint64_t bound)
{
    return random64() % bound;
}

static UNUSED struct digest_values make_digests(unsigned kinds)
{
    struct digest_values digests = {.kinds = kinds};

    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if (kinds & DIGEST_BIT(kind))
            fill_random(digests.bytes[kind], digest_len((enum digest_kind)kind));
    return digests;
}

static UNUSED void make_ranges(struct finding *finding, struct finding_range *ranges, uint64_t size)
{
    uint64_t at = 0;

    finding->ranges = ranges;
    finding->range_count = below(MOST_RANGES + 1);
    for (size_t i = 0; i < finding->range_count; i++) {
        ranges[i].obj_start = at + below(size / 10 + 1);
        ranges[i].obj_end = ranges[i].obj_start + below(size / 10 + 1);
        ranges[i].ref_start = below(finding->ref_size / 2 + 1);
        ranges[i].ref_end = ranges[i].ref_start + below(finding->ref_size / 2 + 1);
        at = ranges[i].obj_start;
    }
    finding_measure(finding);
}

static UNUSED void make_finding(struct sample_object *sample, size_t rank, uint64_t size)
{
    struct finding *finding = &sample->list[rank];
    struct case_reference *reference = &sample->references[rank];

    *finding = (struct finding){.verdict = (enum verdict)below(VERDICT_FRAGMENT + 1),
                                .set = (uint32_t)below(SETS),
                                .file = random64() >> 20,
                                .ref_size = random64() >> below(62) >> 1,
                                .resemblance = (double)below(1001) / 1000,
                                .containment = (double)below(2),
                                .score = (double)below(1001) / 1000,
                                .has_edits = below(2),
                                .ln_e = below(3) ? -(double)below(100000) / 7 : -INFINITY,
                                .proof = (enum proof)below(PROOFS),
                                .proved = below(10),
                                .also = below(5)};
    finding->blocks = finding->proved + below(3);
    finding->reordered = finding->verdict == VERDICT_VARIANT && below(2);
    if (finding->has_edits) {
        finding->edits = (double)below(1u << 30);
        finding->edits_low = finding->edits / 3;
        finding->edits_high = finding->edits * 1e6;
    }
    finding->features.holders = below(5);
    finding->features.count = (unsigned)below(FEATURES_MOST + 1);
    for (uint32_t i = 0; i < finding->features.count; i++)
        finding->features.list[i] = (i << 24) + (uint32_t)below(1 << 24);
    make_ranges(finding, sample->ranges[rank], size);
    *reference = (struct case_reference){.digests = make_digests((unsigned)below(8)),
                                         .name = sample->names[rank],
                                         .name_len = below(sizeof sample->names[rank])};
    fill_random((uint8_t *)sample->names[rank], sizeof sample->names[rank]);
}

static UNUSED void make_runs(struct sample_object *sample)
{
    struct case_object *object = &sample->object;
    uint64_t at = 0;

    object->runs = sample->runs;
    for (size_t count = below(MOST_RUNS + 1); object->run_count < count && at < object->size;) {
        struct object_run *run = &sample->runs[object->run_count++];

        run->offset = at + below((object->size - at + 1) / 2);
        run->image = random64() >> 10 >> below(50);
        run->len = 1 + below(object->size - run->offset);
        at = run->offset + run->len;
    }
    object->runs_cut = below(5) == 0;
}

static UNUSED void make_origin(struct sample_object *sample)
{
    struct case_object *object = &sample->object;

    object->flags = (unsigned)below(OBJECT_FLAGS);
    for (int time = 0; time < OBJECT_TIMES; time++)
        object->times[time] =
            (struct object_stamp){(int64_t)(random64() >> below(64)), (uint32_t)below(1000000000)};
    make_runs(sample);
}

/* Odd bytes, empty paths, none at all. */
static UNUSED void make_paths(struct sample_object *sample)
{
    size_t at = 0;

    fill_random((uint8_t *)sample->paths, sizeof sample->paths);
    for (size_t i = 0; i < sizeof sample->paths; i++)
        sample->paths[i] = (char)(sample->paths[i] ? sample->paths[i] : '\n');
    sample->object.path_count = below(5);
    for (size_t i = 0; i < sample->object.path_count; i++) {
        at += below(40);
        sample->paths[at++] = '\0';
    }
    sample->object.paths = sample->paths;
}

static UNUSED void make_object(struct sample_object *sample, uint64_t evidence, uint64_t number)
{
    static const char *const volumes[] = {"-", "2@1048576", "0@0"};
    struct case_object *object = &sample->object;

    random_state = 0x9e3779b97f4a7c15u * (evidence * 1000003 + number) | 1;
    for (int i = 0; i < 10; i++)
        random64();
    *object = (struct case_object){.evidence = evidence,
                                   .item = number / 3 + 10,
                                   .volume = volumes[below(3)],
                                   .address = sample->address,
                                   .chunk = below(4) == 0,
                                   .kind = (enum object_kind)below(OBJECT_KINDS),
                                   .size = random64() >> below(62) >> 1,
                                   .digests = make_digests((unsigned)below(8)),
                                   .partial = below(3) == 0,
                                   .reason = sample->reason};
    snprintf(sample->address, sizeof sample->address, "%llu-128-3", (unsigned long long)number);
    snprintf(sample->reason, sizeof sample->reason, "%s", below(3) ? "" : "cannot be read: \xff \x01");
    make_paths(sample);
    make_origin(sample);
    sample->findings =
        (struct findings){.list = sample->list, .count = below(3) ? 0 : below(MOST_FINDINGS + 1)};
    for (size_t i = 0; i < sample->findings.count; i++)
        make_finding(sample, i, object->size);
    object->verdict = sample->findings.count ? sample->list[0].verdict
                                             : (enum verdict)(VERDICT_NONE + below(VERDICTS - VERDICT_NONE));
}

static UNUSED int try_add(struct casefile *casefile, uint64_t evidence, uint64_t number, int64_t now_ms)
{
    struct sample_object sample;

    make_object(&sample, evidence, number);
    return casefile_add(casefile, &sample.object, sample.findings.count ? &sample.findings : NULL,
                        sample.references, now_ms, &err);
}

/* Objects from .. to - 1. */
static UNUSED void add_objects(struct casefile *casefile, uint64_t evidence, uint64_t from, uint64_t to)
{
    for (uint64_t number = from; number < to; number++)
        ck_assert_msg(try_add(casefile, evidence, number, (int64_t)number) == 0, "%s", err.text);
}

/* ---- twins ---- */

enum { BLOCK = 4096, FIRST = 100, SECOND = 300 };

/* A finding of a reference of three blocks in an object: its bytes [obj, obj + len) are the reference's from
 * ref. */
static UNUSED void add_match(struct casefile *casefile, const struct case_object *object, uint64_t file,
                             uint64_t obj, uint64_t ref, uint64_t len)
{
    struct finding_range range = {obj, obj + len, ref, ref + len};
    struct finding finding = {.verdict = object->verdict,
                              .set = 2,
                              .file = file,
                              .ref_size = 3 * BLOCK,
                              .ln_e = -20,
                              .ranges = &range,
                              .range_count = 1};
    const struct findings findings = {.list = &finding, .count = 1};
    const struct case_reference reference = {.name = "ref", .name_len = 3};

    finding_measure(&finding);
    ck_assert_msg(casefile_add(casefile, object, &findings, &reference, 0, &err) == 0, "%s", err.text);
}

/* A deleted file of three blocks, of which the last lies elsewhere; the free blocks that held it; and others
 * that hold the same reference. */
static UNUSED void add_twins(struct casefile *casefile, uint64_t evidence)
{
    const struct object_run file_runs[] = {{0, FIRST * BLOCK, 2 * BLOCK}, {2 * BLOCK, SECOND * BLOCK, BLOCK}};
    const struct object_run free_run = {0, (FIRST - 10) * BLOCK, 20 * BLOCK};
    const struct object_run last_run = {0, SECOND * BLOCK, BLOCK}, other_run = {0, 999 * BLOCK, 4 * BLOCK};
    struct case_object object = {.evidence = evidence,
                                 .volume = "-",
                                 .address = "12-128-1",
                                 .kind = OBJECT_DELETED,
                                 .paths = "gone",
                                 .path_count = 1,
                                 .size = 3 * BLOCK,
                                 .verdict = VERDICT_VARIANT,
                                 .reason = "",
                                 .runs = file_runs,
                                 .run_count = 2};

    add_match(casefile, &object, 7, 0, 0, 3 * BLOCK);
    object = (struct case_object){.evidence = evidence,
                                  .volume = "-",
                                  .address = "@first",
                                  .kind = OBJECT_UNALLOCATED,
                                  .size = 20 * BLOCK,
                                  .verdict = VERDICT_FRAGMENT,
                                  .reason = "",
                                  .runs = &free_run,
                                  .run_count = 1};
    add_match(casefile, &object, 7, 10 * BLOCK + 3, 3, 2 * BLOCK - 5);
    object.address = "@reference";
    add_match(casefile, &object, 8, 10 * BLOCK, 0, 2 * BLOCK);
    object.address = "@more";
    add_match(casefile, &object, 7, 10 * BLOCK, 0, 3 * BLOCK);
    object.address = "@last";
    object.size = BLOCK;
    object.runs = &last_run;
    add_match(casefile, &object, 7, 0, 2 * BLOCK, BLOCK);
    object.address = "@other";
    object.size = 4 * BLOCK;
    object.runs = &other_run;
    add_match(casefile, &object, 7, 0, 0, 2 * BLOCK);
}

/* ---- what must be there ---- */

static UNUSED void assert_digests(const struct digest_values *got, const struct digest_values *wanted)
{
    ck_assert_uint_eq(got->kinds, wanted->kinds);
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if (wanted->kinds & DIGEST_BIT(kind))
            ck_assert_mem_eq(got->bytes[kind], wanted->bytes[kind], digest_len((enum digest_kind)kind));
}

static UNUSED size_t paths_len(const char *paths, size_t count)
{
    size_t len = 0;

    while (count--)
        len += strlen(paths + len) + 1;
    return len;
}

static UNUSED void assert_object(const struct case_object *got, const struct case_object *wanted)
{
    const size_t len = paths_len(wanted->paths, wanted->path_count);

    ck_assert_uint_eq(got->evidence, wanted->evidence);
    ck_assert_str_eq(got->address, wanted->address);
    ck_assert_uint_eq(got->item, wanted->item);
    ck_assert_str_eq(got->volume, wanted->volume);
    ck_assert_int_eq(got->chunk, wanted->chunk);
    ck_assert_int_eq(got->kind, wanted->kind);
    ck_assert_uint_eq(got->path_count, wanted->path_count);
    ck_assert_uint_eq(paths_len(got->paths, got->path_count), len);
    if (len)
        ck_assert_mem_eq(got->paths, wanted->paths, len);
    ck_assert_uint_eq(got->size, wanted->size);
    assert_digests(&got->digests, &wanted->digests);
    ck_assert_int_eq(got->verdict, wanted->verdict);
    ck_assert_str_eq(got->reason, wanted->reason);
    ck_assert_int_eq(got->partial, wanted->partial);
    ck_assert_uint_eq(got->flags, wanted->flags);
    for (int time = 0; time < OBJECT_TIMES; time++) {
        ck_assert_int_eq(got->times[time].seconds, wanted->times[time].seconds);
        ck_assert_uint_eq(got->times[time].nanoseconds, wanted->times[time].nanoseconds);
    }
    ck_assert_int_eq(got->runs_cut, wanted->runs_cut);
    ck_assert_uint_eq(got->run_count, wanted->run_count);
    for (size_t i = 0; i < wanted->run_count; i++)
        ck_assert_mem_eq(&got->runs[i], &wanted->runs[i], sizeof *wanted->runs);
}

static UNUSED void next_row(struct case_reader *reader, struct case_row *row)
{
    ck_assert_msg(casefile_reader_next(reader, row, &err) == 1, "%s", err.text);
}

static UNUSED void assert_row(struct case_reader *reader, const struct sample_object *sample,
                              const size_t *rank)
{
    struct case_row row;

    next_row(reader, &row);
    assert_object(&row.object, &sample->object);
    ck_assert_uint_eq(row.evidence->number, sample->object.evidence);
    ck_assert_str_eq(row.evidence->path, evidence_paths[sample->object.evidence - 1]);
    ck_assert_int_eq(row.has_finding, rank != NULL);
    if (!rank)
        return;
    assert_same_finding(&row.finding, &sample->list[*rank]);
    ck_assert_str_eq(row.set->name, sets[sample->list[*rank].set].name);
    assert_digests(&row.reference.digests, &sample->references[*rank].digests);
    ck_assert_uint_eq(row.reference.name_len, sample->references[*rank].name_len);
    ck_assert_mem_eq(row.reference.name, sample->names[*rank], row.reference.name_len);
}

/* Findings in sets of a kind, in the order of objects. */
static UNUSED void assert_kind(struct case_reader *reader, const uint64_t counts[EVIDENCE],
                               enum refset_kind kind)
{
    for (uint64_t evidence = 1; evidence <= EVIDENCE; evidence++)
        for (uint64_t number = 1; number <= counts[evidence - 1]; number++) {
            struct sample_object sample;

            make_object(&sample, evidence, number);
            for (size_t rank = 0; rank < sample.findings.count; rank++)
                if (sets[sample.list[rank].set].kind == kind)
                    assert_row(reader, &sample, &rank);
        }
}

static UNUSED void assert_without(struct case_reader *reader, const uint64_t counts[EVIDENCE])
{
    for (uint64_t evidence = 1; evidence <= EVIDENCE; evidence++)
        for (uint64_t number = 1; number <= counts[evidence - 1]; number++) {
            struct sample_object sample;

            make_object(&sample, evidence, number);
            if (sample.findings.count == 0)
                assert_row(reader, &sample, NULL);
        }
}

static UNUSED void assert_report(struct casefile *casefile, const uint64_t counts[EVIDENCE],
                                 struct case_filter filter)
{
    struct case_reader *reader = casefile_reader_new(casefile, &filter, &err);
    struct case_row row;

    ck_assert_msg(reader != NULL, "%s", err.text);
    assert_kind(reader, counts, REFSET_NOTABLE);
    assert_kind(reader, counts, REFSET_NEUTRAL);
    if (filter.known)
        assert_kind(reader, counts, REFSET_KNOWN);
    if (filter.objects)
        assert_without(reader, counts);
    for (int again = 0; again < 2; again++)
        ck_assert_int_eq(casefile_reader_next(reader, &row, &err), 0);
    casefile_reader_free(reader);
}

static UNUSED void assert_counts(struct casefile *casefile, const uint64_t counts[EVIDENCE])
{
    for (uint64_t evidence = 1; evidence <= EVIDENCE; evidence++) {
        struct case_counts wanted = {0}, got;

        for (uint64_t number = 1; number <= counts[evidence - 1]; number++) {
            struct sample_object sample;
            const struct finding *notable = NULL, *neutral = NULL;

            make_object(&sample, evidence, number);
            for (size_t i = sample.findings.count; i-- > 0;)
                if (sets[sample.list[i].set].kind == REFSET_NOTABLE)
                    notable = &sample.list[i];
                else if (sets[sample.list[i].set].kind == REFSET_NEUTRAL)
                    neutral = &sample.list[i];
            wanted.objects++;
            if (sample.object.verdict != VERDICT_UNREADABLE && sample.object.verdict != VERDICT_SKIPPED)
                wanted.bytes = wanted.bytes + sample.object.size > INT64_MAX
                                   ? INT64_MAX
                                   : wanted.bytes + sample.object.size;
            if (notable || neutral)
                wanted.findings[notable ? notable->verdict : neutral->verdict]++;
            else if (sample.findings.count)
                wanted.known++;
            else
                wanted.findings[sample.object.verdict]++;
        }
        ck_assert_int_eq(casefile_count(casefile, evidence, &got, &err), 0);
        ck_assert_mem_eq(&got, &wanted, sizeof got);
    }
}

static UNUSED void assert_contents(struct casefile *casefile, const uint64_t counts[EVIDENCE])
{
    for (int i = 0; i < 4; i++)
        assert_report(casefile, counts, (struct case_filter){.known = i & 1, .objects = i & 2});
    assert_counts(casefile, counts);
}

static UNUSED void assert_case(uint64_t first, uint64_t second, uint64_t third)
{
    struct casefile *casefile = open_report();

    assert_contents(casefile, (uint64_t[EVIDENCE]){first, second, third});
    close_case(casefile);
    assert_good();
}

/* Ends a test that leaves this many objects of each evidence. */
static UNUSED void end_case(struct casefile *casefile, uint64_t first, uint64_t second, uint64_t third)
{
    close_case(casefile);
    assert_case(first, second, third);
    end_test();
}

static UNUSED uint64_t objects_of(struct casefile *casefile, uint64_t evidence)
{
    uint64_t objects, first_item;

    ck_assert_msg(casefile_progress(casefile, evidence, &objects, &first_item, &err) == 0, "%s", err.text);
    ck_assert_uint_eq(first_item, objects ? objects / 3 + 10 : 0);
    return objects;
}

/* ---- texts reported ---- */

struct texts {
    char all[2000];
};

static UNUSED void take_entry(void *arg, const struct case_entry *entry)
{
    struct texts *texts = arg;

    sprintf(texts->all + strlen(texts->all), "%lld %s|", (long long)entry->time, entry->text);
}

#endif
