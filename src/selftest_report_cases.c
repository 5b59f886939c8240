/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "lab/lab_rates.h"
#include "selftest_report_inner.h"

/* The results of all cases. */

/* The columns that all groups have, then those of some. */
enum {
    ID,
    WHAT,
    TRIALS,
    ERRORS,
    LOW,
    HIGH,
    RESULT,
    COMMON,
};
#define COMMON_COLUMNS                                                                                       \
    {"case", "", LAB_WORDS, false}, {"description", "", LAB_WORDS, false}, {"trials", "", 0, false},         \
        {"errors", "%", 1, false}, {"from", "%", 1, false}, {"to", "%", 1, false},                           \
    {                                                                                                        \
        "result", "", LAB_WORDS, false                                                                       \
    }

static void add_common(struct lab_table *table, const struct selftest_case *test)
{
    double low, high;
    const double rate = selftest_report_rate(test, &low, &high);

    lab_row(table);
    lab_text(table, ID, "%s", test->id);
    lab_text(table, WHAT, "%s", test->what);
    lab_text(table, RESULT, "%s%s%s", selftest_case_result(test), test->note[0] ? ": " : "", test->note);
    if (test->trials == 0)
        return;
    lab_number(table, TRIALS, (double)test->trials);
    lab_number(table, ERRORS, 100 * rate);
    lab_number(table, LOW, 100 * low);
    lab_number(table, HIGH, 100 * high);
}

static void add_recall(struct lab_table *table, const struct selftest_case *test)
{
    add_common(table, test);
    if (test->trials && test->expected)
        lab_number(table, COMMON, 100 * (double)test->right / (double)test->trials);
}

static void add_embedded(struct lab_table *table, const struct selftest_case *test)
{
    add_recall(table, test);
    if (test->ranges)
        lab_number(table, COMMON + 1, test->range_sum / (double)test->ranges);
}

static void add_estimate(struct lab_table *table, const struct selftest_case *test)
{
    add_common(table, test);
    if (test->trials == 0)
        return;
    lab_number(table, COMMON, 100 * test->error_sum / (double)test->trials);
    lab_number(table, COMMON + 1,
               100 * lab_rates_half_width(test->error_sum, test->error_squares, test->trials));
    lab_number(table, COMMON + 2, 100 * test->width_sum / (double)test->trials);
    lab_number(table, COMMON + 3, 100 * selftest_report_groups[test->group].nominal);
}

static void add_unrelated(struct lab_table *table, const struct selftest_case *test)
{
    add_common(table, test);
    lab_number(table, COMMON, (double)test->other);
}

static const struct lab_column recall_columns[] = {COMMON_COLUMNS, {"right verdict", "%", 1, false}};
static const struct lab_column embedded_columns[] = {
    COMMON_COLUMNS, {"right verdict", "%", 1, false}, {"ends are off by", "bytes", 1, false}};
static const struct lab_column unrelated_columns[] = {COMMON_COLUMNS, {"findings", "", 0, false}};
static const struct lab_column estimate_columns[] = {COMMON_COLUMNS,
                                                     {"mean error", "% of length", 2, false},
                                                     {"±", "", 2, false},
                                                     {"mean width of the interval", "% of length", 2, false},
                                                     {"nominal errors", "%", 0, false}};

/* All classes and sizes of a procedure together. */
static void add_procedures(const struct selftest_report *report, struct lab_document *document)
{
    static const struct lab_column columns[] = {{"procedure", "", LAB_WORDS, false},
                                                {"group", "", LAB_WORDS, false},
                                                {"description", "", LAB_WORDS, false},
                                                {"set", "", LAB_WORDS, false},
                                                {"trials", "", 0, false},
                                                {"of files", "", 0, false},
                                                {"errors", "", 0, false},
                                                {"rate", "%", 2, false},
                                                {"from", "%", 2, false},
                                                {"to", "%", 2, false}};
    struct lab_table *table;

    lab_heading(document, "Procedures");
    table = lab_table(document, "selftest-procedures",
                      "Procedures, with all their classes and sizes together", COLUMNS(columns));
    for (size_t i = 0; i < report->run->cases.count; i++) {
        struct selftest_case sum;
        double rate, low, high;

        if (!selftest_case_procedure(&report->run->cases, i, &sum))
            continue;
        rate = selftest_report_rate(&sum, &low, &high);
        lab_row(table);
        lab_text(table, 0, "%s", sum.id);
        lab_text(table, 1, "%s", selftest_report_groups[sum.group].name);
        lab_text(table, 2, "%s", sum.what);
        lab_text(table, 3, "%s", sum.dense ? "dense" : "default");
        lab_number(table, 4, (double)sum.trials);
        if (sum.trials == 0)
            continue;
        lab_number(table, 5, (double)selftest_case_files(&sum));
        lab_number(table, 6, rate * (double)sum.trials);
        lab_number(table, 7, 100 * rate);
        lab_number(table, 8, 100 * low);
        lab_number(table, 9, 100 * high);
    }
}

static void add_group(const struct selftest_report *report, enum selftest_group group,
                      struct lab_document *document)
{
    const struct selftest_report_group *names = &selftest_report_groups[group];
    const struct lab_column *columns = recall_columns;
    size_t count = COMMON + 1;
    void (*add)(struct lab_table * table, const struct selftest_case *test) = add_recall;
    char name[64], caption[160];
    struct lab_table *table;

    if (group == SELFTEST_EMBEDDED || group == SELFTEST_FRAGMENTS)
        columns = embedded_columns, count = COMMON + 2, add = add_embedded;
    else if (group == SELFTEST_UNRELATED)
        columns = unrelated_columns, add = add_unrelated;
    else if (group == SELFTEST_ESTIMATES)
        columns = estimate_columns, count = COMMON + 4, add = add_estimate;
    snprintf(name, sizeof name, "selftest-%s", names->name);
    snprintf(caption, sizeof caption, "%s An error: %s.", names->summary, names->rate);
    lab_heading(document, "Cases: %s", names->name);
    table = lab_table(document, name, caption, columns, count);
    for (size_t i = 0; i < report->run->cases.count; i++)
        if (report->run->cases.list[i]->group == group)
            add(table, report->run->cases.list[i]);
}

void selftest_report_cases(const struct selftest_report *report, struct lab_document *document)
{
    add_procedures(report, document);
    for (enum selftest_group group = 0; group < SELFTEST_GROUPS; group++)
        add_group(report, group, document);
}
