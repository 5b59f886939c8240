/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The speed of reference sets: bench_refset FOLDER [million features] [million digests], or
 * bench_refset FOLDER nsrl ROWS to make a list like NSRL's for importing.  Everything is written below the
 * folder.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "database/statement.h"
#include "set/refset_index.h"
#include "set/refset_search.h"
#include "set/refset_writer.h"

enum { BATCH = 2 << 20, QUERIES = 1 << 22, AT_ONCE = 4096 };

static struct error err;

static void need(bool good)
{
    if (good)
        return;
    fprintf(stderr, "bench_refset: %s\n", err.text);
    exit(2);
}

/* Feature number i of the set: as many bits as there are at C = 128. */
static uint64_t feature(uint64_t i)
{
    uint64_t x = i * 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (x ^ x >> 31) >> 24;
}

static struct refset *new_set(const char *folder, const char *name)
{
    struct refset_params params = refset_defaults(name);
    struct refset *set;
    char path[4096];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
    set = refset_create(path, &params, "bench", 0, &err);
    need(set);
    return set;
}

static double merging; /* seconds of what write_features took */

static double write_features(struct refset *set, uint64_t from, uint64_t count)
{
    struct keyblock_entry *entries = malloc(BATCH * sizeof *entries),
                          *scratch = malloc(BATCH * sizeof *scratch);
    double seconds = 0;

    for (uint64_t done = 0, batch; done < count; done += batch) {
        batch = count - done < BATCH ? count - done : BATCH;
        for (uint64_t i = 0; i < batch; i++)
            entries[i] = (struct keyblock_entry){feature(from + done + i), from + done + i};
        seconds -= cpu_seconds();
        set->info.generation++;
        set->info.counts.next_sample = from + done + batch;
        need(!database_begin(set->database, &err) &&
             !refset_index_write(set, REFSET_FEATURE, entries, scratch, (size_t)batch, &err));
        merging -= cpu_seconds();
        need(!refset_index_merge(set, REFSET_FEATURE, false, &err) && !refset_save_info(set, &err));
        merging += cpu_seconds();
        need(!database_commit(set->database, &err));
        seconds += cpu_seconds();
    }
    free(entries);
    free(scratch);
    return seconds;
}

static double merge_all(struct refset *set)
{
    double start = cpu_seconds();

    set->info.generation++;
    need(!database_begin(set->database, &err) && !refset_index_merge(set, REFSET_FEATURE, true, &err) &&
         !refset_save_info(set, &err) && !database_commit(set->database, &err));
    return cpu_seconds() - start;
}

static uint64_t queries[QUERIES];

static void look_up(struct refset *set, uint64_t features, unsigned one_in)
{
    struct refset_search *search = refset_search_new(set, REFSET_SEARCH_FEATURES, &err);
    struct set_hits hits = {0};
    double best = 1e9;

    need(search);
    for (uint64_t i = 0; i < QUERIES; i++)
        queries[i] =
            i % one_in == 7 % one_in ? feature(random64() % features) : feature(((uint64_t)1 << 40) + i);
    for (int run = 0; run < 5; run++) {
        double start = cpu_seconds();

        hits.count = 0;
        for (size_t i = 0; i < QUERIES; i += AT_ONCE)
            need(!refset_search_features(search, queries + i, AT_ONCE, &hits, &err));
        best = cpu_seconds() - start < best ? cpu_seconds() - start : best;
    }
    printf("look-ups, 1 hit in %-8u %8.1f M/s   (%zu hits of %u)\n", one_in, QUERIES / best / 1e6, hits.count,
           (QUERIES + one_in - 8) / one_in);
    set_hits_release(&hits);
    refset_search_free(search);
}

static void bench_features(const char *folder, uint64_t millions)
{
    const uint64_t count = millions * 1000000, one_percent = count / 100;
    struct refset *set = new_set(folder, "features.kith");
    double seconds = write_features(set, 0, count), more;

    printf("%" PRIu64 " M features, in batches of %d M\n", millions, BATCH >> 20);
    printf("into segments               %8.1f M/s\n", (double)count / (seconds - merging) / 1e6);
    printf("and merging these           %8.1f M/s\n", (double)count / seconds / 1e6);
    seconds = merge_all(set);
    printf("merged into one             %8.1f M/s\n", (double)count / seconds / 1e6);
    more = write_features(set, count, one_percent);
    printf("appending 1 %%               %8.3f s: %.1f %% of what merging all takes\n", more,
           100 * more / seconds);
    look_up(set, count, 10000);
    look_up(set, count, 1000);
    look_up(set, count, 1);
    need(!refset_close(set, &err));
}

static void digest_of(uint64_t i, uint8_t *out)
{
    for (int part = 0; part < 4; part++) {
        uint64_t x = feature(4 * i + (uint64_t)part) * 0x9e3779b97f4a7c15u;

        memcpy(out + 8 * part, &x, 8);
    }
}

static uint8_t digests[1 << 20][DIGEST_MAX_LEN];
static uint64_t found[1 << 20];

