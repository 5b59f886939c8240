/* SPDX-License-Identifier: Apache-2.0 */
#include "casefile_twin.h"
#include "report/report.h"

/*
 * Counts the findings of a case in arrays, and expects the table to say the same.  References are few, so
 * that each has many findings in objects all over the case.
 */
enum { OBJECTS = 400, REFERENCES = 37 };

struct expected {
    uint64_t by_set[SETS][VERDICTS], by_reference[SETS][REFERENCES];
    enum verdict best[SETS][REFERENCES];
    uint64_t references;
};

static void count_finding(struct expected *expected, const struct finding *finding)
{
    uint64_t *count = &expected->by_reference[finding->set][finding->file];
    enum verdict *best = &expected->best[finding->set][finding->file];

    expected->by_set[finding->set][finding->verdict]++;
    *best = *count == 0 || finding->verdict < *best ? finding->verdict : *best;
    expected->references += *count == 0;
    ++*count;
}

static void fill(struct casefile *casefile, struct expected *expected)
{
    for (uint64_t number = 1; number <= OBJECTS; number++) {
        struct sample_object sample;
        char names[MOST_FINDINGS][20];

        make_object(&sample, 1, number);
        for (size_t i = 0; i < sample.findings.count; i++) {
            struct finding *finding = &sample.list[i];

            finding->file = below(2) ? below(4) : below(REFERENCES);
            snprintf(names[i], sizeof names[i], "ref\x1b%d", (int)finding->file);
            sample.references[i].name = names[i];
            sample.references[i].name_len = strlen(names[i]);
            if (sets[finding->set].kind != REFSET_KNOWN)
                count_finding(expected, finding);
        }
        ck_assert_int_eq(casefile_add(casefile, &sample.object, &sample.findings, sample.references, 0, &err),
                         0);
    }
}

static char *write_overview(struct casefile *casefile, unsigned width)
{
    const struct case_filter filter = {.twins = true, .order = CASE_BY_SIGNIFICANCE};
    char *text = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&text, &len);
    struct report_writer writer = {.does = &report_overview, .out.to = to, .options.width = width};

    ck_assert_msg(report_write(&writer, casefile, &filter, &err) == 0, "%s", err.text);
    ck_assert_int_eq(fclose(to), 0);
    return text;
}

static void assert_has(const char *text, const char *line)
{
    ck_assert_msg(strstr(text, line) != NULL, "no line '%s' in:\n%s", line, text);
}

static void check_sets(const char *text, const struct expected *expected)
{
    char line[200];
    uint64_t sums[VERDICTS] = {0};

    for (int set = 0; set < SETS; set++) {
        const uint64_t *counts = expected->by_set[set];

        snprintf(line, sizeof line, "\n%10llu%10llu%10llu%10llu%10llu   set %d \"\xc3\xa4\" (%s)\n",
                 (unsigned long long)counts[0], (unsigned long long)counts[1], (unsigned long long)counts[2],
                 (unsigned long long)counts[3],
                 (unsigned long long)(counts[0] + counts[1] + counts[2] + counts[3]), set,
                 refset_kind_name(sets[set].kind));
        assert_has(text, line);
        for (int verdict = 0; verdict < 4; verdict++)
            sums[verdict] += counts[verdict];
    }
    snprintf(line, sizeof line, "\n%10llu%10llu%10llu%10llu%10llu   all sets\n", (unsigned long long)sums[0],
             (unsigned long long)sums[1], (unsigned long long)sums[2], (unsigned long long)sums[3],
             (unsigned long long)(sums[0] + sums[1] + sums[2] + sums[3]));
    assert_has(text, line);
}

/* Notable sets come first, so among equals theirs do. */
static void check_references(const char *text, struct expected *expected)
{
    const char *at = strstr(text, "reference (the 10 with most findings of ");
    char line[200];

    ck_assert_ptr_nonnull(at);
    ck_assert_uint_eq(strtoull(strstr(at, " of ") + 4, NULL, 10), expected->references);
    for (int place = 0; place < 10; place++) {
        static const int in_order[] = {2, 3, 1};
        int set = 2, file = 0;

        for (int i = 0; i < 3; i++)
            for (int f = 0; f < REFERENCES; f++)
                if (expected->by_reference[in_order[i]][f] > expected->by_reference[set][file]) {
                    set = in_order[i];
                    file = f;
                }
        at = strchr(at, '\n') + 1;
        snprintf(line, sizeof line, "%10llu  %-12sref\\x1b%d in set %d \"\xc3\xa4\"\n",
                 (unsigned long long)expected->by_reference[set][file],
                 finding_verdict_name(expected->best[set][file]), file, set);
        ck_assert_msg(strncmp(at, line, strlen(line)) == 0, "%.60s, not %s", at, line);
        expected->by_reference[set][file] = 0;
    }
}

START_TEST(findings_are_counted_by_verdict_set_and_reference)
{
    struct expected expected = {.references = 0};
    struct casefile *casefile;
    char *text;

    begin_test();
    casefile = open_case();
    fill(casefile, &expected);
    close_case(casefile);
    casefile = open_report();
    text = write_overview(casefile, 0);
    ck_assert_uint_gt(expected.references, 50);
    check_sets(text, &expected);
    check_references(text, &expected);
    free(text);
    text = write_overview(casefile, 20);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        ck_assert_msg(strlen(line) <= 68, "%s", line); /* 66 columns; an umlaut has two bytes */
    free(text);
    close_case(casefile);
    end_test();
}
END_TEST

START_TEST(an_empty_case_has_a_table_of_zeros)
{
    struct casefile *casefile;
    char *text;

    begin_test();
    close_case(open_case());
    casefile = open_report();
    text = write_overview(casefile, 0);
    assert_has(text, "\n         0         0         0         0         0   all sets\n");
    ck_assert_ptr_null(strstr(text, "reference"));
    assert_has(text, "b: begun\n");
    free(text);
    close_case(casefile);
    end_test();
}
END_TEST

RUN_TESTS("report_overview", findings_are_counted_by_verdict_set_and_reference,
          an_empty_case_has_a_table_of_zeros)
