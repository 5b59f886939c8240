/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "match/effort.h"
#include "matching.h"

/* How an object arrives, what a scan is planned with, and what workers report. */

START_TEST(findings_do_not_depend_on_how_an_object_is_cut)
{
    static const size_t pieces[] = {1 << 20, 100001, 4097, 300000};
    struct bytes bytes = random_bytes(3000001), changed;
    struct buffer whole = {0};

    begin_files(50000);
    changed = copy_of(fixture.files[0], 0, fixture.files[0].len);
    substitute(changed, 50);
    memset(bytes.data + 1000000, 0, 700000);
    put(bytes, 100001, fixture.files[0]);
    put(bytes, 1200000, fixture.files[1]);
    put(bytes, 2900000, changed);
    scan(bytes);
    ck_assert_uint_ge(fixture.parts[0].findings.count, 3);
    buffer_add(&whole, fixture.object.result.data, fixture.object.result.len);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        scan_in_pieces(bytes, pieces[i], i % 2 == 0);
        ck_assert_uint_eq(fixture.object.result.len, whole.len);
        ck_assert_mem_eq(fixture.object.result.data, whole.data, whole.len);
    }
    buffer_release(&whole);
    free(changed.data);
    free(bytes.data);
    end_files();
}
END_TEST

START_TEST(excessive_work_is_dropped_and_reported_and_findings_so_far_are_kept)
{
    struct bytes bytes = random_bytes(3000001);
    size_t some = 0;

    begin_files(50000);
    for (size_t i = 0; i < 2; i++) {
        struct bytes changed = copy_of(fixture.files[i], 0, fixture.files[i].len);

        substitute(changed, 50);
        put(bytes, 100001 + 1400000 * i, changed);
        free(changed.data);
    }
    scan(bytes);
    ck_assert_uint_eq(fixture.parts[0].findings.count, 2);
    ck_assert_uint_eq(fixture.parts[0].findings.lacks, 0);
    for (uint64_t most = 1; most < 1 << 16; most *= 4) {
        next_scanner();
        fixture.plan.matching.most_work = most;
        scan(bytes);
        ck_assert_uint_le(fixture.parts[0].findings.count, 2);
        if (fixture.parts[0].findings.count < 2)
            ck_assert_int_eq(fixture.parts[0].findings.lacks, FINDINGS_CUT);
        some += fixture.parts[0].findings.count == 1;
    }
    ck_assert_uint_gt(some, 0);
    ck_assert_uint_eq(fixture.parts[0].findings.count, 2);
    ck_assert_uint_eq(fixture.parts[0].findings.lacks, 0);
    free(bytes.data);
    end_files();
}
END_TEST

static void count_report(void *arg)
{
    ++*(unsigned *)arg;
}

START_TEST(work_is_reported_as_progress_at_intervals)
{
    unsigned reports = 0;
    const struct inspector_watch watch = {.progress = count_report, .arg = &reports};
    struct effort effort = {.most = 10 * (uint64_t)EFFORT_REPORT, .watch = &watch};

    for (size_t i = 0; i < 1000; i++) {
        ck_assert(!effort_is_spent(&effort));
        effort_add(&effort, EFFORT_REPORT / 100);
    }
    effort_add(&effort, EFFORT_REPORT);
    ck_assert(effort_is_spent(&effort));
    ck_assert_uint_ge(reports, 10);
    ck_assert_uint_le(reports, 11);
}
END_TEST

START_TEST(chunks_are_scanned_one_by_one)
{
    struct bytes bytes = random_bytes(350000), whole = random_bytes(100000);

    begin_files(30000);
    put(bytes, 220001, fixture.files[0]);
    put(bytes, 185000, fixture.files[1]); /* half of it in either chunk */
    put(whole, 0, fixture.files[0]);
    fixture.plan.chunk = 100000;
    for (size_t most = 350000; most > 1000; most /= 7) {
        scan_in_pieces(bytes, most, false);
        ck_assert_uint_eq(fixture.part_count, 4);
        ck_assert_uint_eq(fixture.parts[3].len, 50000);
        ck_assert_int_eq(fixture.parts[0].verdict, VERDICT_NONE);
        ck_assert_int_eq(fixture.parts[1].verdict, VERDICT_FRAGMENT);
        assert_range(&fixture.parts[1].findings.list[0], 85000, 0, 15000, 2 * PAIR_C);
        ck_assert_uint_eq(fixture.parts[2].findings.count, 2);
        assert_embedded(&fixture.parts[2].findings.list[0], 0, fixture.files[0], 20001);
        assert_of(&fixture.parts[2].findings.list[1], 0, fixture.files[1]);
        ck_assert_int_eq(fixture.parts[3].verdict, VERDICT_NONE);
    }
    scan_in_pieces(whole, 30000, false); /* exactly one chunk */
    ck_assert_uint_eq(fixture.part_count, 1);
    free(bytes.data);
    free(whole.data);
    end_files();
}
END_TEST

