/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "matching.h"

/* What set.h promises for every set: one in an SQLite file and one in memory give the same answers. */

enum { COPIES = 12, FILES = 40, COMMON = 5 };

struct pair {
    struct bytes contents[FILES];
    struct refset_cache *cache;
    struct set *sets[2]; /* on disk and in memory */
};

/* Random, text, near-copies of one (so that some of their samples are common), and one that repeats itself;
 * some are hash-only entries, some are too small for samples. */
static void make_contents(struct bytes *contents)
{
    static const size_t lens[] = {0, 3, 700, 4096, 20000, 300000, 1500000};

    for (size_t i = 0; i < FILES; i++)
        if (i > 0 && i <= COPIES) {
            contents[i] = copy_of(i == 1 ? contents[0] : contents[1], 0, contents[0].len);
            substitute(contents[i], 5 * i);
        } else if (i == COPIES + 1) {
            contents[i] = new_bytes(60000);
            for (size_t at = 0; at < 60000; at += 5000)
                put(contents[i], at, (struct bytes){contents[0].data, 5000});
        } else {
            const size_t len = i ? lens[i % (sizeof lens / sizeof *lens)] + i : 30000;

            contents[i] = i % 2 ? random_bytes(len) : text(len);
        }
}

static void begin_pair(struct pair *pair)
{
    begin_test();
    make_contents(pair->contents);
    new_set_with(REFSET_NOTABLE, SAMPLER_DEFAULT_N, SAMPLER_DEFAULT_C, COMMON);
    for (size_t i = 0; i < FILES; i++)
        if (i % 5 == 4)
            add_digests(0, pair->contents[i], DIGEST_BIT(i % DIGEST_KINDS));
        else
            add_file(0, pair->contents[i]);
    begin_scan(false);
    pair->cache = refset_cache_new(fixture.searches[0], 1 << 16, &fixture.err);
    ck_assert_ptr_nonnull(pair->cache);
    pair->sets[0] = refset_cache_set(pair->cache);
    pair->sets[1] = &fixture.twins[0].base;
}

static void end_pair(struct pair *pair)
{
    refset_cache_free(pair->cache);
    for (size_t i = 0; i < FILES; i++)
        free(pair->contents[i].data);
    end_test();
}

static uint64_t sample_count(const struct pair *pair)
{
    return pair->sets[0]->does->info(pair->sets[0])->counts.next_sample;
}

START_TEST(a_set_describes_its_contents)
{
    struct pair pair;
    const struct refset_info *a, *b;

    begin_pair(&pair);
    a = pair.sets[0]->does->info(pair.sets[0]);
    b = pair.sets[1]->does->info(pair.sets[1]);
    ck_assert_mem_eq(&a->params, &b->params, sizeof a->params);
    ck_assert_uint_eq(a->counts.files, FILES);
    ck_assert_uint_eq(a->counts.files, b->counts.files);
    ck_assert_uint_eq(a->counts.records, b->counts.records);
    ck_assert_uint_eq(a->counts.sampled, b->counts.sampled);
    ck_assert_uint_eq(a->counts.without_sha1, b->counts.without_sha1);
    ck_assert_uint_eq(a->counts.samples, b->counts.samples);
    ck_assert_uint_eq(a->counts.next_sample, b->counts.next_sample);
    ck_assert_str_eq(pair.sets[0]->does->name(pair.sets[0]), fixture.paths[0]);
    ck_assert_str_ne(pair.sets[1]->does->name(pair.sets[1]), "");
    end_pair(&pair);
}
END_TEST

/* The keys of a content, and as many that no file has. */
static size_t keys_of(struct bytes bytes, uint64_t **keys)
{
    struct record record = {0};
    const size_t room = bytes.len + 1;
    size_t count = 0;

    sign(&record, bytes, SAMPLER_DEFAULT_N, SAMPLER_DEFAULT_C);
    *keys = calloc(2 * room, sizeof **keys);
    for (size_t i = 0; i < record.count; i++) {
        (*keys)[count++] = known_key(record.samples[i].fp);
        (*keys)[count++] = known_key(random64());
    }
    record_release(&record);
    return count;
}

START_TEST(the_samples_with_a_key_are_found_and_of_those_of_very_many_files_some)
{
    struct pair pair;
    size_t found = 0, common = 0;

    begin_pair(&pair);
    for (size_t i = 0; i < FILES; i++) {
        uint64_t *keys;
        const size_t count = keys_of(pair.contents[i], &keys);
        struct set_hits hits[2] = {{0}, {0}};
        uint32_t *passed[2];
        size_t passes[2];

        for (int k = 0; k < 2; k++) {
            ck_assert_int_eq(pair.sets[k]->does->hits(pair.sets[k], keys, count, &hits[k], &fixture.err), 0);
            passed[k] = calloc(count + 1, sizeof **passed);
            passes[k] = pair.sets[k]->does->probe(pair.sets[k], keys, count, passed[k]);
        }
        ck_assert_uint_eq(hits[0].count, hits[1].count);
        for (size_t at = 0; at < hits[0].count; at++) {
            const struct set_hit *a = &hits[0].list[at], *b = &hits[1].list[at];

            ck_assert_uint_eq(a->query, b->query);
            ck_assert_uint_eq(a->files, b->files);
            ck_assert_uint_eq(a->sample, b->sample);
            found += a->files <= COMMON;
            common += a->files > COMMON;
        }
        ck_assert_uint_eq(passes[0], passes[1]);
        ck_assert_mem_eq(passed[0], passed[1], passes[0] * sizeof **passed);
        for (int k = 0; k < 2; k++) {
            set_hits_release(&hits[k]);
            free(passed[k]);
        }
        free(keys);
    }
    ck_assert_uint_gt(found, 1000);
    ck_assert_uint_gt(common, 1000);
    end_pair(&pair);
}
END_TEST

