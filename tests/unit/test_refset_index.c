/* SPDX-License-Identifier: Apache-2.0 */
#include "refset_twin.h"
#include "set/refset_index.h"

enum { ENTRIES = 30000, PARTS = 40 };

static struct keyblock_entry entries[ENTRIES], scratch[ENTRIES], wanted[ENTRIES], got[2 * ENTRIES];

static int by_key_and_value(const void *a, const void *b)
{
    const struct keyblock_entry *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

static size_t sort_once(struct keyblock_entry *list, size_t count)
{
    size_t kept = 0;

    qsort(list, count, sizeof *list, by_key_and_value);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || by_key_and_value(&list[i], &list[kept - 1]) != 0)
            list[kept++] = list[i];
    return kept;
}

/* Some keys have many values; some entries occur twice. */
static void make_entries(size_t count, uint64_t keys, uint64_t values)
{
    for (size_t i = 0; i < count; i++) {
        entries[i] = (struct keyblock_entry){random_below(random_below(keys) + 1), random_below(values)};
        if (i && random_below(50) == 0)
            entries[i] = entries[random_below(i)];
    }
    memcpy(wanted, entries, count * sizeof *entries);
}

static void begin_write(struct refset *set)
{
    set->info.generation++;
    ck_assert_int_eq(database_begin(set->database, &err), 0);
}

static void end_write(struct refset *set)
{
    ck_assert_int_eq(refset_save_info(set, &err), 0);
    ck_assert_int_eq(database_commit(set->database, &err), 0);
}

static void write_entries(struct refset *set, enum refset_index index, size_t from, size_t count)
{
    begin_write(set);
    ck_assert_msg(refset_index_write(set, index, entries + from, scratch, count, &err) == 0, "%s", err.text);
    end_write(set);
}

/* All of an index, sorted; segments must match their rows, and their filters must hold their keys. */
static size_t read_index(struct refset *set, enum refset_index index, size_t *segment_count)
{
    struct refset_segments segments = {0};
    const struct keyblock_entry *block;
    size_t total = 0, count;
    bool rebuilt;

    *segment_count = 0;
    ck_assert_msg(refset_segments_read(set, &segments, NULL, &err) == 0, "%s", err.text);
    for (size_t i = 0; i < segments.count; i++) {
        const struct refset_segment *segment = &segments.list[i];
        const size_t begin = total;
        struct refset_cursor *cursor;
        struct bloom *bloom;
        uint64_t keys = 0;

        ck_assert(i == 0 || segment->index > segment[-1].index ||
                  (segment->index == segment[-1].index && segment->entries <= segment[-1].entries));
        if (segment->index != index)
            continue;
        ++*segment_count;
        cursor = refset_cursor_new(set, segment, &err);
        ck_assert_ptr_nonnull(cursor);
        while (refset_cursor_next(cursor, &block, &count, &err) > 0) {
            ck_assert_uint_le(total + count, 2 * ENTRIES);
            memcpy(got + total, block, count * sizeof *block);
            total += count;
            ck_assert_uint_eq(refset_cursor_key(cursor), got[total - 1].key);
        }
        refset_cursor_free(cursor);
        bloom = index == REFSET_COMMON ? NULL : refset_index_filter(set, segment, &rebuilt, &err);
        for (size_t j = begin; j < total; j++) {
            uint32_t passed;

            ck_assert(j == begin || by_key_and_value(&got[j - 1], &got[j]) < 0);
            keys += j == begin || got[j].key != got[j - 1].key;
            if (bloom)
                ck_assert_uint_eq(bloom_probe(bloom, &got[j].key, 1, &passed), 1);
        }
        ck_assert(!bloom || !rebuilt);
        bloom_free(bloom);
        ck_assert_uint_eq(segment->entries, total - begin);
        ck_assert_uint_eq(segment->keys, keys);
    }
    refset_segments_release(&segments);
    return sort_once(got, total);
}

static void assert_entries(struct refset *set, enum refset_index index, size_t count, size_t most_segments)
{
    size_t segments;

    count = sort_once(wanted, count);
    ck_assert_uint_eq(read_index(set, index, &segments), count);
    for (size_t i = 0; i < count; i++)
        ck_assert(got[i].key == wanted[i].key && got[i].value == wanted[i].value);
    ck_assert_uint_le(segments, most_segments);
}

