/* SPDX-License-Identifier: Apache-2.0 */
#include "casefile_twin.h"

/* Cases to which evidence and sets are added. */

enum { MOST_EVIDENCE = 8, MOST_SETS = 8 };

/* A scan: of some of the sets and some of the evidence, by their numbers. */
struct scan {
    struct case_plan plan;
    struct case_set sets[MOST_SETS];
    const char *evidence[MOST_EVIDENCE];
    uint64_t numbers[MOST_EVIDENCE];
};

static void plan_scan(struct scan *scan, int first_set, int set_count, const char *const *evidence)
{
    *scan = (struct scan){.plan = {.parameters = "C=128 max-e=1 kinds=all", .tool = "kith 1.0", .now = NOW}};
    for (int i = 0; i < set_count; i++)
        scan->sets[i] = make_set(first_set + i);
    for (size_t i = 0; evidence[i]; i++)
        scan->evidence[scan->plan.evidence_count++] = evidence[i];
    scan->plan.sets = scan->sets;
    scan->plan.set_count = (size_t)set_count;
    scan->plan.evidence = scan->evidence;
    scan->plan.numbers = scan->numbers;
}

#define PLAN(scan, first_set, set_count, ...)                                                                \
    plan_scan(scan, first_set, set_count, (const char *const[]){__VA_ARGS__, NULL})

static struct casefile *open_scan(struct scan *scan)
{
    struct casefile *casefile = casefile_open(path, &scan->plan, &err);

    ck_assert_msg(casefile != NULL, "%s", err.text);
    return casefile;
}

static void refuses(struct scan *scan, const char *reason)
{
    err.text[0] = '\0';
    ck_assert_ptr_null(casefile_open(path, &scan->plan, &err));
    ck_assert_msg(strstr(err.text, reason) != NULL, "%s", err.text);
    assert_good();
}

static void finish_evidence(struct casefile *casefile, uint64_t number)
{
    ck_assert_int_eq(casefile_set_state(casefile, number, CASE_DONE, NOW, "done", &err), 0);
}

static void assert_reading(struct casefile *casefile, uint64_t number, const char *of, uint64_t again,
                           size_t first_set, size_t set_count)
{
    struct case_evidence evidence;

    ck_assert_int_eq(casefile_evidence(casefile, number, &evidence, &err), 1);
    ck_assert_uint_eq(evidence.number, number);
    ck_assert_str_eq(evidence.path, of);
    ck_assert_uint_eq(evidence.again, again);
    ck_assert_uint_eq(evidence.first_set, first_set);
    ck_assert_uint_eq(evidence.set_count, set_count);
}

/* A case of the evidence a and b, done for the sets 0 and 1. */
static void make_case(void)
{
    struct scan scan;
    struct casefile *casefile;

    PLAN(&scan, 0, 2, "a", "b");
    casefile = open_scan(&scan);
    finish_evidence(casefile, 1);
    finish_evidence(casefile, 2);
    close_case(casefile);
}

START_TEST(evidence_is_added_and_found_again_by_its_path)
{
    struct scan scan;
    struct casefile *casefile;
    struct case_evidence evidence;

    begin_test();
    make_case();
    PLAN(&scan, 0, 2, "new", "b", "newer");
    for (int i = 0; i < 2; i++) {
        casefile = open_scan(&scan);
        ck_assert_uint_eq(scan.numbers[0], 3);
        ck_assert_uint_eq(scan.numbers[1], 2);
        ck_assert_uint_eq(scan.numbers[2], 4);
        assert_reading(casefile, 1, "a", 0, 0, 2);
        assert_reading(casefile, 3, "new", 0, 0, 2);
        assert_reading(casefile, 4, "newer", 0, 0, 2);
        ck_assert_int_eq(casefile_evidence(casefile, 3, &evidence, &err), 1);
        ck_assert_int_eq(evidence.state, CASE_BEGUN);
        ck_assert_int_eq(casefile_evidence(casefile, 5, &evidence, &err), 0);
        close_case(casefile);
        assert_good();
    }
    end_test();
}
END_TEST

