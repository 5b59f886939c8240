/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "lab/lab_broder_inner.h"
#include "sketch/rabin.h"

/* ---- sketches ---- */

int lab_broder_open(struct lab_broder_pair *pair, const struct sketch_params *params, struct error *err)
{
    *pair = (struct lab_broder_pair){.sketcher = sketch_new(params, err)};
    return pair->sketcher ? 0 : -1;
}

void lab_broder_close(struct lab_broder_pair *pair)
{
    sketch_free(pair->sketcher);
    sketch_release(&pair->a);
    sketch_release(&pair->b);
}

int lab_broder_compare(struct lab_broder_pair *pair, const struct buffer *a, const struct buffer *b,
                       struct error *err)
{
    if (a->failed || b->failed)
        return error_set(err, "out of memory for a document");
    if (sketch_bytes(pair->sketcher, a->data, a->len, false, &pair->a, err) ||
        sketch_bytes(pair->sketcher, b->data, b->len, false, &pair->b, err))
        return -1;
    return sketch_compare(pair->sketcher, &pair->a, &pair->b, &pair->likeness, err);
}

struct sketch_params lab_broder_params(enum sketch_scheme scheme, enum tokens_unit unit, uint32_t window,
                                       uint64_t seed)
{
    struct sketch_params params = sketch_defaults(scheme);

    params.tokens = (struct tokens_rules){.unit = unit};
    params.window = window;
    params.seed = seed;
    return params;
}

void lab_broder_lines(struct lab_random *random, size_t in_union, size_t common, struct buffer *a,
                      struct buffer *b)
{
    buffer_reset(a);
    buffer_reset(b);
    for (size_t i = 0; i < in_union; i++) {
        struct buffer line = {0};

        /* the number makes lines different, the rest makes them those of this document */
        buffer_printf(&line, "%zx %llx\n", i, (unsigned long long)lab_random_next(random));
        if (i < common || i % 2)
            buffer_add(a, line.data, line.len);
        if (i < common || i % 2 == 0)
            buffer_add(b, line.data, line.len);
        buffer_inherit(a, &line);
        buffer_release(&line);
    }
}

/* ---- the rose ---- */

static const char rose[] = "a rose is a rose is a rose", flower[] = "a rose is a flower which is a rose";

static const struct example {
    const char *a, *b;
    bool labelled;
    uint32_t window;
    double paper; /* NAN: not given */
} examples[] = {
    {rose, flower, true, 1, 70},
    {rose, flower, true, 2, 50},
    {rose, flower, true, 3, 30},
    {rose, flower, true, 4, NAN},
    {rose, flower, false, 1, 60},
    {rose, flower, false, 2, 50},
    {rose, flower, false, 3, 42.85},
    {rose, flower, false, 4, NAN},
    {"a c a b a", "a b a c a", true, 1, NAN},
    {"a c a b a", "a b a c a", true, 2, 100},
    {"a c a b a", "a b a c a", true, 3, NAN},
};

static const struct lab_column rose_columns[] = {
    {"A", "", LAB_WORDS, false}, {"B", "", LAB_WORDS, false},     {"option", "", LAB_WORDS, false},
    {"w", "", 0, false},         {"shingles of A", "", 0, false}, {"shingles of B", "", 0, false},
    {"common", "", 0, false},    {"resemblance", "%", 2, false},  {"resemblance", "%", LAB_PRINTED, true},
    {"A in B", "%", 2, false},   {"B in A", "%", 2, false},
};

