/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "casefile_twin.h"

/* ---- contents ---- */

/* name: NULL for none.  Looks at one row only, as for members. */
static int is_there(struct casefile *casefile, uint64_t evidence, uint64_t number, const char *address,
                    uint64_t size, const char *name)
{
    const struct case_object object = {.address = address,
                                       .kind = OBJECT_MEMBER,
                                       .size = size,
                                       .paths = name ? name : "",
                                       .path_count = name != NULL};

    number--;
    return casefile_skip(casefile, evidence, &number, &object, &err);
}

START_TEST(objects_and_findings_of_all_kinds_are_read_back_in_report_order)
{
    struct casefile *casefile;

    begin_test();
    casefile = open_case();
    add_objects(casefile, 1, 1, 2301);
    add_objects(casefile, 2, 1, 401);
    assert_contents(casefile, (uint64_t[EVIDENCE]){2300, 400, 0}); /* the last batch is not committed */
    close_case(casefile);
    assert_case(2300, 400, 0);
    ck_assert_int_eq(ask("SELECT count(DISTINCT verdict) FROM object"), VERDICTS);
    ck_assert_int_eq(ask("SELECT count(DISTINCT proof) FROM finding"), PROOFS);
    ck_assert_int_eq(ask("SELECT count(DISTINCT verdict) FROM finding"), VERDICT_FRAGMENT + 1);
    ck_assert_int_eq(ask("SELECT count(DISTINCT path_count) FROM object"), 5);
    ck_assert_uint_eq(files_in_folder(false), 1);
    end_test();
}
END_TEST

/* Notable sets come first, then the higher score; verdicts are declared in the order of their weight. */
static bool comes_after(const struct case_row *row, enum refset_kind kind, const struct finding *before)
{
    if (row->set->kind != kind)
        return row->set->kind == REFSET_KNOWN || kind == REFSET_NOTABLE;
    if (row->finding.score != before->score)
        return row->finding.score < before->score;
    if (row->finding.verdict != before->verdict)
        return row->finding.verdict > before->verdict;
    return row->finding.ln_e >= before->ln_e;
}

START_TEST(the_most_significant_findings_come_first_if_asked_and_none_is_lost)
{
    const uint64_t counts[EVIDENCE] = {200, 100, 50};
    const struct case_filter sorted = {.known = true, .objects = true, .order = CASE_BY_SIGNIFICANCE};
    uint64_t findings[2] = {0, 0}, objects[2] = {0, 0}, matched[2] = {0, 0};
    struct casefile *casefile;

    begin_test();
    casefile = open_case();
    for (uint64_t evidence = 1; evidence <= EVIDENCE; evidence++)
        add_objects(casefile, evidence, 1, counts[evidence - 1] + 1);
    close_case(casefile);
    casefile = open_report();
    for (int i = 0; i < 2; i++) {
        const struct case_filter plain = {.known = true, .objects = true};
        struct case_reader *reader = casefile_reader_new(casefile, i ? &sorted : &plain, &err);
        struct finding before = {.score = 1, .verdict = VERDICT_IDENTICAL, .ln_e = -INFINITY};
        enum refset_kind kind = REFSET_NOTABLE;
        struct case_row row;

        ck_assert_msg(reader != NULL, "%s", err.text);
        while (casefile_reader_next(reader, &row, &err) > 0) {
            findings[i] += row.has_finding;
            objects[i] += !row.has_finding;
            matched[i] += row.has_finding ? row.finding.matched : 0;
            if (!row.has_finding)
                continue;
            ck_assert(objects[i] == 0);
            if (i)
                ck_assert(comes_after(&row, kind, &before));
            before = row.finding;
            kind = row.set->kind;
        }
        casefile_reader_free(reader);
    }
    ck_assert_uint_gt(findings[0], 100);
    ck_assert_uint_eq(findings[1], findings[0]);
    ck_assert_uint_eq(objects[1], objects[0]);
    ck_assert_uint_eq(matched[1], matched[0]);
    close_case(casefile);
    end_test();
}
END_TEST

START_TEST(findings_are_counted_by_verdict_without_those_in_known_sets)
{
    uint64_t wanted[VERDICTS] = {0}, got[VERDICTS] = {0};
    struct casefile *casefile;

    begin_test();
    casefile = open_case();
    add_objects(casefile, 1, 1, 51);
    add_objects(casefile, 2, 1, 201);
    add_objects(casefile, 3, 1, 51);
    for (uint64_t number = 1; number <= 200; number++) {
        struct sample_object sample;

        make_object(&sample, 2, number);
        for (size_t i = 0; i < sample.findings.count; i++)
            wanted[sample.list[i].verdict] += sets[sample.list[i].set].kind != REFSET_KNOWN;
    }
    ck_assert_int_eq(casefile_count_findings(casefile, 2, got, &err), 0);
    ck_assert_mem_eq(got, wanted, sizeof got);
    ck_assert_uint_gt(got[VERDICT_FRAGMENT], 10);
    ck_assert_int_eq(casefile_count_findings(casefile, EVIDENCE + 1, got, &err), 0);
    ck_assert_mem_eq(got, wanted, sizeof got);
    close_case(casefile);
    end_test();
}
END_TEST

