/* SPDX-License-Identifier: Apache-2.0 */

#include "set/refset_copy.h"
#include "set/refset_inner.h"
#include "set/refset_search.h"
#include "set/refset_verify.h"
#include "stored.h"

/*
 * The input is a byte that selects what is done, and a list of changes to a small set: a byte for the column,
 * a byte for the row, one for how many bytes follow, and these, which are a blob or the eight bytes of a
 * number.  The pages get correct checksums, as an attacker's would.
 *
 * The set is then read, forgiven, searched, verified or added to; what is read must be such that a set could
 * hold it.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FILES = 24, SAMPLES = 40, N = 12 };

/* The possible actions; each opens the set, which takes most of the time.  0 is all of them. */
enum { READ = 1, SEARCH = 2, VERIFY = 4, WRITE = 8, ALL = 15 };

static uint64_t state = 88172645463325252u;

static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1du;
}

/* ---- the set ---- */

/* File number i, always the same; some features are in all, some twice in a file. */
static void make_known(struct known *known, uint64_t i)
{
    struct sample samples[SAMPLES];

    state = 1000 + i;
    known_reset(known);
    for (size_t byte = 0; byte < sizeof known->digests.bytes; byte++)
        ((uint8_t *)known->digests.bytes)[byte] = (uint8_t)(next_random() >> 40);
    known->digests.kinds = i % 4 ? 7 - (unsigned)(i % 3) * 2 : DIGEST_BIT(DIGEST_MD5);
    known->has_size = i % 4 > 0;
    known->has_record = i % 4 > 1;
    known->size = known->has_size ? 30000 : 0;
    known_add_name(known, "name/of.it", i % 5);
    known_add_name(known, "another", i % 7);
    if (!known->has_record)
        return;
    known->digests.kinds |= DIGEST_BIT(DIGEST_SHA1);
    known->record.params =
        (struct sampler_params){SAMPLER_GF8, N, known_c(known->size, SAMPLER_DEFAULT_C), 0};
    for (uint64_t j = 0; j < SAMPLES; j++)
        samples[j] = (struct sample){j * 500 + i, (j % 8 ? next_random() : (j % 16 + 1) << 50) >> 8};
    require(record_set_samples(&known->record, samples, SAMPLES, NULL) == 0);
    for (uint64_t block = 0; block < blocks_count(known->size, BLOCKS_DEFAULT); block++)
        buffer_add(&known->blocks, known->digests.bytes[DIGEST_SHA1], DIGEST_SHA1_LEN);
}

static void add_files(struct refset *set, uint64_t from, uint64_t to)
{
    static const struct refset_source source = {
        .path = "a", .path_len = 1, .kind = "list", .format = "", .tool = "", .note = ""};
    struct refset_writer *writer = refset_writer_new(set, true, NULL);
    struct known known = {0};
    enum refset_added added = REFSET_ADDED;

    if (writer && refset_writer_source(writer, &source, NULL) >= 0)
        for (uint64_t i = from; i < to && added != REFSET_FAILED; i++) {
            make_known(&known, i);
            added = refset_writer_add(writer, &known, NULL);
        }
    if (writer && added != REFSET_FAILED)
        refset_writer_commit(writer, NULL);
    refset_writer_free(writer);
    known_release(&known);
}

static void set_up(void)
{
    struct refset_params params;
    struct refset *set;

    choose_path("fuzz_refset");
    params = refset_defaults(path);
    params.common = 4;
    set = refset_create(path, &params, "fuzz", 1000, NULL);
    require(set);
    for (uint64_t from = 0; from < FILES; from += FILES / 2)
        add_files(set, from, from + FILES / 2);
    require(refset_close(set, NULL) == 0);
    keep_good();
}

/* ---- changes ---- */

static const struct columns columns[] = {
    {"record", BLOB, {"samples", "repeats", "blocks"}},
    {"block", BLOB, {"data"}},
    {"filter", BLOB, {"data"}},
    {"file", BLOB, {"sha1", "md5", "name"}},
    {"source", BLOB, {"sha256"}},
    {"info", BLOB, {"uuid"}},
    {"record", NUMBER, {"c", "count", "first", "file", "coincidence"}},
    {"file", NUMBER, {"size", "first", "source", "id"}},
    {"block", NUMBER, {"key"}},
    {"filter", NUMBER, {"crc", "generation"}},
    {"segment", NUMBER, {"id", "kind", "entries", "keys", "blocks", "generation"}},
    {"info", NUMBER, {"files", "next_sample", "common", "c", "n", "block", "samples"}},
    {"source", NUMBER, {"id"}},
    {NULL, BLOB, {NULL}},
};

/* ---- using it ---- */

static void ignore(void *arg, const char *text)
{
    (void)arg;
    require(text[0]);
}

static void read_set(struct refset *set, bool forgive)
{
    struct refset_reader *reader = refset_reader_new(set, true, NULL);

    if (reader && forgive)
        refset_reader_forgive(reader, ignore, NULL);
    for (int files = 0; reader && refset_reader_next(reader, NULL) > 0; files++) {
        require(files <= 2 * FILES);
        require(known_check(refset_reader_known(reader), refset_info(set)->params.n,
                            sampler_key_number(refset_info(set)->params.key), refset_info(set)->params.block,
                            NULL) == 0);
    }
    refset_reader_free(reader);
}

static void look_up(struct refset_search *search, const struct known *known)
{
    struct set_hits hits = {0};
    struct set_file file = {0};
    struct set_record record = {0};
    uint64_t keys[SAMPLES], id;

    for (size_t i = 0; i < known->record.count; i++)
        keys[i] = known_key(known->record.samples[i].fp);
    refset_search_features(search, keys, known->record.count, &hits, NULL);
    for (size_t i = 0; i < hits.count; i++)
        if (hits.list[i].files && refset_search_record(search, hits.list[i].sample, &record, NULL) > 0)
            require(hits.list[i].sample >= record.place.first &&
                    hits.list[i].sample - record.place.first < record.places.count && record.place.c >= 4 &&
                    places_position(places_at(&record.places, record.places.count - 1)) < record.place.len);
    if (refset_search_digests(search, &known->digests, 0, &id, NULL) == 0 && id)
        refset_search_file(search, id, &file, NULL);
    set_hits_release(&hits);
    set_file_release(&file);
    set_record_release(&record);
}

static void search_set(struct refset *set)
{
    struct refset_search *search =
        refset_search_new(set, REFSET_SEARCH_FEATURES | REFSET_SEARCH_DIGESTS, NULL);
    struct known known = {0};

    for (uint64_t i = 0; search && i < FILES; i += 3) {
        make_known(&known, i);
        look_up(search, &known);
    }
    known_release(&known);
    refset_search_free(search);
}

static void use(unsigned what)
{
    struct refset *set = what & (READ | SEARCH) ? refset_open(path, REFSET_READ, NULL) : NULL;

    if (set && (what & READ)) {
        read_set(set, false);
        read_set(set, true);
    }
    if (set && (what & SEARCH))
        search_set(set);
    refset_close(set, NULL);
    if (what & VERIFY)
        refset_verify(path, ignore, NULL, NULL, NULL);
    set = what & WRITE ? refset_open(path, REFSET_WRITE, NULL) : NULL;
    if (set)
        add_files(set, FILES / 2, FILES + 2);
    refset_close(set, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct stored stored = {&refset_format, columns, FILES, set_up, use, ALL};

    return run_changed(&stored, data, size);
}
