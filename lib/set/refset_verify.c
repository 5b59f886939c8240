/* SPDX-License-Identifier: Apache-2.0 */
#include "set/refset_verify.h"

#include <inttypes.h>
#include <string.h>

#include "set/refset_index.h"
#include "set/refset_reader.h"
#include "set/refset_search.h"

struct verify {
    struct refset *set;
    void (*fault)(void *arg, const char *text);
    void *arg;
    atomic_ullong *count;
    int faults, repeats;          /* repeats: of faults of pages that were reported before */
    struct refset_counts counts;  /* as counted */
    struct refset_search *search; /* to find files by number */
    struct set_file file;
    uint64_t digests[DIGEST_KINDS], entries[DIGEST_KINDS]; /* of files and in the indexes */
    bool counted; /* all files could be read, so the counts are valid */
    bool crowded; /* a key has the most values allowed, so some may be left out */
};

static void report_lost(void *arg, const char *text)
{
    struct verify *verify = arg;

    if (database_is_page_fault(text)) {
        verify->repeats++;
        return;
    }
    verify->faults++;
    verify->fault(verify->arg, text);
}

static void report(struct verify *verify, const struct error *why)
{
    report_lost(verify, why->text);
}

/* ---- the indexes ---- */

static const char *const index_names[REFSET_INDEXES] = {"feature", "common feature", "SHA-1", "MD5",
                                                        "SHA-256"};

/* An entry of a digest index must point to a file with such a digest, or to one that has been joined with
 * another. */
static int check_entry(struct verify *verify, enum refset_index index, const struct keyblock_entry *entry,
                       struct error *why)
{
    const int kind = (int)index - REFSET_SHA1;
    const int found = refset_search_file(verify->search, entry->value, &verify->file, why);

    if (found < 0)
        return -1;
    if (!found)
        return 1;
    if (!(verify->file.digests.kinds & DIGEST_BIT(kind)) ||
        refset_digest_key(verify->set, (enum digest_kind)kind, verify->file.digests.bytes[kind]) !=
            entry->key)
        return error_set(why, "the %s index points to file %" PRIu64 ", which has a different digest",
                         index_names[index], entry->value);
    verify->entries[kind]++;
    return 1;
}

/* The blocks must hold what the segment's row states, within its bounds. */
static int check_blocks(struct verify *verify, const struct refset_segment *segment, struct bloom *bloom,
                        struct error *why)
{
    const uint64_t most = segment->index <= REFSET_COMMON ? verify->set->info.counts.next_sample
                                                          : (uint64_t)1 << KEYBLOCK_VALUE_BITS;
    struct refset_cursor *cursor = refset_cursor_new(verify->set, segment, why);
    const struct keyblock_entry *entries;
    uint64_t found = 0, keys = 0, marks = 0, last = UINT64_MAX;
    size_t count, group = 0;
    int result = 1;

    if (!cursor)
        return -1;
    while (result >= 0 && (result = refset_cursor_next(cursor, &entries, &count, why)) > 0)
        for (size_t i = 0; i < count && result > 0; i++) {
            const bool is_mark = segment->index == REFSET_FEATURE && keyblock_is_mark(entries[i].value);
            const uint64_t number = segment->index == REFSET_COMMON ? entries[i].key : entries[i].value;

            if (!is_mark && number >= most)
                result =
                    error_set(why, "an entry of the %s index points nowhere", index_names[segment->index]);
            else if (segment->index >= REFSET_SHA1)
                result = check_entry(verify, segment->index, &entries[i], why);
            group = entries[i].key == last ? group + 1 : 1;
            verify->crowded |= group == KEYBLOCK_GROUP;
            keys += group == 1;
            last = entries[i].key;
            found++;
            marks += is_mark;
            if (bloom && (i == 0 || entries[i].key != entries[i - 1].key))
                bloom_add(bloom, &entries[i].key, 1);
        }
    refset_cursor_free(cursor);
    if (result == 0 && marks != segment->marks)
        return error_set(why, "segment %" PRId64 ": %" PRIu64 " marks expected, %" PRIu64 " found",
                         segment->id, segment->marks, marks);
    if (result == 0 && (found != segment->entries || keys != segment->keys))
        return error_set(
            why, "segment %" PRId64 " of the %s index: %" PRIu64 " entries expected, %" PRIu64 " found",
            segment->id, index_names[segment->index], segment->entries, found);
    return result;
}

