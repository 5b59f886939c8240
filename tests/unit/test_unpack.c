/* SPDX-License-Identifier: Apache-2.0 */
#include <lzma.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "check_main.h"
#include "container/unpack.h"

enum { LEN = 200000, METHODS = 5, DICTIONARY = 1 << 20 };

static uint8_t text[LEN], packed[METHODS][LEN + 1000], got[LEN];
static size_t packed_len[METHODS];

static size_t pack_deflate(uint8_t *into, size_t room)
{
    z_stream stream = {.next_in = text, .avail_in = LEN, .next_out = into, .avail_out = (uInt)room};

    ck_assert_int_eq(deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    ck_assert_int_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    return stream.total_out;
}

static size_t pack_lzma(uint8_t *into, size_t room, uint32_t dictionary)
{
    lzma_stream stream = LZMA_STREAM_INIT;
    lzma_options_lzma options;

    ck_assert(!lzma_lzma_preset(&options, 6));
    options.dict_size = dictionary;
    ck_assert_int_eq(lzma_alone_encoder(&stream, &options), LZMA_OK);
    stream.next_in = text;
    stream.avail_in = LEN;
    stream.next_out = into;
    stream.avail_out = room;
    ck_assert_int_eq(lzma_code(&stream, LZMA_FINISH), LZMA_STREAM_END);
    lzma_end(&stream);
    return room - stream.avail_out;
}

static size_t pack_xz(uint8_t *into, size_t room)
{
    size_t at = 0;

    ck_assert_int_eq(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, text, LEN, into, &at, room), LZMA_OK);
    return at;
}

static void pack_all(void)
{
    fill_text(text, LEN);
    packed_len[UNPACK_DEFLATE] = pack_deflate(packed[UNPACK_DEFLATE], LEN);
    packed_len[UNPACK_DEFLATE64] =
        pack_deflate(packed[UNPACK_DEFLATE64], LEN); /* without its longest lengths */
    packed_len[UNPACK_LZMA] = pack_lzma(packed[UNPACK_LZMA], LEN, DICTIONARY);
    packed_len[UNPACK_XZ] = pack_xz(packed[UNPACK_XZ], LEN);
    packed_len[UNPACK_ZSTD] = ZSTD_compress(packed[UNPACK_ZSTD], LEN, text, LEN, 3);
}

START_TEST(unpacks_a_block)
{
    pack_all();
    for (unsigned method = 0; method < METHODS; method++) {
        const size_t len = packed_len[method];
        struct error err = {""};

        memset(got, 0, LEN);
        ck_assert_int_eq(unpack_block(method, packed[method], len, got, LEN, &err), LEN);
        ck_assert_mem_eq(got, text, LEN);
        ck_assert_int_eq(unpack_block(method, packed[method], len + 1000, got, LEN, &err), LEN);
        ck_assert_int_eq(unpack_block(method, packed[method], len, got, LEN - 1, &err), -1);
        ck_assert_str_eq(err.text, "it is longer than it should be");
        ck_assert_int_eq(unpack_block(method, packed[method], len - 1, got, LEN, &err), -1);
        ck_assert_str_eq(err.text, "it is cut off");
        ck_assert_int_eq(unpack_block(method, packed[method], 0, got, LEN, &err), -1);
    }
}
END_TEST

/* Unpacks in pieces, up to `len` packed bytes, and returns how many there are. */
static size_t unpack_pieces(struct unpack *unpack, const uint8_t *from, size_t len, size_t in, size_t out)
{
    size_t at = 0, done = 0, got_now = 1, taken = 1;
    int more = 1;

    while (more > 0 && (at < len || got_now > 0 || taken > 0)) {
        struct unpack_step step = {from + at, len - at < in ? len - at : in, got + done,
                                   LEN - done < out ? LEN - done : out};

        more = unpack_step(unpack, &step, NULL);
        got_now = (size_t)(step.into - got) - done;
        taken = (size_t)(step.packed - from) - at;
        done += got_now;
        at += taken;
        if (got_now == 0 && taken == 0)
            break;
    }
    ck_assert_int_ge(more, 0);
    ck_assert(more > 0 || (done == LEN && at == len));
    return done;
}

