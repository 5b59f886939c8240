/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a case without any evidence, to measure reports: make_case CASE FINDINGS.  Every object has one
 * finding, with verdicts, proofs, sizes and paths as scans yield them; the same number of findings makes the
 * same rows.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "case/casefile.h"

enum { SETS = 3, RANGES = 4, REFERENCES = 20000 };

static struct error err;

static void need(bool good)
{
    if (good)
        return;
    fprintf(stderr, "make_case: %s\n", err.text);
    exit(2);
}

static struct casefile *create(const char *path)
{
    static const char *const evidence[] = {"/evidence/disk.E01"};
    static const struct case_set sets[SETS] = {
        {.uuid = {1}, .generation = 3, .kind = REFSET_NOTABLE, .name = "notable", .path = "notable.kith"},
        {.uuid = {2}, .generation = 1, .kind = REFSET_NOTABLE, .name = "leaked", .path = "leaked.kith"},
        {.uuid = {3}, .generation = 9, .kind = REFSET_NEUTRAL, .name = "software", .path = "software.kith"},
    };
    const struct case_plan plan = {.parameters = "kinds=all max-e=1e-3",
                                   .tool = "make_case",
                                   .now = 1700000000,
                                   .sets = sets,
                                   .set_count = SETS,
                                   .evidence = evidence,
                                   .evidence_count = 1};

    return casefile_open(path, &plan, &err);
}

static struct digest_values sha1_of(uint64_t number)
{
    struct digest_values digests = {.kinds = DIGEST_BIT(DIGEST_SHA1)};

    for (size_t i = 0; i < DIGEST_SHA1_LEN; i++)
        digests.bytes[DIGEST_SHA1][i] = (uint8_t)(number >> i % 8 * 8 ^ i * 37);
    return digests;
}

/* One finding in five is identical, one in ten embedded, the others are variants and fragments. */
static void make_finding(struct finding *finding, struct finding_range *ranges, uint64_t size)
{
    static const enum verdict verdicts[] = {
        VERDICT_IDENTICAL, VERDICT_IDENTICAL, VERDICT_EMBEDDED, VERDICT_VARIANT,  VERDICT_VARIANT,
        VERDICT_VARIANT,   VERDICT_FRAGMENT,  VERDICT_FRAGMENT, VERDICT_FRAGMENT, VERDICT_FRAGMENT};
    const uint64_t piece = size / (2 * RANGES);

    *finding = (struct finding){.verdict = verdicts[random64() % 10],
                                .set = (uint32_t)(random64() % SETS),
                                .file = 1 + random64() % REFERENCES,
                                .ref_size = size,
                                .resemblance = .5,
                                .containment = .75,
                                .ln_e = -30 - (double)(random64() % 10000) / 7,
                                .proof = PROOF_BLOCKS,
                                .proved = 2,
                                .blocks = 5,
                                .ranges = ranges,
                                .range_count = 1 + random64() % RANGES};
    if (finding->verdict == VERDICT_IDENTICAL) {
        finding->resemblance = finding->containment = 1;
        finding->ln_e = -1.0 / 0.0;
        finding->proof = PROOF_SHA1;
        finding->range_count = 1;
    }
    finding->has_edits = finding->verdict != VERDICT_FRAGMENT;
    finding->edits = finding->verdict == VERDICT_VARIANT ? (double)(size / 10) : 0;
    finding->edits_low = finding->edits / 2;
    finding->edits_high = finding->edits * 2;
    for (size_t i = 0; i < finding->range_count; i++) {
        const uint64_t at = 2 * i * piece;

        ranges[i] = (struct finding_range){at, at + piece, at, at + piece};
    }
    if (finding->verdict == VERDICT_IDENTICAL)
        ranges[0] = (struct finding_range){0, size, 0, size};
    finding_measure(finding);
    finding_rate(finding, 1);
}

/* One object in ten is unallocated space, which has no path. */
static void add_object(struct casefile *casefile, uint64_t number)
{
    struct finding_range ranges[RANGES];
    struct finding finding;
    const struct findings findings = {.list = &finding, .count = 1};
    struct case_reference reference = {.digests = sha1_of(number % REFERENCES)};
    const bool is_space = number % 10 == 0;
    const uint64_t size = 8192 + random64() % 1000000;
    const struct object_run runs[] = {{0, number << 20, 4096}, {4096, (number << 20) + 8192, size - 4096}};
    char path[200], address[80], name[80];
    struct case_object object = {.evidence = 1,
                                 .item = number,
                                 .volume = "2@1048576",
                                 .address = address,
                                 .kind = is_space ? OBJECT_UNALLOCATED : OBJECT_FILE,
                                 .paths = path,
                                 .path_count = is_space ? 0 : 1,
                                 .size = size,
                                 .digests = sha1_of(number),
                                 .reason = "",
                                 .flags = is_space ? OBJECT_RANGE : OBJECT_ALLOCATED,
                                 .runs = runs,
                                 .run_count = sizeof runs / sizeof *runs};

    for (int i = 0; i < OBJECT_TIMES && !is_space; i++)
        object.times[i] = (struct object_stamp){1600000000 + (int64_t)number, 123456700};
    snprintf(path, sizeof path, "home/user%" PRIu64 "/Documents/2023/report %" PRIu64 " (final).docx",
             number % 97, number);
    if (is_space)
        snprintf(address, sizeof address, "@%" PRIu64 "+%" PRIu64, number << 20, size);
    else
        snprintf(address, sizeof address, "%" PRIu64 "-128-1", number);
    make_finding(&finding, ranges, size);
    object.verdict = finding.verdict;
    snprintf(name, sizeof name, "known/report %" PRIu64 ".docx", finding.file);
    reference.name = name;
    reference.name_len = strlen(name);
    need(casefile_add(casefile, &object, &findings, &reference, 0, &err) == 0);
}

int main(int argc, char **argv)
{
    const struct evidence_image image = {.format = "E01", .table = "gpt", .size = (uint64_t)1 << 40};
    const uint64_t count = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
    struct casefile *casefile;

    if (count == 0) {
        fprintf(stderr, "usage: make_case CASE FINDINGS\n");
        return 2;
    }
    casefile = create(argv[1]);
    need(casefile != NULL);
    need(!casefile_log(casefile, 1700000000, "begun", &err) &&
         !casefile_set_image(casefile, 1, &image, &err));
    for (uint64_t number = 1; number <= count; number++)
        add_object(casefile, number);
    need(!casefile_set_state(casefile, 1, CASE_DONE, 1700000100, "done", &err));
    need(!casefile_close(casefile, &err));
    return 0;
}