static void check_segment(struct verify *verify, const struct refset_segment *segment)
{
    struct bloom *fresh = segment->blocks ? bloom_new(segment->blocks) : NULL, *stored = NULL;
    struct error why;
    bool rebuilt = false;

    if (check_blocks(verify, segment, fresh, &why))
        report(verify, &why);
    if (fresh) {
        stored = refset_index_filter(verify->set, segment, &rebuilt, &why);
        if (stored &&
            (rebuilt || memcmp(stored->words, fresh->words, (size_t)fresh->blocks * BLOOM_BLOCK_LEN) != 0))
            error_set(&why, "segment %" PRId64 " of the %s index: its filter does not match its keys",
                      segment->id, index_names[segment->index]);
        if (!stored || rebuilt ||
            memcmp(stored->words, fresh->words, (size_t)fresh->blocks * BLOOM_BLOCK_LEN) != 0)
            report(verify, &why);
    }
    bloom_free(fresh);
    bloom_free(stored);
}

static void check_indexes(struct verify *verify)
{
    struct refset_segments segments = {0};
    struct error why;

    if (refset_segments_read(verify->set, &segments, NULL, &why))
        report(verify, &why);
    for (size_t i = 0; i < segments.count; i++)
        check_segment(verify, &segments.list[i]);
    refset_segments_release(&segments);
}

/* ---- the files ---- */

static void check_digests(struct verify *verify, struct refset_search *search, uint64_t id,
                          const struct known *known)
{
    struct error why;

    for (int kind = 0; kind < DIGEST_KINDS; kind++) {
        uint64_t file = 0;

        if (!(known->digests.kinds & DIGEST_BIT(kind)))
            continue;
        if (refset_search_digest_list(search, (enum digest_kind)kind, &known->digests.bytes[kind], 1, &file,
                                      &why)) {
            report(verify, &why);
        } else if (!file) {
            error_set(&why, "file %" PRIu64 " is not found by its %s", id,
                      digest_name((enum digest_kind)kind));
            report(verify, &why);
        }
    }
}

/* Two files with the same digests should have been one. */
static void check_twins(struct verify *verify, struct refset_search *search, uint64_t id,
                        const struct known *known)
{
    struct set_file file = {0};
    struct error why;
    uint64_t found = 0;

    if (refset_search_digests(search, &known->digests, id, &found, &why) ||
        (found && refset_search_file(search, found, &file, &why) < 0)) {
        report(verify, &why);
    } else if (found && file.digests.kinds == known->digests.kinds) {
        error_set(&why, "files %" PRIu64 " and %" PRIu64 " are the same", id, found);
        report(verify, &why);
    }
    set_file_release(&file);
}

static size_t count_names(const struct known *known)
{
    size_t names = 0;

    for (size_t i = 0; i < known->names.len; i++)
        names += known->names.data[i] == '\0';
    return names;
}

static void count_file(struct verify *verify, const struct known *known)
{
    struct refset_counts *counts = &verify->counts;

    counts->files++;
    counts->records += known->has_record;
    counts->sampled += known->has_record && known->record.count > 0;
    counts->without_sha1 += !(known->digests.kinds & DIGEST_BIT(DIGEST_SHA1));
    if (known->has_size)
        refset_count_bytes(counts, known->size);
    counts->samples += known->has_record ? known->record.count : 0;
    counts->names += count_names(known) > 1 ? count_names(known) - 1 : 0;
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        verify->digests[kind] += (known->digests.kinds & DIGEST_BIT(kind)) != 0;
    if (verify->count)
        atomic_fetch_add_explicit(verify->count, 1, memory_order_relaxed);
}

static void check_files(struct verify *verify)
{
    struct error why;
    struct refset_search *search = refset_search_new(verify->set, REFSET_SEARCH_DIGESTS, &why);
    struct refset_reader *reader = search ? refset_reader_new(verify->set, true, &why) : NULL;
    const int before = verify->faults + verify->repeats;
    int result = -1;

    if (reader)
        refset_reader_forgive(reader, report_lost, verify);

    while (reader && (result = refset_reader_next(reader, &why)) > 0) {
        count_file(verify, refset_reader_known(reader));
        check_digests(verify, search, refset_reader_id(reader), refset_reader_known(reader));
        check_twins(verify, search, refset_reader_id(reader), refset_reader_known(reader));
    }
    if (result < 0)
        report(verify, &why);
    verify->counted = verify->faults + verify->repeats == before;
    refset_reader_free(reader);
    refset_search_free(search);
}

