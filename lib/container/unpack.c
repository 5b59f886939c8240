/* SPDX-License-Identifier: Apache-2.0 */
#include "container/unpack.h"

#include <inttypes.h>
#include <limits.h>
#include <lzma.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/memory.h"
#include "container/container.h"
#include "container/inflate64.h"
#include "disk/deflate.h"

enum { ZSTD_LEAST_LOG = 20, ZSTD_MOST_LOG = 31 };

struct unpack {
    enum unpack_method method;
    uint64_t memory;
    struct deflate *deflate;
    struct inflate64 *inflate64;
    lzma_stream lzma;
    ZSTD_DStream *zstd;
    int log; /* of the largest window of Zstandard */
};

/* ---- Deflate ---- */

static int begin_deflate(struct unpack *unpack, struct error *err)
{
    if (unpack->method == UNPACK_DEFLATE) {
        if (!unpack->deflate)
            unpack->deflate = deflate_new(DEFLATE_BARE);
        return unpack->deflate && deflate_begin(unpack->deflate) == 0 ? 0 : error_set(err, "out of memory");
    }
    if (!unpack->inflate64)
        unpack->inflate64 = inflate64_new();
    if (!unpack->inflate64)
        return error_set(err, "out of memory");
    inflate64_begin(unpack->inflate64);
    return 0;
}

static int step_deflate(struct unpack *unpack, struct unpack_step *step, struct error *err)
{
    struct deflate_step same = {step->packed, step->packed_len, step->into, step->room};
    const int more = unpack->method == UNPACK_DEFLATE ? deflate_step(unpack->deflate, &same)
                                                      : inflate64_step(unpack->inflate64, &same);

    *step = (struct unpack_step){same.packed, same.packed_len, same.into, same.room};
    return more < 0 ? error_set(err, "its packed data is damaged") : more;
}

/* ---- LZMA and xz ---- */

static int lzma_error(struct unpack *unpack, lzma_ret result, struct error *err)
{
    if (result == LZMA_MEMLIMIT_ERROR)
        return error_set(err, "it needs %" PRIu64 " MB to be unpacked", lzma_memusage(&unpack->lzma) >> 20);
    if (result == LZMA_MEM_ERROR)
        return error_set(err, "out of memory");
    if (result == LZMA_OPTIONS_ERROR)
        return error_set(err, "it is packed by a method that is not supported");
    return error_set(err, "its packed data is damaged");
}

static int begin_lzma(struct unpack *unpack, struct error *err)
{
    const lzma_ret result = unpack->method == UNPACK_XZ
                                ? lzma_stream_decoder(&unpack->lzma, unpack->memory, 0)
                                : lzma_alone_decoder(&unpack->lzma, unpack->memory);

    return result == LZMA_OK ? 0 : lzma_error(unpack, result, err);
}

static int step_lzma(struct unpack *unpack, struct unpack_step *step, struct error *err)
{
    lzma_stream *stream = &unpack->lzma;
    lzma_ret result;

    stream->next_in = step->packed;
    stream->avail_in = step->packed_len;
    stream->next_out = step->into;
    stream->avail_out = step->room;
    result = lzma_code(stream, LZMA_RUN);
    *step = (struct unpack_step){stream->next_in, stream->avail_in, stream->next_out, stream->avail_out};
    switch (result) {
    case LZMA_OK:
    case LZMA_BUF_ERROR:
        return 1; /* no progress is possible */
    case LZMA_STREAM_END:
        return 0;
    default:
        return lzma_error(unpack, result, err);
    }
}

/* ---- Zstandard ---- */

static int zstd_error(const struct unpack *unpack, size_t result, struct error *err)
{
    switch (ZSTD_getErrorCode(result)) {
    case ZSTD_error_frameParameter_windowTooLarge:
        return error_set(err, "it needs more than %" PRIu64 " MB to be unpacked",
                         (uint64_t)1 << (unpack->log - 20));
    case ZSTD_error_memory_allocation:
        return error_set(err, "out of memory");
    case ZSTD_error_dictionary_wrong:
        return error_set(err, "it needs a dictionary to be unpacked");
    case ZSTD_error_checksum_wrong:
        return error_set(err, "its checksum does not agree");
    default:
        return error_set(err, "its packed data is damaged");
    }
}

