/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <iconv.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "check_main.h"
#include "sample/record.h"

enum {
    MAX_LEN = 8000,
    MAX_SAMPLES = 300,
    ALL = DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_MD5) | DIGEST_BIT(DIGEST_SHA256),
    FIELDS = 12,
};

static uint8_t content[MAX_LEN];

/* ---- records ---- */

static void digest(struct record *record, const void *data, size_t len, unsigned kinds)
{
    struct error err;
    struct digest *pass = digest_new(kinds, &err);

    ck_assert_ptr_nonnull(pass);
    ck_assert_int_eq(digest_begin(pass, &err), 0);
    ck_assert_int_eq(digest_update(pass, data, len, &err), 0);
    ck_assert_int_eq(digest_final(pass, &record->digests, &err), 0);
    digest_free(pass);
}

/* Fills the record from a content, without the hasher. */
static void sign(struct record *record, struct sampler_params params, const void *data, size_t len,
                 unsigned kinds)
{
    struct error err = {""};
    struct sampler *sampler = sampler_new(&params, &err);
    struct sampler_result result;

    ck_assert_msg(sampler != NULL, "%s", err.text);
    sampler_begin(sampler, len);
    ck_assert_int_eq(sampler_update(sampler, data, len, &err), 0);
    result = sampler_final(sampler);
    ck_assert_int_eq(record_set_samples(record, result.samples, result.count, &err), 0);
    record->params = params;
    record->params.c = result.c;
    record->len = len;
    record->coincidence = result.coincidence;
    digest(record, data, len, kinds);
    sampler_free(sampler);
}

static struct sampler_params random_params(enum sampler_scheme scheme)
{
    struct sampler_params params = {scheme, 1 + (uint32_t)(random64() % 64), 0, 0};

    if (scheme == SAMPLER_GF8) {
        params.n = 8 + (uint32_t)(random64() % 25);
        params.c = 4u << random64() % 19;
        return params;
    }
    do
        params.c = 2 + (uint32_t)(random64() % (random64() % 2 ? 300 : SAMPLER_MAX_C - 1));
    while (scheme == SAMPLER_COATES2015 && params.c % 89 == 0);
    params.k = (uint32_t)(random64() % params.c);
    return params;
}

static void name_randomly(struct record *record)
{
    uint8_t name[60];
    size_t len = random64() % sizeof name;

    if (random64() % 2)
        fill_random(name, len);
    else
        fill_text(name, len);
    record_set_name(record, name, len);
}

static unsigned random_kinds(void)
{
    return DIGEST_BIT(DIGEST_SHA1) | (unsigned)(random64() & ALL);
}

/* A record that no content has: samples at any place, with any fingerprints that the parameters allow. */
static void make_up(struct record *record, struct sampler_params params)
{
    struct sample samples[MAX_SAMPLES];
    const size_t count = random64() % 3 ? random64() % MAX_SAMPLES : random64() % 3;
    uint64_t pos = 0;
    struct error err;

    for (size_t i = 0; i < count; i++) {
        pos += (i > 0) + (random64() >> (10 + random64() % 54));
        samples[i] = (struct sample){pos, random64() >> random64() % 64 &
                                              UINT64_MAX >> (64 - sampler_fp_bits(&params))};
    }
    ck_assert_int_eq(record_set_samples(record, samples, count, &err), 0);
    record->params = params;
    record->len = pos + params.n + random64() % 100;
    record->coincidence = (uint32_t)(random64() % 10001);
    digest(record, &pos, sizeof pos, random_kinds());
    name_randomly(record);
}

static void assert_same(const struct record *a, const struct record *b)
{
    ck_assert_int_eq(a->params.scheme, b->params.scheme);
    ck_assert_uint_eq(a->params.n, b->params.n);
    ck_assert_uint_eq(a->params.c, b->params.c);
    ck_assert_uint_eq(a->params.k, b->params.k);
    ck_assert_uint_eq(a->len, b->len);
    ck_assert_uint_eq(a->coincidence, b->coincidence);
    ck_assert_uint_eq(a->digests.kinds, b->digests.kinds);
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if (a->digests.kinds & DIGEST_BIT(kind))
            ck_assert_mem_eq(a->digests.bytes[kind], b->digests.bytes[kind],
                             digest_len((enum digest_kind)kind));
    ck_assert_uint_eq(a->count, b->count);
    if (a->count)
        ck_assert_mem_eq(a->samples, b->samples, a->count * sizeof *a->samples);
    ck_assert_uint_eq(a->name.len, b->name.len);
    if (a->name.len)
        ck_assert_mem_eq(a->name.data, b->name.data, a->name.len);
}

