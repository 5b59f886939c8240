/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "compare/distance.h"
#include "lab/lab_clock.h"
#include "lab/lab_coates_inner.h"

/* The speeds of both papers: of distances, estimates and signatures. */

enum { DISTANCES_2011 = 13508, SIGNED_2015 = 4865 };

/* What is repeated: a pair of texts or signatures, or a text to sign. */
struct work {
    struct lab_coates_text a, b;
    struct sampler_params params;
    struct buffer a_signature, b_signature;
    uint64_t distance;
    double whole; /* distances of both whole texts per second */
};

static void release(struct work *work)
{
    buffer_release(&work->a_signature);
    buffer_release(&work->b_signature);
}

static double seconds(const struct lab_run *run)
{
    return run->quick ? 0.02 : 0.5;
}

static int plain_distance(void *arg, struct error *err)
{
    struct work *work = arg;

    return lab_coates_plain_distance(work->a, work->b, &work->distance, err);
}

static int own_distance(void *arg, struct error *err)
{
    struct work *work = arg;

    return distance_exact(work->a.data, work->a.len, work->b.data, work->b.len, &work->distance, err);
}

static int signature_distance(void *arg, struct error *err)
{
    struct work *work = arg;

    return lab_coates_distance(&work->a_signature, &work->b_signature, &work->distance, err);
}

static int sign_text(void *arg, struct error *err)
{
    struct work *work = arg;

    return lab_coates_sign(&work->params, work->a, &work->a_signature, err);
}

static int sign_both(struct work *work, struct error *err)
{
    if (lab_coates_sign(&work->params, work->a, &work->a_signature, err))
        return -1;
    return lab_coates_sign(&work->params, work->b, &work->b_signature, err);
}

/* ---- Coates 2011, section 4.1 ---- */

static const struct lab_column plain_columns[] = {
    {"length", "bytes", 0, false},
    {"textbook algorithm", "pairs/s", LAB_SIGNIFICANT, false},
    {"textbook algorithm", "pairs/s", LAB_PRINTED, true},
    {"kith, bit-parallel", "pairs/s", LAB_SIGNIFICANT, false},
};

/* Sections 1.1 and 4.1. */
static int run_plain(const struct lab_run *run, struct work *texts, struct lab_document *out,
                     struct error *err)
{
    static const struct {
        size_t len;
        double paper;
    } rows[] = {{40, 38000}, {4000, 3.7}, {DISTANCES_2011, 0.87}};
    struct lab_table *table =
        lab_table(out, "coates2011-4.1-plain", "The Levenshtein distance itself, of two unrelated texts",
                  plain_columns, sizeof plain_columns / sizeof *plain_columns);

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct work work = {.a = texts->a, .b = texts->b};
        double plain, own;

        work.a.len = rows[i].len < work.a.len ? rows[i].len : work.a.len;
        work.b.len = rows[i].len < work.b.len ? rows[i].len : work.b.len;
        if (lab_clock_rate(plain_distance, &work, seconds(run), &plain, err) ||
            lab_clock_rate(own_distance, &work, seconds(run), &own, err))
            return -1;
        lab_row_numbers(table, (const double[]){(double)work.a.len, plain, rows[i].paper, own}, 4);
        texts->whole = own;
    }
    return 0;
}

static const struct lab_column speed_columns[] = {
    {"C", "", 0, false},
    {"k", "", 0, false},
    {"estimates", "pairs/s", LAB_SIGNIFICANT, false},
    {"estimates", "pairs/s", 0, true},
    {"estimates : LD", "bit-parallel", 0, false},
    {"estimates : LD", "1,388 : 0.87, ...", 0, true},
    {"C^2", "", 0, true},
    {"signature", "bits", 0, false},
    {"signature", "bits", 0, true},
    {"length / C", "bits", 0, false},
    {"signature", "bytes", 0, false},
    {"signature", "bytes", 0, true},
    {"signing", "documents/s", LAB_SIGNIFICANT, false},
    {"signing", "documents/s, least", 0, true},
    {"signing", "documents/s, most", 0, true},
    {"signing", "characters/s", LAB_SIGNIFICANT, false},
    {"signing", "characters/s, least", 0, true},
    {"signing", "characters/s, most", 0, true},
};