START_TEST(every_sample_is_within_the_bounds_of_a_record)
{
    struct pair pair;

    begin_pair(&pair);
    for (uint64_t sample = 0; sample < sample_count(&pair) + 3; sample++) {
        uint64_t first[2] = {0}, end[2] = {0};
        int found[2];

        for (int k = 0; k < 2; k++)
            found[k] = pair.sets[k]->does->bounds(pair.sets[k], sample, &first[k], &end[k], &fixture.err);
        ck_assert_int_eq(found[0], found[1]);
        ck_assert_int_eq(found[0], sample > 0);
        if (!found[0])
            continue;
        ck_assert_uint_eq(first[0], first[1]);
        ck_assert_uint_eq(end[0], end[1]);
    }
    end_pair(&pair);
}
END_TEST

START_TEST(a_record_is_found_by_its_first_sample_and_no_other)
{
    struct pair pair;
    size_t records = 0, repeats = 0, blocks = 0;

    begin_pair(&pair);
    for (uint64_t first = 0; first < sample_count(&pair) + 3; first++) {
        const struct set_record *record[2];
        int found[2];

        for (int k = 0; k < 2; k++)
            found[k] = pair.sets[k]->does->record(pair.sets[k], first, &record[k], &fixture.err);
        ck_assert_int_eq(found[0], found[1]);
        if (!found[0])
            continue;
        assert_same_record(record[0], record[1]);
        records++;
        repeats += record[0]->repeat_count;
        blocks += record[0]->blocks.len;
    }
    ck_assert_uint_eq(records, pair.sets[0]->does->info(pair.sets[0])->counts.records);
    ck_assert_uint_gt(repeats, 100);
    ck_assert_uint_gt(blocks, 1000);
    end_pair(&pair);
}
END_TEST

START_TEST(a_file_is_found_by_each_of_its_digests_unless_another_contradicts)
{
    struct pair pair;

    begin_pair(&pair);
    for (size_t i = 0; i < FILES; i++)
        for (unsigned kinds = 1; kinds < DIGEST_BIT(DIGEST_KINDS); kinds++)
            for (int wrong = -1; wrong < DIGEST_KINDS; wrong++) {
                struct record record = {0};
                uint64_t file[2];

                sign(&record, pair.contents[i], SAMPLER_DEFAULT_N, SAMPLER_DEFAULT_C);
                record.digests.kinds = kinds;
                if (wrong >= 0)
                    record.digests.bytes[wrong][3] ^= 1;
                for (int k = 0; k < 2; k++)
                    ck_assert_int_eq(
                        pair.sets[k]->does->find(pair.sets[k], &record.digests, &file[k], &fixture.err), 0);
                ck_assert_uint_eq(file[0], file[1]);
                if (wrong < 0 && i % 5 != 4)
                    ck_assert_uint_eq(file[0], i + 1);
                record_release(&record);
            }
    end_pair(&pair);
}
END_TEST

START_TEST(files_are_numbered_from_one)
{
    struct pair pair;

    begin_pair(&pair);
    for (uint64_t id = 0; id < FILES + 3; id++) {
        struct set_file file[2] = {0};
        int found[2];

        for (int k = 0; k < 2; k++)
            found[k] = pair.sets[k]->does->file(pair.sets[k], id, &file[k], &fixture.err);
        ck_assert_int_eq(found[0], found[1]);
        ck_assert_int_eq(found[0], id > 0 && id <= FILES);
        if (found[0]) {
            ck_assert_uint_eq(file[0].id, id);
            ck_assert_uint_eq(file[0].digests.kinds, file[1].digests.kinds);
            ck_assert_uint_eq(digest_differing(&file[0].digests, &file[1].digests), 0);
            ck_assert_int_eq(file[0].has_size, file[1].has_size);
            ck_assert_uint_eq(file[0].size, file[1].size);
            ck_assert_int_eq(file[0].has_record, file[1].has_record);
            ck_assert_uint_eq(file[0].first, file[1].first);
            ck_assert_uint_eq(file[0].source, file[1].source);
        }
        set_file_release(&file[0]);
        set_file_release(&file[1]);
    }
    end_pair(&pair);
}
END_TEST

/* Matching when very many samples are in too many files. */
START_TEST(objects_of_common_content_are_matched_alike)
{
    struct pair pair;
    struct bytes bytes = random_bytes(200000);

    begin_pair(&pair);
    for (size_t i = 0; i < COPIES; i++) {
        put(bytes, 60001, pair.contents[i]);
        scan(pair.contents[i]); /* compares what is found with either set */
        scan(bytes);
    }
    put(bytes, 100003, pair.contents[18]);
    ck_assert_uint_ge(scan(bytes)->count, 1);
    free(bytes.data);
    end_pair(&pair);
}
END_TEST

RUN_TESTS("set", a_set_describes_its_contents,
          the_samples_with_a_key_are_found_and_of_those_of_very_many_files_some,
          every_sample_is_within_the_bounds_of_a_record, a_record_is_found_by_its_first_sample_and_no_other,
          a_file_is_found_by_each_of_its_digests_unless_another_contradicts, files_are_numbered_from_one,
          objects_of_common_content_are_matched_alike)
