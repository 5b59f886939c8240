/* SPDX-License-Identifier: Apache-2.0 */
#include "casefile_twin.h"

/* ---- the log ---- */

#define MADE "1700000000 created by kith 1.0|"

static int read_log(struct texts *texts)
{
    struct casefile *casefile = open_report();
    const int result = casefile_read_log(casefile, take_entry, texts, &err);

    close_case(casefile);
    return result;
}

static void write_log(void)
{
    for (int run = 0; run < 2; run++) {
        struct casefile *casefile = open_case();

        for (int i = 0; i < 3; i++) {
            const char *const texts[] = {"begun \xff", "", "done"};

            ck_assert_int_eq(casefile_log(casefile, NOW + run, texts[i], &err), 0);
        }
        close_case(casefile);
    }
}

START_TEST(the_log_is_read_back_in_order)
{
    struct texts texts = {""};

    begin_test();
    write_log();
    ck_assert_int_eq(read_log(&texts), 0);
    ck_assert_str_eq(texts.all, MADE
                     "1700000000 begun \xff|1700000000 |1700000000 done|1700000001 begun \xff|1700000001 |"
                     "1700000001 done|");
    assert_good();
    end_test();
}
END_TEST

START_TEST(a_changed_log_is_detected)
{
    static const char *const changes[] = {
        "UPDATE log SET text = 'begin' WHERE id = 4",
        "UPDATE log SET time = time - 1 WHERE id = 4",
        "UPDATE log SET chain = zeroblob(32) WHERE id = 4",
        "UPDATE log SET chain = zeroblob(31) WHERE id = 4",
        "UPDATE log SET text = text || char(0) WHERE id = 4",
        "DELETE FROM log WHERE id = 4",
        "DELETE FROM log WHERE id = 4; UPDATE log SET id = id - 1 WHERE id > 4",
        "UPDATE log SET id = 99 WHERE id = 4; UPDATE log SET id = 4 WHERE id = 5; UPDATE log SET id = 5 "
        "WHERE id = 99",
        "INSERT INTO log SELECT 8, time, text, evidence, seal, chain FROM log WHERE id = 4; UPDATE log SET "
        "id = id + "
        "100 WHERE id > 3;"
        "UPDATE log SET id = 4 WHERE id = 108; UPDATE log SET id = id - 99 WHERE id > 100",
        "UPDATE log SET evidence = 1, seal = zeroblob(32) WHERE id = 4",
        "UPDATE log SET evidence = 9 WHERE id = 4",
    };
    static const char *const before = MADE "1700000000 begun \xff|1700000000 |";
    uint8_t *good;
    size_t len;

    begin_test();
    write_log();
    good = file_load(path, &len);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct texts texts = {""};

        spoil(changes[i]);
        ck_assert_msg(read_log(&texts) == -1, "%s", changes[i]);
        ck_assert_msg(strstr(err.text, path) && strstr(err.text, "log"), "%s", err.text);
        ck_assert(strncmp(texts.all, before, strlen(before)) == 0);
        ck_assert_msg(count_faults() > 0, "%s", changes[i]);
        file_store(path, good, len);
    }
    spoil("UPDATE info SET uuid = randomblob(16)"); /* the log of another case */
    ck_assert_int_gt(count_faults(), 0);
    free(good);
    end_test();
}
END_TEST