/* ---- lines ---- */

static void parse(struct record *record, const char *line, size_t len)
{
    struct error err = {""};

    ck_assert_msg(record_parse(record, line, len, &err) == 0, "%s", err.text);
}

/* Whether text is well-formed UTF-8, as the C library sees it. */
static bool is_utf8(const char *text, size_t len)
{
    static wchar_t wide[1 << 18];
    iconv_t from_utf8 = iconv_open("WCHAR_T", "UTF-8");
    char *in = (char *)(uintptr_t)text, *out = (char *)wide;
    size_t room = sizeof wide, failed;

    ck_assert(from_utf8 != (iconv_t)-1);
    failed = iconv(from_utf8, &in, &len, &out, &room);
    iconv_close(from_utf8);
    return failed != (size_t)-1 && len == 0;
}

static void assert_one_clean_line(const struct buffer *line)
{
    size_t controls = 0;

    ck_assert(!line->failed);
    ck_assert_uint_gt(line->len, 0);
    for (size_t i = 0; i < line->len; i++)
        controls += iscntrl((unsigned char)line->data[i]) != 0;
    ck_assert_uint_eq(controls, 1);
    ck_assert_int_eq(line->data[line->len - 1], '\n');
    ck_assert(is_utf8(line->data, line->len));
    ck_assert(memcmp(line->data, RECORD_MAGIC, RECORD_MAGIC_LEN) == 0);
}

/* record -> line -> record -> line; the parsed record replaces another one. */
static void assert_round_trip(const struct record *record)
{
    static struct record back;
    struct buffer line = {0}, again = {0};

    record_format(record, &line);
    assert_one_clean_line(&line);
    parse(&back, line.data, line.len - 1);
    assert_same(record, &back);
    record_format(&back, &again);
    ck_assert_uint_eq(again.len, line.len);
    ck_assert_mem_eq(again.data, line.data, line.len);
    buffer_release(&line);
    buffer_release(&again);
}

START_TEST(signed_records_round_trip_through_lines)
{
    struct record record = {0};

    for (int round = 0; round < 600; round++) {
        const enum sampler_scheme scheme = (enum sampler_scheme)(round % SAMPLER_SCHEMES);
        const size_t len = random64() % (round % 4 ? MAX_LEN : 40);
        struct sampler_params params = random64() % 3 ? random_params(scheme) : sampler_defaults(scheme);

        if (round % 2)
            fill_text(content, len);
        else
            fill_random(content, len);
        sign(&record, params, content, len, random_kinds());
        name_randomly(&record);
        assert_round_trip(&record);
    }
    record_release(&record);
}
END_TEST

START_TEST(records_with_any_numbers_round_trip_through_lines)
{
    struct record record = {0};

    for (int round = 0; round < 2000; round++) {
        make_up(&record, random_params((enum sampler_scheme)(round % SAMPLER_SCHEMES)));
        assert_round_trip(&record);
    }
    record_release(&record);
}
END_TEST

START_TEST(the_largest_numbers_round_trip)
{
    const uint64_t longest = INT64_MAX;
    struct record record = {0};
    struct error err;

    for (int scheme = 0; scheme < SAMPLER_SCHEMES; scheme++) {
        struct sampler_params params = sampler_defaults((enum sampler_scheme)scheme);
        struct sample samples[2] = {{longest - 100, 0}, {0, 0}};

        params.c = scheme == SAMPLER_GF8 ? 4 : SAMPLER_MAX_C;
        samples[1] = (struct sample){longest - params.n, UINT64_MAX >> (64 - sampler_fp_bits(&params))};
        ck_assert_int_eq(record_set_samples(&record, samples, 2, &err), 0);
        record.params = params;
        record.len = longest;
        record.coincidence = SAMPLER_COINCIDENCE_ONE;
        digest(&record, "", 0, ALL);
        record_set_name(&record, "", 0);
        assert_round_trip(&record);
    }
    record_release(&record);
}
END_TEST