START_TEST(evidence_resumed_later_keeps_its_place)
{
    struct casefile *casefile;

    begin_test();
    casefile = open_case();
    for (uint64_t i = 1; i <= 200; i++)
        add_objects(casefile, i % 3 + 1, (i + 2) / 3, (i + 2) / 3 + 1);
    end_case(casefile, 66, 67, 67);
}
END_TEST

START_TEST(a_case_keeps_what_it_was_created_with)
{
    const struct case_set *got;
    const struct case_info *info;
    struct casefile *casefile;
    uint8_t uuid[UUID_LEN];

    begin_test();
    casefile = open_case();
    memcpy(uuid, casefile_info(casefile)->uuid, sizeof uuid);
    close_case(casefile);
    ck_assert_uint_eq(files_in_folder(false), 1);
    casefile = open_report();
    info = casefile_info(casefile);
    ck_assert_mem_eq(info->uuid, uuid, sizeof uuid);
    ck_assert_int_eq(info->created, NOW);
    ck_assert_str_eq(info->tool, "kith 1.0");
    ck_assert_str_eq(info->parameters, "c=128 kinds=all");
    ck_assert_uint_eq(casefile_sets(casefile, &got), SETS);
    for (int i = 0; i < SETS; i++) {
        ck_assert_mem_eq(got[i].uuid, sets[i].uuid, sizeof got[i].uuid);
        ck_assert_uint_eq(got[i].generation, sets[i].generation);
        ck_assert_int_eq(got[i].kind, sets[i].kind);
        ck_assert_str_eq(got[i].name, sets[i].name);
        ck_assert_str_eq(got[i].path, sets[i].path);
        ck_assert_uint_eq(got[i].files, sets[i].files);
        ck_assert_uint_eq(got[i].records, sets[i].records);
    }
    close_case(casefile);
    ck_assert_int_eq(casefile_close(NULL, &err), 0);
    assert_good();
    end_test();
}
END_TEST

static void assert_evidence(struct casefile *casefile, uint64_t number, enum case_state state,
                            const char *format, uint64_t size)
{
    struct case_evidence evidence;

    ck_assert_int_eq(casefile_evidence(casefile, number, &evidence, &err), 1);
    ck_assert_uint_eq(evidence.number, number);
    ck_assert_str_eq(evidence.path, evidence_paths[number - 1]);
    ck_assert_int_eq(evidence.state, state);
    ck_assert_str_eq(evidence.format, format);
    ck_assert_uint_eq(evidence.size, size);
    ck_assert_int_eq(evidence.has_image, format[0] != '\0');
}

START_TEST(what_is_recorded_of_evidence_is_read_back)
{
    const struct evidence_image image = {.format = "E01", .table = "gpt", .size = (uint64_t)5 << 40};
    const struct digest_values digests = make_digests(5), stored = make_digests(2), none = {0};
    struct case_evidence evidence;
    struct casefile *casefile;

    begin_test();
    casefile = open_case();
    ck_assert_int_eq(casefile_set_image(casefile, 2, &image, &err), 0);
    ck_assert_int_eq(casefile_set_digests(casefile, 2, &digests, &stored, &err), 0);
    for (int i = 0; i < 4; i++) {
        const enum case_state state = i % 2 ? CASE_FAILED : CASE_BEGUN;

        ck_assert_int_eq(casefile_set_state(casefile, 3, state, NOW, "so", &err), 0);
        assert_evidence(casefile, 3, state, "", 0);
    }
    ck_assert_int_eq(casefile_set_state(casefile, 1, CASE_CHANGED, NOW, "so", &err), 0);
    ck_assert_int_eq(casefile_set_state(casefile, 2, CASE_PARTIAL, NOW, "so", &err), 0);
    close_case(casefile);
    casefile = open_report();
    assert_evidence(casefile, 1, CASE_CHANGED, "", 0);
    assert_evidence(casefile, 2, CASE_PARTIAL, "E01", (uint64_t)5 << 40);
    assert_evidence(casefile, 3, CASE_FAILED, "", 0);
    ck_assert_int_eq(casefile_evidence(casefile, 2, &evidence, &err), 1);
    assert_digests(&evidence.digests, &digests);
    assert_digests(&evidence.stored, &stored);
    ck_assert_int_eq(casefile_evidence(casefile, 1, &evidence, &err), 1);
    assert_digests(&evidence.digests, &none);
    close_case(casefile);
    assert_good();
    end_test();
}
END_TEST