START_TEST(the_key_depends_on_the_whole_digest_and_on_the_set)
{
    struct refset one = {.info = {.uuid = {1}}}, other = {.info = {.uuid = {2}}};
    uint8_t digest[DIGEST_SHA1_LEN] = {1, 2, 3};
    const uint64_t key = refset_digest_key(&one, DIGEST_SHA1, digest);

    ck_assert_uint_eq(key >> KEYBLOCK_KEY_BITS, 0);
    ck_assert_uint_eq(key, refset_digest_key(&one, DIGEST_SHA1, digest));
    ck_assert_uint_ne(key, refset_digest_key(&other, DIGEST_SHA1, digest));
    digest[DIGEST_SHA1_LEN - 1] = 1;
    ck_assert_uint_ne(key, refset_digest_key(&one, DIGEST_SHA1, digest));
}
END_TEST

START_TEST(entries_are_read_back_sorted)
{
    static const uint64_t keys[] = {5, 3000, (uint64_t)1 << 48};
    static const size_t counts[] = {1, 2, 1000, ENTRIES};
    struct refset *set;

    begin_test();
    for (size_t i = 0; i < 12; i++) {
        const size_t count = keys[i % 3] < 100 && counts[i / 3] > 200 ? 200 : counts[i / 3];

        set = create_at(path, 256);
        make_entries(count, keys[i % 3], i % 2 ? 40 : (uint64_t)1 << 48);
        write_entries(set, REFSET_SHA1, 0, count);
        assert_entries(set, REFSET_SHA1, count, 1);
        set = reopen(set, REFSET_READ);
        assert_entries(set, REFSET_SHA1, count, 1);
        close_set(set);
        unlink(path);
    }
    end_test();
}
END_TEST

START_TEST(no_entries_write_nothing)
{
    struct refset *set;
    size_t segments;

    begin_test();
    set = create_at(path, 256);
    write_entries(set, REFSET_FEATURE, 0, 0);
    ck_assert_uint_eq(read_index(set, REFSET_FEATURE, &segments), 0);
    ck_assert_uint_eq(segments, 0);
    ck_assert_int_eq(refset_index_merge(set, REFSET_FEATURE, true, &err), 0);
    close_set(set);
    end_test();
}
END_TEST

START_TEST(merging_loses_nothing_and_leaves_few_segments)
{
    struct refset *set;
    size_t at = 0, part;

    begin_test();
    set = create_at(path, 256);
    make_entries(ENTRIES, (uint64_t)1 << 30, 40);
    for (int i = 0; i < PARTS; i++, at += part) {
        part = i == PARTS - 1 ? ENTRIES - at : 1 + random_below(i % 7 ? 500 : 4000);
        part = part < ENTRIES - at ? part : ENTRIES - at;
        if (!part)
            break;
        begin_write(set);
        ck_assert_int_eq(refset_index_write(set, REFSET_MD5, entries + at, scratch, part, &err), 0);
        ck_assert_msg(refset_index_merge(set, REFSET_MD5, false, &err) == 0, "%s", err.text);
        end_write(set);
        if (i % 10 == 0) {
            memcpy(wanted, entries, (at + part) * sizeof *entries);
            assert_entries(set, REFSET_MD5, at + part, 4);
        }
    }
    memcpy(wanted, entries, at * sizeof *entries);
    assert_entries(set, REFSET_MD5, at, 4);
    begin_write(set);
    ck_assert_int_eq(refset_index_merge(set, REFSET_MD5, true, &err), 0);
    end_write(set);
    assert_entries(set, REFSET_MD5, at, 1);
    ck_assert_int_eq(database_run(set->database, "SELECT 1", &err), 0);
    close_set(set);
    ck_assert_int_eq(ask("SELECT count(*) FROM block WHERE key >> 48 NOT IN (SELECT id FROM segment)"), 0);
    ck_assert_int_eq(ask("SELECT count(*) FROM filter WHERE segment NOT IN (SELECT id FROM segment)"), 0);
    end_test();
}
END_TEST