START_TEST(objects_larger_than_the_limit_are_not_read)
{
    struct object large = {.size = 100001}, fitting = {.size = 100000};

    begin_files(3000);
    fixture.plan.most = 100000;
    fixture.current.content.read = read_current;
    open_scanner();
    ck_assert(!fixture.inspector.begin(fixture.scanner, &large, &fixture.current.content));
    ck_assert(fixture.inspector.begin(fixture.scanner, &fitting, &fixture.current.content));
    end_files();
}
END_TEST

START_TEST(content_that_cannot_be_reread_is_still_found)
{
    struct bytes bytes = random_bytes(300000);
    const struct findings *findings;

    begin_files(30000);
    put(bytes, 111111, fixture.files[0]);
    fixture.current.gone = true;
    findings = scan(bytes);
    ck_assert_uint_eq(findings->count, 1);
    assert_of(&findings->list[0], 0, fixture.files[0]);
    ck_assert_int_eq(findings->list[0].verdict, VERDICT_EMBEDDED);
    ck_assert_int_eq(findings->list[0].proof, PROOF_ESTIMATE);
    assert_range(&findings->list[0], 111111, 0, 30000, 4 * PAIR_C);
    free(bytes.data);
    end_files();
}
END_TEST

/* More samples than are kept of one object: they are thinned, and what is small is sampled again. */
START_TEST(a_small_file_in_a_huge_object_is_found)
{
    struct bytes bytes = random_bytes(21 << 20), file = random_bytes(2001), larger = text(60000);
    const struct findings *findings;

    begin_test();
    new_set_of(REFSET_NOTABLE, SAMPLER_DEFAULT_N, 32);
    add_strangers(0, 10);
    add_file(0, file);
    add_file(0, larger);
    begin_scan(true);
    ck_assert_uint_eq(fixture.plan.c, 8);
    put(bytes, 10000001, file);
    put(bytes, 20000001, larger);
    findings = scan(bytes);
    ck_assert_uint_eq(findings->count, 2);
    assert_embedded(&findings->list[0], 0, larger, 20000001);
    assert_embedded(&findings->list[1], 0, file, 10000001);
    fixture.current.gone = true; /* then the samples that were kept must suffice */
    findings = scan(bytes);
    ck_assert_uint_eq(findings->count, 2);
    for (int i = 0; i < 2; i++) {
        assert_of(&findings->list[i], 0, i ? file : larger);
        ck_assert_int_eq(findings->list[i].verdict, VERDICT_EMBEDDED);
        ck_assert_int_eq(findings->list[i].proof, PROOF_ESTIMATE);
        assert_range(&findings->list[i], i ? 10000001 : 20000001, 0, i ? 2001 : 60000, 512);
    }
    free(bytes.data);
    free(file.data);
    free(larger.data);
    end_test();
}
END_TEST

/* Like a caller that has no content to give. */
START_TEST(a_matcher_works_without_the_content)
{
    struct bytes bytes = random_bytes(100000);
    struct refset_cache *cache;
    struct matcher *matcher;

    begin_files(30000);
    ck_assert_uint_eq(fixture.set_count, 1);
    put(bytes, 33333, fixture.files[1]);
    cache = refset_cache_new(fixture.searches[0], 1 << 20, &fixture.err);
    ck_assert_ptr_nonnull(cache);
    matcher = matcher_new(&(struct set *){refset_cache_set(cache)}, 1, &fixture.plan.matching, &fixture.err);
    ck_assert_ptr_nonnull(matcher);
    for (int round = 0; round < 3; round++) {
        struct record record = {0};
        struct findings findings = {0};
        enum verdict verdict;

        sign(&record, bytes, SAMPLER_DEFAULT_N, SAMPLER_DEFAULT_C);
        matcher_begin(matcher, bytes.len, record.params.c, NULL);
        for (size_t done = 0, piece; done < record.count; done += piece) {
            piece = 1 + random_below(record.count - done);
            ck_assert_int_eq(matcher_take(matcher, record.samples + done, piece, &fixture.err), 0);
        }
        ck_assert_int_eq(
            matcher_end(matcher, &record.digests, record.coincidence, &findings, &verdict, &fixture.err), 0);
        ck_assert_int_eq(verdict, VERDICT_EMBEDDED);
        ck_assert_uint_eq(findings.count, 1);
        ck_assert_int_eq(findings.list[0].proof, PROOF_ESTIMATE);
        assert_range(&findings.list[0], 33333, 0, 30000, 4 * PAIR_C);
        finding_list_release(&findings);
        record_release(&record);
    }
    matcher_free(matcher);
    refset_cache_free(cache);
    matcher_free(NULL);
    free(bytes.data);
    end_files();
}
END_TEST

