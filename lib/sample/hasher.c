/* SPDX-License-Identifier: Apache-2.0 */
#include "sample/hasher.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

enum {
    READ_LEN = 256 << 10, /* fits in the L2 cache with everything else */
    PASS_LEN = 32 << 10,  /* hashed, then sampled: fits in the L1 cache */
};

struct hasher {
    struct sampler_params params;
    struct digest *digest;
    struct sampler *sampler;
    uint64_t len;
    bool skipped;
    uint8_t *buffer;
};

struct hasher *hasher_new(const struct sampler_params *params, unsigned digests, struct error *err)
{
    struct hasher *hasher = memory_new(sizeof *hasher, err);

    if (!hasher)
        return NULL;
    hasher->params = *params;
    hasher->buffer = aligned_alloc(4096, READ_LEN);
    if (!hasher->buffer)
        error_set(err, "out of memory");
    else if ((hasher->digest = digest_new(digests, err)) && (hasher->sampler = sampler_new(params, err)))
        return hasher;
    hasher_free(hasher);
    return NULL;
}

void hasher_free(struct hasher *hasher)
{
    if (!hasher)
        return;
    free(hasher->buffer);
    sampler_free(hasher->sampler);
    digest_free(hasher->digest);
    free(hasher);
}

int hasher_begin(struct hasher *hasher, uint64_t len, struct error *err)
{
    hasher->len = 0;
    hasher->skipped = false;
    sampler_begin(hasher->sampler, len);
    return digest_begin(hasher->digest, err);
}

int hasher_update(struct hasher *hasher, const void *data, size_t len, struct error *err)
{
    const uint8_t *p = data;

    hasher->len += len;
    for (size_t pass; len > 0; p += pass, len -= pass) {
        pass = len < PASS_LEN ? len : PASS_LEN;
        if (digest_update(hasher->digest, p, pass, err) || sampler_update(hasher->sampler, p, pass, err))
            return -1;
    }
    return 0;
}

int hasher_skip(struct hasher *hasher, uint64_t zeros, struct error *err)
{
    hasher->len += zeros;
    hasher->skipped = true;
    return sampler_skip(hasher->sampler, zeros, err);
}

size_t hasher_take(struct hasher *hasher, const struct sample **samples)
{
    return sampler_take(hasher->sampler, samples);
}

int hasher_final(struct hasher *hasher, struct record *record, struct error *err)
{
    struct sampler_result result = sampler_final(hasher->sampler);

    record->params = hasher->params;
    record->params.c = result.c;
    record->len = hasher->len;
    record->coincidence = result.coincidence;
    if (digest_final(hasher->digest, &record->digests, err))
        return -1;
    if (hasher->skipped)
        record->digests = (struct digest_values){0};
    return record_set_samples(record, result.samples, result.count, err);
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec && a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
           a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/*
 * The length of the hole at the current offset, or 0.  Skipping holes avoids reading zeros, which would
 * otherwise dominate.  The offset is left unchanged.
 */
static uint64_t hole_here(int fd, const struct stat *st)
{
    off_t here, data;

    if (!S_ISREG(st->st_mode) || (uint64_t)st->st_blocks * 512 >= (uint64_t)st->st_size)
        return 0;
    here = lseek(fd, 0, SEEK_CUR);
    data = here < 0 ? -1 : lseek(fd, here, SEEK_DATA);
    if (data < 0 && here >= 0 && errno == ENXIO && here < st->st_size)
        data = st->st_size;
    if (here < 0 || data < 0 || lseek(fd, here, SEEK_SET) != here)
        return 0;
    return (uint64_t)(data - here);
}

static int hash_hole(struct hasher *hasher, int fd, uint64_t len, atomic_ullong *progress, struct error *err)
{
    memset(hasher->buffer, 0, READ_LEN);
    for (uint64_t left = len, piece; left > 0; left -= piece) {
        piece = left < READ_LEN ? left : READ_LEN;
        if (hasher_update(hasher, hasher->buffer, (size_t)piece, err))
            return -1;
        if (progress)
            atomic_fetch_add_explicit(progress, (unsigned long long)piece, memory_order_relaxed);
    }
    return lseek(fd, (off_t)len, SEEK_CUR) < 0 ? error_errno(err, "cannot seek past a hole") : 0;
}

/* Reads to the end.  A read error concerns this file only: the rest of the evidence may be fine. */
static enum hasher_result hash_all(struct hasher *hasher, int fd, const struct stat *st, const char *name,
                                   atomic_ullong *progress, struct error *err)
{
    for (;;) {
        const uint64_t hole = hole_here(fd, st);
        ssize_t got;

        if (hole && hash_hole(hasher, fd, hole, progress, err))
            return HASHER_FAILED;
        got = read(fd, hasher->buffer, READ_LEN);
        if (got == 0)
            return HASHER_OK;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            error_errno(err, "%s: read error at byte %" PRIu64, name, hasher->len);
            return HASHER_UNREADABLE;
        }
        if (hasher_update(hasher, hasher->buffer, (size_t)got, err))
            return HASHER_FAILED;
        if (progress)
            atomic_fetch_add_explicit(progress, (unsigned long long)got, memory_order_relaxed);
    }
}

enum hasher_result hasher_fd(struct hasher *hasher, int fd, const char *name, atomic_ullong *progress,
                             struct record *record, struct error *err)
{
    struct stat before, after;
    enum hasher_result result;

    if (fstat(fd, &before)) {
        error_errno(err, "%s", name);
        return HASHER_UNREADABLE;
    }
    if (hasher_begin(hasher, S_ISREG(before.st_mode) ? (uint64_t)before.st_size : SAMPLER_UNKNOWN, err))
        return HASHER_FAILED;
    result = hash_all(hasher, fd, &before, name, progress, err);
    if (result != HASHER_OK)
        return result;
    if (S_ISREG(before.st_mode) && (fstat(fd, &after) || !same_file(&before, &after))) {
        error_set(err, "%s: changed while it was read: %" PRIu64 " bytes read of %" PRIu64 " at the start",
                  name, hasher->len, (uint64_t)before.st_size);
        return HASHER_CHANGED;
    }
    if (S_ISREG(before.st_mode) && hasher->len != (uint64_t)before.st_size) {
        error_set(err, "%s: read %" PRIu64 " bytes, expected %" PRIu64, name, hasher->len,
                  (uint64_t)before.st_size);
        return HASHER_UNREADABLE;
    }
    return hasher_final(hasher, record, err) ? HASHER_FAILED : HASHER_OK;
}