/* Each of a thousand additions of one entry would be merged some log2(1000) times, not 250. */
START_TEST(an_entry_is_merged_only_a_few_times)
{
    enum { ADDITIONS = 400 };
    struct refset_segments segments = {0};
    uint64_t written = 0;
    struct refset *set;

    begin_test();
    set = create_at(path, 256);
    begin_write(set);
    for (uint64_t i = 0; i < ADDITIONS; i++) {
        struct keyblock_entry one = {random_below((uint64_t)1 << 48), i};

        set->info.generation++;
        ck_assert_int_eq(refset_index_write(set, REFSET_SHA1, &one, scratch, 1, &err), 0);
        ck_assert_int_eq(refset_index_merge(set, REFSET_SHA1, false, &err), 0);
        ck_assert_int_eq(refset_segments_read(set, &segments, NULL, &err), 0);
        ck_assert_uint_le(segments.count, 4);
        for (size_t j = 0; j < segments.count; j++)
            written += segments.list[j].generation == set->info.generation ? segments.list[j].entries : 0;
    }
    end_write(set);
    refset_segments_release(&segments);
    ck_assert_uint_le(written, ADDITIONS * 12);
    close_set(set);
    end_test();
}
END_TEST

/* ---- common features ---- */

static int by_hash(const void *a, const void *b)
{
    uint64_t hashes[2] = {((const struct keyblock_entry *)a)->value,
                          ((const struct keyblock_entry *)b)->value};

    for (int i = 0; i < 2; i++) {
        hashes[i] = (hashes[i] ^ hashes[i] >> 30) * 0xbf58476d1ce4e5b9;
        hashes[i] = (hashes[i] ^ hashes[i] >> 27) * 0x94d049bb133111eb;
        hashes[i] ^= hashes[i] >> 31;
    }
    return (hashes[0] > hashes[1]) - (hashes[0] < hashes[1]);
}

/* Which values a key has in all; the twin of the sieve. */
static void assert_sieved(struct refset *set, size_t count, size_t common)
{
    static struct keyblock_entry features[ENTRIES], lost[ENTRIES];
    size_t feature_count = 0, lost_count = 0, segments, found, end, kept;

    count = sort_once(wanted, count);
    for (size_t at = 0; at < count; at = end) {
        for (end = at; end < count && wanted[end].key == wanted[at].key;)
            end++;
        kept = end - at <= common ? end - at : common < 16 ? common : 16;
        if (kept < end - at)
            qsort(wanted + at + (kept + 1) / 2, end - at - (kept + 1) / 2, sizeof *wanted, by_hash);
        qsort(wanted + at, kept, sizeof *wanted, by_key_and_value);
        for (size_t i = at; i < end; i++)
            if (i - at < kept)
                features[feature_count++] = wanted[i];
            else
                lost[lost_count++] = (struct keyblock_entry){wanted[i].value, wanted[i].key};
        if (kept < end - at)
            features[feature_count++] =
                (struct keyblock_entry){wanted[at].key, KEYBLOCK_COMMON + (end - at - kept)};
    }
    found = read_index(set, REFSET_FEATURE, &segments);
    ck_assert_uint_eq(found, feature_count);
    for (size_t i = 0; i < found; i++)
        ck_assert(got[i].key == features[i].key && got[i].value == features[i].value);
    qsort(lost, lost_count, sizeof *lost, by_key_and_value);
    found = read_index(set, REFSET_COMMON, &segments);
    ck_assert_uint_eq(found, lost_count);
    for (size_t i = 0; i < found; i++)
        ck_assert(got[i].key == lost[i].key && got[i].value == lost[i].value);
}

START_TEST(of_common_features_some_values_are_kept_and_the_others_counted_and_stored_separately)
{
    static const uint32_t limits[] = {1, 3, 30, 256};
    struct refset *set;

    begin_test();
    for (size_t i = 0; i < 4; i++) {
        set = create_at(path, limits[i]);
        make_entries(8000, 2000, (uint64_t)1 << 40);
        for (size_t j = 0; j < 8000; j += 7)
            entries[j].key = j % 3;         /* hundreds of values */
        for (size_t j = 0; j < 8000; j++) { /* as samples, none occurs twice */
            entries[j].value = j * 0x9e3779b1 & 0xffffffff;
            wanted[j] = entries[j];
        }
        for (size_t at = 0, part; at < 8000; at += part) {
            part = 1 + random_below(2500);
            part = part < 8000 - at ? part : 8000 - at;
            write_entries(set, REFSET_FEATURE, at, part);
        }
        for (int index = REFSET_FEATURE; index <= REFSET_COMMON; index++) {
            begin_write(set);
            ck_assert_int_eq(refset_index_merge(set, (enum refset_index)index, true, &err), 0);
            end_write(set);
        }
        assert_sieved(set, 8000, limits[i]);
        close_set(set);
        unlink(path);
    }
    end_test();
}
END_TEST

