/* SPDX-License-Identifier: Apache-2.0 */
/* The wish of section 8: hashes of whole chunks beside BSW_n, on longer files. */
#include <math.h>

#include "base/buffer.h"
#include "lab/lab_cherkasova.h"
#include "lab/lab_cherkasova_near.h"
#include "lab/lab_text.h"

enum { SCHEMES = 5, EXACT = SCHEMES - 1, WINDOW = 20, MOST_COPIES = 100, LENGTHS = 5, PLOTTED = 50 };

static const struct lab_column columns[] = {
    {"length", "bytes", 0, false},
    {"insertions", "", 0, false},
    {"chunks_100", "%", 1, false},
    {"BSW_100", "%", 1, false},
    {"chunks_1000", "%", 1, false},
    {"BSW_1000", "%", 1, false},
    {"exact", "%", 1, false},
    {"chunks_100, expected", "%", 1, false},
    {"chunks_1000, expected", "%", 1, false},
    {"chunks_100 lost", "%", 1, false},
};

/* Short texts vary more.  The first length is that of the example in section 2. */
static const struct length {
    size_t bytes, copies;
} lengths[LENGTHS] = {{2000, MOST_COPIES}, {10000, 3}, {100000, 3}, {1000000, 3}, {4000000, 3}};
static const unsigned insertions[] = {10, 50, 500, 5000};

/* Texts of one length. */
struct texts {
    struct buffer bytes;
    struct lab_text_file files[MOST_COPIES];
};

static int generate(struct texts *texts, size_t len, size_t copies, uint64_t seed, struct error *err)
{
    struct lab_random random;

    lab_random_seed(&random, seed + len);
    buffer_reset(&texts->bytes);
    for (size_t i = 0; i < copies; i++)
        lab_text_generate(&random, len, &texts->bytes);
    if (texts->bytes.failed)
        return error_set(err, "out of memory");
    for (size_t i = 0; i < copies; i++)
        texts->files[i] = (struct lab_text_file){"", (const uint8_t *)texts->bytes.data + i * len, len};
    return 0;
}

/*
 * Of chunks with a geometric distribution of lengths, about n on average, a share 1 / (1 + i n / len) has
 * none of the i insertions, and exp(-i w / len) of these keep both boundaries.
 */
static double expected(size_t len, unsigned i, double n)
{
    const double kept = exp(-(double)i * WINDOW / (double)len) / (1 + i * n / (double)len);

    return kept / (2 - kept);
}

struct result {
    struct lab_table *table;
    struct lab_plot *plot;
    size_t series[SCHEMES];
    unsigned rows, more; /* pairs of chunk hashes and BSW_n at one n, and those where BSW_n keeps more */
};

static void add_rows(const struct lab_near_plan *plan, const struct lab_near *near, size_t len,
                     struct result *result)
{
    struct lab_table *table = result->table;

    for (size_t step = 0; step < plan->step_count; step++) {
        double chunks;

        lab_row(table);
        lab_number(table, 0, (double)len);
        lab_number(table, 1, plan->steps[step]);
        for (size_t scheme = 0; scheme < SCHEMES; scheme++)
            lab_cherkasova_percent(table, scheme + 2,
                                   lab_near_average(near, step, scheme, 0, near->documents));
        lab_cherkasova_percent(table, SCHEMES + 2, expected(len, plan->steps[step], 100));
        lab_cherkasova_percent(table, SCHEMES + 3, expected(len, plan->steps[step], 1000));
        for (size_t scheme = 0; scheme < EXACT; scheme += 2, result->rows++)
            result->more += lab_near_average(near, step, scheme + 1, 0, near->documents) >
                            lab_near_average(near, step, scheme, 0, near->documents);
        chunks = lab_near_average(near, step, 0, 0, near->documents);
        lab_cherkasova_percent(table, SCHEMES + 4, (1 - chunks) / (1 + chunks));
    }
}

static int measure(const struct length *length, const struct lab_run *run,
                   const struct sketch_params *schemes, struct result *result, struct error *err)
{
    struct texts texts = {0};
    const size_t len = length->bytes;
    struct lab_cherkasova_corpus corpus = {texts.files, length->copies};
    struct lab_near_plan plan = {&corpus, LAB_NEAR_INSERT, schemes, SCHEMES, {0}, 0, run->seed};
    struct lab_near near = {0};
    size_t step;
    int rc = generate(&texts, len, length->copies, run->seed, err);

    for (size_t i = 0; i < sizeof insertions / sizeof *insertions; i++)
        if (insertions[i] <= len / 100)
            plan.steps[plan.step_count++] = insertions[i];
    if (rc == 0)
        rc = lab_near_measure(&plan, &near, err);
    if (rc == 0)
        add_rows(&plan, &near, len, result);
    step = lab_near_step(&plan, PLOTTED);
    for (size_t i = 0; i < SCHEMES && rc == 0 && step < plan.step_count; i++)
        lab_point(result->plot, result->series[i], (double)len,
                  100 * lab_near_average(&near, step, i, 0, near.documents));
    lab_near_release(&near);
    buffer_release(&texts.bytes);
    return rc;
}

static int run(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    static const struct lab_axes axes = {"length", "bytes", "average similarity", "%", true, false};
    const struct sketch_params schemes[SCHEMES] = {
        lab_cherkasova_params(SKETCH_CHUNKS, WINDOW, 100),  lab_cherkasova_params(SKETCH_BSW, WINDOW, 100),
        lab_cherkasova_params(SKETCH_CHUNKS, WINDOW, 1000), lab_cherkasova_params(SKETCH_BSW, WINDOW, 1000),
        lab_cherkasova_params(SKETCH_SHINGLES, WINDOW, 0),
    };
    struct result result = {
        .table =
            lab_table(out, "cherkasova2009-chunks", "Average similarity by length of the document, window 20",
                      columns, sizeof columns / sizeof *columns),
        .plot = lab_plot(out, "cherkasova2009-chunks", "Average similarity after 50 insertions, window 20",
                         &axes),
    };
    int rc = 0;

    for (size_t i = 0; i < SCHEMES; i++)
        result.series[i] = lab_series(result.plot, "%s", columns[i + 2].name);
    for (size_t i = 0; i < (run->quick ? 3 : LENGTHS) && rc == 0; i++)
        rc = measure(&lengths[i], run, schemes, &result, err);
    lab_remark(
        out,
        "Generated texts: %zu of %zu bytes, and %zu of each other length. The hash of a chunk is lost with "
        "any edit in it, its smallest "
        "window only with an edit in that window; BSW_n keeps more in %u of %u cases of the same n. Chunk "
        "hashes have the advantage that the paper names in section 8: two equal hashes prove that the chunks "
        "are identical. Section 2 calls MD5 a hash of 64 "
        "bits: it has "
        "128.",
        lengths[0].copies, lengths[0].bytes, lengths[1].copies, result.more, result.rows);
    lab_remark(
        out,
        "The first row is the example of section 2: of the some 20 chunks of a file of 2 KB, 10 tiny edits "
        "\"potentially may impact more than 50%%\". The last column has the share that is lost, as it "
        "follows from the average similarity if both versions have as many chunks.");
    return rc;
}

const struct lab_experiment lab_cherkasova_chunks = {
    .name = "cherkasova2009-chunks",
    .paper = "cherkasova2009",
    .source = "Cherkasova 2009, section 8",
    .summary = "hashes of whole chunks beside BSW_n, on longer files",
    .uses = LAB_USE_SEED | LAB_USE_QUICK | LAB_USE_PLOTS,
    .run = run,
};