static int begin_zstd(struct unpack *unpack, struct error *err)
{
    size_t result;

    if (!unpack->zstd)
        unpack->zstd = ZSTD_createDStream();
    if (!unpack->zstd)
        return error_set(err, "out of memory");
    for (unpack->log = ZSTD_LEAST_LOG;
         unpack->log < ZSTD_MOST_LOG && unpack->memory >> (unpack->log + 1) > 0;)
        unpack->log++;
    ZSTD_DCtx_reset(unpack->zstd, ZSTD_reset_session_only);
    result = ZSTD_DCtx_setParameter(unpack->zstd, ZSTD_d_windowLogMax, unpack->log);
    return ZSTD_isError(result) ? zstd_error(unpack, result, err) : 0;
}

static int step_zstd(struct unpack *unpack, struct unpack_step *step, struct error *err)
{
    ZSTD_inBuffer in = {step->packed, step->packed_len, 0};
    ZSTD_outBuffer out = {step->into, step->room, 0};
    const size_t result = ZSTD_decompressStream(unpack->zstd, &out, &in);

    step->packed += in.pos;
    step->packed_len -= in.pos;
    step->into += out.pos;
    step->room -= out.pos;
    if (ZSTD_isError(result))
        return zstd_error(unpack, result, err);
    return result != 0;
}

/* ---- all ---- */

static int begin(struct unpack *unpack, struct error *err)
{
    switch (unpack->method) {
    case UNPACK_DEFLATE:
    case UNPACK_DEFLATE64:
        return begin_deflate(unpack, err);
    case UNPACK_ZSTD:
        return begin_zstd(unpack, err);
    default:
        return begin_lzma(unpack, err);
    }
}

struct unpack *unpack_new(enum unpack_method method, uint64_t memory, struct error *err)
{
    struct unpack *unpack = memory_new(sizeof *unpack, err);

    if (!unpack)
        return NULL;
    *unpack = (struct unpack){.method = method, .memory = memory, .lzma = LZMA_STREAM_INIT};
    if (begin(unpack, err) == 0)
        return unpack;
    unpack_free(unpack);
    return NULL;
}

int unpack_restart(struct unpack *unpack, struct error *err)
{
    return begin(unpack, err);
}

void unpack_free(struct unpack *unpack)
{
    if (!unpack)
        return;
    deflate_free(unpack->deflate);
    inflate64_free(unpack->inflate64);
    lzma_end(&unpack->lzma);
    ZSTD_freeDStream(unpack->zstd);
    free(unpack);
}

int unpack_step(struct unpack *unpack, struct unpack_step *step, struct error *err)
{
    static const uint8_t nothing;

    if (!step->packed)
        step->packed = &nothing;
    switch (unpack->method) {
    case UNPACK_DEFLATE:
    case UNPACK_DEFLATE64:
        return step_deflate(unpack, step, err);
    case UNPACK_ZSTD:
        return step_zstd(unpack, step, err);
    default:
        return step_lzma(unpack, step, err);
    }
}

/* A stream has ended if it needs no more room; if that is full, it may have an end still to be read. */
static int step_to_end(struct unpack *unpack, struct unpack_step *step, struct error *err)
{
    int more;
    struct unpack_step before;

    do {
        before = *step;
        more = unpack_step(unpack, step, err);
    } while (more > 0 && (step->packed != before.packed || step->into != before.into));
    return more > 0 ? error_set(err, step->packed_len ? "it is longer than it should be" : "it is cut off")
                    : more;
}

long unpack_block(enum unpack_method method, const void *packed, size_t packed_len, void *into, size_t room,
                  struct error *err)
{
    struct unpack *unpack = room <= LONG_MAX ? unpack_new(method, CONTAINER_MEMORY, err) : NULL;
    struct unpack_step step = {packed, packed_len, into, room};
    int result;

    if (!unpack)
        return -1;
    result = step_to_end(unpack, &step, err);
    unpack_free(unpack);
    return result ? -1 : (long)(room - step.room);
}