START_TEST(nonexistent_evidence_is_an_error)
{
    static const uint64_t bad[] = {0, EVIDENCE + 1, (uint64_t)1 << 23, (uint64_t)1 << 24, UINT64_MAX};
    struct case_evidence evidence;
    struct case_counts counts;
    struct casefile *casefile;
    uint64_t objects, item;

    begin_test();
    casefile = open_case();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_int_eq(casefile_evidence(casefile, bad[i], &evidence, &err), 0);
        ck_assert_int_eq(casefile_count(casefile, bad[i], &counts, &err), -1);
        ck_assert_int_eq(casefile_progress(casefile, bad[i], &objects, &item, &err), -1);
        ck_assert_int_eq(casefile_set_state(casefile, bad[i], CASE_DONE, NOW, "done", &err), -1);
        ck_assert_int_eq(casefile_problem(casefile, bad[i], "x", &err), -1);
        ck_assert_int_eq(try_add(casefile, bad[i], 1, 0), -1);
        ck_assert_ptr_nonnull(strstr(err.text, "there is no evidence"));
        ck_assert_int_eq(is_there(casefile, bad[i], 1, "1-128-3", 0, "x"), 0);
    }
    add_objects(casefile, 1, 1, 4); /* it did no harm */
    end_case(casefile, 3, 0, 0);
}
END_TEST

/* ---- problems ---- */

static void take_text(void *arg, const char *text)
{
    struct texts *texts = arg;

    strcat(strcat(texts->all, text), "|");
}

static void assert_problems(uint64_t evidence, const char *wanted)
{
    struct casefile *casefile = open_report();
    struct texts texts = {""};

    ck_assert_int_eq(casefile_problems(casefile, evidence, take_text, &texts, &err), 0);
    ck_assert_str_eq(texts.all, wanted);
    close_case(casefile);
}

START_TEST(problems_are_read_back_in_order_and_once_per_evidence)
{
    static const char *const problems[] = {"z", "a \xff", "z", "m", "a \xff", ""};
    struct casefile *casefile;

    begin_test();
    for (int run = 0; run < 2; run++) {
        casefile = open_case();
        for (int i = 0; i < 6; i++)
            ck_assert_int_eq(casefile_problem(casefile, 2, problems[i], &err), 0);
        ck_assert_int_eq(casefile_problem(casefile, 1, run ? "later" : "z", &err), 0);
        close_case(casefile);
    }
    assert_problems(1, "z|later|");
    assert_problems(2, "z|a \xff|m||");
    assert_problems(3, "");
    assert_problems(UINT64_MAX, "");
    assert_good();
    end_test();
}
END_TEST

/* ---- batches ---- */

static uint64_t committed(uint64_t evidence)
{
    struct casefile *casefile = open_report();
    struct case_counts counts;

    ck_assert_int_eq(casefile_count(casefile, evidence, &counts, &err), 0);
    ck_assert_uint_eq(objects_of(casefile, evidence), counts.objects);
    close_case(casefile);
    return counts.objects;
}

START_TEST(objects_are_committed_by_the_thousand_and_by_the_second)
{
    struct casefile *casefile;

    begin_test();
    casefile = open_case();
    for (uint64_t i = 1; i <= 2500; i++)
        ck_assert_int_eq(try_add(casefile, 1, i, 5000), 0);
    ck_assert_uint_eq(committed(1), 2000);
    ck_assert_int_eq(try_add(casefile, 1, 2501, 5999), 0);
    ck_assert_uint_eq(committed(1), 2000);
    ck_assert_int_eq(try_add(casefile, 1, 2502, 6000), 0);
    ck_assert_uint_eq(committed(1), 2502);
    ck_assert_int_eq(try_add(casefile, 1, 2503, 6500), 0);
    ck_assert_uint_eq(committed(1), 2502);
    ck_assert_int_eq(casefile_commit(casefile, &err), 0);
    ck_assert_uint_eq(committed(1), 2503);
    ck_assert_int_eq(try_add(casefile, 2, 1, 6600), 0);
    ck_assert_int_eq(casefile_set_state(casefile, 1, CASE_DONE, NOW, "done", &err), 0);
    ck_assert_uint_eq(committed(2), 1);
    ck_assert_int_eq(try_add(casefile, 2, 2, 6700), 0);
    ck_assert_int_eq(casefile_log(casefile, NOW, "x", &err), 0);
    ck_assert_uint_eq(committed(2), 2);
    ck_assert_int_eq(try_add(casefile, 2, 3, 9000), 0); /* the first in a while is not delayed */
    ck_assert_uint_eq(committed(2), 3);
    end_case(casefile, 2503, 3, 0);
}
END_TEST

START_TEST(a_report_during_a_scan_sees_one_consistent_state)
{
    struct casefile *writer, *reader;

    begin_test();
    writer = open_case();
    add_objects(writer, 1, 1, 501);
    ck_assert_int_eq(casefile_commit(writer, &err), 0);
    reader = open_report();
    add_objects(writer, 1, 501, 3001);
    assert_contents(reader, (uint64_t[EVIDENCE]){500, 0, 0});
    close_case(reader);
    assert_contents(writer, (uint64_t[EVIDENCE]){3000, 0, 0});
    end_case(writer, 3000, 0, 0);
}
END_TEST