static int add_example(const struct example *example, struct lab_table *table, struct error *err)
{
    struct sketch_params params = lab_broder_params(SKETCH_SHINGLES, TOKENS_WORDS, example->window, 1);
    struct lab_broder_pair pair;
    struct buffer a = {0}, b = {0};
    int result;

    params.labelled = example->labelled;
    buffer_add_text(&a, example->a);
    buffer_add_text(&b, example->b);
    result = lab_broder_open(&pair, &params, err);
    if (result == 0)
        result = lab_broder_compare(&pair, &a, &b, err);
    lab_row_numbers(table,
                    (const double[]){NAN, NAN, NAN, example->window, (double)pair.a.count,
                                     (double)pair.b.count, (double)pair.likeness.common,
                                     pair.likeness.resemblance * 100, example->paper,
                                     pair.likeness.a_in_b * 100, pair.likeness.b_in_a * 100},
                    11);
    lab_text(table, 0, "%s", example->a);
    lab_text(table, 1, "%s", example->b);
    lab_text(table, 2, "%s", example->labelled ? "A" : "B");
    lab_broder_close(&pair);
    buffer_release(&a);
    buffer_release(&b);
    return result;
}

static int run_rose(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    struct lab_table *table = lab_table(out, "broder-2", "Resemblance by the definition, of words",
                                        rose_columns, sizeof rose_columns / sizeof *rose_columns);
    int result = 0;

    (void)run;
    for (size_t i = 0; result == 0 && i < sizeof examples / sizeof *examples; i++)
        result = add_example(&examples[i], table, err);
    lab_remark(
        out,
        "All figures of the paper hold; 42.85 is 3/7 = 0.42857 cut off, not rounded. In the published text "
        "that was "
        "available, the 4-shingling of the first document has four members, one of five words; eight words "
        "have five 4-shingles: (a,rose,is,a) twice, (rose,is,a,rose) twice, (is,a,rose,is). The labelled "
        "example, option A, has five, with letters lost: (rose,is,a,rose,e,1), (ose,is,a,2). Of option B's "
        "set, "
        "(is,a,rose,is) is missing.");
    return result;
}

const struct lab_experiment lab_broder_rose = {
    "broder-rose", "broder1997", "Broder 1997, section 2", "the example of the rose, to the percent", 0,
    run_rose};

/* ---- section 4.1: collisions ---- */

enum { SEEDS = 20, SEEDS_QUICK = 4 };

static const struct lab_column collision_columns[] = {
    {"shingle", "", LAB_WORDS, false},
    {"l", "bits", 0, false},
    {"n", "shingles", 0, false},
    {"E|f(S)|", "formula", 2, false},
    {"n - (n choose 2) / 2^l", "formula", 2, false},
    {"|f(S)|", "mean", 2, false},
    {"|f(S)|", "standard error", 2, false},
    {"off by", "standard errors", 2, false},
    {"error of r", "largest", 6, false},
    {"error of r", "bound, 99.9 %", 6, false},
    {"error of r", "largest / bound", LAB_SIGNIFICANT, false},
};

/* What was seen with one l, over several polynomials. */
struct seen {
    double n, sum, squares, largest, in_union;
};

/* Two documents of n random bytes, of which they share the first two thirds, or of n lines. */
static void make_documents(struct lab_random *random, enum tokens_unit unit, size_t n, struct buffer *a,
                           struct buffer *b)
{
    if (unit == TOKENS_LINES) {
        lab_broder_lines(random, n / 3 * 4, n / 3 * 2, a, b);
        return;
    }
    buffer_reset(a);
    buffer_reset(b);
    for (size_t i = 0; i < n; i++) {
        const uint64_t bytes = lab_random_next(random);

        buffer_add_char(a, (char)bytes);
        buffer_add_char(b, (char)(i < n / 3 * 2 ? bytes : bytes >> 8));
    }
}

/* Adds what one polynomial yields.  With 64 bits there are no collisions among so few: that is exact. */
static int see(struct sketch_params params, const struct buffer *a, const struct buffer *b, struct seen *seen,
               struct error *err)
{
    struct lab_broder_pair pair, exact = {.sketcher = NULL};
    int result = lab_broder_open(&pair, &params, err);

    params.bits = 64;
    if (result == 0)
        result = lab_broder_open(&exact, &params, err);
    if (result == 0)
        result = lab_broder_compare(&pair, a, b, err) || lab_broder_compare(&exact, a, b, err) ? -1 : 0;
    seen->n = (double)exact.a.count;
    seen->in_union = (double)exact.likeness.compared;
    seen->sum += (double)pair.a.count;
    seen->squares += (double)pair.a.count * (double)pair.a.count;
    seen->largest = fmax(seen->largest, fabs(pair.likeness.resemblance - exact.likeness.resemblance));
    lab_broder_close(&pair);
    lab_broder_close(&exact);
    return result;
}