/* Plausible rows that differ from the originals. */
START_TEST(changes_to_sealed_rows_are_detected)
{
    static const char *const changes[] = {
        "UPDATE info SET parameters = 'c=64'",
        "UPDATE info SET tool = 'kith 2.0'",
        "UPDATE refset SET generation = generation + 1 WHERE id = 2",
        "UPDATE refset SET name = 'other' WHERE id = 2",
        "UPDATE evidence SET path = x'41' WHERE id = 1",
        "UPDATE evidence SET stamp = 'other' WHERE id = 1",
        "UPDATE evidence SET sha1 = zeroblob(20) WHERE id = 1",
        "UPDATE evidence SET state = 'partial' WHERE id = 1",
        "UPDATE object SET sha1 = zeroblob(20) WHERE id = (SELECT min(id) FROM object WHERE sha1 IS NOT "
        "NULL)",
        "UPDATE object SET address = address || '0' WHERE id = (SELECT min(id) FROM object)",
        "UPDATE finding SET name = x'41' WHERE class = 0 AND object = (SELECT min(object) FROM finding WHERE "
        "class = 0)",
        "UPDATE finding SET ln_e = -5 WHERE class = 0 AND object = (SELECT min(object) FROM finding WHERE "
        "class = 0)",
        "UPDATE problem SET text = 'nothing'",
        "DELETE FROM problem",
        "INSERT INTO problem VALUES (1 << 40 | 99, 1, 'more')",
    };
    struct casefile *casefile;
    uint8_t *good;
    size_t len;

    begin_test();
    casefile = open_case();
    ck_assert_int_eq(casefile_set_stamp(casefile, 1, "1 file", &err), 0);
    add_objects(casefile, 1, 1, 151);
    ck_assert_int_eq(casefile_problem(casefile, 1, "a problem", &err), 0);
    ck_assert_int_eq(casefile_set_state(casefile, 1, CASE_DONE, NOW, "done", &err), 0);
    add_objects(casefile, 2, 1, 51); /* not sealed yet */
    close_case(casefile);
    assert_good();
    good = file_load(path, &len);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        spoil(changes[i]);
        ck_assert_msg(count_faults() > 0, "%s: %d", changes[i], count_faults());
        ck_assert_msg(strstr(first_fault, "sealed") != NULL, "%s: %s", changes[i], first_fault);
        file_store(path, good, len);
    }
    free(good);
    end_test();
}
END_TEST

/* ---- damage ---- */

#define AN_OBJECT  " WHERE id = (SELECT id FROM object WHERE findings = 0 AND path_count > 1 LIMIT 1)"
#define A_FINDING  " WHERE class = 0 AND object = (SELECT min(object) FROM finding WHERE class = 0)"
#define OF_FINDING " WHERE id = (SELECT min(object) FROM finding WHERE class = 0)"