static void look_up_digests(struct refset_search *search, uint64_t count, unsigned one_in)
{
    double best = 1e9;
    size_t hits = 0;

    for (uint64_t i = 0; i < 1 << 20; i++)
        digest_of(i % one_in == 0 ? random64() % count : ((uint64_t)1 << 40) + i, digests[i]);
    for (int run = 0; run < 3; run++) {
        double start = cpu_seconds();

        need(!refset_search_digest_list(search, DIGEST_SHA1, (const uint8_t(*)[DIGEST_MAX_LEN])digests,
                                        1 << 20, found, &err));
        best = cpu_seconds() - start < best ? cpu_seconds() - start : best;
    }
    for (size_t i = 0; i < 1 << 20; i++)
        hits += found[i] != 0;
    printf("look-ups, 1 hit in %-8u %8.2f M/s   (%zu hits)\n", one_in, (1 << 20) / best / 1e6, hits);
}

static void bench_digests(const char *folder, uint64_t millions)
{
    const uint64_t count = millions * 1000000;
    const struct refset_source source = {
        .path = "bench", .path_len = 5, .kind = "list", .format = "", .tool = "", .note = ""};
    struct refset *set = new_set(folder, "digests.kith");
    struct refset_writer *writer = refset_writer_new(set, false, &err);
    struct refset_search *search;
    struct known known = {0};
    double start = cpu_seconds();

    need(writer && refset_writer_source(writer, &source, &err) >= 0);
    for (uint64_t i = 0; i < count; i++) {
        known_reset(&known);
        known.digests.kinds = DIGEST_BIT(DIGEST_SHA1);
        digest_of(i, known.digests.bytes[DIGEST_SHA1]);
        need(refset_writer_add(writer, &known, &err) == REFSET_ADDED);
    }
    need(!refset_writer_commit(writer, &err));
    printf("\n%" PRIu64 " M digests\nadding                      %8.2f M/s\n", millions,
           (double)count / (cpu_seconds() - start) / 1e6);
    search = refset_search_new(set, REFSET_SEARCH_DIGESTS, &err);
    need(search);
    look_up_digests(search, count, 1 << 20);
    look_up_digests(search, count, 100);
    look_up_digests(search, count, 10);
    look_up_digests(search, count, 1);
    refset_search_free(search);
    refset_writer_free(writer);
    known_release(&known);
    need(!refset_close(set, &err));
}

static void hex_of(const uint8_t *bytes, size_t len, char *out)
{
    for (size_t i = 0; i < len; i++)
        sprintf(out + 2 * i, "%02X", bytes[i]);
}

/* As in the minimal RDSv3; one content in three has two names. */
static void make_nsrl(const char *folder, uint64_t rows)
{
    struct database *database;
    struct statement *insert;
    char path[4096];

    snprintf(path, sizeof path, "%s/nsrl.db", folder);
    unlink(path);
    database = database_create_foreign(path, &err);
    need(database &&
         !database_run(
             database,
             "PRAGMA synchronous=OFF; CREATE TABLE FILE (sha256 VARCHAR NOT NULL, sha1 VARCHAR NOT NULL,"
             " md5 VARCHAR NOT NULL, crc32 VARCHAR NOT NULL, file_name VARCHAR NOT NULL,"
             " file_size INTEGER NOT NULL, package_id INTEGER NOT NULL)",
             &err));
    insert = database_prepare(database, "INSERT INTO FILE VALUES (?, ?, ?, ?, ?, ?, ?)", &err);
    need(insert && !database_begin(database, &err));
    for (uint64_t i = 0; i < rows; i++) {
        uint8_t digest[DIGEST_MAX_LEN];
        char hex[65], name[40];

        digest_of(i - i / 4, digest);
        hex_of(digest, 32, hex);
        snprintf(name, sizeof name, "file_%" PRIx64 ".dll", i * 2654435761u);
        statement_bind_text(insert, 1, hex, 64);
        statement_bind_text(insert, 2, hex, 40);
        statement_bind_text(insert, 3, hex + 8, 32);
        statement_bind_text(insert, 4, hex, 8);
        statement_bind_text(insert, 5, name, strlen(name));
        statement_bind_number(insert, 6, (int64_t)((i - i / 4) % 100000));
        statement_bind_number(insert, 7, (int64_t)(i % 1000));
        need(!statement_run(insert, &err));
    }
    statement_free(insert);
    need(!database_commit(database, &err) && !database_close(database, &err));
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr,
                "usage: bench_refset FOLDER [million features] [million digests] | FOLDER nsrl ROWS\n");
        return 2;
    }
    if (argc == 4 && strcmp(argv[2], "nsrl") == 0) {
        make_nsrl(argv[1], strtoull(argv[3], NULL, 10));
        return 0;
    }
    bench_features(argv[1], argc > 2 ? strtoull(argv[2], NULL, 10) : 50);
    bench_digests(argv[1], argc > 3 ? strtoull(argv[3], NULL, 10) : 10);
    return 0;
}
