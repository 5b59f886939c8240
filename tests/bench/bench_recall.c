/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What share of altered references is found again through a set's index: bench_recall SCRATCH C TEXTS FILE...
 *
 * The files (of 8 KiB to 1 MiB) become a set, except for every tenth after the first TEXTS of them: those are
 * what content is replaced by and embedded in.  The first TEXTS are altered and searched for; the others are
 * just there.  A reference counts as found if the samples of the query that it has line up on a diagonal more
 * often than chance would have it (E < 0.001); "others" are further references found in a query, which may
 * well share content.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "sample/hasher.h"
#include "set/refset_search.h"
#include "set/refset_writer.h"

enum { LEAST = 8 << 10, MOST = 1 << 20, ROUNDS = 120, ROOM = 16 << 20 };

struct content {
    uint8_t *data;
    size_t len;
};

static struct content *refs, *hosts;
static size_t ref_count, host_count;
static struct refset_search *search;
static struct hasher *hasher;
static struct error err;
static uint32_t set_c;
static uint8_t query[ROOM];
static const struct refset_counts *counts;

static void need(bool good)
{
    if (good)
        return;
    fprintf(stderr, "bench_recall: %s\n", err.text);
    exit(2);
}

static double chance(void)
{
    return (double)(random64() >> 11) * 0x1p-53;
}

static size_t below(size_t limit)
{
    return (size_t)(random64() % limit);
}

/* ---- making the set ---- */

static void load(const char *path, struct content *out)
{
    FILE *file = fopen(path, "rb");

    out->data = malloc(MOST + 1);
    out->len = file && out->data ? fread(out->data, 1, MOST + 1, file) : 0;
    if (file)
        fclose(file);
}

static void sample(const uint8_t *data, size_t len, struct known *known)
{
    known_reset(known);
    need(!hasher_begin(hasher, len, &err) && !hasher_update(hasher, data, len, &err) &&
         !hasher_final(hasher, &known->record, &err));
    known->digests = known->record.digests;
    known->has_size = known->has_record = true;
    known->size = len;
}

static struct refset *make_set(const char *folder)
{
    const struct refset_source source = {
        .path = "bench", .path_len = 5, .kind = "list", .format = "", .tool = "", .note = ""};
    struct refset_params params = refset_defaults("recall");
    struct refset *set;
    struct refset_writer *writer;
    struct known known = {0};
    char path[4096];

    snprintf(path, sizeof path, "%s/recall.kith", folder);
    unlink(path);
    params.c = set_c;
    set = refset_create(path, &params, "bench", 0, &err);
    need(set);
    writer = refset_writer_new(set, true, &err);
    need(writer && refset_writer_source(writer, &source, &err) >= 0);
    for (size_t i = 0; i < ref_count; i++) {
        sample(refs[i].data, refs[i].len, &known);
        need(refset_writer_add(writer, &known, &err) < REFSET_REFUSED);
    }
    need(!refset_writer_commit(writer, &err));
    refset_writer_free(writer);
    known_release(&known);
    return set;
}

/* ---- asking it ---- */