START_TEST(a_reader_writes_nothing)
{
    struct casefile *casefile;

    begin_test();
    close_case(open_case());
    casefile = open_report();
    ck_assert_int_eq(try_add(casefile, 1, 1, 0), -1);
    ck_assert_int_eq(casefile_log(casefile, NOW, "x", &err), -1);
    ck_assert_int_eq(casefile_set_state(casefile, 1, CASE_DONE, NOW, "done", &err), -1);
    ck_assert_int_eq(casefile_problem(casefile, 1, "x", &err), -1);
    ck_assert_ptr_nonnull(strstr(err.text, "opened for reading only"));
    end_case(casefile, 0, 0, 0);
}
END_TEST

/* ---- going on ---- */

START_TEST(a_closed_case_can_be_resumed)
{
    struct casefile *casefile;

    begin_test();
    for (uint64_t from = 1; from < 2000; from += 333) {
        casefile = open_case();
        ck_assert_uint_eq(objects_of(casefile, 1), from - 1);
        add_objects(casefile, 1, from, from + 333);
        ck_assert_uint_eq(objects_of(casefile, 1), from + 332);
        ck_assert_uint_eq(objects_of(casefile, 2), 0);
        close_case(casefile);
    }
    assert_case(1998 + 333, 0, 0);
    end_test();
}
END_TEST

START_TEST(existing_objects_are_recognized)
{
    struct sample_object sample;
    struct casefile *casefile;

    begin_test();
    casefile = open_case();
    add_objects(casefile, 2, 1, 51);
    for (uint64_t number = 1; number <= 50; number++) {
        const struct case_object *object = &sample.object;

        make_object(&sample, 2, number);
        ck_assert_int_eq(is_there(casefile, 2, number, sample.address, object->size, object->paths),
                         object->path_count > 0 && !object->chunk);
        ck_assert_int_eq(is_there(casefile, 2, number, sample.address, object->size, NULL),
                         object->path_count == 0 && !object->chunk);
        ck_assert_int_eq(is_there(casefile, 2, number, sample.address, object->size, "another"), 0);
        ck_assert_int_eq(is_there(casefile, 2, number, sample.address, object->size + 1, object->paths), 0);
        ck_assert_int_eq(is_there(casefile, 2, number, "1-128", object->size, object->paths), 0);
        ck_assert_int_eq(is_there(casefile, 1, number, sample.address, object->size, object->paths), 0);
    }
    ck_assert_int_eq(is_there(casefile, 2, 51, sample.address, sample.object.size, "x"), 0);
    ck_assert_int_eq(is_there(casefile, 2, UINT64_MAX, sample.address, sample.object.size, "x"), 0);
    close_case(casefile);
    end_test();
}
END_TEST

static void add_at(struct casefile *casefile, const char *address, uint64_t size, bool chunk)
{
    const struct case_object object = {
        .evidence = 1, .address = address, .size = size, .chunk = chunk, .verdict = VERDICT_NONE};

    ck_assert_int_eq(casefile_add(casefile, &object, NULL, NULL, 0, &err), 0);
}

START_TEST(objects_stored_in_chunks_are_skipped_as_one)
{
    static const struct {
        const char *address;
        uint64_t size;
        int there;
        uint64_t number;
    } steps[] = {{"@4096+9", 9, 1, 1},   {"@4096+90", 9, 0, 1}, {"@4096", 90, 0, 1},
                 {"@4096+90", 90, 2, 3}, {"8", 5, 0, 3},        {"7", 5, 1, 4},
                 {"8", 6, 2, 6},         {"8", 6, 0, 6},        {"9", 6, 0, 6}};
    struct casefile *casefile;
    uint64_t number = 0;

    begin_test();
    casefile = open_case();
    add_at(casefile, "@4096+9", 9, false);
    add_at(casefile, "@4096+90+0", 64, true);
    add_at(casefile, "@4096+90+64", 26, true);
    add_at(casefile, "7", 5, false);
    add_at(casefile, "8+0", 4, true);
    add_at(casefile, "8+4", 2, true);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const struct case_object object = {.address = steps[i].address, .size = steps[i].size, .paths = ""};

        ck_assert_int_eq(casefile_skip(casefile, 1, &number, &object, &err), steps[i].there);
        ck_assert_uint_eq(number, steps[i].number);
    }
    close_case(casefile);
    end_test();
}
END_TEST