START_TEST(a_lower_limit_marks_more_once_everything_is_merged)
{
    struct refset *set;

    begin_test();
    set = create_at(path, 256);
    make_entries(8000, 2000, (uint64_t)1 << 40);
    write_entries(set, REFSET_FEATURE, 0, 8000);
    memcpy(wanted, entries, 8000 * sizeof *entries);
    assert_sieved(set, 8000, 256);
    set->info.params.common = 5;
    for (int index = REFSET_FEATURE; index <= REFSET_COMMON; index++) {
        begin_write(set);
        ck_assert_int_eq(refset_index_merge(set, (enum refset_index)index, true, &err), 0);
        end_write(set);
    }
    assert_sieved(set, 8000, 5);
    close_set(set);
    end_test();
}
END_TEST

/* ---- cursors ---- */

START_TEST(a_cursor_resumes_at_the_first_block_at_or_after_a_key)
{
    struct refset_segments segments = {0};
    const struct keyblock_entry *block;
    struct refset_cursor *cursor;
    uint64_t firsts[500];
    struct refset *set;
    size_t blocks = 0, count;

    begin_test();
    set = create_at(path, 256);
    make_entries(ENTRIES, (uint64_t)1 << 47, 1000);
    write_entries(set, REFSET_SHA1, 0, ENTRIES / 2);
    write_entries(set, REFSET_SHA1, ENTRIES / 2, ENTRIES / 2);
    ck_assert_int_eq(refset_segments_read(set, &segments, NULL, &err), 0);
    cursor = refset_cursor_new(set, &segments.list[0], &err);
    while (refset_cursor_next(cursor, &block, &count, &err) > 0 && blocks < 500)
        firsts[blocks++] = block[0].key;
    ck_assert_uint_gt(blocks, 10);
    for (int i = 0; i < 200; i++) {
        const size_t at = random_below(blocks);
        const uint64_t key = firsts[at] - random_below(2);

        refset_cursor_seek(cursor, key);
        ck_assert_uint_eq(refset_cursor_key(cursor), key);
        ck_assert_int_eq(refset_cursor_next(cursor, &block, &count, &err), 1);
        ck_assert_uint_eq(block[0].key, firsts[at]);
    }
    refset_cursor_seek(cursor, firsts[blocks - 1] + 1);
    ck_assert_int_eq(refset_cursor_next(cursor, &block, &count, &err), 0);
    refset_cursor_free(cursor);
    refset_cursor_free(NULL);
    refset_segments_release(&segments);
    close_set(set);
    end_test();
}
END_TEST

START_TEST(the_largest_segment_number_can_be_read)
{
    struct refset *set;

    begin_test();
    set = create_at(path, 256);
    make_entries(1000, (uint64_t)1 << 48, 1000);
    entries[0] = wanted[0] = (struct keyblock_entry){((uint64_t)1 << 48) - 1, 5};
    write_entries(set, REFSET_SHA1, 0, 1000);
    close_set(set);
    spoil("UPDATE block SET key = 32767 << 48 | (key & 281474976710655);"
          "UPDATE filter SET segment = 32767; UPDATE segment SET id = 32767");
    set = open_as(REFSET_READ);
    assert_entries(set, REFSET_SHA1, 1000, 1);
    close_set(set);
    end_test();
}
END_TEST

/* ---- filters ---- */