/* ln P(X >= h) for a Poisson variable. */
static double poisson_tail(double h, double lambda)
{
    double sum = 0, term = 1;

    for (int k = 1; k < 200; k++) {
        sum += term;
        term *= lambda / (h + k);
    }
    return h * log(lambda) - lambda - lgamma(h + 1) + log(sum);
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* The most diagonals within a band of this width. */
static size_t best_band(int64_t *diagonals, size_t count, int64_t width)
{
    size_t best = 0;

    qsort(diagonals, count, sizeof *diagonals, by_number);
    for (size_t low = 0, i = 0; i < count; i++) {
        while (diagonals[i] - diagonals[low] > width)
            low++;
        best = i - low + 1 > best ? i - low + 1 : best;
    }
    return best;
}

/* Whether a reference with these diagonals is more than chance. */
static bool accepted(int64_t *diagonals, size_t count, size_t len, const struct set_place *place,
                     double lambda)
{
    const double shorter = (double)(len < place->len ? len : place->len);
    const double band = fmin(4096, 256 + shorter / 64), bands = ((double)len + (double)place->len) / band + 1;
    const double mean = (double)counts->samples / (double)counts->records;
    const size_t best = best_band(diagonals, count, (int64_t)band);
    const double noise = fmin(lambda, lambda * (double)place->count / mean);
    const double rate = fmax(noise, (double)(count - best)) * 2 / bands + 1e-4;

    return best >= 2 && log((double)counts->records * bands) + poisson_tail((double)best, rate) < log(1e-3);
}

struct answer {
    bool found;
    size_t others;
};

/* hits: sorted by sample. */
static int by_sample(const void *a, const void *b)
{
    const struct set_hit *x = a, *y = b;

    return (x->sample > y->sample) - (x->sample < y->sample);
}

static struct answer ask(const uint8_t *data, size_t len, uint64_t wanted)
{
    static struct known known;
    static struct set_hits hits;
    static struct set_record record;
    struct answer answer = {false, 0};
    uint64_t *keys;
    int64_t *diagonals;
    double lambda = 0;

    sample(data, len, &known);
    keys = malloc((known.record.count + 1) * sizeof *keys);
    for (size_t i = 0; i < known.record.count; i++)
        keys[i] = known_key(known.record.samples[i].fp);
    hits.count = 0;
    need(!refset_search_features(search, keys, known.record.count, &hits, &err));
    for (size_t i = 0; i < hits.count; i++)
        if (hits.list[i].files && (i == 0 || hits.list[i].query != hits.list[i - 1].query))
            lambda += hits.list[i].files / (double)counts->records;
    qsort(hits.list, hits.count, sizeof *hits.list, by_sample);
    diagonals = malloc((hits.count + 1) * sizeof *diagonals);
    for (size_t i = 0, next; i < hits.count; i = next) {
        const uint32_t most = (uint32_t)(counts->records / 100 < 8 ? 8 : counts->records / 100);
        size_t count = 0;

        next = i + 1;
        if (!hits.list[i].files)
            continue;
        need(refset_search_record(search, hits.list[i].sample, &record, &err) > 0);
        for (next = i; next < hits.count && hits.list[next].sample < record.place.first + record.place.count;
             next++)
            if (hits.list[next].files <= most)
                diagonals[count++] =
                    (int64_t)known.record.samples[hits.list[next].query].pos -
                    (int64_t)places_position(places_at(&record.places, hits.list[next].sample - record.place.first));
        if (count && accepted(diagonals, count, len, &record.place, lambda)) {
            if (record.place.file == wanted)
                answer.found = true;
            else
                answer.others++;
        }
    }
    free(keys);
    free(diagonals);
    return answer;
}

/* ---- alterations: each writes a query of the reference and returns its length ---- */

static void host_bytes(uint8_t *out, size_t len)
{
    while (len > 0) {
        const struct content *host = &hosts[below(host_count)];
        const size_t piece = host->len < len ? host->len : len;

        memcpy(out, host->data + below(host->len - piece + 1), piece);
        out += piece;
        len -= piece;
    }
}

static size_t substitute(const struct content *ref, double share)
{
    memcpy(query, ref->data, ref->len);
    for (size_t i = 0; i < ref->len; i++)
        if (chance() < share)
            query[i] = (uint8_t)(32 + below(95));
    return ref->len;
}

static size_t substitute_10(const struct content *ref)
{
    return substitute(ref, .1);
}

static size_t substitute_20(const struct content *ref)
{
    return substitute(ref, .2);
}

static size_t half_replaced(const struct content *ref)
{
    memcpy(query, ref->data, ref->len);
    for (size_t i = 0; i < ref->len * 7 / 5000; i++)
        host_bytes(query + below(ref->len - 500), 500);
    return ref->len;
}

static size_t shuffled(const struct content *ref)
{
    const size_t part = ref->len / 4;

    for (size_t i = 0; i < 4; i++)
        memcpy(query + i * part, ref->data + (3 - i) * part, part);
    return 4 * part;
}

static size_t fragment(const struct content *ref, size_t len)
{
    memcpy(query, ref->data + below(ref->len - len), len);
    return len;
}

static size_t fragment_1700(const struct content *ref)
{
    return fragment(ref, 1700);
}

static size_t fragment_340(const struct content *ref)
{
    return fragment(ref, 340);
}

static size_t fragment_4096(const struct content *ref)
{
    return fragment(ref, 4096);
}

static size_t embedded(const struct content *ref)
{
    const size_t len = 100 * ref->len < ROOM ? 100 * ref->len : ROOM;

    host_bytes(query, len);
    memcpy(query + below(len - ref->len), ref->data, ref->len);
    return len;
}

static size_t fragment_in_host(const struct content *ref)
{
    const size_t len = 2000 * 1700;

    host_bytes(query, len);
    memcpy(query + below(len - 1700), ref->data + below(ref->len - 1700), 1700);
    return len;
}

static size_t nothing(const struct content *ref)
{
    host_bytes(query, ref->len);
    return ref->len;
}

static const struct {
    const char *name;
    size_t (*make)(const struct content *ref);
} kinds[] = {
    {"10 % of bytes substituted", substitute_10},
    {"20 %", substitute_20},
    {"half replaced by 500-byte pieces", half_replaced},
    {"4 parts shuffled", shuffled},
    {"fragment of 1.7 KB", fragment_1700},
    {"fragment of 340 B", fragment_340},
    {"one 4 KB block", fragment_4096},
    {"embedded in a host 100 times larger", embedded},
    {"1.7 KB in a host 2000 times larger", fragment_in_host},
    {"nothing present", nothing},
};

int main(int argc, char **argv)
{
    struct sampler_params params = {.scheme = SAMPLER_GF8, .n = SAMPLER_DEFAULT_N, .c = SAMPLER_AUTO};
    struct refset *set;
    size_t files = 0, bytes = 0, texts;

    if (argc < 5) {
        fprintf(stderr, "usage: bench_recall SCRATCH C TEXTS FILE...\n");
        return 2;
    }
    set_c = (uint32_t)strtoul(argv[2], NULL, 10);
    texts = strtoul(argv[3], NULL, 10);
    params.c = set_c < SAMPLER_DEFAULT_C ? set_c : SAMPLER_AUTO;
    hasher = hasher_new(&params, DIGEST_BIT(DIGEST_SHA1), &err);
    refs = calloc((size_t)argc, sizeof *refs);
    hosts = calloc((size_t)argc, sizeof *hosts);
    need(hasher && refs && hosts);
    for (int i = 4; i < argc; i++) {
        struct content content;

        load(argv[i], &content);
        if (content.len < LEAST || content.len > MOST)
            free(content.data);
        else if (files++ >= texts && files % 10 == 9)
            hosts[host_count++] = content;
        else
            refs[ref_count++] = content;
    }
    need(ref_count && host_count && texts);
    texts = texts < ref_count ? texts : ref_count;
    set = make_set(argv[1]);
    search = refset_search_new(set, REFSET_SEARCH_FEATURES | REFSET_SEARCH_DIGESTS, &err);
    need(search);
    counts = &refset_info(set)->counts;
    for (size_t i = 0; i < ref_count; i++)
        bytes += refs[i].len;
    printf("%zu references, %zu MB, C = %u\n", ref_count, bytes / 1000000, set_c);
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        unsigned found = 0;
        size_t others = 0;

        for (int round = 0; round < ROUNDS; round++) {
            const struct content *ref = &refs[below(texts)];
            struct known known = {0};
            struct answer answer;
            uint64_t file;

            sample(ref->data, ref->len, &known);
            need(!refset_search_digests(search, &known.digests, 0, &file, &err));
            known_release(&known);
            answer = ask(query, kinds[kind].make(ref), file);
            found += answer.found;
            others += answer.others;
        }
        printf("%-38s %.2f  {%.2f others}\n", kinds[kind].name, found / (double)ROUNDS,
               (double)others / ROUNDS);
    }
    refset_search_free(search);
    refset_close(set, NULL);
    return 0;
}