START_TEST(members_before_an_item_are_counted_with_the_bytes_that_were_read)
{
    static const struct case_object rows[] = {
        {.item = 3, .address = "1", .kind = OBJECT_FILE, .size = 1000, .verdict = VERDICT_NONE},
        {.item = 3, .address = "1/zip/a", .kind = OBJECT_MEMBER, .size = 20, .verdict = VERDICT_NONE},
        {.item = 3, .address = "1/zip/b", .kind = OBJECT_MEMBER, .size = 999, .verdict = VERDICT_UNREADABLE},
        {.item = 4,
         .address = "2/zip/c+0",
         .kind = OBJECT_MEMBER,
         .size = 64,
         .verdict = VERDICT_NONE,
         .chunk = true},
        {.item = 4,
         .address = "2/zip/c+640",
         .kind = OBJECT_MEMBER,
         .size = 6,
         .verdict = VERDICT_NONE,
         .chunk = true},
        {.item = 5, .address = "2/zip/d", .kind = OBJECT_MEMBER, .size = 7, .verdict = VERDICT_SKIPPED},
    };
    static const uint64_t counts[] = {0, 2, 3, 4}, bytes[] = {0, 20, 90, 97};
    uint64_t count, len;
    struct casefile *casefile;

    begin_test();
    casefile = open_case();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct case_object row = rows[i];

        for (row.evidence = 1; row.evidence <= 2; row.evidence++)
            if (row.evidence == 1 || i < 3)
                ck_assert_int_eq(casefile_add(casefile, &row, NULL, NULL, 0, &err), 0);
    }
    for (uint64_t item = 3; item <= 6; item++) {
        ck_assert_int_eq(casefile_members(casefile, 1, item, &count, &len, &err), 0);
        ck_assert_uint_eq(count, counts[item - 3]);
        ck_assert_uint_eq(len, bytes[item - 3]);
    }
    ck_assert_int_eq(casefile_members(casefile, 2, INT64_MAX, &count, &len, &err), 0);
    ck_assert(count == 2 && len == 20);
    ck_assert_int_eq(casefile_members(casefile, 3, 9, &count, &len, &err), 0);
    ck_assert(count == 0 && len == 0);
    close_case(casefile);
    end_test();
}
END_TEST

START_TEST(chunked_files_with_the_same_address_are_distinguished_by_path_and_place)
{
    static const char *const paths[] = {"a", "b"};
    struct casefile *casefile;
    uint64_t number = 0;

    begin_test();
    casefile = open_case();
    for (int i = 0; i < 4; i++) {
        const struct case_object object = {.evidence = 1,
                                           .address = i % 2 ? "-+4" : "-+0",
                                           .size = 4,
                                           .chunk = true,
                                           .paths = paths[i / 2],
                                           .path_count = 1,
                                           .verdict = VERDICT_NONE};

        ck_assert_int_eq(casefile_add(casefile, &object, NULL, NULL, 0, &err), 0);
    }
    for (uint64_t i = 0; i < 2; i++) {
        const struct case_object object = {.address = "-", .size = 8, .paths = paths[i], .path_count = 1};

        ck_assert_int_eq(casefile_skip(casefile, 1, &number, &object, &err), 2);
        ck_assert_uint_eq(number, 2 * i + 2);
    }
    close_case(casefile);
    end_test();
}
END_TEST

START_TEST(rows_of_members_that_do_not_come_again_are_passed_over)
{
    static const struct {
        const char *address;
        enum object_kind kind;
        int there;
        uint64_t number;
    } steps[] = {{"1", OBJECT_FILE, 1, 1}, {"2", OBJECT_FILE, 1, 4},     {"2/zip/a", OBJECT_MEMBER, 1, 5},
                 {"3", OBJECT_FILE, 0, 6}, {"4/a", OBJECT_MEMBER, 0, 6}, {"4", OBJECT_FILE, 1, 7}};
    static const char *const rows[] = {"1", "1/zip/a", "1/zip/b", "2", "2/zip/a", "2/zip/b", "4"};
    struct casefile *casefile;
    uint64_t number = 0;

    begin_test();
    casefile = open_case();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct case_object object = {.evidence = 1,
                                           .address = rows[i],
                                           .size = 5,
                                           .kind = rows[i][1] ? OBJECT_MEMBER : OBJECT_FILE,
                                           .verdict = VERDICT_NONE};

        ck_assert_int_eq(casefile_add(casefile, &object, NULL, NULL, 0, &err), 0);
    }
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const struct case_object object = {
            .address = steps[i].address, .kind = steps[i].kind, .size = 5, .paths = ""};

        ck_assert_int_eq(casefile_skip(casefile, 1, &number, &object, &err), steps[i].there);
        ck_assert_uint_eq(number, steps[i].number);
    }
    close_case(casefile);
    end_test();
}
END_TEST

static pid_t start(void)
{
    fflush(NULL);
    return fork();
}