/* ---- plans ---- */

START_TEST(a_plan_covers_what_all_its_sets_need)
{
    struct bytes file = text(5000);

    begin_test();
    add_file(new_set_of(REFSET_NOTABLE, 12, 128), file);
    add_file(new_set_of(REFSET_NOTABLE, 12, 64), file);
    new_set_of(REFSET_KNOWN, 20, 16); /* without samples: it does not matter how they would be taken */
    add_digests(2, file, DIGEST_BIT(DIGEST_MD5));
    add_file(new_set_of(REFSET_NOTABLE, 12, 16), file);
    begin_scan(false);
    ck_assert_uint_eq(fixture.plan.c, 16);
    ck_assert_uint_eq(scan(file)->count, 4);
    next_scanner();
    fixture.plan.count = 3;
    ck_assert_int_eq(scanner_plan_sets(&fixture.plan, false, &fixture.err), 0);
    ck_assert_uint_eq(fixture.plan.c, 64);
    ck_assert_uint_eq(fixture.plan.digests,
                      DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_MD5) | DIGEST_BIT(DIGEST_SHA256));
    ck_assert_uint_eq(scan(file)->count, 3);
    ck_assert_int_eq(scanner_plan_sets(&fixture.plan, true, &fixture.err), 0);
    ck_assert_uint_eq(fixture.plan.c, 16);
    fixture.plan.count = 1;
    ck_assert_int_eq(scanner_plan_sets(&fixture.plan, false, &fixture.err), 0);
    ck_assert_uint_eq(fixture.plan.c, 128);
    fixture.plan.searches = &fixture.searches[3];
    ck_assert_int_eq(scanner_plan_sets(&fixture.plan, true, &fixture.err), 0);
    ck_assert_uint_eq(fixture.plan.c, 8);
    fixture.plan.searches = fixture.searches;
    for (unsigned asked = 0; asked < 1u << DIGEST_KINDS; asked++) {
        fixture.plan.digests = asked;
        ck_assert_int_eq(scanner_plan_sets(&fixture.plan, false, &fixture.err), 0);
        ck_assert_uint_eq(fixture.plan.digests, asked | DIGEST_BIT(DIGEST_SHA1));
    }
    fixture.plan.count = 3;
    free(file.data);
    end_test();
}
END_TEST

START_TEST(sets_with_different_windows_cannot_be_combined)
{
    struct bytes file = text(5000);

    begin_test();
    new_set_of(REFSET_NOTABLE, 12, 128);
    add_digests(0, file, DIGEST_BIT(DIGEST_SHA1));
    add_file(new_set_of(REFSET_NOTABLE, 16, 128), file);
    begin_scan(false);
    ck_assert_uint_eq(scan(file)->count, 2);
    end_test();
    next_scanner();
    begin_test();
    add_file(new_set_of(REFSET_NOTABLE, 12, 128), file);
    add_file(new_set(REFSET_NOTABLE), file);
    begin_scan(false);
    end_test();
    begin_test();
    add_file(new_set_of(REFSET_NOTABLE, 20, 128), file);
    begin_scan(false);
    add_file(new_set_of(REFSET_NOTABLE, 12, 128), file);
    ck_assert_int_eq(refset_writer_commit(fixture.writers[1], &fixture.err), 0);
    refset_writer_free(fixture.writers[1]);
    fixture.searches[1] = refset_search_new(fixture.sets[1], REFSET_SEARCH_FEATURES, &fixture.err);
    fixture.plan.paths = (const char *const[]){fixture.paths[0], fixture.paths[1]};
    fixture.plan.count = 2;
    fixture.err.text[0] = '\0';
    ck_assert_int_eq(scanner_plan_sets(&fixture.plan, false, &fixture.err), -1);
    ck_assert_ptr_nonnull(strstr(fixture.err.text, "n = 20"));
    free(file.data);
    end_test();
}
END_TEST