START_TEST(a_name_may_hold_any_byte)
{
    struct record record = {0};
    char name[512];

    sign(&record, sampler_defaults(SAMPLER_GF8), "", 0, ALL);
    for (int i = 0; i < 512; i++)
        name[i] = (char)(i < 256 ? i : 255 - i);
    for (size_t from = 0; from < 512; from += 5)
        for (size_t len = 0; from + len <= 512; len = len * 2 + 1) {
            record_set_name(&record, name + from, len);
            assert_round_trip(&record);
        }
    record_release(&record);
}
END_TEST

/* ---- worked out by hand: from the papers' steps, sha1sum, md5sum and sha256sum ---- */

static const char fox[] = "the quick brown fox jumps over the lazy dog, and over the hedge";

static void assert_line(const struct record *record, const char *wanted)
{
    struct record back = {0};
    struct buffer line = {0};

    record_format(record, &line);
    ck_assert_msg(line.len == strlen(wanted) + 1 && memcmp(line.data, wanted, line.len - 1) == 0, "%.*s",
                  (int)line.len, line.data);
    parse(&back, wanted, strlen(wanted));
    assert_same(record, &back);
    buffer_release(&line);
    record_release(&back);
}

START_TEST(the_papers_schemes_are_written_as_documented)
{
    struct record record = {0};

    sign(&record, (struct sampler_params){SAMPLER_COATES2011, 4, 7, 3}, fox, strlen(fox),
         DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_MD5));
    record_set_name(&record, "fox.txt", 7);
    assert_line(&record,
                "kith1:coates2011:4:7:3:63:"
                "4fe7304d9b9c4226b3b9a3c9c5c3e6fbce9ee655/99a735c2726d4302bc168e1f182eecb1:0:"
                "011001110000100:DRGEBICBBBBBDEB:AFvAG8AG8AFhAFhAFaAEiAEUAEbAFTAFTAFhAG8AFhAFh:fox.txt");
    sign(&record, (struct sampler_params){SAMPLER_COATES2015, 9, 10, 1}, fox, strlen(fox),
         DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_SHA256));
    assert_line(&record, "kith1:coates2015:9:10:1:63:4fe7304d9b9c4226b3b9a3c9c5c3e6fbce9ee655/"
                         "c352af234a3237d36a172fdc8e1ed891b1756f989c293a3436cca33dbc1eac81:0:"
                         ";X`H:MGGV:CB4b2YgbncFCBzcG11aiAXHQgcmV2byAbHJldm8gZG5B:fox.txt");
    record_release(&record);
}
END_TEST

START_TEST(gf8_is_written_as_documented)
{
    static const struct sample samples[] = {
        {0, 0},
        {31, 0x1ffffffffffffff},
        {63, 63},
        {1087, 0x123456789abcdef},
        {1099511628863, 12345678901234567},
    };
    struct record record = {.params = {SAMPLER_GF8, 12, 128, 0}, .len = INT64_MAX, .coincidence = 10000};
    struct error err;

    ck_assert_int_eq(record_set_samples(&record, samples, 5, &err), 0);
    digest(&record, "", 0, DIGEST_BIT(DIGEST_SHA1));
    record_set_name(&record, "a\nb\\c:\u00e9", 8);
    assert_line(&record,
                "kith1:gf8:12:128:0:9223372036854775807:da39a3ee5e6b4b0d3255bfef95601890afd80709:10000:"
                "A__vH:AfgBggBggggggggB:AAAAAAAAAAH_________AAAAAAAAA_EjRWeJq83vAr3FRda0uH:"
                "a\\x0ab\\\\c:\u00e9");
    record_release(&record);
}
END_TEST

/* ---- samples ---- */

START_TEST(reducing_equals_signing_at_the_larger_c)
{
    struct record dense = {0}, sparse = {0};

    for (int round = 0; round < 40; round++) {
        const size_t len = random64() % MAX_LEN;
        struct sampler_params params = {SAMPLER_GF8, 8 + (uint32_t)(random64() % 25), 4u << random64() % 5,
                                        0};

        fill_text(content, len);
        sign(&dense, params, content, len, ALL);
        for (; params.c <= 1024; params.c *= 2) {
            record_reduce(&dense, params.c);
            sign(&sparse, params, content, len, ALL);
            assert_same(&dense, &sparse);
            assert_round_trip(&dense);
        }
    }
    record_release(&dense);
    record_release(&sparse);
}
END_TEST