static int wait_for(pid_t pid)
{
    int status = 0;

    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int64_t clock_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Resumes the case until it is killed; reports to the pipe what casefile_commit committed. */
static void write_until_killed(int report)
{
    const struct case_plan plan = make_plan();
    struct casefile *casefile = casefile_open(path, &plan, &err);
    uint64_t objects[EVIDENCE + 1], item;

    if (!casefile) {
        fprintf(stderr, "%s\n", err.text);
        _exit(4);
    }
    for (uint64_t evidence = 1; evidence <= EVIDENCE; evidence++)
        if (casefile_progress(casefile, evidence, &objects[evidence], &item, &err))
            _exit(1);
    for (uint64_t i = 0;; i++) {
        const uint64_t evidence = 1 + i / 70 % EVIDENCE;

        if (try_add(casefile, evidence, ++objects[evidence], clock_ms()))
            _exit(2);
        if (i % 97 == 0 && (casefile_commit(casefile, &err) || write(report, objects + 1, 24) != 24))
            _exit(3);
        if (i % 97 == 0)
            usleep(3000); /* many moments reveal more than many objects */
    }
}

/* At some moment, also while the case is opened; or after the first commit. */
static void kill_a_writer(uint64_t least[EVIDENCE], unsigned most_us, bool begun)
{
    uint64_t reported[EVIDENCE];
    int report[2];
    pid_t pid;

    ck_assert_int_eq(pipe(report), 0);
    pid = start();
    if (pid == 0)
        write_until_killed(report[1]);
    close(report[1]);
    if (begun)
        ck_assert_int_eq(read(report[0], reported, sizeof reported), (ssize_t)sizeof reported);
    usleep((unsigned)below(most_us));
    kill(pid, SIGKILL);
    ck_assert_int_eq(wait_for(pid), 256 + SIGKILL);
    while (read(report[0], reported, sizeof reported) == (ssize_t)sizeof reported)
        memcpy(least, reported, sizeof reported);
    close(report[0]);
}

START_TEST(a_killed_scan_leaves_a_prefix_of_the_whole)
{
    uint64_t least[EVIDENCE] = {0}, counts[EVIDENCE];

    begin_test();
    for (int i = 0; i < 20; i++) {
        struct casefile *casefile;

        random_state = 12345 + (uint64_t)i * 7919;
        random64();
        kill_a_writer(least, i < 4 ? 20000 : 60000, i >= 4);
        casefile = open_case();
        for (uint64_t evidence = 1; evidence <= EVIDENCE; evidence++) {
            counts[evidence - 1] = objects_of(casefile, evidence);
            ck_assert_uint_ge(counts[evidence - 1], least[evidence - 1]);
        }
        assert_report(casefile, counts, (struct case_filter){.known = true, .objects = true});
        assert_counts(casefile, counts);
        close_case(casefile);
        assert_good();
        memcpy(least, counts, sizeof least);
    }
    ck_assert_uint_ge(counts[0], 16);
    end_test();
}
END_TEST

/* ---- refusals ---- */

static void refuses(const struct case_plan *plan, const char *reason)
{
    err.text[0] = '\0';
    ck_assert_ptr_null(casefile_open(path, plan, &err));
    ck_assert_msg(strncmp(err.text, path, strlen(path)) == 0 && strstr(err.text, reason), "%s", err.text);
}

START_TEST(a_different_scan_is_refused_with_the_difference)
{
    struct case_plan plan;

    begin_test();
    close_case(open_case());

    plan = make_plan();
    plan.parameters = "c=64 kinds=all";
    refuses(&plan, "it was created with different parameters: c=128 kinds=all; now: c=64 kinds=all");
    plan = make_plan();
    sets[1].generation++;
    refuses(&plan, "the set set 1 \"\xc3\xa4\" has changed since (generation 8, now 9)");
    plan = make_plan();
    sets[2].uuid[15]++;
    refuses(&plan, "the set set 2 \"\xc3\xa4\" () is new: add it in a scan without the others");
    plan = make_plan();
    plan.set_count--;
    refuses(&plan, "was scanned for another choice of these sets; name the same ones, or only new ones");
    plan = make_plan();
    sets[1] = sets[0];
    sets[0] = make_set(1);
    refuses(&plan, "set 3 was set 2 \"\xc3\xa4\" () and is now set 0");

    plan = make_plan(); /* where a set lies, what it is called and who asks do not matter */
    sets[0].path = "/elsewhere";
    strcpy(sets[0].name, "another name");
    plan.tool = "kith 2.0";
    plan.now++;
    end_case(casefile_open(path, &plan, &err), 0, 0, 0);
}
END_TEST

START_TEST(only_one_writer_is_allowed)
{
    const struct case_plan plan = make_plan();
    struct casefile *casefile;
    pid_t pid;

    begin_test();
    casefile = open_case();
    pid = start();
    if (pid == 0)
        _exit(!casefile_open(path, &plan, &err) && strstr(err.text, "is being written by another program")
                  ? 0
                  : 1);
    ck_assert_int_eq(wait_for(pid), 0);
    add_objects(casefile, 1, 1, 10);
    end_case(casefile, 9, 0, 0);
}
END_TEST

START_TEST(a_file_that_is_not_a_case_is_refused)
{
    const struct case_plan plan = make_plan();
    struct database *database;

    begin_test();
    ck_assert_ptr_null(casefile_open_report(path, &err));
    ck_assert_ptr_nonnull(strstr(err.text, strerror(ENOENT)));
    ck_assert_int_eq(count_faults(), -1);
    file_store(path, "", 0);
    refuses(&plan, "is empty, not a case");
    file_store(path, "no case at all", 14);
    refuses(&plan, "is not a case");
    ck_assert_ptr_null(casefile_open_report(path, &err));
    ck_assert_int_eq(count_faults(), -1);
    unlink(path);
    database = database_create_foreign(path, &err);
    ck_assert_int_eq(database_run(database, "CREATE TABLE object (id)", &err), 0);
    database_close(database, NULL);
    refuses(&plan, "is not a case");
    unlink(path);
    close_case(open_case());
    spoil("PRAGMA user_version=9");
    refuses(&plan,
            "was written by a newer version of kith: its schema version is 9, this program supports up to 3");
    ck_assert_ptr_null(casefile_open_report(path, &err));
    snprintf(path, sizeof path, "%s/none/a.kcase", folder);
    ck_assert_ptr_null(casefile_open(path, &plan, &err));
    ck_assert_ptr_nonnull(strstr(err.text, strerror(ENOENT)));
    end_test();
}
END_TEST

/* ---- errors ---- */

/* With so little space that adding fails: after that nothing is written, and what was committed remains. */
static int fill_disk(void)
{
    const struct rlimit limit = {1 << 20, 1 << 20};
    const struct case_plan plan = make_plan();
    struct casefile *casefile = casefile_open(path, &plan, &err);
    uint64_t number = 1;

    signal(SIGXFSZ, SIG_IGN);
    if (!casefile || setrlimit(RLIMIT_FSIZE, &limit))
        return 1;
    while (try_add(casefile, 1, number, 0) == 0)
        if (++number > 1000000)
            return 2;
    if (!strstr(err.text, path) || !strstr(err.text, strerror(EFBIG)))
        return 3;
    if (try_add(casefile, 1, number, 0) == 0 || !strstr(err.text, "an earlier write failed"))
        return 4;
    if (casefile_commit(casefile, &err) == 0 ||
        casefile_set_state(casefile, 1, CASE_DONE, NOW, "done", &err) == 0)
        return 5;
    return casefile_close(casefile, &err) ? 0 : 6;
}

START_TEST(a_full_disk_is_an_error_and_leaves_whole_batches)
{
    uint64_t objects;
    pid_t pid;

    begin_test();
    close_case(open_case());
    pid = start();
    if (pid == 0) {
        const int result = fill_disk();

        if (result)
            fprintf(stderr, "%d: %s\n", result, err.text);
        _exit(result);
    }
    ck_assert_int_eq(wait_for(pid), 0);
    objects = committed(1);
    ck_assert_uint_gt(objects, 0);
    ck_assert_uint_eq(objects % 1000, 0);
    assert_case(objects, 0, 0);
    end_test();
}
END_TEST

START_TEST(an_impossible_finding_is_not_written)
{
    struct sample_object sample;
    struct casefile *casefile;

    for (int i = 0; i < 6; i++) {
        uint64_t number = 1;

        begin_test();
        casefile = open_case();
        add_objects(casefile, 1, 1, 5);
        ck_assert_int_eq(casefile_commit(casefile, &err), 0);
        add_objects(casefile, 1, 5, 8);
        do
            make_object(&sample, 1, number++);
        while (sample.findings.count < 2 || sample.list[1].range_count < 2);
        switch (i) {
        case 0:
            sample.list[1].set = SETS;
            break;
        case 1:
            sample.list[1].resemblance = NAN;
            break;
        case 2:
            sample.list[1].ln_e = NAN;
            break;
        case 3:
            sample.list[1].proved = sample.list[1].blocks + 1;
            break;
        case 4:
            sample.ranges[1][0].obj_end = sample.object.size + 1;
            break;
        default:
            sample.list[1].verdict = VERDICT_NONE;
            break;
        }
        ck_assert_int_eq(casefile_add(casefile, &sample.object, &sample.findings, sample.references, 8, &err),
                         -1);
        ck_assert_ptr_nonnull(strstr(err.text, path));
        ck_assert_int_eq(casefile_close(casefile, &err), -1);
        assert_case(4, 0, 0);
        end_test();
    }
}
END_TEST

START_TEST(endless_paths_are_cut_at_a_name)
{
    const size_t each = 100000, count = 500;
    char *paths = malloc(each * count);
    struct case_object object = {
        .evidence = 1, .address = "1", .paths = paths, .path_count = count, .verdict = VERDICT_NONE};
    const struct case_filter filter = {.objects = true};
    struct case_reader *reader;
    struct casefile *casefile;
    struct case_row row;

    begin_test();
    memset(paths, 'x', each * count);
    for (size_t i = 1; i <= count; i++)
        paths[i * each - 1] = '\0';
    casefile = open_case();
    ck_assert_msg(casefile_add(casefile, &object, NULL, NULL, 0, &err) == 0, "%s", err.text);
    reader = casefile_reader_new(casefile, &filter, &err);
    next_row(reader, &row);
    ck_assert_uint_eq(row.object.path_count, (32 << 20) / each);
    ck_assert_mem_eq(row.object.paths, paths, row.object.path_count * each);
    ck_assert_str_eq(row.object.volume, "");
    casefile_reader_free(reader);
    close_case(casefile);
    assert_good();
    free(paths);
    end_test();
}
END_TEST

START_TEST(an_integer_is_not_a_real)
{
    struct database *database = database_open_temporary(&casefile_format, &err);
    struct statement *row = database_prepare(database, "SELECT 1, 1.5, NULL, '1.5', x'00', ?, ?", &err);
    double real;

    statement_bind_real(row, 1, -INFINITY);
    statement_bind_real(row, 2, 3);
    ck_assert_int_eq(statement_step(row, &err), 1);
    for (int column = 0; column < 7; column++)
        ck_assert_int_eq(statement_real(row, column, &real), column == 1 || column > 4);
    ck_assert(real == 3);
    ck_assert(statement_real(row, 1, &real) && real == 1.5);
    ck_assert(statement_real(row, 5, &real) && real == -INFINITY);
    ck_assert(!statement_real(row, 0, &real) && real == 0);
    statement_free(row);
    ck_assert_int_eq(database_close(database, &err), 0);
}
END_TEST
/* ---- temporary cases ---- */

/* Besides members that could not be unpacked. */
static void assert_findings_only(struct casefile *casefile, uint64_t objects)
{
    const uint64_t counts[EVIDENCE] = {objects, 0, 0};
    const struct case_filter filter = {.known = true, .objects = true};
    struct case_reader *reader = casefile_reader_new(casefile, &filter, &err);
    struct case_row row;
    int result;

    assert_kind(reader, counts, REFSET_NOTABLE);
    assert_kind(reader, counts, REFSET_NEUTRAL);
    assert_kind(reader, counts, REFSET_KNOWN);
    while ((result = casefile_reader_next(reader, &row, &err)) > 0)
        ck_assert(!row.has_finding && row.object.kind == OBJECT_MEMBER && row.object.partial &&
                  row.object.reason[0]);
    ck_assert_int_eq(result, 0);
    casefile_reader_free(reader);
    assert_counts(casefile, counts);
    ck_assert_uint_eq(counts[0], objects);
}

START_TEST(a_temporary_case_has_no_name_and_keeps_what_is_added)
{
    const struct case_plan plan = make_plan();

    begin_test();
    setenv("TMPDIR", folder, 1);
    for (int all = 0; all < 2; all++) {
        struct casefile *casefile = casefile_open_temporary(&plan, all, &err);
        struct texts texts = {""};
        uint64_t objects, item;

        ck_assert_msg(casefile != NULL, "%s", err.text);
        ck_assert_uint_eq(casefile_sets(casefile, &(const struct case_set *){NULL}), SETS);
        add_objects(casefile, 1, 1, 2501);
        ck_assert_int_eq(casefile_commit(casefile, &err), 0);
        ck_assert_int_eq(casefile_progress(casefile, 1, &objects, &item, &err), 0);
        ck_assert_uint_eq(objects, 2500);
        if (all)
            assert_contents(casefile, (uint64_t[EVIDENCE]){2500, 0, 0});
        else
            assert_findings_only(casefile, 2500);
        ck_assert_int_eq(casefile_log(casefile, NOW, "x", &err), 0);
        ck_assert_int_eq(casefile_read_log(casefile, take_entry, &texts, &err), 0);
        ck_assert_str_eq(texts.all, "1700000000 x|");
        ck_assert_uint_eq(files_in_folder(false), 0);
        close_case(casefile);
    }
    end_test();
}
END_TEST

RUN_TESTS("casefile", objects_and_findings_of_all_kinds_are_read_back_in_report_order,
          the_most_significant_findings_come_first_if_asked_and_none_is_lost,
          findings_are_counted_by_verdict_without_those_in_known_sets, evidence_resumed_later_keeps_its_place,
          a_case_keeps_what_it_was_created_with, what_is_recorded_of_evidence_is_read_back,
          nonexistent_evidence_is_an_error, problems_are_read_back_in_order_and_once_per_evidence,
          objects_are_committed_by_the_thousand_and_by_the_second,
          a_report_during_a_scan_sees_one_consistent_state, a_reader_writes_nothing,
          a_closed_case_can_be_resumed, existing_objects_are_recognized,
          members_before_an_item_are_counted_with_the_bytes_that_were_read,
          objects_stored_in_chunks_are_skipped_as_one, rows_of_members_that_do_not_come_again_are_passed_over,
          chunked_files_with_the_same_address_are_distinguished_by_path_and_place,
          a_killed_scan_leaves_a_prefix_of_the_whole, a_different_scan_is_refused_with_the_difference,
          only_one_writer_is_allowed, a_file_that_is_not_a_case_is_refused,
          a_full_disk_is_an_error_and_leaves_whole_batches, an_impossible_finding_is_not_written,
          endless_paths_are_cut_at_a_name, an_integer_is_not_a_real,
          a_temporary_case_has_no_name_and_keeps_what_is_added)
