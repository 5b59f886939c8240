/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "lab/lab_broder_inner.h"
#include "lab/lab_clock.h"
#include "sketch/rabin.h"

/* The times of Broder 1997, section 4.3: a window that slides beside fingerprints from scratch, option A
 * beside option B. */

enum { BITS = 64, WINDOWS = 20000 };

static double seconds(const struct lab_run *run)
{
    return run->quick ? 0.005 : 0.2;
}

/* ---- windows ---- */

struct strings {
    struct rabin_window window;
    const uint8_t *bytes;
    uint64_t *slid, *scratch;
};

static int slide(void *arg, struct error *err)
{
    struct strings *strings = arg;

    (void)err;
    rabin_window_slide(&strings->window, strings->bytes, WINDOWS, strings->slid);
    return 0;
}

static int from_scratch(void *arg, struct error *err)
{
    struct strings *strings = arg;
    const struct rabin *rabin = &strings->window.rabin;

    (void)err;
    for (size_t i = 0; i < WINDOWS; i++)
        strings->scratch[i] = rabin_append(rabin, rabin->empty, strings->bytes + i, strings->window.width);
    return 0;
}

static const struct lab_column window_columns[] = {
    {"w", "bytes", 0, false},
    {"sliding", "million windows/s", LAB_SIGNIFICANT, false},
    {"from scratch, O(wn)", "million windows/s", LAB_SIGNIFICANT, false},
    {"times as fast", "", 1, false},
    {"times as fast", "\"a factor of w\"", 0, true},
    {"different results", "", 0, false},
};

static int add_window(const struct lab_run *run, struct strings *strings, size_t width,
                      struct lab_table *table, struct error *err)
{
    struct rabin rabin;
    double sliding, scratch, different = 0;

    rabin_init(&rabin, BITS, rabin_draw(BITS, run->seed, 0));
    rabin_window_init(&strings->window, &rabin, width);
    if (lab_clock_rate(slide, strings, seconds(run), &sliding, err) ||
        lab_clock_rate(from_scratch, strings, seconds(run), &scratch, err))
        return -1;
    for (size_t i = 0; i < WINDOWS; i++)
        different += strings->slid[i] != strings->scratch[i];
    lab_row_numbers(table,
                    (const double[]){(double)width, sliding * WINDOWS / 1e6, scratch * WINDOWS / 1e6,
                                     sliding / scratch, (double)width, different},
                    6);
    return 0;
}

static int add_windows(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    static const size_t widths[] = {5, 10, 20, 50, 100, 400};
    enum { WIDEST = 400 };
    struct strings strings = {.bytes = NULL};
    struct lab_table *table =
        lab_table(out, "broder-4.3-window", "Rabin fingerprints of all windows (l = 64)", window_columns,
                  sizeof window_columns / sizeof *window_columns);
    struct lab_random random;
    struct buffer bytes = {0};
    int result;

    lab_random_seed(&random, run->seed);
    for (size_t i = 0; i < WINDOWS + WIDEST; i++)
        buffer_add_char(&bytes, (char)lab_random_next(&random));
    strings.bytes = (const uint8_t *)bytes.data;
    result = bytes.failed || array_resize(&strings.slid, WINDOWS) || array_resize(&strings.scratch, WINDOWS)
                 ? error_set(err, "out of memory for windows")
                 : 0;
    for (size_t i = 0; result == 0 && i < sizeof widths / sizeof *widths; i++)
        result = add_window(run, &strings, widths[i], table, err);
    free(strings.slid);
    free(strings.scratch);
    buffer_release(&bytes);
    return result;
}

/* ---- options ---- */

enum { MOST_LEN = 200000 };

struct sketching {
    struct sketcher *sketcher;
    const struct lab_text_file *file;
    size_t len;
    struct sketch sketch;
};

static int sketch_document(void *arg, struct error *err)
{
    struct sketching *work = arg;

    return sketch_bytes(work->sketcher, work->file->data, work->len, false, &work->sketch, err);
}