START_TEST(the_signature_has_the_character_of_each_sample)
{
    struct record record = {0};

    for (int round = 0; round < 30; round++) {
        struct buffer out = {0};

        make_up(&record, random_params((enum sampler_scheme)(round % SAMPLER_SCHEMES)));
        buffer_add_char(&out, '>');
        record_signature(&record, &out);
        ck_assert_uint_eq(out.len, record.count + 1);
        ck_assert_int_eq(out.data[0], '>');
        for (size_t i = 0; i < record.count; i++)
            ck_assert_int_eq(out.data[i + 1], sampler_symbol(&record.params, record.samples[i].fp));
        buffer_release(&out);
    }
    record_release(&record);
}
END_TEST

START_TEST(samples_and_names_are_copied_and_replaced)
{
    struct sample samples[3] = {{1, 1}, {2, 2}, {3, 3}};
    char name[] = "first";
    struct record record = {0};
    struct error err;

    ck_assert_int_eq(record_set_samples(&record, samples, 3, &err), 0);
    record_set_name(&record, name, 5);
    samples[0].pos = 99;
    name[0] = 'x';
    ck_assert_uint_eq(record.samples[0].pos, 1);
    ck_assert_mem_eq(record.name.data, "first", 5);
    ck_assert_int_eq(record_set_samples(&record, samples + 2, 1, &err), 0);
    record_set_name(&record, "2", 1);
    ck_assert_uint_eq(record.count, 1);
    ck_assert_uint_eq(record.samples[0].fp, 3);
    ck_assert_uint_eq(record.name.len, 1);
    ck_assert_int_eq(record_set_samples(&record, NULL, 0, &err), 0);
    ck_assert_uint_eq(record.count, 0);
    record_release(&record);
    record_release(&record);
}
END_TEST

/* ---- lines that no program writes ---- */

/* Either there is a message, or the record is written as the same line. */
static void assert_refused_or_exact(struct record *record, const char *line, size_t len)
{
    struct error err = {""};
    struct buffer again = {0};

    if (record_parse(record, line, len, &err)) {
        ck_assert_uint_gt(strlen(err.text), 5);
        return;
    }
    record_format(record, &again);
    ck_assert_msg(again.len == len + 1 && memcmp(again.data, line, len) == 0, "'%.*s' is read as '%.*s'",
                  (int)len, line, (int)again.len, again.data);
    buffer_release(&again);
}

/* A line with every kind of digest, some samples and a name that has to be escaped. */
static struct buffer example_line(enum sampler_scheme scheme)
{
    struct sampler_params params = {scheme, 12, 16, scheme == SAMPLER_GF8 ? 0 : 7};
    struct record record = {0};
    struct buffer line = {0};

    fill_text(content, 200);
    sign(&record, params, content, 200, ALL);
    ck_assert_uint_gt(record.count, 3);
    record_set_name(&record, "a\nb\\x:\u00e9\xff\u202e \u20ac", 16);
    record_format(&record, &line);
    line.len--;
    record_release(&record);
    return line;
}

START_TEST(a_replaced_byte_is_refused_or_kept)
{
    struct record record = {0};

    for (int scheme = 0; scheme < SAMPLER_SCHEMES; scheme++) {
        struct buffer line = example_line((enum sampler_scheme)scheme);

        for (size_t at = 0; at < line.len; at++) {
            const char was = line.data[at];

            for (int byte = 0; byte < 256; byte++) {
                line.data[at] = (char)byte;
                assert_refused_or_exact(&record, line.data, line.len);
            }
            line.data[at] = was;
        }
        buffer_release(&line);
    }
    record_release(&record);
}
END_TEST

START_TEST(an_added_or_missing_byte_is_refused_or_kept)
{
    static const char added[] = "\n 019:/AZaz-_\\x\xc3";
    struct record record = {0};
    char other[2000];

    for (int scheme = 0; scheme < SAMPLER_SCHEMES; scheme++) {
        struct buffer line = example_line((enum sampler_scheme)scheme);

        ck_assert_uint_lt(line.len, sizeof other);
        for (size_t at = 0; at <= line.len; at++) {
            memcpy(other, line.data, at);
            memcpy(other + at + 1, line.data + at, line.len - at);
            for (size_t i = 0; i < sizeof added; i++) { /* a zero byte is the last */
                other[at] = added[i];
                assert_refused_or_exact(&record, other, line.len + 1);
            }
            if (at < line.len) {
                memcpy(other + at, line.data + at + 1, line.len - at - 1);
                assert_refused_or_exact(&record, other, line.len - 1);
            }
        }
        buffer_release(&line);
    }
    record_release(&record);
}
END_TEST