static int add_2011(const struct lab_run *run, struct work *work, struct lab_table *table,
                    const double paper[4], struct error *err)
{
    double estimates, signing;
    size_t bits;

    work->params = lab_coates_2011_params(work->a, (uint32_t)paper[0], (size_t)paper[2]);
    if (sign_both(work, err) || lab_clock_rate(signature_distance, work, seconds(run), &estimates, err) ||
        lab_clock_rate(sign_text, work, seconds(run), &signing, err))
        return -1;
    bits = work->a_signature.len;
    lab_row_numbers(table,
                    (const double[]){paper[0], work->params.k, estimates, paper[1], estimates / work->whole,
                                     paper[1] / 0.87, paper[0] * paper[0], (double)bits, paper[2],
                                     (double)work->a.len / paper[0], ceil((double)bits / 8), paper[3],
                                     signing, 7700, 10000, signing * (double)work->a.len, 104e6, 135e6},
                    18);
    return 0;
}

static int run_speed(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    static const double paper[][4] = {{50, 1388, 316, 40}, {100, 10000, 72, 9}, {200, 20000, 22, 3}};
    struct work work = {.distance = 0};
    struct buffer room = {0};
    struct lab_table *table;
    int result;

    lab_coates_texts(run, DISTANCES_2011, DISTANCES_2011, &work.a, &work.b, &room);
    result = room.failed ? error_set(err, "out of memory") : run_plain(run, &work, out, err);
    table = lab_table(out, "coates2011-4.1", "Estimates from signatures, and making them (n = 4)",
                      speed_columns, sizeof speed_columns / sizeof *speed_columns);
    for (size_t i = 0; result == 0 && i < 3; i++)
        result = add_2011(run, &work, table, paper[i], err);
    lab_remark(
        out,
        "Ours: one thread of this machine, from memory; two of %s. The paper: one thread of a 2.6 GHz "
        "processor of 2011. kith compares signatures by the same bit-parallel algorithm, 64 rows of the "
        "matrix at a time. Section 1.1 gives the speeds of plain LD at 40 and 4,000 bytes, which differ by "
        "10,270, \"about 100^2 = 10,000, times\".",
        lab_data_source(run->data));
    lab_remark(
        out,
        "The paper's numbers of bits, 316, 72 and 22, are not inversely proportional to C, nor near length / "
        "C: sums "
        "of four characters of text are far from uniform modulo C. The choice of k, which the paper does not "
        "state, decides how many there are; here it is the one that comes nearest to the paper's number. "
        "Section 2 "
        "has the time of LD fall with the square of C; the ratio depends on the number of bits instead: "
        "length / "
        "bits, squared, is 1,827, 35,198 and 376,996 for the paper's.");
    release(&work);
    buffer_release(&room);
    return result;
}

const struct lab_experiment lab_coates_speed = {"coates2011-speed",
                                                "coates2011",
                                                "Coates 2011, sections 1.1 and 4.1",
                                                "speed of distances, estimates and signatures",
                                                LAB_USE_DATA | LAB_USE_SEED | LAB_USE_QUICK,
                                                run_speed};

/* ---- Coates 2015, section 5 ---- */

static const struct lab_column signing_columns[] = {
    {"C", "", 0, false},
    {"signing", "documents/s", LAB_SIGNIFICANT, false},
    {"signing", "documents/s", 0, true},
    {"signing", "characters/s", LAB_SIGNIFICANT, false},
    {"signing", "characters/s", 0, true},
};

static int run_signing(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    static const uint32_t cs[] = {101, 200, 307};
    struct work work = {.distance = 0};
    struct buffer room = {0};
    struct lab_table *table =
        lab_table(out, "coates2015-5-signing", "Making signatures of 4,865 characters (n = 9)",
                  signing_columns, sizeof signing_columns / sizeof *signing_columns);
    int result = 0;

    lab_coates_texts(run, SIGNED_2015, SIGNED_2015, &work.a, &work.b, &room);
    for (size_t i = 0; result == 0 && i < 3; i++) {
        double rate = 0;

        work.params = (struct sampler_params){SAMPLER_COATES2015, 9, cs[i], 0};
        result = lab_clock_rate(sign_text, &work, seconds(run), &rate, err);
        lab_row_numbers(table, (const double[]){cs[i], rate}, 2);
        lab_number(table, 3, rate * (double)work.a.len);
        if (i == 0) {
            lab_number(table, 2, 3146);
            lab_number(table, 4, 15308239);
        }
    }
    lab_remark(
        out,
        "The paper: one thread of a MacBook Pro with 2.6 GHz; it gives C = 101 only, and calls the effect of "
        "other values of C negligible. Ours: one thread of this machine, %zu bytes.",
        work.a.len);
    release(&work);
    buffer_release(&room);
    return result;
}

const struct lab_experiment lab_coates_2015_speed = {
    "coates2015-speed",           "coates2015", "Coates 2015, section 5", "speed of making signatures",
    LAB_USE_DATA | LAB_USE_QUICK, run_signing};