static const char *const spoilings[] = {
    "UPDATE info SET uuid = zeroblob(15)",
    "UPDATE info SET tool = 'a' || char(0)",
    "DELETE FROM info",
    "UPDATE refset SET uuid = zeroblob(17)",
    "UPDATE refset SET kind = 'good'",
    "UPDATE refset SET kind = 'known'",
    "UPDATE refset SET name = printf('%.201c', 'x')",
    "UPDATE refset SET path = x'4100'",
    "UPDATE refset SET generation = -1",
    "UPDATE refset SET id = 0 WHERE id = 1",
    "UPDATE refset SET id = 99 WHERE id = 2",
    "UPDATE refset SET id = 99 WHERE id = 4",
    "DELETE FROM refset",
    "UPDATE evidence SET path = x'00'",
    "UPDATE evidence SET state = 'over'",
    "UPDATE evidence SET format = 'raw'",
    "UPDATE evidence SET size = 7",
    "UPDATE evidence SET size = -7, format = 'raw'",
    "UPDATE evidence SET sha1 = x'00'",
    "UPDATE evidence SET stored_sha256 = zeroblob(33)",
    "UPDATE evidence SET objects = objects + 1",
    "UPDATE evidence SET objects = -1",
    "UPDATE evidence SET objects = 1 << 41",
    "UPDATE evidence SET bytes = bytes - 1",
    "UPDATE evidence SET known = known + 1 WHERE objects > known",
    "UPDATE evidence SET none = none - 1 WHERE none > 0",
    "UPDATE evidence SET id = 9 WHERE id = 1",
    "DELETE FROM evidence WHERE id = 2",
    "DELETE FROM object" AN_OBJECT,
    "DELETE FROM object" OF_FINDING,
    "UPDATE object SET evidence = 3" AN_OBJECT,
    "UPDATE object SET id = id + 10000" AN_OBJECT,
    "UPDATE object SET id = 5" AN_OBJECT,
    "UPDATE object SET id = -id" AN_OBJECT,
    "UPDATE object SET id = id + (100 << 40), evidence = evidence + 100" AN_OBJECT,
    "UPDATE object SET item = -1" AN_OBJECT,
    "UPDATE object SET volume = char(0)" AN_OBJECT,
    "UPDATE object SET address = 'a' || char(0) || 'b'" AN_OBJECT,
    "UPDATE object SET chunk = 2" AN_OBJECT,
    "UPDATE object SET kind = 'thing'" AN_OBJECT,
    "UPDATE object SET kind = ''" AN_OBJECT,
    "UPDATE object SET size = -5" AN_OBJECT,
    "UPDATE object SET size = size + 1, path_count = path_count + 1" AN_OBJECT,
    "UPDATE object SET path_count = path_count - 1" AN_OBJECT,
    "UPDATE object SET path_count = 9223372036854775807" AN_OBJECT,
    "UPDATE object SET paths = x'41'" AN_OBJECT,
    "UPDATE object SET paths = CAST(paths || x'41' AS BLOB)" AN_OBJECT,
    "UPDATE object SET paths = x''" AN_OBJECT,
    "UPDATE object SET paths = x'410042', path_count = 2" AN_OBJECT,
    "UPDATE object SET sha1 = zeroblob(19)" AN_OBJECT,
    "UPDATE object SET md5 = zeroblob(100)" AN_OBJECT,
    "UPDATE object SET verdict = 'guilty'" AN_OBJECT,
    "UPDATE object SET reason = char(0)" AN_OBJECT,
    "UPDATE object SET findings = 1" AN_OBJECT,
    "UPDATE object SET findings = -1" AN_OBJECT,
    "UPDATE object SET findings = 0" OF_FINDING,
    "UPDATE object SET findings = findings + 1" OF_FINDING,
    "UPDATE object SET size = 0" OF_FINDING,
    "DELETE FROM finding" A_FINDING,
    "UPDATE finding SET class = 1" A_FINDING,
    "UPDATE finding SET class = 7" A_FINDING,
    "UPDATE finding SET class = -7" A_FINDING,
    "UPDATE finding SET object = 77" A_FINDING,
    "UPDATE finding SET refset = 0" A_FINDING,
    "UPDATE finding SET refset = 1" A_FINDING,
    "UPDATE finding SET refset = 5" A_FINDING,
    "UPDATE finding SET refset = -1" A_FINDING,
    "UPDATE finding SET refset = 4294967299" A_FINDING,
    "UPDATE finding SET file = -1" A_FINDING,
    "UPDATE finding SET size = -1" A_FINDING,
    "UPDATE finding SET sha256 = x''" A_FINDING,
    "UPDATE finding SET verdict = 'none'" A_FINDING,
    "UPDATE finding SET verdict = 'Variant'" A_FINDING,
    "UPDATE finding SET obj_start = obj_end + 1" A_FINDING,
    "UPDATE finding SET obj_end = 9223372036854775807" A_FINDING,
    "UPDATE finding SET ref_end = ref_start - 1" A_FINDING,
    "UPDATE finding SET ref_end = size + 1" A_FINDING,
    "UPDATE finding SET matched = -1" A_FINDING,
    "UPDATE finding SET matched = 9223372036854775807" A_FINDING,
    "UPDATE finding SET ranges = x'00'" A_FINDING,
    "UPDATE finding SET ranges = x'00000080'" A_FINDING,
    "UPDATE finding SET ranges = x'8080808080808080808000000000'" A_FINDING,
    "UPDATE finding SET ranges = x'0000000000010000ff'" A_FINDING,
    "UPDATE finding SET ranges = x'00ffffffffffffffffff010000'" A_FINDING,
    "UPDATE finding SET ranges = x'05000000ffffffffffffffffff01000000'" A_FINDING,
    "UPDATE finding SET ranges = x'00000100'" A_FINDING,
    "UPDATE finding SET resemblance = -0.1" A_FINDING,
    "UPDATE finding SET resemblance = 1.1" A_FINDING,
    "UPDATE finding SET containment = 9e999" A_FINDING,
    "UPDATE finding SET edits = NULL, edits_low = 1.0" A_FINDING,
    "UPDATE finding SET edits = 1.0, edits_low = NULL" A_FINDING,
    "UPDATE finding SET edits = -1.0, edits_low = 0.0, edits_high = 0.0" A_FINDING,
    "UPDATE finding SET edits = 1.0, edits_low = 0.0, edits_high = 9e999" A_FINDING,
    "UPDATE finding SET ln_e = 9e999" A_FINDING,
    "UPDATE finding SET proof = 'none'" A_FINDING,
    "UPDATE finding SET proved = blocks + 1" A_FINDING,
    "UPDATE finding SET proved = -1" A_FINDING,
    "UPDATE finding SET also = -1" A_FINDING,
    "INSERT INTO finding SELECT 1, object, rank + 10, 2, file, sha1, md5, sha256, size, name, verdict, "
    "obj_start, obj_end,"
    " ref_start, ref_end, matched, ranges, resemblance, containment, edits, edits_low, edits_high, ln_e, "
    "proof, proved,"
    " blocks, also FROM finding" A_FINDING,
    "INSERT INTO problem VALUES (3, 1, 'x')",
    "INSERT INTO problem VALUES ((1 << 40) + 1, 1, char(0))",
};