static const struct lab_column option_columns[] = {
    {"sketch", "", LAB_WORDS, false},
    {"tokens", "", LAB_WORDS, false},
    {"option A, labelled", "MB/s", LAB_SIGNIFICANT, false},
    {"option B", "MB/s", LAB_SIGNIFICANT, false},
    {"B : A", "", 2, false},
};

static const struct option_row {
    const char *name;
    enum sketch_scheme scheme;
    uint32_t window; /* of words; bytes: ten times that */
} option_rows[] = {
    {"MIN_100", SKETCH_MIN, 4},
    {"MIN_100 of MOD_25", SKETCH_MINMOD, 4},
    {"MOD_25", SKETCH_MOD, 4},
    {"all shingles", SKETCH_SHINGLES, 4},
};

static int measure_option(const struct lab_run *run, const struct option_row *row, enum tokens_unit unit,
                          bool labelled, double *rate, struct error *err)
{
    const struct lab_text_file *file = lab_data_get(run->data, lab_data_count(run->data) - 1);
    struct sketching work = {.file = file, .len = file->len < MOST_LEN ? file->len : MOST_LEN};
    struct sketch_params params = lab_broder_params(
        row->scheme, unit, unit == TOKENS_BYTES ? 10 * row->window : row->window, run->seed);
    int result;

    params.labelled = labelled;
    if (sketch_uses(row->scheme) & SKETCH_USE_SIZE)
        params.size = 100;
    if (sketch_uses(row->scheme) & SKETCH_USE_RATE)
        params.rate = 25;
    work.sketcher = sketch_new(&params, err);
    result = work.sketcher ? lab_clock_rate(sketch_document, &work, seconds(run), rate, err) : -1;
    *rate *= (double)work.len / 1e6;
    sketch_release(&work.sketch);
    sketch_free(work.sketcher);
    return result;
}

static int add_options(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    static const enum tokens_unit units[] = {TOKENS_WORDS, TOKENS_BYTES};
    const size_t rows = sizeof option_rows / sizeof *option_rows;
    unsigned faster = 0;
    struct lab_table *table =
        lab_table(out, "broder-4.3-options", "Sketching with and without labels (w = 4 words, 40 bytes)",
                  option_columns, sizeof option_columns / sizeof *option_columns);

    for (size_t i = 0; i < 2 * rows; i++) {
        const struct option_row *row = &option_rows[i % rows];
        double a = 0, b = 0;

        if (measure_option(run, row, units[i / rows], true, &a, err) ||
            measure_option(run, row, units[i / rows], false, &b, err))
            return -1;
        lab_row_numbers(table, (const double[]){NAN, NAN, a, b, b / a}, 5);
        lab_text(table, 0, "%s", row->name);
        lab_text(table, 1, "%s", tokens_unit_name(units[i / rows]));
        faster += b > a;
    }
    lab_remark(
        out,
        "\"Nevertheless option B seems faster in practice\": it is in %u of %zu rows. Ours: the longest of "
        "%s, its first %d bytes at most. Option A counts each shingle in a hash table and computes a "
        "second fingerprint, of the first one and the label. The paper weighs the cost of a heap for A "
        "against that of a balanced tree for B; kith has a heap and a hash table for both.",
        faster, 2 * rows, lab_data_source(run->data), MOST_LEN);
    return 0;
}

static int run_speed(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    int result = add_windows(run, out, err);

    lab_remark(out,
               "Processor time of one thread. From scratch, a table takes a byte at a time, so that the "
               "time is proportional to w; sliding, a window costs the byte that enters and the one that "
               "leaves. Words of at most 8 bytes, padded, give a sliding window to them as well; in kith, "
               "a token of any length is first fingerprinted, to 8 bytes, and the window is one of w such "
               "numbers.");
    return result ? result : add_options(run, out, err);
}

const struct lab_experiment lab_broder_speed = {"broder-speed",
                                                "broder1997",
                                                "Broder 1997, sections 4.1 and 4.3",
                                                "sliding windows, and options A and B, in time",
                                                LAB_USE_DATA | LAB_USE_SEED | LAB_USE_QUICK,
                                                run_speed};