START_TEST(evidence_is_read_again_for_sets_that_are_added)
{
    struct scan more, first;
    struct casefile *casefile;
    const struct case_set *all;

    begin_test();
    make_case();
    PLAN(&more, 2, 3, "b", "c", "a");
    PLAN(&first, 0, 2, "a", "b", "c");
    for (int i = 0; i < 2; i++) {
        casefile = open_scan(&more);
        ck_assert_uint_eq(casefile_sets(casefile, &all), 5);
        ck_assert_str_eq(all[4].name, more.sets[2].name);
        ck_assert_uint_eq(more.numbers[0], 3);
        ck_assert_uint_eq(more.numbers[1], 4);
        ck_assert_uint_eq(more.numbers[2], 5);
        assert_reading(casefile, 2, "b", 0, 0, 2);
        assert_reading(casefile, 3, "b", 2, 2, 3);
        assert_reading(casefile, 4, "c", 0, 2, 3); /* for which it is read first */
        assert_reading(casefile, 5, "a", 1, 2, 3);
        finish_evidence(casefile, 4 - (uint64_t)i);
        close_case(casefile);
        assert_good();
    }
    for (int i = 0; i < 2; i++) {
        casefile = open_scan(&first);
        ck_assert_uint_eq(first.numbers[0], 1);
        ck_assert_uint_eq(first.numbers[1], 2);
        ck_assert_uint_eq(first.numbers[2], 6);
        assert_reading(casefile, 6, "c", 4, 0, 2);
        close_case(casefile);
        assert_good();
    }
    end_test();
}
END_TEST

START_TEST(sets_must_be_the_same_or_new)
{
    struct scan scan;
    struct casefile *casefile;

    begin_test();
    make_case();
    PLAN(&scan, 1, 2, "a");
    refuses(&scan, "the set set 2 \"\xc3\xa4\" () is new: add it in a scan without the others");
    PLAN(&scan, 1, 1, "a");
    refuses(&scan, "a was scanned for another choice of these sets; name the same ones, or only new ones");
    PLAN(&scan, 0, 2, "c");
    scan.sets[0] = make_set(1);
    scan.sets[1] = make_set(0);
    refuses(&scan, "the set set 0 \"\xc3\xa4\" was not after set 1");
    PLAN(&scan, 0, 2, "c");
    scan.sets[1].generation++;
    refuses(&scan, "has changed since (generation 8, now 9)");
    PLAN(&scan, 1, 1, "c"); /* other evidence may have some of them */
    casefile = open_scan(&scan);
    assert_reading(casefile, 3, "c", 0, 1, 1);
    close_case(casefile);
    PLAN(&scan, 2, 1, "c");
    refuses(&scan, "the scan of c for other sets is incomplete; resume it first");
    end_test();
}
END_TEST

START_TEST(parameters_must_agree_except_the_density_of_new_sets)
{
    struct scan scan;
    struct casefile *casefile;
    struct case_evidence evidence;

    begin_test();
    make_case();
    PLAN(&scan, 0, 2, "a", "c");
    scan.plan.parameters = "C=64 max-e=1 kinds=all";
    refuses(&scan,
            "it was created with different parameters: C=128 max-e=1 kinds=all; now: C=64 max-e=1 kinds=all");
    PLAN(&scan, 0, 2, "c");
    scan.plan.parameters = "C=64 max-e=1 kinds=all";
    refuses(&scan, "different parameters");
    PLAN(&scan, 2, 1, "a");
    scan.plan.parameters = "C=64 max-e=2 kinds=all";
    refuses(&scan, "different parameters");
    scan.plan.parameters = "C=64 max-e=1 kinds=all";
    casefile = open_scan(&scan);
    ck_assert_int_eq(casefile_evidence(casefile, 3, &evidence, &err), 1);
    ck_assert_str_eq(evidence.parameters, "C=64 max-e=1 kinds=all");
    ck_assert_int_eq(casefile_evidence(casefile, 1, &evidence, &err), 1);
    ck_assert_str_eq(evidence.parameters, "C=128 max-e=1 kinds=all");
    close_case(casefile);
    PLAN(&scan, 2, 1, "b");
    refuses(&scan, "different parameters: C=64 max-e=1 kinds=all; now: C=128 max-e=1 kinds=all");
    end_test();
}
END_TEST

struct checked {
    char text[200];
    const char *refused;
};

static int check(const char *of, const struct case_evidence *first, void *arg, struct error *error)
{
    struct checked *checked = arg;
    const size_t len = strlen(checked->text);

    snprintf(checked->text + len, sizeof checked->text - len, "%s:%d ", of, first ? (int)first->number : 0);
    return checked->refused && strcmp(checked->refused, of) == 0 ? error_set(error, "%s is refused", of) : 0;
}