/* ---- messages ---- */

static int first_of_result(struct buffer *result, uint64_t size, struct scanner_part *part)
{
    struct object sent = {.size = size, .result = *result};
    struct scanner_result reader;
    int got;

    scanner_result_begin(&reader, &sent);
    got = scanner_result_next(&reader, &fixture.plan, part, &fixture.err);
    buffer_reset(result);
    return got;
}

static void put_part(struct buffer *out, uint64_t len, unsigned kinds, uint64_t verdict,
                     const struct findings *findings)
{
    const struct digest_values digests = {.kinds = kinds};

    wire_put(out, 0);
    wire_put(out, len);
    wire_put_bytes(out, &digests, sizeof digests);
    wire_put(out, verdict);
    finding_list_encode(out, findings);
}

START_TEST(an_impossible_result_is_refused)
{
    struct finding finding = {.verdict = VERDICT_VARIANT};
    const struct findings none = {0}, one = {.list = &finding, .count = 1};
    struct scanner_part part = {0};
    struct buffer result = {0};

    fixture.plan = (struct scanner_plan){.count = 2, .digests = DIGEST_BIT(DIGEST_SHA1)};
    put_part(&result, 100, 1, VERDICT_NONE, &none);
    ck_assert_int_eq(first_of_result(&result, 100, &part), 1);
    put_part(&result, 100, 1, VERDICT_VARIANT, &one);
    ck_assert_int_eq(first_of_result(&result, 100, &part), 1);
    ck_assert_int_eq(first_of_result(&result, 100, &part), SCANNER_INVALID); /* nothing at all */
    put_part(&result, 101, 1, VERDICT_NONE, &none);
    ck_assert_int_eq(first_of_result(&result, 100, &part), SCANNER_INVALID);
    put_part(&result, 100, 2, VERDICT_NONE, &none);
    ck_assert_int_eq(first_of_result(&result, 100, &part), SCANNER_INVALID);
    put_part(&result, 100, 1, VERDICT_UNREADABLE, &none);
    ck_assert_int_eq(first_of_result(&result, 100, &part), SCANNER_INVALID);
    put_part(&result, 100, 1, VERDICT_NONE, &one);
    ck_assert_int_eq(first_of_result(&result, 100, &part), SCANNER_INVALID);
    put_part(&result, 100, 1, VERDICT_VARIANT, &none);
    ck_assert_int_eq(first_of_result(&result, 100, &part), SCANNER_INVALID);
    put_part(&result, 100, 1, VERDICT_IDENTICAL, &one); /* not that of the first finding */
    ck_assert_int_eq(first_of_result(&result, 100, &part), SCANNER_INVALID);
    finding.set = 2;
    put_part(&result, 100, 1, VERDICT_VARIANT, &one);
    ck_assert_int_eq(first_of_result(&result, 100, &part), SCANNER_INVALID);
    finding_list_release(&part.findings);
    buffer_release(&result);
}
END_TEST

START_TEST(a_failed_worker_says_why)
{
    struct scanner_part part = {0};
    struct buffer result = {0};

    wire_put(&result, 1);
    wire_put_bytes(&result, "the disk is full", 16);
    ck_assert_int_eq(first_of_result(&result, 100, &part), -1);
    ck_assert_str_eq(fixture.err.text, "the disk is full");
    buffer_release(&result);
}
END_TEST

RUN_TESTS("scanner", findings_do_not_depend_on_how_an_object_is_cut,
          excessive_work_is_dropped_and_reported_and_findings_so_far_are_kept,
          work_is_reported_as_progress_at_intervals, chunks_are_scanned_one_by_one,
          objects_larger_than_the_limit_are_not_read, content_that_cannot_be_reread_is_still_found,
          a_small_file_in_a_huge_object_is_found, a_matcher_works_without_the_content,
          a_plan_covers_what_all_its_sets_need, sets_with_different_windows_cannot_be_combined,
          an_impossible_result_is_refused, a_failed_worker_says_why)