START_TEST(a_wrong_filter_is_rebuilt)
{
    static const char *const sqls[] = {"DELETE FROM filter",
                                       "UPDATE filter SET crc = crc + 1",
                                       "UPDATE filter SET chunk = 1",
                                       "UPDATE filter SET generation = generation - 1",
                                       "UPDATE filter SET data = x''",
                                       "UPDATE filter SET data = zeroblob(length(data))",
                                       "UPDATE filter SET data = CAST(data || x'00' AS BLOB)"};
    struct refset_segments segments = {0};
    struct bloom *bloom, *anew;
    struct refset *set;
    uint8_t *good;
    size_t len;
    bool rebuilt;

    begin_test();
    set = create_at(path, 256);
    make_entries(5000, (uint64_t)1 << 48, 1000);
    write_entries(set, REFSET_SHA1, 0, 5000);
    ck_assert_int_eq(refset_segments_read(set, &segments, NULL, &err), 0);
    bloom = refset_index_filter(set, &segments.list[0], &rebuilt, &err);
    ck_assert(bloom && !rebuilt);
    close_set(set);
    good = file_load(path, &len);
    for (size_t i = 0; i < sizeof sqls / sizeof *sqls; i++) {
        spoil(sqls[i]);
        set = open_as(REFSET_WRITE);
        anew = refset_index_filter(set, &segments.list[0], &rebuilt, &err);
        ck_assert(anew && rebuilt && anew->blocks == bloom->blocks);
        ck_assert_mem_eq(anew->words, bloom->words, (size_t)bloom->blocks * BLOOM_BLOCK_LEN);
        if (i != 2) { /* then there is one chunk too many */
            ck_assert_int_eq(refset_index_store_filter(set, &segments.list[0], anew, &err), 0);
            bloom_free(anew);
            anew = refset_index_filter(set, &segments.list[0], &rebuilt, &err);
            ck_assert(anew && !rebuilt);
        }
        bloom_free(anew);
        close_set(set);
        file_store(path, good, len);
    }
    bloom_free(bloom);
    refset_segments_release(&segments);
    free(good);
    end_test();
}
END_TEST

START_TEST(an_impossible_segment_row_is_an_error_or_is_skipped)
{
    static const char *const sqls[] = {
        "UPDATE segment SET id = 32768",      "UPDATE segment SET id = -1",
        "UPDATE segment SET kind = 5",        "UPDATE segment SET kind = -1",
        "UPDATE segment SET entries = 0",     "UPDATE segment SET entries = 1 << 49",
        "UPDATE segment SET keys = 0",        "UPDATE segment SET keys = entries + 1",
        "UPDATE segment SET generation = -1", "UPDATE segment SET blocks = 0",
        "UPDATE segment SET blocks = -1",     "UPDATE segment SET blocks = blocks * 2",
        "UPDATE segment SET kind = 1", /* common ones have no filter */
    };
    struct refset_segments segments = {0};
    struct refset *set;
    unsigned bad;
    uint8_t *good;
    size_t len;

    begin_test();
    set = create_at(path, 256);
    make_entries(5000, (uint64_t)1 << 48, 1000);
    write_entries(set, REFSET_SHA1, 0, 5000);
    close_set(set);
    good = file_load(path, &len);
    for (size_t i = 0; i < sizeof sqls / sizeof *sqls; i++) {
        spoil(sqls[i]);
        set = open_as(REFSET_WRITE);
        ck_assert_msg(refset_segments_read(set, &segments, NULL, &err) == -1, "%s", sqls[i]);
        bad = 0;
        ck_assert_int_eq(refset_segments_read(set, &segments, &bad, &err), 0);
        ck_assert_uint_eq(bad, 1);
        ck_assert_uint_eq(segments.count, 0);
        close_set(set);
        file_store(path, good, len);
    }
    refset_segments_release(&segments);
    free(good);
    end_test();
}
END_TEST

RUN_TESTS("refset_index", the_key_depends_on_the_whole_digest_and_on_the_set, entries_are_read_back_sorted,
          no_entries_write_nothing, merging_loses_nothing_and_leaves_few_segments,
          an_entry_is_merged_only_a_few_times,
          of_common_features_some_values_are_kept_and_the_others_counted_and_stored_separately,
          a_lower_limit_marks_more_once_everything_is_merged,
          a_cursor_resumes_at_the_first_block_at_or_after_a_key, the_largest_segment_number_can_be_read,
          a_wrong_filter_is_rebuilt, an_impossible_segment_row_is_an_error_or_is_skipped)
