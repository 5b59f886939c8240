/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The speed of the sampler alone and together with SHA-1, for each level of instructions and on content that
 * is difficult for samplers, as multiples of EVP SHA-1 on the same data.
 */
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "bench.h"
#include "sample/sampler.h"

enum { LEN = 256 << 10, PASS = 64 << 10, ROUNDS = 40, TRIES = 7 };

struct work {
    const uint8_t *data;
    struct sampler *sampler; /* NULL: none */
    EVP_MD_CTX *sha1;        /* NULL: none */
    size_t samples;
};

static void run(struct work *work)
{
    struct error err;

    if (work->sampler)
        sampler_begin(work->sampler, LEN);
    for (size_t at = 0; at < LEN; at += PASS) {
        if (work->sha1)
            EVP_DigestUpdate(work->sha1, work->data + at, PASS);
        if (work->sampler && sampler_update(work->sampler, work->data + at, PASS, &err))
            exit(1);
    }
    if (work->sampler)
        work->samples = sampler_final(work->sampler).count;
}

/* Bytes per second, the best of a few tries. */
static double speed(struct work *work)
{
    double best = 0;

    for (int try = 0; try < TRIES; try++) {
        double start = cpu_seconds(), taken;

        for (int i = 0; i < ROUNDS; i++)
            run(work);
        taken = cpu_seconds() - start;
        if (LEN * (double)ROUNDS / taken > best)
            best = LEN * (double)ROUNDS / taken;
    }
    return best;
}

static void fill_text(uint8_t *p, const char *path)
{
    FILE *f = fopen(path, "rb");
    size_t got = f ? fread(p, 1, LEN, f) : 0;

    if (f)
        fclose(f);
    for (size_t i = got; i < LEN; i++)
        p[i] = got ? p[i - got] : (uint8_t)('a' + random64() % 26);
}

static void fill_period(uint8_t *p, size_t period)
{
    for (size_t i = 0; i < LEN; i++)
        p[i] = i < period ? (uint8_t)random64() : p[i - period];
}

/* The pattern of this period that fires most often. */
static void fill_worst_period(uint8_t *p, size_t period, struct sampler *sampler)
{
    uint8_t *best = malloc(LEN);
    size_t most = 0;
    struct error err;

    if (!best)
        exit(1);
    for (int i = 0; i < 50; i++) {
        fill_period(p, period);
        sampler_begin(sampler, LEN);
        if (sampler_update(sampler, p, 4096, &err))
            exit(1);
        if (i == 0 || sampler_final(sampler).count >= most) {
            most = sampler_final(sampler).count;
            memcpy(best, p, LEN);
        }
    }
    memcpy(p, best, LEN);
    free(best);
}

static void report(const char *level, const char *what, uint8_t *data, struct sampler *sampler,
                   EVP_MD_CTX *sha1)
{
    struct work alone = {data, sampler, NULL, 0}, both = {data, sampler, sha1, 0},
                digest = {data, NULL, sha1, 0};
    double d = speed(&digest), a = speed(&alone), b = speed(&both);

    printf("sampler %-7s %-12s alone %5.2f x SHA-1 (%5.2f GB/s), SHA-1 and sampler %.3f x SHA-1 (%.2f GB/s), "
           "1 sample in %.0f\n",
           level, what, a / d, a / 1e9, b / d, d / 1e9, alone.samples ? LEN / (double)alone.samples : 0.0);
}

static void bench_level(enum cpu_level level, const char *text, uint8_t *data, EVP_MD_CTX *sha1)
{
    struct sampler_params params = sampler_defaults(SAMPLER_GF8);
    struct sampler *sampler, *keyed;
    struct sampler_key key;
    struct error err;
    char name[32];

    setenv("KITH_CPU", cpu_name(level), 1);
    sampler = sampler_new(&params, &err);
    if (!sampler || sampler_key_derive(&key, (const uint8_t *)"any secret that has 32 bytes ...", &err) ||
        !(keyed = sampler_new_keyed(&params, &key, &err)))
        exit(1);
    fill_text(data, text);
    report(cpu_name(level), "text", data, sampler, sha1);
    report(cpu_name(level), "text, key", data, keyed, sha1);
    sampler_free(keyed);
    for (size_t i = 0; i < LEN; i++)
        data[i] = (uint8_t)random64();
    report(cpu_name(level), "random", data, sampler, sha1);
    memset(data, 0, LEN);
    report(cpu_name(level), "zeros", data, sampler, sha1);
    for (size_t i = 0; i < LEN; i += 4096)
        memset(data + i, (int)random64(), i % 65536 ? 0 : 300);
    report(cpu_name(level), "sparse disk", data, sampler, sha1);
    for (uint32_t i = 0; i < LEN / 4; i++)
        memcpy(data + (size_t)i * 4, &i, 4);
    report(cpu_name(level), "counter", data, sampler, sha1);
    fill_text(data, text);
    for (size_t i = LEN; i-- > 0;)
        data[i] = i % 2 ? 0 : data[i / 2];
    report(cpu_name(level), "UTF-16", data, sampler, sha1);
    for (int byte = 0, slowest = 0; byte < 2; byte++, slowest++) {
        memset(data, byte ? 0xc3 : 0xff, LEN);
        report(cpu_name(level), byte ? "byte c3" : "byte ff", data, sampler, sha1);
    }
    for (size_t period = 2; period <= 24; period++) {
        snprintf(name, sizeof name, "period %zu", period);
        fill_worst_period(data, period, sampler);
        report(cpu_name(level), name, data, sampler, sha1);
    }
    sampler_free(sampler);
}

int main(int argc, char **argv)
{
    uint8_t *data = aligned_alloc(4096, LEN);
    EVP_MD_CTX *sha1 = EVP_MD_CTX_new();
    enum cpu_level most = cpu_level();

    if (!data || !sha1 || !EVP_DigestInit_ex(sha1, EVP_sha1(), NULL))
        return 1;
    for (int level = CPU_SCALAR; level <= (int)most; level++)
        bench_level((enum cpu_level)level, argc > 1 ? argv[1] : "/usr/share/common-licenses/GPL-3", data,
                    sha1);
    EVP_MD_CTX_free(sha1);
    free(data);
    return 0;
}