START_TEST(does_not_depend_on_the_pieces)
{
    static const size_t sizes[][2] = {{LEN, LEN}, {1, 1000}, {1000, 7}, {77, LEN}};

    pack_all();
    for (unsigned method = 0; method < METHODS; method++) {
        struct unpack *unpack = unpack_new(method, UINT64_MAX, NULL);

        for (size_t i = 0; i < 4; i++) {
            ck_assert_int_eq(unpack_restart(unpack, NULL), 0);
            memset(got, 0, LEN);
            ck_assert_uint_eq(
                unpack_pieces(unpack, packed[method], packed_len[method], sizes[i][0], sizes[i][1]), LEN);
            ck_assert_mem_eq(got, text, LEN);
        }
        unpack_free(unpack);
    }
}
END_TEST

/* Almost nothing is lost: a block of Zstandard, some bytes of the others. */
START_TEST(unpacks_what_is_cut_off)
{
    pack_all();
    for (unsigned method = 0; method < METHODS; method++) {
        struct unpack *unpack = unpack_new(method, UINT64_MAX, NULL);
        const size_t lost = method == UNPACK_ZSTD ? 128 << 10 : 12000;

        for (size_t cut = packed_len[method] / 10; cut < packed_len[method]; cut += packed_len[method] / 10) {
            size_t done;

            ck_assert_int_eq(unpack_restart(unpack, NULL), 0);
            done = unpack_pieces(unpack, packed[method], cut, LEN, LEN);
            ck_assert_mem_eq(got, text, done);
            ck_assert_uint_ge(done + lost, LEN * cut / packed_len[method]);
        }
        unpack_free(unpack);
    }
}
END_TEST

START_TEST(takes_no_more_memory_than_allowed)
{
    static const uint32_t dictionary = 8 << 20;
    struct unpack *unpack;
    struct error err = {""};
    struct unpack_step step = {.packed = packed[UNPACK_LZMA], .into = got, .room = LEN};
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_inBuffer in = {text, LEN, 0};
    ZSTD_outBuffer out = {packed[UNPACK_ZSTD], LEN, 0};

    fill_text(text, LEN);
    step.packed_len = pack_lzma(packed[UNPACK_LZMA], LEN, dictionary);
    unpack = unpack_new(UNPACK_LZMA, dictionary / 2, NULL);
    ck_assert_int_eq(unpack_step(unpack, &step, &err), -1);
    ck_assert_str_eq(err.text, "it needs 8 MB to be unpacked");
    unpack_free(unpack);

    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 27);
    ck_assert(!ZSTD_isError(ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush)));
    ZSTD_freeCCtx(context);
    unpack = unpack_new(UNPACK_ZSTD, 100 << 20, NULL);
    step = (struct unpack_step){packed[UNPACK_ZSTD], out.pos, got, LEN};
    ck_assert_int_eq(unpack_step(unpack, &step, &err), -1);
    ck_assert_str_eq(err.text, "it needs more than 64 MB to be unpacked");
    unpack_free(unpack);
}
END_TEST

START_TEST(survives_damage)
{
    pack_all();
    for (unsigned method = 0; method < METHODS; method++) {
        struct unpack *unpack = unpack_new(method, UINT64_MAX, NULL);

        for (size_t i = 0; i < 50; i++) {
            uint8_t *spoilt = memcpy(malloc(packed_len[method]), packed[method], packed_len[method]);
            struct unpack_step step = {spoilt, packed_len[method], got, LEN};
            int more = 1;

            spoilt[random64() % packed_len[method]] ^= (uint8_t)(1 + random64() % 255);
            if (unpack_restart(unpack, NULL))
                continue;
            for (int steps = 0; more > 0 && steps < 100; steps++)
                more = unpack_step(unpack, &step, NULL);
            free(spoilt);
        }
        unpack_free(unpack);
    }
}
END_TEST

RUN_TESTS("unpack", unpacks_a_block, does_not_depend_on_the_pieces, unpacks_what_is_cut_off,
          takes_no_more_memory_than_allowed, survives_damage)