/* ---- numbers ---- */

static void check_count(struct verify *verify, const char *what, uint64_t stated, uint64_t found)
{
    struct error why;

    if (stated == found)
        return;
    error_set(&why, "expected %" PRIu64 " %s, found %" PRIu64, stated, what, found);
    report(verify, &why);
}

/* Checks for dangling rows; each query counts some. */
static void check_references(struct verify *verify)
{
    static const char *const queries[][2] = {
        {"records beyond the last sample number",
         "SELECT count(*) FROM record, info WHERE record.first + max(count, 1) > next_sample"},
        {"unused sample numbers",
         "SELECT next_sample - ifnull((SELECT max(first + max(count, 1)) FROM record), 1) FROM info"},
        {"names without a file", "SELECT count(*) FROM name WHERE file NOT IN (SELECT id FROM file)"},
        {"names without a source", "SELECT count(*) FROM name WHERE source NOT IN (SELECT id FROM source)"},
        {"files without a source", "SELECT count(*) FROM file WHERE source NOT IN (SELECT id FROM source)"},
        {"records without a file", "SELECT count(*) FROM record LEFT JOIN file ON id = record.file WHERE "
                                   "file.first IS NOT record.first"},
        {"files without their record",
         "SELECT count(*) FROM file LEFT JOIN record ON record.first = file.first"
         " WHERE file.first IS NOT NULL AND record.file IS NOT id"},
        {"members without a file", "SELECT count(*) FROM member WHERE file NOT IN (SELECT id FROM file)"
                                   " OR parent NOT IN (SELECT id FROM file)"},
        {"files that are members of themselves", "SELECT count(*) FROM member WHERE file = parent"},
        {"blocks without a segment",
         "SELECT count(*) FROM block WHERE (key >> 48) NOT IN (SELECT id FROM segment)"},
        {"filters without a segment",
         "SELECT count(*) FROM filter WHERE segment NOT IN (SELECT id FROM segment)"},
    };

    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        struct error why;
        int64_t count;

        if (strstr(queries[i][1], "FROM member") && !refset_has_members(verify->set))
            continue;
        if (statement_ask(verify->set->database, queries[i][1], &count, &why) < 0)
            report(verify, &why);
        else
            check_count(verify, queries[i][0], 0, (uint64_t)count);
    }
}

static void ignore_source(void *arg, const struct refset_source *source)
{
    (void)arg;
    (void)source;
}

static void check_sources(struct verify *verify)
{
    struct error why;

    if (refset_sources(verify->set, ignore_source, NULL, &why))
        report(verify, &why);
}

static void check_counts(struct verify *verify)
{
    const struct refset_counts *stated = &verify->set->info.counts, *found = &verify->counts;

    for (int kind = 0; kind < DIGEST_KINDS && !verify->crowded; kind++)
        check_count(verify, index_names[REFSET_SHA1 + kind], verify->entries[kind], verify->digests[kind]);
    check_count(verify, "files", stated->files, found->files);
    check_count(verify, "records", stated->records, found->records);
    check_count(verify, "records with samples", stated->sampled, found->sampled);
    check_count(verify, "files without a SHA-1", stated->without_sha1, found->without_sha1);
    check_count(verify, "additional names", stated->names, found->names);
    check_count(verify, "bytes in files of known size", stated->bytes, found->bytes);
    check_count(verify, "samples", stated->samples, found->samples);
}

int refset_verify(const char *path, void (*fault)(void *arg, const char *text), void *arg,
                  atomic_ullong *count, struct error *err)
{
    struct verify verify = {.fault = fault, .arg = arg, .count = count};
    struct error why;

    verify.faults = database_verify(path, &refset_format, fault, arg, err);
    if (verify.faults < 0)
        return -1;
    verify.set = refset_open(path, REFSET_READ, &why);
    if (!verify.set) {
        report(&verify, &why);
        return verify.faults;
    }
    verify.search = refset_search_new(verify.set, 0, &why);
    if (verify.search)
        check_indexes(&verify);
    else
        report(&verify, &why);
    check_files(&verify);
    check_sources(&verify);
    check_references(&verify);
    if (verify.counted)
        check_counts(&verify);
    refset_search_free(verify.search);
    set_file_release(&verify.file);
    refset_close(verify.set, NULL);
    return verify.faults;
}