static int add_collisions(const struct lab_run *run, enum tokens_unit unit, unsigned bits, size_t n,
                          struct lab_table *table, struct error *err)
{
    const unsigned count = run->quick ? SEEDS_QUICK : SEEDS;
    struct sketch_params params = lab_broder_params(SKETCH_SHINGLES, unit, unit == TOKENS_BYTES ? 50 : 1, 0);
    struct buffer a = {0}, b = {0};
    struct lab_random random;
    struct seen seen = {0};
    double mean, error, expected, bound;
    int result = 0;

    params.bits = bits;
    lab_random_seed(&random, lab_random_mix(run->seed) + bits * n);
    for (unsigned i = 0; result == 0 && i < count; i++) {
        params.seed = lab_random_next(&random); /* another polynomial, another permutation */
        make_documents(&random, unit, n, &a, &b);
        result = see(params, &a, &b, &seen, err);
    }
    mean = seen.sum / count;
    error = sqrt(fmax(0, seen.squares / count - mean * mean) / (count - 1));
    expected = sketch_expected_distinct(seen.n, bits);
    bound = sketch_resemblance_bound(seen.in_union, bits);
    lab_row_numbers(table,
                    (const double[]){
                        NAN, bits, seen.n, expected, seen.n - sketch_collision_bound(seen.n, bits), mean,
                        error, (mean - expected) / error, seen.largest, fmin(1, bound), seen.largest / bound},
                    11);
    lab_text(table, 0, unit == TOKENS_BYTES ? "50 bytes" : "1 line");
    buffer_release(&a);
    buffer_release(&b);
    return result;
}

/* ---- the bound for two strings that an adversary chose ---- */

enum { STRING_BITS = 400, STRING_BYTES = STRING_BITS / 8 };

/* Multiplies the polynomial over GF(2), coefficients by degree, by x^bits + low. */
static void multiply(bool product[STRING_BITS], unsigned bits, uint64_t low)
{
    bool result[STRING_BITS] = {false};

    for (unsigned i = 0; i + bits < STRING_BITS; i++) {
        if (!product[i])
            continue;
        result[i + bits] ^= true;
        for (unsigned k = 0; k < bits; k++)
            result[i + k] ^= low >> k & 1;
    }
    memcpy(product, result, sizeof result);
}

/* The difference of two strings that collide under the most polynomials: the product of all that fit. Returns
 * their number. */
static unsigned worst_difference(unsigned bits, uint8_t out[STRING_BYTES])
{
    bool product[STRING_BITS] = {true};
    unsigned count = 0;

    for (uint64_t low = 1; (count + 1) * bits < STRING_BITS; low += 2)
        if (rabin_is_irreducible(low, bits)) {
            multiply(product, bits, low);
            count++;
        }
    memset(out, 0, STRING_BYTES);
    for (unsigned i = 0; i < STRING_BITS; i++)
        out[STRING_BYTES - 1 - i / 8] |= (uint8_t)(product[i] << i % 8);
    return count;
}

static const struct lab_column bound_columns[] = {
    {"difference of the strings", "", LAB_WORDS, false},
    {"l", "bits", 0, false},
    {"polynomials", "drawn", 0, false},
    {"collisions", "", 0, false},
    {"probability", "measured", LAB_SIGNIFICANT, false},
    {"probability", "bound, 400 / 2^(l - 1)", LAB_SIGNIFICANT, true},
};