static void ignore_text(void *arg, const char *text)
{
    (void)arg;
    (void)text;
}

static void ignore_entry(void *arg, const struct case_entry *entry)
{
    (void)arg;
    (void)entry;
}

/* Everything that reads, whatever the result. */
static void read_whatever(struct casefile *casefile)
{
    const struct case_filter filter = {.known = true, .objects = true};
    struct case_reader *reader = casefile_reader_new(casefile, &filter, &err);
    struct case_evidence evidence;
    struct case_counts counts;
    struct case_row row;
    uint64_t objects, item;

    while (reader && casefile_reader_next(reader, &row, &err) > 0)
        ck_assert(row.evidence && (!row.has_finding || row.set));
    casefile_reader_free(reader);
    for (uint64_t number = 0; number < 6; number++) {
        casefile_evidence(casefile, number, &evidence, &err);
        casefile_progress(casefile, number, &objects, &item, &err);
        casefile_count(casefile, number, &counts, &err);
        casefile_problems(casefile, number, ignore_text, NULL, &err);
        casefile_skip(casefile, number, &objects,
                      &(struct case_object){.address = "3-128-3", .size = 1, .paths = ""}, &err);
    }
    casefile_read_log(casefile, ignore_entry, NULL, &err);
}

static void use_whatever(void)
{
    const struct case_plan plan = make_plan();
    struct casefile *casefile = casefile_open_report(path, &err);

    if (casefile)
        read_whatever(casefile);
    casefile_close(casefile, NULL);
    casefile = casefile_open(path, &plan, &err);
    if (casefile) {
        for (uint64_t i = 0; i < 20; i++)
            try_add(casefile, 1, 900 + i, 0);
        casefile_problem(casefile, 1, "more", &err);
        casefile_log(casefile, NOW, "more", &err);
    }
    casefile_close(casefile, NULL);
}

static void make_case(void)
{
    struct casefile *casefile = open_case();

    ck_assert_int_eq(casefile_log(casefile, NOW, "begun", &err), 0);
    add_objects(casefile, 1, 1, 151);
    add_objects(casefile, 2, 1, 51);
    ck_assert_int_eq(casefile_problem(casefile, 2, "a problem", &err), 0);
    close_case(casefile);
}

START_TEST(every_kind_of_damage_is_detected_and_does_no_harm)
{
    uint8_t *good;
    size_t len;

    begin_test();
    make_case();
    assert_case(150, 50, 0);
    good = file_load(path, &len);
    for (size_t i = 0; i < sizeof spoilings / sizeof *spoilings; i++) {
        spoil(spoilings[i]);
        ck_assert_msg(count_faults() != 0, "%s", spoilings[i]);
        use_whatever();
        file_store(path, good, len);
    }
    assert_good();
    free(good);
    end_test();
}
END_TEST

START_TEST(an_unreadable_row_is_an_error_that_says_so)
{
    const struct case_filter filter = {.known = true, .objects = true};
    struct case_reader *reader;
    struct casefile *casefile;
    struct case_row row;
    int result;

    begin_test();
    make_case();
    spoil("UPDATE finding SET resemblance = 2.0" A_FINDING);
    casefile = open_report();
    reader = casefile_reader_new(casefile, &filter, &err);
    while ((result = casefile_reader_next(reader, &row, &err)) > 0)
        ;
    ck_assert_int_eq(result, -1);
    ck_assert_msg(strstr(err.text, path) && strstr(err.text, "the case is damaged"), "%s", err.text);
    casefile_reader_free(reader);
    close_case(casefile);
    end_test();
}
END_TEST
RUN_TESTS("casefile_verify", the_log_is_read_back_in_order, a_changed_log_is_detected,
          changes_to_sealed_rows_are_detected, every_kind_of_damage_is_detected_and_does_no_harm,
          an_unreadable_row_is_an_error_that_says_so)