START_TEST(a_truncated_line_is_refused_or_has_a_shorter_name)
{
    struct record record = {0};

    for (int scheme = 0; scheme < SAMPLER_SCHEMES; scheme++) {
        struct buffer line = example_line((enum sampler_scheme)scheme);

        for (size_t len = 0; len <= line.len; len++) {
            char *exact = malloc(len + 1); /* so that a sanitizer sees a read beyond the end */

            ck_assert_ptr_nonnull(exact);
            memcpy(exact + 1, line.data, len);
            assert_refused_or_exact(&record, exact + 1, len);
            free(exact);
        }
        buffer_release(&line);
    }
    record_release(&record);
}
END_TEST

/* ---- errors that name their field ---- */

enum field { MAGIC, SCHEME, N, C, K, LENGTH, DIGESTS, COINCIDENCE, SIGNATURE, POSITIONS, FINGERPRINTS, NAME };

static const char *const field_names[FIELDS] = {
    "magic",     "scheme",       "n",    "C", "k", "length", "digest", "coincidence", "signature",
    "positions", "fingerprints", "name",
};

#define SHA1_HEX   "da39a3ee5e6b4b0d3255bfef95601890afd80709"
#define MD5_HEX    "d41d8cd98f00b204e9800998ecf8427e"
#define SHA256_HEX "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

/* Samples at 0, 31, 63 and 1087, and the last window ends with the content. */
static const char *const good_fields[FIELDS] = {"kith1",
                                                "gf8",
                                                "12",
                                                "128",
                                                "0",
                                                "1099",
                                                SHA1_HEX,
                                                "321",
                                                "A__v",
                                                "AfgBggB",
                                                "AAAAAAAAAAH_________AAAAAAAAA_EjRWeJq83v",
                                                "file"};

/* The valid line with other text in one place. */
static struct buffer line_with(enum field field, const char *text)
{
    struct buffer line = {0};

    for (int i = 0; i < FIELDS; i++) {
        buffer_add_text(&line, i == (int)field ? text : good_fields[i]);
        if (i < FIELDS - 1)
            buffer_add_char(&line, ':');
    }
    return line;
}

/* Checks that parsing fails with a message about the field: "field 3 (n) .." or "n is 7: ..". */
static void assert_error_names(const struct buffer *line, enum field field)
{
    struct record record = {0};
    struct error err = {""};
    char in_parentheses[32], in_front[32];

    snprintf(in_parentheses, sizeof in_parentheses, "(%s)", field_names[field]);
    snprintf(in_front, sizeof in_front, "%s is ", field_names[field]);
    ck_assert_msg(record_parse(&record, line->data, line->len, &err) == -1, "is accepted: %.*s",
                  (int)line->len, line->data);
    ck_assert_msg(strstr(err.text, in_parentheses) || strncmp(err.text, in_front, strlen(in_front)) == 0,
                  "not about %s, '%s': %.*s", field_names[field], err.text, (int)line->len, line->data);
    record_release(&record);
}

enum { MOST_BAD = 20 };

struct bad {
    enum field field; /* that has another text, each of these: */
    enum field named; /* in the message */
    const char *texts[MOST_BAD + 1];
};

static void assert_all_bad(const struct bad *bad, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (const char *const *text = bad[i].texts; *text; text++) {
            struct buffer line = line_with(bad[i].field, *text);

            assert_error_names(&line, bad[i].named);
            buffer_release(&line);
        }
}

START_TEST(the_line_that_the_error_tests_start_from_is_valid)
{
    struct buffer line = line_with(NAME, "file");
    struct record record = {0};

    parse(&record, line.data, line.len);
    ck_assert_uint_eq(record.count, 4);
    ck_assert_uint_eq(record.samples[3].pos, 1087);
    buffer_release(&line);
    record_release(&record);
}
END_TEST