static void add_bound(const struct lab_run *run, unsigned bits, bool is_worst, struct lab_table *table)
{
    const unsigned draws = run->quick ? 2000 : 40000;
    uint8_t a[STRING_BYTES], b[STRING_BYTES];
    struct lab_random random;
    unsigned factors = worst_difference(bits, b), collisions = 0;

    lab_random_seed(&random, lab_random_mix(run->seed) + bits);
    for (unsigned i = 0; i < STRING_BYTES; i++) {
        a[i] = (uint8_t)lab_random_next(&random);
        b[i] = is_worst ? a[i] ^ b[i] : (uint8_t)lab_random_next(&random);
    }
    for (unsigned i = 0; i < draws; i++) {
        struct rabin rabin;

        rabin_init(&rabin, bits, rabin_draw(bits, lab_random_next(&random), 0));
        collisions +=
            rabin_append(&rabin, rabin.empty, a, sizeof a) == rabin_append(&rabin, rabin.empty, b, sizeof b);
    }
    lab_row_numbers(table,
                    (const double[]){NAN, bits, draws, collisions, (double)collisions / draws,
                                     ldexp(STRING_BITS, 1 - (int)bits)},
                    6);
    if (is_worst)
        lab_text(table, 0, "product of %u irreducible polynomials", factors);
    else
        lab_text(table, 0, "random");
}

static void add_bounds(const struct lab_run *run, struct lab_document *out)
{
    static const unsigned bits[] = {16, 18, 20};
    struct lab_table *table =
        lab_table(out, "broder-4.1-strings", "Two strings of 400 bits, over the choice of the polynomial",
                  bound_columns, sizeof bound_columns / sizeof *bound_columns);

    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        add_bound(run, bits[i], false, table);
        add_bound(run, bits[i], true, table);
    }
    lab_remark(out, "The bound max(|s1|, |s2|) / 2^(l - 1) holds for any two strings. The worst pair differs "
                    "by a product of "
                    "irreducible polynomials of degree l: 400 / l of them fit, among some 2^l / l, which is "
                    "half of the bound. "
                    "Two strings that nobody chose collide with a probability of about 2^-l.");
}

static int run_collisions(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    static const unsigned bits[] = {16, 18, 20, 22, 24, 40};
    static const size_t sizes[] = {1050, 10050, 30050};
    struct lab_table *table =
        lab_table(out, "broder-4.1", "Distinct fingerprints of l bits of n different shingles",
                  collision_columns, sizeof collision_columns / sizeof *collision_columns);
    int result = 0;

    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        for (size_t k = 0; result == 0 && k < (run->quick ? 2 : 3); k++)
            result = add_collisions(run, TOKENS_BYTES, bits[i], sizes[k], table, err);
        if (result == 0)
            result = add_collisions(run, TOKENS_LINES, bits[i], 9999, table, err);
    }
    lab_remark(
        out,
        "Ours: shingles that are all different, %d random irreducible polynomials for each row; 50 bytes are "
        "the "
        "paper's 400 bits. The formula is for f chosen uniformly at random, and that of Rabin fingerprints "
        "of "
        "bytes is off it by as much as \"off by\" says. Other tokens than bytes are fingerprinted themselves "
        "first, also with l bits, so that "
        "their "
        "collisions add to those of the shingles (unless w = 1 and l is a multiple of 8). The two-term "
        "approximation holds only for l well above log2 n, as the paper says: its l = 40 is far on the safe "
        "side.",
        run->quick ? SEEDS_QUICK : SEEDS);
    lab_remark(
        out,
        "The bound on |r_f - r|, |union| / 2^(l - 11), is 4 times 1,024 times the expected collisions as a "
        "share of the union, |union| / 2^(l + 1): 1,024 by Markov's inequality, and 4 for the details that "
        "the paper omits. It is shown as 1 where it exceeds that; the last column is a "
        "share of the bound itself. The paper's {0, ..., 2^l}, which pi permutes, has one number too many: "
        "f has values below 2^l.");
    add_bounds(run, out);
    return result;
}

const struct lab_experiment lab_broder_collisions = {
    "broder-collisions",          "broder1997",
    "Broder 1997, section 4.1",   "collisions of Rabin fingerprints, and their bounds",
    LAB_USE_SEED | LAB_USE_QUICK, run_collisions};