START_TEST(evidence_is_checked_before_anything_is_added)
{
    struct checked checked = {.refused = "d"};
    struct scan scan;
    struct casefile *casefile;
    struct case_evidence evidence;

    begin_test();
    make_case();
    PLAN(&scan, 0, 2, "a", "c", "d");
    scan.plan.check = check;
    scan.plan.check_arg = &checked;
    refuses(&scan, "d is refused");
    ck_assert_str_eq(checked.text, "c:0 d:0 ");
    casefile = open_report();
    ck_assert_int_eq(casefile_evidence(casefile, 3, &evidence, &err), 0);
    close_case(casefile);
    checked = (struct checked){.refused = "a"};
    PLAN(&scan, 2, 2, "b", "a");
    scan.plan.check = check;
    scan.plan.check_arg = &checked;
    refuses(&scan, "a is refused");
    ck_assert_str_eq(checked.text, "b:2 a:1 ");
    casefile = open_report();
    ck_assert_uint_eq(casefile_sets(casefile, &(const struct case_set *){NULL}), 2);
    close_case(casefile);
    end_test();
}
END_TEST

/* Adds an object that has a finding in that set, or none (-1). */
static void add_one(struct casefile *casefile, uint64_t evidence, const char *address, int set)
{
    const struct case_object object = {.evidence = evidence,
                                       .volume = "-",
                                       .address = address,
                                       .kind = OBJECT_UNALLOCATED,
                                       .size = 3 * BLOCK,
                                       .verdict = VERDICT_NONE,
                                       .reason = ""};
    struct finding_range range = {0, 3 * BLOCK, 0, 3 * BLOCK};
    struct finding finding = {.verdict = VERDICT_VARIANT,
                              .set = (uint32_t)set,
                              .file = 1,
                              .ref_size = 3 * BLOCK,
                              .ln_e = -20,
                              .ranges = &range,
                              .range_count = 1};
    const struct findings findings = {.list = &finding, .count = set < 0 ? 0 : 1};
    const struct case_reference reference = {.name = "ref", .name_len = 3};

    finding_measure(&finding);
    ck_assert_msg(casefile_add(casefile, &object, &findings, &reference, 0, &err) == 0, "%s", err.text);
}

static void list_rows(struct casefile *casefile, char *out, size_t room)
{
    const struct case_filter filter = {.known = true, .objects = true, .twins = true};
    struct case_reader *reader = casefile_reader_new(casefile, &filter, &err);
    struct case_row row;
    size_t len = 0;
    int more;

    ck_assert_ptr_nonnull(reader);
    while ((more = casefile_reader_next(reader, &row, &err)) > 0) {
        len += (size_t)snprintf(out + len, room - len, "%d%s", (int)row.object.evidence, row.object.address);
        if (row.has_finding)
            len += (size_t)snprintf(out + len, room - len, "=%s", row.set->name);
        len += (size_t)snprintf(out + len, room - len, " ");
    }
    ck_assert_msg(more == 0, "%s", err.text);
    casefile_reader_free(reader);
}

START_TEST(an_object_without_findings_has_one_row_in_all_readings)
{
    struct scan scan;
    struct casefile *casefile;
    char rows[400] = "";

    begin_test();
    PLAN(&scan, 2, 1, "a", "b"); /* sets that are notable */
    casefile = open_scan(&scan);
    add_one(casefile, 1, "w", -1);
    add_one(casefile, 1, "x", 0);
    add_one(casefile, 1, "y", -1);
    add_one(casefile, 1, "z", 0);
    add_one(casefile, 2, "w", -1);
    finish_evidence(casefile, 1);
    finish_evidence(casefile, 2);
    close_case(casefile);
    PLAN(&scan, 3, 1, "a");
    casefile = open_scan(&scan);
    ck_assert_uint_eq(scan.numbers[0], 3);
    add_one(casefile, 3, "w", 1);
    add_one(casefile, 3, "x", 1);
    add_one(casefile, 3, "y", -1);
    add_one(casefile, 3, "z", -1);
    finish_evidence(casefile, 3);
    close_case(casefile);
    assert_good();
    casefile = open_report();
    list_rows(casefile, rows, sizeof rows);
    ck_assert_str_eq(
        rows,
        "1x=set 2 \"\xc3\xa4\" 1z=set 2 \"\xc3\xa4\" 3w=set 3 \"\xc3\xa4\" 3x=set 3 \"\xc3\xa4\" 1y 2w ");
    close_case(casefile);
    end_test();
}
END_TEST

RUN_TESTS("casefile_plan", evidence_is_added_and_found_again_by_its_path,
          evidence_is_read_again_for_sets_that_are_added, sets_must_be_the_same_or_new,
          parameters_must_agree_except_the_density_of_new_sets, evidence_is_checked_before_anything_is_added,
          an_object_without_findings_has_one_row_in_all_readings)