START_TEST(wrong_parameters_are_named)
{
    static const struct bad bad[] = {
        {MAGIC, MAGIC, {"kith2", "", "KITH1", "kith11", "kith", " kith1"}},
        {SCHEME,
         SCHEME,
         {"gf9", "", "GF8", "gf8 ", "gf", "coates2012", "gf8gf8gf8gf8gf8",
          "gf8gf8gf8gf8gf8gf8gf8gf8gf8gf8gf8gf8"}},
        {N,
         N,
         {"7", "33", "0", "", "012", "+12", "-12", " 12", "12 ", "0xc", "4294967308",
          "18446744073709551628"}},
        {C,
         C,
         {"0", "1", "2", "3", "100", "129", "2097152", "2147483648", "4294967296", "4294967424", "", "-128"}},
        {K, K, {"", "00", "4294967296"}},
        {COINCIDENCE, COINCIDENCE, {"10001", "", "0321"}},
    };

    assert_all_bad(bad, sizeof bad / sizeof *bad);
}
END_TEST

START_TEST(wrong_parameters_of_the_papers_schemes_are_named)
{
    static const struct {
        enum field named;
        const char *starts[4];
    } bad[] = {
        {N, {"coates2011:0:100:0", "coates2011:65:100:0"}},
        {C, {"coates2011:10:1:0", "coates2011:10:1048577:0", "coates2015:9:0:0", "coates2015:9:89:0"}},
        {K, {"coates2011:10:100:100", "coates2015:9:101:4294967295"}},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (int k = 0; k < 4 && bad[i].starts[k]; k++) {
            struct buffer line = {0};

            buffer_printf(&line, "kith1:%s:100:" SHA1_HEX ":0::::file", bad[i].starts[k]);
            assert_error_names(&line, bad[i].named);
            buffer_release(&line);
        }
}
END_TEST

START_TEST(wrong_lengths_and_digests_are_named)
{
    static const struct bad bad[] = {
        {LENGTH,
         LENGTH,
         {"9223372036854775808", "18446744073709551615", "18446744073709551616", "18446744073709552715",
          "99999999999999999999999999999", "", "-1", "01099", "1099.0", "1e4"}},
        {DIGESTS,
         DIGESTS,
         {"", "DA39A3EE5E6B4B0D3255BFEF95601890AFD80709", "da39a3ee5e6b4b0d3255bfef95601890afd8070F",
          "da39a3ee5e6b4b0d3255bfef95601890afd8070g", "da39a3ee5e6b4b0d3255bfef95601890afd8070", SHA1_HEX "0",
          MD5_HEX, SHA256_HEX, MD5_HEX "/" SHA1_HEX, MD5_HEX "/" SHA256_HEX, SHA1_HEX "/", "/" SHA1_HEX,
          SHA1_HEX "/" SHA1_HEX, SHA1_HEX "/" MD5_HEX "/", SHA1_HEX "/" MD5_HEX "/" MD5_HEX,
          SHA1_HEX "//" SHA256_HEX, SHA1_HEX "/" SHA256_HEX "/" MD5_HEX,
          SHA1_HEX "/" MD5_HEX "/" SHA256_HEX "/", SHA1_HEX "/D41D8CD98F00B204E9800998ECF8427E"}},
    };

    assert_all_bad(bad, sizeof bad / sizeof *bad);
}
END_TEST

START_TEST(wrong_samples_are_named)
{
    static const struct bad bad[] = {
        {SIGNATURE,
         SIGNATURE,
         {/* of another fingerprint */ "A__w", /* no such character */ "A_!v", "A_\xc3v"}},
        {SIGNATURE, FINGERPRINTS, {"A__", "A__vv", ""}},
        {POSITIONS,
         POSITIONS,
         {"AfgBgg!", "Af+BggB", "", "AfgB", "AfgBgg", "AfgBggBB", /* beyond the length */ "AfgBggC"}},
        {LENGTH, POSITIONS, {"1098", "0"}},
        {POSITIONS,
         POSITIONS,
         {/* the same twice */ "AAgBggB", "AffA", /* 1 in two characters */ "AfhAggB", "gAfgBggB", "AfgBghgA",
          /* 2^64 - 1: a step back */ "Af____________PB", "Af____________QB", "AfggggggggggggIB",
          /* 31 + 2^64 */ "A_gggggggggggQgBggB", "____________HgggggggggggggHBB"}},
        {FINGERPRINTS,
         FINGERPRINTS,
         {"AAAAAAAAAAH_________AAAAAAAAA_EjRWeJq8+v", "AAAAAAAAAAH_________AAAAAAAAA_EjRWeJq83",
          "AAAAAAAAAAH_________AAAAAAAAA_EjRWeJq83vA", "AAAAAAAAAAH_________AAAAAAAAA_",
          /* 2^57 and more: not below 2^64 / C */ "AAAAAAAAAAI_________AAAAAAAAA_EjRWeJq83v",
          "AAAAAAAAAA__________AAAAAAAAA_EjRWeJq83v", ""}},
    };

    assert_all_bad(bad, sizeof bad / sizeof *bad);
}
END_TEST

START_TEST(wrong_names_are_named)
{
    static const struct bad bad[] = {
        {NAME, NAME, {"\\", "a\n", "a\r", "\\x0A", "\\x61", "\\t", "\xff", "\u202e", "\x1b[m"}},
    };

    assert_all_bad(bad, sizeof bad / sizeof *bad);
}
END_TEST

START_TEST(missing_fields_are_named)
{
    struct buffer line = {0};

    for (int i = 0; i < FIELDS - 1; i++) {
        buffer_printf(&line, "%s%s", i ? ":" : "", good_fields[i]);
        assert_error_names(&line, (enum field)(i + 1));
    }
    buffer_release(&line);
}
END_TEST

START_TEST(an_empty_line_is_an_error)
{
    struct record record = {0};
    struct error err = {""};

    ck_assert_int_eq(record_parse(&record, "", 0, &err), -1);
    ck_assert_uint_gt(strlen(err.text), 5);
    record_release(&record);
}
END_TEST

START_TEST(a_zero_byte_is_an_error_anywhere)
{
    struct buffer line = line_with(NAME, "file");

    for (size_t at = 0, field = 0; at < line.len; at++) {
        struct buffer with_zero = {0};

        field += at > 0 && line.data[at - 1] == ':';
        buffer_add(&with_zero, line.data, at);
        buffer_add_char(&with_zero, '\0');
        buffer_add(&with_zero, line.data + at, line.len - at);
        if (field == SIGNATURE) /* which is then too long */
            assert_error_names(&with_zero, FINGERPRINTS);
        else
            assert_error_names(&with_zero, (enum field)field);
        buffer_release(&with_zero);
    }
    buffer_release(&line);
}
END_TEST

START_TEST(a_record_can_be_filled_after_an_error)
{
    struct buffer good = line_with(NAME, "file"), bad = {0};
    struct record record = {0}, fresh = {0};
    struct error err;

    parse(&fresh, good.data, good.len);
    for (int field = 0; field < FIELDS; field++) {
        bad = line_with((enum field)field, "\x01");
        ck_assert_int_eq(record_parse(&record, bad.data, bad.len, &err), -1);
        parse(&record, good.data, good.len);
        assert_same(&record, &fresh);
        buffer_release(&bad);
    }
    buffer_release(&good);
    record_release(&record);
    record_release(&fresh);
}
END_TEST

/* ---- JSON ---- */

static const char *json_value(const char *p);

/* Each of these returns what follows, or NULL if it is not JSON (RFC 8259); the text is terminated. */
static const char *json_string(const char *p)
{
    if (*p++ != '"')
        return NULL;
    for (; *p != '"'; p++) {
        if ((unsigned char)*p < 0x20 || (*p == '\\' && !strchr("\"\\/bfnrt", p[1])))
            return NULL;
        p += *p == '\\';
    }
    return p + 1;
}

static const char *json_number(const char *p)
{
    const char *start = p;

    p += *p == '0' ? 1 : strspn(p, "0123456789");
    if (*p == '.' && p > start) {
        start = ++p;
        p += strspn(p, "0123456789");
    }
    return p > start ? p : NULL;
}

static const char *json_member(const char *p)
{
    p = json_string(p);
    return p && *p == ':' ? json_value(p + 1) : NULL;
}

static const char *json_list(const char *p, char end, const char *(*item)(const char *p))
{
    if (*p == end)
        return p + 1;
    for (; (p = item(p)); p++)
        if (*p != ',')
            return *p == end ? p + 1 : NULL;
    return NULL;
}

static const char *json_value(const char *p)
{
    switch (*p) {
    case '{':
        return json_list(p + 1, '}', json_member);
    case '[':
        return json_list(p + 1, ']', json_value);
    case '"':
        return json_string(p);
    default:
        return json_number(p);
    }
}

/* A line with one object, terminated. */
static struct buffer json_of(const struct record *record)
{
    struct buffer json = {0};
    const char *end;

    record_format_json(record, &json);
    ck_assert(!json.failed);
    ck_assert_int_eq(json.data[json.len - 1], '\n');
    ck_assert(is_utf8(json.data, json.len));
    buffer_add_char(&json, '\0');
    ck_assert_uint_eq(strlen(json.data), json.len - 1);
    end = json.data[0] == '{' ? json_value(json.data) : NULL;
    ck_assert_msg(end && strcmp(end, "\n") == 0, "no JSON: %s", json.data);
    return json;
}

static void assert_holds(const struct buffer *json, const char *text)
{
    ck_assert_msg(strstr(json->data, text) != NULL, "no %s in %s", text, json->data);
}

START_TEST(json_holds_the_whole_record)
{
    struct buffer line = line_with(NAME, "a\"b"), json;
    struct record record = {0};

    parse(&record, line.data, line.len);
    digest(&record, "", 0, ALL);
    json = json_of(&record);
    assert_holds(&json, "\"path\":\"a\\\"b\",");
    assert_holds(&json, ",\"size\":1099,");
    assert_holds(&json, ",\"sha1\":\"" SHA1_HEX "\",");
    assert_holds(&json, ",\"md5\":\"" MD5_HEX "\",");
    assert_holds(&json, ",\"sha256\":\"" SHA256_HEX "\",");
    assert_holds(&json, "\"scheme\":\"gf8\",\"n\":12,\"c\":128,\"k\":0,");
    assert_holds(&json, "\"coincidence\":0.0321,");
    assert_holds(&json, ",\"signature\":\"A__v\",");
    assert_holds(&json, "\"positions\":[0,31,63,1087]");
    assert_holds(&json,
                 "[\"0000000000000000\",\"01ffffffffffffff\",\"000000000000003f\",\"0123456789abcdef\"]");
    ck_assert_ptr_null(strstr(json.data, "path_hex"));
    buffer_release(&line);
    buffer_release(&json);
    record_release(&record);
}
END_TEST

START_TEST(json_of_an_escaped_name_also_holds_its_bytes)
{
    struct buffer line = line_with(NAME, "a\\x0a\\\\"), json;
    struct record record = {0};

    parse(&record, line.data, line.len);
    json = json_of(&record);
    assert_holds(&json, "\"path\":\"a\\\\x0a\\\\\\\\\",");
    assert_holds(&json, ",\"path_hex\":\"610a5c\",");
    buffer_release(&line);
    buffer_release(&json);
    record_release(&record);
}
END_TEST

START_TEST(json_is_well_formed_whatever_the_record_holds)
{
    struct record record = {0};

    for (int round = 0; round < 1000; round++) {
        struct buffer json;

        make_up(&record, random_params((enum sampler_scheme)(round % SAMPLER_SCHEMES)));
        json = json_of(&record);
        assert_holds(&json, "\"path\":\"");
        assert_holds(&json, ",\"signature\":\"");
        buffer_release(&json);
    }
    record_release(&record);
}
END_TEST

START_TEST(a_record_without_a_name_can_be_written)
{
    struct record record = {0};
    struct buffer json;

    sign(&record, sampler_defaults(SAMPLER_GF8), "", 0, ALL);
    assert_round_trip(&record);
    json = json_of(&record);
    assert_holds(&json, "\"path\":\"\",");
    assert_holds(&json, ",\"size\":0,");
    buffer_release(&json);
    record_release(&record);
}
END_TEST

RUN_TESTS("record", signed_records_round_trip_through_lines,
          records_with_any_numbers_round_trip_through_lines, the_largest_numbers_round_trip,
          a_name_may_hold_any_byte, the_papers_schemes_are_written_as_documented,
          gf8_is_written_as_documented, reducing_equals_signing_at_the_larger_c,
          the_signature_has_the_character_of_each_sample, samples_and_names_are_copied_and_replaced,
          a_replaced_byte_is_refused_or_kept, an_added_or_missing_byte_is_refused_or_kept,
          a_truncated_line_is_refused_or_has_a_shorter_name,
          the_line_that_the_error_tests_start_from_is_valid, wrong_parameters_are_named,
          wrong_parameters_of_the_papers_schemes_are_named, wrong_lengths_and_digests_are_named,
          wrong_samples_are_named, wrong_names_are_named, missing_fields_are_named, an_empty_line_is_an_error,
          a_zero_byte_is_an_error_anywhere, a_record_can_be_filled_after_an_error,
          json_holds_the_whole_record, json_of_an_escaped_name_also_holds_its_bytes,
          json_is_well_formed_whatever_the_record_holds, a_record_without_a_name_can_be_written)
