/* SPDX-License-Identifier: Apache-2.0 */
#include "sample_case.h"

/*
 * The input is a byte that selects what is done, and a list of changes to a small case: a byte for the
 * column, a byte for the row, one for how many bytes follow, and these, which are a blob, a text or the eight
 * bytes of a number.  The pages get correct checksums, as an attacker's would.
 *
 * The case is then read, verified or added to; what is read must be such that a case could hold it.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The possible actions; each opens the case, which takes most of the time.  0 is all of them. */
enum { READ = 1, VERIFY = 2, WRITE = 4, ALL = 7 };

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
            require(evidence.state < CASE_STATES && strlen(evidence.path) + strlen(evidence.format) < 1000 &&
                    evidence.first_set <= count && evidence.set_count <= count - evidence.first_set &&
                    evidence.again < number && strlen(evidence.parameters) < 1000);
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
